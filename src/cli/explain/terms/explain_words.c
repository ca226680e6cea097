#include <stddef.h>

#include "cli/explain/terms/terms.h"

/* Words of records, doctor, labs, campaigns and errors. */

const struct sp_term sp_word_terms[] = {
    {"status", "what became of an analysis", .also = "record-status",
     .text = "complete; interrupted (what is missing was not reached); failed; constructed (an invented "
             "example); modelled (nothing was run).",
     .see = "complete interrupted failed constructed modelled", .fields = {SP_F_STATUS}},
    {"complete", "record: everything that was asked for is there", .text = "Checks take complete records.",
     .see = "status"},
    {"failed", "record: the analysis ended with an error; campaign: the job did",
     .text = "The error and its exit code are kept; a campaign makes failed jobs again with --retry.",
     .see = "status campaign exit-codes"},
    {"verify", "the result beside the reference", .also = "max_rel_err reference tolerance",
     .text = "Each kernel's result is compared once with row sums of CRS in double precision; the tolerance "
             "follows from the row lengths. Above 1 of max_err_over_tolerance it is wrong: exit code 6.",
     .see = "exit-6 wrong-result",
     .fields = {SP_F_VERIFY_OK, SP_F_VERIFY_MAX_REL_ERR, SP_F_VERIFY_MAX_ERR_OVER_TOLERANCE}},
    {"flags", "what a reader must know before believing the numbers", .also = "flag",
     .text = "Each has a code and a sentence with its figures; --strict makes any of them exit code 6.",
     .see = "Q01 Q02 Q10 Q22 exit-6"},
    /* doctor */
    {"doctor", "what works on this machine, and what to type where it does not", .also = "findings finding",
     .text = "Each finding has a verdict: works, limited, absent, unknown. --require LIST makes scripts stop "
             "where a word of the list does not hold.",
     .see = "works limited absent unknown exit-4"},
    {"works", "doctor: nothing to do", .text = "It was tried, or the system says so.", .see = "doctor"},
    {"limited", "doctor: works less well, or disturbs measurements",
     .text = "The line says how, and what an administrator types.", .see = "doctor"},
    {"absent", "doctor: not there or not permitted; error: something required is",
     .text = "Exit code 4 where it was asked for by name or with --require.", .see = "doctor exit-4"},
    {"permissions", "heading of doctor: what the system lets this process count", .also = "PERMISSIONS",
     .text = "The level of perf_event, capabilities, filters of system calls, access to registers (msr) and "
             "LIKWID's daemon; what an administrator types stands below.",
     .see = "doctor sources-of-bytes exit-4"},
    {"holders", "heading of doctor: who else may use the counters", .also = "WHO-MAY-HOLD-THE-COUNTERS",
     .text = "Processes with open events, LIKWID's lock, a profiler around this one, other users of the "
             "node: two that program one counter spoil each other's counts.",
     .see = "doctor trust sources-of-bytes"},
    {"doctor-gpu", "heading of doctor: what there is for GPUs", .also = "GPU",
     .text = "Driver, CUDA, kernels, CUPTI and its permission. Without them GPUs are modelled (`spmodel "
             "model --machine`).",
     .see = "doctor gpu-counts ways"},
    {"processor", "heading of doctor: the CPU, and whether threads can be pinned", .also = "PROCESSOR",
     .text = "Hardware threads that are allowed, the instructions that it has, how long a line takes from "
             "core to core (in a virtual machine it may change), and the key of the environment.",
     .see = "doctor machine environment"},
    {"doctor-memory", "heading of doctor: memory that is free, and huge pages", .also = "MEMORY",
     .text = "How much there is for matrices, and how much of a test array came in huge pages.",
     .see = "doctor small-pages memory"},
    {"doctor-noise", "heading of doctor: what disturbs measurements here", .also = "NOISE",
     .text = "Load of others, limits of a job or container, a hypervisor and its steal time, frequency "
             "policy, SMT, balancing of pages, swap. Looked at now: it may be another in an hour.",
     .see = "doctor spread noisy sentinels"},
    {"around-it", "heading of doctor: programs and libraries beside it", .also = "AROUND-IT",
     .text = "gnuplot draws plots, libarchive opens packed matrices, hwloc describes the topology; the cache "
             "is the folder for measured ceilings and matrices that were read.",
     .see = "doctor"},
    {"still-works", "heading of doctor: what can be done all the same", .also = "WHAT-STILL-WORKS",
     .text = "What the findings leave: which numbers are measured, which are simulated or modelled, and what "
             "helps against noise.",
     .see = "doctor origin"},
    /* labs */
    {"labs", "exercises: predict, run, compare, explain", .also = "lab",
     .text = "Each check and prediction has a state: pass, fail, undecided, skipped, open. None hangs on a "
             "time alone.",
     .see = "pass fail undecided skipped open late lab-flags"},
    {"pass", "lab: what was asked for holds",
     .text = "A prediction within its tolerance, an identity, a bound, an order.", .see = "labs"},
    {"fail", "lab: it does not hold", .text = "`lab check` says what was expected. Exit code 1.",
     .see = "labs exit-1"},
    {"undecided", "lab: the measurement cannot tell; error: too few, too noisy or not comparable",
     .text = "Samples spread by more than 10 %, the machine allowed no verdict, the interval holds both "
             "answers, or nothing was run yet. Repeat the run. Exit code 5.",
     .see = "labs spread exit-5"},
    {"skipped", "lab: what it needs is not here; error: everything was skipped",
     .text = "No GPU, no non-temporal stores: the reason stands beside it, and other work takes its place.",
     .see = "labs flag-skipped exit-77"},
    {"late", "lab: a prediction made after the result", .text = "Kept, but it does not count.",
     .see = "labs"},
    {"predictions", "heading of lab check: what was answered before the run", .also = "PREDICTIONS",
     .text = "Each answer beside what was found: it passes within the tolerance that stands there, relative "
             "to what was found. The answer is shown after the first run only.",
     .see = "labs checks late pass fail open"},
    {"checks", "heading of lab check: what must hold of the runs", .also = "CHECKS",
     .text = "An identity (equal to), a bound (at most, at least) or an order between numbers of the "
             "records, in the unit behind them; of an order the last pair that was compared. Where times "
             "decide, intervals, noise and the state of the machine count.",
     .see = "labs predictions pass fail undecided skipped"},
    /* campaigns */
    {"campaign", "many matrices and configurations, one record each", .also = "job jobs waiting claimed done",
     .text = "A job waits, is claimed by a process, has failed, or is done: its record is in the store. A "
             "stale claim (its process has ended, or was silent for long) is outdone by the next one.",
     .see = "failed node-screen series",
     .fields = {SP_F_CAMPAIGN_JOB, SP_F_CAMPAIGN_MATRIX, SP_F_CAMPAIGN_RUN}},
    /* errors */
    {"exit-codes", "how a command says what became of it",
     .also = "exit exit-code exit-status errors error-codes",
     .text = "0 done, 1 no, 2 usage, 3 input, 4 absent, 5 undecided, 6 wrong, 7 bug, 77 skipped, 130 "
             "interrupted. Of several inputs the worst counts: 130, 7, 6, 4, 3, 2, 1, 5, 77, 0. Errors name "
             "what is wrong, where, and the remedy.",
     .see = "exit-0 exit-1 exit-2 exit-3 exit-4 exit-5 exit-6 exit-7 exit-77 exit-130"},
    {"no", "error: a check was made and the answer is no", .text = "Nothing is broken.", .see = "exit-1"},
    {"usage", "error: the command line makes no sense", .text = "The message names what is nearest.",
     .see = "exit-2"},
    {"input", "error: a file or stored datum is unusable", .text = "With file, line and column where known.",
     .see = "exit-3"},
    {"memory", "error: not enough memory",
     .text = "The message says for what. Fewer threads, a narrower --inner or a smaller matrix need less.",
     .see = "exit-4"},
    {"output", "error: an output cannot be written",
     .text = "Nothing half-written stands under its final name; what was there before is untouched.",
     .see = "exit-4"},
    {"wrong-result", "error: a result differs from the reference", .also = "wrong",
     .text = "No numbers of it are shown as results.", .see = "exit-6 verify"},
    {"bug", "error: an internal promise is broken", .text = "Please report it.", .see = "exit-7"},
    {"interrupted", "record or error: the user stopped it",
     .text = "What was measured before is in the record.", .see = "status exit-130"},
    {0},
};

