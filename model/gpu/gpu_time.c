#include "model/gpu/gpu_time.h"

#include <math.h>
#include <string.h>

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

static const char unknown[] = "the machine does not describe it";

struct sp_value sp_gpu_rate_of(double n, struct sp_value seconds)
{
    if (!sp_value_known(seconds))
        return seconds;
    return sp_value_between(n / seconds.value, n / seconds.hi, n / seconds.lo, seconds.origin);
}

struct sp_value sp_gpu_term_time(const struct sp_roof_term *t)
{
    if (!sp_value_known(t->rate) || !sp_value_known(t->amount)) {
        const struct sp_value *lacks = sp_value_known(t->rate) ? &t->amount : &t->rate;
        return sp_value_none(lacks->why ? lacks->why : unknown);
    }
    return sp_value_between(t->amount.value / t->rate.value, t->amount.lo / t->rate.hi,
                            t->amount.hi / t->rate.lo, SP_MODELLED);
}

struct sp_roofline sp_gpu_time_of(double work, const struct sp_roof_term term[SP_N_GPU_TERMS])
{
    struct sp_roofline r = sp_roofline(work, term, SP_GPU_TERM_LAUNCH);
    double longest_s = r.binding < 0 ? -1 : r.time_s.value;
    for (int i = SP_GPU_TERM_LAUNCH; i < SP_N_GPU_TERMS; i++) {
        const struct sp_value t = sp_gpu_term_time(&term[i]);
        if (!sp_value_known(t))
            continue;
        r.time_s = r.binding < 0 ? t : sp_value_sum(r.time_s, t);
        if (t.value > longest_s) {
            longest_s = t.value;
            r.binding = i;
        }
    }
    if (r.binding >= 0)
        r.performance = r.time_s.lo > 0 ? sp_value_between(work / r.time_s.value, work / r.time_s.hi,
                                                           work / r.time_s.lo, SP_MODELLED)
                                        : sp_value_none("nothing to do");
    return r;
}

struct sp_value sp_gpu_waited_time(const struct sp_machine *m, struct sp_value time_s)
{
    if (!sp_value_known(m->gpu.wait_s) || !sp_value_known(time_s))
        return sp_value_none(unknown);
    return sp_value_between(time_s.value + m->gpu.wait_s.value, time_s.lo + m->gpu.wait_s.lo,
                            time_s.hi + m->gpu.wait_s.hi, SP_MODELLED);
}

struct sp_value sp_gpu_last_wave(double n_waves, struct sp_value steady_s, struct sp_value waits_s)
{
    if (!sp_value_known(steady_s) || !sp_value_known(waits_s))
        return sp_value_none(unknown);
    const double part = n_waves - floor(n_waves);
    if (n_waves <= 1 || part <= 0)
        return sp_value_of(0, SP_MODELLED);
    const double value = fmax(0, waits_s.value - part * steady_s.value) / n_waves;
    return sp_value_between(value, fmin(value, fmax(0, waits_s.lo - part * steady_s.hi) / n_waves),
                            fmax(value, fmax(0, waits_s.hi - part * steady_s.lo) / n_waves), SP_MODELLED);
}

/* SpMV reaches a share of what loads alone do. */
static struct sp_value reached(struct sp_value share, struct sp_value roof)
{
    if (!sp_value_known(share) || !sp_value_known(roof))
        return roof;
    return sp_value_between(roof.value * share.value, roof.lo * share.lo, roof.hi * share.hi, SP_MODELLED);
}

/* What waits for memory as if for the L2 alone; the same where that is not described. */
static struct sp_value from_L2(const struct sp_machine *m, struct sp_value seconds)
{
    const struct sp_value L2 = m->gpu.L2_latency_s, memory = m->gpu.latency_s;
    if (!sp_value_known(L2) || !sp_value_known(memory) || !sp_value_known(seconds))
        return seconds;
    const double part = L2.value / memory.value;
    return sp_value_between(seconds.value * part, seconds.lo * part, seconds.hi, SP_MODELLED);
}

struct sp_gpu_sizes_time sp_gpu_time_of_sizes(const struct sp_machine *m, const struct sp_gpu_sizes *sizes,
                                              const struct sp_prediction *p)
{
    static const char *const names[] = {
        "memory bandwidth", "L2 bandwidth", "L1 requests", "peak performance", "latency",
        "launch overhead",  "ramp",         "last wave",   "row ends"};
    const struct sp_value nothing = sp_value_of(0, SP_MODELLED),
                          none = sp_value_none("it does not follow from sizes alone");
    const bool in_memory = strcmp(p->residence.name, "MEM") == 0;
    struct sp_gpu_sizes_time t = {0};
    for (int i = 0; i < SP_N_GPU_TERMS; i++)
        t.term[i] = (struct sp_roof_term){names[i], nothing, none};
    struct sp_roof_term *bytes = &t.term[in_memory ? SP_GPU_TERM_MEMORY : SP_GPU_TERM_L2];
    bytes->amount = p->volume_B;
    bytes->rate = in_memory ? reached(sizes->thread_rows ? m->gpu.sell_share : m->gpu.crs_share, p->roof_Bps)
                            : p->roof_Bps;
    for (int i = 0; i < p->n_terms; i++)
        if (strcmp(p->term[i].name, names[SP_GPU_TERM_PEAK]) == 0)
            t.term[SP_GPU_TERM_PEAK] = p->term[i];
    if (sizes->thread_rows && sizes->longest > 0)
        t.term[SP_GPU_TERM_LATENCY] =
            (struct sp_roof_term){names[SP_GPU_TERM_LATENCY], sp_value_of((double)sizes->longest, SP_STATED),
                                  sp_gpu_rate_of(1, in_memory ? m->gpu.step_s : from_L2(m, m->gpu.step_s))};
    t.term[SP_GPU_TERM_LAUNCH].amount = sp_value_of(sizes->thread_rows ? 1 : 2, SP_MODELLED);
    t.term[SP_GPU_TERM_LAUNCH].rate = sp_gpu_rate_of(1, m->gpu.launch_s);
    t.term[SP_GPU_TERM_RAMP].amount = sp_value_of(SP_GPU_RAMP_LOADS, SP_MODELLED);
    t.term[SP_GPU_TERM_RAMP].rate =
        sp_gpu_rate_of(1, in_memory ? m->gpu.latency_s : from_L2(m, m->gpu.latency_s));
    if (!sizes->thread_rows) {
        t.term[SP_GPU_TERM_ROWS].amount = sp_value_of((double)sizes->n_r, SP_STATED);
        t.term[SP_GPU_TERM_ROWS].rate = sp_gpu_rate_of(1, m->gpu.row_s);
    }
    t.roofline = sp_gpu_time_of(p->work, t.term);
    t.binding = t.roofline.binding < 0 ? "unknown" : t.term[t.roofline.binding].name;
    t.waited_s = sp_gpu_waited_time(m, t.roofline.time_s);
    return t;
}
