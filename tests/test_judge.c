/* The verdicts on series of records. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "track/judge/group_shift.h"
#include "track/judge/judge.h"

static const double steady[] = {1.0, 1.01, 0.99, 1.005, 0.995};

/* Entries as the judge takes them. */
static struct sp_entry entry(int day, double time, double bytes, double roof, const char *env)
{
    struct sp_entry e = {.n_runs = 5};
    snprintf(e.id, sizeof e.id, "r%d", day);
    snprintf(e.start, sizeof e.start, "2026-11-%02uT12:00:00Z", (unsigned)day % 32);
    strcpy(e.series, "s");
    snprintf(e.env, sizeof e.env, "%s", env);
    strcpy(e.origin[SP_TRACKED_BYTES], "simulated");
    for (int i = 0; i < 5; i++)
        e.time_s[i] = time * steady[i];
    for (int m = 0; m < SP_N_TRACKED; m++)
        e.metric[m] = NAN;
    e.metric[SP_TRACKED_TIME] = time;
    e.metric[SP_TRACKED_BYTES] = bytes;
    e.metric[SP_TRACKED_ROOF] = roof;
    return e;
}

static struct sp_judgement judge(const struct sp_entry *e, int n, const struct sp_entry *pin,
                                 enum sp_tracked metric)
{
    const struct sp_judge_options o = {.metric = metric, .seed = 1};
    const struct sp_entry *list[32];
    struct sp_judgement j;
    for (int i = 0; i < n; i++)
        list[i] = &e[i];
    sp_judge(list, n, &pin, pin != NULL, &o, &j);
    return j;
}

