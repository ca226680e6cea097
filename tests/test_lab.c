/* Labs: formulas, what decides about predictions and runs, and what does not fit in a submitted
 * folder. All on a lab and on records that are written here. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/lab_audit.h"
#include "lab/lab_check.h"
#include "lab/lab_report.h"
#include "run_suite.h"
#include "scratch_dir.h"

static void make_lab(void)
{
    char path[128];
    make_dir();
    snprintf(path, sizeof path, "%s/7-try", dir);
    ck_assert_int_eq(mkdir(path, 0755), 0);
}

static enum sp_status two(void *context, const char *name, struct sp_quantity *out, struct sp_error *err)
{
    (void)context;
    if (strcmp(name, "two") != 0)
        return sp_fail(err, SP_INPUT, NULL, "no '%s'", name);
    *out = (struct sp_quantity){2, 1, 4};
    return SP_OK;
}

static double value_of(const char *text)
{
    const struct sp_formula_source source = {two, NULL, NULL};
    struct sp_quantity q;
    struct sp_error err;
    ck_assert_msg(sp_formula_evaluate(text, &source, &q, &err) == SP_OK, "%s: %s", text, err.what);
    return q.value;
}

START_TEST(formulas_compute)
{
    ck_assert_double_eq(value_of("1 + 2*3"), 7);
    ck_assert_double_eq(value_of("(1 + 2)*3 - -4"), 13);
    ck_assert_double_eq(value_of("2^3^2"), 512);
    ck_assert_double_eq(value_of("2*3^2/6 - 17 % 5"), 1);
    ck_assert_double_eq(value_of("max(1, two, 1.5) + min(3, 2) + ceil(7/2) + floor(7/2)"), 11);
    ck_assert_double_eq(value_of("sqrt(16) + log2(8)"), 7);
    ck_assert_double_eq(value_of(" 258e6/1e6 "), 258);
}
END_TEST

START_TEST(intervals_hold_every_outcome)
{
    const struct sp_formula_source source = {two, NULL, NULL};
    struct sp_quantity q;
    ck_assert_int_eq(sp_formula_evaluate("12/two - 1", &source, &q, NULL), SP_OK);
    ck_assert_double_eq(q.value, 5);
    ck_assert_double_eq(q.lo, 2);
    ck_assert_double_eq(q.hi, 11);
    ck_assert_int_eq(sp_formula_evaluate("-two*two", &source, &q, NULL), SP_OK);
    ck_assert_double_eq(q.lo, -16);
    ck_assert_double_eq(q.hi, -1);
    ck_assert_int_eq(sp_formula_evaluate("1/(two - 2)", &source, &q, NULL), SP_UNDECIDED);
    ck_assert_int_eq(sp_formula_evaluate("1/(two - 1.5)", &source, &q, NULL), SP_UNDECIDED); /* holds 0 */
    ck_assert_int_eq(sp_formula_evaluate("(two - 3)^2", &source, &q, NULL), SP_UNDECIDED);
    ck_assert_int_eq(sp_formula_evaluate("two % 2", &source, &q, NULL),
                     SP_OK); /* 1 % 2 and 3 % 2 are inside */
    ck_assert_double_eq(q.value, 0);
    ck_assert_double_le(q.lo, 0);
    ck_assert_double_ge(q.hi, 1);
}
END_TEST

START_TEST(formulas_are_refused)
{
    static const char *const bad[] = {"",       "1 +",        "(1",    "1 2", "three",
                                      "sin(1)", "[run:path]", "max(1", "1..2"};
    const struct sp_formula_source source = {two, NULL, NULL};
    struct sp_quantity q;
    struct sp_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(sp_formula_evaluate(bad[i], &source, &q, &err) == SP_INPUT, "%s", bad[i]);
    ck_assert_int_eq(sp_formula_evaluate("1/0", &source, &q, &err), SP_UNDECIDED);
    char deep[400];
    memset(deep, '(', 390);
    deep[390] = '\0';
    ck_assert_int_eq(sp_formula_evaluate(deep, &source, &q, &err), SP_INPUT);
    memset(deep, '-', 390);
    ck_assert_int_eq(sp_formula_evaluate(deep, &source, &q, &err), SP_INPUT);
    ck_assert(strstr(err.what, "too deep"));
}
END_TEST

