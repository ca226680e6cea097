/* What a GPU's counters can tell of one kernel, and the metrics of CUPTI that tell it. Needs no
 * header and no library of CUDA, so that a program without the CUDA part can still read, print and
 * store such counts.
 *
 * A set is what is counted together. What is counted and what is unknown never mix: a count that
 * was not read is SP_NONE with a reason, never 0. */
#ifndef SP_PROBES_CUDA_GPU_COUNTERS_H
#define SP_PROBES_CUDA_GPU_COUNTERS_H

#include <stddef.h>

#include "base/reading.h"
#include "base/status.h"

/* One kernel launch, the whole GPU. A sector is 32 B, the unit in which L1 and L2 ask for data. */
enum sp_gpu_count {
    SP_GPU_TIME,       /* [s] under the profiler: not the kernel's time, see cupti_host.h */
    SP_GPU_DRAM_READ,  /* [B] */
    SP_GPU_DRAM_WRITE, /* [B] */
    SP_GPU_L2_READ,    /* [B] loads of the SMs that reach L2, crossings between L2's partitions not counted */
    SP_GPU_L2_WRITE,   /* [B] stores of the SMs */
    SP_GPU_L1_LOAD,    /* [sectors] requested by global loads, exact from the addresses */
    SP_GPU_L1_LOAD_HIT,  /* [sectors] of those, found in L1 */
    SP_GPU_L1_STORE,     /* [sectors] of global stores */
    SP_GPU_L1_ASYNC,     /* [sectors] of asynchronous copies to shared memory (LDGSTS), which are no loads for
                            L1_LOAD */
    SP_GPU_L1_REDUCTION, /* [sectors] of atomic operations without a result */
    SP_GPU_L1_ATOMIC,    /* [sectors] of atomic operations with one */
    SP_GPU_L2_REDUCTION, /* [B] */
    SP_GPU_L2_ATOMIC,    /* [B] */
    SP_GPU_FLOPS_F64,    /* [flop] of threads that were not predicated off, an FMA is two; no matrix units */
    SP_GPU_FLOPS_F32,    /* [flop] */
    SP_GPU_TENSOR_F64,   /* [op] of the matrix units, as CUPTI counts math operations, by the type of the
                            operands */
    SP_GPU_TENSOR_TF32,  /* [op] */
    SP_GPU_TENSOR_BF16,  /* [op] */
    SP_GPU_TENSOR_F16,   /* [op] */
    SP_N_GPU_COUNTS
};

struct sp_gpu_counts {
    struct sp_value of[SP_N_GPU_COUNTS];
    int n_passes; /* executions that were needed, 0: nothing was counted */
};

/* Name and unit of a count: "dram_read", "B". */
struct sp_gpu_count_words {
    const char *name;
    const char *unit; /* "s", "B", "sectors", "flop", "op" */
};
extern const struct sp_gpu_count_words sp_gpu_count_words[SP_N_GPU_COUNTS];

/* A metric adds scale x its value to a count. Chips name the same thing differently: of the
 * alternatives of a count, numbered from 0, the first is taken whose metrics the chip has all. */
struct sp_gpu_metric {
    const char *name;
    enum sp_gpu_count count;
    double scale; /* SI units in one */
    int alternative;
};

enum { SP_MAX_GPU_METRICS = 16 };

struct sp_gpu_set {
    const char *name;
    const struct sp_gpu_metric *metric; /* [n_metrics] */
    int n_metrics;
};

enum sp_gpu_set_name {
    SP_GPU_SET_TRAFFIC, /* DRAM, L2, L1: loads and stores */
    SP_GPU_SET_FLOPS,   /* of scalar instructions; apart, because it changes the code that runs */
    SP_GPU_SET_UPDATES, /* asynchronous copies, reductions, atomics, which "traffic" does not see; apart too
                         */
    SP_GPU_SET_TENSOR,  /* operations of the matrix units */
    SP_N_GPU_SETS
};
extern const struct sp_gpu_set sp_gpu_sets[SP_N_GPU_SETS];

/* All unknown for the reason `why` (static text). */
void sp_gpu_counts_none(struct sp_gpu_counts *counts, const char *why);

/* Takes over what `from` knows: several sets into one record. Passes add up. */
void sp_gpu_counts_merge(struct sp_gpu_counts *into, const struct sp_gpu_counts *from);

/* The counters of GPU 0 as the program sees them: in the module that also holds the kernels, behind
 * a symbol of its own, because kernels know nothing of probes. A module that was built without
 * CUPTI has no such symbol. */

#define SP_GPU_COUNTERS_ABI    1
#define SP_GPU_COUNTERS_SYMBOL "sp_gpu_counters"

/* Both return when the GPU has finished; a failure of theirs ends the counting and is passed on.
 * Before every pass, outside of what is counted, set_cache_state brings the caches into the state
 * that is to be measured. Warm is one launch. Cold is *reading* an array of two to four times the
 * size of L2: after writing it, its modified lines would be written back during the launch, and be
 * counted as the launch's. */
struct sp_gpu_work {
    enum sp_status (*set_cache_state)(void *context,
                                      struct sp_error *err); /* NULL: as the pass before left it */
    enum sp_status (*launch)(void *context, struct sp_error *err);
    void *context;
};

struct sp_gpu_counters {
    int abi;
    size_t counts_size; /* sizeof(struct sp_gpu_counts) */
    /* Counts a set, with an execution for each pass; contract of sp_cupti_count (cupti_host.h). */
    enum sp_status (*count)(enum sp_gpu_set_name set, const struct sp_gpu_work *work,
                            struct sp_gpu_counts *counts, struct sp_error *err);
};

typedef const struct sp_gpu_counters *sp_gpu_counters_of(void);

/* Opens the module; SP_ABSENT with the loader's words, or that it is of another build. */
enum sp_status sp_gpu_counters_open(const struct sp_gpu_counters **counters, struct sp_error *err);

#endif
