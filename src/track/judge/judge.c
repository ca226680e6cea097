#include "track/judge/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "track/judge/comparable.h"

enum { MOST_GROUP = 16, MOST_PINS = 64 };
/* A metric without noise that moved by more than this has moved. */
#define EXACT_FLOOR 0.001
/* Instructions are counted with the few that interrupts and waiting threads add. */
#define INSTRUCTIONS_FLOOR 0.005

const char *sp_track_verdict_name(enum sp_verdict_of_track verdict)
{
    static const char *const names[] = {"ok",       "regressed",    "machine",
                                        "improved", "inconclusive", "not comparable"};
    return names[verdict];
}

const char *sp_change_kind_name(enum sp_change_kind kind)
{
    static const char *const names[] = {"", "step", "trend", "mode change"};
    return names[kind];
}

int sp_track_exit_code(enum sp_verdict_of_track verdict)
{
    return verdict == SP_TRACK_REGRESSED                                            ? 1
           : verdict == SP_TRACK_MACHINE                                            ? 8
           : verdict == SP_TRACK_INCONCLUSIVE || verdict == SP_TRACK_NOT_COMPARABLE ? 5
                                                                                    : 0;
}

const char *sp_judgement_baseline(const struct sp_judgement *j)
{
    return j->is_accepted ? "accepted" : "records before";
}

static bool is_exact(const struct sp_entry *e, enum sp_tracked metric)
{
    return metric == SP_TRACKED_INSTRUCTIONS || sp_entry_is_simulated(e, metric);
}

static double floor_of(const struct sp_judge_options *o, bool exact)
{
    return o->floor > 0                           ? o->floor
           : !exact                               ? SP_SHIFT_FLOOR
           : o->metric == SP_TRACKED_INSTRUCTIONS ? INSTRUCTIONS_FLOOR
                                                  : EXACT_FLOOR;
}

static double signed_of(enum sp_tracked metric, double worse)
{
    return expm1(sp_tracked_metrics[metric].less_is_better ? worse : -worse);
}

/* --- What is judged, and with what --------------------------------------------------------- */

struct subject {
    const struct sp_judged_series *given;
    const struct sp_entry **list; /* [n] that the newest can be compared with, itself last */
    int n;
    const struct sp_entry *pin[MOST_PINS], *newest, *other;
    int n_pins;
    bool is_pinned_itself, is_exact;
    struct sp_sessions sessions;
    struct sp_spread prior;
    int group; /* of its environment */
};

/* The accepted records that the newest may be held against: neither itself, nor what was measured
 * after it, where an older record is judged. */
static void find_pins(const struct sp_judged_series *g, enum sp_tracked metric, struct subject *s)
{
    s->is_pinned_itself = sp_entry_is_among(s->newest, g->pinned, g->n_pinned);
    for (int i = 0; i < g->n_pinned && s->n_pins < MOST_PINS && !s->is_pinned_itself; i++)
        if (sp_entry_order(g->pinned[i], s->newest) <= 0 &&
            sp_entries_comparable(g->pinned[i], s->newest, metric))
            s->pin[s->n_pins++] = g->pinned[i];
}

static enum sp_status subject_of(const struct sp_judged_series *g, const struct sp_judge_options *o,
                                 struct subject *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->given = g;
    s->newest = g->list[g->n - 1];
    s->is_exact = is_exact(s->newest, o->metric);
    s->list = malloc((size_t)g->n * sizeof(struct sp_entry *));
    if (!s->list)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for a series of %d records", g->n);
    for (int i = 0; i < g->n; i++)
        if (sp_entries_comparable(g->list[i], s->newest, o->metric))
            s->list[s->n++] = g->list[i];
        else
            s->other = g->list[i];
    find_pins(g, o->metric, s);
    return s->is_exact ? SP_OK
                       : sp_sessions_of(s->list, s->n, s->pin, s->n_pins, o->metric, &s->sessions, err);
}

static void subject_free(struct subject *s)
{
    free(s->list);
    sp_sessions_free(&s->sessions);
}

static void begin_judgement(const struct subject *s, enum sp_tracked metric, struct sp_judgement *j)
{
    memset(j, 0, sizeof *j);
    j->metric = metric;
    j->newest = j->oldest = s->newest;
    j->n_after = 1;
    j->is_exact = s->is_exact;
    j->pinned_change = NAN;
    j->is_accepted = s->n_pins > 0;
    j->shift = (struct sp_shift){.move = SP_MOVE_UNDECIDED, .p = 1};
}

/* What was measured last has been accepted as it is. */
static void say_accepted(struct sp_judgement *j)
{
    j->shift = (struct sp_shift){.move = SP_MOVE_NONE, .p = 1};
    j->verdict = SP_TRACK_OK;
    snprintf(j->why, sizeof j->why, "it is the accepted baseline itself");
}