static const char lab_text[] =
    "{\"schema\": \"spmodel.lab/1\", \"id\": \"7-try\", \"number\": 7, \"title\": \"A try\", \"minutes\": 1,"
    "\"parameters\": [{\"name\": \"n\", \"full\": \"100\", \"small\": \"10\"}, {\"name\": \"nnz\", \"is\": "
    "\"3*n\"}],"
    "\"runs\": [{\"id\": \"one\", \"arguments\": [\"analyze\", \"gen:arrow:{n}\", \"--cold\"]},"
    "           {\"id\": \"sizes\", \"arguments\": [\"model\", \"--sizes\", \"{n},{n},{nnz}\", "
    "\"--machine\", \"ivb\"]},"
    "           {\"id\": \"named\", \"arguments\": [\"model\", \"gen:arrow:{n}\"]},"
    "           {\"id\": \"gpu\", \"needs\": \"GPU\", \"arguments\": [\"analyze\", \"gen:arrow:{n}\", "
    "\"--device\", \"gpu\"]}],"
    "\"questions\": ["
    " {\"id\": \"right\", \"text\": \"t\", \"unit\": \"B\", \"expected\": \"nnz\", \"tolerance\": 0.01},"
    " {\"id\": \"wrong\", \"text\": \"t\", \"unit\": \"B\", \"expected\": \"nnz\", \"tolerance\": 0.01, "
    "\"points\": 2, \"wrong\": [{\"value\": \"n\", \"is\": \"n alone\"}, {\"value\": \"2*n\", \"is\": "
    "\"twice n\"}]},"
    " {\"id\": \"late\", \"text\": \"t\", \"unit\": \"B\", \"expected\": \"nnz\", \"tolerance\": 0.01},"
    " {\"id\": \"missing\", \"text\": \"t\", \"unit\": \"B\", \"expected\": \"nnz\", \"tolerance\": 0.01},"
    " {\"id\": \"word\", \"text\": \"t\", \"unit\": \"\", \"choices\": [\"a\", \"b\"], \"pick\": \"lowest\", "
    "\"expected_of\": {\"a\": \"2\", \"b\": \"1\"}},"
    " {\"id\": \"open\", \"text\": \"t\", \"unit\": \"B\", \"expected\": \"nnz\", \"open\": true},"
    " {\"id\": \"share\", \"text\": \"t\", \"unit\": \"%\", \"expected\": \"100*[one:metrics.time]\", "
    "\"open\": true},"
    " {\"id\": \"span\", \"text\": \"t\", \"unit\": \"s\", \"expected\": \"[one:metrics.time]\", "
    "\"interval\": {\"most\": 2}}],"
    "\"checks\": ["
    " {\"id\": \"equal\", \"text\": \"t\", \"kind\": \"equal\", \"unit\": \"B\", \"a\": "
    "\"[one:levels.name=MEM.read_B]\", "
    "\"b\": \"400\", \"tolerance\": 0.01},"
    " {\"id\": \"below\", \"text\": \"t\", \"kind\": \"at_least\", \"a\": \"[one:levels.name=MEM.read_B]\", "
    "\"b\": \"401\", \"tolerance\": 0},"
    " {\"id\": \"order\", \"text\": \"t\", \"kind\": \"ascending\", \"unit\": \"1\", \"of\": [\"1\", \"2\", "
    "\"2\", \"3\"], "
    "\"tolerance\": 0},"
    " {\"id\": \"disorder\", \"text\": \"t\", \"kind\": \"ascending\", \"of\": [\"1\", \"3\", \"2\", \"4\"], "
    "\"tolerance\": 0},"
    " {\"id\": \"timed\", \"text\": \"t\", \"kind\": \"at_most\", \"a\": \"[one:metrics.time]\", \"b\": "
    "\"3\", \"tolerance\": 0, \"timed\": true},"
    " {\"id\": \"straddles\", \"text\": \"t\", \"kind\": \"at_most\", \"a\": \"[one:metrics.time]\", \"b\": "
    "\"2.05\", \"tolerance\": 0, \"timed\": true},"
    " {\"id\": \"slow\", \"text\": \"t\", \"kind\": \"at_most\", \"a\": \"[one:metrics.time]\", \"b\": "
    "\"1\", \"tolerance\": 0, \"timed\": true},"
    " {\"id\": \"gentle\", \"text\": \"t\", \"kind\": \"at_most\", \"a\": \"[one:metrics.time]\", \"b\": "
    "\"1\", \"tolerance\": 0, \"timed\": true, \"otherwise\": \"undecided\"},"
    " {\"id\": \"extreme\", \"text\": \"t\", \"kind\": \"equal\", \"a\": \"[one:runs.0.time_s.least] + "
    "[one:runs.0.time_s.most] + [one:levels.name=MEM.arrays.y.read_B]\", \"b\": \"4\", \"tolerance\": 1e-9},"
    " {\"id\": \"elsewhere\", \"text\": \"t\", \"kind\": \"equal\", \"a\": \"1\", \"b\": \"2\", "
    "\"tolerance\": 0, "
    "\"when\": \"n - 10\", \"else\": \"only with more\"},"
    " {\"id\": \"skipped\", \"text\": \"t\", \"kind\": \"at_most\", \"a\": \"[gpu:metrics.time]\", \"b\": "
    "\"1\", \"tolerance\": 0},"
    " {\"id\": \"left_out\", \"text\": \"t\", \"kind\": \"at_most\", \"a\": \"[one:losses.row_ends]\", "
    "\"b\": \"1\", \"tolerance\": 0},"
    " {\"id\": \"unknown\", \"text\": \"t\", \"kind\": \"at_most\", \"a\": \"[one:metrics.alpha]\", \"b\": "
    "\"1\", \"tolerance\": 0}]}";

/* W = 20, t = 2, V = 400. */
static const char record_text[] =
    "{\"schema\": \"spmodel.record/1\", \"id\": \"x\", \"command\": \"spmodel analyze %s --cold\", \"time\": "
    "{\"start\": "
    "\"2999-01-01T00:00:00Z\"}, \"problem\": {\"path\": \"%s\", \"nnz\": 10}, \"config\": {\"op\": \"spmv\"},"
    "\"levels\": [{\"name\": \"MEM\", \"read_B\": 400, \"write_B\": 0, \"arrays\": {\"values\": {\"read_B\": "
    "400, \"write_B\": 0}}}],"
    "\"losses\": {\"min_traffic\": 1, \"padding\": 0, \"extra_x\": 0, \"imbalance\": 0, \"in_core\": 0, "
    "\"rest\": 1},"
    "\"runs\": [{\"time_s\": [1.9, 2, 2.1]}], \"conditions\": {\"state\": \"clean\"%s},"
    "\"metrics\": {\"time\": {\"value\": 2, \"lo\": 1.9, \"hi\": 2.1}, \"spread\": {\"value\": %g}, "
    "\"flops\": {\"value\": 20},"
    "\"performance\": {\"value\": %g}, \"bytes\": {\"value\": 400}, \"balance\": {\"value\": 20}, "
    "\"bandwidth\": {\"value\": 200},"
    "\"alpha\": {\"value\": null, \"why\": \"undefined\"}}}";

static struct sp_lab_folder folder;

