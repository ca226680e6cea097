#include <stddef.h>
#include <string.h>

#include "cli/explain/explained.h"
#include "cli/explain/terms/terms.h"
#include "cli/explain/terms/volumes.h"

/* Where the time goes, and what limits. */

static const char of_parts[] = "the record's parts do not add up as they should";

static const struct sp_calculation sum_of_losses[] = {
    {"t", "min_traffic + padding + extra_x + imbalance + in_core + rest", "s", SP_F_METRICS_TIME, of_parts,
     NULL, NULL},
    {"t", "min_traffic + padding + extra_x + imbalance + rest", "s", SP_F_METRICS_TIME, of_parts, NULL, NULL},
    {"minimum traffic", "min_traffic/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {"padding", "padding/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {"extra x traffic", "extra_x/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {"load imbalance", "imbalance/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {"in-core, latency", "in_core/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {"not explained", "rest/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation minimum[] = {
    {"min_traffic", "V_min/b_S - padding - extra_x_domains", "s", SP_F_LOSSES_MIN_TRAFFIC,
     "where data stay in caches less is loaded more than once than several domains could", NULL, NULL},
    {"min_traffic", "V_min/b_S - padding", "s", SP_F_LOSSES_MIN_TRAFFIC,
     "with several cache domains V_min has x once for each, this loss once for all", NULL, NULL},
    {"share of the time", "min_traffic/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation fill_time[] = {
    {"padding", "(s_a + s_i)*n_nz*(1/beta - 1)/b_S", "s", SP_F_LOSSES_PADDING,
     "16-bit offsets have bases beside the fill", SP_PRODUCTS, "crs sell"},
    {"padding", "(b_h*b_w*s_a + s_i)*n_nz*(1/beta - 1)/(b_h*b_w)/b_S", "s", SP_F_LOSSES_PADDING, NULL,
     SP_PRODUCTS, "bcsr"},
    {"padding", "s_a*n_nz*(1/beta - 1)/b_S", "s", SP_F_LOSSES_PADDING, NULL, SP_PRODUCTS, "sellu"},
    {"share of the time", "padding/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const char of_alpha_once[] =
    "the loss counts from x loaded once by one domain, never below 0, and of x what the layout moves";
static const struct sp_calculation excess_of_x[] = {
    {"extra_x", "max(0, alpha - alpha_min)*s_x*n_nz*r/b_S + extra_x_domains", "s", SP_F_LOSSES_EXTRA_X,
     of_alpha_once, SP_PRODUCTS " sddmm", "crs sell sellu bcsr coo tiled staged striped"},
    {"extra_x", "max(0, alpha - alpha_min)*s_x*n_nz*r/b_S", "s", SP_F_LOSSES_EXTRA_X, of_alpha_once,
     SP_PRODUCTS " sddmm", "crs sell sellu bcsr coo tiled staged striped"},
    {"extra_x", "2*max(0, alpha - alpha_min)*s_x*n_nz*r/b_S", "s", SP_F_LOSSES_EXTRA_X, of_alpha_once,
     "fusedmm", NULL},
    {"share of the time", "extra_x/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation of_domains[] = {
    {"share of the time", "extra_x_domains/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {"extra x but for that", "extra_x - extra_x_domains", "s", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation waiting_threads[] = {
    {"(lambda_nz - 1) t, which the loss is not", "(lambda_nz - 1)*t", "s", SP_F_NONE, NULL, NULL, NULL},
    {"share of the time", "imbalance/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation execution[] = {
    {"in_core", "max(0, core - min_traffic - padding - extra_x) + row_ends + team + waiting", "s",
     SP_F_LOSSES_IN_CORE, NULL, NULL, NULL},
    {"in_core", "max(0, core - min_traffic - padding - extra_x) + team + waiting", "s", SP_F_LOSSES_IN_CORE,
     "ends of rows were not looked at", NULL, NULL},
    {"in_core", "max(0, core - min_traffic - padding - extra_x) + waiting", "s", SP_F_LOSSES_IN_CORE,
     "ends of rows were not looked at", NULL, NULL},
    {"in_core", "max(0, core - min_traffic - padding - extra_x)", "s", SP_F_LOSSES_IN_CORE,
     "the latency of gathers is part of it where the test with all gathers from L1 was made", NULL, NULL},
    {"in_core", "max(0, W/P_core - min_traffic - padding - extra_x) + row_ends + team + waiting", "s",
     SP_F_LOSSES_IN_CORE, NULL, NULL, NULL},
    {"in_core", "max(0, W/P_core - min_traffic - padding - extra_x) + waiting", "s", SP_F_LOSSES_IN_CORE,
     "ends of rows were not looked at", NULL, NULL},
    {"in_core",
     "max(0, W/P_core - min_traffic - padding - extra_x) + min(max(0, t - t_linear - extra_x), max(0, t - "
     "min_traffic - padding - extra_x - imbalance - max(0, W/P_core - min_traffic - padding - extra_x)))",
     "s", SP_F_LOSSES_IN_CORE, "without the interventions that the record was made with", NULL, NULL},
    {"in_core", "max(0, W/P_core - min_traffic - padding - extra_x)", "s", SP_F_LOSSES_IN_CORE,
     "the latency of gathers is part of it where the test with all gathers from L1 was made", NULL, NULL},
    {"share of the time", "in_core/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation what_is_left[] = {
    {"rest", "t - min_traffic - padding - extra_x - imbalance - in_core", "s", SP_F_LOSSES_REST, of_parts,
     NULL, NULL},
    {"rest", "t - min_traffic - padding - extra_x - imbalance", "s", SP_F_LOSSES_REST, of_parts, NULL, NULL},
    {"share of the time", "rest/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation causes[] = {
    {"waiting of gathers", "1 - t_linear/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {"imbalance", "imbalance/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {"transfers at the roof", "(min_traffic + padding + extra_x)/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {"execution without memory limits", "W/P_core/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation linear[] = {
    {"saved with all gathers from L1", "1 - t_linear/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_loss_terms[] = {
    {"losses", "where the time goes", .also = "where-the-time-goes",
     .formula = "t = V(alpha_min, beta = 1)/b_S + padding + extra x + imbalance + in-core, latency + rest",
     .text = "In this order; they sum to the measured time. Each is proved by a run with its cause taken "
             "away where that can be made.",
     .see = "min_traffic padding extra_x extra_x_domains imbalance in_core rest bottleneck",
     .fields = {SP_F_LOSSES_MIN_TRAFFIC, SP_F_LOSSES_PADDING, SP_F_LOSSES_EXTRA_X,
                SP_F_LOSSES_EXTRA_X_DOMAINS, SP_F_LOSSES_IMBALANCE, SP_F_LOSSES_IN_CORE, SP_F_LOSSES_REST},
     .calculations = sum_of_losses},
    {"min_traffic", "loss: the least traffic at the roof", .also = "minimum-traffic",
     .formula = "V(alpha_once, beta = 1)/b_S",
     .text = "No order, balance or other kernel of this format goes below it; another format, fewer bytes an "
             "item or a machine with more bandwidth do.",
     .see = "V_min b_S losses", .fields = {SP_F_LOSSES_MIN_TRAFFIC, SP_F_LOSSES_ORIGIN_MIN_TRAFFIC},
     .calculations = minimum},
    {"padding", "loss: fill at the roof", .formula = "(V(beta) - V(beta = 1))/b_S",
     .text = "Zeros that SELL, BCSR and staged blocks store are loaded like entries.",
     .see = "beta D01 losses", .fields = {SP_F_LOSSES_PADDING, SP_F_LOSSES_ORIGIN_PADDING, SP_F_METRICS_BETA},
     .calculations = fill_time},
    {"extra_x", "loss: x loaded more than once", .also = "extra-x-traffic",
     .formula = "max(0, alpha - alpha_once) s_x n_nz r / b_S",
     .text = "In the record it contains extra_x_domains; reports and CSV show that part apart.",
     .see = "alpha extra_x_domains A01 A04 losses",
     .fields = {SP_F_LOSSES_EXTRA_X, SP_F_LOSSES_ORIGIN_EXTRA_X}, .calculations = excess_of_x},
    {"extra_x_domains", "loss: x loaded once by each of several caches",
     .also = "x-in-several-caches duplication", .formula = "(alpha_min - alpha_once) s_x n_nz r / b_S",
     .text = "What several last-level caches load of the same lines, beyond once. A bound: warm caches can "
             "load less.",
     .see = "domain alpha_min A02 losses",
     .fields = {SP_F_LOSSES_EXTRA_X_DOMAINS, SP_F_LOSSES_ORIGIN_EXTRA_X_DOMAINS}, .calculations = of_domains},
    {"imbalance", "loss: threads that wait for the last one", .also = "load-imbalance",
     .formula = "fluid model: time of the actual shares minus that of equal shares",
     .text = "Measured by a run with equal shares, or from busy times that differ by more than the bytes do.",
     .see = "fluid lambda B01 losses", .fields = {SP_F_LOSSES_IMBALANCE, SP_F_LOSSES_ORIGIN_IMBALANCE},
     .calculations = waiting_threads},
    {"in_core", "loss: execution and latency beyond what transfers hide", .also = "in-core in-core,-latency",
     .formula =
         "max(0, W/P_core - transfers) + mispredicted row ends + start of the team + latency of gathers",
     .text = "W/P_core counts at most as much as the same work took with all gathers from L1. "
             "The latency is what that test saves beyond the transfer of x that execution does not hide.",
     .see = "P_core row_ends waiting linearised C01 A03 losses",
     .fields = {SP_F_LOSSES_IN_CORE, SP_F_LOSSES_ORIGIN_IN_CORE, SP_F_LOSSES_CORE},
     .calculations = execution},
    {"team", "loss: start of the threads and their barrier, a part of in_core",
     .also = "start-of-the-team barrier fork-join T_team",
     .formula = "time of an execution that has one entry a thread",
     .text = "Nothing hides it, so it is all of the time that a small matrix cannot go below. Fewer threads, "
             "or several products in one parallel region, share it. P_core does not contain it.",
     .see = "in_core P_core losses expected-time", .fields = {SP_F_LOSSES_TEAM}},
    {"row_ends", "loss: ends of rows that the processor mispredicts, a part of in_core",
     .also = "mispredicted-row-ends branch-misprediction short-rows row_ends_hidden",
     .formula = "t(all gathers from L1) - t(that, rows in the order of their lengths)",
     .text = "A loop over a short row ends where the processor has guessed another iteration. Rows sorted by "
             "length inside each thread's share end as foretold; what that saves is the price. Lanes (SELL) "
             "have one end for C rows. What transfers hide of it (row_ends_hidden) comes to light where a "
             "change moves fewer bytes.",
     .see = "in_core P_core linearised C01 SELL",
     .fields = {SP_F_LOSSES_ROW_ENDS, SP_F_LOSSES_ROW_ENDS_HIDDEN}},
    {"waiting", "loss: latency of gathers that nothing hides, a part of in_core",
     .also = "waiting-for-gathers", .formula = "t - t(all gathers from L1) - transfer of x beyond execution",
     .text = "The test takes away the transfer of x too, so that is subtracted as far as execution does not "
             "hide it. Where the test could not be made: what gathers from beyond L1 take at their roof, as "
             "far as transfers do not hide it, modelled.",
     .see = "in_core latency linearised gather-roof A01", .fields = {SP_F_LOSSES_WAITING}},
    {"rest", "loss: what the model does not explain, with its sign", .also = "not-explained",
     .formula = "rest = t - all other losses",
     .text = "Negative when caches kept data between executions, or the roof was sampled too low. Always "
             "shown; above 10 % of the time it is flagged (Q10).",
     .see = "Q10 losses bottleneck", .fields = {SP_F_LOSSES_REST, SP_F_LOSSES_ORIGIN_REST},
     .calculations = what_is_left},
    {"bottleneck", "what limits a run, from runs that had one cause taken away",
     .also = "class bandwidth-bound latency-bound",
     .text = "imbalance, latency or in-core where that cause takes at least 20 % of the time, the largest "
             "first; bandwidth where transfers at the roof take 70 %; else unknown. All gathers from L1 take "
             "the waiting of gathers away, equal shares the imbalance, P_core everything but execution.",
     .see = "losses linearised imbalance in_core",
     .fields = {SP_F_BOTTLENECK_CLASS, SP_F_BOTTLENECK_PROVED, SP_F_BOTTLENECK_SHARE, SP_F_BOTTLENECK_WHY},
     .calculations = causes},
    {"linearised", "a run with one cause taken away",
     .also = "proof linearized gathers-from-L1 all-gathers-from-L1 interventions intervention t_linear",
     .text = "all gathers from L1 (test): the same arrays, but every gather hits the innermost cache. Equal "
             "shares: another schedule on the same arrays. x prefetched. Rows by length (test): the first "
             "one, with the rows of each share in the order of their lengths. Each is sampled in turn with "
             "the run, so that a machine that drifts takes both along.",
     .see = "bottleneck in_core A03 B01", .calculations = linear},
    {0},
};

/* How hints are predicted, tried and scored. */

static const struct sp_calculation terms_of_gain[] = {
    {"transfers V/b_S", "V/b_S", "s", SP_F_NONE, NULL, NULL, NULL},
    {"execution W/P_core", "W/P_core", "s", SP_F_NONE, NULL, NULL, NULL},
    {"omega", "omega", "1", SP_F_NONE, NULL, NULL, NULL},
    {"explained by the two", "max(V/b_S, W/P_core) + omega*min(V/b_S, W/P_core)", "s", SP_F_NONE, NULL, NULL,
     NULL},
    {"left", "t - max(V/b_S, W/P_core) - omega*min(V/b_S, W/P_core)", "s", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_advice_terms[] = {
    {"hints", "what to change, what it saves, and on whose word", .also = "hint rules advice",
     .text = "A rule fires only where a counterfactual (simulated, modelled or measured) saves at least 3 % "
             "of the time; it says \"not a problem\" with its figure where it looked and found nothing; else "
             "it is silent, because it was not looked at. Changes to which the model gives less are tried "
             "where that costs next to nothing, and are hints where they gain 3 % then. `spmodel explain "
             "A01` explains one, with a record why it fired or did not.",
     .see = "gain confidence trial outcome A01 B01 C01 D01 E01 F01 G01 H01 J01"},
    {"gain", "the share of the time that a hint promises to save, as an interval",
     .also = "prediction predicted omega overlap \xcf\x89",
     .formula = "t(now) = max(V/b_S, W/P_core) + omega min(V/b_S, W/P_core) + waiting + rest",
     .text = "omega, the share of the shorter term that the longer one does not hide, is read off the "
             "measured time, and kept for the change; waiting is what goes with all gathers from L1; beside "
             "the sum stands the model's plain ratio, where little is unexplained. 5 % of the new time (12 % "
             "where data live in caches) are added at both ends. The time then is never below the floor: "
             "bytes at the roof of the level where the data then live, and execution of the changed kernel. "
             "`explain HINT RECORD` derives each gain line by line.",
     .see = "hints trial outcome roofline", .fields = {SP_F_METRICS_TIME}, .calculations = terms_of_gain},
    {"confidence", "how sure a hint is", .also = "low medium high",
     .text =
         "high: the gain exceeds the threshold at its lower end too and was simulated exactly or measured. "
         "medium: one part is a model's. low: possible, but something that decides was not looked at.",
     .see = "gain hints"},
    {"not-a-problem", "what was checked and costs next to nothing", .also = "not_a_problem checked clear",
     .text = "Only what was looked at is listed, each with its figure. Silence means: not examined.",
     .see = "hints"},
    {"trial", "a variant and the run itself, measured in turn",
     .also = "tried tries try-hints observed set-up pays-after honest-baseline baseline-honest",
     .formula =
         "gain = 1 - t(variant)/t(run), the median of paired ratios; pays after = set-up/(gain t(run))",
     .text =
         "Both have arrays of their own and are checked against the reference. Set-up is finding and "
         "applying an order and making the format, in executions of the run. The honest baseline is the "
         "run pinned, with equal nonzeros per thread (merge: equal rows and nonzeros), on huge pages; where "
         "it is faster beyond the noise, the best is compared with it too: (1 - gain(best))/(1 - "
         "gain(honest)) - 1.",
     .see = "outcome gain hints", .fields = {SP_F_TRIES_BUDGET_S, SP_F_TRIES_COST_S}},
    {"outcome", "what became of a predicted gain [lo, hi] when it was observed as g", .also = "outcomes",
     .text = "Said in the record beside each hint that was tried, and counted by `spmodel track hints`.",
     .see = "confirmed more-than-predicted less-than-predicted refuted open other-conditions not-tried"},
    {"confirmed", "outcome: the intervals meet, and g is a gain",
     .formula = "g.lo > 0 and [g.lo, g.hi] meets [lo, hi];  or lo <= 0, g > 0, and g is no wider than the "
                "prediction",
     .text =
         "Of verdicts of tracking: a second session regressed too, together with the first and by itself.",
     .see = "outcome verdict"},
    {"covered", "track hints: the predicted interval and the observed one meet",
     .formula = "[lo, hi] meets [g.lo, g.hi]",
     .text =
         "Counted of all tried hints of a rule but those that are not conclusive, as a percentage. A "
         "prediction that covers nothing is either too bold (refuted, less than predicted) or too modest.",
     .see = "hint-scores outcome refuted interval"},
    {"hint-scores", "table of `track hints`: how good predictions were",
     .also = "HINTS-TRIED rule tried of-high-conf. error,-points-of-% of-gain-=-0 all observed-above-5-% "
             "observed-to-+-5-points",
     .formula = "error = |middle of the prediction - observed|, in percent of the time",
     .text = "A row a rule (A01, ...), then all of them; observed above 5 %: those whose observed change was "
             "larger; observed to +-5 points: those that a quiet machine measured, half of the interval "
             "being at most 5 % of the run's time. covered, refuted: how many; of high conf.: the refuted "
             "ones among those of high confidence. Beside the error stands that of the predictor that "
             "promises nothing. Trials that are not conclusive are among the tried ones and counted apart; "
             "all else is of the rest.",
     .see = "other-conditions covered refuted confidence trial hints"},
    {"more-than-predicted", "outcome: a gain above the prediction", .also = "more", .formula = "g.lo > hi",
     .text = "The advice was better than it knew.", .see = "outcome"},
    {"less-than-predicted", "outcome: a gain, but below the prediction", .also = "less",
     .formula = "0 < g.lo, g.hi < lo", .text = "The advice holds, its figure did not.", .see = "outcome"},
    {"refuted", "outcome: no gain is seen, and g lies below the prediction",
     .formula = "g.lo <= 0 and g.hi < lo",
     .text = "Shown as refuted, never hidden. No hint of high confidence should ever be.",
     .see = "outcome confidence"},
    {"open", "outcome: g tells no gain, and does not refute the prediction either",
     .formula = "[g.lo, g.hi] meets [lo, hi], but holds 0, and g is no gain or wider than the prediction",
     .text =
         "Try again with a longer --budget, on a quieter machine. Of checks of labs: compared, not judged.",
     .see = "outcome pass"},
    {"other-conditions", "not conclusive: the run itself took another time than the prediction was made for",
     .also = "not-conclusive the-machine-changed other_conditions",
     .formula = "t(run, beside the trial)/t(run, predicted for) > 1.15 or < 1/1.15",
     .text = "The machine changed between the analysis and the trial, which the prediction does not know: "
             "neither confirmed nor refuted. What was observed still counts for the choice of the best, "
             "because the run was measured in turn with it. `track hints` counts such trials and leaves them "
             "out of its rates.",
     .see = "outcome hint-scores trial"},
    {"not-tried", "outcome: the hint was not tried",
     .text = "The time for trials was spent, or the change cannot be made in this version.",
     .see = "outcome trial"},
    {"sweep", "all combinations of options, measured",
     .also = "tied cannot-be-faster no-time-left impossible failed ties disturbed-point",
     .text = "A point is measured; or left out, with its reason: cannot be faster (max(V/b_S, W/P_core) "
             "exceeds the best time observed, with V of x and y once, less what caches can keep between "
             "executions, and b_S what one thread reaches times the threads, at most the best of all), "
             "disturbed (fewer than three of its samples were undisturbed, so it has no figure), no time "
             "left, impossible (the parts "
             "do not fit), failed (interrupted, out of memory, or too noisy to tell). Points whose interval "
             "meets that of the best are ties; where the run is one of them, it is the best.",
     .see = "trial gain",
     .fields = {SP_F_SWEEP_COMBINATIONS, SP_F_SWEEP_BUDGET_S, SP_F_SWEEP_COST_S, SP_F_SWEEP_BEST_COMMAND}},
    {0},
};

/* The numbers of a record that the rules of hints look at. */

static const struct sp_calculation gathers[] = {
    {"x_loads", "alpha/alpha_min", "1", SP_F_METRICS_X_LOADS, NULL, NULL, NULL},
    {"x beyond one load, of all bytes", "max(0, alpha - alpha_min)*s_x*n_nz*r/V", "1", SP_F_NONE, NULL,
     "spmv spmmv spmm sddmm", NULL},
    {"share of the time", "extra_x/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};
static const struct sp_calculation domains[] = {
    {"what several caches load beyond once", "extra_x_domains/t", "1", SP_F_NONE, NULL, NULL, NULL}, {0}};
static const struct sp_calculation late[] = {
    {"time that transfers do not explain", "t - V/b_S", "s", SP_F_NONE, NULL, NULL, NULL}, {0}};
static const struct sp_calculation stripes[] = {
    {"x_loads", "alpha/alpha_min", "1", SP_F_METRICS_X_LOADS, NULL, NULL, NULL},
    {"x over the last-level caches in use", "s_x*n_c*r/(n_d*Z)", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};
static const struct sp_calculation threads[] = {
    {"imbalance, share of the time", "imbalance/t", "1", SP_F_NONE, NULL, NULL, NULL}, {0}};
static const struct sp_calculation transfers[] = {
    {"transfers V/b_S", "V/b_S", "s", SP_F_NONE, NULL, NULL, NULL},
    {"execution W/P_core", "W/P_core", "s", SP_F_NONE, NULL, NULL, NULL},
    {"transfers over execution", "V/b_S/(W/P_core)", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};
static const struct sp_calculation fill[] = {
    {"share of fill", "1 - beta", "1", SP_F_NONE, NULL, NULL, NULL},
    {"share of the time", "padding/t", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};
static const struct sp_calculation indices[] = {
    {"indices, share of all bytes", "s_i*n_nz/beta/V", "1", SP_F_NONE, NULL, NULL, "crs sell"},
    {"16-bit offsets, an entry", "2 + 4*n_r/n_nz", "B", SP_F_NONE, NULL, NULL, "crs"},
    {"16-bit offsets, a stored entry", "2 + 4/C", "B", SP_F_NONE, NULL, NULL, "sell"},
    {"unit-stride slots, a stored entry", "s_i*(u/C + 1 - u)", "B", SP_F_NONE, NULL, NULL, "sellu"},
    {0},
};
static const struct sp_calculation triangle[] = {
    {"one triangle, x and y once", "(s_a + s_i)*(n_nz + n_r)/2 + s_p*(n_r + 1) + (s_x + 2*s_y)*n_r", "B",
     SP_F_NONE, NULL, "spmv", NULL},
    {"of all bytes now", "((s_a + s_i)*(n_nz + n_r)/2 + s_p*(n_r + 1) + (s_x + 2*s_y)*n_r)/V", "1", SP_F_NONE,
     NULL, "spmv", NULL},
    {0},
};
static const struct sp_calculation values[] = {
    {"4 of 8 bytes a value, of all bytes", "4*n_nz/beta/V", "1", SP_F_NONE, NULL, "spmv", NULL}, {0}};
static const struct sp_calculation blocks[] = {
    {"indices, share of all bytes", "s_i*n_nz/beta/V", "1", SP_F_NONE, NULL, NULL, "crs sell"}, {0}};
static const struct sp_calculation vectors[] = {
    {"a vector's share of the matrix", "(s_a + s_i)*n_nz/r/V", "1", SP_F_NONE, NULL, "spmv spmmv", NULL},
    {0}};
static const struct sp_calculation saturation[] = {
    {"bandwidth over one thread's", "b_S/b_1", "1", SP_F_NONE, NULL, NULL, NULL}, {0}};
static const struct sp_calculation stores[] = {
    {"y read before it is written, of all bytes", "s_y*n_r*r/V", "1", SP_F_NONE, NULL,
     "spmv spmmv spmm fusedmm", NULL},
    {"P read before it is written, of all bytes", "s_y*n_nz/V", "1", SP_F_NONE, NULL, "sddmm", NULL},
    {0},
};
static const struct sp_calculation levels[] = {
    {"memory", "(MEM_load + MEM_store)/b_S", "s", SP_F_NONE, NULL, NULL, NULL},
    {"L2", "(L2_load + L2_store)/b_L2", "s", SP_F_NONE, NULL, NULL, NULL},
    {"L2 bytes an entry", "(L2_load + L2_store)/n_nz", "B", SP_F_NONE, NULL, NULL, NULL},
    {"memory bytes an entry", "(MEM_load + MEM_store)/n_nz", "B", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_rule_numbers table[] = {
    {"A01", {SP_F_METRICS_ALPHA, SP_F_METRICS_ALPHA_MIN, SP_F_PROBLEM_REORDER}, gathers},
    {"A02", {SP_F_MACHINE_N_DOMAINS, SP_F_METRICS_ALPHA_MIN}, domains},
    {"A03", {SP_F_STRUCTURE_N_NZR_MEAN}, late},
    {"A04", {SP_F_METRICS_ALPHA, SP_F_METRICS_ALPHA_MIN}, stripes},
    {"B01", {SP_F_METRICS_LAMBDA_NZ, SP_F_METRICS_LAMBDA_T, SP_F_CONFIG_SCHEDULE}, threads},
    {"C01", {SP_F_STRUCTURE_N_NZR_MEAN, SP_F_CONFIG_KERNEL}, transfers},
    {"C02", {SP_F_CONFIG_KERNEL}, transfers},
    {"D01", {SP_F_METRICS_BETA, SP_F_CONFIG_C, SP_F_CONFIG_SIGMA}, fill},
    {"E01", {SP_F_CONFIG_INDEX, SP_F_STRUCTURE_UNIT_SHARE}, indices},
    {"E02", {SP_F_PROBLEM_SYMMETRY, SP_F_STRUCTURE_VALUE_SYMMETRY}, triangle},
    {"E03", {SP_F_STRUCTURE_INEXACT_IN_F32, SP_F_STRUCTURE_DISTINCT_VALUES, SP_F_CONFIG_PRECISION}, values},
    {"E04", {SP_F_CONFIG_FORMAT_TEXT}, blocks},
    {"E05", {SP_F_CONFIG_RHS}, vectors},
    {"E06", {SP_F_PROBLEM_ZEROS, SP_F_PROBLEM_NNZ}, NULL},
    {"F01", {SP_F_CONFIG_THREADS, SP_F_MACHINE_N_CORES}, saturation},
    {"F02", {SP_F_CONFIG_THREADS, SP_F_LOSSES_TEAM}, NULL},
    {"G01", {SP_F_PLACEMENT_PAGES_HUGE_SHARE}, NULL},
    {"G02", {SP_F_PLACEMENT_NUMA_LOCAL_SHARE}, NULL},
    {"G03", {SP_F_METRICS_W, SP_F_CONFIG_STORE_NT}, stores},
    {"H01", {SP_F_BINDING_LEVEL, SP_F_BINDING_WHY, SP_F_STRUCTURE_FOOTPRINT_B}, NULL},
    {"J01", {SP_F_GPU_USE, SP_F_BINDING_TERM}, levels},
    {"J02", {SP_F_GPU_LAUNCH_BLOCKS, SP_F_BINDING_TERM}, levels},
    {"J03", {SP_F_METRICS_X_LOADS, SP_F_STRUCTURE_FOOTPRINT_B}, levels},
    {"J04", {SP_F_METRICS_ALPHA, SP_F_METRICS_ALPHA_MIN}, levels},
    {"J05", {SP_F_CONFIG_KERNEL, SP_F_STRUCTURE_N_NZR_CV}, levels},
    {"J06", {SP_F_CONFIG_KERNEL, SP_F_METRICS_BETA}, levels},
    {"J07", {SP_F_CONFIG_KERNEL, SP_F_CONFIG_FORMAT_OPTION}, levels},
};

const struct sp_rule_numbers *sp_rule_numbers(const char *id)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].id, id) == 0)
            return &table[i];
    return NULL;
}
