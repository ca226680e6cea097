#include "kernels/opencl/opencl_start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/opencl/opencl_device.h"

enum { MOST_PROGRAMS = 64, MOST_KERNELS = 128, POINTERS = 17, MOST_ARGS_B = 512 };

static char refusal[640];

const char *sp_opencl_refusal(void)
{
    return refusal;
}

bool sp_opencl_is_cpu(void)
{
    return sp_opencl_now()->is_cpu;
}

/* The first line of what its compiler says. */
static void keep_refusal(const struct sp_opencl_device *d, cl_program program, const char *name)
{
    char log[4096] = "";
    size_t length = 0;
    if (program &&
        d->call.clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) == CL_SUCCESS &&
        length <= sizeof log)
        d->call.clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, length, log, NULL);
    log[strcspn(log, "\n")] = '\0';
    snprintf(refusal, sizeof refusal, "%s%s%.400s", name, *log ? ": " : "", log);
}

/* Of OpenCL 2.1; not among the functions that every loader must have. */
typedef cl_program create_with_il(cl_context context, const void *il, size_t length, cl_int *failed);

static cl_program make_spirv(const struct sp_opencl_device *d, const struct sp_opencl_program *p,
                             cl_int *failed)
{
    union {
        void *address;
        create_with_il *create;
    } of = {d->create_with_il};
    return of.create(d->context, p->spirv, (size_t)(p->spirv_end - p->spirv), failed);
}

static cl_program make_spir(const struct sp_opencl_device *d, const struct sp_opencl_program *p,
                            cl_int *failed)
{
    const unsigned char *binary = p->spir;
    const size_t length = (size_t)(p->spir_end - p->spir);
    cl_int taken = CL_SUCCESS;
    cl_program program =
        d->call.clCreateProgramWithBinary(d->context, 1, &d->id, &length, &binary, &taken, failed);
    if (*failed == CL_SUCCESS)
        *failed = taken;
    return program;
}

static int build(const struct sp_opencl_program *p, cl_program *program)
{
    const struct sp_opencl_device *d = sp_opencl_now();
    const bool as_spirv = d->create_with_il && p->spirv;
    cl_int failed = CL_SUCCESS;
    *program = as_spirv ? make_spirv(d, p, &failed) : make_spir(d, p, &failed);
    if (failed == CL_SUCCESS)
        failed =
            d->call.clBuildProgram(*program, 1, &d->id, as_spirv ? "" : "-x spir -spir-std=1.2", NULL, NULL);
    if (failed == CL_SUCCESS)
        return 0;
    keep_refusal(d, *program, p->name);
    return SP_OPENCL_REFUSED;
}

static int find_program(const char *name, cl_program *program)
{
    static cl_program built[MOST_PROGRAMS];
    for (int i = 0; i < MOST_PROGRAMS && sp_opencl_programs[i].name; i++) {
        if (strcmp(sp_opencl_programs[i].name, name) != 0)
            continue;
        const int failed = built[i] ? 0 : build(&sp_opencl_programs[i], &built[i]);
        *program = built[i];
        return failed;
    }
    return SP_OPENCL_NO_BODY;
}

/* Names are static, so that equal pointers are enough; another pointer makes the kernel again. */
static int find_kernel(const struct sp_opencl_grid *g, cl_kernel *kernel)
{
    static struct {
        const char *program, *kernel;
        cl_kernel made;
    } known[MOST_KERNELS];
    static int n_known;
    cl_program program;
    cl_int failed;
    for (int i = 0; i < n_known; i++)
        if (known[i].program == g->program && known[i].kernel == g->kernel) {
            *kernel = known[i].made;
            return 0;
        }
    const int missing = find_program(g->program, &program);
    if (missing)
        return missing;
    *kernel = sp_opencl_now()->call.clCreateKernel(program, g->kernel, &failed);
    if (failed == CL_SUCCESS && n_known < MOST_KERNELS) {
        known[n_known].program = g->program;
        known[n_known].kernel = g->kernel;
        known[n_known++].made = *kernel;
    }
    return failed;
}

static int set_arguments(const struct sp_opencl_device *d, cl_kernel kernel, const struct sp_opencl_grid *g)
{
    uint64_t word[MOST_ARGS_B / sizeof(uint64_t)];
    cl_int failed = CL_SUCCESS;
    memcpy(word, g->args, g->args_B);
    for (cl_uint i = 0; i < POINTERS && failed == CL_SUCCESS; i++) {
        size_t offset = 0;
        cl_mem array = NULL;
        if ((int)i < g->n_pointers) {
            array = sp_opencl_array((const void *)(uintptr_t)word[i], &offset);
            word[i] = offset;
        }
        failed = d->call.clSetKernelArg(kernel, i, sizeof array, array ? &array : NULL);
    }
    if (failed == CL_SUCCESS)
        failed = d->call.clSetKernelArg(kernel, POINTERS, g->args_B, word);
    if (failed == CL_SUCCESS)
        failed = d->call.clSetKernelArg(kernel, POINTERS + 1, g->shared_B > 16 ? g->shared_B : 16, NULL);
    return failed;
}

int sp_opencl_start(const struct sp_opencl_grid *g)
{
    const struct sp_opencl_device *d = sp_opencl_now();
    cl_kernel kernel;
    if (!g->program)
        return SP_OPENCL_NO_BODY;
    if (g->shared_B > d->local_B)
        return SP_OPENCL_LITTLE_LOCAL;
    int failed = find_kernel(g, &kernel);
    if (!failed)
        failed = set_arguments(d, kernel, g);
    const size_t local = (size_t)g->block_threads, all = (size_t)g->n_blocks * local;
    if (!failed)
        failed = d->call.clEnqueueNDRangeKernel(d->queue, kernel, 1, NULL, &all, &local, 0, NULL, NULL);
    return failed;
}