START_TEST(verdicts_and_their_reasons)
{
    struct sp_entry e[4] = {entry(1, 1, 1e6, 20e9, "e"), entry(2, 1.002, 1e6, 20e9, "e"),
                            entry(3, 0.999, 1e6, 20e9, "e"), entry(4, 1.001, 1e6, 20e9, "e")};
    struct sp_judgement j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert(j.verdict == SP_TRACK_OK && j.n_before == 3 && j.n_after == 1);
    e[3] = entry(4, 1.10, 1.1e6, 20e9, "e");
    j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
    ck_assert_ptr_nonnull(strstr(j.attribution.text, "more traffic, same speed"));
    e[3] = entry(4, 1.10, 1e6, 20e9, "e");
    j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert_ptr_nonnull(strstr(j.attribution.text, "same traffic, less bandwidth at the kernel"));
    e[3] = entry(4, 1.10, 1e6, 18e9, "e");
    j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert_ptr_nonnull(strstr(j.attribution.text, "the machine drifted"));
    e[3] = entry(4, 0.9, 1e6, 20e9, "e");
    ck_assert_int_eq(judge(e, 4, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_IMPROVED);
    e[3] = entry(4, 1, 1e6, 20e9, "another");
    j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert_int_eq(j.verdict, SP_TRACK_NOT_COMPARABLE);
    ck_assert_int_eq(sp_track_exit_code(j.verdict), 5);
    ck_assert_int_eq(judge(e, 1, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_INCONCLUSIVE);
    e[3] = entry(4, 1.001, 1.002e6, 20e9, "e"); /* a gate without noise: 0.2 % of the bytes */
    j = judge(e, 4, NULL, SP_TRACKED_BYTES);
    ck_assert(j.verdict == SP_TRACK_REGRESSED && j.is_exact);
}
END_TEST

/* Steps of 2 % pass one by one; the accepted baseline remembers where they began. */
START_TEST(small_steps_cannot_add_up)
{
    struct sp_entry e[8];
    double t = 1;
    for (int i = 0; i < 5; i++, t *= 1.02)
        e[i] = entry(1 + i, t, 1e6, 20e9, "e");
    ck_assert_int_eq(judge(e, 2, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_OK);
    struct sp_judgement j = judge(e, 5, &e[0], SP_TRACKED_TIME);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
    ck_assert(j.has_pinned && j.pinned.change > 0.07);
    /* The cause and the change that are told are those against the accepted one. */
    e[0] = entry(1, 1, 0.9e6, 20e9, "e");
    for (int i = 1; i < 8; i++)
        e[i] = entry(1 + i, i < 7 ? 1.12 : 1.1, 1e6, 20e9, "e");
    j = judge(e, 8, &e[0], SP_TRACKED_TIME);
    ck_assert(j.verdict == SP_TRACK_REGRESSED && j.pin_decides && j.shift.change < 0);
    ck_assert_double_gt(sp_judgement_shift(&j)->change, 0.07);
    ck_assert_msg(strstr(j.attribution.text, "more traffic"), "%s", j.attribution.text);
}
END_TEST

/* Of forty unchanged series and one that is slower only that one is called regressed. */
START_TEST(many_series_are_judged_together)
{
    enum { N = 41 };
    struct sp_entry e[N][3];
    struct sp_judgement j[N];
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++)
            e[i][k] = entry(1 + k, k == 2 && i == 17 ? 1.2 : 1, 1e6, 20e9, "e");
        j[i] = judge(e[i], 3, NULL, SP_TRACKED_TIME);
    }
    sp_judge_many(j, N, 0.05);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(j[i].verdict, i == 17 ? SP_TRACK_REGRESSED : SP_TRACK_OK);
    j[17].p = 0.04; /* among 41 that is chance */
    sp_judge_many(j, N, 0.05);
    ck_assert_int_eq(j[17].verdict, SP_TRACK_INCONCLUSIVE);
    ck_assert_ptr_nonnull(strstr(j[17].why, "among 41 series"));
}
END_TEST

/* What another session has confirmed is no discovery by chance, and no test among the others. */
START_TEST(what_is_confirmed_stays)
{
    struct sp_entry e[3];
    struct sp_judgement j[2];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++)
            e[k] = entry(1 + k, k == 2 ? 1.2 : 1, 1e6, 20e9, "e");
        j[i] = judge(e, 3, NULL, SP_TRACKED_TIME);
        ck_assert_int_eq(j[i].verdict, SP_TRACK_REGRESSED);
        j[i].p = 0.2;
    }
    j[0].confirmed = SP_CONFIRMED;
    sp_judge_many(j, 2, 0.05);
    ck_assert_int_eq(j[0].verdict, SP_TRACK_REGRESSED);
    ck_assert_int_eq(j[1].verdict, SP_TRACK_INCONCLUSIVE);
    ck_assert_msg(strstr(j[1].why, "among 1 series"), "%s", j[1].why);
    ck_assert_msg(strstr(j[1].why, "p = 0.200"), "%s", j[1].why);
}
END_TEST

/* The p of either baseline, doubled because either may decide. */
START_TEST(two_baselines_are_two_tests)
{
    struct sp_entry e[3] = {entry(1, 1, 1e6, 20e9, "e"), entry(2, 1.01, 1e6, 20e9, "e"),
                            entry(3, 1.012, 1e6, 20e9, "e")};
    const struct sp_judgement j = judge(e, 3, &e[0], SP_TRACKED_TIME);
    ck_assert(j.has_pinned && j.n_before == 2);
    ck_assert_double_eq_tol(j.p, fmin(1, 2 * fmin(j.shift.p, j.pinned.p)), 1e-15);
    ck_assert_double_eq_tol(judge(e, 3, NULL, SP_TRACKED_TIME).p, j.shift.p, 1e-15);
}
END_TEST

