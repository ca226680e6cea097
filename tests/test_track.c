/* Scores of hints from records made here, and the records that a user names. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_suite.h"
#include "track/judge/hint_score.h"
#include "track/store/store.h"

/* A record with hints as text: id, confidence, lo, hi, observed, its half interval, outcome. */
struct tried {
    const char *id, *confidence;
    double lo, hi, observed, half;
    const char *outcome; /* NULL: never tried */
};

static struct sp_record record_with(const struct tried *hint, int n)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_set_text(&r, SP_F_PROBLEM_NAME, "m");
    sp_record_set_object(&r, SP_F_HINTS, json_array());
    for (int i = 0; i < n; i++) {
        const struct tried *h = &hint[i];
        json_t *item = json_pack("{s:s, s:s, s:{s:f, s:f}}", "id", h->id, "confidence", h->confidence, "gain",
                                 "lo", h->lo, "hi", h->hi);
        if (h->outcome) {
            const struct sp_value seen =
                sp_value_between(h->observed, h->observed - h->half, h->observed + h->half, SP_MEASURED);
            json_object_set_new(item, "observed", sp_record_value_json(seen, "1"));
            json_object_set_new(item, "outcome", json_string(h->outcome));
            if (strcmp(h->outcome, "other conditions") == 0)
                json_object_set_new(item, "conditions", json_real(3.2));
        } else {
            json_object_set_new(item, "observed", json_null());
        }
        sp_record_append(&r, SP_F_HINTS, item);
    }
    return r;
}

START_TEST(rules_are_scored_against_silence)
{
    static const struct tried first[] = {{"A01", "high", 0.2, 0.4, 0.35, 0.01, "confirmed"},
                                         {"E03", "medium", 0.1, 0.2, 0.00, 0.01, "refuted"},
                                         {"B01", "low", 0.1, 0.2, 0, 0, NULL}};
    static const struct tried second[] = {{"A01", "high", 0.1, 0.2, -0.03, 0.08, "refuted"}};
    struct sp_hint_scores s = {0};
    struct sp_record r = record_with(first, 3), empty = record_with(NULL, 0);
    ck_assert_int_eq(sp_hint_scores_add(&s, &r, NULL), SP_OK);
    ck_assert_int_eq(sp_hint_scores_add(&s, &empty, NULL), SP_OK);
    sp_record_free(&r);
    sp_record_free(&empty);
    r = record_with(second, 1);
    ck_assert_int_eq(sp_hint_scores_add(&s, &r, NULL), SP_OK);
    sp_record_free(&r);
    ck_assert(s.n == 3 && s.n_records == 3 && s.n_without == 1);
    const struct sp_hint_score a = sp_hint_scores_of(&s, (struct sp_hint_choice){.id = "A01"}),
                               all = sp_hint_scores_of(&s, (struct sp_hint_choice){0}),
                               large = sp_hint_scores_of(&s, (struct sp_hint_choice){.least = 0.05}),
                               steady = sp_hint_scores_of(&s, (struct sp_hint_choice){.within = 0.05}),
                               none = sp_hint_scores_of(&s, (struct sp_hint_choice){.id = "Z99"});
    ck_assert(a.n == 2 && a.n_covered == 1 && a.n_refuted == 1 && a.n_high == 2 && a.n_high_refuted == 1);
    ck_assert_double_eq_tol(a.mean_error, (0.05 + 0.18) / 2, 1e-12);
    ck_assert_double_eq_tol(a.mean_nothing, (0.35 + 0.03) / 2, 1e-12);
    ck_assert(all.n == 3 && all.n_covered == 1 && all.n_refuted == 2);
    ck_assert_double_eq_tol(all.median_error, 0.15, 1e-12);
    ck_assert_double_eq_tol(all.median_nothing, 0.03, 1e-12);
    ck_assert(large.n == 1 && large.n_covered == 1);
    ck_assert(steady.n == 2 && steady.n_high == 1 && steady.n_refuted == 1);
    ck_assert(none.n == 0 && isnan(none.median_error));
    sp_hint_scores_free(&s);
    sp_hint_scores_free(&s);
}
END_TEST

