#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/option/option_words.h"
#include "probes/replay.h"
#include "session/record/imports.h"
#include "sys/counters/memory_pmu.h"

enum { LINE_B = 64 };

/* Misses of the last level, without memory controllers: the first there is. `also`: to add. */
static const struct {
    const char *name, *also;
} misses[] = {{"longest_lat_cache.miss", NULL},
              {"LLC-load-misses", "LLC-store-misses"},
              {"cache-misses", NULL},
              {"ll_cache_miss_rd", NULL}};
enum { N_MISSES = sizeof misses / sizeof *misses };

/* Is it that event, perhaps of a unit or in a mode: "cpu_core/cache-misses/u", "cache-misses:u"? */
static bool is_event(const char *name, const char *wanted)
{
    const char *slash = wanted ? strchr(name, '/') : NULL, *at = slash ? slash + 1 : name;
    const size_t n = wanted ? strlen(wanted) : 0;
    return wanted && strncasecmp(at, wanted, n) == 0 && strchr(":/, ", at[n]);
}

/* Bytes of one of the unit that perf printed; 0: it is no unit of bytes. */
static double unit_B(const char *unit)
{
    static const struct {
        const char *unit;
        double B;
    } units[] = {{"B", 1},     {"Bytes", 1},      {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824},
                 {"KB", 1000}, {"MB", 1000000.0}, {"GB", 1e9},   {"64Bytes", 64},  {"32Bytes", 32}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0)
            return units[i].B;
    return 0;
}

/* What the rows of the file count, and which of them are added up. */
struct choice {
    int rank;   /* of the memory controllers' kind; -1: misses */
    int missed; /* of `misses`; -1: none */
    const char *kind;
    bool has[SP_N_DIRECTIONS];
};

static bool is_chosen(const struct choice *c, const struct sp_perf_row *row, struct sp_memory_event_named *e)
{
    if (c->rank >= 0)
        return sp_memory_event_of_name(row->name, e) && (e->rank == c->rank || e->beside);
    *e = (struct sp_memory_event_named){.direction = SP_READS, .B_per_count = LINE_B};
    return c->missed >= 0 &&
           (is_event(row->name, misses[c->missed].name) || is_event(row->name, misses[c->missed].also));
}

static struct choice choose(const struct sp_perf_csv *csv)
{
    struct choice c = {.rank = -1, .missed = -1};
    struct sp_memory_event_named e;
    for (int64_t i = 0; i < csv->n; i++)
        if (sp_memory_event_of_name(csv->row[i].name, &e) && (c.rank < 0 || e.rank < c.rank)) {
            c.rank = e.rank;
            c.kind = e.kind;
        }
    for (int m = N_MISSES - 1; c.rank < 0 && m >= 0; m--)
        for (int64_t i = 0; i < csv->n; i++)
            if (is_event(csv->row[i].name, misses[m].name))
                c.missed = m;
    for (int64_t i = 0; i < csv->n; i++)
        if (is_chosen(&c, &csv->row[i], &e))
            c.has[e.direction] = true;
    return c;
}

const char *sp_perf_vendor(const struct sp_perf_csv *csv)
{
    static const char *const vendors[] = {"Intel", "AMD", "HiSilicon", "NVIDIA", "Arm"};
    const struct choice c = choose(csv);
    for (size_t i = 0; c.kind && i < sizeof vendors / sizeof *vendors; i++)
        if (strncmp(c.kind, vendors[i], strlen(vendors[i])) == 0)
            return vendors[i];
    return NULL;
}

/* Seconds of the whole program; NAN: not in it. */
static double duration(const struct sp_perf_csv *csv)
{
    double s = csv->elapsed_s;
    for (int64_t i = 0; i < csv->n; i++)
        if (is_event(csv->row[i].name, "duration_time") && csv->row[i].state == SP_PERF_COUNTED)
            s = fmax(isnan(s) ? 0 : s, 1e-9 * csv->row[i].value);
    return s > 0 ? s : NAN;
}

/* Is the row an earlier one again? */
static const struct sp_perf_row *repeated(const struct sp_perf_csv *csv, int64_t i)
{
    for (int64_t k = 0; k < i; k++)
        if (strcmp(csv->row[k].name, csv->row[i].name) == 0 &&
            strcmp(csv->row[k].place, csv->row[i].place) == 0)
            return &csv->row[k];
    return NULL;
}

static enum sp_status usable(const struct sp_perf_csv *csv, const char *path, const struct choice *c,
                             const struct sp_import_options *o, struct sp_error *err)
{
    struct sp_memory_event_named e;
    if (o->executions < 1)
        return sp_fail_at(err, SP_USAGE, path, 0, 0, SP_O_EXECUTIONS " N",
                          "how many products the whole program made is not in it");
    if (o->n_threads < 1)
        return sp_fail_at(err, SP_USAGE, path, 0, 0, SP_O_THREADS " N", "how many threads ran is not in it");
    if (c->rank < 0 && c->missed < 0)
        return sp_fail_at(err, SP_INPUT, path, 0, 0,
                          "count those of the memory controllers, as perf list has them "
                          "(uncore_imc/cas_count_read/, amd_umc, ...), or LLC-load-misses; the time alone: "
                          "spmodel import " SP_O_TIME,
                          "none of its events counts bytes of memory");
    if (!c->has[SP_READS] && !c->has[SP_READS_AND_WRITES])
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "count the event of reads, too",
                          "of memory only what is written was counted");
    for (int64_t i = 0; i < csv->n; i++) {
        const struct sp_perf_row *row = &csv->row[i], *before;
        if (!is_chosen(c, row, &e))
            continue;
        if (row->state != SP_PERF_COUNTED)
            return sp_fail_at(err, SP_INPUT, path, row->line, 0,
                              "these units want root, or kernel.perf_event_paranoid below 1, and -a; virtual "
                              "machines have none",
                              "%s: %s", row->name, sp_perf_state_name(row->state));
        before = repeated(csv, i);
        if (before)
            return sp_fail_at(err, SP_INPUT, path, row->line, 0, "name each event once",
                              "%s stands in line %lld, too, and would count twice", row->name,
                              (long long)before->line);
        if (*row->unit && unit_B(row->unit) == 0)
            return sp_fail_at(err, SP_INPUT, path, row->line, 0, "bytes come as B, KiB, MiB, GiB, or counts",
                              "%s is in '%s', which is no unit of bytes", row->name, row->unit);
    }
    if (!o->time_s && isnan(duration(csv)))
        return sp_fail_at(err, SP_INPUT, path, 0, 0,
                          "perf stat -e duration_time,...; or say with " SP_O_TIME " how long a product took",
                          "no time is in it");
    return SP_OK;
}

