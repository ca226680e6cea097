/* Nodes of a cluster that stand out. */
#include <check.h>
#include <math.h>

#include "run_suite.h"
#include "track/campaign/node_screen.h"

static struct sp_screen screen_of(const double *value, int n, struct sp_node_value *node)
{
    struct sp_screen s;
    for (int i = 0; i < n; i++)
        node[i] = (struct sp_node_value){.value = value[i]};
    ck_assert_int_eq(sp_screen_nodes(node, n, &s, NULL), SP_OK);
    return s;
}

START_TEST(nodes_that_stand_out_are_named)
{
    /* Median 1, absolute deviations 0 0.01 0.01 0.02 0.3: MAD 0.01. */
    static const double one_slow[] = {0.99, 1.3, 1.0, 1.01, 0.98};
    struct sp_node_value node[16];
    struct sp_screen s = screen_of(one_slow, 5, node);
    ck_assert(s.can_tell && s.n == 5);
    ck_assert_double_eq_tol(s.median, 1.0, 1e-12);
    ck_assert_double_eq_tol(s.deviation, 0.014826, 1e-9);
    ck_assert_double_eq_tol(s.limit, 0.07413, 1e-9);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(node[i].is_outlier, i == 1);
    ck_assert_double_eq_tol(node[1].change, 0.3, 1e-12);
    /* Alike to the last digit but one: the floor keeps the limit from 0. */
    static const double alike[] = {1, 1, 1, 1, 1, 1.02, 1.05};
    s = screen_of(alike, 7, node);
    ck_assert_double_eq_tol(s.limit, SP_SCREEN_FLOOR, 1e-12);
    ck_assert(!node[5].is_outlier && node[6].is_outlier);
    static const double few[] = {1, 1, 2};
    s = screen_of(few, 3, node);
    ck_assert(!s.can_tell && !node[2].is_outlier);
    /* A third of all nodes hides neither itself nor the others. */
    static const double many[] = {1, 1.01, 0.99, 1.005, 0.995, 1, 1.2, 1.2, 1.25};
    s = screen_of(many, 9, node);
    for (int i = 0; i < 9; i++)
        ck_assert_int_eq(node[i].is_outlier, i > 5);
}
END_TEST

static uint64_t state = 1;

/* Nearly normal, mean 0, deviation 1: twelve uniform numbers. */
static double random_normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(state >> 11) / 9007199254740992.0;
    }
    return sum;
}

/* Eight nodes with a noise of 1 %: how often is a good one named, how often one that is 10 % slower? */
START_TEST(good_nodes_are_seldom_named)
{
    enum { TRIALS = 4000, N = 8 };
    int false_alarms = 0, found = 0;
    for (int t = 0; t < TRIALS; t++) {
        struct sp_node_value node[N];
        double value[N];
        int named = 0;
        for (int i = 0; i < N; i++)
            value[i] = exp(0.01 * random_normal());
        screen_of(value, N, node);
        for (int i = 0; i < N; i++)
            named += node[i].is_outlier;
        false_alarms += named > 0;
        value[3] *= 1.1;
        screen_of(value, N, node);
        found += node[3].is_outlier;
    }
    ck_assert_msg(false_alarms < 0.01 * TRIALS, "%d false alarms of %d", false_alarms, TRIALS);
    ck_assert_msg(found > 0.9 * TRIALS, "%d of %d found", found, TRIALS);
}
END_TEST

/* Against the tail of the binomial distribution, computed elsewhere (q = 0.0015). */
START_TEST(many_jobs_name_nodes_by_chance)
{
    ck_assert_int_eq(sp_screen_jobs_needed(0, 0), 1);
    ck_assert_int_eq(sp_screen_jobs_needed(1, 8), 1);
    ck_assert_int_eq(sp_screen_jobs_needed(2, 8), 2);
    ck_assert_int_eq(sp_screen_jobs_needed(34, 8), 2);
    ck_assert_int_eq(sp_screen_jobs_needed(35, 8), 3);
    ck_assert_int_eq(sp_screen_jobs_needed(138, 8), 3);
    ck_assert_int_eq(sp_screen_jobs_needed(139, 8), 4);
    ck_assert_int_eq(sp_screen_jobs_needed(30, 16), 3);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("node_screen");
    TCase *t = tcase_create("node_screen");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, nodes_that_stand_out_are_named);
    tcase_add_test(t, good_nodes_are_seldom_named);
    tcase_add_test(t, many_jobs_name_nodes_by_chance);
    suite_add_tcase(s, t);
    return run_suite(s);
}