/* Exit codes, and flags of records. */

const struct sp_exit_meaning sp_exit_meanings[] = {
    {0, "done; checks: ok or improved", "Nothing to do. What is remarkable stands on standard error."},
    {1, "the answer is no: regressed, lab failed, --fail-below not reached",
     "A check was made and what it asked for does not hold. Its line says by how much; nothing is broken in "
     "the program or in the input."},
    {2, "usage: the command line makes no sense",
     "An option or a combination of them that there is not. The message names it and what is nearest; "
     "`spmodel COMMAND --help` lists the options."},
    {3, "an input or stored datum is unusable",
     "A matrix, a machine file, a record or a store is damaged, of another kind, or not there. The message "
     "names file, line and column where they are known; the others of several inputs are still done."},
    {4, "something required is absent or not permitted, memory or disk space included",
     "A counter, a GPU, a library, memory, threads, a stack, or a place to write: standard output, too, "
     "where it is closed. `spmodel doctor` says what is missing here and what an administrator types."},
    {5, "undecided: too few, too noisy or not comparable",
     "The data neither show a change nor exclude one, or were measured elsewhere. The line says how many "
     "runs more would do, or which fact differs. Neither a success nor a failure: a pipeline has to decide."},
    {6, "a result differs from the reference, or with --strict a measurement is not trustworthy",
     "A kernel computed something else than the reference allows: its numbers are not shown as results. With "
     "--strict also any flag of the record (`spmodel explain Q01` ...)."},
    {7, "a bug: an internal promise is broken",
     "The program found itself wrong. Please report the command, the message and `spmodel --version`."},
    {77, "everything was skipped",
     "Nothing could be done here, and for each thing the reason was printed; test drivers count it as "
     "skipped, not as passed."},
    {130, "interrupted by the user",
     "Ctrl-C. A record of an analysis that was begun is written with status interrupted, within 20 s; "
     "everything else ends within 2 s. A second Ctrl-C ends the program at once. Nothing half-written stays, "
     "as after SIGTERM (143) and SIGHUP (129)."},
    {-1, NULL, NULL},
};

