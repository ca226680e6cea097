/* Requests of a GPU launch against a plain execution thread by thread; what follows from them against hand
 * counts, brute force, and published or prototyped figures. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hand_layout.h"
#include "io/machine_file.h"
#include "model/gpu_l1.h"
#include "model/gpu_predict.h"
#include "model/gpu_wave.h"
#include "model/volume_spmv.h"
#include "sparse/generate.h"

/* What one thread asks for, with a key: equal keys of a warp are one request, in the order of the keys. */
struct access {
    int64_t warp, key, item;
    int array, kind, lane;
};
struct accesses {
    struct access *a;
    int64_t n, room;
};

static void add(struct accesses *s, int64_t warp, int lane, int64_t key, int array, int kind, int64_t item)
{
    if (s->n == s->room) {
        s->room = 2 * s->room + 1024;
        s->a = realloc(s->a, (size_t)s->room * sizeof *s->a);
    }
    s->a[s->n++] = (struct access){warp, key, item, array, kind, lane};
}

static const int64_t PHASE = INT64_C(1) << 40;

static void add_entry(struct accesses *s, const struct sp_layout *l, int64_t warp, int lane, int64_t key,
                      int64_t entry)
{
    add(s, warp, lane, key, SP_GPU_COL, SP_GPU_LOAD, entry);
    add(s, warp, lane, key + 1, SP_GPU_VAL, SP_GPU_LOAD, entry);
    add(s, warp, lane, key + 2, SP_GPU_X, SP_GPU_LOAD, sp_layout_col(l, entry));
}

static void row_thread(struct accesses *s, const struct sp_layout *l, const struct sp_gpu_launch *g,
                       int64_t T)
{
    int64_t row = T / g->lanes, warp = T / 32;
    int lane = (int)(T % 32), mine = (int)(T % g->lanes);
    if (row >= l->n_r)
        return;
    add(s, warp, lane, 0, SP_GPU_PTR, SP_GPU_LOAD, row);
    add(s, warp, lane, 1, SP_GPU_PTR, SP_GPU_LOAD, row + 1);
    int64_t step = 0;
    for (int64_t j = sp_layout_ptr(l, row) + mine; j < sp_layout_ptr(l, row + 1); j += g->lanes)
        add_entry(s, l, warp, lane, PHASE + 3 * step++, j);
    if (mine == 0)
        add(s, warp, lane, 2 * PHASE, SP_GPU_Y, SP_GPU_STORE, row);
}

static void chunk_thread(struct accesses *s, const struct sp_layout *l, int64_t T)
{
    int64_t chunk = T / l->C, warp = T / 32;
    int lane = (int)(T % 32);
    if (chunk >= l->n_chunks)
        return;
    add(s, warp, lane, 0, SP_GPU_PTR, SP_GPU_LOAD, chunk);
    add(s, warp, lane, 1, SP_GPU_LEN, SP_GPU_LOAD, chunk);
    for (int64_t j = 0; j < l->len[chunk]; j++)
        add_entry(s, l, warp, lane, PHASE + 3 * j, sp_layout_ptr(l, chunk) + j * l->C + T % l->C);
    if (l->perm)
        add(s, warp, lane, 2 * PHASE, SP_GPU_PERM, SP_GPU_LOAD, T);
    int64_t row = l->perm ? l->perm[T] : T;
    if (row >= 0 && row < l->n_r)
        add(s, warp, lane, 3 * PHASE, SP_GPU_Y, SP_GPU_STORE, row);
}

/* The merged path, item by item: the row that ends there, or -1 for an entry; and the ends before it. */
struct path {
    int64_t *row, *ends_before;
};

static struct path path_of(const struct sp_layout *l)
{
    int64_t all = l->n_r + l->n_nz, n = 0;
    struct path p = {malloc((size_t)(all + 1) * sizeof *p.row), malloc((size_t)(all + 1) * sizeof *p.row)};
    for (int64_t row = 0; row < l->n_r; row++) {
        for (int64_t j = sp_layout_ptr(l, row); j < sp_layout_ptr(l, row + 1); j++)
            p.row[n++] = -1;
        p.row[n++] = row;
    }
    p.ends_before[0] = 0;
    for (int64_t i = 0; i < all; i++)
        p.ends_before[i + 1] = p.ends_before[i] + (p.row[i] >= 0);
    return p;
}

