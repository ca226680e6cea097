/* What all GPU kernels share: arrays on the device, the timed run, the result. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/gpu_arrays.h"
#include "kernels/cuda/gpu_ceilings.h"
#include "kernels/cuda/gpu_runtime.h"

enum { MOST_ARRAYS = 16 };

struct gpu_kernel {
    struct sp_gpu_launch launch;
    struct sp_gpu_arrays arrays;
    enum sp_precision precision;
    enum sp_index index;
    void *owned[MOST_ARRAYS];
    int n_owned;
    void *clock;
    void *host; /* y as the device has it */
};

static enum sp_status make(struct gpu_kernel *k, size_t bytes, const char *what, void **p,
                           struct sp_error *err)
{
    enum sp_status status = sp_gpu_alloc(bytes, what, p, err);
    if (status == SP_OK)
        k->owned[k->n_owned++] = *p;
    return status;
}

/* A copy of n items of `size` bytes on the device; NULL stays NULL. */
static enum sp_status upload(struct gpu_kernel *k, const void *from, int64_t n, size_t size, const char *what,
                             const void **to, struct sp_error *err)
{
    void *p = NULL;
    *to = NULL;
    if (!from)
        return SP_OK;
    enum sp_status status = make(k, (size_t)n * size, what, &p, err);
    if (status == SP_OK)
        status = sp_gpu_copy_in(p, from, (size_t)n * size, err);
    *to = p;
    return status;
}

static enum sp_status upload_i32(struct gpu_kernel *k, const int32_t *from, int64_t n, const char *what,
                                 const int32_t **to, struct sp_error *err)
{
    const void *p;
    enum sp_status status = upload(k, from, n, sizeof *from, what, &p, err);
    *to = p;
    return status;
}

/* A dense operand in the precision of the kernel. */
static enum sp_status upload_dense(struct gpu_kernel *k, const double *from, int64_t n, const char *what,
                                   const void **to, struct sp_error *err)
{
    void *memory;
    if (k->precision == SP_F64)
        return upload(k, from, n, sizeof *from, what, to, err);
    enum sp_status status = sp_new_array(n, sizeof(float), what, &memory, err);
    *to = NULL;
    if (status != SP_OK)
        return status;
    float *narrow = memory;
    for (int64_t i = 0; i < n; i++)
        narrow[i] = (float)from[i];
    status = upload(k, narrow, n, sizeof *narrow, what, to, err);
    free(narrow);
    return status;
}

static enum sp_status make_merge(struct gpu_kernel *k, const struct sp_layout *l, struct sp_error *err)
{
    const int64_t n = k->launch.n_blocks;
    const void *start;
    void *memory, *carry_row = NULL;
    enum sp_status status = sp_new_array(n + 1, sizeof(int64_t), "first rows of blocks", &memory, err);
    if (status != SP_OK)
        return status;
    sp_gpu_merge_starts(l, &k->launch, memory);
    status = upload(k, memory, n + 1, sizeof(int64_t), "first rows of blocks", &start, err);
    free(memory);
    if (status == SP_OK)
        status = make(k, (size_t)n * sizeof(int64_t), "rows cut", &carry_row, err);
    if (status == SP_OK)
        status = make(k, (size_t)n * l->s_y, "sums cut", &k->arrays.carry_val, err);
    k->arrays.start = start;
    k->arrays.carry_row = carry_row;
    return status;
}

static enum sp_status fill(struct gpu_kernel *k, const struct sp_layout *l,
                           const struct sp_operands *operands, struct sp_error *err)
{
    struct sp_gpu_arrays *a = &k->arrays;
    *a = (struct sp_gpu_arrays){.n_r = l->n_r,
                                .n_c = l->n_c,
                                .n_nz = l->n_nz,
                                .n_chunks = l->n_chunks,
                                .n_merge_blocks = k->launch.n_blocks,
                                .C = l->C,
                                .items = k->launch.items,
                                .wide_ptr = l->s_p == 8};
    enum sp_status status = upload(k, l->val, l->n_stored, l->s_a, "values", &a->val, err);
    if (status == SP_OK)
        status = upload(k, l->col, l->n_indices, l->s_i, "column indices", &a->col, err);
    if (status == SP_OK)
        status = upload(k, l->ptr, l->n_ptr, l->s_p, "pointers", &a->ptr, err);
    if (status == SP_OK)
        status = upload_i32(k, l->len, l->n_chunks, "lengths of chunks", &a->len, err);
    if (status == SP_OK)
        status = upload_i32(k, l->perm, l->n_chunks * l->C, "the permutation", &a->perm, err);
    if (status == SP_OK)
        status = upload_dense(k, operands->x, l->n_c, "x", &a->x, err);
    if (status == SP_OK)
        status = make(k, (size_t)l->n_r * l->s_y, "y", &a->y, err);
    if (status == SP_OK && k->launch.map == SP_GPU_MERGE)
        status = make_merge(k, l, err);
    if (status == SP_OK)
        status = sp_gpu_clock_make(&k->clock, err);
    if (status == SP_OK)
        status = sp_new_array(l->n_r, l->s_y, "y", &k->host, err);
    return status;
}

