#include "track/judge/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/samples.h"
#include "track/judge/change_points.h"
#include "track/judge/comparable.h"
#include "track/judge/group_shift.h"

/* Where does the level begin that a series is at? */

enum { MOST = 64 };

/* The first of the records [n], by start, that are of the last level. Three sessions are a level of
 * their own (track/judge/change_points.h); a single one is where it is better than those before by
 * more than sessions differ: what was reached once is what the next one is held against. Steps
 * below the floor are none. */
static int level_begin(const struct sp_entry *const *list, int n, const struct sp_steadiness *steadiness,
                       const struct sp_judge_options *o)
{
    double x[MOST];
    int first[MOST], n_points = 0;
    struct sp_change_point point[MOST];
    if (n > MOST)
        return 0;
    const int n_sessions = sp_session_values(list, n, o->metric, x, first);
    const double floor = o->floor > 0 ? o->floor : SP_SHIFT_FLOOR;
    const double limit = fmax(floor, sp_steadiness_limit(steadiness, 1, 0, floor));
    const struct sp_change_options options = {.floor = log1p(limit), .seed = o->seed};
    if (sp_change_points(x, n_sessions, &options, point, MOST, &n_points, NULL) != SP_OK)
        n_points = 0; /* without memory for it all is one level */
    int begin = n_points > 0 ? point[n_points - 1].at : 0;
    for (int i = begin + 1; i < n_sessions && steadiness->is_known; i++) {
        const double was = sp_median(x + begin, i - begin);
        const double better = sp_tracked_metrics[o->metric].less_is_better ? was / x[i] : x[i] / was;
        if (log(better) > log1p(limit))
            begin = i;
    }
    return begin > 0 ? first[begin] : 0;
}

enum { MOST_RECORDS = 64 };
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

const struct sp_shift *sp_judgement_shift(const struct sp_judgement *j)
{
    return j->pin_decides ? &j->pinned : &j->shift;
}

const char *sp_judgement_baseline(const struct sp_judgement *j)
{
    return j->pin_decides ? "accepted" : "records before";
}

static bool is_simulated(const struct sp_entry *e, enum sp_tracked metric)
{
    return sp_entry_is_simulated(e, metric);
}

static bool is_exact(const struct sp_entry *e, enum sp_tracked metric)
{
    return metric == SP_TRACKED_INSTRUCTIONS || is_simulated(e, metric);
}

/* Against the best of those before with the metric: what got worse stays so until mended. */
static struct sp_shift shift_exactly(const struct sp_entry *const *before, int n_before,
                                     const struct sp_entry *newest, const struct sp_judge_options *o)
{
    const double usual = o->metric == SP_TRACKED_INSTRUCTIONS ? INSTRUCTIONS_FLOOR : EXACT_FLOOR;
    const double floor = o->floor > 0 ? o->floor : usual;
    double was = NAN;
    for (int i = 0; i < n_before; i++) /* of all these metrics less is better */
        was = fmin(was, before[i]->metric[o->metric]);
    const double is = newest->metric[o->metric];
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

/* The rolling baseline decides; the pinned one may only make it worse, since small steps add up. */
static void decide(struct sp_judgement *j)
{
    j->verdict = verdict_of(&j->shift, j->metric);
    const char *each = sp_tracked_is_by_run(j->metric) ? "run" : "record";
    if (j->verdict == SP_TRACK_INCONCLUSIVE && j->shift.n_more > 0) {
        const int n = snprintf(j->why, sizeof j->why, "it needs about %d more %s%s a side", j->shift.n_more,
                               each, j->shift.n_more == 1 ? "" : "s");
        if (j->shift.noise > 0)
            snprintf(j->why + n, sizeof j->why - (size_t)n, " at this noise (%.1f %% from %s to %s)",
                     100 * j->shift.noise, each, each);
    }
    if (j->verdict == SP_TRACK_INCONCLUSIVE && !j->is_exact && j->shift.n_more == 0 && j->shift.raised > 0)
        snprintf(
            j->why, sizeof j->why,
            "sessions of unchanged code may differ by %.1f %% here: more sessions decide it, not more %ss",
            100 * j->shift.raised, each);
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
        j->pin_decides = true;
        snprintf(j->why, sizeof j->why,
                 "against the accepted baseline (%+.1f %%); against the last records %+.1f %%",
                 100 * j->pinned.change, 100 * j->shift.change);
    }
}