/* Neither right nor wrong; a record of before the word is judged by its times. */
START_TEST(trials_under_other_conditions_do_not_score)
{
    static const struct tried hints[] = {{"A01", "high", 0.2, 0.4, 0.35, 0.01, "confirmed"},
                                         {"A01", "high", 0.2, 0.4, -0.50, 0.01, "other conditions"}};
    struct sp_hint_scores s = {0};
    struct sp_record r = record_with(hints, 2);
    ck_assert_int_eq(sp_hint_scores_add(&s, &r, NULL), SP_OK);
    const struct sp_hint_score a = sp_hint_scores_of(&s, (struct sp_hint_choice){.id = "A01"});
    ck_assert(s.n == 2 && a.n == 1 && a.n_other == 1 && a.n_covered == 1 && a.n_high == 1);
    ck_assert_double_eq_tol(a.mean_error, 0.05, 1e-12);
    ck_assert(s.hint[1].is_other && !s.hint[1].is_covered && !s.hint[1].is_refuted);
    sp_hint_scores_free(&s);
    sp_record_free(&r);

    static const struct tried older[] = {{"A01", "high", 0.2, 0.4, -0.50, 0.01, "refuted"}};
    for (int i = 0; i < 2; i++) {
        r = record_with(older, 1);
        json_t *item = json_array_get(sp_record_node(&r, SP_F_HINTS), 0);
        const struct sp_value beside = sp_value_of(i == 0 ? 0.032 : 0.011, SP_MEASURED);
        json_object_set_new(item, "trial",
                            json_pack("{s:o}", "base_time", sp_record_value_json(beside, "s")));
        sp_record_set_value(&r, SP_F_METRICS_TIME, sp_value_of(0.010, SP_MEASURED));
        ck_assert_int_eq(sp_hint_scores_add(&s, &r, NULL), SP_OK);
        ck_assert(s.hint[0].is_other == (i == 0) && s.hint[0].is_refuted == (i == 1));
        sp_hint_scores_free(&s);
        sp_record_free(&r);
    }
}
END_TEST

static void touch(const char *folder, const char *name)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fclose(f);
}

START_TEST(folders_give_their_records)
{
    char folder[] = "/tmp/spmodel-track-XXXXXX", inner[64], file[128];
    struct sp_record_paths p = {0};
    struct sp_error err;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/inner", folder);
    ck_assert_int_eq(mkdir(inner, 0700), 0);
    touch(folder, "b.json");
    touch(folder, "a.json");
    touch(folder, ".hidden.json");
    touch(folder, "a.svg");
    touch(inner, "c.json");
    ck_assert_int_eq(sp_record_paths_add(&p, folder, &err), SP_OK);
    ck_assert_int_eq(p.n, 3);
    static const char *const expected[] = {"a.json", "b.json", "inner/c.json"};
    for (int i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, expected[i]);
        ck_assert_str_eq(p.path[i], file);
    }
    ck_assert_int_eq(sp_record_paths_add(&p, p.path[0], &err), SP_OK);
    ck_assert_int_eq(p.n, 4);
    snprintf(file, sizeof file, "%s/none", folder);
    ck_assert_int_eq(sp_record_paths_add(&p, file, &err), SP_INPUT);
    ck_assert_str_eq(err.path, file);
    static const char *const all[] = {"inner/c.json", "inner", "b.json", "a.json",
                                      ".hidden.json", "a.svg", ""};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, all[i]);
        ck_assert_int_eq(remove(file), 0);
    }
    sp_record_paths_free(&p);
    sp_record_paths_free(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("track");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, rules_are_scored_against_silence);
    tcase_add_test(tests, trials_under_other_conditions_do_not_score);
    tcase_add_test(tests, folders_give_their_records);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
