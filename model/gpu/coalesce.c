#include "model/gpu/coalesce.h"

#include "model/gpu/column_runs.h"

#include <math.h>
#include <string.h>

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

/* Lanes whose accesses one pass takes: all of 4 bytes and less, a half of 8 bytes, a quarter of
 * 16. */
static int lanes_of_pass(const struct sp_gpu_grid *g, const struct sp_gpu_request *r)
{
    const int access_B = r->width << g->item_shift[r->array];
    return access_B <= 4 ? SP_WARP : SP_WARP * 4 / access_B;
}

/* Sectors of the passes one after the other: a sector that two of them ask for counts twice. */
static int64_t sectors_of_passes(const struct sp_gpu_grid *g, const struct sp_gpu_request *r)
{
    const int lanes = lanes_of_pass(g, r);
    int64_t sector[SP_WARP], n = 0;
    uint32_t used[SP_WARP];
    for (int first = 0; first < SP_WARP; first += lanes) {
        struct sp_gpu_request part = *r;
        part.active &= (lanes == SP_WARP ? UINT32_MAX : ((UINT32_C(1) << lanes) - 1) << first);
        n += sp_gpu_request_sectors(g, &part, sector, used);
    }
    return n;
}

/* Bits that are set, where the processor is not known to count them itself. */
static int bits_of(uint32_t v)
{
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    return (int)(((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}

static void add_warp(struct sp_gpu_cursor *c, struct sp_coalescing *sum)
{
    struct sp_gpu_request r;
    int64_t sector[SP_WARP];
    uint32_t used[SP_WARP];
    int64_t steps = 0;
    while (sp_gpu_cursor_next(c, &r)) {
        struct sp_gpu_sectors *s = &sum->of[r.array][r.access];
        int n = sp_gpu_request_sectors(c->grid, &r, sector, used);
        s->requests++;
        s->sectors += n;
        s->counted += c->grid->counts_parts ? sectors_of_passes(c->grid, &r) : n;
        s->cycles += (n + SP_GPU_CYCLE_SECTORS - 1) / SP_GPU_CYCLE_SECTORS;
        s->lanes += bits_of(r.active);
        for (int i = 0; i < n; i++)
            s->items += bits_of(used[i]);
        steps += sp_gpu_is_gathered(r.array);
    }
    if (steps > sum->most_steps)
        sum->most_steps = steps;
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
                                ? sp_gpu_wide_coalesce(g, progress, sum, err)
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
