#include "probes/cuda/cupti_host.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "sys/machine/gpu_files.h"

static const struct symbol {
    const char *name;
    size_t at;
} symbols[] = {
    {"cuptiGetVersion", offsetof(struct sp_cupti_api, get_version)},
    {"cuptiGetResultString", offsetof(struct sp_cupti_api, result_string)},
    {"cuptiDeviceGetChipName", offsetof(struct sp_cupti_api, chip_name)},
    {"cuptiProfilerInitialize", offsetof(struct sp_cupti_api, initialize)},
    {"cuptiProfilerDeInitialize", offsetof(struct sp_cupti_api, deinitialize)},
    {"cuptiProfilerDeviceSupported", offsetof(struct sp_cupti_api, device_supported)},
    {"cuptiProfilerGetCounterAvailability", offsetof(struct sp_cupti_api, counter_availability)},
    {"cuptiProfilerHostInitialize", offsetof(struct sp_cupti_api, host_initialize)},
    {"cuptiProfilerHostDeinitialize", offsetof(struct sp_cupti_api, host_deinitialize)},
    {"cuptiProfilerHostGetSupportedChips", offsetof(struct sp_cupti_api, host_chips)},
    {"cuptiProfilerHostGetMetricProperties", offsetof(struct sp_cupti_api, host_metric)},
    {"cuptiProfilerHostConfigAddMetrics", offsetof(struct sp_cupti_api, host_add_metrics)},
    {"cuptiProfilerHostGetConfigImageSize", offsetof(struct sp_cupti_api, host_config_size)},
    {"cuptiProfilerHostGetConfigImage", offsetof(struct sp_cupti_api, host_config)},
    {"cuptiProfilerHostGetNumOfPasses", offsetof(struct sp_cupti_api, host_passes)},
    {"cuptiProfilerHostEvaluateToGpuValues", offsetof(struct sp_cupti_api, host_evaluate)},
    {"cuptiRangeProfilerEnable", offsetof(struct sp_cupti_api, range_enable)},
    {"cuptiRangeProfilerDisable", offsetof(struct sp_cupti_api, range_disable)},
    {"cuptiRangeProfilerGetCounterDataSize", offsetof(struct sp_cupti_api, range_data_size)},
    {"cuptiRangeProfilerCounterDataImageInitialize", offsetof(struct sp_cupti_api, range_data_initialize)},
    {"cuptiRangeProfilerSetConfig", offsetof(struct sp_cupti_api, range_configure)},
    {"cuptiRangeProfilerStart", offsetof(struct sp_cupti_api, range_start)},
    {"cuptiRangeProfilerStop", offsetof(struct sp_cupti_api, range_stop)},
    {"cuptiRangeProfilerPushRange", offsetof(struct sp_cupti_api, range_push)},
    {"cuptiRangeProfilerPopRange", offsetof(struct sp_cupti_api, range_pop)},
    {"cuptiRangeProfilerDecodeData", offsetof(struct sp_cupti_api, range_decode)},
    {"cuptiRangeProfilerGetCounterDataInfo", offsetof(struct sp_cupti_api, range_data_info)},
};

static const char *const libraries[] = {"libcupti.so.13", "libcupti.so"};

static const char remedy[] =
    "install the CUDA toolkit's CUPTI (Debian and Ubuntu: cuda-cupti-13-0), or set CUDA_HOME to the toolkit";

/* libcupti opens libnvperf_host.so by its bare name, which only works where the loader looks:
 * opened by its full path before, it is found. */
static bool open_host_library(void *cupti)
{
    char folder[PATH_MAX], name[PATH_MAX + 32];
    if (dlinfo(cupti, RTLD_DI_ORIGIN, folder) != 0)
        return false;
    snprintf(name, sizeof name, "%s/libnvperf_host.so", folder);
    return dlopen(name, RTLD_NOW | RTLD_NODELETE) != NULL;
}

static void *open_in(const char *toolkit, const char *below)
{
    char name[PATH_MAX];
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        snprintf(name, sizeof name, "%s%s/%s", toolkit, below, libraries[i]);
        void *library = access(name, R_OK) == 0 ? dlopen(name, RTLD_NOW | RTLD_NODELETE) : NULL;
        if (library)
            return library;
    }
    return NULL;
}

