#include "session/record/imports.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/reading.h"
#include "probes/likwid_metrics.h"
#include "probes/probe.h"
#include "sys/counters/memory_pmu.h"

/* Volumes of all groups of a region, one event each. */
enum { MAX_VOLUMES = 256 };
struct volumes {
    int n;
    struct sp_likwid_metric metric[MAX_VOLUMES];
    int pass[MAX_VOLUMES];
    char name[MAX_VOLUMES][96];
    const double *row[MAX_VOLUMES]; /* of the table's threads, borrowed */
    int n_threads[MAX_VOLUMES];
    bool keep[MAX_VOLUMES];
};

static bool is_region(const struct sp_likwid_table *t, const char *region)
{
    return strcmp(t->region, region) == 0;
}

/* The region to take: the one named, or the only one. */
static enum sp_status choose_region(const struct sp_likwid_csv *csv, const char *path, const char *wanted,
                                    const char **region, struct sp_error *err)
{
    char list[400] = "";
    *region = NULL;
    for (int i = 0; i < csv->n_tables; i++) {
        const char *name = csv->table[i].region;
        bool seen = false;
        for (int k = 0; k < i; k++)
            seen = seen || is_region(&csv->table[k], name);
        if (wanted ? strcmp(name, wanted) == 0 : !*region)
            *region = name;
        if (!seen && strlen(list) + strlen(name) + 4 < sizeof list)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
                     *name ? name : "(the whole program)");
    }
    bool several = strchr(list, ',') != NULL;
    if (wanted && !*region)
        return sp_fail_at(err, SP_USAGE, path, 0, 0, list, "there is no region '%s' in it", wanted);
    if (!wanted && several)
        return sp_fail_at(err, SP_USAGE, path, 0, 0, "name one with " SP_O_REGION,
                          "several regions are in it: %s", list);
    if (!*region)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, NULL, "no table of likwid-perfctr is in it");
    return SP_OK;
}

static double highest(const double *row, int n)
{
    double most = NAN;
    for (int t = 0; row && t < n; t++)
        most = isnan(most) || row[t] > most ? row[t] : most;
    return most;
}

/* Seconds of each thread in the table's region, and how often it was called. */
static const double *times_of(const struct sp_likwid_table *t, double *calls)
{
    const double *count = sp_likwid_row(t, "call count");
    *calls = count ? highest(count, t->n_threads) : 1;
    const double *s = sp_likwid_row(t, "RDTSC Runtime [s]");
    return s ? s : sp_likwid_row(t, "Runtime (RDTSC) [s]");
}

static void list_volumes(const struct sp_likwid_table *t, int pass, struct volumes *v)
{
    for (int i = 0; i < t->n_rows && v->n < MAX_VOLUMES; i++) {
        if (!sp_likwid_metric_of(t->group, t->name[i], &v->metric[v->n]))
            continue;
        v->pass[v->n] = pass;
        snprintf(v->name[v->n], sizeof v->name[v->n], "%s", t->name[i]);
        v->row[v->n] = &t->value[i * t->n_threads];
        v->n_threads[v->n++] = t->n_threads;
    }
}

/* What belongs to a whole socket is counted by one thread, the others say 0; where three or more
 * all say the same of memory, it was printed once a thread. NAN where a thread has no number. */
static double sum_row(const double *row, int n, bool memory)
{
    double sum = 0;
    bool same = memory && n > 2;
    for (int t = 0; t < n; t++) {
        if (isnan(row[t]))
            return NAN;
        same = same && row[t] == row[0];
        sum += row[t];
    }
    return same ? row[0] : sum;
}

static enum sp_status add_events(const struct volumes *v, struct sp_count_log *log, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < v->n && status == SP_OK; i++) {
        if (!v->keep[i])
            continue;
        struct sp_count_event e = {.channel = -1,
                                   .B_per_count = v->metric[i].B,
                                   .bits = 64,
                                   .pass = v->pass[i],
                                   .direction = v->metric[i].direction};
        snprintf(e.level, sizeof e.level, "%s", v->metric[i].level);
        snprintf(e.name, sizeof e.name, "%s", v->name[i]);
        status = sp_count_log_add_event(log, &e, err);
    }
    return status;
}

/* Does a pass count anything that another does not count already? */
static bool counts_in(const struct volumes *v, int pass)
{
    for (int i = 0; i < v->n; i++)
        if (v->keep[i] && v->pass[i] == pass)
            return true;
    return false;
}

