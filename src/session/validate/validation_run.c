/* Predicting what waits: several at once, each kept as soon as it is made. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"
#include "io/json_text.h"
#include "io/matrix/matrix_load.h"
#include "model/cache/alpha.h"
#include "model/cache/partition.h"
#include "model/roofline.h"
#include "model/unit_costs.h"
#include "model/volume/traffic.h"
#include "session/validate/validation.h"
#include "sparse/formats/layout.h"

double sp_forecast_once_B(double n_r, double n_c, double n_nz, double row_ptr_B)
{
    return 12 * n_nz + row_ptr_B * (n_r + 1) + 8 * n_r + 8 * n_c;
}

struct work {
    const struct sp_machine *machine;
    const struct sp_layout *layout;
    const struct sp_progress *progress;
    int *domain; /* [threads] */
    int n_domains;
    int64_t *lines_of; /* [n_domains] of x */
    int line_B;
    double capacity_B; /* of one last level */
    int ways;          /* of it; 0: pages may lie anywhere */
    bool cold;
};

static bool go_on(void *context, double share)
{
    const struct work *w = context;
    sp_progress_step(w->progress, "simulating", share);
    return sp_progress_interrupted(w->progress);
}

/* The part of the matrix and of y that a domain's threads go through. */
static double share_of(const struct work *w, int domain)
{
    const struct sp_layout *l = w->layout;
    double entries = 0;
    for (int t = 0; t < l->partition.n_threads; t++)
        if (w->domain[t] == domain)
            entries += (double)sp_layout_thread_entries(l, t);
    return l->n_stored > 0 ? entries / (double)l->n_stored : 0;
}

/* A domain's last level, or a part of its ways, and the bytes that its threads go through there. */
struct part {
    double bytes, capacity_B;
};
enum { MOST_PARTS = 2 };

/* The matrix and y as the threads share them, and the lines of x that they touch; returns how many
 * parts. The first one has the values. */
static int parts_of(const struct work *w, int domain, struct part part[MOST_PARTS])
{
    const struct sp_layout *l = w->layout;
    const struct sp_way_partition *p = &sp_machine_llc(w->machine)->partition;
    const double share = share_of(w, domain);
    const bool divided = p->ways > 0 && w->ways > p->ways;
    part[0] = (struct part){.capacity_B = w->capacity_B};
    part[1] = part[0];
    for (int i = 0; divided && i < 2; i++) {
        const bool kept = (p->arrays >> SP_ARRAY_VALUES & 1) == (i == 0);
        part[i].capacity_B *= (double)(kept ? p->ways : w->ways - p->ways) / w->ways;
    }
    for (int a = 0; a < SP_ARRAY_OTHER; a++) {
        const bool with_values = !divided || (p->arrays >> a & 1) == (p->arrays >> SP_ARRAY_VALUES & 1);
        struct part *to = &part[with_values ? 0 : 1];
        to->bytes += a == SP_ARRAY_X ? (double)(w->lines_of[domain] * w->line_B)
                                     : share * sp_layout_array_bytes(l, (enum sp_array)a);
    }
    return divided ? 2 : 1;
}

/* Times its cache, or its ways, that the bytes are. */
static double fullness(const struct part *p)
{
    return p->capacity_B > 0 ? p->bytes / p->capacity_B : INFINITY;
}

