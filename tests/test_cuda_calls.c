/* The real runtime and the real CUPTI where there is no driver: a reason instead of counts, and no crash. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/gpu_runtime.h"
#include "probes/cuda/cupti_host.h"
#include "run_suite.h"

static enum sp_status never(void *context, struct sp_error *err)
{
    (void)context;
    (void)err;
    ck_abort_msg("there is nothing to launch on");
}

START_TEST(without_a_driver_there_is_a_reason)
{
    struct sp_cupti_api api;
    struct sp_error err;
    struct sp_gpu_counts counts;
    if (sp_cupti_open(NULL, &api, &err) != SP_OK)
        printf("cuda_calls: without CUPTI: %s\n", err.what);
    const struct sp_cupti_device device = {&api, &sp_cuda_calls, 0};
    const struct sp_gpu_work work = {never, never, NULL};
    for (int i = 0; i < SP_N_GPU_SETS; i++) {
        ck_assert_int_eq(sp_cupti_count(&device, &sp_gpu_sets[i], &work, &counts, &err), SP_ABSENT);
        ck_assert_msg(strstr(err.what, "no GPU") != NULL, "%s", err.what);
        ck_assert_str_eq(counts.of[SP_GPU_DRAM_READ].why, "counting failed");
    }
    printf("cuda_calls: %s\n", err.what);
}
END_TEST

/* The same through the module, as the program does it. */
START_TEST(the_module_says_so_too)
{
    const struct sp_gpu_counters *counters;
    struct sp_error err;
    struct sp_gpu_counts counts;
    const struct sp_gpu_work work = {never, never, NULL};
    ck_assert_msg(sp_gpu_counters_open(&counters, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(counters->count(SP_GPU_SET_TRAFFIC, &work, &counts, &err), SP_ABSENT);
    ck_assert(*err.what && *err.remedy && !sp_value_known(counts.of[SP_GPU_DRAM_READ]));
}
END_TEST

/* No part of the L2 is set aside, and each call says why. */
START_TEST(nothing_is_set_aside)
{
    struct sp_gpu_L2_room room = {1, 1};
    struct sp_error err;
    size_t before_B = 1, given_B = 1;
    ck_assert_int_eq(sp_gpu_L2_limits(&room, &err), SP_ABSENT);
    ck_assert(room.set_aside_B == 0 && room.window_B == 0);
    ck_assert_msg(strstr(err.what, "driver") || strstr(err.what, "GPU"), "%s", err.what);
    printf("cuda_calls: %s\n", err.what);
    ck_assert_int_eq(sp_gpu_L2_set_aside(4096, &before_B, &given_B, &err), SP_ABSENT);
    ck_assert(before_B == 0 && given_B == 0 && *err.what && *err.remedy);
    ck_assert_int_eq(sp_gpu_L2_give_back(0, &err), SP_ABSENT);
    ck_assert(*err.what && *err.remedy);
}
END_TEST

int main(void)
{
    int n = 0, error = sp_cuda_calls.device_count(&n);
    if (error == 0 && n > 0) {
        printf("SKIPPED: %d GPUs are here, and this examines what happens without\n", n);
        return 77;
    }
    Suite *suite = suite_create("cuda_calls");
    TCase *tests = tcase_create("no_driver");
    tcase_add_test(tests, without_a_driver_there_is_a_reason);
    tcase_add_test(tests, the_module_says_so_too);
    tcase_add_test(tests, nothing_is_set_aside);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
