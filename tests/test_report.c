#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "io/record/record.h"
#include "report/html/report_html.h"
#include "report/report_several.h"
#include "report/text/report_text.h"
#include "run_suite.h"

/* Every case prints the example record, changed in one respect, and is compared with golden/report-NAME.txt
 * to the byte. SP_UPDATE_GOLDEN=1 in the environment writes the files anew: read the difference before
 * committing it. */

static void nothing(struct sp_record *r)
{
    (void)r;
}

static void cached(struct sp_record *r)
{
    json_t *roof = json_array_get(sp_record_node(r, SP_F_ROOFS), 0);
    json_object_set_new(roof, "level", json_string("L3"));
    json_object_set_new(roof, "value", json_real(310e9));
    json_object_set_new(roof, "lo", json_real(304e9));
    json_object_set_new(roof, "hi", json_real(317e9));
    sp_record_set_text(r, SP_F_BINDING_LEVEL, "L3");
    sp_record_set_text(r, SP_F_BINDING_TERM, "L3 bandwidth");
    sp_record_set_text(r, SP_F_BINDING_WHY,
                       "the working set (3.1 MB) fits the last-level cache (24.0 MB effective)");
    sp_record_set_text(r, SP_F_PROBLEM_NAME, "bcsstk16");
    sp_record_set_text(r, SP_F_CONFIG_FORMAT_TEXT, "SELL-8-128");
    sp_record_put_at(r, "metrics.beta.value", json_real(0.962));
    sp_record_put_at(r, "metrics.beta.lo", json_real(0.962));
    sp_record_put_at(r, "metrics.beta.hi", json_real(0.962));
    sp_record_put_at(r, "metrics.bandwidth_fraction.value", json_real(1.07));
    sp_record_put_at(r, "metrics.bandwidth_fraction.hi", json_real(1.09));
    json_t *row = json_array_get(sp_record_node(r, SP_F_TABLE), 2);
    json_object_set_new(row, "fraction", json_real(1.07));
    sp_record_set_number(r, SP_F_LOSSES_PADDING, 0.00012);
    sp_record_set_number(r, SP_F_LOSSES_IN_CORE, 0.00081);
    sp_record_set_number(r, SP_F_LOSSES_REST, -0.00029);
    sp_record_add_flag(r, "Q03", "the measured point lies 7 %% above the ceiling, also after a second try");
    json_object_set_new(r->root, "hints", json_array());
}

/* A hint that was tried to no end: the run itself changed meanwhile. */
static void open_trial(struct sp_record *r)
{
    json_t *hint = json_array_get(sp_record_node(r, SP_F_HINTS), 1);
    json_object_set_new(hint, "observed",
                        sp_record_value_json(sp_value_between(0.1, -0.2, 0.3, SP_MEASURED), "1"));
    json_object_set_new(hint, "outcome", json_string("other conditions"));
}

static void unknown_bytes(struct sp_record *r)
{
    static const char why[] = "no counters in this virtual machine, and --bytes sim was not asked for";
    static const enum sp_record_field lost[] = {SP_F_METRICS_BYTES,     SP_F_METRICS_ALPHA,
                                                SP_F_METRICS_X_LOADS,   SP_F_METRICS_BALANCE,
                                                SP_F_METRICS_BANDWIDTH, SP_F_METRICS_BANDWIDTH_FRACTION};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        sp_record_set_value(r, lost[i], sp_value_none(why));
    json_t *rows = (json_t *)sp_record_node(r, SP_F_TABLE), *row = json_array_get(rows, 2);
    json_array_remove(rows, 1);
    json_object_set_new(row, "bytes", json_null());
    json_object_set_new(row, "bytes_origin", json_null());
    json_object_set_new(row, "balance", json_null());
    json_object_set_new(row, "fraction", json_null());
    sp_record_set_text(r, SP_F_LOSSES_EXTRA_X, NULL);
    sp_record_set_text(r, SP_F_LOSSES_ORIGIN_EXTRA_X, "needs the bytes");
    sp_record_set_text(r, SP_F_VERIFY, NULL);
    sp_record_set_text(r, SP_F_CONFIG_PIN, NULL);
    json_object_set_new(json_array_get(sp_record_node(r, SP_F_ROOFS), 0), "age_s", json_integer(90000));
}