static enum sp_status add_window(const struct sp_likwid_table *t, const struct volumes *v, int pass,
                                 double executions, struct sp_count_log *log, struct sp_error *err)
{
    double calls, s = highest(times_of(t, &calls), t->n_threads);
    struct sp_count_window w = {.kind = SP_WINDOW_JOB,
                                .pass = pass,
                                .duration_s = s,
                                .repetitions = (int64_t)(calls * executions),
                                .memory_share = 1},
                           *in;
    enum sp_status status = sp_count_log_add_window(log, &w, &in, err);
    int event = 0;
    for (int i = 0; i < v->n && status == SP_OK; i++) {
        if (!v->keep[i])
            continue;
        if (v->pass[i] == pass) {
            double x = sum_row(v->row[i], v->n_threads[i], strcmp(v->metric[i].level, "MEM") == 0);
            in->count[event] = (struct sp_count){0, x >= 0 && x < 1e12 ? x : NAN, s, s};
        }
        event++;
    }
    return status;
}

static void likwid_times(const struct sp_likwid_table *t, double executions, struct sp_record *r)
{
    double calls;
    const double *s = times_of(t, &calls);
    if (!s)
        return;
    double each = calls * executions;
    json_t *run = json_object(), *times = json_array(), *threads = json_array();
    json_array_append_new(times, json_real(highest(s, t->n_threads) / each));
    /* A region around a whole parallel part is entered by one thread: the others' times are not
     * known. */
    for (int k = 0; threads && k < t->n_threads; k++)
        if (s[k] > 0)
            json_array_append_new(threads, json_real(s[k] / each));
        else {
            json_decref(threads);
            threads = NULL;
        }
    json_object_set_new(run, "time_s", times);
    if (threads)
        json_object_set_new(run, "thread_time_s", threads);
    json_object_set_new(run, "repetitions", json_integer((json_int_t)each));
    json_object_set_new(run, "mode", json_string("unknown"));
    sp_record_append(r, SP_F_RUNS, run);
    sp_record_set_count(r, SP_F_CONFIG_THREADS, t->n_threads);
}

static enum sp_status likwid_usable(const struct sp_likwid_table *t, const char *path, double executions,
                                    struct sp_error *err)
{
    double calls, s = highest(times_of(t, &calls), t->n_threads);
    if (!(s > 0))
        return sp_fail_at(err, SP_INPUT, path, 0, 0,
                          "LIKWID's clock may be 0 here: use another version or access mode",
                          "group %s has no run time", t->group);
    if (!(calls >= 1 && calls <= 1e12) || calls != floor(calls) || executions > 1e12)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "the file may be damaged",
                          "group %s: the number of calls is no count from 1 to 1e12", t->group);
    if (!*t->region && executions == 0)
        return sp_fail_at(err, SP_USAGE, path, 0, 0,
                          SP_O_EXECUTIONS
                          " N; or use marker regions (likwid-perfctr -m), whose calls are counted",
                          "how many products the whole program made is not in it");
    return SP_OK;
}