static void *find_library(void)
{
    static const char of_build[] = SP_CUPTI_LIBRARY_DIR;
    const char *const toolkits[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !library; i++)
        library = dlopen(libraries[i], RTLD_NOW | RTLD_NODELETE);
    if (!library && of_build[0])
        library = open_in(of_build, "");
    for (size_t i = 0; i < sizeof toolkits / sizeof *toolkits && !library; i++) {
        if (!toolkits[i] || !*toolkits[i])
            continue;
        library = open_in(toolkits[i], "/lib64");
        if (!library)
            library = open_in(toolkits[i], "/extras/CUPTI/lib64");
    }
    return library;
}

static enum sp_status take_functions(void *library, struct sp_cupti_api *api, struct sp_error *err)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *function = dlsym(library, symbols[i].name);
        if (!function)
            return sp_fail(err, SP_ABSENT, "install the CUPTI of CUDA 13.0 or later",
                           "%s has no function %s: it is too old", api->path, symbols[i].name);
        memcpy((char *)api + symbols[i].at, &function, sizeof function);
    }
    return SP_OK;
}

enum sp_status sp_cupti_open(const char *path, struct sp_cupti_api *api, struct sp_error *err)
{
    *api = (struct sp_cupti_api){.root = ""};
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_NODELETE) : find_library();
    if (!library) {
        const char *reason = dlerror();
        return sp_fail(err, SP_ABSENT, remedy, "CUPTI cannot be opened: %s",
                       reason ? reason : "no libcupti.so was found");
    }
    api->host_library = open_host_library(library);
    Dl_info where;
    void *first = dlsym(library, symbols[0].name);
    snprintf(api->path, sizeof api->path, "%s",
             first && dladdr(first, &where) && where.dli_fname ? where.dli_fname : "libcupti.so");
    enum sp_status status = take_functions(library, api, err);
    if (status == SP_OK && api->get_version(&api->version) != CUPTI_SUCCESS)
        api->version = 0;
    if (status != SP_OK)
        *api = (struct sp_cupti_api){.root = ""};
    return status;
}

/* What each refusal of CUPTI means for a person. */

static const char end_profiler[] =
    "end the other profiler (ncu, nsys, dcgmi, a debugger); dcgmi profiling --pause stops a monitor's";
static const char own_gpu[] = "take another GPU (CUDA_VISIBLE_DEVICES), or go on without counters";

static const struct fault {
    CUptiResult result;
    const char *what;
    const char *remedy;
} faults[] = {
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "a virtual GPU has no counters for its guests", own_gpu},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
     "a virtual GPU: its counters are closed unless the host opens them", sp_gpu_open_vgpu},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "a slice of a GPU (MIG), whose counters are closed",
     sp_gpu_leave_mig},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED,
     "Windows Subsystem for Linux: the Windows driver closes the counters", sp_gpu_open_wsl},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
     "the GPU computes confidentially, which closes its counters", own_gpu},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "a mining processor, which has no counters for users", own_gpu},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "the GPU is coupled with another (SLI), which closes its counters",
     "switch SLI off"},
    {CUPTI_ERROR_HARDWARE_BUSY, "another profiler holds the GPU's counters", end_profiler},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "another profiler is attached to this process",
     end_profiler},
    {CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED, "this process already profiles through CUPTI's old interface",
     end_profiler},
    {CUPTI_ERROR_DISABLED, "CUPTI is switched off in this process, as a debugger or another profiler does",
     end_profiler},
    {CUPTI_ERROR_INVALID_CHIP_NAME, "CUPTI does not know this GPU",
     "install a newer CUDA toolkit (its CUPTI)"},
    {CUPTI_ERROR_NOT_SUPPORTED, "this GPU or its driver does not support CUPTI's range profiler",
     "it needs compute capability 7.5 or later, and a driver that is not older than the toolkit"},
    {CUPTI_ERROR_NOT_COMPATIBLE, "CUPTI and the driver do not fit together",
     "install the driver of the toolkit's release"},
    {CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, "this GPU does not support CUPTI's old interface",
     "report this: the program does not use it"},
};

