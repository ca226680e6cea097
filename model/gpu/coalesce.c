#include "model/gpu/coalesce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/formats/format_ids.h"

static bool has_whole_runs(const struct sp_layout *l, const struct sp_gpu_launch *n)
{
    switch (n->map) {
    case SP_GPU_OUTPUT:
        return l->r % SP_WARP == 0;
    case SP_GPU_GROUP:
    case SP_GPU_ROW:
    case SP_GPU_SHARE:
        return n->column_lanes == SP_WARP && l->r % n->tile == 0;
    case SP_GPU_SAMPLE:
    case SP_GPU_FUSED:
        return n->vectors > 0 && l->r % (n->vector * n->column_lanes) == 0 &&
               n->vector * n->column_lanes * l->s_x % (2 * SP_GPU_SECTOR_B) == 0;
    default:
        return false;
    }
}

bool sp_gpu_is_wide(const struct sp_gpu_grid *g)
{
    const struct sp_layout *l = g->layout;
    const int64_t x_B = l->ld_x * (int64_t)l->s_x, y_B = l->ld_y * (int64_t)l->s_y;
    return l->format == SP_FORMAT_CRS && has_whole_runs(l, &g->launch) && x_B % (2 * SP_GPU_SECTOR_B) == 0 &&
           (g->launch.map == SP_GPU_SAMPLE || y_B % (2 * SP_GPU_SECTOR_B) == 0);
}

bool sp_gpu_has_wide_tiles(const struct sp_gpu_grid *g)
{
    const struct sp_layout *l = g->layout;
    const struct sp_gpu_launch *n = &g->launch;
    const int64_t columns = (int64_t)n->vector * n->column_lanes;
    return n->map == SP_GPU_TILE && l->r % n->tile == 0 && n->tile % columns == 0 &&
           columns * l->s_x % (2 * SP_GPU_SECTOR_B) == 0 &&
           l->ld_x * (int64_t)l->s_x % (2 * SP_GPU_SECTOR_B) == 0;
}

/* n requests in which all lanes of a warp ask for the same item: a sector each, and where parts of
 * a warp are counted, one for each part. */
static void add_same(const struct sp_gpu_grid *g, enum sp_gpu_array array, int64_t n,
                     struct sp_coalescing *sum)
{
    struct sp_gpu_sectors *s = &sum->of[array][SP_GPU_LOAD];
    const int parts = SP_WARP / sp_gpu_lanes_together(g, 1 << g->item_shift[array]);
    s->requests += n;
    s->sectors += n;
    s->counted += n * parts;
    s->cycles += n;
    s->lanes += n * SP_WARP;
    s->items += n;
}

/* Sectors of the columns of one load that a warp or team has. */
static int64_t run_sectors(const struct sp_gpu_grid *g, enum sp_gpu_array array)
{
    const int64_t items = (int64_t)g->launch.vector * sp_gpu_wide_lanes(g);
    return items << g->item_shift[array] >> SP_GPU_SECTOR_SHIFT;
}

/* n requests, each for whole runs of columns of so many teams, none of them twice. */
static void add_runs(const struct sp_gpu_grid *g, enum sp_gpu_array array, enum sp_gpu_access access,
                     int64_t n, int64_t teams, struct sp_coalescing *sum)
{
    struct sp_gpu_sectors *s = &sum->of[array][access];
    const int64_t lanes = teams * sp_gpu_wide_lanes(g), sectors = teams * run_sectors(g, array);
    s->requests += n;
    s->sectors += n * sectors;
    s->counted += n * sectors;
    s->cycles += n * ((sectors + SP_GPU_CYCLE_SECTORS - 1) / SP_GPU_CYCLE_SECTORS);
    s->lanes += n * lanes;
    s->items += n * lanes * g->launch.vector;
}

/* n requests for the same run by so many teams, and so by each part of a warp that is counted. */
static void add_row(const struct sp_gpu_grid *g, enum sp_gpu_array array, int64_t n, int teams,
                    struct sp_coalescing *sum)
{
    const int lanes = sp_gpu_wide_lanes(g);
    const int part = sp_gpu_lanes_together(g, g->launch.vector << g->item_shift[array]);
    struct sp_gpu_sectors *s = &sum->of[array][SP_GPU_LOAD];
    const int64_t sectors = run_sectors(g, array);
    s->requests += n;
    s->sectors += n * sectors;
    s->counted += n * sectors * (part > lanes ? sp_gpu_ratio_up(teams * lanes, part) : teams);
    s->cycles += n * ((sectors + SP_GPU_CYCLE_SECTORS - 1) / SP_GPU_CYCLE_SECTORS);
    s->lanes += n * teams * lanes;
    s->items += n * lanes * g->launch.vector;
}

