#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/losses.h"
#include "near.h"
#include "run_suite.h"

static struct sp_loss_inputs base(void)
{
    return (struct sp_loss_inputs){.time_s = sp_value_between(4.31e-3, 4.27e-3, 4.35e-3, SP_MEASURED),
                                   .roof_Bps = sp_value_between(76e9, 75.2e9, 76.8e9, SP_MEASURED),
                                   .min_B = 233.1e6,
                                   .x_B = sp_value_of(45.8e6, SP_SIMULATED),
                                   .x_once_B = 16.5e6,
                                   .imbalance_s = sp_value_of(0.21e-3, SP_MODELLED),
                                   .lambda = 1.18,
                                   .core_s = sp_value_none("not measured"),
                                   .linear_s = sp_value_none("not run"),
                                   .leftover_B = 48e6,
                                   .level = "MEM"};
}

static void check_sum(const struct sp_losses *l, double time_s)
{
    double sum = 0;
    for (int i = 0; i < SP_N_LOSSES; i++) {
        if (sp_value_known(l->part[i])) {
            sum += l->part[i].value;
            ck_assert(l->part[i].lo <= l->part[i].value && l->part[i].value <= l->part[i].hi);
        }
        ck_assert(l->how[i][0]);
    }
    near(sum, time_s, 1e-15 * time_s);
    near(l->rest_fraction, l->part[SP_LOSS_REST].value / time_s, 1e-12);
}

/* The example of the report: 3.07 + 0.39 + 0.21 + 0.64 = 4.31 ms, 15 % unexplained. */
START_TEST(parts_sum_to_the_measured_time)
{
    struct sp_loss_inputs in = base();
    struct sp_losses l = sp_losses_of(&in);
    check_sum(&l, 4.31e-3);
    near(l.part[SP_LOSS_MIN_TRAFFIC].value, 3.067e-3, 0.001e-3);
    near(l.part[SP_LOSS_EXTRA_X].value, 0.3855e-3, 0.001e-3);
    ck_assert(l.part[SP_LOSS_EXTRA_X].origin == SP_SIMULATED);
    near(l.part[SP_LOSS_PADDING].value, 0, 0);
    ck_assert(!sp_value_known(l.part[SP_LOSS_IN_CORE]));
    near(l.rest_fraction, 0.15, 0.005);
    ck_assert(l.flagged && !l.below_minimum);
}
END_TEST

START_TEST(what_nobody_looked_at_is_unknown_and_in_the_rest)
{
    struct sp_loss_inputs in = base();
    in.x_B = sp_value_none("no simulation");
    in.imbalance_s = sp_value_none("one thread");
    struct sp_losses l = sp_losses_of(&in);
    check_sum(&l, 4.31e-3);
    ck_assert(!sp_value_known(l.part[SP_LOSS_EXTRA_X]) && !sp_value_known(l.part[SP_LOSS_IMBALANCE]));
    ck_assert_ptr_nonnull(strstr(l.how[SP_LOSS_EXTRA_X], "part of \"not explained\""));
    ck_assert_ptr_nonnull(strstr(l.how[SP_LOSS_IMBALANCE], "one thread"));
    near(l.part[SP_LOSS_REST].value, 4.31e-3 - 233.1e6 / 76e9, 1e-12);
}
END_TEST

/* Where x lives in L1 nothing waits for gathers: what the test saves is not explained, or execution. */
START_TEST(gathers_from_L1_are_not_waited_for)
{
    struct sp_loss_inputs in = base();
    in.time_s = sp_value_of(886e-9, SP_MEASURED);
    in.min_B = 561e-9 * in.roof_Bps.value;
    in.x_B = sp_value_of(0, SP_SIMULATED);
    in.x_once_B = 0;
    in.imbalance_s = sp_value_of(8e-9, SP_MODELLED);
    in.core_s = sp_value_of(752e-9, SP_MEASURED);
    in.linear_s = sp_value_of(481e-9, SP_MEASURED);
    in.gathers_s = sp_value_of(0, SP_MODELLED);
    struct sp_losses l = sp_losses_of(&in);
    check_sum(&l, 886e-9);
    near(l.waiting.value, 0, 0);
    near(l.core.value, 752e-9, 1e-15);
    near(l.part[SP_LOSS_REST].value, 886e-9 - 752e-9 - 8e-9, 1e-12);
    in.gathers_s = sp_value_of(100e-9, SP_MODELLED); /* from beyond it they are */
    l = sp_losses_of(&in);
    ck_assert(l.waiting.value > 100e-9);
}
END_TEST

