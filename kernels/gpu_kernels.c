/* Rows of the kernel table whose code is in the GPU modules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/option_words.h"
#include "kernels/bodies.h"
#include "kernels/gpu_module.h"
#include "sys/machine/gpu_files.h"

const struct sp_gpu_interface sp_gpu_interfaces[SP_N_GPU_APIS] = {
    [SP_GPU_CUDA] = {"CUDA", "gpu", "cuda", SP_GPU_MODULE_FILE},
    [SP_GPU_OPENCL] = {"OpenCL", "opencl", "opencl", SP_OPENCL_MODULE_FILE},
};

struct gpu_state {
    const struct sp_gpu_module *module;
    void *inner; /* the module's */
};

enum sp_status sp_gpu_module_open(enum sp_gpu_api api, const struct sp_gpu_module **module,
                                  struct sp_error *err)
{
    const char *file = sp_gpu_interfaces[api].file;
    union {
        void *address;
        sp_gpu_module_of *function;
    } symbol;
    *module = NULL;
    enum sp_status status = sp_module_file_symbol(file, SP_GPU_MODULE_SYMBOL, &symbol.address, err);
    if (status == SP_ABSENT && api == SP_GPU_CUDA &&
        sp_module_file_symbol(SP_HIP_MODULE_FILE, SP_GPU_MODULE_SYMBOL, &symbol.address, NULL) == SP_OK) {
        file = SP_HIP_MODULE_FILE;
        status = SP_OK;
    }
    if (status != SP_OK && err)
        snprintf(err->remedy, sizeof err->remedy, "spmodel doctor says whether this build has it");
    if (status != SP_OK)
        return status;
    const struct sp_gpu_module *found = symbol.function();
    if (found->abi != SP_GPU_MODULE_ABI || found->layout_size != sizeof(struct sp_layout) ||
        found->launch_size != sizeof(struct sp_gpu_launch))
        return sp_fail(err, SP_ABSENT, "build and install both together",
                       "%s is of another build than this program", file);
    *module = found;
    return SP_OK;
}

static enum sp_status describe(enum sp_gpu_api api, struct sp_gpu_device *device, struct sp_error *err)
{
    const struct sp_gpu_module *module;
    enum sp_status status = sp_gpu_module_open(api, &module, err);
    return status == SP_OK ? module->describe(device, err) : status;
}

enum sp_status sp_gpu_available(struct sp_error *err)
{
    struct sp_gpu_device device;
    return describe(SP_GPU_CUDA, &device, err);
}

enum sp_status sp_opencl_available(struct sp_error *err)
{
    struct sp_gpu_device device;
    return describe(SP_GPU_OPENCL, &device, err);
}

enum sp_status sp_opencl_has_lanes(struct sp_error *err)
{
    struct sp_gpu_device device;
    enum sp_status status = describe(SP_GPU_OPENCL, &device, err);
    if (status == SP_OK && !device.has_sub_groups)
        return sp_fail(err, SP_ABSENT,
                       "SpMV, SpMM and " SP_O_FORMAT
                       " sell have kernels that need none; others run without " SP_O_DEVICE,
                       "the OpenCL device %s has no sub-groups that exchange values", device.name);
    return status;
}

static enum sp_status prepare(enum sp_gpu_api api, enum sp_gpu_map map, bool x_in_window,
                              const struct sp_layout *layout, const struct sp_operands *operands,
                              void **state, struct sp_error *err)
{
    const struct sp_gpu_module *module;
    struct sp_gpu_launch launch;
    void *memory;
    *state = NULL;
    enum sp_status status = sp_gpu_module_open(api, &module, err);
    if (status == SP_OK)
        status = sp_gpu_launch_make(layout, map, 0, &launch, err);
    if (status == SP_OK)
        status = sp_new_array(1, sizeof(struct gpu_state), "a GPU kernel", &memory, err);
    if (status != SP_OK)
        return status;
    struct gpu_state *s = memory;
    launch.x_in_window = x_in_window;
    s->module = module;
    status = module->prepare(&launch, layout, operands, &s->inner, err);
    if (status != SP_OK) {
        free(s);
        return status;
    }
    *state = s;
    return SP_OK;
}

enum sp_status sp_gpu_run(void *state, int64_t repetitions, struct sp_run_stats *stats, struct sp_error *err)
{
    struct gpu_state *s = state;
    return s->module->run(s->inner, repetitions, stats, err);
}

enum sp_status sp_gpu_fetch(void *state, double *y, struct sp_error *err)
{
    struct gpu_state *s = state;
    return s->module->fetch(s->inner, y, err);
}

/* The arrays are the device's: nothing that this process could read. */
void sp_gpu_facts(const void *state, struct sp_kernel_facts *facts)
{
    const struct gpu_state *s = state;
    memset(facts, 0, sizeof *facts);
    facts->streamed_B = s->module->streamed_B(s->inner);
    s->module->window(s->inner, &facts->window_B, &facts->window_hits);
}

void sp_gpu_release(void *state)
{
    struct gpu_state *s = state;
    if (!s)
        return;
    s->module->release(s->inner);
    free(s);
}

/* `accepts` and `prepare` of what maps the work so; of CUDA alone, and with OpenCL. */
#define CUDA_MAP(word, map)                                                                                  \
    enum sp_status sp_gpu_map_##word##_accepts(const struct sp_layout *layout, struct sp_error *err)         \
    {                                                                                                        \
        struct sp_gpu_launch launch;                                                                         \
        return sp_gpu_launch_make(layout, map, 0, &launch, err);                                             \
    }                                                                                                        \
    enum sp_status sp_gpu_map_##word(SP_PREPARE)                                                             \
    {                                                                                                        \
        return prepare(SP_GPU_CUDA, map, false, layout, operands, state, err);                               \
    }
#define GPU_MAP(word, map)                                                                                   \
    CUDA_MAP(word, map)                                                                                      \
    enum sp_status sp_opencl_map_##word(SP_PREPARE)                                                          \
    {                                                                                                        \
        return prepare(SP_GPU_OPENCL, map, false, layout, operands, state, err);                             \
    }

enum sp_status sp_gpu_map_lanes_in_window(SP_PREPARE)
{
    return prepare(SP_GPU_CUDA, SP_GPU_LANES, true, layout, operands, state, err);
}

GPU_MAP(thread, SP_GPU_THREAD)
GPU_MAP(lanes, SP_GPU_LANES)
GPU_MAP(merge, SP_GPU_MERGE)
CUDA_MAP(keep, SP_GPU_KEEP)
CUDA_MAP(bins, SP_GPU_BINS)
GPU_MAP(chunk, SP_GPU_CHUNK)
GPU_MAP(group, SP_GPU_GROUP)
GPU_MAP(slot, SP_GPU_SLOT)
GPU_MAP(output, SP_GPU_OUTPUT)
GPU_MAP(row, SP_GPU_ROW)
GPU_MAP(share, SP_GPU_SHARE)
GPU_MAP(stage, SP_GPU_STAGE)
GPU_MAP(sample, SP_GPU_SAMPLE)
GPU_MAP(equal, SP_GPU_EQUAL)
GPU_MAP(tile, SP_GPU_TILE)
GPU_MAP(fused, SP_GPU_FUSED)
CUDA_MAP(mma, SP_GPU_MMA)
