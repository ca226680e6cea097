/* Everything that the program has a word for is explained; every cross reference leads somewhere; a formula
 * with the numbers of a record gives what the record has. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor.h"
#include "cli/explain_calculation.h"
#include "cli/explain_facts.h"
#include "cli/explain_hint.h"
#include "cli/explain_json.h"
#include "explain_words.h"
#include "io/record_words.h"
#include "lab/formula.h"
#include "lab/lab_check.h"
#include "model/machine.h"
#include "session/sentinel.h"
#include "sparse/gpu_launch.h"
#include "sparse/reorder.h"
#include "sparse/workload.h"
#include "track/campaign_jobs.h"
#include "track/entry.h"
#include "track/judge.h"

static bool is_explained(const char *name)
{
    struct sp_topic found[SP_TOPIC_MATCHES];
    return sp_topics_find(name, found) > 0;
}

static void must(const char *name)
{
    ck_assert_msg(is_explained(name), "'%s' is not explained", name);
}

/* `list`: words separated by blanks. */
static void must_all(const char *list)
{
    while (*list) {
        char word[64];
        size_t n = strcspn(list, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, list);
        must(word);
        list += n + (list[n] == ' ');
    }
}

START_TEST(test_symbols)
{
    must_all(
        "n_r n_c n_nz n_nzr n_nzc s_a s_x s_y s_i s_p s_v r b_h b_w w V V_read V_write W B_C I alpha beta "
        "b_S P_core lambda lambda_nz lambda_t");
    must_all("\xce\xb1 \xce\xb2 \xce\xbb \xcf\x83 \xce\xbc \xcf\x89 mu sigma omega C u Z b_1 n_sat alpha_min "
             "alpha_max n_e T_e T_init n_h W_h L_y");
    must_all("B_CRS B_SELL V_CRS V_SELL V_BCSR B(r) fluid roofline ecm losses gain sectors little");
}
END_TEST

START_TEST(test_words_of_the_layers)
{
    for (int i = 0; i < SP_N_OPS; i++)
        must(sp_op_name((enum sp_op)i));
    for (int i = 0; i < SP_N_FORMATS; i++)
        must(sp_format_name((enum sp_format)i));
    for (int i = 0; i < SP_N_PRECISIONS; i++)
        must(sp_precision_name((enum sp_precision)i));
    for (int i = 0; i < SP_N_INDICES; i++)
        must(sp_index_name((enum sp_index)i));
    for (int i = 0; i < SP_N_SCHEDULES; i++)
        must(sp_schedule_name((enum sp_schedule)i));
    for (int i = 0; i < SP_N_POLICIES; i++)
        must(sp_policy_name((enum sp_policy)i));
    for (const struct sp_reordering *r = sp_reordering_table; r->name; r++)
        must(r->name);
    for (int i = 0; i < SP_N_GPU_MAPS; i++) {
        char name[32];
        snprintf(name, sizeof name, "cuda-%s", sp_gpu_map_name((enum sp_gpu_map)i));
        must(name);
    }
    for (int i = 0; i < SP_N_ARRAYS; i++)
        must(sp_array_name((enum sp_array)i));
    for (int i = 0; i < SP_N_ORIGINS; i++)
        must(sp_origin_name((enum sp_origin)i));
    for (int i = 0; i < SP_N_LOSSES; i++) {
        must(sp_loss_words[i].key);
        must(sp_loss_words[i].words);
    }
}
END_TEST

START_TEST(test_verdicts_and_states)
{
    for (int i = 0; i <= SP_TRACK_NOT_COMPARABLE; i++)
        must(sp_track_verdict_name((enum sp_verdict_of_track)i));
    for (int i = 0; i < SP_N_TRACKED; i++)
        must(sp_tracked_metrics[i].name);
    for (int i = 0; i < SP_N_FINDING_STATES; i++)
        must(sp_verdict_words[i]);
    for (int i = 0; i < SP_N_LAB_STATES; i++)
        must(sp_lab_state_name((enum sp_lab_state)i));
    for (int i = 0; explain_word(i); i++)
        must(explain_word(i));
    for (int i = 0; i <= SP_HIGH; i++)
        must(sp_confidence_name((enum sp_confidence)i));
    for (int i = 0; i <= SP_JOB_DONE; i++)
        must(sp_job_state_name((enum sp_job_state)i));
    for (int i = 0; i < SP_N_SENTINELS; i++)
        must(sp_sentinel_name((enum sp_sentinel_kind)i));
    must_all("likwid papi perf cupti sim replay cannot-be-faster no-time-left impossible");
    must_all("trusted nothing multiple missing elsewhere off");
    must_all("complete interrupted failed modelled constructed");
    must_all("bandwidth latency imbalance in-core unknown");
}
END_TEST