/* There is nothing to compare with: why not? */
static void say_nothing_before(const struct subject *s, struct sp_judgement *j)
{
    const struct sp_entry *is = j->newest, *was = s->other;
    const char *word = is->origin[SP_TRACKED_BYTES], *old = was ? was->origin[SP_TRACKED_BYTES] : "";
    j->other = was;
    j->verdict = was ? SP_TRACK_NOT_COMPARABLE : SP_TRACK_INCONCLUSIVE;
    if (!was)
        snprintf(j->why, sizeof j->why, "there is nothing before it in this series yet");
    else if (sp_tracked_is_of_bytes(j->metric) && strcmp(word, old) != 0)
        snprintf(j->why, sizeof j->why, "its bytes are %s, those of the records before it %s",
                 *word ? word : "unknown", *old ? old : "unknown");
    else if (sp_tracked_uses_bytes(j->metric) && is->bytes_version != was->bytes_version)
        snprintf(j->why, sizeof j->why,
                 "what simulated bytes are has changed: version %lld here, %lld in the records before it",
                 (long long)is->bytes_version, (long long)was->bytes_version);
    else if (sp_entry_is_simulated(is, j->metric))
        snprintf(j->why, sizeof j->why,
                 "the bytes before it were simulated with other caches or another number of threads: on %s",
                 was->machine);
    else if (sp_entry_is_from_outside(is) && strcmp(is->env, was->env) == 0)
        snprintf(j->why, sizeof j->why, "the records before it were %s", was->what);
    else
        snprintf(j->why, sizeof j->why, "its series was measured in another environment before: %.8s on %s",
                 was->env, was->machine);
}

static void say_unknown(struct sp_judgement *j, const char *where)
{
    j->verdict = SP_TRACK_INCONCLUSIVE;
    j->shift.change = j->shift.lo = j->shift.hi = j->shift.p = NAN;
    snprintf(j->why, sizeof j->why, "%s unknown in %s%s", sp_tracked_metrics[j->metric].name, where,
             j->metric == SP_TRACKED_INSTRUCTIONS ? ": they need a counter of their own for the whole "
                                                    "time (spmodel doctor; core_events in the record)"
                                                  : "");
}

/* Up to MOST_GROUP of list[0 .. end), and what is from there on, make the cause. */
static void attribute(const struct sp_entry *const *list, int n, int end, struct sp_attribution *a)
{
    const int first = end > MOST_GROUP ? end - MOST_GROUP : 0,
              last = n - end > MOST_GROUP ? n - MOST_GROUP : end;
    if (end > 0 && end < n)
        sp_attribute(list + first, end - first, list + last, n - last, a);
}

/* --- A metric without noise ---------------------------------------------------------------- */

struct exact_level {
    double x;
    int since;
};

/* Levels of values that are exact: each one that is worse is open until it is mended. */
struct exact_levels {
    struct exact_level level[SP_MOST_OPEN + 1];
    int height;
    double before; /* the best one before the newest; NAN: none */
    int mended;
};

static void follow_exactly(struct exact_levels *l, double x, int i, double floor)
{
    const double more = 1 + floor;
    int since = i;
    l->mended = -1;
    l->before = l->height > 0 ? l->level[0].x : NAN;
    if (l->height == 0) {
        l->level[l->height++] = (struct exact_level){x, i};
        return;
    }
    while (l->height > 1 && x * more < l->level[l->height - 1].x) {
        since = l->level[--l->height].since;
        l->mended = since;
    }
    if (x > l->level[l->height - 1].x * more && l->height <= SP_MOST_OPEN) {
        l->level[l->height++] = (struct exact_level){x, since};
        l->mended = -1;
    }
    if (l->height == 1)
        l->level[0].x = fmin(l->level[0].x, x);
}

/* The best of the records [begin, end); `otherwise` where none knows the metric. */
static double best_of(const struct subject *s, enum sp_tracked metric, int begin, int end, double otherwise)
{
    double best = INFINITY;
    for (int i = begin; i < end; i++)
        best = fmin(best, s->list[i]->metric[metric]);
    return isfinite(best) ? best : otherwise;
}

static void judge_exactly(const struct subject *s, const struct sp_judge_options *o, struct sp_judgement *j)
{
    const double floor = floor_of(o, true), is = s->newest->metric[o->metric];
    struct exact_levels l = {.before = NAN, .mended = -1};
    int first = 0, known = 0;
    for (int i = 0; i < s->n && s->n_pins > 0 && first == 0; i++)
        first = sp_entry_is_among(s->list[i], s->pin, s->n_pins) ? i : 0;
    for (int i = first; i < s->n; i++)
        if (!isnan(s->list[i]->metric[o->metric])) {
            if (o->n_baseline > 0 && l.height == 1 && i - first > o->n_baseline)
                l.level[0].x = best_of(s, o->metric, i - o->n_baseline, i, l.level[0].x);
            follow_exactly(&l, s->list[i]->metric[o->metric], i, floor);
            known += i < s->n - 1;
        }
    j->n_before = s->n - 1 - first;
    if (o->n_baseline > 0 && j->n_before > o->n_baseline && l.height == 1)
        j->n_before = o->n_baseline;
    j->shift.floor = floor;
    if (isnan(is) || known == 0) {
        say_unknown(j, isnan(is) ? "the newest record" : "the records before");
        return;
    }
    const double was = l.before;
    j->shift.change = was > 0 ? is / was - 1 : is > 0 ? INFINITY : 0;
    j->shift.lo = j->shift.hi = j->shift.change;
    j->verdict = l.height > 1               ? SP_TRACK_REGRESSED
                 : j->shift.change < -floor ? SP_TRACK_IMPROVED
                                            : SP_TRACK_OK;
    j->shift.p = l.height > 1 ? 0 : 1;
    if (s->n_pins > 0)
        j->pinned_change = is / s->pin[s->n_pins - 1]->metric[o->metric] - 1;
    if (l.mended >= 0)
        j->mended = s->list[l.mended];
    for (int i = 1; i < l.height; i++) {
        const int since = l.level[i].since;
        j->open[j->n_open++] = (struct sp_open_change){.kind = SP_CHANGE_STEP,
                                                       .since = s->list[since],
                                                       .before = s->list[since > 0 ? since - 1 : 0],
                                                       .by = l.level[i].x / l.level[i - 1].x - 1};
    }
    if (j->n_open > 0) {
        j->kind = SP_CHANGE_STEP;
        j->seen = s->n - l.level[1].since;
    }
    attribute(s->list, s->n, s->n - 1, &j->attribution);
}

