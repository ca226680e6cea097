/* The whole sequence of the range profiler over a library that keeps CUPTI's rules and is refused wherever
 * the test wants. */
#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake/fake_cupti.h"
#include "probes/cuda/cupti_host.h"
#include "recorded_root.h"
#include "run_suite.h"

static struct sp_cupti_api api;
static struct fake_cupti *fake;
static struct sp_error err;
static struct sp_gpu_counts counts;

/* What the CUDA runtime of this machine would say. */
static int n_devices, count_error, use_error;

static int device_count(int *n)
{
    *n = n_devices;
    return count_error;
}

static int use_device(int ordinal, CUdevice *device, CUcontext *context)
{
    static char primary;
    *device = ordinal;
    *context = (CUcontext)(void *)&primary;
    return use_error;
}

static const char *error_text(int error)
{
    return error == 35 ? "CUDA driver version is insufficient for CUDA runtime version" : "an error";
}

static const struct sp_cuda_calls cuda = {device_count, use_device, error_text};

/* The work writes itself into the log of the library; it fails at the n-th call where `fail_at` tells. */
struct work {
    int n_states, n_launches, state_fails_at, launch_fails_at;
};

static enum sp_status note(const char *word, int n, int fails_at, struct sp_error *why)
{
    strncat(fake->log, word, sizeof fake->log - strlen(fake->log) - 1);
    return n == fails_at ? sp_fail(why, SP_WRONG, NULL, "the %sfailed", word) : SP_OK;
}

static enum sp_status set_state(void *context, struct sp_error *why)
{
    struct work *w = context;
    return note("state ", w->n_states++, w->state_fails_at, why);
}

static enum sp_status launch(void *context, struct sp_error *why)
{
    struct work *w = context;
    return note("launch ", w->n_launches++, w->launch_fails_at, why);
}

static struct work work;

static enum sp_status count(enum sp_gpu_set_name set)
{
    const struct sp_cupti_device device = {&api, &cuda, 0};
    const struct sp_gpu_work what = {set_state, launch, &work};
    memset(&counts, 0, sizeof counts);
    memset(&err, 0, sizeof err);
    return sp_cupti_count(&device, &sp_gpu_sets[set], &what, &counts, &err);
}

static void reset(void)
{
    memset(fake, 0, sizeof *fake);
    work = (struct work){.state_fails_at = -1, .launch_fails_at = -1};
    n_devices = 1;
    count_error = use_error = 0;
}

static void setup(void)
{
    ck_assert_msg(sp_cupti_open(SP_FAKE_CUPTI, &api, &err) == SP_OK, "%s", err.what);
    void *library = dlopen(SP_FAKE_CUPTI, RTLD_NOW);
    ck_assert_ptr_nonnull(library);
    fake = dlsym(library, "fake_cupti");
    ck_assert_ptr_nonnull(fake);
    api.root = "/nowhere";
    ck_assert(!api.host_library);
    reset();
}

/* Nothing is left open, no rule was broken, and nothing claims to be known. */
static void expect_clean_failure(enum sp_status status, const char *when)
{
    ck_assert_msg(status != SP_OK, "%s: counted all the same", when);
    ck_assert_msg(*err.what, "%s: no reason", when);
    ck_assert_msg(fake->n_open == 0, "%s: %d left open: %s", when, fake->n_open, fake->log);
    ck_assert_msg(!*fake->fault, "%s: %s in %s", when, fake->fault, fake->log);
    ck_assert_int_eq(counts.n_passes, 0);
    for (int i = 0; i < SP_N_GPU_COUNTS; i++)
        ck_assert_msg(!sp_value_known(counts.of[i]) && counts.of[i].why, "%s: %s is known", when,
                      sp_gpu_count_words[i].name);
}

static void expect_count(enum sp_gpu_count which, double value)
{
    ck_assert_msg(counts.of[which].origin == SP_MEASURED, "%s: %s", sp_gpu_count_words[which].name,
                  counts.of[which].why);
    ck_assert_double_eq_tol(counts.of[which].value, value, 1e-12 * value);
}

static void expect_unknown(enum sp_gpu_count which, const char *why)
{
    ck_assert(!sp_value_known(counts.of[which]));
    ck_assert_str_eq(counts.of[which].why, why);
}

