#include "track/rehearsal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/samples.h"
#include "track/confirm.h"

enum { MOST_SESSIONS = 32, MOST_ROUNDS = 10 };

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
    snprintf(e->start, sizeof e->start, "2026-01-%02uT00:00:00Z", (unsigned)(day + 1) % 32);
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

/* One drawn series: the verdict of track check on its last session, with --confirm if asked for. */
static enum sp_status rehearse_once(const struct sp_rehearsal_options *o, int n_before, int trial,
                                    struct sp_random *random, enum sp_verdict_of_track *verdict,
                                    struct sp_error *err)
{
    const struct sp_judge_options judge = {.metric = SP_TRACKED_TIME, .seed = o->seed + (uint64_t)trial};
    struct sp_entry entry[MOST_SESSIONS + MOST_ROUNDS];
    const struct sp_entry *list[MOST_SESSIONS + MOST_ROUNDS];
    struct sp_judgement j;
    int n = 0;
    enum sp_status status = SP_OK;
    for (; n <= n_before; n++) {
        draw(o, n, n == n_before ? 1 + o->change : 1, random, &entry[n]);
        list[n] = &entry[n];
    }
    const int n_pinned = o->accepted ? 1 : 0;
    sp_judge(list, n, list, n_pinned, &judge, &j);
    const struct sp_judgement first = j;
    for (int more = 1;
         more <= o->confirm && more <= MOST_ROUNDS && sp_judge_wants_confirmation(&j) && status == SP_OK;
         more++) {
        draw(o, n, 1 + o->change, random, &entry[n]);
        memcpy(entry[n].confirms, first.newest->id, sizeof entry[n].confirms);
        list[n] = &entry[n];
        n++;
        j = first;
        status = sp_judge_again(list, n, more, list, n_pinned, &judge, &j, err);
    }
    *verdict = j.verdict;
    return status;
}

enum sp_status sp_rehearse(const struct sp_rehearsal_options *o, struct sp_rehearsal *result,
                           struct sp_error *err)
{
    struct sp_random random = {o->seed};
    const int n_before = o->n_sessions < MOST_SESSIONS ? o->n_sessions : MOST_SESSIONS - 1;
    memset(result, 0, sizeof *result);
    for (int t = 0; t < o->n_trials; t++) {
        enum sp_verdict_of_track verdict;
        const enum sp_status status = rehearse_once(o, n_before, t, &random, &verdict, err);
        if (status != SP_OK) {
            memset(result, 0, sizeof *result);
            return status;
        }
        result->n_trials++;
        result->n_ok += verdict == SP_TRACK_OK;
        result->n_regressed += verdict == SP_TRACK_REGRESSED;
        result->n_improved += verdict == SP_TRACK_IMPROVED;
        result->n_undecided += verdict == SP_TRACK_INCONCLUSIVE;
    }
    return SP_OK;
}
