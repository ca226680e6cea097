#include "model/gpu/occupancy.h"

bool sp_gpu_is_described(const struct sp_machine *m)
{
    return m->kind == SP_GPU && m->gpu.threads >= SP_WARP && m->n_caches >= 2 && m->n_cores > 0 &&
           m->cache[0].sector_B == 32 && sp_cache_granule_B(&m->cache[m->n_caches - 1]) == 32;
}

static void lower(struct sp_occupancy *o, int64_t blocks, const char *limit)
{
    if (blocks >= o->blocks)
        return;
    o->blocks = blocks > 1 ? (int)blocks : 1;
    o->limit = limit;
}

struct sp_occupancy sp_occupancy_of(const struct sp_machine *m, const struct sp_gpu_launch *g)
{
    enum { REGISTERS_AT_A_TIME = 256 };
    const struct sp_gpu_limits *sm = &m->gpu;
    struct sp_occupancy o = {.blocks = sm->threads / g->block_threads, .limit = "threads"};
    if (o.blocks < 1)
        o.blocks = 1;
    if (sm->blocks > 0)
        lower(&o, sm->blocks, "blocks");
    int64_t of_warp = ((int64_t)g->registers * SP_WARP + REGISTERS_AT_A_TIME - 1) / REGISTERS_AT_A_TIME *
                      REGISTERS_AT_A_TIME;
    if (sm->registers > 0 && of_warp > 0)
        lower(&o, sm->registers / (of_warp * sp_gpu_block_warps(g)), "registers");
    const int64_t shared_B = g->shared_B > 0 ? (int64_t)g->shared_B + sm->block_shared_B : 0;
    if (sm->shared_B > 0 && shared_B > 0)
        lower(&o, sm->shared_B / shared_B, "shared memory");
    o.warps = (int)(o.blocks * sp_gpu_block_warps(g));
    o.L1_B = m->cache[0].size_B - o.blocks * shared_B;
    if (o.L1_B < m->cache[0].line_B)
        o.L1_B = m->cache[0].line_B;
    return o;
}
