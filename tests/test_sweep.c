/* What a sweep may leave out, by bounds that no execution beats, and what it says of a point. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "model/volume/volume.h"
#include "report/report_several.h"
#include "run_suite.h"
#include "session/record/format_model.h"
#include "session/sweep/sweep.h"
#include "sparse/formats/layout.h"
#include "sparse/generate/generate.h"
#include "tried_formats.h"

/* Memory alone: 10 GB/s by one thread, 40 by eight; one cache of 1 MiB, so that V/b_S can be written down. */
static struct sp_ceiling ceilings[] = {
    {.name = "load", .level = "MEM", .n_threads = 8},
    {.name = "copy", .level = "MEM", .n_threads = 1},
};

static struct sp_machine machine_of(int n_ceilings)
{
    struct sp_machine m = {.n_sockets = 1, .n_numa = 1, .n_domains = 1, .n_cores = 8, .n_caches = 1};
    ceilings[0].value = sp_value_between(40e9, 39e9, 42e9, SP_MEASURED);
    ceilings[1].value = sp_value_between(10e9, 9e9, 11e9, SP_MEASURED);
    m.ceiling = ceilings;
    m.n_ceilings = n_ceilings;
    m.cache[0] = (struct sp_cache){.level = 1,
                                   .size_B = 1 << 20,
                                   .effective_B = sp_value_none("not measured"),
                                   .line_B = 64,
                                   .cores_sharing = 8};
    return m;
}

START_TEST(bandwidth_is_never_bound_too_low)
{
    struct sp_machine m = machine_of(2);
    ck_assert_double_eq_tol(sp_bandwidth_bound(&m, "MEM", 1), 11e9, 1);
    ck_assert_double_eq_tol(sp_bandwidth_bound(&m, "MEM", 2), 22e9, 1);
    ck_assert_double_eq_tol(sp_bandwidth_bound(&m, "MEM", 4), 42e9, 1); /* not 11: that is one thread's */
    ck_assert_double_eq_tol(sp_bandwidth_bound(&m, "MEM", 8), 42e9, 1);
    ck_assert_double_eq_tol(sp_bandwidth_bound(&m, "MEM", 16), 176e9, 1); /* nobody measured so many */
    ck_assert_double_eq(sp_bandwidth_bound(&m, "L3", 4), 0);
    m = machine_of(1); /* eight threads only */
    ck_assert_double_eq_tol(sp_bandwidth_bound(&m, "MEM", 4), 42e9, 1);
    ck_assert_double_eq(sp_bandwidth_bound(&m, "MEM", 16), 0);
}
END_TEST

static struct sp_workload workload_of(const struct sp_csr *a, const char *format)
{
    struct sp_workload w = {
        .op = SP_OP_SPMV, .precision = SP_F64, .schedule = SP_SCHEDULE_NNZ, .n_threads = 2, .matrix = a};
    ck_assert_int_eq(sp_workload_set_format(&w, format, NULL), SP_OK);
    ck_assert_int_eq(sp_workload_check(&w, NULL), SP_OK);
    return w;
}

static double least_B(const struct sp_csr *a, const char *format)
{
    struct sp_volume v;
    const struct sp_workload w = workload_of(a, format);
    ck_assert_int_eq(sp_format_least_volume(&w, a->n_c, &v, NULL), SP_OK);
    return v.total_B;
}

START_TEST(every_format_counts_what_it_stores_and_vectors_once)
{
    const char *formats[MOST_TRIED_FORMATS];
    const int n = tried_formats(SP_OP_SPMV, formats);
    struct sp_csr a;
    ck_assert_int_eq(sp_generate("laplace2d:40", NULL, &a, NULL), SP_OK);
    for (int i = 0; i < n; i++) {
        const struct sp_workload w = workload_of(&a, formats[i]);
        struct sp_layout l;
        ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
        const double once = sp_layout_matrix_bytes(&l) + 8.0 * (double)(a.n_r + a.n_c);
        ck_assert_msg(least_B(&a, formats[i]) <= once && least_B(&a, formats[i]) > 0.99 * once,
                      "%s: %g B by formula, stored %g B: `by_lengths` of its row promises the formula of CRS "
                      "(with `plain_rows`) or SELL",
                      formats[i], least_B(&a, formats[i]), once);
        sp_layout_free(&l);
    }
    sp_csr_free(&a);

    /* Rows that are full: one index for sixteen values, which CRS cannot beat. */
    ck_assert_int_eq(sp_generate("band:64:63", NULL, &a, NULL), SP_OK);
    ck_assert(least_B(&a, "bcsr:4x4") < 0.75 * least_B(&a, "crs"));
    sp_csr_free(&a);
}
END_TEST

