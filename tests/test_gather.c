/* The roof of gathers: its formula, its reasons, and the levels of constructed matrices. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "hand_layout.h"
#include "model/gather.h"
#include "model/losses.h"
#include "model/volume/traffic.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"

static const char *const level_names[] = {"L1", "L2", "L3", "MEM"};
static const double rate_of_one[] = {2e9, 1e9, 4e8, 8e7}; /* [1/s] */

static void add(struct sp_machine *m, const char *name, const char *level, int n_threads, double rate)
{
    struct sp_ceiling c = {.n_threads = n_threads,
                           .value = sp_value_between(rate, 0.9 * rate, 1.2 * rate, SP_MEASURED)};
    snprintf(c.name, sizeof c.name, "%s", name);
    snprintf(c.level, sizeof c.level, "%s", level);
    snprintf(c.precision, sizeof c.precision, "f64");
    ck_assert_int_eq(sp_machine_add_ceiling(m, &c, NULL), SP_OK);
}

/* 32 KiB, 1 MiB, 8 MiB; gathers of 1 and 5 threads, the latter five times in L1 and L2, twice outside. */
static struct sp_machine machine_with_gathers(void)
{
    static const int64_t size[] = {32 << 10, 1 << 20, 8 << 20};
    struct sp_machine m = {.n_caches = 3, .n_cores = 5};
    for (int k = 0; k < 3; k++)
        m.cache[k] = (struct sp_cache){.level = k + 1,
                                       .size_B = size[k],
                                       .effective_B = sp_value_none("not measured"),
                                       .line_B = 64,
                                       .ways = 8 << (k == 2),
                                       .cores_sharing = k == 2 ? 5 : 1};
    for (int k = 0; k < 4; k++) {
        add(&m, "gather", level_names[k], 1, 0.8 * rate_of_one[k]);
        add(&m, "gather_ld", level_names[k], 1, rate_of_one[k]);
        add(&m, "gather_ld", level_names[k], 5, (k < 2 ? 5 : 2) * rate_of_one[k]);
    }
    return m;
}

static struct sp_gather_hits hits_of(double L1, double L2, double L3, double memory)
{
    struct sp_gather_hits h = {.n_levels = 4, .count = {L1, L2, L3, memory}};
    for (int k = 0; k < 4; k++)
        snprintf(h.level[k], sizeof h.level[k], "%s", level_names[k]);
    return h;
}

/* All gathers from one level give that level's rate, of the faster kind. */
START_TEST(one_level_gives_its_rate)
{
    struct sp_machine m = machine_with_gathers();
    double n[4] = {0};
    n[_i] = 1e6;
    const struct sp_gather_hits h = hits_of(n[0], n[1], n[2], n[3]);
    const struct sp_gather_roof r = sp_gather_roof_of(&m, &h, 1);
    ck_assert_double_eq_tol(r.roof_ps.value, rate_of_one[_i], 1);
    ck_assert_double_eq_tol(r.roof_ps.lo, 0.9 * rate_of_one[_i], 1);
    ck_assert_double_eq_tol(r.roof_ps.hi, 1.2 * rate_of_one[_i], 1);
    ck_assert_double_eq_tol(r.time_s.value, 1e6 / rate_of_one[_i], 1e-12);
    ck_assert_int_eq(r.time_s.origin, SP_MODELLED);
    sp_machine_free(&m);
}
END_TEST

/* The harmonic mean: between the slowest and the fastest level, and not faster than the slowest alone. */
START_TEST(a_mixture_is_between_its_levels)
{
    struct sp_machine m = machine_with_gathers();
    const struct sp_gather_hits h = hits_of(6e5, 2e5, 1e5, 1e5);
    const struct sp_gather_roof r = sp_gather_roof_of(&m, &h, 1);
    const double t = 6e5 / 2e9 + 2e5 / 1e9 + 1e5 / 4e8 + 1e5 / 8e7;
    ck_assert_double_eq_tol(r.time_s.value, t, 1e-12);
    ck_assert_double_eq_tol(r.time_s.lo, t / 1.2, 1e-12);
    ck_assert_double_eq_tol(r.time_s.hi, t / 0.9, 1e-12);
    ck_assert_double_eq_tol(r.roof_ps.value * t, 1e6, 1e-6);
    ck_assert(r.roof_ps.value > rate_of_one[3] && r.roof_ps.value < rate_of_one[0]);
    ck_assert(r.time_s.value >= 1e5 / 8e7);
    const struct sp_value beyond = sp_gather_beyond_first(&r);
    ck_assert_double_eq_tol(beyond.value, t - 1e6 / 2e9, 1e-12);
    ck_assert(beyond.lo <= beyond.value && beyond.value <= beyond.hi);
    const struct sp_gather_hits inner = hits_of(1e6, 0, 0, 0);
    const struct sp_gather_roof from_first = sp_gather_roof_of(&m, &inner, 1);
    ck_assert_double_eq_tol(sp_gather_beyond_first(&from_first).value, 0, 1e-12);
    const struct sp_gather_roof five = sp_gather_roof_of(&m, &h, 5);
    ck_assert(five.time_s.value < r.time_s.value && five.time_s.value > r.time_s.value / 5);
    sp_machine_free(&m);
}
END_TEST