static enum sp_status look_at_sizes(struct work *w, struct sp_forecast *out, struct sp_error *err)
{
    static const double noticed = 0.02, half = 0.5; /* of a divided cache: other arrays that matter */
    const struct sp_layout *l = w->layout;
    struct sp_alpha_min least;
    enum sp_status status =
        sp_alpha_min_layout(l, w->n_domains, w->domain, w->line_B, 0, w->lines_of, &least, err);
    if (status != SP_OK)
        return status;
    const double gather_B = sp_layout_gather_bytes(l);
    out->once_B =
        sp_layout_matrix_bytes(l) + sp_layout_array_bytes(l, SP_ARRAY_Y) + least.alpha_once * gather_B;
    out->copies_B = (least.alpha - least.alpha_once) * gather_B;
    out->n_domains = w->n_domains;
    for (int d = 0; d < w->n_domains; d++) {
        struct part part[MOST_PARTS];
        const int n = parts_of(w, d, part);
        double share = fullness(&part[0]);
        out->n_held += share <= 1;
        if (n > 1 && part[1].bytes > noticed * part[0].bytes && fullness(&part[1]) > half)
            share = fmin(share, fullness(&part[1]));
        out->least_share = d == 0 ? share : fmin(out->least_share, share);
        out->most_share = fmax(out->most_share, share);
    }
    return SP_OK;
}

static enum sp_status simulate(struct work *w, struct sp_traffic traffic[SP_MAX_LEVELS], int *n_levels,
                               struct sp_error *err)
{
    struct sp_sim_options o = sp_sim_default(w->machine);
    o.n_domain = w->n_domains;
    o.domain_of_thread = w->domain;
    o.state = w->cold ? SP_SIM_COLD : SP_SIM_WARM;
    o.progress = go_on;
    o.context = w;
    return sp_sim_traffic(w->layout, &o, traffic, n_levels, NULL, err);
}

/* Between the data's home and the level inside it. */
static double alpha_of(const struct work *w, const struct sp_traffic *traffic, int n_levels, int home)
{
    const int k = home < n_levels ? home - 1 : n_levels - 1;
    return k >= 0 ? sp_traffic_alpha(w->layout, &traffic[k]) : 1;
}

/* The roofline with the simulated alpha, what memory gives of data that caches keep in part, and
 * the core's time by the lengths of rows where the machine file has it. */
static enum sp_status time_of(const struct work *w, const struct sp_workload *workload,
                              const struct sp_traffic *traffic, int n_levels, struct sp_forecast *out,
                              struct sp_error *err)
{
    const struct sp_layout *l = w->layout;
    const struct sp_csr *a = workload->matrix;
    struct sp_unit_time units;
    enum sp_status status = sp_unit_time_of(w->machine, l, &units, err);
    if (status != SP_OK)
        return status;
    struct sp_predict_inputs in = {
        .n_r = a->n_r,
        .n_c = a->n_c,
        .n_nz = a->n_nz,
        .format = workload->format,
        .C = workload->C,
        .beta = sp_layout_beta(l),
        .permuted = workload->sigma > 1,
        .precision = workload->precision,
        .index = workload->index,
        .row_ptr_B = workload->row_ptr_B,
        .r = 1,
        .layout = l,
        .work = sp_workload_flops(workload),
        .alpha = sp_value_of(sp_traffic_alpha(l, &traffic[n_levels - 1]), SP_SIMULATED),
        .w = sp_value_of(2, SP_MODELLED),
        .machine = w->machine,
        .n_threads = l->partition.n_threads,
        .n_domains = w->n_domains,
        .warm = !w->cold,
        .core = sp_value_none("not measured"),
        .roof_Bps = sp_value_none("the machine's"),
    };
    if (units.by && units.time_s.lo > 0)
        in.core = sp_value_between(in.work / units.time_s.value, in.work / units.time_s.hi,
                                   in.work / units.time_s.lo, SP_MODELLED);
    const int home = sp_predict(&in).home;
    in.alpha = sp_value_of(alpha_of(w, traffic, n_levels, home), SP_SIMULATED);
    const struct sp_traffic *memory = &traffic[n_levels - 1];
    if (!w->cold)
        *(home == n_levels ? &in.moved_B : &in.beyond_B) = sp_value_sum(memory->read_B, memory->write_B);
    out->time_s = sp_predict(&in).roofline.time_s;
    out->has_core = units.by != NULL;
    return SP_OK;
}

