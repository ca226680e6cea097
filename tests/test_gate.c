/* The gate put to the test: rates of false alarms and of detection over drawn series, and the parts
 * of the design by themselves. A share of the trials in the plain suite, all of them in gate_full.
 * Seeded.
 *
 * What earlier gates did wrong, and the tests that fail where one does so again (`judge`: in
 * test_judge.c, `history N`: in cli/histories.sh):
 *
 * - A slowdown of 2 x is red for three sessions, then ok, though nobody accepted it:
 *   judge/what_is_open_is_not_forgotten, history 2, what_was_found_is_kept_for_years.
 * - 2 % more bytes turn green after ten records: judge/what_is_open_is_not_forgotten, history 5.
 * - 11.7 % above an accepted baseline is ok, because noise grew afterwards:
 *   judge/noise_that_grew_does_not_forgive.
 * - Measuring again, and more history, find less: power_rises_with_evidence.
 * - A t-test on sessions finds twice as much: slowdowns_are_found_in_noisy_sessions; with spikes:
 *   spikes_and_modes_do_not_blind.
 * - Two modes hide 30 %: judge/modes_are_compared_with_themselves, spikes_and_modes_do_not_blind,
 *   history 6.
 * - A drift of 0.2 % a commit is ok, and located as a stair that the machine is blamed for:
 *   drifts_are_named, judge/a_drift_is_a_trend, history 4; the machine only where its sentinels
 *   moved: history 7.
 * - What all series of a session share turns pipelines red: common_noise_turns_no_pipeline_red,
 *   judge/what_all_do_is_taken_out, history 8. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "run_suite.h"
#include "share.h"
#include "track/campaign/rehearsal.h"
#include "track/judge/judge.h"
#include "track/judge/shift.h"

static struct sp_rehearsal rehearse(struct sp_rehearsal_options o, int n_trials)
{
    struct sp_rehearsal r;
    o.n_trials = n_trials / share_of;
    o.n_runs = 5;
    o.n_sessions = o.n_sessions ? o.n_sessions : 10;
    o.seed = o.seed ? o.seed : 1;
    ck_assert_int_eq(sp_rehearse(&o, &r, NULL), SP_OK);
    return r;
}

/* A share of the checks, with three standard errors of drawing so many. */
static void expect_at_most(const struct sp_rehearsal *r, int n, double share, const char *what)
{
    const double most = share + 3 * sqrt(share * (1 - share) / r->n_trials);
    ck_assert_msg(n <= most * r->n_trials, "%s: %d of %d", what, n, r->n_trials);
}

static void expect_at_least(const struct sp_rehearsal *r, int n, double share, const char *what)
{
    const double least = share - 3 * sqrt(share * (1 - share) / r->n_trials);
    ck_assert_msg(n >= least * r->n_trials, "%s: %d of %d", what, n, r->n_trials);
}

/* +5 % where sessions differ by 1.5 %, ten before: at once, and with two more sessions; of a series
 * alone, and beside seven others of the machine. */
START_TEST(slowdowns_are_found_in_noisy_sessions)
{
    for (int beside = 0; beside <= 7; beside += 7) {
        struct sp_rehearsal_options o = {.noise = 0.005, .session = 0.015, .n_beside = beside};
        struct sp_rehearsal r = rehearse(o, 2400);
        expect_at_most(&r, r.n_alarms, 0.01, "unchanged");
        o.confirm = 2;
        r = rehearse(o, 2400);
        expect_at_most(&r, r.n_alarms, 0.01, "unchanged, two more");
        o.change = 0.05;
        r = rehearse(o, 800);
        expect_at_least(&r, r.n_regressed, 0.90, "+5 %, two more");
        o.confirm = 0;
        r = rehearse(o, 800);
        expect_at_least(&r, r.n_regressed, 0.60, "+5 % at once");
    }
}
END_TEST

/* More evidence finds more: history, and sessions that confirm. */
START_TEST(power_rises_with_evidence)
{
    static const int before[] = {3, 4, 6, 10, 20};
    struct sp_rehearsal_options o = {
        .change = 0.05, .noise = 0.005, .session = 0.015, .n_beside = 7, .confirm = 2};
    int was = 0;
    for (int i = 0; i < 5; i++) {
        o.n_sessions = before[i];
        const struct sp_rehearsal r = rehearse(o, 400);
        ck_assert_msg(r.n_regressed >= was - 1.5 * sqrt(r.n_trials), "%d before: %d, with fewer %d",
                      before[i], r.n_regressed, was);
        was = r.n_regressed;
    }
    o.n_sessions = 10;
    was = 0;
    for (int c = 0; c <= 4; c++) {
        o.confirm = c;
        const struct sp_rehearsal r = rehearse(o, 400);
        ck_assert_msg(r.n_regressed >= was - 1.5 * sqrt(r.n_trials), "%d to confirm: %d, with fewer %d", c,
                      r.n_regressed, was);
        was = r.n_regressed;
    }
}
END_TEST

