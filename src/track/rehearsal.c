#include "track/rehearsal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/samples.h"
#include "track/judge.h"

enum { MOST_SESSIONS = 31 };

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

static enum sp_verdict_of_track judge_last(const struct sp_entry *const *list, int n, uint64_t seed)
{
    const struct sp_judge_options judge = {.metric = SP_TRACKED_TIME, .seed = seed};
    struct sp_judgement j;
    sp_judge(list, n, NULL, 0, &judge, &j);
    return j.verdict;
}

struct sp_rehearsal sp_rehearse(const struct sp_rehearsal_options *o)
{
    struct sp_rehearsal result = {.n_trials = o->n_trials};
    struct sp_random random = {o->seed};
    struct sp_entry entry[MOST_SESSIONS + 1];
    const struct sp_entry *list[MOST_SESSIONS + 1];
    const int n_before = o->n_sessions < MOST_SESSIONS ? o->n_sessions : MOST_SESSIONS - 1;
    for (int t = 0; t < o->n_trials; t++) {
        for (int i = 0; i <= n_before; i++) {
            draw(o, i, i == n_before ? 1 + o->change : 1, &random, &entry[i]);
            list[i] = &entry[i];
        }
        enum sp_verdict_of_track verdict = judge_last(list, n_before + 1, o->seed + (uint64_t)t);
        if (verdict == SP_TRACK_REGRESSED && o->confirm) {
            /* Of the same session: both are judged together. */
            draw(o, n_before, 1 + o->change, &random, &entry[n_before + 1]);
            list[n_before + 1] = &entry[n_before + 1];
            verdict = judge_last(list, n_before + 2, o->seed + (uint64_t)t);
        }
        result.n_ok += verdict == SP_TRACK_OK;
        result.n_regressed += verdict == SP_TRACK_REGRESSED;
        result.n_improved += verdict == SP_TRACK_IMPROVED;
        result.n_undecided += verdict == SP_TRACK_INCONCLUSIVE;
    }
    return result;
}
