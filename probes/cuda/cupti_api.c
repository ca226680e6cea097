#include "probes/cuda/cupti_api.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

enum sp_status sp_cupti_check(const struct sp_cupti_api *api, CUptiResult result, const char *call,
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

enum sp_status sp_cupti_check_support(const CUpti_Profiler_DeviceSupported_Params *device,
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
