#include "model/gpu/gpu_predict.h"

#include <math.h>
#include <string.h>

#include "model/gpu/units.h"

static struct sp_value roof_of(const struct sp_machine *m, const char *level, const struct sp_ceiling **roof)
{
    *roof = sp_roof_of(m, level, m->n_cores, NULL, NULL);
    return *roof ? (*roof)->value : sp_value_none("the machine does not describe it");
}

/* Arithmetic: useful operations at the peak of FMA, or what matrix units execute at theirs. */
static struct sp_roof_term arithmetic_of(const struct sp_gpu_grid *g, const struct sp_machine *m, double work)
{
    const bool on_units = g->launch.map == SP_GPU_MMA;
    const enum sp_precision precision = g->layout->precision;
    const char *word = precision == SP_F64 || precision == SP_C128 ? "f64" : "f32";
    const struct sp_ceiling *peak = on_units
                                        ? sp_gpu_unit_peak(m, precision)
                                        : sp_machine_ceiling(m, "fma", "core", word, m->n_cores, NULL, NULL);
    return (struct sp_roof_term){
        on_units ? "peak of matrix units" : "peak performance",
        sp_value_of(on_units ? sp_gpu_unit_work(g->layout, &g->launch) : work, SP_MODELLED),
        peak ? peak->value : sp_value_none("the machine does not describe it")};
}

/* So many at a time, each of which takes `seconds`. */
static struct sp_value rate_of(double n, struct sp_value seconds)
{
    if (!sp_value_known(seconds))
        return seconds;
    return sp_value_between(n / seconds.value, n / seconds.hi, n / seconds.lo, seconds.origin);
}

/* `resident` warps wait at the same time, the longest one as often as it must. */
static struct sp_value waits_of(const struct sp_gpu_traffic *t, double resident)
{
    double steps = (double)sp_coalesced_steps(&t->sectors);
    struct sp_value sectors = t->memory_load_B;
    double longest = (double)t->sectors.most_steps * resident;
    double bound[] = {sectors.value, sectors.lo, sectors.hi};
    for (int i = 0; i < 3; i++)
        bound[i] = bound[i] > 0 ? fmax(fmin(steps, bound[i] / SP_GPU_SECTOR_B), longest) : 0;
    return sp_value_between(bound[0], bound[1], bound[2], SP_MODELLED);
}

/* What the SMs that have a block can draw of a ceiling of all. */
static struct sp_value part_of(struct sp_value rate, double share)
{
    if (!sp_value_known(rate) || share == 1)
        return rate;
    return sp_value_between(rate.value * share, rate.lo * share, rate.hi * share, SP_MODELLED);
}

static void set_terms(const struct sp_gpu_grid *g, const struct sp_machine *m, double work,
                      struct sp_gpu_prediction *p)
{
    const struct sp_gpu_traffic *t = &p->traffic;
    double resident = fmin((double)sp_gpu_warps(&g->launch), (double)m->n_cores * t->occupancy.warps);
    const double share = p->busy = fmin(1, (double)g->launch.n_blocks / m->n_cores);
    double launches = sp_gpu_carry_blocks(g) > 0 ? 2 : 1;
    p->term[SP_GPU_TERM_MEMORY] =
        (struct sp_roof_term){"memory bandwidth", sp_value_sum(t->memory_load_B, t->memory_store_B),
                              part_of(roof_of(m, "MEM", &p->memory_roof), share)};
    p->term[SP_GPU_TERM_L2] = (struct sp_roof_term){"L2 bandwidth", sp_value_sum(t->L2_load_B, t->L2_store_B),
                                                    part_of(roof_of(m, "L2", &p->L2_roof), share)};
    p->term[SP_GPU_TERM_PEAK] = arithmetic_of(g, m, work);
    p->term[SP_GPU_TERM_PEAK].rate = part_of(p->term[SP_GPU_TERM_PEAK].rate, share);
    p->term[SP_GPU_TERM_LAUNCH] = (struct sp_roof_term){"launch overhead", sp_value_of(launches, SP_MODELLED),
                                                        rate_of(1, m->gpu.launch_s)};
    p->term[SP_GPU_TERM_LATENCY] = (struct sp_roof_term){
        "latency", waits_of(t, resident), rate_of(resident * SP_GPU_OVERLAP, m->gpu.latency_s)};
}

/* The slowest resource. Where nothing comes from memory and the L2 is not described, its bytes, all that they
 * may be, at the bandwidth of memory. */
static struct sp_roofline slowest(double work, struct sp_gpu_prediction *p)
{
    const struct sp_roof_term *memory = &p->term[SP_GPU_TERM_MEMORY];
    struct sp_roof_term *L2 = &p->term[SP_GPU_TERM_L2];
    p->L2_as_memory = memory->amount.hi <= 0 && !sp_value_known(L2->rate) && sp_value_known(memory->rate);
    if (!p->L2_as_memory)
        return sp_roofline(work, p->term, SP_N_GPU_TERMS);
    L2->rate = memory->rate;
    struct sp_roof_term term[SP_N_GPU_TERMS];
    memcpy(term, p->term, sizeof term);
    term[SP_GPU_TERM_L2].amount = sp_value_of(L2->amount.hi, L2->amount.origin);
    return sp_roofline(work, term, SP_N_GPU_TERMS);
}

enum sp_status sp_gpu_predict(const struct sp_layout *l, const struct sp_gpu_launch *launch,
                              const struct sp_machine *m, double work, bool warm,
                              const struct sp_progress *progress, struct sp_gpu_prediction *p,
                              struct sp_error *err)
{
    struct sp_gpu_grid grid;
    memset(p, 0, sizeof *p);
    p->launch = *launch;
    enum sp_status status = sp_gpu_grid_make(l, launch, &grid, err);
    if (status == SP_OK)
        status = sp_gpu_traffic_of(&grid, m, warm, progress, &p->traffic, err);
    if (status == SP_OK) {
        set_terms(&grid, m, work, p);
        p->roofline = slowest(work, p);
        p->binding = p->roofline.binding < 0 ? "unknown" : p->term[p->roofline.binding].name;
    }
    sp_gpu_grid_free(&grid);
    return status;
}