/* A request of the first n lanes for neighbouring items from `first` on. */
static void add_range(const struct sp_gpu_grid *g, enum sp_gpu_array array, enum sp_gpu_access access,
                      int64_t first, int64_t n, struct sp_coalescing *sum)
{
    struct sp_gpu_sectors *s = &sum->of[array][access];
    const int to_sector = SP_GPU_SECTOR_SHIFT - g->item_shift[array];
    const int64_t sectors = ((first + n - 1) >> to_sector) - (first >> to_sector) + 1;
    const int64_t lanes = sp_gpu_lanes_together(g, 1 << g->item_shift[array]);
    for (int64_t at = first; at < first + n; at += lanes) {
        const int64_t last = (at + lanes < first + n ? at + lanes : first + n) - 1;
        s->counted += (last >> to_sector) - (at >> to_sector) + 1;
    }
    s->requests++;
    s->sectors += sectors;
    s->cycles += (sectors + SP_GPU_CYCLE_SECTORS - 1) / SP_GPU_CYCLE_SECTORS;
    s->lanes += n;
    s->items += n;
}

/* Rows and entries of a warp: of its row, or of those that end in its share. */
static int64_t first_place(const struct sp_gpu_grid *g, int64_t block, int warp)
{
    const struct sp_gpu_launch *n = &g->launch;
    const int64_t thread = block / n->n_tiles * n->block_threads + (int64_t)warp * SP_WARP;
    return thread / (n->map == SP_GPU_OUTPUT ? g->layout->r : SP_WARP);
}

/* Places of the columns of TILE's block: the warp has every so many of its part of the list. */
static void open_tiles(const struct sp_gpu_grid *g, int64_t block, int warp, struct sp_gpu_wide_warp *w)
{
    const struct sp_layout *l = g->layout;
    const int64_t n_parts = g->launch.n_parts, row = block / n_parts, part = block % n_parts;
    const int64_t list = sp_layout_index_ptr(l, row), n = sp_layout_index_ptr(l, row + 1) - list;
    w->first = w->next = list + n * part / n_parts + warp;
    w->last = list + n * (part + 1) / n_parts;
}

void sp_gpu_wide_open(const struct sp_gpu_grid *g, int64_t block, int warp, struct sp_gpu_wide_warp *w)
{
    const struct sp_layout *l = g->layout;
    const struct sp_gpu_launch *n = &g->launch;
    *w = (struct sp_gpu_wide_warp){0};
    if (n->map == SP_GPU_TILE) {
        open_tiles(g, block, warp, w);
        return;
    }
    const int64_t place = first_place(g, block, warp);
    w->column = (int32_t)(block % n->n_tiles * n->tile);
    if (n->map == SP_GPU_OUTPUT)
        w->column = (int32_t)((block * n->block_threads + (int64_t)warp * SP_WARP) % l->r);
    if (n->map == SP_GPU_SHARE) {
        const int64_t all = l->n_r + l->n_nz;
        if (place >= sp_gpu_shares(l, n))
            return;
        const int64_t to = (place + 1) * n->items < all ? (place + 1) * n->items : all;
        w->at = place * n->items - g->start[place];
        w->end = to - g->start[place + 1];
    } else if (place < l->n_r) {
        w->at = sp_layout_ptr(l, place);
        w->end = sp_layout_ptr(l, place + 1);
    }
}

static void add_steps(int64_t steps, struct sp_coalescing *sum)
{
    if (steps > sum->most_steps)
        sum->most_steps = steps;
}

/* Indices of a row's or column's entries, one for each team at a time: of 4 bytes at most, for
 * which no part of a warp is counted alone. */
