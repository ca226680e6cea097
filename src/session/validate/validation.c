#include "session/validate/validation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/hash.h"
#include "base/memory.h"
#include "io/machine/machine_file.h"
#include "io/matrix/matrix_load.h"
#include "model/roofline.h"
#include "model/volume/traffic.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"

static const char *line_state_name(enum sp_line_state state)
{
    static const char *const names[SP_N_LINE_STATES] = {"compared", "unknown-matrix", "other-matrix",
                                                        "failed", "not-reached"};
    return names[state];
}

const char *sp_compared_name(enum sp_compared what)
{
    static const char *const names[SP_N_COMPARED] = {"read_B", "write_B", "time_s"};
    return names[what];
}

void sp_validation_free(struct sp_validation *v)
{
    for (int i = 0; i < v->n_machines; i++)
        sp_machine_free(&v->machine[i]);
    free(v->line);
    free(v->cases);
    memset(v, 0, sizeof *v);
}

static enum sp_status grow(void **list, int64_t n, int64_t *room, size_t size, struct sp_error *err)
{
    enum { FIRST = 64 };
    if (n < *room)
        return SP_OK;
    const int64_t more = *room > 0 ? 2 * *room : FIRST;
    void *larger = realloc(*list, (size_t)more * size);
    if (!larger)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for %lld lines", (long long)more);
    memset((char *)larger + (size_t)*room * size, 0, (size_t)(more - *room) * size);
    *list = larger;
    *room = more;
    return SP_OK;
}

/* Index of a machine, read where it is new; names are compared as typed. */
static enum sp_status machine_for(struct sp_validation *v, const char *name, const char *const *directories,
                                  int *index, struct sp_error *err)
{
    char path[1024];
    enum sp_status status = sp_machine_file_find(name, directories, path, sizeof path, err);
    if (status != SP_OK)
        return status;
    for (*index = 0; *index < v->n_machines; ++*index)
        if (strcmp(v->machine_path[*index], path) == 0)
            return SP_OK;
    if (v->n_machines == SP_VALIDATION_MACHINES)
        return sp_fail(err, SP_INPUT, "take a file for each", "more than %d machines",
                       SP_VALIDATION_MACHINES);
    status = sp_machine_file_read(path, &v->machine[v->n_machines], NULL, 0, err);
    if (status == SP_OK)
        snprintf(v->machine_path[v->n_machines++], sizeof path, "%s", path);
    return status;
}

