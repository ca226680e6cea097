#include "sparse/launch/gpu_launch.h"

#include <string.h>

#include "base/option/option_words.h"
#include "sparse/formats/format_ids.h"

enum { LOAD_B = 16, TEAM_ENTRIES = 2, ROW_VECTORS = 2 };

/* Items of a share of SHARE; of 16-bit storage, whose shares carry two sums, as many for each
 * sum. */
enum { SHARE_ITEMS = 64 };

/* A part of a block's columns has so many for each row of A that it stages. */
enum { PART_COLUMNS = 4, MOST_PARTS = 256 };

/* Columns of a load: rows of r numbers begin at multiples of it where r is one. */
static int vector_for(const struct sp_layout *l)
{
    const int in_load = LOAD_B / (int)l->s_x;
    return l->r % in_load == 0 ? in_load : 1;
}

/* Registers of bodies with one load of a thread for each entry, and with two: the bounds that
 * kernels/cuda/dense_gpu.cu sets. */
enum { ONE_LOAD_REGISTERS = 56, TWO_LOADS_REGISTERS = 80 };

/* The smallest power of two of threads that has so many loads, up to a warp. */
static int team_for(int64_t loads)
{
    int team = 1;
    while (team < SP_WARP && team < loads)
        team *= 2;
    return team;
}

/* Teams over the whole width, in tiles of at most `vectors` loads of a thread. */
static void share_width(const struct sp_layout *l, int vectors, struct sp_gpu_launch *g)
{
    const int64_t loads = sp_gpu_ratio_up(l->r, g->vector);
    g->column_lanes = team_for(loads);
    g->vectors = loads > g->column_lanes ? vectors : 1;
    g->tile = g->column_lanes * g->vector * g->vectors;
    g->n_tiles = (int32_t)sp_gpu_ratio_up(l->r, g->tile);
}

/* A tile of at most `columns` columns, a team over it. */
static void share_tile(int64_t columns, struct sp_gpu_launch *g)
{
    if (columns < g->vector)
        g->vector = 1;
    g->tile = (int32_t)(columns - columns % g->vector);
    g->column_lanes = team_for(g->tile / g->vector);
    g->vectors = 1;
}

static int row_lanes(const struct sp_layout *l, const struct sp_gpu_launch *g, int wanted)
{
    int lanes = g->column_lanes, teams = 1;
    while (2 * lanes <= SP_WARP &&
           (wanted > 0 ? 2 * lanes <= wanted : 2 * teams * TEAM_ENTRIES * l->n_r <= l->n_nz)) {
        lanes *= 2;
        teams *= 2;
    }
    return lanes;
}

/* As wide a tile as shared memory can hold of the longest list. */
static enum sp_status make_stage(const struct sp_layout *l, struct sp_gpu_launch *g, struct sp_error *err)
{
    const int64_t column_B = (l->most_listed > 0 ? l->most_listed : 1) * (int64_t)l->s_x;
    int64_t columns = l->T_k < l->r ? l->T_k : l->r;
    if (columns * column_B > SP_GPU_SHARED_MOST_B)
        columns = SP_GPU_SHARED_MOST_B / column_B;
    if (columns < 1)
        return sp_fail(err, SP_ABSENT, "take a smaller T_i, for example " SP_O_FORMAT " staged:16,64",
                       "a block's list of %lld columns does not fit the %d KiB of shared memory",
                       (long long)l->most_listed, SP_GPU_SHARED_MOST_B >> 10);
    share_tile(columns, g);
    g->n_tiles = (int32_t)sp_gpu_ratio_up(l->r, g->tile);
    g->shared_B = (size_t)(g->tile * column_B);
    g->n_blocks = l->n_blocks * g->n_tiles;
    return SP_OK;
}