START_TEST(padding_and_duplication)
{
    struct sp_loss_inputs in = base();
    in.padding_B = 7.6e6;
    in.domains_B = 16.5e6;
    struct sp_losses l = sp_losses_of(&in);
    check_sum(&l, 4.31e-3);
    near(l.part[SP_LOSS_PADDING].value, 1e-4, 1e-12);
    near(l.extra_x_domains.value, 16.5e6 / 76e9, 1e-12);
    ck_assert(l.extra_x_domains.value <= l.part[SP_LOSS_EXTRA_X].value);
    in.domains_B = 100e6; /* more than was loaded: warm */
    l = sp_losses_of(&in);
    near(l.extra_x_domains.value, l.part[SP_LOSS_EXTRA_X].value, 1e-15);
}
END_TEST

START_TEST(core_time_counts_beyond_the_overlap)
{
    struct sp_loss_inputs in = base();
    in.core_s = sp_value_of(1.4e-3, SP_MEASURED); /* hidden behind 3.45 ms of transfers */
    struct sp_losses l = sp_losses_of(&in);
    check_sum(&l, 4.31e-3);
    near(l.part[SP_LOSS_IN_CORE].value, 0, 0);
    ck_assert(sp_value_known(l.part[SP_LOSS_IN_CORE]));
    in.core_s = sp_value_between(4e-3, 3.9e-3, 4.1e-3, SP_MEASURED);
    l = sp_losses_of(&in);
    check_sum(&l, 4.31e-3);
    near(l.part[SP_LOSS_IN_CORE].value, 4e-3 - 262.4e6 / 76e9, 1e-9);
}
END_TEST

/* Transfers hide execution and then ends of rows; fewer bytes would bring them to light. */
START_TEST(hidden_ends_are_kept)
{
    struct sp_loss_inputs in = base();
    in.time_s = sp_value_of(12e-3, SP_MEASURED);
    in.core_s = sp_value_of(1e-3, SP_MEASURED);
    in.linear_s = sp_value_of(11e-3, SP_MEASURED);
    in.sorted_s = sp_value_of(8e-3, SP_MEASURED);
    struct sp_losses l = sp_losses_of(&in);
    near(l.row_ends.value + l.row_ends_hidden, 3e-3, 1e-12);
    ck_assert(l.row_ends_hidden > 0);
    in.linear_s = sp_value_of(20e-3, SP_MEASURED); /* slower than the run: it proves nothing */
    l = sp_losses_of(&in);
    ck_assert(!sp_value_known(l.row_ends) && l.row_ends_hidden == 0);
    check_sum(&l, 12e-3);
}
END_TEST

/* Nothing hides the start of the team, and P_core does not contain it. */
START_TEST(the_team_starts_before_all_else)
{
    struct sp_loss_inputs in = base();
    in.time_s = sp_value_of(12e-3, SP_MEASURED);
    in.core_s = sp_value_of(1e-3, SP_MEASURED); /* transfers hide it */
    in.team_s = sp_value_of(2e-3, SP_MEASURED);
    struct sp_losses l = sp_losses_of(&in);
    check_sum(&l, 12e-3);
    near(l.team.value, 2e-3, 1e-12);
    near(l.part[SP_LOSS_IN_CORE].value, 2e-3, 1e-12);
    in.team_s = sp_value_none("not measured");
    l = sp_losses_of(&in);
    check_sum(&l, 12e-3);
    ck_assert(!sp_value_known(l.team));
    near(l.part[SP_LOSS_IN_CORE].value, 0, 1e-12);
}
END_TEST

/* Short rows: 0.4 ms from inner caches, 1 ms with all gathers from L1, of which sorted rows save 0.5. */
START_TEST(row_ends_are_what_sorted_rows_save)
{
    struct sp_loss_inputs in = base();
    in.time_s = sp_value_of(12e-3, SP_MEASURED);
    in.core_s = sp_value_of(6e-3, SP_MEASURED);
    in.linear_s = sp_value_of(11e-3, SP_MEASURED);
    in.sorted_s = sp_value_of(8e-3, SP_MEASURED);
    struct sp_losses l = sp_losses_of(&in);
    check_sum(&l, 12e-3);
    near(l.row_ends.value, 3e-3, 1e-12);
    near(l.waiting.value, 1e-3, 1e-12); /* execution hides all of x */
    near(l.part[SP_LOSS_IN_CORE].value, 6e-3 - 262.4e6 / 76e9 + 4e-3, 1e-9);
    in.sorted_s = sp_value_of(4e-3, SP_MEASURED); /* the same work in less than W/P_core: P_core is too low */
    l = sp_losses_of(&in);
    near(l.core.value, 4e-3, 1e-12);
    near(l.row_ends.value, 7e-3, 1e-12);
    ck_assert_ptr_nonnull(strstr(l.how[SP_LOSS_IN_CORE], "at most 4.00 ms"));
    in.core_s = sp_value_of(1e-3, SP_MEASURED); /* transfers hide execution first */
    in.sorted_s = sp_value_of(7e-3, SP_MEASURED);
    l = sp_losses_of(&in);
    near(l.row_ends.value, 1e-3 + 4e-3 - 262.4e6 / 76e9, 1e-9);
    near(l.part[SP_LOSS_IN_CORE].value, l.row_ends.value + l.waiting.value, 1e-12);
    check_sum(&l, 12e-3);
}
END_TEST