START_TEST(spikes_and_modes_do_not_blind)
{
    struct sp_rehearsal_options o = {.noise = 0.01, .spikes = 0.1, .n_beside = 7};
    struct sp_rehearsal r = rehearse(o, 800);
    expect_at_most(&r, r.n_alarms, 0.01, "unchanged, spiky");
    o.change = 0.05;
    r = rehearse(o, 800);
    expect_at_least(&r, r.n_regressed, 0.90, "+5 %, spiky");
    o = (struct sp_rehearsal_options){.noise = 0.01, .modes = 0.12, .n_beside = 7};
    r = rehearse(o, 800);
    expect_at_most(&r, r.n_alarms, 0.01, "unchanged, two modes");
    o.change = 0.1;
    r = rehearse(o, 800);
    expect_at_least(&r, r.n_regressed, 0.80, "+10 %, two modes");
}
END_TEST

/* What was found is not forgotten by the commits behind it: nobody mended or accepted it. */
START_TEST(what_was_found_stays_red)
{
    enum { BEFORE = 10, COMMITS = 6, SESSIONS = 3, N = BEFORE + COMMITS * SESSIONS };
    static struct sp_entry e[N];
    const struct sp_entry *list[N];
    const struct sp_made_fault fault = {.kind = SP_MADE_STEP, .series = 1, .at = BEFORE, .by = 0.05};
    const struct sp_judge_options judge = {.metric = SP_TRACKED_TIME};
    const int n = 400 / share_of;
    int red = 0, lost = 0;
    for (int i = 0; i < n; i++) {
        const struct sp_made_options o = {.n_runs = 5,
                                          .noise = 0.005,
                                          .session = 0.015,
                                          .seed = 5000 + (uint64_t)i,
                                          .fault = &fault,
                                          .n_faults = 1};
        bool was_red = false;
        for (int k = 0; k < N; k++) {
            const int commit = k < BEFORE ? k : BEFORE + (k - BEFORE) / SESSIONS;
            struct sp_judgement j;
            sp_made_entry(&o, 0, commit, k < BEFORE ? 0 : (k - BEFORE) % SESSIONS, &e[k]);
            list[k] = &e[k];
            if (k < BEFORE || (k - BEFORE) % SESSIONS != SESSIONS - 1)
                continue;
            ck_assert_int_eq(sp_judge(list, k + 1, NULL, 0, &judge, &j, NULL), SP_OK);
            lost += was_red && j.verdict != SP_TRACK_REGRESSED;
            was_red = j.verdict == SP_TRACK_REGRESSED;
            red += was_red;
        }
    }
    const int checks = n * COMMITS;
    ck_assert_msg(red >= 0.94 * checks && lost <= 0.03 * checks, "%d red, %d lost, of %d", red, lost, checks);
}
END_TEST

/* 600 sessions at a slowdown of four standard deviations: some of them are as good as before by
 * chance, and end nothing; where it was mended, three sessions say so. */
START_TEST(what_was_found_is_kept_for_years)
{
    enum { AT = 20, UNTIL = 40, SESSIONS = 3, N = 600 };
    static struct sp_entry e[N];
    const struct sp_entry *list[N];
    const struct sp_judge_options judge = {.metric = SP_TRACKED_TIME};
    const int n = 40 / share_of;
    int red = 0, named = 0, green = 0;
    for (int i = 0; i < n; i++)
        for (int mended = 0; mended < 2; mended++) {
            const struct sp_made_fault fault = {
                .kind = SP_MADE_STEP, .series = 1, .at = AT, .until = mended ? UNTIL : 0, .by = 0.06};
            const struct sp_made_options o = {.n_runs = 5,
                                              .noise = 0.005,
                                              .session = 0.015,
                                              .seed = 100 + (uint64_t)i,
                                              .fault = &fault,
                                              .n_faults = 1};
            const int until = mended ? (UNTIL + 1) * SESSIONS : N;
            struct sp_judgement j;
            for (int c = 0; c < until; c++) {
                sp_made_entry(&o, 0, c / SESSIONS, c % SESSIONS, &e[c]);
                list[c] = &e[c];
            }
            ck_assert_int_eq(sp_judge(list, until, NULL, 0, &judge, &j, NULL), SP_OK);
            green += mended && j.n_open == 0;
            red += !mended && j.verdict == SP_TRACK_REGRESSED;
            const int since = j.n_open > 0 ? atoi(j.open[0].since->commit + 6) - 1 : -1;
            named += !mended && since >= AT - 1 && since <= AT + 1;
        }
    ck_assert_msg(red >= 0.97 * n && named >= 0.75 * n - 0.5 * sqrt(n) && green >= 0.85 * n,
                  "of %d: %d red, %d name the commit, %d green when mended", n, red, named, green);
}
END_TEST