static enum sp_status predict_one(struct work *w, const struct sp_workload *workload, struct sp_forecast *out,
                                  struct sp_error *err)
{
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    enum sp_status status = look_at_sizes(w, out, err);
    if (status == SP_OK)
        status = simulate(w, traffic, &n_levels, err);
    if (status != SP_OK)
        return status;
    out->read_B = traffic[n_levels - 1].read_B;
    out->write_B = traffic[n_levels - 1].write_B;
    return time_of(w, workload, traffic, n_levels, out, err);
}

enum sp_status sp_forecast_make(const struct sp_workload *workload, const struct sp_machine *machine,
                                bool cold, const struct sp_progress *progress, struct sp_forecast *out,
                                struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    const int n = workload->n_threads;
    const struct sp_cache *llc = sp_machine_llc(machine);
    if (machine->kind != SP_CPU || !llc)
        return sp_fail(err, SP_USAGE, "name a CPU with caches", "the caches of %s are not simulated",
                       machine->name);
    if (machine->n_cores > 0 && n > machine->n_cores)
        return sp_fail(err, SP_USAGE, "name a larger machine", "the machine %s has %d cores, not %d",
                       machine->name, machine->n_cores, n);
    enum sp_status status = sp_workload_check(workload, err);
    if (status != SP_OK)
        return status;
    struct sp_layout layout;
    sp_progress_step(progress, "building the layout", -1);
    status = sp_layout_make(workload, false, NULL, &layout, err);
    if (status != SP_OK)
        return status;
    void *domains = NULL, *lines = NULL;
    struct work w = {.machine = machine,
                     .layout = &layout,
                     .progress = progress,
                     .n_domains = 1,
                     .line_B = llc->line_B > 0 ? sp_cache_granule_B(llc) : 64,
                     .capacity_B = (double)sp_cache_believed_B(llc),
                     .ways = llc->policy == SP_LRU ? llc->ways : 0,
                     .cold = cold};
    status = sp_new_array(n, sizeof *w.domain, "domains of threads", &domains, err);
    w.domain = domains;
    for (int t = 0; t < n && status == SP_OK; t++) {
        w.domain[t] = sp_machine_domain_of(machine, t);
        w.n_domains = w.domain[t] >= w.n_domains ? w.domain[t] + 1 : w.n_domains;
    }
    if (status == SP_OK)
        status = sp_new_array(w.n_domains, sizeof *w.lines_of, "lines of domains", &lines, err);
    w.lines_of = lines;
    if (status == SP_OK)
        status = predict_one(&w, workload, out, err);
    free(w.domain);
    free(w.lines_of);
    sp_layout_free(&layout);
    if (status != SP_OK)
        memset(out, 0, sizeof *out);
    return status;
}

#define KEPT_SCHEMA "spmodel.forecast/1"

/* The file is written anew at most so often. */
static const double write_every_s = 2;

/* A matrix that several cases take: loaded by the first of them, let go by the last. */
struct shelf {
    const char *name;
    int n_left;
    bool is_loading, is_loaded;
    struct sp_csr matrix;
    enum sp_status status; /* it cannot be loaded */
    char why[256];
};

struct pool {
    struct sp_validation *v;
    const struct sp_validation_options *options;
    pthread_mutex_t lock;
    pthread_cond_t loaded;
    struct shelf *shelf; /* [n_shelves] */
    int64_t n_shelves;
    int64_t *shelf_of, *order; /* [n_cases] */
    int64_t next, n_waiting, n_done;
    double written; /* clock */
    bool interrupted;
    enum sp_status status;
    struct sp_error *err; /* of the file */
};

/* One worker's progress: only the first one shows it. */
struct worker {
    struct pool *pool;
    int number;
    struct sp_progress progress;
    const char *what;
    pthread_t thread;
};

static void tell(void *context, const char *what, double done)
{
    const struct worker *w = context;
    struct pool *p = w->pool;
    char line[96];
    (void)what;
    if (w->number > 0)
        return;
    pthread_mutex_lock(&p->lock);
    snprintf(line, sizeof line, "%lld of %lld: %.40s", (long long)p->n_done + 1, (long long)p->n_waiting,
             w->what ? w->what : "");
    const double part = done > 0 ? done : 0;
    sp_progress_step(p->options->progress, line, ((double)p->n_done + part) / (double)p->n_waiting);
    pthread_mutex_unlock(&p->lock);
}