/* The driver's rule by its files; a refusal in spite of it is a container's or batch system's. */
static enum sp_status not_permitted(const struct sp_cupti_api *api, const char *call, const char *name,
                                    int code, struct sp_error *err)
{
    struct sp_gpu_files files;
    sp_gpu_files_read(api->root, &files);
    if (files.vgpu)
        return sp_fail(
            err, SP_ABSENT, sp_gpu_open_vgpu,
            "a virtual GPU (%s): its counters are closed unless the host opens them: %s gave %s (%d)",
            files.model, call, name, code);
    if (files.wsl)
        return sp_fail(err, SP_ABSENT, sp_gpu_open_wsl,
                       "the Windows driver does not let this user profile: %s gave %s (%d)", call, name,
                       code);
    if (files.profiling_admin == 0)
        return sp_fail(err, SP_ABSENT,
                       "in containers: docker run --cap-add SYS_ADMIN ...; on a cluster, ask its support",
                       "this process may not read the GPU's counters, although the driver lets every user "
                       "(RmProfilingAdminOnly is 0): %s gave %s (%d)",
                       call, name, code);
    return sp_fail(
        err, SP_ABSENT, sp_gpu_open_counters,
        "only administrators may read the GPU's counters (RmProfilingAdminOnly is %s): %s gave %s (%d)",
        files.profiling_admin == 1 ? "1" : "not told", call, name, code);
}

static enum sp_status not_started(const struct sp_cupti_api *api, const char *call, const char *name,
                                  int code, struct sp_error *err)
{
    if (!api->host_library)
        return sp_fail(err, SP_ABSENT, "install all of CUPTI (Debian and Ubuntu: cuda-cupti-13-0)",
                       "libnvperf_host.so is not beside %s: %s gave %s (%d)", api->path, call, name, code);
    return sp_fail(err, SP_ABSENT, "spmodel doctor tells whether the driver works",
                   "CUPTI did not start, as without a driver: %s gave %s (%d)", call, name, code);
}

static const struct fault *find_fault(CUptiResult result)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].result == result)
            return &faults[i];
    return NULL;
}

/* What a refusal of CUPTI means and what to type; `call` is the function that was refused. Returns
 * SP_OK for CUPTI_SUCCESS, SP_MEMORY where CUPTI found none, else SP_ABSENT. */
static enum sp_status cupti_check(const struct sp_cupti_api *api, CUptiResult result, const char *call,
                                  struct sp_error *err)
{
    if (result == CUPTI_SUCCESS)
        return SP_OK;
    const char *name = NULL;
    if (api->result_string(result, &name) != CUPTI_SUCCESS || !name)
        name = "an error without a name";
    if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
        return not_permitted(api, call, name, result, err);
    if (result == CUPTI_ERROR_NOT_INITIALIZED)
        return not_started(api, call, name, result, err);
    if (result == CUPTI_ERROR_OUT_OF_MEMORY)
        return sp_fail(err, SP_MEMORY, "use a smaller matrix, or end what else uses the GPU",
                       "no memory is left for the GPU's counters: %s gave %s (%d)", call, name, result);
    const struct fault *fault = find_fault(result);
    if (fault)
        return sp_fail(err, SP_ABSENT, fault->remedy, "%s: %s gave %s (%d)", fault->what, call, name, result);
    return sp_fail(err, SP_ABSENT, "go on without counters; times need none",
                   "CUPTI refuses: %s gave %s (%d)", call, name, result);
}

/* The same for a device that CUPTI's profiler does not support: SP_ABSENT with the reason. */
static enum sp_status cupti_check_support(const CUpti_Profiler_DeviceSupported_Params *device,
                                          struct sp_error *err)
{
    const struct {
        CUpti_Profiler_Support_Level level;
        CUptiResult like; /* the refusal that means the same */
    } parts[] = {{device->vGpu, device->vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED
                                    ? CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
                                    : CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED},
                 {device->wsl, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED},
                 {device->confidentialCompute, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED},
                 {device->cmp, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED},
                 {device->sli, CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED},
                 {device->architecture, CUPTI_ERROR_NOT_SUPPORTED}};
    if (device->isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
        return SP_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
            parts[i].level == CUPTI_PROFILER_CONFIGURATION_DISABLED) {
            const struct fault *fault = find_fault(parts[i].like);
            return sp_fail(err, SP_ABSENT, fault->remedy, "%s", fault->what);
        }
    return sp_fail(err, SP_ABSENT, "spmodel doctor tells what the driver's files say",
                   "CUPTI does not support this GPU, and does not say why");
}