START_TEST(the_calls_come_in_order)
{
    static const char expected[] =
        "ProfilerInitialize ProfilerDeviceSupported DeviceGetChipName ProfilerGetCounterAvailability "
        "ProfilerGetCounterAvailability ProfilerHostInitialize "
        "ProfilerHostGetMetricProperties ProfilerHostGetMetricProperties ProfilerHostGetMetricProperties "
        "ProfilerHostGetMetricProperties ProfilerHostGetMetricProperties ProfilerHostGetMetricProperties "
        "ProfilerHostConfigAddMetrics ProfilerHostGetConfigImageSize ProfilerHostGetConfigImage "
        "ProfilerHostGetNumOfPasses RangeProfilerEnable RangeProfilerGetCounterDataSize "
        "RangeProfilerCounterDataImageInitialize RangeProfilerSetConfig "
        "state RangeProfilerStart RangeProfilerPushRange launch RangeProfilerPopRange RangeProfilerStop "
        "state RangeProfilerStart RangeProfilerPushRange launch RangeProfilerPopRange RangeProfilerStop "
        "RangeProfilerDecodeData RangeProfilerGetCounterDataInfo ProfilerHostEvaluateToGpuValues "
        "RangeProfilerDisable ProfilerHostDeinitialize ProfilerDeInitialize ";
    fake->more_passes = 1;
    ck_assert_msg(count(SP_GPU_SET_FLOPS) == SP_OK, "%s", err.what);
    ck_assert_str_eq(fake->log, expected);
    ck_assert_str_eq(fake->fault, "");
    ck_assert_int_eq(fake->n_open, 0);
    ck_assert_int_eq(counts.n_passes, 2);
}
END_TEST

START_TEST(values_come_in_si_units)
{
    struct sp_gpu_counts all;
    sp_gpu_counts_none(&all, "not counted");
    ck_assert_msg(count(SP_GPU_SET_TRAFFIC) == SP_OK, "%s", err.what);
    expect_count(SP_GPU_TIME, 1000e-9);
    expect_count(SP_GPU_DRAM_READ, 1000);
    expect_count(SP_GPU_L2_READ, 32000);
    expect_count(SP_GPU_L1_LOAD, 1000);
    expect_unknown(SP_GPU_FLOPS_F64, "not in the set that was counted");
    sp_gpu_counts_merge(&all, &counts);
    ck_assert_msg(count(SP_GPU_SET_FLOPS) == SP_OK, "%s", err.what);
    expect_count(SP_GPU_FLOPS_F64, 4000); /* an addition, a multiplication, and two for the FMA */
    expect_count(SP_GPU_FLOPS_F32, 4000);
    sp_gpu_counts_merge(&all, &counts);
    counts = all;
    expect_count(SP_GPU_L2_WRITE, 32000);
    expect_count(SP_GPU_FLOPS_F32, 4000);
    expect_unknown(SP_GPU_TENSOR_F16, "not counted");
    ck_assert_int_eq(all.n_passes, 2);
}
END_TEST

START_TEST(alternatives_and_updates)
{
    ck_assert_msg(count(SP_GPU_SET_TENSOR) == SP_OK, "%s", err.what);
    expect_count(SP_GPU_TENSOR_F16, 1000);
    fake->missing = "sm__ops_path_tensor_src_fp16.sum";
    ck_assert_msg(count(SP_GPU_SET_TENSOR) == SP_OK, "%s", err.what);
    expect_count(SP_GPU_TENSOR_F16, 2000);
    ck_assert_msg(count(SP_GPU_SET_UPDATES) == SP_OK, "%s", err.what);
    expect_count(SP_GPU_L1_ASYNC, 1000);
    expect_count(SP_GPU_L2_ATOMIC, 32000);
}
END_TEST

/* Never 0: a missing metric, no number, and a number that was not written. */
START_TEST(what_was_not_read_is_unknown)
{
    fake->missing = "dram__bytes_read.sum";
    fake->nan = "dram__bytes_write.sum";
    fake->untouched = "lts__t_sectors_srcunit_tex_op_read.sum";
    ck_assert_msg(count(SP_GPU_SET_TRAFFIC) == SP_OK, "%s", err.what);
    expect_unknown(SP_GPU_DRAM_READ, "this GPU has no such counter");
    expect_unknown(SP_GPU_DRAM_WRITE, "CUPTI gave no number");
    expect_unknown(SP_GPU_L2_READ, "CUPTI gave no number");
    expect_count(SP_GPU_L2_WRITE, 32000);
    reset();
    fake->nan = "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum";
    ck_assert_msg(count(SP_GPU_SET_FLOPS) == SP_OK, "%s", err.what);
    expect_unknown(SP_GPU_FLOPS_F64, "CUPTI gave no number");
    expect_count(SP_GPU_FLOPS_F32, 4000);
    ck_assert_int_eq(fake->n_open, 0);
}
END_TEST

