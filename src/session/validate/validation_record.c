/* The result as data: a record, and the part of a machine file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "session/validate/validation.h"

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
    json_object_set_new(o, "state", json_string(sp_line_state_name(l->state)));
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
        json_object_set_new(counts, sp_line_state_name((enum sp_line_state)i), json_integer(n[i]));
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
        return sp_fail(err, SP_UNDECIDED, "spmodel explain alpha",
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
