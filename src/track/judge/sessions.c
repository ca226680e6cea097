#include "track/judge/sessions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/reading.h"
#include "track/judge/comparable.h"

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

/* --- Two groups of runs --------------------------------------------------------------------- */

enum { MOST_VALUES = 4 * SP_ENTRY_RUNS };

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

struct sp_shift sp_shift_of_runs(const struct sp_entry *const *before, int n_before,
                                 const struct sp_entry *const *after, int n_after, enum sp_tracked metric,
                                 double floor, uint64_t seed, double *noise)
{
    double a[MOST_VALUES], b[MOST_VALUES];
    const struct sp_group group[] = {{values_of(before, n_before, metric, a), a},
                                     {values_of(after, n_after, metric, b), b}};
    const struct sp_shift_options o = {.floor = floor, .seed = seed};
    const struct sp_shift s = sp_shift_of(group[0], group[1], &o);
    *noise = sp_noise_within(group, 2);
    return s;
}

/* --- Sessions ------------------------------------------------------------------------------ */

/* One run, or what a record has once. */
struct run {
    double y;
    int mode, session;
};

static double turned(enum sp_tracked metric, double x)
{
    return sp_tracked_metrics[metric].less_is_better ? log(x) : -log(x);
}

/* Runs of a record [SP_ENTRY_RUNS]; how many. */
static int runs_of(const struct sp_entry *e, enum sp_tracked metric, int session, struct run *out)
{
    int n = 0;
    for (int k = 0; sp_tracked_is_by_run(metric) && k < e->n_runs; k++) {
        const double x = value_of_run(e, metric, k);
        if (x > 0)
            out[n++] = (struct run){turned(metric, x), e->mode[k], session};
    }
    if (n == 0 && e->metric[metric] > 0)
        out[n++] = (struct run){turned(metric, e->metric[metric]), 0, session};
    return n;
}

/* Which records make a session, and which sources and accepted ones there are. */
static void divide(struct sp_sessions *s, const struct sp_entry *const *pinned, int n_pinned)
{
    bool was_pinned = false;
    s->n = 0;
    s->n_accepted = 0;
    for (int i = 0; i < s->n_records; i++) {
        const struct sp_entry *e = s->list[i], *begin = s->n > 0 ? s->list[s->first[s->n - 1]] : NULL;
        const bool is_pinned = sp_entry_is_among(e, pinned, n_pinned);
        if (!begin || is_pinned != was_pinned || e->confirms[0] || !sp_entries_share_session(begin, e)) {
            const bool same = begin && e->commit[0] && strcmp(begin->commit, e->commit) == 0 &&
                              strcmp(begin->tool, e->tool) == 0;
            const bool confirms = begin && sp_entry_confirms(e, s->list[i - 1]);
            s->commit[s->n] = begin ? s->commit[s->n - 1] + !(same || confirms) : 0;
            s->first[s->n++] = i;
        }
        was_pinned = is_pinned;
        if (is_pinned && s->n_accepted == 0)
            s->first_accepted = s->n - 1;
        if (is_pinned)
            s->n_accepted = s->n - s->first_accepted;
    }
    s->first[s->n] = s->n_records;
}

/* --- Modes --------------------------------------------------------------------------------- */

enum { N_MODES = SP_N_ENTRY_MODES };

/* Sessions that came in one mode or the other so often tell the mode from the source. */
enum { LEAST_TURNS = 3 };

/* ln of a mode over another one: the median of all pairs of runs within a session; where no session
 * has both, of sessions that follow each other. NAN: no pair. 0 where the series turned to the mode
 * and stayed: what is slower then is no property of the mode alone. */
static double offset_of(const struct run *run, int n, int mode, int usual, double *pair, int most)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        for (int k = i - SP_ENTRY_RUNS > 0 ? i - SP_ENTRY_RUNS : 0;
             k < n && run[i].mode == mode && run[k].session <= run[i].session && kept < most; k++)
            if (run[k].mode == usual && run[k].session == run[i].session)
                pair[kept++] = run[i].y - run[k].y;
    const bool within = kept > 0;
    for (int k = 1; k < n && !within && kept < most; k++) {
        const struct run *a = &run[k - 1], *b = &run[k];
        if (a->session != b->session && a->mode == mode && b->mode == usual)
            pair[kept++] = a->y - b->y;
        else if (a->session != b->session && a->mode == usual && b->mode == mode)
            pair[kept++] = b->y - a->y;
    }
    if (!within && kept > 0 && kept < LEAST_TURNS)
        return 0;
    return kept > 0 ? sp_median(pair, kept) : NAN;
}

