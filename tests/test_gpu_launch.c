/* How launches of operations with dense operands share out rows, widths and shared memory, and what they
 * refuse. That kernels follow them is for tests/gpu. */
#include <check.h>
#include <stdlib.h>

#include "run_suite.h"
#include "sparse/generate/generate.h"
#include "sparse/launch/gpu_launch.h"

static const struct {
    enum sp_gpu_map map;
    const char *format;
} dense_maps[] = {
    {SP_GPU_GROUP, "crs"},      {SP_GPU_SLOT, "sell:32,64"},    {SP_GPU_OUTPUT, "crs"},
    {SP_GPU_ROW, "crs"},        {SP_GPU_STAGE, "staged:16,64"}, {SP_GPU_STAGE, "staged:8,7"},
    {SP_GPU_SAMPLE, "crs"},     {SP_GPU_EQUAL, "coo"},          {SP_GPU_TILE, "tiled:64,32"},
    {SP_GPU_TILE, "tiled:5,7"}, {SP_GPU_FUSED, "crs"},          {SP_GPU_SHARE, "crs"},
};
enum { N_DENSE_MAPS = sizeof dense_maps / sizeof *dense_maps };

static struct sp_csr matrix(const char *name)
{
    struct sp_csr a;
    struct sp_error err;
    if (sp_generate(name, NULL, &a, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    return a;
}

static struct sp_layout layout(const struct sp_csr *a, enum sp_op op, const char *format, int32_t r,
                               enum sp_precision precision)
{
    struct sp_workload w = {.op = op, .r = r, .precision = precision, .n_threads = 1, .matrix = a};
    struct sp_layout l;
    ck_assert_int_eq(sp_workload_set_format(&w, format, NULL), SP_OK);
    ck_assert_int_eq(sp_workload_check(&w, NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
    return l;
}

static bool is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* What every GPU since compute capability 8.0 has, and warps enough on a core to hide waiting. */
static void check_limits(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    enum { CORE_REGISTERS = 65536, LEAST_WARPS = 16 };
    ck_assert(g->block_threads % SP_WARP == 0 && g->block_threads <= SP_GPU_DENSE_THREADS);
    ck_assert_int_ge(CORE_REGISTERS / (g->registers * SP_WARP), LEAST_WARPS);
    ck_assert(g->shared_B <= SP_GPU_SHARED_MOST_B);
    if (g->map == SP_GPU_GROUP || g->map == SP_GPU_ROW)
        ck_assert_int_eq(g->registers, g->vectors == 1 ? 56 : 80);
    ck_assert(is_power_of_two(g->column_lanes) && g->column_lanes <= SP_WARP);
    ck_assert(is_power_of_two(g->lanes) && g->lanes <= SP_WARP);
    ck_assert((size_t)g->vector * l->s_x <= 16 && l->r % g->vector == 0 && g->tile % g->vector == 0);
}

/* Threads that the grid has for the work. */
static void check_cover(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    const int64_t threads = g->n_blocks / g->n_tiles * g->block_threads;
    switch (g->map) {
    case SP_GPU_OUTPUT:
        ck_assert(threads >= l->n_r * l->r && threads - g->block_threads < l->n_r * l->r);
        break;
    case SP_GPU_SLOT:
        ck_assert_int_ge(threads, l->n_chunks * l->C * g->column_lanes);
        break;
    case SP_GPU_SHARE:
        ck_assert_int_ge(threads / g->column_lanes * g->items, l->n_r + l->n_nz);
        break;
    case SP_GPU_STAGE:
        ck_assert_int_eq(g->n_blocks, l->n_blocks * g->n_tiles);
        ck_assert_int_ge((int64_t)g->shared_B, l->most_listed * g->tile * (int64_t)l->s_x);
        break;
    case SP_GPU_TILE:
        ck_assert_int_eq(g->n_blocks, l->n_chunks * g->n_parts);
        ck_assert_int_ge((int64_t)g->shared_B, (int64_t)l->T_i * g->tile * (int64_t)l->s_x);
        return; /* its blocks have all tiles */
    case SP_GPU_EQUAL:
        ck_assert_int_ge(threads, l->n_nz);
        break;
    default:
        ck_assert(threads >= l->n_r * g->lanes && threads - g->block_threads < l->n_r * g->lanes);
        ck_assert_int_eq(g->lanes % g->column_lanes, 0);
    }
    ck_assert((int64_t)g->tile * g->n_tiles >= l->r && (int64_t)g->tile * (g->n_tiles - 1) < l->r);
}

START_TEST(launches_cover_the_work)
{
    static const char *const names[] = {"random:500:7", "arrow:300", "laplace2d:20"};
    static const int32_t widths[] = {1, 2, 3, 8, 16, 31, 32, 33, 64, 65, 100, 128, 129, 256, 1000, 65536};
    struct sp_csr a = matrix(names[_i]);
    for (int m = 0; m < N_DENSE_MAPS; m++)
        for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
            for (int precision = 0; precision < SP_N_PRECISIONS; precision++) {
                const enum sp_gpu_map map = dense_maps[m].map;
                if (precision > SP_F32 && (precision != SP_F16 || map != SP_GPU_SHARE))
                    continue;
                struct sp_layout l =
                    layout(&a, sp_gpu_map_op(map), dense_maps[m].format, widths[k], precision);
                struct sp_gpu_launch g;
                struct sp_error err;
                if (sp_gpu_launch_make(&l, map, 0, &g, &err) != SP_OK)
                    ck_abort_msg("%s, r = %d: %s", sp_gpu_map_name(map), (int)widths[k], err.what);
                check_limits(&l, &g);
                check_cover(&l, &g);
                sp_layout_free(&l);
            }
    sp_csr_free(&a);
}
END_TEST

/* 8 entries a row. */
START_TEST(teams_have_the_columns)
{
    static const struct {
        int32_t r;
        enum sp_precision precision;
        int vector, column_lanes, lanes, vectors, n_tiles;
    } expected[] = {
        {1, SP_F64, 1, 1, 4, 1, 1},    {2, SP_F64, 2, 1, 4, 1, 1},     {3, SP_F64, 1, 4, 16, 1, 1},
        {4, SP_F32, 4, 1, 4, 1, 1},    {16, SP_F64, 2, 8, 32, 1, 1},   {64, SP_F64, 2, 32, 32, 1, 1},
        {65, SP_F64, 1, 32, 32, 2, 2}, {128, SP_F64, 2, 32, 32, 2, 1}, {256, SP_F32, 4, 32, 32, 2, 1},
    };
    struct sp_csr a = matrix("random:512:8");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct sp_layout l = layout(&a, SP_OP_SPMM, "crs", expected[i].r, expected[i].precision);
        struct sp_gpu_launch g;
        ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_ROW, 0, &g, NULL), SP_OK);
        ck_assert_int_eq(g.vector, expected[i].vector);
        ck_assert_int_eq(g.column_lanes, expected[i].column_lanes);
        ck_assert_int_eq(g.lanes, expected[i].lanes);
        ck_assert_int_eq(g.vectors, expected[i].vectors);
        ck_assert_int_eq(g.n_tiles, expected[i].n_tiles);
        ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_ROW, 1, &g, NULL), SP_OK);
        ck_assert_int_eq(g.lanes, g.column_lanes);
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

/* Rows of a block of the grid by 8, threads, tiles and shared memory. */
START_TEST(matrix_units_have_stages)
{
    static const struct {
        const char *format;
        int32_t r;
        enum sp_precision precision;
        int row_units, parts, block_threads, n_tiles, vector, stage_B;
    } expected[] = {
        {"bcsr:8x8", 8, SP_F16, 1, 1, 32, 1, 8, 32 * (24 + 8) * 2},
        {"bcsr:16x16", 64, SP_F16, 2, 1, 128, 1, 8, 32 * (72 + 24) * 2},
        {"bcsr:24x3", 128, SP_BF16, 1, 3, 256, 1, 8, 32 * (136 + 8) * 2},
        {"bcsr:64x64", 130, SP_F32, 4, 2, 160, 2, 1, 16 * (88 + 40) * 4},
        {"bcsr:32x1", 16, SP_F64, 4, 1, 32, 1, 2, 8 * (20 + 36) * 8},
    };
    struct sp_csr a = matrix("random:600:9");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct sp_layout l = layout(&a, SP_OP_SPMM, expected[i].format, expected[i].r, expected[i].precision);
        struct sp_gpu_launch g;
        ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_MMA, 0, &g, NULL), SP_OK);
        ck_assert_int_eq(sp_gpu_mma_row_units(&l), expected[i].row_units);
        ck_assert_int_eq(g.block_threads, expected[i].block_threads);
        ck_assert_int_eq(g.n_tiles, expected[i].n_tiles);
        ck_assert_int_eq(g.vector, expected[i].vector);
        const int64_t places_B =
            SP_GPU_MMA_STAGES * SP_GPU_MMA_PLACE_B * (int64_t)(SP_GPU_MMA_STAGE_B / l.s_x);
        ck_assert_int_eq((int64_t)g.shared_B, SP_GPU_MMA_STAGES * expected[i].stage_B + places_B);
        ck_assert_int_eq(g.n_blocks, (l.n_ptr - 1) * expected[i].parts * g.n_tiles);
        const bool may_switch = l.precision == SP_F16;
        ck_assert_int_eq(sp_gpu_launch_switch(&l, 0, &g, NULL), may_switch ? SP_OK : SP_ABSENT);
        if (may_switch)
            ck_assert(g.n_blocks == (l.n_ptr - 1) * expected[i].parts &&
                      (int64_t)g.shared_B == expected[i].stage_B + places_B);
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

