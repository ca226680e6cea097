/* The verdicts on series of records. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run_suite.h"
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
    const struct sp_entry *list[36];
    struct sp_judgement j;
    for (int i = 0; i < n; i++)
        list[i] = &e[i];
    ck_assert_int_eq(sp_judge(list, n, &pin, pin != NULL, &o, &j, NULL), SP_OK);
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
    struct sp_entry e[24];
    for (int i = 0; i < 24; i++)
        e[i] = entry(1 + i, 1 + 0.02 * (i / 6) + 0.001 * (i % 2), 1e6, 20e9, "e");
    ck_assert_int_eq(judge(e, 8, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_OK);
    const struct sp_judgement j = judge(e, 24, &e[0], SP_TRACKED_TIME);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
    ck_assert(j.is_accepted && j.pinned_change > 0.05);
}
END_TEST

static void add_noise(struct sp_entry *e, double by)
{
    for (int i = 0; i < e->n_runs; i++)
        e->time_s[i] *= by;
}

/* Noise that grows after a baseline was accepted does not forgive what is worse than it. */
START_TEST(noise_that_grew_does_not_forgive)
{
    static const double swing[] = {1.0, 1.04, 0.97, 1.03, 0.97, 1.045, 0.98, 1.02};
    struct sp_entry e[28];
    for (int i = 0; i < 10; i++)
        e[i] = entry(1 + i, 1 + 0.001 * (i % 3), 1e6, 20e9, "e");
    for (int i = 10; i < 28; i++)
        e[i] = entry(1 + i, 1.117, 1e6, 20e9, "e");
    for (int i = 14; i < 28; i++)
        add_noise(&e[i], swing[i % 8]);
    for (int n = 11; n <= 28; n++) {
        const struct sp_judgement j = judge(e, n, &e[9], SP_TRACKED_TIME);
        ck_assert_msg(j.verdict == SP_TRACK_REGRESSED && j.n_open >= 1 && j.open[0].since == &e[10],
                      "%d: %s, %d open, since %s", n, sp_track_verdict_name(j.verdict), j.n_open,
                      j.n_open ? j.open[0].since->id : "");
    }
}
END_TEST

/* A slowdown stays red until it is mended, however many sessions are at it; bytes likewise. */
START_TEST(what_is_open_is_not_forgotten)
{
    static struct sp_entry e[32];
    for (int i = 0; i < 32; i++)
        e[i] = entry(i,
                     (i < 8    ? 1
                      : i < 30 ? 2
                               : 1) *
                         (1 + 0.002 * (i % 3)),
                     i < 8 || i > 29 ? 1e6 : 1.02e6, 20e9, "e");
    for (int n = 9; n <= 30; n++) {
        struct sp_judgement j = judge(e, n, NULL, SP_TRACKED_TIME);
        ck_assert_msg(j.verdict == SP_TRACK_REGRESSED && j.seen == n - 8, "%d: %s, seen %d", n,
                      sp_track_verdict_name(j.verdict), j.seen);
        ck_assert_ptr_eq(j.open[0].since, &e[8]);
        ck_assert_ptr_eq(j.open[0].before, &e[7]);
        ck_assert_double_eq_tol(j.open[0].by, 1, 0.01);
        j = judge(e, n, NULL, SP_TRACKED_BYTES);
        ck_assert(j.verdict == SP_TRACK_REGRESSED && j.open[0].since == &e[8] && j.seen == n - 8);
    }
    for (int exact = 0; exact < 2; exact++) {
        const struct sp_judgement j = judge(e, 31, NULL, exact ? SP_TRACKED_BYTES : SP_TRACKED_TIME);
        ck_assert_int_eq(sp_track_exit_code(j.verdict), 0);
        ck_assert_ptr_eq(j.mended, &e[8]);
    }
}
END_TEST