START_TEST(caches_may_keep_what_they_hold)
{
    struct sp_machine m = machine_of(2);
    struct sp_csr a;
    struct sp_volume v;
    ck_assert_int_eq(sp_generate("laplace2d:400", NULL, &a, NULL), SP_OK); /* 160 000 rows, 12 MB */
    const struct sp_workload w = workload_of(&a, "crs");
    ck_assert_int_eq(sp_format_least_volume(&w, a.n_c, &v, NULL), SP_OK);
    ck_assert_double_eq_tol(v.total_B, 12.0 * (double)a.n_nz + 4.0 * 160001 + 16.0 * 160000, 1);
    ck_assert_double_eq_tol(sp_transfer_bound(&w, a.n_c, &m, true), (v.total_B - 2 * 1048576) / 22e9, 1e-9);
    ck_assert_double_eq_tol(sp_transfer_bound(&w, a.n_c, &m, false), (v.total_B - 8 * 160000) / 22e9, 1e-9);
    /* Half of the columns are empty: their rows of x are never loaded. */
    ck_assert_double_eq_tol(sp_transfer_bound(&w, a.n_c, &m, false) -
                                sp_transfer_bound(&w, a.n_c / 2, &m, false),
                            8 * 80000 / 22e9, 1e-9);
    m.n_ceilings = 0;
    ck_assert_double_eq(sp_transfer_bound(&w, a.n_c, &m, false), 0);
    sp_csr_free(&a);
}
END_TEST

/* The budget is the measuring time of all rows together: what rows that need not be measured leave goes to
 * the rest. */
START_TEST(the_budget_is_shared_among_the_rows)
{
    struct sp_sweep_options o = {.n_axes = 3, .budget_s = 1.2, .point_s = 0.4};
    o.axis[0] = (struct sp_sweep_axis){.n = 3, .group = 0};
    o.axis[1] = (struct sp_sweep_axis){.n = 2, .group = 1};
    o.axis[2] = (struct sp_sweep_axis){.n = 4, .group = 1};
    ck_assert_int_eq(sp_sweep_rows(&o), 1 + 2 + 7);
    double given = 0, share;
    for (int64_t left = 10; left > 0; left--, given += share) {
        share = sp_sweep_share(&o, given, left);
        ck_assert_double_eq_tol(share, 0.12, 1e-12);
    }
    ck_assert_double_eq_tol(given, o.budget_s, 1e-12);
    ck_assert_double_eq_tol(sp_sweep_share(&o, 0.12, 5), 0.216, 1e-12); /* some were pruned */
    ck_assert_double_eq(sp_sweep_share(&o, 0, 1), 0.4);
    ck_assert_double_eq(sp_sweep_share(&o, 5, 3), 0);
    o.exhaustive = true;
    ck_assert_int_eq(sp_sweep_rows(&o), 24);
}
END_TEST

/* Whatever the rows wait for: a sweep takes three times its budget, and some seconds where it is tiny. */
START_TEST(no_row_is_begun_after_three_budgets)
{
    ck_assert(!sp_sweep_is_over(2, 3, 5.9) && sp_sweep_is_over(2, 3, 6.1));
    ck_assert(!sp_sweep_is_over(60, 100, 179) && sp_sweep_is_over(60, 100, 181));
    ck_assert(!sp_sweep_is_over(1e-6, 0.4, 4) && sp_sweep_is_over(1e-6, 0.6, 4) &&
              sp_sweep_is_over(1e-6, 0.4, 5.1));
}
END_TEST

