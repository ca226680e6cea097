/* Counts what one launch does, by CUPTI's range profiler: a range around the launch (UserRange),
 * executed again by this code as often as the set takes passes (UserReplay).
 *
 * The profiler makes the launch slower, and metrics of instructions ("sass") change its code: a
 * time comes from a run without it. CUPTI of CUDA 13.0 controls neither clocks nor caches. */
#ifndef SP_PROBES_CUDA_CUPTI_RANGE_H
#define SP_PROBES_CUDA_CUPTI_RANGE_H

#include "probes/cuda/cupti_host.h"
#include "probes/cuda/gpu_counters.h"

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
