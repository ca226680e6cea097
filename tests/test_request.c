/* Records as command lines, and records without names. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/record/record.h"
#include "io/record/record_request.h"
#include "run_suite.h"

/* A record with these members (JSON), besides id, tool and start. */
static struct sp_record record_of(const char *members)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    json_t *more = json_loads(members, 0, NULL);
    ck_assert_ptr_nonnull(more);
    json_object_update(r.root, more);
    json_decref(more);
    return r;
}

static const char defaults[] =
    "{\"env\": {\"key\": \"k\"}, \"config\": {\"bytes\": \"sim\", \"runs\": 3, \"seed\": 1},"
    " \"request\": {\"version\": 1, \"op\": \"spmv\", \"width\": 1, \"order\": null, \"format\": \"crs\","
    " \"schedule\": \"nnz\", \"precision\": null, \"index\": \"i32\", \"prefetch\": null, \"threads\": null,"
    " \"isa\": null, \"store\": null, \"pages\": \"huge\", \"pin\": true, \"state\": \"warm\", \"between\": "
    "null,"
    " \"reorder\": \"none\", \"device\": \"cpu\", \"skew\": null, \"policy\": null, \"llc\": null,"
    " \"machine\": null}}";

static const char much[] =
    "{\"env\": {\"key\": \"k\"}, \"problem\": {\"zeros_dropped\": 4},"
    " \"config\": {\"bytes\": \"perf\", \"runs\": 5, \"seed\": 7, \"budget_s\": 0.05, \"max_samples\": 9},"
    " \"request\": {\"version\": 1, \"op\": \"spmmv\", \"width\": 8, \"order\": \"column\","
    " \"format\": \"sell:8,128\", \"schedule\": \"rows\", \"precision\": \"f32\", \"index\": \"i64\","
    " \"prefetch\": 64, \"threads\": 2, \"isa\": \"avx2\", \"store\": \"plain\", \"pages\": \"small\","
    " \"pin\": false, \"state\": \"cold\", \"reorder\": \"rcm\", \"device\": \"cpu\", \"skew\": 0.1,"
    " \"policy\": \"rrip\", \"llc\": 65536, \"machine\": \"a b.json\"}}";

static const char on_gpu[] =
    "{\"env\": {\"key\": \"k\"}, \"config\": {\"bytes\": \"model\", \"runs\": 1, \"seed\": 1},"
    " \"request\": {\"version\": 1, \"op\": \"spmm\", \"width\": 64, \"order\": \"row\", \"format\": \"crs\","
    " \"schedule\": \"nnz\", \"isa\": \"cuda-lanes\", \"pages\": \"huge\", \"pin\": true, \"device\": "
    "\"gpu\"}}";