static bool is_file(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* The matrix of a name: a generator, a file of the folder, a file, an alias; false: none. */
static bool find_matrix(const char *name, const char *folder, char *path, size_t size)
{
    static const char *const forms[] = {"%s/%s.mtx",     "%s/%s.mtx.gz", "%s/%s.mtx.xz", "%s/%s.mtx.zst",
                                        "%s/%s.mtx.bz2", "%s/%s.tar.gz", "%s/%s.spm"};
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    int64_t n[3];
    if (strncmp(name, "gen:", 4) == 0) { /* checked */
        snprintf(path, size, "%s", name);
        return true;
    }
    for (size_t i = 0; folder && i < sizeof forms / sizeof *forms; i++) {
        char both[2048];
        snprintf(both, sizeof both, "%s/%s.mtx", base, base);
        const char *tries[] = {name, base};
        for (int k = 0; k < 2; k++) {
            const char *form = forms[i];
            const size_t prefix = strlen(folder) + 1;
            if (prefix + strlen(tries[k]) + 16 >= size)
                continue;
            snprintf(path, size, "%s/%s%s", folder, tries[k], form + strlen("%s/%s"));
            if (is_file(path))
                return true;
        }
        if (strlen(folder) + strlen(both) + 2 < size) {
            snprintf(path, size, "%s/%s", folder, both);
            if (is_file(path))
                return true;
        }
    }
    if (strstr(name, ".mtx") && is_file(name)) {
        snprintf(path, size, "%s", name);
        return true;
    }
    snprintf(path, size, "gen:suitesparse:%s", name); /* with its group: checked */
    return sp_generate_estimate(path + 4, &n[0], &n[1], &n[2], NULL) == SP_OK;
}

/* What a prediction depends on: the described machine, the simulation, matrix, layout. */
static uint64_t key_of(const struct sp_validation *v, const struct sp_validation_case *c)
{
    char text[1536], schedule[48], format[48];
    char *described = NULL;
    struct sp_machine m = v->machine[c->machine];
    struct stat facts = {.st_size = 0};
    const bool generated = strncmp(c->matrix, "gen:", 4) == 0;
    m.validated = false;
    m.validation.n = 0;
    if (!generated && stat(c->matrix, &facts) != 0)
        facts.st_size = 0;
    const int64_t modified = generated ? 0 : (int64_t)facts.st_mtim.tv_sec;
    snprintf(text, sizeof text, "%s|%lld|%lld|%d|%s|%s|%s|%s|%d|%d|%d", c->matrix,
             (long long)(generated ? 0 : facts.st_size), (long long)modified, c->workload.n_threads,
             sp_workload_schedule_text(&c->workload, schedule, sizeof schedule),
             sp_workload_format_option(&c->workload, format, sizeof format),
             sp_precision_name(c->workload.precision), c->partition, c->workload.row_ptr_B, c->cold,
             SP_TRAFFIC_VERSION);
    uint64_t key = sp_hash64(text, strlen(text), 0);
    if (sp_machine_to_json(&m, &described, NULL) == SP_OK)
        key = sp_hash64(described, strlen(described), key);
    free(described);
    return key;
}

static enum sp_status workload_of(const struct sp_measurement *m, struct sp_workload *w, struct sp_error *err)
{
    const char *schedule = m->text[SP_MEASURED_SCHEDULE], *format = m->text[SP_MEASURED_FORMAT],
               *precision = m->text[SP_MEASURED_PRECISION];
    *w = (struct sp_workload){.op = SP_OP_SPMV, .r = 1, .schedule = SP_SCHEDULE_NNZ};
    w->n_threads = (int)m->number[SP_MEASURED_THREADS];
    w->row_ptr_B = isnan(m->number[SP_MEASURED_ROW_PTR]) ? 0 : (int)m->number[SP_MEASURED_ROW_PTR];
    enum sp_status status = sp_workload_set_format(w, *format ? format : "crs", err);
    if (status == SP_OK)
        status = sp_workload_set_schedule(w, *schedule ? schedule : "nnz", err);
    const int word = *precision ? sp_precision_from_name(precision) : SP_F64;
    if (status == SP_OK && word < 0)
        status = sp_fail(err, SP_USAGE, "say f64, f32, mixed or c128", "unknown precision '%s'", precision);
    if (status == SP_OK)
        w->precision = (enum sp_precision)word;
    return status;
}

/* The case of these, made where it is new. */
static enum sp_status case_for(struct sp_validation *v, const struct sp_validation_case *wanted, int *index,
                               struct sp_error *err)
{
    for (*index = 0; *index < v->n_cases; ++*index)
        if (v->cases[*index].key == wanted->key)
            return SP_OK;
    void *list = v->cases;
    enum sp_status status = grow(&list, v->n_cases, &v->room_cases, sizeof *v->cases, err);
    v->cases = list;
    if (status == SP_OK)
        v->cases[v->n_cases++] = *wanted;
    return status;
}

static enum sp_status add_line(struct sp_validation *v, struct sp_validation_line **line,
                               struct sp_error *err)
{
    void *list = v->line;
    enum sp_status status = grow(&list, v->n_lines, &v->room_lines, sizeof *v->line, err);
    v->line = list;
    if (status != SP_OK)
        return status;
    *line = &v->line[v->n_lines++];
    memset(*line, 0, sizeof **line);
    (*line)->case_index = (*line)->machine = -1;
    (*line)->once_B = NAN;
    return SP_OK;
}

static double last_level_B(const struct sp_machine *m, int n_threads)
{
    const struct sp_cache *llc = sp_machine_llc(m);
    int most = 0;
    for (int t = 0; t < n_threads; t++)
        most = sp_machine_domain_of(m, t) > most ? sp_machine_domain_of(m, t) : most;
    return llc ? (double)sp_cache_believed_B(llc) * (most + 1) : 0;
}

/* Ways that are kept for the matrix, as sp_partition_set() takes them. */
static void partition_of(const struct sp_machine *machine, const struct sp_measurement *m, char *text,
                         size_t size)
{
    const struct sp_cache *llc = sp_machine_llc(machine);
    const double L1 = m->number[SP_MEASURED_PARTITION_L1], last = m->number[SP_MEASURED_PARTITION];
    text[0] = '\0';
    if (L1 > 0)
        snprintf(text, size, "L1:matrix=%.0f", L1);
    if (last > 0)
        snprintf(text + strlen(text), size - strlen(text), "%sL%d:matrix=%.0f", *text ? "," : "",
                 llc ? llc->level : 0, last);
}

static enum sp_status place_line(struct sp_validation *v, const struct sp_measurement *m,
                                 const char *matrices, const char *const *directories,
                                 struct sp_validation_line *l, struct sp_error *err)
{
    struct sp_validation_case c = {.state = SP_CASE_WAITING};
    const double *x = m->number;
    enum sp_status status = machine_for(v, m->text[SP_MEASURED_MACHINE], directories, &c.machine, err);
    int64_t n[3] = {0};
    if (status == SP_OK)
        status = workload_of(m, &c.workload, err);
    if (status == SP_OK && strncmp(m->text[SP_MEASURED_MATRIX], "gen:", 4) == 0)
        status = sp_generate_estimate(m->text[SP_MEASURED_MATRIX] + 4, &n[0], &n[1], &n[2], err);
    if (status != SP_OK)
        return status;
    c.n_nz = (double)n[2];
    l->measured = *m;
    l->machine = c.machine;
    sp_matrix_display_name(m->text[SP_MEASURED_MATRIX], l->name, sizeof l->name);
    l->kept_B = last_level_B(&v->machine[c.machine], c.workload.n_threads);
    const bool sizes = x[SP_MEASURED_ROWS] > 0 && x[SP_MEASURED_COLS] > 0 && x[SP_MEASURED_NNZ] > 0;
    if (sizes && c.workload.format == SP_FORMAT_CRS && c.workload.precision == SP_F64)
        l->once_B = sp_forecast_once_B(x[SP_MEASURED_ROWS], x[SP_MEASURED_COLS], x[SP_MEASURED_NNZ],
                                       c.workload.row_ptr_B == 8 ? 8 : 4);
    c.cold = strcmp(m->text[SP_MEASURED_STATE], "cold") == 0;
    if (!find_matrix(m->text[SP_MEASURED_MATRIX], matrices, c.matrix, sizeof c.matrix)) {
        l->state = SP_LINE_UNKNOWN_MATRIX;
        return SP_OK;
    }
    partition_of(&v->machine[c.machine], m, c.partition, sizeof c.partition);
    c.key = key_of(v, &c);
    l->state = SP_LINE_NOT_REACHED;
    return case_for(v, &c, &l->case_index, err);
}

enum sp_status sp_validation_add(struct sp_validation *v, const char *path,
                                 const struct sp_measurement *measured, int64_t n, const char *matrices,
                                 const char *const *directories, struct sp_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        struct sp_validation_line *l;
        struct sp_error inner = {.line = 0};
        enum sp_status status = add_line(v, &l, err);
        if (status != SP_OK)
            return status;
        status = place_line(v, &measured[i], matrices, directories, l, &inner);
        if (status == SP_MEMORY)
            return sp_fail(err, status, inner.remedy, "%s", inner.what);
        if (status != SP_OK)
            return sp_fail_at(err, SP_INPUT, path, measured[i].line, 0, inner.remedy, "%s", inner.what);
    }
    return SP_OK;
}