/* A change of level among the sessions before is one step: the gate sees the next one all the same. */
START_TEST(a_past_step_does_not_blind)
{
    struct sp_entry e[11];
    for (int i = 0; i < 10; i++)
        e[i] = entry(1 + i, (i < 5 ? 1 : 1.3) * (i % 2 ? 1.002 : 1), 1e6, 20e9, "e");
    e[10] = entry(11, 1.5, 1e6, 20e9, "e");
    const struct sp_judgement j = judge(e, 11, NULL, SP_TRACKED_TIME);
    ck_assert_msg(j.shift.floor < 0.2, "floor %g", j.shift.floor);
    /* Sessions that differ each time do raise it. */
    for (int i = 0; i < 10; i++)
        e[i] = entry(1 + i, i % 2 ? 1.1 : 1, 1e6, 20e9, "e");
    ck_assert_double_gt(judge(e, 11, NULL, SP_TRACKED_TIME).shift.floor, 0.2);
    /* Records of one session are one value. */
    for (int i = 0; i < 10; i++)
        strcpy(e[i].commit, "same");
    for (int i = 0; i < 10; i++)
        snprintf(e[i].start, sizeof e[i].start, "2026-11-01T12:%02d:00Z", i);
    ck_assert_double_lt(judge(e, 11, NULL, SP_TRACKED_TIME).shift.floor, 0.2);
}
END_TEST

