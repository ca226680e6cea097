#include <math.h>

#include "base/clock.h"
#include "base/samples.h"
#include "session/measure_plan.h"

enum { MAX_SIZES = 48, BURSTS = 9, STEPS = 4000 };

enum { CANDIDATES = 120 };

static const double rise_needed = 1.25; /* of memory's latency over the level's; less is no knee */
static const double slack_factor = 1.5, slack = 0.01; /* of the residual inside the interval */

static double share(double capacity, double size)
{
    return capacity < size ? capacity / size : 1;
}

/* Best latencies t[0] of the level and t[1] of memory for one capacity, and the relative residual of the fit.
 */
static double fit(int n, const double *size, const double *latency, double l2_B, double l2_s, double capacity,
                  double t[2])
{
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0, residual = 0;
    for (int i = 0; i < n; i++) {
        double h2 = share(l2_B, size[i]), h3 = share(capacity, size[i]);
        double a = (h3 - h2) / latency[i], b = (1 - h3) / latency[i], y = 1 - h2 * l2_s / latency[i];
        aa += a * a, ab += a * b, bb += b * b, ay += a * y, by += b * y;
    }
    double determinant = aa * bb - ab * ab;
    if (determinant < 1e-12 * aa * bb || aa <= 0 || bb <= 0)
        return INFINITY;
    t[0] = (ay * bb - by * ab) / determinant;
    t[1] = (by * aa - ay * ab) / determinant;
    for (int i = 0; i < n; i++) {
        double h2 = share(l2_B, size[i]), h3 = share(capacity, size[i]);
        double e = (h2 * l2_s + (h3 - h2) * t[0] + (1 - h3) * t[1]) / latency[i] - 1;
        residual += e * e;
    }
    return sqrt(residual / n);
}

/* A random walk over s bytes hits a cache of capacity C with probability ~min(1, C/s), whatever it replaces,
 * so its latency is h2 t2 + (h3 - h2) t3 + (1 - h3) t_mem. C3, t3 and t_mem are fitted to all sizes at once;
 * the interval is the range of C3 that fits almost as well. */
struct sp_value sp_measure_knee(int n, const double *size_B, const double *latency_s, double l2_B,
                                double stated_B, double l2_s)
{
    if (n < 5)
        return sp_value_none("too few sizes were walked in the time given");
    const bool is_stated = stated_B > 1.5 * l2_B && stated_B < size_B[n - 1] / 1.5;
    double first = 1.5 * l2_B, last = is_stated ? stated_B : size_B[n - 1] / 1.5;
    double capacity[CANDIDATES], residual[CANDIDATES], least = INFINITY, t[2] = {0, 0}, unused[2];
    int best = -1;
    for (int i = 0; i < CANDIDATES; i++) {
        capacity[i] = first * pow(last / first, (double)i / (CANDIDATES - 1));
        residual[i] = fit(n, size_B, latency_s, l2_B, l2_s, capacity[i], unused);
        if (residual[i] < least) {
            least = residual[i];
            best = i;
        }
    }
    if (best >= 0)
        fit(n, size_B, latency_s, l2_B, l2_s, capacity[best], t);
    if (best < 0 || t[0] <= 0 || t[1] < rise_needed * t[0] || (best == CANDIDATES - 1 && !is_stated))
        return sp_value_none("the latency does not rise to a memory level within the sizes walked");
    double lo = capacity[best], hi = lo;
    for (int i = 0; i < CANDIDATES; i++)
        if (residual[i] <= slack_factor * least + slack) {
            lo = capacity[i] < lo ? capacity[i] : lo;
            hi = capacity[i] > hi ? capacity[i] : hi;
        }
    return sp_value_between(capacity[best], lo, hi, SP_MEASURED);
}

/* The best of a few bursts of thousands of steps: interruptions only add. */
static double latency(const struct sp_ceiling_arena *arena, size_t bytes)
{
    double burst[BURSTS];
    int64_t position = 0, lines = (int64_t)(bytes / 64);
    sp_ceiling_chase_build(arena, bytes, 1);
    sp_ceiling_chase(arena, lines < 20000 ? 2 * lines : 20000, &position);
    for (int k = 0; k < BURSTS; k++)
        burst[k] = sp_ceiling_chase(arena, STEPS, &position);
    return sp_quantile(burst, BURSTS, 0);
}

struct sp_value sp_measure_llc(const struct sp_ceiling_arena *arena, int64_t l2_B, int64_t stated_B,
                               double budget_s, double *lo_s, double *hi_s,
                               const struct sp_progress *progress)
{
    double size[MAX_SIZES], seconds[MAX_SIZES], start = sp_now(), taken = 0;
    int n = 0;
    double l2_s = latency(arena, (size_t)l2_B / 2);
    *lo_s = *hi_s = 0;
    for (double s = 2.0 * (double)l2_B; s <= (double)arena->bytes && n < MAX_SIZES; s *= sqrt(2)) {
        /* The next set costs about sqrt(2) of the last one. */
        if (sp_now() - start + 1.5 * taken > budget_s || sp_progress_interrupted(progress))
            break;
        sp_progress_step(progress, "looking for the last-level cache's capacity", s / (double)arena->bytes);
        double t = sp_now();
        size[n] = s;
        seconds[n] = latency(arena, (size_t)s);
        taken = sp_now() - t;
        n++;
    }
    if (n > 0) {
        *lo_s = seconds[0];
        *hi_s = seconds[n - 1];
    }
    return sp_measure_knee(n, size, seconds, (double)l2_B, (double)stated_B, l2_s);
}
