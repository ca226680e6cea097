/* The formulas of bytes that `explain` fills in, against the volume that the model counts in the layout:
 * every format, operation, width of indices and precision that goes together, with the counts that records
 * hold. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain/explained.h"
#include "cli/explain/terms/topics.h"
#include "model/volume/volume.h"
#include "run_suite.h"
#include "session/record/parts.h"
#include "small_matrices.h"
#include "sparse/generate/generate.h"
#include "tried_formats.h"

static const double alpha = 1.75, alpha_min = 0.375, w_y = 1.5;

/* Beside these each other pair of operation and format that the table has. */
static struct {
    const char *matrix, *format;
    enum sp_op op;
    enum sp_precision precision;
    enum sp_index index;
    int n_threads;
} cases[128] = {
    {"laplace3d:9", "crs", SP_OP_SPMV, SP_F64, SP_I32, 2},
    {"laplace3d:9", "crs", SP_OP_SPMV, SP_F64, SP_I64, 2},
    {"laplace3d:9", "crs", SP_OP_SPMV, SP_MIXED, SP_I32, 2},
    {"laplace3d:9", "crs", SP_OP_SPMV, SP_MIXED, SP_D16, 2},
    {NULL, "crs", SP_OP_SPMV, SP_C128, SP_I32, 2}, /* complex */
    {"powerlaw:9:5", "sell", SP_OP_SPMV, SP_F64, SP_I32, 2},
    {"powerlaw:9:5", "sell:8,1", SP_OP_SPMV, SP_F32, SP_I64, 2},
    {"powerlaw:9:5", "sell", SP_OP_SPMV, SP_MIXED, SP_D16, 2},
    {"laplace3d:9", "sellu", SP_OP_SPMV, SP_F64, SP_I32, 2},
    {"laplace3d:9", "sellu:4,32", SP_OP_SPMV, SP_MIXED, SP_I64, 2},
    {"random:500:6", "bcsr:4x2", SP_OP_SPMV, SP_F64, SP_I32, 2},
    {"laplace3d:9", "half", SP_OP_SPMV, SP_F64, SP_I32, 2},            /* phases */
    {"laplace3d:9+permuted:3", "half", SP_OP_SPMV, SP_F32, SP_I64, 5}, /* windows */
    {"random:900:8", "striped:256", SP_OP_SPMV, SP_F64, SP_I32, 3},
    {"random:900:8", "striped:256", SP_OP_SPMV, SP_MIXED, SP_I64, 3},
    {"random:500:6", "crs", SP_OP_SPMMV, SP_F64, SP_I32, 2},
    {"random:500:6", "sell:8,32", SP_OP_SPMMV, SP_F64, SP_I32, 2},
    {"random:500:6", "crs", SP_OP_SPMM, SP_BF16, SP_I32, 2},
    {"random:500:6", "bcsr:4x4", SP_OP_SPMM, SP_F32, SP_I32, 2},
    {"random:500:6", "staged:64,16", SP_OP_SPMM, SP_F64, SP_I32, 3},
    {"random:500:6", "staged:64,256", SP_OP_SPMM, SP_F32, SP_I64, 3}, /* tile wider than r */
    {"random:500:2", "crs", SP_OP_SDDMM, SP_F64, SP_I32, 2},
    {"random:500:2", "coo", SP_OP_SDDMM, SP_F64, SP_I32, 2},
    {"random:500:2", "coo", SP_OP_SDDMM, SP_F32, SP_I64, 2},
    {"random:500:2", "tiled:64,16", SP_OP_SDDMM, SP_F64, SP_I32, 2},
    {"random:500:2", "tiled:32,8", SP_OP_SDDMM, SP_F32, SP_I64, 2},
    {"random:500:2", "staged:64,16", SP_OP_SDDMM, SP_F64, SP_I32, 3},
    {"random:500:2", "crs", SP_OP_FUSEDMM, SP_F64, SP_I32, 2},
};
enum { MOST_CASES = sizeof cases / sizeof *cases };
static int n_cases;

static bool has(enum sp_op op, const struct sp_format_kind *kind)
{
    for (int i = 0; i < n_cases; i++)
        if (cases[i].op == op && is_of_format(cases[i].format, kind))
            return true;
    return false;
}

static void add(enum sp_op op, const struct sp_format_kind *kind, const char *typed)
{
    (void)kind;
    if (n_cases < MOST_CASES) {
        cases[n_cases].matrix = "laplace3d:9"; /* symmetric, which some formats need */
        cases[n_cases].format = typed, cases[n_cases].op = op;
        cases[n_cases++].n_threads = 3;
    }
}