enum sp_status sp_import_likwid(const struct sp_likwid_csv *csv, const char *path,
                                const struct sp_import_options *o, struct sp_recording *recording,
                                struct sp_error *err)
{
    const char *region = NULL;
    struct sp_count_log log = {.source = "likwid", .constructed = csv->constructed};
    struct sp_record r;
    memset(recording, 0, sizeof *recording);
    enum sp_status status = choose_region(csv, path, o->region, &region, err);
    if (status == SP_OK)
        status = sp_record_new("imported", &r, err);
    if (status != SP_OK)
        return status;
    double executions = o->executions > 0 ? (double)o->executions : 1;
    const struct sp_likwid_table *first = NULL;
    void *memory;
    status = sp_new_array(1, sizeof(struct volumes), "volumes", &memory, err);
    struct volumes *v = memory;
    int pass = 0;
    for (int i = 0; i < csv->n_tables && status == SP_OK; i++)
        if (is_region(&csv->table[i], region))
            list_volumes(&csv->table[i], pass++, v);
    const char *missing = NULL;
    if (status == SP_OK) {
        int groups[MAX_VOLUMES];
        memcpy(groups, v->pass, sizeof groups);
        missing = sp_likwid_choose(v->n, v->metric, groups, v->keep);
        status = missing ? sp_fail_at(err, SP_INPUT, path, 0, 0,
                                      "measure all groups of the memory in one run of likwid-perfctr", "%s",
                                      missing)
                         : add_events(v, &log, err);
    }
    pass = 0;
    for (int i = 0; i < csv->n_tables && status == SP_OK; i++) {
        const struct sp_likwid_table *t = &csv->table[i];
        if (!is_region(t, region))
            continue;
        status = likwid_usable(t, path, (double)o->executions, err);
        if (status == SP_OK && counts_in(v, pass))
            status = add_window(t, v, pass, executions, &log, err);
        pass++;
        first = first ? first : t;
    }
    free(v);
    if (status == SP_OK && (!first || !sp_count_log_has_level(&log, "MEM")))
        status = sp_fail_at(err, SP_INPUT, path, 0, 0,
                            "measure with likwid-perfctr -g MEM (likwid-perfctr -a lists groups)",
                            "no group in it counts data volumes of memory");
    if (status == SP_OK) {
        snprintf(log.how, sizeof log.how, "likwid-perfctr, group %.31s%s%.30s, %.60s", first->group,
                 *region ? ", region " : "", *region ? region : "", *csv->cpu ? csv->cpu : "unknown CPU");
        likwid_times(first, executions, &r);
        if (*csv->cpu)
            sp_record_set_text(&r, SP_F_MACHINE_CPU, csv->cpu);
        sp_record_set_object(&r, SP_F_COUNTERS, sp_count_log_json(&log));
        sp_record_set_text(&r, SP_F_CONFIG_KERNEL, *region ? region : "imported");
        if (csv->constructed)
            sp_record_set_text(&r, SP_F_STATUS, "constructed");
        sp_recording_take(path, &r, recording);
    } else
        sp_record_free(&r);
    sp_count_log_free(&log);
    return status;
}

/* The kernels that are taken: launches of one name belong together. */
enum { MOST_KERNELS = 32 };
struct kernels {
    int n;
    const char *name[MOST_KERNELS];
    int64_t n_launches[MOST_KERNELS];
    int64_t n_products;
};

static bool is_wanted(const struct sp_ncu_launch *l, const char *region)
{
    return !region || strstr(l->kernel, region);
}

/* Without its arguments. */
static int short_length(const char *kernel)
{
    return (int)strcspn(kernel, "(");
}

static enum sp_status find_kernels(const struct sp_ncu_csv *csv, const char *path,
                                   const struct sp_import_options *o, struct kernels *k, struct sp_error *err)
{
    char list[400] = "";
    int n_named = 0;
    for (int64_t i = 0; i < csv->n_launches; i++) {
        const struct sp_ncu_launch *l = &csv->launch[i];
        int at = 0;
        bool again = false;
        for (int64_t j = 0; j < i && !again && n_named < MOST_KERNELS; j++)
            again = strcmp(csv->launch[j].kernel, l->kernel) == 0;
        if (!again && n_named++ < MOST_KERNELS && strlen(list) + 70 < sizeof list)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.*s", *list ? ", " : "",
                     short_length(l->kernel) < 60 ? short_length(l->kernel) : 60, l->kernel);
        if (!is_wanted(l, o->region))
            continue;
        while (at < k->n && strcmp(k->name[at], l->kernel) != 0)
            at++;
        if (at == MOST_KERNELS)
            return sp_fail_at(err, SP_USAGE, path, 0, 0, "name a longer part of one's name with " SP_O_REGION,
                              "more than %d kernels are taken", MOST_KERNELS);
        k->n += at == k->n;
        k->name[at] = l->kernel;
        k->n_launches[at]++;
    }
    if (k->n == 0)
        return sp_fail_at(err, SP_USAGE, path, 0, 0, list, "there is no kernel with '%s' in its name",
                          o->region ? o->region : "");
    if (k->n > 1 && !o->region)
        return sp_fail_at(err, SP_USAGE, path, 0, 0,
                          "name a part of those that make the product with " SP_O_REGION,
                          "several kernels are in it: %s", list);
    k->n_products = o->executions;
    for (int i = 0; i < k->n && o->executions == 0; i++)
        k->n_products = i == 0 || k->n_launches[i] < k->n_products ? k->n_launches[i] : k->n_products;
    return SP_OK;
}

