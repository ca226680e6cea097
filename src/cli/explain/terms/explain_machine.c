#include <stddef.h>

#include "cli/explain/facts.h"
#include "cli/explain/terms/terms.h"

/* Ceilings, the roofline, threads and domains. */

static const struct sp_calculation roofline[] = {
    {"b_S/B_C", "b_S/(V/W)", "flop/s", SP_F_NONE, NULL, NULL, NULL},
    {"model, x as now", "min(b_S/(V/W), P_core)", "flop/s", SP_F_NONE, NULL, NULL, NULL},
    {"model, x as now", "W/t_seen", "flop/s", SP_F_NONE, NULL, NULL, NULL},
    {"model, x once", "min(b_S/(V_min/W), P_core)", "flop/s", SP_F_NONE, NULL, NULL, NULL},
    {"model, x once", "W/t_once", "flop/s", SP_F_NONE, NULL, NULL, NULL},
    {"measured", "W/t", "flop/s", SP_F_METRICS_PERFORMANCE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation in_core[] = {
    {"T_core", "W/P_core", "s", SP_F_NONE, NULL, NULL, NULL},
    {"transfers V/b_S", "V/b_S", "s", SP_F_NONE, NULL, NULL, NULL},
    {"P_core/(b_S/B_C)", "P_core/(b_S/(V/W))", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation saturation[] = {
    {"n_sat", "ceil(max(W/P_core, V/b_1)/(V/b_S))", "1", SP_F_NONE, NULL, NULL, NULL},
    {"n_sat of transfers alone", "ceil(b_S/b_1)", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation roof[] = {
    {"bandwidth reached, V/t", "V/t", "B/s", SP_F_METRICS_BANDWIDTH, NULL, NULL, NULL},
    {"its share of the roof", "V/(t*b_S)", "1", SP_F_METRICS_BANDWIDTH_FRACTION,
     "the record's is the median of paired ratios, this one a ratio of medians", NULL, NULL},
    {0},
};

static const struct sp_calculation duplication[] = {
    {"x in all last-level caches in use", "n_d*s_x*n_c*r", "B", SP_F_NONE, NULL, NULL, NULL},
    {"time for what is loaded twice", "extra_x_domains", "s", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation straggler[] = {
    {"(lambda_nz - 1) t, which the loss is not", "(lambda_nz - 1)*t", "s", SP_F_NONE, NULL, NULL, NULL},
    {"share of the time", "imbalance/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {"a thread's rate while all are active", "min(b_1, b_S/n)", "B/s", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const char one_beyond[] = "levels that nothing comes from have no rate here";
static const struct sp_calculation gathers[] = {
    {"T_gather", "n_L1/r_L1+n_L2/r_L2+n_L3/r_L3+n_MEM/r_MEM", "s", SP_F_GATHERS_TIME, one_beyond, NULL, NULL},
    {"T_gather", "n_L1/r_L1+n_L2/r_L2+n_L3/r_L3", "s", SP_F_GATHERS_TIME, one_beyond, NULL, NULL},
    {"T_gather", "n_L1/r_L1+n_L2/r_L2+n_MEM/r_MEM", "s", SP_F_GATHERS_TIME, one_beyond, NULL, NULL},
    {"roof", "(n_L1+n_L2+n_L3+n_MEM)/T_gather", "1/s", SP_F_GATHERS_ROOF, NULL, NULL, NULL},
    {"roof", "(n_L1+n_L2+n_MEM)/T_gather", "1/s", SP_F_GATHERS_ROOF, NULL, NULL, NULL},
    {"beyond L1", "max(0, T_gather - (n_L1+n_L2+n_L3+n_MEM)/r_L1)", "s", SP_F_GATHERS_BEYOND_L1, NULL, NULL,
     NULL},
    {"beyond L1", "max(0, T_gather - (n_L1+n_L2+n_MEM)/r_L1)", "s", SP_F_GATHERS_BEYOND_L1, NULL, NULL, NULL},
    {"saved by all gathers from L1 (test)", "t - t_linear", "s", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_machine_terms[] = {
    {"b_S", "bandwidth ceiling", .also = "roof ceiling bandwidth-ceiling load_own",
     .formula =
         "1/b_S = (1 - f)/b_load + f/b_copy,  f: share of the traffic that is as half-written as a copy's",
     .text = "What memory (or the cache level that holds the data) delivers to the threads in use: "
             "load-only, with the kernel's own mix of streams, on its own arrays (load_own), same pages, in "
             "the same minutes as the kernel; corrected for its share of stores by this machine's own copy. "
             "The write-allocate-corrected triad is the band's other edge.",
     .see = "roofline bandwidth_fraction ceilings b_1", .fields = {SP_F_METRICS_BANDWIDTH},
     .calculations = roof},
    {"b_1", "bandwidth that one thread draws alone", .also = "single-core-bandwidth",
     .text = "Below n_sat threads bandwidth grows by about b_1 a thread. In the fluid model no thread draws "
             "more.",
     .see = "ecm fluid b_S"},
    {"P_core", "rate without memory limits", .also = "core in-core-rate", .formula = "T_core = W/P_core",
     .text = "The same kernel by the same threads, in turn with the run, on rows from all over the matrix, "
             "with columns folded so that everything fits the inner caches.",
     .see = "roofline in_core C01 p_core", .fields = {SP_F_METRICS_P_CORE}, .calculations = in_core},
    {"P", "performance", .formula = "P = W/t", .text = "Useful operations a second.",
     .see = "roofline performance W", .fields = {SP_F_METRICS_PERFORMANCE}},
    {"P_peak", "what the arithmetic units do at most", .also = "peak peak-performance peak-of-matrix-units",
     .text = "Scalar, SIMD or FMA operations of all threads in use, by precision; from data sheets where it "
             "was not measured. Matrix units of GPUs have a peak of their own (mma).",
     .see = "roofline ceilings mma"},
    {"roofline", "the roofline", .also = "binding bound-by",
     .formula = "P = min(P_peak, P_core, b_level/B_level)",
     .text = "The slowest resource decides; the report names it. Data that fit a cache get that level's "
             "bytes and bandwidth.",
     .see = "b_S B_C P_core I levels model_fraction",
     .fields = {SP_F_BINDING_TERM, SP_F_BINDING_LEVEL, SP_F_BINDING_WHY}, .calculations = roofline},
    {"ecm", "the execution-cache-memory model",
     .also = "execution-cache-memory T_OL T_nOL T_none T_full T_shared overlap-rule",
     .formula = "no overlap:    T_1 = max(T_OL, T_nOL + sum T_k)\n"
                "full overlap:  T_1 = max(T_OL, T_nOL, T_k ...)\n"
                "between:       T_1 = f T_full + (1 - f) T_none\n"
                "n threads:     T_n = max(T_1/n, V/b_S of shared levels)",
     .text = "The roofline takes the slowest level alone; data in caches also wait for the levels before it. "
             "T_OL is the time in the core that overlaps with transfers, T_nOL that of loads from L1, T_k "
             "the bytes that cross the interface k over what one thread draws there: {T_OL | T_nOL | T_L1L2 "
             "| T_L2L3 | T_L3Mem}. The overlap f belongs to the machine: 0 on Intel's Sandy Bridge, 1 on "
             "AMD's first Zen (stated by the people who made the model); `spmodel machine measure` fits it "
             "from streams in each level, with an interval that is wide where these tell little. Where "
             "everything streams from one level all rules give the same.",
     .see = "roofline n_sat P_core levels b_1",
     .fields = {SP_F_ECM_T_OL_FROM, SP_F_ECM_T_NOL, SP_F_ECM_OVERLAP, SP_F_ECM_OVERLAP_HOW, SP_F_ECM_N_SAT},
     .calculations = sp_ecm_of_record},
    {"n_sat", "cores that saturate memory", .also = "saturation", .formula = "n_sat = ceil(T_1/T_mem)",
     .text = "b_1 is what one thread draws alone. Below n_sat more threads help, beyond they do not. What "
             "was measured is the saturation curve (`spmodel plot --kind saturation`).",
     .see = "ecm b_1 b_S F01", .fields = {SP_F_CONFIG_THREADS}, .calculations = saturation},
    {"lambda", "load imbalance", .also = "lambda_nz lambda_t \xce\xbb \xce\xbb_nz \xce\xbb_t",
     .formula = "lambda = max/mean over threads",
     .text = "lambda_nz of entries, lambda_t of busy times: always say which. A large lambda in a saturated "
             "domain costs little: see `fluid`.",
     .see = "fluid imbalance schedule B01",
     .fields = {SP_F_METRICS_LAMBDA_NZ, SP_F_METRICS_LAMBDA_T, SP_F_LOSSES_IMBALANCE}},
    {"fluid", "the fluid model of imbalance", .also = "fluid-model straggler",
     .formula = "each of n active threads of a domain progresses at min(b_1, b_S/n)",
     .text = "When others finish, the straggler speeds up, so the loss is not (lambda - 1) t. The loss is "
             "the time of the actual shares minus that of equal shares; a run with equal shares bounds it.",
     .see = "lambda imbalance B01 b_1", .fields = {SP_F_LOSSES_IMBALANCE, SP_F_LOSSES_ORIGIN_IMBALANCE},
     .calculations = straggler},
    {"domain", "last-level-cache domain", .also = "domains llc last-level-cache",
     .text = "Cores that share a last-level cache. Each domain loads its own copy of the lines of x that its "
             "threads touch.",
     .see = "alpha_min extra_x_domains A02 Z", .fields = {SP_F_MACHINE_N_DOMAINS},
     .calculations = duplication},
    {"levels", "caches and memory, from inner to outer", .also = "level MEM L1 L2 L3 DRAM residence",
     .text = "Traffic is told apart by interface: what crosses between a cache and the next one outward, MEM "
             "for memory. The level that holds the data between executions is the one whose bytes, balance "
             "and roof are shown.",
     .see = "roofline cold Z", .fields = {SP_F_BINDING_LEVEL, SP_F_BINDING_WHY}},
    {"ceilings", "what machine files describe and `machine measure` measures",
     .also = "load load_mix copy copy_nt triad triad_nt scalar simd fma band floor",
     .text = "gather, gather_ld: see gather-roof. load: one stream of loads. load_mix: 8-byte and 4-byte "
             "streams, as CRS has. copy, triad: with stores, write-allocate counted; copy_nt, triad_nt: "
             "non-temporal stores. scalar, simd, fma, mma: arithmetic. Each by level, precision, number of "
             "threads and mode (shared or own caches), with its origin and how it was found. In a record the "
             "one with role roof is what fractions are of; floor, peak, gathers (of this mixture of levels) "
             "and other stand beside it.",
     .see = "b_S P_peak origin G03"},
    {"gather-roof", "elements of x loaded by index, each from the level that has it",
     .also = "gather gather_ld gathers", .formula = "T_gather = sum_l n_l/r_l,  roof n/T_gather [1/s]",
     .text =
         "n_l: gathers that level l serves, from the simulated misses of x; r_l: what `machine measure` "
         "finds that these threads gather from random lines of level l, by gather instructions (gather) or "
         "one by one (gather_ld), the faster one. Many gathers are in flight at a time in one window of W; "
         "each holds its place for the latency of its level, r_l = W/L_l, so that by Little's law the times "
         "add up. `spmodel model M --machine NAME --alpha sim` computes it without running the kernel, and "
         "what it exceeds the streams (V - V_x)/b_S by. `analyze` puts it beside what all gathers from L1 "
         "(test) save, and takes its word where that test could not be made. Not in it: lines fetched ahead "
         "(bands, stencils wait less), unequal shares; pages that no TLB maps are tlb.",
     .see = "ceilings linearised in_core levels waiting tlb",
     .fields = {SP_F_GATHERS_TIME, SP_F_GATHERS_ROOF, SP_F_GATHERS_BEYOND_L1}, .calculations = gathers},
    {"tlb", "gathers of x whose page no TLB maps: the core walks the page tables first",
     .also = "page-walks reach", .formula = "T_tlb = n_w*t_w/threads, a part of T_gather",
     .text =
         "n_w: gathers whose page is not among the last that a core's TLBs map, simulated with pages for "
         "lines. Their reach and t_w, what a walk takes of a thread's time, are found by `machine measure`, "
         "which gathers the same number of lines from more and more pages, so that nothing else changes. In "
         "a virtual machine huge pages may reach no further than small ones: the host's pages decide. A "
         "ceiling that was measured beyond the reach has walks of its own, which are taken off its rate. "
         "`spmodel model M --machine NAME --alpha sim` shows it where x is larger than the reach.",
     .see = "gather-roof kept placement G01"},
    {"kept", "what a cache keeps, between executions, of data that are somewhat larger than it",
     .also = "retention", .formula = "h = C/N, or h = exp(-(1 - h) N/C)",
     .text =
         "N: bytes that one execution goes through; C: the capacity that `machine measure` finds with "
         "streams that go through their data again and again, else 0.9 of the cache's. LRU keeps nothing of "
         "a cycle that is longer than the cache, the best replacement C/N, which adaptive insertion comes "
         "near to, random replacement the second h. By which law the last level keeps data is measured too "
         "(`part`, `chance`); without that it is the second. The interval goes from LRU to the best with the "
         "upper end of C. `spmodel model M --machine NAME --alpha sim` takes h off the bytes that cross into "
         "that cache, in ECM, gathers and the expected time, where N is at most five times C.",
     .see = "levels expected-time gather-roof ecm"},
    {"expected-time", "the time of a matrix that is not run, from all parts of the model",
     .also = "expected units row-costs surprise",
     .formula = "T = max(T_transfers, T_core - T_ends + max(T_ends, T_beyond))",
     .text = "T_core: the start of the team and, of the slowest thread, what its rows (chunks of SELL) cost "
             "by their lengths, as `machine measure` finds it with all data in L1. T_ends, part of it: rows "
             "whose length the four before do not foretell, times what a mispredicted end costs in a "
             "sequence of so many rows: processors learn short ones by heart. T_beyond: what the simulated "
             "levels add to gathers from L1. The interval goes from all gathers hidden and all ends foretold "
             "to none. T_transfers: V/b_S, of data that a cache holds in part each part at its own roof "
             "(kept). `spmodel model M --machine NAME --alpha sim` computes it; `spmodel analyze` checks its "
             "parts (rows by length, all gathers from L1).",
     .see = "gather-roof row_ends P_core ecm kept"},
    {"placement", "where the arrays lie", .also = "pages huge_share local_share numa huge-pages",
     .text = "Share of the data on huge pages, and on the NUMA node of the thread that uses them, as read "
             "back from the system after the run.",
     .see = "G01 G02 Q03",
     .fields = {SP_F_PLACEMENT_PAGES_HUGE_SHARE, SP_F_PLACEMENT_NUMA_LOCAL_SHARE, SP_F_CONFIG_PAGES}},
    {0},
};

/* GPUs: sectors, levels, launches. */

static const struct sp_calculation sectors[] = {
    {"L1 bytes an entry", "(L1_load + L1_store)/n_nz", "B", SP_F_NONE, NULL, NULL, NULL},
    {"L2 bytes an entry", "(L2_load + L2_store)/n_nz", "B", SP_F_NONE, NULL, NULL, NULL},
    {"memory bytes an entry", "(MEM_load + MEM_store)/n_nz", "B", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation terms_of_time[] = {
    {"memory", "(MEM_load + MEM_store)/b_S", "s", SP_F_NONE, NULL, NULL, NULL},
    {"L2", "(L2_load + L2_store)/b_L2", "s", SP_F_NONE, NULL, NULL, NULL},
    {"arithmetic", "W/P_peak", "s", SP_F_NONE, NULL, NULL, NULL},
    {"launch", "t_launch", "s", SP_F_NONE, NULL, NULL, NULL},
    {"model, x as now", "t_seen", "s", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation waits[] = {
    {"launch", "t_launch", "s", SP_F_NONE, NULL, NULL, NULL},
    {"steps on the way on an SM", "resident_warps*4", "1", SP_F_NONE, NULL, NULL, NULL},
    {"a wait", "t_latency", "s", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation balance_of_levels[] = {
    {"B at L1", "(L1_load + L1_store)/W", "B/flop", SP_F_NONE, NULL, NULL, NULL},
    {"B at L2", "(L2_load + L2_store)/W", "B/flop", SP_F_NONE, NULL, NULL, NULL},
    {"B at memory", "(MEM_load + MEM_store)/W", "B/flop", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_gpu_terms[] = {
    {"sectors", "what a GPU's warps ask their L1 for", .also = "sector coalescing coalesced use",
     .formula = "L1 = 32 B x sum over requests of the distinct sectors that the 32 lanes of a warp touch",
     .text = "Lanes that read neighbouring items share sectors of 32 bytes, lanes that gather do not: "
             "`spmodel model` counts them exactly from the layout, for each way in which threads share the "
             "work, of all operations; with dense operands a team of lanes reads neighbouring columns of a "
             "row. The L2 sees what the L1s do not keep, memory what the L2 does not keep. `use` is the "
             "share of the loaded bytes that lanes use.",
     .see = "gpu-balance alpha_max J01 J05",
     .fields = {SP_F_GPU_USE, SP_F_GPU_L1_LOAD, SP_F_GPU_L2_LOAD, SP_F_GPU_MEMORY_LOAD},
     .calculations = sectors},
    {"gpu-balance", "balance at each level of a GPU", .also = "gpu-levels two-level",
     .formula = "w = 1:  B_CRS = 6 + 4 alpha + 6/n_nzr;   B_level = bytes at the level / W",
     .text = "A single roof of memory calls a kernel that is bound by the L2 \"half as fast, unknown why\": "
             "each level has its own bytes and its own bandwidth, and the slowest decides.",
     .see = "sectors gpu-time B_C roofline",
     .fields = {SP_F_BINDING_TERM, SP_F_GPU_L2_LOAD, SP_F_GPU_MEMORY_LOAD},
     .calculations = balance_of_levels},
    {"gpu-time", "the modelled time of a kernel on a GPU", .also = "gpu-prediction host-link",
     .formula = "t = launches t_launch + 2 t_latency + max(memory bytes/b_MEM, L2 bytes/b_L2, L1 bytes/b_L1, "
                "W/P_peak, waits t_latency/(resident warps 4)) + last wave",
     .text =
         "The ramp is an index and then x; a last wave of few blocks waits for latency. Of sizes alone: the "
         "share of the roof that SpMV reaches, rows of CRS, the longest row of SELL; all of the machine "
         "file. "
         "A host that waits for each execution pays wait_s more. "
         "What the machine does not describe is left out, and named. A launch of fewer blocks than SMs "
         "draws their part of bandwidths and peak. host link: the matrix exceeds the GPU's memory, and "
         "each execution copies it there, which no other term knows.",
     .see = "gpu-balance little mma J02",
     .fields = {SP_F_BINDING_TERM, SP_F_GPU_RESIDENT_WARPS, SP_F_GPU_RESIDENT_LIMIT},
     .calculations = terms_of_time},
    {"little", "limits of a GPU beside bandwidth",
     .also = "occupancy launch overhead launch-overhead resident-warps",
     .formula = "t >= waits t_latency / (resident warps x 4),  t >= launches t_launch",
     .text = "Little's law: what is on the way at a time, divided by how long it takes. Resident warps "
             "follow from threads, blocks, registers and shared memory of an SM. Left out where the machine "
             "file has no figure.",
     .see = "gpu-time J02", .fields = {SP_F_GPU_RESIDENT_WARPS, SP_F_GPU_RESIDENT_LIMIT},
     .calculations = waits},
    {"divergence", "lanes of a warp that wait for the longest of their rows", .also = "active-lanes warp",
     .text =
         "A warp of 32 lanes goes on until its longest row is done. The share of the lanes' turns that have "
         "an entry is exact; equal shares (cuda-merge), several lanes a row or sorted rows raise it.",
     .see = "sectors J05 sell", .fields = {SP_F_CONFIG_KERNEL}},
    {"mma", "matrix units: dense products of small blocks", .also = "matrix-units tensor-cores",
     .text = "SpMM in BCSR multiplies blocks by columns of X on them, zeros included: what counts is what "
             "they execute, 2 b_h per stored column and column of X (three times that for fp32 as tf32), at "
             "their own peak. fp16 inputs have 11 significant bits.",
     .see = "bcsr P_peak J06", .fields = {SP_F_CONFIG_KERNEL}},
    {"gpu-counts", "what CUPTI counts of one execution",
     .also = "profiled_time dram_read dram_write l2_read l2_write l1_load l1_load_hit l1_store l1_async "
             "l1_reduction l1_atomic l2_reduction l2_atomic flops_f64 flops_f32 tensor_f64 tensor_tf32 "
             "tensor_bf16 tensor_f16",
     .text = "Bytes of memory (dram) and of the L2, sectors of the L1 (loads, hits, stores, asynchronous "
             "copies, reductions and atomics), operations by precision, operations of the matrix units, and "
             "the time under the profiler, which is no time of the kernel by itself. The model's must equal "
             "l1_load exactly. Unknown with the reason where it was not counted.",
     .see = "sectors gpu-time sources-of-bytes trust",
     .fields = {SP_F_GPU_COUNTS_DRAM_READ, SP_F_GPU_COUNTS_DRAM_WRITE, SP_F_GPU_COUNTS_L2_READ,
                SP_F_GPU_COUNTS_L2_WRITE, SP_F_GPU_COUNTS_L1_LOAD, SP_F_GPU_COUNTS_FLOPS_F64}},
    {"ways", "how the threads of a GPU share the work",
     .also = "gpu-map cuda-thread cuda-lanes cuda-merge cuda-chunk cuda-group cuda-slot cuda-output cuda-row "
             "cuda-share cuda-stage cuda-sample cuda-equal cuda-tile cuda-fused cuda-mma",
     .text =
         "thread: a row each. lanes: 2 to 32 lanes a row. merge, share: equal shares of rows and entries. "
         "chunk, slot: a lane of SELL each. group, row, output: columns of X over lanes. stage: listed rows "
         "of X in shared memory. sample, equal, tile: SDDMM in crs, coo, tiled. fused: FusedMM. mma: matrix "
         "units. The modelled time of each is in the record; --isa names one.",
     .see = "sectors gpu-time mma",
     .fields = {SP_F_CONFIG_KERNEL, SP_F_GPU_LAUNCH_MAP, SP_F_GPU_LAUNCH_LANES}},
    {0},
};
