/* spmodel validate: measurements of others beside what the program predicts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "io/files/input_file.h"
#include "io/files/places.h"
#include "io/machine/machine_file.h"
#include "plots/plot.h"
#include "session/validate/validation.h"

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
struct fact {
    const char *name;
    void (*say)(const struct sp_validation *v, const struct sp_validation_line *l, char *text);
};
static const struct fact facts[N_FACTS] = {
    {"machine", machine_of},     {"schedule", schedule_of}, {"row_ptr", row_ptr_of},    {"format", format_of},
    {"precision", precision_of}, {"state", state_of},       {"partition", partition_of}};

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
    fputs(sp_line_is_near(v, l) ? "  near a cache\n" : "\n", out);
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
             c->time ? "  time err" : "");
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

/* The table of all lines that were compared, what they say together, the worst of them, the bounds,
 * and what is not compared and why. verbosity above 0: all names instead of the first ones.
 * SP_MEMORY. */
static enum sp_status validate_print(const struct sp_validation *v, int verbosity, FILE *out,
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

/* A row for each line that was compared, with a header. */
static void validate_csv(const struct sp_validation *v, FILE *out)
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

enum { MOST_FILTERS = 16, MOST_MAPS = 64, MOST_JOBS = 256 };

enum { KEY_MAP = SP_KEY_PRIVATE, KEY_ONLY, KEY_MATRICES, KEY_KEEP, KEY_WRITE_MACHINE, KEY_SOURCE, KEY_PLOT };

_Static_assert(SP_VALIDATION_LEAST == 8 && SP_VALIDATION_MATRICES == 3, "the help says so");

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What the columns mean:", 1},
    {"map", KEY_MAP, "WHAT", 0,
     "NAME=FORMULA over columns, a file of such lines, or a mapping that comes with the program "
     "(a64fx-papi); "
     "may be repeated",
     1},
    {"only", KEY_ONLY, "COLUMN=VALUE,...", 0, "Lines with one of these values; may be repeated", 1},
    {NULL, 0, NULL, 0, "The same in all lines:", 2},
    {&SP_O_MACHINE[2], SP_KEY_OF(MACHINE), "NAME", 0, "Described machine on which was measured", 2},
    {&SP_O_THREADS[2], 't', "N", 0, "Threads", 2},
    {&SP_O_SCHEDULE[2], SP_KEY_OF(SCHEDULE), "S", 0, "rows, nnz (default), cyclic[:N], merge", 2},
    {&SP_O_FORMAT[2], SP_KEY_OF(FORMAT), "F", 0, "crs (default), sell:C,SIGMA and the like", 2},
    {&SP_O_PRECISION[2], SP_KEY_OF(PRECISION), "P", 0, "f64 (default), f32, mixed, c128", 2},
    {&SP_O_ROW_PTR[2], SP_KEY_OF(ROW_PTR), "B", 0, "Bytes of a row pointer: 4 or 8", 2},
    {&SP_O_COLD[2], SP_KEY_OF(COLD), NULL, 0, "Single executions from empty caches, not repeated ones", 2},
    {"source", KEY_SOURCE, "TEXT", 0, "Who measured, for --write-machine", 2},
    {NULL, 0, NULL, 0, "Working:", 3},
    {"matrices", KEY_MATRICES, "DIR", 0,
     "Folder with files of the collection: NAME.mtx, NAME.mtx.gz, NAME.tar.gz, NAME/NAME.mtx", 3},
    {"jobs", 'j', "N", 0, "Predictions at once (default 1)", 3},
    {"keep", KEY_KEEP, "FILE", 0, "Keep predictions there as they are made, and take those of earlier runs",
     3},
    {NULL, 0, NULL, 0, "Results:", 4},
    {"plot", KEY_PLOT, "FILE", 0, "Predicted over counted bytes, .svg, .png or .pdf", 4},
    {"write-machine", KEY_WRITE_MACHINE, "FILE", 0,
     "The machine file with `validated` and the distribution of the errors, where far out of the caches are "
     "8 executions or more, of 3 matrices or more, and their bytes read are at most 10 % off in the mean",
     4},
    {0},
};

