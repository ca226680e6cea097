/* What all GPU kernels share: arrays on the device, the timed run, the result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/option_words.h"
#include "kernels/cuda/gpu_arrays.h"
#include "kernels/cuda/gpu_runtime.h"
#include "kernels/cuda/gpu_stream.h"
#include "kernels/gpu_ceiling.h"
#include "sparse/csr/real.h"
#include "sparse/formats/format_ids.h"

enum { MOST_ARRAYS = 24 };

struct gpu_kernel {
    struct sp_gpu_launch launch;
    struct sp_gpu_arrays arrays;
    const struct sp_layout *layout;
    void *owned[MOST_ARRAYS];
    int n_owned;
    struct sp_gpu_stream *stream; /* of a matrix that exceeds the memory of the device, else NULL */
    void *clock;
    void *host;         /* y as the device has it */
    size_t set_aside_B; /* of the L2, while it runs; 0: nothing */
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

/* Elements of a dense operand with n rows, gaps between columns included. */
static int64_t dense_elements(const struct sp_layout *l, int64_t n, int64_t ld)
{
    return l->order == SP_ROW_MAJOR ? n * l->r : l->r * ld;
}

static int64_t result_elements(const struct sp_layout *l)
{
    return l->op == SP_OP_SDDMM ? l->n_stored : dense_elements(l, l->n_r, l->ld_y);
}

/* Where element i of a dense operand in the user's order is in the kernel's. */
static int64_t dense_place(const struct sp_layout *l, int64_t i, int64_t ld)
{
    return l->order == SP_ROW_MAJOR ? i : i % l->r * ld + i / l->r;
}

/* Are numbers of the device those of the user: doubles, or pairs of them? */
static bool is_as_given(const struct sp_layout *l)
{
    return l->precision == SP_F64 || l->precision == SP_C128;
}

/* A dense operand of n rows in the precision and order of the kernel; NULL stays NULL. */
static enum sp_status upload_dense(struct gpu_kernel *k, const double *from, int64_t n, int64_t ld,
                                   const char *what, const void **to, struct sp_error *err)
{
    const struct sp_layout *l = k->layout;
    const int64_t n_elements = dense_elements(l, n, ld);
    void *elements;
    *to = NULL;
    if (!from)
        return SP_OK;
    if (is_as_given(l) && l->order == SP_ROW_MAJOR)
        return upload(k, from, n_elements, l->s_x, what, to, err);
    enum sp_status status = sp_new_array(n_elements, l->s_x, what, &elements, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < n * l->r; i++)
        sp_real_store(l->precision, elements, dense_place(l, i, ld), from[i]);
    status = upload(k, elements, n_elements, l->s_x, what, to, err);
    free(elements);
    return status;
}

/* Of what the shares of MERGE and SHARE carry. */
static size_t sums_bytes(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    return (size_t)sp_gpu_carries(l, g) * sp_gpu_carry_size(l);
}

/* Where shares of the merged path begin, and what they carry. */
static enum sp_status make_shares(struct gpu_kernel *k, struct sp_error *err)
{
    const struct sp_layout *l = k->layout;
    const bool merge = k->launch.map == SP_GPU_MERGE;
    const int64_t n = k->arrays.n_shares;
    const void *start;
    void *memory, *carry_row = NULL;
    enum sp_status status = sp_new_array(n + 1, sizeof(int64_t), "first rows of blocks", &memory, err);
    if (status != SP_OK)
        return status;
    sp_gpu_merge_starts(l, &k->launch, memory);
    status = upload(k, memory, n + 1, sizeof(int64_t), "first rows of blocks", &start, err);
    free(memory);
    if (status == SP_OK && merge)
        status = make(k, (size_t)n * sizeof(int64_t), "rows cut", &carry_row, err);
    if (status == SP_OK)
        status = make(k, sums_bytes(l, &k->launch), "sums cut", &k->arrays.carry_val, err);
    k->arrays.start = start;
    k->arrays.carry_row = carry_row;
    return status;
}

