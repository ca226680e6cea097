#include "track/campaign/rehearsal.h"

#include <stdlib.h>
#include <string.h>

#include "track/campaign/made_history.h"
#include "track/judge/judge.h"

enum { MOST_SESSIONS = 64, MOST_ROUNDS = 10, MOST_ENTRIES = MOST_SESSIONS + MOST_ROUNDS };

/* What one check looks at. */
struct series {
    struct sp_entry entry[MOST_ENTRIES];
    const struct sp_entry *list[MOST_ENTRIES]; /* [n] */
    int n;
};

struct rehearsing {
    const struct sp_rehearsal_options *o;
    int n, n_judged, n_before; /* series; those that are judged; sessions */
    struct series *series;
    struct sp_judged_series *given;
    struct sp_judgement *judgement;
};

static void measure(const struct rehearsing *a, const struct sp_made_options *made, int k)
{
    struct series *s = &a->series[k];
    const int commit = s->n < a->n_before ? s->n : a->n_before, session = s->n - commit;
    sp_made_entry(made, k, commit, session, &s->entry[s->n]);
    if (session > 0)
        memcpy(s->entry[s->n].confirms, s->entry[a->n_before].id, sizeof s->entry[0].id);
    s->list[s->n] = &s->entry[s->n];
    s->n++;
    a->given[k].n = s->n;
}

/* One check of all series, with what track check --confirm measures again. */
static enum sp_status check(const struct rehearsing *a, int trial, struct sp_error *err)
{
    const struct sp_rehearsal_options *o = a->o;
    const struct sp_made_fault fault = {
        .kind = SP_MADE_STEP, .series = 1, .at = a->n_before, .by = o->change};
    const struct sp_made_options made = {.n_runs = o->n_runs,
                                         .noise = o->noise,
                                         .session = o->session,
                                         .common = o->common,
                                         .spikes = o->spikes,
                                         .modes = o->modes,
                                         .seed = o->seed + 0x9e3779b9u * (uint64_t)(trial + 1),
                                         .fault = &fault,
                                         .n_faults = o->change != 0};
    const struct sp_judge_options judge = {.metric = SP_TRACKED_TIME, .fdr = o->fdr};
    for (int k = 0; k < a->n; k++) {
        a->series[k].n = 0;
        while (a->series[k].n <= a->n_before)
            measure(a, &made, k);
        a->given[k] = (struct sp_judged_series){.list = a->series[k].list,
                                                .n = a->series[k].n,
                                                .pinned = a->series[k].list,
                                                .n_pinned = o->accepted ? 1 : 0,
                                                .is_context = k >= a->n_judged};
    }
    enum sp_status status = sp_judge_all(a->given, a->n, &judge, a->judgement, err);
    for (int round = 0; round < o->confirm && round < MOST_ROUNDS && status == SP_OK; round++) {
        bool more = false;
        for (int k = 0; k < a->n_judged; k++)
            if (sp_judge_wants_confirmation(&a->judgement[k])) {
                measure(a, &made, k);
                more = true;
            }
        if (!more)
            break;
        status = sp_judge_all(a->given, a->n, &judge, a->judgement, err);
    }
    return status;
}

static void count(const struct rehearsing *a, struct sp_rehearsal *result)
{
    const enum sp_verdict_of_track verdict = a->judgement[0].verdict;
    bool alarm = false;
    for (int k = a->o->change != 0 ? 1 : 0; k < a->n_judged; k++)
        alarm = alarm || a->judgement[k].n_open > 0;
    result->n_trials++;
    result->n_ok += verdict == SP_TRACK_OK;
    result->n_regressed += verdict == SP_TRACK_REGRESSED || verdict == SP_TRACK_MACHINE;
    result->n_improved += verdict == SP_TRACK_IMPROVED;
    result->n_undecided += verdict == SP_TRACK_INCONCLUSIVE;
    result->n_alarms += alarm;
}

enum sp_status sp_rehearse(const struct sp_rehearsal_options *o, struct sp_rehearsal *result,
                           struct sp_error *err)
{
    struct rehearsing a = {.o = o, .n_judged = o->n_series > 0 ? o->n_series : 1};
    a.n_before = o->n_sessions < MOST_SESSIONS ? o->n_sessions : MOST_SESSIONS - 1;
    a.n = a.n_judged + o->n_beside;
    a.series = calloc((size_t)a.n, sizeof *a.series);
    a.given = calloc((size_t)a.n, sizeof *a.given);
    a.judgement = malloc((size_t)a.n * sizeof *a.judgement);
    enum sp_status status = a.series && a.given && a.judgement
                                ? SP_OK
                                : sp_fail(err, SP_MEMORY, NULL, "no memory for %d drawn series", a.n);
    memset(result, 0, sizeof *result);
    for (int t = 0; t < o->n_trials && status == SP_OK; t++) {
        status = check(&a, t, err);
        if (status == SP_OK)
            count(&a, result);
    }
    if (status != SP_OK)
        memset(result, 0, sizeof *result);
    free(a.series);
    free(a.given);
    free(a.judgement);
    return status;
}