static void complex_values(struct sp_record *r)
{
    sp_record_set_text(r, SP_F_STATUS, "complete");
    sp_record_set_text(r, SP_F_PROBLEM_NAME, "young1c");
    sp_record_set_text(r, SP_F_PROBLEM_FIELD, "complex");
    sp_record_set_text(r, SP_F_PROBLEM_SYMMETRY, "general");
    sp_record_set_flag(r, SP_F_PROBLEM_SYMMETRIC_EXPANDED, false);
    sp_record_set_text(r, SP_F_PROBLEM_REORDER, "rcm");
    sp_record_set_count(r, SP_F_PROBLEM_ZEROS, 0);
    sp_record_set_count(r, SP_F_PROBLEM_DUPLICATES, 12345);
    sp_record_set_text(r, SP_F_CONFIG_PRECISION, "c128");
    sp_record_set_text(r, SP_F_CONFIG_SCHEDULE, "cyclic:64");
    sp_record_set_flag(r, SP_F_CONFIG_STORE_NT, true);
    sp_record_set_flag(r, SP_F_VERIFY_OK, false);
    sp_record_set_number(r, SP_F_VERIFY_MAX_REL_ERR, 0.25);
    sp_record_append(r, SP_F_RUNS, json_pack("{s:[f,f], s:i}", "time_s", 0.0043, 0.0044, "dropped", 3));
}

/* Stopped before anything was measured. */
static void interrupted(struct sp_record *r)
{
    static const char *const gone[] = {"roofs",  "runs",          "levels", "table",
                                       "losses", "losses_origin", "hints",  "not_a_problem",
                                       "curves", "interventions", "verify", "binding"};
    sp_record_set_text(r, SP_F_STATUS, "interrupted");
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        json_object_del(r->root, gone[i]);
    json_object_set_new(r->root, "metrics", json_object());
    json_object_set_new(r->root, "flags", json_array());
}

/* A record from elsewhere may not command the terminal. */
static void hostile(struct sp_record *r)
{
    interrupted(r);
    sp_record_set_text(r, SP_F_PROBLEM_NAME, "evil\033[2J\007\rmatrix \xce\xb2 \xe4\xbd\xa0");
}

static const struct {
    const char *name;
    void (*change)(struct sp_record *record);
    struct sp_report_style style;
} cases[] = {
    {"kkt_power", nothing, {.width = 100, .utf8 = true}},
    {"kkt_power-color", nothing, {.color = true, .width = 100, .utf8 = true, .verbosity = 1}},
    {"kkt_power-ascii", nothing, {.width = 80, .verbosity = 1}},
    {"kkt_power-verbose", nothing, {.width = 130, .utf8 = true, .verbosity = 2}},
    {"kkt_power-quiet", nothing, {.utf8 = true, .verbosity = -1}},
    {"cached", cached, {.width = 100, .utf8 = true, .verbosity = 1}},
    {"unknown_bytes", unknown_bytes, {.width = 100, .utf8 = true, .verbosity = 1}},
    {"open_trial", open_trial, {.width = 100, .utf8 = true}},
    {"complex", complex_values, {.width = 100, .utf8 = true, .verbosity = 1}},
    {"interrupted", interrupted, {.width = 100, .utf8 = true, .verbosity = 1}},
    {"hostile", hostile, {.width = 100, .utf8 = false, .verbosity = 1}},
};

static char *printed(const struct sp_record *r, const struct sp_report_style *style)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    sp_report_text(r, style, stream);
    ck_assert_int_eq(fclose(stream), 0);
    return text;
}

static char *content(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char *text = calloc(1, 1 << 20);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_lt(fread(text, 1, (1 << 20) - 1, file), (1 << 20) - 1);
    fclose(file);
    return text;
}

static void expect_golden(const char *name, const struct sp_record *r, const struct sp_report_style *style)
{
    char path[512];
    snprintf(path, sizeof path, "%s/../golden/report-%s.txt", SP_TEST_DATA, name);
    char *text = printed(r, style);
    if (getenv("SP_UPDATE_GOLDEN")) {
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        fputs(text, file);
        fclose(file);
    }
    char *golden = content(path);
    ck_assert_msg(golden != NULL, "%s is missing", path);
    int line = 1;
    size_t i = 0;
    for (; text[i] && text[i] == golden[i]; i++)
        line += text[i] == '\n';
    ck_assert_msg(text[i] == golden[i], "%s differs in line %d: \"%.60s\" instead of \"%.60s\"", path, line,
                  text + i, golden + i);
    free(golden);
    free(text);
}