static const char *text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

/* NaN where it is none. */
static double number_of(const json_t *o, const char *key)
{
    const json_t *x = json_object_get(o, key);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static const char *format_of(const struct sp_record *r)
{
    return json_string_value(sp_record_node(r, SP_F_CONFIG_FORMAT));
}

static void modelled(struct sp_record *r, enum sp_record_field field, double x)
{
    sp_record_set_value(r, field, sp_value_of(x, SP_MODELLED));
}

/* What an analysis of this layout would record, as far as volumes go. */
static void record_of(const struct sp_workload *w, const struct sp_layout *l, struct sp_record *r)
{
    int64_t n_empty = 0;
    ck_assert_int_eq(sp_record_new("volumes", r, NULL), SP_OK);
    for (int64_t i = 0; i < l->n_r; i++)
        n_empty += w->matrix->row_ptr[i] == w->matrix->row_ptr[i + 1];
    sp_record_workload(r, w);
    sp_record_set_count(r, SP_F_CONFIG_THREADS, w->n_threads);
    sp_record_set_count(r, SP_F_PROBLEM_ROWS, l->n_r);
    sp_record_set_count(r, SP_F_PROBLEM_COLS, l->n_c);
    sp_record_set_count(r, SP_F_PROBLEM_NNZ, l->n_nz);
    sp_record_set_count(r, SP_F_STRUCTURE_EMPTY_ROWS, n_empty);
    sp_record_layout(r, l);
    modelled(r, SP_F_METRICS_BETA, sp_layout_beta(l));
    modelled(r, SP_F_METRICS_ALPHA, alpha);
    modelled(r, SP_F_METRICS_ALPHA_MIN, alpha_min);
    modelled(r, SP_F_METRICS_W, w_y);
    modelled(r, SP_F_METRICS_FLOPS, sp_workload_flops(w));
    modelled(r, SP_F_METRICS_BYTES, sp_volume_layout(l, alpha, w_y).total_B);
    modelled(r, SP_F_METRICS_BYTES_MIN, sp_volume_layout(l, alpha_min, w_y).total_B);
    modelled(r, SP_F_METRICS_BALANCE_MIN, sp_volume_layout(l, alpha_min, w_y).total_B / sp_workload_flops(w));
    modelled(r, SP_F_METRICS_BALANCE, sp_volume_layout(l, alpha, w_y).total_B / sp_workload_flops(w));
}

static void make(int i, struct sp_csr *a, struct sp_record *r)
{
    struct sp_layout l;
    struct sp_error err = {0};
    if (cases[i].matrix)
        ck_assert_msg(sp_generate(cases[i].matrix, NULL, a, &err) == SP_OK, "%s", err.what);
    else
        *a = small_matrix(SMALL_COMPLEX);
    struct sp_workload w = {.op = cases[i].op,
                            .precision = cases[i].precision,
                            .index = cases[i].index,
                            .schedule = SP_SCHEDULE_NNZ,
                            .n_threads = cases[i].n_threads,
                            .r = cases[i].op == SP_OP_SPMV ? 1 : 24,
                            .matrix = a};
    ck_assert_int_eq(sp_workload_set_format(&w, cases[i].format, NULL), SP_OK);
    ck_assert_msg(sp_workload_check(&w, &err) == SP_OK, "case %d: %s", i, err.what);
    ck_assert_msg(sp_layout_make(&w, false, NULL, &l, &err) == SP_OK, "case %d: %s", i, err.what);
    record_of(&w, &l, r);
    sp_layout_free(&l);
}

static json_t *explained(const char *term, const struct sp_record *r)
{
    struct sp_topic found[SP_TOPIC_MATCHES];
    ck_assert_msg(sp_topics_find(term, found) >= 1, "%s is no term", term);
    return sp_explain_json(&found[0], r);
}

/* Every result that the record has is the same, to rounding of doubles; balances leave the last row pointer
 * and incomplete chunks out. Returns how many, and of `wanted`. */
static int check_term(int which, const char *term, const char *wanted, const struct sp_record *r)
{
    json_t *whole = explained(term, r);
    const json_t *c;
    size_t i;
    const double close = strcmp(term, "B_C") == 0 || strcmp(term, "spmmv") == 0 ? 1e-3 : 1e-9;
    int n = 0, n_wanted = 0;
    json_array_foreach(json_object_get(json_object_get(whole, "record"), "calculations"), i, c)
    {
        const char *result = text_of(c, "result");
        const double x = number_of(c, "value"), its = number_of(c, "record");
        if (!json_is_number(json_object_get(c, "record")))
            continue;
        ck_assert_msg(isfinite(x), "case %d, %s: %s is unknown: %s", which, term, result,
                      text_of(c, "why") ? text_of(c, "why") : "");
        ck_assert_msg(fabs(x - its) <= close * fabs(its), "case %d, %s: %s = %s = %.15g, not %.15g", which,
                      term, result, text_of(c, "formula"), x, its);
        n++;
        n_wanted += strcmp(result, wanted) == 0;
    }
    ck_assert_msg(
        n_wanted == 1,
        "case %d (%s in %s): the term %s adds up %d of %s, not one: in src/cli/explain/terms it needs "
        "`number: %s "
        "[B] = ...` with `record: metrics.bytes_min` (or what %s is in records), whose `formats:` name %s",
        which, sp_op_name(cases[which].op), cases[which].format, term, n_wanted, wanted, wanted, wanted,
        format_of(r));
    json_decref(whole);
    return n;
}

static const struct sp_format_kind *kind_of(const char *format)
{
    for (int i = 0; i < sp_n_formats; i++)
        if (strcmp(sp_format_kinds[i]->name, format) == 0)
            return sp_format_kinds[i];
    ck_abort_msg("no format %s", format);
}

static bool has_result(const char *term, const char *wanted, const struct sp_record *r)
{
    json_t *whole = explained(term, r);
    const json_t *c;
    size_t i;
    bool found = false;
    json_array_foreach(json_object_get(json_object_get(whole, "record"), "calculations"), i, c) found =
        found || strcmp(text_of(c, "result"), wanted) == 0;
    json_decref(whole);
    return found;
}

START_TEST(formulas_are_the_model)
{
    struct sp_csr a;
    struct sp_record r;
    make(_i, &a, &r);
    check_term(_i, "V", "V", &r);
    check_term(_i, "V_min", "V_min", &r);
    check_term(_i, "B_C", "B_C by the formula", &r);
    check_term(_i, "W", "W", &r);
    if (strcmp(format_of(&r), "crs") == 0 && cases[_i].op <= SP_OP_SPMM)
        check_term(_i, "spmmv", "B(r)", &r);
    sp_record_free(&r);
    sp_csr_free(&a);
}
END_TEST

/* The lines of a format: each array that the layout counts, and the totals. */
START_TEST(lines_are_the_arrays)
{
    struct sp_csr a;
    struct sp_record r;
    make(_i, &a, &r);
    const char *format = format_of(&r);
    /* What counts more than CRS and its like has lines of its own. */
    if (kind_of(format)->facts || has_result(format, "V_min", &r))
        ck_assert_int_ge(check_term(_i, format, "V_min", &r), 4);
    if (cases[_i].precision == SP_MIXED)
        ck_assert_int_ge(check_term(_i, "mixed", "V_min", &r), 5);
    if (cases[_i].index == SP_D16)
        ck_assert_int_ge(check_term(_i, "d16", "V_min", &r), 5);
    sp_record_free(&r);
    sp_csr_free(&a);
}
END_TEST

/* A record without the layout's counts: unknown with the reason, and no number. */
START_TEST(what_is_not_counted_is_unknown)
{
    struct sp_csr a;
    struct sp_record r;
    make(_i, &a, &r);
    const char *format = format_of(&r);
    const bool needed = kind_of(format)->facts != NULL;
    json_object_del(r.root, "layout");
    json_t *whole = explained("V", &r);
    const json_t *c = json_array_get(json_object_get(json_object_get(whole, "record"), "calculations"), 0);
    if (needed) {
        ck_assert_msg(json_is_null(json_object_get(c, "value")), "%s has a volume without counts", format);
        ck_assert_ptr_nonnull(strstr(text_of(c, "why"), "this record does not hold it"));
        ck_assert_ptr_nonnull(strchr(text_of(c, "filled"), '?'));
    } else
        ck_assert(isfinite(number_of(c, "value")) || cases[_i].op == SP_OP_SPMV);
    json_decref(whole);
    sp_record_free(&r);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    while (n_cases < MOST_CASES && cases[n_cases].format)
        n_cases++;
    add_formats(has, add);
    Suite *suite = suite_create("explain_volumes");
    TCase *tc = tcase_create("explain_volumes");
    tcase_add_loop_test(tc, formulas_are_the_model, 0, n_cases);
    tcase_add_loop_test(tc, lines_are_the_arrays, 0, n_cases);
    tcase_add_loop_test(tc, what_is_not_counted_is_unknown, 0, n_cases);
    suite_add_tcase(suite, tc);
    return run_suite_forked(suite, false); /* layouts are built by OpenMP */
}