static void judge_groups(const struct sp_entry *const *before, int n_before,
                         const struct sp_entry *const *after, int n_after,
                         const struct sp_steadiness *steadiness, const struct sp_judge_options *o,
                         struct sp_judgement *out)
{
    memset(out, 0, sizeof *out);
    out->metric = o->metric;
    out->newest = after[n_after - 1];
    out->oldest = after[0];
    out->n_before = n_before;
    out->n_after = n_after;
    out->is_exact = is_exact(out->newest, o->metric);
    out->shift = out->is_exact
                     ? shift_exactly(before, n_before, out->newest, o)
                     : sp_shift_of_groups(before, n_before, after, n_after, steadiness, o, &out->noise);
    out->p = out->shift.p;
    if (n_before > 0)
        sp_attribute(before, n_before, after, n_after, &out->attribution);
    decide(out);
}

void sp_judge_two(const struct sp_entry *const *before, int n_before, const struct sp_entry *const *after,
                  int n_after, const struct sp_judge_options *o, struct sp_judgement *out)
{
    const struct sp_steadiness steadiness = sp_steadiness_of(before, n_before, o->metric);
    judge_groups(before, n_before, after, n_after, &steadiness, o, out);
}

static void turn_round(const struct sp_entry **list, int n)
{
    for (int i = 0; i < n / 2; i++) {
        const struct sp_entry *t = list[i];
        list[i] = list[n - 1 - i];
        list[n - 1 - i] = t;
    }
}

/* The records that are compared, in the order of their start. */
struct groups {
    const struct sp_entry *after[SP_MOST_OF_SESSION], *before[MOST_RECORDS / 2], *pin[MOST_RECORDS];
    int n_after, n_before, n_pins;
    const struct sp_entry *oldest, *other;            /* of the session; the latest that cannot be compared */
    bool is_pinned_itself;                            /* the newest record is of the accepted baseline */
    const struct sp_entry *history[MOST_RECORDS / 2]; /* before the session, accepted since or not: what it
                                                         tells about noise */
    int n_history;
};

static bool is_one_of(const struct sp_entry *e, const struct sp_entry *const *list, int n)
{
    for (int i = 0; i < n; i++)
        if (list[i] == e || (e->id[0] && strcmp(list[i]->id, e->id) == 0))
            return true;
    return false;
}

/* The accepted records that the newest may be held against: neither itself, nor what was measured
 * after it, where an older record is judged. */
static void find_pins(const struct sp_entry *newest, const struct sp_entry *const *pinned, int n_pinned,
                      enum sp_tracked metric, struct groups *g)
{
    g->is_pinned_itself = is_one_of(newest, pinned, n_pinned);
    for (int i = 0; i < n_pinned && g->n_pins < MOST_RECORDS && !g->is_pinned_itself; i++)
        if (sp_entry_order(pinned[i], newest) <= 0 && sp_entries_comparable(pinned[i], newest, metric))
            g->pin[g->n_pins++] = pinned[i];
}

/* What was accepted is where a series begins anew: what lies before it is no baseline any more. */
static bool is_before_the_accepted(const struct sp_entry *e, const struct groups *g)
{
    return g->n_pins > 0 && !is_one_of(e, g->pin, g->n_pins) && sp_entry_order(e, g->pin[g->n_pins - 1]) <= 0;
}

/* A session ends where one of its records was accepted: later ones are held against that. */
static void find_groups(const struct sp_entry *const *list, int n, const struct sp_judge_options *o,
                        struct groups *g)
{
    enum { MOST_BEFORE = MOST_RECORDS / 2, USUAL = 10 };
    const struct sp_entry *newest = list[n - 1];
    const int most = o->n_baseline > 0 && o->n_baseline < MOST_BEFORE ? o->n_baseline : USUAL;
    const int most_history = most > USUAL ? most : USUAL;
    const struct sp_entry *last = newest; /* of the session, less what was measured to confirm it later */
    bool in_session = true;
    g->oldest = g->after[g->n_after++] = newest;
    for (int i = n - 2; i >= 0 && g->n_history < most_history; i--) {
        const struct sp_entry *e = list[i];
        if (!sp_entries_comparable(e, newest, o->metric)) {
            g->other = g->other ? g->other : e;
            continue;
        }
        const bool is_confirmed = sp_entry_confirms(g->oldest, e);
        in_session = in_session && (is_confirmed || sp_entries_share_session(e, last)) &&
                     !is_one_of(e, g->pin, g->n_pins);
        if (in_session && is_confirmed)
            last = e;
        if (in_session)
            g->oldest = e;
        if (in_session && g->n_after < SP_MOST_OF_SESSION)
            g->after[g->n_after++] = e;
        if (in_session)
            continue;
        g->history[g->n_history++] = e;
        if (g->n_before < most && !is_before_the_accepted(e, g))
            g->before[g->n_before++] = e;
    }
    turn_round(g->after, g->n_after);
    turn_round(g->before, g->n_before);
    turn_round(g->history, g->n_history);
}

