#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/hint_rules.h"
#include "model/hint_support.h"

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
        double then = time_with(in, n, in->saturation_Bps[i]);
        if (then < best) {
            best = then;
            best_threads = n;
        }
    }
    struct sp_gain gain = sp_gain_of_seconds(in, now, best);
    if (best_threads == in->n_threads || !sp_gain_is_worth(in, gain))
        return nothing_better(in, now_Bps, checked);
    sp_hint_take(hint, gain, SP_MEASURED, best_threads > in->n_threads ? SP_HIGH : SP_MEDIUM);
    hint->time_then_s = sp_value_of(best, SP_MODELLED);
    snprintf(hint->evidence, sizeof hint->evidence,
             "%d thread%s draw%s %.1f GB/s from %s, %d draw %.1f GB/s (measured saturation curve)%s.",
             in->n_threads, in->n_threads == 1 ? "" : "s", in->n_threads == 1 ? "s" : "", now_Bps / 1e9,
             sp_hint_in_memory(in) ? "memory" : in->level, best_threads, bandwidth_at(in, best_threads) / 1e9,
             best_threads < in->n_threads ? in->smt ? ": hardware threads share cores"
                                                    : ": past saturation more threads disturb each other"
                                          : "");
    char change[96];
    snprintf(change, sizeof change, "--threads %d", best_threads);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect, "the time falls with the bandwidth; refuted if it stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_threads = {
    .id = "F01",
    .title = "number of threads",
    .version = 2,
    .condition =
        "the measured saturation curve gives another number of threads a higher bandwidth (more below "
        "n_sat, fewer past it or on SMT); not a problem only where the curve reaches all cores that may be "
        "used",
    .remedy = "as many threads as saturate the memory of every domain",
    .check = "number of threads",
    .gain = "max(V/b, W/P_core) with the measured bandwidth of the other number of threads; execution scales "
            "with threads, but not beyond the cores",
    .judge = judge,
};