/* The metric in one product: medians over the launches of each kernel. NAN: a kernel has it not. */
static double of_product(const struct sp_ncu_csv *csv, const struct kernels *k, const char *metric,
                         double *work)
{
    double sum = 0;
    for (int i = 0; i < k->n; i++) {
        int64_t n = 0;
        for (int64_t v = 0; v < csv->n_values; v++)
            if (strcmp(csv->value[v].metric, metric) == 0 &&
                strcmp(csv->launch[csv->value[v].launch].kernel, k->name[i]) == 0)
                work[n++] = csv->value[v].value;
        if (n == 0)
            return NAN;
        sum += sp_median(work, n) * (double)k->n_launches[i] / (double)k->n_products;
    }
    return sum;
}

/* Names beside those that live counting asks for, of which one is enough. */
static const struct {
    const char *name;
    enum sp_gpu_count count;
    double scale;
} others[] = {{"lts__t_bytes_srcunit_tex_op_read.sum", SP_GPU_L2_READ, 1},
              {"lts__t_bytes_srcunit_tex_op_write.sum", SP_GPU_L2_WRITE, 1},
              {"dram__sectors_read.sum", SP_GPU_DRAM_READ, 32},
              {"dram__sectors_write.sum", SP_GPU_DRAM_WRITE, 32},
              {"l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum", SP_GPU_L1_LOAD, 1.0 / 32},
              {"l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum", SP_GPU_L1_STORE, 1.0 / 32}};

static void add(struct sp_gpu_counts *counts, enum sp_gpu_count count, double x, enum sp_origin origin)
{
    const struct sp_value before = counts->of[count];
    counts->of[count] = sp_value_of((sp_value_known(before) ? before.value : 0) + x, origin);
}

static void take_counts(const struct sp_ncu_csv *csv, const struct kernels *k, double *work,
                        struct sp_gpu_counts *counts)
{
    const enum sp_origin origin = csv->constructed ? SP_CONSTRUCTED : SP_MEASURED;
    sp_gpu_counts_none(counts, "the file has no such metric");
    static const enum sp_gpu_set_name sets[] = {SP_GPU_SET_TRAFFIC, SP_GPU_SET_UPDATES};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        const struct sp_gpu_set *set = &sp_gpu_sets[sets[s]];
        for (int m = 0; m < set->n_metrics; m++) {
            const double x = of_product(csv, k, set->metric[m].name, work);
            const bool is_time = set->metric[m].count == SP_GPU_TIME; /* in seconds already */
            if (isfinite(x))
                add(counts, set->metric[m].count, (is_time ? 1 : set->metric[m].scale) * x, origin);
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const double x = of_product(csv, k, others[i].name, work);
        if (isfinite(x) && !sp_value_known(counts->of[others[i].count]))
            add(counts, others[i].count, others[i].scale * x, origin);
    }
}

static enum sp_status check(const char *path, const struct sp_import_options *o,
                            const struct sp_gpu_counts *counts, struct sp_error *err)
{
    static const char remedy[] = "profile with the metrics gpu__time_duration.sum, dram__bytes_read.sum, "
                                 "dram__bytes_write.sum";
    if (!sp_value_known(counts->of[SP_GPU_DRAM_READ]))
        return sp_fail_at(
            err, SP_INPUT, path, 0, 0, remedy,
            "bytes read from memory are not in it (their sum with those written is not enough)");
    if (!sp_value_known(counts->of[SP_GPU_DRAM_WRITE]))
        return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy,
                          "bytes written to memory are not in it for each kernel");
    if (!o->time_s && !(counts->of[SP_GPU_TIME].value > 0))
        return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "no time is in it");
    return SP_OK;
}

/* Times of the launches of the only kernel, else of the product as a whole. */
static enum sp_status take_times(const struct sp_ncu_csv *csv, const char *path, const struct kernels *k,
                                 const struct sp_import_options *o, double *work, struct sp_gpu_recorded *out,
                                 struct sp_error *err)
{
    const struct sp_timed_run run = {
        .from = path, .kernel = out->kernel, .origin = o->time_s ? SP_STATED : SP_MEASURED};
    int64_t n = 0;
    if (o->time_s)
        return sp_recording_of_times(o->time_s, o->n_times, 1, &run, &out->times, err);
    for (int64_t v = 0; k->n == 1 && v < csv->n_values; v++)
        if (strcmp(csv->value[v].metric, "gpu__time_duration.sum") == 0 &&
            strcmp(csv->launch[csv->value[v].launch].kernel, k->name[0]) == 0)
            work[n++] = csv->value[v].value * (double)k->n_launches[0] / (double)k->n_products;
    if (n == 0)
        work[n++] = out->counts.of[SP_GPU_TIME].value;
    return sp_recording_of_times(work, n, 1, &run, &out->times, err);
}