static int usual_mode(const struct run *run, int n)
{
    int count[N_MODES] = {0}, usual = 0;
    for (int i = 0; i < n; i++)
        count[run[i].mode]++;
    for (int g = 1; g < N_MODES; g++)
        if (count[g] > count[usual])
            usual = g;
    return usual;
}

/* Takes modes out of the runs; those of one that was not seen before the newest source get the
 * session -1. *first: the first run of that source. */
static void take_modes_out(struct sp_sessions *s, struct run *run, int n, int first, double *pair, int most)
{
    const int usual = usual_mode(run, first > 0 ? first : n);
    double *offset = s->offset;
    int n_new = 0, seen = 0, strange = 0;
    for (int g = 0; g < N_MODES; g++)
        offset[g] = g == usual ? 0 : offset_of(run, first > 0 ? first : n, g, usual, pair, most);
    for (int i = 0; i < n; i++) {
        const double o = offset[run[i].mode];
        if (!isnan(o)) {
            run[i].y -= o;
            seen += i >= first;
            continue;
        }
        n_new++;
        strange = run[i].mode;
        run[i].session = -1;
    }
    if (n_new > 0 && first > 0)
        snprintf(s->modes, sizeof s->modes,
                 "a mode change: %d run%s in the mode '%s', which was never seen before", n_new,
                 n_new == 1 ? "" : "s", sp_entry_mode_name(strange));
    s->is_other_mode = n_new > 0 && seen == 0 && first > 0;
}

static double noise_of_runs(const struct run *run, int n, double *deviation, double *of_session)
{
    int n_deviations = 0;
    for (int begin = 0, end; begin < n; begin = end) {
        int kept = 0;
        for (end = begin; end < n && run[end].session == run[begin].session; end++)
            of_session[kept++] = run[end].y;
        if (kept < 3 || run[begin].session < 0)
            continue;
        const double middle = sp_median(of_session, kept);
        for (int i = 0; i < kept; i++)
            if (of_session[i] != middle)
                deviation[n_deviations++] = fabs(of_session[i] - middle);
    }
    return sp_spread_of_runs(deviation, n_deviations);
}

struct mode_count {
    int of[N_MODES], n; /* n: without those of an unknown mode */
};

static struct mode_count count_modes(const struct sp_sessions *s, int session)
{
    struct mode_count c = {0};
    for (int i = s->first[session]; i < s->first[session + 1]; i++)
        for (int k = 0; k < s->list[i]->n_runs; k++)
            c.of[(int)s->list[i]->mode[k]]++;
    for (int g = 1; g < N_MODES; g++)
        c.n += c.of[g];
    return c;
}

static int most_frequent(const struct mode_count *c)
{
    int most = 0;
    for (int g = 1; g < N_MODES; g++)
        if (c->of[g] > c->of[most])
            most = g;
    return most;
}

bool sp_sessions_turned(const struct sp_sessions *s, int session)
{
    if (session < 1 || session >= s->n)
        return false;
    const struct mode_count before = count_modes(s, session - 1), since = count_modes(s, session);
    const int was = most_frequent(&before), is = most_frequent(&since);
    return was > 0 && is > 0 && before.of[is] == 0 && since.of[was] == 0;
}

/* How much more a share differs from session to session than from run to run: Pearson's X^2 of the
 * sessions [begin, end), with two more as if all runs of a session had the same mode. */
static double overdispersion(const struct sp_sessions *s, int begin, int end, int mode, double share,
                             double runs)
{
    enum { PRIOR = 2 };
    double squares = PRIOR * runs;
    for (int i = begin; i < end; i++) {
        const struct mode_count c = count_modes(s, i);
        const double more = c.of[mode] - c.n * share, variance = c.n * share * (1 - share);
        squares += variance > 0 ? more * more / variance : 0;
    }
    return fmax(squares / (end - begin - 1 + PRIOR), 1);
}

/* Of the runs of sessions [begin, end): the mean of their modes' offsets. */
static double mean_offset(const struct sp_sessions *s, int begin, int end)
{
    double sum = 0, n = 0;
    for (int i = begin; i < end; i++) {
        const struct mode_count c = count_modes(s, i);
        for (int g = 1; g < N_MODES; g++)
            if (!isnan(s->offset[g])) {
                sum += c.of[g] * s->offset[g];
                n += c.of[g];
            }
    }
    return n > 0 ? sum / n : NAN;
}

