/* The roof of a kernel, measured on its own data: the threads read the layout's value and index
 * arrays in step as the kernel reads them, then the rows of entries where they are stored and the
 * dense operands of the job, from end to end, and do next to nothing else. Same pages, same
 * placement, same mix of streams, same size; what an ideal kernel without gathers and stores would
 * take [THEORY 8]. */
#ifndef SP_KERNELS_SCAN_H
#define SP_KERNELS_SCAN_H

#include "base/job.h"
#include "base/status.h"
#include "sparse/formats/layout.h"

/* Reads the arrays of a job `repetitions` times, in equal shares, with n_threads of the layout's
 * partition. *checksum depends on every byte, so that no read can be left out. */
void sp_scan_job(const struct sp_job *job, int64_t repetitions, uint64_t *checksum);

/* Bytes that one repetition reads [B]. */
double sp_scan_bytes(const struct sp_job *job);

#endif