static void check_refused(const struct sp_layout *l, enum sp_gpu_map map)
{
    struct sp_gpu_launch g;
    struct sp_error err;
    ck_assert_int_eq(sp_gpu_launch_make(l, map, 0, &g, &err), SP_ABSENT);
    ck_assert(err.what[0] && err.remedy[0] && g.n_blocks == 0);
}

START_TEST(what_does_not_fit_is_refused)
{
    struct sp_csr a = matrix("random:3000:9"), arrow = matrix("arrow:20000");
    struct sp_layout l = layout(&a, SP_OP_SPMM, "crs", 32, SP_F64);
    check_refused(&l, SP_GPU_THREAD);
    check_refused(&l, SP_GPU_STAGE);
    check_refused(&l, SP_GPU_FUSED);
    l.n_r = INT64_C(1) << 40;
    check_refused(&l, SP_GPU_OUTPUT);
    check_refused(&l, SP_GPU_ROW);
    sp_layout_free(&l);
    l = layout(&a, SP_OP_SPMMV, "crs", 4, SP_F64);
    l.order = SP_COLUMN_MAJOR;
    check_refused(&l, SP_GPU_GROUP);
    sp_layout_free(&l);
    l = layout(&a, SP_OP_SDDMM, "tiled:1000,64", 64, SP_F64);
    check_refused(&l, SP_GPU_TILE);
    sp_layout_free(&l);
    l = layout(&a, SP_OP_SPMM, "bcsr:4x4", 64, SP_F64);
    check_refused(&l, SP_GPU_MMA);
    l.b_h = 8;
    l.n_c = INT32_MAX;
    check_refused(&l, SP_GPU_MMA);
    sp_layout_free(&l);
    l = layout(&arrow, SP_OP_SPMM, "staged:16,64", 64, SP_F64);
    check_refused(&l, SP_GPU_STAGE);
    sp_layout_free(&l);
    sp_csr_free(&a);
    sp_csr_free(&arrow);
}
END_TEST

START_TEST(chunks_start_one_after_the_other)
{
    struct sp_csr a = matrix("random:300:9");
    struct sp_layout l = layout(&a, SP_OP_SPMM, "staged:16,64", 64, SP_F64);
    int64_t *start = calloc((size_t)l.n_chunks, sizeof *start), at = 0;
    sp_gpu_chunk_starts(&l, start);
    for (int64_t k = 0; k < l.n_chunks; k++) {
        ck_assert_int_eq(start[k], at);
        at += l.len[k] * l.C;
    }
    ck_assert_int_eq(at, l.n_stored);
    free(start);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gpu_launch");
    TCase *tcase = tcase_create("gpu_launch");
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, launches_cover_the_work, 0, 3);
    tcase_add_test(tcase, teams_have_the_columns);
    tcase_add_test(tcase, matrix_units_have_stages);
    tcase_add_test(tcase, what_does_not_fit_is_refused);
    tcase_add_test(tcase, chunks_start_one_after_the_other);
    return run_suite(suite);
}