/* Kinds of errors, and the exit codes that they become. */
START_TEST(test_exit_codes)
{
    for (int i = 0; i < SP_N_STATUS; i++) {
        char number[16], name[16];
        const int code = sp_exit_code((enum sp_status)i);
        snprintf(number, sizeof number, "%d", code);
        snprintf(name, sizeof name, "exit-%d", code);
        must(sp_status_name((enum sp_status)i));
        must(number);
        must(name);
    }
}
END_TEST

static void must_be_text(const char *text, const char *what, const char *name)
{
    ck_assert_msg(text && *text, "%s has no %s", name, what);
}

START_TEST(test_hints)
{
    for (const struct sp_hint_rule *const *rule = sp_hint_table; *rule; rule++) {
        must((*rule)->id);
        must_be_text((*rule)->title, "title", (*rule)->id);
        must_be_text((*rule)->condition, "condition", (*rule)->id);
        must_be_text((*rule)->remedy, "remedy", (*rule)->id);
        must_be_text((*rule)->gain, "way of predicting its gain", (*rule)->id);
        ck_assert_msg(sp_rule_numbers((*rule)->id) != NULL, "%s has no numbers of records", (*rule)->id);
    }
}
END_TEST

/* The metrics that the schema of records lists, and its losses. */
START_TEST(test_schema)
{
    json_t *schema = json_load_file(SP_TEST_SOURCE "/docs/record.schema.json", 0, NULL);
    ck_assert_ptr_nonnull(schema);
    const json_t *properties = json_object_get(schema, "properties");
    char list[800];
    snprintf(list, sizeof list, "%s", sp_item_text(json_object_get(properties, "metrics"), "description"));
    int n = 0;
    for (char *rest = NULL, *word = strtok_r(list, ", ", &rest); word;
         word = strtok_r(NULL, ", ", &rest), n++)
        must(word);
    ck_assert_int_ge(n, 20);
    const char *key;
    json_t *loss;
    json_object_foreach(json_object_get(json_object_get(properties, "losses"), "properties"), key, loss)
        must(key);
    json_decref(schema);
}
END_TEST

START_TEST(test_every_topic)
{
    struct sp_topic t, found[SP_TOPIC_MATCHES];
    int n = 0;
    for (; sp_topic_at(n, &t); n++) {
        must_be_text(t.title, "title", t.name);
        must(t.name);
        ck_assert_msg(!strchr(t.name, ' '), "'%s' has a blank", t.name);
        must_all(sp_topic_also(&t));
        ck_assert_msg(t.rule || (t.text && *t.text), "%s has no text", t.name);
        must_be_text(t.see, "cross reference", t.name);
        for (const char *see = t.see; *see;) {
            char word[64];
            size_t length = strcspn(see, " ");
            snprintf(word, sizeof word, "%.*s", (int)length, see);
            int matches = sp_topics_find(word, found);
            ck_assert_msg(matches > 0, "%s: see %s, which is not explained", t.name, word);
            ck_assert_msg(strcmp(word, t.name) != 0, "%s refers to itself", t.name);
            see += length + (see[length] == ' ');
        }
    }
    ck_assert_int_gt(n, 200);
}
END_TEST

/* A name is given once a theme, and is no other one's spelling in the same theme. */
START_TEST(test_names_are_distinct)
{
    struct sp_topic a, b;
    for (int i = 0; sp_topic_at(i, &a); i++)
        for (int k = i + 1; sp_topic_at(k, &b); k++)
            ck_assert_msg(strcmp(a.name, b.name) != 0 || strcmp(a.theme, b.theme) != 0, "%s is in '%s' twice",
                          a.name, a.theme);
}
END_TEST

static void read_example(const char *name, struct sp_record *r)
{
    char path[512];
    struct sp_error err;
    snprintf(path, sizeof path, "%s/%s", SP_TEST_DATA, name);
    ck_assert_msg(sp_record_read(path, r, &err) == SP_OK, "%s: %s", path, err.what);
}