/* What was measured last has been accepted as it is. */
static void say_accepted(struct sp_judgement *j)
{
    j->shift = (struct sp_shift){.move = SP_MOVE_NONE, .p = 1};
    j->p = 1;
    j->verdict = SP_TRACK_OK;
    snprintf(j->why, sizeof j->why, "it is the accepted baseline itself");
}

/* There is nothing to compare with: why not? */
static void say_nothing_before(const struct groups *g, struct sp_judgement *j)
{
    const struct sp_entry *is = j->newest, *was = g->other;
    const char *word = is->origin[SP_TRACKED_BYTES], *old = was ? was->origin[SP_TRACKED_BYTES] : "";
    j->shift = (struct sp_shift){.move = SP_MOVE_UNDECIDED, .p = 1};
    j->p = 1;
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
    else if (is_simulated(is, j->metric))
        snprintf(j->why, sizeof j->why,
                 "the bytes before it were simulated with other caches or another number of threads: on %s",
                 was->machine);
    else
        snprintf(j->why, sizeof j->why, "its series was measured in another environment before: %.8s on %s",
                 was->env, was->machine);
}

void sp_judge(const struct sp_entry *const *list, int n, const struct sp_entry *const *pinned, int n_pinned,
              const struct sp_judge_options *o, struct sp_judgement *out)
{
    struct groups g = {0};
    find_pins(list[n - 1], pinned, n_pinned, o->metric, &g);
    find_groups(list, n, o, &g);
    const struct sp_steadiness steadiness = sp_steadiness_of(g.history, g.n_history, o->metric);
    memset(out, 0, sizeof *out);
    out->metric = o->metric;
    out->newest = list[n - 1];
    out->n_after = g.n_after;
    out->is_exact = is_exact(out->newest, o->metric);
    out->oldest = g.oldest;
    if (g.is_pinned_itself) {
        say_accepted(out);
        return;
    }
    if (g.n_before == 0 && g.n_pins == 0)
        say_nothing_before(&g, out);
    const int level =
        out->is_exact || g.n_before == 0 ? 0 : level_begin(g.before, g.n_before, &steadiness, o);
    if (g.n_before > 0)
        judge_groups(g.before + level, g.n_before - level, g.after, g.n_after, &steadiness, o, out);
    out->oldest = g.oldest;
    if (g.n_pins == 0)
        return;
    out->has_pinned = true;
    out->pinned = out->is_exact
                      ? shift_exactly(g.pin, g.n_pins, out->newest, o)
                      : sp_shift_of_groups(g.pin, g.n_pins, g.after, g.n_after, &steadiness, o, &out->noise);
    out->p = g.n_before > 0 ? fmin(1, 2 * fmin(out->shift.p, out->pinned.p)) : out->pinned.p;
    out->pin_decides = g.n_before == 0;
    if (g.n_before == 0)
        out->shift = out->pinned;
    out->why[0] = '\0';
    decide(out);
    if (out->pin_decides)
        sp_attribute(g.pin, g.n_pins, g.after, g.n_after, &out->attribution);
}

/* Is it one of the tests that may be discoveries by chance? */
static bool is_tested(const struct sp_judgement *j)
{
    return j->verdict != SP_TRACK_NOT_COMPARABLE && j->shift.floor > 0 && j->confirmed != SP_CONFIRMED;
}

void sp_judge_many(struct sp_judgement *judgement, int n, double q)
{
    double *p = calloc((size_t)(n > 0 ? n : 1), sizeof *p);
    unsigned char *found = malloc((size_t)(n > 0 ? n : 1));
    int n_tests = 0;
    for (int i = 0; p && found && i < n; i++)
        if (is_tested(&judgement[i]))
            p[n_tests++] = judgement[i].p;
    if (p && found)
        sp_discoveries(p, n_tests, q, found);
    int at = 0;
    for (int i = 0; p && found && i < n; i++) {
        struct sp_judgement *j = &judgement[i];
        if (!is_tested(j))
            continue;
        const bool discovered = found[at++];
        if (!discovered && (j->verdict == SP_TRACK_REGRESSED || j->verdict == SP_TRACK_IMPROVED)) {
            snprintf(j->why, sizeof j->why, "among %d series a change as large comes by chance (p = %.3f)",
                     n_tests, j->p);
            j->verdict = SP_TRACK_INCONCLUSIVE;
        }
    }
    free(p);
    free(found);
}

