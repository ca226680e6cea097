#include "probes/cuda/cupti_host.h"

#include <cuda_runtime_api.h>

/* A function of the driver as CUDA 12.0 had it. */
static int driver_function(const char *name, void **function)
{
    enum cudaDriverEntryPointQueryResult found;
    cudaError_t error = cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, &found);
    if (error == cudaSuccess && (found != cudaDriverEntryPointSuccess || !*function))
        error = cudaErrorSymbolNotFound;
    return error;
}

static int device_count(int *n)
{
    return cudaGetDeviceCount(n);
}

static int use_device(int ordinal, CUdevice *device, CUcontext *context)
{
    __typeof__(cuCtxGetCurrent) *get_context = NULL;
    __typeof__(cuCtxGetDevice) *get_device = NULL;
    int error = cudaSetDevice(ordinal);
    if (error == 0)
        error = cudaFree(NULL); /* makes the context, where cudaSetDevice has not */
    if (error == 0)
        error = driver_function("cuCtxGetCurrent", (void **)&get_context);
    if (error == 0)
        error = driver_function("cuCtxGetDevice", (void **)&get_device);
    if (error == 0 && (get_context(context) != CUDA_SUCCESS || get_device(device) != CUDA_SUCCESS))
        error = cudaErrorInitializationError;
    return error;
}

/* The runtime calls a driver too old where there is none at all. */
static const char *error_text(int error)
{
    int version = 0;
    if (error == cudaErrorInsufficientDriver && cudaDriverGetVersion(&version) == cudaSuccess && version == 0)
        return "there is no NVIDIA driver";
    return cudaGetErrorString((cudaError_t)error);
}

const struct sp_cuda_calls sp_cuda_calls = {device_count, use_device, error_text};