struct arguments {
    struct sp_common_options common;
    struct sp_mapping mapping, said;
    struct sp_line_filter filter[MOST_FILTERS];
    int n_filters;
    const char *matrices, *kept, *machine_out, *source, *picture;
    int n_jobs;
    char **file;
    int n_files, n_tables;  /* of them read as tables */
    struct sp_error failed; /* the first one that is not of the command line's words; status SP_OK: none */
    char command[4096];
};

static void refuse(struct argp_state *state, const struct sp_error *err)
{
    struct arguments *a = state->input;
    if (err->status != SP_USAGE) {
        if (a->failed.status == SP_OK)
            a->failed = *err;
        return;
    }
    char text[sizeof *err];
    sp_error_text(err, text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    sp_usage_error(state, "%s%s%s", text, *err->remedy ? "; " : "", err->remedy);
}

/* A formula, a file, or the name of a mapping that is installed. */
static enum sp_status add_map(struct sp_mapping *mapping, const char *arg, struct sp_error *err)
{
    char folder[3072], path[4096];
    if (strchr(arg, '='))
        return sp_mapping_add(mapping, arg, NULL, 0, err);
    if (strchr(arg, '/') || strchr(arg, '.') || !sp_data_path("data", folder, sizeof folder))
        return sp_mapping_read(mapping, arg, err);
    snprintf(path, sizeof path, "%s/mappings/%s.map", folder, arg);
    return sp_mapping_read(mapping, path, err);
}

static void say(struct argp_state *state, struct arguments *a, enum sp_measured_text what, const char *arg)
{
    struct sp_error err;
    if (sp_mapping_say(&a->said, what, arg, &err) != SP_OK)
        refuse(state, &err);
}

/* A machine that there is: what is typed is no fault of the file's. */
static void say_machine(struct argp_state *state, struct arguments *a, const char *name)
{
    char path[1024];
    struct sp_machine_paths where;
    struct sp_error err;
    sp_machine_paths_find(&where);
    if (sp_machine_file_find(name, where.directory, path, sizeof path, &err) == SP_OK)
        say(state, a, SP_MEASURED_MACHINE, name);
    else {
        err.status = SP_USAGE;
        refuse(state, &err);
    }
}

static void say_number(struct argp_state *state, struct arguments *a, const char *name, int64_t n)
{
    char entry[64];
    struct sp_error err;
    snprintf(entry, sizeof entry, "%s=%lld", name, (long long)n);
    if (sp_mapping_add(&a->said, entry, NULL, 0, &err) != SP_OK)
        refuse(state, &err);
}

static void check_words(struct argp_state *state, int key, const char *arg)
{
    struct sp_workload scratch = {0};
    struct sp_error err;
    if (key == SP_KEY_OF(SCHEDULE) && sp_workload_set_schedule(&scratch, arg, &err) != SP_OK)
        sp_usage_error(state, "%s; %s", err.what, err.remedy);
    if (key == SP_KEY_OF(FORMAT) && sp_workload_set_format(&scratch, arg, &err) != SP_OK)
        sp_usage_error(state, "%s; %s", err.what, err.remedy);
    if (key == SP_KEY_OF(PRECISION) && sp_precision_from_name(arg) < 0)
        sp_usage_error(state, "--precision takes f64, f32, mixed or c128, not '%s'", arg);
}

static void check_picture(struct argp_state *state, const char *path)
{
    const char *dot = strrchr(path, '.');
    const int term = dot ? sp_term_from_name(dot + 1) : -1;
    if (term < 0 || term > SP_TERM_PNG)
        sp_usage_error(state, "--plot takes a file that ends in .svg, .png or .pdf, not '%s'", path);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    struct sp_error err;
    int64_t n;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case KEY_MAP:
        if (add_map(&a->mapping, arg, &err) != SP_OK)
            refuse(state, &err);
        return 0;
    case KEY_ONLY:
        if (a->n_filters == MOST_FILTERS)
            sp_usage_error(state, "at most %d times --only", MOST_FILTERS);
        else if (sp_line_filter_parse(arg, &a->filter[a->n_filters++], &err) != SP_OK)
            refuse(state, &err);
        return 0;
    case SP_KEY_OF(MACHINE):
        say_machine(state, a, arg);
        return 0;
    case SP_KEY_OF(SCHEDULE):
        check_words(state, key, arg);
        say(state, a, SP_MEASURED_SCHEDULE, arg);
        return 0;
    case SP_KEY_OF(FORMAT):
        check_words(state, key, arg);
        say(state, a, SP_MEASURED_FORMAT, arg);
        return 0;
    case SP_KEY_OF(PRECISION):
        check_words(state, key, arg);
        say(state, a, SP_MEASURED_PRECISION, arg);
        return 0;
    case SP_KEY_OF(COLD):
        say(state, a, SP_MEASURED_STATE, "cold");
        return 0;
    case SP_KEY_OF(ROW_PTR):
        say_number(state, a, "row_ptr", sp_pick_of(state, SP_OPTION_ROW_PTR, arg) == 1 ? 8 : 4);
        return 0;
    case 't':
        n = sp_take_count(state, "threads", 1, 4096, arg);
        say_number(state, a, "threads", n);
        return 0;
    case 'j':
        n = sp_take_count(state, "jobs", 1, MOST_JOBS, arg);
        a->n_jobs = (int)n;
        return 0;
    case KEY_SOURCE:
        a->source = arg;
        return 0;
    case KEY_MATRICES:
        a->matrices = arg;
        return 0;
    case KEY_KEEP:
        a->kept = arg;
        return 0;
    case KEY_WRITE_MACHINE:
        a->machine_out = arg;
        return 0;
    case KEY_PLOT:
        check_picture(state, arg);
        a->picture = arg;
        return 0;
    case ARGP_KEY_ARGS:
        a->file = state->argv + state->next;
        a->n_files = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (a->n_files == 0)
            sp_usage_error(state, "name a file of measurements");
        if (a->machine_out && !a->source)
            sp_usage_error(state, "--write-machine needs --source TEXT: who measured");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&sp_common_csv_argp, 0, "Common options:", 90}, {&sp_memory_argp, 0, NULL, 90}, {0}};
