#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

/* Fewer threads: each beyond the first adds its part of the start, and those that are left have more to do.
 */
static double time_with(const struct sp_hint_inputs *in, int n_threads)
{
    const double team_s = in->team_s.value, work_s = in->time_s.value - team_s;
    return team_s * (n_threads - 1) / (in->n_threads - 1) + work_s * in->n_threads / n_threads;
}

/* Nothing says that the work scales, so that fewer threads may lose less than that. */
static struct sp_then fewer(const struct sp_hint_inputs *in, int n_threads)
{
    const double worst_s = time_with(in, n_threads),
                 best_s = worst_s -
                          (in->time_s.value - in->team_s.value) * ((double)in->n_threads / n_threads - 1);
    return (struct sp_then){.time_s = sp_value_between(worst_s, fmax(0, best_s), worst_s, SP_MODELLED),
                            .core_s = sp_value_of(0, SP_MODELLED)};
}

/* A region is two barriers, one that starts the team and one that ends it; products that follow each other in
 * one region need one between them at most, and none where they do not wait for each other. */
static struct sp_then in_one_region(const struct sp_hint_inputs *in)
{
    const double t = in->time_s.value, team_s = in->team_s.value;
    return (struct sp_then){
        .time_s = sp_value_between(t - 0.75 * team_s, t - team_s, t - 0.5 * team_s, SP_MODELLED),
        .core_s = sp_value_of(0, SP_MODELLED)};
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (in->n_threads < 2 || !sp_value_known(in->team_s) || !sp_value_known(in->time_s) ||
        in->team_s.value >= in->time_s.value)
        return SP_SILENT;
    const double share = in->team_s.value / in->time_s.value;
    char team[32], now[32];
    sp_text_seconds(team, sizeof team, in->team_s.value);
    sp_text_seconds(now, sizeof now, in->time_s.value);
    struct sp_then then = in_one_region(in);
    if (!sp_gain_is_worth(in, sp_gain_of(in, &then)))
        return sp_clear(checked, "%s of %s, %.1f %%", team, now, 100 * share);
    int best = in->n_threads;
    for (int n = in->n_threads / 2; n >= 1; n /= 2)
        if (time_with(in, n) < time_with(in, best))
            best = n;
    if (best < in->n_threads)
        then = fewer(in, best);
    sp_hint_take(in, hint, then, SP_MODELLED, SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "Starting %d threads and waiting for the last one takes %s of %s (measured, a run that has "
             "nothing to "
             "do).",
             in->n_threads, team, now);
    if (best < in->n_threads) {
        sp_change_add_number(&hint->change, SP_OPTION_THREADS, best);
        snprintf(hint->expect, sizeof hint->expect,
                 "the time falls; refuted if the work of a thread adds more");
    } else {
        hint->in_words = "in your program: several products in one parallel region";
        snprintf(hint->expect, sizeof hint->expect,
                 "the time of a product falls by half of the start or more");
    }
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_team = {
    .id = "F02",
    .title = "start of the team",
    .version = 1,
    .condition = "an execution that has nothing to do, of the same threads, takes a good part of the time",
    .remedy =
        "several products in one parallel region; where the start is longer than the work, fewer threads",
    .check = "start of the team",
    .gain = "half of the start to all of it, since one barrier of two may remain between products; of fewer "
            "threads, the start of those that are left and up to as much more work for each",
    .judge = judge,
};
