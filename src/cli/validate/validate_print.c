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

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* What a line was measured with: said once above the table where it is the same in all lines. */
enum { MOST_FACT = 128 };

static const struct sp_validation_case *case_of(const struct sp_validation *v,
                                                const struct sp_validation_line *l)
{
    return l->case_index >= 0 ? &v->cases[l->case_index] : NULL;
}

/* Of a record, which has them as texts; "" where it does not say. */
static void text_of(const struct sp_validation_line *l, enum sp_measured_text what, char *text)
{
    snprintf(text, MOST_FACT, "%s", l->measured.text[what]);
}

static void machine_of(const struct sp_validation *v, const struct sp_validation_line *l, char *text)
{
    snprintf(text, MOST_FACT, "%s", sp_line_machine(v, l));
}

static void schedule_of(const struct sp_validation *v, const struct sp_validation_line *l, char *text)
{
    const struct sp_validation_case *c = case_of(v, l);
    if (c)
        sp_workload_schedule_text(&c->workload, text, MOST_FACT);
    else
        text_of(l, SP_MEASURED_SCHEDULE, text);
}

static void format_of(const struct sp_validation *v, const struct sp_validation_line *l, char *text)
{
    const struct sp_validation_case *c = case_of(v, l);
    if (c)
        sp_workload_format_option(&c->workload, text, MOST_FACT);
    else
        text_of(l, SP_MEASURED_FORMAT, text);
}

static void row_ptr_of(const struct sp_validation *v, const struct sp_validation_line *l, char *text)
{
    const struct sp_validation_case *c = case_of(v, l);
    *text = '\0';
    if (c)
        snprintf(text, MOST_FACT, "%d",
                 c->workload.row_ptr_B > 0 ? c->workload.row_ptr_B
                                           : (int)sizeof(int32_t) << (c->matrix_n_nz > INT32_MAX));
}

static void precision_of(const struct sp_validation *v, const struct sp_validation_line *l, char *text)
{
    const struct sp_validation_case *c = case_of(v, l);
    if (c)
        snprintf(text, MOST_FACT, "%s", sp_precision_name(c->workload.precision));
    else
        text_of(l, SP_MEASURED_PRECISION, text);
}

static void state_of(const struct sp_validation *v, const struct sp_validation_line *l, char *text)
{
    const struct sp_validation_case *c = case_of(v, l);
    if (c)
        snprintf(text, MOST_FACT, "%s", c->cold ? "cold" : "warm");
    else
        text_of(l, SP_MEASURED_STATE, text);
}

static void partition_of(const struct sp_validation *v, const struct sp_validation_line *l, char *text)
{
    const struct sp_validation_case *c = case_of(v, l);
    snprintf(text, MOST_FACT, "%s", c && *c->partition ? c->partition : "none");
}

enum { N_FACTS = 7 };
static const struct fact {
    const char *name;
    void (*say)(const struct sp_validation *v, const struct sp_validation_line *l, char *text);
} facts[N_FACTS] = {{"machine", machine_of},    {"schedule", schedule_of},   {"row_ptr", row_ptr_of},
                    {"format", format_of},      {"precision", precision_of}, {"state", state_of},
                    {"partition", partition_of}};

/* What the table has beside what was counted. */
struct columns {
    bool write, time, theirs;
    int width[N_FACTS]; /* 0: the same in all lines */
    char same[N_FACTS][MOST_FACT];
};

static void find_columns(const struct sp_validation *v, struct columns *c)
{
    char text[MOST_FACT];
    *c = (struct columns){.write = any(v, SP_MEASURED_WRITE),
                          .time = any(v, SP_MEASURED_TIME),
                          .theirs = any(v, SP_MEASURED_THEIRS)};
    for (int k = 0; k < N_FACTS; k++) {
        int longest = (int)strlen(facts[k].name);
        bool first = true, differs = false;
        for (int64_t i = 0; i < v->n_lines; i++) {
            if (!is_compared(&v->line[i]))
                continue;
            facts[k].say(v, &v->line[i], text);
            if (first)
                strcpy(c->same[k], text);
            differs = differs || strcmp(c->same[k], text) != 0;
            longest = (int)strlen(text) > longest ? (int)strlen(text) : longest;
            first = false;
        }
        c->width[k] = differs ? longest : 0;
    }
}

