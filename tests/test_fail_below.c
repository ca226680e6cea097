/* --fail-below: each limit is looked at, the worse answer counts, and what is not known says why. */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/analyze/analyze_output.h"
#include "run_suite.h"
#include "scratch_dir.h"

/* The exit code of a record with these fractions, and what stands on standard error. */
static int code_of(struct sp_value bandwidth, struct sp_value model, double least_bandwidth,
                   double least_model, char *said, size_t size)
{
    const struct sp_common_options common = {.csv = "-", .verbosity = -1};
    struct sp_output_options o = {.directory = dir,
                                  .asked = {[SP_OPTION_NO_PLOTS] = true},
                                  .fail_below_bandwidth = least_bandwidth,
                                  .fail_below_model = least_model};
    struct sp_record r;
    char path[256];
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_set_text(&r, SP_F_STATUS, "complete");
    sp_record_set_value(&r, SP_F_METRICS_BANDWIDTH_FRACTION, bandwidth);
    sp_record_set_value(&r, SP_F_METRICS_MODEL_FRACTION, model);
    snprintf(path, sizeof path, "%s/said", dir);
    fflush(stderr);
    const int old = dup(STDERR_FILENO);
    ck_assert_ptr_nonnull(freopen(path, "w", stderr));
    const int code = sp_output_record(&r, &o, &common);
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(old);
    sp_record_free(&r);
    FILE *f = fopen(path, "r");
    said[fread(said, 1, size - 1, f)] = '\0';
    fclose(f);
    return code;
}

START_TEST(the_worse_answer_of_both_limits_counts)
{
    make_dir();
    const struct sp_value none = sp_value_none("nobody counted"), half = sp_value_of(0.5, SP_SIMULATED);
    char said[2000];
    ck_assert_int_eq(code_of(half, half, 0, 0, said, sizeof said), 0);
    ck_assert_int_eq(code_of(half, half, 0.4, 0.5, said, sizeof said), 0);
    ck_assert_str_eq(said, "");
    ck_assert_int_eq(code_of(half, half, 0.6, 0.4, said, sizeof said), 1);
    ck_assert_int_eq(code_of(half, half, 0.6, 0.7, said, sizeof said), 1);
    ck_assert(strstr(said, "bandwidth_fraction is 0.500") && strstr(said, "model_fraction is 0.500"));
    ck_assert_int_eq(code_of(none, half, 0.4, 0, said, sizeof said), 5);
    ck_assert_ptr_nonnull(strstr(said, "bandwidth_fraction is not known: nobody counted"));
    ck_assert_int_eq(code_of(none, half, 0.4, 0.4, said, sizeof said), 5);
    ck_assert_int_eq(code_of(none, half, 0.4, 0.6, said, sizeof said), 1);
    ck_assert(strstr(said, "nobody counted") && strstr(said, "model_fraction is 0.500, below 0.600"));
    remove_dir();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fail_below");
    TCase *t = tcase_create("fail_below");
    tcase_add_test(t, the_worse_answer_of_both_limits_counts);
    suite_add_tcase(s, t);
    return run_suite(s);
}