static void add_indices(const struct sp_gpu_grid *g, enum sp_gpu_array array,
                        const struct sp_gpu_wide_warp *w, struct sp_coalescing *sum)
{
    const int teams = sp_gpu_wide_teams(g), to_sector = SP_GPU_SECTOR_SHIFT - g->item_shift[array];
    struct sp_gpu_sectors *s = &sum->of[array][SP_GPU_LOAD];
    if (teams == 1) {
        add_same(g, array, w->end - w->at, sum);
        return;
    }
    for (int64_t at = w->at; at < w->end; at += teams) {
        const int n = w->end - at < teams ? (int)(w->end - at) : teams;
        const int64_t sectors = ((at + n - 1) >> to_sector) - (at >> to_sector) + 1;
        s->requests++;
        s->sectors += sectors;
        s->counted += sectors;
        s->cycles += (sectors + SP_GPU_CYCLE_SECTORS - 1) / SP_GPU_CYCLE_SECTORS;
    }
    s->lanes += (w->end - w->at) * sp_gpu_wide_lanes(g);
    s->items += w->end - w->at;
}

/* The columns of X or of the second operand for all entries of a row. */
static void add_gathers(const struct sp_gpu_grid *g, enum sp_gpu_array array, int64_t entries,
                        struct sp_coalescing *sum)
{
    const int64_t teams = sp_gpu_wide_teams(g), loads = sp_gpu_wide_loads(g);
    add_runs(g, array, SP_GPU_LOAD, entries / teams * loads, teams, sum);
    if (entries % teams > 0)
        add_runs(g, array, SP_GPU_LOAD, loads, entries % teams, sum);
}

/* What a part of a warp asks for of n <= 32 entries, of which a lane keeps that of each turn of its
 * team: teams' entries follow each other. */
static int64_t counted_of_kept(const struct sp_gpu_grid *g, enum sp_gpu_array array, int64_t at, int64_t n)
{
    const int lanes = sp_gpu_wide_lanes(g), teams = sp_gpu_wide_teams(g);
    const int to_sector = SP_GPU_SECTOR_SHIFT - g->item_shift[array];
    const int part = sp_gpu_lanes_together(g, 1 << g->item_shift[array]);
    const int n_turns = part < lanes ? part : lanes, n_teams = part < lanes ? 1 : part / lanes;
    int64_t counted = 0;
    for (int lane = 0; lane < SP_WARP; lane += part) {
        int64_t last = -1;
        for (int turn = lane % lanes; turn < lane % lanes + n_turns; turn++)
            for (int team = lane / lanes; team < lane / lanes + n_teams; team++) {
                const int64_t entry = (int64_t)turn * teams + team, sector = (at + entry) >> to_sector;
                counted += entry < n && sector != last;
                last = entry < n ? sector : last;
            }
    }
    return counted;
}

/* Values or results of a row, one by each lane. */
static void add_kept(const struct sp_gpu_grid *g, enum sp_gpu_array array, enum sp_gpu_access access,
                     const struct sp_gpu_wide_warp *w, struct sp_coalescing *sum)
{
    const bool in_parts =
        sp_gpu_lanes_together(g, 1 << g->item_shift[array]) < SP_WARP && sp_gpu_wide_teams(g) > 1;
    for (int64_t at = w->at; at < w->end; at += SP_WARP) {
        const int64_t n = w->end - at < SP_WARP ? w->end - at : SP_WARP;
        const int64_t counted = sum->of[array][access].counted;
        add_range(g, array, access, at, n, sum);
        if (in_parts)
            sum->of[array][access].counted = counted + counted_of_kept(g, array, at, n);
    }
}

/* A row of SAMPLE: its part of the row operand with each four entries of a team. */
static void add_sample(const struct sp_gpu_grid *g, const struct sp_gpu_wide_warp *w,
                       struct sp_coalescing *sum)
{
    const int64_t entries = w->end - w->at, teams = sp_gpu_wide_teams(g), loads = sp_gpu_wide_loads(g);
    add_indices(g, SP_GPU_COL, w, sum);
    add_row(g, SP_GPU_ROWS, sp_gpu_ratio_up(entries, SP_GPU_TOGETHER * teams) * loads, (int)teams, sum);
    add_gathers(g, SP_GPU_X, entries, sum);
    add_kept(g, SP_GPU_VAL, SP_GPU_LOAD, w, sum);
    add_kept(g, SP_GPU_Y, SP_GPU_STORE, w, sum);
    add_steps(sp_gpu_ratio_up(entries, teams) * loads, sum);
}