const struct sp_flag_meaning sp_flag_meanings[] = {
    {"Q01",
     "above 103 % of the roof: bytes that stayed in caches which the model does not know, or a roof sampled "
     "in a worse moment",
     "Raised where bandwidth_fraction, or else model_fraction, exceeds 1.03. A ceiling that is passed is no "
     "ceiling: count the bytes instead of simulating them (--bytes), use data that exceed the caches by "
     "more, or measure the machine again.",
     "bandwidth_fraction model_fraction b_S Q05"},
    {"Q02", "noisy samples: their quartiles lie far apart",
     "Raised where (Q3 - Q1)/median of the samples exceeds 10 %. Medians still hold, small differences do "
     "not: look at `spmodel doctor` (NOISE), and take more --runs.",
     "spread Q28"},
    {"Q03", "threads could not be pinned, so they may have moved",
     "The system refused to bind threads to processors. Pages may then be remote, and samples before and "
     "after a move differ: see processor.pin of `spmodel doctor`.",
     "Q04 placement"},
    {"Q04", "more threads than processors",
     "Some threads share one, and the slowest decides: busy times and imbalance say nothing about the "
     "matrix. Use --threads up to the number of processors that this process may use.",
     "lambda Q03"},
    {"Q05", "the arrays load much faster than memory: part of them stays in the last-level cache",
     "Raised where load-only code on the kernel's own arrays exceeds the machine's memory bandwidth by half. "
     "The last-level cache is larger than its effective capacity was found to be: the roof of memory is not "
     "the right one, nor are bytes simulated with that capacity.",
     "Z b_S Q01"},
    {"Q06", "foreign: caches and ceilings of one machine, times of another",
     "Raised where --machine names a machine whose environment is not the one that the kernel ran in: "
     "another computer, or this one after a change of kernel, memory or processors. Shares of its roofs "
     "compare two machines. Without --machine this one is measured.",
     "b_S Q01"},
    {"Q10", "more than 10 % of the time is not explained by the losses",
     "Raised where |rest|/t exceeds 10 %. Positive: something that was not looked at (--try-hints makes runs "
     "that tell). Negative: less was moved, or the roof is higher, than the model says.",
     "rest losses bottleneck"},
    {"Q20", "constructed: bytes (and times) are invented for a test or a lesson",
     "The numbers show what a report looks like, or what a counter that lies does. They are measurements of "
     "no machine.",
     "constructed origin"},
    {"Q21", "replayed: counted elsewhere or at another time",
     "Bytes, and perhaps times, come from a record or a recording (--bytes replay:FILE); the analysis is "
     "new.",
     "replay origin"},
    {"Q22", "no known volume ran under the counters, so nothing says whether they count rightly",
     "Imported files, recordings without windows of known volumes, and counters of L3 and L2, which have no "
     "volumes of their own. Bytes count, but nobody vouches for them: hints on x have low confidence.",
     "trust w"},
    {"Q23", "counters were read but their numbers cannot be used, so the bytes are simulated",
     "A counter ran backwards, was never on, or gave no number while the job ran; the text says which.",
     "trust simulated"},
    {"Q24", "fewer bytes were counted than the matrix alone has: alpha is undefined",
     "V (or V_read) lies below V(alpha = 0): part of the matrix stayed in a cache between executions, or a "
     "channel is missing. Nothing is derived from alpha then.",
     "alpha V_0 trust"},
    {"Q25", "multiplexed: counters were shared and their counts scaled up",
     "More events were asked for than there are counters, or another program held one. The interval of V is "
     "widened by the share of the time in which they were off.",
     "trust V"},
    {"Q26", "much background was taken off: other programs use the memory",
     "Raised where more than 10 % of what was counted is what an idle machine moves in the same time. "
     "Measure on a machine of your own.",
     "background trust"},
    {"Q27", "writes are not counted by this source: the bytes of y were added to the reads",
     "s_y n_r are added, the least that goes to memory; V_write is not known.", "w V_write"},
    {"Q28",
     "a sentinel (loads from memory or the last-level cache, the control kernel) changed from the first to "
     "the last run: the machine was not the same throughout",
     "Raised where a first and a last look differ by more than 10 % and twice their spread. Something else "
     "began to compute, or the clock changed: measure again, more shortly or on a quieter machine.",
     "sentinels Q02 background"},
    {"Q29", "mismatch: what was counted cannot be this matrix on this machine",
     "Raised of imported and replayed counts: half more memory traffic than the matrix causes where caches "
     "keep nothing, or memory traffic of data that stay in a cache of the machine named. The file belongs to "
     "another matrix or machine, --executions is wrong, or the program did more than the product.",
     "replay V Q06 Q24"},
    {"fault", "faults were put in on purpose (SPMODEL_FAULT), to show that they are found",
     "Small pages, a thread held back, a worse order, more fill: for tests of losses and of tracking. The "
     "record says which; it is no measurement of this program as it is.",
     "losses verdict"},
    {NULL, NULL, NULL, NULL},
};

