/* Latency, rendezvous and bandwidth found again in times that they were made of. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "run_suite.h"
#include "session/mpi/mpi_run.h"

static struct sp_network_points points_of(double latency_s, double from_B, double rendezvous_s, double Bps,
                                          double error)
{
    struct sp_network_points p = {.n = SP_NETWORK_SIZES};
    for (int i = 0; i < p.n; i++) {
        p.size_B[i] = 8 << i;
        p.time_s[i] = latency_s + (p.size_B[i] >= from_B ? rendezvous_s : 0) + p.size_B[i] / Bps;
        p.time_s[i] *= i % 2 ? 1 + error : 1 - error;
    }
    return p;
}

static void is_near(double value, double expected, double share)
{
    ck_assert_msg(fabs(value - expected) <= share * expected, "%g is not %g", value, expected);
}

START_TEST(exact_times_give_the_numbers_back)
{
    struct sp_network_path path;
    const struct sp_network_points p = points_of(0.4e-6, 4096, 2.5e-6, 17e9, 0);
    sp_network_fit(&p, &path);
    is_near(path.latency_s.value, 0.4e-6, 0.01);
    is_near(path.rank_Bps.value, 17e9, 0.01);
    ck_assert(path.rendezvous_B == 4096);
    is_near(path.rendezvous_s.value, 2.5e-6, 0.01);
    ck_assert(path.latency_s.origin == SP_MEASURED && path.node_Bps.origin == SP_NONE);
}
END_TEST

START_TEST(without_a_rendezvous_none_is_found)
{
    struct sp_network_path path;
    const struct sp_network_points p = points_of(1.5e-6, INFINITY, 0, 12e9, 0);
    sp_network_fit(&p, &path);
    ck_assert(path.rendezvous_B == 0 && path.rendezvous_s.origin == SP_NONE);
    is_near(path.rank_Bps.value, 12e9, 0.01);
}
END_TEST

START_TEST(a_disturbed_small_message_is_no_latency)
{
    struct sp_network_path path;
    struct sp_network_points p = points_of(0.4e-6, INFINITY, 0, 10e9, 0);
    p.time_s[0] = 16e-6;
    sp_network_fit(&p, &path);
    is_near(path.latency_s.value, 0.4e-6, 0.01);
}
END_TEST

START_TEST(times_that_do_not_grow_have_no_bandwidth)
{
    struct sp_network_path path;
    struct sp_network_points p = {.n = SP_NETWORK_SIZES};
    for (int i = 0; i < p.n; i++) {
        p.size_B[i] = 8 << i;
        p.time_s[i] = i < 4 ? 16e-6 : 2e-6;
    }
    sp_network_fit(&p, &path);
    ck_assert(path.rank_Bps.origin == SP_NONE);
}
END_TEST

START_TEST(uneven_times_give_nearly_the_numbers)
{
    struct sp_network_path path;
    const struct sp_network_points p = points_of(0.4e-6, 65536, 5e-6, 10e9, 0.05);
    sp_network_fit(&p, &path);
    ck_assert(path.rendezvous_B == 65536);
    is_near(path.rank_Bps.value, 10e9, 0.1);
    is_near(path.rendezvous_s.value, 5e-6, 0.2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("network_fit");
    TCase *c = tcase_create("fit");
    tcase_add_test(c, exact_times_give_the_numbers_back);
    tcase_add_test(c, without_a_rendezvous_none_is_found);
    tcase_add_test(c, a_disturbed_small_message_is_no_latency);
    tcase_add_test(c, times_that_do_not_grow_have_no_bandwidth);
    tcase_add_test(c, uneven_times_give_nearly_the_numbers);
    suite_add_tcase(s, c);
    return run_suite(s);
}
