#include "track/group_shift.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/samples.h"

enum { MOST_RECORDS = 64, MOST_VALUES = MOST_RECORDS * SP_ENTRY_RUNS };

time_t sp_entry_seconds(const struct sp_entry *entry)
{
    struct tm t = {0};
    if (!strptime(entry->start, "%Y-%m-%dT%H:%M:%S", &t))
        return 0;
    return timegm(&t);
}

static bool is_rate(enum sp_tracked metric)
{
    return metric == SP_TRACKED_BANDWIDTH || metric == SP_TRACKED_PERFORMANCE ||
           metric == SP_TRACKED_FRACTION || metric == SP_TRACKED_MODEL_FRACTION;
}

bool sp_tracked_is_by_run(enum sp_tracked metric)
{
    return metric == SP_TRACKED_TIME || metric == SP_TRACKED_ROOF || is_rate(metric);
}

/* The run's roof over that of all: fractions are of the roof that was measured beside the run. */
static double relative_roof(const struct sp_entry *e, int k)
{
    double roof[SP_ENTRY_RUNS];
    if (strcmp(e->origin[SP_TRACKED_ROOF], "measured") != 0)
        return 1;
    for (int i = 0; i < e->n_runs; i++)
        if (!((roof[i] = e->roof_Bps[i]) > 0))
            return 1;
    return e->roof_Bps[k] / sp_median(roof, e->n_runs);
}

/* Each run has its own time and roof, and so its own rates. */
static double value_of_run(const struct sp_entry *e, enum sp_tracked metric, int k)
{
    if (metric == SP_TRACKED_TIME)
        return e->time_s[k];
    if (metric == SP_TRACKED_ROOF)
        return e->roof_Bps[k];
    const double rate = e->metric[metric] * e->metric[SP_TRACKED_TIME] / e->time_s[k];
    return metric == SP_TRACKED_FRACTION ? rate / relative_roof(e, k) : rate;
}

/* Values of all runs of some records; what a record has once counts once. */
static int values_of(const struct sp_entry *const *list, int n, enum sp_tracked metric, double *out)
{
    const bool by_run = sp_tracked_is_by_run(metric);
    int n_values = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < (by_run ? list[i]->n_runs : 1) && n_values < MOST_VALUES; k++) {
            const double x = by_run ? value_of_run(list[i], metric, k) : list[i]->metric[metric];
            if (x > 0)
                out[n_values++] = x;
        }
    return n_values;
}

bool sp_entry_confirms(const struct sp_entry *later, const struct sp_entry *earlier)
{
    return later->confirms[0] &&
           (strcmp(later->confirms, earlier->id) == 0 || strcmp(later->confirms, earlier->confirms) == 0);
}

bool sp_entry_is_of_session(const struct sp_entry *earlier, const struct sp_entry *later,
                            const struct sp_entry *newest)
{
    return sp_entry_confirms(later, earlier) ||
           (strcmp(earlier->commit, newest->commit) == 0 && newest->commit[0] &&
            strcmp(earlier->tool, newest->tool) == 0 &&
            sp_entry_seconds(newest) - sp_entry_seconds(earlier) <= SP_SESSION_S);
}

/* One value a session, the median of its records, the latest session first. */
static int values_of_sessions(const struct sp_entry *const *list, int n, enum sp_tracked metric, double *out)
{
    int n_sessions = 0;
    for (int end = n, first; end > 0 && n_sessions < MOST_RECORDS; end = first) {
        double x[MOST_RECORDS];
        int kept = 0;
        first = end;
        do {
            first--;
            if (list[first]->metric[metric] > 0 && kept < MOST_RECORDS)
                x[kept++] = list[first]->metric[metric];
        } while (first > 0 && sp_entry_is_of_session(list[first - 1], list[first], list[end - 1]));
        if (kept > 0)
            out[n_sessions++] = sp_median(x, kept);
    }
    return n_sessions;
}

/* Standard deviation of ln of the metric from one run to the next in the same record; 0: one value a record.
 */
static double noise_of_runs(const struct sp_entry *const *before, int n_before,
                            const struct sp_entry *const *after, int n_after, enum sp_tracked metric)
{
    double value[MOST_VALUES];
    struct sp_group group[2 * MOST_RECORDS];
    int n_groups = 0, n_values = 0;
    for (int i = 0; i < n_before + n_after && n_values + SP_ENTRY_RUNS <= MOST_VALUES; i++) {
        const struct sp_entry *const *one = i < n_before ? before + i : after + (i - n_before);
        const int n = values_of(one, 1, metric, value + n_values);
        group[n_groups++] = (struct sp_group){n, value + n_values};
        n_values += n;
    }
    return sp_noise_within(group, n_groups);
}

/* How far a session of unchanged code may lie from those before it, as a relative change: 2.5 standard
 * deviations from one to the next, and at least as far as one has been before and came back from. The
 * standard deviation is that of the median step between successive sessions, so that a change of level among
 * them, which is one step, does not count as noise (for normal noise the median of |x - y| is 0.6745 sqrt(2)
 * of it). Fewer sessions tell nothing: where runs alone differ by more than the floor the machine is taken to
 * differ as much from session to session. */
static double differs_by_session(const double *x, int n_sessions, double noise_of_runs, double floor)
{
    enum { LEAST = 4 };
    static const double deviations = 2.5;
    double step[MOST_RECORDS], farthest = 0;
    if (n_sessions < LEAST)
        return noise_of_runs > floor ? deviations * noise_of_runs : 0;
    for (int i = 0; i + 1 < n_sessions; i++) {
        const double there = log(x[i] / x[i + 1]), back = i > 0 ? log(x[i] / x[i - 1]) : 0;
        step[i] = fabs(there);
        if (there * back > 0)
            farthest = fmax(farthest, fmin(fabs(there), fabs(back)));
    }
    const double noise = sp_median(step, n_sessions - 1) / (0.6745 * M_SQRT2);
    return fmax(deviations * noise, expm1(farthest));
}

struct sp_shift sp_shift_of_groups(const struct sp_entry *const *before, int n_before,
                                   const struct sp_entry *const *after, int n_after,
                                   const struct sp_judge_options *o, double *noise)
{
    double a[MOST_VALUES], b[MOST_VALUES], session[MOST_RECORDS];
    struct sp_shift_options options = {.floor = o->floor, .confidence = o->confidence, .seed = o->seed};
    const struct sp_group group[] = {{values_of(before, n_before, o->metric, a), a},
                                     {values_of(after, n_after, o->metric, b), b}};
    const int n_sessions = values_of_sessions(before, n_before, o->metric, session);
    *noise = noise_of_runs(before, n_before, after, n_after, o->metric);
    options.raised =
        differs_by_session(session, n_sessions, *noise, o->floor > 0 ? o->floor : SP_SHIFT_FLOOR);
    return sp_shift_of(group[0], group[1], &options);
}
