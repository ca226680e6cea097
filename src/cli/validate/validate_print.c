#include "cli/validate/validate_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "cli/core/output.h"

enum { FEW_NAMES = 8, WORST = 5 };
static const double SMALL = 0.05; /* an error that needs no reason */

static bool is_compared(const struct sp_validation_line *l)
{
    return l->state == SP_LINE_COMPARED;
}

/* Does a line have this? */
static bool any(const struct sp_validation *v, enum sp_measured_number what)
{
    for (int64_t i = 0; i < v->n_lines; i++)
        if (is_compared(&v->line[i]) && isfinite(v->line[i].measured.number[what]))
            return true;
    return false;
}

static bool any_ways(const struct sp_validation *v)
{
    for (int64_t i = 0; i < v->n_lines; i++)
        if (is_compared(&v->line[i]) && v->line[i].measured.number[SP_MEASURED_PARTITION] > 0)
            return true;
    return false;
}

static void print_megabytes(FILE *out, double bytes)
{
    if (isfinite(bytes))
        sp_print(out, " %9.2f", bytes / 1e6);
    else
        sp_print(out, " %9s", "-");
}

static void print_percent(FILE *out, double share)
{
    if (isfinite(share))
        sp_print(out, " %+7.2f %%", 100 * share);
    else
        sp_print(out, " %9s", "-");
}

static double value_or_nan(struct sp_value x)
{
    return sp_value_known(x) ? x.value : NAN;
}

static void print_line(const struct sp_validation *v, const struct sp_validation_line *l, bool with_write,
                       bool with_time, bool with_theirs, bool with_ways, FILE *out)
{
    const struct sp_forecast *f = sp_line_forecast(v, l);
    const double *x = l->measured.number;
    sp_print(out, "%-22.22s %4.0f", l->name, x[SP_MEASURED_THREADS]);
    if (with_ways)
        sp_print(out, " %4.0f", x[SP_MEASURED_PARTITION] > 0 ? x[SP_MEASURED_PARTITION] : 0);
    print_megabytes(out, x[SP_MEASURED_READ]);
    print_megabytes(out, value_or_nan(f->read_B));
    print_percent(out, sp_line_error(v, l, SP_COMPARED_READ));
    if (with_theirs)
        print_percent(out, x[SP_MEASURED_THEIRS] / x[SP_MEASURED_READ] - 1);
    if (with_write) {
        print_megabytes(out, x[SP_MEASURED_WRITE]);
        print_percent(out, sp_line_error(v, l, SP_COMPARED_WRITE));
    }
    if (with_time)
        print_percent(out, sp_line_error(v, l, SP_COMPARED_TIME));
    sp_print(out, "  %s\n", sp_line_is_near(v, l) ? "near a cache" : "");
}

static void print_table(const struct sp_validation *v, FILE *out)
{
    const bool with_write = any(v, SP_MEASURED_WRITE), with_time = any(v, SP_MEASURED_TIME),
               with_theirs = any(v, SP_MEASURED_THEIRS), with_ways = any_ways(v);
    sp_print(out, "%-22s %4s%s %9s %9s %9s", "bytes from memory, MB", "thr", with_ways ? " ways" : "",
             "counted", "simulated", "error");
    sp_print(out, "%s%s%s\n", with_theirs ? "    theirs" : "", with_write ? "   written     error" : "",
             with_time ? "      time" : "");
    for (int64_t i = 0; i < v->n_lines; i++)
        if (is_compared(&v->line[i]))
            print_line(v, &v->line[i], with_write, with_time, with_theirs, with_ways, out);
}

static void print_statistics(const char *words, const struct sp_error_statistics *s, bool near, FILE *out)
{
    if (s->n == 0)
        return;
    sp_print(out, "%-26s %4lld  mean |error| %5.2f %%, largest %.2f %%, mean %+.2f %%", words,
             (long long)s->n, 100 * s->mean_abs, 100 * s->most_abs, 100 * s->mean);
    if (near)
        sp_print(out, "; %lld within 10 %% or 2 %% of all arrays once", (long long)s->n_right);
    if (s->n_interval > 0)
        sp_print(out, "; %lld of %lld intervals cover", (long long)s->n_covered, (long long)s->n_interval);
    sp_print(out, "\n");
}

/* Of all times that are compared. */
static bool has_core(const struct sp_validation *v)
{
    for (int64_t i = 0; i < v->n_lines; i++)
        if (isfinite(sp_line_error(v, &v->line[i], SP_COMPARED_TIME)) &&
            !sp_line_forecast(v, &v->line[i])->has_core)
            return false;
    return true;
}

