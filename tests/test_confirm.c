/* Verdicts judged again when a second session has been measured: entries made here, no clock. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "track/judge/judge.h"

enum { BEFORE = 8, MOST = BEFORE + 3 };

struct series {
    struct sp_entry entry[MOST];
    const struct sp_entry *list[MOST];
    int n;
};

/* A record of five runs around `time_s`, in a spread of 1 %, five minutes after the one before. */
static struct sp_entry *add(struct series *s, double time_s)
{
    static const double spread[] = {-0.010, 0.004, 0.000, 0.008, -0.003};
    struct sp_entry *e = &s->entry[s->n];
    memset(e, 0, sizeof *e);
    snprintf(e->id, sizeof e->id, "record-%d", s->n);
    snprintf(e->start, sizeof e->start, "2040-01-01T00:%02u:00Z", (unsigned)(s->n * 5) % 60u);
    strcpy(e->series, "0123456789abcdef");
    strcpy(e->env, "00000000deadbeef");
    strcpy(e->origin[SP_TRACKED_TIME], "measured");
    e->n_runs = 5;
    for (int i = 0; i < 5; i++)
        e->time_s[i] = time_s * (1 + spread[(i + s->n) % 5]);
    for (int m = 0; m < SP_N_TRACKED; m++)
        e->metric[m] = NAN;
    e->metric[SP_TRACKED_TIME] = time_s;
    s->list[s->n++] = e;
    return e;
}

static void begin(struct series *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < BEFORE; i++)
        add(s, 1 + 0.002 * (i % 3));
}

static const struct sp_judge_options options = {.metric = SP_TRACKED_TIME, .seed = 1};

/* The first session takes first_s, the others, which confirm it, again_s. */
static struct sp_judgement judged(struct series *s, double first_s, const double *again_s, int n_again)
{
    struct sp_judgement j;
    begin(s);
    add(s, first_s);
    for (int i = 0; i < n_again; i++)
        snprintf(add(s, again_s[i])->confirms, sizeof s->entry[0].confirms, "record-%d", BEFORE);
    ck_assert_int_eq(sp_judge_confirmed(s->list, s->n, NULL, 0, &options, &j, NULL), SP_OK);
    return j;
}

START_TEST(a_second_session_confirms)
{
    struct series s;
    struct sp_judgement j = judged(&s, 1.2, NULL, 0);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
    ck_assert_int_eq(j.confirmed, SP_UNCONFIRMED);
    ck_assert(sp_judge_wants_confirmation(&j));
    j = judged(&s, 1.2, (double[]){1.19}, 1);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
    ck_assert_int_eq(j.confirmed, SP_CONFIRMED);
    ck_assert_int_eq(j.n_after, 2);
    ck_assert_ptr_eq(j.oldest, &s.entry[BEFORE]);
    ck_assert_ptr_eq(j.newest, &s.entry[BEFORE + 1]);
    ck_assert(strstr(j.confirmation, "confirmed by a second session (+18"));
    ck_assert(!sp_judge_wants_confirmation(&j));
}
END_TEST

START_TEST(an_unlucky_session_does_not_regress)
{
    struct series s;
    struct sp_judgement j = judged(&s, 1.2, (double[]){1.001}, 1);
    ck_assert_int_ne(j.verdict, SP_TRACK_REGRESSED);
    ck_assert_int_eq(j.confirmed, SP_NOT_CONFIRMED);
    ck_assert(strstr(j.confirmation, "regressed was not confirmed by a second session"));
    /* Together they would still regress: the second session says otherwise. */
    j = judged(&s, 2.0, (double[]){1.001}, 1);
    ck_assert_int_eq(j.verdict, SP_TRACK_INCONCLUSIVE);
    ck_assert(sp_judge_wants_confirmation(&j));
    j = judged(&s, 1.2, (double[]){1.2, 1.2}, 2);
    ck_assert(strstr(j.confirmation, "confirmed by 2 more sessions"));
}
END_TEST

/* Noise that hides a change is no regression that was or was not confirmed. */
START_TEST(what_was_not_decided_may_be_still)
{
    struct series s;
    struct sp_judgement j = judged(&s, 1.05, NULL, 0);
    for (int i = 0; i < 5; i++)
        s.entry[BEFORE].time_s[i] = 1 + 0.2 * (i - 2);
    ck_assert_int_eq(sp_judge_confirmed(s.list, s.n, NULL, 0, &options, &j, NULL), SP_OK);
    ck_assert_int_eq(j.verdict, SP_TRACK_INCONCLUSIVE);
    struct sp_entry *again = add(&s, 1);
    strcpy(again->confirms, s.entry[BEFORE].id);
    memcpy(again->time_s, s.entry[BEFORE].time_s, sizeof again->time_s);
    ck_assert_int_eq(sp_judge_confirmed(s.list, s.n, NULL, 0, &options, &j, NULL), SP_OK);
    ck_assert_int_eq(j.verdict, SP_TRACK_INCONCLUSIVE);
    ck_assert_int_eq(j.confirmed, SP_UNCONFIRMED);
    ck_assert_msg(strstr(j.confirmation, "still inconclusive with a second session"), "%s", j.confirmation);
}
END_TEST

