#include "sparse/launch/gpu_launch.h"

#include <string.h>

#include "base/option/option_words.h"
#include "sparse/launch/gpu_launch_dense.h"
#include "sparse/launch/gpu_launch_mma.h"

struct map_facts {
    const char *name;
    enum sp_op op;
    enum sp_format format;
    int block_threads, registers;
    bool streams_pass_L1;
};

/* Registers as ptxas of CUDA 13.0 says for compute capability 9.0 (nvcc -Xptxas -v), the most of the bodies
 * for f64 and i32 of a map, rounded up to what a warp is given; of GROUP and ROW with one load of a thread
 * and with two sp_gpu_launch_dense() says which. */
static const struct map_facts maps[SP_N_GPU_MAPS] = {
    [SP_GPU_THREAD] = {"thread", SP_OP_SPMV, SP_FORMAT_CRS, 256, 32, false},
    [SP_GPU_LANES] = {"lanes", SP_OP_SPMV, SP_FORMAT_CRS, 256, 32, false},
    [SP_GPU_MERGE] = {"merge", SP_OP_SPMV, SP_FORMAT_CRS, 256, 32, true},
    [SP_GPU_CHUNK] = {"chunk", SP_OP_SPMV, SP_FORMAT_SELL, 128, 32, true},
    [SP_GPU_GROUP] = {"group", SP_OP_SPMMV, SP_FORMAT_CRS, 128, 48, false},
    [SP_GPU_SLOT] = {"slot", SP_OP_SPMMV, SP_FORMAT_SELL, 128, 48, false},
    [SP_GPU_OUTPUT] = {"output", SP_OP_SPMM, SP_FORMAT_CRS, 256, 48, false},
    [SP_GPU_ROW] = {"row", SP_OP_SPMM, SP_FORMAT_CRS, 128, 64, false},
    [SP_GPU_SHARE] = {"share", SP_OP_SPMM, SP_FORMAT_CRS, 128, 64, false},
    [SP_GPU_STAGE] = {"stage", SP_OP_SPMM, SP_FORMAT_STAGED, 256, 88, false},
    [SP_GPU_SAMPLE] = {"sample", SP_OP_SDDMM, SP_FORMAT_CRS, 128, 64, false},
    [SP_GPU_EQUAL] = {"equal", SP_OP_SDDMM, SP_FORMAT_COO, 128, 72, false},
    [SP_GPU_TILE] = {"tile", SP_OP_SDDMM, SP_FORMAT_TILED, 256, 56, false},
    [SP_GPU_FUSED] = {"fused", SP_OP_FUSEDMM, SP_FORMAT_CRS, 128, 80, false},
    [SP_GPU_MMA] = {"mma", SP_OP_SPMM, SP_FORMAT_BCSR, 256, 80, false},
};

enum { MERGE_ITEMS = 8 };
#define MOST_BLOCKS INT64_C(2147483647)

const char *sp_gpu_map_name(enum sp_gpu_map map)
{
    return maps[map].name;
}

enum sp_op sp_gpu_map_op(enum sp_gpu_map map)
{
    return maps[map].op;
}

enum sp_format sp_gpu_map_format(enum sp_gpu_map map)
{
    return maps[map].format;
}

static int lanes_for(const struct sp_layout *l)
{
    int lanes = 2;
    while (lanes < SP_WARP && (int64_t)lanes * l->n_r < l->n_nz)
        lanes *= 2;
    return lanes;
}

/* A block's part of the path in shared memory: the products of its entries and the ends of its rows, one
 * more each for the ends of the part, and a carry for each thread. */
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
                                 .lanes = map != SP_GPU_LANES ? 1
                                          : lanes > 0         ? lanes
                                                              : lanes_for(l),
                                 .items = map == SP_GPU_MERGE ? MERGE_ITEMS : 0,
                                 .block_threads = m->block_threads,
                                 .registers = m->registers,
                                 .streams_pass_L1 = m->streams_pass_L1};
    if (m->op != SP_OP_SPMV) {
        enum sp_status status =
            map == SP_GPU_MMA ? sp_gpu_launch_mma(l, &made, err) : sp_gpu_launch_dense(l, lanes, &made, err);
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
    case SP_GPU_THREAD:
    case SP_GPU_LANES:
        made.n_blocks = sp_gpu_ratio_up(l->n_r * made.lanes, made.block_threads);
        break;
    default:
        break;
    }
    if (made.n_blocks > MOST_BLOCKS)
        return sp_fail(err, SP_ABSENT, "cut the matrix into parts", "%lld blocks, a grid has at most %lld",
                       (long long)made.n_blocks, (long long)MOST_BLOCKS);
    *g = made;
    return SP_OK;
}

int64_t sp_gpu_share_items(const struct sp_gpu_launch *g)
{
    return g->map == SP_GPU_MERGE ? sp_gpu_block_items(g) : g->items;
}

int64_t sp_gpu_shares(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    const int64_t items = sp_gpu_share_items(g);
    return items > 0 ? sp_gpu_ratio_up(l->n_r + l->n_nz, items) : 0;
}

int64_t sp_gpu_carry_threads(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    const int64_t n = sp_gpu_shares(l, g);
    return g->map == SP_GPU_SHARE ? sp_gpu_ratio_up(n, SP_GPU_CARRY_SHARES) * l->r : n;
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
    const int64_t all = l->n_r + l->n_nz, of_share = sp_gpu_share_items(g), n = sp_gpu_shares(l, g);
    for (int64_t s = 0; s <= n; s++)
        start[s] = sp_gpu_merge_rows_before(l, s * of_share < all ? s * of_share : all);
}
