/* What all CPU kernels of operations with dense operands share: the state, the parallel run, the
 * operands and the result. A variant adds bodies that compute a range of units. Private to
 * kernels/cpu. */
#ifndef SP_KERNELS_CPU_DENSE_CPU_H
#define SP_KERNELS_CPU_DENSE_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

/* Entries of one row: their sum is that of the row, or is added to it. */
struct sp_dense_part {
    int64_t begin, end;
    bool adds;
};

/* The arrays of a layout beside the kernel's own operands. All start on a line of 64 bytes. */
struct sp_dense_args {
    const struct sp_layout *layout;
    const void *val, *col, *ptr;
    const int32_t *len, *perm;
    const void *x;      /* [n_c x r], row i at i ld_x; column-major: column k at k ld_x */
    const void *rows;   /* [n_r x r] SDDMM, FusedMM; row-major */
    const void *second; /* [n_c x r] FusedMM */
    void *y; /* the result: [n_r x r] as x is laid out, SDDMM [n_nz] in the layout's order of entries */
    int64_t r, ld_x, ld_y, n_r, n_c;
    int32_t C;
    bool wide_ptr, wide_index; /* pointers, indices have 8 bytes */
    bool store_nt;
    int64_t val_first;                        /* SpMM in CRS: the entry whose value is val[0] */
    const struct sp_dense_part *part;         /* SpMM in CRS of one row: only these entries; NULL: all */
    const struct sp_layer_epilogue *epilogue; /* SpMM in STAGED, NULL: none */
    int thread;
    void *work; /* the thread's own scratch, work_B bytes of its body, on lines of its own */
};

static inline int64_t sp_dense_pointer(const struct sp_dense_args *a, int64_t i)
{
    return a->wide_ptr ? ((const int64_t *)a->ptr)[i] : ((const int32_t *)a->ptr)[i];
}

/* The result of the units [first, end): rows for CRS, chunks for SELL, else what the layout's
 * partition deals. */
typedef void sp_dense_units(const struct sp_dense_args *args, int64_t first, int64_t end);

struct sp_dense_body {
    sp_dense_units *units; /* NULL: this layout has no body here */
    size_t work_B;         /* scratch of a thread */
    bool can_store_nt;     /* the result is written with non-temporal stores when asked */
    void (*inner)(void);   /* what `units` calls for rows through a pointer; NULL: it calls nothing */
};

/* Chooses the body for a layout. */
typedef struct sp_dense_body sp_dense_select(const struct sp_layout *layout);

enum sp_status sp_dense_cpu_prepare(const struct sp_layout *layout, const struct sp_operands *operands,
                                    sp_dense_select *select, void **state, struct sp_error *err);
enum sp_status sp_dense_cpu_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                                struct sp_error *err);
enum sp_status sp_dense_cpu_fetch(void *state, double *result, struct sp_error *err);
void sp_dense_cpu_facts(const void *state, struct sp_kernel_facts *facts);
void sp_dense_cpu_release(void *state);

#endif