static enum sp_status make_tile(const struct sp_layout *l, struct sp_gpu_launch *g, struct sp_error *err)
{
    share_tile(l->T_k < l->r ? l->T_k : l->r, g);
    g->shared_B = (size_t)l->T_i * (size_t)g->tile * l->s_x;
    if (g->shared_B > SP_GPU_SHARED_MOST_B)
        return sp_fail(err, SP_ABSENT, "take smaller tiles, for example " SP_O_FORMAT " tiled:64,32",
                       "%d rows of %d columns do not fit the %d KiB of shared memory", (int)l->T_i,
                       (int)g->tile, SP_GPU_SHARED_MOST_B >> 10);
    int64_t parts = l->n_chunks > 0 ? l->n_indices / (l->n_chunks * PART_COLUMNS * l->T_i) : 1;
    g->n_parts = parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : (int32_t)parts;
    g->n_blocks = l->n_chunks * g->n_parts;
    return SP_OK;
}

/* Teams that go over the whole width. */
static void make_sample(const struct sp_layout *l, struct sp_gpu_launch *g)
{
    share_width(l, 1, g);
    g->lanes = SP_WARP;
    g->n_tiles = 1;
    g->tile = l->r;
}

/* A row's part of a team stays in registers, or else the team is the warp. */
static void make_fused(const struct sp_layout *l, struct sp_gpu_launch *g)
{
    share_width(l, ROW_VECTORS, g);
    g->vectors = g->n_tiles == 1 ? ROW_VECTORS : 0;
    if (g->vectors == 0)
        g->steps /= ROW_VECTORS;
    g->lanes = SP_WARP;
    g->n_tiles = 1;
    g->tile = l->r;
}

/* Four entries take two latencies, and each row that ends before one of them another: the end of
 * the next row. */
static double share_steps(const struct sp_layout *l)
{
    const double ends = l->n_nz > 0 ? (double)l->n_r / (double)l->n_nz : 0;
    return SP_GPU_TOGETHER / (2 + SP_GPU_TOGETHER * ends);
}

static enum sp_status launch_dense(const struct sp_layout *l, int lanes, struct sp_gpu_launch *g,
                                   struct sp_error *err)
{
    if (l->order != SP_ROW_MAJOR)
        return sp_fail(err, SP_ABSENT, "leave " SP_O_ORDER " out", "GPU kernels take row-major operands");
    g->vector = vector_for(l);
    g->n_tiles = g->n_parts = 1;
    int64_t threads = 0;
    switch (g->map) {
    case SP_GPU_OUTPUT:
        g->vector = g->vectors = g->column_lanes = 1;
        g->tile = l->r;
        g->n_tiles = 1;
        threads = l->n_r * l->r;
        break;
    case SP_GPU_GROUP:
    case SP_GPU_ROW:
        share_width(l, ROW_VECTORS, g);
        g->lanes = row_lanes(l, g, lanes);
        g->registers = g->vectors == 1 ? ONE_LOAD_REGISTERS : TWO_LOADS_REGISTERS;
        g->steps *= g->vectors;
        threads = l->n_r * g->lanes;
        break;
    case SP_GPU_SHARE:
        share_width(l, 1, g);
        g->items = SHARE_ITEMS * sp_gpu_share_sums(l);
        g->steps = share_steps(l);
        threads = sp_gpu_shares(l, g) * g->column_lanes;
        break;
    case SP_GPU_SLOT:
        share_width(l, 1, g);
        threads = l->n_chunks * l->C * g->column_lanes;
        break;
    case SP_GPU_STAGE:
        return make_stage(l, g, err);
    case SP_GPU_TILE:
        return make_tile(l, g, err);
    case SP_GPU_EQUAL:
        make_sample(l, g);
        threads = sp_gpu_ratio_up(l->n_nz, SP_WARP) * SP_WARP;
        break;
    case SP_GPU_SAMPLE:
        make_sample(l, g);
        threads = l->n_r * SP_WARP;
        break;
    default:
        make_fused(l, g);
        threads = l->n_r * SP_WARP;
    }
    g->n_blocks = sp_gpu_ratio_up(threads, g->block_threads) * g->n_tiles;
    return SP_OK;
}

void sp_gpu_chunk_starts(const struct sp_layout *l, int64_t *start)
{
    for (int64_t b = 0; b < l->n_blocks; b++) {
        int64_t at = sp_layout_ptr(l, b);
        for (int64_t k = l->block[b].chunk; k < l->block[b + 1].chunk; k++) {
            start[k] = at;
            at += (int64_t)l->len[k] * l->C;
        }
    }
}

