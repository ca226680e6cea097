/* XXH64, the 64-bit hash of Yann Collet's published specification (xxHash, version 0.1.1): fast, not
 * cryptographic; guards stored data against damage. */
#ifndef SP_BASE_HASH64_H
#define SP_BASE_HASH64_H

#include <stddef.h>
#include <stdint.h>

uint64_t sp_hash64(const void *data, size_t size, uint64_t seed);

#endif
