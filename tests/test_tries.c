/* What is decided of trials: the words for what came of a prediction, which of them win, are combined and
 * confirmed, and what of it stands in the record. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "run_suite.h"
#include "session/trial/tries.h"

START_TEST(outcomes_follow_from_the_intervals)
{
    static const struct {
        double lo, hi, g, g_lo, g_hi;
        enum sp_outcome outcome;
    } cases[] = {
        {0.10, 0.20, 0.15, 0.14, 0.16, SP_CONFIRMED}, {0.10, 0.20, 0.08, 0.05, 0.11, SP_CONFIRMED},
        {0.10, 0.20, 0.30, 0.28, 0.31, SP_EXCEEDED},  {0.10, 0.20, 0.05, 0.04, 0.06, SP_LESS},
        {0.10, 0.20, 0.00, -0.01, 0.01, SP_REFUTED},  {0.10, 0.20, -0.30, -0.4, -0.2, SP_REFUTED},
        {0.10, 0.20, 0.10, -0.05, 0.21, SP_OPEN},     {0.00, 0.20, 0.01, -0.01, 0.03, SP_CONFIRMED},
        {0.00, 0.20, 0.01, -3.00, 0.50, SP_OPEN},     {0.00, 0.30, -0.08, -0.16, 0.01, SP_OPEN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq(
            sp_outcome_of(cases[i].lo, cases[i].hi,
                          sp_value_between(cases[i].g, cases[i].g_lo, cases[i].g_hi, SP_MEASURED)),
            cases[i].outcome);
    ck_assert_int_eq(sp_outcome_of(0.1, 0.2, sp_value_none("not run")), SP_NOT_TRIED);
}
END_TEST

START_TEST(other_conditions_test_no_prediction)
{
    struct sp_try one = {.lo = 0.1, .hi = 0.2, .for_s = 0.010};
    one.trial.gain = sp_value_between(0.15, 0.14, 0.16, SP_MEASURED);
    one.trial.base_time = sp_value_none("it was not tried");
    ck_assert_int_eq(sp_try_outcome(&one), SP_CONFIRMED);
    one.trial.base_time = sp_value_of(0.0114, SP_MEASURED);
    ck_assert_int_eq(sp_try_outcome(&one), SP_CONFIRMED);
    one.trial.base_time = sp_value_of(0.032, SP_MEASURED);
    ck_assert_double_eq_tol(sp_try_conditions(&one), 3.2, 1e-12);
    ck_assert_int_eq(sp_try_outcome(&one), SP_OTHER_CONDITIONS);
    ck_assert(sp_try_is_gain(&one)); /* it still counts for the best */
    one.trial.base_time = sp_value_of(0.0086, SP_MEASURED);
    ck_assert_int_eq(sp_try_outcome(&one), SP_OTHER_CONDITIONS);
    one.for_s = 0;
    ck_assert_int_eq(sp_try_outcome(&one), SP_CONFIRMED);
    one.for_s = 0.010;
    one.trial.gain = sp_value_none("the time was spent");
    ck_assert_int_eq(sp_try_outcome(&one), SP_NOT_TRIED);
}
END_TEST

/* Trials, analyses of rounds and processes that take as long as what went before never take more than the
 * budget together, however long they take; a clock of figures. */
START_TEST(nothing_is_begun_that_does_not_fit)
{
    static const double trial[] = {0.01, 0.1, 0.9, 1.9, 5, 9, 30}, analysis[] = {0.1, 4, 9, 40};
    static struct sp_tries t;
    for (size_t i = 0; i < sizeof trial / sizeof *trial; i++)
        for (size_t k = 0; k < sizeof analysis / sizeof *analysis; k++) {
            double spent_s = 0;
            t.n = 0;
            t.budget_s = 21.3;
            t.honest.trial.cost_s = trial[i]; /* one trial tells how long they take, and may be too long */
            if (!sp_tries_has_time(&t, spent_s, sp_tries_trial_s(&t)))
                continue;
            spent_s += trial[i];
            for (int round = 1; round <= 3; round++) {
                if (round > 1 && !sp_tries_has_time(&t, spent_s, analysis[k] + sp_tries_trial_s(&t)))
                    break;
                spent_s += round > 1 ? analysis[k] : 0;
                while (t.n < 10 * round && sp_tries_has_time(&t, spent_s, sp_tries_trial_s(&t))) {
                    t.one[t.n++].trial.cost_s = trial[i];
                    spent_s += trial[i];
                }
            }
            const int n = sp_tries_processes(&t, spent_s);
            ck_assert_int_ge(n, 1); /* the best is confirmed */
            ck_assert_int_le(n, SP_TRY_PROCESSES);
            spent_s += n * (trial[i] - fmin(trial[i], t.budget_s / SP_TRY_PARTS / 2));
            ck_assert_msg(spent_s <= t.budget_s, "%g of %g s", spent_s, t.budget_s);
        }
    memset(&t, 0, sizeof t);
    t.budget_s = 12;
    ck_assert_double_eq_tol(sp_tries_trial_s(&t), 1, 1e-12);
    ck_assert_double_eq_tol(sp_tries_process_s(&t), 0.5, 1e-12);
    ck_assert(sp_tries_has_time(&t, 10.4, 1) && !sp_tries_has_time(&t, 10.6, 1));
    ck_assert_int_eq(sp_tries_processes(&t, 10.9), 2);
    ck_assert_int_eq(sp_tries_processes(&t, 13), 0);
}
END_TEST

