/* Where the time goes, and what limits. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"
#include "cli/explain/terms/volumes.h"

static const char of_parts[] = "the record's parts do not add up as they should";

static const struct sp_calculation sum_of_losses[] = {
    {"t", "min_traffic + padding + extra_x + imbalance + in_core + rest", "s", "metrics.time", of_parts, NULL,
     NULL},
    {"t", "min_traffic + padding + extra_x + imbalance + rest", "s", "metrics.time", of_parts, NULL, NULL},
    {"minimum traffic", "min_traffic/t", "1", NULL, NULL, NULL, NULL},
    {"padding", "padding/t", "1", NULL, NULL, NULL, NULL},
    {"extra x traffic", "extra_x/t", "1", NULL, NULL, NULL, NULL},
    {"load imbalance", "imbalance/t", "1", NULL, NULL, NULL, NULL},
    {"in-core, latency", "in_core/t", "1", NULL, NULL, NULL, NULL},
    {"not explained", "rest/t", "1", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation minimum[] = {
    {"min_traffic", "V_min/b_S - padding - extra_x_domains", "s", "losses.min_traffic",
     "where data stay in caches less is loaded more than once than several domains could", NULL, NULL},
    {"min_traffic", "V_min/b_S - padding", "s", "losses.min_traffic",
     "with several cache domains V_min has x once for each, this loss once for all", NULL, NULL},
    {"share of the time", "min_traffic/t", "1", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation fill_time[] = {
    {"padding", "(s_a + s_i)*n_nz*(1/beta - 1)/b_S", "s", "losses.padding",
     "16-bit offsets have bases beside the fill", SP_PRODUCTS, "crs sell"},
    {"padding", "(b_h*b_w*s_a + s_i)*n_nz*(1/beta - 1)/(b_h*b_w)/b_S", "s", "losses.padding", NULL,
     SP_PRODUCTS, "bcsr"},
    {"padding", "s_a*n_nz*(1/beta - 1)/b_S", "s", "losses.padding", NULL, SP_PRODUCTS, "sellu"},
    {"share of the time", "padding/t", "1", NULL, NULL, NULL, NULL},
    {0},
};

static const char of_alpha_once[] =
    "the loss counts from x loaded once by one domain, never below 0, and of x what the layout moves";
static const struct sp_calculation excess_of_x[] = {
    {"extra_x", "max(0, alpha - alpha_min)*s_x*n_nz*r/b_S + extra_x_domains", "s", "losses.extra_x",
     of_alpha_once, SP_PRODUCTS " sddmm", "crs sell sellu bcsr coo tiled staged striped"},
    {"extra_x", "max(0, alpha - alpha_min)*s_x*n_nz*r/b_S", "s", "losses.extra_x", of_alpha_once,
     SP_PRODUCTS " sddmm", "crs sell sellu bcsr coo tiled staged striped"},
    {"extra_x", "2*max(0, alpha - alpha_min)*s_x*n_nz*r/b_S", "s", "losses.extra_x", of_alpha_once, "fusedmm",
     NULL},
    {"share of the time", "extra_x/t", "1", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation of_domains[] = {
    {"share of the time", "extra_x_domains/t", "1", NULL, NULL, NULL, NULL},
    {"extra x but for that", "extra_x - extra_x_domains", "s", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation waiting_threads[] = {
    {"(lambda_nz - 1) t, which the loss is not", "(lambda_nz - 1)*t", "s", NULL, NULL, NULL, NULL},
    {"share of the time", "imbalance/t", "1", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation execution[] = {
    {"in_core", "max(0, core - min_traffic - padding - extra_x) + row_ends + team + waiting", "s",
     "losses.in_core", NULL, NULL, NULL},
    {"in_core", "max(0, core - min_traffic - padding - extra_x) + team + waiting", "s", "losses.in_core",
     "ends of rows were not looked at", NULL, NULL},
    {"in_core", "max(0, core - min_traffic - padding - extra_x) + waiting", "s", "losses.in_core",
     "ends of rows were not looked at", NULL, NULL},
    {"in_core", "max(0, core - min_traffic - padding - extra_x)", "s", "losses.in_core",
     "the latency of gathers is part of it where the test with all gathers from L1 was made", NULL, NULL},
    {"in_core", "max(0, W/P_core - min_traffic - padding - extra_x) + row_ends + team + waiting", "s",
     "losses.in_core", NULL, NULL, NULL},
    {"in_core", "max(0, W/P_core - min_traffic - padding - extra_x) + waiting", "s", "losses.in_core",
     "ends of rows were not looked at", NULL, NULL},
    {"in_core",
     "max(0, W/P_core - min_traffic - padding - extra_x) + min(max(0, t - t_linear - extra_x), max(0, t - "
     "min_traffic - padding - extra_x - imbalance - max(0, W/P_core - min_traffic - padding - extra_x)))",
     "s", "losses.in_core", "without the interventions that the record was made with", NULL, NULL},
    {"in_core", "max(0, W/P_core - min_traffic - padding - extra_x)", "s", "losses.in_core",
     "the latency of gathers is part of it where the test with all gathers from L1 was made", NULL, NULL},
    {"share of the time", "in_core/t", "1", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation what_is_left[] = {
    {"rest", "t - min_traffic - padding - extra_x - imbalance - in_core", "s", "losses.rest", of_parts, NULL,
     NULL},
    {"rest", "t - min_traffic - padding - extra_x - imbalance", "s", "losses.rest", of_parts, NULL, NULL},
    {"share of the time", "rest/t", "1", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation causes[] = {
    {"waiting of gathers", "1 - t_linear/t", "1", NULL, NULL, NULL, NULL},
    {"imbalance", "imbalance/t", "1", NULL, NULL, NULL, NULL},
    {"transfers at the roof", "(min_traffic + padding + extra_x)/t", "1", NULL, NULL, NULL, NULL},
    {"execution without memory limits", "W/P_core/t", "1", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation linear[] = {
    {"saved with all gathers from L1", "1 - t_linear/t", "1", NULL, NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_loss_terms[] = {
    {"losses",
     "where-the-time-goes",
     "where the time goes",
     "t = V(alpha_min, beta = 1)/b_S + padding + extra x + imbalance + in-core, latency + rest",
     "In this order; they sum to the measured time. Each is proved by a run with its cause taken away where "
     "that can be made.",
     "min_traffic padding extra_x extra_x_domains imbalance in_core rest bottleneck",
     {"losses.min_traffic", "losses.padding", "losses.extra_x", "losses.extra_x_domains", "losses.imbalance",
      "losses.in_core", "losses.rest"},
     sum_of_losses},
    {"min_traffic",
     "minimum-traffic",
     "loss: the least traffic at the roof",
     "V(alpha_once, beta = 1)/b_S",
     "No order, balance or other kernel of this format goes below it; another format, fewer bytes an item or "
     "a "
     "machine with more bandwidth do.",
     "V_min b_S losses",
     {"losses.min_traffic", "losses_origin.min_traffic"},
     minimum},
    {"padding",
     "",
     "loss: fill at the roof",
     "(V(beta) - V(beta = 1))/b_S",
     "Zeros that SELL, BCSR and staged blocks store are loaded like entries.",
     "beta D01 losses",
     {"losses.padding", "losses_origin.padding", "metrics.beta"},
     fill_time},
    {"extra_x",
     "extra-x-traffic",
     "loss: x loaded more than once",
     "max(0, alpha - alpha_once) s_x n_nz r / b_S",
     "In the record it contains extra_x_domains; reports and CSV show that part apart.",
     "alpha extra_x_domains A01 A04 losses",
     {"losses.extra_x", "losses_origin.extra_x"},
     excess_of_x},
    {"extra_x_domains",
     "x-in-several-caches duplication",
     "loss: x loaded once by each of several caches",
     "(alpha_min - alpha_once) s_x n_nz r / b_S",
     "What several last-level caches load of the same lines, beyond once. A bound: warm caches can load "
     "less.",
     "domain alpha_min A02 losses",
     {"losses.extra_x_domains", "losses_origin.extra_x_domains"},
     of_domains},
    {"imbalance",
     "load-imbalance",
     "loss: threads that wait for the last one",
     "fluid model: time of the actual shares minus that of equal shares",
     "Measured where busy times differ by more than the bytes do, or bounded by a run with equal shares.",
     "fluid lambda B01 losses",
     {"losses.imbalance", "losses_origin.imbalance"},
     waiting_threads},
    {"in_core",
     "in-core in-core,-latency",
     "loss: execution and latency beyond what transfers hide",
     "max(0, W/P_core - transfers) + mispredicted row ends + start of the team + latency of gathers",
     "W/P_core counts at most as much as the same work took with all gathers from L1 (losses.core). The "
     "latency is what that test saves beyond the transfer of x that execution does not hide.",
     "P_core row_ends waiting linearised C01 A03 losses",
     {"losses.in_core", "losses_origin.in_core", "losses.core"},
     execution},
    {"team",
     "start-of-the-team barrier fork-join T_team",
     "loss: start of the threads and their barrier, a part of in_core",
     "time of an execution that has one entry a thread",
     "Nothing hides it, so it is all of the time that a small matrix cannot go below. Fewer threads, or "
     "several "
     "products in one parallel region, share it. P_core does not contain it.",
     "in_core P_core losses expected-time",
     {"losses.team"},
     NULL},
    {"row_ends",
     "mispredicted-row-ends branch-misprediction short-rows row_ends_hidden",
     "loss: ends of rows that the processor mispredicts, a part of in_core",
     "t(all gathers from L1) - t(that, rows in the order of their lengths)",
     "A loop over a short row ends where the processor has guessed another iteration. Rows sorted by length "
     "inside each thread's share end as foretold; what that saves is the price. Lanes (SELL) have one end "
     "for C rows. What transfers hide of it (row_ends_hidden) comes to light where a change moves fewer "
     "bytes.",
     "in_core P_core linearised C01 SELL",
     {"losses.row_ends", "losses.row_ends_hidden"},
     NULL},
    {"waiting",
     "waiting-for-gathers",
     "loss: latency of gathers that nothing hides, a part of in_core",
     "t - t(all gathers from L1) - transfer of x beyond execution",
     "The test takes away the transfer of x too, so that is subtracted as far as execution does not hide it. "
     "Where the test could not be made: what gathers from beyond L1 take at their roof, as far as transfers "
     "do not hide it, modelled.",
     "in_core latency linearised gather-roof A01",
     {"losses.waiting"},
     NULL},
    {"rest",
     "not-explained",
     "loss: what the model does not explain, with its sign",
     "rest = t - all other losses",
     "Negative when caches kept data between executions, or the roof was sampled too low. Always shown; "
     "above "
     "10 % of the time it is flagged (Q10).",
     "Q10 losses bottleneck",
     {"losses.rest", "losses_origin.rest"},
     what_is_left},
    {"bottleneck",
     "class bandwidth-bound latency-bound",
     "what limits a run, from runs that had one cause taken "
     "away",
     NULL,
     "imbalance, latency or in-core where that cause takes at least 20 % of the time, the largest first; "
     "bandwidth where transfers at the roof take 70 %; else unknown. All gathers from L1 take the waiting of "
     "gathers away, equal shares the imbalance, P_core everything but execution.",
     "losses linearised imbalance in_core",
     {"bottleneck.class", "bottleneck.proved", "bottleneck.share", "bottleneck.why"},
     causes},
    {"linearised",
     "proof linearized gathers-from-L1 all-gathers-from-L1 interventions intervention t_linear",
     "a run with one cause taken away",
     NULL,
     "all gathers from L1 (test): the same arrays, but every gather hits the innermost cache. Equal shares: "
     "another schedule on the same arrays. x prefetched. Rows by length (test): the first one, with the rows "
     "of each share in the order of their lengths. Each is sampled in turn with the run, so that a "
     "machine that drifts takes both along.",
     "bottleneck in_core A03 B01",
     {NULL},
     linear},
    {0},
};