START_TEST(without_a_device_cupti_is_not_called)
{
    fake->no_driver = true;
    count_error = 35;
    n_devices = 0;
    expect_clean_failure(count(SP_GPU_SET_TRAFFIC), "no driver");
    ck_assert_str_eq(fake->log, "");
    ck_assert_msg(strstr(err.what, "driver version is insufficient") && strstr(err.remedy, "doctor"), "%s",
                  err.what);
    count_error = 0;
    expect_clean_failure(count(SP_GPU_SET_TRAFFIC), "no device");
    ck_assert_str_eq(err.what, "there is no GPU 0, but 0");
    n_devices = 1;
    use_error = 46;
    expect_clean_failure(count(SP_GPU_SET_TRAFFIC), "a device that another uses alone");
    ck_assert_str_eq(fake->log, "");
}
END_TEST

/* Every call that can be refused, with refusals of every kind, in the first and in the second pass. */
static const char *const refusable[] = {"ProfilerInitialize",
                                        "ProfilerDeviceSupported",
                                        "DeviceGetChipName",
                                        "ProfilerGetCounterAvailability",
                                        "ProfilerHostInitialize",
                                        "ProfilerHostGetMetricProperties",
                                        "ProfilerHostConfigAddMetrics",
                                        "ProfilerHostGetConfigImageSize",
                                        "ProfilerHostGetConfigImage",
                                        "ProfilerHostGetNumOfPasses",
                                        "RangeProfilerEnable",
                                        "RangeProfilerGetCounterDataSize",
                                        "RangeProfilerCounterDataImageInitialize",
                                        "RangeProfilerSetConfig",
                                        "RangeProfilerStart",
                                        "RangeProfilerPushRange",
                                        "RangeProfilerPopRange",
                                        "RangeProfilerStop",
                                        "RangeProfilerDecodeData",
                                        "RangeProfilerGetCounterDataInfo",
                                        "ProfilerHostEvaluateToGpuValues",
                                        "RangeProfilerDisable"};
enum { N_REFUSABLE = sizeof refusable / sizeof *refusable };

START_TEST(every_refusal_is_told_and_leaves_nothing_open)
{
    for (int call = 0; call < N_REFUSABLE; call++)
        for (int code = 2; code <= 46; code++)
            for (int at = 0; at < 2; at++) {
                char when[128];
                reset();
                fake->more_passes = 1;
                fake->fails = refusable[call];
                fake->fails_at = at;
                fake->with = code == 46 ? CUPTI_ERROR_UNKNOWN : code;
                if (code == CUPTI_ERROR_INVALID_METRIC_NAME)
                    continue; /* a metric that the chip lacks, which is no failure */
                enum sp_status status = count(SP_GPU_SET_TRAFFIC);
                snprintf(when, sizeof when, "%s (%d) refused with %d", refusable[call], at, fake->with);
                ck_assert_msg(fake->n_failed || at, "%s: not called", when);
                if (!fake->n_failed)
                    continue; /* called once */
                expect_clean_failure(status, when);
                ck_assert_msg(strstr(err.what, refusable[call]) != NULL, "%s: %s", when, err.what);
                ck_assert_msg(*err.remedy, "%s: no remedy", when);
            }
}
END_TEST

START_TEST(the_work_may_fail)
{
    for (int at = 0; at < 2; at++) {
        reset();
        fake->more_passes = 1;
        work.launch_fails_at = at;
        expect_clean_failure(count(SP_GPU_SET_TRAFFIC), "launch");
        ck_assert_str_eq(err.what, "the launch failed");
        reset();
        fake->more_passes = 1;
        work.state_fails_at = at;
        expect_clean_failure(count(SP_GPU_SET_TRAFFIC), "state");
        ck_assert_str_eq(err.what, "the state failed");
    }
}
END_TEST

START_TEST(lost_data_is_no_result)
{
    fake->dropped = 1;
    ck_assert_int_eq(count(SP_GPU_SET_TRAFFIC), SP_UNDECIDED);
    expect_clean_failure(SP_UNDECIDED, "dropped");
    ck_assert_msg(strstr(err.what, "dropped 1 ranges"), "%s", err.what);
    reset();
    fake->never_complete = true;
    ck_assert_int_eq(count(SP_GPU_SET_TRAFFIC), SP_UNDECIDED);
    expect_clean_failure(SP_UNDECIDED, "without end");
    ck_assert_int_eq(fake->n_passes_run, 3);
}
END_TEST