static bool is_stopped(void *context)
{
    struct worker *w = context;
    struct pool *p = w->pool;
    pthread_mutex_lock(&p->lock);
    p->interrupted = p->interrupted || sp_progress_interrupted(p->options->progress);
    const bool stop = p->interrupted || p->status != SP_OK;
    pthread_mutex_unlock(&p->lock);
    return stop;
}

static void show_loading(void *context, double done)
{
    tell(context, "reading", 0.2 * done);
}

/* One line of the file; a new reference. */
static json_t *kept_object(const struct sp_validation *v, const struct sp_validation_case *c)
{
    char key[24];
    const struct sp_forecast *f = &c->forecast;
    snprintf(key, sizeof key, "%016" PRIx64, c->key);
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:i}", "schema", KEPT_SCHEMA, "key", key, "matrix", c->matrix,
                          "machine", v->machine[c->machine].name, "threads", c->workload.n_threads);
    json_object_set_new(o, "rows", json_integer(c->n_r));
    json_object_set_new(o, "cols", json_integer(c->n_c));
    json_object_set_new(o, "nnz", json_integer(c->matrix_n_nz));
    json_object_set_new(o, "read_B", sp_record_value_json(f->read_B, "B"));
    json_object_set_new(o, "write_B", sp_record_value_json(f->write_B, "B"));
    json_object_set_new(o, "time_s", sp_record_value_json(f->time_s, "s"));
    json_object_set_new(o, "once_B", json_real(f->once_B));
    json_object_set_new(o, "copies_B", json_real(f->copies_B));
    json_object_set_new(o, "domains", json_integer(f->n_domains));
    json_object_set_new(o, "held", json_integer(f->n_held));
    json_object_set_new(o, "core", json_boolean(f->has_core));
    json_object_set_new(o, "least_share", sp_json_number(f->least_share));
    json_object_set_new(o, "most_share", sp_json_number(f->most_share));
    return o;
}

/* All that was made, whole or not at all; held by the lock. */
static enum sp_status write_kept(struct pool *p, struct sp_error *err)
{
    struct sp_atomic_file file;
    const char *path = p->options->kept;
    if (!path)
        return SP_OK;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < p->v->n_cases; i++) {
        if (p->v->cases[i].state != SP_CASE_MADE)
            continue;
        json_t *o = kept_object(p->v, &p->v->cases[i]);
        json_dumpf(o, file.stream, JSON_COMPACT | JSON_REAL_PRECISION(17));
        fputc('\n', file.stream);
        json_decref(o);
    }
    p->written = sp_now();
    return sp_atomic_commit(&file, err);
}

static void take_kept(struct sp_validation *v, const json_t *o)
{
    const char *key = sp_item_text(o, "key"), *schema = sp_item_text(o, "schema");
    if (!key || !schema || strcmp(schema, KEPT_SCHEMA) != 0)
        return;
    const uint64_t wanted = strtoull(key, NULL, 16);
    for (int64_t i = 0; i < v->n_cases; i++) {
        struct sp_validation_case *c = &v->cases[i];
        if (c->key != wanted || c->state == SP_CASE_MADE)
            continue;
        c->state = SP_CASE_MADE;
        c->was_kept = true;
        c->n_r = (int64_t)sp_item_number(o, "rows");
        c->n_c = (int64_t)sp_item_number(o, "cols");
        c->matrix_n_nz = (int64_t)sp_item_number(o, "nnz");
        const double least = sp_item_number(o, "least_share"), most = sp_item_number(o, "most_share");
        c->forecast = (struct sp_forecast){.read_B = sp_record_value_of(json_object_get(o, "read_B")),
                                           .write_B = sp_record_value_of(json_object_get(o, "write_B")),
                                           .time_s = sp_record_value_of(json_object_get(o, "time_s")),
                                           .once_B = sp_item_number(o, "once_B"),
                                           .copies_B = sp_item_number(o, "copies_B"),
                                           .n_domains = (int)sp_item_number(o, "domains"),
                                           .n_held = (int)sp_item_number(o, "held"),
                                           .has_core = json_is_true(json_object_get(o, "core")),
                                           .least_share = isnan(least) ? INFINITY : least,
                                           .most_share = isnan(most) ? INFINITY : most};
        if (!sp_value_known(c->forecast.time_s)) /* its reason goes with the document */
            c->forecast.time_s = sp_value_none("not modelled");
        if (!sp_value_known(c->forecast.read_B) || !sp_value_known(c->forecast.write_B))
            c->state = SP_CASE_WAITING;
    }
}