static const char *doubt = "";          /* of write_record()'s conditions */
static const char *span = "1.1...1.95"; /* predicted by begin() for what is 1.9 ... 2.1 */

static void write_record(const char *matrix, double spread, double performance)
{
    char text[2000];
    snprintf(text, sizeof text, record_text, matrix, matrix, doubt, spread, performance);
    write_file("mine/records/one.json", text);
}

/* A folder with predictions, then a record of `matrix`. */
static void begin(const char *matrix, double spread, double performance)
{
    struct sp_lab lab;
    struct sp_error err;
    bool late;
    char path[128];
    const char *const where[] = {dir};
    make_lab();
    write_file("7-try/lab.json", lab_text);
    write_file("7-try/sheet.md",
               "n is {{n}}, nnz {{nnz*1000}}, a third {{1/3}}, `gen:{{nnz*1000}}`, {{nnz*100}}");
    ck_assert_int_eq(sp_lab_find(where, 1, "8", &lab, &err), SP_USAGE);
    ck_assert_int_eq(sp_lab_find(where, 1, "try", &lab, &err), SP_OK);
    sp_lab_free(&lab);
    ck_assert_int_eq(sp_lab_find(where, 1, "07", &lab, &err), SP_OK);
    snprintf(path, sizeof path, "%s/mine", dir);
    ck_assert_msg(sp_lab_folder_make(path, &lab, "Ada", true, &folder, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(sp_lab_predict(&folder, "right", "30.1", &late, &err), SP_OK);
    ck_assert(!late);
    ck_assert_int_eq(sp_lab_predict(&folder, "wrong", "20", &late, &err), SP_OK);
    ck_assert_int_eq(sp_lab_predict(&folder, "word", "b", &late, &err), SP_OK);
    ck_assert_int_eq(sp_lab_predict(&folder, "word", "c", &late, &err), SP_USAGE);
    ck_assert_int_eq(sp_lab_predict(&folder, "right", "many", &late, &err), SP_USAGE);
    ck_assert_int_eq(sp_lab_predict(&folder, "nothing", "1", &late, &err), SP_USAGE);
    ck_assert_int_eq(sp_lab_predict(&folder, "open", "5", &late, &err), SP_OK);
    ck_assert_int_eq(sp_lab_predict(&folder, "span", "1.5", &late, &err), SP_USAGE);
    ck_assert_int_eq(sp_lab_predict(&folder, "span", "2...1", &late, &err), SP_USAGE);
    ck_assert_int_eq(sp_lab_predict(&folder, "span", span, &late, &err), SP_OK);
    write_record(matrix, spread, performance);
    ck_assert_int_eq(sp_lab_note_run(&folder, "one", "2999-01-01T00:00:00Z", NULL, &err), SP_OK);
    ck_assert_int_eq(sp_lab_note_run(&folder, "gpu", "2999-01-01T00:00:00Z",
                                     &(struct sp_lab_end){.skipped = "there is none"}, &err),
                     SP_OK);
    ck_assert_int_eq(sp_lab_predict(&folder, "late", "30", &late, &err), SP_OK);
    ck_assert(late);
    ck_assert_int_eq(sp_lab_predict(&folder, "wrong", "30", &late, &err), SP_OK); /* too late to mend it */
}

static void end(void)
{
    sp_lab_folder_close(&folder);
    remove_dir();
}

static enum sp_lab_state state_of(const struct sp_lab_verdicts *v, const char *id)
{
    for (int i = 0; i < v->n; i++)
        if (strcmp(v->verdict[i].id, id) == 0)
            return v->verdict[i].state;
    ck_abort_msg("no verdict on %s", id);
    return SP_N_LAB_STATES;
}

static void judge(struct sp_lab_verdicts *v)
{
    struct sp_lab_results results;
    struct sp_error err;
    ck_assert_msg(sp_lab_results_read(&folder, &results, &err) == SP_OK, "%s", err.what);
    ck_assert_msg(sp_lab_judge(&results, v, &err) == SP_OK, "%s", err.what);
    sp_lab_results_free(&results);
}

START_TEST(verdicts)
{
    struct sp_lab_verdicts v;
    begin("gen:arrow:10", 0.02, 10);
    judge(&v);
    static const struct {
        const char *id;
        enum sp_lab_state state;
    } wanted[] = {
        {"right", SP_LAB_PASS},         {"wrong", SP_LAB_FAIL},        {"late", SP_LAB_FAIL},
        {"missing", SP_LAB_FAIL},       {"word", SP_LAB_PASS},         {"open", SP_LAB_OPEN},
        {"equal", SP_LAB_PASS},         {"below", SP_LAB_FAIL},        {"order", SP_LAB_PASS},
        {"disorder", SP_LAB_FAIL},      {"timed", SP_LAB_PASS},        {"straddles", SP_LAB_UNDECIDED},
        {"slow", SP_LAB_FAIL},          {"gentle", SP_LAB_UNDECIDED},  {"skipped", SP_LAB_SKIPPED},
        {"left_out", SP_LAB_UNDECIDED}, {"unknown", SP_LAB_UNDECIDED}, {"share", SP_LAB_OPEN},
        {"span", SP_LAB_PASS},          {"extreme", SP_LAB_PASS},      {"elsewhere", SP_LAB_SKIPPED}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_msg(state_of(&v, wanted[i].id) == wanted[i].state, "%s: %s", wanted[i].id,
                      sp_lab_state_name(state_of(&v, wanted[i].id)));
    ck_assert_int_eq(v.n, (int)(sizeof wanted / sizeof *wanted));
    ck_assert_int_eq(sp_lab_summary(&v), SP_NO);
    end();
}
END_TEST

static const struct sp_lab_verdict *verdict_of(const struct sp_lab_verdicts *v, const char *id)
{
    for (int i = 0; i < v->n; i++)
        if (strcmp(v->verdict[i].id, id) == 0)
            return &v->verdict[i];
    ck_abort_msg("no verdict on %s", id);
    return NULL;
}

/* Noise, and a machine that allowed no verdict, leave to times what is clear in spite of them, take
 * the rest from times, and nothing from anything else: 2.1 against 3 is clear at 30 %, not at 50
 * %. */
START_TEST(noise_decides_only_what_is_clear)
{
    struct sp_lab_verdicts v;
    doubt = _i ? ", \"doubt\": \"50 of 53 samples were disturbed\"" : "";
    begin("gen:arrow:10", _i ? 0.02 : 0.3, 10);
    judge(&v);
    ck_assert_int_eq(state_of(&v, "timed"), _i ? SP_LAB_UNDECIDED : SP_LAB_PASS);
    ck_assert_int_eq(state_of(&v, "straddles"), SP_LAB_UNDECIDED);
    ck_assert_int_eq(state_of(&v, "slow"), SP_LAB_UNDECIDED);
    ck_assert_int_eq(state_of(&v, "equal"), SP_LAB_PASS);
    ck_assert_int_eq(state_of(&v, "below"), SP_LAB_FAIL);
    /* What the record leaves out for that reason has it, too; what it explains itself keeps its own. */
    ck_assert_str_eq(verdict_of(&v, "left_out")->reason,
                     _i ? "the machine allowed no verdict on 'one': 50 of 53 samples were disturbed"
                        : "'losses.row_ends' of the run 'one' is unknown");
    ck_assert_ptr_nonnull(strstr(verdict_of(&v, "unknown")->reason, "undefined"));
    end();
}
END_TEST

/* A wrong value is named, and what each is worth adds up: 5 questions and 11 checks of which one is
 * skipped. */
START_TEST(mistakes_are_named_and_points_add_up)
{
    struct sp_lab_verdicts v;
    doubt = "";
    begin("gen:arrow:10", 0.02, 10);
    judge(&v);
    const struct sp_lab_verdict *wrong = verdict_of(&v, "wrong");
    ck_assert_str_eq(wrong->mistake, "twice n");
    ck_assert_str_eq(wrong->reason, "this is twice n");
    ck_assert_double_eq(wrong->ratio, 20.0 / 30);
    const struct sp_lab_points p = sp_lab_points_of(&v);
    ck_assert_double_eq(p.of, 5 + 2 + 11);
    ck_assert_double_eq(p.earned, 3 + 4); /* right, word, span; equal, order, timed, extreme */
    ck_assert_double_eq(p.undecided, 4);  /* straddles, gentle, left_out, unknown */
    end();
}
END_TEST

/* A predicted interval is right where it meets the measured one and is not too wide; noise takes
 * "wrong" only. */
START_TEST(intervals_are_judged_by_the_measured_one)
{
    static const struct {
        const char *span;
        double spread;
        enum sp_lab_state state;
    } rows[] = {{"1.1...1.95", 0.02, SP_LAB_PASS}, {"1.95..2", 0.02, SP_LAB_PASS},
                {"1...1.8", 0.02, SP_LAB_FAIL},    {"2.2...3", 0.02, SP_LAB_FAIL},
                {"1...2.1", 0.02, SP_LAB_FAIL},    {"0.9...1.2", 0.3, SP_LAB_UNDECIDED},
                {"2.2...3", 0.3, SP_LAB_PASS}};
    struct sp_lab_verdicts v;
    doubt = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        span = rows[i].span;
        begin("gen:arrow:10", rows[i].spread, 10);
        judge(&v);
        ck_assert_msg(state_of(&v, "span") == rows[i].state, "%s: %s", span,
                      sp_lab_state_name(state_of(&v, "span")));
        end();
    }
    span = "1.1...1.95";
}
END_TEST

/* What is above its ceiling is no share of it: 200 %. */
START_TEST(no_share_is_above_its_ceiling)
{
    struct sp_lab_verdicts v;
    char text[160];
    doubt = "";
    begin("gen:arrow:10", 0.02, 10);
    judge(&v);
    const struct sp_lab_verdict *share = verdict_of(&v, "share");
    ck_assert_str_eq(sp_lab_with_unit(share, share->wanted, text, sizeof text), "above its ceiling");
    ck_assert_ptr_nonnull(strstr(share->reason, "stays in a cache"));
    end();
}
END_TEST

/* Given up before the first run: no answer is told, nor the numbers of checks that would tell
 * it. */
START_TEST(what_was_given_up_is_not_told)
{
    struct sp_lab_verdicts v;
    struct sp_error err;
    struct sp_lab_bound b;
    int n_late;
    begin("gen:arrow:10", 0.02, 10);
    ck_assert(sp_lab_is_as_bound(&folder)); /* begun by an older version: nothing is bound */
    json_object_clear(json_object_get(folder.state, "runs"));
    ck_assert_int_eq(sp_lab_bind(&folder, &err), SP_OK);
    ck_assert_int_eq(sp_lab_note_run(&folder, "one", "2999-01-01T00:00:00Z", NULL, &err), SP_OK);
    ck_assert_int_eq(sp_lab_n_given_up(&folder, &n_late), 3); /* late, missing, share */
    ck_assert_int_eq(n_late, 1);
    judge(&v);
    ck_assert_int_eq(state_of(&v, "missing"), SP_LAB_FAIL);
    ck_assert_str_eq(verdict_of(&v, "missing")->wanted, "");
    ck_assert_str_eq(verdict_of(&v, "late")->wanted, "");
    ck_assert_str_eq(verdict_of(&v, "equal")->wanted, "");
    ck_assert_str_ne(verdict_of(&v, "right")->wanted, "");
    /* What was bound counts: an edit of the file afterwards is seen. */
    b = sp_lab_bound_of(&folder, "right");
    ck_assert(!b.changed && json_real_value(b.was) == 30.1 && sp_lab_is_as_bound(&folder));
    json_object_set_new(json_array_get(folder.predictions, 0), "value", json_real(30));
    b = sp_lab_bound_of(&folder, "right");
    ck_assert(b.changed && !sp_lab_is_as_bound(&folder));
    judge(&v);
    ck_assert_int_eq(state_of(&v, "right"), SP_LAB_FAIL);
    ck_assert_str_eq(verdict_of(&v, "right")->reason, "changed after the run, when it was 30.1");
    json_object_set_new(json_array_get(folder.predictions, 0), "value", json_real(30.1));
    ck_assert(sp_lab_is_as_bound(&folder));
    json_object_set_new(json_array_get(folder.predictions, 0), "time", json_string("2999"));
    ck_assert(!sp_lab_bound_of(&folder, "right").changed && !sp_lab_is_as_bound(&folder));
    end();
}
END_TEST

static void read_file(const char *name, char *text, size_t size)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "no %s", path);
    text[fread(text, 1, size - 1, f)] = '\0';
    fclose(f);
}