START_TEST(text_is_golden)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &r, NULL), SP_OK);
    cases[_i].change(&r);
    expect_golden(cases[_i].name, &r, &cases[_i].style);
    sp_record_free(&r);
}
END_TEST

/* What a reader sees first of recorded experiments, on a narrow and on a wide terminal. */
START_TEST(verdicts_are_golden)
{
    static const char *const records[] = {
        "kkt_power",       "gpu-levels",    "explain-bcsr",  "explain-crs",   "explain-sell",
        "explain-fusedmm", "explain-sddmm", "explain-spmmv", "explain-hints", "gpu-stand-in"};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        for (int width = 80; width <= 120; width += 40) {
            struct sp_record r;
            char path[512], name[64];
            const struct sp_report_style style = {.width = width, .utf8 = true};
            snprintf(path, sizeof path, "%s/record-%s.json", SP_TEST_DATA, records[i]);
            snprintf(name, sizeof name, "%s-%d", records[i], width);
            ck_assert_int_eq(sp_record_read(path, &r, NULL), SP_OK);
            expect_golden(name, &r, &style);
            sp_record_free(&r);
        }
}
END_TEST

/* Roofline, ECM and measurement, each by name; not in the report that stands without -v. */
START_TEST(ecm_stands_beside_the_roofline)
{
    struct sp_record r;
    struct sp_report_style style = {.width = 80, .utf8 = true, .verbosity = 2};
    static const char *const rows[] = {"\n roofline, x once ", "\n roofline, x as simulated ",
                                       "\n ECM, x as simulated ", "\n measured "};
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-explain-sell.json", &r, NULL), SP_OK);
    expect_golden("explain-sell-verbose", &r, &style);
    for (style.width = 80; style.width <= 120; style.width += 8) {
        char *text = printed(&r, &style), *at = text;
        for (int i = 0; i < 4; i++) {
            at = strstr(at, rows[i]);
            ck_assert_msg(at, "no row '%s' in its place at width %d", rows[i], style.width);
        }
        free(text);
    }
    style.verbosity = 0;
    char *text = printed(&r, &style);
    ck_assert_ptr_null(strstr(text, "ECM"));
    free(text);
    sp_record_free(&r);
}
END_TEST

/* No line is wider than asked, but for commands, which are to be copied whole. */
START_TEST(lines_keep_the_width)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &r, NULL), SP_OK);
    for (int width = 80; width <= 160; width += 4) {
        struct sp_report_style style = {.width = width, .verbosity = 2};
        char *text = printed(&r, &style), *rest = text, *line;
        while ((line = strsep(&rest, "\n")))
            ck_assert_msg((int)strlen(line) <= width || strstr(line, " try "), "width %d: %s", width, line);
        free(text);
    }
    sp_record_free(&r);
}
END_TEST

/* The record of a future or of a careless writer: any field missing, or of another type, does no harm. */
START_TEST(every_field_may_be_missing_or_odd)
{
    struct sp_record whole;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &whole, NULL), SP_OK);
    struct sp_report_style style = {.width = 100, .verbosity = 2};
    const char *key;
    json_t *value;
    json_object_foreach(whole.root, key, value)
    {
        json_t *odd[] = {NULL, json_null(), json_string("odd"), json_integer(3), json_array(), json_object()};
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            struct sp_record r = {.root = json_deep_copy(whole.root)};
            if (odd[i])
                json_object_set_new(r.root, key, odd[i]);
            else
                json_object_del(r.root, key);
            char *text = printed(&r, &style);
            ck_assert_ptr_nonnull(strstr(text, "MATRIX"));
            ck_assert_msg(!strstr(text, "nan") && !strstr(text, "inf "), "%s %zu:\n%s", key, i, text);
            free(text);
            sp_record_free(&r);
        }
    }
    sp_record_free(&whole);
}
END_TEST

