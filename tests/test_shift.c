/* The statistics of tracking against published and independently computed values, and what they decide about
 * drawn series. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/samples.h"
#include "share.h"
#include "track/campaign/rehearsal.h"
#include "track/judge/change_points.h"
#include "track/judge/group_shift.h"
#include "track/judge/shift.h"

static struct sp_group group(const double *x, int n)
{
    return (struct sp_group){n, x};
}

/* Quantiles of Student's t in any table: two-sided 5 % and 1 %; df = 1 is Cauchy's distribution. */
START_TEST(student_as_tabulated)
{
    static const double table[][3] = {{12.7062, 1, 0.05}, {2.7764, 4, 0.05},  {4.6041, 4, 0.01},
                                      {2.2281, 10, 0.05}, {2.7500, 30, 0.01}, {1.9840, 100, 0.05}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        ck_assert_double_eq_tol(sp_student_p(table[i][0], table[i][1]), table[i][2], 2e-5);
    ck_assert_double_eq_tol(sp_student_p(1, 1), 0.5, 1e-14);
    ck_assert_double_eq_tol(sp_student_p(3, 1), 1 - 2 / M_PI * atan(3), 1e-14);
    ck_assert_double_eq_tol(sp_student_p(0, 7), 1, 1e-14);
    ck_assert_double_eq_tol(sp_student_p(-2.2281, 10), sp_student_p(2.2281, 10), 1e-15);
}
END_TEST

/* Student's sleep data, as R's t.test gives them: t = -1.8608, df = 17.776, p = 0.07939. */
START_TEST(welch_on_the_sleep_data)
{
    static const double first[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double second[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    double t, df;
    ck_assert_double_eq_tol(sp_welch(group(first, 10), group(second, 10), &t, &df), 0.07939, 5e-6);
    ck_assert_double_eq_tol(t, 1.8608, 5e-5);
    ck_assert_double_eq_tol(df, 17.776, 5e-4);
    ck_assert(sp_welch(group(first, 1), group(second, 10), &t, &df) == 1);
}
END_TEST

/* The fifteen p-values of Benjamini and Hochberg (1995, section 4): four are rejected at 5 %. */
START_TEST(discoveries_as_published)
{
    static const double p[] = {0.4262, 0.0001, 0.0095, 0.0201, 0.0278, 0.0004, 0.0298, 0.0344,
                               0.0459, 0.3240, 0.0019, 0.5719, 0.6528, 0.7590, 1.0};
    unsigned char rejected[15];
    ck_assert_int_eq(sp_discoveries(p, 15, 0.05, rejected), 4);
    ck_assert(rejected[1] && rejected[5] && rejected[10] && rejected[2] && !rejected[3]);
    ck_assert_int_eq(sp_discoveries(p, 0, 0.05, rejected), 0);
}
END_TEST

START_TEST(estimate_is_the_median_of_all_ratios)
{
    static const double a[] = {1, 2, 4}, b[] = {3, 5, 9}; /* 3 5 9 1.5 2.5 4.5 0.75 1.25 2.25 */
    ck_assert_double_eq_tol(sp_shift_estimate(group(a, 3), group(b, 3)), 1.5, 1e-12);
    static const double wild[] = {3, 5, 9000}; /* 3 5 9000 1.5 2.5 4500 0.75 1.25 2250 */
    ck_assert_double_eq_tol(sp_shift_estimate(group(a, 3), group(wild, 3)), 2, 1e-12);
}
END_TEST

START_TEST(verdicts_of_a_shift)
{
    static const double before[] = {1.00, 1.01, 0.99, 1.005, 0.995};
    static const double same[] = {1.003, 0.997, 1.008, 0.994, 1.001},
                        slower[] = {1.06, 1.05, 1.07, 1.06, 1.055};
    static const double faster[] = {0.93, 0.94, 0.92, 0.935, 0.93}, noisy[] = {0.8, 1.2, 1.0, 1.3, 0.75};
    const struct sp_shift_options o = {.seed = 7};
    struct sp_shift s = sp_shift_of(group(before, 5), group(same, 5), &o);
    ck_assert(s.move == SP_MOVE_NONE && s.floor == 0.03 && s.n_more == 0 && s.lo < 0 && s.hi > 0);
    s = sp_shift_of(group(before, 5), group(slower, 5), &o);
    ck_assert(s.move == SP_MOVE_UP && s.lo > 0 && s.p < 0.001);
    ck_assert_double_eq_tol(s.change, 0.06, 0.003);
    s = sp_shift_of(group(before, 5), group(faster, 5), &o);
    ck_assert(s.move == SP_MOVE_DOWN && s.hi < 0);
    s = sp_shift_of(group(before, 5), group(noisy, 5), &o);
    ck_assert(s.move == SP_MOVE_UNDECIDED && s.n_more > 5 && s.floor > 0.1);
    s = sp_shift_of(group(before, 5), group(slower, 2), &o);
    ck_assert(s.move == SP_MOVE_UNDECIDED && s.n_more == 1);
    s = sp_shift_of(group(before, 5), group(same, 0), &o);
    ck_assert(s.move == SP_MOVE_UNDECIDED && s.n_more == 3);
}
END_TEST

/* The asked rates: at most 1 % false alarms, at least 95 % of slowdowns by 5 % found, with 5 runs a side that
 * differ by 1.5 %. Seeded. */
START_TEST(gate_keeps_still_and_can_fail)
{
    struct sp_rehearsal_options o = {
        .noise = 0.015, .n_runs = 5, .n_sessions = 1, .n_trials = 1500, .confirm = 1, .seed = 11};
    struct sp_rehearsal r;
    ck_assert_int_eq(sp_rehearse(&o, &r, NULL), SP_OK);
    ck_assert_msg(r.n_regressed <= 15 && r.n_ok >= 1400, "unchanged: %d regressed, %d ok", r.n_regressed,
                  r.n_ok);
    o.change = 0.05;
    ck_assert_int_eq(sp_rehearse(&o, &r, NULL), SP_OK);
    ck_assert_msg(r.n_regressed >= 1390, "5 %% slower: %d of 1500 found with one confirmation",
                  r.n_regressed);
    o.confirm = 2;
    ck_assert_int_eq(sp_rehearse(&o, &r, NULL), SP_OK);
    ck_assert_msg(r.n_regressed >= 1425, "5 %% slower: %d of 1500 found with two", r.n_regressed);
    o.change = 0;
    ck_assert_int_eq(sp_rehearse(&o, &r, NULL), SP_OK);
    ck_assert_msg(r.n_regressed <= 15 && r.n_ok >= 1400, "unchanged, two confirmations: %d regressed, %d ok",
                  r.n_regressed, r.n_ok);
    o.change = -0.08;
    ck_assert_int_eq(sp_rehearse(&o, &r, NULL), SP_OK);
    ck_assert_msg(r.n_improved >= 1425 && r.n_regressed == 0, "8 %% faster: %d", r.n_improved);
    /* Sessions that differ more than their runs do: the floor rises with them. */
    o = (struct sp_rehearsal_options){.noise = 0.005,
                                      .session = 0.03,
                                      .n_runs = 5,
                                      .n_sessions = 10,
                                      .n_trials = 500,
                                      .confirm = 1,
                                      .seed = 5};
    ck_assert_int_eq(sp_rehearse(&o, &r, NULL), SP_OK);
    ck_assert_msg(r.n_regressed <= 10, "noisy sessions: %d of 500 regressed", r.n_regressed);
}
END_TEST

/* Twenty series in one check, one of them slower: discoveries, confirmation and all. */
START_TEST(many_series_keep_still_together)
{
    struct sp_rehearsal_options o = {.noise = 0.015,
                                     .n_runs = 5,
                                     .n_sessions = 1,
                                     .n_trials = 100,
                                     .n_series = 20,
                                     .confirm = 2,
                                     .seed = 2};
    struct sp_rehearsal r;
    ck_assert_int_eq(sp_rehearse(&o, &r, NULL), SP_OK);
    ck_assert_msg(r.n_alarms <= 1, "unchanged: %d of 100 checks", r.n_alarms);
    o.change = 0.05;
    ck_assert_int_eq(sp_rehearse(&o, &r, NULL), SP_OK);
    ck_assert_msg(r.n_regressed >= 95 && r.n_alarms <= 1, "5 %% slower: %d of 100 found, %d alarms",
                  r.n_regressed, r.n_alarms);
}
END_TEST

/* One accepted session has noise of its own: that sessions differ counts against it, too. */
START_TEST(an_accepted_baseline_keeps_still)
{
    struct sp_rehearsal_options o = {.noise = 0.005,
                                     .session = 0.015,
                                     .n_runs = 5,
                                     .n_sessions = 10,
                                     .n_trials = 500,
                                     .accepted = true,
                                     .seed = 3};
    struct sp_rehearsal r;
    ck_assert_int_eq(sp_rehearse(&o, &r, NULL), SP_OK);
    ck_assert_msg(r.n_regressed <= 5, "unchanged: %d of 500 regressed", r.n_regressed);
    o.change = 0.2;
    o.n_trials = 100;
    ck_assert_int_eq(sp_rehearse(&o, &r, NULL), SP_OK);
    ck_assert_msg(r.n_regressed >= 95, "20 %% slower: %d of 100 found", r.n_regressed);
}
END_TEST

/* Standard normal deviate, by the sum of twelve uniform ones. */
static double normal(struct sp_random *r)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += sp_random_unit(r);
    return sum;
}

/* Mean over sets of sessions of what the noise of sessions is found to be, squared: k records a session, five
 * runs each. */
static double found_noise(double session, double noise, int k, int n_sets)
{
    enum { SESSIONS = 10 };
    static struct sp_entry e[SESSIONS * 6];
    const struct sp_entry *list[SESSIONS * 6];
    struct sp_random random = {17};
    double sum = 0;
    for (int set = 0; set < n_sets; set++) {
        double level = 1;
        for (int i = 0; i < SESSIONS * k; i++) {
            level = i % k ? level : exp(session * normal(&random));
            memset(&e[i], 0, sizeof e[i]);
            snprintf(e[i].commit, sizeof e[i].commit, "%d", i / k);
            strcpy(e[i].start, "2026-11-01T12:00:00Z");
            e[i].n_runs = 5;
            for (int j = 0; j < 5; j++)
                e[i].time_s[j] = level * exp(noise * normal(&random));
            e[i].metric[SP_TRACKED_TIME] = sp_median(e[i].time_s, 5);
            list[i] = &e[i];
        }
        const struct sp_steadiness s = sp_steadiness_of(list, SESSIONS * k, SP_TRACKED_TIME);
        ck_assert_int_eq(s.n_sessions, SESSIONS);
        sum += s.noise * s.noise;
    }
    return sum / n_sets;
}

/* What the runs explain of it is the error of a median over all records of the session: that of one record's
 * would leave half of it. What is left of a difference is never below 0, hence a little more than alone. */
START_TEST(sessions_of_several_records_differ)
{
    const double session = 0.02, noise = 0.05, alone = found_noise(session, 1e-6, 1, 200);
    ck_assert_double_eq_tol(found_noise(session, noise, 3, 200) / alone, 1.15, 0.3);
    ck_assert_double_eq_tol(found_noise(session, noise, 6, 200) / alone, 1.15, 0.3);
}
END_TEST

/* Two levels of three values: distances between them sum to 9, within them to 0. */
START_TEST(energy_by_hand)
{
    static const double y[] = {0, 0, 0, 1, 1, 1};
    double scratch[12];
    int at;
    ck_assert_double_eq_tol(sp_energy_split(y, 6, 3, scratch, &at), 3.0, 1e-12);
    ck_assert_int_eq(at, 3);
    sp_energy_split(y, 5, 3, scratch, &at);
    ck_assert_int_eq(at, -1);
    static const double z[] = {0, 2, 1, 5}; /* 2 * 10/4 - 2 * 2/4 - 2 * 4/4, times 4/4 */
    ck_assert_double_eq_tol(sp_energy_split(z, 4, 2, scratch, &at), 2.0, 1e-12);
}
END_TEST

static void draw_levels(const double *level, int n_levels, int each, double *x)
{
    struct sp_random random = {3};
    for (int i = 0; i < n_levels * each; i++)
        x[i] = level[i / each] * (1 + 0.02 * (sp_random_unit(&random) - 0.5));
}

START_TEST(changes_are_found_where_they_are)
{
    static const double levels[] = {1.0, 1.06, 0.97}, flat[] = {1, 1, 1};
    double x[60];
    struct sp_change_point found[8];
    int n;
    const struct sp_change_options o = {.seed = 1, .floor = 0.02};
    draw_levels(levels, 3, 20, x);
    ck_assert_int_eq(sp_change_points(x, 60, &o, found, 8, &n, NULL), SP_OK);
    ck_assert_int_eq(n, 2);
    ck_assert(found[0].at == 20 && found[1].at == 40 && found[0].p <= 0.05);
    ck_assert_double_eq_tol(found[0].after / found[0].before, 1.06, 0.01);
    ck_assert_double_eq_tol(found[1].after / found[1].before, 0.97 / 1.06, 0.01);
    draw_levels(flat, 3, 20, x);
    ck_assert_int_eq(sp_change_points(x, 60, &o, found, 8, &n, NULL), SP_OK);
    ck_assert_int_eq(n, 0);
    ck_assert_int_eq(sp_change_points(x, 4, &o, found, 8, &n, NULL), SP_OK);
    ck_assert_int_eq(n, 0);
}
END_TEST

/* Of the C(8, 4) = 70 ways to choose the first half, and the 56 to choose the first three, two show the step:
 * itself and its mirror image. Of seven values no step is that rare. */
START_TEST(few_values_are_tested_exactly)
{
    static const double doubled[] = {1, 1.01, 0.99, 2, 2.02, 1.98},
                        half[] = {1, 1.01, 0.99, 1.005, 2, 2.02, 1.98, 2.01},
                        late[] = {1, 1.01, 0.99, 1.005, 1.002, 2, 2.02, 1.98};
    const struct sp_change_options o = {.seed = 1};
    struct sp_change_point found[8];
    int n;
    ck_assert_int_eq(sp_change_least_values(0, 0), 8);
    ck_assert_int_eq(sp_change_least_values(3, 0.1), 6);
    ck_assert_int_eq(sp_change_points(doubled, 6, &o, found, 8, &n, NULL), SP_OK);
    ck_assert_int_eq(n, 0);
    ck_assert_int_eq(sp_change_points(half, 8, &o, found, 8, &n, NULL), SP_OK);
    ck_assert(n == 1 && found[0].at == 4);
    ck_assert_double_eq_tol(found[0].p, 2.0 / 70, 1e-12);
    ck_assert_int_eq(sp_change_points(late, 8, &o, found, 8, &n, NULL), SP_OK);
    ck_assert(n == 1 && found[0].at == 5);
    ck_assert_double_eq_tol(found[0].p, 2.0 / 56, 1e-12);
}
END_TEST

int main(int argc, char **argv)
{
    share_take(argc, argv, 2);
    Suite *s = suite_create("shift");
    TCase *t = tcase_create("statistics");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, student_as_tabulated);
    tcase_add_test(t, welch_on_the_sleep_data);
    tcase_add_test(t, discoveries_as_published);
    tcase_add_test(t, estimate_is_the_median_of_all_ratios);
    tcase_add_test(t, verdicts_of_a_shift);
    if (share_of == 1) { /* thousands of rehearsals; cli_track has some */
        tcase_add_test(t, gate_keeps_still_and_can_fail);
        tcase_add_test(t, an_accepted_baseline_keeps_still);
        tcase_add_test(t, many_series_keep_still_together);
    }
    tcase_add_test(t, sessions_of_several_records_differ);
    tcase_add_test(t, energy_by_hand);
    tcase_add_test(t, changes_are_found_where_they_are);
    tcase_add_test(t, few_values_are_tested_exactly);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