/* Does the schema of records have this path? What it leaves open is allowed. */
static bool is_path(const json_t *schema, const char *path)
{
    const json_t *node = schema;
    while (*path) {
        char key[64];
        size_t n = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        const json_t *properties = json_object_get(node, "properties");
        if (!properties)
            return true;
        node = json_object_get(properties, key);
        if (!node)
            return false;
        path += n + (path[n] == '.');
    }
    return true;
}

static void check_path(const json_t *schema, const char *path, const char *name)
{
    const char *metrics =
        sp_item_text(json_object_get(json_object_get(schema, "properties"), "metrics"), "description");
    ck_assert_msg(is_path(schema, path), "%s: records have no %s", name, path);
    if (strncmp(path, "metrics.", 8) == 0) {
        char metric[64];
        snprintf(metric, sizeof metric, "%.*s", (int)strcspn(path + 8, "."), path + 8);
        ck_assert_msg(strstr(metrics, metric), "%s: the schema lists no %s", name, path);
    }
}

START_TEST(test_fields)
{
    json_t *schema = json_load_file(SP_TEST_SOURCE "/docs/record.schema.json", 0, NULL);
    struct sp_topic t;
    ck_assert_ptr_nonnull(schema);
    for (int i = 0; sp_topic_at(i, &t); i++) {
        const char *const *fields = t.term   ? t.term->fields
                                    : t.rule ? sp_rule_numbers(t.rule->id)->fields
                                             : NULL;
        for (int k = 0; fields && k < SP_TERM_FIELDS && fields[k]; k++)
            check_path(schema, fields[k], t.name);
        for (const struct sp_calculation *c = t.term ? t.term->calculations : NULL; c && c->result; c++)
            if (c->field)
                check_path(schema, c->field, t.name);
    }
    json_decref(schema);
}
END_TEST

static enum sp_status any_symbol(void *context, const char *name, struct sp_quantity *out,
                                 struct sp_error *err)
{
    struct sp_fact fact;
    (void)err;
    ck_assert_msg(sp_fact_find(context, name, &fact), "no symbol '%s'", name);
    *out = (struct sp_quantity){1, 1, 1};
    return SP_OK;
}

/* Formulas parse and name symbols that there are. */
static void check_formulas(const struct sp_calculation *list, const struct sp_record *r, const char *name)
{
    const struct sp_formula_source source = {any_symbol, NULL, (void *)r};
    for (; list && list->result; list++) {
        struct sp_quantity x;
        struct sp_error err;
        enum sp_status status = sp_formula_evaluate(list->formula, &source, &x, &err);
        ck_assert_msg(status == SP_OK || status == SP_UNDECIDED, "%s: %s: %s", name, list->formula, err.what);
        must_be_text(list->unit, "unit", list->result);
    }
}

START_TEST(test_formulas)
{
    struct sp_record r;
    struct sp_topic t;
    read_example("record-kkt_power.json", &r);
    for (int i = 0; sp_topic_at(i, &t); i++) {
        if (t.term)
            check_formulas(t.term->calculations, &r, t.name);
        if (t.rule)
            check_formulas(sp_rule_numbers(t.rule->id)->calculations, &r, t.name);
    }
    sp_record_free(&r);
}
END_TEST

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
    sp_record_set_number(&r, "metrics.balance.value", 5);
    sp_record_set_number(&r, "metrics.balance.lo", 5);
    sp_record_set_number(&r, "metrics.balance.hi", 5);
    json_t *c = calculation_of("B_C", "B_C", &r, &whole);
    ck_assert(json_is_false(json_object_get(c, "agrees")) && json_is_null(json_object_get(c, "because")));
    ck_assert_double_eq_tol(sp_item_number(c, "difference"), 262.4e6 / (2 * 14612663.0) / 5 - 1, 1e-9);
    json_decref(whole);
    sp_record_set_metric(&r, "bytes", sp_value_none("nobody counted them"), "B", "lower", "V");
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
    sp_record_set_text(&r, "config.op", "spmm");
    why = hint_of("E02", &r, &fires, &o);
    ck_assert(!fires && strstr(why, "SpMM"));
    json_decref(o);
    json_object_del(r.root, "hints");
    json_object_del(r.root, "not_a_problem");
    why = hint_of("G01", &r, &fires, &o);
    ck_assert(!fires && strstr(why, "not looked for"));
    json_decref(o);
    sp_record_free(&r);
}
END_TEST

