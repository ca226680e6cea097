/* Ceilings, the roofline, threads and domains. */
#include <stddef.h>

#include "cli/explain/explain_ecm.h"

static const struct sp_calculation roofline[] = {
    {"b_S/B_C", "b_S/(V/W)", "flop/s", NULL, NULL, NULL, NULL},
    {"model, x as now", "min(b_S/(V/W), P_core)", "flop/s", NULL, NULL, NULL, NULL},
    {"model, x as now", "W/t_seen", "flop/s", NULL, NULL, NULL, NULL},
    {"model, x once", "min(b_S/(V_min/W), P_core)", "flop/s", NULL, NULL, NULL, NULL},
    {"model, x once", "W/t_once", "flop/s", NULL, NULL, NULL, NULL},
    {"measured", "W/t", "flop/s", "metrics.performance", NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation in_core[] = {
    {"T_core", "W/P_core", "s", NULL, NULL, NULL, NULL},
    {"transfers V/b_S", "V/b_S", "s", NULL, NULL, NULL, NULL},
    {"P_core/(b_S/B_C)", "P_core/(b_S/(V/W))", "1", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation saturation[] = {
    {"n_sat", "ceil(max(W/P_core, V/b_1)/(V/b_S))", "1", NULL, NULL, NULL, NULL},
    {"n_sat of transfers alone", "ceil(b_S/b_1)", "1", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation roof[] = {
    {"bandwidth reached, V/t", "V/t", "B/s", "metrics.bandwidth", NULL, NULL, NULL},
    {"its share of the roof", "V/(t*b_S)", "1", "metrics.bandwidth_fraction",
     "the record's is the median of paired ratios, this one a ratio of medians", NULL, NULL},
    {0},
};

static const struct sp_calculation duplication[] = {
    {"x in all last-level caches in use", "n_d*s_x*n_c*r", "B", NULL, NULL, NULL, NULL},
    {"time for what is loaded twice", "extra_x_domains", "s", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation straggler[] = {
    {"(lambda_nz - 1) t, which the loss is not", "(lambda_nz - 1)*t", "s", NULL, NULL, NULL, NULL},
    {"share of the time", "imbalance/t", "1", NULL, NULL, NULL, NULL},
    {"a thread's rate while all are active", "min(b_1, b_S/n)", "B/s", NULL, NULL, NULL, NULL},
    {0},
};

static const char one_beyond[] = "levels that nothing comes from have no rate here";
static const struct sp_calculation gathers[] = {
    {"T_gather", "n_L1/r_L1+n_L2/r_L2+n_L3/r_L3+n_MEM/r_MEM", "s", "gathers.time", one_beyond, NULL, NULL},
    {"T_gather", "n_L1/r_L1+n_L2/r_L2+n_L3/r_L3", "s", "gathers.time", one_beyond, NULL, NULL},
    {"T_gather", "n_L1/r_L1+n_L2/r_L2+n_MEM/r_MEM", "s", "gathers.time", one_beyond, NULL, NULL},
    {"roof", "(n_L1+n_L2+n_L3+n_MEM)/T_gather", "1/s", "gathers.roof", NULL, NULL, NULL},
    {"roof", "(n_L1+n_L2+n_MEM)/T_gather", "1/s", "gathers.roof", NULL, NULL, NULL},
    {"beyond L1", "max(0, T_gather - (n_L1+n_L2+n_L3+n_MEM)/r_L1)", "s", "gathers.beyond_L1", NULL, NULL,
     NULL},
    {"beyond L1", "max(0, T_gather - (n_L1+n_L2+n_MEM)/r_L1)", "s", "gathers.beyond_L1", NULL, NULL, NULL},
    {"saved by all gathers from L1 (test)", "t - t_linear", "s", NULL, NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_machine_terms[] = {
    {"b_S",
     "roof ceiling bandwidth-ceiling load_own",
     "bandwidth ceiling",
     "1/b_S = (1 - f)/b_load + f/b_copy,  f: share of the traffic that is as half-written as a copy's",
     "What memory (or the cache level that holds the data) delivers to the threads in use: load-only, with "
     "the "
     "kernel's own mix of streams, on its own arrays (load_own), same pages, in the same minutes as the "
     "kernel; "
     "corrected for its share of stores by this machine's own copy. The write-allocate-corrected triad is "
     "the "
     "band's other edge.",
     "roofline bandwidth_fraction ceilings b_1",
     {"metrics.bandwidth"},
     roof},
    {"b_1",
     "single-core-bandwidth",
     "bandwidth that one thread draws alone",
     NULL,
     "Below n_sat threads bandwidth grows by about b_1 a thread. In the fluid model no thread draws more.",
     "ecm fluid b_S",
     {NULL},
     NULL},
    {"P_core",
     "core in-core-rate",
     "rate without memory limits",
     "T_core = W/P_core",
     "The same kernel by the same threads, in turn with the run, on rows from all over the matrix, with "
     "columns folded so that everything fits the inner caches.",
     "roofline in_core C01 p_core",
     {"metrics.p_core"},
     in_core},
    {"P",
     "",
     "performance",
     "P = W/t",
     "Useful operations a second.",
     "roofline performance W",
     {"metrics.performance"},
     NULL},
    {"P_peak",
     "peak peak-performance peak-of-matrix-units",
     "what the arithmetic units do at most",
     NULL,
     "Scalar, SIMD or FMA operations of all threads in use, by precision; from data sheets where it was not "
     "measured. Matrix units of GPUs have a peak of their own (mma).",
     "roofline ceilings mma",
     {NULL},
     NULL},
    {"roofline",
     "binding bound-by",
     "the roofline",
     "P = min(P_peak, P_core, b_level/B_level)",
     "The slowest resource decides; the report names it. Data that fit a cache get that level's bytes and "
     "bandwidth.",
     "b_S B_C P_core I levels model_fraction",
     {"binding.term", "binding.level", "binding.why"},
     roofline},
    {"ecm",
     "execution-cache-memory T_OL T_nOL T_none T_full T_shared overlap-rule",
     "the execution-cache-memory model",
     "no overlap:    T_1 = max(T_OL, T_nOL + sum T_k)\n"
     "full overlap:  T_1 = max(T_OL, T_nOL, T_k ...)\n"
     "between:       T_1 = f T_full + (1 - f) T_none\n"
     "n threads:     T_n = max(T_1/n, V/b_S of shared levels)",
     "The roofline takes the slowest level alone; data in caches also wait for the levels before it. T_OL is "
     "the time in the core that overlaps with transfers, T_nOL that of loads from L1, T_k the bytes that "
     "cross "
     "the interface k over what one thread draws there: {T_OL | T_nOL | T_L1L2 | T_L2L3 | T_L3Mem}. The "
     "overlap "
     "f belongs to the machine: 0 on Intel's Sandy Bridge, 1 on AMD's first Zen (stated by the people who "
     "made the model); `spmodel machine measure` fits it from streams in each level, with an interval that "
     "is wide where these tell little. Where everything streams from one level all rules give the same.",
     "roofline n_sat P_core levels b_1",
     {"ecm.T_OL_from", "ecm.T_nOL", "ecm.overlap", "ecm.overlap_how", "ecm.n_sat"},
     sp_ecm_of_record},
    {"n_sat",
     "saturation",
     "cores that saturate memory",
     "n_sat = ceil(T_1/T_mem)",
     "b_1 is what one thread draws alone. Below n_sat more threads help, beyond they do not. What was "
     "measured "
     "is the saturation curve (`spmodel plot --kind saturation`).",
     "ecm b_1 b_S F01",
     {"config.threads"},
     saturation},
    {"lambda",
     "lambda_nz lambda_t \xce\xbb \xce\xbb_nz \xce\xbb_t",
     "load imbalance",
     "lambda = max/mean over threads",
     "lambda_nz of entries, lambda_t of busy times: always say which. A large lambda in a saturated domain "
     "costs little: see `fluid`.",
     "fluid imbalance schedule B01",
     {"metrics.lambda_nz", "metrics.lambda_t", "losses.imbalance"},
     NULL},
    {"fluid",
     "fluid-model straggler",
     "the fluid model of imbalance",
     "each of n active threads of a domain progresses at min(b_1, b_S/n)",
     "When others finish, the straggler speeds up, so the loss is not (lambda - 1) t. The loss is the time "
     "of "
     "the actual shares minus that of equal shares; a run with equal shares bounds it.",
     "lambda imbalance B01 b_1",
     {"losses.imbalance", "losses_origin.imbalance"},
     straggler},
    {"domain",
     "domains llc last-level-cache",
     "last-level-cache domain",
     NULL,
     "Cores that share a last-level cache. Each domain loads its own copy of the lines of x that its threads "
     "touch.",
     "alpha_min extra_x_domains A02 Z",
     {"machine.n_domains"},
     duplication},
    {"levels",
     "level MEM L1 L2 L3 DRAM residence",
     "caches and memory, from inner to outer",
     NULL,
     "Traffic is told apart by interface: what crosses between a cache and the next one outward, MEM for "
     "memory. The level that holds the data between executions is the one whose bytes, balance and roof are "
     "shown.",
     "roofline cold Z",
     {"binding.level", "binding.why"},
     NULL},
    {"ceilings",
     "load load_mix copy copy_nt triad triad_nt scalar simd fma band floor",
     "what machine files describe and `machine measure` measures",
     NULL,
     "gather, gather_ld: see gather-roof. load: one stream of loads. load_mix: 8-byte and 4-byte streams, as "
     "CRS has. copy, triad: with stores, "
     "write-allocate counted; copy_nt, triad_nt: non-temporal stores. scalar, simd, fma, mma: arithmetic. "
     "Each "
     "by level, precision, number of threads and mode (shared or own caches), with its origin and how it was "
     "found. In a record the one with role roof is what fractions are of; floor, peak, gathers "
     "(of this mixture of levels) and other stand beside it.",
     "b_S P_peak origin G03",
     {NULL},
     NULL},
    {"gather-roof",
     "gather gather_ld gathers",
     "elements of x loaded by index, each from the level that has it",
     "T_gather = sum_l n_l/r_l,  roof n/T_gather [1/s]",
     "n_l: gathers that level l serves, from the simulated misses of x; r_l: what `machine measure` finds "
     "that "
     "these threads gather from random lines of level l, by gather instructions (gather) or one by one "
     "(gather_ld), the faster one. Many gathers are in flight at a time in one window of W; each holds its "
     "place for the latency of its level, r_l = W/L_l, so that by Little's law the times add up. `spmodel "
     "model M --machine NAME --alpha sim` computes it without running the kernel, and what it exceeds the "
     "streams (V - V_x)/b_S by. `analyze` puts it beside what all gathers from L1 (test) save, and takes its "
     "word where that test could not be made. Not in it: lines fetched ahead (bands, stencils wait less), "
     "unequal shares; pages that no TLB maps are tlb.",
     "ceilings linearised in_core levels waiting tlb",
     {"gathers.time", "gathers.roof", "gathers.beyond_L1"},
     gathers},
    {"tlb",
     "page-walks reach",
     "gathers of x whose page no TLB maps: the core walks the page tables first",
     "T_tlb = n_w*t_w/threads, a part of T_gather",
     "n_w: gathers whose page is not among the last that a core's TLBs map, simulated with pages for lines. "
     "Their reach and "
     "t_w, what a walk takes of a thread's time, are found by `machine measure`, which gathers the same "
     "number of lines "
     "from more and more pages, so that nothing else changes. In a virtual machine huge pages may reach no "
     "further than "
     "small ones: the host's pages decide. A ceiling that was measured beyond the reach has walks of its "
     "own, which are "
     "taken off its rate. `spmodel model M --machine NAME --alpha sim` shows it where x is larger than the "
     "reach.",
     "gather-roof kept placement G01",
     {NULL},
     NULL},
    {"kept",
     "retention",
     "what a cache keeps, between executions, of data that are somewhat larger than it",
     "h = C/N, or h = exp(-(1 - h) N/C)",
     "N: bytes that one execution goes through; C: the capacity that `machine measure` finds with streams "
     "that go through their data again and again, else 0.9 of the cache's. LRU keeps nothing of a cycle that "
     "is longer than the cache, the best replacement C/N, which adaptive insertion comes near to, random "
     "replacement the second h. By which law the last level keeps data is measured too (`part`, `chance`); "
     "without that it is the second. The interval goes from LRU to the best with the upper end of C. "
     "`spmodel "
     "model M --machine NAME --alpha sim` takes h off the bytes that cross into that cache, in ECM, gathers "
     "and the expected time, where N is at most five times C.",
     "levels expected-time gather-roof ecm",
     {NULL},
     NULL},
    {"expected-time",
     "expected units row-costs surprise",
     "the time of a matrix that is not run, from all parts of the model",
     "T = max(T_transfers, T_core - T_ends + max(T_ends, T_beyond))",
     "T_core: the start of the team and, of the slowest thread, what its rows (chunks of SELL) cost by their "
     "lengths, as `machine measure` finds it with all data in L1. T_ends, part of it: rows whose length the "
     "four before do not foretell, times what a mispredicted end costs in a sequence of so many rows: "
     "processors learn short ones by heart. T_beyond: what the simulated levels add to gathers from L1. The "
     "interval goes from all gathers hidden and all ends foretold to none. T_transfers: V/b_S, of data that "
     "a cache holds in part each part at its own roof (kept). `spmodel model M --machine NAME "
     "--alpha sim` computes it; `spmodel analyze` checks its parts (rows by length, all gathers from L1).",
     "gather-roof row_ends P_core ecm kept",
     {NULL},
     NULL},
    {"placement",
     "pages huge_share local_share numa huge-pages",
     "where the arrays lie",
     NULL,
     "Share of the data on huge pages, and on the NUMA node of the thread that uses them, as read back from "
     "the system after the run.",
     "G01 G02 Q03",
     {"placement.pages.huge_share", "placement.numa.local_share", "config.pages"},
     NULL},
    {0},
};
