#include "track/campaign/rehearsal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/reading.h"
#include "base/text.h"
#include "track/judge/judge.h"

static const char *const kinds[SP_N_MADE_FAULTS] = {"step", "drift", "bytes", "mode", "machine", "common"};

/* Standard normal deviate (Box and Muller 1958). */
static double normal(struct sp_random *r)
{
    const double u = 1 - sp_random_unit(r), v = sp_random_unit(r);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static struct sp_random random_of(const struct sp_made_options *o, int series, int commit, int session)
{
    const uint64_t at = ((uint64_t)(series + 1) << 40) + ((uint64_t)commit << 16) + (uint64_t)session;
    return (struct sp_random){sp_random_at(o->seed, at)};
}

/* ln of what the faults make of a quantity of this series and commit. */
static double faults_of(const struct sp_made_options *o, enum sp_made_fault_kind kind, int series, int commit)
{
    double sum = 0;
    for (int i = 0; i < o->n_faults; i++) {
        const struct sp_made_fault *f = &o->fault[i];
        const bool all = f->series == 0 || kind == SP_MADE_MACHINE || kind == SP_MADE_COMMON;
        if (f->kind != kind || (!all && f->series != series + 1) || commit < f->at ||
            (f->until > 0 && commit >= f->until))
            continue;
        sum += kind == SP_MADE_DRIFT ? (commit - f->at + 1) * log1p(f->by) : log1p(f->by);
    }
    return sum;
}

static bool is_in_other_mode(const struct sp_made_options *o, int series, int commit)
{
    for (int i = 0; i < o->n_faults; i++)
        if (o->fault[i].kind == SP_MADE_MODE &&
            (o->fault[i].series == 0 || o->fault[i].series == series + 1) && commit >= o->fault[i].at &&
            (o->fault[i].until == 0 || commit < o->fault[i].until))
            return true;
    return false;
}

/* So many days and seconds after 2040-01-01, as a date. */
static void date_of(int days, int seconds, char *text, size_t size)
{
    static const time_t begin = 2208988800;
    const time_t when = begin + (time_t)days * 24 * 3600 + seconds;
    struct tm t;
    gmtime_r(&when, &t);
    strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &t);
}

void sp_made_entry(const struct sp_made_options *o, int series, int commit, int session, struct sp_entry *e)
{
    enum { SHARED = 3, SPLIT = 4, HOURS = 7 };
    static const double time_s = 1e-3, bytes_B = 2e7, roof_Bps = 3e10, spike = 0.2;
    struct sp_random own = random_of(o, series, commit, session), all = random_of(o, -1, commit, session);
    const double machine = faults_of(o, SP_MADE_MACHINE, series, commit),
                 more = faults_of(o, SP_MADE_BYTES, series, commit), together = o->common * normal(&all);
    const double level = log(time_s * (1 + series)) + machine + more + together +
                         faults_of(o, SP_MADE_STEP, series, commit) +
                         faults_of(o, SP_MADE_DRIFT, series, commit) +
                         faults_of(o, SP_MADE_COMMON, series, commit) + o->session * normal(&own);
    const bool other = is_in_other_mode(o, series, commit);
    memset(e, 0, sizeof *e);
    snprintf(e->id, sizeof e->id, "made-%d-%04d-%02d", series + 1, commit + 1, session + 1);
    snprintf(e->commit, sizeof e->commit, "commit%04d", commit + 1);
    date_of(commit, session * HOURS * 3600 + series, e->start, sizeof e->start);
    snprintf(e->series, sizeof e->series, "%016x", (unsigned)series + 1);
    snprintf(e->matrix, sizeof e->matrix, "made-%d", series + 1);
    strcpy(e->env, "0000000000000001");
    strcpy(e->machine, "made");
    e->n_runs = o->n_runs < SP_ENTRY_RUNS ? o->n_runs : SP_ENTRY_RUNS;
    for (int k = 0; k < e->n_runs; k++) {
        double y = level + o->noise * normal(&own);
        if (o->spikes > 0 && sp_random_unit(&own) < o->spikes)
            y += log1p(-spike * log(1 - sp_random_unit(&own)));
        const bool slow = o->modes > 0 && (other || sp_random_unit(&own) < 0.5);
        e->mode[k] = slow || other ? SPLIT : SHARED;
        if (slow)
            y += log1p(o->modes);
        e->time_s[k] = exp(y);
        e->roof_Bps[k] = roof_Bps * exp(-machine - together + 0.2 * o->noise * normal(&own));
    }
    for (int m = 0; m < SP_N_TRACKED; m++)
        e->metric[m] = NAN;
    e->metric[SP_TRACKED_TIME] = sp_median(e->time_s, e->n_runs);
    e->metric[SP_TRACKED_BYTES] = bytes_B * (1 + series) * exp(more);
    e->metric[SP_TRACKED_BANDWIDTH] = e->metric[SP_TRACKED_BYTES] / e->metric[SP_TRACKED_TIME];
    e->metric[SP_TRACKED_ROOF] = sp_median(e->roof_Bps, e->n_runs);
    e->metric[SP_TRACKED_FRACTION] = e->metric[SP_TRACKED_BANDWIDTH] / e->metric[SP_TRACKED_ROOF];
    strcpy(e->origin[SP_TRACKED_TIME], "constructed");
    strcpy(e->origin[SP_TRACKED_FRACTION], "constructed");
    strcpy(e->origin[SP_TRACKED_ROOF], "constructed");
    strcpy(e->origin[SP_TRACKED_BANDWIDTH], "constructed");
    strcpy(e->origin[SP_TRACKED_BYTES], "constructed");
    e->sentinel_version = 1;
    e->sentinel[SP_ENTRY_DRAM] = roof_Bps * exp(-machine + 0.1 * o->noise * normal(&own));
    e->sentinel[SP_ENTRY_LLC] = 5 * roof_Bps * exp(-machine);
    e->sentinel[SP_ENTRY_CONTROL] = 5e8;
    e->level = SP_ENTRY_MEMORY;
}