/* Of forty unchanged series and one that is slower only that one is called regressed. */
START_TEST(many_series_are_judged_together)
{
    enum { N = 41, SESSIONS = 6 };
    static struct sp_entry e[N][SESSIONS];
    static const struct sp_entry *list[N][SESSIONS];
    static struct sp_judgement j[N];
    struct sp_judged_series series[N];
    const struct sp_judge_options o = {.metric = SP_TRACKED_TIME};
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < SESSIONS; k++) {
            e[i][k] = entry(1 + k, (k == SESSIONS - 1 && i == 17 ? 1.2 : 1) * (1 + 0.002 * ((i + k) % 4)),
                            1e6, 20e9, "e");
            list[i][k] = &e[i][k];
        }
        series[i] = (struct sp_judged_series){.list = list[i], .n = SESSIONS};
    }
    ck_assert_int_eq(sp_judge_all(series, N, &o, j, NULL), SP_OK);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(j[i].verdict, i == 17 ? SP_TRACK_REGRESSED : SP_TRACK_OK);
}
END_TEST

/* What all series of a session do is no change of one of them: noise is taken out, a step is
 * named. */
START_TEST(what_all_do_is_taken_out)
{
    enum { N = 8, SESSIONS = 12 };
    static const double shared[SESSIONS] = {1,    1.03, 0.98, 1.02, 0.97, 1.01,
                                            1.03, 0.99, 0.97, 1.02, 0.98, 1.05};
    static struct sp_entry e[N][SESSIONS];
    static const struct sp_entry *list[N][SESSIONS];
    static struct sp_judgement j[N];
    struct sp_judged_series series[N];
    const struct sp_judge_options o = {.metric = SP_TRACKED_TIME};
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < SESSIONS; k++) {
                const double all = turn == 1 && k == SESSIONS - 1 ? 1.4 : 1;
                e[i][k] = entry(1 + k, all * shared[k] * (1 + 0.001 * ((3 * i + k) % 5)), 1e6, 20e9, "e");
                snprintf(e[i][k].commit, sizeof e[i][k].commit, "c%d", k);
                list[i][k] = &e[i][k];
            }
            series[i] = (struct sp_judged_series){.list = list[i], .n = SESSIONS};
        }
        ck_assert_int_eq(sp_judge_all(series, N, &o, j, NULL), SP_OK);
        for (int i = 0; i < N; i++) {
            ck_assert_msg(j[i].verdict == (turn ? SP_TRACK_REGRESSED : SP_TRACK_OK), "%d %d: %s", turn, i,
                          sp_track_verdict_name(j[i].verdict));
            ck_assert_msg(turn == 0 || strstr(j[i].why, "all 8 series of the machine together"), "%s",
                          j[i].why);
        }
    }
}
END_TEST

