#include "kernels/gpu_ceiling.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "kernels/cuda/ceiling_args.h"
#include "kernels/cuda/gpu_runtime.h"
#include "sparse/launch/gpu_launch.h"

enum { THREADS = 256, LINE_ELEMENTS = 16, FMA_BLOCKS = 8 };

struct arena {
    struct sp_gpu_device device;
    void *memory, *clock;
    size_t bytes;
    int64_t n_chase; /* elements over which the memory holds a chain of indices; 0: it holds zeros */
};

static void close_arena(void *arena)
{
    struct arena *a = arena;
    if (!a)
        return;
    sp_gpu_free(a->memory);
    sp_gpu_clock_free(a->clock);
    free(a);
}

/* The sums of a load are compared with a number that zeros do not give; fresh memory holds NaN. */
static enum sp_status clear(struct arena *a, struct sp_error *err)
{
    void *zeros;
    const size_t part = a->bytes < 64 << 20 ? a->bytes : 64 << 20;
    enum sp_status status = sp_new_array((int64_t)part, 1, "zeros", &zeros, err);
    for (size_t at = 0; status == SP_OK && at < a->bytes; at += part)
        status =
            sp_gpu_copy_in((char *)a->memory + at, zeros, a->bytes - at < part ? a->bytes - at : part, err);
    if (status == SP_OK)
        a->n_chase = 0;
    free(zeros);
    return status;
}

static enum sp_status open_arena(size_t bytes, void **arena, struct sp_error *err)
{
    void *memory;
    *arena = NULL;
    enum sp_status status = sp_new_array(1, sizeof(struct arena), "the arena", &memory, err);
    if (status != SP_OK)
        return status;
    struct arena *a = memory;
    a->bytes = bytes;
    status = sp_gpu_describe(&a->device, err);
    if (status == SP_OK)
        status = sp_gpu_alloc(bytes, "the arena of the ceilings", &a->memory, err);
    if (status == SP_OK)
        status = sp_gpu_clock_make(&a->clock, err);
    if (status == SP_OK)
        status = clear(a, err);
    if (status != SP_OK) {
        close_arena(a);
        return status;
    }
    *arena = a;
    return SP_OK;
}

