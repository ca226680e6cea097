/* The statistics of tracking against published and independently computed values. */
#include <check.h>
#include <math.h>

#include "run_suite.h"
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

/* The interval of three resampled runs leaves out 0 in one of twelve comparisons of the same: p says
 * so, too, or it is undecided. */
START_TEST(three_runs_do_not_tell_by_their_interval_alone)
{
    static const double before[] = {1.00, 1.02, 1.04}, after[] = {1.09, 1.16, 1.28};
    const struct sp_shift_options o = {.seed = 1};
    for (int turned = 0; turned < 2; turned++) {
        const struct sp_group a = group(before, 3), b = group(after, 3);
        const struct sp_shift s = sp_shift_of(turned ? b : a, turned ? a : b, &o);
        ck_assert(turned ? s.hi < 0 : s.lo > 0);
        ck_assert(s.p > 0.05 && s.move == SP_MOVE_UNDECIDED && s.n_more > 0);
    }
}
END_TEST

/* B against A is A against B turned around: the same interval, its ends exchanged, and the move. */
static void check_turned(struct sp_group a, struct sp_group b)
{
    const struct sp_shift_options o = {.seed = 1};
    const struct sp_shift there = sp_shift_of(a, b, &o), back = sp_shift_of(b, a, &o);
    ck_assert_double_eq_tol((1 + there.change) * (1 + back.change), 1, 1e-9);
    ck_assert_double_eq_tol((1 + there.lo) * (1 + back.hi), 1, 1e-9);
    ck_assert_double_eq_tol((1 + there.hi) * (1 + back.lo), 1, 1e-9);
    ck_assert(back.move == (there.move == SP_MOVE_UP     ? SP_MOVE_DOWN
                            : there.move == SP_MOVE_DOWN ? SP_MOVE_UP
                                                         : there.move));
}

/* One run of four was disturbed, which leaves few different shifts. */
START_TEST(exchanged_groups_turn_the_interval_around)
{
    static const double a[] = {8.538, 8.461, 8.561, 13.359}, b[] = {12.807, 12.691, 12.842, 20.038};
    static const double more[] = {9.1, 8.7, 8.9, 8.8, 12.0, 9.0, 8.6};
    check_turned(group(a, 4), group(a, 4));
    check_turned(group(a, 4), group(b, 4));
    check_turned(group(a, 4), group(more, 7));
    check_turned(group(b, 3), group(more, 7));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("shift");
    TCase *t = tcase_create("statistics");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, student_as_tabulated);
    tcase_add_test(t, welch_on_the_sleep_data);
    tcase_add_test(t, discoveries_as_published);
    tcase_add_test(t, estimate_is_the_median_of_all_ratios);
    tcase_add_test(t, verdicts_of_a_shift);
    tcase_add_test(t, three_runs_do_not_tell_by_their_interval_alone);
    tcase_add_test(t, exchanged_groups_turn_the_interval_around);
    suite_add_tcase(s, t);
    return run_suite(s);
}
