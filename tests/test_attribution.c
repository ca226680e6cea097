/* Why a time has changed, on entries made here. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
#include "track/judge/comparable.h"

static struct sp_entry entry(double time, double bytes, double roof)
{
    struct sp_entry e = {.n_runs = 0};
    strcpy(e.origin[SP_TRACKED_BYTES], "simulated");
    for (int m = 0; m < SP_N_TRACKED; m++)
        e.metric[m] = NAN;
    e.metric[SP_TRACKED_TIME] = time;
    e.metric[SP_TRACKED_BYTES] = bytes;
    e.metric[SP_TRACKED_ROOF] = roof;
    return e;
}

/* What is said of 25 % more time when the roof on the arrays and the sentinels moved by these factors. */
static struct sp_attribution said_of(enum sp_entry_level level, double roof, double dram, double llc,
                                     double control)
{
    struct sp_entry was = entry(1, 1e6, 20e9), is = entry(1.25, 1e6, 20e9 * roof);
    const struct sp_entry *list[2] = {&was, &is};
    struct sp_attribution a;
    was.level = is.level = level;
    was.sentinel_version = is.sentinel_version = 1;
    is.sentinel[SP_ENTRY_DRAM] = dram * (was.sentinel[SP_ENTRY_DRAM] = 20e9);
    is.sentinel[SP_ENTRY_LLC] = llc * (was.sentinel[SP_ENTRY_LLC] = 100e9);
    is.sentinel[SP_ENTRY_CONTROL] = control * (was.sentinel[SP_ENTRY_CONTROL] = 5e8);
    sp_attribute(list, 1, list + 1, 1, &a);
    return a;
}

