/* Verdicts judged again when a second session has been measured: entries made here, no clock. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
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
    ck_assert_int_eq(sp_judge(s->list, s->n, NULL, 0, &options, &j, NULL), SP_OK);
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
    ck_assert_int_eq(j.seen, 2);
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
    static const double swing[] = {1, 1.12, 0.9, 1.08, 0.92, 1.1, 0.95, 1.05};
    struct series s;
    struct sp_judgement j;
    begin(&s);
    for (int k = 0; k < BEFORE; k++)
        for (int i = 0; i < 5; i++)
            s.entry[k].time_s[i] *= swing[k];
    add(&s, 1.05);
    ck_assert_int_eq(sp_judge(s.list, s.n, NULL, 0, &options, &j, NULL), SP_OK);
    ck_assert_int_eq(j.verdict, SP_TRACK_INCONCLUSIVE);
    ck_assert_msg(strstr(j.why, "sessions of unchanged code differ by"), "%s", j.why);
    strcpy(add(&s, 1.06)->confirms, s.entry[BEFORE].id);
    ck_assert_int_eq(sp_judge(s.list, s.n, NULL, 0, &options, &j, NULL), SP_OK);
    ck_assert_int_eq(j.verdict, SP_TRACK_INCONCLUSIVE);
    ck_assert_int_eq(j.confirmed, SP_UNCONFIRMED);
    ck_assert_msg(strstr(j.confirmation, "still inconclusive with a second session"), "%s", j.confirmation);
}
END_TEST

START_TEST(without_a_baseline_there_is_nothing_to_confirm)
{
    struct series s = {.n = 0};
    struct sp_judgement j;
    add(&s, 1);
    ck_assert_int_eq(sp_judge(s.list, 1, NULL, 0, &options, &j, NULL), SP_OK);
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
    tcase_add_test(tests, without_a_baseline_there_is_nothing_to_confirm);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