static struct sp_lost_mode lost_mode(const struct sp_sessions *s, int begin, int mode)
{
    enum { LEAST_BEFORE = 4 }; /* sessions */
    struct sp_lost_mode lost = {.at = -1, .mode = mode, .p = 1};
    int at = s->n;
    double in_mode = 0, before = 0;
    for (; at > begin; at--) {
        const struct mode_count c = count_modes(s, at - 1);
        if (c.of[mode] > 0)
            break;
        lost.n_runs += c.n;
    }
    for (int i = begin; i < at; i++) {
        const struct mode_count c = count_modes(s, i);
        in_mode += c.of[mode];
        before += c.n;
    }
    if (at == s->n || at - begin < LEAST_BEFORE || in_mode == 0)
        return lost;
    lost.share = in_mode / before;
    lost.by = mean_offset(s, at, s->n) - mean_offset(s, begin, at);
    const double wider = overdispersion(s, begin, at, mode, lost.share, before / (at - begin)),
                 a = (in_mode + 0.5) / wider, b = (before - in_mode + 0.5) / wider, n = lost.n_runs / wider;
    lost.p = exp(lgamma(b + n) - lgamma(b) + lgamma(a + b) - lgamma(a + b + n));
    lost.at = lost.by > 0 ? at : -1; /* NAN: unknown how fast it was */
    return lost;
}

struct sp_lost_mode sp_sessions_lost_mode(const struct sp_sessions *s)
{
    struct sp_lost_mode least = {.at = -1, .p = 1};
    for (int g = 1; g < N_MODES; g++) {
        const struct sp_lost_mode lost = lost_mode(s, s->first_accepted, g);
        if (lost.at >= 0 && lost.p < least.p)
            least = lost;
    }
    return least;
}

/* The value of each session; those without one are left out. */
static void find_values(struct sp_sessions *s, const struct run *run, int n, double *scratch)
{
    int kept = 0, at = 0, accepted = 0, first_accepted = 0;
    for (int i = 0; i < s->n; i++) {
        int found = 0;
        for (; at < n && (run[at].session == i || run[at].session < 0); at++)
            if (run[at].session == i)
                scratch[found++] = run[at].y;
        if (found == 0)
            continue;
        if (i >= s->first_accepted && i < s->first_accepted + s->n_accepted) {
            first_accepted = accepted == 0 ? kept : first_accepted;
            accepted++;
        }
        s->y[kept] = sp_quantile(scratch, found, 0.25);
        s->commit[kept] = s->commit[i];
        s->first[kept++] = s->first[i];
    }
    s->first_accepted = first_accepted;
    s->n_accepted = accepted;
    s->n = kept;
    s->first[kept] = s->n_records;
}

static enum sp_status fill(struct sp_sessions *s, enum sp_tracked metric, struct sp_error *err)
{
    enum { PAIRS = 4096 };
    const size_t most = (size_t)s->n_records * SP_ENTRY_RUNS + 1;
    struct run *run = malloc(most * sizeof *run);
    double *scratch = malloc((2 * most + PAIRS) * sizeof *scratch);
    int n = 0, first = 0;
    if (!run || !scratch) {
        free(run);
        free(scratch);
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the runs of %d records", s->n_records);
    }
    for (int i = 0, session = 0; i < s->n_records; i++) {
        while (session + 1 < s->n && s->first[session + 1] <= i)
            session++;
        if (s->commit[session] == s->commit[s->n - 1] && first == 0 && i > 0 &&
            (session == 0 || s->commit[session] != s->commit[session - 1]) && s->first[session] == i)
            first = n;
        n += runs_of(s->list[i], metric, session, run + n);
    }
    take_modes_out(s, run, n, first, scratch, PAIRS);
    s->noise = noise_of_runs(run, n, scratch, scratch + most);
    find_values(s, run, n, scratch);
    free(run);
    free(scratch);
    return SP_OK;
}

