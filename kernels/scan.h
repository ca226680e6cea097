/* The roof of a kernel, measured on its own data: the threads read the layout's value and index arrays from
 * end to end, in step as the kernel reads them, and do next to nothing else. Same pages, same placement, same
 * mix of streams, same size; what an ideal kernel without gathers and stores would take [THEORY 8]. */
#ifndef SP_KERNELS_SCAN_H
#define SP_KERNELS_SCAN_H

#include "base/status.h"
#include "sparse/layout.h"

/* Reads val and col of the layout `repetitions` times, in equal shares, with n_threads of the partition. The
 * layout has values. *checksum depends on every byte, so that no read can be left out. */
void sp_scan_layout(const struct sp_layout *layout, int64_t repetitions, uint64_t *checksum);

/* Bytes that one repetition reads [B]. */
double sp_scan_bytes(const struct sp_layout *layout);

#endif