START_TEST(requests_are_command_lines)
{
    static const struct {
        const char *record, *text;
    } cases[] = {
        {defaults, "analyze m --runs 3 --seed 1 --bytes sim"},
        {much, "analyze m --op spmmv --format sell:8,128 --schedule rows --precision f32 --index i64 "
               "--prefetch 64 --rhs 8 --order column --threads 2 --isa avx2 --store plain --pages small "
               "--no-pin --cold --reorder rcm --sim-skew 0.1 --sim-policy rrip --sim-llc 65536 "
               "--machine a b.json --runs 5 --samples 9 --budget 0.05 --seed 7 --drop-zeros --bytes perf"},
        {on_gpu, "analyze m --op spmm --inner 64 --isa cuda-lanes --device gpu --seed 1 --bytes sim"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_record r = record_of(cases[i].record);
        struct sp_arguments a = {0};
        char text[1000];
        ck_assert_int_eq(sp_record_request_arguments(&r, "m", &a, NULL), SP_OK);
        ck_assert_str_eq(sp_arguments_text(&a, text, sizeof text), cases[i].text);
        ck_assert_ptr_null(a.word[a.n]);
        sp_arguments_free(&a);
        sp_record_free(&r);
    }
}
END_TEST

START_TEST(what_is_not_understood_is_refused)
{
    static const struct {
        const char *path, *value, *says;
    } cases[] = {{"request.version", "2", "version"},
                 {"request.tiling", "\"8x8\"", "tiling"},
                 {"request", "null", "what was asked for"},
                 {"sweep", "{}", "what was asked for"},
                 {"config.bytes", "\"replay\"", "recorded elsewhere"},
                 {"env", "null", "recorded elsewhere"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_record r = record_of(defaults);
        struct sp_arguments a = {0};
        struct sp_error err;
        sp_record_put_at(&r, cases[i].path, json_loads(cases[i].value, JSON_DECODE_ANY, NULL));
        ck_assert_int_eq(sp_record_request_arguments(&r, "m", &a, &err), SP_INPUT);
        ck_assert_msg(strstr(err.what, cases[i].says), "%s: '%s'", cases[i].path, err.what);
        sp_arguments_free(&a);
        sp_record_free(&r);
    }
}
END_TEST

START_TEST(words_beyond_the_room_are_an_error)
{
    struct sp_arguments a = {0};
    for (int i = 0; i < 2 * SP_MOST_ARGUMENTS; i++)
        sp_arguments_add(&a, "word");
    ck_assert_int_gt(a.n, SP_MOST_ARGUMENTS);
    sp_arguments_free(&a);
    sp_arguments_free(&a);
}
END_TEST

static const char named[] =
    "{\"env\": {\"key\": \"0011223344556677\", \"detail\": {\"host\": \"node17\", \"kernel\": \"6.1\"}},"
    " \"id\": \"20261121T100214Z-secret-5e1f00d2\", \"command\": \"spmodel analyze ../secret.mtx --out "
    "/home/ann/x\","
    " \"source\": {\"commit\": \"abc123\", \"branch\": \"ann/topic\", \"tags\": [\"ann\"]},"
    " \"machine\": {\"name\": \"fast-ann\"}, \"request\": {\"machine\": \"ann/node17.json\"},"
    " \"problem\": {\"name\": \"secret\", \"path\": \"../it's secret.mtx\", \"rows\": 3, \"cols\": 4, "
    "\"nnz\": 5,"
    "  \"sha256\": null},"
    " \"roofs\": [{\"name\": \"load\", \"how\": \"measured on node17, node17b, in /home/ann/x y (see "
    "/proc/cpuinfo)\"}],"
    " \"confirms\": \"20261120T080000Z-secret-00000001\", \"campaign\": {\"job\": \"0123\", \"task\": "
    "\"4567\", "
    "\"matrix\": \"ann/secret.mtx\", \"run\": \"ann\", \"options\": [\"--machine\", \"ann/x\"]},"
    " \"remark\": \"rows of secret are long\","
    " \"hints\": [{\"try\": \"spmodel analyze '../it'\\\\''s secret.mtx' --machine ann/node17.json --reorder "
    "rcm\"},"
    "  {\"try\": \"spmodel analyze '../it'\\\\''s sec\"}, {\"try\": \"x / y GB/s, 1/2\"}]}";

static const char *text_at(const struct sp_record *r, const char *path)
{
    const char *text = json_string_value(sp_record_node_at(r, path));
    return text ? text : "?";
}

START_TEST(names_go_and_figures_stay)
{
    static const char *const secrets[] = {"secret", "ann", "abc123", "/home"};
    static const struct {
        const char *path, *text;
    } kept[] = {{"id", "20261121T100214Z-matrix-3x4-5-5e1f00d2"},
                {"problem.name", "matrix-3x4-5"},
                {"env.key", "0011223344556677"},
                {"env.detail.kernel", "6.1"},
                {"machine.name", "machine-00112233"},
                {"confirms", "20261120T080000Z-matrix-3x4-5-00000001"},
                {"campaign.job", "0123"},
                {"campaign.task", "4567"},
                {"remark", "rows of matrix-3x4-5 are long"},
                {"command", "spmodel analyze matrix-3x4-5"}};
    struct sp_record r = record_of(named);
    ck_assert_int_eq(sp_record_anonymise(&r, NULL), SP_OK);
    char *text = json_dumps(r.root, JSON_COMPACT);
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        ck_assert_msg(!strstr(text, secrets[i]), "'%s' in %s", secrets[i], text);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        ck_assert_str_eq(text_at(&r, kept[i].path), kept[i].text);
    ck_assert_str_eq(sp_item_text(json_array_get(sp_record_node(&r, SP_F_ROOFS), 0), "how"),
                     "measured on (host), node17b, in (path) y (see /proc/cpuinfo)");
    static const char *const tries[] = {
        "spmodel analyze matrix-3x4-5 --machine machine-00112233 --reorder rcm",
        "spmodel analyze matrix-3x4-5", "x / y GB/s, 1/2"};
    for (size_t i = 0; i < 3; i++)
        ck_assert_str_eq(sp_item_text(json_array_get(sp_record_node(&r, SP_F_HINTS), i), "try"), tries[i]);
    ck_assert_int_eq(sp_record_anonymise(&r, NULL), SP_OK); /* once more changes nothing */
    char *again = json_dumps(r.root, JSON_COMPACT);
    ck_assert_str_eq(text, again);
    free(again);
    sp_record_set_text(&r, SP_F_CAMPAIGN_MATRIX, "ann/secret.mtx"); /* but for what has come since */
    sp_record_set_text(&r, SP_F_CONFIRMS, "20261120T080000Z-secret-00000001");
    ck_assert_int_eq(sp_record_anonymise(&r, NULL), SP_OK);
    again = json_dumps(r.root, JSON_COMPACT);
    ck_assert_str_eq(text, again);
    free(text);
    free(again);
    sp_record_free(&r);
}
END_TEST

/* A matrix may have the name of a format, or one of a letter: codes and sentences stay readable. */
START_TEST(names_that_are_words)
{
    struct sp_record r =
        record_of("{\"problem\": {\"name\": \"crs\", \"path\": \"crs\", \"sha256\": \"00112233445566\"},"
                  " \"config\": {\"format\": \"crs\"}, \"remark\": \"crs is a matrix\"}");
    ck_assert_int_eq(sp_record_anonymise(&r, NULL), SP_OK);
    ck_assert_str_eq(text_at(&r, "remark"), "matrix-001122334455 is a matrix");
    sp_record_free(&r);
    r = record_of("{\"problem\": {\"name\": \"a\", \"path\": \"b/a\", \"sha256\": \"00112233445566\"},"
                  " \"binding\": {\"level\": \"a\"}, \"remark\": \"a row of 'a' and b/a\"}");
    ck_assert_int_eq(sp_record_anonymise(&r, NULL), SP_OK);
    ck_assert_str_eq(text_at(&r, "remark"), "a row of 'matrix-001122334455' and matrix-001122334455");
    ck_assert_str_eq(sp_words_text(&r, SP_F_BINDING_LEVEL, ""), "a");
    sp_record_free(&r);
}
END_TEST

START_TEST(one_commit_keeps_one_name)
{
    char first[64] = "";
    for (int i = 0; i < 3; i++) {
        struct sp_record r = record_of(named);
        if (i == 2)
            sp_record_set_text(&r, SP_F_SOURCE_COMMIT, "abc124");
        ck_assert_int_eq(sp_record_anonymise(&r, NULL), SP_OK);
        const char *commit = sp_words_text(&r, SP_F_SOURCE_COMMIT, "");
        if (i == 0)
            snprintf(first, sizeof first, "%s", commit);
        ck_assert_int_eq(strcmp(first, commit) == 0, i < 2);
        sp_record_free(&r);
    }
    ck_assert_int_eq(strncmp(first, "anon-", 5), 0);
}
END_TEST

START_TEST(generated_matrices_keep_their_formula)
{
    struct sp_record r = record_of("{\"problem\": {\"name\": \"gen:band:100\", \"path\": \"gen:band:100\"}}");
    ck_assert_int_eq(sp_record_anonymise(&r, NULL), SP_OK);
    ck_assert_str_eq(sp_words_text(&r, SP_F_PROBLEM_NAME, ""), "gen:band:100");
    ck_assert_str_eq(sp_words_text(&r, SP_F_PROBLEM_PATH, ""), "gen:band:100");
    sp_record_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("request");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, requests_are_command_lines);
    tcase_add_test(tests, what_is_not_understood_is_refused);
    tcase_add_test(tests, words_beyond_the_room_are_an_error);
    tcase_add_test(tests, names_go_and_figures_stay);
    tcase_add_test(tests, names_that_are_words);
    tcase_add_test(tests, one_commit_keeps_one_name);
    tcase_add_test(tests, generated_matrices_keep_their_formula);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