static void add_fused(const struct sp_gpu_grid *g, const struct sp_gpu_wide_warp *w,
                      struct sp_coalescing *sum)
{
    const int64_t entries = w->end - w->at, teams = sp_gpu_wide_teams(g), loads = sp_gpu_wide_loads(g);
    add_indices(g, SP_GPU_COL, w, sum);
    add_row(g, SP_GPU_ROWS, loads, (int)teams, sum);
    add_gathers(g, SP_GPU_X, entries, sum);
    add_gathers(g, SP_GPU_SECOND, entries, sum);
    add_runs(g, SP_GPU_Y, SP_GPU_STORE, loads, 1, sum);
    add_steps(2 * sp_gpu_ratio_up(entries, teams) * loads, sum);
}

/* Rows of A, from `row` on, that the warp takes into shared memory: its part of each pass. */
static void add_staged_rows(const struct sp_gpu_grid *g, int64_t row, int warp, int64_t loads,
                            struct sp_coalescing *sum)
{
    const struct sp_layout *l = g->layout;
    const int64_t end = row + l->T_i < l->n_r ? row + l->T_i : l->n_r;
    const int teams = sp_gpu_wide_teams(g);
    for (int64_t at = row + (int64_t)warp * teams; at < end; at += teams * sp_gpu_block_warps(&g->launch))
        add_runs(g, SP_GPU_ROWS, SP_GPU_LOAD, loads, end - at < teams ? end - at : teams, sum);
}

/* A column of a block against the rows in shared memory: four entries of each team with a part of
 * x that the teams of the first ones load. Returns the loads of x. */
static int64_t add_tile_column(const struct sp_gpu_grid *g, const struct sp_gpu_wide_warp *w, int64_t loads,
                               struct sp_coalescing *sum)
{
    const int teams = sp_gpu_wide_teams(g), together = SP_GPU_TOGETHER * teams;
    add_indices(g, SP_GPU_ROW_INDEX, w, sum);
    for (int64_t at = w->at; at < w->end; at += together)
        add_row(g, SP_GPU_X, loads, w->end - at < teams ? (int)(w->end - at) : teams, sum);
    add_kept(g, SP_GPU_Y, SP_GPU_STORE, w, sum);
    return sp_gpu_ratio_up(w->end - w->at, together) * loads;
}

/* All tiles of the width; sums are loaded in all but the first, values in the last. */
static void add_tile_warp(const struct sp_gpu_grid *g, int64_t block, int warp, struct sp_coalescing *sum)
{
    const struct sp_layout *l = g->layout;
    const struct sp_gpu_launch *n = &g->launch;
    const int64_t loads = sp_gpu_wide_loads(g);
    int64_t steps = 0;
    struct sp_gpu_wide_warp w;
    sp_gpu_wide_open(g, block, warp, &w);
    add_same(g, SP_GPU_INDEX_PTR, 2, sum);
    for (int64_t tile = 0; tile < l->r; tile += n->tile) {
        add_staged_rows(g, block / n->n_parts * l->T_i, warp, loads, sum);
        for (int64_t j = w.first; j < w.last; j += sp_gpu_block_warps(n)) {
            w.at = sp_layout_column_ptr(l, j);
            w.end = sp_layout_column_ptr(l, j + 1);
            add_same(g, SP_GPU_COL, 1, sum);
            add_same(g, SP_GPU_COLUMN_PTR, 2, sum);
            steps += add_tile_column(g, &w, loads, sum);
            if (tile > 0)
                add_kept(g, SP_GPU_Y, SP_GPU_LOAD, &w, sum);
            if (tile + n->tile == l->r)
                add_kept(g, SP_GPU_VAL, SP_GPU_LOAD, &w, sum);
        }
    }
    add_steps(steps, sum);
}

/* n rows of sums that a share carries. Those of 16-bit storage take two stores, each of one half of
 * a sector for each lane. */
static void add_sums(const struct sp_gpu_grid *g, int64_t n, struct sp_coalescing *sum)
{
    const int64_t sum_B = INT64_C(1) << g->item_shift[SP_GPU_CARRY_VAL], n_stores = 2 * n;
    struct sp_gpu_sectors *s = &sum->of[SP_GPU_CARRY_VAL][SP_GPU_STORE];
    if (sp_gpu_share_sums(g->layout) == 1) {
        add_runs(g, SP_GPU_CARRY_VAL, SP_GPU_STORE, n, 1, sum);
        return;
    }
    s->requests += n_stores;
    s->sectors += n_stores * SP_WARP;
    s->counted += n_stores * SP_WARP;
    s->cycles += n_stores * SP_WARP / SP_GPU_CYCLE_SECTORS;
    s->lanes += n_stores * SP_WARP;
    s->items += n_stores * SP_WARP * (SP_GPU_SECTOR_B / 2 / sum_B);
}