static void merge_thread(struct accesses *s, const struct sp_layout *l, const struct sp_gpu_launch *g,
                         const struct path *path, int64_t b, int t)
{
    const int64_t all = l->n_r + l->n_nz, of_block = sp_gpu_block_items(g),
                  warp = (b * g->block_threads + t) / 32;
    const int64_t first = b * of_block, last = first + of_block < all ? first + of_block : all;
    const int64_t row0 = path->ends_before[first], row1 = path->ends_before[last];
    const int64_t entry0 = first - row0, entry1 = last - row1;
    int lane = t % 32;
    add(s, warp, lane, 0, SP_GPU_START, SP_GPU_LOAD, b);
    add(s, warp, lane, 1, SP_GPU_START, SP_GPU_LOAD, b + 1);
    for (int64_t i = t; row0 + i < row1; i += g->block_threads)
        add(s, warp, lane, PHASE + i / g->block_threads, SP_GPU_PTR, SP_GPU_LOAD, row0 + i + 1);
    for (int64_t k = 0, j = entry0 / 32 * 32 + t; j < entry1; j += g->block_threads, k++)
        if (j >= entry0)
            add_entry(s, l, warp, lane, 2 * PHASE + 3 * k, j);
    int64_t first_end = -1;
    for (int i = 0; i < g->items; i++) {
        int64_t item = first + (int64_t)t * g->items + i;
        if (item >= last || path->row[item] < 0)
            continue;
        if (first_end < 0)
            first_end = path->row[item];
        else
            add(s, warp, lane, 3 * PHASE + i, SP_GPU_Y, SP_GPU_STORE, path->row[item]);
    }
    if (first_end >= 0)
        add(s, warp, lane, 4 * PHASE, SP_GPU_Y, SP_GPU_STORE, first_end);
    if (t == g->block_threads - 1) {
        add(s, warp, lane, 5 * PHASE, SP_GPU_CARRY_ROW, SP_GPU_STORE, b);
        add(s, warp, lane, 6 * PHASE, SP_GPU_CARRY_VAL, SP_GPU_STORE, b);
    }
}

/* Warps of the second grid are numbered on. */
static void carry_thread(struct accesses *s, const struct sp_layout *l, const struct sp_gpu_launch *g,
                         const struct path *path, int64_t first_warp, int64_t T)
{
    const int64_t all = l->n_r + l->n_nz, of_block = sp_gpu_block_items(g), warp = first_warp + T / 32;
    int lane = (int)(T % 32);
    if (T >= g->n_blocks)
        return;
    int64_t end = (T + 1) * of_block < all ? (T + 1) * of_block : all, row = path->ends_before[end];
    int64_t next = (T + 2) * of_block < all ? (T + 2) * of_block : all;
    int64_t next_row = T + 1 < g->n_blocks ? path->ends_before[next] : l->n_r;
    add(s, warp, lane, 0, SP_GPU_CARRY_ROW, SP_GPU_LOAD, T);
    add(s, warp, lane, 1, SP_GPU_CARRY_VAL, SP_GPU_LOAD, T);
    if (row < l->n_r && (T % 256 == 255 || next_row != row))
        add(s, warp, lane, 2, SP_GPU_Y, SP_GPU_ATOMIC, row);
}

static int by_request(const void *a, const void *b)
{
    const struct access *x = a, *y = b;
    if (x->warp != y->warp)
        return x->warp < y->warp ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->lane - y->lane;
}

static void execute(const struct sp_layout *l, const struct sp_gpu_launch *g, struct accesses *s)
{
    memset(s, 0, sizeof *s);
    struct path path = {0};
    if (g->map == SP_GPU_MERGE)
        path = path_of(l);
    for (int64_t T = 0; T < g->n_blocks * g->block_threads; T++)
        if (g->map == SP_GPU_MERGE)
            merge_thread(s, l, g, &path, T / g->block_threads, (int)(T % g->block_threads));
        else if (g->map == SP_GPU_CHUNK)
            chunk_thread(s, l, T);
        else
            row_thread(s, l, g, T);
    for (int64_t T = 0; g->map == SP_GPU_MERGE && T < g->n_blocks; T++)
        carry_thread(s, l, g, &path, sp_gpu_warps(g), T);
    if (s->n > 0)
        qsort(s->a, (size_t)s->n, sizeof *s->a, by_request);
    free(path.row);
    free(path.ends_before);
}

