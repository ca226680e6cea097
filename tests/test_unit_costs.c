/* Times of the core by the lengths of rows and chunks: the formula, what is foretold, machine files. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "io/machine/machine_file.h"
#include "model/gather.h"
#include "model/unit_costs.h"
#include "run_suite.h"
#include "sparse/formats/layout.h"

/* c = 1 ns + 0.5 ns length up to 16, then 1 ns an entry; ends that are not foretold 10 ns from 100 units on.
 */
static struct sp_unit_costs costs(const char *kernel, int C, int n_threads, double times)
{
    struct sp_unit_costs c = {.C = C,
                              .n_threads = n_threads,
                              .start_s = 1e-6,
                              .n_lengths = 3,
                              .length = {2, 16, 32},
                              .seconds = {times * 2e-9, times * 9e-9, times * 25e-9},
                              .n_sequences = 2,
                              .sequence = {10, 100},
                              .surprise_s = {0, 10e-9}};
    snprintf(c.kernel, sizeof c.kernel, "%s", kernel);
    snprintf(c.precision, sizeof c.precision, "f64");
    return c;
}

static void near(double a, double b)
{
    ck_assert_msg(fabs(a - b) <= 1e-12 * fabs(b), "%g is not %g", a, b);
}

START_TEST(costs_lie_straight_between_lengths)
{
    const struct sp_unit_costs c = costs("spmv/crs/any", 0, 1, 1);
    near(sp_unit_cost(&c, 2), 2e-9);
    near(sp_unit_cost(&c, 9), 5.5e-9);
    near(sp_unit_cost(&c, 64), 57e-9); /* on with the last slope */
    near(sp_unit_cost(&c, 0), 2e-9);   /* no less than the shortest */
    near(sp_unit_surprise_cost(&c, 1000), 10e-9);
    near(sp_unit_surprise_cost(&c, sqrt(1000)), 5e-9); /* half way in log n */
    ck_assert(sp_unit_surprise_cost(&c, 5) == 0);
}
END_TEST

/* Times as one measurement beside other work had them. */
START_TEST(what_contradicts_the_others_is_left_out)
{
    struct sp_unit_costs c = {.n_lengths = 8,
                              .length = {1, 2, 3, 4, 8, 9, 128, 256},
                              .seconds = {5e-9, 2.3e-7, 8e-9, 20e-9, 2.4e-5, 9e-9, 1.6e-7, 1.2e-4}};
    ck_assert_int_eq(sp_unit_costs_settle(&c), 3);
    ck_assert_int_eq(c.n_lengths, 5);
    static const double left[] = {1, 3, 4, 9, 128};
    for (int i = 0; i < 5; i++)
        near(c.length[i], left[i]);
    near(sp_unit_cost(&c, 8), 11.2e-9); /* between 4 and 9 */
    ck_assert_int_eq(sp_unit_costs_settle(&c), 0);
    c = (struct sp_unit_costs){.n_lengths = 2, .length = {1, 2}, .seconds = {1, 1e-9}};
    ck_assert_int_eq(sp_unit_costs_settle(&c), 0); /* two stay */
}
END_TEST

static double share_of(int32_t *length, int64_t n)
{
    int64_t surprises;
    ck_assert_int_eq(sp_unit_surprises(length, n, &surprises, NULL), SP_OK);
    return (double)surprises / (double)n;
}

START_TEST(what_repeats_is_foretold)
{
    enum { N = 40000 };
    static int32_t length[N];
    struct sp_random random = {3};
    for (int i = 0; i < N; i++)
        length[i] = 7;
    ck_assert(share_of(length, N) < 0.001);
    for (int i = 0; i < N; i++)
        length[i] = 1 + i % 5;
    ck_assert(share_of(length, N) < 0.001);
    for (int i = 0; i < N; i++)
        length[i] = 1 + (int)sp_random_below(&random, 8);
    ck_assert_double_eq_tol(share_of(length, N), 7.0 / 8, 0.02);
    for (int i = 0; i < N; i++) /* the most frequent of three, 0.6 */
        length[i] = sp_random_unit(&random) < 0.6 ? 3 : 1 + (int)sp_random_below(&random, 2);
    ck_assert_double_eq_tol(share_of(length, N), 0.4, 0.06);
    int64_t none;
    ck_assert(sp_unit_surprises(length, 0, &none, NULL) == SP_OK && none == 0);
}
END_TEST