static const struct argp argp = {
    options,
    parse,
    "FILE...",
    "Compare measurements of others with what the simulation of the described machine says.\v"
    "FILE is CSV with a header (also .gz), a line an execution, or a record of this program (.json, .jsonl) "
    "in which bytes were counted. Quantities, from columns of these names or by --map:\n\n"
    "  matrix      gen:..., or NAME or GROUP/NAME of the SuiteSparse collection\n"
    "  machine, schedule, format, precision, state (warm, cold), source\n"
    "  threads, row_ptr (4, 8), partition, partition_L1 (ways of the last\n"
    "              level and of L1 that are kept for the matrix; 0)\n"
    "  read_B, write_B, time_s    from and to memory, of so many\n"
    "  executions  that they are sums of (default 1)\n"
    "  rows, cols, nnz            for bounds, and to check the matrix\n"
    "  theirs_B    bytes read as the source predicted them, shown beside ours\n\n"
    "Formulas have + - * / % ^ ( ), min, max, ceil, floor, sqrt, log2; [column:NAME] is a column with other "
    "characters than letters, digits and _; a text in quotes is the same in all lines. A matrix that is "
    "neither a generator, nor in --matrices, nor one that a generator rebuilds exactly, is listed, not "
    "guessed.",
    children,
    NULL,
    NULL,
};

static bool ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

/* What options say wins over the mapping. */
static enum sp_status apply_said(struct arguments *a, struct sp_error *err)
{
    char entry[512];
    enum sp_status status = SP_OK;
    for (int i = 0; i < SP_N_MEASURED_TEXTS && status == SP_OK; i++)
        if (a->said.text[i]) {
            snprintf(entry, sizeof entry, "%s=%s", sp_measured_texts[i].name, a->said.text[i]);
            status = sp_mapping_add(&a->mapping, entry, NULL, 0, err);
        }
    for (int i = 0; i < SP_N_MEASURED_NUMBERS && status == SP_OK; i++)
        if (a->said.number[i]) {
            snprintf(entry, sizeof entry, "%s=%s", sp_measured_numbers[i].name, a->said.number[i]);
            status = sp_mapping_add(&a->mapping, entry, NULL, 0, err);
        }
    return status;
}