/* What `lab grade` flags; the codes are those of lab/lab_audit.h, each with "flag-" before it, because some
 * are words of other things, too. */

const struct sp_term sp_lab_flag_terms[] = {
    {"lab-flags", "what lab grade marks in a submission", .also = "grade FLAG",
     .text = "Each code names what does not fit; numbers are recomputed and bytes simulated again. A flag is "
             "a question, not a verdict: nothing is signed.",
     .see = "flag-lab flag-skipped flag-matrix flag-command flag-edited flag-arithmetic flag-bytes "
            "flag-order flag-machines flag-repeated flag-second flag-folder labs verify"},
    {"flag-lab", "lab grade: the lab changed after it was begun", .also = "lab",
     .text = "Its description is not the one that state.json noted: sizes and questions may differ. Grade "
             "with the version that was used.",
     .see = "lab-flags flag-order"},
    {"flag-skipped", "lab grade: a run noted as skipped that needs nothing that may be absent",
     .also = "skipped",
     .text = "Only runs that name what they need (a GPU) may be skipped; this one counts as not run.",
     .see = "lab-flags skipped"},
    {"flag-matrix", "lab grade: a document of another matrix than this student's", .also = "matrix",
     .text =
         "By name or sizes, and by the digest of the matrix made again: each student has sizes of their own.",
     .see = "lab-flags flag-command flag-repeated"},
    {"flag-command", "lab grade: a document made by another command than the lab's", .also = "command",
     .text = "Word by word something is missing, changed or added, or no command is named. Where results go, "
             "how long is measured, and --machine where the lab names none are free.",
     .see = "lab-flags flag-matrix"},
    {"flag-edited", "lab grade: a file that is not the one that lab run wrote", .also = "edited",
     .text = "Its SHA-256 is not the one in state.json, or state.json knows of no such run.",
     .see = "lab-flags flag-arithmetic flag-bytes"},
    {"flag-arithmetic", "lab grade: numbers of a record that do not fit each other", .also = "arithmetic",
     .text = "Time x performance, balance x operations, time x bandwidth, the sum of losses, the median of "
             "samples, the sums over arrays: the text names which one does not hold.",
     .see = "lab-flags flag-edited flag-bytes"},
    {"flag-bytes", "lab grade: bytes that a second simulation does not find", .also = "bytes",
     .text = "On the caches that the record describes another volume crosses the memory interface, by more "
             "than 0.5 %; or it describes what nothing can run.",
     .see = "lab-flags flag-edited simulated"},
    {"flag-order", "lab grade: times that do not follow each other", .also = "order",
     .text = "Run or predicted before the lab was begun, predicted after the run, or no time is given.",
     .see = "lab-flags late flag-lab"},
    {"flag-machines", "lab grade: runs of one lab on different machines", .also = "machines",
     .text = "Their environments have different keys; comparisons of times between them mean nothing.",
     .see = "lab-flags environment flag-edited"},
    {"flag-repeated", "lab grade: a document that was handed in before", .also = "repeated",
     .text = "The same record (by its id) is in a folder that was named earlier, or in this one under "
             "another name.",
     .see = "lab-flags flag-second flag-command"},
    {"flag-second", "lab grade: the same student and lab in another folder", .also = "second",
     .text = "One that was named before; which of them counts is not for a program to say.",
     .see = "lab-flags flag-repeated"},
    {"flag-folder", "lab grade: a folder that cannot be read", .also = "folder",
     .text = "Only in the CSV: no lab was begun there, or a file in it is damaged, too large, or no file. "
             "The row says why, standard error too, and the others are graded.",
     .see = "lab-flags flag-edited exit-3"},
    {0},
};