/* What is open keeps its commit and verdict when something larger comes behind it: a second step or
 * a slower machine, which is one more that is open, or a single bad session, which is none. */
START_TEST(what_was_found_is_not_lost_in_a_larger_change)
{
    enum { AT = 7, LARGER = 9, SESSIONS = 3, N = 36, SEEDS = 10 };
    static struct sp_entry e[N];
    const struct sp_entry *list[N];
    const struct sp_judge_options judge = {.metric = SP_TRACKED_TIME};
    static const char *const larger[] = {"second step", "slower machine", "bad session"};
    for (int kind = 0; kind < 3; kind++) {
        const bool bad_session = kind == 2;
        int named = 0;
        for (int i = 0; i < SEEDS; i++) {
            const struct sp_made_fault fault[] = {
                {.kind = SP_MADE_STEP, .series = 1, .at = AT, .by = 0.06},
                {.kind = kind == 1 ? SP_MADE_MACHINE : SP_MADE_STEP, .series = 1, .at = LARGER, .by = 0.2}};
            const struct sp_made_options o = {.n_runs = 5,
                                              .noise = 0.005,
                                              .session = 0.01,
                                              .seed = 1 + (uint64_t)i,
                                              .fault = fault,
                                              .n_faults = 2 - bad_session};
            struct sp_judgement j;
            for (int c = 0; c < N; c++) {
                sp_made_entry(&o, 0, c / SESSIONS, c % SESSIONS, &e[c]);
                for (int k = 0; k < e[c].n_runs && bad_session && c == LARGER * SESSIONS; k++)
                    e[c].time_s[k] *= 1.2;
                list[c] = &e[c];
            }
            ck_assert_int_eq(sp_judge(list, N, NULL, 0, &judge, &j, NULL), SP_OK);
            named += j.verdict == SP_TRACK_REGRESSED && j.n_open == 2 - bad_session &&
                     atoi(j.open[0].since->commit + 6) - 1 == AT && j.open[0].kind == SP_CHANGE_STEP;
        }
        ck_assert_msg(named >= 0.8 * SEEDS, "%d of %d are named, with a %s", named, SEEDS, larger[kind]);
    }
}
END_TEST

/* However long a history is, its beginning counts; a drawn level that was withdrawn costs none that
 * is open. */
START_TEST(nothing_is_too_long_ago)
{
    enum { N = 2400 };
    static double y[N];
    const struct sp_level_series series = {.n = N, .y = y};
    const struct sp_level_options o = {.floor = log1p(0.03), .alpha = 0.01, .prior = {0.015 * 0.015, 5}};
    struct sp_level_state state;
    struct sp_random r = {7};
    for (int i = 0; i < N; i++)
        y[i] = (i >= 30 ? log(2) : 0) + 0.05 * (sp_random_unit(&r) - 0.5) + (i % 29 == 28 ? 0.06 : 0);
    ck_assert_int_eq(sp_levels_follow(&series, &o, &state, NULL), SP_OK);
    ck_assert_msg(state.n_open >= 1 && state.open[0].at == 30, "%d open, since %d", state.n_open,
                  state.open[0].at);
    ck_assert_double_gt(state.open[0].by, 0.6);
}
END_TEST

/* The machine's other series tell of its noise from the third session on. */
START_TEST(noise_is_known_early)
{
    struct sp_rehearsal_options o = {.noise = 0.005, .session = 0.05, .n_beside = 7, .n_sessions = 3};
    struct sp_rehearsal r = rehearse(o, 1600);
    expect_at_most(&r, r.n_alarms, 0.01, "unchanged, three before");
    o.confirm = 2;
    r = rehearse(o, 1600);
    expect_at_most(&r, r.n_alarms, 0.01, "unchanged, three before, two more");
}
END_TEST