START_TEST(figures)
{
    char t[64];
    ck_assert_str_eq(sp_figure(t, sizeof t, 4.309, 3), "4.31");
    ck_assert_str_eq(sp_figure(t, sizeof t, 9.996, 3), "10.0");
    ck_assert_str_eq(sp_figure(t, sizeof t, 1152, 3), "1152");
    ck_assert_str_eq(sp_figure(t, sizeof t, 0, 3), "0");
    ck_assert_str_eq(sp_figure_interval(t, sizeof t, 76e9, 75.2e9, 76.8e9, 1e9, 3), "76.0 ±0.8");
    ck_assert_str_eq(sp_figure_interval(t, sizeof t, 76e9, 76e9, 76e9, 1e9, 3), "76.0");
    ck_assert_str_eq(sp_figure_percent(t, sizeof t, 0.801), "80 %");
    ck_assert_str_eq(sp_figure_percent(t, sizeof t, -0.148), "−15 %");
    ck_assert_str_eq(sp_figure_percent(t, sizeof t, 0.002), "0.2 %");
    ck_assert_str_eq(sp_figure_percent(t, sizeof t, 0), "0 %");
    ck_assert_str_eq(sp_figure_value(t, sizeof t, sp_value_none("no counters"), 1, "B", 3),
                     "unknown (no counters)");
    ck_assert_str_eq(sp_figure_value(t, sizeof t, sp_value_of(2e9, SP_SIMULATED), 1e9, "GB/s", 3),
                     "2.00 GB/s simulated");
    ck_assert_str_eq(sp_scale_of_seconds(0.00431).prefix, "ms");
    ck_assert_str_eq(sp_scale_of(262.4e6).prefix, "M");
}
END_TEST

/* The value of a column of the row, or behind a key of the lines. */
static double sum_of_losses(const struct sp_record *r, bool as_csv)
{
    char *text = NULL, *header = NULL, *name, *value;
    size_t size;
    double sum = 0;
    FILE *out = open_memstream(&text, &size);
    if (as_csv)
        sp_report_csv_row(r, out);
    else
        sp_report_lines(r, out);
    fclose(out);
    out = open_memstream(&header, &size);
    sp_report_csv_header(out);
    fclose(out);
    char *names = header, *values = text;
    if (as_csv)
        while ((name = strsep(&names, ",")) && (value = strsep(&values, ",")))
            sum += strncmp(name, "loss_", 5) == 0 ? strtod(value, NULL) : 0;
    else
        while ((value = strsep(&values, "\n")))
            sum += strncmp(value, "loss_", 5) == 0 ? strtod(strchr(value, ':') + 1, NULL) : 0;
    free(text);
    free(header);
    return sum;
}

/* What x costs in several caches is a row of its own, and counted once. */
START_TEST(losses_of_programs_add_up)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    static const char *const keys[] = {"min_traffic", "padding", "extra_x", "imbalance", "in_core", "rest"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        sp_record_set_number(&r, sp_field_in(SP_F_LOSSES, keys[i]), 1e-3 * (double)(i + 1));
    sp_record_set_number(&r, SP_F_LOSSES_EXTRA_X_DOMAINS, 2e-3);
    sp_record_append(&r, SP_F_FLAGS, json_object()); /* a flag without a code, a reason of two lines */
    sp_record_set_text(&r, SP_F_VERIFY_WHY, "one\ntwo");
    ck_assert_double_eq_tol(sum_of_losses(&r, true), 21e-3, 1e-12);
    ck_assert_double_eq_tol(sum_of_losses(&r, false), 21e-3, 1e-12);
    sp_record_free(&r);
}
END_TEST