static enum sp_status read_csv(struct arguments *a, const char *path, struct sp_validation *v,
                               struct sp_error *err)
{
    struct sp_csv_table table;
    struct sp_measurement *measured = NULL;
    struct sp_machine_paths where;
    int64_t n = 0;
    sp_machine_paths_find(&where);
    enum sp_status status = sp_csv_table_read(path, &table, err);
    if (status != SP_OK)
        return status;
    status = sp_measurements_of(path, &table, &a->mapping, a->filter, a->n_filters, &measured, &n, err);
    if (status == SP_OK && n == 0)
        status =
            sp_fail_at(err, SP_INPUT, path, 0, 0, "another --only, or another file", "no line passes --only");
    a->n_tables++;
    if (status == SP_OK)
        status = sp_validation_add(v, path, measured, n, a->matrices, where.directory, err);
    free(measured);
    sp_csv_table_free(&table);
    return status;
}

static enum sp_status read_lines(const char *path, struct sp_validation *v, struct sp_error *err)
{
    char *bytes;
    size_t size;
    enum sp_status status = sp_input_bytes(path, SP_INPUT_MOST_B, &bytes, &size, err);
    if (status != SP_OK)
        return status;
    int64_t line = 1;
    for (char *at = bytes; status == SP_OK && at < bytes + size; line++) {
        char *end = memchr(at, '\n', (size_t)(bytes + size - at));
        const size_t n = end ? (size_t)(end - at) : (size_t)(bytes + size - at);
        struct sp_record record;
        if (n > 0) {
            status = sp_record_read_line(path, line, at, n, &record, err);
            if (status == SP_OK) {
                status = sp_validation_add_record(v, &record, line, path, err);
                sp_record_free(&record);
            }
        }
        at += n + 1;
    }
    free(bytes);
    return status;
}

static enum sp_status read_file(struct arguments *a, const char *path, struct sp_validation *v,
                                struct sp_error *err)
{
    struct sp_record record;
    if (ends_in(path, ".jsonl"))
        return read_lines(path, v, err);
    if (!ends_in(path, ".json"))
        return read_csv(a, path, v, err);
    enum sp_status status = sp_record_read(path, &record, err);
    if (status != SP_OK)
        return status;
    status = sp_validation_add_record(v, &record, 0, path, err);
    sp_record_free(&record);
    return status;
}

static enum sp_status write_machine(const struct arguments *a, const struct sp_validation *v,
                                    struct sp_error *err)
{
    struct sp_machine machine;
    enum sp_status status = sp_validation_of_machine(v, a->source, a->command, &machine, err);
    if (status != SP_OK)
        return status;
    status = sp_machine_file_write(a->machine_out, &machine, err);
    sp_machine_free(&machine);
    return status;
}

static enum sp_status draw(const struct arguments *a, const struct sp_record *record, struct sp_error *err)
{
    char gnuplot[1024];
    const struct sp_plot_tool tool = {.gnuplot = sp_find_program("gnuplot", gnuplot, sizeof gnuplot)};
    const struct sp_plot_kind *kind = sp_plot_kind_find("predicted");
    const struct sp_lack *lack = kind->lacks(record);
    char text[128];
    return !lack ? sp_plot_write(kind, &record, 1,
                                 (enum sp_image)sp_term_from_name(strrchr(a->picture, '.') + 1), &tool,
                                 a->picture, err)
                 : sp_fail(err, SP_USAGE, "compare lines with bytes read", "there is nothing to draw: %s",
                           sp_lack_text(text, sizeof text, lack));
}

static enum sp_status give_results(const struct arguments *a, const struct sp_validation *v,
                                   struct sp_sinks *sinks, struct sp_error *err)
{
    struct sp_record record;
    enum sp_status status = SP_OK;
    if (!sinks->on_stdout)
        status = validate_print(v, a->common.verbosity, stdout, err);
    if (status == SP_OK && sinks->csv.stream)
        validate_csv(v, sinks->csv.stream);
    if (status != SP_OK || (!sinks->json.stream && !a->picture))
        return status;
    status = sp_validation_record(v, a->command, &record, err);
    if (status == SP_OK && sinks->json.stream)
        status = sp_record_print(&record, sinks->json.stream, false, err);
    if (status == SP_OK && a->picture)
        status = draw(a, &record, err);
    sp_record_free(&record);
    return status;
}

static bool any_compared(const struct sp_validation *v)
{
    for (int64_t i = 0; i < v->n_lines; i++)
        if (v->line[i].state == SP_LINE_COMPARED)
            return true;
    return false;
}