static void list_chips(const struct sp_cupti_api *api, char *text, size_t size)
{
    CUpti_Profiler_Host_GetSupportedChips_Params p = {
        .structSize = CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
    snprintf(text, size, "install a newer CUDA toolkit (its CUPTI)");
    if (api->host_chips(&p) != CUPTI_SUCCESS)
        return;
    size_t used = (size_t)snprintf(text, size, "CUPTI %u knows", api->version);
    for (size_t i = 0; i < p.numChips && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s %s", i ? "," : "", p.ppChipNames[i]);
}

static enum sp_status open_host(struct sp_cupti_plan *plan, const char *chip, const uint8_t *availability,
                                struct sp_error *err)
{
    CUpti_Profiler_Host_Initialize_Params p = {.structSize =
                                                   CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
                                               .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
                                               .pChipName = chip,
                                               .pCounterAvailabilityImage = availability};
    CUptiResult result = plan->api->host_initialize(&p);
    if (result == CUPTI_ERROR_INVALID_CHIP_NAME) {
        char known[400];
        list_chips(plan->api, known, sizeof known);
        return sp_fail(err, SP_ABSENT, known, "CUPTI knows no chip '%s'", chip);
    }
    enum sp_status status = cupti_check(plan->api, result, "cuptiProfilerHostInitialize", err);
    if (status == SP_OK)
        plan->host = p.pHostObject;
    return status;
}

static CUptiResult look_up(const struct sp_cupti_plan *plan, const char *name)
{
    CUpti_Profiler_Host_GetMetricProperties_Params p = {
        .structSize = CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE,
        .pHostObject = plan->host,
        .pMetricName = name};
    return plan->api->host_metric(&p);
}

static bool is_unknown(CUptiResult result)
{
    return result == CUPTI_ERROR_INVALID_METRIC_NAME || result == CUPTI_ERROR_INVALID_PARAMETER;
}

enum sp_status sp_cupti_metric_check(const struct sp_cupti_plan *plan, const char *name, struct sp_error *err)
{
    CUptiResult result = look_up(plan, name);
    if (is_unknown(result))
        return sp_fail(err, SP_ABSENT, NULL, "this GPU has no metric '%s'", name);
    return cupti_check(plan->api, result, "cuptiProfilerHostGetMetricProperties", err);
}

/* Whether the chip has all metrics of one alternative of a count; false where there is none. */
static bool has_all(const struct sp_gpu_set *set, const bool *known, enum sp_gpu_count count, int alternative)
{
    bool any = false;
    for (int i = 0; i < set->n_metrics; i++) {
        if (set->metric[i].count != count || set->metric[i].alternative != alternative)
            continue;
        if (!known[i])
            return false;
        any = true;
    }
    return any;
}

/* The alternative to take; -1: the chip cannot tell this count. */
static int choose(const struct sp_gpu_set *set, const bool *known, enum sp_gpu_count count)
{
    for (int a = 0; a < set->n_metrics; a++)
        if (has_all(set, known, count, a))
            return a;
    return -1;
}

/* One bad name would refuse the whole set without naming it, so they are looked up one by one. */
static enum sp_status choose_metrics(struct sp_cupti_plan *plan, struct sp_error *err)
{
    const struct sp_gpu_set *set = plan->set;
    bool known[SP_MAX_GPU_METRICS] = {false};
    for (int i = 0; i < set->n_metrics; i++) {
        CUptiResult result = look_up(plan, set->metric[i].name);
        known[i] = result == CUPTI_SUCCESS;
        if (!known[i] && !is_unknown(result))
            return cupti_check(plan->api, result, "cuptiProfilerHostGetMetricProperties", err);
    }
    for (int i = 0; i < set->n_metrics; i++) {
        const struct sp_gpu_metric *m = &set->metric[i];
        int taken = choose(set, known, m->count);
        if (taken < 0 && !known[i]) {
            plan->lacking[plan->n_lacking++] = m->name;
        } else if (taken == m->alternative) {
            plan->metric[plan->n_metrics] = m;
            plan->name[plan->n_metrics++] = m->name;
        }
    }
    if (plan->n_metrics)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, NULL,
                   "nothing of the set '%s' can be counted: this GPU has no metric '%s'", set->name,
                   plan->lacking[0]);
}

static enum sp_status make_config(struct sp_cupti_plan *plan, struct sp_error *err)
{
    CUpti_Profiler_Host_GetConfigImageSize_Params size = {
        .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE, .pHostObject = plan->host};
    enum sp_status status = cupti_check(plan->api, plan->api->host_config_size(&size),
                                        "cuptiProfilerHostGetConfigImageSize", err);
    if (status == SP_OK && size.configImageSize == 0)
        return sp_fail(err, SP_ABSENT, NULL, "CUPTI makes no configuration of the set '%s'", plan->set->name);
    if (status == SP_OK)
        status = sp_new_array((int64_t)size.configImageSize, 1, "the configuration of the counters",
                              (void **)&plan->config, err);
    if (status != SP_OK)
        return status;
    plan->config_B = size.configImageSize;
    CUpti_Profiler_Host_GetConfigImage_Params image = {
        .structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
        .pHostObject = plan->host,
        .configImageSize = plan->config_B,
        .pConfigImage = plan->config};
    return cupti_check(plan->api, plan->api->host_config(&image), "cuptiProfilerHostGetConfigImage", err);
}

static enum sp_status count_passes(struct sp_cupti_plan *plan, struct sp_error *err)
{
    CUpti_Profiler_Host_GetNumOfPasses_Params p = {.structSize =
                                                       CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
                                                   .configImageSize = plan->config_B,
                                                   .pConfigImage = plan->config};
    enum sp_status status =
        cupti_check(plan->api, plan->api->host_passes(&p), "cuptiProfilerHostGetNumOfPasses", err);
    if (status == SP_OK && (p.numOfPasses < 1 || p.numOfPasses > 1000))
        return sp_fail(err, SP_ABSENT, NULL, "CUPTI wants %zu passes for the set '%s'", p.numOfPasses,
                       plan->set->name);
    if (status == SP_OK)
        plan->n_passes = (int)p.numOfPasses;
    return status;
}

static enum sp_status add_metrics(struct sp_cupti_plan *plan, struct sp_error *err)
{
    CUpti_Profiler_Host_ConfigAddMetrics_Params p = {
        .structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
        .pHostObject = plan->host,
        .ppMetricNames = plan->name,
        .numMetrics = (size_t)plan->n_metrics};
    return cupti_check(plan->api, plan->api->host_add_metrics(&p), "cuptiProfilerHostConfigAddMetrics", err);
}

enum sp_status sp_cupti_plan_make(const struct sp_cupti_api *api, const char *chip,
                                  const uint8_t *availability, const struct sp_gpu_set *set,
                                  struct sp_cupti_plan *plan, struct sp_error *err)
{
    *plan = (struct sp_cupti_plan){.api = api, .set = set};
    enum sp_status status = open_host(plan, chip, availability, err);
    if (status == SP_OK)
        status = choose_metrics(plan, err);
    if (status == SP_OK)
        status = add_metrics(plan, err);
    if (status == SP_OK)
        status = make_config(plan, err);
    if (status == SP_OK)
        status = count_passes(plan, err);
    if (status != SP_OK)
        sp_cupti_plan_free(plan);
    return status;
}

void sp_cupti_plan_free(struct sp_cupti_plan *plan)
{
    CUpti_Profiler_Host_Deinitialize_Params p = {
        .structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE, .pHostObject = plan->host};
    if (plan->host)
        plan->api->host_deinitialize(&p);
    free(plan->config);
    *plan = (struct sp_cupti_plan){0};
}

/* What is open, in the order of opening; close_session() goes back from wherever it stopped. */
struct session {
    const struct sp_cupti_device *device;
    const struct sp_cupti_api *api;
    CUdevice cuda_device;
    CUcontext context;
    bool initialised;
    const char *chip;      /* borrowed from CUPTI */
    uint8_t *availability; /* owned: what can be counted on this device */
    struct sp_cupti_plan plan;
    CUpti_RangeProfiler_Object *profiler;
    uint8_t *data; /* [data_B] owned: the counters' values */
    size_t data_B;
    bool started, in_range;
};

static enum sp_status find_device(struct session *s, struct sp_error *err)
{
    const struct sp_cuda_calls *cuda = s->device->cuda;
    int n = 0, error = cuda->device_count(&n);
    if (error != 0)
        return sp_fail(err, SP_ABSENT, "spmodel doctor tells what is missing", "no GPU can be used: %s (%d)",
                       cuda->error_text(error), error);
    if (s->device->ordinal < 0 || s->device->ordinal >= n)
        return sp_fail(err, SP_ABSENT, "nvidia-smi lists the GPUs; CUDA_VISIBLE_DEVICES may hide some",
                       "there is no GPU %d, but %d", s->device->ordinal, n);
    error = cuda->use_device(s->device->ordinal, &s->cuda_device, &s->context);
    if (error != 0)
        return sp_fail(err, SP_ABSENT, "nvidia-smi tells who uses the GPU", "GPU %d cannot be used: %s (%d)",
                       s->device->ordinal, cuda->error_text(error), error);
    return SP_OK;
}

static enum sp_status initialise(struct session *s, struct sp_error *err)
{
    CUpti_Profiler_Initialize_Params p = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    enum sp_status status = cupti_check(s->api, s->api->initialize(&p), "cuptiProfilerInitialize", err);
    s->initialised = status == SP_OK;
    return status;
}

static enum sp_status ask_support(struct session *s, struct sp_error *err)
{
    CUpti_Profiler_DeviceSupported_Params p = {.structSize =
                                                   CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE,
                                               .cuDevice = s->cuda_device,
                                               .api = CUPTI_PROFILER_RANGE_PROFILING};
    enum sp_status status =
        cupti_check(s->api, s->api->device_supported(&p), "cuptiProfilerDeviceSupported", err);
    return status == SP_OK ? cupti_check_support(&p, err) : status;
}

static enum sp_status ask_chip(struct session *s, struct sp_error *err)
{
    CUpti_Device_GetChipName_Params p = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                         .deviceIndex = (size_t)s->device->ordinal};
    enum sp_status status = cupti_check(s->api, s->api->chip_name(&p), "cuptiDeviceGetChipName", err);
    if (status == SP_OK && !p.pChipName)
        return sp_fail(err, SP_ABSENT, NULL, "CUPTI does not tell the chip of GPU %d", s->device->ordinal);
    s->chip = p.pChipName;
    return status;
}

