/* The class of what limits a run, from losses that were made on purpose: a straggling thread, padding,
 * permuted columns, slow execution. Each injected share comes back. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/hints/hints.h"
#include "model/losses.h"
#include "run_suite.h"

static struct sp_value measured(double x)
{
    return sp_value_of(x, SP_MEASURED);
}

/* 10 ms of transfers at 100 GB/s, and what a fault adds. */
static struct sp_loss_inputs clean(void)
{
    return (struct sp_loss_inputs){.time_s = measured(0.010),
                                   .roof_Bps = measured(100e9),
                                   .min_B = 1e9,
                                   .x_B = sp_value_of(1e8, SP_SIMULATED),
                                   .x_once_B = 1e8,
                                   .imbalance_s = sp_value_of(0, SP_MODELLED),
                                   .lambda = 1,
                                   .core_s = measured(0.003),
                                   .linear_s = measured(0.010),
                                   .level = "MEM"};
}

static struct sp_bottleneck_found judge(const struct sp_loss_inputs *in, struct sp_value equal_s,
                                        struct sp_losses *losses)
{
    *losses = sp_losses_of(in);
    const struct sp_bottleneck_inputs b = {in->time_s, in->linear_s, equal_s, losses};
    return sp_bottleneck_of(&b);
}

static const struct sp_value not_run = {.origin = SP_NONE, .why = "not run"};
/* Of the time [THEORY 8]: what was put in comes back within this. */
static const double within = 0.03;

START_TEST(nothing_wrong_is_bandwidth)
{
    struct sp_loss_inputs in = clean();
    struct sp_losses l;
    const struct sp_bottleneck_found f = judge(&in, not_run, &l);
    ck_assert(f.kind == SP_BOTTLENECK_BANDWIDTH && f.proved);
    ck_assert_double_eq_tol(f.share, 1, 1e-9);
    in.linear_s = not_run;
    ck_assert(!judge(&in, not_run, &l).proved);
}
END_TEST

/* Transfers and execution of nearly the same length: which of them is longer is chance, so neither is named,
 * and both are said. */
START_TEST(two_that_cannot_be_told_apart_are_both_said)
{
    static const struct {
        double core_s;
        enum sp_bottleneck kind;
    } cases[] = {{0.0098, SP_BOTTLENECK_UNKNOWN},
                 {0.0104, SP_BOTTLENECK_UNKNOWN},
                 {0.0091, SP_BOTTLENECK_UNKNOWN},
                 {0.0080, SP_BOTTLENECK_BANDWIDTH}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_loss_inputs in = clean();
        struct sp_losses l;
        in.core_s = measured(cases[i].core_s);
        const struct sp_bottleneck_found f = judge(&in, not_run, &l);
        ck_assert_int_eq(f.kind, cases[i].kind);
        ck_assert(cases[i].kind != SP_BOTTLENECK_UNKNOWN || strstr(f.why, "and execution"));
    }
}
END_TEST

START_TEST(a_straggler_is_imbalance)
{
    struct sp_loss_inputs in = clean();
    struct sp_losses l;
    in.time_s = measured(0.014);
    in.linear_s = measured(0.014);
    in.imbalance_s = measured(0.004);
    in.equal_run = true;
    const struct sp_bottleneck_found f = judge(&in, measured(0.010), &l);
    ck_assert(f.kind == SP_BOTTLENECK_IMBALANCE && f.proved);
    ck_assert_double_eq_tol(f.share, 0.004 / 0.014, within);
    ck_assert_double_eq_tol(l.part[SP_LOSS_IMBALANCE].value, 0.004, within * 0.014);
}
END_TEST

START_TEST(padding_stays_bandwidth)
{
    struct sp_loss_inputs in = clean();
    struct sp_losses l;
    in.time_s = in.linear_s = measured(0.013);
    in.padding_B = 3e8;
    const struct sp_bottleneck_found f = judge(&in, not_run, &l);
    ck_assert(f.kind == SP_BOTTLENECK_BANDWIDTH);
    ck_assert_double_eq_tol(l.part[SP_LOSS_PADDING].value, 0.003, within * 0.013);
}
END_TEST

