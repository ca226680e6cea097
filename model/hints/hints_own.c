/* Hints on kernels of somebody else, beside the built-in one on the same arrays. */
#include <stdio.h>

#include "base/text.h"
#include "model/hints/rules.h"

/* Threads that it keeps busy are fewer than it was given by at least this share. */
static const double idle_share = 0.25;

static bool leaves_threads_idle(const struct sp_hint_inputs *in)
{
    return in->n_threads > 1 && sp_value_known(in->busy_threads) &&
           in->busy_threads.value < (1 - idle_share) * in->n_threads;
}

static enum sp_verdict judge_own_loop(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                      struct sp_checked *checked)
{
    if (!in->own || !sp_value_known(in->built_in_s) || !sp_value_known(in->time_s))
        return SP_SILENT;
    const double now = in->time_s.value, ratio = now / in->built_in_s.value;
    char own[32], built_in[32];
    struct sp_then then = {.time_s = in->built_in_s};
    snprintf(then.time_how, sizeof then.time_how, "of the built-in kernel, in turn with yours");
    if (in->built_in_s.hi >= now || !sp_gain_is_worth(in, sp_gain_of(in, &then)))
        return sp_clear(checked, "your kernel takes %.2f x the time of %s on the same arrays", ratio,
                        in->built_in);
    sp_hint_take(in, hint, then, SP_MEASURED, SP_HIGH);
    snprintf(hint->evidence, sizeof hint->evidence,
             "Your row loop takes %s, the built-in %s %s in turn with it on the same arrays: %.2f x (%.2f … "
             "%.2f).",
             sp_text_seconds(own, sizeof own, now), in->built_in,
             sp_text_seconds(built_in, sizeof built_in, in->built_in_s.value), ratio, now / in->built_in_s.hi,
             now / in->built_in_s.lo);
    if (leaves_threads_idle(in)) {
        sp_hint_add(hint, " It keeps %.1f of %d threads busy.", in->busy_threads.value, in->n_threads);
        hint->in_program = "share the rows out to the threads that prepare() is told of";
    } else {
        if (in->own == SP_OWN_WALKS_CRS)
            sp_hint_add(hint, " The same bytes move, so that the difference is in-core.");
        hint->in_program =
            "build it with -O3 -march=native; vectors and several sums along a row, all threads";
    }
    snprintf(hint->expect, sizeof hint->expect,
             "the time towards that of the built-in kernel; refuted if P_core rises and the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_own_loop = {
    .id = "C03",
    .title = "row loop of your own",
    .version = 1,
    .effort = SP_EFFORT_OPTION,
    .for_own = SP_FOR_ALL_OWN,
    .condition =
        "a kernel of your own was run in turn with the fastest built-in one for the same arrays, and takes "
        "longer in all of the interval",
    .remedy = "vectors along the rows, several sums, all threads: what the built-in kernel does with the "
              "same bytes "
              "can be done",
    .check = "row loop",
    .gain = "the measured time of the built-in kernel instead of yours, with its interval",
    .judge = judge_own_loop,
};
