/* The formulas of `explain` with the numbers of records that `analyze` wrote: what follows from other numbers
 * of a record is what the record has; what is changed or unknown says so; what a hint's gain is made of. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain/explained.h"
#include "io/record/record.h"
#include "report/report_words.h"
#include "run_suite.h"

static void read_example(const char *name, struct sp_record *r)
{
    char path[512];
    struct sp_error err;
    snprintf(path, sizeof path, "%s/%s", SP_TEST_DATA, name);
    ck_assert_msg(sp_record_read(path, r, &err) == SP_OK, "%s: %s", path, err.what);
}

static int explain_all(const struct sp_record *r, int *n_disagree, int *n_unknown)
{
    struct sp_topic t;
    int n_agree = 0;
    for (int i = 0; sp_topic_at(i, &t); i++) {
        json_t *o = sp_explain_json(&t, r);
        const json_t *c;
        size_t k;
        json_array_foreach(json_object_get(json_object_get(o, "record"), "calculations"), k, c)
        {
            const json_t *agrees = json_object_get(c, "agrees");
            n_agree += json_is_true(agrees);
            *n_unknown += json_is_null(json_object_get(c, "value"));
            if (!json_is_false(agrees))
                continue;
            printf("%s: %s = %s = %g, the record has %g (%s)\n", t.name, sp_item_text(c, "result"),
                   sp_item_text(c, "formula"), sp_item_number(c, "value"), sp_item_number(c, "record"),
                   sp_item_text(c, "because") ? sp_item_text(c, "because") : "no reason");
            *n_disagree += sp_item_text(c, "because") == NULL;
        }
        json_decref(o);
    }
    return n_agree;
}

/* A record that `analyze` wrote: whatever follows from other numbers of it does so exactly. */
START_TEST(test_numbers_of_a_record)
{
    static const char *const names[] = {"record-explain-crs.json",   "record-explain-sell.json",
                                        "record-explain-spmmv.json", "record-explain-bcsr.json",
                                        "record-explain-sddmm.json", "record-explain-fusedmm.json",
                                        "record-explain-hints.json", "record-gpu-levels.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sp_record r;
        int disagree = 0, unknown = 0;
        read_example(names[i], &r);
        int agree = explain_all(&r, &disagree, &unknown);
        ck_assert_msg(disagree == 0, "%s: %d results differ from the record without a reason", names[i],
                      disagree);
        ck_assert_msg(agree >= 15 || i > 6, "%s: only %d results agree with the record", names[i], agree);
        sp_record_free(&r);
    }
}
END_TEST

static json_t *calculation_of(const char *name, const char *result, const struct sp_record *r, json_t **whole)
{
    struct sp_topic found[SP_TOPIC_MATCHES];
    ck_assert_int_eq(sp_topics_find(name, found), 1);
    *whole = sp_explain_json(&found[0], r);
    const json_t *c;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(*whole, "record"), "calculations"), i,
                       c) if (strcmp(sp_item_text(c, "result"), result) == 0) return (json_t *)c;
    ck_abort_msg("%s has no calculation of %s", name, result);
    return NULL;
}

/* By hand: 262.4 MB over 2 x 14612663 operations; 233.1 MB at 76 GB/s of 4.31 ms. */
START_TEST(test_by_hand)
{
    struct sp_record r;
    json_t *whole;
    read_example("record-kkt_power.json", &r);
    json_t *c = calculation_of("B_C", "B_C", &r, &whole);
    ck_assert_double_eq_tol(sp_item_number(c, "value"), 262.4e6 / (2 * 14612663.0), 1e-9);
    ck_assert_str_eq(sp_item_text(c, "filled"), "262.4 MB / 29.23 Mflop");
    ck_assert(json_is_true(json_object_get(c, "agrees")));
    json_decref(whole);
    c = calculation_of("V", "V", &r, &whole);
    ck_assert_double_eq_tol(sp_item_number(c, "value"),
                            12 * 14612663.0 + 4 * 2063495.0 + 16 * 2063494.0 + 0.39 * 8 * 14612663.0, 1);
    json_decref(whole);
    c = calculation_of("x_loads", "x_loads", &r, &whole);
    ck_assert_double_eq_tol(sp_item_number(c, "value"), 0.39 / 0.141, 1e-12);
    json_decref(whole);
    sp_record_free(&r);
}
END_TEST