START_TEST(csv_rows_append)
{
    char folder[] = "/tmp/spmodel-report-XXXXXX", path[64], command[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.csv", folder);
    struct sp_record r;
    struct sp_error err;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &r, NULL), SP_OK);
    sp_record_set_text(&r, SP_F_PROBLEM_NAME, "odd, \"name\"");
    sp_record_set_value(&r, SP_F_METRICS_ALPHA, sp_value_none("not known"));
    const struct sp_record *records[] = {&r, &r};
    ck_assert_int_eq(sp_report_csv_append(path, records, 2, &err), SP_OK);
    ck_assert_int_eq(sp_report_csv_append(path, records, 1, &err), SP_OK);
    char *text = content(path), *rest = text, *line;
    int lines = 0;
    while ((line = strsep(&rest, "\n")) && *line) {
        int commas = 0, quotes = 0;
        for (char *c = line; *c; c++) {
            quotes += *c == '"';
            commas += *c == ',' && quotes % 2 == 0;
        }
        ck_assert_int_eq(commas, 59);
        ck_assert(lines == 0 ? strncmp(line, "id,status,", 10) == 0
                             : strstr(line, ",\"odd, \"\"name\"\"\",2063494,") != NULL);
        lines++;
    }
    ck_assert_int_eq(lines, 4);
    free(text);
    FILE *file = fopen(path, "w");
    fputs("precious,data\n1,2\n", file);
    fclose(file);
    ck_assert_int_eq(sp_report_csv_append(path, records, 1, &err), SP_INPUT);
    text = content(path);
    ck_assert_str_eq(text, "precious,data\n1,2\n");
    free(text);
    sp_record_free(&r);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* kkt_power with r = 1, 8, 32 vectors [THEORY 3]: bandwidth limits, then P_core; one measured point ties. */
START_TEST(a_series_compares_its_widths)
{
    static const struct {
        int r;
        double balance, performance, spread, core;
    } at[] = {{1, 7.98, 8.5e9, 0.1e9, 30e9}, {8, 2.48, 28e9, 1e9, 60e9}, {32, 1.89, 28.5e9, 1e9, 30.3e9}};
    const double roof = 76e9;
    struct sp_record r[3] = {{0}};
    const struct sp_record *series[3] = {&r[0], &r[1], &r[2]};
    for (int i = 0; i < 3; i++) {
        double model = at[i].core < roof / at[i].balance ? at[i].core : roof / at[i].balance;
        double W = 2e6 * at[i].r, t = W / at[i].performance;
        ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &r[i], NULL), SP_OK);
        sp_record_set_text(&r[i], SP_F_CONFIG_OP, "spmmv");
        sp_record_set_count(&r[i], SP_F_CONFIG_RHS, at[i].r);
        sp_record_set_value(&r[i], SP_F_METRICS_BALANCE, sp_value_of(at[i].balance, SP_SIMULATED));
        sp_record_set_value(&r[i], SP_F_METRICS_BALANCE_MIN, sp_value_of(at[i].balance, SP_MODELLED));
        sp_record_set_value(&r[i], SP_F_METRICS_P_CORE, sp_value_of(at[i].core, SP_MEASURED));
        sp_record_set_value(&r[i], SP_F_METRICS_TIME, sp_value_of(t, SP_MEASURED));
        sp_record_set_value(&r[i], SP_F_METRICS_PERFORMANCE,
                            sp_value_between(at[i].performance, at[i].performance - at[i].spread,
                                             at[i].performance + at[i].spread, SP_MEASURED));
        json_object_set_new(json_array_get(sp_record_node(&r[i], SP_F_TABLE), 1), "performance",
                            json_real(model));
    }
    struct sp_report_style style = {.utf8 = true, .width = 100};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sp_report_series(series, 3, &style, out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "from r = 32 on in-core execution limits, below it bandwidth"));
    ck_assert_ptr_nonnull(strstr(text, "best r: predicted 8 (no worse: 32), measured 32 (no worse: 8)"));
    ck_assert_ptr_nonnull(strstr(text, "2.48"));
    free(text);
    /* Times of a machine that was too busy for them have no row, and no r is best by them. */
    sp_record_set_text(&r[1], SP_F_CONDITIONS_STATE, "unusable");
    sp_record_set_text(&r[1], SP_F_CONDITIONS_DOUBT, "too many samples were disturbed");
    out = open_memstream(&text, &size);
    sp_report_series(series, 3, &style, out);
    fclose(out);
    ck_assert_msg(strstr(text, "best r: predicted 32, measured 32") && !strstr(text, "2.48") &&
                      strstr(text, "\n 1 left out: too many samples were disturbed\n"),
                  "%s", text);
    free(text);
    sp_record_set_text(&r[0], SP_F_CONDITIONS_STATE, "unusable");
    sp_record_set_text(&r[0], SP_F_CONDITIONS_DOUBT, "too many samples were disturbed");
    out = open_memstream(&text, &size);
    sp_report_series(series, 3, &style, out);
    fclose(out);
    ck_assert_str_eq(text, "");
    free(text);
    for (int i = 0; i < 3; i++)
        sp_record_free(&r[i]);
}
END_TEST