/* --- A metric with noise ------------------------------------------------------------------- */

static struct sp_level_options level_options(const struct subject *s, const struct sp_judge_options *o,
                                             double alpha)
{
    return (struct sp_level_options){
        .floor = log1p(floor_of(o, false)), .alpha = alpha, .prior = s->prior, .most_before = o->n_baseline};
}

static struct sp_level_series level_series(const struct sp_sessions *s)
{
    return (struct sp_level_series){.n = s->n,
                                    .y = s->y,
                                    .commit = s->commit,
                                    .first_accepted = s->first_accepted,
                                    .n_accepted = s->n_accepted};
}

static int sessions_of_newest(const struct sp_sessions *s)
{
    int n = 1;
    while (n < s->n && s->commit[s->n - 1 - n] == s->commit[s->n - 1])
        n++;
    return n;
}

/* More sessions until the interval is no wider than the floor on each side; 0: none of 30 do. */
static int sessions_needed(const struct sp_level_state *l, double floor)
{
    for (int more = 1; more <= 30; more++)
        if (2 * l->sigma * sqrt(1.0 / l->k + 1.0 / (l->m + more)) < floor)
            return more;
    return 0;
}

static void say_undecided(const struct sp_level_state *l, double floor, struct sp_judgement *j)
{
    j->shift.n_more = sessions_needed(l, floor);
    if (j->shift.n_more > 0)
        snprintf(j->why, sizeof j->why,
                 "it needs about %d more session%s: sessions of unchanged code differ by "
                 "%.1f %% here",
                 j->shift.n_more, j->shift.n_more == 1 ? "" : "s", 100 * expm1(l->sigma));
    else
        snprintf(
            j->why, sizeof j->why,
            "sessions of unchanged code differ by %.1f %% here, and there are only %d before it: a longer "
            "history decides it, or more runs a session",
            100 * expm1(l->sigma), l->k);
}

/* A change of a series as records tell it. */
static struct sp_open_change told(const struct sp_sessions *of, const struct sp_level_change *c,
                                  enum sp_tracked metric, const struct sp_lost_mode *lost)
{
    const int at = of->first[c->at];
    const bool is_of_mode = c->at == lost->at || sp_sessions_turned(of, c->at);
    return (struct sp_open_change){.kind = c->is_trend  ? SP_CHANGE_TREND
                                           : is_of_mode ? SP_CHANGE_MODE
                                                        : SP_CHANGE_STEP,
                                   .since = of->list[at],
                                   .before = of->list[at > 0 ? at - 1 : 0],
                                   .by = signed_of(metric, c->by),
                                   .slope = signed_of(metric, c->slope),
                                   .slope_lo = signed_of(metric, c->lo),
                                   .slope_hi = signed_of(metric, c->hi)};
}

/* A mode that was lost, where that is no chance and costs the floor; at -1: none. The levels of a
 * series have its rate of false alarms; this gets a tenth of it more. */
static struct sp_lost_mode lost_mode(const struct sp_sessions *s, const struct sp_level_options *o)
{
    struct sp_lost_mode lost = sp_sessions_lost_mode(s);
    if (lost.p > o->alpha / 10 || lost.by < o->floor)
        lost.at = -1;
    return lost;
}

/* Puts the session where a mode was lost among the changes [n], by session; where the level changed
 * there, too, that is told alone. How many there are now. */
static int insert_lost_mode(const struct sp_lost_mode *lost, struct sp_level_change *change, int n, int most)
{
    int i = n;
    for (int k = 0; k < n; k++)
        if (change[k].at == lost->at)
            return n;
    if (lost->at < 0 || n >= most)
        return n;
    for (; i > 0 && change[i - 1].at > lost->at; i--)
        change[i] = change[i - 1];
    change[i] = (struct sp_level_change){.at = lost->at, .by = lost->by};
    return n + 1;
}

/* What a lost mode adds to the levels, which hold each run against runs of its mode. */
static void add_lost_mode(const struct sp_sessions *s, const struct sp_lost_mode *lost,
                          struct sp_level_state *l)
{
    if (l->change + lost->by < l->needed) /* the level has made up for it */
        return;
    const int n = insert_lost_mode(lost, l->open, l->n_open, SP_MOST_OPEN);
    if (n == l->n_open)
        return;
    if (l->n_open == 0) {
        l->k = lost->at - s->first_accepted;
        l->m = l->seen = s->n - lost->at;
        l->p = lost->p;
        l->is_confirmed = l->m > 1;
    }
    l->n_open = n;
    l->change += lost->by;
    l->lo += lost->by;
    l->hi += lost->by;
}