/* What is changed by hand is seen; what is unknown says why, and is no number. */
START_TEST(test_doubts)
{
    struct sp_record r;
    json_t *whole;
    read_example("record-kkt_power.json", &r);
    sp_record_put_at(&r, "metrics.balance.value", json_real(5));
    sp_record_put_at(&r, "metrics.balance.lo", json_real(5));
    sp_record_put_at(&r, "metrics.balance.hi", json_real(5));
    json_t *c = calculation_of("B_C", "B_C", &r, &whole);
    ck_assert(json_is_false(json_object_get(c, "agrees")) && json_is_null(json_object_get(c, "because")));
    ck_assert_double_eq_tol(sp_item_number(c, "difference"), 262.4e6 / (2 * 14612663.0) / 5 - 1, 1e-9);
    json_decref(whole);
    sp_record_set_value(&r, SP_F_METRICS_BYTES, sp_value_none("nobody counted them"));
    c = calculation_of("B_C", "B_C", &r, &whole);
    ck_assert(json_is_null(json_object_get(c, "value")));
    ck_assert_ptr_nonnull(strstr(sp_item_text(c, "why"), "nobody counted them"));
    ck_assert_str_eq(sp_item_text(c, "filled"), "? / 29.23 Mflop");
    json_decref(whole);
    sp_record_free(&r);
}
END_TEST

static const char *hint_of(const char *id, const struct sp_record *r, bool *fires, json_t **o)
{
    *o = sp_explain_hint(sp_hint_rule_find(id), r);
    *fires = json_is_true(json_object_get(*o, "fires"));
    return sp_item_text(*o, "silent");
}

START_TEST(test_why_silent)
{
    struct sp_record r;
    json_t *o;
    bool fires;
    read_example("record-kkt_power.json", &r);
    hint_of("A01", &r, &fires, &o);
    ck_assert(fires);
    json_decref(o);
    const char *why = hint_of("G01", &r, &fires, &o);
    ck_assert(!fires && strstr(why, "98 %"));
    json_decref(o);
    why = hint_of("J01", &r, &fires, &o);
    ck_assert(!fires && strstr(why, "GPU"));
    json_decref(o);
    why = hint_of("D01", &r, &fires, &o);
    ck_assert(!fires && strstr(why, "silent"));
    json_decref(o);
    sp_record_set_text(&r, SP_F_CONFIG_OP, "spmm");
    why = hint_of("E02", &r, &fires, &o);
    ck_assert(!fires && strstr(why, "SpMM"));
    json_decref(o);
    json_object_del(r.root, "hints");
    json_object_del(r.root, "not_a_problem");
    why = hint_of("G01", &r, &fires, &o);
    ck_assert(!fires && strstr(why, "not looked for"));
    json_decref(o);
    sp_record_set_text(&r, SP_F_CONDITIONS_DOUBT, "other programs disturbed the samples");
    why = hint_of("G01", &r, &fires, &o);
    ck_assert(!fires && strstr(why, "no hints: other programs disturbed the samples"));
    json_decref(o);
    sp_record_free(&r);
}
END_TEST

