/* Runs of others: times as people write them, and the analysis that rests on times alone. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/machine/machine_file.h"
#include "io/times_text.h"
#include "session/analyze/analyze.h"
#include "session/record/recording.h"

static const struct {
    const char *text;
    int n;
    double time_s[3];
} good[] = {
    {"1.23ms", 1, {1.23e-3}},
    {"1.23 ms", 1, {1.23e-3}},
    {"850us,0.9ms;1s", 3, {850e-6, 0.9e-3, 1}},
    {"12\xc2\xb5s, 13\xce\xbcs", 2, {12e-6, 13e-6}},
    {"900ns", 1, {900e-9}},
    {"0.00123", 1, {1.23e-3}},
    {"1e-3 2E-3\t.5", 3, {1e-3, 2e-3, 0.5}},
    {"2min", 1, {120}},
};

START_TEST(times_are_read_with_their_units)
{
    struct sp_times t = {0};
    ck_assert_int_eq(sp_times_of_text(good[_i].text, "--time", &t, NULL), SP_OK);
    ck_assert_int_eq(t.n, good[_i].n);
    for (int k = 0; k < good[_i].n; k++)
        ck_assert_double_eq_tol(t.time_s[k], good[_i].time_s[k], 1e-9 * good[_i].time_s[k]);
    sp_times_free(&t);
    sp_times_free(&t);
}
END_TEST

static const char *const bad[] = {
    "",       "ms",      "0",     "-1ms",    "1.23mss",
    "1,23ms", "3 ms 4",  "+1ms",  "1ms,,x",  "nan",
    "inf",    "1e999",   "1ms,2", "1ms,two", "0x10ms",
    "1..2s",  "1ms#",    "1 2ms", "1e",      "1-2",
    "1e-400", "1ms\x01", ",",     "1%",      "12345678901234567890123456789012ms"};

START_TEST(what_is_no_time_is_refused)
{
    struct sp_times t = {0};
    struct sp_error err;
    ck_assert_msg(sp_times_of_text(bad[_i], "--time", &t, &err) == SP_USAGE, "%s", bad[_i]);
    ck_assert(t.time_s == NULL && strcmp(err.path, "--time") == 0 && *err.what && *err.remedy);
}
END_TEST

START_TEST(a_file_of_times_has_comments_and_lines)
{
    char path[] = "/tmp/spmodel-times-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    struct sp_times t;
    struct sp_error err;
    fputs("# rank 0\n1.5 ms\r\n\n1.25ms, 2ms # warm\n", f);
    fclose(f);
    ck_assert_int_eq(sp_times_read(path, &t, NULL), SP_OK);
    ck_assert(t.n == 3 && t.time_s[1] == 1.25e-3);
    sp_times_free(&t);
    f = fopen(path, "w");
    fputs("1ms\n# a\nslow\n", f);
    fclose(f);
    ck_assert_int_eq(sp_times_read(path, &t, &err), SP_INPUT);
    ck_assert_int_eq(err.line, 3);
    remove(path);
}
END_TEST

START_TEST(times_that_cannot_be_make_no_recording)
{
    static const double times[][2] = {{1e-3, 0}, {1e-3, -1}, {NAN, 1}, {INFINITY, 1}};
    const struct sp_timed_run run = {.from = "here", .origin = SP_STATED};
    struct sp_recording r;
    struct sp_error err;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        ck_assert_int_eq(sp_recording_of_times(times[i], 2, 2, &run, &r, &err), SP_USAGE);
    ck_assert_int_eq(sp_recording_of_times(times[0], 0, 2, &run, &r, &err), SP_USAGE);
    ck_assert_int_eq(sp_recording_of_times(times[0], 1, 0, &run, &r, &err), SP_USAGE);
    sp_recording_free(&r);
}
END_TEST

/* ---- an analysis of times alone, on a machine that is described and not here ---- */

static struct sp_topology topology;
static struct sp_machine machine;

static void open_all(void)
{
    ck_assert_int_eq(sp_topology_read(&topology, NULL), SP_OK);
    ck_assert_int_eq(
        sp_machine_file_read(SP_TEST_DATA "/../../machines/ivb-e5-2660v2.json", &machine, NULL, 0, NULL),
        SP_OK);
}

static void close_all(void)
{
    sp_machine_free(&machine);
    sp_topology_free(&topology);
}

enum { GRID = 1000, N_THREADS = 10 };

/* y = A x of the five-point stencil, or with `r` columns, after the times. */
static void explain(const double *time_s, int n, enum sp_origin origin, int r, struct sp_record *record)
{
    struct sp_recording recording;
    struct sp_byte_source source;
    struct sp_subject subject;
    struct sp_error err;
    const struct sp_load_options load = {.n_threads = 2};
    const struct sp_timed_run run = {.from = "a test", .kernel = "theirs", .origin = origin};
    ck_assert_int_eq(sp_recording_of_times(time_s, n, N_THREADS, &run, &recording, NULL), SP_OK);
    ck_assert_int_eq(sp_byte_source_of_recording(&recording, &source, NULL), SP_OK);
    ck_assert_int_eq(sp_subject_open("gen:laplace2d:1000", &load, NULL, NULL, &subject, NULL), SP_OK);
    const struct sp_analyze_options o = {.format = "crs",
                                         .schedule = "rows",
                                         .op = r > 1 ? SP_OP_SPMMV : SP_OP_SPMV,
                                         .r = r,
                                         .precision = -1,
                                         .n_threads = N_THREADS,
                                         .max_samples = 1,
                                         .no_hints = n == 1,
                                         .seed = 1,
                                         .machine = &machine,
                                         .topology = &topology,
                                         .bytes = &source};
    ck_assert_msg(sp_analyze(&subject, &o, NULL, record, &err) == SP_OK, "%s", err.what);
    sp_subject_free(&subject);
    sp_byte_source_close(&source);
}