/* Columns of a warp, rows of a matrix unit, most warps of a block and rows of it in units. */
enum { WARP_COLUMNS = 16, UNIT_ROWS = 8, MOST_WARPS = SP_GPU_DENSE_THREADS / SP_WARP, MOST_ROW_UNITS = 4 };

int sp_gpu_mma_row_units(const struct sp_layout *l)
{
    int units = MOST_ROW_UNITS;
    while (l->b_h / UNIT_ROWS % units != 0)
        units /= 2;
    return units;
}

/* What kernels/cuda/mma_gpu.cu bounds them to: more sums take more. */
static int registers_for(const struct sp_layout *l)
{
    const int units = sp_gpu_mma_row_units(l);
    if (l->s_x == 8)
        return units == 4 ? 112 : units == 2 ? 80 : 64;
    return units == 4 ? 80 : 64;
}

/* Equally wide tiles of the width. */
static void share_columns(const struct sp_layout *l, struct sp_gpu_launch *g)
{
    const int64_t in_warps = sp_gpu_ratio_up(l->r, WARP_COLUMNS),
                  n_tiles = sp_gpu_ratio_up(in_warps, MOST_WARPS);
    const int64_t warps = sp_gpu_ratio_up(in_warps, n_tiles);
    g->block_threads = (int)warps * SP_WARP;
    g->tile = (int32_t)(warps * WARP_COLUMNS);
    g->n_tiles = (int32_t)sp_gpu_ratio_up(l->r, g->tile);
}

static size_t stage_bytes(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    const size_t pad = l->s_x == 8 ? 4 : 8, n_k = SP_GPU_MMA_STAGE_B / l->s_x;
    const size_t rows = (size_t)sp_gpu_mma_row_units(l) * UNIT_ROWS;
    return n_k * (((size_t)g->tile | pad) + (rows | pad)) * l->s_x;
}

static int64_t block_rows(const struct sp_layout *l)
{
    return (l->n_ptr - 1) * (l->b_h / UNIT_ROWS / sp_gpu_mma_row_units(l));
}

static void set_switches(const struct sp_layout *l, unsigned switches, struct sp_gpu_launch *g)
{
    const int n_stages = switches & SP_GPU_MMA_ASYNC ? SP_GPU_MMA_STAGES : 1;
    g->switches = switches;
    g->shared_B = (size_t)n_stages * stage_bytes(l, g) +
                  SP_GPU_MMA_STAGES * (SP_GPU_MMA_STAGE_B / l->s_x) * SP_GPU_MMA_PLACE_B;
    g->n_blocks = block_rows(l) * (switches & SP_GPU_MMA_TILES ? g->n_tiles : 1);
}

static enum sp_status launch_mma(const struct sp_layout *l, struct sp_gpu_launch *g, struct sp_error *err)
{
    if (l->b_h % UNIT_ROWS != 0)
        return sp_fail(
            err, SP_ABSENT, SP_O_FORMAT " bcsr:8x8, or another multiple of 8 rows",
            "matrix units take blocks of 8, 16, ... 64 rows and any number of columns, not %d x %d",
            (int)l->b_h, (int)l->b_w);
    if (l->n_c > INT32_MAX - l->b_w)
        return sp_fail(err, SP_ABSENT, "cut the matrix into parts", "%lld columns, the kernel counts to 2^31",
                       (long long)l->n_c);
    share_columns(l, g);
    g->registers = registers_for(l);
    g->vector = l->r % (16 / (int)l->s_x) == 0 ? 16 / (int)l->s_x : 1;
    g->vectors = 1;
    g->n_parts = 1;
    set_switches(l, SP_GPU_MMA_ALL, g);
    return SP_OK;
}