static void expect_words(const char *what, const char *remedy)
{
    expect_clean_failure(count(SP_GPU_SET_TRAFFIC), what);
    ck_assert_msg(strstr(err.what, what) != NULL, "'%s' instead of '%s'", err.what, what);
    ck_assert_msg(strstr(err.remedy, remedy) != NULL, "'%s' instead of '%s'", err.remedy, remedy);
}

START_TEST(refusals_have_their_own_sentences)
{
    static const struct {
        CUptiResult code;
        const char *what, *remedy;
    } sentences[] = {
        {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "RmProfilingAdminOnly is not told",
         "NVreg_RestrictProfilingToAdminUsers=0"},
        {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, "virtual GPU", "enable_profiling=1"},
        {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "MIG", "nvidia-smi mig"},
        {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, "Windows", "NVIDIA Control Panel"},
        {CUPTI_ERROR_HARDWARE_BUSY, "another profiler", "ncu"},
        {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "another profiler", "ncu"},
        {CUPTI_ERROR_NOT_SUPPORTED, "does not support", "compute capability"},
        {CUPTI_ERROR_NOT_INITIALIZED, "libnvperf_host.so is not beside", "install all of CUPTI"},
        {CUPTI_ERROR_UNKNOWN, "CUPTI_ERROR_UNKNOWN (999)", "times need none"},
    };
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        reset();
        fake->fails = "ProfilerGetCounterAvailability";
        fake->with = sentences[i].code;
        expect_words(sentences[i].what, sentences[i].remedy);
    }
    reset();
    api.host_library = true;
    fake->fails = "ProfilerHostInitialize";
    fake->with = CUPTI_ERROR_NOT_INITIALIZED;
    expect_words("as without a driver", "doctor");
    reset();
    fake->vgpu = CUPTI_PROFILER_CONFIGURATION_DISABLED;
    expect_words("virtual GPU", "enable_profiling=1");
    reset();
    fake->vgpu = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    expect_words("virtual GPU has no counters", "CUDA_VISIBLE_DEVICES");
    reset();
    fake->wsl = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    expect_words("Windows Subsystem", "NVIDIA Control Panel");
    reset();
    fake->unsaid = CUPTI_PROFILER_CONFIGURATION_UNKNOWN + 1;
    expect_words("does not say why", "doctor");
    reset();
    fake->fails = "ProfilerHostInitialize";
    fake->with = CUPTI_ERROR_INVALID_CHIP_NAME;
    expect_words("no chip 'GH100'", "CUPTI 130001 knows GH100");
}
END_TEST

/* Permission comes with the state of the driver's own switch. */
START_TEST(permission_is_told_with_the_drivers_switch)
{
    char root[] = "/tmp/sp_root_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(root));
    api.root = root;
    recorded_write(root, "/proc/driver/nvidia/version",
                   "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06");
    static const char *const words[] = {"although the driver lets every user", "RmProfilingAdminOnly is 1"};
    static const char *const remedies[] = {"--cap-add SYS_ADMIN", "NVreg_RestrictProfilingToAdminUsers=0"};
    for (int admin = 0; admin < 2; admin++) {
        reset();
        recorded_write(root, "/proc/driver/nvidia/params",
                       admin ? "RmProfilingAdminOnly: 1" : "RmProfilingAdminOnly: 0");
        fake->fails = "RangeProfilerStart";
        fake->with = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
        expect_words(words[admin], remedies[admin]);
        ck_assert(strstr(err.what, "cuptiRangeProfilerStart gave") && strstr(err.what, "(35)"));
    }
    recorded_remove(root);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cupti_range");
    TCase *tests = tcase_create("range");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, the_calls_come_in_order);
    tcase_add_test(tests, values_come_in_si_units);
    tcase_add_test(tests, alternatives_and_updates);
    tcase_add_test(tests, what_was_not_read_is_unknown);
    tcase_add_test(tests, without_a_device_cupti_is_not_called);
    tcase_add_test(tests, every_refusal_is_told_and_leaves_nothing_open);
    tcase_add_test(tests, the_work_may_fail);
    tcase_add_test(tests, lost_data_is_no_result);
    tcase_add_test(tests, refusals_have_their_own_sentences);
    tcase_add_test(tests, permission_is_told_with_the_drivers_switch);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