/* Extra traffic of x that execution hides is no reason for what the gathers from L1 save. */
START_TEST(hidden_x_does_not_hide_waiting)
{
    struct sp_loss_inputs in = base();
    in.time_s = sp_value_of(7e-3, SP_MEASURED);
    in.core_s = sp_value_of(5e-3, SP_MEASURED);
    in.linear_s = sp_value_of(6.7e-3, SP_MEASURED);
    const struct sp_losses l = sp_losses_of(&in);
    near(l.waiting.value, 0.3e-3, 1e-12);
    check_sum(&l, 7e-3);
}
END_TEST

START_TEST(intervention_proves_latency)
{
    struct sp_loss_inputs in = base();
    /* All gathers from L1 save 0.8 ms, of which 0.6 are the transfer of x: 0.2 ms of latency. */
    in.linear_s = sp_value_between(3.51e-3, 3.48e-3, 3.54e-3, SP_MEASURED);
    struct sp_losses l = sp_losses_of(&in);
    check_sum(&l, 4.31e-3);
    near(l.part[SP_LOSS_IN_CORE].value, 0.8e-3 - 45.8e6 / 76e9, 1e-9);
    ck_assert(l.part[SP_LOSS_IN_CORE].lo < l.part[SP_LOSS_IN_CORE].value);
    /* It saves more than is unexplained: nothing is cut, the rest turns negative. */
    in.linear_s = sp_value_of(2e-3, SP_MEASURED);
    l = sp_losses_of(&in);
    check_sum(&l, 4.31e-3);
    near(l.waiting.value, 2.31e-3 - 45.8e6 / 76e9, 1e-12);
    ck_assert(l.part[SP_LOSS_REST].value < 0 && l.flagged);
    /* It is slower: no latency. */
    in.linear_s = sp_value_of(4.5e-3, SP_MEASURED);
    l = sp_losses_of(&in);
    near(l.part[SP_LOSS_IN_CORE].value, 0, 0);
}
END_TEST

/* 12 ms: 3.5 of transfers, 5 of execution, gathers from beyond L1 4 by their roof. */
START_TEST(modelled_gathers_stand_in_for_the_test)
{
    struct sp_loss_inputs in = base();
    in.time_s = sp_value_of(12e-3, SP_MEASURED);
    in.core_s = sp_value_of(5e-3, SP_MEASURED);
    in.linear_s = sp_value_none("other programs disturbed the samples");
    in.gathers_s = sp_value_between(4e-3, 3e-3, 6e-3, SP_MODELLED);
    struct sp_losses l = sp_losses_of(&in);
    check_sum(&l, 12e-3);
    ck_assert_int_eq(l.waiting.origin, SP_MODELLED);
    near(l.waiting.value, 4e-3, 1e-12); /* execution hides all transfers, so these hide no gather */
    near(l.waiting.lo, 0, 0);           /* all of them may be fetched ahead */
    near(l.waiting.hi, 6e-3, 1e-12);
    ck_assert_int_eq(l.part[SP_LOSS_IN_CORE].origin, SP_MODELLED);
    ck_assert_ptr_nonnull(strstr(l.how[SP_LOSS_IN_CORE], "modelled: gathers from beyond L1"));
    ck_assert_ptr_nonnull(strstr(l.how[SP_LOSS_IN_CORE], "other programs"));
    ck_assert_ptr_null(strstr(l.how[SP_LOSS_REST], "latency of gathers"));

    in.core_s = sp_value_of(1e-3, SP_MEASURED); /* the next 2.45 ms of gathers pass while data stream */
    l = sp_losses_of(&in);
    check_sum(&l, 12e-3);
    near(l.waiting.value, 4e-3 - (262.4e6 / 76e9 - 1e-3), 1e-9);

    in.linear_s = sp_value_of(10e-3, SP_MEASURED); /* the test was made: it has the word */
    l = sp_losses_of(&in);
    ck_assert_int_eq(l.waiting.origin, SP_MEASURED);
}
END_TEST