static int64_t distinct(int64_t *value, int n)
{
    int64_t distinct = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < i && value[k] != value[i])
            k++;
        distinct += k == i;
    }
    return distinct;
}

/* One warp's requests against the next accesses; counts as plainly as can be. */
static void compare_warp(const struct sp_gpu_grid *grid, struct sp_gpu_cursor *c, const struct accesses *s,
                         int64_t *at, int64_t warp, struct sp_coalescing *sum)
{
    struct sp_gpu_request r;
    int64_t steps = 0;
    while (sp_gpu_cursor_next(c, &r)) {
        int64_t sector[32], item[32];
        int n = 0;
        bool same = *at < s->n && s->a[*at].warp == warp && r.active != 0;
        const struct access *first = &s->a[*at];
        for (int lane = 0; same && lane < 32; lane++) {
            if (!(r.active >> lane & 1))
                continue;
            const struct access *a = &s->a[(*at)++];
            same = a->key == first->key && a->warp == warp && a->lane == lane && a->array == (int)r.array &&
                   a->kind == (int)r.access && a->item == r.item[lane] &&
                   (!r.in_order || n == 0 || a->item >= item[n - 1]);
            item[n] = a->item;
            sector[n++] = (a->item << grid->item_shift[r.array]) / 32;
        }
        same = same && (*at == s->n || s->a[*at].warp != warp || s->a[*at].key != first->key);
        if (!same)
            ck_abort_msg("warp %d asks for something else at access %d", (int)warp, (int)*at);
        struct sp_gpu_sectors *of = &sum->of[r.array][r.access];
        of->requests++;
        of->lanes += n;
        of->items += distinct(item, n);
        of->sectors += distinct(sector, n);
        steps += r.array == SP_GPU_X;
    }
    if (steps > sum->most_steps)
        sum->most_steps = steps;
    if ((*at < s->n && s->a[*at].warp == warp) || sp_gpu_cursor_next(c, &r))
        ck_abort_msg("warp %d ends elsewhere", (int)warp);
}