bool sp_judge_wants_confirmation(const struct sp_judgement *j)
{
    return (j->verdict == SP_TRACK_REGRESSED || j->verdict == SP_TRACK_INCONCLUSIVE) &&
           (j->n_before > 0 || j->has_pinned) && j->confirmed != SP_CONFIRMED;
}

void sp_judge_hold(struct sp_judgement *j, double floor)
{
    static const double beyond_chance = 5; /* times the noise; bad sessions were seen at up to four times */
    const double rolling = fabs(log1p(j->shift.change));
    const double farthest = j->has_pinned ? fmax(rolling, fabs(log1p(j->pinned.change))) : rolling;
    if (j->verdict != SP_TRACK_REGRESSED || j->confirmed == SP_CONFIRMED || j->is_exact ||
        j->noise <= (floor > 0 ? floor : SP_SHIFT_FLOOR) || farthest > beyond_chance * j->noise)
        return;
    j->verdict = SP_TRACK_INCONCLUSIVE;
    snprintf(j->why, sizeof j->why,
             "it seems regressed, but in a series this noisy (%.1f %% from run to run) another session has "
             "to confirm it",
             100 * j->noise);
}

/* "a second session", and what it says: "+5.1 % by itself". */
static void say_sessions(const struct sp_judgement *alone, int n_new, char *sessions, char *change,
                         size_t size)
{
    const double c = sp_judgement_shift(alone)->change;
    if (n_new == 1)
        snprintf(sessions, size, "a second session");
    else
        snprintf(sessions, size, "%d more sessions", n_new);
    snprintf(change, size, "unknown");
    if (isfinite(c))
        snprintf(change, size, fabs(c) < 0.01 ? "%+.2f %% by %s" : "%+.1f %% by %s", 100 * c,
                 n_new == 1 ? "itself" : "themselves");
}

/* Both the sessions together and the new ones by themselves must say that it regressed. */
static void settle(const struct sp_judgement *first, const struct sp_judgement *alone, int n_new,
                   struct sp_judgement *j)
{
    char sessions[48], change[48];
    const size_t size = sizeof j->confirmation;
    say_sessions(alone, n_new, sessions, change, sizeof change);
    if (j->verdict == SP_TRACK_NOT_COMPARABLE) {
        *j = *first;
        snprintf(j->confirmation, size,
                 "cannot be confirmed: what was measured again ran in another environment");
        return;
    }
    if (j->verdict == SP_TRACK_REGRESSED && alone->verdict == SP_TRACK_REGRESSED) {
        j->confirmed = SP_CONFIRMED;
        snprintf(j->confirmation, size, "confirmed by %s (%s)", sessions, change);
        return;
    }
    if (j->verdict == SP_TRACK_REGRESSED)
        j->verdict = SP_TRACK_INCONCLUSIVE;
    if (first->verdict == SP_TRACK_REGRESSED) {
        j->confirmed = SP_NOT_CONFIRMED;
        snprintf(j->confirmation, size, "regressed was not confirmed by %s (%s)", sessions, change);
    } else {
        snprintf(j->confirmation, size, "%s%s with %s (%s)", j->verdict == first->verdict ? "still " : "",
                 sp_track_verdict_name(j->verdict), sessions, change);
    }
}

enum sp_status sp_judge_again(const struct sp_entry *const *list, int n, int n_new,
                              const struct sp_entry *const *pinned, int n_pinned,
                              const struct sp_judge_options *options, struct sp_judgement *j,
                              struct sp_error *err)
{
    const struct sp_judgement first = *j;
    struct sp_judgement alone;
    const struct sp_entry **without = calloc((size_t)n + 1, sizeof *without);
    int n_without = 0;
    if (!without)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the verdict on %d records", n);
    for (int i = 0; i < n - n_new && list[i] != first.oldest; i++)
        without[n_without++] = list[i];
    for (int i = n - n_new; i < n; i++)
        without[n_without++] = list[i];
    sp_judge(list, n, pinned, n_pinned, options, j);
    sp_judge(without, n_without, pinned, n_pinned, options, &alone);
    settle(&first, &alone, n_new, j);
    free(without);
    return SP_OK;
}

enum sp_status sp_judge_confirmed(const struct sp_entry *const *list, int n,
                                  const struct sp_entry *const *pinned, int n_pinned,
                                  const struct sp_judge_options *options, struct sp_judgement *j,
                                  struct sp_error *err)
{
    int n_new = 0;
    while (n_new < n - 1 && sp_entry_confirms(list[n - 1 - n_new], list[n - 2 - n_new]))
        n_new++;
    sp_judge(list, n - n_new, pinned, n_pinned, options, j);
    return n_new > 0 ? sp_judge_again(list, n, n_new, pinned, n_pinned, options, j, err) : SP_OK;
}