static void set_open(const struct subject *s, const struct sp_level_state *l, const struct sp_lost_mode *lost,
                     struct sp_judgement *j)
{
    for (int i = 0; i < l->n_open; i++)
        j->open[j->n_open++] = told(&s->sessions, &l->open[i], j->metric, lost);
    if (j->n_open > 0)
        j->kind = j->open[j->n_open - 1].kind;
    j->seen = l->seen;
}

/* The numbers of the comparison, and everything but the verdict. */
static void set_numbers(const struct subject *s, const struct sp_level_state *l,
                        const struct sp_lost_mode *lost, struct sp_judgement *j)
{
    const struct sp_sessions *of = &s->sessions;
    const bool turned = !sp_tracked_metrics[j->metric].less_is_better;
    j->n_before = l->k;
    j->n_after = l->m;
    j->noise = of->noise;
    j->oldest = of->list[of->first[of->n - sessions_of_newest(of)]];
    j->shift.change = signed_of(j->metric, l->change);
    j->shift.lo = signed_of(j->metric, turned ? l->hi : l->lo);
    j->shift.hi = signed_of(j->metric, turned ? l->lo : l->hi);
    j->shift.floor = expm1(l->needed);
    j->shift.noise = l->sigma;
    j->shift.p = l->p;
    if (s->n_pins > 0 && of->n_accepted > 0) {
        const struct sp_moments pin = sp_moments_of(of->y + of->first_accepted, of->n_accepted);
        j->pinned_change = signed_of(j->metric, of->y[of->n - 1] - pin.mean);
    }
    if (l->mended >= 0)
        j->mended = of->list[of->first[l->mended]];
    set_open(s, l, lost, j);
    const int at = l->n_open > 0 ? l->open[0].at : of->n - sessions_of_newest(of);
    attribute(of->list, of->n_records, of->first[at], &j->attribution);
    /* Each of several has a cause of its own: a slower machine does not excuse the others. */
    for (int i = 0; i < l->n_open && l->n_open > 1 && j->attribution.is_machine; i++) {
        struct sp_attribution one = {0};
        const int end = i + 1 < l->n_open ? of->first[l->open[i + 1].at] : of->n_records;
        attribute(of->list, end, of->first[l->open[i].at], &one);
        if (one.text[0] && !one.is_machine)
            j->attribution = one;
    }
}

static void decide(const struct subject *s, const struct sp_judge_options *o, const struct sp_level_state *l,
                   struct sp_judgement *j)
{
    const double floor = log1p(floor_of(o, false));
    if (j->n_open > 0)
        j->verdict = j->attribution.is_machine ? SP_TRACK_MACHINE : SP_TRACK_REGRESSED;
    else if (s->sessions.is_other_mode) {
        j->verdict = SP_TRACK_INCONCLUSIVE;
        j->kind = SP_CHANGE_MODE;
        snprintf(j->why, sizeof j->why, "%s: it has nothing to be compared with", s->sessions.modes);
        return;
    } else if (l->is_better)
        j->verdict = SP_TRACK_IMPROVED;
    else if (l->hi < 2 * floor)
        j->verdict = SP_TRACK_OK;
    else
        j->verdict = SP_TRACK_INCONCLUSIVE;
    j->is_suspect = j->verdict == SP_TRACK_OK && l->change > 0.5 * floor;
    if (j->verdict == SP_TRACK_INCONCLUSIVE)
        say_undecided(l, floor, j);
    else if (s->sessions.modes[0])
        snprintf(j->why, sizeof j->why, "%s; they are left out", s->sessions.modes);
    if (j->verdict == SP_TRACK_REGRESSED || j->verdict == SP_TRACK_IMPROVED)
        j->shift.move = j->shift.change > 0 ? SP_MOVE_UP : SP_MOVE_DOWN;
    else if (j->verdict == SP_TRACK_OK)
        j->shift.move = SP_MOVE_NONE;
}

static void say_lost_mode(const struct sp_lost_mode *lost, struct sp_judgement *j)
{
    snprintf(j->why, sizeof j->why,
             "none of the %d runs since is in the mode '%s', as %.0f %% of the runs before were",
             lost->n_runs, sp_entry_mode_name(lost->mode), 100 * lost->share);
}

/* --- What was measured to confirm it ------------------------------------------------------- */

static int n_confirming(const struct subject *s)
{
    int n = 0;
    while (n < s->n - 1 && sp_entry_confirms(s->list[s->n - 1 - n], s->list[s->n - 2 - n]))
        n++;
    return n;
}

static void say_confirmed(enum sp_verdict_of_track first, double alone, int n_new, struct sp_judgement *j)
{
    char sessions[48] = "a second session", change[48] = "unknown";
    const size_t size = sizeof j->confirmation;
    if (n_new > 1)
        snprintf(sessions, sizeof sessions, "%d more sessions", n_new);
    if (isfinite(alone))
        snprintf(change, sizeof change, fabs(alone) < 0.01 ? "%+.2f %% by %s" : "%+.1f %% by %s", 100 * alone,
                 n_new == 1 ? "itself" : "themselves");
    const bool was = first == SP_TRACK_REGRESSED || first == SP_TRACK_MACHINE;
    if (j->n_open > 0 && j->seen > 1) {
        j->confirmed = SP_CONFIRMED;
        snprintf(j->confirmation, size, "confirmed by %s (%s)", sessions, change);
    } else if (was) {
        j->confirmed = SP_NOT_CONFIRMED;
        snprintf(j->confirmation, size, "regressed was not confirmed by %s (%s)", sessions, change);
    } else {
        snprintf(j->confirmation, size, "%s%s with %s (%s)", j->verdict == first ? "still " : "",
                 sp_track_verdict_name(j->verdict), sessions, change);
    }
}