/* Of the level of memory in `levels`, simulated. */
static bool simulated_of(const struct sp_record *record, const char *key, double *out)
{
    const json_t *levels = sp_record_node(record, SP_F_LEVELS), *level;
    size_t i;
    json_array_foreach(levels, i, level)
    {
        const char *name = sp_item_text(level, "name"), *origin = sp_item_text(level, "origin");
        *out = sp_item_number(level, key);
        if (name && strcmp(name, "MEM") == 0 && origin && strcmp(origin, "simulated") == 0)
            return isfinite(*out);
    }
    return false;
}

static double counted_of(const struct sp_record *record, const char *key)
{
    const json_t *runs = sp_record_node(record, SP_F_RUNS), *run;
    double x = NAN;
    size_t i;
    json_array_foreach(runs, i, run)
    {
        const double one = sp_item_number(json_object_get(run, "counters"), key);
        x = isfinite(one) ? one : x;
    }
    return x;
}

enum sp_status sp_validation_add_record(struct sp_validation *v, const struct sp_record *record, int64_t line,
                                        const char *path, struct sp_error *err)
{
    struct sp_validation_line *l;
    const double read_B = counted_of(record, "mem_read_B"), write_B = counted_of(record, "mem_write_B");
    double value = NAN;
    int64_t n = 0;
    if (!isfinite(read_B) && !isfinite(write_B))
        return sp_fail_at(err, SP_INPUT, path, line, 0, "analyze with counters: spmodel doctor",
                          "nothing was counted in this record");
    if (!simulated_of(record, "read_B", &value))
        return sp_fail_at(err, SP_INPUT, path, line, 0, NULL, "nothing was simulated in this record");
    enum sp_status status = add_line(v, &l, err);
    if (status != SP_OK)
        return status;
    struct sp_measurement *m = &l->measured;
    for (int i = 0; i < SP_N_MEASURED_NUMBERS; i++)
        m->number[i] = NAN;
    m->line = line;
    m->number[SP_MEASURED_READ] = read_B;
    m->number[SP_MEASURED_WRITE] = write_B;
    if (sp_record_count(record, SP_F_CONFIG_THREADS, &n))
        m->number[SP_MEASURED_THREADS] = (double)n;
    const struct sp_value time = sp_record_value(record, SP_F_METRICS_TIME),
                          share = sp_record_value(record, SP_F_METRICS_MODEL_FRACTION),
                          once = sp_record_value(record, SP_F_METRICS_BYTES_MIN);
    snprintf(l->name, sizeof l->name, "%.127s", sp_words_text(record, SP_F_PROBLEM_NAME, "unnamed"));
    snprintf(m->text[SP_MEASURED_MATRIX], sizeof m->text[0], "%s", l->name);
    snprintf(m->text[SP_MEASURED_MACHINE], sizeof m->text[0], "%.127s",
             sp_words_text(record, SP_F_MACHINE_NAME, "unnamed"));
    snprintf(m->text[SP_MEASURED_SOURCE], sizeof m->text[0], "%.127s",
             sp_words_text(record, SP_F_COUNTERS_SOURCE, "counters"));
    snprintf(m->text[SP_MEASURED_SCHEDULE], sizeof m->text[0], "%.127s",
             sp_words_text(record, SP_F_CONFIG_SCHEDULE, ""));
    snprintf(m->text[SP_MEASURED_FORMAT], sizeof m->text[0], "%.127s",
             sp_words_text(record, SP_F_CONFIG_FORMAT_OPTION, ""));
    snprintf(m->text[SP_MEASURED_PRECISION], sizeof m->text[0], "%.127s",
             sp_words_text(record, SP_F_CONFIG_PRECISION, ""));
    snprintf(m->text[SP_MEASURED_STATE], sizeof m->text[0], "%.127s",
             sp_words_text(record, SP_F_CONFIG_CACHE, ""));
    l->of_record = true;
    l->state = SP_LINE_COMPARED;
    l->forecast.read_B = sp_value_of(value, SP_SIMULATED);
    l->forecast.write_B = simulated_of(record, "write_B", &value) ? sp_value_of(value, SP_SIMULATED)
                                                                  : sp_value_none("not simulated");
    l->forecast.time_s = sp_value_none("not modelled");
    if (sp_value_known(time) && sp_value_known(share)) {
        m->number[SP_MEASURED_TIME] = time.value;
        l->forecast.time_s = sp_value_of(time.value * share.value, SP_MODELLED);
    }
    l->forecast.once_B = sp_value_known(once) ? once.value : 0;
    l->forecast.least_share = l->forecast.most_share = INFINITY;
    return SP_OK;
}