enum sp_status sp_made_fault_parse(const char *text, struct sp_made_fault *f, struct sp_error *err)
{
    static const char remedy[] =
        "for example step:30:5, drift:20:0.2:3, bytes:30-40:2, mode:30, machine:30:10";
    char kind[16] = "", series[16] = "";
    int at = 0, until = 0, n = 0;
    double percent = 0;
    memset(f, 0, sizeof *f);
    f->kind = SP_N_MADE_FAULTS;
    if (sscanf(text, "%15[a-z]:%9d%n", kind, &at, &n) == 2)
        for (int k = 0; k < SP_N_MADE_FAULTS; k++)
            if (strcmp(kind, kinds[k]) == 0)
                f->kind = (enum sp_made_fault_kind)k;
    int used = 0;
    const char *rest = text + n;
    if (n > 0 && sscanf(rest, "-%9d%n", &until, &used) == 1)
        rest += used;
    used = 0;
    if (n > 0 && sscanf(rest, ":%lf%n", &percent, &used) == 1)
        rest += used;
    used = 0;
    if (n > 0 && sscanf(rest, ":%9[a-z0-9]%n", series, &used) == 1)
        rest += used;
    f->series = strcmp(series, "all") == 0 ? 0 : *series ? atoi(series) : 1;
    f->at = at - 1;
    f->until = until > 0 ? until - 1 : 0;
    f->by = percent / 100;
    if (f->kind == SP_N_MADE_FAULTS || n == 0 || *rest || at < 1 || (until > 0 && until <= at) ||
        f->series < 0 || (*series && strcmp(series, "all") != 0 && f->series < 1) ||
        !(f->by > -0.9 && f->by <= 100) || (f->by == 0 && f->kind != SP_MADE_MODE))
        return sp_fail(
            err, SP_USAGE, remedy,
            "a fault is KIND:COMMIT[-UNTIL]:PERCENT[:SERIES], with step, drift, bytes, mode, machine or "
            "common, not '%s'",
            text);
    return SP_OK;
}