static char *report_at(const struct sp_sweep *s, int width)
{
    static const struct sp_machine machine = {.n_cores = 1};
    const struct sp_subject subject = {.name = "m", .argument = "m.mtx"};
    const struct sp_analyze_options o = {.machine = &machine};
    const struct sp_report_style style = {.width = width};
    struct sp_record r;
    char *text;
    size_t size;
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_sweep(&r, &subject, &o, s, 1);
    FILE *out = open_memstream(&text, &size);
    sp_report_sweep(&r, &style, out);
    fclose(out);
    sp_record_free(&r);
    return text;
}

static char *report_of(const struct sp_sweep *s)
{
    return report_at(s, 100);
}

static struct sp_sweep_point point_of(const char *change, double gain, double half_width, int64_t n_clean,
                                      int64_t n_disturbed)
{
    struct sp_sweep_point p = {.variant = {.change = typed(change)}};
    p.trial.gain = sp_value_between(gain, gain - half_width, gain + half_width, SP_MEASURED);
    p.trial.time = p.trial.base_time = sp_value_of(1, SP_MEASURED);
    p.trial.n_pairs = n_clean > 0 ? n_clean : n_disturbed;
    p.trial.n_clean = n_clean;
    p.trial.n_disturbed = n_disturbed;
    p.trial.disturbed = n_clean == 0;
    if (p.trial.disturbed)
        strcpy(p.trial.error.what, "other programs computed beside it");
    p.fate = sp_sweep_take(&p.trial);
    return p;
}

/* However fast it seems: a point of disturbed samples has no figure, and cannot win. */
START_TEST(a_disturbed_point_cannot_win)
{
    struct sp_sweep_point points[] = {point_of("--format half", 0.9, 0, 0, 9), point_of("", 0, 0.01, 9, 0),
                                      point_of("--format sell:8,1", 0.2, 0.01, 9, 3)};
    struct sp_sweep s = {
        .n_combinations = 3, .n = 3, .point = points, .base_time = sp_value_of(1, SP_MEASURED)};
    unsetenv("SPMODEL_ASSUME");
    sp_sweep_rank(&s);
    setenv("SPMODEL_ASSUME", "clean", 1);
    ck_assert_int_eq(s.best, 0);
    ck_assert_change_eq(points[0].variant.change, "--format sell:8,1");
    ck_assert(points[0].tied && !points[1].tied);
    ck_assert_int_eq(points[2].fate, SP_SWEEP_DISTURBED);
    ck_assert(!sp_value_known(points[2].trial.gain));
    ck_assert_int_eq(s.conditions.state, SP_BUSY);
    char *text = report_of(&s);
    ck_assert_msg(strstr(text, "\nbusy: 12 of 30 samples were disturbed") &&
                      strstr(text, "1 left out: fewer than three of their samples") &&
                      strstr(text, "     --format half: other programs computed") &&
                      strstr(text, "best  spmodel analyze m.mtx --format sell:8,1"),
                  "%s", text);
    ck_assert(!strstr(text, "-90"));
    free(text);
    text = report_at(&s, 80);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 80, "%s", text);
    free(text);
}
END_TEST

