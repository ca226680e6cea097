#include "base/option/option_words.h"
#include "kernels/cuda/gpu_runtime.h"
#include "kernels/cuda/nvml_clocks.h"

#ifdef SP_HIP
#include "kernels/cuda/gpu_hip.h"
#else
#include <cuda_runtime_api.h>
#define SP_GPU_VENDOR  "NVIDIA"
#define SP_GPU_RUNTIME "CUDA"
typedef struct cudaDeviceProp cudaDeviceProp_t;
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The runtime calls it too old where there is none at all. */
static enum sp_status no_driver(struct sp_error *err)
{
    int version = 0;
    cudaDriverGetVersion(&version);
    if (version == 0)
        return sp_fail(err, SP_ABSENT, "spmodel doctor says what is missing",
                       "there is no " SP_GPU_VENDOR " driver");
    return sp_fail(err, SP_ABSENT, "update the driver",
                   "the " SP_GPU_VENDOR " driver is for " SP_GPU_RUNTIME " %d.%d, the kernels need %d.%d",
                   version / 1000, version % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
}

enum sp_status sp_gpu_check(int number, const char *doing, struct sp_error *err)
{
    const cudaError_t e = (cudaError_t)number;
    switch (e) {
    case cudaSuccess:
        return SP_OK;
    case cudaErrorInsufficientDriver:
        return no_driver(err);
    case cudaErrorNoDevice:
        return sp_fail(err, SP_ABSENT, "spmodel doctor says what is missing",
                       "the " SP_GPU_VENDOR " driver shows no GPU to this process");
    case cudaErrorMemoryAllocation:
        return sp_fail(err, SP_MEMORY, "take a smaller matrix", "%s: the GPU has no memory left", doing);
#ifndef SP_HIP
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
#endif
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidValue:
    case cudaErrorAssert:
        return sp_fail(err, SP_BUG, "run it under compute-sanitizer, and report it",
                       "%s: %s (" SP_GPU_RUNTIME " error %d)", doing, cudaGetErrorString(e), number);
    default:
        return sp_fail(err, SP_ABSENT, "spmodel doctor says what is missing",
                       "%s: %s (" SP_GPU_RUNTIME " error %d)", doing, cudaGetErrorString(e), number);
    }
}

/* What the two runtimes call otherwise, or only one of them tells. */
static void describe_core(const cudaDeviceProp_t *p, struct sp_gpu_device *d)
{
#ifdef SP_HIP
    d->shared_core_B = p->maxSharedMemoryPerMultiProcessor;
    d->core_registers = p->regsPerBlock;
#else
    d->shared_core_B = p->sharedMemPerMultiprocessor;
    d->core_registers = p->regsPerMultiprocessor;
    if (cudaDeviceGetAttribute(&d->core_blocks, cudaDevAttrMaxBlocksPerMultiprocessor, 0) != cudaSuccess)
        d->core_blocks = 0;
#endif
}

enum sp_status (*const sp_gpu_choose)(int number, struct sp_error *err) = NULL; /* variables do it */

enum sp_status sp_gpu_describe(struct sp_gpu_device *d, struct sp_error *err)
{
    int n = 0;
    cudaDeviceProp_t p;
    memset(d, 0, sizeof *d);
    enum sp_status status = sp_gpu_check((int)cudaGetDeviceCount(&n), "looking for a GPU", err);
    if (status == SP_OK && n == 0)
        return sp_fail(err, SP_ABSENT, "spmodel doctor says what is missing",
                       "no GPU that this process may use");
    if (status == SP_OK)
        status = sp_gpu_check((int)cudaGetDeviceProperties(&p, 0), "asking what the GPU is", err);
    if (status == SP_OK)
        status = sp_gpu_check((int)cudaMemGetInfo(&d->free_B, &d->memory_B), "asking for free memory", err);
    if (status != SP_OK) {
        memset(d, 0, sizeof *d);
        return status;
    }
    snprintf(d->name, sizeof d->name, "%.127s", p.name);
    d->major = p.major;
    d->minor = p.minor;
    d->n_cores = p.multiProcessorCount;
    d->L2_B = (size_t)p.l2CacheSize;
    d->core_threads = p.maxThreadsPerMultiProcessor;
    d->wave = p.warpSize;
    describe_core(&p, d);
    cudaDriverGetVersion(&d->driver);
    cudaRuntimeGetVersion(&d->runtime);
    return SP_OK;
}

void sp_gpu_clocks_now(struct sp_gpu_clocks *clocks)
{
    char bus_id[32] = "";
    memset(clocks, 0, sizeof *clocks);
    clocks->sm_Hz = clocks->memory_Hz = clocks->power_limit_W =
        sp_value_none("the GPU's address is not known");
    if (cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, 0) == cudaSuccess)
        sp_nvml_clocks(SP_NVML_LIBRARY, bus_id, clocks);
}