START_TEST(sentinels_tell_the_machine_from_the_arrays)
{
    static const struct {
        enum sp_entry_level level;
        double roof, dram, llc, control;
        const char *text, *also;
    } cases[] = {
        {SP_ENTRY_MEMORY, 0.8, 0.8, 1, 1, "the machine drifted: DRAM sentinel -20.0 %, control kernel +0.0 %",
         ""},
        {SP_ENTRY_LAST, 0.8, 1, 0.8, 1, "the machine drifted: last-level cache sentinel -20.0 %", ""},
        {SP_ENTRY_MEMORY, 0.8, 1, 0.8, 1, "its arrays load more slowly, not the machine", ""},
        {SP_ENTRY_MEMORY, 1, 0.8, 1, 1, "same traffic, less bandwidth at the kernel", ""},
        {SP_ENTRY_MEMORY, 1, 1, 1, 0.8, "the machine drifted: DRAM sentinel +0.0 %, control kernel -20.0 %",
         "the control kernel alone moved (-20.0 %)"},
        {SP_ENTRY_INNER, 0.8, 1, 1, 0.8, "the machine drifted", "the control kernel alone moved"},
        {SP_ENTRY_INNER, 0.8, 1, 1, 1, "the machine drifted: the load-only roof", ""},
        {SP_ENTRY_LAST, 1, 1, 1, 1, "same traffic, less bandwidth at the kernel", ""},
        {SP_ENTRY_MEMORY, 0.8, NAN, NAN, NAN, "the machine drifted: the load-only roof", ""},
        {SP_ENTRY_MEMORY, 0.8, NAN, NAN, 0.99, "the machine drifted: the load-only roof", ""},
        {SP_ENTRY_MEMORY, NAN, 0.8, 1, 1, "the machine drifted: DRAM sentinel -20.0 %", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sp_attribution a =
            said_of(cases[i].level, cases[i].roof, cases[i].dram, cases[i].llc, cases[i].control);
        ck_assert_msg(strncmp(a.text, cases[i].text, strlen(cases[i].text)) == 0 &&
                          (cases[i].also[0] ? strstr(a.also, cases[i].also) != NULL : a.also[0] == '\0'),
                      "case %d: %s; %s", (int)i, a.text, a.also);
    }
}
END_TEST

/* Pages of 4 KiB instead of huge ones: gathers wait for translations, and streams may, too. */
START_TEST(other_pages_are_named)
{
    struct sp_entry was = entry(1, 1e6, 20e9), is = entry(1.4, 1e6, 15e9);
    const struct sp_entry *list[2] = {&was, &is};
    struct sp_attribution a;
    was.level = is.level = SP_ENTRY_MEMORY;
    was.huge_share = 1;
    is.huge_share = 0;
    sp_attribute(list, 1, list + 1, 1, &a);
    ck_assert_msg(strncmp(a.text, "its arrays lie on other pages", 29) == 0, "%s", a.text);
    ck_assert_ptr_nonnull(strstr(a.also, "0 % of its arrays are on huge pages, before it were 100 %"));
    is.metric[SP_TRACKED_ROOF] = 20e9; /* streams are as fast: only gathers wait */
    sp_attribute(list, 1, list + 1, 1, &a);
    ck_assert_msg(strncmp(a.text, "same traffic, less bandwidth at the kernel", 42) == 0, "%s", a.text);
    ck_assert_ptr_nonnull(strstr(a.also, "on huge pages"));
}
END_TEST

/* Half of the bytes before are simulated, and more: those that were measured are what measured ones moved by.
 */
START_TEST(origins_of_bytes_do_not_mix)
{
    struct sp_entry old = entry(1, 2e6, 20e9), was = entry(1, 1e6, 20e9), is = entry(1.25, 1e6, 20e9);
    const struct sp_entry *list[3] = {&old, &was, &is};
    struct sp_attribution a;
    strcpy(was.origin[SP_TRACKED_BYTES], "measured");
    strcpy(is.origin[SP_TRACKED_BYTES], "measured");
    sp_attribute(list, 2, list + 2, 1, &a);
    ck_assert_double_eq_tol(a.bytes, 0, 1e-12);
    sp_attribute(list, 1, list + 2, 1, &a);
    ck_assert(isnan(a.bytes) && isnan(a.bandwidth));
}
END_TEST

/* Values of another kind of sentinel, and records without any, count as unknown. */
START_TEST(sentinels_of_other_versions_do_not_compare)
{
    struct sp_entry e[2] = {entry(1, 1e6, 20e9), entry(1.25, 1e6, 16e9)};
    const struct sp_entry *list[2] = {&e[0], &e[1]};
    struct sp_attribution a;
    for (int i = 0; i < 2; i++) {
        e[i].level = SP_ENTRY_MEMORY;
        e[i].sentinel_version = 1 + i;
        e[i].sentinel[SP_ENTRY_DRAM] = 20e9;
    }
    sp_attribute(list, 1, list + 1, 1, &a);
    ck_assert(isnan(a.sentinel[SP_ENTRY_DRAM]) && strstr(a.text, "the machine drifted: the load-only roof"));
    e[0].sentinel_version = e[1].sentinel_version = 0;
    sp_attribute(list, 1, list + 1, 1, &a);
    ck_assert(isnan(a.sentinel[SP_ENTRY_DRAM]));
    e[0].sentinel_version = e[1].sentinel_version = 1;
    sp_attribute(list, 1, list + 1, 1, &a);
    ck_assert_double_eq(a.sentinel[SP_ENTRY_DRAM], 0);
}
END_TEST

START_TEST(entries_keep_what_sentinels_saw)
{
    struct sp_record r;
    struct sp_entry e;
    static const struct {
        const char *level;
        enum sp_entry_level is;
    } levels[] = {{"MEM", SP_ENTRY_MEMORY},
                  {"L3", SP_ENTRY_LAST},
                  {"L2", SP_ENTRY_INNER},
                  {"", SP_ENTRY_LEVEL_UNKNOWN}};
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_entry_of(&r, &e);
    ck_assert(e.sentinel_version == 0 && isnan(e.sentinel[SP_ENTRY_DRAM]) &&
              e.level == SP_ENTRY_LEVEL_UNKNOWN);
    sp_record_set_count(&r, SP_F_SENTINELS_VERSION, 1);
    sp_record_set_object(&r, SP_F_SENTINELS_DRAM_VALUES, json_pack("[f, f, f]", 3.0, 1.0, 2.0));
    sp_record_set_object(&r, SP_F_SENTINELS_LLC_VALUES, json_array());
    sp_record_append(&r, SP_F_MACHINE_CACHES, json_pack("{s:i}", "level", 1));
    sp_record_append(&r, SP_F_MACHINE_CACHES, json_pack("{s:i}", "level", 3));
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        sp_record_set_text(&r, SP_F_BINDING_LEVEL, levels[i].level);
        sp_entry_of(&r, &e);
        ck_assert_int_eq(e.level, levels[i].is);
    }
    ck_assert_int_eq((int)e.sentinel_version, 1);
    ck_assert_double_eq(e.sentinel[SP_ENTRY_DRAM], 2);
    ck_assert(isnan(e.sentinel[SP_ENTRY_LLC]) && isnan(e.sentinel[SP_ENTRY_CONTROL]));
    sp_record_free(&r);
}
END_TEST