/* Three times the bytes of x, and gathers that wait 10 ms on top of them; without x 9 ms are left. */
START_TEST(permuted_columns_are_latency)
{
    struct sp_loss_inputs in = clean();
    struct sp_losses l;
    in.time_s = measured(0.022);
    in.x_B = sp_value_of(3e8, SP_SIMULATED);
    in.linear_s = measured(0.009);
    const struct sp_bottleneck_found f = judge(&in, not_run, &l);
    ck_assert(f.kind == SP_BOTTLENECK_LATENCY && f.proved);
    ck_assert_double_eq_tol(l.part[SP_LOSS_EXTRA_X].value, 0.002, within * 0.022);
    ck_assert_double_eq_tol(l.part[SP_LOSS_IN_CORE].value, 0.010, within * 0.022);
    ck_assert_double_eq_tol(f.share, 0.010 / 0.022, within);
    ck_assert(fabs(l.rest_fraction) < within);
}
END_TEST

START_TEST(slow_execution_is_in_core)
{
    struct sp_loss_inputs in = clean();
    struct sp_losses l;
    in.time_s = in.linear_s = measured(0.020);
    in.core_s = measured(0.0195);
    const struct sp_bottleneck_found f = judge(&in, not_run, &l);
    ck_assert(f.kind == SP_BOTTLENECK_IN_CORE && f.proved);
    ck_assert_double_eq_tol(f.share, 0.0095 / 0.020, within);
}
END_TEST

/* Beside imbalance execution does not come near the time; it still adds more than gathers wait. */
START_TEST(the_larger_of_execution_and_waiting_names_it)
{
    struct sp_loss_inputs in = clean();
    struct sp_losses l;
    in.time_s = measured(0.030);
    in.linear_s = measured(0.028);
    in.imbalance_s = measured(0.007);
    in.core_s = measured(0.020);
    struct sp_bottleneck_found f = judge(&in, not_run, &l);
    ck_assert(f.kind == SP_BOTTLENECK_IN_CORE && f.proved);
    ck_assert_double_eq_tol(l.waiting.value, 0.002, within * 0.030);
    in.linear_s = measured(0.012);
    in.core_s = measured(0.012);
    f = judge(&in, not_run, &l);
    ck_assert(f.kind == SP_BOTTLENECK_LATENCY && f.proved);
}
END_TEST

/* Of what is not execution alone, the sentence names the part that is the longest. */
START_TEST(the_reason_is_that_of_the_longest_part)
{
    struct sp_loss_inputs in = clean();
    struct sp_losses l;
    in.time_s = in.linear_s = measured(0.020);
    in.core_s = measured(0.008);
    in.sorted_s = measured(0.009);
    struct sp_bottleneck_found f = judge(&in, not_run, &l);
    ck_assert_int_eq(f.kind, SP_BOTTLENECK_IN_CORE);
    ck_assert_msg(strstr(f.why, "order of their lengths"), "%s", f.why);
    in.sorted_s = not_run;
    in.team_s = measured(0.010);
    f = judge(&in, not_run, &l);
    ck_assert_int_eq(f.kind, SP_BOTTLENECK_IN_CORE);
    ck_assert_msg(strstr(f.why, "starting the team"), "%s", f.why);
}
END_TEST

START_TEST(what_nothing_shows_is_unknown)
{
    struct sp_loss_inputs in = clean();
    struct sp_losses l;
    in.time_s = in.linear_s = measured(0.020);
    const struct sp_bottleneck_found f = judge(&in, not_run, &l);
    ck_assert(f.kind == SP_BOTTLENECK_UNKNOWN && f.share == 0 && f.why[0]);
}
END_TEST

