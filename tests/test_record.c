#include <check.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/json_text.h"
#include "io/record/record.h"
#include "run_suite.h"

#define EXAMPLE SP_TEST_DATA "/record-kkt_power.json"

static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/spmodel-record-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *file_with(const char *name, const char *text)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

START_TEST(round_trip_keeps_everything)
{
    struct sp_record one, two;
    struct sp_error err;
    ck_assert_int_eq(sp_record_read(EXAMPLE, &one, &err), SP_OK);
    sp_record_put_at(&one, "future.deep.field", json_string("kept"));
    ck_assert_int_eq(sp_record_write(&one, in_folder("a.json"), &err), SP_OK);
    ck_assert_int_eq(sp_record_read(in_folder("a.json"), &two, &err), SP_OK);
    ck_assert(json_equal(one.root, two.root));
    ck_assert_str_eq(json_string_value(sp_record_node_at(&two, "future.deep.field")), "kept");
    sp_record_free(&one);
    sp_record_free(&two);
    sp_record_free(&two);
}
END_TEST

START_TEST(numbers_keep_all_their_bits)
{
    static const double numbers[] = {0.1, 1.0 / 3, 0.00431, 5e-324, 1.7976931348623157e308, 262.4e6, -1e-17};
    struct sp_record one, two;
    ck_assert_int_eq(sp_record_new("bits", &one, NULL), SP_OK);
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed: no decimal comma may appear */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char path[16];
        snprintf(path, sizeof path, "x.n%zu", i);
        sp_record_put_at(&one, path, json_real(numbers[i]));
    }
    sp_record_set_number(&one, SP_F_COST_LOAD_S, NAN);
    sp_record_set_count(&one, SP_F_PROBLEM_NNZ, INT64_MAX);
    ck_assert_int_eq(sp_record_write(&one, in_folder("b.json"), NULL), SP_OK);
    ck_assert_int_eq(sp_record_read(in_folder("b.json"), &two, NULL), SP_OK);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char path[16];
        snprintf(path, sizeof path, "x.n%zu", i);
        ck_assert(json_real_value(sp_record_node_at(&two, path)) == numbers[i]);
    }
    double x = 7;
    int64_t n = 0;
    ck_assert(!sp_record_number(&two, SP_F_COST_LOAD_S, &x) && x == 7);
    ck_assert(sp_record_count(&two, SP_F_PROBLEM_NNZ, &n) && n == INT64_MAX);
    sp_record_free(&one);
    sp_record_free(&two);
}
END_TEST

START_TEST(new_record_names_itself)
{
    struct sp_record a, b;
    const char *id_a, *id_b, *text;
    ck_assert_int_eq(sp_record_new("a matrix/with odd name", &a, NULL), SP_OK);
    ck_assert_int_eq(sp_record_new("a matrix/with odd name", &b, NULL), SP_OK);
    ck_assert(sp_record_text(&a, SP_F_ID, &id_a) && sp_record_text(&b, SP_F_ID, &id_b));
    ck_assert_str_ne(id_a, id_b);
    ck_assert_int_le(strncmp(id_a, id_b, strlen(id_a) - 3), 0); /* in time, but for the random digits */
    ck_assert_ptr_nonnull(strstr(id_a, "-a_matrix_with_odd_name-"));
    ck_assert(sp_record_text(&a, SP_F_SCHEMA, &text) && strcmp(text, SP_RECORD_SCHEMA) == 0);
    ck_assert(sp_record_text(&a, SP_F_TOOL_VERSION, &text) && sp_record_text(&a, SP_F_TIME_START, &text));
    ck_assert(!sp_record_text(&a, SP_F_TIME_END, &text));
    ck_assert_int_eq(sp_record_write(&a, in_folder("c.json"), NULL), SP_OK);
    ck_assert(sp_record_text(&a, SP_F_TIME_END, &text));
    sp_record_free(&a);
    sp_record_free(&b);
}
END_TEST