START_TEST(disturbed_times_are_no_times)
{
    struct sp_record r;
    struct sp_entry e;
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_append(&r, SP_F_RUNS,
                     json_pack("{s:[f,f], s:[f,f]}", "time_s", 1e-3, 2e-3, "roof_Bps", 1e9, 2e9));
    sp_record_set_value(&r, SP_F_METRICS_TIME, sp_value_of(1.5e-3, SP_MEASURED));
    sp_record_set_value(&r, SP_F_METRICS_BYTES, sp_value_of(1e6, SP_SIMULATED));
    sp_record_set_text(&r, SP_F_CONDITIONS_STATE, "busy");
    sp_entry_of(&r, &e);
    ck_assert(e.n_runs == 1 && e.metric[SP_TRACKED_TIME] > 0);
    sp_record_set_text(&r, SP_F_CONDITIONS_STATE, "unusable");
    sp_entry_of(&r, &e);
    ck_assert(e.n_runs == 0 && isnan(e.metric[SP_TRACKED_TIME]) && isnan(e.metric[SP_TRACKED_ROOF]));
    ck_assert_double_eq(e.metric[SP_TRACKED_BYTES], 1e6);
    sp_record_free(&r);
}
END_TEST

START_TEST(evidence_names_code_and_shares)
{
    struct sp_entry was = entry(1, 1e6, 20e9), is = entry(1.25, 1e6, 20e9);
    const struct sp_entry *list[2] = {&was, &is};
    struct sp_attribution a;
    strcpy(was.kernel, "spmv/crs/avx2");
    strcpy(is.kernel, was.kernel);
    strcpy(is.code, "00000000000000aa");
    strcpy(is.partition, "00000000000000bb");
    sp_attribute(list, 1, list + 1, 1, &a);
    ck_assert_str_eq(a.also, ""); /* not known before */
    strcpy(was.code, is.code);
    strcpy(was.partition, is.partition);
    sp_attribute(list, 1, list + 1, 1, &a);
    ck_assert_str_eq(a.also, "");
    was.code[0] = was.partition[0] = '1';
    sp_attribute(list, 1, list + 1, 1, &a);
    ck_assert_str_eq(a.also,
                     "the kernel's machine code is another; the threads have other shares of the matrix");
    strcpy(was.kernel, "spmv/crs/portable"); /* says more than its code */
    sp_attribute(list, 1, list + 1, 1, &a);
    ck_assert_ptr_null(strstr(a.also, "machine code"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("attribution");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, sentinels_tell_the_machine_from_the_arrays);
    tcase_add_test(tests, origins_of_bytes_do_not_mix);
    tcase_add_test(tests, other_pages_are_named);
    tcase_add_test(tests, sentinels_of_other_versions_do_not_compare);
    tcase_add_test(tests, entries_keep_what_sentinels_saw);
    tcase_add_test(tests, evidence_names_code_and_shares);
    tcase_add_test(tests, disturbed_times_are_no_times);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