/* One cycle through the first elements of all lines, in an order that no prefetcher follows. */
static enum sp_status make_chain(struct arena *a, int64_t n, struct sp_error *err)
{
    void *memory;
    const int64_t n_lines = n / LINE_ELEMENTS;
    if (a->n_chase == n)
        return SP_OK;
    enum sp_status status = sp_new_array(n + n_lines, sizeof(int64_t), "a chain", &memory, err);
    if (status != SP_OK)
        return status;
    int64_t *next = memory, *order = next + n;
    for (int64_t i = 0; i < n_lines; i++)
        order[i] = i;
    for (int64_t i = n_lines - 1; i > 0; i--) {
        int64_t k = (int64_t)(sp_random_at(11, (uint64_t)i) % (uint64_t)i), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    for (int64_t i = 0; i < n_lines; i++)
        next[order[i] * LINE_ELEMENTS] = order[(i + 1) % n_lines] * LINE_ELEMENTS;
    status = sp_gpu_copy_in(a->memory, next, (size_t)n * sizeof *next, err);
    if (status == SP_OK)
        a->n_chase = n;
    free(memory);
    return status;
}

static int streams_of(enum sp_gpu_ceiling kind)
{
    return kind == SP_GPU_CEILING_COPY ? 2 : kind == SP_GPU_CEILING_TRIAD ? 3 : 1;
}

/* Work of the sample, in the unit of the kind times seconds; for times: how many it has. */
static double work_of(const struct sp_gpu_ceiling_case *c, const struct sp_gpu_ceiling_args *args,
                      int n_streams)
{
    switch (c->kind) {
    case SP_GPU_CEILING_FMA_F64:
    case SP_GPU_CEILING_FMA_F32:
        return 2.0 * SP_GPU_CHAINS * THREADS * (double)args->n_blocks * (double)c->repetitions;
    case SP_GPU_CEILING_LAUNCH:
    case SP_GPU_CEILING_LATENCY:
    case SP_GPU_CEILING_SECTORS:
        return (double)c->repetitions;
    default:
        return (double)n_streams * (double)sizeof(double) * (double)args->n * (double)c->repetitions;
    }
}

/* Blocks that fill the cores; fewer warps on a core by blocks that claim more shared memory. */
static int64_t blocks_of(const struct arena *a, const struct sp_gpu_ceiling_case *c, size_t *shared_B)
{
    const int cores = a->device.n_cores, warps = THREADS / SP_WARP;
    int resident = a->device.core_threads / THREADS;
    *shared_B = 0;
    if (c->warps > 0) {
        const int wanted = c->warps < warps ? 1 : c->warps / warps;
        resident = wanted < resident ? wanted : resident;
        const size_t each = a->device.shared_core_B / (size_t)resident / 2 + 1024;
        *shared_B = each < SP_GPU_SHARED_B ? each : SP_GPU_SHARED_B;
    }
    return (int64_t)cores *
           (c->kind == SP_GPU_CEILING_FMA_F64 || c->kind == SP_GPU_CEILING_FMA_F32 ? FMA_BLOCKS : resident);
}

static enum sp_status sample(void *arena, const struct sp_gpu_ceiling_case *c, double *value, double *seconds,
                             struct sp_error *err)
{
    struct arena *a = arena;
    const int n_streams = streams_of(c->kind);
    const int64_t n = (int64_t)(c->bytes / sizeof(double)) / n_streams;
    double *memory = a->memory;
    size_t shared_B;
    struct sp_gpu_ceiling_args args = {.a = memory,
                                       .b = memory + n,
                                       .c = memory + (n_streams - 1) * n,
                                       .n = n,
                                       .repetitions = c->repetitions,
                                       .n_blocks = blocks_of(a, c, &shared_B),
                                       .row_B = SP_GPU_SECTORS_ROW_B,
                                       .access_B = c->access_B,
                                       .together = c->together > 0 ? c->together : SP_WARP};
    const bool chases = c->kind == SP_GPU_CEILING_LATENCY, counts = c->kind == SP_GPU_CEILING_SECTORS;
    if (counts && c->repetitions > (int64_t)c->bytes / SP_GPU_SECTORS_ROW_B)
        return sp_fail(err, SP_BUG, "", "%lld loads of a warp over %zu bytes", (long long)c->repetitions,
                       c->bytes);
    if (c->bytes > a->bytes || n < LINE_ELEMENTS || c->repetitions < 1)
        return sp_fail(err, SP_BUG, "", "a ceiling over %zu bytes in an arena of %zu", c->bytes, a->bytes);
    enum sp_status status = chases ? make_chain(a, n, err) : a->n_chase ? clear(a, err) : SP_OK;
    const int64_t grids = c->kind == SP_GPU_CEILING_LAUNCH ? c->repetitions : 1;
    if (status == SP_OK)
        status = sp_gpu_clock_start(a->clock, err);
    for (int64_t i = 0; i < grids && status == SP_OK; i++)
        status = sp_gpu_check(
            sp_gpu_ceiling_execute(c->kind, &args, chases || counts ? SP_WARP : THREADS, shared_B),
            "starting a ceiling", err);
    if (status == SP_OK)
        status = sp_gpu_clock_stop(a->clock, seconds, err);
    if (status != SP_OK)
        return status;
    const double work = work_of(c, &args, n_streams);
    *value = c->kind == SP_GPU_CEILING_LAUNCH || chases ? *seconds / work : work / *seconds;
    return SP_OK;
}

const struct sp_gpu_ceilings sp_gpu_ceilings = {open_arena, sample, close_arena};
