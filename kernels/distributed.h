/* What a distributed SpMV does beside the local block, which a kernel of the table multiplies:
 * gathering what others need of x, and adding the remote block. */
#ifndef SP_KERNELS_DISTRIBUTED_H
#define SP_KERNELS_DISTRIBUTED_H

#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

/* The remote block in CRS; where few rows have entries, these rows alone. */
struct sp_remote_block {
    int64_t n_rows; /* stored */
    int64_t n_nz;
    int32_t *row;     /* [n_rows] in the rank's part of y; NULL: all rows are stored */
    int32_t *row_ptr; /* [n_rows + 1] */
    int32_t *col;     /* [n_nz] in the halo */
    double *val;      /* [n_nz] */
    int n_threads;
    int64_t *begin; /* [n_threads + 1] rows of each thread: equal entries */
};

/* Copies: `remote` has real values. SP_ABSENT: more entries than 32 bits count; SP_MEMORY. */
enum sp_status sp_remote_block_make(const struct sp_csr *remote, bool compressed, int n_threads,
                                    struct sp_remote_block *block, struct sp_error *err);
/* Safe twice and on a zeroed one. */
void sp_remote_block_free(struct sp_remote_block *block);

/* y += B halo, with the threads of the block. */
void sp_remote_block_add(const struct sp_remote_block *block, const double *halo, double *y);

/* out[k] = x[place[k]], in equal shares. */
void sp_pack(const double *x, const int32_t *place, int64_t n, int n_threads, double *out);

#endif
