/* Walks of page tables: what measurements say of TLBs, how many walks a matrix makes, and what they add to
 * gathers. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hand_layout.h"
#include "model/gather.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"

enum { PAGE = 4096 };

/* Half a MiB to 128 MiB. */
static void sizes(double *size)
{
    for (int i = 0; i < 9; i++)
        size[i] = ldexp(1 << 19, i);
}

/* Of a virtual machine with huge pages whose host has small ones; what lies between two sizes is not known
 * better. */
START_TEST(reach_and_walk_are_found)
{
    static const double seconds[] = {0.73e-9, 0.73e-9, 0.86e-9, 0.83e-9, 0.81e-9,
                                     2.52e-9, 3.57e-9, 4.65e-9, 4.65e-9};
    double size[9];
    struct sp_page_costs c = {.huge = true};
    sizes(size);
    ck_assert(sp_page_costs_of(9, size, seconds, &c));
    ck_assert_msg(c.reach_B > 8 << 20 && c.reach_B < 16 << 20, "a reach of %g B", c.reach_B);
    ck_assert_double_eq_tol(c.walk_s.value, (1.79 + 2.84 + 3.92 + 3.92) / 4 * 1e-9, 1e-12);
    ck_assert_double_eq_tol(c.walk_s.lo, 1.79e-9, 1e-12);
    ck_assert_double_eq_tol(c.walk_s.hi, 3.92e-9, 1e-12);
    ck_assert(!sp_page_costs_of(2, size, seconds, &c));
}
END_TEST

START_TEST(without_a_rise_nothing_walks)
{
    double size[9], seconds[9];
    struct sp_page_costs c = {.huge = true};
    struct sp_layout l = {.s_x = 8, .n_c = 1 << 30, .op = SP_OP_SPMV, .r = 1};
    const struct sp_sim_options o = sp_sim_default(NULL);
    double walks = 1;
    sizes(size);
    for (int i = 0; i < 9; i++)
        seconds[i] = (1 + 0.03 * (i % 3)) * 1e-9;
    ck_assert(sp_page_costs_of(9, size, seconds, &c));
    ck_assert_double_eq(c.reach_B, 128 << 20);
    ck_assert_double_eq(c.walk_s.value, 0);
    ck_assert_int_eq(sp_page_walks(&l, &c, &o, &walks, NULL), SP_OK);
    ck_assert_double_eq(walks, 0);
}
END_TEST

/* Random columns: a TLB of LRU that maps m of the p pages that x has misses 1 - m/p of the gathers; the
 * streams take a few of its places. A band of columns walks each page once or twice. */
START_TEST(walks_are_what_the_pages_say)
{
    static const int64_t pages[] = {100, 64, 16};
    const struct hand_shape shape = {4000, 64 * PAGE / 8, 8, 0, -1, _i ? 40 : 0, 9};
    struct sp_csr a;
    struct sp_layout l;
    hand_matrix(&shape, &a);
    hand_layout(&a, SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 2, &l);
    const double n = sp_layout_gather_bytes(&l) / 8;
    for (int i = 0; i < 3; i++) {
        const struct sp_page_costs c = {.reach_B = (double)pages[i] * PAGE,
                                        .walk_s = sp_value_of(1e-9, SP_MEASURED)};
        const struct sp_sim_options o = sp_sim_default(NULL);
        double walks;
        ck_assert_int_eq(sp_page_walks(&l, &c, &o, &walks, NULL), SP_OK);
        if (pages[i] >= 64)
            ck_assert_double_eq(walks, 0);
        else if (_i)
            ck_assert_msg(walks <= 4 * 64, "%g walks", walks);
        else
            ck_assert_msg(walks > 0.72 * n && walks < 0.86 * n, "%g of %g gathers walk", walks, n);
    }
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

static void add(struct sp_machine *m, const char *level, int n_threads, double rate, double set_B)
{
    struct sp_ceiling c = {.name = "gather",
                           .precision = "f64",
                           .n_threads = n_threads,
                           .set_B = set_B,
                           .value = sp_value_between(rate, 0.9 * rate, 1.1 * rate, SP_MEASURED)};
    snprintf(c.level, sizeof c.level, "%s", level);
    ck_assert_int_eq(sp_machine_add_ceiling(m, &c, NULL), SP_OK);
}

/* 1e6 gathers, half of them from L1 at 1/ns and half from memory at 1/(10 ns), which was measured on 80 MB of
 * which the TLBs map 16: 0.8 of its gathers walked for 2 ns each, so that memory takes 8.4 ns. With 250,000
 * walks: 5.2 ms. Two threads walk at the same time. */
START_TEST(walks_add_their_time)
{
    struct sp_machine m = {.n_caches = 1, .n_pages = 3};
    const struct sp_page_costs row = {.huge = true,
                                      .n_threads = 1,
                                      .reach_B = 16e6,
                                      .walk_s = sp_value_between(2e-9, 1e-9, 3e-9, SP_MEASURED)};
    m.page[0] = m.page[1] = m.page[2] = row;
    m.page[0].huge = false;
    m.page[2].n_threads = 4;
    ck_assert_ptr_eq(sp_page_costs_for(&m, true, 1), &m.page[1]);
    ck_assert_ptr_eq(sp_page_costs_for(&m, true, 8), &m.page[2]);
    ck_assert_ptr_eq(sp_page_costs_for(&m, false, 4), &m.page[0]);
    for (int n = 1; n <= 2; n++) {
        add(&m, "L1", n, n * 1e9, 32e3);
        add(&m, "MEM", n, n * 1e8, n * 80e6);
    }
    const struct sp_gather_hits h = {.n_levels = 2, .count = {5e5, 5e5}, .level = {"L1", "MEM"}};
    for (int n = 1; n <= 2; n++) {
        struct sp_gather_roof roof = sp_gather_roof_of(&m, &h, n);
        const struct sp_gather_roof before = roof;
        ck_assert_double_eq_tol(before.time_s.value, 5.5e-3 / n, 1e-9);
        ck_assert(!sp_value_known(before.walks_s));
        sp_page_walks_add(&m, &row, 250e3, n, &roof);
        ck_assert_double_eq_tol(roof.walks_s.value, 0.5e-3 / n, 1e-12);
        ck_assert_double_eq_tol(roof.time_s.value, (0.5e-3 + 4.2e-3 + 0.5e-3) / n, 1e-9);
        ck_assert_double_eq_tol(roof.roof_ps.value, 1e6 / roof.time_s.value, 1);
        ck_assert(roof.time_s.lo <= roof.time_s.value && roof.time_s.value <= roof.time_s.hi);
        ck_assert_double_eq_tol(sp_gather_beyond_first(&roof).value, roof.time_s.value - 1e-3 / n, 1e-9);
        sp_page_walks_add(&m, &(struct sp_page_costs){.walk_s = sp_value_of(0, SP_MEASURED)}, 250e3, n,
                          &roof);
        ck_assert_double_eq_tol(roof.time_s.value, 5.2e-3 / n, 1e-9);
    }
    sp_machine_free(&m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("page_walks");
    TCase *tc = tcase_create("page_walks");
    tcase_add_test(tc, reach_and_walk_are_found);
    tcase_add_test(tc, without_a_rise_nothing_walks);
    tcase_add_loop_test(tc, walks_are_what_the_pages_say, 0, 2);
    tcase_add_test(tc, walks_add_their_time);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