enum sp_status sp_gpu_alloc(size_t bytes, const char *what, void **p, struct sp_error *err)
{
    *p = NULL;
    if (bytes == 0)
        return SP_OK;
    cudaError_t e = cudaMalloc(p, bytes);
    if (e == cudaErrorMemoryAllocation) {
        size_t free_B = 0, all_B = 0;
        cudaGetLastError(); /* clears it */
        cudaMemGetInfo(&free_B, &all_B);
        return sp_fail(err, SP_MEMORY, "take a smaller matrix, or a GPU with more memory",
                       "%s takes %.1f MB, the GPU has %.1f MB left of %.1f", what, (double)bytes / 1e6,
                       (double)free_B / 1e6, (double)all_B / 1e6);
    }
    if (e == cudaSuccess)
        e = cudaMemset(*p, 0xff, bytes);
    enum sp_status status = sp_gpu_check((int)e, what, err);
    if (status != SP_OK) {
        cudaFree(*p);
        *p = NULL;
    }
    return status;
}

void sp_gpu_free(void *p)
{
    cudaFree(p);
}

enum sp_status sp_gpu_copy_in(void *to, const void *from, size_t bytes, struct sp_error *err)
{
    return bytes == 0 ? SP_OK
                      : sp_gpu_check((int)cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice),
                                     "copying to the GPU", err);
}

enum sp_status sp_gpu_copy_out(void *to, const void *from, size_t bytes, struct sp_error *err)
{
    return bytes == 0 ? SP_OK
                      : sp_gpu_check((int)cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost),
                                     "copying from the GPU", err);
}

bool sp_gpu_pin(void *p, size_t bytes)
{
    if (cudaHostRegister(p, bytes, cudaHostRegisterDefault) == cudaSuccess)
        return true;
    cudaGetLastError(); /* clears it */
    return false;
}

void sp_gpu_unpin(void *p)
{
    cudaHostUnregister(p);
}

#ifndef SP_HIP /* no_set_aside.c */

enum sp_status sp_gpu_L2_limits(struct sp_gpu_L2_room *limits, struct sp_error *err)
{
    int set_aside_B = 0, window_B = 0;
    *limits = (struct sp_gpu_L2_room){0, 0};
    cudaError_t e = cudaDeviceGetAttribute(&set_aside_B, cudaDevAttrMaxPersistingL2CacheSize, 0);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&window_B, cudaDevAttrMaxAccessPolicyWindowSize, 0);
    enum sp_status status = sp_gpu_check((int)e, "asking how much of the L2 can be set aside", err);
    if (status == SP_OK && (set_aside_B <= 0 || window_B <= 0))
        return sp_fail(
            err, SP_ABSENT, "take " SP_O_ISA " cuda-keep",
            "this GPU sets no part of its L2 aside (compute capability below 8.0, or slices: MIG)");
    if (status == SP_OK)
        *limits = (struct sp_gpu_L2_room){(size_t)set_aside_B, (size_t)window_B};
    return status;
}

enum sp_status sp_gpu_L2_set_aside(size_t bytes, size_t *before_B, size_t *given_B, struct sp_error *err)
{
    *before_B = *given_B = 0;
    cudaError_t e = cudaDeviceGetLimit(before_B, cudaLimitPersistingL2CacheSize);
    if (e == cudaSuccess)
        e = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes);
    if (e == cudaSuccess && (e = cudaDeviceGetLimit(given_B, cudaLimitPersistingL2CacheSize)) != cudaSuccess)
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, *before_B);
    return sp_gpu_check((int)e, "setting a part of the L2 aside", err);
}

enum sp_status sp_gpu_L2_give_back(size_t before_B, struct sp_error *err)
{
    const cudaError_t reset = cudaCtxResetPersistingL2Cache();
    const cudaError_t e = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, before_B);
    return sp_gpu_check((int)(reset != cudaSuccess ? reset : e), "giving the L2 back", err);
}

#endif

/* Kernels are queued on the default stream, which waits for no stream of this kind. */
struct feed {
    cudaStream_t copies;
    cudaEvent_t filled[2], used[2];
};

static enum sp_status make_event(cudaEvent_t *event, struct sp_error *err)
{
    return sp_gpu_check((int)cudaEventCreateWithFlags(event, cudaEventDisableTiming), "making an event", err);
}