static void confirm_exactly(const struct subject *s, const struct sp_judge_options *o, struct sp_judgement *j)
{
    const int n_new = n_confirming(s);
    struct subject before = *s;
    struct sp_judgement first;
    if (n_new == 0)
        return;
    before.n = s->n - n_new;
    before.newest = s->list[before.n - 1];
    begin_judgement(&before, o->metric, &first);
    judge_exactly(&before, o, &first);
    const double was = before.newest->metric[o->metric] / (1 + first.shift.change);
    j->oldest = before.newest;
    j->n_after = 1 + n_new;
    j->shift.change = j->shift.lo = j->shift.hi = s->newest->metric[o->metric] / was - 1;
    if (j->verdict == SP_TRACK_IMPROVED && fabs(j->shift.change) <= floor_of(o, true))
        j->verdict = SP_TRACK_OK;
    say_confirmed(first.verdict, j->shift.change, n_new, j);
}

static enum sp_status confirm(const struct subject *s, const struct sp_level_options *levels,
                              const struct sp_level_series *series, const struct sp_level_state *now,
                              struct sp_judgement *j, struct sp_error *err)
{
    const int n_new = n_confirming(s);
    struct sp_level_series before = *series;
    struct sp_level_state first;
    if (n_new == 0 || n_new >= series->n) {
        j->confirmed = j->n_open > 0 && now->is_confirmed ? SP_CONFIRMED : SP_UNCONFIRMED;
        return SP_OK;
    }
    before.n -= n_new;
    const enum sp_status status = sp_levels_follow(&before, levels, &first, err);
    double alone = 0;
    for (int i = 0; i < n_new; i++)
        alone += series->y[series->n - 1 - i] / n_new;
    const bool was = first.n_open > 0 || first.p <= levels->alpha;
    say_confirmed(was                            ? SP_TRACK_REGRESSED
                  : first.hi < 2 * levels->floor ? SP_TRACK_OK
                                                 : SP_TRACK_INCONCLUSIVE,
                  signed_of(j->metric, alone - now->base), n_new, j);
    return status;
}

/* --- Many series --------------------------------------------------------------------------- */

struct machine {
    const char *env;
    struct sp_common common;
    struct sp_level_state together; /* of what is common */
    double p;                       /* of it, as one test; 1: there is none */
};

static int find_machines(struct subject *s, int n, struct machine *m)
{
    int n_machines = 0;
    for (int i = 0; i < n; i++) {
        s[i].group = -1;
        for (int k = 0; k < n_machines && s[i].group < 0; k++)
            if (strcmp(m[k].env, s[i].newest->env) == 0)
                s[i].group = k;
        if (s[i].group < 0) {
            m[n_machines].env = s[i].newest->env;
            s[i].group = n_machines++;
        }
    }
    return n_machines;
}

/* What the series of a machine tell together: what they all did, and how far sessions differ. */
static enum sp_status learn(struct subject *s, int n, int group, struct machine *m, struct sp_error *err)
{
    struct sp_sessions **of = malloc((size_t)(n + 1) * sizeof(struct sp_sessions *));
    struct sp_spread *spread = malloc((size_t)(n + 1) * sizeof *spread);
    int known = 0;
    enum sp_status status =
        of && spread ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for %d series", n);
    for (int i = 0; i < n && status == SP_OK; i++)
        if (s[i].group == group && !s[i].is_exact && s[i].sessions.n > 0)
            of[known++] = &s[i].sessions;
    if (status == SP_OK)
        status = sp_common_take_out(of, known, &m->common, err);
    for (int i = 0; i < known && status == SP_OK; i++)
        spread[i] = sp_sessions_spread(of[i]);
    for (int i = 0; i < n && status == SP_OK; i++)
        if (s[i].group == group)
            s[i].prior =
                sp_spread_of_machine(spread, known, sp_spread_usual(s[i].sessions.noise, s[i].sessions.runs));
    free(of);
    free(spread);
    return status;
}

/* Of what all did: is it worse, too? */
static enum sp_status follow_common(struct machine *m, const struct sp_judge_options *o, double alpha,
                                    struct sp_error *err)
{
    m->p = 1;
    if (m->common.share <= 0 || m->common.n < 2)
        return SP_OK;
    const struct sp_level_series series = {.n = m->common.n, .y = m->common.y, .commit = m->common.commit};
    const struct sp_level_options levels = {
        .floor = log1p(floor_of(o, false)), .alpha = alpha, .prior = sp_spread_usual(0, 1)};
    const enum sp_status status = sp_levels_follow(&series, &levels, &m->together, err);
    m->p = m->together.n_open > 0 ? 1 : m->together.p;
    return status;
}