/* Independent errors join as the root of the sum of squares; those of transfers are one, that of the roof. */
START_TEST(the_rest_has_the_interval_of_all_parts)
{
    struct sp_loss_inputs in = base();
    in.time_s = sp_value_between(10e-3, 9.7e-3, 10.2e-3, SP_MEASURED);
    in.roof_Bps = sp_value_between(100e9, 100e9 / 1.04, 100e9, SP_MEASURED);
    in.min_B = in.padding_B = 50e6; /* 1 ms, up to 40 us longer together */
    in.x_B = sp_value_of(in.x_once_B, SP_SIMULATED);
    in.imbalance_s = sp_value_of(0, SP_MODELLED);
    const struct sp_losses l = sp_losses_of(&in);
    check_sum(&l, 10e-3);
    near(l.part[SP_LOSS_REST].value, 9e-3, 1e-12);
    near(l.part[SP_LOSS_REST].lo, 9e-3 - hypot(0.3e-3, 0.04e-3), 1e-12);
    near(l.part[SP_LOSS_REST].hi, 9.2e-3, 1e-12);
}
END_TEST

START_TEST(less_time_than_the_minimum_leaves_a_negative_rest)
{
    struct sp_loss_inputs in = base();
    in.time_s = sp_value_between(2.9e-3, 2.8e-3, 3e-3, SP_MEASURED);
    in.x_B = sp_value_of(10e6, SP_SIMULATED); /* warm: less than once */
    in.imbalance_s = sp_value_of(0, SP_MODELLED);
    struct sp_losses l = sp_losses_of(&in);
    check_sum(&l, 2.9e-3);
    ck_assert(l.below_minimum && l.rest_fraction < 0 && !l.flagged);
    near(l.part[SP_LOSS_EXTRA_X].value, 0, 0);
    ck_assert_ptr_nonnull(strstr(l.how[SP_LOSS_REST], "caches can keep"));
    in.leftover_B = 1e6;
    l = sp_losses_of(&in);
    ck_assert_ptr_nonnull(strstr(l.how[SP_LOSS_REST], "more than caches keep"));
    in.time_s = sp_value_of(2e-3, SP_MEASURED);
    l = sp_losses_of(&in);
    check_sum(&l, 2e-3);
    ck_assert(l.flagged);
}
END_TEST

/* Twice the entries on one of two threads: transfers alone would lose 14 us, execution up to 70. What the run
 * with equal shares saves counts, up to the larger of the two. */
START_TEST(equal_shares_prove_imbalance)
{
    struct sp_imbalance_inputs in = {.time_s = sp_value_of(106e-6, SP_MEASURED),
                                     .lambda_t = sp_value_none("not asked"),
                                     .equal_s = sp_value_of(75e-6, SP_MEASURED),
                                     .fluid_s = 14e-6,
                                     .core_s = 70e-6,
                                     .lambda_nz = 2};
    near(sp_imbalance_of(&in).value, 31e-6, 1e-12);
    in.equal_s = sp_value_between(75e-6, 70e-6, 110e-6, SP_MEASURED); /* nothing for certain */
    near(sp_imbalance_of(&in).lo, 0, 0);
    near(sp_imbalance_of(&in).hi, 36e-6, 1e-12);
    in.lambda_nz = 1.1;
    near(sp_imbalance_of(&in).value, 14e-6, 1e-12);
    in.equal_s.value = 107e-6;
    near(sp_imbalance_of(&in).value, 0, 0);
    in.equal_s = sp_value_none("not run");
    ck_assert(sp_imbalance_of(&in).origin == SP_MODELLED);
    near(sp_imbalance_of(&in).value, 14e-6, 1e-12);
    in.lambda_t = sp_value_of(1.25, SP_MEASURED);
    near(sp_imbalance_of(&in).value, 21.2e-6, 1e-12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("losses");
    TCase *tc = tcase_create("losses");
    tcase_add_test(tc, parts_sum_to_the_measured_time);
    tcase_add_test(tc, what_nobody_looked_at_is_unknown_and_in_the_rest);
    tcase_add_test(tc, padding_and_duplication);
    tcase_add_test(tc, gathers_from_L1_are_not_waited_for);
    tcase_add_test(tc, core_time_counts_beyond_the_overlap);
    tcase_add_test(tc, row_ends_are_what_sorted_rows_save);
    tcase_add_test(tc, the_team_starts_before_all_else);
    tcase_add_test(tc, hidden_ends_are_kept);
    tcase_add_test(tc, hidden_x_does_not_hide_waiting);
    tcase_add_test(tc, intervention_proves_latency);
    tcase_add_test(tc, modelled_gathers_stand_in_for_the_test);
    tcase_add_test(tc, the_rest_has_the_interval_of_all_parts);
    tcase_add_test(tc, equal_shares_prove_imbalance);
    tcase_add_test(tc, less_time_than_the_minimum_leaves_a_negative_rest);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
