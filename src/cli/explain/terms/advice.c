/* How hints are predicted, tried and scored. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"

static const struct sp_calculation terms_of_gain[] = {
    {"transfers V/b_S", "V/b_S", "s", NULL, NULL, NULL, NULL},
    {"execution W/P_core", "W/P_core", "s", NULL, NULL, NULL, NULL},
    {"omega", "omega", "1", NULL, NULL, NULL, NULL},
    {"explained by the two", "max(V/b_S, W/P_core) + omega*min(V/b_S, W/P_core)", "s", NULL, NULL, NULL,
     NULL},
    {"left", "t - max(V/b_S, W/P_core) - omega*min(V/b_S, W/P_core)", "s", NULL, NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_advice_terms[] = {
    {"hints",
     "hint rules advice",
     "what to change, what it saves, and on whose word",
     NULL,
     "A rule fires only where a counterfactual (simulated, modelled or measured) saves at least 3 % of the "
     "time; it says \"not a problem\" with its figure where it looked and found nothing; else it is silent, "
     "because it was not looked at. Changes to which the model gives less are tried where that costs next to "
     "nothing, and are hints where they gain 3 % then. `spmodel explain A01` explains one, with a record why "
     "it fired or did "
     "not.",
     "gain confidence trial outcome A01 B01 C01 D01 E01 F01 G01 H01 J01",
     {NULL},
     NULL},
    {"gain",
     "prediction predicted omega overlap \xcf\x89",
     "the share of the time that a hint promises to save, as an interval",
     "t(now) = max(V/b_S, W/P_core) + omega min(V/b_S, W/P_core) + waiting + rest",
     "omega, the share of the shorter term that the longer one does not hide, is read off the measured time, "
     "and kept for the change; waiting is what goes with all gathers from L1; beside the sum stands the "
     "model's plain ratio, where little is unexplained. 5 % of the new time (12 % where data live in caches) "
     "are added at both ends. The time then is never below the floor: bytes at the roof of the level where "
     "the data then live, and execution of the changed kernel. `explain HINT RECORD` derives each gain line "
     "by line.",
     "hints trial outcome roofline",
     {"metrics.time"},
     terms_of_gain},
    {"confidence",
     "low medium high",
     "how sure a hint is",
     NULL,
     "high: the gain exceeds the threshold at its lower end too and was simulated exactly or measured. "
     "medium: "
     "one part is a model's. low: possible, but something that decides was not looked at.",
     "gain hints",
     {NULL},
     NULL},
    {"not-a-problem",
     "not_a_problem checked clear",
     "what was checked and costs next to nothing",
     NULL,
     "Only what was looked at is listed, each with its figure. Silence means: not examined.",
     "hints",
     {NULL},
     NULL},
    {"trial",
     "tried tries try-hints observed set-up pays-after honest-baseline baseline-honest",
     "a variant and the run itself, measured in turn",
     "gain = 1 - t(variant)/t(run), the median of paired ratios; pays after = set-up/(gain t(run))",
     "Both have arrays of their own and are checked against the reference. Set-up is finding and applying an "
     "order and making the format, in executions of the run. The honest baseline is the run pinned, with "
     "equal "
     "shares of entries (or of rows and entries: merge), on huge pages; where it is faster beyond the noise, "
     "the best is compared with it too: (1 - gain(best))/(1 - gain(honest)) - 1.",
     "outcome gain hints",
     {"tries.budget_s", "tries.cost_s"},
     NULL},
    {"outcome",
     "outcomes",
     "what became of a predicted gain [lo, hi] when it was observed as g",
     NULL,
     "Said in the record beside each hint that was tried, and counted by `spmodel track hints`.",
     "confirmed more-than-predicted less-than-predicted refuted open other-conditions not-tried",
     {NULL},
     NULL},
    {"confirmed",
     "",
     "outcome: the intervals meet, and g is a gain",
     "g.lo > 0 and [g.lo, g.hi] meets [lo, hi];  or lo <= 0, g > 0, and g is no wider than the prediction",
     "Of verdicts of tracking: a second session regressed too, together with the first and by itself.",
     "outcome verdict",
     {NULL},
     NULL},
    {"covered",
     "",
     "track hints: the predicted interval and the observed one meet",
     "[lo, hi] meets [g.lo, g.hi]",
     "Counted of all tried hints of a rule but those that are not conclusive, as a percentage. A prediction "
     "that covers nothing is either "
     "too bold (refuted, less than predicted) or too modest.",
     "hint-scores outcome refuted interval",
     {NULL},
     NULL},
    {"hint-scores",
     "HINTS-TRIED rule tried of-high-conf. error,-points-of-% of-gain-=-0 all observed-above-5-% "
     "observed-to-+-5-points",
     "table of `track hints`: how good predictions were",
     "error = |middle of the prediction - observed|, in percent of the time",
     "A row a rule (A01, ...), then all of them; observed above 5 %: those whose observed change was "
     "larger; observed to +-5 points: those that a quiet machine measured, half of the interval being "
     "at most 5 % of the run's time. covered, refuted: how many; of high conf.: the refuted ones among "
     "those of high confidence. Beside the error stands that of the predictor that promises nothing. Trials "
     "that are not conclusive are among the tried ones and counted apart; all else is of the rest.",
     "other-conditions covered refuted confidence trial hints",
     {NULL},
     NULL},
    {"more-than-predicted",
     "more",
     "outcome: a gain above the prediction",
     "g.lo > hi",
     "The advice was better than it knew.",
     "outcome",
     {NULL},
     NULL},
    {"less-than-predicted",
     "less",
     "outcome: a gain, but below the prediction",
     "0 < g.lo, g.hi < lo",
     "The advice holds, its figure did not.",
     "outcome",
     {NULL},
     NULL},
    {"refuted",
     "",
     "outcome: no gain is seen, and g lies below the prediction",
     "g.lo <= 0 and g.hi < lo",
     "Shown as refuted, never hidden. No hint of high confidence should ever be.",
     "outcome confidence",
     {NULL},
     NULL},
    {"open",
     "",
     "outcome: g tells no gain, and does not refute the prediction either",
     "[g.lo, g.hi] meets [lo, hi], but holds 0, and g is no gain or wider than the prediction",
     "Try again with a longer --budget, on a quieter machine. Of checks of labs: compared, not judged.",
     "outcome pass",
     {NULL},
     NULL},
    {"other-conditions",
     "not-conclusive the-machine-changed other_conditions",
     "not conclusive: the run itself took another time than the prediction was made for",
     "t(run, beside the trial)/t(run, predicted for) > 1.15 or < 1/1.15",
     "The machine changed between the analysis and the trial, which the prediction does not know: neither "
     "confirmed nor refuted. What was observed still counts for the choice of the best, because the run "
     "was measured in turn with it. `track hints` counts such trials and leaves them out of its rates.",
     "outcome hint-scores trial",
     {NULL},
     NULL},
    {"not-tried",
     "",
     "outcome: the hint was not tried",
     NULL,
     "The time for trials was spent, or the change cannot be made in this version.",
     "outcome trial",
     {NULL},
     NULL},
    {"sweep",
     "tied cannot-be-faster no-time-left impossible failed ties disturbed-point",
     "all combinations of options, measured",
     NULL,
     "A point is measured; or left out, with its reason: cannot be faster (max(V/b_S, W/P_core) exceeds the "
     "best time observed, with V of x and y once, less what caches can keep between executions, and b_S what "
     "one thread reaches times the threads, at most the best of all), disturbed (fewer than three "
     "of its samples were undisturbed, so it has no figure), no time left, impossible (the parts do "
     "not fit), failed (interrupted, out of memory, or too noisy to tell). Points whose interval meets that "
     "of the best are ties; where the run is one of them, it is the best.",
     "trial gain",
     {"sweep.combinations", "sweep.budget_s", "sweep.cost_s", "sweep.best_command"},
     NULL},
    {0},
};