static void add_wide_warp(const struct sp_gpu_grid *g, int64_t block, int warp, struct sp_coalescing *sum)
{
    const struct sp_gpu_launch *n = &g->launch;
    const bool share = n->map == SP_GPU_SHARE;
    const int64_t place = first_place(g, block, warp);
    struct sp_gpu_wide_warp w;
    if (place >= (share ? sp_gpu_shares(g->layout, n) : g->layout->n_r))
        return;
    sp_gpu_wide_open(g, block, warp, &w);
    if (sp_gpu_is_sampled(n)) {
        add_same(g, SP_GPU_PTR, 2, sum);
        (n->map == SP_GPU_SAMPLE ? add_sample : add_fused)(g, &w, sum);
        return;
    }
    const int64_t entries = w.end - w.at, ends = share ? g->start[place + 1] - g->start[place] : 1;
    if (share)
        add_same(g, SP_GPU_START, 2, sum);
    add_same(g, SP_GPU_PTR, share ? ends : 2, sum);
    add_same(g, SP_GPU_COL, entries, sum);
    add_same(g, SP_GPU_VAL, entries, sum);
    add_runs(g, SP_GPU_X, SP_GPU_LOAD, entries * n->vectors, 1, sum);
    const bool has_first = share && sp_gpu_share_sums(g->layout) == 2 && ends > 0;
    add_runs(g, SP_GPU_Y, SP_GPU_STORE, (ends - has_first) * n->vectors, 1, sum);
    if (share)
        add_sums(g, 1 + has_first, sum);
    add_steps(entries * n->vectors, sum);
}

/* Adds what the warps of the first grid ask for, of either kind of launch: what sp_coalesce finds
 * request by request. */
static enum sp_status gpu_wide_coalesce(const struct sp_gpu_grid *g, const struct sp_progress *progress,
                                        struct sp_coalescing *sum, struct sp_error *err)
{
    const int of_block = (int)sp_gpu_block_warps(&g->launch);
    const bool tiles = g->launch.map == SP_GPU_TILE;
    for (int64_t b = 0; b < g->launch.n_blocks; b++) {
        for (int w = 0; w < of_block; w++)
            (tiles ? add_tile_warp : add_wide_warp)(g, b, w, sum);
        if (b % 65536 == 65535 && sp_progress_interrupted(progress))
            return sp_fail(err, SP_INTERRUPTED, NULL, "counting sectors was interrupted");
    }
    return SP_OK;
}

enum sp_status sp_gpu_wide_rows(const struct sp_gpu_grid *g, int64_t *n_rows, struct sp_error *err)
{
    const struct sp_layout *l = g->layout;
    void *memory;
    *n_rows = 0;
    enum sp_status status = sp_new_array(l->n_c, 1, "rows of X that are asked for", &memory, err);
    if (status != SP_OK)
        return status;
    uint8_t *asked = memory;
    const int64_t n_named = g->launch.map == SP_GPU_TILE ? l->n_indices : l->n_nz;
    for (int64_t j = 0; j < n_named; j++)
        asked[sp_layout_col(l, j)] = 1;
    for (int64_t i = 0; i < l->n_c; i++)
        *n_rows += asked[i];
    free(memory);
    return SP_OK;
}

/* Items that follow each other lane by lane: only the last sector can be met again. */
static int sectors_in_order(const struct sp_gpu_request *r, int to_sector, int64_t *sector, uint32_t *used)
{
    int at = -1; /* the sector met last */
    int64_t before = -1;
    const int64_t in_sector = (INT64_C(1) << to_sector) - 1;
    const uint32_t each = (UINT32_C(1) << r->width) - 1;
    for (uint32_t left = r->active; left; left &= left - 1) {
        int64_t item = r->item[__builtin_ctz(left)];
        const uint32_t items = each << (item & in_sector);
        if (item == before)
            continue;
        before = item;
        if (at >= 0 && item >> to_sector == sector[at]) {
            used[at] |= items;
        } else {
            sector[++at] = item >> to_sector;
            used[at] = items;
        }
    }
    return at + 1;
}