/* Where the run is as fast as the best within the intervals, nothing is faster for certain. */
START_TEST(ties_within_the_intervals_are_called_ties)
{
    struct sp_sweep_point points[] = {point_of("", 0, 0.01, 9, 0), point_of("--index d16", 0.1, 0.1, 9, 0),
                                      point_of("--reorder rcm", -0.3, 0.1, 9, 0),
                                      point_of("--format half", -0.3, 0, 1, 0)}; /* of one pair */
    struct sp_sweep s = {
        .n_combinations = 4, .n = 4, .point = points, .base_time = sp_value_of(1, SP_MEASURED)};
    sp_sweep_rank(&s);
    ck_assert_change_eq(points[0].variant.change, "--index d16");
    ck_assert_change_eq(points[s.best].variant.change, "");
    for (int i = 0; i < s.n; i++)
        ck_assert_int_eq(points[i].tied, !sp_change_value(&points[i].variant.change, SP_OPTION_REORDER) &&
                                             !sp_change_value(&points[i].variant.change, SP_OPTION_FORMAT));
    ck_assert_int_eq(points[3].fate, SP_SWEEP_DISTURBED);
    char *text = report_of(&s);
    ck_assert_msg(strstr(text, "2 of them differ by no more than the noise") &&
                      strstr(text, "  1= --index d16") &&
                      strstr(text, "nothing here is faster for certain") && !strstr(text, "m.mtx --index"),
                  "%s", text);
    const char *run = strstr(text, "= the run "), *itself = run ? strstr(run, " itself") : NULL;
    ck_assert_msg(itself && !memchr(run, '%', strcspn(run, "\n")) && itself < strchr(run, '\n'), "%s", text);
    free(text);
}
END_TEST

/* One pair is no figure: it is neither tied nor best, whatever it seems to save, and where the run itself has
 * no row, that is said. */
START_TEST(a_row_of_one_pair_has_no_figure)
{
    struct sp_sweep_point points[] = {point_of("--schedule merge", 0.17, 0, 1, 5), point_of("", 0, 0, 0, 9),
                                      point_of("--threads 1", -0.78, 0.05, 3, 5),
                                      point_of("--format half", 0.6, 0, 2, 0)};
    struct sp_sweep s = {
        .n_combinations = 4, .n = 4, .point = points, .base_time = sp_value_of(1, SP_MEASURED)};
    sp_sweep_rank(&s);
    ck_assert_change_eq(points[0].variant.change, "--threads 1");
    ck_assert_int_eq(points[0].fate, SP_SWEEP_MEASURED);
    for (int i = 1; i < 4; i++)
        ck_assert(points[i].fate == SP_SWEEP_DISTURBED && !points[i].tied &&
                  !sp_value_known(points[i].trial.gain));
    char *text = report_of(&s);
    ck_assert_msg(strstr(text, "3 left out: fewer than three") &&
                      strstr(text, "--schedule merge: 1 of 6 samples can be used") &&
                      strstr(text, "the run itself has no row") && !strstr(text, "17"),
                  "%s", text);
    free(text);
}
END_TEST

/* As one analysis does: what was taken on shared cores counts where there is nothing else, and the top says
 * so. */
START_TEST(samples_on_shared_cores_are_kept)
{
    struct sp_sweep_point points[] = {point_of("", 0, 0.01, 9, 0), point_of("--index d16", 0.2, 0.01, 9, 0),
                                      point_of("--format half", 0.6, 0, 1, 5)};
    for (int i = 0; i < 2; i++) {
        points[i].trial.n_crowded = 7;
        points[i].trial.n_clean = 0;
        points[i].trial.crowded = true;
    }
    struct sp_sweep s = {
        .n_combinations = 3, .n = 3, .point = points, .base_time = sp_value_of(1, SP_MEASURED)};
    unsetenv("SPMODEL_ASSUME");
    sp_sweep_rank(&s);
    setenv("SPMODEL_ASSUME", "clean", 1);
    ck_assert_change_eq(points[s.best].variant.change, "--index d16");
    ck_assert_int_eq(s.conditions.state, SP_BUSY);
    ck_assert(s.conditions.crowded && s.conditions.n_crowded == 14);
    char *text = report_of(&s);
    ck_assert_msg(strstr(text, "\nbusy: 5 of 20 samples"), "%s", text);
    free(text);
}
END_TEST