enum sp_status sp_gpu_launch_switch(const struct sp_layout *l, unsigned switches, struct sp_gpu_launch *g,
                                    struct sp_error *err)
{
    if (g->map != SP_GPU_MMA)
        return sp_fail(err, SP_ABSENT, "name the kernel cuda-mma",
                       "GPU kernels that share by %s have no parts "
                       "to switch off",
                       sp_gpu_map_name(g->map));
    if (switches != SP_GPU_MMA_ALL && (l->precision != SP_F16 || g->vector == 1))
        return sp_fail(err, SP_ABSENT, SP_O_PRECISION " f16, and a width that is a multiple of 8",
                       "parts of the kernel can be switched off for f16 and whole loads only");
    set_switches(l, switches & SP_GPU_MMA_ALL, g);
    return SP_OK;
}

struct map_facts {
    const char *name;
    enum sp_op op;
    int format;
    int block_threads, registers;
    double steps;
    bool streams_pass_L1, wide_index; /* has bodies for 64-bit indices */
};

/* Registers as ptxas of CUDA 13.0 says for compute capability 9.0 (nvcc -Xptxas -v), the most of
 * the bodies for f64 and i32 of a map, rounded up to what a warp is given; of GROUP and ROW with
 * one load of a thread and with two launch_dense() says which. `steps` by the same code. */
static const struct map_facts maps[SP_N_GPU_MAPS] = {
    [SP_GPU_THREAD] = {"thread", SP_OP_SPMV, SP_FORMAT_CRS, 256, 32, 2, false, true},
    [SP_GPU_LANES] = {"lanes", SP_OP_SPMV, SP_FORMAT_CRS, 256, 32, 2, false, true},
    [SP_GPU_MERGE] = {"merge", SP_OP_SPMV, SP_FORMAT_CRS, SP_GPU_MERGE_THREADS, 40, 2, true, false},
    [SP_GPU_KEEP] = {"keep", SP_OP_SPMV, SP_FORMAT_CRS, 256, 40, 2, false, false},
    [SP_GPU_BINS] = {"bins", SP_OP_SPMV, SP_FORMAT_CRS, SP_GPU_BINS_THREADS, 32, 2, false, false},
    [SP_GPU_CHUNK] = {"chunk", SP_OP_SPMV, SP_FORMAT_SELL, 128, 32, 2, true, true},
    [SP_GPU_GROUP] = {"group", SP_OP_SPMMV, SP_FORMAT_CRS, 128, 48, 2, false, true},
    [SP_GPU_SLOT] = {"slot", SP_OP_SPMMV, SP_FORMAT_SELL, 128, 56, 2, false, false},
    [SP_GPU_OUTPUT] = {"output", SP_OP_SPMM, SP_FORMAT_CRS, 256, 40, 2, false, false},
    [SP_GPU_ROW] = {"row", SP_OP_SPMM, SP_FORMAT_CRS, 128, 64, 2, false, true},
    [SP_GPU_SHARE] = {"share", SP_OP_SPMM, SP_FORMAT_CRS, 128, 64, 2, false, false},
    [SP_GPU_STAGE] = {"stage", SP_OP_SPMM, SP_FORMAT_STAGED, 256, 80, 2, false, true},
    [SP_GPU_SAMPLE] = {"sample", SP_OP_SDDMM, SP_FORMAT_CRS, 128, 72, 2, false, true},
    [SP_GPU_EQUAL] = {"equal", SP_OP_SDDMM, SP_FORMAT_COO, 128, 88, 2, false, false},
    [SP_GPU_TILE] = {"tile", SP_OP_SDDMM, SP_FORMAT_TILED, 256, 64, 1, false, false},
    [SP_GPU_FUSED] = {"fused", SP_OP_FUSEDMM, SP_FORMAT_CRS, 128, 88, 4, false, true},
    [SP_GPU_MMA] = {"mma", SP_OP_SPMM, SP_FORMAT_BCSR, 256, 80, 2, false, true},
};

/* Odd: items of a thread then begin in another bank of shared memory than those of its
 * neighbours. */
enum { MERGE_ITEMS = 7 };
#define MOST_BLOCKS INT64_C(2147483647)

const char *sp_gpu_map_name(enum sp_gpu_map map)
{
    return maps[map].name;
}

enum sp_op sp_gpu_map_op(enum sp_gpu_map map)
{
    return maps[map].op;
}

int sp_gpu_map_format(enum sp_gpu_map map)
{
    return maps[map].format;
}