/* The machine's series changed together: each of them that took part in the newest session. */
static void say_common(const struct machine *m, bool discovered, struct sp_judgement *j)
{
    const struct sp_common *c = &m->common;
    if (c->share <= 0 || c->n < 1 || !sp_entries_share_session(c->newest[c->n - 1], j->newest))
        return;
    j->common = signed_of(j->metric, c->y[c->n - 1]);
    if (!discovered && m->together.n_open == 0)
        return;
    const struct sp_level_state *t = &m->together;
    const int at = t->n_open > 0 ? t->open[0].at : t->p_at;
    const double by = t->n_open > 0 ? t->change : t->p_by;
    j->n_common = c->n_series;
    j->verdict =
        j->verdict == SP_TRACK_MACHINE || j->attribution.is_machine ? SP_TRACK_MACHINE : SP_TRACK_REGRESSED;
    if (j->n_open == 0) {
        j->open[j->n_open++] = (struct sp_open_change){.kind = SP_CHANGE_STEP,
                                                       .since = c->newest[at],
                                                       .before = c->newest[at > 0 ? at - 1 : 0],
                                                       .by = signed_of(j->metric, by)};
        j->kind = SP_CHANGE_STEP;
        j->seen = c->n - at;
    }
    snprintf(j->why, sizeof j->why, "all %d series of the machine together: %+.1f %%", c->n_series,
             100 * signed_of(j->metric, by));
}

/* Of alpha the test of what is common to a machine's series has this share, the series the rest. */
#define SHARE_COMMON 0.05

struct judging {
    struct subject *s;
    struct machine *m;
    struct sp_level_state *state; /* [n] */
    double *p;                    /* [n] of the tests */
    unsigned char *found;
    int n, n_machines, n_tests;
};

static bool is_followed(const struct subject *s)
{
    return !s->given->is_context && !s->is_exact && !s->is_pinned_itself && s->sessions.n > 0;
}

static enum sp_status follow_all(struct judging *a, const struct sp_judge_options *o, double alpha,
                                 double of_common, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < a->n && status == SP_OK; i++) {
        struct subject *s = &a->s[i];
        if (!is_followed(s))
            continue;
        const struct sp_level_series series = level_series(&s->sessions);
        const struct sp_level_options levels = level_options(s, o, alpha);
        status = sp_levels_follow(&series, &levels, &a->state[i], err);
    }
    for (int g = 0; g < a->n_machines && status == SP_OK; g++)
        status = follow_common(&a->m[g], o, of_common, err);
    return status;
}

/* Which of the newest sessions are discoveries, among all of them. */
static void discover(struct judging *a, double q)
{
    int at = 0;
    for (int i = 0; i < a->n; i++)
        if (is_followed(&a->s[i]))
            a->p[at++] = a->state[i].n_open > 0 ? 1 : a->state[i].p;
    sp_discoveries(a->p, at, q, a->found);
    at = 0;
    for (int i = 0; i < a->n; i++)
        if (is_followed(&a->s[i]) && a->found[at++] && a->state[i].n_open == 0)
            sp_levels_open(&a->state[i]);
}

static enum sp_status finish_one(struct judging *a, int i, const struct sp_judge_options *o, double alpha,
                                 bool common_found, struct sp_judgement *j, struct sp_error *err)
{
    const struct subject *s = &a->s[i];
    const struct sp_entry *newest = s->newest;
    const struct sp_level_state *l = &a->state[i];
    begin_judgement(s, o->metric, j);
    if (s->is_pinned_itself) {
        say_accepted(j);
        return SP_OK;
    }
    if (s->n == 1 && s->n_pins == 0) {
        say_nothing_before(s, j);
        return SP_OK;
    }
    if (s->is_exact) {
        judge_exactly(s, o, j);
        confirm_exactly(s, o, j);
        return SP_OK;
    }
    if (s->sessions.n_records == 0 || s->sessions.list[s->sessions.n_records - 1] != newest ||
        s->sessions.n_records == 1) {
        say_unknown(j, s->sessions.n_records == 0 || s->sessions.list[s->sessions.n_records - 1] != newest
                           ? "the newest record"
                           : "the records before");
        return SP_OK;
    }
    const struct sp_level_series series = level_series(&s->sessions);
    const struct sp_level_options levels = level_options(s, o, alpha);
    if (l->k == 0 && l->n_open == 0) { /* one session of several records */
        say_nothing_before(s, j);
        j->n_after = l->m;
        return SP_OK;
    }
    struct sp_level_state with_modes = *l;
    const struct sp_lost_mode lost = lost_mode(&s->sessions, &levels);
    add_lost_mode(&s->sessions, &lost, &with_modes);
    set_numbers(s, &with_modes, &lost, j);
    decide(s, o, &with_modes, j);
    if (with_modes.n_open > l->n_open)
        say_lost_mode(&lost, j);
    if (with_modes.n_open == 0 && l->p < 1 && l->p <= o->fdr)
        snprintf(j->why, sizeof j->why, "among %d series a change as large comes by chance (p = %.3f)",
                 a->n_tests, l->p);
    const enum sp_status status = confirm(s, &levels, &series, &with_modes, j, err);
    say_common(&a->m[s->group], common_found, j);
    return status;
}

static enum sp_status learn_all(struct judging *a, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    a->n_machines = find_machines(a->s, a->n, a->m);
    for (int g = 0; g < a->n_machines && status == SP_OK; g++)
        status = learn(a->s, a->n, g, &a->m[g], err);
    for (int i = 0; i < a->n; i++)
        a->n_tests += is_followed(&a->s[i]);
    return status;
}

