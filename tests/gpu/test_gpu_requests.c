/* What the kernels ask for, as the executor sees it, is what the coalescing model says, address by address.
 */
#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor.h"
#include "kernels/gpu_module.h"
#include "model/gpu/requests.h"
#include "run_suite.h"
#include "share.h"
#include "small_matrices.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "sparse/product/workload.h"

static const char *const array_names[SP_N_GPU_ARRAYS] = {
    [SP_GPU_PTR] = "ptr",
    [SP_GPU_LEN] = "len",
    [SP_GPU_INDEX_PTR] = "index_ptr",
    [SP_GPU_COLUMN_PTR] = "column_ptr",
    [SP_GPU_BLOCK] = "block",
    [SP_GPU_LIST] = "list",
    [SP_GPU_ROW_INDEX] = "row_index",
    [SP_GPU_COL] = "col",
    [SP_GPU_VAL] = "val",
    [SP_GPU_X] = "x",
    [SP_GPU_SECOND] = "second",
    [SP_GPU_ROWS] = "rows",
    [SP_GPU_PERM] = "perm",
    [SP_GPU_START] = "start",
    [SP_GPU_Y] = "y",
    [SP_GPU_CARRY_ROW] = "carry_row",
    [SP_GPU_CARRY_VAL] = "carry_val",
};

/* A request of either side, in one form. */
struct asked {
    int64_t grid, warp;
    int array, access, size;
    uint32_t lanes;
    int64_t offset[SP_WARP];
};

static int compare(const void *p, const void *q)
{
    return memcmp(p, q, sizeof(struct asked));
}

