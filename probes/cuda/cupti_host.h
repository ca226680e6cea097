/* The host half of CUPTI's profiler: which metrics a chip has, and how a set of them is counted.
 * Works without a GPU and without a driver, so all of it is tested everywhere. A chip is named as
 * CUPTI does, exactly: GA100 (A100), GH100 (H100, H200, GH200), GB100. */
#ifndef SP_PROBES_CUDA_CUPTI_HOST_H
#define SP_PROBES_CUDA_CUPTI_HOST_H

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <stdbool.h>

#include "base/status.h"
#include "probes/cuda/gpu_counters.h"

/* CUPTI behind a table of functions, opened at run time: no program links it, and where it is
 * missing this says so in words. The types are those of CUPTI's headers (CUDA 12.6 and later: range
 * profiler and profiler host; tried with 13.0).
 *
 * Without a driver, cuptiDeviceGetChipName and cuptiProfilerGetCounterAvailability crash: nothing
 * but the profiler host's functions may be called before cudaGetDeviceCount has found a device
 * (cupti_host.h obeys). */

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

/* How a set is counted on a chip. */
struct sp_cupti_plan {
    const struct sp_cupti_api *api;   /* borrowed */
    const struct sp_gpu_set *set;     /* borrowed */
    CUpti_Profiler_Host_Object *host; /* owned */
    int n_metrics;                    /* of the set, that the chip has and that are counted */
    const struct sp_gpu_metric *metric[SP_MAX_GPU_METRICS];
    const char *name[SP_MAX_GPU_METRICS]; /* their names, as CUPTI takes them */
    int n_lacking;                        /* that the chip has not, where no alternative takes their place */
    const char *lacking[SP_MAX_GPU_METRICS];
    uint8_t *config; /* [config_B] owned: the image that configures the counters */
    size_t config_B;
    int n_passes; /* executions that it takes */
};

/* `availability`: the device's image of what can be counted, NULL where there is no device.
 * SP_ABSENT: an unknown chip, or one that has no metric of the set. */
enum sp_status sp_cupti_plan_make(const struct sp_cupti_api *api, const char *chip,
                                  const uint8_t *availability, const struct sp_gpu_set *set,
                                  struct sp_cupti_plan *plan, struct sp_error *err);

/* SP_ABSENT names a metric that the plan's chip has not. */
enum sp_status sp_cupti_metric_check(const struct sp_cupti_plan *plan, const char *name,
                                     struct sp_error *err);

void sp_cupti_plan_free(struct sp_cupti_plan *plan);

/* Counts what one launch does, by CUPTI's range profiler: a range around the launch (UserRange),
 * executed again by this code as often as the set takes passes (UserReplay).
 *
 * The profiler makes the launch slower, and metrics of instructions ("sass") change its code: a
 * time comes from a run without it. CUPTI of CUDA 13.0 controls neither clocks nor caches. */

/* The calls of the CUDA runtime that this needs; tests have others. */
struct sp_cuda_calls {
    int (*device_count)(int *n); /* cudaGetDeviceCount: 0 or an error */
    /* Makes a device's primary context current; gives it and the driver's name: 0 or an error. */
    int (*use_device)(int ordinal, CUdevice *device, CUcontext *context);
    const char *(*error_text)(int error); /* cudaGetErrorString */
};

/* Made by the CUDA runtime: static, as the module has it, so that it starts without a driver. The
 * driver's own functions are asked of the runtime; linking them would keep the module from being
 * opened where there is no driver. Not in this library: cuda_calls.c. */
extern const struct sp_cuda_calls sp_cuda_calls;

struct sp_cupti_device {
    const struct sp_cupti_api *api;   /* borrowed */
    const struct sp_cuda_calls *cuda; /* borrowed */
    int ordinal;                      /* of the devices that the process sees */
};

/* Counts `set`. Counts outside the set, that the chip lacks, or of which CUPTI gave no number, are
 * SP_NONE with the reason; after a failure all are. SP_ABSENT says what refused and what to type:
 * no device, no permission, a virtual GPU, a slice, another profiler; SP_UNDECIDED: the profiler
 * lost what it counted. Calls nothing of CUPTI before a device was found, and leaves the profiler
 * switched off on every path. Not for two threads at a time. */
enum sp_status sp_cupti_count(const struct sp_cupti_device *device, const struct sp_gpu_set *set,
                              const struct sp_gpu_work *work, struct sp_gpu_counts *counts,
                              struct sp_error *err);

#endif