static enum sp_status judge_subjects(struct judging *a, const struct sp_judge_options *o,
                                     struct sp_judgement *out, struct sp_error *err)
{
    struct sp_judge_options with = *o;
    with.fdr = o->fdr > 0 ? o->fdr : SP_JUDGE_FDR;
    enum sp_status status = learn_all(a, err);
    const double of_series = with.fdr * (1 - SHARE_COMMON),
                 of_common = with.fdr * SHARE_COMMON / a->n_machines,
                 alpha = of_series / (a->n_tests > 0 ? a->n_tests : 1);
    if (status == SP_OK)
        status = follow_all(a, &with, alpha, of_common, err);
    if (status != SP_OK)
        return status;
    discover(a, of_series);
    for (int i = 0; i < a->n && status == SP_OK; i++)
        if (!a->s[i].given->is_context)
            status = finish_one(a, i, &with, alpha, a->m[a->s[i].group].p <= of_common, &out[i], err);
    return status;
}

static enum sp_status judging_begin(const struct sp_judged_series *series, int n,
                                    const struct sp_judge_options *o, struct judging *a, struct sp_error *err)
{
    const size_t size = (size_t)(n > 0 ? n : 1);
    *a = (struct judging){.s = calloc(size, sizeof *a->s),
                          .m = calloc(size, sizeof *a->m),
                          .state = calloc(size, sizeof *a->state),
                          .p = calloc(size, sizeof *a->p),
                          .found = calloc(size, 1)};
    enum sp_status status = a->s && a->m && a->state && a->p && a->found
                                ? SP_OK
                                : sp_fail(err, SP_MEMORY, NULL, "no memory for the verdicts on %d series", n);
    for (int i = 0; i < n && status == SP_OK; i++) {
        a->n = i + 1;
        status = subject_of(&series[i], o, &a->s[i], err);
    }
    return status;
}

static void judging_free(struct judging *a)
{
    for (int i = 0; i < a->n; i++)
        subject_free(&a->s[i]);
    for (int g = 0; g < a->n_machines; g++)
        sp_common_free(&a->m[g].common);
    free(a->s);
    free(a->m);
    free(a->state);
    free(a->p);
    free(a->found);
}

enum sp_status sp_judge_all(const struct sp_judged_series *series, int n, const struct sp_judge_options *o,
                            struct sp_judgement *out, struct sp_error *err)
{
    struct judging a;
    enum sp_status status = judging_begin(series, n, o, &a, err);
    if (status == SP_OK)
        status = judge_subjects(&a, o, out, err);
    judging_free(&a);
    return status;
}

enum sp_status sp_judge(const struct sp_entry *const *list, int n, const struct sp_entry *const *pinned,
                        int n_pinned, const struct sp_judge_options *o, struct sp_judgement *out,
                        struct sp_error *err)
{
    const struct sp_judged_series one = {list, n, pinned, n_pinned, false};
    return sp_judge_all(&one, 1, o, out, err);
}

bool sp_judge_wants_confirmation(const struct sp_judgement *j)
{
    return (j->verdict == SP_TRACK_REGRESSED || j->verdict == SP_TRACK_MACHINE ||
            j->verdict == SP_TRACK_INCONCLUSIVE || j->is_suspect) &&
           j->n_before > 0 && j->confirmed != SP_CONFIRMED && !(j->is_exact && j->seen > 1);
}

/* --- Two records --------------------------------------------------------------------------- */

void sp_judge_two(const struct sp_entry *const *before, int n_before, const struct sp_entry *const *after,
                  int n_after, const struct sp_judge_options *o, struct sp_judgement *j)
{
    const struct sp_judged_series series = {after, n_after, NULL, 0, false};
    const struct subject s = {
        .given = &series, .newest = after[n_after - 1], .is_exact = is_exact(after[n_after - 1], o->metric)};
    begin_judgement(&s, o->metric, j);
    j->oldest = after[0];
    j->n_before = n_before;
    j->n_after = n_after;
    sp_attribute(before, n_before, after, n_after, &j->attribution);
    const double floor = floor_of(o, j->is_exact);
    const double was = before[n_before - 1]->metric[o->metric], is = s.newest->metric[o->metric];
    if ((j->is_exact || (n_before == 1 && n_after == 1)) && (isnan(was) || isnan(is))) {
        j->shift.floor = floor;
        say_unknown(j, isnan(is) ? "B" : "A");
        return;
    }
    if (j->is_exact) {
        j->shift.floor = floor;
        j->shift.change = j->shift.lo = j->shift.hi = was > 0 ? is / was - 1 : is > 0 ? INFINITY : 0;
        j->shift.p = fabs(j->shift.change) > floor ? 0 : 1;
        j->shift.move = j->shift.change > floor    ? SP_MOVE_UP
                        : j->shift.change < -floor ? SP_MOVE_DOWN
                                                   : SP_MOVE_NONE;
    } else {
        j->shift = sp_shift_of_runs(before, n_before, after, n_after, o->metric, floor, o->seed, &j->noise);
    }
    const bool less = sp_tracked_metrics[o->metric].less_is_better;
    const enum sp_move move = j->shift.move;
    j->verdict = move == SP_MOVE_NONE           ? SP_TRACK_OK
                 : move == SP_MOVE_UNDECIDED    ? SP_TRACK_INCONCLUSIVE
                 : (move == SP_MOVE_UP) == less ? SP_TRACK_REGRESSED
                                                : SP_TRACK_IMPROVED;
    if (move == SP_MOVE_UNDECIDED && j->shift.n_more > 0) {
        const char *each = sp_tracked_is_by_run(o->metric) ? "run" : "record";
        const int n = snprintf(j->why, sizeof j->why, "it needs about %d more %s%s a side", j->shift.n_more,
                               each, j->shift.n_more == 1 ? "" : "s");
        if (j->shift.noise > 0)
            snprintf(j->why + n, sizeof j->why - (size_t)n, " at this noise (%.1f %% from %s to %s)",
                     100 * j->shift.noise, each, each);
    }
}

