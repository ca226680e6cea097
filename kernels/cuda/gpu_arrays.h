/* What a GPU kernel works on: the layout's arrays and the dense operands in the memory of the
 * device. C, and C++ where kernels are compiled. */
#ifndef SP_KERNELS_CUDA_GPU_ARRAYS_H
#define SP_KERNELS_CUDA_GPU_ARRAYS_H

#ifdef __cplusplus
extern "C" {
#endif

#include "sparse/launch/gpu_launch.h"

/* Shapes are those of struct sp_layout; each array begins at a multiple of 256 bytes. NULL: the way
 * of sharing, or the operation, has no use for it. Element (i, k) of a dense operand is at i ld +
 * k, in column-major order at k ld + i. */
struct sp_gpu_arrays {
    const void *val, *col, *ptr;
    const int32_t *len, *perm;
    const void *index_ptr, *column_ptr; /* TILED */
    const void *row_index;              /* TILED, COO */
    const struct sp_staged_block *block;
    const int32_t *list;
    const int64_t *start; /* MERGE, SHARE: [n_shares + 1] rows that end before each block, share; STAGE:
                             [n_chunks] first entry of each chunk; BINS: [n_long] long rows */
    int64_t *carry_row;   /* [n_shares] MERGE */
    void *carry_val;      /* [sp_gpu_carries()] of sp_gpu_carry_size() bytes */
    const void *x;        /* [n_c x r] */
    const void *rows;     /* [n_r x r] SDDMM's A, FusedMM's C */
    const void *second;   /* [n_c x r] FusedMM's D */
    void *y;              /* [n_r x r], SDDMM [n_nz] in the layout's order of entries */
    int64_t n_r, n_c, n_nz, n_chunks, n_shares, n_long;
    int64_t r, ld_x, ld_y;
    int32_t C, T_i, b_h, b_w;
    int lanes, column_lanes, tile, n_tiles, n_parts; /* of the launch */
    int items;      /* of a thread, MERGE; of a team, SHARE; of a short row, BINS */
    int wide_ptr;   /* pointers have 8 bytes, else 4 */
    int wide_col;   /* MMA: so have column indices */
    int ends_layer; /* STAGE: y is min(max(Y + bias, 0), most) */
    double bias, most;
    /* Accesses to the first window_B bytes of x stay in the part of the L2 that is set aside, this
     * share of them; 0 bytes: none do. For the host, which starts the grid. */
    int64_t window_B;
    double window_hits;
};

/* Queues one execution. 0, or the runtime's number of what went wrong. One function for SpMV, one
 * for SpMMV and SpMM, one for SDDMM and FusedMM, one for SpMM on matrix units. */
typedef int sp_gpu_execute(const struct sp_gpu_launch *launch, const struct sp_gpu_arrays *arrays,
                           enum sp_precision precision, enum sp_index index);
sp_gpu_execute sp_gpu_spmv_execute, sp_gpu_spmm_execute, sp_gpu_sampled_execute, sp_gpu_mma_execute;

#ifdef __cplusplus
}
#endif

#endif