/* A last line without its end, as a crash or a full disk leaves it: behind lines of ours, or one of
 * ours itself. */
static bool is_unfinished(const char *at, size_t n, int64_t line)
{
    static const char begin[] = "{\"schema\":\"" KEPT_SCHEMA "\"";
    return line > 1 || (n >= sizeof begin - 1 && memcmp(at, begin, sizeof begin - 1) == 0);
}

/* What an earlier run kept; a line not ours is an error, as the file would be replaced. */
static enum sp_status read_kept(struct sp_validation *v, const char *path, struct sp_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    if (!path || access(path, F_OK) != 0)
        return SP_OK;
    enum sp_status status = sp_input_bytes(path, SP_INPUT_MOST_B, &bytes, &size, err);
    int64_t line = 1;
    for (char *at = bytes; status == SP_OK && at < bytes + size; line++) {
        char *end = memchr(at, '\n', (size_t)(bytes + size - at));
        const size_t n = end ? (size_t)(end - at) : (size_t)(bytes + size - at);
        json_t *o = sp_json_parse(at, n, 0, NULL);
        const char *schema = sp_item_text(o, "schema");
        if (!o && !end && is_unfinished(at, n, line))
            snprintf(v->remark, sizeof v->remark,
                     "%.160s: its last line, %lld, is unfinished: left out and predicted anew", path,
                     (long long)line);
        else if (!schema || strcmp(schema, KEPT_SCHEMA) != 0)
            status = sp_fail_at(err, SP_INPUT, path, line, 0, "name another file for what is kept",
                                "this is no prediction that validate has kept");
        else
            take_kept(v, o);
        json_decref(o);
        at += n + 1;
    }
    free(bytes);
    return status;
}

/* The matrix of a shelf, loaded where it is not; NULL: it cannot be. */
static const struct sp_csr *matrix_of(struct worker *w, struct shelf *s)
{
    struct pool *p = w->pool;
    pthread_mutex_lock(&p->lock);
    while (s->is_loading)
        pthread_cond_wait(&p->loaded, &p->lock);
    if (!s->is_loaded && !*s->why) {
        s->is_loading = true;
        pthread_mutex_unlock(&p->lock);
        struct sp_error err = {.line = 0};
        struct sp_load_options load = {.use = SP_LOAD_MODEL,
                                       .memory_limit_B = p->options->memory_B,
                                       .progress = show_loading,
                                       .interrupted = is_stopped,
                                       .context = w};
        enum sp_status status = sp_matrix_load(s->name, &load, &s->matrix, NULL, &err);
        if (status == SP_OK && s->matrix.n_nz == 0) {
            sp_csr_free(&s->matrix);
            status = sp_fail(&err, SP_INPUT, NULL, "it has no entries");
        }
        pthread_mutex_lock(&p->lock);
        s->is_loading = false;
        s->is_loaded = status == SP_OK;
        s->status = status;
        if (status != SP_OK)
            snprintf(s->why, sizeof s->why, "%.255s", err.what);
        pthread_cond_broadcast(&p->loaded);
    }
    const bool loaded = s->is_loaded;
    pthread_mutex_unlock(&p->lock);
    return loaded ? &s->matrix : NULL;
}