/* On whose word a number stands, and how counters are believed. */

static const struct sp_calculation split_of_difference[] = {
    {"measured - simulated", "alpha - alpha_simulated", "1", SP_F_NONE, NULL, NULL, NULL}, {0}};

const struct sp_term sp_source_terms[] = {
    {"origin", "where a number comes from", .also = "provenance sources",
     .text = "Every number carries one of these words: measured, simulated, modelled, stated, constructed, "
             "unknown. In a record it is the field `origin` of a value, with the interval lo to hi.",
     .see = "measured simulated modelled stated constructed unknown",
     .fields = {SP_F_METRICS_TIME_ORIGIN, SP_F_METRICS_BYTES_ORIGIN, SP_F_METRICS_ALPHA_ORIGIN,
                SP_F_CONFIG_BYTES}},
    {"measured", "a clock's or a counter's reading",
     .text = "Times are medians over samples, their interval holds nine tenths of those. Bytes are measured "
             "where hardware counters are there and count known volumes rightly.",
     .see = "origin trust spread"},
    {"simulated", "the cache simulator's", .also = "cache-simulation sim",
     .text = "From the addresses of the very layout that runs, with the caches of the machine: exact LRU (or "
             "another policy), threads interleaved as scheduled. Tested against brute force and cachegrind, "
             "which proves the code, not the hardware: a machine file says whether counters of that kind of "
             "machine have confirmed it (validated).",
     .see = "origin modelled validated policy", .fields = {SP_F_CONFIG_BYTES, SP_F_MACHINE_VALIDATED}},
    {"modelled", "a formula's", .also = "modeled",
     .text = "Computed from sizes, ceilings and the structure, without running. The formula is that of the "
             "term: `spmodel explain V`.",
     .see = "origin simulated roofline"},
    {"stated", "a data sheet's, a paper's or the user's", .also = "nominal",
     .text = "Nobody measured it here. A data sheet's peak is marked nominal.", .see = "origin ceilings"},
    {"constructed", "invented for a test or a lesson",
     .text = "A measurement of no machine. Records and reports of it say so wherever they are shown (Q20).",
     .see = "origin Q20", .fields = {SP_F_STATUS}},
    {"unknown", "not known, with the reason", .also = "null",
     .text = "Never 0, never left out without a word: null and `why` in a record, \"unknown (why)\" in text, "
             "an empty field in CSV.",
     .see = "origin"},
    {"validated", "simulated traffic was compared with counters of that kind of machine",
     .also = "not-validated-against-counters",
     .text = "Said by the machine file; until then a remark stands in each record whose bytes are simulated.",
     .see = "simulated trust", .fields = {SP_F_MACHINE_VALIDATED}},
    {"interval", "from where to where a number may lie", .also = "lo hi confidence-interval",
     .text = "Of times, of the roof and of the share of it nine tenths of all samples and the medians of all "
             "runs, which is what a repetition gives; of P_core that of the time, too. Of simulated and "
             "modelled numbers the band of what is not known (w, policies near capacity), of sums the sums "
             "of the ends. Formulas that `spmodel explain` fills in use the middle values.",
     .see = "origin spread"},
    {"policy", "which line a simulated cache drops", .also = "lru random rrip replacement",
     .text = "lru: the one not used for longest (default). random, rrip: what real caches resemble near "
             "capacity; the three give a band. --policy.",
     .see = "simulated Z", .fields = {SP_F_REQUEST_POLICY}},
    {"sources-of-bytes", "who counts bytes", .also = "likwid papi perf cupti replay byte-sources",
     .text = "likwid, perf, papi: memory-controller counters of CPUs. cupti: those of a GPU. sim: the cache "
             "simulation. replay:FILE: what a record or a recording holds. auto takes the first that is "
             "there and trusted. `spmodel help counters`, `spmodel doctor`.",
     .see = "trust simulated exit-4", .fields = {SP_F_CONFIG_BYTES, SP_F_COUNTERS_SOURCE, SP_F_COUNTERS_HOW}},
    {"trust", "whether a counter is believed", .also = "known-volume believed",
     .text = "Before the job, volumes that are known run through the same counter in windows of at least 0.1 "
             "s: load-only, store-only, copy, mixes of 3, 7 and 15 loads a store, non-temporal stores, a "
             "gather that takes each line once, and loads that stay in caches. Within 5 % it is trusted; 2, "
             "3 or 4 times the volume, a missing channel, another socket's traffic and silence are named, "
             "and such a counter is not used.",
     .see = "trusted nothing multiple missing elsewhere off Q22",
     .fields = {SP_F_COUNTERS_TRUST_TRUSTED, SP_F_COUNTERS_TRUST_TEXT}, .calculations = split_of_difference},
    {"trusted", "check of a counter: within 5 % of the known volume", .text = "Its numbers are used.",
     .see = "trust"},
    {"nothing", "check of a counter: it counts less than 1 % of the known volume, or gives no number",
     .text = "The event does not exist on this chip, or a hypervisor hides it. Not used.", .see = "trust"},
    {"multiple", "check of a counter: 2, 3 or 4 times the known volume",
     .text = "Every line is counted twice, thrice ...: once for each unit that sees it. Not used.",
     .see = "trust"},
    {"missing", "check of a counter: less than the known volume",
     .text =
         "Memory channels are missing: named where one is silent, numbered where the ratio tells. Not used.",
     .see = "trust"},
    {"elsewhere", "check of a counter: it counts another domain's memory",
     .text = "The pages lie on one socket, the counts are of another. Not used.", .see = "trust placement"},
    {"off", "check of a counter: wrong by an amount that nothing simple explains",
     .text =
         "Neither a multiple nor a part: other traffic, or what stays in caches is counted too. Not used.",
     .see = "trust background"},
    {"background", "traffic of an idle machine", .also = "idle",
     .text =
         "Memory controllers count for everybody. What they count while nothing of ours runs is taken off in "
         "proportion to time; its spread widens the interval of V, and above 10 % the record is flagged.",
     .see = "trust Q26", .fields = {SP_F_COUNTERS_IDLE}},
    {0},
};