/* 235 instead of 262.4 MB, by hand: gathers wait for 0.51 of the 4.31 ms, which stays. */
START_TEST(test_gain)
{
    const double t = 4.31e-3, data_s = 262.4e6 / 76e9, then_s = 235e6 / 76e9, linear_s = 3.8e-3;
    struct sp_record r;
    bool fires;
    json_t *o;
    char text[96];
    read_example("record-kkt_power.json", &r);
    sp_record_set_value(&r, SP_F_METRICS_FLOPS,
                        sp_value_of(0.0014 * 21e9, SP_MODELLED)); /* W/P_core 1.4 ms */
    const double omega = (linear_s - data_s) / 0.0014, work_s = then_s + omega * 0.0014;
    const double hi = 1 - 0.95 * (work_s + t - linear_s) / t;
    json_t *hint = json_array_get(sp_record_node(&r, SP_F_HINTS), 0);
    json_object_set_new(
        hint, "then",
        json_pack("{s:{s:f, s:s, s:s}}", "bytes", "value", 235e6, "unit", "B", "origin", "simulated"));
    json_object_set_new(hint, "rule_version", json_integer(sp_hint_rule_find("A01")->version));
    json_object_set_new(hint, "gain",
                        json_pack("{s:f, s:f, s:s}", "lo", 0.0, "hi", hi, "basis", "simulated"));
    hint_of("A01", &r, &fires, &o);
    const json_t *is = json_array_get(json_object_get(o, "hints"), 0),
                 *lines = json_object_get(is, "derivation"),
                 *last = json_array_get(lines, json_array_size(lines) - 1);
    ck_assert(json_array_size(lines) >= 8 && !json_object_get(is, "not_derived"));
    ck_assert_str_eq(sp_item_text(json_array_get(lines, 0), "what"), "time now");
    ck_assert_double_eq_tol(sp_item_number(last, "hi"), hi, 1e-9);
    ck_assert_str_eq(sp_item_text(is, "gain_text"), sp_gain_text(hint, text, sizeof text));
    json_decref(o);
    json_object_set_new(json_object_get(hint, "gain"), "hi",
                        json_real(hi + 0.01)); /* someone promised more */
    hint_of("A01", &r, &fires, &o);
    is = json_array_get(json_object_get(o, "hints"), 0);
    ck_assert(!json_object_get(is, "derivation"));
    ck_assert_ptr_nonnull(strstr(sp_item_text(is, "not_derived"), "does not follow"));
    json_decref(o);
    sp_record_free(&r);
}
END_TEST

/* Every hint of every stored record ends in the text that the report prints; what another version of its rule
 * made says so. A rule whose reason stands in another one's hint finds it there. */
START_TEST(test_gains_of_stored_records)
{
    static const char *const names[] = {"record-kkt_power.json", "record-explain-hints.json",
                                        "record-explain-bcsr.json", "record-explain-gains.json"};
    int n_derived = 0, n_older = 0, n_shared = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sp_record r;
        const json_t *hint, *also;
        size_t k, l;
        read_example(names[i], &r);
        json_array_foreach(sp_record_node(&r, SP_F_HINTS), k, hint)
        {
            const char *id = sp_item_text(hint, "id");
            const struct sp_hint_rule *rule = sp_hint_rule_find(id);
            char text[96];
            bool fires;
            json_t *o;
            hint_of(id, &r, &fires, &o);
            const json_t *is = json_array_get(json_object_get(o, "hints"), 0);
            const bool derived = json_object_get(is, "derivation") != NULL;
            ck_assert_str_eq(sp_item_text(is, "gain_text"), sp_gain_text(hint, text, sizeof text));
            ck_assert_msg(derived || sp_item_number(hint, "rule_version") != rule->version,
                          "%s: %s is not derived", names[i], id);
            const double floor_s =
                             sp_item_number(json_object_get(json_object_get(hint, "then"), "floor"), "value"),
                         now_s = sp_item_number(json_array_get(json_object_get(is, "derivation"), 0), "hi");
            if (derived && isfinite(floor_s))
                ck_assert_double_ge((1 - sp_item_number(json_object_get(hint, "gain"), "hi")) * now_s,
                                    (1 - 1e-9) * floor_s);
            n_derived += derived;
            n_older += !derived;
            json_decref(o);
            json_array_foreach(json_object_get(hint, "also"), l, also)
            {
                hint_of(json_string_value(also), &r, &fires, &o);
                ck_assert(fires);
                n_shared++;
                json_decref(o);
            }
        }
        sp_record_free(&r);
    }
    ck_assert_msg(n_derived >= 3 && n_older >= 3 && n_shared >= 1, "%d derived, %d older, %d shared",
                  n_derived, n_older, n_shared);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("explain_records");
    TCase *tc = tcase_create("explain_records");
    tcase_add_test(tc, test_numbers_of_a_record);
    tcase_add_test(tc, test_by_hand);
    tcase_add_test(tc, test_doubts);
    tcase_add_test(tc, test_why_silent);
    tcase_add_test(tc, test_gain);
    tcase_add_test(tc, test_gains_of_stored_records);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