/* First the size, then the image; the first call that a missing permission refuses. */
static enum sp_status ask_availability(struct session *s, struct sp_error *err)
{
    static const char call[] = "cuptiProfilerGetCounterAvailability";
    CUpti_Profiler_GetCounterAvailability_Params p = {
        .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE, .ctx = s->context};
    enum sp_status status = cupti_check(s->api, s->api->counter_availability(&p), call, err);
    if (status == SP_OK)
        status = sp_new_array((int64_t)p.counterAvailabilityImageSize, 1, "what the GPU can count",
                              (void **)&s->availability, err);
    if (status != SP_OK)
        return status;
    p.pCounterAvailabilityImage = s->availability;
    return cupti_check(s->api, s->api->counter_availability(&p), call, err);
}

static enum sp_status enable(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_Enable_Params p = {.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
                                           .ctx = s->context};
    enum sp_status status = cupti_check(s->api, s->api->range_enable(&p), "cuptiRangeProfilerEnable", err);
    if (status == SP_OK)
        s->profiler = p.pRangeProfilerObject;
    return status;
}

static enum sp_status make_data(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {
        .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = s->profiler,
        .pMetricNames = s->plan.name,
        .numMetrics = (size_t)s->plan.n_metrics,
        .maxNumOfRanges = 1,
        .maxNumRangeTreeNodes = 1};
    enum sp_status status =
        cupti_check(s->api, s->api->range_data_size(&size), "cuptiRangeProfilerGetCounterDataSize", err);
    if (status == SP_OK)
        status =
            sp_new_array((int64_t)size.counterDataSize, 1, "the counters' values", (void **)&s->data, err);
    if (status != SP_OK)
        return status;
    s->data_B = size.counterDataSize;
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params p = {
        .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = s->profiler,
        .counterDataSize = s->data_B,
        .pCounterData = s->data};
    return cupti_check(s->api, s->api->range_data_initialize(&p),
                       "cuptiRangeProfilerCounterDataImageInitialize", err);
}