/* Verdicts, series, sentinels, campaigns' screens. */

const struct sp_term sp_tracking_terms[] = {
    {"verdict", "what track check says of the newest session of a series", .also = "verdicts track-check",
     .formula = "change = median of all ratios after/before, minus 1; an interval from resampled processes",
     .text = "ok, regressed, improved, inconclusive, not comparable. Values are medians of processes "
             "(analyze --runs 5), not pooled samples. The exit code of many is the worst: 1 regressed, 5 "
             "inconclusive or not comparable.",
     .see = "ok regressed improved inconclusive not-comparable confirm floor", .fields = {SP_F_CONFIG_RUNS}},
    {"ok", "verdict: no change that counts",
     .formula = "the interval stays within twice the floor that was asked for", .text = "Exit code 0.",
     .see = "verdict floor exit-0"},
    {"regressed", "verdict: slower", .formula = "estimate > floor, and the interval leaves out 0",
     .text = "Exit code 1. The line below says whether more traffic, less bandwidth or the machine explains "
             "it; `track check --confirm` measures again before anyone is called.",
     .see = "verdict attribution confirm exit-1"},
    {"improved", "verdict: faster", .formula = "estimate < -floor, and the interval leaves out 0",
     .text = "Exit code 0. `track accept` makes it the baseline that later sessions are held against.",
     .see = "verdict accepted exit-0"},
    {"inconclusive", "verdict: neither a change nor its absence is shown",
     .text = "Too few runs or too much noise; it says how many more runs would do. Also changes that are no "
             "discoveries among many series, and those that a second session did not confirm. Exit code 5: "
             "never green, never red.",
     .see = "verdict noise-free Q02 exit-5"},
    {"not-comparable", "verdict: nothing of this series was measured in this environment",
     .also = "incomparable",
     .text = "The facts that differ are named (`spmodel machine diff A B` shows all). Bytes compare where "
             "the simulated caches and threads agree, whatever the machine, and where the same version of "
             "the simulation gave them. Exit code 5.",
     .see = "verdict environment exit-5", .fields = {SP_F_ENV_KEY, SP_F_METRICS_BYTES_VERSION}},
    {"confirm", "a verdict measured again in another session",
     .also = "unconfirmed confirmation not-confirmed",
     .text = "One session can be unlucky as a whole. What regresses together with a second session and in it "
             "by itself stays regressed; else inconclusive. --confirm[=N], 2 rounds by default.",
     .see = "confirmed verdict", .fields = {SP_F_CONFIRMS}},
    {"floor", "least change that counts",
     .also = "hodges-lehmann bootstrap welch benjamini-hochberg false-discovery-rate",
     .formula = "floor = max(3 %, 2 standard errors of the noise from run to run, 3 (1 + 1.5/n) sqrt(1 + "
                "1/m) standard deviations of n sessions)",
     .text = "n sessions before it, of whatever level, tell how far sessions differ, from four on; it is "
             "compared with m of them. What one session has been off and came back from counts, too. With "
             "fewer than four, 2.5 standard deviations of the runs take that place where they differ by more "
             "than 3 %. Estimate by Hodges and Lehmann, interval by a seeded bootstrap of processes, p by "
             "Welch's t test of logarithms, many series at a false discovery rate of 5 % (Benjamini and "
             "Hochberg). `track selftest` shows rates of false alarms and of detection.",
     .see = "verdict session spread", .fields = {SP_F_METRICS_SPREAD}},
    {"series", "records that asked for the same", .also = "request series-key series_key",
     .text = "The request (operation, format as typed, schedule, precision, threads option ...) and the "
             "content of the matrix. What was resolved (kernel, pages, number of threads) is detail: it may "
             "explain a change, never hide one.",
     .see = "environment session verdict",
     .fields = {SP_F_REQUEST_OP, SP_F_REQUEST_FORMAT, SP_F_REQUEST_THREADS, SP_F_PROBLEM_SHA256}},
    {"environment", "where a record was measured", .also = "env env-key env_key",
     .text = "Hardware, kernel, governor and page policy make the key, on a GPU also the device and its "
             "driver; never clocks or load. Records compare where it agrees.",
     .see = "not-comparable series", .fields = {SP_F_ENV_KEY, SP_F_MACHINE_CPU}},
    {"session", "records of the same commit within six hours, and those that confirm them", .also = "group",
     .text = "Judged together against up to 10 records before them. What was measured to confirm a record is "
             "of its session whenever it was measured.",
     .see = "series verdict confirm", .fields = {SP_F_TIME_START, SP_F_CONFIRMS}},
    {"accepted", "the baseline that was accepted", .also = "baseline pinned-baseline accept rolling-baseline",
     .text = "`track accept` pins the last records; new ones are held against them too, so that small steps "
             "cannot add up. It can only make a verdict worse.",
     .see = "verdict session"},
    {"attribution", "why a time changed", .also = "more-traffic same-traffic machine-drifted why",
     .formula = "change of ln time = change of ln bytes - change of ln bandwidth",
     .text = "more traffic, same speed; same traffic, less bandwidth at the kernel; the machine drifted "
             "(roof and sentinel saw it, or the control kernel); its arrays lie on other pages. Another "
             "kernel, other machine code, pages, busy times and shares are named beside it.",
     .see = "sentinels verdict V bandwidth", .fields = {SP_F_CONFIG_CODE_HASH, SP_F_CONFIG_PARTITION_HASH}},
    {"sentinels", "short looks at the machine before, between and after the runs",
     .also = "sentinel dram llc-sentinel control control-kernel drift",
     .text = "Loads from memory (dram) and from the last-level cache (llc), and the control kernel: a frozen "
             "chain of dependent operations that follows the clock and the share of time that threads get. "
             "On data of their own, at most half a second.",
     .see = "attribution Q28",
     .fields = {SP_F_SENTINELS_VERSION, SP_F_SENTINELS_THREADS, SP_F_SENTINELS_SECONDS}},
    {"noise-free", "gates that noise cannot touch", .also = "gate exact deterministic-gate",
     .text = "Simulated bytes and alpha (0.1 % counts) and counted instructions (0.5 % counts) are compared "
             "as they are, without statistics: for continuous integration on any runner.",
     .see = "instructions bytes verdict"},
    {"locate", "which commit changed a series", .also = "change-point e-divisive",
     .text = "A deterministic search for change points (E-divisive, at least three records a segment) names "
             "the commits between which the level moved.",
     .see = "series verdict"},
    {"node-screen", "nodes that stand out among those that measured the same", .also = "outlier screen",
     .text = "At least 5 robust standard deviations (1.4826 MAD) and 3 % from the median of the nodes; told "
             "from four nodes on.",
     .see = "series environment campaign", .fields = {SP_F_CAMPAIGN_TASK}},
    {0},
};