START_TEST(values_carry_origin_or_reason)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_new("v", &r, NULL), SP_OK);
    sp_record_set_value(&r, SP_F_METRICS_TIME, sp_value_between(2, 1, 3, SP_MEASURED));
    sp_record_set_value(&r, SP_F_METRICS_BYTES, sp_value_none("no counters"));
    sp_record_set_value(&r, SP_F_PLACEMENT_PAGES_HUGE_SHARE, sp_value_of(INFINITY, SP_MODELLED));
    sp_record_set_null(&r, SP_F_PROBLEM_SHA256, "not computed");
    struct sp_value v = sp_record_value(&r, SP_F_METRICS_TIME);
    ck_assert(v.value == 2 && v.lo == 1 && v.hi == 3 && v.origin == SP_MEASURED);
    v = sp_record_value(&r, SP_F_METRICS_BYTES);
    ck_assert_int_eq(v.origin, SP_NONE);
    ck_assert_str_eq(v.why, "no counters");
    const json_t *bytes = sp_record_node(&r, SP_F_METRICS_BYTES);
    ck_assert_str_eq(sp_item_text(bytes, "definition"), sp_record_fields[SP_F_METRICS_BYTES].words);
    ck_assert_str_eq(sp_item_text(bytes, "unit"), "B");
    ck_assert_str_eq(sp_item_text(bytes, "better"), "lower");
    sp_record_set_metric(&r, SP_F_METRICS_TIME, sp_value_between(2, 1, 3, SP_MEASURED), SP_DEFINED_ON_GPU);
    ck_assert_ptr_nonnull(strstr(sp_item_text(sp_record_node(&r, SP_F_METRICS_TIME), "definition"), "GPU"));
    ck_assert_str_eq(sp_record_value(&r, SP_F_PLACEMENT_PAGES_HUGE_SHARE).why, "not a finite number");
    ck_assert_str_eq(sp_record_value(&r, SP_F_PROBLEM_SHA256).why, "not computed");
    ck_assert_str_eq(sp_record_value(&r, SP_F_METRICS_ALPHA).why, "not in the record");
    sp_record_put_at(&r, "metrics.time.value", json_real(5));
    ck_assert(sp_record_value(&r, SP_F_METRICS_TIME).value == 5);
    json_object_del(json_object_get(json_object_get(r.root, "metrics"), "time"), "origin");
    ck_assert_int_eq(sp_record_value(&r, SP_F_METRICS_TIME).origin, SP_NONE);
    sp_record_free(&r);
}
END_TEST

START_TEST(getters_refuse_other_types)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_read(EXAMPLE, &r, NULL), SP_OK);
    const char *text = "untouched";
    int64_t n = -1;
    bool truth = false;
    ck_assert(!sp_record_text(&r, SP_F_PROBLEM_ROWS, &text) && strcmp(text, "untouched") == 0);
    ck_assert(!sp_record_count(&r, SP_F_PROBLEM_NAME, &n) && n == -1);
    ck_assert(!sp_record_count(&r, SP_F_METRICS_ALPHA, &n) && n == -1);
    ck_assert(!sp_record_flag(&r, SP_F_PROBLEM_ROWS, &truth) && !truth);
    ck_assert(!sp_record_text(&r, SP_F_NONE, &text));
    ck_assert_ptr_null(sp_record_node_at(&r, "no.such.thing"));
    ck_assert(sp_record_count(&r, SP_F_PROBLEM_NNZ, &n) && n == 14612663);
    ck_assert(sp_record_flag(&r, SP_F_PROBLEM_SYMMETRIC_EXPANDED, &truth) && truth);
    ck_assert_uint_eq(json_array_size(sp_record_node(&r, SP_F_ROOFS)), 3);
    sp_record_free(&r);
}
END_TEST

START_TEST(text_of_others_is_one_visible_line)
{
    static const char json[] =
        "{\"a\": \"x\\nok: y\\u001b\\u009b\\u202e\", \"k\\ney\": [{\"b\": \"\\r\"}, \"plain \xce\xb2\"],"
        " \"k\\\\ney\": 1, \"n\": 3}";
    json_t *root = sp_json_parse(json, strlen(json), JSON_REJECT_DUPLICATES, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(root, "a")), "x\\nok: y\\u001b\\u009b\\u202e");
    ck_assert_uint_eq(json_object_size(root), 3); /* two keys that look alike are one */
    const json_t *list = json_object_get(root, "k\\ney");
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 0), "b")), "\\r");
    ck_assert_str_eq(json_string_value(json_array_get(list, 1)), "plain \xce\xb2");
    json_decref(root);
    json_error_t fault;
    ck_assert_ptr_null(sp_json_parse("{\"a\": ", 6, 0, &fault));
    ck_assert_int_eq(fault.line, 1);
    ck_assert_ptr_null(sp_json_string(NULL));
}
END_TEST

START_TEST(lists_and_flags_grow)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_new("l", &r, NULL), SP_OK);
    sp_record_append(&r, SP_F_CONFIG_PIN, json_integer(1));
    sp_record_append(&r, SP_F_CONFIG_PIN, json_integer(2));
    sp_record_add_flag(&r, "Q10", "%d %% of the time", 15);
    ck_assert_uint_eq(json_array_size(sp_record_node(&r, SP_F_CONFIG_PIN)), 2);
    const json_t *flag = json_array_get(sp_record_node(&r, SP_F_FLAGS), 0);
    ck_assert_str_eq(json_string_value(json_object_get(flag, "text")), "15 % of the time");
    sp_record_set_text(&r, SP_F_PROBLEM_PATH, "caf\xe9 \xc3\xa9"); /* Latin-1 and UTF-8 in one file name */
    const char *text = "";
    ck_assert(sp_record_text(&r, SP_F_PROBLEM_PATH, &text));
    ck_assert_str_eq(text, "caf\\xe9 \xc3\xa9");
    ck_assert_int_eq(sp_record_write(&r, in_folder("d.json"), NULL), SP_OK);
    sp_record_append(&r, SP_F_CONFIG_PIN, NULL); /* as a failed json_pack() gives it */
    struct sp_error err;
    ck_assert_int_eq(sp_record_write(&r, in_folder("e.json"), &err), SP_MEMORY);
    ck_assert_int_ne(access(in_folder("e.json"), F_OK), 0);
    sp_record_free(&r);
}
END_TEST

