/* What of a series is judged where several machines write into one store. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "run_suite.h"
#include "track/judge/sessions.h"

enum { MOST = 8 };

struct found {
    struct sp_newest newest[MOST];
    int n;
};

static struct sp_entry entry(int day, int minute, const char *env, const char *commit)
{
    struct sp_entry e = {.n_runs = 1};
    snprintf(e.id, sizeof e.id, "%s%d", env, day);
    snprintf(e.start, sizeof e.start, "2026-11-%02dT12:%02d:00Z", day, minute);
    snprintf(e.env, sizeof e.env, "%s", env);
    snprintf(e.caches, sizeof e.caches, "same");
    snprintf(e.commit, sizeof e.commit, "%s", commit);
    strcpy(e.origin[SP_TRACKED_BYTES], "simulated");
    return e;
}

static bool is_of_commit(const void *commit, const struct sp_entry *e)
{
    return !commit || strcmp(commit, e->commit) == 0;
}

static struct found find(const struct sp_entry *e, int n, enum sp_tracked metric, const char *commit)
{
    const struct sp_entry *list[32];
    struct found f;
    for (int i = 0; i < n; i++)
        list[i] = &e[i];
    ck_assert_int_eq(sp_newest_find(list, n, metric, is_of_commit, commit, f.newest, MOST, &f.n, NULL),
                     SP_OK);
    return f;
}

static const char *last(const struct found *f, int i)
{
    return f->newest[i].list[f->newest[i].n - 1]->id;
}

static void forget(struct found *f)
{
    for (int i = 0; i < f->n; i++)
        sp_newest_free(&f->newest[i]);
}

START_TEST(each_machine_has_its_verdict)
{
    const struct sp_entry e[] = {entry(1, 0, "a", "c1"), entry(1, 1, "b", "c1"), entry(2, 0, "a", "c2"),
                                 entry(2, 1, "b", "c2")};
    struct found f = find(e, 4, SP_TRACKED_TIME, NULL);
    ck_assert_int_eq(f.n, 2);
    ck_assert(f.newest[0].n == 2 && f.newest[1].n == 2);
    ck_assert_str_eq(last(&f, 0), "a2");
    ck_assert_str_eq(last(&f, 1), "b2");
    ck_assert_str_eq(f.newest[1].list[0]->id, "b1");
    forget(&f);
    f = find(e, 4, SP_TRACKED_BYTES, NULL); /* simulated with the same caches: one history */
    ck_assert(f.n == 1 && f.newest[0].n == 4);
    forget(&f);
}
END_TEST

START_TEST(what_was_left_behind_is_not_judged_again)
{
    struct sp_entry e[] = {entry(1, 0, "old", "c1"), entry(8, 0, "new", "c2"), entry(9, 0, "new", "c3")};
    struct found f = find(e, 3, SP_TRACKED_TIME, NULL);
    ck_assert(f.n == 1 && f.newest[0].n == 2);
    forget(&f);
    strcpy(e[0].commit, "c3"); /* unless it measured the same commit */
    f = find(e, 3, SP_TRACKED_TIME, NULL);
    ck_assert_int_eq(f.n, 2);
    forget(&f);
}
END_TEST

START_TEST(without_anything_to_compare_all_is_shown)
{
    const struct sp_entry e[] = {entry(1, 0, "a", "c1"), entry(9, 0, "b", "c2")};
    struct found f = find(e, 2, SP_TRACKED_TIME, NULL);
    ck_assert(f.n == 1 && f.newest[0].n == 2);
    ck_assert_str_eq(last(&f, 0), "b9");
    forget(&f);
}
END_TEST

/* A filter chooses what is judged, never with what it is compared. */
START_TEST(filters_leave_the_history)
{
    const struct sp_entry e[] = {entry(1, 0, "a", "c1"), entry(2, 0, "a", "c2"), entry(3, 0, "a", "c3")};
    struct found f = find(e, 3, SP_TRACKED_TIME, "c2");
    ck_assert(f.n == 1 && f.newest[0].n == 2);
    ck_assert_str_eq(last(&f, 0), "a2");
    forget(&f);
    f = find(e, 3, SP_TRACKED_TIME, "none");
    ck_assert_int_eq(f.n, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("newest");
    TCase *tc = tcase_create("newest");
    tcase_add_test(tc, each_machine_has_its_verdict);
    tcase_add_test(tc, what_was_left_behind_is_not_judged_again);
    tcase_add_test(tc, without_anything_to_compare_all_is_shown);
    tcase_add_test(tc, filters_leave_the_history);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
