#include "track/campaign/rehearsal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/samples.h"
#include "track/judge/judge.h"

enum { MOST_SESSIONS = 32, MOST_ROUNDS = 10, MOST_ENTRIES = MOST_SESSIONS + MOST_ROUNDS };

/* Standard normal deviate (Box and Muller 1958). */
static double normal(struct sp_random *r)
{
    const double u = 1 - sp_random_unit(r), v = sp_random_unit(r);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static void draw(const struct sp_rehearsal_options *o, int day, double level, struct sp_random *r,
                 struct sp_entry *e)
{
    memset(e, 0, sizeof *e);
    snprintf(e->id, sizeof e->id, "%d", day);
    snprintf(e->commit, sizeof e->commit, "%d", day);
    snprintf(e->start, sizeof e->start, "2026-%02u-%02uT00:00:00Z", (unsigned)day / 28 % 12 + 1,
             (unsigned)day % 28 + 1);
    strcpy(e->series, "rehearsal");
    strcpy(e->env, "rehearsal");
    const double session = level * exp(o->session * normal(r));
    e->n_runs = o->n_runs;
    for (int k = 0; k < o->n_runs; k++)
        e->time_s[k] = session * exp(o->noise * normal(r));
    for (int m = 0; m < SP_N_TRACKED; m++)
        e->metric[m] = NAN;
    e->metric[SP_TRACKED_TIME] = sp_median(e->time_s, o->n_runs);
}

/* What one check looks at. */
struct series {
    struct sp_entry entry[MOST_ENTRIES];
    const struct sp_entry *list[MOST_ENTRIES]; /* [n] */
    int n, n_pinned;                           /* the first ones are accepted */
    double change;
    struct sp_judge_options judge;
    struct sp_judgement j;
};

static void measure(const struct sp_rehearsal_options *o, double level, struct sp_random *random,
                    struct series *s)
{
    draw(o, s->n, level, random, &s->entry[s->n]);
    s->list[s->n] = &s->entry[s->n];
    s->n++;
}

static void begin(const struct sp_rehearsal_options *o, int n_before, double change, uint64_t seed,
                  struct sp_random *random, struct series *s)
{
    s->judge = (struct sp_judge_options){.metric = SP_TRACKED_TIME, .seed = seed};
    s->n = 0;
    s->change = change;
    s->n_pinned = o->accepted ? 1 : 0;
    while (s->n < n_before)
        measure(o, 1, random, s);
    measure(o, 1 + change, random, s);
    sp_judge(s->list, s->n, s->list, s->n_pinned, &s->judge, &s->j);
}

/* What track check --confirm does with one verdict. */
static enum sp_status confirm(const struct sp_rehearsal_options *o, struct sp_random *random,
                              struct series *s, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    const struct sp_judgement first = s->j;
    for (int more = 1;
         more <= o->confirm && more <= MOST_ROUNDS && sp_judge_wants_confirmation(&s->j) && status == SP_OK;
         more++) {
        measure(o, 1 + s->change, random, s);
        memcpy(s->entry[s->n - 1].confirms, first.newest->id, sizeof first.newest->id);
        s->j = first;
        status = sp_judge_again(s->list, s->n, more, s->list, s->n_pinned, &s->judge, &s->j, err);
    }
    sp_judge_hold(&s->j, 0);
    return status;
}

/* One check of all series: verdicts in series[k].j. `judgement` [n]: scratch. */
static enum sp_status check(const struct sp_rehearsal_options *o, int trial, struct sp_random *random,
                            struct series *series, struct sp_judgement *judgement, int n,
                            struct sp_error *err)
{
    const int n_before = o->n_sessions < MOST_SESSIONS ? o->n_sessions : MOST_SESSIONS - 1;
    enum sp_status status = SP_OK;
    for (int k = 0; k < n; k++) {
        begin(o, n_before, k == 0 ? o->change : 0, o->seed + (uint64_t)trial, random, &series[k]);
        judgement[k] = series[k].j;
    }
    sp_judge_many(judgement, n, o->fdr > 0 ? o->fdr : SP_JUDGE_FDR);
    for (int k = 0; k < n && status == SP_OK; k++) {
        series[k].j = judgement[k];
        status = confirm(o, random, &series[k], err);
    }
    return status;
}

static void count(const struct sp_rehearsal_options *o, const struct series *series, int n,
                  struct sp_rehearsal *result)
{
    const enum sp_verdict_of_track verdict = series[0].j.verdict;
    bool alarm = false;
    for (int k = o->change != 0 ? 1 : 0; k < n; k++)
        alarm = alarm || series[k].j.verdict == SP_TRACK_REGRESSED;
    result->n_trials++;
    result->n_ok += verdict == SP_TRACK_OK;
    result->n_regressed += verdict == SP_TRACK_REGRESSED;
    result->n_improved += verdict == SP_TRACK_IMPROVED;
    result->n_undecided += verdict == SP_TRACK_INCONCLUSIVE;
    result->n_alarms += alarm;
}

enum sp_status sp_rehearse(const struct sp_rehearsal_options *o, struct sp_rehearsal *result,
                           struct sp_error *err)
{
    struct sp_random random = {o->seed};
    const int n = o->n_series > 0 ? o->n_series : 1;
    struct series *series = malloc((size_t)n * sizeof *series);
    struct sp_judgement *judgement = malloc((size_t)n * sizeof *judgement);
    enum sp_status status =
        series && judgement ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for %d drawn series", n);
    memset(result, 0, sizeof *result);
    for (int t = 0; t < o->n_trials && status == SP_OK; t++) {
        status = check(o, t, &random, series, judgement, n, err);
        if (status == SP_OK)
            count(o, series, n, result);
    }
    if (status != SP_OK)
        memset(result, 0, sizeof *result);
    free(series);
    free(judgement);
    return status;
}
