/* One budget: each kind of measurement has its share, what is left goes on, and nothing is measured twice. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "session/pcore.h"
#include "session/plan.h"
#include "sparse/generate.h"

START_TEST(the_shares_are_the_budget)
{
    static struct sp_plan plan;
    double sum = 0;
    sp_plan_begin(&plan, 2);
    for (int k = 0; k < SP_N_SPENDINGS; k++) { /* who spends all that it has leaves the next its own share */
        plan.spent_s[k] = sp_plan_left_s(&plan, (enum sp_spending)k);
        sum += plan.spent_s[k];
        ck_assert(*sp_spending_name((enum sp_spending)k));
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

static int remembered_after(struct sp_plan *plan, const struct sp_csr *m)
{
    const struct sp_workload w = spmv_of(m);
    const struct sp_pcore_options o = sp_pcore_options_for(NULL, &w, plan, SP_SPEND_OTHERS);
    const struct sp_kernel *kernel;
    struct sp_value rate;
    struct sp_error err;
    ck_assert_double_ge(o.budget_s, 0.0005);
    ck_assert_int_eq(sp_pcore_choose(&w, NULL, &o, &kernel, &rate, &err), SP_OK);
    ck_assert(sp_value_known(rate));
    return plan->n_rates;
}

/* Rows of like lengths are one class whatever their columns; others are another. */
START_TEST(p_core_is_measured_once_for_a_class_of_rows)
{
    static struct sp_plan plan;
    static const char *const alike[] = {"band:4000:3", "band:4000:3+permuted:5"};
    struct sp_csr a, b, other;
    struct sp_error err;
    sp_plan_begin(&plan, 0.1);
    ck_assert_int_eq(sp_generate(alike[0], NULL, &a, &err), SP_OK);
    ck_assert_int_eq(sp_generate(alike[1], NULL, &b, &err), SP_OK);
    ck_assert_int_eq(sp_generate("random:4000:40", NULL, &other, &err), SP_OK);
    const int first = remembered_after(&plan, &a);
    ck_assert_int_gt(first, 0);
    const double spent_s = plan.spent_s[SP_SPEND_OTHERS];
    ck_assert_double_gt(spent_s, 0);
    ck_assert_int_eq(remembered_after(&plan, &b), first);
    ck_assert_int_gt(remembered_after(&plan, &other), first);
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
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