static bool has_lanes(enum sp_gpu_map map)
{
    return map == SP_GPU_LANES || map == SP_GPU_KEEP || map == SP_GPU_BINS;
}

static bool is_long(const struct sp_layout *l, const struct sp_gpu_launch *g, int64_t row)
{
    return sp_layout_ptr(l, row + 1) - sp_layout_ptr(l, row) > g->items;
}

/* Rows that a block has, and the sums of its warps. */
static void set_bins(const struct sp_layout *l, struct sp_gpu_launch *g)
{
    g->items = SP_GPU_SHORT_ROW;
    for (int64_t i = 0; i < l->n_r; i++)
        g->n_long += is_long(l, g, i);
    g->shared_B = (size_t)sp_gpu_block_warps(g) * l->s_x;
    g->n_blocks = g->n_long + sp_gpu_ratio_up(l->n_r * g->lanes, g->block_threads);
}

void sp_gpu_long_rows(const struct sp_layout *l, const struct sp_gpu_launch *g, int64_t *row)
{
    int64_t n = 0;
    for (int64_t i = 0; i < l->n_r && n < g->n_long; i++)
        if (is_long(l, g, i))
            row[n++] = i;
}

/* Bodies of what is rarely chosen (64-bit indices, complex numbers) have 4 or 16 lanes. */
static int spmv_lanes(const struct sp_layout *l, int wanted)
{
    const bool is_rare = l->index == SP_I64 || l->precision == SP_C128;
    int lanes = 2;
    while (wanted == 0 && lanes < SP_WARP && (int64_t)lanes * l->n_r < l->n_nz)
        lanes *= 2;
    if (wanted > 0)
        lanes = wanted;
    return !is_rare ? lanes : lanes <= 4 ? 4 : 16;
}

/* A block's part of the path in shared memory: the products of its entries and the ends of its
 * rows, one more each for the ends of the part, and a carry for each thread. */
static size_t merge_shared(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    size_t items = (size_t)sp_gpu_block_items(g) + 1, threads = (size_t)g->block_threads;
    return items * l->s_x + items * sizeof(int32_t) + threads * (l->s_x + sizeof(int32_t));
}