/* "all lines: machine a64fx, schedule rows, ..." */
static void print_same(const struct columns *c, FILE *out)
{
    int n = 0;
    for (int k = 0; k < N_FACTS; k++)
        if (c->width[k] == 0 && *c->same[k])
            sp_print(out, "%s%s %s", n++ ? ", " : "all lines: ", facts[k].name, c->same[k]);
    if (n > 0)
        sp_print(out, "\n\n");
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

/* Those that differ from line to line. */
static void print_facts(const struct sp_validation *v, const struct sp_validation_line *l,
                        const struct columns *c, FILE *out)
{
    for (int k = 0; k < N_FACTS; k++) {
        char text[MOST_FACT];
        facts[k].say(v, l, text);
        if (c->width[k] > 0)
            sp_print(out, "  %-*s", c->width[k], *text ? text : "-");
    }
}

static void print_line(const struct sp_validation *v, const struct sp_validation_line *l,
                       const struct columns *c, FILE *out)
{
    const struct sp_forecast *f = sp_line_forecast(v, l);
    const double *x = l->measured.number;
    sp_print(out, "%-22.22s %4.0f", l->name, x[SP_MEASURED_THREADS]);
    print_facts(v, l, c, out);
    print_megabytes(out, x[SP_MEASURED_READ]);
    print_megabytes(out, value_or_nan(f->read_B));
    print_percent(out, sp_line_error(v, l, SP_COMPARED_READ));
    if (c->theirs)
        print_percent(out, x[SP_MEASURED_THEIRS] / x[SP_MEASURED_READ] - 1);
    if (c->write) {
        print_megabytes(out, x[SP_MEASURED_WRITE]);
        print_percent(out, sp_line_error(v, l, SP_COMPARED_WRITE));
    }
    if (c->time)
        print_percent(out, sp_line_error(v, l, SP_COMPARED_TIME));
    sp_print(out, "  %s\n", sp_line_is_near(v, l) ? "near a cache" : "");
}

static void print_table(const struct sp_validation *v, const struct columns *c, FILE *out)
{
    print_same(c, out);
    sp_print(out, "%-22s %4s", "bytes from memory, MB", "thr");
    for (int k = 0; k < N_FACTS; k++)
        if (c->width[k] > 0)
            sp_print(out, "  %-*s", c->width[k], facts[k].name);
    sp_print(out, " %9s %9s %9s", "counted", "simulated", "error");
    sp_print(out, "%s%s%s\n", c->theirs ? "    theirs" : "", c->write ? "   written     error" : "",
             c->time ? "      time" : "");
    for (int64_t i = 0; i < v->n_lines; i++)
        if (is_compared(&v->line[i]))
            print_line(v, &v->line[i], c, out);
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

static bool is_of_machine(const struct sp_validation *v, const struct sp_validation_line *l,
                          const char *machine)
{
    return strcmp(sp_line_machine(v, l), machine) == 0;
}

/* Of all times of a machine that are compared. */
static bool has_core(const struct sp_validation *v, const char *machine)
{
    for (int64_t i = 0; i < v->n_lines; i++)
        if (is_of_machine(v, &v->line[i], machine) &&
            isfinite(sp_line_error(v, &v->line[i], SP_COMPARED_TIME)) &&
            !sp_line_forecast(v, &v->line[i])->has_core)
            return false;
    return true;
}

static enum sp_status print_summary_of(const struct sp_validation *v, const char *machine, FILE *out,
                                       struct sp_error *err)
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == SP_OK; i++) {
        struct sp_error_statistics s;
        status = sp_validation_statistics(v, machine, rows[i].what, rows[i].which, &s, err);
        if (status == SP_OK)
            print_statistics(rows[i].words, &s, rows[i].which == SP_LINES_NEAR, out);
        if (status == SP_OK && rows[i].what == SP_COMPARED_TIME && s.n > 0)
            sp_print(out,
                     has_core(v, machine)
                         ? "  times are those of the roofline and of the machine file's rows in the core\n"
                         : "  times are those of the roofline: without P_core of the machine the least "
                           "that they can be\n");
    }
    return status;
}