/* What was accepted is the baseline from then on, and what lay before it is none any more. */
START_TEST(what_is_accepted_is_the_baseline)
{
    struct sp_entry e[9];
    for (int i = 0; i < 9; i++)
        e[i] = entry(1 + i, i < 5 ? 1 : 1.2, 1e6, 20e9, "e");
    ck_assert_int_eq(judge(e, 6, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_REGRESSED);
    struct sp_judgement j = judge(e, 6, &e[5], SP_TRACKED_TIME);
    ck_assert(j.verdict == SP_TRACK_OK && !j.has_pinned && j.n_before == 0);
    ck_assert_msg(strstr(j.why, "accepted baseline itself"), "%s", j.why);
    ck_assert_int_eq(judge(e, 1, &e[0], SP_TRACKED_TIME).verdict, SP_TRACK_OK);
    for (int n = 7; n <= 9; n++) {
        j = judge(e, n, &e[5], SP_TRACKED_TIME);
        ck_assert_msg(j.verdict == SP_TRACK_OK && j.has_pinned && j.n_before == n - 6,
                      "%d records: %s, %d before: %s", n, sp_track_verdict_name(j.verdict), j.n_before,
                      j.why);
    }
    e[8] = entry(9, 1.35, 1e6, 20e9, "e");
    ck_assert_int_eq(judge(e, 9, &e[5], SP_TRACKED_TIME).verdict, SP_TRACK_REGRESSED);
    /* The same of what has no noise. */
    for (int i = 5; i < 9; i++)
        e[i] = entry(1 + i, 1, 1.2e6, 20e9, "e");
    ck_assert_int_eq(judge(e, 6, &e[5], SP_TRACKED_BYTES).verdict, SP_TRACK_OK);
    ck_assert_int_eq(judge(e, 7, &e[5], SP_TRACKED_BYTES).verdict, SP_TRACK_OK);
}
END_TEST

/* A level that is past is no baseline: what was reached once is what the next one is held against. */
START_TEST(the_last_level_is_the_baseline)
{
    struct sp_entry e[10];
    for (int i = 0; i < 10; i++)
        e[i] = entry(1 + i, i < 8 ? 1 + 0.002 * (i % 3) : i == 8 ? 0.7 : 0.85, 1e6, 20e9, "e");
    struct sp_judgement j = judge(e, 10, NULL, SP_TRACKED_TIME);
    ck_assert_msg(j.verdict == SP_TRACK_REGRESSED && j.n_before == 1 && j.shift.change > 0.2,
                  "%s: %g against %d", sp_track_verdict_name(j.verdict), j.shift.change, j.n_before);
    ck_assert_double_lt(j.shift.noise, 0.01);
    /* One that was slower is no level yet, three are. */
    e[8] = entry(9, 1.3, 1e6, 20e9, "e");
    e[9] = entry(10, 1.3, 1e6, 20e9, "e");
    ck_assert_int_eq(judge(e, 10, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_REGRESSED);
    for (int i = 6; i < 10; i++)
        e[i] = entry(1 + i, 1.3, 1e6, 20e9, "e");
    j = judge(e, 10, NULL, SP_TRACKED_TIME);
    ck_assert(j.verdict == SP_TRACK_OK && j.n_before == 3);
}
END_TEST

/* What confirms a record is of its session; what comes next is not. */
START_TEST(a_confirmed_session_takes_no_other)
{
    struct sp_entry e[12];
    for (int i = 0; i < 12; i++)
        e[i] = entry(1 + i, i < 10 ? 1 : i == 10 ? 0.7 : 0.85, 1e6, 20e9, "e");
    strcpy(e[9].confirms, e[8].id);
    for (int with_commits = 0; with_commits < 2; with_commits++) {
        for (int i = 0; i < 12 && with_commits; i++)
            snprintf(e[i].commit, sizeof e[i].commit, "%d", i == 9 ? 8 : i);
        struct sp_judgement j = judge(e, 12, NULL, SP_TRACKED_TIME);
        ck_assert_msg(j.verdict == SP_TRACK_REGRESSED && j.n_before == 1 && j.shift.change > 0.2,
                      "%s: %g against %d", sp_track_verdict_name(j.verdict), j.shift.change, j.n_before);
    }
    const struct sp_entry *list[12];
    double value[12];
    int first[12];
    for (int i = 0; i < 12; i++)
        list[i] = &e[i];
    ck_assert_int_eq(sp_session_values(list, 12, SP_TRACKED_TIME, value, first), 11);
    ck_assert(first[8] == 8 && first[9] == 10 && first[10] == 11);
    ck_assert_double_eq_tol(value[9], 0.7, 1e-12);
}
END_TEST

/* The six hours of a session are those of what was measured, not of what confirms it the next morning. */
START_TEST(a_late_confirmation_keeps_the_session)
{
    struct sp_entry e[9];
    for (int i = 0; i < 9; i++)
        e[i] = entry(1 + i, i < 5 ? 1 : 1.1, 1e6, 20e9, "e");
    for (int i = 5; i < 9; i++) {
        strcpy(e[i].commit, "B");
        snprintf(e[i].start, sizeof e[i].start, "2026-11-%02uT%02u:%02d:00Z", i < 8 ? 10u : 11u,
                 i < 8 ? 20u : 8u, i);
    }
    strcpy(e[8].confirms, e[7].id);
    const struct sp_judgement j = judge(e, 9, NULL, SP_TRACKED_TIME);
    ck_assert_msg(j.verdict == SP_TRACK_REGRESSED && j.n_after == 4 && j.n_before == 5, "%s: %d against %d",
                  sp_track_verdict_name(j.verdict), j.n_after, j.n_before);
    ck_assert_ptr_eq(j.oldest, &e[5]);
}
END_TEST

/* What was accepted later says nothing about what came before it. */
START_TEST(no_baseline_is_of_the_future)
{
    struct sp_entry e[5];
    for (int i = 0; i < 5; i++)
        e[i] = entry(1 + i, 1, 1e6, 20e9, "e");
    const struct sp_entry pin = entry(20, 0.9, 0.9e6, 20e9, "e");
    for (int exact = 0; exact < 2; exact++) {
        const struct sp_judgement j = judge(e, 5, &pin, exact ? SP_TRACKED_BYTES : SP_TRACKED_TIME);
        ck_assert_msg(j.verdict == SP_TRACK_OK && !j.has_pinned && j.n_before == 4, "%s: %d before, %s",
                      sp_track_verdict_name(j.verdict), j.n_before, j.why);
    }
    ck_assert_msg(strstr(judge(e, 5, &e[4], SP_TRACKED_TIME).why, "accepted baseline itself"), "accepted");
}
END_TEST

/* What has no noise is held against the best before it, with the floor that was asked for. */
START_TEST(exact_metrics_remember)
{
    struct sp_entry e[5];
    const struct sp_entry *list[5];
    struct sp_judge_options o = {.metric = SP_TRACKED_BYTES, .floor = 0.3, .seed = 1};
    struct sp_judgement j;
    for (int i = 0; i < 5; i++) {
        e[i] = entry(1 + i, 1, i < 2 ? 1e6 : 1.2e6, 20e9, "e");
        list[i] = &e[i];
    }
    ck_assert_int_eq(judge(e, 5, NULL, SP_TRACKED_BYTES).verdict, SP_TRACK_REGRESSED);
    sp_judge(list, 5, NULL, 0, &o, &j);
    ck_assert_int_eq(j.verdict, SP_TRACK_OK);
    o.floor = 0;
    o.n_baseline = 2;
    sp_judge(list, 5, NULL, 0, &o, &j);
    ck_assert_int_eq(j.verdict, SP_TRACK_OK);
}
END_TEST

/* More runs do not help where sessions differ. */
START_TEST(sessions_that_differ_need_sessions)
{
    struct sp_entry e[9];
    for (int i = 0; i < 9; i++)
        e[i] = entry(1 + i, i == 8 ? 1.12 : i % 2 ? 1.08 : 1, 1e6, 20e9, "e");
    const struct sp_judgement j = judge(e, 9, NULL, SP_TRACKED_TIME);
    ck_assert_int_eq(j.verdict, SP_TRACK_INCONCLUSIVE);
    ck_assert_msg(j.shift.n_more == 0 && strstr(j.why, "more sessions decide it"), "%s", j.why);
}
END_TEST

/* Within a session, too: what is measured after it was accepted is held against it. */
START_TEST(accepting_ends_a_session)
{
    struct sp_entry e[3] = {entry(1, 1, 1e6, 20e9, "e"), entry(2, 1, 1e6, 20e9, "e"),
                            entry(3, 1.2, 1e6, 20e9, "e")};
    for (int i = 0; i < 3; i++) {
        strcpy(e[i].commit, "one");
        snprintf(e[i].start, sizeof e[i].start, "2026-11-01T12:%02d:00Z", i);
    }
    ck_assert_int_eq(judge(e, 3, NULL, SP_TRACKED_TIME).n_after, 3);
    const struct sp_judgement j = judge(e, 3, &e[1], SP_TRACKED_TIME);
    ck_assert(j.verdict == SP_TRACK_REGRESSED && j.n_after == 1 && j.n_before == 1);
}
END_TEST

/* However long the session is, what was before it is found. */
START_TEST(long_sessions_have_a_before)
{
    enum { N = 70 };
    static struct sp_entry e[N + 1];
    const struct sp_entry *list[N + 1];
    const struct sp_judge_options o = {.metric = SP_TRACKED_TIME, .seed = 1};
    struct sp_judgement j;
    e[0] = entry(1, 1, 1e6, 20e9, "e");
    for (int i = 1; i <= N; i++) {
        e[i] = entry(2, 1.2, 1e6, 20e9, "e");
        snprintf(e[i].id, sizeof e[i].id, "s%d", i);
        strcpy(e[i].commit, "one");
        snprintf(e[i].start, sizeof e[i].start, "2026-11-02T12:%02u:%02uZ", (unsigned)i / 60u,
                 (unsigned)i % 60u);
    }
    for (int i = 0; i <= N; i++)
        list[i] = &e[i];
    sp_judge(list, N + 1, NULL, 0, &o, &j);
    ck_assert(j.verdict == SP_TRACK_REGRESSED && j.n_before == 1 && j.n_after == SP_MOST_OF_SESSION);
    ck_assert_ptr_eq(j.oldest, &e[1]);
    ck_assert_ptr_eq(j.newest, &e[N]);
}
END_TEST

START_TEST(what_differs_is_named)
{
    struct sp_entry e[2] = {entry(1, 1, 1e6, 20e9, "e"), entry(2, 1, 1e6, 20e9, "f")};
    struct sp_judgement j = judge(e, 2, NULL, SP_TRACKED_TIME);
    ck_assert_ptr_eq(j.other, &e[0]);
    ck_assert_msg(strstr(j.why, "another environment"), "%s", j.why);
    strcpy(e[1].env, "e");
    e[1].bytes_version = 2;
    ck_assert_int_ne(judge(e, 2, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_NOT_COMPARABLE);
    static const enum sp_tracked of_bytes[] = {SP_TRACKED_BYTES, SP_TRACKED_ALPHA, SP_TRACKED_BANDWIDTH,
                                               SP_TRACKED_FRACTION};
    for (size_t i = 0; i < sizeof of_bytes / sizeof *of_bytes; i++) {
        j = judge(e, 2, NULL, of_bytes[i]);
        ck_assert_msg(j.verdict == SP_TRACK_NOT_COMPARABLE && strstr(j.why, "version 2 here, 0 in"), "%s",
                      j.why);
    }
    e[1].bytes_version = 0;
    strcpy(e[1].caches, "other");
    j = judge(e, 2, NULL, SP_TRACKED_BYTES);
    ck_assert_msg(j.verdict == SP_TRACK_NOT_COMPARABLE && strstr(j.why, "other caches"), "%s", j.why);
    strcpy(e[1].origin[SP_TRACKED_BYTES], "measured");
    j = judge(e, 2, NULL, SP_TRACKED_BYTES);
    ck_assert_msg(strstr(j.why, "its bytes are measured, those of the records before it simulated"), "%s",
                  j.why);
}
END_TEST

/* What a record has once needs more records; a fraction is of the roof beside its run. */
START_TEST(values_of_records_and_of_runs)
{
    struct sp_entry e[4];
    for (int i = 0; i < 4; i++) {
        e[i] = entry(1 + i, 1, 1e6, 20e9, "e");
        e[i].metric[SP_TRACKED_LAMBDA] = 1.1;
        e[i].metric[SP_TRACKED_FRACTION] = 0.8;
        strcpy(e[i].origin[SP_TRACKED_ROOF], "measured");
        for (int k = 0; k < 5; k++) { /* a machine that changes its speed from run to run */
            e[i].time_s[k] = 1 + 0.2 * (k - 2);
            e[i].roof_Bps[k] = 20e9 / e[i].time_s[k];
        }
    }
    struct sp_judgement j = judge(e, 4, NULL, SP_TRACKED_LAMBDA);
    ck_assert_msg(j.verdict == SP_TRACK_INCONCLUSIVE && strstr(j.why, "more records a side"), "%s", j.why);
    j = judge(e, 4, NULL, SP_TRACKED_FRACTION);
    ck_assert_msg(j.verdict == SP_TRACK_OK && j.shift.noise < 1e-6, "noise %g", j.shift.noise);
    j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert_double_gt(j.shift.noise, 0.1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("judge");
    TCase *t = tcase_create("judge");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, verdicts_and_their_reasons);
    tcase_add_test(t, small_steps_cannot_add_up);
    tcase_add_test(t, many_series_are_judged_together);
    tcase_add_test(t, what_is_confirmed_stays);
    tcase_add_test(t, two_baselines_are_two_tests);
    tcase_add_test(t, a_past_step_does_not_blind);
    tcase_add_test(t, what_is_accepted_is_the_baseline);
    tcase_add_test(t, accepting_ends_a_session);
    tcase_add_test(t, the_last_level_is_the_baseline);
    tcase_add_test(t, a_confirmed_session_takes_no_other);
    tcase_add_test(t, a_late_confirmation_keeps_the_session);
    tcase_add_test(t, no_baseline_is_of_the_future);
    tcase_add_test(t, exact_metrics_remember);
    tcase_add_test(t, sessions_that_differ_need_sessions);
    tcase_add_test(t, long_sessions_have_a_before);
    tcase_add_test(t, what_differs_is_named);
    tcase_add_test(t, values_of_records_and_of_runs);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
