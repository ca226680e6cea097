#include "track/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RECORDS = 64, MOST_VALUES = MOST_RECORDS * SP_ENTRY_RUNS };
/* A metric without noise that moved by more than this has moved. */
#define EXACT_FLOOR 0.001
/* Instructions are counted with the few that interrupts and waiting threads add. */
#define INSTRUCTIONS_FLOOR 0.005

const char *sp_track_verdict_name(enum sp_verdict_of_track verdict)
{
    static const char *const names[] = {"ok", "regressed", "improved", "inconclusive", "not comparable"};
    return names[verdict];
}

int sp_track_exit_code(enum sp_verdict_of_track verdict)
{
    return verdict == SP_TRACK_REGRESSED                                            ? 1
           : verdict == SP_TRACK_INCONCLUSIVE || verdict == SP_TRACK_NOT_COMPARABLE ? 5
                                                                                    : 0;
}

static time_t seconds_of(const char *start)
{
    struct tm t = {0};
    if (!strptime(start, "%Y-%m-%dT%H:%M:%S", &t))
        return 0;
    return timegm(&t);
}

static bool is_rate(enum sp_tracked metric)
{
    return metric == SP_TRACKED_BANDWIDTH || metric == SP_TRACKED_PERFORMANCE ||
           metric == SP_TRACKED_FRACTION || metric == SP_TRACKED_MODEL_FRACTION;
}

/* Values of all runs of some records: each has its own time and roof, and so its own rates; what a record has
 * once counts once. */
static int values_of(const struct sp_entry *const *list, int n, enum sp_tracked metric, double *out)
{
    int n_values = 0;
    for (int i = 0; i < n; i++) {
        const struct sp_entry *e = list[i];
        const double all = e->metric[metric], t = e->metric[SP_TRACKED_TIME];
        const bool by_run = metric == SP_TRACKED_TIME || metric == SP_TRACKED_ROOF || is_rate(metric);
        for (int k = 0; k < (by_run ? e->n_runs : 1) && n_values < MOST_VALUES; k++) {
            const double x = metric == SP_TRACKED_TIME   ? e->time_s[k]
                             : metric == SP_TRACKED_ROOF ? e->roof_Bps[k]
                             : by_run                    ? all * t / e->time_s[k]
                                                         : all;
            if (x > 0)
                out[n_values++] = x;
        }
    }
    return n_values;
}

/* Standard deviation of ln of the records' medians: what a session differs from the next by, beyond what its
 * runs differ by; 0: too few records. */
static double noise_between(const struct sp_entry *const *list, int n)
{
    enum { LEAST = 4 };
    double x[MOST_RECORDS];
    int kept = 0;
    for (int i = 0; i < n && kept < MOST_RECORDS; i++)
        if (list[i]->metric[SP_TRACKED_TIME] > 0)
            x[kept++] = list[i]->metric[SP_TRACKED_TIME];
    double mean = 0, squares = 0;
    for (int i = 0; i < kept; i++)
        mean += log(x[i]) / kept;
    for (int i = 0; i < kept; i++)
        squares += (log(x[i]) - mean) * (log(x[i]) - mean);
    return kept >= LEAST ? sqrt(squares / (kept - 1)) : 0;
}

static struct sp_shift shift_between(const struct sp_entry *const *before, int n_before,
                                     const struct sp_entry *const *after, int n_after,
                                     const struct sp_judge_options *o)
{
    double a[MOST_VALUES], b[MOST_VALUES];
    struct sp_shift_options options = {.floor = o->floor, .confidence = o->confidence, .seed = o->seed};
    const struct sp_group from = {values_of(before, n_before, o->metric, a), a};
    const struct sp_group to = {values_of(after, n_after, o->metric, b), b};
    options.raised = 2.5 * noise_between(before, n_before);
    return sp_shift_of(from, to, &options);
}

static bool is_simulated(const struct sp_entry *e, enum sp_tracked metric)
{
    return (metric == SP_TRACKED_BYTES || metric == SP_TRACKED_ALPHA) &&
           strcmp(e->origin[SP_TRACKED_BYTES], "measured") != 0;
}

static bool is_exact(const struct sp_entry *e, enum sp_tracked metric)
{
    return metric == SP_TRACKED_INSTRUCTIONS || is_simulated(e, metric);
}

