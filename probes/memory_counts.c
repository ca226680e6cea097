#include "probes/memory_counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Counts of the window by direction [B]; worst: lowest share of the time that an event was on a counter.
 * False where an event gave none. */
static bool sum_window(const struct sp_memory_pmu *pmu, struct sp_count_window w, double B[2], double *worst)
{
    for (int i = 0; i < pmu->n_events; i++) {
        enum sp_count_trust trust;
        double n = sp_perf_count(w.before[i], w.after[i], &trust);
        if (trust == SP_COUNT_NONE)
            return false;
        double running = (double)(w.after[i].running_ns - w.before[i].running_ns);
        double enabled = (double)(w.after[i].enabled_ns - w.before[i].enabled_ns);
        *worst = fmin(*worst, running / enabled);
        B[pmu->event[i].is_write] += n * pmu->event[i].B_per_count;
    }
    return true;
}

static struct sp_value of_one(double B, double idle_B, int64_t repetitions, double unsure)
{
    double net = fmax(0, B - idle_B) / (double)repetitions, error = unsure * net;
    return sp_value_between(net, fmax(0, net - error), net + error, SP_MEASURED);
}

struct sp_traffic sp_memory_traffic(const struct sp_memory_pmu *pmu, struct sp_count_window window,
                                    const struct sp_count_window *idle, int64_t repetitions)
{
    struct sp_traffic t;
    double B[2] = {0, 0}, idle_B[2] = {0, 0}, worst = 1, worst_idle = 1;
    memset(&t, 0, sizeof t);
    t.read_B = t.write_B = sp_value_none("a memory counter was never on, or gave contradictory numbers");
    if (pmu->n_events == 0 || repetitions < 1 || !sum_window(pmu, window, B, &worst) ||
        (idle && !sum_window(pmu, *idle, idle_B, &worst_idle)))
        return t;
    double scale = idle && idle->duration_s > 0 ? window.duration_s / idle->duration_s : 0;
    t.read_B = of_one(B[0], scale * idle_B[0], repetitions, 1 - worst);
    t.write_B = of_one(B[1], scale * idle_B[1], repetitions, 1 - worst);
    return t;
}

static bool near(double x, double y, double tolerance)
{
    return fabs(x - y) <= tolerance * y;
}

struct sp_trust_verdict sp_trust_judge(double counted_B, double known_B, double tolerance, int n_channels)
{
    struct sp_trust_verdict v = {.trust = SP_TRUST_OFF, .ratio = counted_B / known_B};
    const size_t size = sizeof v.text;
    if (!isfinite(v.ratio)) {
        v.trust = SP_TRUST_NOTHING;
        snprintf(v.text, size, "gives no number");
    } else if (v.ratio < 0.01) {
        v.trust = SP_TRUST_NOTHING;
        snprintf(v.text, size, "counts %.2g of the known volume: nothing, or another machine's part",
                 v.ratio);
    } else if (near(v.ratio, 1, tolerance)) {
        v.trust = SP_TRUSTED;
        snprintf(v.text, size, "counts %.3f of the known volume", v.ratio);
    } else {
        snprintf(v.text, size, "counts %.2f times the known volume, which nothing simple explains", v.ratio);
        for (int k = 2; k <= 4; k++)
            if (near(v.ratio, k, tolerance)) {
                v.trust = SP_TRUST_MULTIPLE;
                snprintf(v.text, size, "counts %.2f times the known volume: every line %d times", v.ratio, k);
            }
        for (int missing = 1; missing < n_channels && v.ratio < 1; missing++)
            if (near(v.ratio, (double)(n_channels - missing) / n_channels, 0.5 / n_channels)) {
                v.trust = SP_TRUST_MISSING;
                snprintf(v.text, size,
                         "counts %.2f of the known volume, as if %d of %d memory channels were missing",
                         v.ratio, missing, n_channels);
            }
    }
    return v;
}
