/* Caches of a GPU in the model against plain ones: L1s against lists of lines, the reuse of x in the order of
 * waves against an LRU that is searched touch by touch. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "hand_layout.h"
#include "model/gpu/coalesce.h"
#include "model/gpu/gpu_caches.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"
#include "sparse/product/workload.h"

/* Touches of x in the order of waves, one by one. */
struct touches {
    int64_t *sector, n;
    double *streamed, all;
};

static void list_touches(const struct sp_gpu_grid *g, int64_t n_slots, double of_entry, struct touches *t)
{
    const int warps = (int)sp_gpu_block_warps(&g->launch);
    struct sp_gpu_cursor *c = calloc((size_t)(n_slots * warps), sizeof *c);
    bool *runs = calloc((size_t)(n_slots * warps), sizeof *runs);
    int64_t next = 0, room = g->n_items[SP_GPU_COL] + 1;
    bool any = true;
    *t = (struct touches){.sector = calloc((size_t)room, sizeof *t->sector),
                          .streamed = calloc((size_t)room, sizeof *t->streamed)};
    while (any || next < g->launch.n_blocks) {
        any = false;
        for (int64_t slot = 0; slot < n_slots; slot++) {
            bool alive = false;
            for (int w = 0; w < warps; w++)
                alive |= runs[slot * warps + w];
            for (int w = 0; w < warps && !alive && next < g->launch.n_blocks; w++) {
                sp_gpu_cursor_open(g, next, w, &c[slot * warps + w]);
                runs[slot * warps + w] = true;
            }
            next += !alive;
            for (int w = 0; w < warps; w++) {
                struct sp_gpu_request r;
                bool *run = &runs[slot * warps + w];
                while (*run && (*run = sp_gpu_cursor_next(&c[slot * warps + w], &r)) && r.array != SP_GPU_X)
                    ;
                for (int lane = 0; *run && lane < 32; lane++)
                    if (r.active >> lane & 1) {
                        t->sector[t->n] = (r.item[lane] << g->item_shift[SP_GPU_X]) / 32;
                        t->streamed[t->n++] = t->all;
                    }
                if (*run)
                    t->all += of_entry * __builtin_popcount(r.active);
                any |= *run;
            }
        }
    }
    free(c);
    free(runs);
}

/* Misses of an LRU that holds `sectors`, in the execution after n_before others. */
static int64_t plain_misses(const struct touches *t, int n_before, int64_t sectors)
{
    int64_t misses = 0;
    for (int64_t i = 0; i < t->n; i++) {
        int64_t since = 0, at = n_before * t->n + i, k = at - 1;
        char *seen = calloc(4096, 1);
        for (; k >= 0 && t->sector[k % t->n] != t->sector[i]; k--) {
            since += !seen[t->sector[k % t->n]];
            seen[t->sector[k % t->n]] = 1;
        }
        double passed = (double)(at / t->n) * t->all + t->streamed[i];
        misses += k < 0 ||
                  since + (int64_t)(passed - (double)(k / t->n) * t->all - t->streamed[k % t->n]) >= sectors;
        free(seen);
    }
    return misses;
}

