/* What all CPU kernels of SpMV share: the state, the parallel run, y and x. A variant adds bodies
 * that compute a range of rows or chunks. Private to kernels/cpu. */
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
    int thread;                     /* whose units these are */
    const struct sp_layout *layout; /* for what else a format has */
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
    /* merge: the sum over the part of a row that the thread cannot finish, for even and odd
     * repetitions, so that one barrier between writing and adding is enough. */
    char carry[2][SP_LINE_B];
};

enum { SP_SPMV_CALLS = 5 };
struct sp_spmv_body {
    /* y of the units [first, end): rows for CRS, chunks for SELL kinds, block rows for BCSR. Row
     * `first` starts at the entry `from` (CRS only). */
    void (*units)(const struct sp_spmv_args *args, int64_t first, int64_t end, int64_t from);
    /* CRS: the sum over the entries [from, to) of one row into one value of the precision. NULL
     * with 16-bit offsets, whose rows are not split. */
    void (*partial)(const struct sp_spmv_args *args, int64_t from, int64_t to, void *sum);
    /* `units` that asks for x in advance; NULL: there is none. */
    void (*ahead)(const struct sp_spmv_args *args, int64_t first, int64_t end, int64_t from);
    bool can_store_nt; /* y in natural order is written with non-temporal stores when asked */
    void (*calls[SP_SPMV_CALLS])(void); /* what `units` calls for rows, for their code; or NULL */
};

typedef void sp_spmv_units(const struct sp_spmv_args *args, int64_t first, int64_t end, int64_t from);

/* Such a function of a body, an inline function that takes constants behind these arguments. */
#define SP_SPMV_UNITS(name, body, ...)                                                                       \
    static void name(const struct sp_spmv_args *a, int64_t first, int64_t end, int64_t from)                 \
    {                                                                                                        \
        body(a, first, end, from, __VA_ARGS__);                                                              \
    }

/* Asks for the entries of x that the n indices `a->prefetch` places behind col name, the last n of
 * the array where there are not so many. The sizes of an index and of an entry of x are
 * constants. */
static inline __attribute__((always_inline)) void sp_spmv_ask_ahead(const struct sp_spmv_args *a,
                                                                    const void *col, const size_t index_B,
                                                                    const void *x, const size_t x_B,
                                                                    int64_t n)
{
    if (index_B == sizeof(int64_t)) {
        const int64_t *at = col, left = (const int64_t *)a->col + a->n_indices - at - n;
        const int64_t *ahead = at + (a->prefetch < left ? a->prefetch : left);
#pragma GCC unroll 32
        for (int64_t k = 0; k < n; k++)
            __builtin_prefetch((const char *)x + ahead[k] * (int64_t)x_B, 0, 3);
    } else {
        const int32_t *at = col;
        const int64_t left = (const int32_t *)a->col + a->n_indices - at - n;
        const int32_t *ahead = at + (a->prefetch < left ? a->prefetch : left);
#pragma GCC unroll 32
        for (int64_t k = 0; k < n; k++)
            __builtin_prefetch((const char *)x + ahead[k] * (int64_t)x_B, 0, 3);
    }
}

/* Compile-time C of the SELL bodies, and one that takes all. */
enum { SELL_4, SELL_8, SELL_16, SELL_32, SELL_ANY, SELL_N_CASES };
static inline int sp_spmv_sell_case(int32_t C)
{
    return C == 4 ? SELL_4 : C == 8 ? SELL_8 : C == 16 ? SELL_16 : C == 32 ? SELL_32 : SELL_ANY;
}

/* `accepts` of rows whose bodies do not ask for x in advance, and of those that do where C is known
 * to them. */
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

/* ---- HALF: the parallel run and the windows of the threads ---- */

/* Do groups of W columns mostly follow each other? From some rows all over the matrix. */
bool sp_half_has_runs(const struct sp_layout *layout, int W);

typedef sp_half_units *sp_half_select(const struct sp_layout *layout);

/* As sp_spmv_cpu_prepare(), _run and _release; fetch and facts are those of SpMV. */
enum sp_status sp_half_cpu_prepare(const struct sp_layout *layout, const struct sp_operands *operands,
                                   sp_half_select *select, void **state, struct sp_error *err);
enum sp_status sp_half_cpu_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                               struct sp_error *err);
void sp_half_cpu_release(void *state);
#define sp_half_cpu_fetch sp_spmv_cpu_fetch
#define sp_half_cpu_facts sp_spmv_cpu_facts

#endif