/* The names that kernels/cuda/gpu_state.c gives its arrays. */
static int array_of(const char *name)
{
    static const char *const names[SP_N_GPU_ARRAYS] = {[SP_GPU_PTR] = "pointers",
                                                       [SP_GPU_LEN] = "lengths of chunks",
                                                       [SP_GPU_COL] = "column indices",
                                                       [SP_GPU_VAL] = "values",
                                                       [SP_GPU_X] = "x",
                                                       [SP_GPU_PERM] = "the permutation",
                                                       [SP_GPU_START] = "first rows of blocks",
                                                       [SP_GPU_Y] = "y",
                                                       [SP_GPU_CARRY_ROW] = "rows cut",
                                                       [SP_GPU_CARRY_VAL] = "sums cut",
                                                       [SP_GPU_INDEX_PTR] = "pointers to lists",
                                                       [SP_GPU_COLUMN_PTR] = "pointers of columns",
                                                       [SP_GPU_BLOCK] = "blocks",
                                                       [SP_GPU_LIST] = "lists of columns",
                                                       [SP_GPU_ROW_INDEX] = "row indices",
                                                       [SP_GPU_ROWS] = "the row operand",
                                                       [SP_GPU_SECOND] = "the second gathered operand"};
    if (strcmp(name, "first entries of chunks") == 0 || strcmp(name, "long rows") == 0)
        return SP_GPU_START;
    for (int i = 0; i < SP_N_GPU_ARRAYS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    ck_abort_msg("the model knows no array '%s'", name);
}

static const enum sp_gpu_access access_of[] = {[SP_EXECUTOR_LOAD] = SP_GPU_LOAD,
                                               [SP_EXECUTOR_STORE] = SP_GPU_STORE,
                                               [SP_EXECUTOR_ADD] = SP_GPU_ATOMIC,
                                               [SP_EXECUTOR_COPY] = SP_GPU_COPY};

static int64_t executed(const struct sp_executor *executor, struct asked **out)
{
    int64_t n;
    const struct sp_executor_request *request = executor->requests(&n);
    *out = calloc((size_t)n + 1, sizeof **out);
    for (int64_t i = 0; i < n; i++) {
        struct asked *a = &(*out)[i];
        a->grid = request[i].grid;
        a->warp = request[i].warp;
        a->array = array_of(request[i].array);
        a->access = access_of[request[i].kind];
        a->size = request[i].size;
        a->lanes = request[i].lanes;
        for (int l = 0; l < SP_WARP; l++)
            if (a->lanes >> l & 1)
                a->offset[l] = request[i].offset[l];
    }
    return n;
}

/* Complex numbers are added part after part, each of half the size. */
static void name_part(struct asked *a, const struct asked *before)
{
    const bool is_second = before && before->access == SP_GPU_ATOMIC && before->warp == a->warp;
    a->size /= 2;
    for (int l = 0; l < SP_WARP && is_second; l++)
        if (a->lanes >> l & 1)
            a->offset[l] += a->size;
}

static void append(struct sp_gpu_cursor *c, const struct sp_gpu_grid *g, int64_t which, int64_t warp,
                   struct asked **out, int64_t *n, int64_t *room)
{
    struct sp_gpu_request r;
    while (sp_gpu_cursor_next(c, &r)) {
        if (*n == *room) {
            *room = *room * 2 + 1024;
            *out = realloc(*out, (size_t)*room * sizeof **out);
        }
        struct asked *a = &(*out)[(*n)++];
        memset(a, 0, sizeof *a);
        *a = (struct asked){which,    warp, (int)r.array, (int)r.access, r.width << g->item_shift[r.array],
                            r.active, {0}};
        int64_t before = -1;
        for (int l = 0; l < SP_WARP; l++)
            if (r.active >> l & 1) {
                if (r.in_order && r.item[l] < before) /* ck_assert() would note each of the millions */
                    ck_abort_msg("%s is not in order", array_names[r.array]);
                before = r.item[l];
                a->offset[l] = r.item[l] << g->item_shift[r.array];
            }
        if (r.access == SP_GPU_ATOMIC && g->layout->precision == SP_C128)
            name_part(a, *n > 1 ? a - 1 : NULL);
    }
}

static int64_t modelled(const struct sp_gpu_grid *g, struct asked **out)
{
    int64_t n = 0, room = 0;
    struct sp_gpu_cursor c;
    const int warps = (int)sp_gpu_block_warps(&g->launch), carry_warps = SP_GPU_CARRY_THREADS / SP_WARP;
    *out = NULL;
    for (int64_t b = 0; b < g->launch.n_blocks; b++)
        for (int w = 0; w < warps; w++) {
            sp_gpu_cursor_open(g, b, w, &c);
            append(&c, g, 0, b * warps + w, out, &n, &room);
        }
    for (int64_t b = 0; b < sp_gpu_carry_blocks(g); b++)
        for (int w = 0; w < carry_warps; w++) {
            sp_gpu_cursor_open_carry(g, b, w, &c);
            append(&c, g, 1, b * carry_warps + w, out, &n, &room);
        }
    return n;
}

static void say(const char *who, const struct asked *a, int64_t n)
{
    printf("%s:", who);
    if (n == 0)
        printf(" nothing more");
    else
        printf(" grid %lld, warp %lld, %s, access %d of %d B, lanes %08x, first offsets %lld %lld",
               (long long)a->grid, (long long)a->warp, array_names[a->array], a->access, a->size, a->lanes,
               (long long)a->offset[0], (long long)a->offset[1]);
    printf("\n");
}

static void check_requests(const struct sp_executor *executor, const struct sp_layout *l,
                           const struct sp_dense_arrays *arrays, const struct sp_gpu_launch *launch)
{
    const struct sp_gpu_module *module;
    struct sp_gpu_grid grid;
    const struct sp_operands operands = {.x = arrays->x, .rows = arrays->rows, .second = arrays->second};
    struct sp_error err;
    void *state;
    ck_assert_int_eq(sp_gpu_module_open(SP_GPU_CUDA, &module, &err), SP_OK);
    ck_assert_int_eq(module->prepare(launch, l, &operands, &state, &err), SP_OK);
    executor->record(1);
    if (module->run(state, 1, NULL, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    executor->record(0);
    ck_assert_int_eq(sp_gpu_grid_make(l, launch, &grid, &err), SP_OK);
    struct asked *seen, *said;
    int64_t n_seen = executed(executor, &seen), n_said = modelled(&grid, &said);
    qsort(seen, (size_t)n_seen, sizeof *seen, compare);
    if (n_said)
        qsort(said, (size_t)n_said, sizeof *said, compare);
    for (int64_t i = 0; i < n_seen || i < n_said; i++)
        if (i >= n_seen || i >= n_said || compare(&seen[i], &said[i]) != 0) {
            say("executed", &seen[i], n_seen - i);
            say("modelled", &said[i], n_said - i);
            ck_abort_msg("%s, %lld x %lld, r = %d: request %lld of %lld executed, %lld modelled",
                         sp_gpu_map_name(launch->map), (long long)l->n_r, (long long)l->n_c, (int)l->r,
                         (long long)i, (long long)n_seen, (long long)n_said);
        }
    free(seen);
    free(said);
    sp_gpu_grid_free(&grid);
    module->release(state);
}

static void check_launch(const struct sp_executor *executor, const struct sp_layout *l,
                         const struct sp_dense_arrays *arrays, enum sp_gpu_map map, int lanes)
{
    struct sp_gpu_launch launch;
    struct sp_error err;
    if (sp_gpu_launch_make(l, map, lanes, &launch, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    check_requests(executor, l, arrays, &launch);
}

/* All ways of sharing of one matrix. */
static void check_matrix(const struct sp_executor *executor, const struct sp_csr *a)
{
    static const struct {
        enum sp_gpu_map map;
        int lanes;
        int32_t C;
        int64_t sigma;
    } cases[] = {{SP_GPU_THREAD, 0, 1, 1},   {SP_GPU_LANES, 0, 1, 1},   {SP_GPU_LANES, 2, 1, 1},
                 {SP_GPU_LANES, 32, 1, 1},   {SP_GPU_MERGE, 0, 1, 1},   {SP_GPU_CHUNK, 0, 32, 1},
                 {SP_GPU_CHUNK, 0, 64, 128}, {SP_GPU_CHUNK, 0, 32, 96}, {SP_GPU_KEEP, 0, 1, 1},
                 {SP_GPU_BINS, 0, 1, 1},     {SP_GPU_BINS, 32, 1, 1}};
    for (int precision = 0; precision <= SP_C128; precision++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const enum sp_gpu_map map = cases[i].map;
            if (precision == SP_C128 && (cases[i].C > 1 || map == SP_GPU_KEEP || map == SP_GPU_BINS))
                continue;
            struct sp_workload w = {.format = cases[i].C > 1 ? SP_FORMAT_SELL : SP_FORMAT_CRS,
                                    .C = cases[i].C,
                                    .sigma = cases[i].sigma,
                                    .precision = precision,
                                    .index = i % 2 && (map == SP_GPU_LANES || map == SP_GPU_CHUNK) ? SP_I64
                                                                                                   : SP_I32,
                                    .n_threads = 1,
                                    .matrix = a};
            struct sp_layout l;
            struct sp_dense_arrays arrays;
            ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
            ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
            struct sp_gpu_launch made;
            if (map != SP_GPU_BINS || sp_gpu_launch_make(&l, map, 0, &made, NULL) == SP_OK)
                check_launch(executor, &l, &arrays, map, cases[i].lanes);
            sp_dense_free(&arrays);
            sp_layout_free(&l);
        }
}

/* Ways of sharing of one operation with dense operands, for widths with and without wide loads, of one
 * team and of several, of one tile and of several. */
static void check_dense(const struct sp_executor *executor, const struct sp_csr *a, enum sp_gpu_map map,
                        const char *format, int lanes, int turn)
{
    static const int32_t widths[] = {1, 4, 7, 16, 33, 40, 70, 260};
    static const enum sp_precision precisions[] = {SP_F64, SP_F32, SP_F16};
    for (int i = 0; i < (int)(sizeof widths / sizeof *widths); i++)
        for (int p = 0; p < 3; p++) {
            struct sp_workload w = {.op = sp_gpu_map_op(map),
                                    .r = widths[i],
                                    .precision = precisions[p],
                                    .index = i % 2 ? SP_I64 : SP_I32,
                                    .n_threads = 1,
                                    .matrix = a};
            struct sp_layout l;
            struct sp_dense_arrays arrays;
            struct sp_gpu_launch launch;
            if (!share_has(i + p, turn))
                continue;
            ck_assert_int_eq(sp_workload_set_format(&w, format, NULL), SP_OK);
            if (sp_workload_check(&w, NULL) != SP_OK) /* 16-bit storage in other formats */
                continue;
            ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
            ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
            if (sp_gpu_launch_make(&l, map, lanes, &launch, NULL) == SP_OK)
                check_launch(executor, &l, &arrays, map, lanes);
            sp_dense_free(&arrays);
            sp_layout_free(&l);
        }
}

static void check_dense_matrix(const struct sp_executor *executor, const struct sp_csr *a, int turn)
{
    static const struct {
        enum sp_gpu_map map;
        const char *format;
        int lanes;
    } cases[] = {{SP_GPU_OUTPUT, "crs", 0},
                 {SP_GPU_GROUP, "crs", 0},
                 {SP_GPU_GROUP, "crs", 32},
                 {SP_GPU_ROW, "crs", 0},
                 {SP_GPU_ROW, "crs", 8},
                 {SP_GPU_SHARE, "crs", 0},
                 {SP_GPU_SLOT, "sell:32,1", 0},
                 {SP_GPU_SLOT, "sell:4,16", 0},
                 {SP_GPU_SAMPLE, "crs", 0},
                 {SP_GPU_EQUAL, "coo", 0},
                 {SP_GPU_FUSED, "crs", 0},
                 {SP_GPU_STAGE, "staged:16,64", 0},
                 {SP_GPU_STAGE, "staged:64,24", 0},
                 {SP_GPU_TILE, "tiled:16,64", 0},
                 {SP_GPU_TILE, "tiled:64,24", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_dense(executor, a, cases[i].map, cases[i].format, cases[i].lanes, turn + (int)i);
}

/* Matrix units in one precision and shape of blocks; f16 also with parts of the kernel switched off. */
static void check_blocks(const struct sp_executor *executor, const struct sp_csr *a, int precision,
                         const char *format, int32_t r)
{
    struct sp_workload w = {.op = SP_OP_SPMM,
                            .r = r,
                            .precision = precision,
                            .index = r % 2 ? SP_I64 : SP_I32,
                            .n_threads = 1,
                            .matrix = a};
    struct sp_layout l;
    struct sp_dense_arrays arrays;
    struct sp_gpu_launch launch;
    ck_assert_int_eq(sp_workload_set_format(&w, format, NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_MMA, 0, &launch, NULL), SP_OK);
    for (unsigned switches = 0; switches <= SP_GPU_MMA_ALL && l.n_r > 0; switches++)
        if (sp_gpu_launch_switch(&l, switches, &launch, NULL) == SP_OK)
            check_requests(executor, &l, &arrays, &launch);
    sp_dense_free(&arrays);
    sp_layout_free(&l);
}

/* Parts of 8, 16 and 32 rows, one and several of a block row, columns of blocks that stages cut; one tile
 * and several, rows of X that are aligned and not. */
static void check_units(const struct sp_executor *executor, const struct sp_csr *a, int turn)
{
    static const char *const formats[] = {"bcsr:8x8",   "bcsr:16x3", "bcsr:24x5", "bcsr:32x40",
                                          "bcsr:64x16", "bcsr:8x1",  "bcsr:16x1"};
    static const int32_t widths[] = {1, 8, 20, 33, 130, 136};
    static const int precisions[] = {SP_F64, SP_F32, SP_F16, SP_BF16};
    enum { N_FORMATS = sizeof formats / sizeof *formats, N_WIDTHS = sizeof widths / sizeof *widths };
    for (int p = 0; p < (int)(sizeof precisions / sizeof *precisions); p++)
        for (int f = 0; f < N_FORMATS; f++)
            for (int i = 0; i < 2; i++) /* other widths for the next matrix */
                if (share_has(p + f + 2 * i, turn))
                    check_blocks(executor, a, precisions[p], formats[f],
                                 widths[(turn + p + f + 3 * i) % N_WIDTHS]);
}

static const struct sp_executor *the_executor(void)
{
    union {
        void *address;
        sp_executor_of *function;
    } symbol;
    void *handle = dlopen(SP_GPU_MODULE_FILE, RTLD_NOW | RTLD_NODELETE);
    if (!handle)
        ck_abort_msg("%s", dlerror());
    symbol.address = dlsym(handle, SP_EXECUTOR_SYMBOL);
    ck_assert_msg(symbol.address != NULL, "this test needs the stand-in: LD_LIBRARY_PATH=build/tests/gpu");
    return symbol.function();
}

START_TEST(small_matrices_ask_as_modelled)
{
    struct sp_csr a = small_matrix(_i);
    if (!sp_csr_is_complex(&a))
        check_matrix(the_executor(), &a);
    sp_csr_free(&a);
}
END_TEST

START_TEST(dense_operands_are_asked_for_as_modelled)
{
    struct sp_csr a = small_matrix(_i);
    if (!sp_csr_is_complex(&a))
        check_dense_matrix(the_executor(), &a, _i);
    sp_csr_free(&a);
}
END_TEST

START_TEST(matrix_units_ask_as_modelled)
{
    struct sp_csr a = small_matrix(_i);
    if (!sp_csr_is_complex(&a))
        check_units(the_executor(), &a, _i);
    sp_csr_free(&a);
}
END_TEST

START_TEST(several_blocks_ask_as_modelled)
{
    static const char *const names[] = {"arrow:4500", "powerlaw:10:8", "laplace2d:50"};
    struct sp_csr a;
    struct sp_error err;
    if (sp_generate(names[_i], NULL, &a, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    check_matrix(the_executor(), &a);
    sp_csr_free(&a);
}
END_TEST

/* Rows that many shares cut, beside short and empty ones. */
START_TEST(shares_ask_as_modelled)
{
    static const char *const names[] = {"arrow:4400", "powerlaw:9:8", "random:900:1"};
    static const int32_t widths[] = {1, 7, 16, 40, 70, 264};
    static const enum sp_precision precisions[] = {SP_F64, SP_F32, SP_F16, SP_BF16};
    struct sp_csr a;
    struct sp_error err;
    if (sp_generate(names[_i], NULL, &a, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    for (int i = 0; i < 6; i++)
        for (int p = i % 2; p < 4; p += 2) {
            struct sp_workload w = {.op = SP_OP_SPMM,
                                    .r = widths[i],
                                    .precision = precisions[p],
                                    .index = SP_I32,
                                    .n_threads = 1,
                                    .matrix = &a};
            struct sp_layout l;
            struct sp_dense_arrays arrays;
            ck_assert_int_eq(sp_workload_set_format(&w, "crs", NULL), SP_OK);
            ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
            ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
            check_launch(the_executor(), &l, &arrays, SP_GPU_SHARE, 0);
            sp_dense_free(&arrays);
            sp_layout_free(&l);
        }
    sp_csr_free(&a);
}
END_TEST

int main(int argc, char **argv)
{
    share_take(argc, argv, 11, 11);
    Suite *suite = suite_create("gpu_requests");
    TCase *tcase = tcase_create("gpu_requests");
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, dense_operands_are_asked_for_as_modelled, 0, N_SMALL_MATRICES);
    tcase_add_loop_test(tcase, matrix_units_ask_as_modelled, 0, N_SMALL_MATRICES);
    if (!share_is_rest()) {
        tcase_add_loop_test(tcase, small_matrices_ask_as_modelled, 0, N_SMALL_MATRICES);
        tcase_add_loop_test(tcase, several_blocks_ask_as_modelled, 0, 3);
        tcase_add_loop_test(tcase, shares_ask_as_modelled, 0, 3);
    }
    return run_suite(suite);
}
