/* Everything that the program has a word for is explained, and is found by any of its spellings. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "cli/explain/explained.h"
#include "cli/explain/terms/topics.h"
#include "explain_must.h"
#include "explain_words.h"
#include "io/record/record.h"
#include "lab/lab_check.h"
#include "model/machine.h"
#include "run_suite.h"
#include "session/measure/conditions.h"
#include "sparse/formats/format.h"
#include "sparse/launch/gpu_launch.h"
#include "sparse/product/workload.h"
#include "sparse/reorder/reorder.h"
#include "track/campaign/campaign_jobs.h"
#include "track/judge/judge.h"
#include "track/store/entry.h"

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
    for (int i = 0; i < sp_n_formats; i++)
        must(sp_format_name(i));
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
    for (int i = 0; i < SP_N_LOSS_ROWS; i++) {
        must(sp_field_key(sp_loss_words[i].field));
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

/* Labels of lines and columns of analyze, compare, sweep and series over r, as they are printed. */
START_TEST(test_printed_words)
{
    static const char *const words[] = {"per row",
                                        "mean",
                                        "median",
                                        "p99",
                                        "max",
                                        "symmetric file",
                                        "expanded",
                                        "duplicates",
                                        "cache domain",
                                        "virtual machine",
                                        "pinned",
                                        "effective",
                                        "load of its arrays",
                                        "DRAM load",
                                        "L3 load",
                                        "DP FMA",
                                        "memory bandwidth",
                                        "in-core execution",
                                        "static nnz",
                                        "f64/i32",
                                        "mixed/i32",
                                        "avx2-loads",
                                        "NT stores",
                                        "warm",
                                        "run",
                                        "runs",
                                        "samples",
                                        "dropped",
                                        "result checked",
                                        "max. rel. error",
                                        "bound by",
                                        "no counters can be used",
                                        "DRAM traffic",
                                        "L3 traffic",
                                        "of roof",
                                        "of model",
                                        "model, x once",
                                        "model, x as simulated",
                                        "model, x as counted",
                                        "median of pairs",
                                        "cold minimum",
                                        "possible",
                                        "reached",
                                        "lost",
                                        "do",
                                        "trust",
                                        "clean",
                                        "busy",
                                        "unusable",
                                        "assumed",
                                        "constructed",
                                        "interrupted",
                                        "measured elsewhere",
                                        "state not recorded",
                                        "x loaded once",
                                        "operands loaded once",
                                        "of possible",
                                        "all of what is possible",
                                        "more than the model allows",
                                        "waiting for gathers",
                                        "overlap of these",
                                        "parts exceed the time",
                                        "nothing worth naming",
                                        "not known",
                                        "tried",
                                        "predicted",
                                        "not validated",
                                        "doubt",
                                        "minimum traffic",
                                        "extra x traffic",
                                        "x in several caches",
                                        "load imbalance",
                                        "in-core, latency",
                                        "not explained",
                                        "padding",
                                        "proof",
                                        "bottleneck",
                                        "latency",
                                        "prefetch",
                                        "all gathers from L1",
                                        "linearised indices",
                                        "without memory limits",
                                        "inner caches",
                                        "busy times",
                                        "lambda of entries",
                                        "confidence",
                                        "try",
                                        "expect",
                                        "saved",
                                        "next",
                                        "pays after",
                                        "not a problem",
                                        "huge pages",
                                        "small pages",
                                        "page walk",
                                        "number of threads",
                                        "dense blocks",
                                        "symmetry",
                                        "norm-wise",
                                        "noisy",
                                        "drifted",
                                        "sentinel",
                                        "OVER r",
                                        "of limit",
                                        "b/B",
                                        "b_S/B",
                                        "best r",
                                        "limited by",
                                        "least",
                                        "B/A - 1",
                                        "differs",
                                        "resolved",
                                        "against the run",
                                        "bound",
                                        "set-up",
                                        "tied",
                                        "left out",
                                        "the run",
                                        "combinations",
                                        "exhaustive",
                                        "stored entries",
                                        "layout",
                                        "partial results",
                                        "GB/s",
                                        "Gflop/s",
                                        "us",
                                        "\xc2\xb1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        must(words[i]);
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
    tcase_add_test(tc, test_printed_words);
    tcase_add_test(tc, test_exit_codes);
    tcase_add_test(tc, test_schema);
    tcase_add_test(tc, test_spellings);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
