/* What a GPU's counters can tell of one kernel, and the metrics of CUPTI that tell it. Needs no header and no
 * library of CUDA, so that a program without the CUDA part can still read, print and store such counts.
 *
 * A set is what is counted together. What is counted and what is unknown never mix: a count that was not read
 * is SP_NONE with a reason, never 0. */
#ifndef SP_PROBES_CUDA_CUPTI_SETS_H
#define SP_PROBES_CUDA_CUPTI_SETS_H

#include "base/reading.h"

/* One kernel launch, the whole GPU. A sector is 32 B, the unit in which L1 and L2 ask for data. */
enum sp_gpu_count {
    SP_GPU_TIME,       /* [s] under the profiler: not the kernel's time, see cupti_range.h */
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

/* A metric adds scale x its value to a count. Chips name the same thing differently: of the alternatives of a
 * count, numbered from 0, the first is taken whose metrics the chip has all. */
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

#endif
