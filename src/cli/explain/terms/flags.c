/* Exit codes, and flags of records. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"

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
     "where "
     "it is closed. `spmodel doctor` says what is missing here "
     "and what an administrator types."},
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
     "above 103 % of the roof: bytes that stayed in caches which the model does not know, or a roof "
     "sampled in a worse moment",
     "Raised where bandwidth_fraction, or else model_fraction, exceeds 1.03. A ceiling that is passed is no "
     "ceiling: count the bytes instead of simulating them (--bytes), use data that exceed the caches by "
     "more, "
     "or measure the machine again.",
     "bandwidth_fraction model_fraction b_S Q05"},
    {"Q02", "noisy samples: their quartiles lie far apart",
     "Raised where (Q3 - Q1)/median of the samples exceeds 10 %. Medians still hold, small differences do "
     "not: look at `spmodel doctor` (NOISE), and take more --runs.",
     "spread Q28"},
    {"Q03", "threads could not be pinned, so they may have moved",
     "The system refused to bind threads to processors. Pages may then be remote, and samples before and "
     "after "
     "a move differ: see processor.pin of `spmodel doctor`.",
     "Q04 placement"},
    {"Q04", "more threads than processors",
     "Some threads share one, and the slowest decides: busy times and imbalance say nothing about the "
     "matrix. "
     "Use --threads up to the number of processors that this process may use.",
     "lambda Q03"},
    {"Q05", "the arrays load much faster than memory: part of them stays in the last-level cache",
     "Raised where load-only code on the kernel's own arrays exceeds the machine's memory bandwidth by half. "
     "The last-level cache is larger than its effective capacity was found to be: the roof of memory is not "
     "the right one, nor are bytes simulated with that capacity.",
     "Z b_S Q01"},
    {"Q06", "foreign: caches and ceilings of one machine, times of another",
     "Raised where --machine names a machine whose environment is not the one that the kernel ran in: "
     "another computer, "
     "or this one after a change of kernel, memory or processors. Shares of its roofs compare two machines. "
     "Without "
     "--machine this one is measured.",
     "b_S Q01"},
    {"Q10", "more than 10 % of the time is not explained by the losses",
     "Raised where |rest|/t exceeds 10 %. Positive: something that was not looked at (--try-hints makes runs "
     "that tell). Negative: less was moved, or the roof is higher, than the model says.",
     "rest losses bottleneck"},
    {"Q20", "constructed: bytes (and times) are invented for a test or a lesson",
     "The numbers show what a report looks like, or what a counter that lies does. They are measurements of "
     "no "
     "machine.",
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
     "Measure "
     "on a machine of your own.",
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
     "keep nothing, or "
     "memory traffic of data that stay in a cache of the machine named. The file belongs to another matrix "
     "or "
     "machine, --executions is wrong, or the program did more than the product.",
     "replay V Q06 Q24"},
    {"fault", "faults were put in on purpose (SPMODEL_FAULT), to show that they are found",
     "Small pages, a thread held back, a worse order, more fill: for tests of losses and of tracking. The "
     "record "
     "says which; it is no measurement of this program as it is.",
     "losses verdict"},
    {NULL, NULL, NULL, NULL},
};