enum sp_status sp_gpu_feed_make(void **feed, struct sp_error *err)
{
    enum sp_status status = sp_new_array(1, sizeof(struct feed), "a queue of copies", feed, err);
    struct feed *f = *feed;
    if (status == SP_OK)
        status = sp_gpu_check((int)cudaStreamCreateWithFlags(&f->copies, cudaStreamNonBlocking),
                              "making a queue of copies", err);
    for (int i = 0; i < 2 && status == SP_OK; i++) {
        status = make_event(&f->filled[i], err);
        if (status == SP_OK)
            status = make_event(&f->used[i], err);
    }
    if (status != SP_OK) {
        sp_gpu_feed_free(f);
        *feed = NULL;
    }
    return status;
}

void sp_gpu_feed_free(void *feed)
{
    struct feed *f = feed;
    if (!f)
        return;
    if (f->copies) {
        cudaStreamSynchronize(f->copies);
        cudaStreamDestroy(f->copies);
    }
    for (int i = 0; i < 2; i++) {
        if (f->filled[i])
            cudaEventDestroy(f->filled[i]);
        if (f->used[i])
            cudaEventDestroy(f->used[i]);
    }
    free(f);
}

/* An event that was never recorded is not waited for. */
enum sp_status sp_gpu_feed_begin(void *feed, int which, struct sp_error *err)
{
    struct feed *f = feed;
    return sp_gpu_check((int)cudaStreamWaitEvent(f->copies, f->used[which], 0), "waiting for the kernel",
                        err);
}

enum sp_status sp_gpu_feed_copy(void *feed, void *to, const void *from, size_t bytes, struct sp_error *err)
{
    struct feed *f = feed;
    return bytes == 0 ? SP_OK
                      : sp_gpu_check((int)cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, f->copies),
                                     "copying to the GPU", err);
}

enum sp_status sp_gpu_feed_filled(void *feed, int which, struct sp_error *err)
{
    struct feed *f = feed;
    cudaError_t e = cudaEventRecord(f->filled[which], f->copies);
    if (e == cudaSuccess)
        e = cudaStreamWaitEvent(NULL, f->filled[which], 0);
    return sp_gpu_check((int)e, "waiting for a copy", err);
}

enum sp_status sp_gpu_feed_used(void *feed, int which, struct sp_error *err)
{
    struct feed *f = feed;
    return sp_gpu_check((int)cudaEventRecord(f->used[which], NULL), "marking a buffer", err);
}

struct clock {
    cudaEvent_t start, stop;
};

enum sp_status sp_gpu_clock_make(void **clock, struct sp_error *err)
{
    enum sp_status status = sp_new_array(1, sizeof(struct clock), "a clock", clock, err);
    struct clock *c = *clock;
    if (status == SP_OK)
        status = sp_gpu_check((int)cudaEventCreate(&c->start), "making an event", err);
    if (status == SP_OK)
        status = sp_gpu_check((int)cudaEventCreate(&c->stop), "making an event", err);
    if (status != SP_OK) {
        sp_gpu_clock_free(c);
        *clock = NULL;
    }
    return status;
}

void sp_gpu_clock_free(void *clock)
{
    struct clock *c = clock;
    if (c && c->start)
        cudaEventDestroy(c->start);
    if (c && c->stop)
        cudaEventDestroy(c->stop);
    free(c);
}

enum sp_status sp_gpu_clock_start(void *clock, struct sp_error *err)
{
    struct clock *c = clock;
    return sp_gpu_check((int)cudaEventRecord(c->start, NULL), "starting the clock", err);
}

static void (*on_queued)(void *context);
static void *queued_context;

void sp_gpu_on_queued(void (*queued)(void *context), void *context)
{
    on_queued = queued;
    queued_context = context;
}

enum sp_status sp_gpu_clock_stop(void *clock, double *seconds, struct sp_error *err)
{
    struct clock *c = clock;
    float ms = 0;
    *seconds = 0;
    enum sp_status status = sp_gpu_check((int)cudaEventRecord(c->stop, NULL), "stopping the clock", err);
    if (on_queued)
        on_queued(queued_context);
    if (status == SP_OK)
        status = sp_gpu_check((int)cudaEventSynchronize(c->stop), "waiting for the kernel", err);
    if (status == SP_OK)
        status = sp_gpu_check((int)cudaEventElapsedTime(&ms, c->start, c->stop), "reading the clock", err);
    *seconds = (double)ms * 1e-3;
    return status;
}