/* The case ends; with the last of its matrix goes the matrix. Held by the lock. */
static void finish(struct pool *p, struct shelf *s, struct sp_validation_case *c, enum sp_case_state state)
{
    c->state = state;
    if (--s->n_left == 0 && s->is_loaded) {
        sp_csr_free(&s->matrix);
        s->is_loaded = false;
    }
    p->n_done++;
    if (state == SP_CASE_MADE && p->status == SP_OK && sp_now() - p->written >= write_every_s)
        p->status = write_kept(p, p->err);
}

static void predict(struct worker *w, int64_t i)
{
    struct pool *p = w->pool;
    struct sp_validation_case *c = &p->v->cases[i];
    struct shelf *s = &p->shelf[p->shelf_of[i]];
    struct sp_error err = {.line = 0};
    w->what = c->matrix;
    const struct sp_csr *a = matrix_of(w, s);
    struct sp_workload workload = c->workload;
    struct sp_forecast forecast = {.n_domains = 0};
    workload.matrix = a;
    if (a && sp_csr_is_complex(a))
        workload.precision = SP_C128;
    struct sp_machine divided = p->v->machine[c->machine]; /* what it owns stays that one's */
    enum sp_status status = a ? SP_OK : SP_INPUT;
    if (a && *c->partition)
        status = sp_partition_set(c->partition, &divided, &err);
    if (status == SP_OK)
        status = sp_forecast_make(&workload, &divided, c->cold, &w->progress, &forecast, &err);
    pthread_mutex_lock(&p->lock);
    if (status == SP_OK) {
        c->n_r = a->n_r;
        c->n_c = a->n_c;
        c->matrix_n_nz = a->n_nz;
        c->forecast = forecast;
    } else {
        c->status = a ? status : s->status;
        snprintf(c->why, sizeof c->why, "%.255s", a ? err.what : s->why);
    }
    const bool stopped = p->interrupted && status != SP_OK;
    finish(p, s, c, status == SP_OK ? SP_CASE_MADE : stopped ? SP_CASE_WAITING : SP_CASE_FAILED);
    pthread_mutex_unlock(&p->lock);
}

static void *work(void *context)
{
    struct worker *w = context;
    struct pool *p = w->pool;
    while (!is_stopped(w)) {
        pthread_mutex_lock(&p->lock);
        const int64_t i = p->next < p->n_waiting ? p->order[p->next++] : -1;
        pthread_mutex_unlock(&p->lock);
        if (i < 0)
            break;
        predict(w, i);
    }
    return NULL;
}

static const struct sp_validation_case *sorted_cases; /* while sorting: before threads begin */

/* Large ones first, so that the last one to end is a small one; cases of a matrix together. */
static int by_size(const void *a, const void *b)
{
    const struct sp_validation_case *x = &sorted_cases[*(const int64_t *)a],
                                    *y = &sorted_cases[*(const int64_t *)b];
    const int names = strcmp(x->matrix, y->matrix);
    if (x->n_nz != y->n_nz)
        return x->n_nz > y->n_nz ? -1 : 1;
    return names ? names : x->workload.n_threads - y->workload.n_threads;
}