/* Runs are compared with runs of their mode; one that was never seen is named, and not blamed. */
START_TEST(modes_are_compared_with_themselves)
{
    enum { SHARED = 3, SPLIT = 4 };
    static struct sp_entry e[10];
    for (int i = 0; i < 10; i++) {
        e[i] = entry(1 + i, i == 9 ? 1.1 : 1, 1e6, 20e9, "e");
        for (int k = 0; k < 5; k++) {
            e[i].mode[k] = (i + k) % 3 == 0 ? SPLIT : SHARED;
            e[i].time_s[k] *= e[i].mode[k] == SPLIT ? 1.3 : 1;
        }
    }
    ck_assert_int_eq(judge(e, 9, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_OK);
    ck_assert_int_eq(judge(e, 10, NULL, SP_TRACKED_TIME).verdict, SP_TRACK_REGRESSED);
    for (int k = 0; k < 5; k++)
        e[9].mode[k] = 1;
    const struct sp_judgement j = judge(e, 10, NULL, SP_TRACKED_TIME);
    ck_assert(j.verdict == SP_TRACK_INCONCLUSIVE && j.kind == SP_CHANGE_MODE);
    ck_assert_msg(strstr(j.why, "a mode change: 5 runs in the mode 'single'"), "%s", j.why);
}
END_TEST

/* A series that turned to another mode, and is slower since, is not forgiven by it: it is named.
 * One that comes in either mode from session to session is compared with itself. */
START_TEST(a_mode_change_is_named)
{
    enum { SHARED = 3, SPLIT = 4, N = 14 };
    static struct sp_entry e[N];
    for (int turned = 0; turned < 2; turned++) {
        for (int i = 0; i < N; i++) {
            const bool split = turned ? i >= 9 : i % 2;
            e[i] = entry(1 + i, (split ? 1.12 : 1) * (1 + 0.002 * (i % 3)), 1e6, 20e9, "e");
            for (int k = 0; k < 5; k++)
                e[i].mode[k] = split ? SPLIT : SHARED;
        }
        const struct sp_judgement first = judge(e, 10, NULL, SP_TRACKED_TIME),
                                  j = judge(e, N, NULL, SP_TRACKED_TIME);
        ck_assert_int_eq(first.verdict, turned ? SP_TRACK_INCONCLUSIVE : SP_TRACK_OK);
        ck_assert_int_eq(j.verdict, turned ? SP_TRACK_REGRESSED : SP_TRACK_OK);
        ck_assert(!turned || (j.kind == SP_CHANGE_MODE && j.open[0].since == &e[9] && j.seen == 5));
    }
}
END_TEST

/* Both modes in every session, until none of the runs is in the faster one. In one session that may
 * be chance; it ends when the mode is back. A mode by session, as above, is no loss after a few. */
START_TEST(a_lost_mode_is_named)
{
    enum { SHARED = 3, SPLIT = 4, N = 20, AT = 14 };
    static struct sp_entry e[N];
    for (int back = 0; back < 2; back++) {
        for (int i = 0; i < N; i++) {
            e[i] = entry(1 + i, 1 + 0.002 * (i % 3), 1e6, 20e9, "e");
            for (int k = 0; k < 5; k++) {
                e[i].mode[k] = (i < AT || (back && i == N - 1)) && (i + k) % 2 ? SHARED : SPLIT;
                e[i].time_s[k] *= e[i].mode[k] == SPLIT ? 1.12 : 1;
            }
        }
        const struct sp_judgement first = judge(e, AT + 1, NULL, SP_TRACKED_TIME),
                                  j = judge(e, N, NULL, SP_TRACKED_TIME);
        ck_assert_int_eq(first.verdict, SP_TRACK_OK);
        ck_assert_int_eq(j.verdict, back ? SP_TRACK_OK : SP_TRACK_REGRESSED);
        if (back)
            continue;
        ck_assert(j.kind == SP_CHANGE_MODE && j.open[0].since == &e[AT] && j.seen == N - AT);
        ck_assert_msg(fabs(j.open[0].by - (pow(1.12, 0.5) - 1)) < 0.003, "%g", j.open[0].by);
    }
}
END_TEST

/* A steady drift is one trend with its slope, not a stair. */
START_TEST(a_drift_is_a_trend)
{
    static struct sp_entry e[36];
    for (int i = 0; i < 36; i++) {
        e[i] = entry(1 + i, 1 + (i > 9 ? 0.002 * (i - 9) : 0) + 0.002 * ((5 * i) % 3), 1e6, 20e9, "e");
        snprintf(e[i].commit, sizeof e[i].commit, "c%02d", i);
        snprintf(e[i].id, sizeof e[i].id, "r%02d", i);
        snprintf(e[i].start, sizeof e[i].start, "2026-%02d-%02dT12:00:00Z", 1 + i / 28, 1 + i % 28);
    }
    const struct sp_entry *list[36];
    struct sp_located found[8];
    const struct sp_judge_options o = {.metric = SP_TRACKED_TIME, .floor = 0.02};
    int n_found, n_sessions;
    const struct sp_judgement j = judge(e, 35, NULL, SP_TRACKED_TIME);
    ck_assert(j.verdict == SP_TRACK_REGRESSED && j.kind == SP_CHANGE_TREND && j.n_open == 1);
    ck_assert_msg(j.open[0].slope_lo < 0.002 && j.open[0].slope_hi > 0.0018, "%g (%g ... %g)",
                  j.open[0].slope, j.open[0].slope_lo, j.open[0].slope_hi);
    for (int i = 0; i < 36; i++)
        list[i] = &e[i];
    const struct sp_judged_series one = {list, 36, NULL, 0, false};
    struct sp_learned *learned;
    ck_assert_int_eq(sp_learn_all(&one, 1, &o, &learned, NULL), SP_OK);
    ck_assert_int_eq(sp_judge_locate(learned, 0, &o, found, 8, &n_found, &n_sessions, NULL), SP_OK);
    ck_assert(n_found == 1 && found[0].change.kind == SP_CHANGE_TREND && !found[0].same_source);
    sp_learned_free(learned);
}
END_TEST

/* A change of level among the sessions before is one step: the gate sees the next one all the
 * same. */
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
    ck_assert_double_gt(judge(e, 10, NULL, SP_TRACKED_TIME).shift.floor, 0.1);
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
    ck_assert(j.verdict == SP_TRACK_OK && j.n_before == 0);
    ck_assert_msg(strstr(j.why, "accepted baseline itself"), "%s", j.why);
    ck_assert_int_eq(judge(e, 1, &e[0], SP_TRACKED_TIME).verdict, SP_TRACK_OK);
    for (int n = 7; n <= 9; n++) {
        j = judge(e, n, &e[5], SP_TRACKED_TIME);
        ck_assert_msg(j.verdict == SP_TRACK_OK && j.is_accepted && j.n_before == n - 6,
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

/* What was reached once, beyond doubt, is what the next one is held against. */
START_TEST(the_best_level_is_the_baseline)
{
    struct sp_entry e[10];
    for (int i = 0; i < 10; i++)
        e[i] = entry(1 + i, i < 8 ? 1 + 0.002 * (i % 3) : i == 8 ? 0.7 : 0.85, 1e6, 20e9, "e");
    const struct sp_judgement j = judge(e, 10, NULL, SP_TRACKED_TIME);
    ck_assert_msg(j.verdict == SP_TRACK_REGRESSED && j.shift.change > 0.2, "%s: %g against %d",
                  sp_track_verdict_name(j.verdict), j.shift.change, j.n_before);
}
END_TEST

/* What confirms a record is a session of its own, of the same source, however late it came. */
START_TEST(confirmations_are_sessions)
{
    struct sp_entry e[9];
    struct sp_sessions s;
    const struct sp_entry *list[9];
    for (int i = 0; i < 9; i++) {
        e[i] = entry(1 + i, i < 5 ? 1 : 1.1, 1e6, 20e9, "e");
        list[i] = &e[i];
    }
    for (int i = 5; i < 9; i++) {
        strcpy(e[i].commit, "B");
        snprintf(e[i].start, sizeof e[i].start, "2026-11-%02uT%02u:%02d:00Z", i < 8 ? 10u : 11u,
                 i < 8 ? 20u : 8u, i);
    }
    strcpy(e[8].confirms, e[7].id);
    ck_assert_int_eq(sp_sessions_of(list, 9, NULL, 0, SP_TRACKED_TIME, &s, NULL), SP_OK);
    ck_assert(s.n == 7 && s.first[5] == 5 && s.first[6] == 8 && s.commit[6] == s.commit[5]);
    ck_assert_double_eq_tol(s.y[5], log(1.1 * steady[4]), 1e-12); /* the lower quartile of three times five */
    sp_sessions_free(&s);
    const struct sp_judgement j = judge(e, 9, NULL, SP_TRACKED_TIME);
    ck_assert(j.verdict == SP_TRACK_REGRESSED && j.seen == 2 && j.n_before == 5);
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
        ck_assert_msg(j.verdict == SP_TRACK_OK && !j.is_accepted && j.n_before == 4, "%s: %d before, %s",
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
    ck_assert_int_eq(sp_judge(list, 5, NULL, 0, &o, &j, NULL), SP_OK);
    ck_assert_int_eq(j.verdict, SP_TRACK_OK);
    o.floor = 0;
    o.n_baseline = 2;
    ck_assert_int_eq(sp_judge(list, 5, NULL, 0, &o, &j, NULL), SP_OK);
    ck_assert(j.verdict == SP_TRACK_REGRESSED && j.seen == 3);
    for (int i = 0; i < 5; i++) /* what is new is held against the last two */
        e[i].metric[SP_TRACKED_BYTES] = 1e6 * (1 + 0.0008 * i);
    ck_assert_int_eq(sp_judge(list, 5, NULL, 0, &o, &j, NULL), SP_OK);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
    o.n_baseline = 1;
    ck_assert_int_eq(sp_judge(list, 5, NULL, 0, &o, &j, NULL), SP_OK);
    ck_assert(j.verdict == SP_TRACK_OK && j.n_before == 1);
}
END_TEST

/* However few sessions a new one is held against, what is open stays so. */
START_TEST(a_short_baseline_forgets_nothing)
{
    enum { N = 40 };
    static struct sp_entry e[N];
    const struct sp_entry *list[N];
    struct sp_judge_options o = {.metric = SP_TRACKED_TIME, .n_baseline = 3, .seed = 1};
    struct sp_judgement j;
    for (int i = 0; i < N; i++) {
        e[i] = entry(1, (i < 20 ? 1 : 1.2) * (1 + 0.002 * (i % 3)), 1e6, 20e9, "e");
        snprintf(e[i].commit, sizeof e[i].commit, "c%02d", i);
        snprintf(e[i].id, sizeof e[i].id, "r%02d", i);
        snprintf(e[i].start, sizeof e[i].start, "2026-%02d-%02dT12:00:00Z", 1 + i / 28, 1 + i % 28);
        list[i] = &e[i];
    }
    ck_assert_int_eq(sp_judge(list, 15, NULL, 0, &o, &j, NULL), SP_OK);
    ck_assert(j.verdict == SP_TRACK_OK && j.n_before == 3);
    for (o.n_baseline = 1; o.n_baseline <= 9; o.n_baseline += 4) {
        ck_assert_int_eq(sp_judge(list, N, NULL, 0, &o, &j, NULL), SP_OK);
        ck_assert_msg(j.verdict == SP_TRACK_REGRESSED && j.seen == 20 && j.open[0].since == &e[20],
                      "--baseline %d: %s, seen %d", o.n_baseline, sp_track_verdict_name(j.verdict), j.seen);
    }
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
    const struct sp_judgement j = judge(e, 3, &e[1], SP_TRACKED_TIME);
    ck_assert(j.verdict == SP_TRACK_REGRESSED && j.n_after == 1 && j.n_before == 1);
    ck_assert_double_eq_tol(j.pinned_change, 0.2, 1e-9);
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
    ck_assert_msg(j.verdict == SP_TRACK_OK, "%s: %s", sp_track_verdict_name(j.verdict), j.why);
    j = judge(e, 4, NULL, SP_TRACKED_FRACTION);
    ck_assert_msg(j.verdict == SP_TRACK_OK && j.noise < 1e-6, "noise %g", j.noise);
    j = judge(e, 4, NULL, SP_TRACKED_TIME);
    ck_assert_double_gt(j.noise, 0.1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("judge");
    TCase *t = tcase_create("judge");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, verdicts_and_their_reasons);
    tcase_add_test(t, small_steps_cannot_add_up);
    tcase_add_test(t, noise_that_grew_does_not_forgive);
    tcase_add_test(t, what_is_open_is_not_forgotten);
    tcase_add_test(t, many_series_are_judged_together);
    tcase_add_test(t, what_all_do_is_taken_out);
    tcase_add_test(t, modes_are_compared_with_themselves);
    tcase_add_test(t, a_mode_change_is_named);
    tcase_add_test(t, a_lost_mode_is_named);
    tcase_add_test(t, a_drift_is_a_trend);
    tcase_add_test(t, a_past_step_does_not_blind);
    tcase_add_test(t, what_is_accepted_is_the_baseline);
    tcase_add_test(t, the_best_level_is_the_baseline);
    tcase_add_test(t, confirmations_are_sessions);
    tcase_add_test(t, no_baseline_is_of_the_future);
    tcase_add_test(t, exact_metrics_remember);
    tcase_add_test(t, a_short_baseline_forgets_nothing);
    tcase_add_test(t, accepting_ends_a_session);
    tcase_add_test(t, what_differs_is_named);
    tcase_add_test(t, values_of_records_and_of_runs);
    suite_add_tcase(s, t);
    return run_suite(s);
}
