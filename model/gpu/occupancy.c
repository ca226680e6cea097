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
    enum { REGISTERS_AT_A_TIME = 8 }; /* of a lane */
    const struct sp_gpu_limits *sm = &m->gpu;
    struct sp_occupancy o = {.blocks = sm->threads / g->block_threads, .limit = "threads"};
    if (o.blocks < 1)
        o.blocks = 1;
    if (sm->blocks > 0)
        lower(&o, sm->blocks, "blocks");
    const int64_t wave = sm->wave > 0 ? sm->wave : SP_WARP;
    const int64_t of_wave = sp_gpu_ratio_up(g->registers, REGISTERS_AT_A_TIME) * REGISTERS_AT_A_TIME * wave;
    if (sm->registers > 0 && of_wave > 0)
        lower(&o, sm->registers / (of_wave * sp_gpu_ratio_up(g->block_threads, wave)), "registers");
    const int64_t shared_B = g->shared_B > 0 ? (int64_t)g->shared_B + sm->block_shared_B : 0;
    if (sm->shared_B > 0 && shared_B > 0)
        lower(&o, sm->shared_B / shared_B, "shared memory");
    o.warps = (int)(o.blocks * sp_gpu_block_warps(g));
    o.L1_B = m->cache[0].size_B - o.blocks * shared_B;
    if (o.L1_B < m->cache[0].line_B)
        o.L1_B = m->cache[0].line_B;
    return o;
}

enum { PRODUCTS_OF_F32 = 3 };

double sp_gpu_unit_work(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    const int64_t of_stage = SP_GPU_MMA_STAGE_B / (int64_t)l->s_x, all = sp_gpu_ratio_up(l->n_c, l->b_w);
    int64_t columns = 0;
    for (int64_t I = 0; I < l->n_ptr - 1; I++) {
        const int64_t stored = sp_layout_ptr(l, I + 1) - sp_layout_ptr(l, I);
        const int64_t walked = (g->switches & SP_GPU_MMA_SKIP ? stored : all) * l->b_w;
        columns += sp_gpu_ratio_up(walked, of_stage) * of_stage;
    }
    const double products = l->precision == SP_F32 ? PRODUCTS_OF_F32 : 1;
    return 2 * products * (double)columns * (double)l->b_h * (double)g->n_tiles * (double)g->tile;
}

const struct sp_ceiling *sp_gpu_unit_peak(const struct sp_machine *m, enum sp_precision precision)
{
    const char *word = precision == SP_F32 ? "tf32" : sp_precision_name(precision);
    return sp_machine_ceiling(m, "mma", "core", word, m->n_cores, NULL, NULL);
}