/* What none of those before can be, by a bit of 64 for each, is not looked for among them. */
static int sectors_anywhere(const struct sp_gpu_request *r, int to_sector, int64_t *sector, uint32_t *used)
{
    int n = 0;
    int64_t most = -1;
    uint64_t met = 0;
    const int64_t in_sector = (INT64_C(1) << to_sector) - 1;
    const uint32_t each = (UINT32_C(1) << r->width) - 1;
    for (uint32_t left = r->active; left; left &= left - 1) {
        int64_t item = r->item[__builtin_ctz(left)], s = item >> to_sector;
        if (n > 0 && s == sector[n - 1]) {
            used[n - 1] |= each << (item & in_sector);
            continue;
        }
        const uint64_t bit = UINT64_C(1) << ((uint64_t)s * UINT64_C(0x9e3779b97f4a7c15) >> 58);
        int i = n - 1;
        if (s > most || !(met & bit)) {
            most = s > most ? s : most;
            i = n;
        } else {
            while (i >= 0 && sector[i] != s)
                i--;
            i = i < 0 ? n : i;
        }
        met |= bit;
        if (i == n) {
            sector[n] = s;
            used[n++] = 0;
        }
        used[i] |= each << (item & in_sector);
    }
    return n;
}

int sp_gpu_request_sectors(const struct sp_gpu_grid *grid, const struct sp_gpu_request *r,
                           int64_t sector[SP_WARP], uint32_t used[SP_WARP])
{
    int to_sector = SP_GPU_SECTOR_SHIFT - grid->item_shift[r->array];
    return r->in_order ? sectors_in_order(r, to_sector, sector, used)
                       : sectors_anywhere(r, to_sector, sector, used);
}

