/* The tables of `explain` hold together: every term has its texts and cross references that lead somewhere,
 * its fields are those of records, its formulas parse and name symbols that there are. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/formula.h"
#include "cli/doctor/doctor.h"
#include "cli/explain/explained.h"
#include "cli/explain/terms/topics.h"
#include "explain_must.h"
#include "io/record/record.h"
#include "lab/lab_audit.h"
#include "model/formulas/formulas.h"
#include "run_suite.h"
#include "sparse/formats/format.h"

static void must_be_text(const char *text, const char *what, const char *name)
{
    ck_assert_msg(text && *text, "%s has no %s", name, what);
}

static bool is_word_of(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

START_TEST(test_hints)
{
    for (const struct sp_hint_rule *const *rule = sp_hint_table; *rule; rule++) {
        must((*rule)->id);
        must_be_text((*rule)->title, "title", (*rule)->id);
        must_be_text((*rule)->condition, "condition", (*rule)->id);
        must_be_text((*rule)->remedy, "remedy", (*rule)->id);
        must_be_text((*rule)->gain, "way of predicting its gain", (*rule)->id);
    }
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
        ck_assert_msg(t.term->name != NULL,
                      "%s has no numbers of records: src/cli/explain/terms/hints.txt lacks `rule: %s`",
                      t.name, t.name);
        ck_assert_msg(t.rule || (t.term->text && *t.term->text), "%s has no text", t.name);
        must_be_text(t.term->see, "cross reference", t.name);
        for (const char *see = t.term->see; *see;) {
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

/* A list of most formats is one that the next format is missing from. */
START_TEST(test_formats_of_numbers)
{
    struct sp_topic t;
    for (int n = 0; sp_topic_at(n, &t); n++)
        for (const struct sp_calculation *c = t.term->calculations; c && c->result; c++) {
            int listed = 0;
            for (int i = 0; c->formats && i < sp_n_formats; i++)
                listed += is_word_of(c->formats, sp_format_name(i));
            ck_assert_msg(2 * listed <= sp_n_formats || is_word_of(c->formats, "not"),
                          "%s, number: %s = %s, formats: %s: the next format would be missing there; say "
                          "`formats: not` and the others",
                          t.name, c->result, c->formula, c->formats);
        }
}
END_TEST

/* What `lab grade` can flag is explained, by its code and from `lab-flags`, and named in its page. */
START_TEST(test_flags_of_labs)
{
    struct sp_topic list[SP_TOPIC_MATCHES];
    char page[20000];
    FILE *file = fopen(SP_TEST_SOURCE "/docs/labs.md", "r");
    ck_assert_ptr_nonnull(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    ck_assert(feof(file));
    fclose(file);
    ck_assert_int_eq(sp_topics_find("lab-flags", list), 1);
    for (int i = 0; i < SP_N_LAB_FLAGS; i++) {
        char name[32], row[32];
        const char *code = sp_lab_flag_name((enum sp_lab_flag_code)i);
        must_be_text(code, "name", "a flag of labs");
        snprintf(name, sizeof name, "flag-%s", code);
        snprintf(row, sizeof row, "`%s`", code);
        must(name);
        must(code);
        ck_assert_msg(strstr(list[0].term->see, name) != NULL, "lab-flags does not lead to %s", name);
        ck_assert_msg(strstr(page, row) != NULL, "docs/labs.md does not name %s", code);
    }
}
END_TEST

/* Headings of doctor, as they are printed: no error of the same name. */
START_TEST(test_headings_of_doctor)
{
    const char *const titles[] = {sp_title_permissions, sp_title_holders,  sp_title_gpu,
                                  sp_title_processor,   sp_title_memory,   sp_title_noise,
                                  sp_title_around,      "WHAT STILL WORKS"};
    struct sp_topic found[SP_TOPIC_MATCHES];
    must(sp_title_bytes);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        must(titles[i]);
        sp_topics_find(titles[i], found);
        ck_assert_msg(strncmp(found[0].title, "heading of doctor", 17) == 0, "'%s' is %s", titles[i],
                      found[0].title);
    }
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
        for (int k = 0; k < SP_TERM_FIELDS && t.term->fields[k]; k++)
            check_path(schema, sp_field_path(t.term->fields[k]), t.name);
        for (const struct sp_calculation *c = t.term->calculations; c && c->result; c++)
            if (c->field)
                check_path(schema, sp_field_path(c->field), t.name);
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
    ck_assert_int_eq(sp_record_new("formulas", &r, NULL), SP_OK);
    for (int i = 0; sp_topic_at(i, &t); i++) {
        check_formulas(t.term->calculations, &r, t.name);
    }
    sp_record_free(&r);
}
END_TEST

/* Symbols of the model's formulas mean the same with a record: units are the same. */
START_TEST(test_units_of_symbols)
{
    struct sp_record r;
    int n = 0;
    ck_assert_int_eq(sp_record_new("units", &r, NULL), SP_OK);
    for (const struct sp_symbol_row *row = sp_symbol_table; row->name; row++) {
        struct sp_fact fact;
        if (!sp_fact_find(&r, row->name, &fact))
            continue;
        ck_assert_msg(strcmp(fact.unit, row->unit) == 0, "%s is in %s and in %s", row->name, fact.unit,
                      row->unit);
        n++;
    }
    ck_assert_int_ge(n, 70);
    sp_record_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("explain_tables");
    TCase *tc = tcase_create("explain_tables");
    tcase_add_test(tc, test_hints);
    tcase_add_test(tc, test_every_topic);
    tcase_add_test(tc, test_formats_of_numbers);
    tcase_add_test(tc, test_flags_of_labs);
    tcase_add_test(tc, test_headings_of_doctor);
    tcase_add_test(tc, test_names_are_distinct);
    tcase_add_test(tc, test_fields);
    tcase_add_test(tc, test_formulas);
    tcase_add_test(tc, test_units_of_symbols);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