/* Sockets: the places of memory controllers, in the order in which they come. */
struct places {
    int n;
    const char *name[SP_COUNT_MAX_DOMAINS];
};

static int domain_of(struct places *p, const char *place)
{
    int i = 0;
    while (i < p->n && strcmp(p->name[i], place) != 0)
        i++;
    if (i == SP_COUNT_MAX_DOMAINS)
        return 0;
    p->n += i == p->n;
    p->name[i] = place;
    return i;
}

static enum sp_status add_counts(const struct sp_perf_csv *csv, const struct choice *c, int64_t executions,
                                 struct sp_count_log *log, struct sp_error *err)
{
    struct sp_memory_event_named e;
    const double s = isnan(duration(csv)) ? 1 : duration(csv);
    struct places places = {0};
    enum sp_status status = SP_OK;
    for (int64_t i = 0; i < csv->n && status == SP_OK; i++) {
        const struct sp_perf_row *row = &csv->row[i];
        if (!is_chosen(c, row, &e))
            continue;
        struct sp_count_event event = {.level = "MEM",
                                       .domain = c->rank >= 0 ? domain_of(&places, row->place) : 0,
                                       .channel = -1,
                                       .bits = 64,
                                       .B_per_count = *row->unit ? unit_B(row->unit) : e.B_per_count,
                                       .direction = e.direction};
        snprintf(event.name, sizeof event.name, "%.95s", row->name);
        status = sp_count_log_add_event(log, &event, err);
    }
    struct sp_count_window w = {.kind = SP_WINDOW_JOB,
                                .duration_s = s,
                                .repetitions = executions,
                                .memory_share = 1},
                           *in = NULL;
    if (status == SP_OK)
        status = sp_count_log_add_window(log, &w, &in, err);
    int n = 0;
    for (int64_t i = 0; i < csv->n && status == SP_OK; i++) {
        const struct sp_perf_row *row = &csv->row[i];
        if (!is_chosen(c, row, &e))
            continue;
        /* perf has scaled it up already */
        const double counted = row->value * row->running;
        in->count[n++] = (struct sp_count){0, counted < 0x1p53 ? counted : NAN, s, s * row->running};
    }
    return status;
}

static void record_times(const struct sp_perf_csv *csv, const struct sp_import_options *o,
                         struct sp_record *r)
{
    json_t *times = json_array();
    const double each_s = duration(csv) / (double)o->executions;
    for (int64_t i = 0; i < (o->time_s ? o->n_times : 1); i++)
        json_array_append_new(times, json_real(o->time_s ? o->time_s[i] : each_s));
    sp_record_append(r, SP_F_RUNS,
                     json_pack("{s:o, s:I, s:s}", "time_s", times, "repetitions", (json_int_t)o->executions,
                               "mode", "unknown"));
    if (o->time_s)
        sp_record_set_value(r, SP_F_METRICS_TIME, sp_value_of(o->time_s[0], SP_STATED));
    sp_record_set_count(r, SP_F_CONFIG_THREADS, o->n_threads);
}

enum sp_status sp_import_perf(const struct sp_perf_csv *csv, const char *path,
                              const struct sp_import_options *o, struct sp_recording *recording,
                              struct sp_error *err)
{
    const struct choice c = choose(csv);
    struct sp_count_log log = {.source = "perf", .constructed = csv->constructed};
    struct sp_record r;
    memset(recording, 0, sizeof *recording);
    enum sp_status status = usable(csv, path, &c, o, err);
    if (status == SP_OK)
        status = sp_record_new("imported", &r, err);
    if (status != SP_OK)
        return status;
    status = add_counts(csv, &c, o->executions, &log, err);
    if (status == SP_OK) {
        char by[80];
        snprintf(by, sizeof by, c.kind ? "%.60s" : "misses (%.40s) times %d B",
                 c.kind ? c.kind : misses[c.missed].name, LINE_B);
        snprintf(log.how, sizeof log.how, "perf stat of the whole program, %lld products: %s",
                 (long long)o->executions, by);
        record_times(csv, o, &r);
        sp_record_set_object(&r, SP_F_COUNTERS, sp_count_log_json(&log));
        sp_record_set_text(&r, SP_F_CONFIG_KERNEL, "imported");
        if (csv->constructed)
            sp_record_set_text(&r, SP_F_STATUS, "constructed");
        sp_recording_take(path, &r, recording);
    } else
        sp_record_free(&r);
    sp_count_log_free(&log);
    return status;
}