/* Sessions that differ by 5 % make no trend that stays. */
START_TEST(noise_makes_no_trends)
{
    enum { SESSIONS = 120 };
    static struct sp_entry e[SESSIONS];
    const struct sp_entry *list[SESSIONS];
    const struct sp_judge_options judge = {.metric = SP_TRACKED_TIME};
    const int n = 400 / share_of;
    int trends = 0;
    for (int i = 0; i < n; i++) {
        const struct sp_made_options o = {
            .n_runs = 5, .noise = 0.005, .session = 0.05, .seed = 900 + (uint64_t)i};
        struct sp_judgement j;
        for (int c = 0; c < SESSIONS; c++) {
            sp_made_entry(&o, 0, c / 3, c % 3, &e[c]);
            list[c] = &e[c];
        }
        ck_assert_int_eq(sp_judge(list, SESSIONS, NULL, 0, &judge, &j, NULL), SP_OK);
        trends += j.verdict == SP_TRACK_REGRESSED && j.kind == SP_CHANGE_TREND;
    }
    ck_assert_msg(trends <= 0.005 * n + 1, "%d of %d", trends, n);
}
END_TEST

/* Twenty series whose sessions differ together by 2 %: pipelines of nothing but unchanged ones. */
START_TEST(common_noise_turns_no_pipeline_red)
{
    struct sp_rehearsal_options o = {.noise = 0.005, .session = 0.005, .common = 0.02, .n_series = 20};
    struct sp_rehearsal r = rehearse(o, 400);
    expect_at_most(&r, r.n_alarms, 0.01, "twenty unchanged");
    o.change = 0.05;
    r = rehearse(o, 100);
    expect_at_least(&r, r.n_regressed, 0.95, "one of twenty");
}
END_TEST

/* 0.2 % a commit, ten commits flat before: named within 25 commits. */
START_TEST(drifts_are_named)
{
    enum { FLAT = 10, COMMITS = FLAT + 25 };
    static struct sp_entry e[COMMITS];
    const struct sp_entry *list[COMMITS];
    const struct sp_made_fault fault = {.kind = SP_MADE_DRIFT, .series = 1, .at = FLAT, .by = 0.002};
    const struct sp_judge_options judge = {.metric = SP_TRACKED_TIME};
    const int n = 200 / share_of;
    int named = 0, red = 0;
    for (int i = 0; i < n; i++) {
        const struct sp_made_options o = {.n_runs = 5,
                                          .noise = 0.005,
                                          .session = 0.01,
                                          .seed = 100 + (uint64_t)i,
                                          .fault = &fault,
                                          .n_faults = 1};
        struct sp_judgement j;
        for (int c = 0; c < COMMITS; c++) {
            sp_made_entry(&o, 0, c, 0, &e[c]);
            list[c] = &e[c];
        }
        ck_assert_int_eq(sp_judge(list, COMMITS, NULL, 0, &judge, &j, NULL), SP_OK);
        red += j.verdict == SP_TRACK_REGRESSED;
        for (int k = 0; k < j.n_open; k++)
            if (j.open[k].kind == SP_CHANGE_TREND) {
                named++;
                break;
            }
    }
    ck_assert_msg(red >= 0.97 * n && named >= 0.85 * n, "%d of %d red, %d named", red, n, named);
}
END_TEST

/* Histories of 180 sessions without a fault end green, whatever their noise. */
START_TEST(long_histories_keep_still)
{
    enum { SESSIONS = 180 };
    static struct sp_entry e[SESSIONS];
    const struct sp_entry *list[SESSIONS];
    const struct sp_judge_options judge = {.metric = SP_TRACKED_TIME};
    const int n = 300 / share_of;
    int red = 0;
    for (int i = 0; i < n; i++) {
        const struct sp_made_options o = {
            .n_runs = 5, .noise = 0.005, .session = i % 3 == 0 ? 0.004 : 0.015, .seed = 900 + (uint64_t)i};
        struct sp_judgement j;
        for (int c = 0; c < SESSIONS; c++) {
            sp_made_entry(&o, 0, c / 3, c % 3, &e[c]);
            list[c] = &e[c];
        }
        ck_assert_int_eq(sp_judge(list, SESSIONS, NULL, 0, &judge, &j, NULL), SP_OK);
        red += j.verdict == SP_TRACK_REGRESSED;
    }
    ck_assert_msg(red <= 0.01 * n + 3 * sqrt(0.01 * n), "%d of %d", red, n);
}
END_TEST

/* (d_0 s_0^2 + S)/(d_0 + nu), by hand: 5 x 4 and 10 over 5 and 5; a prior that is half too
 * small counts 1/64 of its worth. */