/* Everything must fit: said before gigabytes are copied. */
static enum sp_status check_room(const struct sp_layout *l, struct sp_error *err)
{
    struct sp_gpu_device device;
    enum sp_status status = sp_gpu_describe(&device, err);
    if (status != SP_OK)
        return status;
    const double need =
        sp_layout_matrix_bytes(l) + (double)l->s_x * (double)l->n_c + (double)l->s_y * (double)l->n_r;
    if (need > (double)device.free_B)
        return sp_fail(err, SP_MEMORY, "take a smaller matrix, or cut it into parts",
                       "matrix and vectors take %.1f MB, the %s has %.1f MB free of %.1f", need / 1e6,
                       device.name, (double)device.free_B / 1e6, (double)device.memory_B / 1e6);
    return SP_OK;
}

static void release(void *state)
{
    struct gpu_kernel *k = state;
    if (!k)
        return;
    for (int i = 0; i < k->n_owned; i++)
        sp_gpu_free(k->owned[i]);
    sp_gpu_clock_free(k->clock);
    free(k->host);
    free(k);
}

static enum sp_status prepare(const struct sp_gpu_launch *launch, const struct sp_layout *layout,
                              const struct sp_operands *operands, void **state, struct sp_error *err)
{
    void *memory;
    *state = NULL;
    enum sp_status status = check_room(layout, err);
    if (status == SP_OK)
        status = sp_new_array(1, sizeof(struct gpu_kernel), "a GPU kernel", &memory, err);
    if (status != SP_OK)
        return status;
    struct gpu_kernel *k = memory;
    k->launch = *launch;
    k->precision = layout->precision;
    k->index = layout->index;
    status = fill(k, layout, operands, err);
    if (status != SP_OK) {
        release(k);
        return status;
    }
    *state = k;
    return SP_OK;
}

static enum sp_status run(void *state, int64_t repetitions, struct sp_run_stats *stats, struct sp_error *err)
{
    struct gpu_kernel *k = state;
    double seconds;
    enum sp_status status = sp_gpu_clock_start(k->clock, err);
    for (int64_t i = 0; i < repetitions && status == SP_OK; i++)
        status = sp_gpu_check(sp_gpu_spmv_execute(&k->launch, &k->arrays, k->precision, k->index),
                              "starting the kernel", err);
    if (status == SP_OK)
        status = sp_gpu_clock_stop(k->clock, &seconds, err);
    if (status == SP_OK && stats && stats->thread_s && stats->n_threads > 0)
        stats->thread_s[0] += seconds;
    return status;
}

static enum sp_status fetch(void *state, double *y, struct sp_error *err)
{
    struct gpu_kernel *k = state;
    const int64_t n = k->arrays.n_r;
    enum sp_status status =
        sp_gpu_copy_out(k->host, k->arrays.y, (size_t)n * sp_precision_size(k->precision), err);
    for (int64_t i = 0; i < n && status == SP_OK; i++)
        y[i] = k->precision == SP_F64 ? ((const double *)k->host)[i] : ((const float *)k->host)[i];
    return status;
}

__attribute__((visibility("default"))) const struct sp_gpu_module *sp_gpu_module(void)
{
    static const struct sp_gpu_module module = {.abi = SP_GPU_MODULE_ABI,
                                                .layout_size = sizeof(struct sp_layout),
                                                .launch_size = sizeof(struct sp_gpu_launch),
                                                .describe = sp_gpu_describe,
                                                .prepare = prepare,
                                                .run = run,
                                                .fetch = fetch,
                                                .release = release,
                                                .ceilings = &sp_gpu_ceilings};
    return &module;
}
