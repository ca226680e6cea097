#include "track/judge/group_shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/samples.h"
#include "track/judge/comparable.h"

enum { LEAST_SESSIONS = 4 }; /* fewer tell nothing about how far sessions differ */
enum { MOST_RECORDS = 64, MOST_VALUES = MOST_RECORDS * SP_ENTRY_RUNS };

/* When it ran, since the epoch; 0: it does not say. */
static time_t entry_seconds(const struct sp_entry *entry)
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

bool sp_entries_share_session(const struct sp_entry *earlier, const struct sp_entry *later)
{
    return later->commit[0] && strcmp(earlier->commit, later->commit) == 0 &&
           strcmp(earlier->tool, later->tool) == 0 &&
           entry_seconds(later) - entry_seconds(earlier) <= SP_SESSION_S;
}

/* Behind the last record of the session that begins with list[begin]: what confirms the record
 * before it belongs there however late it came. */
static int end_of_session(const struct sp_entry *const *list, int n, int begin)
{
    int end = begin + 1;
    while (end < n &&
           (sp_entry_confirms(list[end], list[end - 1]) || sp_entries_share_session(list[begin], list[end])))
        end++;
    return end;
}

int sp_session_values(const struct sp_entry *const *list, int n, enum sp_tracked metric, double *value,
                      int *first)
{
    int n_sessions = 0;
    for (int begin = 0, end; begin < n; begin = end) {
        double x[MOST_RECORDS];
        int kept = 0;
        end = end_of_session(list, n, begin);
        for (int i = begin; i < end; i++)
            if (list[i]->metric[metric] > 0 && kept < MOST_RECORDS)
                x[kept++] = list[i]->metric[metric];
        if (kept > 0) {
            first[n_sessions] = begin;
            value[n_sessions++] = sp_median(x, kept);
        }
    }
    return n_sessions;
}

/* Standard deviation of ln of the metric between runs of a record; 0: one value a record. */
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

/* Of the median of n independent values of a normal distribution of variance 1. The median of many
 * has pi/(2 n), of one and two, whose mean it is, 1/n; in between these expressions, which are
 * exact at 1 and 2, are within 3 % of the integral over the order statistics (0.449 of three
 * values, 0.298 of four). */
static double variance_of_median(int n)
{
    return 0.5 * M_PI / (n + (n % 2 ? 0.5 * M_PI - 1 : M_PI - 2));
}

/* Variance of ln of a session's value that the noise of its runs makes, on average over the
 * sessions: a record is the median of its runs, and the session that of its records.
 * first[n_sessions]: as of sp_session_values(). */
static double variance_of_runs(const struct sp_entry *const *list, int n, enum sp_tracked metric,
                               const int *first, int n_sessions)
{
    const double noise = noise_of_runs(list, n, NULL, 0, metric);
    double sum = 0;
    for (int s = 0; s < n_sessions; s++) {
        const int end = s + 1 < n_sessions ? first[s + 1] : n;
        double of_records = 0;
        int kept = 0; /* at least one: sessions without the metric have been left out */
        for (int i = first[s]; i < end; i++)
            if (list[i]->metric[metric] > 0) {
                of_records += variance_of_median(list[i]->n_runs > 1 ? list[i]->n_runs : 1);
                kept++;
            }
        sum += of_records / kept * variance_of_median(kept);
    }
    return noise * noise * sum / n_sessions;
}

/* Median |step| between successive sessions, as they are or less their mean: the smaller. */
static double noise_of_steps(const double *x, int n)
{
    double plain[MOST_RECORDS], less_creep[MOST_RECORDS];
    const double creep = log(x[n - 1] / x[0]) / (n - 1);
    for (int i = 0; i + 1 < n; i++) {
        const double step = log(x[i + 1] / x[i]);
        plain[i] = fabs(step);
        less_creep[i] = fabs(step - creep);
    }
    return fmin(sp_median(plain, n - 1), sp_median(less_creep, n - 1));
}

/* The standard deviation is that of the median step between successive sessions, or of the median
 * of |2 y - x
 * - z| over three of them if that is more: neither one change of level nor steady creep is noise
 * (for normal noise these medians are 0.6745 sqrt(2) and 0.6745 sqrt(6) of it). What the noise of
 * their runs explains is taken off, which has a bound of its own. */