/* Rows of lengths that cycle through `period` ones. */
static struct sp_csr rows_of(int64_t n_r, const int *lengths, int period)
{
    struct sp_csr a;
    int64_t n_nz = 0;
    for (int64_t i = 0; i < n_r; i++)
        n_nz += lengths[i % period];
    ck_assert_int_eq(sp_csr_alloc(n_r, 64, n_nz, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    for (int64_t i = 0; i < n_r; i++) {
        const int n = lengths[i % period];
        for (int k = 0; k < n; k++)
            a.col[a.row_ptr[i] + k] = k;
        a.row_ptr[i + 1] = a.row_ptr[i] + n;
    }
    return a;
}

static struct sp_layout layout_of(const struct sp_csr *a, const char *format, int n_threads,
                                  enum sp_schedule schedule)
{
    struct sp_workload w = {.op = SP_OP_SPMV,
                            .precision = SP_F64,
                            .index = SP_I32,
                            .schedule = schedule,
                            .n_threads = n_threads,
                            .r = 1,
                            .matrix = a};
    struct sp_layout l;
    ck_assert_int_eq(sp_workload_set_format(&w, format, NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
    return l;
}

START_TEST(the_slowest_thread_decides)
{
    static const int lengths[] = {2, 16};
    struct sp_csr a = rows_of(400, lengths, 2);
    struct sp_machine m = {.n_units = 3,
                           .unit = {costs("spmv/crs/slow", 0, 2, 2), costs("spmv/crs/fast", 0, 2, 1),
                                    costs("spmv/crs/fast", 0, 1, 1)}};
    struct sp_layout l = layout_of(&a, "crs", 2, SP_SCHEDULE_ROWS);
    struct sp_unit_time t;
    int64_t surprises;
    int32_t share[200];
    for (int i = 0; i < 200; i++)
        share[i] = lengths[i % 2];
    ck_assert_int_eq(sp_unit_surprises(share, 200, &surprises, NULL), SP_OK);
    ck_assert_int_eq(sp_unit_time_of(&m, &l, &t, NULL), SP_OK);
    ck_assert_str_eq(t.by->kernel, "spmv/crs/fast");
    ck_assert_int_eq(t.by->n_threads, 2);
    const double foretold_s = 100 * 2e-9 + 100 * 9e-9;
    near(t.team_s.value, 1e-6);
    near(t.surprise_s.value, (double)surprises * 10e-9);
    near(t.time_s.value, 1e-6 + foretold_s + (double)surprises * 10e-9);
    near(t.time_s.lo, 1e-6 + foretold_s);
    near(t.time_s.hi, 1e-6 + foretold_s + 200 * 10e-9);
    near(t.sum_s, 2 * (foretold_s + (double)surprises * 10e-9)); /* all work by one thread, nobody starts */
    sp_layout_free(&l);
    /* three threads were not measured: as one of them alone, at most as hindered as two are */
    l = layout_of(&a, "crs", 3, SP_SCHEDULE_ROWS);
    ck_assert_int_eq(sp_unit_time_of(&m, &l, &t, NULL), SP_OK);
    ck_assert_int_eq(t.by->n_threads, 1);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

START_TEST(chunks_count_their_slots)
{
    static const int lengths[] = {2, 2, 16, 2};
    struct sp_csr a = rows_of(64, lengths, 4);
    struct sp_machine m = {.n_units = 2,
                           .unit = {costs("spmv/sell/any", 4, 1, 1), costs("spmv/sellu/any", 4, 1, 3)}};
    struct sp_layout l = layout_of(&a, "sell:4,1", 1, SP_SCHEDULE_NNZ);
    struct sp_unit_time t;
    ck_assert_int_eq(sp_unit_time_of(&m, &l, &t, NULL), SP_OK);
    near(t.time_s.lo, 1e-6 + 16 * 9e-9); /* 16 chunks as long as their longest row */
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* SELLU: between the costs of both kinds of slots by their share. */
START_TEST(unit_stride_slots_cost_their_own)
{
    static const int lengths[] = {4};
    struct sp_csr a = rows_of(64, lengths, 1);
    struct sp_machine m = {.n_units = 2,
                           .unit = {costs("spmv/sellu/any", 8, 1, 3), costs("spmv/sellu/any", 8, 1, 1)}};
    m.unit[1].unit_stride = true;
    for (int64_t j = 0; j < a.n_nz;
         j++) /* row i: i mod 8, and 8, 16, 24 columns on; the last one is random */
        a.col[j] = (int32_t)((j / 4 % 8) + 8 * (j % 4));
    struct sp_layout l = layout_of(&a, "sellu:8,1", 1, SP_SCHEDULE_NNZ);
    struct sp_unit_time t;
    ck_assert_int_eq(sp_unit_time_of(&m, &l, &t, NULL), SP_OK);
    ck_assert_int_eq(l.n_unit_slots, l.n_slots);
    near(t.time_s.lo, 1e-6 + 8 * sp_unit_cost(&m.unit[1], 4));
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

START_TEST(what_was_not_measured_is_not_known)
{
    static const int lengths[] = {3};
    static const struct {
        const char *format;
        enum sp_schedule schedule;
    } cases[] = {{"sell:8,1", SP_SCHEDULE_NNZ}, {"bcsr:2x2", SP_SCHEDULE_NNZ}, {"crs", SP_SCHEDULE_MERGE}};
    struct sp_csr a = rows_of(64, lengths, 1);
    struct sp_machine m = {.n_units = 1, .unit = {costs("spmv/crs/any", 0, 1, 1)}};
    struct sp_layout l = layout_of(&a, cases[_i].format, 2, cases[_i].schedule);
    struct sp_unit_time t;
    ck_assert_int_eq(sp_unit_time_of(&m, &l, &t, NULL), SP_OK);
    ck_assert(!t.by && !sp_value_known(t.time_s) && t.time_s.why);
    const struct sp_value one = sp_value_of(1, SP_MODELLED);
    ck_assert(!sp_value_known(sp_expected_time(&t, one, one, NULL)));
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* 16 rows of n entries; by 1: columns move on from row to row, by 0: they are the same in groups of
 * `group`, others far away. */
static struct sp_csr rows_in_step(int n, int by, int group)
{
    enum { N = 16 };
    struct sp_csr a;
    ck_assert_int_eq(sp_csr_alloc(N, 1000, (int64_t)N * n, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    for (int64_t i = 0; i < N; i++) {
        for (int k = 0; k < n; k++)
            a.col[i * n + k] = (int32_t)(by * i + (by == 0 ? i / group * (40 + i / group) : 0) + 2 * k);
        a.row_ptr[i + 1] = (i + 1) * n;
    }
    return a;
}

static double core_s(const struct sp_machine *m, struct sp_csr a, double *lo_s, double *hi_s)
{
    struct sp_layout l = layout_of(&a, "crs", 1, SP_SCHEDULE_ROWS);
    struct sp_unit_time t;
    ck_assert_int_eq(sp_unit_time_of(m, &l, &t, NULL), SP_OK);
    *lo_s = t.time_s.lo - t.team_s.value;
    *hi_s = t.time_s.hi - t.team_s.value;
    sp_layout_free(&l);
    sp_csr_free(&a);
    return t.time_s.value - t.team_s.value;
}

/* Of rows that a kernel takes together the time lies between that of rows one by one and an eighth
 * of a chunk of SELLU whose slots are all unit-stride, at their geometric mean. */
START_TEST(rows_in_step_take_less)
{
    struct sp_machine m = {.n_units = 2,
                           .unit = {costs("spmv/crs/avx2", 0, 1, 1), costs("spmv/sellu/avx2", 8, 1, 2)}};
    m.unit[1].unit_stride = true;
    m.unit[0].n_sequences = m.unit[1].n_sequences = 0;
    const double row = 5e-9, chunk = 10e-9; /* of 8 */
    double lo, hi;
    near(core_s(&m, rows_in_step(8, 1, 1), &lo, &hi), 16 * sqrt(row * chunk / 8));
    near(lo, 16 * chunk / 8);
    near(hi, 16 * row);
    near(core_s(&m, rows_in_step(8, 0, 4), &lo, &hi), 16 * (row / 4 + 0.75 * sqrt(row * chunk / 8)));
    near(core_s(&m, rows_in_step(8, 0, 1), &lo, &hi), 16 * row);              /* nothing in common */
    near(core_s(&m, rows_in_step(8, 3, 1), &lo, &hi), 16 * row);              /* by three */
    near(core_s(&m, rows_in_step(2, 1, 1), &lo, &hi), 16 * 2e-9);             /* too short */
    snprintf(m.unit[0].kernel, sizeof m.unit[0].kernel, "spmv/crs/portable"); /* which knows no such rows */
    near(core_s(&m, rows_in_step(8, 1, 1), &lo, &hi), 16 * row);
    snprintf(m.unit[0].kernel, sizeof m.unit[0].kernel, "spmv/crs/avx2");
    m.unit[m.n_units++] = costs("spmv/crs/avx2", 0, 1, 0.5); /* timed on such rows */
    m.unit[2].unit_stride = true;
    near(core_s(&m, rows_in_step(8, 1, 1), &lo, &hi), 16 * 0.5 * row);
    near(lo, hi);
    near(core_s(&m, rows_in_step(8, 0, 4), &lo, &hi), 16 * row * (0.25 + 0.75 * sqrt(0.5)));
    near(lo, 16 * row * (0.25 + 0.75 * 0.5)); /* rows with the same columns were not timed */
    near(hi, 16 * row);
}
END_TEST

static double expected(double core, double ends, double transfers, double gathers)
{
    const struct sp_unit_time t = {.time_s = sp_value_between(core, core - ends, core, SP_MODELLED),
                                   .surprise_s = sp_value_between(ends, 0, ends, SP_MODELLED)};
    const struct sp_value v =
        sp_expected_time(&t, sp_value_of(transfers, SP_MODELLED), sp_value_of(gathers, SP_MODELLED), NULL);
    ck_assert(v.lo <= v.value && v.value <= v.hi && v.origin == SP_MODELLED);
    return v.value;
}

static double with_own(double core, double transfers, double own, double memory, double f)
{
    const struct sp_unit_time t = {.time_s = sp_value_of(core, SP_MODELLED),
                                   .surprise_s = sp_value_of(0, SP_MODELLED)};
    const struct sp_own_transfers o = {sp_value_of(own, SP_MODELLED), sp_value_of(memory, SP_MODELLED),
                                       sp_value_between(f, 0, 1, SP_MODELLED)};
    const struct sp_value v =
        sp_expected_time(&t, sp_value_of(transfers, SP_MODELLED), sp_value_of(0, SP_MODELLED), &o);
    near(v.lo, fmax(transfers, core));
    near(v.hi, fmax(fmax(transfers, core), fmax(own, core) + fmin(core, memory)));
    return v.value;
}

/* Of a thread by itself a share 1 - f of the shorter part shows, as far as it comes from memory;
 * together threads take at least what all bytes take. */
START_TEST(memory_hides_in_part)
{
    near(with_own(4, 3, 3, 3, 1), 4);
    near(with_own(4, 3, 3, 3, 0.5), 5.5);
    near(with_own(4, 6, 6, 6, 0.5), 8);
    near(with_own(4, 6, 6, 6, 0), 10);    /* nothing hides */
    near(with_own(4, 3, 3, 1, 0.5), 4.5); /* most of it from a cache */
    near(with_own(4, 9, 3, 3, 0.5), 9);   /* other threads take the rest of the bandwidth */
}
END_TEST

START_TEST(parts_hide_behind_each_other)
{
    near(expected(5, 2, 3, 0), 5); /* transfers behind the core */
    near(expected(5, 2, 9, 0), 9); /* and the reverse */
    near(expected(5, 2, 3, 1), 5); /* gathers behind ends */
    near(expected(5, 2, 3, 4), 7); /* and the reverse */
    near(expected(5, 0, 3, 4), 9);
}
END_TEST

/* Written and read again, all is the same; what cannot be is refused. */
START_TEST(machine_files_keep_them)
{
    struct sp_machine m = {.kind = SP_CPU, .n_cores = 2, .n_units = 2}, again;
    snprintf(m.name, sizeof m.name, "m");
    snprintf(m.cpu, sizeof m.cpu, "c");
    snprintf(m.source, sizeof m.source, "s");
    m.unit[0] = costs("spmv/crs/any", 0, 2, 1);
    m.unit[1] = costs("spmv/sellu/any", 8, 1, 1);
    m.unit[1].unit_stride = true;
    char path[] = "/tmp/spmodel-test-units-XXXXXX", *text, remarks[512];
    const int fd = mkstemp(path);
    struct sp_error err;
    ck_assert(fd >= 0);
    ck_assert_int_eq(sp_machine_to_json(&m, &text, &err), SP_OK);
    FILE *f = fdopen(fd, "w");
    fputs(text, f);
    fclose(f);
    ck_assert_msg(sp_machine_file_read(path, &again, remarks, sizeof remarks, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(again.n_units, 2);
    ck_assert(memcmp(&again.unit[0], &m.unit[0], sizeof m.unit[0]) == 0);
    ck_assert(memcmp(&again.unit[1], &m.unit[1], sizeof m.unit[1]) == 0);
    sp_machine_free(&again);
    static const char *const faults[][2] = {{"\"seconds\":", "\"seconds\": [1], \"was\":"},
                                            {"\"length\":", "\"length\": [3, 2, 1], \"was\":"},
                                            {"\"surprise_s\":", "\"surprise_s\": [-1, 0], \"was\":"},
                                            {"\"seconds\":", "\"seconds\": [0, 0, 0], \"was\":"},
                                            {"\"surprise_s\":", "\"surprise_s\": [], \"was\":"},
                                            {"\"sequence\":", "\"sequence\": 7, \"was\":"},
                                            {"\"units\":", "\"units\": 7, \"was\":"}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const char *at = strstr(text, faults[i][0]);
        ck_assert_msg(at != NULL, "%s", faults[i][0]);
        f = fopen(path, "w");
        fprintf(f, "%.*s%s%s", (int)(at - text), text, faults[i][1], at + strlen(faults[i][0]));
        fclose(f);
        ck_assert_msg(sp_machine_file_read(path, &again, remarks, sizeof remarks, &err) == SP_INPUT,
                      "%s is taken", faults[i][1]);
        ck_assert(strstr(err.what, "units") != NULL);
    }
    remove(path);
    free(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("unit_costs");
    TCase *tc = tcase_create("unit_costs");
    tcase_add_test(tc, costs_lie_straight_between_lengths);
    tcase_add_test(tc, what_contradicts_the_others_is_left_out);
    tcase_add_test(tc, what_repeats_is_foretold);
    tcase_add_test(tc, the_slowest_thread_decides);
    tcase_add_test(tc, chunks_count_their_slots);
    tcase_add_test(tc, unit_stride_slots_cost_their_own);
    tcase_add_loop_test(tc, what_was_not_measured_is_not_known, 0, 3);
    tcase_add_test(tc, rows_in_step_take_less);
    tcase_add_test(tc, memory_hides_in_part);
    tcase_add_test(tc, parts_hide_behind_each_other);
    tcase_add_test(tc, machine_files_keep_them);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