/* 235 instead of 262.4 MB, all of it transfers: the ratio of the bytes. */
START_TEST(test_gain)
{
    struct sp_record r;
    bool fires;
    json_t *o;
    read_example("record-kkt_power.json", &r);
    json_t *hint = json_array_get(sp_record_node(&r, "hints"), 0);
    json_object_set_new(
        hint, "then",
        json_pack("{s:{s:f, s:s, s:s}}", "bytes", "value", 235e6, "unit", "B", "origin", "simulated"));
    hint_of("A01", &r, &fires, &o);
    const json_t *how = json_object_get(json_array_get(json_object_get(o, "hints"), 0), "gain_of");
    ck_assert_uint_eq(json_array_size(how), 2);
    ck_assert_double_eq_tol(sp_item_number(json_array_get(how, 0), "value"), 1 - 235 / 262.4, 1e-6);
    ck_assert_double_eq_tol(sp_item_number(json_array_get(how, 1), "value"),
                            (262.4e6 - 235e6) / 76e9 / 0.00431, 1e-6);
    ck_assert_ptr_null(json_object_get(r.root, "then"));
    json_decref(o);
    sp_record_free(&r);
}
END_TEST

/* Of hints that were predicted from a volume alone, both ways lie in the promise. */
START_TEST(test_gain_of_a_record)
{
    struct sp_record r;
    bool fires;
    json_t *o;
    size_t i;
    read_example("record-explain-hints.json", &r);
    hint_of("A01", &r, &fires, &o);
    ck_assert(fires);
    const json_t *hint = json_array_get(json_object_get(o, "hints"), 0),
                 *gain = json_object_get(hint, "gain"), *c;
    ck_assert_uint_eq(json_array_size(json_object_get(hint, "gain_of")), 2);
    json_array_foreach(json_object_get(hint, "gain_of"), i, c)
    {
        ck_assert_double_ge(sp_item_number(c, "value"), sp_item_number(gain, "lo"));
        ck_assert_double_le(sp_item_number(c, "value"), sp_item_number(gain, "hi"));
    }
    json_decref(o);
    sp_record_free(&r);
}
END_TEST

START_TEST(test_spellings)
{
    struct sp_topic found[SP_TOPIC_MATCHES];
    char near[200];
    ck_assert_int_eq(sp_topics_find("not comparable", found), 1);
    ck_assert_str_eq(found[0].name, "not-comparable");
    ck_assert_int_eq(sp_topics_find("b01", found), 1);
    ck_assert_str_eq(found[0].name, "B01");
    ck_assert_int_eq(sp_topics_find("5", found), 1);
    ck_assert_str_eq(found[0].name, "exit-5");
    ck_assert_int_eq(sp_topics_find("C", found), 1);
    ck_assert_str_eq(found[0].name, "C");
    ck_assert_int_ge(sp_topics_find("ok", found), 1);
    ck_assert_int_eq(sp_topics_find("", found), 0);
    ck_assert_int_eq(sp_topics_find("no-such-word-at-all", found), 0);
    ck_assert_ptr_nonnull(strstr(sp_topics_near("regresed", near, sizeof near), "regressed"));
    ck_assert_ptr_nonnull(strstr(sp_topics_near("alhpa", near, sizeof near), "alpha"));
    ck_assert_str_eq(sp_topics_near("no-such-word-at-all", near, sizeof near), "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("explain");
    TCase *tc = tcase_create("explain");
    tcase_add_test(tc, test_symbols);
    tcase_add_test(tc, test_words_of_the_layers);
    tcase_add_test(tc, test_verdicts_and_states);
    tcase_add_test(tc, test_exit_codes);
    tcase_add_test(tc, test_hints);
    tcase_add_test(tc, test_schema);
    tcase_add_test(tc, test_every_topic);
    tcase_add_test(tc, test_names_are_distinct);
    tcase_add_test(tc, test_fields);
    tcase_add_test(tc, test_formulas);
    tcase_add_test(tc, test_numbers_of_a_record);
    tcase_add_test(tc, test_by_hand);
    tcase_add_test(tc, test_doubts);
    tcase_add_test(tc, test_why_silent);
    tcase_add_test(tc, test_gain);
    tcase_add_test(tc, test_gain_of_a_record);
    tcase_add_test(tc, test_spellings);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