static enum sp_status make_chunk_starts(struct gpu_kernel *k, struct sp_error *err)
{
    static const char what[] = "first entries of chunks";
    const struct sp_layout *l = k->layout;
    const void *start = NULL;
    void *memory;
    enum sp_status status = sp_new_array(l->n_chunks, sizeof(int64_t), what, &memory, err);
    if (status != SP_OK)
        return status;
    sp_gpu_chunk_starts(l, memory);
    status = upload(k, memory, l->n_chunks, sizeof(int64_t), what, &start, err);
    free(memory);
    k->arrays.start = start;
    return status;
}

static enum sp_status make_long_rows(struct gpu_kernel *k, struct sp_error *err)
{
    static const char what[] = "long rows";
    const int64_t n = k->launch.n_long;
    const void *start = NULL;
    void *memory;
    enum sp_status status = sp_new_array(n, sizeof(int64_t), what, &memory, err);
    if (status != SP_OK)
        return status;
    sp_gpu_long_rows(k->layout, &k->launch, memory);
    status = upload(k, memory, n, sizeof(int64_t), what, &start, err);
    free(memory);
    k->arrays.start = start;
    return status;
}

/* What the formats have beside values, column indices and pointers. */
static enum sp_status fill_structure(struct gpu_kernel *k, struct sp_error *err)
{
    const struct sp_layout *l = k->layout;
    struct sp_gpu_arrays *a = &k->arrays;
    const void *blocks = NULL;
    enum sp_status status = upload_i32(k, l->len, l->n_chunks, "lengths of chunks", &a->len, err);
    if (status == SP_OK)
        status = upload_i32(k, l->perm, l->n_chunks * l->C, "the permutation", &a->perm, err);
    if (status == SP_OK)
        status = upload(k, l->index_ptr, l->n_chunks + 1, l->s_p, "pointers to lists", &a->index_ptr, err);
    if (status == SP_OK)
        status =
            upload(k, l->column_ptr, l->n_indices + 1, l->s_p, "pointers of columns", &a->column_ptr, err);
    if (status == SP_OK)
        status = upload(k, l->row_index, l->n_stored, l->s_row, "row indices", &a->row_index, err);
    if (status == SP_OK)
        status = upload(k, l->block, l->n_blocks + 1, sizeof *l->block, "blocks", &blocks, err);
    if (status == SP_OK)
        status = upload_i32(k, l->list, l->n_list, "lists of columns", &a->list, err);
    a->block = blocks;
    return status;
}

static enum sp_status fill_dense(struct gpu_kernel *k, const struct sp_operands *operands,
                                 struct sp_error *err)
{
    const struct sp_layout *l = k->layout;
    struct sp_gpu_arrays *a = &k->arrays;
    enum sp_status status = upload_dense(k, operands->x, l->n_c, l->ld_x, "x", &a->x, err);
    if (status == SP_OK)
        status = upload_dense(k, operands->rows, l->n_r, l->r, "the row operand", &a->rows, err);
    if (status == SP_OK)
        status = upload_dense(k, operands->second, l->n_c, l->ld_x, "the second gathered operand", &a->second,
                              err);
    if (status == SP_OK)
        status = make(k, (size_t)result_elements(l) * l->s_y, "y", &a->y, err);
    if (status == SP_OK)
        status = sp_new_array(result_elements(l), l->s_y, "y", &k->host, err);
    return status;
}