START_TEST(noise_is_moderated)
{
    const struct sp_spread prior = {4, 5};
    struct sp_spread s = sp_spread_moderated(10, 5, prior);
    ck_assert_double_eq_tol(s.variance, 3, 1e-12);
    ck_assert_double_eq_tol(s.df, 10, 1e-12);
    s = sp_spread_moderated(0, 0, prior);
    ck_assert(s.variance == 4 && s.df == 5);
    s = sp_spread_moderated(40, 5, prior);
    ck_assert_double_eq_tol(s.df, 5 + 5 / 64.0, 1e-12);
    /* Series that are alike make a prior of all their degrees of freedom; such that are not, of
     * few. */
    const struct sp_spread alike[] = {{1, 9}, {1, 9}, {1, 9}, {1, 9}},
                           other[] = {{0.01, 9}, {1, 9}, {100, 9}, {1, 9}};
    s = sp_spread_of_machine(alike, 4, prior);
    ck_assert(s.df == 36 && s.variance > 0.95 && s.variance < 1.2);
    ck_assert_double_lt(sp_spread_of_machine(other, 4, prior).df, 2);
    s = sp_spread_of_machine(alike, 2, prior);
    ck_assert(s.variance == 4 && s.df == 5);
}
END_TEST

/* Variances of the median: 1, 1/2, 0.449 and 0.298 of one to four values (order statistics). */
START_TEST(medians_have_their_variance)
{
    static const double known[] = {1, 0.5, 0.449, 0.298};
    for (int n = 1; n <= 4; n++)
        ck_assert_double_eq_tol(sp_variance_of_median(n), known[n - 1], 0.03 * known[n - 1]);
}
END_TEST

/* One bad session of ten neither moves a level nor its noise. */
START_TEST(moments_are_robust)
{
    const double y[] = {0, 0.01, -0.01, 0.005, -0.005, 0.008, -0.008, 0.002, -0.002, 0.5};
    const struct sp_moments with = sp_moments_of(y, 10), without = sp_moments_of(y, 9);
    ck_assert_double_lt(fabs(with.mean - without.mean), 0.004);
    ck_assert_double_lt(with.squares / with.df, 3 * without.squares / without.df);
    const struct sp_moments few = sp_moments_of(y, 3);
    ck_assert_double_eq_tol(few.squares, 2e-4, 1e-12);
    ck_assert(few.df == 2 && few.mean == 0);
}
END_TEST

START_TEST(faults_are_read)
{
    struct sp_made_fault f;
    struct sp_error err;
    ck_assert_int_eq(sp_made_fault_parse("step:30-40:-5.5:3", &f, &err), SP_OK);
    ck_assert(f.kind == SP_MADE_STEP && f.at == 29 && f.until == 39 && f.series == 3);
    ck_assert_double_eq_tol(f.by, -0.055, 1e-12);
    ck_assert_int_eq(sp_made_fault_parse("mode:3", &f, &err), SP_OK);
    ck_assert(f.kind == SP_MADE_MODE && f.at == 2 && f.until == 0 && f.series == 1);
    ck_assert_int_eq(sp_made_fault_parse("drift:1:0.2:all", &f, &err), SP_OK);
    ck_assert_int_eq(f.series, 0);
    static const char *const wrong[] = {"",           "step",       "step:3",     "step:0:5",
                                        "step:5-4:3", "steps:3:5",  "step:3:5:0", "step:3:5:x",
                                        "step:3:5 ",  "step:3:inf", "step:3:1e9", "step:3000000000:5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(sp_made_fault_parse(wrong[i], &f, &err) == SP_USAGE, "%s", wrong[i]);
}
END_TEST

int main(int argc, char **argv)
{
    share_take(argc, argv, 8, 8);
    Suite *s = suite_create("gate");
    TCase *t = tcase_create("gate");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, slowdowns_are_found_in_noisy_sessions);
    tcase_add_test(t, power_rises_with_evidence);
    tcase_add_test(t, spikes_and_modes_do_not_blind);
    tcase_add_test(t, what_was_found_stays_red);
    tcase_add_test(t, what_was_found_is_kept_for_years);
    tcase_add_test(t, what_was_found_is_not_lost_in_a_larger_change);
    tcase_add_test(t, nothing_is_too_long_ago);
    tcase_add_test(t, noise_is_known_early);
    tcase_add_test(t, noise_makes_no_trends);
    tcase_add_test(t, common_noise_turns_no_pipeline_red);
    tcase_add_test(t, drifts_are_named);
    tcase_add_test(t, long_histories_keep_still);
    tcase_add_test(t, noise_is_moderated);
    tcase_add_test(t, medians_have_their_variance);
    tcase_add_test(t, moments_are_robust);
    tcase_add_test(t, faults_are_read);
    suite_add_tcase(s, t);
    return run_suite(s);
}