START_TEST(waves_equal_a_plain_lru)
{
    struct sp_csr a;
    struct sp_layout l;
    struct sp_gpu_launch g;
    struct sp_gpu_grid grid;
    const struct hand_shape shape = {900, 1100, 4, 0.1, -1, 0, 11};
    hand_matrix(&shape, &a);
    hand_layout(&a, SP_FORMAT_SELL, 32, 64, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 1, &l);
    ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_CHUNK, 0, &g, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_grid_make(&l, &g, &grid, NULL), SP_OK);
    struct sp_gpu_wave wave;
    const struct sp_gpu_wave_options o = {
        .n_blocks = 2, .n_gathers = l.n_stored, .together_B = 256, .seed = 1};
    ck_assert_int_eq(sp_gpu_wave_follow(&grid, &o, &wave, NULL), SP_OK);
    struct touches t;
    list_touches(&grid, 2, (double)wave.stream_B / 32 / (double)l.n_stored, &t);
    ck_assert_int_eq(plain_misses(&t, 0, INT64_MAX), wave.n_sectors);
    for (int b = 1; b < 100; b += 7) {
        int64_t sectors = sp_stack_capacity(b), misses[2];
        for (int warm = 0; warm < 2; warm++) {
            misses[warm] = plain_misses(&t, warm, sectors);
            double bytes = sp_gpu_wave_x_bytes(&wave, sectors * 32, 32, warm);
            ck_assert_double_eq_tol(bytes, 32.0 * (double)misses[warm], 32.5); /* streams are rounded */
            ck_assert_double_ge(sp_gpu_wave_x_bytes(&wave, sectors * 32, 64, warm), bytes * 0.9);
        }
    }
    free(t.sector);
    free(t.streamed);
    sp_gpu_grid_free(&grid);
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* An L1 as a list of lines, the latest first. */
struct plain_cache {
    int64_t line[4096];
    int sectors[4096], n, capacity;
};

static bool plain_miss(struct plain_cache *c, int64_t line, int sector)
{
    int i = 0, held;
    while (i < c->n && c->line[i] != line)
        i++;
    held = i < c->n ? c->sectors[i] : 0;
    if (i == c->n && c->n == c->capacity)
        i--;
    else if (i == c->n)
        c->n++;
    memmove(c->line + 1, c->line, (size_t)i * sizeof *c->line);
    memmove(c->sectors + 1, c->sectors, (size_t)i * sizeof *c->sectors);
    c->line[0] = line;
    c->sectors[0] = held | 1 << sector;
    return !(held >> sector & 1);
}

/* One SM: blocks sm, sm + n_sm, ..., n_slots at a time, a request of each warp in turn. */
static void plain_sm(const struct sp_gpu_grid *g, int sm, int n_sm, int n_slots, int capacity, double *missed,
                     double *loaded)
{
    const int warps = (int)sp_gpu_block_warps(&g->launch);
    struct plain_cache *cache = calloc(1, sizeof *cache);
    struct sp_gpu_cursor *c = calloc((size_t)(n_slots * warps), sizeof *c);
    bool *runs = calloc((size_t)(n_slots * warps), sizeof *runs);
    cache->capacity = capacity;
    int64_t next = sm;
    for (bool any = true; any || next < g->launch.n_blocks;) {
        any = false;
        for (int slot = 0; slot < n_slots; slot++) {
            bool alive = false;
            for (int w = 0; w < warps; w++)
                alive |= runs[slot * warps + w];
            for (int w = 0; w < warps && !alive && next < g->launch.n_blocks; w++) {
                sp_gpu_cursor_open(g, next, w, &c[slot * warps + w]);
                runs[slot * warps + w] = true;
            }
            next += alive ? 0 : n_sm;
            for (int w = 0; w < warps; w++) {
                struct sp_gpu_request r;
                int64_t sector[32];
                uint32_t used[32];
                bool *run = &runs[slot * warps + w];
                *run = *run && sp_gpu_cursor_next(&c[slot * warps + w], &r);
                any |= *run;
                if (!*run || r.access != SP_GPU_LOAD)
                    continue;
                int n = sp_gpu_request_sectors(g, &r, sector, used);
                loaded[r.array] += n;
                for (int i = 0; i < n; i++)
                    missed[r.array] +=
                        plain_miss(cache, ((int64_t)r.array << 40) + sector[i] / 4, (int)(sector[i] % 4));
            }
        }
    }
    free(cache);
    free(c);
    free(runs);
}