/* The layout's arrays on the device, and what this way of sharing has beside them. */
static enum sp_status fill_matrix(struct gpu_kernel *k, struct sp_error *err)
{
    const struct sp_layout *l = k->layout;
    struct sp_gpu_arrays *a = &k->arrays;
    enum sp_status status = upload(k, l->val, l->n_stored, l->s_a, "values", &a->val, err);
    if (status == SP_OK)
        status = upload(k, l->col, l->n_indices, l->s_i, "column indices", &a->col, err);
    if (status == SP_OK)
        status = upload(k, l->ptr, l->n_ptr, l->s_p, "pointers", &a->ptr, err);
    if (status == SP_OK)
        status = fill_structure(k, err);
    if (status == SP_OK && a->n_shares > 0)
        status = make_shares(k, err);
    if (status == SP_OK && k->launch.map == SP_GPU_STAGE)
        status = make_chunk_starts(k, err);
    if (status == SP_OK && k->launch.map == SP_GPU_BINS)
        status = make_long_rows(k, err);
    return status;
}

/* room_B: for a matrix that is streamed; 0: it is not. */
static enum sp_status fill(struct gpu_kernel *k, const struct sp_operands *operands, size_t room_B,
                           struct sp_error *err)
{
    const struct sp_layout *l = k->layout;
    struct sp_gpu_arrays *a = &k->arrays;
    *a = (struct sp_gpu_arrays){.n_r = l->n_r,
                                .n_c = l->n_c,
                                .n_nz = l->n_nz,
                                .n_chunks = l->n_chunks,
                                .n_shares = sp_gpu_shares(l, &k->launch),
                                .n_long = k->launch.n_long,
                                .r = l->r,
                                .ld_x = l->ld_x,
                                .ld_y = l->ld_y,
                                .C = l->C,
                                .T_i = l->T_i,
                                .b_h = l->b_h,
                                .b_w = l->b_w,
                                .lanes = k->launch.lanes,
                                .column_lanes = k->launch.column_lanes,
                                .tile = k->launch.tile,
                                .n_tiles = k->launch.n_tiles,
                                .n_parts = k->launch.n_parts,
                                .items = k->launch.items,
                                .wide_ptr = l->s_p == 8,
                                .wide_col = l->s_i == 8,
                                .ends_layer = operands->epilogue != NULL};
    if (operands->epilogue) {
        a->bias = operands->epilogue->bias;
        a->most = operands->epilogue->most;
    }
    enum sp_status status = room_B > 0 ? sp_gpu_stream_make(l, room_B, &k->stream, err) : fill_matrix(k, err);
    if (status == SP_OK)
        status = fill_dense(k, operands, err);
    if (status == SP_OK)
        status = sp_gpu_clock_make(&k->clock, err);
    return status;
}

/* As many accesses stay as there is room for. */
static void set_hits(struct gpu_kernel *k, size_t room_B)
{
    k->arrays.window_hits = fmin(1, (double)room_B / (double)k->arrays.window_B);
}

/* The window over x: of its size, or as large as one may be. */
static enum sp_status make_window(struct gpu_kernel *k, struct sp_error *err)
{
    const struct sp_layout *l = k->layout;
    const size_t x_B = (size_t)dense_elements(l, l->n_c, l->ld_x) * l->s_x;
    struct sp_gpu_L2_room most;
    enum sp_status status = sp_gpu_L2_limits(&most, err);
    if (status != SP_OK || x_B == 0)
        return status;
    k->set_aside_B = most.set_aside_B < x_B ? most.set_aside_B : x_B;
    k->arrays.window_B = (int64_t)(most.window_B < x_B ? most.window_B : x_B);
    set_hits(k, k->set_aside_B);
    return SP_OK;
}

/* What a way of sharing has beside the layout's arrays. */
static double extra_bytes(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    const int64_t n = sp_gpu_shares(l, g);
    if (g->map == SP_GPU_STAGE)
        return (double)l->n_chunks * sizeof(int64_t);
    if (g->map == SP_GPU_BINS)
        return (double)g->n_long * sizeof(int64_t);
    if (n == 0)
        return 0;
    const double starts_B = (double)(n + 1) * sizeof(int64_t);
    const double rows_B = g->map == SP_GPU_MERGE ? (double)n * sizeof(int64_t) : 0;
    return starts_B + rows_B + (double)sums_bytes(l, g);
}