/* 641 % of the time is no proof of anything. */
START_TEST(a_cause_longer_than_the_time_is_doubtful)
{
    struct sp_loss_inputs in = clean();
    struct sp_losses l;
    in.time_s = in.linear_s = measured(0.010 / 6.41);
    struct sp_bottleneck_found f = judge(&in, not_run, &l);
    ck_assert(f.kind == SP_BOTTLENECK_UNKNOWN && !f.proved && f.share == 0);
    ck_assert_msg(strstr(f.why, "641 %") && strstr(f.why, "roof is too low"), "%s", f.why);
    in = clean();
    in.time_s = measured(0.020);
    in.linear_s = not_run;
    in.core_s = measured(0.030);
    f = judge(&in, not_run, &l);
    ck_assert(f.kind == SP_BOTTLENECK_UNKNOWN && strstr(f.why, "P_core is too low"));
    in.linear_s = in.time_s; /* which shows that execution takes no more than that */
    f = judge(&in, not_run, &l);
    ck_assert(f.kind == SP_BOTTLENECK_IN_CORE && l.core.value <= 0.020);
}
END_TEST

/* Over many losses: what is a problem is not called none. */
START_TEST(no_cause_stands_in_two_lists)
{
    static const char *const ids[] = {"B01", "A01", "D01", "C01", "H01", "G01"};
    uint64_t state = 1;
    for (int k = 0; k < 100000; k++) {
        struct sp_hints h = {.n_checked = 6};
        struct sp_losses l = {0};
        double share[SP_N_LOSSES];
        for (int i = 0; i < SP_N_LOSSES; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            share[i] = (double)(state >> 40) / (1 << 24) * 0.2 - 0.05;
            l.part[i] =
                state % 7 ? sp_value_of(share[i] * 3e-3, SP_MODELLED) : sp_value_none("not looked at");
        }
        for (int i = 0; i < 6; i++)
            h.checked[i].id = ids[i];
        const enum sp_bottleneck bottleneck = (enum sp_bottleneck)(state >> 33) % SP_N_BOTTLENECKS;
        sp_hints_settle(&h, bottleneck, &l, 3e-3, 0.03);
        bool kept[6] = {false};
        for (int i = 0; i < h.n_checked; i++)
            for (int j = 0; j < 6; j++)
                kept[j] = kept[j] || strcmp(h.checked[i].id, ids[j]) == 0;
        const bool small_b = !(sp_value_known(l.part[SP_LOSS_IMBALANCE]) && share[SP_LOSS_IMBALANCE] >= 0.03);
        ck_assert_int_eq(kept[0], small_b && bottleneck != SP_BOTTLENECK_IMBALANCE);
        ck_assert_int_eq(kept[1],
                         !(sp_value_known(l.part[SP_LOSS_EXTRA_X]) && share[SP_LOSS_EXTRA_X] >= 0.03));
        const bool small_c = !(sp_value_known(l.part[SP_LOSS_IN_CORE]) && share[SP_LOSS_IN_CORE] >= 0.03);
        ck_assert_int_eq(kept[3], small_c && bottleneck != SP_BOTTLENECK_IN_CORE);
        ck_assert_int_eq(kept[4], bottleneck != SP_BOTTLENECK_BANDWIDTH);
        ck_assert(kept[5]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bottleneck");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, nothing_wrong_is_bandwidth);
    tcase_add_test(tests, two_that_cannot_be_told_apart_are_both_said);
    tcase_add_test(tests, a_straggler_is_imbalance);
    tcase_add_test(tests, padding_stays_bandwidth);
    tcase_add_test(tests, permuted_columns_are_latency);
    tcase_add_test(tests, the_larger_of_execution_and_waiting_names_it);
    tcase_add_test(tests, slow_execution_is_in_core);
    tcase_add_test(tests, the_reason_is_that_of_the_longest_part);
    tcase_add_test(tests, what_nothing_shows_is_unknown);
    tcase_add_test(tests, a_cause_longer_than_the_time_is_doubtful);
    tcase_add_test(tests, no_cause_stands_in_two_lists);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