static struct sp_lab_kept report(void)
{
    struct sp_lab_results results;
    struct sp_lab_verdicts v;
    struct sp_error err;
    ck_assert_int_eq(sp_lab_results_read(&folder, &results, &err), SP_OK);
    ck_assert_int_eq(sp_lab_judge(&results, &v, &err), SP_OK);
    struct sp_lab_kept kept;
    ck_assert_msg(sp_lab_report(&folder, &results, &v, &kept, &err) == SP_OK, "%s", err.what);
    sp_lab_results_free(&results);
    return kept;
}

/* What a student writes into report.md survives every `lab report`, and is found by the
 * question. */
START_TEST(reports_keep_what_students_write)
{
    static char text[20000], before[20000];
    struct sp_lab_kept kept;
    struct sp_lab_answers answers;
    struct sp_error err;
    begin("gen:arrow:10", 0.02, 10);
    json_object_set_new(folder.lab.root, "explain", json_pack("[s, s]", "Why?", "And how?"));
    kept = report();
    ck_assert_str_eq(kept.path, "");
    ck_assert_int_eq(sp_lab_answers_read(&folder, &answers, &err), SP_OK);
    ck_assert(answers.n == 2 && answers.n_given == 0);
    sp_lab_answers_free(&answers);
    read_file("mine/report.md", text, sizeof text);
    char *own = strstr(text, "1. Why?");
    ck_assert_ptr_nonnull(own);
    strcpy(own,
           "1. Why?\n\n   Because 2. comes later:\n   2. it does.\n\n2. And how?\n\n   …\n\nMore of mine.\n");
    write_file("mine/report.md", text);
    strcpy(before, own);
    write_record("gen:arrow:10", 0.3, 10); /* another result: the part above changes */
    kept = report();
    ck_assert_str_eq(kept.path, "");
    read_file("mine/report.md", text, sizeof text);
    ck_assert_str_eq(strstr(text, "1. Why?"), before);
    ck_assert_int_eq(sp_lab_answers_read(&folder, &answers, &err), SP_OK);
    ck_assert_str_eq(answers.answer[0].text, "Because 2. comes later:\n   2. it does.");
    ck_assert_str_eq(answers.answer[1].text, "More of mine.");
    sp_lab_answers_free(&answers);
    /* Words above the heading: the file is kept beside the new one, and so is the next. */
    memcpy(text, "# LAB", 5);
    write_file("mine/report.md", text);
    kept = report();
    ck_assert(strstr(kept.path, "report-1.md") && !kept.no_answers);
    read_file("mine/report-1.md", before, sizeof before);
    ck_assert_str_eq(before, text);
    write_file("mine/report.md", "all my own\n");
    kept = report();
    ck_assert(strstr(kept.path, "report-2.md") && kept.no_answers);
    read_file("mine/report-2.md", before, sizeof before);
    ck_assert_str_eq(before, "all my own\n");
    kept = report();
    ck_assert_str_eq(kept.path, "");
    end();
}
END_TEST

