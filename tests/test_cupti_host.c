/* The metrics of every set on the chips that matter, by the host half of CUPTI itself: it needs no GPU and no
 * driver. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/cuda/cupti_host.h"
#include "run_suite.h"

static struct sp_cupti_api api;
static struct sp_error err;

static const char *const chips[] = {"GA100", "GH100", "GB100"};
enum { N_CHIPS = 3 };

static struct sp_cupti_plan made(const char *chip, const struct sp_gpu_set *set)
{
    struct sp_cupti_plan plan;
    ck_assert_msg(sp_cupti_plan_make(&api, chip, NULL, set, &plan, &err) == SP_OK, "%s %s: %s", chip,
                  set->name, err.what);
    return plan;
}

/* Every name of the sets that a roofline needs, and one pass each. */
START_TEST(traffic_and_flops_take_one_pass)
{
    static const enum sp_gpu_set_name sets[] = {SP_GPU_SET_TRAFFIC, SP_GPU_SET_FLOPS};
    for (int c = 0; c < N_CHIPS; c++)
        for (int s = 0; s < 2; s++) {
            const struct sp_gpu_set *set = &sp_gpu_sets[sets[s]];
            struct sp_cupti_plan plan = made(chips[c], set);
            for (int i = 0; i < set->n_metrics; i++)
                ck_assert_msg(sp_cupti_metric_check(&plan, set->metric[i].name, &err) == SP_OK, "%s: %s",
                              chips[c], err.what);
            ck_assert_int_eq(plan.n_metrics, set->n_metrics);
            ck_assert_int_eq(plan.n_lacking, 0);
            ck_assert_msg(plan.n_passes == 1, "%s %s takes %d passes", chips[c], set->name, plan.n_passes);
            sp_cupti_plan_free(&plan);
        }
}
END_TEST

/* The further sets may take more, but every count of them can be had. */
START_TEST(further_sets_are_complete)
{
    static const enum sp_gpu_set_name sets[] = {SP_GPU_SET_UPDATES, SP_GPU_SET_TENSOR};
    for (int c = 0; c < N_CHIPS; c++)
        for (int s = 0; s < 2; s++) {
            struct sp_cupti_plan plan = made(chips[c], &sp_gpu_sets[sets[s]]);
            ck_assert_msg(plan.n_lacking == 0, "%s lacks %s", chips[c], plan.lacking[0]);
            printf("cupti: %s %s: %d metrics, %d passes\n", chips[c], plan.set->name, plan.n_metrics,
                   plan.n_passes);
            sp_cupti_plan_free(&plan);
        }
}
END_TEST

/* One name for 16-bit operands on GH100, two on the others. */
START_TEST(alternatives_do_not_count_twice)
{
    static const int expected[N_CHIPS] = {2, 1, 2};
    for (int c = 0; c < N_CHIPS; c++) {
        struct sp_cupti_plan plan = made(chips[c], &sp_gpu_sets[SP_GPU_SET_TENSOR]);
        int n = 0;
        for (int i = 0; i < plan.n_metrics; i++)
            n += plan.metric[i]->count == SP_GPU_TENSOR_F16;
        ck_assert_int_eq(n, expected[c]);
        sp_cupti_plan_free(&plan);
    }
}
END_TEST

START_TEST(a_wrong_name_is_named)
{
    static const struct sp_gpu_metric metrics[] = {{"gpu__time_duration.sum", SP_GPU_TIME, 1, 0},
                                                   {"dram__bytes_eaten.sum", SP_GPU_DRAM_READ, 1, 0}};
    const struct sp_gpu_set both = {"both", metrics, 2}, wrong = {"wrong", metrics + 1, 1};
    struct sp_cupti_plan plan = made("GH100", &both);
    ck_assert_int_eq(plan.n_metrics, 1);
    ck_assert_int_eq(plan.n_lacking, 1);
    ck_assert_str_eq(plan.lacking[0], "dram__bytes_eaten.sum");
    ck_assert_int_eq(sp_cupti_metric_check(&plan, metrics[1].name, &err), SP_ABSENT);
    ck_assert_str_eq(err.what, "this GPU has no metric 'dram__bytes_eaten.sum'");
    sp_cupti_plan_free(&plan);
    ck_assert_int_eq(sp_cupti_plan_make(&api, "GH100", NULL, &wrong, &plan, &err), SP_ABSENT);
    ck_assert_msg(strstr(err.what, "dram__bytes_eaten.sum") != NULL, "%s", err.what);
    ck_assert(!plan.host && !plan.config);
}
END_TEST