static enum sp_status pool_make(struct pool *p, struct sp_error *err)
{
    struct sp_validation *v = p->v;
    void *shelves = NULL, *of = NULL, *order = NULL;
    enum sp_status status = sp_new_array(v->n_cases, sizeof *p->shelf, "matrices", &shelves, err);
    p->shelf = shelves;
    if (status == SP_OK)
        status = sp_new_array(v->n_cases, sizeof *p->shelf_of, "cases", &of, err);
    p->shelf_of = of;
    if (status == SP_OK)
        status = sp_new_array(v->n_cases, sizeof *p->order, "cases", &order, err);
    p->order = order;
    for (int64_t i = 0; i < v->n_cases && status == SP_OK; i++) {
        int64_t k = 0;
        if (v->cases[i].state == SP_CASE_MADE)
            continue;
        p->order[p->n_waiting++] = i;
        while (k < p->n_shelves && strcmp(p->shelf[k].name, v->cases[i].matrix) != 0)
            k++;
        if (k == p->n_shelves)
            p->shelf[p->n_shelves++].name = v->cases[i].matrix;
        p->shelf[k].n_left++;
        p->shelf_of[i] = k;
    }
    sorted_cases = v->cases;
    if (status == SP_OK)
        sp_sort_by(p->order, p->n_waiting, sizeof *p->order, by_size);
    return status;
}

static enum sp_status run_workers(struct pool *p, struct sp_error *err)
{
    void *memory;
    const int64_t most = p->options->n_jobs > 0 ? p->options->n_jobs : 1;
    const int n = (int)(p->n_waiting < most ? p->n_waiting : most);
    enum sp_status status = sp_new_array(n, sizeof(struct worker), "workers", &memory, err);
    if (status != SP_OK)
        return status;
    struct worker *worker = memory;
    int n_started = 1;
    for (int i = 0; i < n; i++)
        worker[i] =
            (struct worker){.pool = p,
                            .number = i,
                            .progress = {.step = tell, .interrupted = is_stopped, .context = &worker[i]}};
    while (n_started < n && pthread_create(&worker[n_started].thread, NULL, work, &worker[n_started]) == 0)
        n_started++;
    if (n > 0)
        work(&worker[0]);
    for (int i = 1; i < n_started; i++)
        pthread_join(worker[i].thread, NULL);
    free(worker);
    return SP_OK;
}

/* What has become of the lines. */
static void settle(struct sp_validation *v)
{
    for (int64_t i = 0; i < v->n_lines; i++) {
        struct sp_validation_line *l = &v->line[i];
        if (l->case_index < 0)
            continue;
        const struct sp_validation_case *c = &v->cases[l->case_index];
        const double *x = l->measured.number,
                     sizes[] = {(double)c->n_r, (double)c->n_c, (double)c->matrix_n_nz};
        l->state = c->state == SP_CASE_FAILED    ? SP_LINE_FAILED
                   : c->state == SP_CASE_WAITING ? SP_LINE_NOT_REACHED
                                                 : SP_LINE_COMPARED;
        for (int k = 0; k < 3 && c->state == SP_CASE_MADE; k++)
            if (!isnan(x[SP_MEASURED_ROWS + k]) && x[SP_MEASURED_ROWS + k] != sizes[k])
                l->state = SP_LINE_OTHER_MATRIX;
        if (l->state == SP_LINE_COMPARED)
            l->once_B = c->forecast.once_B;
    }
}

enum sp_status sp_validation_run(struct sp_validation *v, const struct sp_validation_options *options,
                                 struct sp_error *err)
{
    struct pool p = {.v = v, .options = options, .status = SP_OK, .err = err, .written = sp_now()};
    enum sp_status status = read_kept(v, options->kept, err);
    if (status == SP_OK)
        status = pool_make(&p, err);
    if (status == SP_OK) {
        pthread_mutex_init(&p.lock, NULL);
        pthread_cond_init(&p.loaded, NULL);
        status = run_workers(&p, err);
        if (status == SP_OK)
            status = p.status;
        if (status == SP_OK && p.n_waiting > 0)
            status = write_kept(&p, err);
        for (int64_t i = 0; i < p.n_shelves; i++)
            if (p.shelf[i].is_loaded)
                sp_csr_free(&p.shelf[i].matrix);
        pthread_cond_destroy(&p.loaded);
        pthread_mutex_destroy(&p.lock);
    }
    settle(v);
    free(p.shelf);
    free(p.shelf_of);
    free(p.order);
    return status == SP_OK && p.interrupted ? sp_fail(err, SP_INTERRUPTED, NULL, "interrupted") : status;
}
