/* The report of `spmodel analyze`, line by line. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"

static const struct sp_calculation rows[] = {
    {"model, x once", "max(V_min/b_S, W/P_core)", "s", NULL, NULL, NULL, NULL},
    {"model, x once", "V_min/b_S", "s", NULL, NULL, NULL, NULL},
    {"model, x as now", "max(V/b_S, W/P_core)", "s", NULL, NULL, NULL, NULL},
    {"model, x as now", "V/b_S", "s", NULL, NULL, NULL, NULL},
    {"measured", "t", "s", "metrics.time", NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_report_terms[] = {
    {"report",
     "",
     "what analyze prints, from top to bottom",
     NULL,
     "Matrix, machine, roofs, kernel, what binds, a table of model and measurement, alpha, traffic by level "
     "(-v), where the time goes, hints, what was tried, costs (-v), flags, remarks. All of it is in the "
     "record, "
     "from which `spmodel plot`, --html and this command draw.",
     "matrix machine roofs kernel roofline table alpha losses hints flags remarks",
     {NULL},
     NULL},
    {"matrix",
     "problem explicit-zeros expanded",
     "line MATRIX: sizes and entries",
     NULL,
     "Expanded: the file stores one triangle, the format both. Explicit zeros are entries of value 0 that "
     "the "
     "file has; they count. Row lengths: mean, median, 99th percentile, longest.",
     "n_r n_nz n_nzr half structure E06",
     {"problem.name", "problem.symmetry", "problem.zeros", "problem.sha256"},
     NULL},
    {"machine",
     "effective pinned cpu",
     "line MACHINE: where it ran",
     NULL,
     "Threads are pinned to processors of their own, or the line says not. Of the last-level cache the "
     "capacity that was found effective stands beside the stated one. `spmodel machine` measures and shows.",
     "Z domain ceilings Q03 environment",
     {"machine.name", "machine.cpu", "machine.n_cores", "machine.n_domains"},
     NULL},
    {"roofs",
     "",
     "line ROOFS: the ceilings that this run is held against",
     NULL,
     "Each with its interval and on whose word. Load of its arrays: the kernel's own arrays, read only, "
     "between "
     "its samples. The one that fractions are of is b_S.",
     "b_S ceilings P_peak",
     {NULL},
     NULL},
    {"kernel",
     "isa avx2 avx512 portable static code-hash",
     "line KERNEL: what was run",
     NULL,
     "Operation, format, types of values and indices, schedule (static: dealt before the run), instructions, "
     "NT stores where y is written past the caches, state of the caches, samples, and the largest error "
     "beside "
     "the reference. Of several kernels for a format the fastest on the arrays themselves is taken; --isa "
     "names "
     "one.",
     "formats schedule w cold verify",
     {"config.kernel", "config.schedule", "config.store_nt", "config.cache", "config.code_hash"},
     NULL},
    {"table",
     "x-once roofline,-x-once roofline,-x-as-simulated roofline,-x-as-measured ECM,-x-as-simulated "
     "model,-x-once model,-x-as-simulated model,-x-as-measured model,-x-as-counted",
     "the table: model and measurement in one column each",
     NULL,
     "x once: the roofline with every line of x loaded once. x as simulated (measured, counted): with the "
     "alpha of this run. Bytes of these rows are the formula's (modelled): caches that keep part of matrix "
     "or "
     "result are not in it, nor what a level passes on again. ECM: `explain ecm`, from the bytes that were "
     "simulated between all levels; the rows above it are then called roofline instead of model. measured: "
     "the clock, and the bytes that were "
     "simulated or counted as a whole. \"Of roof\" is bandwidth_fraction, \"of model\" model_fraction.",
     "roofline ecm bandwidth_fraction model_fraction V_min B_C",
     {NULL},
     rows},
    {"arrays",
     "values indices pointers permutation x y other",
     "lines TRAFFIC: who moved the bytes (-v)",
     NULL,
     "By level, and in it by array: values, indices and pointers of the matrix, the permutation of SELL, x "
     "(what "
     "is gathered), rows (the operand read row by row, of SDDMM and FusedMM), y (the result), other (vectors "
     "in "
     "between, buffers).",
     "levels alpha w V",
     {NULL},
     NULL},
    {"costs",
     "cost set-up-cost setup_spmv",
     "line COSTS: what comes before the first execution",
     NULL,
     "Reading, reordering, building the format, simulating; set-up in executions says after how many "
     "products a "
     "format or an order could pay at all.",
     "trial reorder",
     {"cost.load_s", "cost.reorder_s", "cost.layout_s", "cost.simulate_s", "cost.setup_spmv"},
     NULL},
    {"remarks",
     "remark",
     "line REMARKS: sentences that are no doubts of the numbers",
     NULL,
     "Who counted the bytes and why nobody did, samples that were dropped, another machine's ceilings. What "
     "casts doubt is a flag.",
     "flags sources-of-bytes validated",
     {NULL},
     NULL},
    {"units",
     "unit prefix GB MB GiB KiB kB GB/s MB/s Gflop/s ms us ns",
     "units of files and of text",
     NULL,
     "Files are in SI base units (s, B, B/s, flop/s, B/flop). Text has prefixes: 1 kB = 1000 B, 1 GB = 10^9 "
     "B; "
     "KiB, MiB, GiB are powers of 1024. `spmodel help units`.",
     "B_C performance bandwidth",
     {NULL},
     NULL},
    {0},
};