/* Against the last record before that knows the metric. */
static struct sp_shift shift_exactly(const struct sp_entry *const *before, int n_before,
                                     const struct sp_entry *newest, enum sp_tracked metric)
{
    const double floor = metric == SP_TRACKED_INSTRUCTIONS ? INSTRUCTIONS_FLOOR : EXACT_FLOOR;
    int last = n_before - 1;
    while (last > 0 && isnan(before[last]->metric[metric]))
        last--;
    const double was = last >= 0 ? before[last]->metric[metric] : NAN, is = newest->metric[metric];
    struct sp_shift s = {
        .move = SP_MOVE_UNDECIDED, .change = NAN, .lo = NAN, .hi = NAN, .p = 1, .floor = floor};
    if (isnan(was) || isnan(is))
        return s;
    s.change = s.lo = s.hi = was > 0 ? is / was - 1 : is > 0 ? INFINITY : 0;
    s.move = s.change > floor ? SP_MOVE_UP : s.change < -floor ? SP_MOVE_DOWN : SP_MOVE_NONE;
    s.p = s.move == SP_MOVE_NONE ? 1 : 0;
    return s;
}

static enum sp_verdict_of_track verdict_of(const struct sp_shift *s, enum sp_tracked metric)
{
    const bool less_is_better = sp_tracked_metrics[metric].less_is_better;
    switch (s->move) {
    case SP_MOVE_NONE:
        return SP_TRACK_OK;
    case SP_MOVE_UP:
        return less_is_better ? SP_TRACK_REGRESSED : SP_TRACK_IMPROVED;
    case SP_MOVE_DOWN:
        return less_is_better ? SP_TRACK_IMPROVED : SP_TRACK_REGRESSED;
    case SP_MOVE_UNDECIDED:
        break;
    }
    return SP_TRACK_INCONCLUSIVE;
}

/* The rolling baseline decides; the pinned one may only make it worse, so that small steps cannot add up. */
static void decide(struct sp_judgement *j)
{
    j->verdict = verdict_of(&j->shift, j->metric);
    if (j->verdict == SP_TRACK_INCONCLUSIVE && j->shift.n_more > 0) {
        const int n = snprintf(j->why, sizeof j->why, "it needs about %d more run%s a side", j->shift.n_more,
                               j->shift.n_more == 1 ? "" : "s");
        if (j->shift.noise > 0)
            snprintf(j->why + n, sizeof j->why - (size_t)n, " at this noise (%.1f %% from run to run)",
                     100 * j->shift.noise);
    }
    if (j->verdict == SP_TRACK_INCONCLUSIVE && j->is_exact && isnan(j->shift.change))
        snprintf(j->why, sizeof j->why, "%s %s%s", sp_tracked_metrics[j->metric].name,
                 isnan(j->newest->metric[j->metric]) ? "unknown in the newest record"
                                                     : "unknown in the records before",
                 j->metric == SP_TRACKED_INSTRUCTIONS ? ": they need a counter of their own for the whole "
                                                        "time (spmodel doctor; core_events in the record)"
                                                      : "");
    if (!j->has_pinned)
        return;
    const enum sp_verdict_of_track pinned = verdict_of(&j->pinned, j->metric);
    if (pinned == SP_TRACK_REGRESSED && j->verdict != SP_TRACK_REGRESSED) {
        j->verdict = SP_TRACK_REGRESSED;
        snprintf(j->why, sizeof j->why,
                 "against the accepted baseline (%+.1f %%); against the last records %+.1f %%",
                 100 * j->pinned.change, 100 * j->shift.change);
    }
}

void sp_judge_two(const struct sp_entry *const *before, int n_before, const struct sp_entry *const *after,
                  int n_after, const struct sp_judge_options *o, struct sp_judgement *out)
{
    memset(out, 0, sizeof *out);
    out->metric = o->metric;
    out->newest = after[n_after - 1];
    out->oldest = after[0];
    out->n_before = n_before;
    out->n_after = n_after;
    out->is_exact = is_exact(out->newest, o->metric);
    out->shift = out->is_exact ? shift_exactly(before, n_before, out->newest, o->metric)
                               : shift_between(before, n_before, after, n_after, o);
    if (n_before > 0)
        sp_attribute(before, n_before, after, n_after, &out->attribution);
    decide(out);
}

bool sp_entry_confirms(const struct sp_entry *later, const struct sp_entry *earlier)
{
    return later->confirms[0] &&
           (strcmp(later->confirms, earlier->id) == 0 || strcmp(later->confirms, earlier->confirms) == 0);
}

/* First of the last records that belong to one session. */
static int session_begin(const struct sp_entry *const *list, int n)
{
    int first = n - 1;
    const struct sp_entry *newest = list[n - 1];
    while (first > 0 && (sp_entry_confirms(list[first], list[first - 1]) ||
                         (strcmp(list[first - 1]->commit, newest->commit) == 0 && newest->commit[0] &&
                          strcmp(list[first - 1]->tool, newest->tool) == 0 &&
                          seconds_of(newest->start) - seconds_of(list[first - 1]->start) <= SP_SESSION_S)))
        first--;
    return first;
}