enum sp_status sp_import_ncu(const struct sp_ncu_csv *csv, const char *path,
                             const struct sp_import_options *o, struct sp_gpu_recorded *out,
                             struct sp_error *err)
{
    struct kernels k = {0};
    void *work = NULL;
    memset(out, 0, sizeof *out);
    enum sp_status status = find_kernels(csv, path, o, &k, err);
    if (status == SP_OK)
        status = sp_new_array(csv->n_values + 1, sizeof(double), "metrics", &work, err);
    if (status != SP_OK)
        return status;
    snprintf(out->source, sizeof out->source, "ncu");
    snprintf(out->kernel, sizeof out->kernel, "%.*s%s",
             short_length(k.name[0]) < 200 ? short_length(k.name[0]) : 200, k.name[0],
             k.n > 1 ? " and others" : "");
    snprintf(out->how, sizeof out->how, "kernel %.60s, %lld product%s%s%.60s", out->kernel,
             (long long)k.n_products, k.n_products == 1 ? "" : "s, medians", *csv->gpu ? ", on " : "",
             csv->gpu);
    out->constructed = csv->constructed;
    take_counts(csv, &k, work, &out->counts);
    status = check(path, o, &out->counts, err);
    if (status == SP_OK)
        status = take_times(csv, path, &k, o, work, out, err);
    free(work);
    return status;
}

enum { LINE_B = 64 };

/* Misses of the last level, without memory controllers: the first there is. `also`: to add.
 * `vendor`: on whose processors they are that. The kernel's cache-misses are those of L2 on AMD
 * (Linux arch/x86/events/amd/core.c, 0x0964) and of L1 on Arm (drivers/perf/arm_pmuv3.c). */
static const struct {
    const char *name, *also, *vendor;
} misses[] = {{"longest_lat_cache.miss", NULL, "Intel"},
              {"LLC-load-misses", "LLC-store-misses", NULL},
              {"cache-misses", NULL, "Intel"},
              {"ll_cache_miss_rd", NULL, NULL}};
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
    int naming[2][SP_N_DIRECTIONS]; /* of the kind's events, and of those beside it; 0: none */
};

/* Does it count what others count, too: by another name, or both directions beside each of them? */
static bool is_double(const struct choice *c, const struct sp_memory_event_named *e)
{
    const int *naming = c->naming[e->beside];
    return e->naming != naming[e->direction] ||
           (e->direction == SP_READS_AND_WRITES && naming[SP_READS] > 0 && naming[SP_WRITES] > 0);
}

static bool is_chosen(const struct choice *c, const struct sp_perf_row *row, struct sp_memory_event_named *e)
{
    if (c->rank >= 0)
        return sp_memory_event_of_name(row->name, e) && (e->rank == c->rank || e->beside) && !is_double(c, e);
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
    for (int64_t i = 0; i < csv->n; i++)
        if (sp_memory_event_of_name(csv->row[i].name, &e) && (e.rank == c.rank || e.beside)) {
            int *naming = &c.naming[e.beside][e.direction];
            *naming = *naming == 0 || e.naming < *naming ? e.naming : *naming;
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

const char *sp_perf_vendor(const struct sp_perf_csv *csv, const char **what)
{
    static const char *const vendors[] = {"Intel", "AMD", "HiSilicon", "NVIDIA", "Arm"};
    const struct choice c = choose(csv);
    *what = c.kind ? "memory controllers" : c.missed >= 0 ? misses[c.missed].name : "";
    if (!c.kind)
        return c.missed >= 0 ? misses[c.missed].vendor : NULL;
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
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

static enum sp_status perf_usable(const struct sp_perf_csv *csv, const char *path, const struct choice *c,
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

static void perf_times(const struct sp_perf_csv *csv, const struct sp_import_options *o, struct sp_record *r)
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
    enum sp_status status = perf_usable(csv, path, &c, o, err);
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
        perf_times(csv, o, &r);
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