/* Five runs of every record around its time, in a spread of 8 %. */
static void make_noisy(struct series *s)
{
    static const double spread[] = {-0.08, 0.03, 0.00, 0.07, -0.02};
    for (int k = 0; k < s->n; k++)
        for (int i = 0; i < 5; i++)
            s->entry[k].time_s[i] = s->entry[k].metric[SP_TRACKED_TIME] * (1 + spread[(i + k) % 5]);
}

static struct sp_judgement held(struct series *s)
{
    struct sp_judgement j;
    make_noisy(s);
    ck_assert_int_eq(sp_judge_confirmed(s->list, s->n, NULL, 0, &options, &j, NULL), SP_OK);
    sp_judge_hold(&j, 0);
    return j;
}

START_TEST(one_session_of_a_noisy_series_is_not_enough)
{
    struct series s;
    (void)judged(&s, 1.25, NULL, 0);
    struct sp_judgement j = held(&s);
    ck_assert_int_eq(j.verdict, SP_TRACK_INCONCLUSIVE);
    ck_assert_msg(strstr(j.why, "another session has to confirm it"), "%s", j.why);
    ck_assert(sp_judge_wants_confirmation(&j));
    (void)judged(&s, 1.25, (double[]){1.26}, 1);
    j = held(&s);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
    ck_assert_int_eq(j.confirmed, SP_CONFIRMED);
    /* Nothing that runs like these explain. */
    (void)judged(&s, 4, NULL, 0);
    ck_assert_int_eq(held(&s).verdict, SP_TRACK_REGRESSED);
    /* A quiet series needs no second session. */
    j = judged(&s, 1.25, NULL, 0);
    sp_judge_hold(&j, 0);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
}
END_TEST

/* As far as one session of unchanged code has been, and came back from, another one may be. */
START_TEST(what_came_back_before_may_come_again)
{
    struct series s;
    struct sp_judgement j = judged(&s, 1.2, NULL, 0);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
    for (int i = 0; i < 5; i++)
        s.entry[3].time_s[i] *= 1.25;
    s.entry[3].metric[SP_TRACKED_TIME] *= 1.25;
    ck_assert_int_eq(sp_judge_confirmed(s.list, s.n, NULL, 0, &options, &j, NULL), SP_OK);
    ck_assert_int_eq(j.verdict, SP_TRACK_INCONCLUSIVE);
    /* A level that stayed is no noise. */
    (void)judged(&s, 1.5, NULL, 0);
    for (int k = 4; k < BEFORE; k++) {
        for (int i = 0; i < 5; i++)
            s.entry[k].time_s[i] *= 1.1;
        s.entry[k].metric[SP_TRACKED_TIME] *= 1.1;
    }
    ck_assert_int_eq(sp_judge_confirmed(s.list, s.n, NULL, 0, &options, &j, NULL), SP_OK);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
}
END_TEST

START_TEST(what_is_not_comparable_confirms_nothing)
{
    struct series s;
    struct sp_judgement j = judged(&s, 1.2, NULL, 0);
    strcpy(add(&s, 1.2)->env, "another");
    ck_assert_int_eq(sp_judge_again(s.list, s.n, 1, NULL, 0, &options, &j, NULL), SP_OK);
    ck_assert_int_eq(j.verdict, SP_TRACK_REGRESSED);
    ck_assert_int_eq(j.confirmed, SP_UNCONFIRMED);
    ck_assert(strstr(j.confirmation, "another environment"));
}
END_TEST

START_TEST(without_a_baseline_there_is_nothing_to_confirm)
{
    struct series s = {.n = 0};
    struct sp_judgement j;
    add(&s, 1);
    ck_assert_int_eq(sp_judge_confirmed(s.list, 1, NULL, 0, &options, &j, NULL), SP_OK);
    ck_assert_int_eq(j.verdict, SP_TRACK_INCONCLUSIVE);
    ck_assert(!sp_judge_wants_confirmation(&j));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("confirm");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_second_session_confirms);
    tcase_add_test(tests, an_unlucky_session_does_not_regress);
    tcase_add_test(tests, what_was_not_decided_may_be_still);
    tcase_add_test(tests, one_session_of_a_noisy_series_is_not_enough);
    tcase_add_test(tests, what_came_back_before_may_come_again);
    tcase_add_test(tests, what_is_not_comparable_confirms_nothing);
    tcase_add_test(tests, without_a_baseline_there_is_nothing_to_confirm);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
