/* The kernel interface: a kernel executes a workload. One row of kernels/kernel_table.c each; those
 * of users (include/spmodel.h) become rows outside of it (kernels/own). */
#ifndef SP_KERNELS_KERNEL_H
#define SP_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/job.h"
#include "base/memory.h"
#include "base/status.h"
#include "sparse/formats/layout.h"

/* The end of a layer, while the results are in registers: Y' = min(max(Y + bias, 0), most). */
struct sp_layer_epilogue {
    double bias, most;
};

struct sp_own; /* kernels/own/own_kernel.h */

/* What a kernel works on, beside the layout. The dense operands are those of struct sp_dense,
 * borrowed during prepare only: the kernel keeps its own copies in its own precision and order,
 * first touched by its threads. */
struct sp_operands {
    const double *x;      /* [n_c r], complex: [2 n_c] */
    const double *rows;   /* [n_r r] SDDMM's A, FusedMM's C; else NULL */
    const double *second; /* [n_c r] FusedMM's D; else NULL */
    bool store_nt; /* write the result with non-temporal stores where the kernel can (w = 1 instead of 2) */
    const struct sp_allocator *allocator;     /* of x, y and work arrays; NULL: plain pages */
    struct sp_own *own;                       /* whose kernel it is, where it is none of the table */
    const struct sp_layer_epilogue *epilogue; /* SpMM in STAGED, not by the reference; NULL: none */
};

/* SP_ABSENT where the operands ask for the end of a layer of a kernel that has none. */
static inline enum sp_status sp_epilogue_check(const struct sp_operands *operands, bool has_one,
                                               struct sp_error *err)
{
    if (!operands->epilogue || has_one)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, "take SpMM in format staged, no reference",
                   "this kernel has no bias and no bounds of a layer");
}

/* What the prepared kernel really does, for the model and the report. */
struct sp_kernel_facts {
    bool store_nt;     /* the result is written with non-temporal stores */
    bool can_store_nt; /* it could be */
    size_t x_offset_B,
        y_offset_B;    /* alignment of x[0] and y[0] inside a 64-byte line [B]: the trace uses them */
    const void *x, *y; /* the kernel's arrays, for page and NUMA read-back, and for the roof */
    size_t x_B, y_B;
    const void *rows, *second; /* the other dense operands; NULL: none */
    size_t rows_B, second_B;
    double streamed_B; /* of a matrix that exceeds the GPU's memory, copied there in each execution [B]; else
                          0 */
    double window_B,
        window_hits;       /* of x, what a window of the GPU's L2 covers [B], and the share of the accesses
                                     to it that stay there; 0: there is none */
    void (*code[7])(void); /* the function that its threads call, and what that calls for rows or parts of
                              them; NULL: none, or not said. Never called as this type */
};

/* What a GPU is told its work through. */
enum sp_gpu_api { SP_GPU_CUDA, SP_GPU_OPENCL, SP_N_GPU_APIS };

struct sp_gpu_interface {
    const char *name;   /* "CUDA" */
    const char *device; /* after --device: "gpu" */
    const char *isa;    /* what names of its kernels begin with: "cuda" */
    const char *file;   /* the module */
};
extern const struct sp_gpu_interface sp_gpu_interfaces[SP_N_GPU_APIS];

struct sp_kernel {
    const char *name;    /* "spmv/sell/avx512": operation/format/variant, unique */
    const char *summary; /* one line for people */
    const char *absent;  /* NULL, or why this build has none: then the functions are NULL */
    enum sp_op op;
    int format;
    bool on_gpu;         /* its code is in a GPU module; layouts for it have one thread */
    enum sp_gpu_api api; /* which one, where it is on a GPU */
    int gpu_map;         /* enum sp_gpu_map, where it is on a GPU */
    bool x_in_window;    /* its launch has a window of the L2 over x: only where its name is typed in full */
    unsigned precisions; /* bit 1 << sp_precision for each that it computes in */
    int rank; /* among kernels for the same workload higher is tried first; 0: reference, never chosen */

    /* Can this machine run it? Cheap; SP_ABSENT with the reason ("needs AVX-512, ..."). */
    enum sp_status (*available)(struct sp_error *err);
    /* Is this C compiled in, this schedule supported ...: SP_ABSENT. NULL: takes all. */
    enum sp_status (*accepts)(const struct sp_layout *layout, struct sp_error *err);
    /* Makes *state from a layout (borrowed until release) and operands. */
    enum sp_status (*prepare)(const struct sp_layout *layout, const struct sp_operands *operands,
                              void **state, struct sp_error *err);
    /* All that is timed: the operation, `repetitions` times. See struct sp_job. */
    enum sp_status (*run)(void *state, int64_t repetitions, struct sp_run_stats *stats, struct sp_error *err);
    /* The result as doubles in input order, sp_dense_n_result() of them, the caller's array. */
    enum sp_status (*fetch)(void *state, double *y, struct sp_error *err);
    void (*facts)(const void *state, struct sp_kernel_facts *facts);
    void (*release)(void *state); /* accepts NULL */
};

/* `available` of a row that runs on any machine. */
enum sp_status sp_kernel_everywhere(struct sp_error *err);

/* The table, in order of listing. */
extern const struct sp_kernel *const sp_kernel_table[]; /* ends with NULL */

/* The row of that name, or NULL. */
const struct sp_kernel *sp_kernel_find(const char *name);

/* Can this row run this layout's operation, format and precision? SpMMV of one vector is SpMV. */
static inline bool sp_kernel_is_for(const struct sp_kernel *kernel, const struct sp_layout *layout)
{
    bool same_op =
        kernel->op == layout->op || (layout->op == SP_OP_SPMMV && layout->r == 1 && kernel->op == SP_OP_SPMV);
    return same_op && kernel->format == layout->format && (kernel->precisions & 1u << layout->precision) != 0;
}

/* Rows that could run this layout here, best rank first, into rows[max]; returns how many there
 * are. `isa` restricts to a variant prefix ("avx512", "avx2", "portable"; "cuda"
 * or "opencl": those of a GPU) or NULL for all of this CPU. References are left out. */
int sp_kernel_candidates(const struct sp_layout *layout, const char *isa, const struct sp_kernel **rows,
                         int max);

/* A prepared kernel as a job for probes. Its operands are those that a roof has to read as well:
 * none for SpMV, whose matrix is nearly all that it reads. */
struct sp_job sp_kernel_job(const struct sp_kernel *kernel, void *state, const struct sp_layout *layout);

#endif