START_TEST(l1s_equal_a_plain_list)
{
    enum { N_SM = 3, SLOTS = 2 };
    static const int capacity[SP_N_GPU_L1_SIZES] = {60, 30, 4096};
    struct sp_csr a;
    struct sp_layout l;
    struct sp_gpu_launch g;
    struct sp_gpu_grid grid;
    struct sp_coalescing sum;
    struct sp_gpu_l1 l1;
    const struct hand_shape shape = {2500, 900, 6, 0.1, -1, 0, 12};
    hand_matrix(&shape, &a);
    hand_layout(&a, SP_FORMAT_CRS, 0, 0, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 1, &l);
    ck_assert_int_eq(sp_gpu_launch_make(&l, _i ? SP_GPU_LANES : SP_GPU_THREAD, 0, &g, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_grid_make(&l, &g, &grid, NULL), SP_OK);
    ck_assert_int_eq(sp_coalesce(&grid, NULL, &sum, NULL), SP_OK);
    const struct sp_gpu_l1_options o = {.n_sm = N_SM, .n_resident = SLOTS, .L1_B = 60 * 128, .line_B = 128};
    ck_assert_int_eq(sp_gpu_l1_simulate(&grid, &sum, &o, &l1, NULL), SP_OK);
    ck_assert_int_eq(l1.n_sms, N_SM);
    for (int k = 0; k < SP_N_GPU_L1_SIZES; k++) {
        double missed[SP_N_GPU_ARRAYS] = {0}, loaded[SP_N_GPU_ARRAYS] = {0};
        for (int sm = 0; sm < N_SM; sm++)
            plain_sm(&grid, sm, N_SM, SLOTS, capacity[k], missed, loaded);
        for (int array = 0; array < SP_N_GPU_ARRAYS; array++)
            if (loaded[array] > 0)
                ck_assert_double_eq_tol(l1.missed[array][k], missed[array] / loaded[array], 1e-12);
    }
    sp_gpu_grid_free(&grid);
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Whole runs of columns, and requests for x alone: what is reckoned is what a walk through all requests finds,
 * sectors, waves and all. */
static void compare_with_walk(const struct sp_workload *w, enum sp_gpu_map map, bool wide, int of_8B,
                              int of_16B)
{
    struct sp_layout l;
    struct sp_gpu_launch g;
    struct sp_gpu_grid grid;
    struct sp_coalescing sum[2];
    struct sp_gpu_wave wave[2];
    ck_assert_int_eq(sp_layout_make(w, true, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_launch_make(&l, map, 0, &g, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_grid_make(&l, &g, &grid, NULL), SP_OK);
    ck_assert_msg((sp_gpu_is_wide(&grid) || sp_gpu_has_wide_tiles(&grid)) == wide,
                  "%s, width %d: is it walked through?", sp_gpu_map_name(map), (int)w->r);
    grid.lanes_of_8B = of_8B;
    grid.lanes_of_16B = of_16B;
    for (int i = 0; i < 2; i++) {
        grid.walks_all = i == 1;
        ck_assert_int_eq(sp_coalesce(&grid, NULL, &sum[i], NULL), SP_OK);
        const struct sp_gpu_wave_options o = {
            .n_blocks = 7, .n_gathers = sp_coalesced_gathers(&sum[i]), .together_B = 4096, .seed = 1};
        ck_assert_int_eq(sp_gpu_wave_follow(&grid, &o, &wave[i], NULL), SP_OK);
    }
    ck_assert_msg(memcmp(&sum[0], &sum[1], sizeof *sum) == 0, "%s, width %d: other sectors",
                  sp_gpu_map_name(map), (int)w->r);
    ck_assert_msg(memcmp(&wave[0], &wave[1], sizeof *wave) == 0, "%s, width %d: other waves",
                  sp_gpu_map_name(map), (int)w->r);
    sp_gpu_grid_free(&grid);
    sp_layout_free(&l);
}

START_TEST(runs_of_columns_equal_a_walk)
{
    static const struct {
        enum sp_precision precision;
        int32_t r;
        enum sp_gpu_map map;
        bool wide;
    } cases[] = {{SP_F64, 128, SP_GPU_ROW, true},    {SP_F64, 64, SP_GPU_ROW, true},
                 {SP_F64, 96, SP_GPU_OUTPUT, true},  {SP_F32, 128, SP_GPU_ROW, true},
                 {SP_F32, 32, SP_GPU_OUTPUT, true},  {SP_F16, 256, SP_GPU_ROW, true},
                 {SP_F16, 512, SP_GPU_ROW, true},    {SP_F64, 64, SP_GPU_SHARE, true},
                 {SP_F64, 256, SP_GPU_SHARE, true},  {SP_F32, 128, SP_GPU_SHARE, true},
                 {SP_F16, 256, SP_GPU_SHARE, true},  {SP_BF16, 512, SP_GPU_SHARE, true},
                 {SP_F16, 64, SP_GPU_SHARE, false},  {SP_F16, 32, SP_GPU_OUTPUT, true},
                 {SP_F64, 64, SP_GPU_SAMPLE, true},  {SP_F64, 192, SP_GPU_SAMPLE, true},
                 {SP_F32, 128, SP_GPU_SAMPLE, true}, {SP_F16, 512, SP_GPU_SAMPLE, true},
                 {SP_F64, 32, SP_GPU_SAMPLE, true},  {SP_F32, 64, SP_GPU_SAMPLE, true},
                 {SP_F32, 32, SP_GPU_SAMPLE, true},  {SP_F32, 16, SP_GPU_SAMPLE, true},
                 {SP_F64, 8, SP_GPU_SAMPLE, true},   {SP_F16, 64, SP_GPU_SAMPLE, true},
                 {SP_F32, 8, SP_GPU_SAMPLE, false},  {SP_F64, 20, SP_GPU_SAMPLE, false},
                 {SP_F32, 40, SP_GPU_SAMPLE, false}, {SP_F64, 96, SP_GPU_SAMPLE, false},
                 {SP_F64, 64, SP_GPU_FUSED, true},   {SP_F64, 128, SP_GPU_FUSED, true},
                 {SP_F32, 256, SP_GPU_FUSED, true},  {SP_F64, 32, SP_GPU_FUSED, true},
                 {SP_F64, 256, SP_GPU_FUSED, false}, {SP_F32, 64, SP_GPU_FUSED, true},
                 {SP_F32, 32, SP_GPU_FUSED, true},   {SP_F32, 16, SP_GPU_FUSED, true},
                 {SP_F64, 8, SP_GPU_FUSED, true},    {SP_F32, 8, SP_GPU_FUSED, false},
                 {SP_F64, 20, SP_GPU_FUSED, false},  {SP_F64, 64, SP_GPU_TILE, true},
                 {SP_F32, 64, SP_GPU_TILE, true},    {SP_F64, 32, SP_GPU_TILE, true},
                 {SP_F32, 16, SP_GPU_TILE, true},    {SP_F64, 8, SP_GPU_TILE, true},
                 {SP_F32, 20, SP_GPU_TILE, false},   {SP_F32, 48, SP_GPU_TILE, false},
                 {SP_F64, 64, SP_GPU_EQUAL, false},  {SP_F64, 20, SP_GPU_EQUAL, false}};
    static const struct hand_shape shapes[] = {{300, 250, 5, 0.3, 4, 0, 21},
                                               {900, 1700, 9, 0.1, -1, 40, 22},
                                               {300, 12, 9, 0, -1, 0, 23}}; /* the last one: long columns */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 3; k++) {
            struct sp_csr a;
            hand_matrix(&shapes[k], &a);
            struct sp_workload w = {.op = sp_gpu_map_op(cases[i].map),
                                    .r = cases[i].r,
                                    .precision = cases[i].precision,
                                    .n_threads = 1,
                                    .matrix = &a};
            ck_assert_int_eq(
                sp_workload_set_format(&w, sp_format_name(sp_gpu_map_format(cases[i].map)), NULL), SP_OK);
            compare_with_walk(&w, cases[i].map, cases[i].wide, k > 0 ? 16 : 0, k > 0 ? 8 : 0);
            if (k > 0)
                compare_with_walk(&w, cases[i].map, cases[i].wide, k == 1 ? 8 : 32, 16);
            sp_csr_free(&a);
        }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("gpu_caches");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, l1s_equal_a_plain_list, 0, 2);
    tcase_add_test(tc, waves_equal_a_plain_lru);
    tcase_add_test(tc, runs_of_columns_equal_a_walk);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
