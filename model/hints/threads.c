#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/hints/rules.h"
#include "model/hints/support.h"

/* Fewer threads are proposed only where they draw this much more: two points of a curve that one busy minute
 * separates differ by less. */
#define BEYOND_NOISE 1.1

static double bandwidth_at(const struct sp_hint_inputs *in, int n_threads)
{
    for (int i = 0; i < in->n_saturation; i++)
        if (in->saturation_threads[i] == n_threads)
            return in->saturation_Bps[i];
    return 0;
}

/* Bandwidth from the curve; execution scales with threads, but not beyond the cores. */
static double time_with(const struct sp_hint_inputs *in, int n_threads, double Bps)
{
    double core = sp_value_known(in->core_s) ? in->core_s.value * in->n_threads / n_threads : 0;
    return fmax(in->V_B.value / Bps, core);
}

/* What the model does not explain each thread may have of its own, so that more of them share it, or stays.
 */
static struct sp_then with_threads(const struct sp_hint_inputs *in, int n_threads, double now_s,
                                   double then_s)
{
    if (!sp_value_known(in->time_s))
        return sp_then_times(now_s, then_s);
    const double rest = fmax(0, in->time_s.value - now_s),
                 least = then_s + rest * fmin(1, (double)in->n_threads / n_threads);
    struct sp_then then = {.time_s = sp_value_between(least, least, then_s + rest, SP_MODELLED),
                           .roof_Bps = sp_value_of(bandwidth_at(in, n_threads), SP_MEASURED)};
    if (sp_value_known(in->core_s))
        then.core_s = sp_value_of(in->core_s.value * in->n_threads / n_threads, in->core_s.origin);
    return then;
}

/* No other number of threads pays: known only where the curve reaches all cores. */
static enum sp_verdict nothing_better(const struct sp_hint_inputs *in, double now_Bps,
                                      struct sp_checked *checked)
{
    double most = 0;
    int reached = 0;
    for (int i = 0; i < in->n_saturation; i++) {
        most = fmax(most, in->saturation_Bps[i]);
        reached = in->saturation_threads[i] > reached ? in->saturation_threads[i] : reached;
    }
    if (in->n_saturation < 2 || in->n_cores <= 0 || reached < in->n_cores)
        return SP_SILENT;
    return sp_clear(checked, "%d reach %.0f %% of the best bandwidth", in->n_threads, 100 * now_Bps / most);
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    double now_Bps = bandwidth_at(in, in->n_threads);
    if (now_Bps <= 0 || !sp_hint_has_volume(in))
        return SP_SILENT;
    double now = time_with(in, in->n_threads, now_Bps), best = now;
    int best_threads = in->n_threads;
    for (int i = 0; i < in->n_saturation; i++) {
        int n = in->saturation_threads[i];
        if (in->n_cores > 0 && n > in->n_cores && n > in->n_threads)
            continue;
        const bool is_noise = n < in->n_threads && !in->smt && in->saturation_Bps[i] < BEYOND_NOISE * now_Bps;
        double then = time_with(in, n, in->saturation_Bps[i]);
        if (then < best && !is_noise) {
            best = then;
            best_threads = n;
        }
    }
    struct sp_then then = with_threads(in, best_threads, now, best);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (best_threads == in->n_threads || !sp_gain_is_worth(in, gain))
        return nothing_better(in, now_Bps, checked);
    sp_hint_take(in, hint, then, SP_MODELLED, best_threads > in->n_threads ? SP_HIGH : SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "%d thread%s draw%s %.1f GB/s from %s, %d draw %.1f GB/s (measured saturation curve)%s.",
             in->n_threads, in->n_threads == 1 ? "" : "s", in->n_threads == 1 ? "s" : "", now_Bps / 1e9,
             sp_hint_in_memory(in) ? "memory" : in->level, best_threads, bandwidth_at(in, best_threads) / 1e9,
             best_threads < in->n_threads ? in->smt ? ": hardware threads share cores"
                                                    : ": past saturation more threads disturb each other"
                                          : "");
    sp_change_add_number(&hint->change, SP_OPTION_THREADS, best_threads);
    snprintf(hint->expect, sizeof hint->expect, "the time falls with the bandwidth; refuted if it stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_threads = {
    .id = "F01",
    .title = "number of threads",
    .version = 4,
    .condition =
        "the measured saturation curve gives another number of threads a higher bandwidth (more below "
        "n_sat, fewer, by a tenth at least, past it, or on SMT); not a problem only where the curve reaches "
        "all cores that may be "
        "used",
    .remedy = "as many threads as saturate the memory of every domain",
    .check = "number of threads",
    .gain = "max(V/b, W/P_core) with the measured bandwidth of the other number of threads; execution scales "
            "with threads, and of the rest of the time nothing to all does",
    .judge = judge,
};