static json_t *runs_json(const struct sp_entry *e)
{
    json_t *runs = json_array();
    for (int k = 0; k < e->n_runs; k++)
        json_array_append_new(runs, json_pack("{s:[f], s:[f], s:s}", "time_s", e->time_s[k], "roof_Bps",
                                              e->roof_Bps[k], "mode", sp_entry_mode_name(e->mode[k])));
    return runs;
}

static json_t *sentinels_json(const struct sp_entry *e)
{
    static const char *const names[SP_N_ENTRY_SENTINELS] = {"dram", "llc", "control"};
    json_t *all = json_pack("{s:i}", "version", 1);
    for (int i = 0; i < SP_N_ENTRY_SENTINELS; i++)
        json_object_set_new(all, names[i],
                            json_pack("{s:s, s:s, s:[f], s:f}", "unit", i == SP_ENTRY_CONTROL ? "1/s" : "B/s",
                                      "origin", "constructed", "values", e->sentinel[i], "spread", 0.0));
    return all;
}

enum sp_status sp_made_record(const struct sp_made_options *o, int series, int commit, int session,
                              struct sp_record *r, struct sp_error *err)
{
    struct sp_entry e;
    char sha[72];
    sp_made_entry(o, series, commit, session, &e);
    const enum sp_status status = sp_record_new(e.matrix, r, err);
    if (status != SP_OK)
        return status;
    snprintf(sha, sizeof sha, "%064x", (unsigned)series + 1);
    sp_record_set_text(r, SP_F_ID, e.id);
    sp_record_set_text(r, SP_F_STATUS, "complete");
    sp_record_set_text(r, SP_F_TIME_START, e.start);
    sp_record_set_text(r, SP_F_TIME_END, e.start);
    sp_record_set_text(r, SP_F_SOURCE_COMMIT, e.commit);
    sp_record_set_text(r, SP_F_PROBLEM_NAME, e.matrix);
    sp_record_set_text(r, SP_F_PROBLEM_SHA256, sha);
    sp_record_set_text(r, SP_F_MACHINE_NAME, e.machine);
    sp_record_set_text(r, SP_F_ENV_KEY, e.env);
    sp_record_set_text(r, SP_F_BINDING_LEVEL, "MEM");
    sp_record_set_text(r, SP_F_BINDING_TERM, "memory");
    sp_record_set_count(r, SP_F_REQUEST_VERSION, 1);
    sp_record_set_count(r, SP_F_CONFIG_THREADS, 1);
    sp_record_set_text(r, SP_F_CONFIG_OP, "spmv");
    sp_record_set_text(r, SP_F_CONFIG_FORMAT_OPTION, "crs");
    sp_record_set_text(r, SP_F_CONFIG_PRECISION, "f64");
    sp_record_set_text(r, SP_F_CONFIG_INDEX, "i32");
    sp_record_set_text(r, SP_F_CONFIG_SCHEDULE, "static");
    sp_record_set_object(r, SP_F_RUNS, runs_json(&e));
    sp_record_set_object(r, SP_F_SENTINELS, sentinels_json(&e));
    sp_record_set_value(r, SP_F_METRICS_TIME, sp_value_of(e.metric[SP_TRACKED_TIME], SP_CONSTRUCTED));
    sp_record_set_value(r, SP_F_METRICS_BYTES, sp_value_of(e.metric[SP_TRACKED_BYTES], SP_CONSTRUCTED));
    sp_record_set_value(r, SP_F_METRICS_BANDWIDTH,
                        sp_value_of(e.metric[SP_TRACKED_BANDWIDTH], SP_CONSTRUCTED));
    sp_record_set_value(r, SP_F_METRICS_BANDWIDTH_FRACTION,
                        sp_value_of(e.metric[SP_TRACKED_FRACTION], SP_CONSTRUCTED));
    sp_record_append(r, SP_F_ROOFS,
                     json_pack("{s:s, s:s, s:s, s:f, s:s, s:s}", "name", "load_own", "level", "MEM", "role",
                               "roof", "value", e.metric[SP_TRACKED_ROOF], "unit", "B/s", "origin",
                               "constructed"));
    sp_record_add_flag(r, "made", "nobody measured this: spmodel track simulate made it");
    return SP_OK;
}

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
                                         .n_faults = o->change != 0 ? 1 : 0};
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
