#include "kernels/opencl/opencl_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_PLATFORMS = 16, MOST_DEVICES = 64 };

#define LOADER "libOpenCL.so.1"

static const char install[] =
    "install a driver, for CPUs: apt-get install pocl-opencl-icd; clinfo -l lists devices";

static enum sp_status find_functions(struct sp_opencl_functions *call, void **create_with_il,
                                     struct sp_error *err)
{
    static const char *const name[] = {
#define FUNCTION(name) #name,
#include "kernels/opencl/opencl_functions.inc"
#undef FUNCTION
    };
    enum { N = sizeof name / sizeof *name };
    void *address[N];
    _Static_assert(sizeof address == sizeof *call, "a pointer for each function");
    void *library = dlopen(LOADER, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return sp_fail(err, SP_ABSENT, install, "there is no OpenCL loader: %s", dlerror());
    for (int i = 0; i < N; i++) {
        address[i] = dlsym(library, name[i]);
        if (!address[i])
            return sp_fail(err, SP_ABSENT, "update it", LOADER " has no %s", name[i]);
    }
    memcpy(call, address, sizeof address);
    *create_with_il = dlsym(library, "clCreateProgramWithIL"); /* of OpenCL 2.1 */
    return SP_OK;
}

static int wanted;

static enum sp_status find_device(struct sp_opencl_device *d, struct sp_error *err)
{
    cl_platform_id platform[MOST_PLATFORMS];
    cl_uint n_platforms = 0;
    int n = 0;
    const cl_int failed = d->call.clGetPlatformIDs(MOST_PLATFORMS, platform, &n_platforms);
    if (failed == CL_SUCCESS && n_platforms > MOST_PLATFORMS)
        n_platforms = MOST_PLATFORMS;
    for (cl_uint p = 0; failed == CL_SUCCESS && p < n_platforms; p++) {
        cl_device_id device[MOST_DEVICES];
        cl_uint n_here = 0;
        if (d->call.clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, device, &n_here) !=
            CL_SUCCESS)
            continue;
        if (wanted >= n && wanted < n + (int)n_here && wanted - n < MOST_DEVICES) {
            d->platform = platform[p];
            d->id = device[wanted - n];
        }
        n += (int)n_here;
    }
    if (n == 0)
        return sp_fail(err, SP_ABSENT, install, "there is no OpenCL %s",
                       failed == CL_SUCCESS && n_platforms > 0 ? "device" : "platform");
    if (!d->id)
        return sp_fail(err, SP_ABSENT, "clinfo -l lists devices, the first is number 0",
                       "there %s %d OpenCL device%s, none has number %d", n == 1 ? "is" : "are", n,
                       n == 1 ? "" : "s", wanted);
    return SP_OK;
}

void sp_opencl_device_text(const struct sp_opencl_device *d, cl_device_info what, char *text, size_t size)
{
    size_t length = 0;
    *text = '\0';
    if (d->call.clGetDeviceInfo(d->id, what, 0, NULL, &length) != CL_SUCCESS || length > size ||
        d->call.clGetDeviceInfo(d->id, what, length, text, NULL) != CL_SUCCESS)
        *text = '\0';
}

bool sp_opencl_has(const struct sp_opencl_device *d, const char *extension)
{
    char all[8192];
    const size_t length = strlen(extension);
    sp_opencl_device_text(d, CL_DEVICE_EXTENSIONS, all, sizeof all);
    for (const char *at = strstr(all, extension); at; at = strstr(at + length, extension))
        if ((at == all || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static enum sp_status make_queue(struct sp_opencl_device *d, struct sp_error *err)
{
    cl_int failed;
    d->context = d->call.clCreateContext(NULL, 1, &d->id, NULL, NULL, &failed);
    if (failed == CL_SUCCESS)
        d->queue = d->call.clCreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &failed);
    return failed == CL_SUCCESS ? SP_OK
                                : sp_fail(err, SP_ABSENT, "clinfo says what it is",
                                          "the OpenCL device makes no queue of work (error %d)", failed);
}

static struct sp_opencl_device the_device;
static bool is_open;

enum sp_status sp_opencl_choose(int number, struct sp_error *err)
{
    if (is_open && number != wanted)
        return sp_fail(err, SP_USAGE, "take another process for it", "OpenCL device %d is in use already",
                       wanted);
    wanted = number;
    return SP_OK;
}

enum sp_status sp_opencl_open(const struct sp_opencl_device **device, struct sp_error *err)
{
    char il[256];
    cl_device_type type = 0;
    struct sp_opencl_device d = {0};
    *device = &the_device;
    if (is_open)
        return SP_OK;
    enum sp_status status = find_functions(&d.call, &d.create_with_il, err);
    if (status == SP_OK)
        status = find_device(&d, err);
    if (status == SP_OK)
        status = make_queue(&d, err);
    if (status != SP_OK)
        return status;
    d.call.clGetDeviceInfo(d.id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    d.call.clGetDeviceInfo(d.id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof d.local_B, &d.local_B, NULL);
    d.is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    sp_opencl_device_text(&d, CL_DEVICE_IL_VERSION, il, sizeof il);
    if (!strstr(il, "SPIR-V"))
        d.create_with_il = NULL;
    the_device = d;
    is_open = true;
    return SP_OK;
}

const struct sp_opencl_device *sp_opencl_now(void)
{
    return &the_device;
}

/* ---- arrays ---- */

struct array {
    uintptr_t begin;
    size_t bytes;
    cl_mem buffer;
    struct array *next;
};
static struct array *arrays;
static size_t held_B;

enum { GAP = 4096 };

/* Addresses that no process has: nothing can be there to be followed by mistake. */
static uintptr_t next_address = (uintptr_t)1 << 60;

enum sp_status sp_opencl_hold(cl_mem array, size_t bytes, const char *what, void **address,
                              struct sp_error *err)
{
    void *memory;
    const enum sp_status status = sp_new_array(1, sizeof(struct array), what, &memory, err);
    if (status != SP_OK)
        return status;
    struct array *a = memory;
    *a = (struct array){next_address, bytes, array, arrays};
    arrays = a;
    next_address += (bytes + GAP) / GAP * GAP + GAP;
    held_B += bytes;
    *address = (void *)a->begin;
    return SP_OK;
}

cl_mem sp_opencl_drop(const void *address)
{
    struct array **at = &arrays;
    while (*at && (*at)->begin != (uintptr_t)address)
        at = &(*at)->next;
    if (!*at)
        return NULL;
    struct array *a = *at;
    cl_mem buffer = a->buffer;
    *at = a->next;
    held_B -= a->bytes;
    free(a);
    return buffer;
}

size_t sp_opencl_held_B(void)
{
    return held_B;
}

cl_mem sp_opencl_array(const void *address, size_t *offset)
{
    const uintptr_t at = (uintptr_t)address;
    *offset = 0;
    for (const struct array *a = arrays; a && at; a = a->next)
        if (at >= a->begin && at - a->begin <= a->bytes) {
            *offset = at - a->begin;
            return a->buffer;
        }
    return NULL;
}