/* Under a heading of another name, or under none: with the results as they were written, with others,
 * and with the questions alone answers are found, and stay. */
START_TEST(answers_are_found_without_the_heading)
{
    static const char *const headings[] = {"## Mine\n", "## In my own words\n", "", "Answers\n=======\n"};
    static char text[20000], own[2000];
    struct sp_lab_answers answers;
    struct sp_error err;
    begin("gen:arrow:10", 0.02, 10);
    json_object_set_new(folder.lab.root, "explain", json_pack("[s, s]", "Why?", "And how?"));
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        const bool is_changed = _i > 0;
        write_file("mine/report.md", "");
        report();
        read_file("mine/report.md", text, sizeof text);
        char *at = strstr(text, "## In your own words");
        ck_assert_ptr_nonnull(at);
        snprintf(own, sizeof own, "%s\n1. Why?\n\n   Because.\n\n2. And how?\n\n   So.\n\nMore.\n",
                 headings[i]);
        strcpy(at, own);
        if (is_changed)
            memcpy(text, "# LAB", 5);
        write_file("mine/report.md", text);
        for (int again = 0; again < 2; again++) {
            ck_assert_int_eq(sp_lab_answers_read(&folder, &answers, &err), SP_OK);
            ck_assert_str_eq(answers.fault, "");
            ck_assert_str_eq(answers.answer[0].text, "Because.");
            ck_assert_str_eq(answers.answer[1].text, "So.\n\nMore.");
            sp_lab_answers_free(&answers);
            const struct sp_lab_kept kept = report();
            ck_assert_msg((*kept.path != '\0') == (is_changed && !again) && !kept.no_answers, "'%s'",
                          headings[i]);
        }
        read_file("mine/report.md", text, sizeof text);
        at = strstr(text, "1. Why?");
        ck_assert_ptr_nonnull(at);
        ck_assert_str_eq(at, strstr(own, "1. Why?"));
        ck_assert_ptr_null(strstr(text, "## In your own words"));
        ck_assert_ptr_null(strstr(strstr(text, "## Runs") + 1, "## Runs"));
        ck_assert_ptr_null(strstr(strstr(text, "## Why") + 1, "## Why"));
    }
    end();
}
END_TEST

