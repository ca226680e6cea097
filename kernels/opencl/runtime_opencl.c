/* Memory, copies and times of an OpenCL device. Its memory is made of buffers, which have no
 * addresses: addresses are given out here, as numbers that nobody follows, and an array is found by
 * them again. */
#include "kernels/cuda/gpu_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/opencl/opencl_device.h"
#include "kernels/opencl/opencl_start.h"

static const char clinfo[] = "clinfo says what the device is";

enum sp_status sp_gpu_check(int number, const char *doing, struct sp_error *err)
{
    switch (number) {
    case CL_SUCCESS:
        return SP_OK;
    case SP_OPENCL_NO_BODY:
        return sp_fail(err, SP_ABSENT, "take another kernel", "%s: OpenCL devices have no such kernel",
                       doing);
    case SP_OPENCL_REFUSED:
        return sp_fail(err, SP_ABSENT, clinfo, "%s: the OpenCL driver does not build the program %s", doing,
                       sp_opencl_refusal());
    case SP_OPENCL_LITTLE_LOCAL:
        return sp_fail(err, SP_ABSENT, "take another format",
                       "%s: a group needs more local memory than the device has", doing);
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
        return sp_fail(err, SP_MEMORY, "take a smaller matrix", "%s: the OpenCL device has no memory left",
                       doing);
    case CL_INVALID_WORK_GROUP_SIZE:
        return sp_fail(err, SP_ABSENT, "take another kernel",
                       "%s: its groups are too large for the OpenCL device", doing);
    default:
        return sp_fail(err, SP_BUG, "report it with what clinfo says", "%s: OpenCL error %d", doing, number);
    }
}

/* A number of the device's; 0 where it says nothing. */
static size_t number_of(const struct sp_opencl_device *d, cl_device_info what, size_t size)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;
    if (size == sizeof narrow)
        return d->call.clGetDeviceInfo(d->id, what, size, &narrow, NULL) == CL_SUCCESS ? narrow : 0;
    return d->call.clGetDeviceInfo(d->id, what, size, &wide, NULL) == CL_SUCCESS ? wide : 0;
}

enum sp_status (*const sp_gpu_choose)(int number, struct sp_error *err) = sp_opencl_choose;

/* Can its sub-groups have SP_WARP work-items that exchange values? */
static bool exchanges_between_lanes(const struct sp_opencl_device *d)
{
    enum { MOST_SIZES = 16, SUB_GROUP_SIZES_INTEL = 0x4108 };
    size_t size[MOST_SIZES], length = 0;
    if (!sp_opencl_has(d, "cl_khr_subgroup_shuffle") ||
        !sp_opencl_has(d, "cl_intel_required_subgroup_size") ||
        d->call.clGetDeviceInfo(d->id, SUB_GROUP_SIZES_INTEL, sizeof size, size, &length) != CL_SUCCESS)
        return false;
    for (size_t i = 0; i < length / sizeof *size; i++)
        if (size[i] == SP_WARP)
            return true;
    return false;
}

/* ---- memory ---- */