/* Each machine for itself, in the order of the lines. */
static enum sp_status print_summary(const struct sp_validation *v, FILE *out, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    const char *only = NULL;
    bool several = false;
    for (int64_t i = 0; i < v->n_lines; i++)
        if (is_compared(&v->line[i])) {
            only = only ? only : sp_line_machine(v, &v->line[i]);
            several = several || !is_of_machine(v, &v->line[i], only);
        }
    sp_print(out, "\n");
    if (!several)
        return only ? print_summary_of(v, only, out, err) : SP_OK;
    for (int64_t i = 0; i < v->n_lines && status == SP_OK; i++) {
        const char *machine = sp_line_machine(v, &v->line[i]);
        bool is_first = is_compared(&v->line[i]);
        for (int64_t k = 0; k < i && is_first; k++)
            is_first = !is_compared(&v->line[k]) || !is_of_machine(v, &v->line[k], machine);
        if (!is_first)
            continue;
        sp_print(out, "machine %s\n", machine);
        status = print_summary_of(v, machine, out, err);
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

static enum sp_status print_worst(const struct sp_validation *v, const struct columns *c, FILE *out,
                                  struct sp_error *err)
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
        const double n_threads = l->measured.number[SP_MEASURED_THREADS];
        sp_print(out, "  %-20.20s %3.0f thread%-1s ", l->name, n_threads, plural((int64_t)n_threads));
        print_facts(v, l, c, out);
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
             "%lld execution%s of %lld matri%s\n",
             (long long)b.n_holds, (long long)b.n, plural(b.n), (long long)b.n_matrices,
             b.n_matrices == 1 ? "x" : "ces");
    if (b.n_far > 0)
        sp_print(out,
                 "  all arrays are twice all caches in use or more in %lld: the least count is %.3f of "
                 "all arrays once\n",
                 (long long)b.n_far, b.least_of_far);
    if (b.worst >= 0) {
        const struct sp_validation_line *l = &v->line[b.worst];
        const double n_threads = l->measured.number[SP_MEASURED_THREADS];
        sp_print(out, "  closest: %s, %.0f thread%s: counted %.3f of the bound\n", l->name, n_threads,
                 plural((int64_t)n_threads),
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
        sp_print(out, "%lld line%s of %lld matri%s: %s:", (long long)n, plural(n), (long long)n_names,
                 n_names == 1 ? "x" : "ces", words);
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
            sp_print(out, "not predicted: %s, %d thread%s: %s\n", v->cases[i].matrix,
                     v->cases[i].workload.n_threads, plural(v->cases[i].workload.n_threads), v->cases[i].why);
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
    struct columns c;
    find_columns(v, &c);
    if (n > 0) {
        print_table(v, &c, out);
        status = print_summary(v, out, err);
    }
    if (status == SP_OK && n > 0)
        status = print_worst(v, &c, out, err);
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
        sp_print(out, "%lld line%s not reached\n", (long long)n_waiting, plural(n_waiting));
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
        json_object_set_new(o, "machine", json_string(sp_line_machine(v, l)));
        json_object_set_new(o, "threads", sp_json_number(l->measured.number[SP_MEASURED_THREADS]));
        for (int k = 0; k < N_FACTS; k++) {
            char text[MOST_FACT];
            facts[k].say(v, l, text);
            if (facts[k].say != machine_of && facts[k].say != partition_of)
                json_object_set_new(o, facts[k].name, json_string(text));
        }
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
