/* Words of printed lines and columns that are no symbol, metric or verdict themselves. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"

const struct sp_term sp_label_terms[] = {
    {"symmetric-file",
     "symmetry nonzeros-per-row skew-symmetric duplicates",
     "line MATRIX: what the file says of itself",
     NULL,
     "A symmetric file stores one triangle; \"expanded\" says that both are in the format, so sizes count "
     "both. Duplicates are entries of one place, which were added up.",
     "matrix half E02",
     {"problem.symmetry", "problem.symmetric_expanded", "problem.duplicates"},
     NULL},
    {"per-row",
     "mean median p99 max row-lengths",
     "line MATRIX: entries of a row",
     NULL,
     "Mean is n_nzr; half of the rows have no more than the median, 99 of 100 no more than p99, none more "
     "than max. A mean far above the median is a few long rows: look at the schedule and at SELL's beta.",
     "n_nzr schedule beta",
     {"structure.n_nzr_mean", "structure.n_nzr_median", "structure.n_nzr_p99", "structure.n_nzr_max"},
     NULL},
    {"threads",
     "number-of-threads sockets SNC virtual-machine VM SMs cache-domain",
     "line MACHINE: threads, and the caches that they share",
     NULL,
     "Pinned: each has a processor of its own. A cache domain is the cores that share a last-level cache; "
     "sub-NUMA clustering (SNC) splits a socket's memory into domains. A virtual machine may hide caches and "
     "counters and share its cores with others, so its capacities are measured.",
     "machine domain n_sat Z",
     {"config.threads", "machine.n_domains"},
     NULL},
    {"load-of-its-arrays",
     "DRAM-load L3-load L2-load DP-FMA SP-FMA memory-bandwidth L1-bandwidth L2-bandwidth L3-bandwidth",
     "line ROOFS: ceilings by name",
     NULL,
     "DRAM load, L3 load: bytes a second that a loop of loads gets out of that level; of its arrays: out of "
     "the very arrays of this kernel, between its samples. DP FMA, SP FMA: fused multiply-adds in fp64 and "
     "fp32, the peak of arithmetic.",
     "roofs ceilings b_S P_peak",
     {NULL},
     NULL},
    {"f64/i32",
     "mixed/i32 f32/i32 f64/d16 mixed/d16 f64/i64",
     "line KERNEL: type of values / type of column indices",
     NULL,
     "Before the slash the precision of values and vectors (--precision), behind it the width of column "
     "indices (--index).",
     "precision mixed d16 s_a s_i",
     {"config.precision", "config.index"},
     NULL},
    {"static-nnz",
     "static-rows static-cyclic static-merge",
     "line KERNEL: how rows were dealt to threads, before the run",
     NULL,
     "nnz: contiguous rows with equal numbers of entries; the other words are those of --schedule.",
     "schedule kernel lambda",
     {"config.schedule"},
     NULL},
    {"avx2-loads",
     "avx512-loads NT-stores store_nt",
     "line KERNEL: instructions and stores",
     NULL,
     "loads: elements of x are loaded one by one into a vector instead of by a gather instruction, which is "
     "faster on some CPUs. NT stores: y is written past the caches, so its lines are not read first (w = 1).",
     "kernel w G03",
     {"config.kernel", "config.store_nt"},
     NULL},
    {"samples",
     "sample run runs dropped 1-dropped",
     "line KERNEL: how often it was timed",
     NULL,
     "A run is a process, a sample one timed stretch of executions in it, beside one of the roof. Samples "
     "during which a virtual machine's processors moved between caches are dropped, and the line says how "
     "many.",
     "spread verdict remarks",
     {"config.runs", "config.max_samples"},
     NULL},
    {"result-checked",
     "max.-rel.-error max-rel-error norm-wise",
     "the result was compared with the reference",
     NULL,
     "The largest error relative to the sum of |a_ij x_j| of its row, against a tolerance from the row's "
     "length; beyond it the exit code is 6. Norm-wise: of the whole matrix, Frobenius norm of the change "
     "over "
     "that of the values.",
     "verify mixed exit-6",
     {"verify.max_rel_err", "verify.max_err_over_tolerance", "verify.ok"},
     NULL},
    {"bound-by",
     "bound in-core-execution transfers execution",
     "what the roofline says is longest",
     "t >= max(V/b_S, W/P_core, W/P_peak)",
     "Transfers are V/b_S, the bytes at the roof of the level that holds the data; execution is W/P_core, "
     "what the instructions take without memory limits. The longer one binds; the measured bottleneck may be "
     "another one, such as latency, which no roofline has. In the table of a sweep `bound` is that least "
     "time, for the option in the row.",
     "roofline P_core b_S bottleneck sweep",
     {"binding.term", "binding.level", "binding.why"},
     NULL},
    {"events",
     "EVENTS in-one-execution not-counted-here instructions-a-cycle",
     "line EVENTS (-v): what the cores counted in one execution",
     NULL,
     "Instructions, cycles, processor time, page faults and what else perf_event or PAPI give, of all "
     "threads together; what cannot be counted is named. In warm repetitions: counted over repetitions, "
     "whatever the state of the caches of the samples.",
     "instructions sources-of-bytes noise-free",
     {NULL},
     NULL},
    {"no-counters-can-be-used",
     "counters uncore no-counters no-counters-in-this-VM no-GPU-counters as-asked-for",
     "line BYTES: nobody could count memory traffic here",
     NULL,
     "The line names what was looked for and why it failed; bytes are then simulated from the addresses that "
     "the layout makes, and every number made of them says so. `spmodel doctor` says what would help.",
     "sources-of-bytes simulated trust",
     {"counters", "bytes_tried"},
     NULL},
    {"DRAM-traffic",
     "L3-traffic L2-traffic traffic-MB",
     "column of the table: bytes of one execution at the level that holds the data",
     NULL,
     "DRAM where the data exceed the last-level cache, else the cache that keeps them between executions: "
     "their bytes pass its interface, and its roof counts.",
     "V Z cold table",
     {"metrics.bytes", "binding.level"},
     NULL},
    {"x-as-simulated",
     "x-as-measured x-as-counted x-is-loaded",
     "row of the table: the model with alpha as it was found",
     NULL,
     "\"x is loaded 2.8 times\" is alpha/alpha_min. Below 1 part of x stayed in caches between executions.",
     "table x_loads alpha alpha_min",
     {"metrics.x_loads"},
     NULL},
    {"median-of-pairs",
     "pairs paired-ratio",
     "each sample of the kernel over the one of the roof beside it",
     NULL,
     "A machine that speeds up or slows down takes both along, so their ratio holds where times do not. It "
     "may differ from the ratio of the printed medians.",
     "bandwidth_fraction samples spread",
     {"metrics.bandwidth_fraction"},
     NULL},
    {"stored-entries",
     "stored explicit-fill",
     "entries with the fill that the format adds",
     "stored entries = n_nz/beta",
     "Fill is multiplied like an entry and moves like one; of half storage one triangle is stored, without "
     "fill.",
     "beta padding layout",
     {"layout.stored", "metrics.beta"},
     NULL},
    {"layout",
     "arrays_B cells updated_lines window_rows windows partial-results listed most_listed",
     "what the format stored, as a record counts it",
     NULL,
     "Entries with fill, and bytes of each array once. half: rows that threads share (W_h), in phases or in "
     "windows of partial results; striped: cells and updated lines of y; staged and tiled: blocks and the "
     "distinct columns that they list.",
     "half striped staged tiled V",
     {"layout.stored", "layout.indices", "layout.window_rows", "layout.phased", "layout.cells",
      "layout.updated_lines", "layout.listed"},
     NULL},
    {"latency",
     "gathers inner-caches without-memory-limits linearised-indices",
     "time that gathers of x wait, beside bandwidth",
     "latency = t - t(all gathers in the innermost cache)",
     "Measured by the same arrays with all gathers from L1 (test): every gather hits an inner cache: what "
     "that run saves beyond extra x traffic. Without memory limits: the kernel on windows of its own rows "
     "that caches hold (W/P_core). On GPUs see `little`.",
     "in_core bottleneck linearised little A01",
     {"losses.in_core", "metrics.p_core"},
     NULL},
    {"prefetch",
     "x-asked-for-in-advance",
     "x asked for some entries before it is needed",
     NULL,
     "--prefetch N: an instruction loads the element of x that is gathered N entries later. It pays where "
     "gathers wait and the bus has room; the proof line says what it took here.",
     "latency A03 linearised",
     {"config.prefetch"},
     NULL},
    {"lambda-of-entries",
     "busy-times equal-shares",
     "load imbalance by counting and by the clock",
     NULL,
     "lambda of entries is max/mean over threads of stored entries (lambda_nz); busy times are the threads' "
     "own clocks (lambda_t). They part where rows of one thread cost more each.",
     "lambda imbalance B01",
     {"metrics.lambda_nz", "metrics.lambda_t"},
     NULL},
    {"dense-blocks",
     "block-fill filled",
     "line \"not a problem\": how full small blocks would be",
     "fill = n_nz/(n_e b_h b_w)",
     "Counted from the pattern for blocks from 2 x 2 to 16 x 16; the best one is named with what it would "
     "save.",
     "bcsr n_e E04",
     {NULL},
     NULL},
    {"small-pages",
     "page-walk page huge-page-share",
     "pages of 4 KiB instead of 2 MiB",
     NULL,
     "The translation of addresses is cached for few pages; where data lie on many small ones, misses need a "
     "page walk each.",
     "G01 placement",
     {"placement.pages.huge_share", "config.pages"},
     NULL},
    {"try",
     "expect refutes next saved",
     "lines of a hint: what to type, and what would prove it wrong",
     NULL,
     "try: a command that runs as it stands. expect: what it should change; refuted if that does not happen "
     "or time does not follow. --try-hints does all of it and prints what was observed. saved and next, "
     "below "
     "the report: the record that was written and what to read about it.",
     "hints trial refuted gain",
     {NULL},
     NULL},
    {"conditions",
     "STATE clean busy unusable disturbed no-verdict --require-clean",
     "in what state the machine was while it was measured on, decided once",
     NULL,
     "Each thread's processor time, switches and place are read before and after every sample; one from "
     "which a "
     "thread was taken off for more than 5 % of the time is disturbed and replaced. clean: at most a tenth "
     "of the "
     "samples was disturbed. busy: more, and others took their place. unusable: too few undisturbed ones "
     "came within "
     "three budgets or 2 s. no verdict: unusable, or a kernel that drew more than 110 % of its own roof; "
     "then no "
     "share of the roof, no loss and "
     "no hint is given, gates answer 5, and structure and simulated bytes still hold. On a GPU a sample is "
     "disturbed where the host lost more than 5 % of its time while it still queued work, or where it took a "
     "quarter longer than the shortest. A sweep has one state over all of its points.",
     "noisy sentinels b_S exit-5 sweep",
     {"conditions.state", "conditions.text", "conditions.doubt"},
     NULL},
    {"noisy",
     "drifted last-level-cache-sentinel",
     "doubts that are flags",
     NULL,
     "Noisy (Q02): samples lie far apart. Drifted (Q28): sentinels, short looks at memory, last-level cache "
     "and core, differ before and after the runs: measure again before you compare.",
     "Q02 Q28 spread sentinels",
     {"flags"},
     NULL},
    {"OVER-r",
     "of-limit b_S/B b/B limited-by best-r least time-divided-by-r",
     "table of several right-hand sides",
     "limit = min(b_S/B(r), P_core)",
     "least: B/flop with X loaded once. of limit: the measured Gflop/s over the smaller of b_S/B, what the "
     "roof allows at B bytes a flop, and P_core, "
     "which \"limited by\" names. best r: where time divided by r is least, predicted by the limit and found "
     "by the clock; as good where they differ by less than the noise.",
     "spmmv r B_C E05",
     {NULL},
     NULL},
    {"compare",
     "B/A B/A---1 differs resolved detail",
     "columns and lines of compare",
     "B/A - 1: change of the second record from the first",
     "differs: a part of what was asked for, so that times do not compare. resolved: what the program chose "
     "for it (kernel, stores, shares of threads), which may explain a change. Without both numbers a change "
     "is unknown.",
     "verdict not-comparable environment",
     {NULL},
     NULL},
    {"against-the-run",
     "the-run combinations left-out exhaustive best not-walked",
     "columns and lines of a sweep",
     NULL,
     "The run is the command without the options of the sweep, measured in turn with each combination: "
     "negative is faster. bound is the least time by the model, set-up what the option costs before its "
     "first "
     "product, in executions of the run. = marks ties with the best. Left out: with the reason; --exhaustive "
     "walks all.",
     "sweep trial bound-by",
     {NULL},
     NULL},
    {"partition_hash",
     "code-and-shares",
     "evidence that two records dealt rows to threads alike",
     NULL,
     "A hash of the threads' shares; code_hash is that of the machine code that they ran. Neither decides "
     "whether records compare.",
     "kernel schedule series",
     {"config.partition_hash", "config.code_hash"},
     NULL},
    {"\xc2\xb1",
     "plus-minus interval intervals",
     "half of the interval that a number has",
     NULL,
     "The larger distance from the printed value to an end of its interval: of times, of the median of the "
     "samples; of bytes, of the counts; of what is made of both, of both. Numbers without one are counted or "
     "exact.",
     "spread gain samples",
     {NULL},
     NULL},
    {"unfused",
     "pair fused-times-as-fast from-empty-caches",
     "line UNFUSED: FusedMM beside SDDMM and then SpMM",
     "saved = V(SDDMM, then SpMM) - V(FusedMM)",
     "The pair writes the values between the two and reads the pattern twice; how much time and how many "
     "bytes "
     "from empty caches the fused kernel saves, measured and simulated, beside what the formula predicts.",
     "fusedmm V",
     {"unfused.bytes", "unfused.bytes_fused", "unfused.saved_predicted"},
     NULL},
    {"record",
     "records store record-store history records-before RECORD.json",
     "all that one analysis found, as one file",
     NULL,
     "JSON in SI units; every report, plot, comparison and explanation is made of it alone. A store is a "
     "folder of records for `spmodel track`; a series is those that asked for the same.",
     "series environment report verdict",
     {"id", "status", "command"},
     NULL},
    {"read-and-written",
     "read written TRAFFIC-read",
     "columns of TRAFFIC (-v)",
     NULL,
     "Bytes that pass the interface of a level towards the cores and away from them; reading a line before "
     "it "
     "is written (w = 2) is a read.",
     "arrays V_read w",
     {"metrics.bytes_read", "metrics.bytes_written"},
     NULL},
    {"waits",
     "busy entries-share bytes-share",
     "columns of the cache domains: what each one did",
     NULL,
     "Shares of entries and bytes by domain, the time that its threads were busy and that they waited for "
     "the "
     "last one.",
     "domain imbalance lambda",
     {"domains"},
     NULL},
    {"plain-stores",
     "upper-bound in-core-limits warm-executions per-column",
     "sentences below a prediction of `model`",
     NULL,
     "Plain stores read the line of y first (w = 2). Where the data fit a cache whose bandwidth "
     "the machine does not describe, the time is as if they came from the next level that has one; on a GPU "
     "the L2's bytes at the bandwidth of memory, an upper bound of the transfers. In-core limits (P_core) "
     "are of a kernel and its matrix; no "
     "machine file has them, so `model` leaves them out and `analyze` measures them.",
     "w cold P_core roofline",
     {NULL},
     NULL},
    {"remedy",
     "error errors",
     "line below an error: what to do",
     NULL,
     "An error says where (file, line), what is wrong and the remedy; its exit code says of which kind it "
     "is.",
     "exit-codes usage input absent",
     {NULL},
     NULL},
    {0},
};