const char *sp_line_machine(const struct sp_validation *v, const struct sp_validation_line *l)
{
    return l->machine >= 0 ? v->machine[l->machine].name : l->measured.text[SP_MEASURED_MACHINE];
}

const struct sp_forecast *sp_line_forecast(const struct sp_validation *v, const struct sp_validation_line *l)
{
    return l->of_record ? &l->forecast
           : l->case_index >= 0 && v->cases[l->case_index].state == SP_CASE_MADE
               ? &v->cases[l->case_index].forecast
               : NULL;
}

static double predicted_of(const struct sp_forecast *f, enum sp_compared what)
{
    const struct sp_value x = what == SP_COMPARED_READ    ? f->read_B
                              : what == SP_COMPARED_WRITE ? f->write_B
                                                          : f->time_s;
    return sp_value_known(x) ? x.value : NAN;
}

double sp_line_error(const struct sp_validation *v, const struct sp_validation_line *l, enum sp_compared what)
{
    const struct sp_forecast *f = l->state == SP_LINE_COMPARED ? sp_line_forecast(v, l) : NULL;
    const double measured = l->measured.number[SP_MEASURED_READ + (int)what];
    return f && measured > 0 ? predicted_of(f, what) / measured - 1 : NAN;
}

/* So many times its cache a domain's data are where nothing stays between two executions. */
static const double FAR = 2;

