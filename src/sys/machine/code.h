/* The machine code of this program's functions, as its symbol table bounds them. */
#ifndef SP_SYS_CODE_H
#define SP_SYS_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct sp_code {
    const unsigned char *bytes; /* [size] where it runs */
    size_t size;
};

/* The function that begins at this address. SP_ABSENT with the reason: the program or library that has it is
 * stripped or not readable, or no function begins there. Reads the file once a call. */
enum sp_status sp_code_find(void (*function)(void), struct sp_code *code, struct sp_error *err);

/* XXH64 of the code of n functions, NULL ones left out: the same for the same bytes in the same order. */
enum sp_status sp_code_hash(void (*const function[])(void), int n, uint64_t *hash, struct sp_error *err);

#endif