START_TEST(damaged_files_are_named)
{
    static const struct {
        const char *text;
        int64_t line, column; /* 0: not a matter of place */
        const char *what;
    } cases[] = {
        {"", 1, 1, "not valid JSON"},
        {"{\"schema\": \"spmodel.record/1\",\n \"id\": \"x\",\n \"time\": {\"sta", 3, 14, "not valid JSON"},
        {"{\"schema\": \"spmodel.record/1\",\n \"a\": 1,\n \"a\": 2}", 3, 4, "duplicate"},
        {"{\"a\": nan}", 1, 9, "not valid JSON"},
        {"{\"schema\": \"spmodel.record/1\", \"id\": \"x\", \"time\": {}} {}", 1, 55, "not valid JSON"},
        {"[1, 2]", 1, 1, "no spmodel record: an array"},
        {"{\"id\": \"x\"}", 0, 0, "no text \"schema\""},
        {"{\"schema\": \"kerncraft/1\"}", 0, 0, "\"kerncraft/1\""},
        {"{\"schema\": \"spmodel.record/2\"}", 0, 0, "spmodel.record/2\"; this program knows"},
        {"{\"schema\": \"spmodel.record/17\"}", 0, 0, "spmodel.record/17\"; this program knows"},
        {"{\"schema\": \"spmodel.record/1\"}", 0, 0, "lacks \"id\""},
        {"{\"schema\": \"spmodel.record/1\", \"id\": 3, \"time\": {}}", 0, 0, "\"id\" is a number"},
        {"{\"schema\": \"spmodel.record/1\", \"id\": \"x\", \"time\": {}, \"roofs\": {}}", 0, 0,
         "\"roofs\" is an object, it should be an array"},
        {"{\"schema\": \"spmodel.record/1\", \"id\": \"x\", \"time\": {}, \"metrics\": {\"time\": "
         "{\"value\": "
         "1, \"hi\": 1e308}}}",
         0, 0, "\"metrics.time\" is 1e+308 s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_record r;
        struct sp_error err;
        const char *path = file_with("bad.json", cases[i].text);
        ck_assert_int_eq(sp_record_read(path, &r, &err), SP_INPUT);
        ck_assert_ptr_null(r.root);
        ck_assert_str_eq(err.path, path);
        ck_assert_msg(strstr(err.what, cases[i].what), "case %zu: %s", i, err.what);
        ck_assert_msg(err.line == cases[i].line && err.column == cases[i].column, "case %zu: %lld:%lld", i,
                      (long long)err.line, (long long)err.column);
        ck_assert(err.remedy[0]);
    }
    struct sp_record r;
    struct sp_error err;
    ck_assert_int_eq(sp_record_read(in_folder("absent.json"), &r, &err), SP_INPUT);
    ck_assert_int_eq(sp_record_read(folder, &r, &err), SP_INPUT);
    ck_assert_str_eq(err.what, "this is a directory");
    ck_assert_int_eq(sp_record_read(file_with("minor.json", "{\"schema\": \"spmodel.record/1.4\", \"id\": "
                                                            "\"x\", \"time\": {}, \"roofs\": null}"),
                                    &r, &err),
                     SP_OK);
    sp_record_free(&r);
}
END_TEST

START_TEST(unwritable_places_are_errors)
{
    struct sp_record r;
    struct sp_error err;
    ck_assert_int_eq(sp_record_new("u", &r, NULL), SP_OK);
    ck_assert_int_eq(sp_record_write(&r, in_folder("no/such/dir.json"), &err), SP_OUTPUT);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        ck_assert_int_eq(sp_record_print(&r, full, true, &err), SP_OUTPUT);
        ck_assert_ptr_nonnull(strstr(err.what, strerror(ENOSPC)));
        fclose(full);
    } else {
        puts("skipped: full device: there is no /dev/full here");
    }
    sp_record_free(&r);
}
END_TEST

START_TEST(one_line_is_one_line)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_read(EXAMPLE, &r, NULL), SP_OK);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_int_eq(sp_record_print(&r, stream, true, NULL), SP_OK);
    fclose(stream);
    ck_assert_ptr_eq(strchr(text, '\n'), text + size - 1);
    free(text);
    sp_record_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("record");
    TCase *tc = tcase_create("record");
    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, round_trip_keeps_everything);
    tcase_add_test(tc, numbers_keep_all_their_bits);
    tcase_add_test(tc, new_record_names_itself);
    tcase_add_test(tc, values_carry_origin_or_reason);
    tcase_add_test(tc, getters_refuse_other_types);
    tcase_add_test(tc, text_of_others_is_one_visible_line);
    tcase_add_test(tc, lists_and_flags_grow);
    tcase_add_test(tc, damaged_files_are_named);
    tcase_add_test(tc, unwritable_places_are_errors);
    tcase_add_test(tc, one_line_is_one_line);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