/* Predictions for which there was not enough memory: 4, and the first of them. */
static int report_memory(const struct sp_validation *v)
{
    struct sp_error err;
    for (int64_t i = 0; i < v->n_cases; i++) {
        const struct sp_validation_case *c = &v->cases[i];
        if (c->state != SP_CASE_FAILED || c->status != SP_MEMORY)
            continue;
        sp_fail(&err, SP_MEMORY, "take more memory, or leave it out with --only", "%s is not predicted: %s",
                c->matrix, c->why);
        return sp_report_error(&err);
    }
    return 0;
}

/* What was typed or found that changes nothing else. */
static void print_remarks(const struct arguments *a, const struct sp_validation *v)
{
    char unseen[512];
    if (a->common.verbosity < 0)
        return;
    if (*v->remark)
        sp_print(stderr, "spmodel: remark: %s\n", v->remark);
    for (int i = 0; i < a->n_filters && a->n_tables > 0; i++)
        if (*sp_line_filter_unseen(&a->filter[i], unseen, sizeof unseen))
            sp_print(stderr, "spmodel: remark: --only %.*s: no line that is taken has %s\n",
                     a->filter[i].name_length, a->filter[i].name, unseen);
}

enum { MANY_CASES = 16 }; /* to wait for without a word, where there is no line of progress */

static int run_all(struct arguments *a, struct sp_validation *v, struct sp_sinks *sinks)
{
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, a->common.verbosity);
    struct sp_error err;
    const struct sp_validation_options how = {
        .n_jobs = a->n_jobs > 0 ? a->n_jobs : 1, .kept = a->kept, .progress = &progress};
    int code = 0;
    const char *const file[] = {a->kept, a->machine_out, a->picture};
    if (sp_outputs_claim(file, 3, &err) != SP_OK)
        return sp_report_error(&err);
    for (int i = 0; i < a->n_files; i++)
        if (read_file(a, a->file[i], v, &err) != SP_OK)
            return sp_report_error(&err);
    if (!terminal.active && a->common.verbosity >= 0 && v->n_cases > MANY_CASES * how.n_jobs)
        sp_print(stderr,
                 "spmodel: remark: %lld executions are simulated, seconds to minutes each: --jobs does "
                 "several at\n  once, --keep FILE keeps what is done, --only takes a part\n",
                 (long long)v->n_cases);
    const enum sp_status status = sp_validation_run(v, &how, &err);
    sp_terminal_clear(&terminal);
    print_remarks(a, v);
    if (status != SP_OK)
        code = sp_report_error(&err);
    if (status != SP_OK && status != SP_INTERRUPTED)
        return code;
    if (give_results(a, v, sinks, &err) != SP_OK)
        return sp_worse_exit(code, sp_report_error(&err));
    if (code == 0)
        code = report_memory(v);
    if (code == 0 && a->machine_out && write_machine(a, v, &err) != SP_OK)
        return sp_report_error(&err);
    return code == 0 && !any_compared(v) ? sp_exit_code(SP_UNDECIDED) : code;
}

static int run(int argc, char **argv)
{
    struct arguments a;
    struct sp_validation v = {.n_machines = 0};
    struct sp_error err;
    struct sp_sinks sinks;
    memset(&a, 0, sizeof a);
    sp_join_command(argc, argv, a.command, sizeof a.command);
    sp_parse(&argp, argc, argv, &a);
    int code;
    if (a.failed.status != SP_OK)
        code = sp_report_error(&a.failed);
    else if (apply_said(&a, &err) != SP_OK)
        code = sp_report_error(&err);
    else
        code = sp_sinks_open(a.common.csv, a.common.json, &sinks, &err) == SP_OK
                   ? sp_sinks_close(&sinks, run_all(&a, &v, &sinks))
                   : sp_report_error(&err);
    sp_validation_free(&v);
    sp_mapping_free(&a.mapping);
    sp_mapping_free(&a.said);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel validate counted.csv --machine a64fx --schedule rows --row-ptr 8",
     "bytes that were counted on an A64FX, beside the simulation", NULL},
    {"spmodel validate counted.csv --machine a64fx --map 'read_B=lines*256'",
     "their bytes from another column", NULL},
    {0},
};

const struct sp_command sp_cmd_validate = {
    .name = "validate",
    .arguments = "FILE...",
    .summary = "compare measurements of others with the simulation",
    .run = run,
    .page = {&argp, examples, "5", "model machine machine-files"},
};