bool sp_line_is_near(const struct sp_validation *v, const struct sp_validation_line *l)
{
    const struct sp_forecast *f = sp_line_forecast(v, l);
    return f && f->least_share < FAR;
}

char *sp_line_reason(const struct sp_validation *v, const struct sp_validation_line *l, char *text,
                     size_t size)
{
    const struct sp_forecast *f = sp_line_forecast(v, l);
    const double counted = l->measured.number[SP_MEASURED_READ];
    text[0] = '\0';
    if (!f)
        return text;
    if (f->n_held > 0 && f->n_held < f->n_domains)
        snprintf(text, size, "%d of %d caches hold their part", f->n_held, f->n_domains);
    else if (f->n_held > 0 && f->most_share > 0.5)
        snprintf(text, size, "the data just fit the caches: %.2f of them", f->most_share);
    else if (f->n_held > 0)
        snprintf(text, size, "the data fit the caches, few bytes are left");
    else if (f->least_share < FAR)
        snprintf(text, size, "near the size of a cache: %.2f of it", f->least_share);
    else if (counted > 0 && f->copies_B > 0.02 * counted)
        snprintf(text, size, "x in %d caches: %.0f %% of the bytes", f->n_domains,
                 100 * f->copies_B / counted);
    else if (f->once_B > 0 && f->read_B.value > 1.1 * f->once_B)
        snprintf(text, size, "x is loaded again: %.0f %% above all arrays once",
                 100 * (f->read_B.value / f->once_B - 1));
    return text;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int64_t n, double q)
{
    const double at = q * (double)(n - 1);
    const int64_t i = (int64_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static void add_interval(const struct sp_forecast *f, enum sp_compared what, double measured,
                         struct sp_error_statistics *s)
{
    const struct sp_value x = what == SP_COMPARED_READ    ? f->read_B
                              : what == SP_COMPARED_WRITE ? f->write_B
                                                          : f->time_s;
    s->n_interval += x.lo < x.hi;
    s->n_covered += x.lo < x.hi && measured >= x.lo && measured <= x.hi;
}

enum sp_status sp_validation_statistics(const struct sp_validation *v, const char *machine,
                                        enum sp_compared what, enum sp_lines_of which,
                                        struct sp_error_statistics *s, struct sp_error *err)
{
    static const double at[] = {0.05, 0.5, 0.95};
    void *memory;
    memset(s, 0, sizeof *s);
    enum sp_status status = sp_new_array(v->n_lines, sizeof(double), "errors", &memory, err);
    if (status != SP_OK)
        return status;
    double *error = memory;
    for (int64_t i = 0; i < v->n_lines; i++) {
        const struct sp_validation_line *l = &v->line[i];
        const double e = sp_line_error(v, l, what),
                     measured = l->measured.number[SP_MEASURED_READ + (int)what];
        if (machine && strcmp(sp_line_machine(v, l), machine) != 0)
            continue;
        if (!isfinite(e) || (which == SP_LINES_FAR && sp_line_is_near(v, l)) ||
            (which == SP_LINES_NEAR && !sp_line_is_near(v, l)))
            continue;
        const struct sp_forecast *f = sp_line_forecast(v, l);
        add_interval(f, what, measured, s);
        s->n_right += fabs(e) <= 0.1 || (what != SP_COMPARED_TIME && fabs(e) * measured <= 0.02 * f->once_B);
        s->mean += e;
        s->mean_abs += fabs(e);
        s->most_abs = fmax(s->most_abs, fabs(e));
        error[s->n++] = e;
    }
    if (s->n > 0) {
        s->mean /= (double)s->n;
        s->mean_abs /= (double)s->n;
        sp_sort_by(error, s->n, sizeof *error, by_value);
        for (int i = 0; i < 3; i++)
            s->quantile[i] = quantile(error, s->n, at[i]);
    }
    free(error);
    return SP_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum sp_status sp_validation_bounds(const struct sp_validation *v, struct sp_bound_statistics *s,
                                    struct sp_error *err)
{
    void *memory;
    double worst = INFINITY;
    *s = (struct sp_bound_statistics){.least_of_far = INFINITY, .worst = -1};
    enum sp_status status = sp_new_array(v->n_lines, sizeof(char *), "names", &memory, err);
    if (status != SP_OK)
        return status;
    const char **name = memory;
    for (int64_t i = 0; i < v->n_lines; i++) {
        const struct sp_validation_line *l = &v->line[i];
        const double counted = l->measured.number[SP_MEASURED_READ],
                     least = sp_forecast_least_B(l->once_B, l->kept_B);
        if (!(counted >= 0) || !isfinite(l->once_B))
            continue;
        name[s->n++] = l->measured.text[SP_MEASURED_MATRIX];
        s->n_holds += counted >= least;
        if (least > 0 && counted / least < worst) {
            worst = counted / least;
            s->worst = i;
        }
        if (l->once_B >= FAR * l->kept_B) {
            s->n_far++;
            s->least_of_far = fmin(s->least_of_far, counted / l->once_B);
        }
    }
    sp_sort_by(name, s->n, sizeof *name, by_name);
    for (int64_t i = 0; i < s->n; i++)
        s->n_matrices += i == 0 || strcmp(name[i], name[i - 1]) != 0;
    free(name);
    return SP_OK;
}

/* The result as data: a record, and the part of a machine file. */

static json_t *compared(const struct sp_validation *v, const struct sp_validation_line *l,
                        enum sp_compared what)
{
    const struct sp_forecast *f = sp_line_forecast(v, l);
    const struct sp_value x = what == SP_COMPARED_READ    ? f->read_B
                              : what == SP_COMPARED_WRITE ? f->write_B
                                                          : f->time_s;
    json_t *o = json_object();
    json_object_set_new(o, "counted", sp_json_number(l->measured.number[SP_MEASURED_READ + (int)what]));
    json_object_set_new(o, "predicted", sp_json_number(sp_value_known(x) ? x.value : NAN));
    if (sp_value_known(x) && x.lo < x.hi) {
        json_object_set_new(o, "lo", sp_json_number(x.lo));
        json_object_set_new(o, "hi", sp_json_number(x.hi));
    }
    json_object_set_new(o, "error", sp_json_number(sp_line_error(v, l, what)));
    return o;
}

static json_t *line_object(const struct sp_validation *v, const struct sp_validation_line *l)
{
    const double *x = l->measured.number;
    char reason[160];
    json_t *o = json_object();
    json_object_set_new(o, "matrix", json_string(l->name));
    json_object_set_new(o, "machine", json_string(sp_line_machine(v, l)));
    json_object_set_new(o, "threads", sp_json_number(x[SP_MEASURED_THREADS]));
    if (l->case_index >= 0 && *v->cases[l->case_index].partition)
        json_object_set_new(o, "partition", json_string(v->cases[l->case_index].partition));
    json_object_set_new(o, "line", json_integer(l->measured.line));
    json_object_set_new(o, "state", json_string(line_state_name(l->state)));
    if (*l->measured.text[SP_MEASURED_SOURCE])
        json_object_set_new(o, "source", json_string(l->measured.text[SP_MEASURED_SOURCE]));
    if (l->state == SP_LINE_FAILED)
        json_object_set_new(o, "why", json_string(v->cases[l->case_index].why));
    if (l->state != SP_LINE_COMPARED)
        return o;
    for (int i = 0; i < SP_N_COMPARED; i++)
        if (isfinite(x[SP_MEASURED_READ + i]))
            json_object_set_new(o, sp_compared_name((enum sp_compared)i),
                                compared(v, l, (enum sp_compared)i));
    const struct sp_forecast *f = sp_line_forecast(v, l);
    json_object_set_new(o, "once_B", sp_json_number(f->once_B));
    if (f->n_domains > 0) {
        json_object_set_new(o, "caches", json_integer(f->n_domains));
        json_object_set_new(o, "caches_that_hold", json_integer(f->n_held));
        json_object_set_new(o, "least_share", sp_json_number(f->least_share));
    }
    json_object_set_new(o, "near", json_boolean(sp_line_is_near(v, l)));
    if (isfinite(x[SP_MEASURED_THEIRS]))
        json_object_set_new(o, "theirs_B", sp_json_number(x[SP_MEASURED_THEIRS]));
    if (*sp_line_reason(v, l, reason, sizeof reason))
        json_object_set_new(o, "reason", json_string(reason));
    return o;
}

static json_t *statistics_object(const struct sp_error_statistics *s)
{
    json_t *o = json_object(), *quantiles = json_array();
    json_object_set_new(o, "n", json_integer(s->n));
    json_object_set_new(o, "mean", sp_json_number(s->mean));
    json_object_set_new(o, "mean_abs", sp_json_number(s->mean_abs));
    json_object_set_new(o, "most_abs", sp_json_number(s->most_abs));
    for (int i = 0; i < 3; i++)
        json_array_append_new(quantiles, sp_json_number(s->quantile[i]));
    json_object_set_new(o, "quantiles", quantiles);
    json_object_set_new(o, "right", json_integer(s->n_right));
    json_object_set_new(o, "with_interval", json_integer(s->n_interval));
    json_object_set_new(o, "covered", json_integer(s->n_covered));
    return o;
}

static enum sp_status set_statistics(const struct sp_validation *v, struct sp_record *r, struct sp_error *err)
{
    static const char *const names[SP_N_LINES_OF] = {"all", "far", "near"};
    json_t *all = json_object();
    enum sp_status status = SP_OK;
    for (int what = 0; what < SP_N_COMPARED && status == SP_OK; what++) {
        json_t *one = json_object();
        for (int which = 0; which < SP_N_LINES_OF && status == SP_OK; which++) {
            struct sp_error_statistics s;
            status =
                sp_validation_statistics(v, NULL, (enum sp_compared)what, (enum sp_lines_of)which, &s, err);
            if (status == SP_OK && s.n > 0)
                json_object_set_new(one, names[which], statistics_object(&s));
        }
        json_object_set_new(all, sp_compared_name((enum sp_compared)what), one);
    }
    sp_record_set_object(r, SP_F_VALIDATION_STATISTICS, all);
    return status;
}

static enum sp_status set_bounds(const struct sp_validation *v, struct sp_record *r, struct sp_error *err)
{
    struct sp_bound_statistics s;
    enum sp_status status = sp_validation_bounds(v, &s, err);
    if (status != SP_OK || s.n == 0)
        return status;
    json_t *o = json_object();
    json_object_set_new(o, "n", json_integer(s.n));
    json_object_set_new(o, "holds", json_integer(s.n_holds));
    json_object_set_new(o, "matrices", json_integer(s.n_matrices));
    json_object_set_new(o, "far", json_integer(s.n_far));
    json_object_set_new(o, "least_of_far", sp_json_number(s.least_of_far));
    sp_record_set_object(r, SP_F_VALIDATION_BOUNDS, o);
    return SP_OK;
}

enum sp_status sp_validation_record(const struct sp_validation *v, const char *command, struct sp_record *r,
                                    struct sp_error *err)
{
    enum sp_status status = sp_record_new("validation", r, err);
    if (status != SP_OK)
        return status;
    int64_t n[SP_N_LINE_STATES] = {0};
    json_t *counts = json_object();
    sp_record_set_text(r, SP_F_STATUS, "modelled");
    sp_record_set_text(r, SP_F_COMMAND, command);
    sp_record_set_object(r, SP_F_VALIDATION_LINES, json_array());
    for (int64_t i = 0; i < v->n_lines; i++) {
        const struct sp_validation_line *l = &v->line[i];
        n[l->state]++;
        if (l->state != SP_LINE_UNKNOWN_MATRIX)
            sp_record_append(r, SP_F_VALIDATION_LINES, line_object(v, l));
    }
    for (int i = 0; i < SP_N_LINE_STATES; i++)
        json_object_set_new(counts, line_state_name((enum sp_line_state)i), json_integer(n[i]));
    sp_record_set_object(r, SP_F_VALIDATION_COUNT, counts);
    status = set_statistics(v, r, err);
    if (status == SP_OK)
        status = set_bounds(v, r, err);
    if (status != SP_OK)
        sp_record_free(r);
    return status;
}

/* Another name of a matrix is no other matrix: sizes tell, of records names. */
static bool is_same_matrix(const struct sp_validation *v, const struct sp_validation_line *a,
                           const struct sp_validation_line *b)
{
    if (a->case_index < 0 || b->case_index < 0)
        return a->case_index < 0 && b->case_index < 0 && strcmp(a->name, b->name) == 0;
    const struct sp_validation_case *x = &v->cases[a->case_index], *y = &v->cases[b->case_index];
    return x->n_r == y->n_r && x->n_c == y->n_c && x->matrix_n_nz == y->matrix_n_nz;
}

/* Of the lines that count, at most `enough` of them. */
static int n_far_matrices(const struct sp_validation *v, const char *machine, int enough)
{
    int64_t first[SP_VALIDATION_MATRICES];
    int n = 0;
    for (int64_t i = 0; i < v->n_lines && n < enough; i++) {
        const struct sp_validation_line *l = &v->line[i];
        if (!isfinite(sp_line_error(v, l, SP_COMPARED_READ)) || sp_line_is_near(v, l) ||
            strcmp(sp_line_machine(v, l), machine) != 0)
            continue;
        int k = 0;
        while (k < n && !is_same_matrix(v, &v->line[first[k]], l))
            k++;
        if (k == n)
            first[n++] = i;
    }
    return n;
}

/* Do these say that the simulation is right on this machine? */
static enum sp_status check_far(const struct sp_validation *v, const char *machine,
                                const struct sp_error_statistics *far, struct sp_error *err)
{
    if (far->n < SP_VALIDATION_LEAST)
        return sp_fail(err, SP_UNDECIDED, "compare more of them",
                       "%lld execution%s with data beyond the caches %s compared, %d are the least",
                       (long long)far->n, far->n == 1 ? "" : "s", far->n == 1 ? "is" : "are",
                       SP_VALIDATION_LEAST);
    const int n = n_far_matrices(v, machine, SP_VALIDATION_MATRICES);
    if (n < SP_VALIDATION_MATRICES)
        return sp_fail(err, SP_UNDECIDED, "compare more matrices",
                       "executions with data beyond the caches are of %d matri%s, %d are the least", n,
                       n == 1 ? "x" : "ces", SP_VALIDATION_MATRICES);
    if (!(far->mean_abs <= SP_VALIDATION_MOST_ERROR))
        return sp_fail(err, SP_UNDECIDED, "look at the worst lines and their reasons",
                       "bytes read by executions with data beyond the caches are %.1f %% off in the mean, "
                       "%.0f %% is the most for a validated machine",
                       100 * far->mean_abs, 100 * SP_VALIDATION_MOST_ERROR);
    return SP_OK;
}

enum sp_status sp_validation_of_machine(const struct sp_validation *v, const char *source,
                                        const char *command, struct sp_machine *out, struct sp_error *err)
{
    struct sp_error_statistics far, near;
    const time_t now = time(NULL);
    struct tm utc;
    memset(out, 0, sizeof *out);
    if (v->n_machines != 1)
        return sp_fail(err, SP_USAGE, "take the lines of one machine", "lines of %d machines", v->n_machines);
    const char *machine = v->machine[0].name;
    enum sp_status status = sp_validation_statistics(v, machine, SP_COMPARED_READ, SP_LINES_FAR, &far, err);
    if (status == SP_OK)
        status = sp_validation_statistics(v, machine, SP_COMPARED_READ, SP_LINES_NEAR, &near, err);
    if (status == SP_OK)
        status = check_far(v, machine, &far, err);
    if (status != SP_OK)
        return status;
    status = sp_machine_copy(&v->machine[0], out, err);
    if (status != SP_OK)
        return status;
    struct sp_machine_validation *to = &out->validation;
    out->validated = true;
    *to = (struct sp_machine_validation){.n = (int)far.n,
                                         .mean = far.mean,
                                         .mean_abs = far.mean_abs,
                                         .most_abs = far.most_abs,
                                         .n_near = (int)near.n,
                                         .n_near_right = (int)near.n_right};
    memcpy(to->quantile, far.quantile, sizeof to->quantile);
    snprintf(to->source, sizeof to->source, "%s", source);
    snprintf(to->command, sizeof to->command, "%s", command);
    if (gmtime_r(&now, &utc))
        strftime(to->when, sizeof to->when, "%Y-%m-%d", &utc);
    return SP_OK;
}