struct sp_steadiness sp_steadiness_of(const struct sp_entry *const *list, int n, enum sp_tracked metric)
{
    double x[MOST_RECORDS], bend[MOST_RECORDS];
    int first[MOST_RECORDS];
    const int n_known = n < MOST_RECORDS ? n : MOST_RECORDS;
    struct sp_steadiness s = {.n_sessions =
                                  sp_session_values(list + (n - n_known), n_known, metric, x, first)};
    s.is_known = s.n_sessions >= LEAST_SESSIONS;
    if (!s.is_known)
        return s;
    for (int i = 1; i + 1 < s.n_sessions; i++) {
        const double there = log(x[i] / x[i - 1]), back = log(x[i] / x[i + 1]);
        bend[i - 1] = fabs(there + back);
        if (there * back > 0)
            s.farthest = fmax(s.farthest, fmin(fabs(there), fabs(back)));
    }
    const double seen = fmax(sp_median(bend, s.n_sessions - 2) / (0.6745 * sqrt(6)),
                             noise_of_steps(x, s.n_sessions) / (0.6745 * M_SQRT2));
    const double of_runs = variance_of_runs(list + (n - n_known), n_known, metric, first, s.n_sessions);
    s.noise = sqrt(fmax(0, seen * seen - of_runs));
    return s;
}

/* Both sides of a comparison have noise: the newest session, and the mean of those before it. The
 * standard deviation itself is the less known the fewer sessions it comes from. */
double sp_steadiness_limit(const struct sp_steadiness *s, int n_sessions, double noise_of_runs, double floor)
{
    static const double deviations = 3, of_few = 1.5;
    if (!s->is_known)
        return noise_of_runs > (floor > 0 ? floor : SP_SHIFT_FLOOR) ? 2.5 * noise_of_runs : 0;
    const double known = deviations * (1 + of_few / s->n_sessions);
    return fmax(expm1(known * s->noise * sqrt(1 + 1.0 / (n_sessions > 0 ? n_sessions : 1))),
                expm1(s->farthest));
}

struct sp_shift sp_shift_of_groups(const struct sp_entry *const *before, int n_before,
                                   const struct sp_entry *const *after, int n_after,
                                   const struct sp_steadiness *steadiness, const struct sp_judge_options *o,
                                   double *noise)
{
    double a[MOST_VALUES], b[MOST_VALUES], session[MOST_RECORDS];
    int first[MOST_RECORDS];
    struct sp_shift_options options = {.floor = o->floor, .confidence = o->confidence, .seed = o->seed};
    const struct sp_group group[] = {{values_of(before, n_before, o->metric, a), a},
                                     {values_of(after, n_after, o->metric, b), b}};
    const int n_sessions = sp_session_values(before, n_before, o->metric, session, first);
    *noise = noise_of_runs(before, n_before, after, n_after, o->metric);
    options.noise = *noise;
    options.raised = sp_steadiness_limit(steadiness, n_sessions, *noise, o->floor);
    return sp_shift_of(group[0], group[1], &options);
}

enum { DAY_S = 24 * 3600 };

static bool is_alive(const struct sp_entry *e, const struct sp_entry *newest)
{
    return entry_seconds(newest) - entry_seconds(e) <= DAY_S ||
           (e->commit[0] && strcmp(e->commit, newest->commit) == 0);
}

/* list[0 .. n) that list[n - 1] can be compared with, itself last; all, if it alone is. */
static enum sp_status gather(const struct sp_entry *const *list, int n, enum sp_tracked metric,
                             struct sp_newest *out, struct sp_error *err)
{
    out->list = malloc((size_t)n * sizeof(struct sp_entry *));
    if (!out->list)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for a series of %d records", n);
    out->newest = list[n - 1];
    out->n = 0;
    for (int i = 0; i < n; i++)
        if (list[i] == out->newest || sp_entries_comparable(list[i], out->newest, metric))
            out->list[out->n++] = list[i];
    if (out->n == 1) {
        memcpy(out->list, list, (size_t)n * sizeof(struct sp_entry *));
        out->n = n;
    }
    return SP_OK;
}

static void turn_round(struct sp_newest *newest, int n)
{
    for (int i = 0; i < n / 2; i++) {
        const struct sp_newest t = newest[i];
        newest[i] = newest[n - 1 - i];
        newest[n - 1 - i] = t;
    }
}

enum sp_status sp_newest_find(const struct sp_entry *const *list, int n, enum sp_tracked metric,
                              sp_entry_filter *filter, const void *context, struct sp_newest *newest,
                              int most, int *n_newest, struct sp_error *err)
{
    const struct sp_entry *latest = NULL;
    enum sp_status status = SP_OK;
    *n_newest = 0;
    for (int i = n - 1; i >= 0 && *n_newest < most && status == SP_OK; i--) {
        bool is_older = false;
        if (!filter(context, list[i]))
            continue;
        latest = latest ? latest : list[i];
        for (int k = 0; k < *n_newest && !is_older; k++)
            is_older = sp_entries_comparable(list[i], newest[k].newest, metric);
        if (is_older || !is_alive(list[i], latest))
            continue;
        status = gather(list, i + 1, metric, &newest[*n_newest], err);
        *n_newest += status == SP_OK;
    }
    turn_round(newest, *n_newest);
    return status;
}

void sp_newest_free(struct sp_newest *newest)
{
    free(newest->list);
    newest->list = NULL;
}