enum sp_status sp_gpu_describe(struct sp_gpu_device *out, struct sp_error *err)
{
    const struct sp_opencl_device *d;
    char version[96], driver[64], platform[64] = "";
    memset(out, 0, sizeof *out);
    enum sp_status status = sp_opencl_open(&d, err);
    if (status != SP_OK)
        return status;
    sp_opencl_device_text(d, CL_DEVICE_NAME, out->name, sizeof out->name);
    sp_opencl_device_text(d, CL_DEVICE_VERSION, version, sizeof version);
    sp_opencl_device_text(d, CL_DRIVER_VERSION, driver, sizeof driver);
    d->call.clGetPlatformInfo(d->platform, CL_PLATFORM_NAME, sizeof platform, platform, NULL);
    sscanf(version, "OpenCL %d.%d", &out->major, &out->minor);
    snprintf(out->interface, sizeof out->interface, "OpenCL %d.%d of %.40s, driver %.40s", out->major,
             out->minor, platform, driver);
    out->n_cores = (int)number_of(d, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    out->memory_B = number_of(d, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    const size_t held_B = sp_opencl_held_B();
    out->free_B = out->memory_B > held_B ? out->memory_B - held_B : 0;
    out->L2_B = number_of(d, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof(cl_ulong));
    out->line_B = (int)number_of(d, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, sizeof(cl_uint));
    out->shared_core_B = d->local_B;
    out->core_threads = (int)number_of(d, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    out->max_Hz = 1e6 * (double)number_of(d, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(cl_uint));
    out->is_cpu = d->is_cpu;
    out->has_sub_groups = exchanges_between_lanes(d);
    return SP_OK;
}

void sp_gpu_clocks_now(struct sp_gpu_clocks *clocks)
{
    memset(clocks, 0, sizeof *clocks);
    clocks->sm_Hz = clocks->memory_Hz = clocks->power_limit_W = sp_value_none("OpenCL tells no clocks");
}

static enum sp_status too_large(const struct sp_opencl_device *d, size_t bytes, const char *what,
                                struct sp_error *err)
{
    const size_t most = number_of(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    return sp_fail(err, SP_MEMORY, "take a smaller matrix",
                   "%s takes %.1f MB, an array of the OpenCL device may have %.1f", what, (double)bytes / 1e6,
                   (double)most / 1e6);
}

enum sp_status sp_gpu_alloc(size_t bytes, const char *what, void **p, struct sp_error *err)
{
    static const cl_uchar unset = 0xff;
    const struct sp_opencl_device *d;
    cl_int failed;
    *p = NULL;
    if (bytes == 0)
        return SP_OK;
    enum sp_status status = sp_opencl_open(&d, err);
    if (status != SP_OK)
        return status;
    cl_mem buffer = d->call.clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, &failed);
    if (failed == CL_SUCCESS)
        failed = d->call.clEnqueueFillBuffer(d->queue, buffer, &unset, 1, 0, bytes, 0, NULL, NULL);
    if (failed == CL_SUCCESS)
        failed = d->call.clFinish(d->queue);
    if (failed == CL_INVALID_BUFFER_SIZE)
        status = too_large(d, bytes, what, err);
    else if (failed != CL_SUCCESS)
        status = sp_gpu_check(failed, what, err);
    else
        status = sp_opencl_hold(buffer, bytes, what, p, err);
    if (status != SP_OK && buffer)
        d->call.clReleaseMemObject(buffer);
    return status;
}

void sp_gpu_free(void *p)
{
    cl_mem buffer = sp_opencl_drop(p);
    if (buffer)
        sp_opencl_now()->call.clReleaseMemObject(buffer);
}

enum sp_status sp_gpu_copy_in(void *to, const void *from, size_t bytes, struct sp_error *err)
{
    const struct sp_opencl_device *d = sp_opencl_now();
    size_t offset;
    if (bytes == 0)
        return SP_OK;
    cl_mem array = sp_opencl_array(to, &offset);
    return sp_gpu_check(
        d->call.clEnqueueWriteBuffer(d->queue, array, CL_TRUE, offset, bytes, from, 0, NULL, NULL),
        "copying to the OpenCL device", err);
}

enum sp_status sp_gpu_copy_out(void *to, const void *from, size_t bytes, struct sp_error *err)
{
    const struct sp_opencl_device *d = sp_opencl_now();
    size_t offset;
    if (bytes == 0)
        return SP_OK;
    cl_mem array = sp_opencl_array(from, &offset);
    return sp_gpu_check(
        d->call.clEnqueueReadBuffer(d->queue, array, CL_TRUE, offset, bytes, to, 0, NULL, NULL),
        "copying from the OpenCL device", err);
}

bool sp_gpu_pin(void *p, size_t bytes)
{
    (void)p;
    (void)bytes;
    return false;
}

void sp_gpu_unpin(void *p)
{
    (void)p;
}

/* ---- copies beside computing: a second queue ---- */

struct feed {
    cl_command_queue copies;
    cl_event filled[2], used[2];
};

static void forget(cl_event *event)
{
    if (*event)
        sp_opencl_now()->call.clReleaseEvent(*event);
    *event = NULL;
}

enum sp_status sp_gpu_feed_make(void **feed, struct sp_error *err)
{
    const struct sp_opencl_device *d;
    cl_int failed;
    *feed = NULL;
    enum sp_status status = sp_opencl_open(&d, err);
    if (status == SP_OK)
        status = sp_new_array(1, sizeof(struct feed), "a queue of copies", feed, err);
    if (status != SP_OK)
        return status;
    struct feed *f = *feed;
    f->copies = d->call.clCreateCommandQueue(d->context, d->id, 0, &failed);
    status = sp_gpu_check(failed, "making a queue of copies", err);
    if (status != SP_OK) {
        free(f);
        *feed = NULL;
    }
    return status;
}

void sp_gpu_feed_free(void *feed)
{
    struct feed *f = feed;
    if (!f)
        return;
    const struct sp_opencl_device *d = sp_opencl_now();
    d->call.clFinish(f->copies);
    for (int i = 0; i < 2; i++) {
        forget(&f->filled[i]);
        forget(&f->used[i]);
    }
    d->call.clReleaseCommandQueue(f->copies);
    free(f);
}

enum sp_status sp_gpu_feed_begin(void *feed, int which, struct sp_error *err)
{
    const struct sp_opencl_device *d = sp_opencl_now();
    struct feed *f = feed;
    if (!f->used[which])
        return SP_OK;
    return sp_gpu_check(d->call.clEnqueueBarrierWithWaitList(f->copies, 1, &f->used[which], NULL),
                        "waiting for the kernel", err);
}

enum sp_status sp_gpu_feed_copy(void *feed, void *to, const void *from, size_t bytes, struct sp_error *err)
{
    const struct sp_opencl_device *d = sp_opencl_now();
    struct feed *f = feed;
    size_t offset;
    if (bytes == 0)
        return SP_OK;
    cl_mem array = sp_opencl_array(to, &offset);
    return sp_gpu_check(
        d->call.clEnqueueWriteBuffer(f->copies, array, CL_FALSE, offset, bytes, from, 0, NULL, NULL),
        "copying to the OpenCL device", err);
}

enum sp_status sp_gpu_feed_filled(void *feed, int which, struct sp_error *err)
{
    const struct sp_opencl_device *d = sp_opencl_now();
    struct feed *f = feed;
    forget(&f->filled[which]);
    cl_int failed = d->call.clEnqueueMarkerWithWaitList(f->copies, 0, NULL, &f->filled[which]);
    if (failed == CL_SUCCESS)
        failed = d->call.clFlush(f->copies);
    if (failed == CL_SUCCESS)
        failed = d->call.clEnqueueBarrierWithWaitList(d->queue, 1, &f->filled[which], NULL);
    return sp_gpu_check(failed, "waiting for a copy", err);
}

enum sp_status sp_gpu_feed_used(void *feed, int which, struct sp_error *err)
{
    const struct sp_opencl_device *d = sp_opencl_now();
    struct feed *f = feed;
    forget(&f->used[which]);
    cl_int failed = d->call.clEnqueueMarkerWithWaitList(d->queue, 0, NULL, &f->used[which]);
    if (failed == CL_SUCCESS)
        failed = d->call.clFlush(d->queue);
    return sp_gpu_check(failed, "marking a buffer", err);
}

/* ---- times ---- */

struct clock {
    cl_event start, stop;
};

enum sp_status sp_gpu_clock_make(void **clock, struct sp_error *err)
{
    return sp_new_array(1, sizeof(struct clock), "a clock", clock, err);
}

void sp_gpu_clock_free(void *clock)
{
    struct clock *c = clock;
    if (!c)
        return;
    forget(&c->start);
    forget(&c->stop);
    free(c);
}

static enum sp_status mark(cl_event *event, const char *doing, struct sp_error *err)
{
    const struct sp_opencl_device *d = sp_opencl_now();
    forget(event);
    cl_int failed = d->call.clEnqueueMarkerWithWaitList(d->queue, 0, NULL, event);
    if (failed == CL_SUCCESS)
        failed = d->call.clFlush(d->queue);
    return sp_gpu_check(failed, doing, err);
}

enum sp_status sp_gpu_clock_start(void *clock, struct sp_error *err)
{
    struct clock *c = clock;
    return mark(&c->start, "starting the clock", err);
}

static void (*on_queued)(void *context);
static void *queued_context;

void sp_gpu_on_queued(void (*queued)(void *context), void *context)
{
    on_queued = queued;
    queued_context = context;
}

static cl_int end_of(const struct sp_opencl_device *d, cl_event event, cl_ulong *ns)
{
    return d->call.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof *ns, ns, NULL);
}

enum sp_status sp_gpu_clock_stop(void *clock, double *seconds, struct sp_error *err)
{
    const struct sp_opencl_device *d = sp_opencl_now();
    struct clock *c = clock;
    cl_ulong from = 0, to = 0;
    *seconds = 0;
    enum sp_status status = mark(&c->stop, "stopping the clock", err);
    if (on_queued)
        on_queued(queued_context);
    if (status == SP_OK)
        status = sp_gpu_check(d->call.clWaitForEvents(1, &c->stop), "waiting for the kernel", err);
    if (status == SP_OK)
        status = sp_gpu_check(end_of(d, c->start, &from), "reading the clock", err);
    if (status == SP_OK)
        status = sp_gpu_check(end_of(d, c->stop, &to), "reading the clock", err);
    *seconds = (double)(to - from) * 1e-9;
    return status;
}
