/* Requests of a GPU launch against a plain execution thread by thread; their sectors, and the turns that have
 * an entry, against hand counts. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "hand_layout.h"
#include "model/gpu/coalesce.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"

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

/* Sectors of each part of a warp by itself: of 16 lanes where each asks for 8 bytes, say. */
static int64_t distinct_of_parts(int64_t *sector, const int *lane, int n, int lanes)
{
    int64_t all = 0;
    for (int from = 0, to = 0; from < n; from = to) {
        while (to < n && lane[to] / lanes == lane[from] / lanes)
            to++;
        all += distinct(&sector[from], to - from);
    }
    return all;
}

/* Lanes that count together, of accesses of 8 and 16 bytes. */
enum { N_LANES = 3 };
static const int lanes_of[N_LANES][2] = {{32, 32}, {16, 8}, {8, 32}};

/* One warp's requests against the next accesses; counts as plainly as can be: the first sum all, the others
 * what is counted otherwise. */
static void compare_warp(const struct sp_gpu_grid *grid, struct sp_gpu_cursor *c, const struct accesses *s,
                         int64_t *at, int64_t warp, struct sp_coalescing sum[N_LANES])
{
    struct sp_gpu_request r;
    int64_t steps = 0, carried = 0;
    while (sp_gpu_cursor_next(c, &r)) {
        int64_t sector[32], item[32];
        int lanes[32], n = 0;
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
            lanes[n] = lane;
            sector[n++] = (a->item << grid->item_shift[r.array]) / 32;
        }
        same = same && (*at == s->n || s->a[*at].warp != warp || s->a[*at].key != first->key);
        if (!same)
            ck_abort_msg("warp %d asks for something else at access %d", (int)warp, (int)*at);
        struct sp_gpu_sectors *of = &sum->of[r.array][r.access];
        of->requests++;
        of->lanes += n;
        of->items += distinct(item, n);
        const int64_t n_sectors = distinct(sector, n);
        of->sectors += n_sectors;
        const int access_B = r.width << grid->item_shift[r.array];
        for (int i = 0; i < N_LANES; i++) {
            const int together = access_B == 16 ? lanes_of[i][1] : access_B == 8 ? lanes_of[i][0] : 32;
            sum[i].of[r.array][r.access].counted +=
                together == 32 ? n_sectors : distinct_of_parts(sector, lanes, n, together);
        }
        of->cycles += (n_sectors + 3) / 4;
        steps += r.array == SP_GPU_X;
        carried += r.array == SP_GPU_CARRY_VAL && r.access == SP_GPU_LOAD;
    }
    if (steps > sum->most_steps)
        sum->most_steps = steps;
    if (carried > sum->most_carried)
        sum->most_carried = carried;
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
    execute(l, &g, &s);
    struct sp_gpu_cursor c;
    struct sp_coalescing plain[N_LANES] = {0}, sum;
    int64_t at = 0;
    for (int64_t warp = 0; warp < sp_gpu_warps(&g); warp++) {
        sp_gpu_cursor_open(&grid, warp / sp_gpu_block_warps(&g), (int)(warp % sp_gpu_block_warps(&g)), &c);
        compare_warp(&grid, &c, &s, &at, warp, plain);
    }
    for (int64_t warp = 0; warp < sp_gpu_carry_blocks(&grid) * 8; warp++) {
        sp_gpu_cursor_open_carry(&grid, warp / 8, (int)(warp % 8), &c);
        compare_warp(&grid, &c, &s, &at, sp_gpu_warps(&g) + warp, plain);
    }
    ck_assert_int_eq(at, s.n);
    for (int i = 0; i < N_LANES; i++) {
        struct sp_coalescing wanted = plain[0];
        for (int a = 0; a < SP_N_GPU_ARRAYS; a++)
            for (int access = 0; access < SP_N_GPU_ACCESSES; access++)
                wanted.of[a][access].counted = plain[i].of[a][access].counted;
        grid.lanes_of_8B = lanes_of[i][0];
        grid.lanes_of_16B = lanes_of[i][1];
        ck_assert_int_eq(sp_coalesce(&grid, NULL, &sum, &err), SP_OK);
        ck_assert_mem_eq(&sum, &wanted, sizeof sum);
    }
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
        for (int index = 0; index <= SP_I64; index++) {
            struct sp_layout l;
            hand_layout(&a, SP_FORMAT_CRS, 0, 0, precision, index, SP_SCHEDULE_NNZ, 1, &l);
            if (index == SP_I32) { /* all that they have */
                compare(&l, SP_GPU_THREAD, 0);
                compare(&l, SP_GPU_MERGE, 0);
                compare(&l, SP_GPU_KEEP, 0);
            }
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
        int format;
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

int main(void)
{
    Suite *s = suite_create("gpu_sectors");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, requests_are_those_of_a_plain_execution, 0, sizeof shapes / sizeof *shapes);
    tcase_add_test(tc, sectors_of_a_diagonal);
    tcase_add_test(tc, turns_that_have_an_entry);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
