/* What all CPU kernels of SpMV share: the state, the parallel run, y and x. A variant adds bodies that
 * compute a range of rows or chunks. Private to kernels/cpu. */
#ifndef SP_KERNELS_CPU_SPMV_CPU_H
#define SP_KERNELS_CPU_SPMV_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

/* The arrays of a layout beside the kernel's own x and y. */
struct sp_spmv_args {
    const void *val, *col, *ptr;
    const void *index_ptr; /* SELL: the same as ptr */
    const int32_t *len, *n_unit, *perm;
    const int32_t *base; /* 16-bit offsets only */
    const void *x;       /* x[-guard] .. x[n_c + guard - 1] are readable, zero outside [0, n_c); guard is
                            at least 16, C (SELL kinds), b_w + 16 (BCSR) */
    void *y;             /* 64-byte aligned, room for whole units: n_chunks C, ceil(n_r/b_h) b_h entries */
    int64_t n_r, n_indices;
    int32_t C, b_h, b_w;
    int32_t prefetch;          /* entries ahead of which x is asked for */
    bool wide_ptr, wide_index; /* pointers, indices have 8 bytes */
    bool store_nt;
    int mirror;                     /* HALF */
    const struct sp_layout *layout; /* STRIPED: its cells */
};

/* HALF: rows that one thread computes in one go. */
struct sp_half_rows {
    int64_t first, end;
    bool add;     /* y of these rows has sums already; else it is set */
    void *window; /* takes what rows before `begin` get, from row `lowest` on; NULL: y takes all */
    int64_t begin, lowest;
};

static inline int64_t sp_spmv_pointer(const struct sp_spmv_args *a, const void *ptr, int64_t i)
{
    return a->wide_ptr ? ((const int64_t *)ptr)[i] : ((const int32_t *)ptr)[i];
}

/* HALF: y of these rows, and what their mirror images add to other rows. */
typedef void sp_half_units(const struct sp_spmv_args *args, const struct sp_half_rows *rows);

enum { SP_LINE_B = 64 };

/* What one thread writes during a run, on lines of its own. */
struct sp_spmv_lane {
    double busy_s;
    char pad[SP_LINE_B - sizeof(double)];
    /* merge: the sum over the part of a row that the thread cannot finish, for even and odd repetitions, so
     * that one barrier between writing and adding is enough. */
    char carry[2][SP_LINE_B];
};

struct sp_spmv_body {
    /* y of the units [first, end): rows for CRS, chunks for SELL kinds, block rows for BCSR. Row `first`
     * starts at the entry `from` (CRS only). */
    void (*units)(const struct sp_spmv_args *args, int64_t first, int64_t end, int64_t from);
    /* CRS: the sum over the entries [from, to) of one row into one value of the precision. NULL with 16-bit
     * offsets, whose rows are not split. */
    void (*partial)(const struct sp_spmv_args *args, int64_t from, int64_t to, void *sum);
    /* `units` that asks for x in advance; NULL: there is none. */
    void (*ahead)(const struct sp_spmv_args *args, int64_t first, int64_t end, int64_t from);
    bool can_store_nt; /* y in natural order is written with non-temporal stores when asked */
};

typedef void sp_spmv_units(const struct sp_spmv_args *args, int64_t first, int64_t end, int64_t from);

/* Compile-time C of the SELL bodies, and one that takes all. */
enum { SELL_4, SELL_8, SELL_16, SELL_32, SELL_ANY, SELL_N_CASES };
static inline int sp_spmv_sell_case(int32_t C)
{
    return C == 4 ? SELL_4 : C == 8 ? SELL_8 : C == 16 ? SELL_16 : C == 32 ? SELL_32 : SELL_ANY;
}

/* Which width of CRS suits rows of mean length n_nzr: a vector should mostly be full. */
enum sp_crs_width { CRS_SCALAR, CRS_NARROW, CRS_WIDE };
static inline enum sp_crs_width sp_spmv_crs_width(const struct sp_layout *l)
{
    double n_nzr = l->n_r > 0 ? (double)l->n_nz / (double)l->n_r : 0;
    return n_nzr < 4 ? CRS_SCALAR : n_nzr < 12 ? CRS_NARROW : CRS_WIDE;
}

/* The portable bodies of CRS: for rows too short for vectors, and all types. */
struct sp_spmv_body sp_spmv_crs_portable(const struct sp_layout *layout);

/* `accepts` of rows whose bodies do not ask for x in advance, and of those that do where C is known to them.
 */
enum sp_status sp_spmv_without_prefetch(const struct sp_layout *layout, struct sp_error *err);
enum sp_status sp_spmv_sell_prefetch(const struct sp_layout *layout, struct sp_error *err);

/* SP_ABSENT with the reason where this CPU has not the instruction set. */
enum sp_status sp_cpu_has_avx2(struct sp_error *err);
enum sp_status sp_cpu_has_avx512(struct sp_error *err);
/* The same with the conversions of f16. */
enum sp_status sp_cpu_has_avx2_f16c(struct sp_error *err);
enum sp_status sp_cpu_has_avx512_f16c(struct sp_error *err);

/* Chooses the body for a layout. */
typedef struct sp_spmv_body sp_spmv_select(const struct sp_layout *layout);

struct sp_spmv_state {
    const struct sp_layout *layout;
    struct sp_spmv_args args;
    struct sp_spmv_body body;
    const struct sp_allocator *allocator;
    void *x_room; /* [n_x] with the guards */
    int64_t n_x, n_y, guard;
    struct sp_spmv_lane *lane; /* [n_threads] */
    sp_half_units *half;       /* HALF: instead of the body */
    void **window; /* [n_threads] HALF without phases: sp_half_window() elements each; else NULL */
};

enum sp_status sp_spmv_cpu_prepare(const struct sp_layout *layout, const struct sp_operands *operands,
                                   sp_spmv_select *select, void **state, struct sp_error *err);
enum sp_status sp_spmv_cpu_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                               struct sp_error *err);
enum sp_status sp_spmv_cpu_fetch(void *state, double *y, struct sp_error *err);
void sp_spmv_cpu_facts(const void *state, struct sp_kernel_facts *facts);
void sp_spmv_cpu_release(void *state);

#endif