/* Between the measured thread counts; never more than as many times one thread. */
START_TEST(other_thread_counts_lie_between)
{
    struct sp_machine m = machine_with_gathers();
    const struct sp_value inner = sp_gather_rate(&m, "L2", 3), outer = sp_gather_rate(&m, "MEM", 3);
    ck_assert_double_eq_tol(inner.value, 3e9, 1);
    ck_assert_double_eq_tol(outer.value, 1.5 * 8e7, 1);
    ck_assert(outer.lo <= outer.value && outer.hi <= 3 * 1.2 * 8e7 + 1 && outer.hi >= outer.value);
    ck_assert_int_eq(outer.origin, SP_MODELLED);
    ck_assert_int_eq(sp_gather_rate(&m, "MEM", 1).origin, SP_MEASURED);
    ck_assert(!sp_value_known(sp_gather_rate(&m, "MEM", 6)));
    sp_machine_free(&m);
}
END_TEST

/* 8 bytes of x in SpMV are what the ceilings are of: other layouts have a reason instead. */
START_TEST(layouts_that_the_ceilings_are_of)
{
    struct sp_machine m = machine_with_gathers();
    struct sp_traffic traffic[3];
    memset(traffic, 0, sizeof traffic);
    for (int k = 0; k < 3; k++) {
        traffic[k].by_array = true;
        traffic[k].array_read_B[SP_ARRAY_X] = 64 * (k == 0 ? 40 : 10);
    }
    struct sp_layout l = {
        .format = SP_FORMAT_CRS, .op = SP_OP_SPMV, .r = 1, .n_r = 100, .n_nz = 100, .s_x = 8};
    struct sp_gather_roof r = sp_gather_roof_of_layout(&m, &l, traffic, 3, 0, 1);
    ck_assert_double_eq(r.hits.count[0], 60);
    ck_assert_double_eq(r.hits.count[1], 30);
    ck_assert_double_eq(r.hits.count[2], 0);
    ck_assert_double_eq(r.hits.count[3], 10);
    ck_assert_double_eq_tol(r.time_s.value, 60 / 2e9 + 30 / 1e9 + 10 / 8e7, 1e-15);
    l.s_x = 4;
    r = sp_gather_roof_of_layout(&m, &l, traffic, 3, 0, 1);
    ck_assert(!sp_value_known(r.time_s) && strstr(r.time_s.why, "8 bytes"));
    ck_assert(!sp_value_known(sp_gather_beyond_first(&r)));
    l.op = SP_OP_SPMMV;
    r = sp_gather_roof_of_layout(&m, &l, traffic, 3, 0, 1);
    ck_assert(!sp_value_known(r.time_s) && strstr(r.time_s.why, "rows") && r.hits.n_levels == 0);
    sp_machine_free(&m);
}
END_TEST

