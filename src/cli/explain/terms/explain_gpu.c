/* GPUs: sectors, levels, launches. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"

static const struct sp_calculation sectors[] = {
    {"L1 bytes an entry", "(L1_load + L1_store)/n_nz", "B", NULL, NULL, NULL, NULL},
    {"L2 bytes an entry", "(L2_load + L2_store)/n_nz", "B", NULL, NULL, NULL, NULL},
    {"memory bytes an entry", "(MEM_load + MEM_store)/n_nz", "B", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation terms_of_time[] = {
    {"memory", "(MEM_load + MEM_store)/b_S", "s", NULL, NULL, NULL, NULL},
    {"L2", "(L2_load + L2_store)/b_L2", "s", NULL, NULL, NULL, NULL},
    {"arithmetic", "W/P_peak", "s", NULL, NULL, NULL, NULL},
    {"launch", "t_launch", "s", NULL, NULL, NULL, NULL},
    {"model, x as now", "t_seen", "s", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation waits[] = {
    {"launch", "t_launch", "s", NULL, NULL, NULL, NULL},
    {"steps on the way on an SM", "resident_warps*4", "1", NULL, NULL, NULL, NULL},
    {"a wait", "t_latency", "s", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation balance_of_levels[] = {
    {"B at L1", "(L1_load + L1_store)/W", "B/flop", NULL, NULL, NULL, NULL},
    {"B at L2", "(L2_load + L2_store)/W", "B/flop", NULL, NULL, NULL, NULL},
    {"B at memory", "(MEM_load + MEM_store)/W", "B/flop", NULL, NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_gpu_terms[] = {
    {"sectors",
     "sector coalescing coalesced use",
     "what a GPU's warps ask their L1 for",
     "L1 = 32 B x sum over requests of the distinct sectors that the 32 lanes of a warp touch",
     "Lanes that read neighbouring items share sectors of 32 bytes, lanes that gather do not: `spmodel "
     "model` "
     "counts them exactly from the layout, for each way in which threads share the work, of all operations; "
     "with dense operands a team of lanes reads neighbouring columns of a row. The L2 sees what the L1s do "
     "not "
     "keep, memory what the L2 does not keep. `use` is the share of the loaded bytes that lanes use.",
     "gpu-balance alpha_max J01 J05",
     {"gpu.use", "gpu.L1_load", "gpu.L2_load", "gpu.memory_load"},
     sectors},
    {"gpu-balance",
     "gpu-levels two-level",
     "balance at each level of a GPU",
     "w = 1:  B_CRS = 6 + 4 alpha + 6/n_nzr;   B_level = bytes at the level / W",
     "A single roof of memory calls a kernel that is bound by the L2 \"half as fast, unknown why\": each "
     "level "
     "has its own bytes and its own bandwidth, and the slowest decides.",
     "sectors gpu-time B_C roofline",
     {"binding.term", "gpu.L2_load", "gpu.memory_load"},
     balance_of_levels},
    {"gpu-time",
     "gpu-prediction host-link",
     "the modelled time of a kernel on a GPU",
     "t = max(memory bytes/b_MEM, L2 bytes/b_L2, W/P_peak, launches t_launch, waits t_latency/(resident "
     "warps "
     "4))",
     "What the machine does not describe is left out, and named. A launch of fewer blocks than SMs draws "
     "their "
     "part of bandwidths and peak. host link: the matrix exceeds the GPU's memory, and each execution copies "
     "it "
     "there, which no other term knows.",
     "gpu-balance little mma J02",
     {"binding.term", "gpu.resident_warps", "gpu.resident_limit"},
     terms_of_time},
    {"little",
     "occupancy launch overhead launch-overhead resident-warps",
     "limits of a GPU beside bandwidth",
     "t >= waits t_latency / (resident warps x 4),  t >= launches t_launch",
     "Little's law: what is on the way at a time, divided by how long it takes. Resident warps follow from "
     "threads, blocks, registers and shared memory of an SM. Left out where the machine file has no figure.",
     "gpu-time J02",
     {"gpu.resident_warps", "gpu.resident_limit"},
     waits},
    {"divergence",
     "active-lanes warp",
     "lanes of a warp that wait for the longest of their rows",
     NULL,
     "A warp of 32 lanes goes on until its longest row is done. The share of the lanes' turns that have an "
     "entry is exact; equal shares (cuda-merge), several lanes a row or sorted rows raise it.",
     "sectors J05 sell",
     {"config.kernel"},
     NULL},
    {"mma",
     "matrix-units tensor-cores",
     "matrix units: dense products of small blocks",
     NULL,
     "SpMM in BCSR multiplies blocks by columns of X on them, zeros included: what counts is what they "
     "execute, "
     "2 b_h per stored column and column of X (three times that for fp32 as tf32), at their own peak. fp16 "
     "inputs have 11 significant bits.",
     "bcsr P_peak J06",
     {"config.kernel"},
     NULL},
    {"gpu-counts",
     "profiled_time dram_read dram_write l2_read l2_write l1_load l1_load_hit l1_store l1_async l1_reduction "
     "l1_atomic l2_reduction l2_atomic flops_f64 flops_f32 tensor_f64 tensor_tf32 tensor_bf16 tensor_f16",
     "what CUPTI counts of one execution",
     NULL,
     "Bytes of memory (dram) and of the L2, sectors of the L1 (loads, hits, stores, asynchronous copies, "
     "reductions and atomics), operations by precision, operations of the matrix units, and the time under "
     "the "
     "profiler, which is no time of the kernel by itself. The model's must equal l1_load exactly. Unknown "
     "with "
     "the reason where it was not counted.",
     "sectors gpu-time sources-of-bytes trust",
     {"gpu.counts.dram_read", "gpu.counts.dram_write", "gpu.counts.l2_read", "gpu.counts.l2_write",
      "gpu.counts.l1_load", "gpu.counts.flops_f64"},
     NULL},
    {"ways",
     "gpu-map cuda-thread cuda-lanes cuda-merge cuda-chunk cuda-group cuda-slot cuda-output cuda-row "
     "cuda-share cuda-stage cuda-sample cuda-equal cuda-tile cuda-fused cuda-mma",
     "how the threads of a GPU share the work",
     NULL,
     "thread: a row each. lanes: 2 to 32 lanes a row. merge, share: equal shares of rows and entries. chunk, "
     "slot: a lane of SELL each. group, row, output: columns of X over lanes. stage: listed rows of X in "
     "shared "
     "memory. sample, equal, tile: SDDMM in crs, coo, tiled. fused: FusedMM. mma: matrix units. The modelled "
     "time of each is in the record (gpu.ways); --isa names one.",
     "sectors gpu-time mma",
     {"config.kernel", "gpu.launch.map", "gpu.launch.lanes"},
     NULL},
    {0},
};