/* Everything must fit: said before gigabytes are copied. Of SpMM in STAGED the operands must;
 * *room_B is half of what they leave, for a matrix that does not: the other half is for what is
 * measured beside it. */
static enum sp_status check_room(const struct sp_layout *l, const struct sp_gpu_launch *g,
                                 const struct sp_operands *operands, size_t *room_B, struct sp_error *err)
{
    struct sp_gpu_device device;
    *room_B = 0;
    enum sp_status status = sp_gpu_describe(&device, err);
    if (status != SP_OK)
        return status;
    const double gathered_B = (double)dense_elements(l, l->n_c, l->ld_x) * (double)l->s_x;
    const double rows_B = operands->rows ? (double)l->n_r * (double)l->r * (double)l->s_x : 0;
    const double dense_B =
        (operands->second ? 2 : 1) * gathered_B + rows_B + (double)result_elements(l) * (double)l->s_y;
    const double need = sp_layout_matrix_bytes(l) + extra_bytes(l, g) + dense_B,
                 free_B = (double)device.free_B;
    if (need > free_B && g->map == SP_GPU_STAGE && dense_B < free_B)
        *room_B = (size_t)((free_B - dense_B) / 2);
    else if (need > free_B)
        return sp_fail(err, SP_MEMORY,
                       l->op == SP_OP_SPMM && g->map != SP_GPU_STAGE
                           ? SP_O_FORMAT " staged:16,64 streams such matrices, where the operands fit"
                           : "take a smaller matrix, or cut it into parts",
                       "matrix and operands take %.1f MB, the %s has %.1f MB free of %.1f", need / 1e6,
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
    sp_gpu_stream_free(k->stream);
    sp_gpu_clock_free(k->clock);
    free(k->host);
    free(k);
}

static enum sp_status prepare(const struct sp_gpu_launch *launch, const struct sp_layout *layout,
                              const struct sp_operands *operands, void **state, struct sp_error *err)
{
    void *memory;
    size_t room_B;
    *state = NULL;
    enum sp_status status = sp_epilogue_check(operands, launch->map == SP_GPU_STAGE, err);
    if (status == SP_OK)
        status = check_room(layout, launch, operands, &room_B, err);
    if (status == SP_OK)
        status = sp_new_array(1, sizeof(struct gpu_kernel), "a GPU kernel", &memory, err);
    if (status != SP_OK)
        return status;
    struct gpu_kernel *k = memory;
    k->launch = *launch;
    k->layout = layout;
    status = fill(k, operands, room_B, err);
    if (status == SP_OK && launch->x_in_window)
        status = make_window(k, err);
    if (status != SP_OK) {
        release(k);
        return status;
    }
    *state = k;
    return SP_OK;
}

static enum sp_status execute(const struct gpu_kernel *k, struct sp_error *err)
{
    static sp_gpu_execute *const of_op[SP_N_OPS] = {sp_gpu_spmv_execute, sp_gpu_spmm_execute,
                                                    sp_gpu_spmm_execute, sp_gpu_sampled_execute,
                                                    sp_gpu_sampled_execute};
    if (k->launch.n_blocks == 0)
        return SP_OK;
    if (k->stream)
        return sp_gpu_stream_execute(k->stream, &k->launch, &k->arrays, err);
    sp_gpu_execute *execute_map =
        k->launch.map == SP_GPU_MMA ? sp_gpu_mma_execute : of_op[sp_gpu_map_op(k->launch.map)];
    return sp_gpu_check(execute_map(&k->launch, &k->arrays, k->layout->precision, k->layout->index),
                        "starting the kernel", err);
}

static enum sp_status run_timed(struct gpu_kernel *k, int64_t repetitions, double *seconds,
                                struct sp_error *err)
{
    enum sp_status status = sp_gpu_clock_start(k->clock, err);
    if (status == SP_OK && k->stream)
        status = sp_gpu_stream_start(k->stream, err);
    for (int64_t i = 0; i < repetitions && status == SP_OK; i++)
        status = execute(k, err);
    return status == SP_OK ? sp_gpu_clock_stop(k->clock, seconds, err) : status;
}

/* The L2 is set aside while it runs, and given back before anything else does. */
static enum sp_status run_in_window(struct gpu_kernel *k, int64_t repetitions, double *seconds,
                                    struct sp_error *err)
{
    size_t before_B, given_B;
    enum sp_status status = sp_gpu_L2_set_aside(k->set_aside_B, &before_B, &given_B, err);
    if (status != SP_OK)
        return status;
    set_hits(k, given_B);
    status = run_timed(k, repetitions, seconds, err);
    const enum sp_status given_back = sp_gpu_L2_give_back(before_B, status == SP_OK ? err : NULL);
    return status == SP_OK ? given_back : status;
}

static enum sp_status run(void *state, int64_t repetitions, struct sp_run_stats *stats, struct sp_error *err)
{
    struct gpu_kernel *k = state;
    double seconds;
    enum sp_status status = (k->set_aside_B > 0 ? run_in_window : run_timed)(k, repetitions, &seconds, err);
    if (status == SP_OK && stats && stats->thread_s && stats->n_threads > 0)
        stats->thread_s[0] += seconds;
    return status;
}

/* P from the order of a tiled layout. */
static enum sp_status order_tiled(const struct gpu_kernel *k, double *result, struct sp_error *err)
{
    const struct sp_layout *l = k->layout;
    void *memory;
    enum sp_status status = sp_new_array(l->n_stored, sizeof(int64_t), "the order of entries", &memory, err);
    int64_t *place = memory;
    if (status == SP_OK)
        status = sp_layout_tiled_places(l, place, err);
    for (int64_t j = 0; status == SP_OK && j < l->n_stored; j++)
        result[place[j]] = sp_real_load(l->precision, k->host, j);
    free(memory);
    return status;
}

static enum sp_status fetch(void *state, double *result, struct sp_error *err)
{
    struct gpu_kernel *k = state;
    const struct sp_layout *l = k->layout;
    enum sp_status status = sp_gpu_copy_out(k->host, k->arrays.y, (size_t)result_elements(l) * l->s_y, err);
    if (status != SP_OK)
        return status;
    if (l->format == SP_FORMAT_TILED)
        return order_tiled(k, result, err);
    const int64_t n = l->op == SP_OP_SDDMM ? l->n_nz : l->n_r * l->r;
    if (l->precision == SP_C128) {
        memcpy(result, k->host, (size_t)n * l->s_y);
        return SP_OK;
    }
    for (int64_t i = 0; i < n; i++)
        result[i] = sp_real_load(l->precision, k->host, dense_place(l, i, l->ld_y));
    return SP_OK;
}

static double streamed_B(const void *state)
{
    const struct gpu_kernel *k = state;
    return k->stream ? sp_gpu_stream_bytes(k->stream) : 0;
}

static void window(const void *state, double *bytes, double *hits)
{
    const struct gpu_kernel *k = state;
    *bytes = (double)k->arrays.window_B;
    *hits = k->arrays.window_hits;
}

__attribute__((visibility("default"))) const struct sp_gpu_module *sp_gpu_module(void)
{
    static struct sp_gpu_module module = {.abi = SP_GPU_MODULE_ABI,
                                          .layout_size = sizeof(struct sp_layout),
                                          .launch_size = sizeof(struct sp_gpu_launch),
                                          .describe = sp_gpu_describe,
                                          .prepare = prepare,
                                          .run = run,
                                          .fetch = fetch,
                                          .release = release,
                                          .streamed_B = streamed_B,
                                          .window = window,
                                          .ceilings = &sp_gpu_ceilings,
                                          .clocks = sp_gpu_clocks_now,
                                          .on_queued = sp_gpu_on_queued};
    module.choose = sp_gpu_choose;
    return &module;
}
