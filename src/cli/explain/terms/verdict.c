/* The six lines that a report begins with, word by word. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"

static const struct sp_calculation share[] = {
    {"share of possible", "max(V_min/b_S, W/P_core)/t", "1", "metrics.model_fraction", NULL, NULL, NULL},
    {"share of possible", "V_min/b_S/t", "1", "metrics.model_fraction", NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation possible[] = {
    {"possible", "W/max(V_min/b_S, W/P_core)", "flop/s", "verdict.possible.performance", NULL, NULL, NULL},
    {"possible", "W/(V_min/b_S)", "flop/s", "verdict.possible.performance", NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_verdict_terms[] = {
    {"six-lines",
     "headline subject not-known",
     "what a report begins with: all that matters, in six lines",
     NULL,
     "What was run and in what state the machine was; the speed that is possible; the speed that was "
     "reached; what was lost between the two; what to do; what all of it rests on. Each holds the best that "
     "the record supports, or says \"not known\" and why. The record has them as `verdict`.",
     "possible reached lost do trust conditions",
     {NULL},
     NULL},
    {"possible",
     "x-loaded-once x-loaded gathered operands-loaded-once with-padding must-move",
     "line possible: how fast this kernel could run here",
     "W/max(V_min/b_S, W/P_core)",
     "The roofline for this format with every line of x loaded once; for dense operands, with every gathered "
     "row loaded once. What binds stands behind it: the bandwidth of the level that holds the data, or "
     "execution, which is the kernel's speed from inner caches. Padding of the format is part of the "
     "possible: its share stands beside it, and another format changes it.",
     "V_min b_S P_core roofline alpha_min padding",
     {"verdict.possible.text"},
     possible},
    {"reached",
     "of-possible share-of-possible share-of-possible-not-known all-of-what-is-possible "
     "more-than-the-model-allows",
     "line reached: how fast it ran, and which share of the possible that is",
     "model_fraction = t_model(x once)/t",
     "The interval covers what a repetition gives. A share above 103 % is not given: then fewer bytes moved "
     "than modelled, or the roof was sampled in a bad moment.",
     "model_fraction performance possible conditions",
     {"verdict.reached.text", "metrics.model_fraction"},
     share},
    {"lost",
     "waiting-for-gathers x-loaded-2.8-times explained-twice parts-exceed-the-time nothing-worth-naming "
     "roof-too-low fewer-bytes-move fewer-bytes-move-than-modelled P_core-is-too-low "
     "gathers-wait-less-than-modelled a-ceiling-is-too-low the-time-is-shorter-than-the-model-allows",
     "line lost: where the time between possible and reached goes",
     "share = seconds of the cause / t; all of them and \"not explained\" add up to 1",
     "The largest three causes as shares of the measured time, then what is not explained. \"waiting for "
     "gathers\": the latency of loads of x that nothing hides. \"x loaded 2.7 times\": the cache does not "
     "keep x. \"explained twice\": causes overlap by so much. Where the causes exceed the time by more than "
     "10 %, an input is wrong, and the line says which instead of a share: a roof that was sampled too low, "
     "fewer bytes than modelled, P_core, or waiting that was modelled.",
     "losses extra_x imbalance in_core rest latency x_loads bottleneck",
     {"verdict.lost"},
     NULL},
    {"do",
     "what-to-do gains-3-% for-certain smaller-gains time-per-vector per-vector time-per-column per-column",
     "line do: the change that was seen, or is expected, to save most",
     NULL,
     "tried: it was run beside this run, and the interval is that of paired samples. predicted: nobody ran "
     "it; the interval is the rule's. Only what saves 3 % at the lower end is named. \"pays after\": so many "
     "executions until the set-up is paid. \"with --format ...\": the options to add to the command; the "
     "whole command stands among the hints. \"per vector\": with more vectors at once an execution takes "
     "longer, and less for each.",
     "hints gain trial predicted",
     {"verdict.do.text", "verdict.do.command"},
     NULL},
    {"trust",
     "not-validated doubts doubt doubt-in-the-figures result-wrong the-result-is-wrong "
     "the-counters-were-not-tested bytes-simulated bytes-measured bytes-modelled bytes-not-known figures-of "
     "caches-of another-machine caches-and-ceilings-are-of-another-machine",
     "line trust: what the figures rest on",
     NULL,
     "Who counted the bytes, and why nobody did where they are simulated; whether the simulation was "
     "compared "
     "with counters on this kind of machine; whether the result is wrong. \"2 doubts: -v\": flags that the "
     "other lines do not say, or data that another level may hold. \"caches of NAME\": --machine described "
     "another machine than the one that ran, so no share is given.",
     "sources-of-bytes validated flags verify doctor",
     {"verdict.trust.text"},
     NULL},
    {"state",
     "assumed state-not-recorded too-many-samples-were-disturbed the-roof-is-in-doubt",
     "first line, right: the state of the machine while it was measured on",
     NULL,
     "clean, busy or unusable as under `conditions`. assumed: nobody looked, SPMODEL_ASSUME says clean. "
     "not recorded: a record of an older version, or of a GPU. constructed: an invented example.",
     "conditions status elsewhere",
     {"verdict.state.text"},
     NULL},
    {"elsewhere",
     "measured-elsewhere",
     "first line, right: measured on another machine",
     NULL,
     "The run was measured on another machine, and nobody recorded what else computed there.",
     "state conditions",
     {"verdict.state.text"},
     NULL},
    {0},
};
