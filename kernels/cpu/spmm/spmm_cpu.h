/* What the bodies of Y = S X share. Private to kernels/cpu. */
#ifndef SP_KERNELS_CPU_SPMM_CPU_H
#define SP_KERNELS_CPU_SPMM_CPU_H

#include "kernels/cpu/spmm/dense_cpu.h"

/* What becomes of the sums of a row: stored, stored past the cache, added to what Y holds. */
enum save { SAVE_PLAIN, SAVE_STREAM, SAVE_ADD };

/* The bodies for one type of value and index, by the logarithm of their vectors' lanes; NULL:
 * none. */
enum { SP_SPMM_WIDTHS = 5 };
struct sp_spmm_family {
    sp_dense_units *rows[SP_SPMM_WIDTHS], *chunks[SP_SPMM_WIDTHS], *columns, *column_chunks;
};

/* The body with the widest vectors that a row of the layout's width fills. */
struct sp_dense_body sp_spmm_body(const struct sp_spmm_family *family, const struct sp_layout *layout);

/* The body for SpMM, SpMMV, and for the sums of FusedMM, by instruction sets. */
sp_dense_select sp_spmm_body_of_portable, sp_spmm_body_of_avx2, sp_spmm_body_of_avx512;

/* All but one vector by rows, which is for the kernels of SpMV. */
enum sp_status sp_spmm_accepts(const struct sp_layout *layout, struct sp_error *err);

/* The row in a lane of SELL; -1: none. */
static inline int64_t sp_dense_row(const struct sp_dense_args *a, int64_t lane)
{
    return a->perm ? a->perm[lane] : lane < a->n_r ? lane : -1;
}

/* Slots of a chunk whose entries of entry_B bytes, read lane by lane, stay in the first-level
 * cache. */
static inline int64_t sp_dense_slots_in_block(int64_t C, size_t entry_B)
{
    enum { BLOCK_B = 16384, FEWEST = 16 };
    int64_t n = BLOCK_B / ((int64_t)entry_B * C);
    return n > FEWEST ? n : FEWEST;
}

/* Asks for the lines of `size` bytes from p on. */
static inline __attribute__((always_inline)) void prefetch_stream(const void *p, size_t size)
{
    for (size_t at = 0; at < size; at += 64)
        __builtin_prefetch((const char *)p + at, 0, 3);
}

#endif