START_TEST(what_is_not_known_has_a_reason)
{
    struct sp_machine m = machine_with_gathers(), none = m;
    none.n_ceilings = 0;
    struct sp_gather_hits h = hits_of(1e6, 0, 0, 10);
    struct sp_gather_roof r = sp_gather_roof_of(&none, &h, 1);
    ck_assert(!sp_value_known(r.time_s) && !sp_value_known(r.roof_ps) && *r.time_s.why);
    ck_assert(!sp_value_known(sp_gather_wait(&r, sp_value_of(1, SP_MODELLED))));
    m.n_ceilings -= 3; /* without memory's */
    r = sp_gather_roof_of(&m, &h, 1);
    ck_assert(!sp_value_known(r.time_s));
    h.count[3] = 0; /* which then is not needed */
    r = sp_gather_roof_of(&m, &h, 1);
    ck_assert(sp_value_known(r.time_s));
    h = (struct sp_gather_hits){0};
    ck_assert(!sp_value_known(sp_gather_roof_of(&m, &h, 1).time_s));
    h = hits_of(0, 0, 0, 0);
    ck_assert(!sp_value_known(sp_gather_roof_of(&m, &h, 1).time_s));
    m.n_ceilings += 3;
    struct sp_traffic traffic[SP_MAX_LEVELS] = {{.by_array = false}};
    ck_assert_int_eq(sp_gather_hits_of(&m, 100, traffic, 3).n_levels, 0);
    ck_assert_int_eq(sp_gather_hits_of(&m, 100, traffic, 1).n_levels, 0);
    sp_machine_free(&m);
}
END_TEST

START_TEST(streams_hide_gathers)
{
    struct sp_machine m = machine_with_gathers();
    const struct sp_gather_hits h = hits_of(2e6, 0, 0, 0);
    const struct sp_gather_roof r = sp_gather_roof_of(&m, &h, 1); /* 1 ms, 0.83 ... 1.11 */
    struct sp_value w = sp_gather_wait(&r, sp_value_of(4e-4, SP_MODELLED));
    ck_assert_double_eq_tol(w.value, 6e-4, 1e-9);
    ck_assert(w.lo < w.value && w.hi > w.value);
    w = sp_gather_wait(&r, sp_value_of(2e-3, SP_MODELLED));
    ck_assert(sp_value_known(w) && w.value == 0 && w.hi == 0);
    ck_assert(!sp_value_known(sp_gather_wait(&r, sp_value_none("no roof"))));
    sp_machine_free(&m);
}
END_TEST

/* Random columns in a window of x: 8 KiB, 512 KiB, 4 MiB. The simulation finds them in L1, L2, L3, and the
 * roof is near that level's. */
START_TEST(a_window_is_gathered_from_its_level)
{
    static const int32_t window[] = {1 << 10, 1 << 16, 1 << 19};
    struct sp_machine m = machine_with_gathers();
    enum { ROWS = 100000, IN_ROW = 8 };
    struct sp_csr a = {.n_r = ROWS, .n_c = window[_i], .n_nz = (int64_t)ROWS * IN_ROW};
    struct sp_random random = {7};
    a.row_ptr = malloc((ROWS + 1) * sizeof *a.row_ptr);
    a.col = malloc((size_t)a.n_nz * sizeof *a.col);
    for (int64_t i = 0; i <= ROWS; i++)
        a.row_ptr[i] = i * IN_ROW;
    for (int64_t k = 0; k < a.n_nz; k++)
        a.col[k] = (int32_t)sp_random_below(&random, window[_i]);
    struct sp_layout l;
    hand_layout(&a, SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32, SP_SCHEDULE_ROWS, 1, &l);
    const struct sp_sim_options o = sp_sim_default(&m);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    ck_assert_int_eq(sp_sim_traffic(&l, &o, traffic, &n_levels, NULL, NULL), SP_OK);
    const struct sp_gather_hits h = sp_gather_hits_of(&m, (double)a.n_nz, traffic, n_levels);
    ck_assert_int_eq(h.n_levels, 4);
    ck_assert_double_eq_tol(h.count[0] + h.count[1] + h.count[2] + h.count[3], (double)a.n_nz, 1e-6);
    for (int k = 0; k < 4; k++)
        ck_assert(k == _i ? h.count[k] > 0.6 * (double)a.n_nz : h.count[k] < 0.4 * (double)a.n_nz);
    const struct sp_gather_roof r = sp_gather_roof_of(&m, &h, 1);
    ck_assert(sp_value_known(r.roof_ps) && fabs(r.roof_ps.value / rate_of_one[_i] - 1) < 0.6);
    hand_free(&l);
    free(a.row_ptr);
    free(a.col);
    sp_machine_free(&m);
}
END_TEST

/* Columns of row i of a stencil of three dimensions, n points in each, without its borders' entries. */
static int stencil_row(int64_t n, int64_t i, int32_t *col)
{
    const int64_t reach[] = {-n * n, -n, -1, 0, 1, n, n * n};
    int k = 0;
    for (int p = 0; p < 7; p++)
        if (i + reach[p] >= 0 && i + reach[p] < n * n * n)
            col[k++] = (int32_t)(i + reach[p]);
    return k;
}