/* A file that was cut off costs what is judged by it: the rest of the folder is judged. */
START_TEST(damaged_files_cost_their_own)
{
    struct sp_lab_verdicts v;
    struct sp_lab_folder again;
    struct sp_error err;
    const char *const where[] = {dir};
    bool late;
    begin("gen:arrow:10", 0.02, 10);
    write_file("mine/records/one.json", "{\"schema\": \"spmodel.rec");
    judge(&v);
    ck_assert_int_eq(state_of(&v, "right"), SP_LAB_PASS);
    ck_assert_int_eq(state_of(&v, "equal"), SP_LAB_FAIL);
    ck_assert_int_eq(state_of(&v, "order"), SP_LAB_PASS);
    ck_assert_ptr_nonnull(strstr(verdict_of(&v, "equal")->reason, "records/one.json cannot be read"));
    write_file("mine/predictions.json", "[{\"question\"");
    ck_assert_int_eq(sp_lab_folder_open(folder.path, where, 1, &again, &err), SP_OK);
    ck_assert_ptr_nonnull(strstr(again.fault, "predictions.json cannot be read"));
    ck_assert_int_eq(sp_lab_predict(&again, "right", "30", &late, &err), SP_INPUT);
    sp_lab_folder_close(&again);
    end();
}
END_TEST

static int audit(struct sp_lab_audit *a, const char *code)
{
    struct sp_lab_results results;
    struct sp_error err;
    int n = 0;
    memset(a, 0, sizeof *a);
    ck_assert_int_eq(sp_lab_results_read(&folder, &results, &err), SP_OK);
    ck_assert_int_eq(sp_lab_audit_folder(&results, a, &err), SP_OK);
    sp_lab_results_free(&results);
    for (int i = 0; i < a->n; i++)
        n += strcmp(a->flag[i].code, code) == 0;
    return n;
}

/* As if all predictions had been there at the first run. */
static void bind(void)
{
    struct sp_error err;
    json_t *runs = json_incref(json_object_get(folder.state, "runs"));
    json_object_set_new(folder.state, "runs", json_object());
    ck_assert_int_eq(sp_lab_bind(&folder, &err), SP_OK);
    json_object_set_new(folder.state, "runs", runs);
    json_array_clear(json_object_get(json_object_get(folder.state, "bound"), "given_up"));
}

START_TEST(what_fits_is_not_flagged)
{
    struct sp_lab_audit a;
    begin("gen:arrow:10", 0.02, 10);
    bind();
    audit(&a, "");
    ck_assert_msg(a.n == 0, "%s: %s", a.flag[0].code, a.flag[0].text);
    end();
}
END_TEST

START_TEST(what_does_not_fit_is_flagged)
{
    struct sp_lab_audit a;
    struct sp_error err;
    begin("gen:arrow:11", 0.02, 10); /* another student's */
    ck_assert_int_eq(audit(&a, "matrix"), 1);
    end();
    begin("gen:arrow:10", 0.02, 10);
    ck_assert_int_eq(sp_lab_note_run(&folder, "one", "2999-01-01T00:00:00Z",
                                     &(struct sp_lab_end){.skipped = "no time"}, &err),
                     SP_OK);
    ck_assert_int_eq(audit(&a, "skipped"), 1); /* only the other run needs what may be absent */
    ck_assert_int_eq(sp_lab_note_run(&folder, "one", "2999-01-01T00:00:00Z", NULL, &err), SP_OK);
    ck_assert_int_eq(audit(&a, "skipped"), 0);
    end();
    begin("gen:arrow:10", 0.02, 11); /* P is not W/t */
    bind();
    ck_assert_int_eq(audit(&a, "arithmetic"), 1);
    ck_assert_int_eq(a.n, 1);
    write_record("gen:arrow:10", 0.01, 10); /* consistent, but another file */
    ck_assert_int_eq(audit(&a, "edited"), 1);
    ck_assert_int_eq(a.n, 1);
    json_object_del(json_object_get(folder.state, "bound"), "sha256"); /* whoever takes the binding away */
    ck_assert_int_eq(audit(&a, "edited"), 2);
    json_object_set_new(json_array_get(folder.predictions, 0), "time", json_string("2999-02-01T00:00:00Z"));
    ck_assert_int_eq(audit(&a, "order"), 1);
    json_object_set_new(folder.state, "lab_sha256", json_string("another"));
    ck_assert_int_eq(audit(&a, "lab"), 1);
    json_object_set_new(folder.state, "started", json_string("2999-01-02T00:00:00Z"));
    ck_assert_int_eq(audit(&a, "order"), 3);
    json_object_del(folder.state, "started");
    ck_assert_int_eq(audit(&a, "order"), 2);
    json_object_del(json_array_get(folder.predictions, 1), "time");
    json_object_set_new(folder.state, "started", json_string("2000-01-01T00:00:00Z"));
    ck_assert_int_eq(audit(&a, "order"), 2);
    end();
    begin("gen:arrow:10", 0.02, 11); /* with predictions it is a record still */
    struct sp_lab_results results;
    ck_assert_int_eq(sp_lab_results_read(&folder, &results, &err), SP_OK);
    json_object_set_new(results.result[0].root, "predictions", json_array());
    a = (struct sp_lab_audit){0};
    sp_lab_audit_arithmetic("one", results.result[0].root, &a);
    ck_assert_int_eq(a.n, 1);
    sp_lab_results_free(&results);
    end();
}
END_TEST

