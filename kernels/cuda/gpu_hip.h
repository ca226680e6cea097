/* CUDA's names for AMD's HIP, so that the same files make a module for AMD's GPUs: hipcc reads it
 * before every file (-include), the host's compiler in place of cuda_runtime_api.h. Compiled in
 * tests; no kernel has run on an AMD GPU yet.
 *
 * A "warp" of the bodies stays 32 lanes: where a wave has 64, two of them go through it together,
 * and exchange values each among their own 32. There are no matrix units (hip_absent.c). */
#ifndef SP_KERNELS_CUDA_GPU_HIP_H
#define SP_KERNELS_CUDA_GPU_HIP_H

#ifdef __HIP__
#include <hip/hip_runtime.h>
#else
#include <hip/hip_runtime_api.h>
#endif

#define SP_GPU_VENDOR  "AMD"
#define SP_GPU_RUNTIME "HIP"
#define CUDART_VERSION (HIP_VERSION_MAJOR * 1000 + HIP_VERSION_MINOR * 10)

#define cudaError_t      hipError_t
#define cudaEvent_t      hipEvent_t
#define cudaStream_t     hipStream_t
#define cudaDeviceProp_t hipDeviceProp_t

#define cudaSuccess                   hipSuccess
#define cudaErrorInsufficientDriver   hipErrorInsufficientDriver
#define cudaErrorNoDevice             hipErrorNoDevice
#define cudaErrorMemoryAllocation     hipErrorOutOfMemory
#define cudaErrorIllegalAddress       hipErrorIllegalAddress
#define cudaErrorLaunchFailure        hipErrorLaunchFailure
#define cudaErrorLaunchTimeout        hipErrorLaunchTimeOut
#define cudaErrorLaunchOutOfResources hipErrorLaunchOutOfResources
#define cudaErrorInvalidConfiguration hipErrorInvalidConfiguration
#define cudaErrorInvalidValue         hipErrorInvalidValue
#define cudaErrorAssert               hipErrorAssert

#define cudaDeviceGetPCIBusId     hipDeviceGetPCIBusId
#define cudaDriverGetVersion      hipDriverGetVersion
#define cudaEventCreate           hipEventCreate
#define cudaEventCreateWithFlags  hipEventCreateWithFlags
#define cudaEventDestroy          hipEventDestroy
#define cudaEventDisableTiming    hipEventDisableTiming
#define cudaEventElapsedTime      hipEventElapsedTime
#define cudaEventRecord           hipEventRecord
#define cudaEventSynchronize      hipEventSynchronize
#define cudaFree                  hipFree
#define cudaGetDeviceCount        hipGetDeviceCount
#define cudaGetDeviceProperties   hipGetDeviceProperties
#define cudaGetErrorString        hipGetErrorString
#define cudaGetLastError          hipGetLastError
#define cudaHostRegister          hipHostRegister
#define cudaHostRegisterDefault   hipHostRegisterDefault
#define cudaHostUnregister        hipHostUnregister
#define cudaMalloc                hipMalloc
#define cudaMemcpy                hipMemcpy
#define cudaMemcpyAsync           hipMemcpyAsync
#define cudaMemcpyDeviceToHost    hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice    hipMemcpyHostToDevice
#define cudaMemGetInfo            hipMemGetInfo
#define cudaMemset                hipMemset
#define cudaRuntimeGetVersion     hipRuntimeGetVersion
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamDestroy         hipStreamDestroy
#define cudaStreamNonBlocking     hipStreamNonBlocking
#define cudaStreamSynchronize     hipStreamSynchronize
#define cudaStreamWaitEvent       hipStreamWaitEvent

#ifdef __HIP__

/* The bodies' words are those of CUDA's compiler (gpu_body.h). */
#define __CUDACC__ 1
#define __grid_constant__

/* Lanes that exchange values; bytes of local memory of a block. */
enum { SP_HALF_WAVE = 32, SP_HIP_SHARED_B = 64 << 10 };

template <class T> __device__ __forceinline__ T __shfl_down_sync(unsigned, T value, unsigned by, int width)
{
    return __shfl_down(value, by, width);
}
template <class T> __device__ __forceinline__ T __shfl_up_sync(unsigned, T value, unsigned by, int width)
{
    return __shfl_up(value, by, width);
}
template <class T> __device__ __forceinline__ T __shfl_xor_sync(unsigned, T value, int by)
{
    return __shfl_xor(value, by, SP_HALF_WAVE);
}
template <class T> __device__ __forceinline__ T __shfl_sync(unsigned, T value, int which)
{
    return __shfl(value, which, SP_HALF_WAVE);
}
/* What lanes wrote is there for the others; a wave goes in step. */
__device__ __forceinline__ void __syncwarp()
{
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}

#endif

#endif
