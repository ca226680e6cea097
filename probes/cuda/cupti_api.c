#include "probes/cuda/cupti_api.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static const char *const files[] = {"libcupti.so.13", "libcupti.so"};

static const char remedy[] =
    "install the CUDA toolkit's CUPTI (Debian and Ubuntu: cuda-cupti-13-0), or set CUDA_HOME to the "
    "toolkit";

/* libcupti opens libnvperf_host.so by its bare name, which only works where the loader looks: opened by its
 * full path before, it is found. */
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
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "%s%s/%s", toolkit, below, files[i]);
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
    for (size_t i = 0; i < sizeof files / sizeof *files && !library; i++)
        library = dlopen(files[i], RTLD_NOW | RTLD_NODELETE);
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