/* What SpMV gathers of a stencil whose x is beyond the caches: every line follows the one before it. Random
 * columns have no such order. */
START_TEST(lines_that_follow_each_other_are_fetched_ahead)
{
    const bool is_stencil = _i % 2 == 0;
    enum { N = 64 };
    const int64_t n = (int64_t)N * N * N;
    struct sp_machine m = machine_with_gathers();
    m.cache[1].size_B = 128 << 10;
    m.cache[2].size_B = 1 << 20;
    struct sp_csr a = {.n_r = n, .n_c = n};
    struct sp_random random = {11};
    int32_t row[7];
    a.row_ptr = malloc(((size_t)n + 1) * sizeof *a.row_ptr);
    a.col = malloc(7 * (size_t)n * sizeof *a.col);
    a.row_ptr[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        const int k = stencil_row(N, i, row);
        for (int j = 0; j < k; j++)
            a.col[a.n_nz++] = is_stencil ? row[j] : (int32_t)sp_random_below(&random, (uint64_t)n);
        a.row_ptr[i + 1] = a.n_nz;
    }
    struct sp_layout l;
    hand_layout(&a, _i < 2 ? SP_FORMAT_CRS : SP_FORMAT_SELL, _i < 2 ? 1 : 8, 1, SP_F64, SP_I32,
                _i < 2 ? SP_SCHEDULE_NNZ : SP_SCHEDULE_ROWS, 1 + _i % 2, &l);
    const struct sp_sim_options o = sp_sim_default(&m);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    double ahead;
    ck_assert_int_eq(sp_sim_traffic(&l, &o, traffic, &n_levels, NULL, NULL), SP_OK);
    ck_assert_int_eq(sp_gather_ahead(&l, &o, &ahead, NULL), SP_OK);
    ck_assert(is_stencil ? ahead > 0.85 && ahead <= 1 : ahead < 0.02);
    const struct sp_gather_roof all = sp_gather_roof_of_layout(&m, &l, traffic, n_levels, 0, 1),
                                waits = sp_gather_roof_of_layout(&m, &l, traffic, n_levels, ahead, 1);
    const double of_all = sp_gather_beyond_first(&all).value, left = sp_gather_beyond_first(&waits).value;
    ck_assert_double_eq_tol(left, (1 - ahead) * of_all, 1e-9 * of_all);
    ck_assert_double_eq_tol(waits.hits.ahead,
                            ahead * (all.hits.count[1] + all.hits.count[2] + all.hits.count[3]),
                            1e-6 * (double)a.n_nz);
    /* Memory at its roof for the time of the run, and execution that nearly fills it. */
    const double V_B = traffic[2].read_B.value + traffic[2].write_B.value, t = V_B / 10e9;
    const struct sp_loss_inputs in = {.time_s = sp_value_between(1.05 * t, t, 1.1 * t, SP_MEASURED),
                                      .roof_Bps = sp_value_of(10e9, SP_MEASURED),
                                      .min_B = V_B,
                                      .x_B = sp_value_of(0, SP_SIMULATED),
                                      .imbalance_s = sp_value_of(0, SP_MODELLED),
                                      .core_s = sp_value_of(0.9 * t, SP_MEASURED),
                                      .gathers_s = sp_gather_beyond_first(&waits),
                                      .team_s = sp_value_none("long"),
                                      .linear_s = sp_value_none("a large copy"),
                                      .sorted_s = sp_value_none("not run"),
                                      .level = "MEM"};
    const struct sp_losses losses = sp_losses_of(&in);
    if (is_stencil)
        ck_assert(fabs(losses.rest_fraction) < 0.1);
    hand_free(&l);
    free(a.row_ptr);
    free(a.col);
    sp_machine_free(&m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("gather");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, one_level_gives_its_rate, 0, 4);
    tcase_add_test(tc, a_mixture_is_between_its_levels);
    tcase_add_test(tc, other_thread_counts_lie_between);
    tcase_add_test(tc, layouts_that_the_ceilings_are_of);
    tcase_add_test(tc, what_is_not_known_has_a_reason);
    tcase_add_test(tc, streams_hide_gathers);
    tcase_add_loop_test(tc, a_window_is_gathered_from_its_level, 0, 3);
    tcase_add_loop_test(tc, lines_that_follow_each_other_are_fetched_ahead, 0, 4);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