/* --- Where it changed ---------------------------------------------------------------------- */

struct sp_learned {
    struct judging a;
    struct sp_judged_series series[]; /* [a.n] */
};

enum sp_status sp_learn_all(const struct sp_judged_series *series, int n, const struct sp_judge_options *o,
                            struct sp_learned **out, struct sp_error *err)
{
    struct sp_learned *l = calloc(1, sizeof *l + (size_t)n * sizeof *series);
    *out = l;
    if (!l)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %d series", n);
    for (int i = 0; i < n; i++)
        l->series[i] = (struct sp_judged_series){series[i].list, series[i].n, NULL, 0, series[i].is_context};
    enum sp_status status = judging_begin(l->series, n, o, &l->a, err);
    if (status == SP_OK)
        status = learn_all(&l->a, err);
    if (status != SP_OK) {
        sp_learned_free(l);
        *out = NULL;
    }
    return status;
}

void sp_learned_free(struct sp_learned *learned)
{
    if (learned)
        judging_free(&learned->a);
    free(learned);
}

enum sp_status sp_judge_locate(const struct sp_learned *learned, int which, const struct sp_judge_options *o,
                               struct sp_located *out, int most, int *n_found, int *n_sessions,
                               struct sp_error *err)
{
    const struct subject *subject = &learned->a.s[which];
    const bool exact = subject->is_exact;
    struct sp_level_change *change = calloc((size_t)most + 1, sizeof *change);
    struct sp_sessions of_exact = {0}; /* which are judged by record else */
    *n_found = 0;
    enum sp_status status = change ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for %d changes", most);
    if (status == SP_OK && exact)
        status = sp_sessions_of(subject->list, subject->n, NULL, 0, o->metric, &of_exact, err);
    if (status != SP_OK)
        return free(change), status;
    const struct sp_sessions s = exact ? of_exact : subject->sessions;
    *n_sessions = s.n;
    const struct sp_level_series series = level_series(&s);
    const double fdr = o->fdr > 0 ? o->fdr : SP_JUDGE_FDR;
    const struct sp_level_options levels = {
        .floor = log1p(floor_of(o, exact)),
        .alpha = exact ? fdr : fdr * (1 - SHARE_COMMON) / (learned->a.n_tests > 0 ? learned->a.n_tests : 1),
        .prior = exact ? (struct sp_spread){1e-8, sp_spread_usual(s.noise, s.runs).df} : subject->prior,
        .no_trends = exact};
    if (s.n > 0)
        status = sp_levels_locate(&series, &levels, change, most, n_found, err);
    const struct sp_lost_mode lost = exact ? (struct sp_lost_mode){.at = -1} : lost_mode(&s, &levels);
    *n_found = insert_lost_mode(&lost, change, *n_found, most);
    for (int i = 0; i < *n_found; i++) {
        const int at = s.first[change[i].at];
        const int end = i + 1 < *n_found ? s.first[change[i + 1].at] : s.n_records,
                  begin = i > 0 ? s.first[change[i - 1].at] : 0;
        out[i] = (struct sp_located){.change = told(&s, &change[i], o->metric, &lost)};
        out[i].same_source = s.commit[change[i].at] == s.commit[change[i].at - 1];
        attribute(s.list + begin, end - begin, at - begin, &out[i].attribution);
    }
    sp_sessions_free(&of_exact);
    free(change);
    return status;
}

/* A gate that never decides guards nothing. */

/* The records before the newest session of list[n]. */
static int before_newest_session(const struct sp_entry *const *list, int n)
{
    int first = n - 1;
    while (first > 0 && (sp_entries_share_session(list[first - 1], list[n - 1]) ||
                         sp_entry_confirms(list[first], list[first - 1])))
        first--;
    return first;
}

enum sp_status sp_judge_lose_patience(const struct sp_judged_series *s, const struct sp_judge_options *o,
                                      int patience, struct sp_judgement *j, struct sp_error *err)
{
    if (sp_track_exit_code(j->verdict) != 5)
        return SP_OK;
    int n = s->n;
    for (j->undecided = 1; j->undecided < patience; j->undecided++) {
        struct sp_judgement was;
        n = before_newest_session(s->list, n);
        if (n < 1)
            return SP_OK;
        const enum sp_status status = sp_judge(s->list, n, s->pinned, s->n_pinned, o, &was, err);
        if (status != SP_OK)
            return status;
        if (sp_track_exit_code(was.verdict) != 5)
            return SP_OK;
    }
    j->is_out_of_patience = true;
    const size_t used = strlen(j->why);
    snprintf(j->why + used, sizeof j->why - used,
             "%snothing was decided in %d session%s: this gate guards nothing", used > 0 ? "; " : "",
             j->undecided, j->undecided == 1 ? "" : "s in a row");
    return SP_OK;
}

int sp_judgement_exit_code(const struct sp_judgement *j)
{
    return j->is_out_of_patience ? 1 : sp_track_exit_code(j->verdict);
}
