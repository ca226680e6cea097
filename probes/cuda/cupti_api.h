/* CUPTI behind a table of functions, opened at run time: no program links it, and where it is
 * missing this says so in words. The types are those of CUPTI's headers (CUDA 12.6 and later: range
 * profiler and profiler host; tried with 13.0).
 *
 * Without a driver, cuptiDeviceGetChipName and cuptiProfilerGetCounterAvailability crash: nothing
 * but the profiler host's functions may be called before cudaGetDeviceCount has found a device
 * (cupti_range.h obeys). */
#ifndef SP_PROBES_CUDA_CUPTI_API_H
#define SP_PROBES_CUDA_CUPTI_API_H

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <stdbool.h>

#include "base/status.h"

struct sp_cupti_api {
    char path[1024];   /* of the library */
    uint32_t version;  /* that it tells; 130001 is CUDA 13.0's */
    bool host_library; /* libnvperf_host.so, without which the profiler host does not start, was beside it */
    const char *root;  /* of the files that tell who may profile; "" this machine */

    __typeof__(cuptiGetVersion) *get_version;
    __typeof__(cuptiGetResultString) *result_string;
    __typeof__(cuptiDeviceGetChipName) *chip_name;
    __typeof__(cuptiProfilerInitialize) *initialize;
    __typeof__(cuptiProfilerDeInitialize) *deinitialize;
    __typeof__(cuptiProfilerDeviceSupported) *device_supported;
    __typeof__(cuptiProfilerGetCounterAvailability) *counter_availability;
    __typeof__(cuptiProfilerHostInitialize) *host_initialize;
    __typeof__(cuptiProfilerHostDeinitialize) *host_deinitialize;
    __typeof__(cuptiProfilerHostGetSupportedChips) *host_chips;
    __typeof__(cuptiProfilerHostGetMetricProperties) *host_metric;
    __typeof__(cuptiProfilerHostConfigAddMetrics) *host_add_metrics;
    __typeof__(cuptiProfilerHostGetConfigImageSize) *host_config_size;
    __typeof__(cuptiProfilerHostGetConfigImage) *host_config;
    __typeof__(cuptiProfilerHostGetNumOfPasses) *host_passes;
    __typeof__(cuptiProfilerHostEvaluateToGpuValues) *host_evaluate;
    __typeof__(cuptiRangeProfilerEnable) *range_enable;
    __typeof__(cuptiRangeProfilerDisable) *range_disable;
    __typeof__(cuptiRangeProfilerGetCounterDataSize) *range_data_size;
    __typeof__(cuptiRangeProfilerCounterDataImageInitialize) *range_data_initialize;
    __typeof__(cuptiRangeProfilerSetConfig) *range_configure;
    __typeof__(cuptiRangeProfilerStart) *range_start;
    __typeof__(cuptiRangeProfilerStop) *range_stop;
    __typeof__(cuptiRangeProfilerPushRange) *range_push;
    __typeof__(cuptiRangeProfilerPopRange) *range_pop;
    __typeof__(cuptiRangeProfilerDecodeData) *range_decode;
    __typeof__(cuptiRangeProfilerGetCounterDataInfo) *range_data_info;
};

/* Opens the library at `path`; NULL: looks for it where the loader does, in the toolkit of this
 * build, in $CUDA_HOME, $CUDA_PATH and /usr/local/cuda. It stays loaded until the process ends,
 * because it hooks itself into the driver. SP_ABSENT says why it could not be opened, or which
 * function it lacks. */
enum sp_status sp_cupti_open(const char *path, struct sp_cupti_api *api, struct sp_error *err);

/* What a refusal of CUPTI means and what to type; `call` is the function that was refused. Returns
 * SP_OK for CUPTI_SUCCESS, SP_MEMORY where CUPTI found none, else SP_ABSENT. */
enum sp_status sp_cupti_check(const struct sp_cupti_api *api, CUptiResult result, const char *call,
                              struct sp_error *err);

/* The same for a device that CUPTI's profiler does not support: SP_ABSENT with the reason. */
enum sp_status sp_cupti_check_support(const CUpti_Profiler_DeviceSupported_Params *device,
                                      struct sp_error *err);

#endif