/* A count of which a part is missing is unknown as a whole, and nothing of it is counted. */
START_TEST(half_a_count_is_none)
{
    static const struct sp_gpu_metric metrics[] = {{"gpu__time_duration.sum", SP_GPU_TIME, 1, 0},
                                                   {"dram__bytes_read.sum", SP_GPU_DRAM_READ, 1, 0},
                                                   {"dram__bytes_eaten.sum", SP_GPU_DRAM_READ, 1, 0}};
    const struct sp_gpu_set set = {"half", metrics, 3};
    struct sp_cupti_plan plan = made("GA100", &set);
    ck_assert_int_eq(plan.n_metrics, 1);
    ck_assert_int_eq(plan.metric[0]->count, SP_GPU_TIME);
    sp_cupti_plan_free(&plan);
}
END_TEST

START_TEST(an_unknown_chip_is_an_error_that_lists_the_known)
{
    static const char *const wrong[] = {"GX999", "gh100"};
    for (int i = 0; i < 2; i++) {
        struct sp_cupti_plan plan;
        ck_assert_int_eq(sp_cupti_plan_make(&api, wrong[i], NULL, &sp_gpu_sets[0], &plan, &err), SP_ABSENT);
        ck_assert_msg(strstr(err.what, "no chip") != NULL, "%s", err.what);
        ck_assert_msg(strstr(err.remedy, "GH100") != NULL, "%s", err.remedy);
        ck_assert(!plan.host);
    }
}
END_TEST

START_TEST(a_library_that_is_missing_or_another_is_said)
{
    struct sp_cupti_api other;
    ck_assert_int_eq(sp_cupti_open("/nowhere/libcupti.so", &other, &err), SP_ABSENT);
    ck_assert_msg(strstr(err.what, "CUPTI cannot be opened") && strstr(err.what, "/nowhere"), "%s", err.what);
    ck_assert_int_eq(sp_cupti_open("libm.so.6", &other, &err), SP_ABSENT);
    ck_assert_msg(strstr(err.what, "has no function cuptiGetVersion"), "%s", err.what);
    ck_assert(!other.get_version);
}
END_TEST

int main(void)
{
#ifdef __SANITIZE_ADDRESS__ /* refuses a library that is opened with RTLD_DEEPBIND, as libcupti opens        \
                               libnvperf_host */
    printf("SKIPPED: CUPTI does not run under the address sanitizer\n");
    return 77;
#endif
    if (sp_cupti_open(NULL, &api, &err) != SP_OK) {
        printf("SKIPPED: %s\n", err.what);
        return 77;
    }
    printf("cupti: %s, version %u\n", api.path, api.version);
    fflush(stdout);
    Suite *suite = suite_create("cupti_host");
    TCase *tests = tcase_create("host");
    tcase_add_test(tests, traffic_and_flops_take_one_pass);
    tcase_add_test(tests, further_sets_are_complete);
    tcase_add_test(tests, alternatives_do_not_count_twice);
    tcase_add_test(tests, a_wrong_name_is_named);
    tcase_add_test(tests, half_a_count_is_none);
    tcase_add_test(tests, an_unknown_chip_is_an_error_that_lists_the_known);
    tcase_add_test(tests, a_library_that_is_missing_or_another_is_said);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