/* A try that gave `gain` to a point, on top of `before`. */
static void put_try(struct sp_tries *t, int round, const char *before, const char *own, double gain)
{
    struct sp_try *one = &t->one[t->n++];
    *one = (struct sp_try){.round = round, .own = typed(own), .lo = 0.1, .hi = 0.2};
    strcpy(one->ids, own);
    one->variant.change = typed(before);
    ck_assert_int_eq(sp_variant_add(&one->variant, &one->own, NULL), SP_OK);
    one->trial.gain = sp_value_between(gain, gain - 0.01, gain + 0.01, SP_MEASURED);
    one->trial.time = sp_value_of(0.01 * (1 - gain), SP_MEASURED);
    one->trial.base_time = sp_value_of(0.01, SP_MEASURED);
    one->trial.n_processes = 1;
    one->outcome = sp_try_outcome(one);
}

/* What the rounds before have won is in every try of a round, and keeps none of them from being combined. */
START_TEST(winners_of_a_further_round_are_combined)
{
    static struct sp_tries t;
    bool used[SP_MAX_TRIES] = {false};
    struct sp_variant added = {0};
    t.n = 0;
    put_try(&t, 1, "", "--reorder rcm", 0.30);
    const char *won = "--reorder rcm";
    put_try(&t, 2, won, "--format sell:8,1", 0.50);
    put_try(&t, 2, won, "--schedule merge", 0.40);
    put_try(&t, 2, won, "--format crs --index d16", 0.45);
    put_try(&t, 2, won, "--precision f32", 0.60);
    put_try(&t, 2, won, "--pages small", -0.10);
    ck_assert_ptr_eq(sp_tries_best(&t), &t.one[1]);
    used[1] = true;
    ck_assert_int_eq(sp_variant_add(&added, &t.one[1].own, NULL), SP_OK);
    ck_assert_ptr_eq(sp_tries_next(&t, 1, t.n, &added, used), &t.one[2]);
    used[2] = true;
    ck_assert_ptr_null(sp_tries_next(&t, 1, t.n, &added, used));
    ck_assert_double_eq_tol(sp_try_gain_alone(&t.one[2], 0.30), 1 - 0.6 / 0.7, 1e-12);
}
END_TEST

/* Who is confirmed besides a winner that kept little of its gain. */
START_TEST(contenders_showed_more_than_the_winner_kept)
{
    static struct sp_tries t;
    bool done[SP_MAX_TRIES] = {false};
    t.n = 0;
    put_try(&t, 1, "", "--prefetch 64", 0.70);
    put_try(&t, 1, "", "--reorder rcm", 0.48);
    put_try(&t, 1, "", "--precision f32", 0.60);
    put_try(&t, 1, "", "--schedule merge", 0.165);
    ck_assert_ptr_eq(sp_tries_contender(&t, done, 0), &t.one[0]);
    done[0] = true;
    ck_assert_ptr_eq(sp_tries_contender(&t, done, 0.16), &t.one[1]);
    done[1] = true;
    ck_assert_ptr_null(sp_tries_contender(&t, done, 0.16)); /* 0.155 at its lower end */
    ck_assert_ptr_eq(sp_tries_contender(&t, done, 0.15), &t.one[3]);
}
END_TEST

static const char *text_at(const struct sp_record *r, const char *path)
{
    const char *text = json_string_value(sp_record_node_at(r, path));
    return text ? text : "";
}

/* A gain that could not be confirmed is no lack of gains. */
START_TEST(a_best_that_was_not_confirmed_is_kept)
{
    static struct sp_tries t;
    struct sp_record r;
    memset(&t, 0, sizeof t);
    put_try(&t, 1, "", "--format sell:8,1", 0.40);
    strcpy(t.command, "spmodel analyze m --format sell:8,1");
    t.honest.trial.gain = sp_value_none("the run is so");
    strcpy(t.confirmed.trial.error.what, "a process ended early");
    strcpy(t.run_is, "the run is pinned");
    for (int interrupted = 0; interrupted < 2; interrupted++) {
        t.interrupted = interrupted;
        ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
        sp_record_tries(&r, &t);
        ck_assert_str_eq(text_at(&r, "tries.best.command"), t.command);
        ck_assert_str_eq(text_at(&r, "tries.best.unconfirmed"),
                         interrupted ? "the trials were interrupted" : "a process ended early");
        ck_assert_double_eq(sp_record_value_of(sp_record_node_at(&r, "tries.best.observed")).value, 0.40);
        ck_assert_str_eq(text_at(&r, "tries.honest.why"), "the run is pinned");
        sp_record_free(&r);
    }
    t.best = -1;
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_tries(&r, &t);
    ck_assert_ptr_nonnull(strstr(text_at(&r, "tries.best.why"), "interrupted"));
    sp_record_free(&r);
    t.best = 0;
    t.confirmed = t.one[0];
    t.confirmed.trial.n_processes = 3;
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_tries(&r, &t);
    ck_assert_str_eq(text_at(&r, "tries.best.unconfirmed"), "");
    sp_record_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tries");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, outcomes_follow_from_the_intervals);
    tcase_add_test(tests, nothing_is_begun_that_does_not_fit);
    tcase_add_test(tests, other_conditions_test_no_prediction);
    tcase_add_test(tests, winners_of_a_further_round_are_combined);
    tcase_add_test(tests, contenders_showed_more_than_the_winner_kept);
    tcase_add_test(tests, a_best_that_was_not_confirmed_is_kept);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