static json_t *tried(const char *change, double gain, double time_s, double base_s, int processes)
{
    const struct sp_value seen = sp_value_between(gain, gain - 0.01, gain + 0.01, SP_MEASURED);
    return json_pack("{s:s, s:i, s:{s:f, s:f}, s:o, s:s, s:{s:s, s:s, s:o, s:o, s:i}}", "hints", "E05",
                     "round", 1, "gain", "lo", 0.1, "hi", 0.5, "observed", sp_record_value_json(seen, "1"),
                     "outcome", "confirmed", "trial", "change", change, "kernel", "k", "time",
                     sp_record_value_json(sp_value_of(time_s, SP_MEASURED), "s"), "base_time",
                     sp_record_value_json(sp_value_of(base_s, SP_MEASURED), "s"), "processes", processes);
}

/* The report of a record with such tries, as text and as a page. */
static void expect_tries(struct sp_record *r, const char *const said[], int n)
{
    const struct sp_report_style style = {.width = 200, .utf8 = true, .verbosity = 1};
    const struct sp_html_options options = {.no_plots = true};
    const struct sp_record *const one = r;
    char *text = printed(r, &style), *page = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&page, &size);
    ck_assert_int_eq(sp_report_html(&one, 1, &options, out, NULL), SP_OK);
    fclose(out);
    for (int i = 0; i < n; i++) {
        ck_assert_msg(strstr(text, said[i]), "no '%s' in\n%s", said[i], strstr(text, "TRIED"));
        ck_assert_msg(strstr(page, said[i]), "no '%s' in the page", said[i]);
    }
    free(text);
    free(page);
}

START_TEST(the_best_says_what_it_is)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &r, NULL), SP_OK);
    sp_record_set_number(&r, SP_F_TRIES_BUDGET_S, 10);
    sp_record_set_number(&r, SP_F_TRIES_COST_S, 9);
    sp_record_set_object(&r, SP_F_TRIES_HONEST, tried("--pin yes", 0.2, 0.008, 0.010, 1));
    sp_record_set_object(&r, SP_F_TRIES_FURTHER, json_array());
    json_t *best = tried("--rhs 4", 0.4, 0.024, 0.010, 1);
    json_object_set_new(best, "command", json_string("spmodel analyze m --rhs 4"));
    json_object_set_new(best, "unconfirmed", json_string("the trials were interrupted"));
    json_object_set_new(best, "outcome", json_string("other conditions"));
    json_object_set_new(best, "conditions", json_real(3.2));
    sp_record_set_object(&r, SP_F_TRIES_BEST, best);
    static const char *const first[] = {
        "6.00 ms instead of 10.0 ms for the work of one execution of the run",
        "not measured again: the trials were interrupted",
        "−25 % of the time against the honest baseline, derived from both",
        "beside it the run took 3.2 times as long: the machine changed, which this prediction does not know"};
    expect_tries(&r, first, 4);

    best = tried("--format sell:8,1", 0.4, 0.006, 0.010, 3);
    json_object_set_new(best, "command", json_string("spmodel analyze m --format sell:8,1"));
    sp_record_set_object(&r, SP_F_TRIES_BEST, best);
    static const char *const second[] = {"6.00 ms instead of 10.0 ms (time", "measured in 3 fresh processes"};
    expect_tries(&r, second, 2);

    sp_record_set_null(&r, SP_F_TRIES_BEST, "the trials were interrupted");
    sp_record_set_text(&r, SP_F_STATUS, "interrupted");
    static const char *const third[] = {
        "he trials were interrupted; until then nothing was faster beyond the noise"};
    expect_tries(&r, third, 1);
    sp_record_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report");
    TCase *tc = tcase_create("report");
    tcase_add_loop_test(tc, text_is_golden, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tc, verdicts_are_golden);
    tcase_add_test(tc, ecm_stands_beside_the_roofline);
    tcase_add_test(tc, lines_keep_the_width);
    tcase_add_test(tc, every_field_may_be_missing_or_odd);
    tcase_add_test(tc, figures);
    tcase_add_test(tc, csv_rows_append);
    tcase_add_test(tc, losses_of_programs_add_up);
    tcase_add_test(tc, the_best_says_what_it_is);
    tcase_add_test(tc, a_series_compares_its_widths);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