static enum sp_status configure(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_SetConfig_Params p = {.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = s->profiler,
                                              .configSize = s->plan.config_B,
                                              .pConfig = s->plan.config,
                                              .counterDataImageSize = s->data_B,
                                              .pCounterDataImage = s->data,
                                              .range = CUPTI_UserRange,
                                              .replayMode = CUPTI_UserReplay,
                                              .maxRangesPerPass = 1,
                                              .numNestingLevels = 1,
                                              .minNestingLevel = 1,
                                              .targetNestingLevel = 1};
    return cupti_check(s->api, s->api->range_configure(&p), "cuptiRangeProfilerSetConfig", err);
}

static enum sp_status start(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_Start_Params p = {.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
                                          .pRangeProfilerObject = s->profiler};
    enum sp_status status = cupti_check(s->api, s->api->range_start(&p), "cuptiRangeProfilerStart", err);
    s->started = status == SP_OK;
    return status;
}

static enum sp_status push(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_PushRange_Params p = {.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = s->profiler,
                                              .pRangeName = "launch"};
    enum sp_status status = cupti_check(s->api, s->api->range_push(&p), "cuptiRangeProfilerPushRange", err);
    s->in_range = status == SP_OK;
    return status;
}

static enum sp_status pop(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_PopRange_Params p = {.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE,
                                             .pRangeProfilerObject = s->profiler};
    s->in_range = false;
    return cupti_check(s->api, s->api->range_pop(&p), "cuptiRangeProfilerPopRange", err);
}