static void compare(const struct sp_layout *l, enum sp_gpu_map map, int lanes)
{
    struct sp_gpu_launch g;
    struct sp_gpu_grid grid;
    struct sp_error err;
    ck_assert_msg(sp_gpu_launch_make(l, map, lanes, &g, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(sp_gpu_grid_make(l, &g, &grid, &err), SP_OK);
    struct accesses s;
    struct sp_gpu_cursor c;
    struct sp_coalescing plain = {0}, sum;
    int64_t at = 0;
    execute(l, &g, &s);
    for (int64_t warp = 0; warp < sp_gpu_warps(&g); warp++) {
        sp_gpu_cursor_open(&grid, warp / sp_gpu_block_warps(&g), (int)(warp % sp_gpu_block_warps(&g)), &c);
        compare_warp(&grid, &c, &s, &at, warp, &plain);
    }
    for (int64_t warp = 0; warp < sp_gpu_carry_blocks(&grid) * 8; warp++) {
        sp_gpu_cursor_open_carry(&grid, warp / 8, (int)(warp % 8), &c);
        compare_warp(&grid, &c, &s, &at, sp_gpu_warps(&g) + warp, &plain);
    }
    ck_assert_int_eq(at, s.n);
    ck_assert_int_eq(sp_coalesce(&grid, NULL, &sum, &err), SP_OK);
    ck_assert_mem_eq(&sum, &plain, sizeof sum);
    free(s.a);
    sp_gpu_grid_free(&grid);
}

static const struct hand_shape shapes[] = {
    {1, 1, 1, 0, -1, 0, 1},          {1, 700, 90, 0, 0, 0, 2},   {33, 40, 0, 1, -1, 0, 3},
    {257, 300, 3, 0.5, -1, 0, 4},    {700, 90, 5, 0.2, 3, 0, 5}, {1000, 1000, 9, 0.1, -1, 20, 6},
    {1023, 800, 30, 0.3, 511, 0, 7},
};

START_TEST(requests_are_those_of_a_plain_execution)
{
    struct sp_csr a;
    hand_matrix(&shapes[_i], &a);
    for (int precision = SP_F64; precision <= SP_F32; precision++)
        for (int index = 0; index < SP_N_INDICES; index++) {
            struct sp_layout l;
            hand_layout(&a, SP_FORMAT_CRS, 0, 0, precision, index, SP_SCHEDULE_NNZ, 1, &l);
            compare(&l, SP_GPU_THREAD, 0);
            compare(&l, SP_GPU_MERGE, 0);
            for (int lanes = 2; lanes <= 32; lanes *= 2)
                compare(&l, SP_GPU_LANES, lanes);
            hand_free(&l);
            for (int k = 0; k < 3; k++) {
                hand_layout(&a, SP_FORMAT_SELL, k == 2 ? 64 : 32, k == 0 ? 1 : 128, precision, index,
                            SP_SCHEDULE_NNZ, 1, &l);
                compare(&l, SP_GPU_CHUNK, 0);
                hand_free(&l);
            }
        }
    sp_csr_free(&a);
}
END_TEST

/* A diagonal of 64 rows, f64 with 32-bit indices: ptr 4 sectors and 5 (it begins one item later), col 4,
 * val 8, x 8, y 8 for each of two warps. */
START_TEST(sectors_of_a_diagonal)
{
    enum { N = 64 };
    struct sp_csr a;
    ck_assert_int_eq(sp_csr_alloc(N, N, N, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    for (int i = 0; i < N; i++) {
        a.col[i] = i;
        a.row_ptr[i + 1] = i + 1;
    }
    struct sp_layout l;
    struct sp_gpu_launch g;
    struct sp_gpu_grid grid;
    struct sp_coalescing sum;
    hand_layout(&a, SP_FORMAT_CRS, 0, 0, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 1, &l);
    ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_THREAD, 0, &g, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_grid_make(&l, &g, &grid, NULL), SP_OK);
    ck_assert_int_eq(sp_coalesce(&grid, NULL, &sum, NULL), SP_OK);
    ck_assert_int_eq(sum.of[SP_GPU_PTR][SP_GPU_LOAD].sectors, 2 * (4 + 5));
    ck_assert_int_eq(sum.of[SP_GPU_COL][SP_GPU_LOAD].sectors, 2 * 4);
    ck_assert_int_eq(sum.of[SP_GPU_VAL][SP_GPU_LOAD].sectors, 2 * 8);
    ck_assert_int_eq(sum.of[SP_GPU_X][SP_GPU_LOAD].sectors, 2 * 8);
    ck_assert_int_eq(sum.of[SP_GPU_Y][SP_GPU_STORE].sectors, 2 * 8);
    ck_assert_int_eq(sp_coalesced_sectors(&sum, SP_GPU_LOAD), 2 * 29);
    ck_assert_double_eq_tol(sp_coalesced_use(&grid, &sum), (128.0 + 128 + 128 + 256 + 256) / (29 * 32),
                            1e-12);
    sp_gpu_grid_free(&grid);
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Rows of 1, 2, 1, 2, ...: with a thread each, every other one idles in the second turn; in a chunk, fill
 * takes its place; by equal shares none idles. */
START_TEST(turns_that_have_an_entry)
{
    enum { N = 64 };
    static const struct {
        enum sp_gpu_map map;
        enum sp_format format;
        int lanes;
        double active;
    } cases[] = {{SP_GPU_THREAD, SP_FORMAT_CRS, 0, 0.75},
                 {SP_GPU_LANES, SP_FORMAT_CRS, 2, 0.75},
                 {SP_GPU_LANES, SP_FORMAT_CRS, 4, 0.375},
                 {SP_GPU_CHUNK, SP_FORMAT_SELL, 0, 0.75},
                 {SP_GPU_MERGE, SP_FORMAT_CRS, 0, 1}};
    struct sp_csr a;
    ck_assert_int_eq(sp_csr_alloc(N, N, N + N / 2, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    for (int i = 0; i < N; i++) {
        a.row_ptr[i + 1] = a.row_ptr[i] + 1 + i % 2;
        for (int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; k++)
            a.col[k] = (int)(k - a.row_ptr[i]);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_layout l;
        struct sp_gpu_launch g;
        struct sp_gpu_grid grid;
        struct sp_coalescing sum;
        hand_layout(&a, cases[i].format, 32, 1, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 1, &l);
        ck_assert_int_eq(sp_gpu_launch_make(&l, cases[i].map, cases[i].lanes, &g, NULL), SP_OK);
        ck_assert_int_eq(sp_gpu_grid_make(&l, &g, &grid, NULL), SP_OK);
        ck_assert_int_eq(sp_coalesce(&grid, NULL, &sum, NULL), SP_OK);
        ck_assert_double_eq_tol(sp_coalesced_active(&grid, &sum), cases[i].active, 1e-12);
        sp_gpu_grid_free(&grid);
        hand_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

static void read_machine(const char *name, struct sp_machine *m)
{
    char path[1024];
    struct sp_error err;
    snprintf(path, sizeof path, SP_TEST_DATA "/../../machines/%s.json", name);
    ck_assert_msg(sp_machine_file_read(path, m, NULL, 0, &err) == SP_OK, "%s", err.what);
}

START_TEST(blocks_that_fit_an_sm)
{
    struct sp_machine m;
    read_machine("h200-sxm-141gb", &m);
    ck_assert(sp_gpu_is_described(&m));
    struct sp_gpu_launch g = {.block_threads = 256, .registers = 32};
    struct sp_occupancy o = sp_occupancy_of(&m, &g);
    ck_assert_int_eq(o.blocks, 8);
    ck_assert_int_eq(o.warps, 64);
    ck_assert_str_eq(o.limit, "threads");
    ck_assert_int_eq(o.L1_B, 256 << 10);
    g.registers = 48; /* 42 warps by registers */
    ck_assert_int_eq(sp_occupancy_of(&m, &g).blocks, 5);
    g.shared_B = 56 << 10; /* and 1 KiB for each block: 4 in 228 KiB */
    o = sp_occupancy_of(&m, &g);
    ck_assert_int_eq(o.blocks, 4);
    ck_assert_str_eq(o.limit, "shared memory");
    ck_assert_int_eq(o.L1_B, (256 - 4 * 57) << 10);
    g = (struct sp_gpu_launch){.block_threads = 32, .registers = 32};
    ck_assert_str_eq(sp_occupancy_of(&m, &g).limit, "blocks");
    sp_machine_free(&m);
}
END_TEST

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

/* What an H200 does with a generated matrix. */
static void predict(const char *matrix, const char *format, enum sp_gpu_map map, int lanes, bool warm,
                    const struct sp_machine *m, struct sp_gpu_prediction *p, double *n_nz)
{
    struct sp_csr a;
    struct sp_error err;
    struct sp_layout l;
    struct sp_gpu_launch g;
    ck_assert_msg(sp_generate(matrix, NULL, &a, &err) == SP_OK, "%s", err.what);
    struct sp_workload w = {.matrix = &a, .n_threads = 1, .schedule = SP_SCHEDULE_NNZ};
    ck_assert_int_eq(sp_workload_set_format(&w, format, &err), SP_OK);
    ck_assert_msg(sp_layout_make(&w, false, NULL, &l, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(sp_gpu_launch_make(&l, map, lanes, &g, &err), SP_OK);
    ck_assert_msg(sp_gpu_predict(&l, &g, m, sp_workload_flops(&w), warm, NULL, p, &err) == SP_OK, "%s",
                  err.what);
    *n_nz = (double)a.n_nz;
    sp_layout_free(&l);
    sp_csr_free(&a);
}

static void near(double value, double wanted, double relative)
{
    ck_assert_double_eq_tol(value, wanted, relative * wanted);
}

START_TEST(figures_of_a_stencil)
{
    struct sp_machine m;
    struct sp_gpu_prediction p;
    const struct sp_gpu_traffic *t = &p.traffic;
    double n;
    read_machine("h200-sxm-141gb", &m);
    predict("hpcg:96", "sell:32,1", SP_GPU_CHUNK, 0, true, &m, &p, &n);
    near((t->L1_load_B.value + t->L1_store_B.value) / n, 21.8, 0.02);
    near(t->L2_load_B.value / n, 14.1, 0.025);
    near(t->memory_load_B.lo / n, 12.5, 0.01);
    near(t->memory_load_B.hi / n, 12.5, 0.02);
    ck_assert_double_eq(t->memory_store_B.value, 96 * 96 * 96 * 8);
    near(t->x_B.lo, t->x_once_B, 0.02); /* it has left the L2 when the next execution begins */
    ck_assert_str_eq(p.binding, "memory bandwidth");
    ck_assert(!sp_value_known(p.term[SP_GPU_TERM_LAUNCH].rate));
    predict("hpcg:96", "crs", SP_GPU_THREAD, 0, true, &m, &p, &n);
    near((t->L1_load_B.value + t->L1_store_B.value) / n, 73.5, 0.001);
    ck_assert(t->L2_load_B.lo < 0.5 * t->L2_load_B.value && t->L2_load_B.hi <= t->L1_load_B.value);
    sp_machine_free(&m);
}
END_TEST

START_TEST(figures_of_a_random_matrix)
{
    struct sp_machine m;
    struct sp_gpu_prediction p;
    const struct sp_gpu_traffic *t = &p.traffic;
    double n;
    read_machine("h200-sxm-141gb", &m);
    predict("random:4194304:8", "crs", SP_GPU_LANES, 32, true, &m, &p, &n);
    near((t->L1_load_B.value + t->L1_store_B.value) / n, 56.0, 1e-4);
    near(t->L2_load_B.value / n, 45, 0.01);
    near(t->memory_load_B.lo / n, 14.8, 0.07);
    near(t->memory_load_B.hi / n, 37, 0.06);
    sp_machine_free(&m);
}
END_TEST

/* A small x that is asked for until the end stays for the next execution. All fits: nothing moves. */
START_TEST(what_the_L2_keeps)
{
    struct sp_machine m;
    struct sp_gpu_prediction p;
    double n;
    read_machine("a100-sxm4-40gb", &m);
    predict("random:200000x100000:40", "crs", SP_GPU_LANES, 0, true, &m, &p, &n);
    ck_assert(p.traffic.memory_load_B.lo > 90e6 && p.traffic.x_B.hi < 0.02 * p.traffic.x_once_B);
    predict("laplace3d:40", "sell:32,1", SP_GPU_CHUNK, 0, true, &m, &p, &n);
    ck_assert(p.traffic.memory_load_B.hi == 0 && p.traffic.memory_store_B.hi == 0);
    ck_assert_str_eq(p.binding, "L2 bandwidth");
    predict("laplace3d:40", "sell:32,1", SP_GPU_CHUNK, 0, false, &m, &p, &n);
    ck_assert_double_eq(p.traffic.x_B.lo, 64000 * 8);
    m.gpu.launch_s = sp_value_of(1e-3, SP_STATED);
    predict("laplace3d:40", "sell:32,1", SP_GPU_CHUNK, 0, true, &m, &p, &n);
    ck_assert_str_eq(p.binding, "launch overhead");
    near(p.roofline.time_s.value, 1e-3, 1e-12);
    m.gpu.latency_s = sp_value_of(1, SP_STATED);
    predict("laplace3d:40", "sell:32,1", SP_GPU_CHUNK, 0, false, &m, &p, &n);
    ck_assert_str_eq(p.binding, "latency");
    m.gpu.latency_s = sp_value_of(4e-7, SP_STATED); /* a row of 3e5 entries by one thread, four at a time */
    predict("arrow:300000", "crs", SP_GPU_THREAD, 0, false, &m, &p, &n);
    ck_assert_str_eq(p.binding, "latency");
    near(p.roofline.time_s.value, 3e5 / 4 * 4e-7, 1e-3);
    sp_machine_free(&m);
}
END_TEST

/* An H200 and one operation with dense operands. */
static void predict_dense(const struct sp_csr *a, enum sp_gpu_map map, const char *format, int32_t r,
                          const struct sp_machine *m, struct sp_gpu_prediction *p, struct sp_layout *l)
{
    struct sp_error err;
    struct sp_gpu_launch g;
    struct sp_workload w = {.op = sp_gpu_map_op(map), .r = r, .matrix = a, .n_threads = 1};
    ck_assert_int_eq(sp_workload_set_format(&w, format, &err), SP_OK);
    ck_assert_msg(sp_layout_make(&w, false, NULL, l, &err) == SP_OK, "%s", err.what);
    ck_assert_msg(sp_gpu_launch_make(l, map, 0, &g, &err) == SP_OK, "%s", err.what);
    ck_assert_msg(sp_gpu_predict(l, &g, m, sp_workload_flops(&w), false, NULL, p, &err) == SP_OK, "%s",
                  err.what);
}

static const struct {
    enum sp_gpu_map map;
    const char *format;
    int32_t r;
} dense_cases[] = {{SP_GPU_GROUP, "crs", 8},   {SP_GPU_SLOT, "sell:32,256", 8},    {SP_GPU_OUTPUT, "crs", 32},
                   {SP_GPU_ROW, "crs", 32},    {SP_GPU_STAGE, "staged:16,32", 32}, {SP_GPU_SAMPLE, "crs", 32},
                   {SP_GPU_EQUAL, "coo", 32},  {SP_GPU_TILE, "tiled:64,32", 32},   {SP_GPU_FUSED, "crs", 32},
                   {SP_GPU_FUSED, "crs", 200}, {SP_GPU_MMA, "bcsr:8x1", 32}};

/* Gathered operands that fit the L2 come from memory once, larger ones at least once and at most with each
 * gather; each level passes on no more than it is asked for. */
START_TEST(bytes_of_dense_operands)
{
    struct sp_machine m;
    read_machine("h200-sxm-141gb", &m);
    for (int large = 0; large < 2; large++) {
        struct sp_csr a;
        struct sp_layout l;
        struct sp_gpu_prediction p;
        const struct sp_gpu_traffic *t = &p.traffic;
        m.cache[1].size_B = large ? 1 << 17 : 60 << 20;
        ck_assert_int_eq(sp_generate("random:5000:20", NULL, &a, NULL), SP_OK);
        predict_dense(&a, dense_cases[_i].map, dense_cases[_i].format, dense_cases[_i].r, &m, &p, &l);
        const bool staged = dense_cases[_i].map == SP_GPU_STAGE || dense_cases[_i].map == SP_GPU_TILE;
        const double gathers_B = sp_layout_gather_bytes(&l);
        ck_assert_double_le(t->x_once_B, t->x_B.lo * 1.001);
        ck_assert_double_le(t->x_B.hi, staged ? 2 * gathers_B : 2.01 * gathers_B);
        if (!large)
            near(t->x_B.hi, t->x_once_B, 0.03);
        else
            ck_assert_double_gt(t->x_B.lo, 1.5 * t->x_once_B);
        ck_assert_double_le(t->L2_load_B.hi, t->L1_load_B.value + t->L1_copy_B.value);
        ck_assert_double_le(t->x_B.lo, t->L2_load_B.hi);
        sp_layout_free(&l);
        sp_csr_free(&a);
    }
    sp_machine_free(&m);
}
END_TEST

/* From the L2 without reuse in an L1: what the formula says for all arrays once [THEORY 4 to 6]. */
START_TEST(least_bytes_of_dense_operands)
{
    struct sp_machine m;
    struct sp_csr a;
    struct sp_layout l;
    struct sp_gpu_prediction p;
    read_machine("h200-sxm-141gb", &m);
    ck_assert_int_eq(sp_generate("laplace2d:150", NULL, &a, NULL), SP_OK);
    predict_dense(&a, dense_cases[_i].map, dense_cases[_i].format, dense_cases[_i].r, &m, &p, &l);
    const double all_B = p.traffic.memory_load_B.value + p.traffic.memory_store_B.value;
    near(all_B, sp_volume_layout(&l, p.traffic.x_once_B / sp_layout_gather_bytes(&l), 1).total_B, 0.05);
    sp_layout_free(&l);
    sp_csr_free(&a);
    sp_machine_free(&m);
}
END_TEST

/* Two block rows of 5 and 1 blocks of 8 x 8, f16, 20 columns: 40 and 8 stored columns in stages of 32, 8
 * rows, 2 warps of 16 columns; f32 in stages of 16, three times; the ceiling of each type. */
START_TEST(what_matrix_units_do)
{
    static const struct {
        enum sp_precision precision;
        double flop, peak;
    } cases[] = {{SP_F16, 2.0 * (64 + 32) * 8 * 32, 989.5e12},
                 {SP_BF16, 2.0 * (64 + 32) * 8 * 32, 989.5e12},
                 {SP_F32, 3 * 2.0 * (48 + 16) * 8 * 32, 494.5e12},
                 {SP_F64, 2.0 * (40 + 8) * 8 * 32, 67e12}};
    struct sp_machine m, old;
    struct sp_csr a;
    struct sp_layout l;
    struct sp_gpu_launch g;
    struct sp_gpu_prediction p;
    read_machine("h200-sxm-141gb", &m);
    read_machine("v100-pcie-16gb", &old);
    ck_assert_int_eq(sp_csr_alloc(16, 64, 6, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    for (int k = 0; k < 6; k++)
        a.col[k] = k < 5 ? 8 * k : 9;
    for (int i = 0; i < 16; i++)
        a.row_ptr[i + 1] = i < 8 ? 5 : 6;
    struct sp_workload w = {
        .op = SP_OP_SPMM, .r = 20, .precision = cases[_i].precision, .matrix = &a, .n_threads = 1};
    ck_assert_int_eq(sp_workload_set_format(&w, "bcsr:8x8", NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_MMA, 0, &g, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_predict(&l, &g, &m, 240, false, NULL, &p, NULL), SP_OK);
    const struct sp_roof_term *peak = &p.term[SP_GPU_TERM_PEAK];
    ck_assert_str_eq(peak->name, "peak of matrix units");
    ck_assert_double_eq(peak->amount.value, cases[_i].flop);
    ck_assert_double_eq_tol(peak->rate.value, cases[_i].peak * (double)g.n_blocks / 132, 1);
    ck_assert_int_eq(sp_gpu_predict(&l, &g, &old, 240, false, NULL, &p, NULL), SP_OK);
    ck_assert(!sp_value_known(peak->rate));
    sp_layout_free(&l);
    sp_csr_free(&a);
    sp_machine_free(&m);
    sp_machine_free(&old);
}
END_TEST

START_TEST(a_matrix_without_entries)
{
    struct sp_machine m;
    struct sp_csr a;
    const struct hand_shape shape = {70, 50, 0, 1, -1, 0, 1};
    read_machine("v100-pcie-16gb", &m);
    hand_matrix(&shape, &a);
    for (int map = 0; map < SP_N_GPU_MAPS; map++) {
        struct sp_layout l;
        struct sp_gpu_launch g;
        struct sp_gpu_prediction p;
        if (sp_gpu_map_op(map) != SP_OP_SPMV)
            continue;
        hand_layout(&a, sp_gpu_map_format(map), 32, 32, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 1, &l);
        ck_assert_int_eq(sp_gpu_launch_make(&l, map, 0, &g, NULL), SP_OK);
        ck_assert_int_eq(sp_gpu_predict(&l, &g, &m, 0, false, NULL, &p, NULL), SP_OK);
        ck_assert_double_eq(p.traffic.x_B.hi, 0);
        ck_assert_double_eq(p.traffic.memory_store_B.value, 70 * 8);
        ck_assert(p.traffic.L1_store_B.value >= 70 * 8);
        hand_free(&l);
    }
    sp_csr_free(&a);
    sp_machine_free(&m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("gpu_model");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, requests_are_those_of_a_plain_execution, 0, sizeof shapes / sizeof *shapes);
    tcase_add_test(tc, sectors_of_a_diagonal);
    tcase_add_test(tc, turns_that_have_an_entry);
    tcase_add_test(tc, blocks_that_fit_an_sm);
    tcase_add_loop_test(tc, l1s_equal_a_plain_list, 0, 2);
    tcase_add_test(tc, waves_equal_a_plain_lru);
    tcase_add_loop_test(tc, bytes_of_dense_operands, 0, sizeof dense_cases / sizeof *dense_cases);
    tcase_add_loop_test(tc, least_bytes_of_dense_operands, 0, sizeof dense_cases / sizeof *dense_cases);
    tcase_add_loop_test(tc, what_matrix_units_do, 0, 4);
    tcase_add_test(tc, a_matrix_without_entries);
    tcase_add_test(tc, figures_of_a_stencil);
    tcase_add_test(tc, figures_of_a_random_matrix);
    tcase_add_test(tc, what_the_L2_keeps);
    suite_add_tcase(s, tc);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