enum sp_status sp_gpu_launch_make(const struct sp_layout *l, enum sp_gpu_map map, int lanes,
                                  struct sp_gpu_launch *g, struct sp_error *err)
{
    const struct map_facts *m = &maps[map];
    memset(g, 0, sizeof *g);
    const bool is_spmv = m->op == SP_OP_SPMV && l->op == SP_OP_SPMMV && l->r == 1;
    if (l->op != m->op && !is_spmv)
        return sp_fail(err, SP_ABSENT, "name another operation", "GPU kernels that share by %s are for %s",
                       m->name, sp_op_name(m->op));
    if (l->index == SP_D16)
        return sp_fail(err, SP_ABSENT, "take " SP_O_INDEX " i32", "GPU kernels do not read 16-bit offsets");
    if (l->index == SP_I64 && (!m->wide_index || (l->s_x == 2 && map != SP_GPU_MMA)))
        return sp_fail(err, SP_ABSENT, "take " SP_O_INDEX " i32, or another kernel",
                       "GPU kernels that share by %s have no 64-bit indices%s", m->name,
                       m->wide_index ? " beside 16-bit values" : "");
    if ((map == SP_GPU_KEEP || map == SP_GPU_BINS) && l->precision == SP_C128)
        return sp_fail(err, SP_ABSENT, "take " SP_O_ISA " cuda-lanes",
                       "GPU kernels that share by %s have no complex numbers", m->name);
    if (l->precision == SP_MIXED)
        return sp_fail(err, SP_ABSENT, "take " SP_O_PRECISION " f64 or f32",
                       "GPU kernels have values and vectors of one precision");
    if (l->prefetch > 0)
        return sp_fail(err, SP_ABSENT, "leave " SP_O_PREFETCH " out",
                       "GPU kernels do not ask for x in advance");
    if (l->format != m->format)
        return sp_fail(err, SP_ABSENT, "name another format", "GPU kernels that share by %s are for %s",
                       m->name, sp_format_name(m->format));
    if (map == SP_GPU_CHUNK && l->C % SP_WARP != 0)
        return sp_fail(err, SP_ABSENT, SP_O_FORMAT " sell:32,256",
                       "a warp takes whole slots of 32 rows, C = %d is not a multiple of 32", (int)l->C);
    struct sp_gpu_launch made = {.map = map,
                                 .lanes = has_lanes(map) ? spmv_lanes(l, lanes) : 1,
                                 .items = map == SP_GPU_MERGE ? MERGE_ITEMS : 0,
                                 .block_threads = m->block_threads,
                                 .registers = m->registers,
                                 .steps = m->steps,
                                 .streams_pass_L1 = m->streams_pass_L1};
    if (m->op != SP_OP_SPMV) {
        enum sp_status status =
            map == SP_GPU_MMA ? launch_mma(l, &made, err) : launch_dense(l, lanes, &made, err);
        if (status != SP_OK)
            return status;
    }
    switch (map) {
    case SP_GPU_MERGE:
        made.shared_B = merge_shared(l, &made);
        made.n_blocks = sp_gpu_shares(l, &made);
        break;
    case SP_GPU_CHUNK:
        made.n_blocks = sp_gpu_ratio_up(l->n_chunks * l->C, made.block_threads);
        break;
    case SP_GPU_BINS:
        set_bins(l, &made);
        break;
    case SP_GPU_THREAD:
    case SP_GPU_LANES:
    case SP_GPU_KEEP:
        made.n_blocks = sp_gpu_ratio_up(l->n_r * made.lanes, made.block_threads);
        break;
    default:
        break;
    }
    if (map == SP_GPU_BINS && made.n_long == 0)
        return sp_fail(err, SP_ABSENT, "take " SP_O_ISA " cuda-lanes", "no row has more than %d nonzeros",
                       SP_GPU_SHORT_ROW);
    if (made.n_blocks > MOST_BLOCKS)
        return sp_fail(err, SP_ABSENT, "cut the matrix into parts", "%lld blocks, a grid has at most %lld",
                       (long long)made.n_blocks, (long long)MOST_BLOCKS);
    *g = made;
    return SP_OK;
}

static int64_t share_items(const struct sp_gpu_launch *g)
{
    return g->map == SP_GPU_MERGE ? sp_gpu_block_items(g) : g->map == SP_GPU_SHARE ? g->items : 0;
}

int64_t sp_gpu_shares(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    const int64_t items = share_items(g);
    return items > 0 ? sp_gpu_ratio_up(l->n_r + l->n_nz, items) : 0;
}

int64_t sp_gpu_carries(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    const int64_t n = sp_gpu_shares(l, g);
    return g->map == SP_GPU_SHARE ? n * sp_gpu_share_sums(l) * l->r : n;
}

size_t sp_gpu_carry_size(const struct sp_layout *l)
{
    return l->s_y == 2 ? sizeof(float) : l->s_y;
}

int64_t sp_gpu_carry_threads(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    const int64_t n = sp_gpu_shares(l, g), of_thread = sp_gpu_share_sums(l) == 2 ? 1 : SP_GPU_CARRY_SHARES;
    return g->map == SP_GPU_SHARE ? sp_gpu_ratio_up(n, of_thread) * l->r : n;
}

/* Row i ends at item ptr[i + 1] + i: the ends are items themselves, and ascend. */
int64_t sp_gpu_merge_rows_before(const struct sp_layout *l, int64_t item)
{
    int64_t lo = item > l->n_nz ? item - l->n_nz : 0;
    int64_t hi = item < l->n_r ? item : l->n_r;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (sp_layout_ptr(l, middle + 1) + middle < item)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

void sp_gpu_merge_starts(const struct sp_layout *l, const struct sp_gpu_launch *g, int64_t *start)
{
    const int64_t all = l->n_r + l->n_nz, of_share = share_items(g), n = sp_gpu_shares(l, g);
    for (int64_t s = 0; s <= n; s++)
        start[s] = sp_gpu_merge_rows_before(l, s * of_share < all ? s * of_share : all);
}