enum sp_status sp_sessions_of(const struct sp_entry *const *list, int n, const struct sp_entry *const *pinned,
                              int n_pinned, enum sp_tracked metric, struct sp_sessions *s,
                              struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->list = malloc((size_t)(n + 1) * sizeof(struct sp_entry *));
    s->first = malloc((size_t)(n + 1) * sizeof *s->first);
    s->y = malloc((size_t)(n + 1) * sizeof *s->y);
    s->commit = malloc((size_t)(n + 1) * sizeof *s->commit);
    if (!s->list || !s->first || !s->y || !s->commit) {
        sp_sessions_free(s);
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the sessions of %d records", n);
    }
    s->n_records = 0;
    for (int i = 0; i < n; i++)
        if (list[i]->metric[metric] > 0 || (sp_tracked_is_by_run(metric) && list[i]->n_runs > 0))
            s->list[s->n_records++] = list[i];
    divide(s, pinned, n_pinned);
    s->runs = s->n_records > 0 ? s->list[s->n_records - 1]->n_runs : 0;
    const enum sp_status status = s->n > 0 ? fill(s, metric, err) : SP_OK;
    if (status != SP_OK)
        sp_sessions_free(s);
    return status;
}

void sp_sessions_free(struct sp_sessions *s)
{
    free(s->list);
    free(s->first);
    free(s->y);
    free(s->commit);
    memset(s, 0, sizeof *s);
}

struct sp_spread sp_sessions_spread(const struct sp_sessions *s)
{
    enum { MOST = 512 }; /* steps that tell enough */
    double step[MOST];
    int n = 0;
    for (int i = s->n > MOST ? s->n - MOST : 1; i < s->n; i++)
        step[n++] = s->y[i] - s->y[i - 1];
    return n < 3 ? (struct sp_spread){0} : sp_spread_of_steps(step, n);
}

/* --- What all series have in common -------------------------------------------------------- */

struct shared {
    const struct sp_entry *entry; /* whose commit and start it has */
    int series, session, at;      /* at: of the common sessions */
};

static int by_start(const void *x, const void *y)
{
    const struct shared *a = x, *b = y;
    const int order = strcmp(a->entry->start, b->entry->start);
    return order ? order : (a->series > b->series) - (a->series < b->series);
}

/* Numbers the common sessions in the order of their start; how many. */
static int number_sessions(struct shared *list, int n)
{
    int n_common = 0;
    for (int i = 0; i < n; i++) {
        list[i].at = -1;
        for (int k = i - 1; k >= 0 && list[i].at < 0; k--) {
            if (entry_seconds(list[i].entry) - entry_seconds(list[k].entry) > SP_SESSION_S)
                break;
            if (sp_entries_share_session(list[k].entry, list[i].entry))
                list[i].at = list[k].at;
        }
        if (list[i].at < 0)
            list[i].at = n_common++;
    }
    return n_common;
}

/* Robust variance of a list of steps. */
static double variance_of_steps(const double *step, int n, double *scratch)
{
    for (int i = 0; i < n; i++)
        scratch[i] = fabs(step[i]);
    const double s = n > 0 ? 1.4826 * sp_median(scratch, n) : 0;
    return 0.5 * s * s;
}

struct table {
    int n_series, n; /* n: common sessions */
    double *y;       /* [n_series * n], NAN: not measured */
    double *level;   /* [n_series] */
    double *common;  /* [n] */
    double *scratch; /* [n_series * n + 1] */
};

static double median_of_column(const struct table *t, int at, int without, int *count)
{
    int n = 0;
    for (int j = 0; j < t->n_series; j++)
        if (j != without && !isnan(t->y[j * t->n + at]))
            t->scratch[n++] = t->y[j * t->n + at] - t->level[j];
    *count = n;
    return n > 0 ? sp_median(t->scratch, n) : 0;
}

/* Levels of the series and what is common to a session, by turns (Tukey's median polish). */
static void polish(struct table *t)
{
    enum { TURNS = 4 };
    int count;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int j = 0; j < t->n_series; j++) {
            int n = 0;
            for (int i = 0; i < t->n; i++)
                if (!isnan(t->y[j * t->n + i]))
                    t->scratch[n++] = t->y[j * t->n + i] - t->common[i];
            t->level[j] = n > 0 ? sp_median(t->scratch, n) : 0;
        }
        for (int i = 0; i < t->n; i++) {
            const double c = median_of_column(t, i, -1, &count);
            t->common[i] = count >= SP_COMMON_LEAST ? c : 0;
        }
    }
}

