/* One budget: each kind of measurement has its share, what is left goes on, and nothing is measured
 * twice. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "run_suite.h"
#include "session/analyze/pcore.h"
#include "session/analyze/plan.h"
#include "sparse/generate/generate.h"

START_TEST(the_shares_are_the_budget)
{
    static struct sp_plan plan;
    double sum = 0;
    sp_plan_begin(&plan, 2);
    for (int k = 0; k < SP_N_SPENDINGS; k++) { /* who spends all that it has leaves the next its own share */
        plan.spent_s[k] = sp_plan_left_s(&plan, (enum sp_spending)k);
        sum += plan.spent_s[k];
    }
    ck_assert_double_eq_tol(sum, 2, 1e-12);
    sp_plan_begin(&plan, 4);
    ck_assert_double_eq(plan.spent_s[SP_SPEND_SAMPLES], 0);
}
END_TEST

START_TEST(what_is_left_goes_on_and_debts_do_not_take_all)
{
    static struct sp_plan plan;
    sp_plan_begin(&plan, 1);
    const double own_s = sp_plan_allowance_s(&plan, SP_SPEND_CHOICE);
    plan.spent_s[SP_SPEND_CHOICE] = own_s;
    const double samples_s = sp_plan_allowance_s(&plan, SP_SPEND_SAMPLES);
    plan.spent_s[SP_SPEND_CHOICE] = own_s / 2;
    ck_assert_double_eq_tol(sp_plan_allowance_s(&plan, SP_SPEND_SAMPLES), samples_s + own_s / 2, 1e-12);
    plan.spent_s[SP_SPEND_SAMPLES] = 100;
    ck_assert_double_gt(sp_plan_allowance_s(&plan, SP_SPEND_TRIALS), 0);
    ck_assert_double_gt(sp_plan_left_s(&plan, SP_SPEND_TRIALS), 0);
    plan.spent_s[SP_SPEND_TRIALS] = 100;
    ck_assert_double_eq(sp_plan_left_s(&plan, SP_SPEND_TRIALS), 0);
}
END_TEST

static struct sp_workload spmv_of(const struct sp_csr *m)
{
    return (struct sp_workload){
        .op = SP_OP_SPMV, .r = 1, .n_threads = 1, .C = 1, .sigma = 1, .precision = SP_F64, .matrix = m};
}

static void rank(struct sp_plan *plan, const struct sp_csr *m, struct sp_pcore_ranking *ranking)
{
    const struct sp_workload w = spmv_of(m);
    const struct sp_pcore_options o = sp_pcore_options_for(NULL, &w, plan, SP_SPEND_OTHERS);
    struct sp_error err;
    ck_assert_double_ge(o.budget_s, 0.0005);
    ck_assert_int_eq(sp_pcore_rank(&w, NULL, &o, ranking, &err), SP_OK);
    ck_assert_int_gt(ranking->n, 0);
    for (int i = 0; i < ranking->n; i++)
        ck_assert(sp_value_known(ranking->flop_s[i]));
}

static const double marked = 1e30; /* a rate that no kernel has [flop/s] */

/* Kernels of the ranking whose rate was remembered, as all that were have the marked one. */
static int remembered_in(const struct sp_pcore_ranking *ranking)
{
    int n = 0;
    for (int i = 0; i < ranking->n; i++)
        n += ranking->flop_s[i].value == marked;
    return n;
}

/* Rows of like lengths are one class, but not rows that have the columns of the row before, moved
 * on by one. Only undisturbed rates are remembered, however many of them there are just now. */
START_TEST(p_core_is_measured_once_for_a_class_of_rows)
{
    enum { TRIES = 50 };
    static struct sp_plan plan;
    static const char *const alike[] = {"band:4000:3+permuted:5", "band:4000:3+permuted:6"};
    struct sp_csr a, b, other, moving;
    struct sp_pcore_ranking ranking;
    struct sp_error err;
    sp_plan_begin(&plan, 0.1);
    ck_assert_int_eq(sp_generate(alike[0], NULL, &a, &err), SP_OK);
    ck_assert_int_eq(sp_generate(alike[1], NULL, &b, &err), SP_OK);
    ck_assert_int_eq(sp_generate("random:4000:40", NULL, &other, &err), SP_OK);
    ck_assert_int_eq(sp_generate("band:4000:3", NULL, &moving, &err), SP_OK);
    for (int k = 0; k < TRIES && plan.n_rates == 0; k++)
        rank(&plan, &a, &ranking);
    ck_assert_double_gt(plan.spent_s[SP_SPEND_OTHERS], 0);
    const int n = plan.n_rates;
    if (n == 0)
        printf("SKIPPED: something disturbed every sample in %d tries; nothing was remembered\n", TRIES);
    for (int i = 0; i < n; i++)
        plan.rate[i].flop_s = sp_value_of(marked, SP_MEASURED);
    rank(&plan, &b, &ranking);
    ck_assert_int_eq(remembered_in(&ranking), n);
    rank(&plan, &other, &ranking);
    ck_assert_int_eq(remembered_in(&ranking), 0);
    rank(&plan, &moving, &ranking);
    ck_assert_int_eq(remembered_in(&ranking), 0);
    sp_csr_free(&moving);
    sp_csr_free(&a);
    sp_csr_free(&b);
    sp_csr_free(&other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plan");
    TCase *tc = tcase_create("plan");
    tcase_add_test(tc, the_shares_are_the_budget);
    tcase_add_test(tc, what_is_left_goes_on_and_debts_do_not_take_all);
    tcase_add_test(tc, p_core_is_measured_once_for_a_class_of_rows);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