/* Bits that are set, where the processor is not known to count them itself. */
static int bits_of(uint32_t v)
{
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    return (int)(((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}

/* The n sectors of a request, once for each part of the warp, of so many lanes, that asks for them.
 * Items in order: a sector that the part before asks for, too, is its last one and the part's
 * first. */
static int64_t sectors_of_parts(const struct sp_gpu_grid *g, const struct sp_gpu_request *r, int n, int lanes)
{
    const int to_sector = SP_GPU_SECTOR_SHIFT - g->item_shift[r->array];
    const uint32_t first_part = (UINT32_C(1) << lanes) - 1;
    int64_t sector[SP_WARP], counted = 0, last = -1;
    uint32_t used[SP_WARP];
    if (n == bits_of(r->active)) /* no two lanes share one */
        return n;
    for (int at = 0; at < SP_WARP; at += lanes) {
        struct sp_gpu_request part = *r;
        part.active &= first_part << at;
        if (part.active == 0)
            continue;
        if (!r->in_order) {
            counted += sp_gpu_request_sectors(g, &part, sector, used);
            continue;
        }
        counted += r->item[__builtin_ctz(part.active)] >> to_sector == last;
        last = r->item[31 - __builtin_clz(part.active)] >> to_sector;
    }
    return r->in_order ? n + counted : counted;
}

static void add_warp(struct sp_gpu_cursor *c, struct sp_coalescing *sum)
{
    struct sp_gpu_request r;
    int64_t sector[SP_WARP];
    uint32_t used[SP_WARP];
    int64_t steps = 0, carried = 0;
    while (sp_gpu_cursor_next(c, &r)) {
        struct sp_gpu_sectors *s = &sum->of[r.array][r.access];
        int n = sp_gpu_request_sectors(c->grid, &r, sector, used);
        s->requests++;
        s->sectors += n;
        const int lanes = sp_gpu_lanes_together(c->grid, r.width << c->grid->item_shift[r.array]);
        s->counted += lanes < SP_WARP ? sectors_of_parts(c->grid, &r, n, lanes) : n;
        s->cycles += (n + SP_GPU_CYCLE_SECTORS - 1) / SP_GPU_CYCLE_SECTORS;
        s->lanes += bits_of(r.active);
        for (int i = 0; i < n; i++)
            s->items += bits_of(used[i]);
        steps += sp_gpu_is_gathered(r.array);
        carried += r.array == SP_GPU_CARRY_VAL && r.access == SP_GPU_LOAD;
    }
    add_steps(steps, sum);
    if (carried > sum->most_carried)
        sum->most_carried = carried;
}

static enum sp_status walk_first_grid(const struct sp_gpu_grid *g, const struct sp_progress *progress,
                                      struct sp_coalescing *sum, struct sp_error *err)
{
    struct sp_gpu_cursor c;
    const int64_t of_block = sp_gpu_block_warps(&g->launch);
    for (int64_t b = 0; b < g->launch.n_blocks; b++) {
        for (int w = 0; w < of_block; w++) {
            sp_gpu_cursor_open(g, b, w, &c);
            add_warp(&c, sum);
        }
        if (b % 4096 == 4095 && sp_progress_interrupted(progress))
            return sp_fail(err, SP_INTERRUPTED, NULL, "counting sectors was interrupted");
    }
    return SP_OK;
}

enum sp_status sp_coalesce(const struct sp_gpu_grid *g, const struct sp_progress *progress,
                           struct sp_coalescing *sum, struct sp_error *err)
{
    struct sp_gpu_cursor c;
    memset(sum, 0, sizeof *sum);
    enum sp_status status = (sp_gpu_is_wide(g) || sp_gpu_has_wide_tiles(g)) && !g->walks_all
                                ? gpu_wide_coalesce(g, progress, sum, err)
                                : walk_first_grid(g, progress, sum, err);
    if (status != SP_OK)
        return status;
    for (int64_t b = 0; b < sp_gpu_carry_blocks(g); b++)
        for (int w = 0; w < SP_GPU_CARRY_THREADS / SP_WARP; w++) {
            sp_gpu_cursor_open_carry(g, b, w, &c);
            add_warp(&c, sum);
        }
    return SP_OK;
}

int64_t sp_coalesced_gathers(const struct sp_coalescing *sum)
{
    int64_t n = 0;
    for (int a = 0; a < SP_N_GPU_ARRAYS; a++)
        if (sp_gpu_is_gathered((enum sp_gpu_array)a))
            n += sum->of[a][SP_GPU_LOAD].lanes + sum->of[a][SP_GPU_COPY].lanes;
    return n;
}

int64_t sp_coalesced_steps(const struct sp_coalescing *sum)
{
    int64_t n = 0;
    for (int a = 0; a < SP_N_GPU_ARRAYS; a++)
        if (sp_gpu_is_gathered((enum sp_gpu_array)a))
            n += sum->of[a][SP_GPU_LOAD].requests + sum->of[a][SP_GPU_COPY].requests;
    return n;
}

int64_t sp_coalesced_sectors(const struct sp_coalescing *sum, enum sp_gpu_access access)
{
    int64_t n = 0;
    for (int a = 0; a < SP_N_GPU_ARRAYS; a++)
        n += sum->of[a][access].sectors;
    return n;
}

int64_t sp_coalesced_counted(const struct sp_coalescing *sum, enum sp_gpu_access access)
{
    int64_t n = 0;
    for (int a = 0; a < SP_N_GPU_ARRAYS; a++)
        n += sum->of[a][access].counted;
    return n;
}

int64_t sp_coalesced_cycles(const struct sp_coalescing *sum)
{
    int64_t n = 0;
    for (int a = 0; a < SP_N_GPU_ARRAYS; a++)
        for (int access = 0; access < SP_N_GPU_ACCESSES; access++)
            n += sum->of[a][access].cycles;
    return n;
}

double sp_coalesced_active(const struct sp_gpu_grid *g, const struct sp_coalescing *sum)
{
    const double turns = (double)sum->of[SP_GPU_COL][SP_GPU_LOAD].requests * SP_WARP;
    const bool is_spmv = sp_gpu_map_op(g->launch.map) == SP_OP_SPMV;
    return is_spmv && turns > 0 ? (double)g->layout->n_nz / turns : NAN;
}

double sp_coalesced_use(const struct sp_gpu_grid *g, const struct sp_coalescing *sum)
{
    double used = 0, loaded = 0;
    for (int a = 0; a < SP_N_GPU_ARRAYS; a++) {
        const struct sp_gpu_sectors *load = &sum->of[a][SP_GPU_LOAD], *copy = &sum->of[a][SP_GPU_COPY];
        used += (double)((load->items + copy->items) << g->item_shift[a]);
        loaded += (double)(load->sectors + copy->sectors) * SP_GPU_SECTOR_B;
    }
    return loaded > 0 ? used / loaded : NAN;
}