/* May these two be compared? Simulated bytes belong to the simulated caches, all else to the environment. */
static bool is_comparable(const struct sp_entry *a, const struct sp_entry *b, enum sp_tracked metric)
{
    if ((metric == SP_TRACKED_BYTES || metric == SP_TRACKED_ALPHA) &&
        strcmp(a->origin[SP_TRACKED_BYTES], b->origin[SP_TRACKED_BYTES]) != 0)
        return false;
    return is_simulated(a, metric) ? strcmp(a->caches, b->caches) == 0 : strcmp(a->env, b->env) == 0;
}

void sp_judge(const struct sp_entry *const *list, int n, const struct sp_entry *const *pinned, int n_pinned,
              const struct sp_judge_options *o, struct sp_judgement *out)
{
    const struct sp_entry *same[MOST_RECORDS], *kept_pins[MOST_RECORDS];
    const struct sp_entry *newest = list[n - 1], *other = NULL;
    int n_same = 0, n_pins = 0;
    const int most = o->n_baseline > 0 && o->n_baseline < MOST_RECORDS / 2 ? o->n_baseline : 10;
    for (int i = n - 1; i >= 0 && n_same < MOST_RECORDS; i--) { /* the latest, newest last */
        if (is_comparable(list[i], newest, o->metric))
            same[MOST_RECORDS - ++n_same] = list[i];
        else if (!other)
            other = list[i];
    }
    const struct sp_entry *const *mine = same + MOST_RECORDS - n_same;
    const int begin = session_begin(mine, n_same);
    const int first = begin > most ? begin - most : 0;
    for (int i = 0; i < n_pinned && n_pins < MOST_RECORDS; i++)
        if (is_comparable(pinned[i], newest, o->metric))
            kept_pins[n_pins++] = pinned[i];
    memset(out, 0, sizeof *out);
    out->metric = o->metric;
    out->newest = newest;
    out->oldest = mine[begin];
    out->n_after = n_same - begin;
    out->is_exact = is_exact(newest, o->metric);
    if (begin == 0 && n_pins == 0) {
        out->shift = (struct sp_shift){.move = SP_MOVE_UNDECIDED, .p = 1};
        out->verdict = other ? SP_TRACK_NOT_COMPARABLE : SP_TRACK_INCONCLUSIVE;
        if (other)
            snprintf(out->why, sizeof out->why,
                     "its series was measured in another environment before: %s on %s", other->env,
                     other->machine);
        else
            snprintf(out->why, sizeof out->why, "there is nothing before it in this series yet");
        return;
    }
    if (begin > 0)
        sp_judge_two(mine + first, begin - first, mine + begin, n_same - begin, o, out);
    if (n_pins > 0) {
        out->has_pinned = true;
        out->pinned = out->is_exact ? shift_exactly(kept_pins, n_pins, newest, o->metric)
                                    : shift_between(kept_pins, n_pins, mine + begin, n_same - begin, o);
        if (begin == 0) {
            out->shift = out->pinned;
            sp_attribute(kept_pins, n_pins, mine + begin, n_same - begin, &out->attribution);
        }
        out->why[0] = '\0';
        decide(out);
    }
}

void sp_judge_many(struct sp_judgement *judgement, int n, double q)
{
    double *p = calloc((size_t)(n > 0 ? n : 1), sizeof *p);
    unsigned char *found = malloc((size_t)(n > 0 ? n : 1));
    int n_tests = 0;
    for (int i = 0; p && found && i < n; i++)
        if (judgement[i].verdict != SP_TRACK_NOT_COMPARABLE && judgement[i].shift.floor > 0)
            p[n_tests++] = fmin(judgement[i].shift.p, judgement[i].has_pinned ? judgement[i].pinned.p : 1);
    if (p && found)
        sp_discoveries(p, n_tests, q, found);
    int at = 0;
    for (int i = 0; p && found && i < n; i++) {
        struct sp_judgement *j = &judgement[i];
        if (j->verdict == SP_TRACK_NOT_COMPARABLE || j->shift.floor <= 0)
            continue;
        const bool discovered = found[at++];
        if (!discovered && (j->verdict == SP_TRACK_REGRESSED || j->verdict == SP_TRACK_IMPROVED)) {
            snprintf(j->why, sizeof j->why, "among %d series a change as large comes by chance (p = %.3f)",
                     n_tests, j->shift.p);
            j->verdict = SP_TRACK_INCONCLUSIVE;
        }
    }
    free(p);
    free(found);
}