START_TEST(without_a_clean_sample_there_is_no_best)
{
    struct sp_sweep_point points[11];
    struct sp_sweep s = {
        .n_combinations = 11, .n = 11, .point = points, .base_time = sp_value_none("nothing was measured")};
    points[0] = point_of("", 0, 0, 0, 40);
    points[0].bound_s = 957e-9;
    for (int i = 1; i < s.n; i++) {
        points[i] = (struct sp_sweep_point){.fate = SP_SWEEP_BUDGET};
        sp_change_add_number(&points[i].variant.change, SP_OPTION_THREADS, i);
    }
    unsetenv("SPMODEL_ASSUME");
    sp_sweep_rank(&s);
    setenv("SPMODEL_ASSUME", "clean", 1);
    ck_assert_int_eq(s.best, -1);
    ck_assert_int_eq(s.conditions.state, SP_UNUSABLE);
    char *text = report_of(&s);
    ck_assert_msg(strstr(text, "     the run: at least 957 ns: other") && !strstr(text, "against the run"),
                  "%s", text);
    ck_assert_msg(strstr(text, "\nunusable: 40 of 40 samples") && strstr(text, "best  not known") &&
                      strstr(text, "10 left out: the others took") && strstr(text, "     --threads 1\n") &&
                      strstr(text, "... and 2 more (-v)"),
                  "%s", text);
    free(text);
}
END_TEST

START_TEST(a_failure_is_not_impossible)
{
    ck_assert_int_eq(sp_sweep_fate_of(SP_OK), SP_SWEEP_MEASURED);
    ck_assert_int_eq(sp_sweep_fate_of(SP_USAGE), SP_SWEEP_IMPOSSIBLE);
    ck_assert_int_eq(sp_sweep_fate_of(SP_ABSENT), SP_SWEEP_IMPOSSIBLE);
    static const enum sp_status failures[] = {SP_MEMORY, SP_UNDECIDED, SP_WRONG, SP_INTERRUPTED};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        ck_assert_int_eq(sp_sweep_fate_of(failures[i]), SP_SWEEP_FAILED);

    struct sp_sweep_point point = {.fate = SP_SWEEP_FAILED};
    const struct sp_sweep sweep = {.n_combinations = 1,
                                   .n = 1,
                                   .best = -1,
                                   .point = &point,
                                   .base_time = sp_value_none("nothing was measured")};
    const struct sp_machine machine = machine_of(2);
    const struct sp_analyze_options options = {.machine = &machine};
    const struct sp_report_style style = {.width = 100};
    struct sp_subject subject;
    struct sp_record record;
    char *text = NULL;
    size_t size = 0;
    point.variant.change = typed("--format half");
    strcpy(point.trial.error.what, "no memory for windows");
    ck_assert_int_eq(sp_subject_open("gen:laplace2d:10", NULL, NULL, NULL, &subject, NULL), SP_OK);
    ck_assert_int_eq(sp_record_new(subject.name, &record, NULL), SP_OK);
    sp_record_sweep(&record, &subject, &options, &sweep, 1);
    FILE *out = open_memstream(&text, &size);
    sp_report_sweep(&record, &style, out);
    fclose(out);
    ck_assert(sp_record_node(&record, SP_F_SWEEP_POINTS) && !sp_record_node(&record, SP_F_CONDITIONS_STATE));
    ck_assert_msg(strstr(text, "1 left out: they were begun") &&
                      strstr(text, "--format half: no memory for windows") && !strstr(text, "go together"),
                  "%s", text);
    free(text);
    sp_record_free(&record);
    sp_subject_free(&subject);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sweep");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, bandwidth_is_never_bound_too_low);
    tcase_add_test(tests, every_format_counts_what_it_stores_and_vectors_once);
    tcase_add_test(tests, caches_may_keep_what_they_hold);
    tcase_add_test(tests, the_budget_is_shared_among_the_rows);
    tcase_add_test(tests, no_row_is_begun_after_three_budgets);
    tcase_add_test(tests, a_disturbed_point_cannot_win);
    tcase_add_test(tests, samples_on_shared_cores_are_kept);
    tcase_add_test(tests, a_row_of_one_pair_has_no_figure);
    tcase_add_test(tests, ties_within_the_intervals_are_called_ties);
    tcase_add_test(tests, without_a_clean_sample_there_is_no_best);
    tcase_add_test(tests, a_failure_is_not_impossible);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