static enum sp_status stop(struct session *s, bool *complete, struct sp_error *err)
{
    CUpti_RangeProfiler_Stop_Params p = {.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                                         .pRangeProfilerObject = s->profiler};
    s->started = false;
    enum sp_status status = cupti_check(s->api, s->api->range_stop(&p), "cuptiRangeProfilerStop", err);
    *complete = p.isAllPassSubmitted == 1;
    return status;
}

static enum sp_status run_pass(struct session *s, const struct sp_gpu_work *work, bool *complete,
                               struct sp_error *err)
{
    enum sp_status status = work->set_cache_state ? work->set_cache_state(work->context, err) : SP_OK;
    if (status == SP_OK)
        status = start(s, err);
    if (status == SP_OK)
        status = push(s, err);
    if (status == SP_OK)
        status = work->launch(work->context, err);
    if (status == SP_OK)
        status = pop(s, err);
    if (status == SP_OK)
        status = stop(s, complete, err);
    return status;
}

static enum sp_status run_passes(struct session *s, const struct sp_gpu_work *work, int *n_passes,
                                 struct sp_error *err)
{
    const int limit =
        s->plan.n_passes + 2; /* CUPTI says itself when it is done; this only ends a loop without end */
    bool complete = false;
    for (*n_passes = 0; !complete && *n_passes < limit; ++*n_passes) {
        enum sp_status status = run_pass(s, work, &complete, err);
        if (status != SP_OK)
            return status;
    }
    if (complete)
        return SP_OK;
    return sp_fail(err, SP_UNDECIDED, "count again",
                   "CUPTI announced %d passes of the set '%s' and asks for more than %d", s->plan.n_passes,
                   s->plan.set->name, limit);
}

/* Decoding waits for the GPU. */
static enum sp_status decode(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_DecodeData_Params p = {
        .structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE, .pRangeProfilerObject = s->profiler};
    enum sp_status status =
        cupti_check(s->api, s->api->range_decode(&p), "cuptiRangeProfilerDecodeData", err);
    CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
        .structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = s->data,
        .counterDataImageSize = s->data_B};
    if (status == SP_OK)
        status =
            cupti_check(s->api, s->api->range_data_info(&info), "cuptiRangeProfilerGetCounterDataInfo", err);
    if (status == SP_OK && (p.numOfRangeDropped || info.numTotalRanges != 1))
        return sp_fail(err, SP_UNDECIDED, "count again",
                       "the profiler dropped %zu ranges and kept %zu, where one was counted",
                       p.numOfRangeDropped, info.numTotalRanges);
    return status;
}