/* Flags of a document of the run `run` that says `problem` and was made by `command`. */
static int identify(const char *run, const char *problem, const char *command, const char *code)
{
    struct sp_lab_audit a = {0};
    struct sp_error err;
    json_t *document = json_pack("{s:o, s:s}", "problem", json_loads(problem, 0, NULL), "command", command);
    int n = 0;
    ck_assert_ptr_nonnull(document);
    ck_assert_int_eq(sp_lab_audit_identity(&folder, run, document, &a, &err), SP_OK);
    json_decref(document);
    for (int i = 0; i < a.n; i++)
        n += strcmp(a.flag[i].code, code) == 0;
    ck_assert_int_eq(n, a.n);
    return n;
}

START_TEST(commands_are_compared_word_by_word)
{
    static const char arrow[] = "{\"path\": \"gen:arrow:10\"}";
    begin("gen:arrow:10", 0.02, 10);
    static const char *const same[] = {
        "spmodel analyze gen:arrow:10 --cold", "spmodel analyze gen:arrow:10 --cold --budget 1s --samples 9",
        "spmodel analyze gen:arrow:10 --cold --machine m --out a b/c --json=a b/c.json",
        "spmodel analyze --no-hints gen:arrow:10 --no-plots --cold",
        "spmodel analyze 'gen:arrow:10' --cold --out 'a b/c' '--json=it'\\''s/c.json'"};
    static const char *const other[] = {"spmodel analyze gen:arrow:10 --cold --sim-llc 1G",
                                        "spmodel analyze gen:arrow:10 --colder",
                                        "spmodel analyze gen:arrow:10",
                                        "spmodel analyze gen:arrow:10 --cold --budget 1s gen:arrow:11",
                                        "spmodel analyze gen:arrow:100 --cold",
                                        "spmodel model gen:arrow:10 --cold",
                                        "spmodel analyze 'gen:arrow:10 --cold'",
                                        "spmodel",
                                        ""};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        ck_assert_msg(identify("one", arrow, same[i], "command") == 0, "%s", same[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        ck_assert_msg(identify("one", arrow, other[i], "command") == 1, "%s", other[i]);
    end();
}
END_TEST

START_TEST(models_are_of_this_students_sizes)
{
    static const char command[] = "spmodel model --sizes 10,10,30 --machine ivb";
    begin("gen:arrow:10", 0.02, 10);
    ck_assert_int_eq(identify("sizes", "{\"name\": \"(sizes)\", \"rows\": 10, \"cols\": 10, \"nnz\": 30}",
                              command, "matrix"),
                     0);
    ck_assert_int_eq(identify("sizes", "{\"name\": \"(sizes)\", \"rows\": 10, \"cols\": 10, \"nnz\": 31}",
                              command, "matrix"),
                     1);
    ck_assert_int_eq(identify("sizes", "{}", command, "matrix"), 1);
    ck_assert_int_eq(identify("sizes", "{\"rows\": 10, \"cols\": 10, \"nnz\": 30}",
                              "spmodel model --sizes 10,10,30 --machine other", "command"),
                     1);
    ck_assert_int_eq(
        identify("named", "{\"name\": \"gen:arrow:10\"}", "spmodel model gen:arrow:10 --json=x", "matrix"),
        0);
    ck_assert_int_eq(
        identify("named", "{\"name\": \"gen:arrow:11\"}", "spmodel model gen:arrow:10", "matrix"), 1);
    end();
}
END_TEST

/* A copy under another name: one cause, one flag; a single one, and all others, stay as they are. */
START_TEST(records_of_other_matrices_are_one_flag)
{
    struct sp_lab_audit a = {0};
    static const char other[] = "it is of gen:arrow:11; this student's is gen:arrow:10";
    sp_lab_audit_add(&a, "one", SP_FLAG_EDITED, "changed");
    sp_lab_audit_add(&a, "one", SP_FLAG_MATRIX, "%s", other);
    sp_lab_audit_join_matrices(&a);
    ck_assert_int_eq(a.n, 2);
    ck_assert_str_eq(a.flag[1].run, "one");
    ck_assert_str_eq(a.flag[1].text, other);
    sp_lab_audit_add(&a, "named", SP_FLAG_COMMAND, "another");
    sp_lab_audit_add(&a, "named", SP_FLAG_MATRIX, "%s", other);
    sp_lab_audit_add(&a, "sizes", SP_FLAG_MATRIX, "%s", other);
    sp_lab_audit_join_matrices(&a);
    ck_assert_int_eq(a.n, 3);
    ck_assert_str_eq(a.flag[0].code, "edited");
    ck_assert_str_eq(a.flag[1].run, "");
    ck_assert_str_eq(a.flag[1].text, "3 records are of other matrices: one, named, sizes; for example one: "
                                     "it is of gen:arrow:11; this student's is gen:arrow:10");
    ck_assert_str_eq(a.flag[2].code, "command");
    while (a.n <= SP_LAB_MOST_FLAGS)
        sp_lab_audit_add(&a, "named", SP_FLAG_MATRIX, "%s", other);
    sp_lab_audit_join_matrices(&a);
    ck_assert_int_eq(a.n, SP_LAB_MOST_FLAGS + 1);
}
END_TEST

START_TEST(sheets_are_filled)
{
    char path[128], text[200] = "";
    begin("gen:arrow:10", 0.02, 10);
    snprintf(path, sizeof path, "%s/mine/sheet.md", dir);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
    fclose(f);
    ck_assert_str_eq(text, "n is 10, nnz 30 000, a third 0.3333, `gen:30000`, 3 000");
    end();
}
END_TEST

START_TEST(answers_are_told_after_the_run_only)
{
    struct sp_lab_results results;
    struct sp_lab_verdicts v;
    struct sp_error err;
    begin("gen:arrow:10", 0.02, 10);
    json_object_set_new(folder.state, "runs", json_object());
    ck_assert_int_eq(sp_lab_results_read(&folder, &results, &err), SP_OK);
    ck_assert_int_eq(sp_lab_judge(&results, &v, &err), SP_OK);
    sp_lab_results_free(&results);
    ck_assert_int_eq(state_of(&v, "right"), SP_LAB_UNDECIDED);
    ck_assert_str_eq(v.verdict[0].wanted, "");
    end();
}
END_TEST

/* A student's name and reasons cannot add headings, cells or links to the report of a folder. */
START_TEST(reports_show_submitted_texts_as_they_are)
{
    static const char reason[] = "none | <b>pass</b> [x](http://y)\n# Lab";
    struct sp_lab_results results;
    struct sp_lab_verdicts v;
    struct sp_error err;
    char *text = NULL;
    size_t size;
    begin("gen:arrow:10", 0.02, 10);
    strcpy(folder.the_case.student, "# *Ada* `x`");
    ck_assert_int_eq(
        sp_lab_note_run(&folder, "gpu", "2999 | 1", &(struct sp_lab_end){.skipped = reason}, &err), SP_OK);
    ck_assert_int_eq(sp_lab_results_read(&folder, &results, &err), SP_OK);
    ck_assert_int_eq(sp_lab_judge(&results, &v, &err), SP_OK);
    FILE *out = open_memstream(&text, &size);
    sp_lab_report_results(&results, &v, out);
    fclose(out);
    ck_assert_msg(strstr(text, "\n\\# \\*Ada\\* \\`x\\`, small matrices, begun 20") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "skipped (none \\| \\<b\\>pass\\</b\\> \\[x\\](http://y)\\\\n# Lab) |\n") !=
                      NULL,
                  "%s", text);
    ck_assert_msg(strstr(text, "| gpu | 2999 \\| 1 | – | – |  — skipped: none \\| ") != NULL, "%s", text);
    free(text);
    sp_lab_results_free(&results);
    end();
}
END_TEST

/* A unit stands at its number, before the tolerance, and 1 is none. */
START_TEST(reports_have_units_at_their_numbers)
{
    static const char *const lines[] = {"\n| t | 30.1 B | 30 B, within 1 % | pass |\n",
                                        "\n| t | – | 30 B, within 1 % | fail (",
                                        "\n| t | b | b | pass |\n",
                                        "\n| t | 5 B | 30 B | open |\n",
                                        "\n| t | 400 B | equal to 400 B, within 1 % | pass |\n",
                                        "\n| t | 3 | at least 2 | pass |\n"};
    struct sp_lab_results results;
    struct sp_lab_verdicts v;
    struct sp_error err;
    char *text = NULL;
    size_t size;
    begin("gen:arrow:10", 0.02, 10);
    ck_assert_int_eq(sp_lab_results_read(&folder, &results, &err), SP_OK);
    ck_assert_int_eq(sp_lab_judge(&results, &v, &err), SP_OK);
    FILE *out = open_memstream(&text, &size);
    sp_lab_report_results(&results, &v, out);
    fclose(out);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_msg(strstr(text, lines[i]) != NULL, "no %s in %s", lines[i], text);
    free(text);
    sp_lab_results_free(&results);
    end();
}
END_TEST

START_TEST(seeds_follow_from_names)
{
    ck_assert_int_eq(sp_lab_seed("Ada", "7-try"), sp_lab_seed(" ada ", "7-try"));
    ck_assert_int_ne(sp_lab_seed("Ada", "7-try"), sp_lab_seed("Ida", "7-try"));
    ck_assert_int_ne(sp_lab_seed("Ada", "7-try"), sp_lab_seed("Ada", "8-try"));
    ck_assert_int_eq(sp_lab_seed("Ada B", "7-try"), sp_lab_seed("\tada b ", "7-try"));
    ck_assert_int_ne(sp_lab_seed("Ada B", "7-try"), sp_lab_seed("Ada", "7-try"));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lab");
    TCase *t = tcase_create("lab");
    tcase_add_test(t, formulas_compute);
    tcase_add_test(t, intervals_hold_every_outcome);
    tcase_add_test(t, formulas_are_refused);
    tcase_add_test(t, verdicts);
    tcase_add_loop_test(t, noise_decides_only_what_is_clear, 0, 2);
    tcase_add_test(t, mistakes_are_named_and_points_add_up);
    tcase_add_test(t, intervals_are_judged_by_the_measured_one);
    tcase_add_test(t, no_share_is_above_its_ceiling);
    tcase_add_test(t, what_was_given_up_is_not_told);
    tcase_add_test(t, reports_keep_what_students_write);
    tcase_add_loop_test(t, answers_are_found_without_the_heading, 0, 2);
    tcase_add_test(t, damaged_files_cost_their_own);
    tcase_add_test(t, what_fits_is_not_flagged);
    tcase_add_test(t, what_does_not_fit_is_flagged);
    tcase_add_test(t, commands_are_compared_word_by_word);
    tcase_add_test(t, models_are_of_this_students_sizes);
    tcase_add_test(t, records_of_other_matrices_are_one_flag);
    tcase_add_test(t, sheets_are_filled);
    tcase_add_test(t, answers_are_told_after_the_run_only);
    tcase_add_test(t, reports_show_submitted_texts_as_they_are);
    tcase_add_test(t, reports_have_units_at_their_numbers);
    tcase_add_test(t, seeds_follow_from_names);
    suite_add_tcase(s, t);
    return run_suite(s);
}
