#include <stddef.h>

#include "cli/explain/terms/terms.h"

/* The six lines that a report begins with, word by word. */

static const struct sp_calculation share[] = {
    {"share of possible", "max(V_min/b_S, W/P_core)/t", "1", SP_F_METRICS_MODEL_FRACTION, NULL, NULL, NULL},
    {"share of possible", "V_min/b_S/t", "1", SP_F_METRICS_MODEL_FRACTION, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation possible[] = {
    {"possible", "W/max(V_min/b_S, W/P_core)", "flop/s", SP_F_VERDICT_POSSIBLE_PERFORMANCE, NULL, NULL, NULL},
    {"possible", "W/(V_min/b_S)", "flop/s", SP_F_VERDICT_POSSIBLE_PERFORMANCE, NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_verdict_terms[] = {
    {"six-lines", "what a report begins with: all that matters, in six lines",
     .also = "headline subject not-known",
     .text =
         "What was run and in what state the machine was; the speed that is possible; the speed that was "
         "reached; what was lost between the two; what to do; what all of it rests on. Each holds the best "
         "that the record supports, or says \"not known\" and why. The record has them as `verdict`.",
     .see = "possible reached lost do trust conditions"},
    {"possible", "line possible: how fast this kernel could run here",
     .also = "x-loaded-once x-loaded gathered operands-loaded-once with-padding must-move",
     .formula = "W/max(V_min/b_S, W/P_core)",
     .text = "The roofline for this format with every line of x loaded once; for dense operands, with every "
             "gathered row loaded once. What binds stands behind it: the bandwidth of the level that holds "
             "the data, or execution, which is the kernel's speed from inner caches. Padding of the format "
             "is part of the possible: its share stands beside it, and another format changes it.",
     .see = "V_min b_S P_core roofline alpha_min padding", .fields = {SP_F_VERDICT_POSSIBLE_TEXT},
     .calculations = possible},
    {"reached", "line reached: how fast it ran, and which share of the possible that is",
     .also = "of-possible share-of-possible share-of-possible-not-known all-of-what-is-possible "
             "more-than-the-model-allows",
     .formula = "model_fraction = t_model(x once)/t",
     .text = "The interval covers what a repetition gives. A share above 103 % is not given: then fewer "
             "bytes moved than modelled, or the roof was sampled in a bad moment.",
     .see = "model_fraction performance possible conditions",
     .fields = {SP_F_VERDICT_REACHED_TEXT, SP_F_METRICS_MODEL_FRACTION}, .calculations = share},
    {"lost", "line lost: where the time between possible and reached goes",
     .also =
         "waiting-for-gathers x-loaded-2.8-times explained-twice parts-exceed-the-time nothing-worth-naming "
         "roof-too-low fewer-bytes-move fewer-bytes-move-than-modelled P_core-is-too-low "
         "gathers-wait-less-than-modelled a-ceiling-is-too-low the-time-is-shorter-than-the-model-allows",
     .formula = "share = seconds of the cause / t; all of them and \"not explained\" add up to 1",
     .text = "The largest three causes as shares of the measured time, then what is not explained. \"waiting "
             "for gathers\": the latency of loads of x that nothing hides. \"x loaded 2.7 times\": the cache "
             "does not keep x. \"explained twice\": causes overlap by so much. Where the causes exceed the "
             "time by more than 10 %, an input is wrong, and the line says which instead of a share: a roof "
             "that was sampled too low, fewer bytes than modelled, P_core, or waiting that was modelled.",
     .see = "losses extra_x imbalance in_core rest latency x_loads bottleneck",
     .fields = {SP_F_VERDICT_LOST}},
    {"do", "line do: the change that was seen, or is expected, to save most",
     .also = "what-to-do gains-3-% for-certain smaller-gains time-per-vector per-vector time-per-column "
             "per-column",
     .text = "tried: it was run beside this run, and the interval is that of paired samples. predicted: "
             "nobody ran it; the interval is the rule's. Only what saves 3 % at the lower end is named. "
             "\"pays after\": so many executions until the set-up is paid. \"with --format ...\": the "
             "options to add to the command; the whole command stands among the hints. \"per vector\": with "
             "more vectors at once an execution takes longer, and less for each.",
     .see = "hints gain trial predicted", .fields = {SP_F_VERDICT_DO_TEXT, SP_F_VERDICT_DO_COMMAND}},
    {"trust", "line trust: what the figures rest on",
     .also = "not-validated doubts doubt doubt-in-the-figures result-wrong the-result-is-wrong "
             "the-counters-were-not-tested bytes-simulated bytes-measured bytes-modelled bytes-not-known "
             "figures-of caches-of another-machine caches-and-ceilings-are-of-another-machine",
     .text =
         "Who counted the bytes, and why nobody did where they are simulated; whether the simulation was "
         "compared with counters on this kind of machine; whether the result is wrong. \"2 doubts: -v\": "
         "flags that the other lines do not say, or data that another level may hold. \"caches of NAME\": "
         "--machine described another machine than the one that ran, so no share is given.",
     .see = "sources-of-bytes validated flags verify doctor", .fields = {SP_F_VERDICT_TRUST_TEXT}},
    {"state", "first line, right: the state of the machine while it was measured on",
     .also = "assumed state-not-recorded too-many-samples-were-disturbed the-roof-is-in-doubt",
     .text =
         "clean, busy or unusable as under `conditions`. assumed: nobody looked, SPMODEL_ASSUME says "
         "clean. not recorded: a record of an older version, or of a GPU. constructed: an invented example.",
     .see = "conditions status elsewhere", .fields = {SP_F_VERDICT_STATE_TEXT}},
    {"elsewhere", "first line, right: measured on another machine", .also = "measured-elsewhere",
     .text = "The run was measured on another machine, and nobody recorded what else computed there.",
     .see = "state conditions", .fields = {SP_F_VERDICT_STATE_TEXT}},
    {0},
};

/* The report of `spmodel analyze`, line by line. */

static const struct sp_calculation rows[] = {
    {"model, x once", "max(V_min/b_S, W/P_core)", "s", SP_F_NONE, NULL, NULL, NULL},
    {"model, x once", "V_min/b_S", "s", SP_F_NONE, NULL, NULL, NULL},
    {"model, x as now", "max(V/b_S, W/P_core)", "s", SP_F_NONE, NULL, NULL, NULL},
    {"model, x as now", "V/b_S", "s", SP_F_NONE, NULL, NULL, NULL},
    {"measured", "t", "s", SP_F_METRICS_TIME, NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_report_terms[] = {
    {"report", "what analyze prints, from top to bottom",
     .text = "Matrix, machine, roofs, kernel, what binds, a table of model and measurement, alpha, traffic "
             "by level (-v), where the time goes, hints, what was tried, costs (-v), flags, remarks. All of "
             "it is in the record, from which `spmodel plot`, --html and this command draw.",
     .see = "matrix machine roofs kernel roofline table alpha losses hints flags remarks"},
    {"matrix", "line MATRIX: sizes and entries", .also = "problem explicit-zeros expanded",
     .text = "Expanded: the file stores one triangle, the format both. Explicit zeros are entries of value 0 "
             "that the file has; they count. Row lengths: mean, median, 99th percentile, longest.",
     .see = "n_r n_nz n_nzr half structure E06",
     .fields = {SP_F_PROBLEM_NAME, SP_F_PROBLEM_SYMMETRY, SP_F_PROBLEM_ZEROS, SP_F_PROBLEM_SHA256}},
    {"machine", "line MACHINE: where it ran", .also = "effective pinned cpu",
     .text = "Threads are pinned to processors of their own, or the line says not. Of the last-level cache "
             "the capacity that was found effective stands beside the stated one. `spmodel machine` measures "
             "and shows.",
     .see = "Z domain ceilings Q03 environment",
     .fields = {SP_F_MACHINE_NAME, SP_F_MACHINE_CPU, SP_F_MACHINE_N_CORES, SP_F_MACHINE_N_DOMAINS}},
    {"roofs", "line ROOFS: the ceilings that this run is held against",
     .text = "Each with its interval and on whose word. Load of its arrays: the kernel's own arrays, read "
             "only, between its samples. The one that fractions are of is b_S.",
     .see = "b_S ceilings P_peak"},
    {"kernel", "line KERNEL: what was run", .also = "isa avx2 avx512 portable static code-hash",
     .text = "Operation, format, types of values and indices, schedule (static: dealt before the run), "
             "instructions, NT stores where y is written past the caches, state of the caches, samples, and "
             "the largest error beside the reference. Of several kernels for a format the fastest on the "
             "arrays themselves is taken; --isa names one.",
     .see = "formats schedule w cold verify",
     .fields = {SP_F_CONFIG_KERNEL, SP_F_CONFIG_SCHEDULE, SP_F_CONFIG_STORE_NT, SP_F_CONFIG_CACHE,
                SP_F_CONFIG_CODE_HASH}},
    {"table", "the table: model and measurement in one column each",
     .also = "x-once roofline,-x-once roofline,-x-as-simulated roofline,-x-as-measured ECM,-x-as-simulated "
             "model,-x-once model,-x-as-simulated model,-x-as-measured model,-x-as-counted",
     .text = "x once: the roofline with every line of x loaded once. x as simulated (measured, counted): "
             "with the alpha of this run. Bytes of these rows are the formula's (modelled): caches that keep "
             "part of matrix or result are not in it, nor what a level passes on again. ECM: `explain ecm`, "
             "from the bytes that were simulated between all levels; the rows above it are then called "
             "roofline instead of model. measured: the clock, and the bytes that were simulated or counted "
             "as a whole. \"Of roof\" is bandwidth_fraction, \"of model\" model_fraction.",
     .see = "roofline ecm bandwidth_fraction model_fraction V_min B_C", .calculations = rows},
    {"arrays", "lines TRAFFIC: who moved the bytes (-v)",
     .also = "values indices pointers permutation x y other",
     .text = "By level, and in it by array: values, indices and pointers of the matrix, the permutation of "
             "SELL, x (what is gathered), rows (the operand read row by row, of SDDMM and FusedMM), y (the "
             "result), other (vectors in between, buffers).",
     .see = "levels alpha w V"},
    {"costs", "line COSTS: what comes before the first execution", .also = "cost set-up-cost setup_spmv",
     .text = "Reading, reordering, building the format, simulating; set-up in executions says after how many "
             "products a format or an order could pay at all.",
     .see = "trial reorder",
     .fields = {SP_F_COST_LOAD_S, SP_F_COST_REORDER_S, SP_F_COST_LAYOUT_S, SP_F_COST_SIMULATE_S,
                SP_F_COST_SETUP_SPMV}},
    {"remarks", "line REMARKS: sentences that are no doubts of the numbers", .also = "remark",
     .text = "Who counted the bytes and why nobody did, samples that were dropped, another machine's "
             "ceilings. What casts doubt is a flag.",
     .see = "flags sources-of-bytes validated"},
    {"units", "units of files and of text", .also = "unit prefix GB MB GiB KiB kB GB/s MB/s Gflop/s ms us ns",
     .text = "Files are in SI base units (s, B, B/s, flop/s, B/flop). Text has prefixes: 1 kB = 1000 B, 1 GB "
             "= 10^9 B; KiB, MiB, GiB are powers of 1024. `spmodel help units`.",
     .see = "B_C performance bandwidth"},
    {0},
};

/* Words of printed lines and columns that are no symbol, metric or verdict themselves. */

const struct sp_term sp_label_terms[] = {
    {"symmetric-file", "line MATRIX: what the file says of itself",
     .also = "symmetry nonzeros-per-row skew-symmetric duplicates",
     .text = "A symmetric file stores one triangle; \"expanded\" says that both are in the format, so sizes "
             "count both. Duplicates are entries of one place, which were added up.",
     .see = "matrix half E02",
     .fields = {SP_F_PROBLEM_SYMMETRY, SP_F_PROBLEM_SYMMETRIC_EXPANDED, SP_F_PROBLEM_DUPLICATES}},
    {"per-row", "line MATRIX: entries of a row", .also = "mean median p99 max row-lengths",
     .text = "Mean is n_nzr; half of the rows have no more than the median, 99 of 100 no more than p99, none "
             "more than max. A mean far above the median is a few long rows: look at the schedule and at "
             "SELL's beta.",
     .see = "n_nzr schedule beta",
     .fields = {SP_F_STRUCTURE_N_NZR_MEAN, SP_F_STRUCTURE_N_NZR_MEDIAN, SP_F_STRUCTURE_N_NZR_P99,
                SP_F_STRUCTURE_N_NZR_MAX}},
    {"threads", "line MACHINE: threads, and the caches that they share",
     .also = "number-of-threads sockets SNC virtual-machine VM SMs cache-domain",
     .text = "Pinned: each has a processor of its own. A cache domain is the cores that share a last-level "
             "cache; sub-NUMA clustering (SNC) splits a socket's memory into domains. A virtual machine may "
             "hide caches and counters and share its cores with others, so its capacities are measured.",
     .see = "machine domain n_sat Z", .fields = {SP_F_CONFIG_THREADS, SP_F_MACHINE_N_DOMAINS}},
    {"load-of-its-arrays", "line ROOFS: ceilings by name",
     .also =
         "DRAM-load L3-load L2-load DP-FMA SP-FMA memory-bandwidth L1-bandwidth L2-bandwidth L3-bandwidth",
     .text = "DRAM load, L3 load: bytes a second that a loop of loads gets out of that level; of its arrays: "
             "out of the very arrays of this kernel, between its samples. DP FMA, SP FMA: fused "
             "multiply-adds in fp64 and fp32, the peak of arithmetic.",
     .see = "roofs ceilings b_S P_peak"},
    {"f64/i32", "line KERNEL: type of values / type of column indices",
     .also = "mixed/i32 f32/i32 f64/d16 mixed/d16 f64/i64",
     .text = "Before the slash the precision of values and vectors (--precision), behind it the width of "
             "column indices (--index).",
     .see = "precision mixed d16 s_a s_i", .fields = {SP_F_CONFIG_PRECISION, SP_F_CONFIG_INDEX}},
    {"static-nnz", "line KERNEL: how rows were dealt to threads, before the run",
     .also = "static-rows static-cyclic static-merge",
     .text = "nnz: contiguous rows with equal numbers of entries; the other words are those of --schedule.",
     .see = "schedule kernel lambda", .fields = {SP_F_CONFIG_SCHEDULE}},
    {"avx2-loads", "line KERNEL: instructions and stores", .also = "avx512-loads NT-stores store_nt",
     .text = "loads: elements of x are loaded one by one into a vector instead of by a gather instruction, "
             "which is faster on some CPUs. NT stores: y is written past the caches, so its lines are not "
             "read first (w = 1).",
     .see = "kernel w G03", .fields = {SP_F_CONFIG_KERNEL, SP_F_CONFIG_STORE_NT}},
    {"samples", "line KERNEL: how often it was timed", .also = "sample run runs dropped 1-dropped",
     .text = "A run is a process, a sample one timed stretch of executions in it, beside one of the roof. "
             "Samples during which a virtual machine's processors moved between caches are dropped, and the "
             "line says how many.",
     .see = "spread verdict remarks", .fields = {SP_F_CONFIG_RUNS, SP_F_CONFIG_MAX_SAMPLES}},
    {"result-checked", "the result was compared with the reference",
     .also = "max.-rel.-error max-rel-error norm-wise",
     .text = "The largest error relative to the sum of |a_ij x_j| of its row, against a tolerance from the "
             "row's length; beyond it the exit code is 6. Norm-wise: of the whole matrix, Frobenius norm of "
             "the change over that of the values.",
     .see = "verify mixed exit-6",
     .fields = {SP_F_VERIFY_MAX_REL_ERR, SP_F_VERIFY_MAX_ERR_OVER_TOLERANCE, SP_F_VERIFY_OK}},
    {"bound-by", "what the roofline says is longest", .also = "bound in-core-execution transfers execution",
     .formula = "t >= max(V/b_S, W/P_core, W/P_peak)",
     .text = "Transfers are V/b_S, the bytes at the roof of the level that holds the data; execution is "
             "W/P_core, what the instructions take without memory limits. The longer one binds; the measured "
             "bottleneck may be another one, such as latency, which no roofline has. In the table of a sweep "
             "`bound` is that least time, for the option in the row.",
     .see = "roofline P_core b_S bottleneck sweep",
     .fields = {SP_F_BINDING_TERM, SP_F_BINDING_LEVEL, SP_F_BINDING_WHY}},
    {"events", "line EVENTS (-v): what the cores counted in one execution",
     .also = "EVENTS in-one-execution not-counted-here instructions-a-cycle",
     .text = "Instructions, cycles, processor time, page faults and what else perf_event or PAPI give, of "
             "all threads together; what cannot be counted is named. In warm repetitions: counted over "
             "repetitions, whatever the state of the caches of the samples.",
     .see = "instructions sources-of-bytes noise-free"},
    {"no-counters-can-be-used", "line BYTES: nobody could count memory traffic here",
     .also = "counters uncore no-counters no-counters-in-this-VM no-GPU-counters as-asked-for",
     .text = "The line names what was looked for and why it failed; bytes are then simulated from the "
             "addresses that the layout makes, and every number made of them says so. `spmodel doctor` says "
             "what would help.",
     .see = "sources-of-bytes simulated trust", .fields = {SP_F_COUNTERS, SP_F_BYTES_TRIED}},
    {"DRAM-traffic", "column of the table: bytes of one execution at the level that holds the data",
     .also = "L3-traffic L2-traffic traffic-MB",
     .text = "DRAM where the data exceed the last-level cache, else the cache that keeps them between "
             "executions: their bytes pass its interface, and its roof counts.",
     .see = "V Z cold table", .fields = {SP_F_METRICS_BYTES, SP_F_BINDING_LEVEL}},
    {"x-as-simulated", "row of the table: the model with alpha as it was found",
     .also = "x-as-measured x-as-counted x-is-loaded",
     .text = "\"x is loaded 2.8 times\" is alpha/alpha_min. Below 1 part of x stayed in caches between "
             "executions.",
     .see = "table x_loads alpha alpha_min", .fields = {SP_F_METRICS_X_LOADS}},
    {"median-of-pairs", "each sample of the kernel over the one of the roof beside it",
     .also = "pairs paired-ratio",
     .text = "A machine that speeds up or slows down takes both along, so their ratio holds where times do "
             "not. It may differ from the ratio of the printed medians.",
     .see = "bandwidth_fraction samples spread", .fields = {SP_F_METRICS_BANDWIDTH_FRACTION}},
    {"stored-entries", "entries with the fill that the format adds", .also = "stored explicit-fill",
     .formula = "stored entries = n_nz/beta",
     .text = "Fill is multiplied like an entry and moves like one; of half storage one triangle is stored, "
             "without fill.",
     .see = "beta padding layout", .fields = {SP_F_LAYOUT_STORED, SP_F_METRICS_BETA}},
    {"layout", "what the format stored, as a record counts it",
     .also = "arrays_B cells updated_lines window_rows windows partial-results listed most_listed",
     .text = "Entries with fill, and bytes of each array once. half: rows that threads share (W_h), in "
             "phases or in windows of partial results; striped: cells and updated lines of y; staged and "
             "tiled: blocks and the distinct columns that they list.",
     .see = "half striped staged tiled V",
     .fields = {SP_F_LAYOUT_STORED, SP_F_LAYOUT_INDICES, SP_F_LAYOUT_WINDOW_ROWS, SP_F_LAYOUT_PHASED,
                SP_F_LAYOUT_CELLS, SP_F_LAYOUT_UPDATED_LINES, SP_F_LAYOUT_LISTED}},
    {"latency", "time that gathers of x wait, beside bandwidth",
     .also = "gathers inner-caches without-memory-limits linearised-indices",
     .formula = "latency = t - t(all gathers in the innermost cache)",
     .text = "Measured by the same arrays with all gathers from L1 (test): every gather hits an inner cache: "
             "what that run saves beyond extra x traffic. Without memory limits: the kernel on windows of "
             "its own rows that caches hold (W/P_core). On GPUs see `little`.",
     .see = "in_core bottleneck linearised little A01", .fields = {SP_F_LOSSES_IN_CORE, SP_F_METRICS_P_CORE}},
    {"prefetch", "x asked for some entries before it is needed", .also = "x-asked-for-in-advance",
     .text = "--prefetch N: an instruction loads the element of x that is gathered N entries later. It pays "
             "where gathers wait and the bus has room; the proof line says what it took here.",
     .see = "latency A03 linearised", .fields = {SP_F_CONFIG_PREFETCH}},
    {"lambda-of-entries", "load imbalance by counting and by the clock", .also = "busy-times equal-shares",
     .text = "lambda of entries is max/mean over threads of stored entries (lambda_nz); busy times are the "
             "threads' own clocks (lambda_t). They part where rows of one thread cost more each.",
     .see = "lambda imbalance B01", .fields = {SP_F_METRICS_LAMBDA_NZ, SP_F_METRICS_LAMBDA_T}},
    {"dense-blocks", "line \"not a problem\": how full small blocks would be", .also = "block-fill filled",
     .formula = "fill = n_nz/(n_e b_h b_w)",
     .text = "Counted from the pattern for blocks from 2 x 2 to 16 x 16; the best one is named with what it "
             "would save.",
     .see = "bcsr n_e E04"},
    {"small-pages", "pages of 4 KiB instead of 2 MiB", .also = "page-walk page huge-page-share",
     .text = "The translation of addresses is cached for few pages; where data lie on many small ones, "
             "misses need a page walk each.",
     .see = "G01 placement", .fields = {SP_F_PLACEMENT_PAGES_HUGE_SHARE, SP_F_CONFIG_PAGES}},
    {"try", "lines of a hint: what to type, and what would prove it wrong",
     .also = "expect refutes next saved",
     .text = "try: a command that runs as it stands. expect: what it should change; refuted if that does not "
             "happen or time does not follow. --try-hints does all of it and prints what was observed. saved "
             "and next, below the report: the record that was written and what to read about it.",
     .see = "hints trial refuted gain"},
    {"conditions", "in what state the machine was while it was measured on, decided once",
     .also = "STATE clean busy unusable disturbed no-verdict --require-clean",
     .text =
         "Each thread's processor time, switches and place are read before and after every sample; one from "
         "which a thread was taken off for more than 5 % of the time is disturbed and replaced. clean: at "
         "most a tenth of the samples was disturbed. busy: more, and others took their place. unusable: too "
         "few undisturbed ones came within three budgets or 2 s. no verdict: unusable, or a kernel that drew "
         "more than 110 % of its own roof; then no share of the roof, no loss and no hint is given, gates "
         "answer 5, and structure and simulated bytes still hold. On a GPU a sample is disturbed where the "
         "host lost more than 5 % of its time while it still queued work, or where it took a quarter longer "
         "than the shortest. A sweep has one state over all of its points.",
     .see = "noisy sentinels b_S exit-5 sweep",
     .fields = {SP_F_CONDITIONS_STATE, SP_F_CONDITIONS_TEXT, SP_F_CONDITIONS_DOUBT}},
    {"noisy", "doubts that are flags", .also = "drifted last-level-cache-sentinel",
     .text = "Noisy (Q02): samples lie far apart. Drifted (Q28): sentinels, short looks at memory, "
             "last-level cache and core, differ before and after the runs: measure again before you compare.",
     .see = "Q02 Q28 spread sentinels", .fields = {SP_F_FLAGS}},
    {"OVER-r", "table of several right-hand sides",
     .also = "of-limit b_S/B b/B limited-by best-r least time-divided-by-r",
     .formula = "limit = min(b_S/B(r), P_core)",
     .text = "least: B/flop with X loaded once. of limit: the measured Gflop/s over the smaller of b_S/B, "
             "what the roof allows at B bytes a flop, and P_core, which \"limited by\" names. best r: where "
             "time divided by r is least, predicted by the "
             "limit and found by the clock; as good where they differ by less than the noise.",
     .see = "spmmv r B_C E05"},
    {"compare", "columns and lines of compare", .also = "B/A B/A---1 differs resolved detail",
     .formula = "B/A - 1: change of the second record from the first",
     .text = "differs: a part of what was asked for, so that times do not compare. resolved: what the "
             "program chose for it (kernel, stores, shares of threads), which may explain a change. Without "
             "both numbers a change is unknown.",
     .see = "verdict not-comparable environment"},
    {"against-the-run", "columns and lines of a sweep",
     .also = "the-run combinations left-out exhaustive best not-walked",
     .text = "The run is the command without the options of the sweep, measured in turn with each "
             "combination: negative is faster. bound is the least time by the model, set-up what the option "
             "costs before its first product, in executions of the run. = marks ties with the best. Left "
             "out: with the reason; --exhaustive walks all.",
     .see = "sweep trial bound-by"},
    {"partition_hash", "evidence that two records dealt rows to threads alike", .also = "code-and-shares",
     .text = "A hash of the threads' shares; code_hash is that of the machine code that they ran. Neither "
             "decides whether records compare.",
     .see = "kernel schedule series", .fields = {SP_F_CONFIG_PARTITION_HASH, SP_F_CONFIG_CODE_HASH}},
    {"\xc2\xb1", "half of the interval that a number has", .also = "plus-minus interval intervals",
     .text = "The larger distance from the printed value to an end of its interval: of times, of the median "
             "of the samples; of bytes, of the counts; of what is made of both, of both. Numbers without one "
             "are counted or exact.",
     .see = "spread gain samples"},
    {"unfused", "line UNFUSED: FusedMM beside SDDMM and then SpMM",
     .also = "pair fused-times-as-fast from-empty-caches",
     .formula = "saved = V(SDDMM, then SpMM) - V(FusedMM)",
     .text = "The pair writes the values between the two and reads the pattern twice; how much time and how "
             "many bytes from empty caches the fused kernel saves, measured and simulated, beside what the "
             "formula predicts.",
     .see = "fusedmm V",
     .fields = {SP_F_UNFUSED_BYTES, SP_F_UNFUSED_BYTES_FUSED, SP_F_UNFUSED_SAVED_PREDICTED}},
    {"record", "all that one analysis found, as one file",
     .also = "records store record-store history records-before RECORD.json",
     .text = "JSON in SI units; every report, plot, comparison and explanation is made of it alone. A store "
             "is a folder of records for `spmodel track`; a series is those that asked for the same.",
     .see = "series environment report verdict", .fields = {SP_F_ID, SP_F_STATUS, SP_F_COMMAND}},
    {"read-and-written", "columns of TRAFFIC (-v)", .also = "read written TRAFFIC-read",
     .text = "Bytes that pass the interface of a level towards the cores and away from them; reading a line "
             "before it is written (w = 2) is a read.",
     .see = "arrays V_read w", .fields = {SP_F_METRICS_BYTES_READ, SP_F_METRICS_BYTES_WRITTEN}},
    {"waits", "columns of the cache domains: what each one did", .also = "busy entries-share bytes-share",
     .text = "Shares of entries and bytes by domain, the time that its threads were busy and that they "
             "waited for the last one.",
     .see = "domain imbalance lambda", .fields = {SP_F_DOMAINS}},
    {"plain-stores", "sentences below a prediction of `model`",
     .also = "upper-bound in-core-limits warm-executions per-column",
     .text = "Plain stores read the line of y first (w = 2). Where the data fit a cache whose bandwidth the "
             "machine does not describe, the time is as if they came from the next level that has one; on a "
             "GPU the L2's bytes at the bandwidth of memory, an upper bound of the transfers. In-core limits "
             "(P_core) are of a kernel and its matrix; no machine file has them, so `model` leaves them out "
             "and `analyze` measures them.",
     .see = "w cold P_core roofline"},
    {"remedy", "line below an error: what to do", .also = "error errors",
     .text = "An error says where (file, line), what is wrong and the remedy; its exit code says of which "
             "kind it is.",
     .see = "exit-codes usage input absent"},
    {0},
};