static bool has_flag(const struct sp_record *r, const char *wanted)
{
    const json_t *flags = sp_record_node(r, SP_F_FLAGS), *flag;
    size_t i;
    json_array_foreach(flags, i, flag) if (strcmp(json_string_value(json_object_get(flag, "code")), wanted) ==
                                           0) return true;
    return false;
}

/* 12 n_nz + 4 (n_r + 1) + 8 n_r twice for y, and x once: 88 MB at 46.6 GB/s less what stores cost. */
START_TEST(a_time_alone_gives_bandwidth_balance_and_losses)
{
    static const double times[] = {4.1e-3, 4e-3, 3.9e-3};
    struct sp_record r;
    open_all();
    explain(times, 3, SP_STATED, 1, &r);
    const double n = (double)GRID * GRID, n_nz = 5 * n - 4.0 * GRID;
    const double least = 12 * n_nz + 4 * (n + 1) + 16 * n + 8 * n;
    const struct sp_value time = sp_record_value(&r, SP_F_METRICS_TIME),
                          V = sp_record_value(&r, SP_F_METRICS_BYTES),
                          share = sp_record_value(&r, SP_F_METRICS_BANDWIDTH_FRACTION);
    ck_assert(time.origin == SP_STATED && time.value == 4e-3 && time.lo <= 3.9e-3 + 1e-12 &&
              time.hi >= 4.1e-3 - 1e-12);
    ck_assert(V.origin == SP_SIMULATED);
    ck_assert_double_eq_tol(V.value, least, 0.01 * least);
    ck_assert(share.value > least / 4e-3 / 46.6e9 && share.value < 1.1 * least / 4e-3 / 46.6e9);
    double sum = 0, part;
    static const char *const parts[] = {"min_traffic", "padding", "extra_x", "imbalance", "rest"};
    for (int i = 0; i < 5; i++) {
        ck_assert(sp_record_number(&r, sp_field_in(SP_F_LOSSES, parts[i]), &part));
        sum += part;
    }
    ck_assert_double_eq_tol(sum, 4e-3, 1e-12);
    ck_assert(!sp_value_known(sp_record_value(&r, SP_F_METRICS_LAMBDA_T)));
    ck_assert(has_flag(&r, "Q30") && !has_flag(&r, "Q31") && !has_flag(&r, "Q22"));
    sp_record_free(&r);
    close_all();
}
END_TEST

/* The same simulation: the time is no part of it, nor is who took it. */
START_TEST(bytes_do_not_hang_on_the_time)
{
    static const double fast[] = {2.5e-3}, slow[] = {9e-3};
    struct sp_record a, b;
    open_all();
    for (int r = 1; r <= 4; r += 3) {
        explain(fast, 1, SP_STATED, r, &a);
        explain(slow, 1, SP_MEASURED, r, &b);
        ck_assert(sp_record_value(&a, SP_F_METRICS_ALPHA).value ==
                  sp_record_value(&b, SP_F_METRICS_ALPHA).value);
        ck_assert(sp_record_value(&a, SP_F_METRICS_BYTES).value ==
                  sp_record_value(&b, SP_F_METRICS_BYTES).value);
        ck_assert(!has_flag(&b, "Q30") && sp_record_value(&b, SP_F_METRICS_TIME).origin == SP_MEASURED);
        sp_record_free(&a);
        sp_record_free(&b);
    }
    close_all();
}
END_TEST

START_TEST(times_that_do_not_fit_are_named)
{
    static const double short_s[] = {0.5e-3}, long_s[] = {1};
    struct sp_record r;
    const char *text;
    open_all();
    explain(short_s, 1, SP_STATED, 1, &r);
    ck_assert(has_flag(&r, "Q31") && sp_record_text(&r, SP_F_CONDITIONS_DOUBT, &text));
    ck_assert(strstr(text, "of another matrix or machine") != NULL);
    ck_assert(!sp_value_known(sp_record_value(&r, SP_F_METRICS_BANDWIDTH_FRACTION)));
    sp_record_free(&r);
    explain(long_s, 1, SP_STATED, 1, &r);
    ck_assert(has_flag(&r, "Q31"));
    sp_record_free(&r);
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import");
    TCase *text = tcase_create("text"), *run = tcase_create("run");
    tcase_add_loop_test(text, times_are_read_with_their_units, 0, sizeof good / sizeof *good);
    tcase_add_loop_test(text, what_is_no_time_is_refused, 0, sizeof bad / sizeof *bad);
    tcase_add_test(text, a_file_of_times_has_comments_and_lines);
    tcase_add_test(text, times_that_cannot_be_make_no_recording);
    tcase_add_test(run, a_time_alone_gives_bandwidth_balance_and_losses);
    tcase_add_test(run, bytes_do_not_hang_on_the_time);
    tcase_add_test(run, times_that_do_not_fit_are_named);
    suite_add_tcase(suite, text);
    suite_add_tcase(suite, run);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