/* The share of what is common that the series' own noise does not explain. */
static double share_of_common(const struct table *t, double *step)
{
    static const double surely = 2; /* what is less may be chance: of ten steps one in twenty is */
    int n = 0, n_own = 0;
    double width = 0;
    for (int i = 1; i < t->n; i++)
        step[n++] = t->common[i] - t->common[i - 1];
    const double all = variance_of_steps(step, n, t->scratch);
    for (int j = 0; j < t->n_series; j++) {
        int before = -1;
        for (int i = 0; i < t->n; i++) {
            if (isnan(t->y[j * t->n + i]))
                continue;
            width++;
            if (before >= 0)
                step[n_own++] =
                    t->y[j * t->n + i] - t->common[i] - (t->y[j * t->n + before] - t->common[before]);
            before = i;
        }
    }
    const double own = 0.5 * M_PI * variance_of_steps(step, n_own, t->scratch) * t->n / width;
    return all > surely * own ? 1 - own / all : 0;
}

static void take_out(struct sp_sessions *const *series, const struct shared *list, int n,
                     const struct table *t, double share)
{
    int count;
    for (int i = 0; i < n; i++) {
        const double others = median_of_column(t, list[i].at, list[i].series, &count);
        if (count >= SP_COMMON_LEAST - 1)
            series[list[i].series]->y[list[i].session] -= share * others;
    }
}

static enum sp_status common_of(struct sp_sessions *const *series, struct shared *list, int n,
                                struct table *t, double *step, struct sp_common *out, struct sp_error *err)
{
    for (int i = 0; i < t->n_series * t->n; i++)
        t->y[i] = NAN;
    for (int i = 0; i < n; i++)
        t->y[list[i].series * t->n + list[i].at] = series[list[i].series]->y[list[i].session];
    polish(t);
    out->share = share_of_common(t, step);
    out->n_series = t->n_series;
    out->y = malloc((size_t)(t->n + 1) * sizeof *out->y);
    out->commit = malloc((size_t)(t->n + 1) * sizeof *out->commit);
    out->newest = malloc((size_t)(t->n + 1) * sizeof(struct sp_entry *));
    if (!out->y || !out->commit || !out->newest) {
        sp_common_free(out);
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %d common sessions", t->n);
    }
    for (int at = 0; at < t->n; at++) {
        int count;
        const struct sp_entry *one = NULL;
        for (int i = 0; i < n; i++)
            if (list[i].at == at)
                one = list[i].entry;
        median_of_column(t, at, -1, &count);
        if (!one || count < SP_COMMON_LEAST)
            continue;
        const struct sp_entry *last = out->n > 0 ? out->newest[out->n - 1] : NULL;
        out->commit[out->n] = last ? out->commit[out->n - 1] + (strcmp(last->commit, one->commit) != 0) : 0;
        out->newest[out->n] = one;
        out->y[out->n++] = t->common[at];
    }
    if (out->share > 0)
        take_out(series, list, n, t, out->share);
    return SP_OK;
}

enum sp_status sp_common_take_out(struct sp_sessions *const *series, int n, struct sp_common *out,
                                  struct sp_error *err)
{
    int n_shared = 0;
    memset(out, 0, sizeof *out);
    for (int j = 0; j < n; j++)
        n_shared += series[j]->n;
    if (n < SP_COMMON_LEAST || n_shared == 0)
        return SP_OK;
    struct shared *list = malloc((size_t)n_shared * sizeof *list);
    double *numbers = NULL;
    enum sp_status status = SP_OK;
    n_shared = 0;
    for (int j = 0; list && j < n; j++)
        for (int i = 0; i < series[j]->n; i++) {
            const struct sp_entry *e = series[j]->list[series[j]->first[i]];
            if (e->commit[0] && !e->confirms[0])
                list[n_shared++] = (struct shared){e, j, i, -1};
        }
    if (list && n_shared > 0) {
        sp_sort_by(list, n_shared, sizeof *list, by_start);
        const int n_common = number_sessions(list, n_shared);
        const size_t cells = (size_t)n * (size_t)n_common;
        numbers = calloc(3 * cells + (size_t)n + (size_t)n_common + 2, sizeof *numbers);
        struct table t = {.n_series = n, .n = n_common, .y = numbers};
        if (numbers) {
            t.scratch = numbers + cells;
            t.level = t.scratch + cells + 1;
            t.common = t.level + n;
            status = common_of(series, list, n_shared, &t, t.common + n_common, out, err);
        }
    }
    if (!list || (n_shared > 0 && !numbers))
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for what %d series have in common", n);
    free(list);
    free(numbers);
    return status;
}

void sp_common_free(struct sp_common *c)
{
    free(c->y);
    free(c->commit);
    free(c->newest);
    memset(c, 0, sizeof *c);
}

/* --- What is judged ------------------------------------------------------------------------ */

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