static enum sp_status print_summary(const struct sp_validation *v, FILE *out, struct sp_error *err)
{
    static const struct {
        enum sp_compared what;
        enum sp_lines_of which;
        const char *words;
    } rows[] = {{SP_COMPARED_READ, SP_LINES_FAR, "read, far out of caches"},
                {SP_COMPARED_READ, SP_LINES_NEAR, "read, near a cache's size"},
                {SP_COMPARED_WRITE, SP_LINES_FAR, "written, far out"},
                {SP_COMPARED_WRITE, SP_LINES_NEAR, "written, near"},
                {SP_COMPARED_TIME, SP_LINES_ALL, "time"}};
    enum sp_status status = SP_OK;
    sp_print(out, "\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == SP_OK; i++) {
        struct sp_error_statistics s;
        status = sp_validation_statistics(v, rows[i].what, rows[i].which, &s, err);
        if (status == SP_OK)
            print_statistics(rows[i].words, &s, rows[i].which == SP_LINES_NEAR, out);
        if (status == SP_OK && rows[i].what == SP_COMPARED_TIME && s.n > 0)
            sp_print(out,
                     has_core(v)
                         ? "  times are those of the roofline and of the machine file's rows in the core\n"
                         : "  times are those of the roofline: without P_core of the machine the least "
                           "that they can be\n");
    }
    return status;
}

/* A line and how far it is off. */
struct off {
    double error;
    int64_t line;
};

static int by_error(const void *a, const void *b)
{
    const double x = ((const struct off *)a)->error, y = ((const struct off *)b)->error;
    return (x < y) - (x > y);
}

static enum sp_status print_worst(const struct sp_validation *v, FILE *out, struct sp_error *err)
{
    void *memory;
    int64_t n = 0;
    enum sp_status status = sp_new_array(v->n_lines, sizeof(struct off), "lines", &memory, err);
    if (status != SP_OK)
        return status;
    struct off *off = memory;
    for (int64_t i = 0; i < v->n_lines; i++) {
        const double e = fabs(sp_line_error(v, &v->line[i], SP_COMPARED_READ));
        if (isfinite(e))
            off[n++] = (struct off){e, i};
    }
    sp_sort_by(off, n, sizeof *off, by_error);
    if (n > 0)
        sp_print(out, "\nworst\n");
    for (int64_t i = 0; i < n && i < WORST; i++) {
        const struct sp_validation_line *l = &v->line[off[i].line];
        char reason[160];
        sp_print(out, "  %-20.20s %3.0f threads ", l->name, l->measured.number[SP_MEASURED_THREADS]);
        print_percent(out, sp_line_error(v, l, SP_COMPARED_READ));
        sp_line_reason(v, l, reason, sizeof reason);
        sp_print(out, "  %s\n", *reason ? reason : off[i].error > SMALL ? "no reason is known here" : "");
    }
    free(off);
    return SP_OK;
}

static enum sp_status print_bounds(const struct sp_validation *v, FILE *out, struct sp_error *err)
{
    struct sp_bound_statistics b;
    enum sp_status status = sp_validation_bounds(v, &b, err);
    if (status != SP_OK || b.n == 0)
        return status;
    sp_print(out,
             "\nfrom sizes alone: at least as many bytes were counted as must come from memory in %lld of "
             "%lld executions of %lld matrices\n",
             (long long)b.n_holds, (long long)b.n, (long long)b.n_matrices);
    if (b.n_far > 0)
        sp_print(out, "  far out of caches %lld: the least count is %.3f of all arrays once\n",
                 (long long)b.n_far, b.least_of_far);
    if (b.worst >= 0) {
        const struct sp_validation_line *l = &v->line[b.worst];
        sp_print(out, "  closest: %s, %.0f threads: counted %.3f of the bound\n", l->name,
                 l->measured.number[SP_MEASURED_THREADS],
                 l->measured.number[SP_MEASURED_READ] / sp_forecast_least_B(l->once_B, l->kept_B));
    }
    return SP_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Distinct names of the matrices of such lines. */
static enum sp_status print_names(const struct sp_validation *v, enum sp_line_state state, const char *words,
                                  int verbosity, FILE *out, struct sp_error *err)
{
    void *memory;
    int64_t n = 0, n_names = 0;
    enum sp_status status = sp_new_array(v->n_lines, sizeof(char *), "names", &memory, err);
    if (status != SP_OK)
        return status;
    const char **name = memory;
    for (int64_t i = 0; i < v->n_lines; i++)
        if (v->line[i].state == state)
            name[n++] = v->line[i].name;
    sp_sort_by(name, n, sizeof *name, by_name);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || strcmp(name[i], name[i - 1]) != 0)
            name[n_names++] = name[i];
    if (n > 0)
        sp_print(out, "%lld lines of %lld matrices: %s:", (long long)n, (long long)n_names, words);
    for (int64_t i = 0; i < n_names && (verbosity > 0 || i < FEW_NAMES); i++)
        sp_print(out, "%s %s", i ? "," : "", name[i]);
    if (n_names > FEW_NAMES && verbosity <= 0)
        sp_print(out, " and %lld more (-v)", (long long)n_names - FEW_NAMES);
    if (n > 0)
        sp_print(out, "\n");
    free(name);
    return SP_OK;
}