static enum sp_status evaluate(struct session *s, double *value, struct sp_error *err)
{
    CUpti_Profiler_Host_EvaluateToGpuValues_Params p = {
        .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
        .pHostObject = s->plan.host,
        .pCounterDataImage = s->data,
        .counterDataImageSize = s->data_B,
        .ppMetricNames = s->plan.name,
        .numMetrics = (size_t)s->plan.n_metrics,
        .pMetricValues = value};
    for (int i = 0; i < s->plan.n_metrics; i++)
        value[i] = NAN; /* what CUPTI leaves untouched is no number */
    return cupti_check(s->api, s->api->host_evaluate(&p), "cuptiProfilerHostEvaluateToGpuValues", err);
}

/* A count of several metrics is known when all of them are. */
static void fill(const struct sp_cupti_plan *plan, const double *value, struct sp_gpu_counts *counts)
{
    static const char no_number[] = "CUPTI gave no number", no_counter[] = "this GPU has no such counter";
    double sum[SP_N_GPU_COUNTS] = {0};
    for (int i = 0; i < plan->n_metrics; i++)
        sum[plan->metric[i]->count] += value[i] >= 0 ? plan->metric[i]->scale * value[i] : NAN;
    for (int i = 0; i < plan->set->n_metrics; i++)
        counts->of[plan->set->metric[i].count] = sp_value_none(no_counter);
    for (int i = 0; i < plan->n_metrics; i++) {
        enum sp_gpu_count c = plan->metric[i]->count;
        counts->of[c] = isfinite(sum[c]) ? sp_value_of(sum[c], SP_MEASURED) : sp_value_none(no_number);
    }
}

/* A profiler that stays on would disturb what runs next: not to switch it off is a failure. */
static enum sp_status close_session(struct session *s, enum sp_status status, struct sp_error *err)
{
    struct sp_error ignored;
    bool complete;
    if (s->in_range)
        pop(s, &ignored);
    if (s->started)
        stop(s, &complete, &ignored);
    CUpti_RangeProfiler_Disable_Params p = {.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
                                            .pRangeProfilerObject = s->profiler};
    if (s->profiler) {
        CUptiResult result = s->api->range_disable(&p);
        if (status == SP_OK)
            status = cupti_check(s->api, result, "cuptiRangeProfilerDisable", err);
    }
    sp_cupti_plan_free(&s->plan);
    CUpti_Profiler_DeInitialize_Params d = {.structSize = CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE};
    if (s->initialised)
        s->api->deinitialize(&d);
    free(s->availability);
    free(s->data);
    return status;
}

enum sp_status sp_cupti_count(const struct sp_cupti_device *device, const struct sp_gpu_set *set,
                              const struct sp_gpu_work *work, struct sp_gpu_counts *counts,
                              struct sp_error *err)
{
    struct session s = {.device = device, .api = device->api};
    double value[SP_MAX_GPU_METRICS];
    int n_passes = 0;
    sp_gpu_counts_none(counts, "not in the set that was counted");
    static enum sp_status (*const opening[])(struct session *, struct sp_error *) = {
        find_device, initialise, ask_support, ask_chip, ask_availability};
    static enum sp_status (*const preparing[])(struct session *, struct sp_error *) = {enable, make_data,
                                                                                       configure};
    enum sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof opening / sizeof *opening && status == SP_OK; i++)
        status = opening[i](&s, err);
    if (status == SP_OK)
        status = sp_cupti_plan_make(s.api, s.chip, s.availability, set, &s.plan, err);
    for (size_t i = 0; i < sizeof preparing / sizeof *preparing && status == SP_OK; i++)
        status = preparing[i](&s, err);
    if (status == SP_OK)
        status = run_passes(&s, work, &n_passes, err);
    if (status == SP_OK)
        status = decode(&s, err);
    if (status == SP_OK)
        status = evaluate(&s, value, err);
    if (status == SP_OK) {
        fill(&s.plan, value, counts);
        counts->n_passes = n_passes;
    }
    status = close_session(&s, status, err);
    if (status != SP_OK)
        sp_gpu_counts_none(counts, "counting failed");
    return status;
}