static void print_failed(const struct sp_validation *v, FILE *out)
{
    for (int64_t i = 0; i < v->n_cases; i++)
        if (v->cases[i].state == SP_CASE_FAILED)
            sp_print(out, "not predicted: %s, %d threads: %s\n", v->cases[i].matrix,
                     v->cases[i].workload.n_threads, v->cases[i].why);
}

enum sp_status sp_validate_print(const struct sp_validation *v, int verbosity, FILE *out,
                                 struct sp_error *err)
{
    int64_t n = 0, n_waiting = 0;
    for (int64_t i = 0; i < v->n_lines; i++) {
        n += is_compared(&v->line[i]);
        n_waiting += v->line[i].state == SP_LINE_NOT_REACHED;
    }
    enum sp_status status = SP_OK;
    if (n > 0) {
        print_table(v, out);
        status = print_summary(v, out, err);
    }
    if (status == SP_OK && n > 0)
        status = print_worst(v, out, err);
    if (status == SP_OK)
        status = print_bounds(v, out, err);
    sp_print(out, "\n");
    if (status == SP_OK)
        status = print_names(v, SP_LINE_UNKNOWN_MATRIX, "unknown matrix, not guessed", verbosity, out, err);
    if (status == SP_OK)
        status = print_names(v, SP_LINE_OTHER_MATRIX, "the matrix of that name has other sizes", verbosity,
                             out, err);
    print_failed(v, out);
    if (n_waiting > 0)
        sp_print(out, "%lld lines not reached\n", (long long)n_waiting);
    return status;
}

void sp_validate_csv(const struct sp_validation *v, FILE *out)
{
    bool with_header = true;
    for (int64_t i = 0; i < v->n_lines; i++) {
        const struct sp_validation_line *l = &v->line[i];
        char reason[160];
        if (!is_compared(l))
            continue;
        const struct sp_forecast *f = sp_line_forecast(v, l);
        const struct sp_value predicted[] = {f->read_B, f->write_B, f->time_s};
        json_t *o = json_object();
        json_object_set_new(o, "matrix", json_string(l->name));
        json_object_set_new(o, "machine", json_string(l->measured.text[SP_MEASURED_MACHINE]));
        json_object_set_new(o, "threads", sp_json_number(l->measured.number[SP_MEASURED_THREADS]));
        json_object_set_new(o, "partition",
                            json_string(l->case_index >= 0 ? v->cases[l->case_index].partition : ""));
        for (int k = 0; k < SP_N_COMPARED; k++) {
            const char *name = sp_compared_name((enum sp_compared)k);
            char key[64];
            snprintf(key, sizeof key, "%s_counted", name);
            json_object_set_new(o, key, sp_json_number(l->measured.number[SP_MEASURED_READ + k]));
            snprintf(key, sizeof key, "%s_predicted", name);
            json_object_set_new(o, key, sp_json_number(value_or_nan(predicted[k])));
            snprintf(key, sizeof key, "%s_error", name);
            json_object_set_new(o, key, sp_json_number(sp_line_error(v, l, (enum sp_compared)k)));
        }
        json_object_set_new(o, "theirs_B", sp_json_number(l->measured.number[SP_MEASURED_THEIRS]));
        json_object_set_new(o, "once_B", sp_json_number(f->once_B));
        json_object_set_new(o, "near", json_boolean(sp_line_is_near(v, l)));
        json_object_set_new(o, "reason", json_string(sp_line_reason(v, l, reason, sizeof reason)));
        sp_flat_csv(o, with_header, out);
        with_header = false;
        json_decref(o);
    }
}
