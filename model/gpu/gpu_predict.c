#include "model/gpu/gpu_predict.h"

#include <math.h>
#include <string.h>

#include "model/gpu/gpu_caches.h"
#include "model/gpu/gpu_time.h"

/* A thread for each row keeps little of its lines until it comes back to them: how much depends on
 * how the warps drift apart, which no simulation in turns sees. */
static const double THREAD_UNCERTAINTY = 5;
/* Blocks are dealt by who is ready, not in turn, and warps drift: taken as a twentieth. */
static const double OTHER_UNCERTAINTY = 1.05;

void sp_gpu_L2_band(const struct sp_machine *m, int64_t *lo_B, int64_t *hi_B)
{
    const struct sp_cache *L2 = sp_machine_llc(m);
    bool known = sp_value_known(L2->effective_B);
    *lo_B = known ? (int64_t)L2->effective_B.lo : L2->size_B / 2;
    *hi_B = sp_cache_most_B(L2);
}

static struct sp_value exact_bytes(int64_t sectors)
{
    return sp_value_of((double)sectors * SP_GPU_SECTOR_B, SP_SIMULATED);
}

/* Sectors as the counter has them. Where it is not known whether it counts parts of a warp by
 * themselves: those of whole warps, and those of the least parts at most. */
static struct sp_value counted_bytes(const struct sp_coalescing *sum, enum sp_gpu_access access,
                                     const struct sp_machine *m)
{
    const struct sp_value counted = exact_bytes(sp_coalesced_counted(sum, access));
    if (m->gpu.sector_lanes.origin != SP_NONE)
        return counted;
    const struct sp_value of_warps = exact_bytes(sp_coalesced_sectors(sum, access));
    return sp_value_between(of_warps.value, of_warps.value, counted.value, of_warps.origin);
}

struct sp_value sp_gpu_asked_B(const struct sp_gpu_traffic *t)
{
    const struct sp_value all = sp_value_sum(sp_value_sum(t->L1_load_B, t->L1_copy_B), t->L1_store_B);
    return sp_value_between(all.value, all.lo, all.hi, SP_MODELLED);
}

/* What the L1s are busy with: the cycles that all requests take them, each as four sectors [B]. */
static struct sp_value gpu_taken_B(const struct sp_gpu_traffic *t)
{
    return sp_value_of((double)sp_coalesced_cycles(&t->sectors) * SP_GPU_CYCLE_SECTORS * SP_GPU_SECTOR_B,
                       SP_MODELLED);
}

/* Loads behind the L1s at a capacity [B]. */
static double behind(const struct sp_coalescing *sum, const struct sp_gpu_l1 *l1, enum sp_gpu_l1_size size)
{
    double sectors = 0;
    for (int a = 0; a < SP_N_GPU_ARRAYS; a++)
        sectors += (double)sum->of[a][SP_GPU_LOAD].sectors * l1->missed[a][size];
    return sectors * SP_GPU_SECTOR_B;
}

/* From an L1 that never forgets to one of half the size, and a factor either way, but not more than
 * all sectors; a thread for each row also not less than each SM's sectors once. Copies pass all of
 * them. */
static void set_L2(const struct sp_gpu_grid *g, const struct sp_gpu_l1 *l1, struct sp_gpu_traffic *t)
{
    const bool thread = g->launch.map == SP_GPU_THREAD;
    const double factor = thread ? THREAD_UNCERTAINTY : OTHER_UNCERTAINTY;
    double value = behind(&t->sectors, l1, SP_GPU_L1_WHOLE);
    double least = behind(&t->sectors, l1, SP_GPU_L1_ENDLESS), half = behind(&t->sectors, l1, SP_GPU_L1_HALF);
    double lo = thread ? fmax(least, value / factor) : fmin(least, value / factor);
    double hi = fmin(fmax(half, value * factor), t->L1_load_B.value);
    const double copies = t->L1_copy_B.value;
    t->L2_load_B =
        sp_value_between(copies + value, copies + fmin(lo, value), copies + fmax(hi, value), SP_SIMULATED);
    t->L2_store_B = exact_bytes(sp_coalesced_sectors(&t->sectors, SP_GPU_STORE) +
                                sp_coalesced_sectors(&t->sectors, SP_GPU_ATOMIC));
}

/* What streams by once: nothing of it where the L2 keeps all from one execution to the next. */
static struct sp_value streamed(const struct sp_gpu_traffic *t, double bytes, bool warm)
{
    double lo = warm && t->footprint_B <= (double)t->L2_hi_B ? 0 : bytes;
    double hi = warm && t->footprint_B <= (double)t->L2_lo_B ? 0 : bytes;
    return sp_value_between((lo + hi) / 2, lo, hi, SP_SIMULATED);
}

/* Of the bytes that the first grid of MERGE and SHARE leaves to the second one, those that an L2 of
 * this size has lost by then; the launch asks for `all_B` altogether. */
static double lost_between(double left_B, double all_B, double L2_B)
{
    if (all_B <= L2_B)
        return 0;
    return left_B >= L2_B ? left_B : left_B * (all_B - L2_B) / (all_B - left_B);
}

/* Sums that are carried are written, and read again where the L2 has lost them; so are sectors of y
 * that the second grid adds to, which it writes once more. Where the L2 keeps all of the launch
 * they stay there, cold too. */
static void add_carries(const struct sp_gpu_grid *g, double carry_B, struct sp_gpu_traffic *t)
{
    const double y_B = (double)sp_gpu_array_bytes(g, SP_GPU_Y);
    const double adds_B = fmin(y_B, (double)t->sectors.of[SP_GPU_Y][SP_GPU_ATOMIC].sectors * SP_GPU_SECTOR_B);
    const double left_B = carry_B + adds_B;
    if (carry_B <= 0)
        return;
    const double lo = lost_between(left_B, t->footprint_B, (double)t->L2_hi_B) / left_B;
    const double hi = lost_between(left_B, t->footprint_B, (double)t->L2_lo_B) / left_B, mean = (lo + hi) / 2;
    t->memory_load_B = sp_value_sum(t->memory_load_B,
                                    sp_value_between(mean * left_B, lo * left_B, hi * left_B, SP_SIMULATED));
    t->memory_store_B = sp_value_sum(t->memory_store_B,
                                     sp_value_between(mean * adds_B, lo * adds_B, hi * adds_B, SP_SIMULATED));
    t->memory_store_B = sp_value_sum(t->memory_store_B, streamed(t, carry_B, true));
}

static void set_memory(const struct sp_gpu_grid *g, const struct sp_gpu_wave *w, bool warm,
                       struct sp_gpu_traffic *t)
{
    double y_B = (double)sp_gpu_array_bytes(g, SP_GPU_Y);
    double carry_B =
        (double)(sp_gpu_array_bytes(g, SP_GPU_CARRY_ROW) + sp_gpu_array_bytes(g, SP_GPU_CARRY_VAL));
    const double part = g->launch.x_in_window ? SP_GPU_SET_ASIDE : 1;
    const int64_t most_B = (int64_t)(part * (double)t->L2_hi_B),
                  least_B = (int64_t)(part * (double)t->L2_lo_B);
    double lo = sp_gpu_wave_x_bytes(w, most_B, 32, warm);
    double hi = fmax(sp_gpu_wave_x_bytes(w, least_B, 32, warm), sp_gpu_wave_x_bytes(w, least_B, 64, warm));
    t->footprint_B = (double)sp_gpu_wave_footprint(w);
    t->x_once_B = (double)w->n_sectors * SP_GPU_SECTOR_B;
    t->x_B = sp_value_between((lo + hi) / 2, lo, hi, SP_SIMULATED);
    t->memory_load_B = sp_value_sum(streamed(t, (double)w->stream_B - y_B - carry_B, warm), t->x_B);
    t->memory_store_B = streamed(t, y_B, warm);
    add_carries(g, carry_B, t);
}

static enum sp_status traffic_of(const struct sp_gpu_grid *g, const struct sp_machine *m, bool warm,
                                 const struct sp_progress *progress, struct sp_gpu_traffic *t,
                                 struct sp_error *err)
{
    memset(t, 0, sizeof *t);
    t->occupancy = sp_occupancy_of(m, &g->launch);
    sp_gpu_L2_band(m, &t->L2_lo_B, &t->L2_hi_B);
    sp_progress_step(progress, "counting sectors", -1);
    enum sp_status status = sp_coalesce(g, progress, &t->sectors, err);
    if (status != SP_OK)
        return status;
    t->use = sp_coalesced_use(g, &t->sectors);
    t->active = sp_coalesced_active(g, &t->sectors);
    t->L1_load_B = counted_bytes(&t->sectors, SP_GPU_LOAD, m);
    t->L1_copy_B = counted_bytes(&t->sectors, SP_GPU_COPY, m);
    t->L1_store_B = counted_bytes(&t->sectors, SP_GPU_STORE, m);
    const struct sp_gpu_l1_options inner = {.n_sm = m->n_cores,
                                            .n_resident = t->occupancy.blocks,
                                            .L1_B = t->occupancy.L1_B,
                                            .line_B = m->cache[0].line_B,
                                            .progress = progress};
    struct sp_gpu_l1 l1;
    sp_progress_step(progress, "simulating L1s", -1);
    status = sp_gpu_l1_simulate(g, &t->sectors, &inner, &l1, err);
    if (status != SP_OK)
        return status;
    t->n_sms = l1.n_sms;
    set_L2(g, &l1, t);
    const struct sp_gpu_wave_options outer = {.n_blocks = (int64_t)m->n_cores * t->occupancy.blocks,
                                              .n_gathers = sp_coalesced_gathers(&t->sectors),
                                              .together_B = t->L2_lo_B / 8,
                                              .seed = 1,
                                              .progress = progress};
    struct sp_gpu_wave wave;
    sp_progress_step(progress, "following x in waves", -1);
    status = sp_gpu_wave_follow(g, &outer, &wave, err);
    if (status == SP_OK)
        set_memory(g, &wave, warm, t);
    return status;
}

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

/* Latencies of memory that a load from the L2 takes: at most one where that is not described. */
static struct sp_value L2_part(const struct sp_machine *m)
{
    const struct sp_value L2 = m->gpu.L2_latency_s, memory = m->gpu.latency_s;
    return sp_value_known(L2) && sp_value_known(memory) ? sp_value_of(L2.value / memory.value, SP_MODELLED)
                                                        : sp_value_between(1, 0, 1, SP_MODELLED);
}

/* A step waits once, but not more often than sectors come from where it waits for, and the longest
 * warp as often as it must: `longest` steps. [latencies of memory] */
static double waits_for(const struct sp_gpu_traffic *t, double memory_B, double L2_B, double part,
                        double longest)
{
    const double steps = (double)sp_coalesced_steps(&t->sectors);
    return memory_B > 0 ? fmax(fmin(steps, memory_B / SP_GPU_SECTOR_B), longest)
                        : part * fmax(fmin(steps, L2_B / SP_GPU_SECTOR_B), longest);
}

static struct sp_value waits_of(const struct sp_gpu_traffic *t, struct sp_value part, double longest)
{
    const struct sp_value memory = t->memory_load_B, L2 = t->L2_load_B;
    return sp_value_between(waits_for(t, memory.value, L2.value, part.value, longest),
                            waits_for(t, memory.lo, L2.lo, part.lo, longest),
                            waits_for(t, memory.hi, L2.hi, part.hi, longest), SP_MODELLED);
}

/* What the SMs that have a block can draw of a ceiling of all. */
static struct sp_value part_of(struct sp_value rate, double share)
{
    if (!sp_value_known(rate) || share == 1)
        return rate;
    return sp_value_between(rate.value * share, rate.lo * share, rate.hi * share, SP_MODELLED);
}

/* What the SMs that have a block can draw of memory: their part of what the L2 gives, on whose way
 * it comes; where that is not known, between their part of memory's and all. */
static struct sp_value from_memory(struct sp_value all, struct sp_value L2_rate, double share)
{
    const struct sp_value least = part_of(all, share);
    if (!sp_value_known(all) || share == 1)
        return all;
    if (!sp_value_known(L2_rate))
        return sp_value_between(least.value, least.lo, all.hi, SP_MODELLED);
    return sp_value_between(fmin(all.value, fmax(least.value, L2_rate.value)),
                            fmin(all.lo, fmax(least.lo, L2_rate.lo)),
                            fmin(all.hi, fmax(least.hi, L2_rate.hi)), SP_MODELLED);
}

/* Latencies that a thread of the second grid waits after its first, 16-bit storage: beside the last
 * sum of its row it asks for many others together, then for some, from the L2 if that has them. */
static struct sp_value carry_waits(const struct sp_gpu_traffic *t, struct sp_value part)
{
    const int64_t n = t->sectors.most_carried > 0 ? t->sectors.most_carried - 1 : 0;
    const int64_t all = n / SP_GPU_CARRY_MANY + sp_gpu_ratio_up(n % SP_GPU_CARRY_MANY, SP_GPU_CARRY_SHARES);
    const double turns = all > 0 ? (double)(all - 1) : 0;
    return sp_value_between(turns * part.value, turns * part.lo, turns, SP_MODELLED);
}

/* What is there before the first data, nothing where nothing is loaded, and what the longest row of
 * a second grid takes longer. */
static void set_ends(const struct sp_gpu_grid *g, const struct sp_machine *m, struct sp_gpu_prediction *p)
{
    const struct sp_gpu_traffic *t = &p->traffic;
    const double per_latency = (double)m->n_cores * t->occupancy.warps * g->launch.steps;
    const double loads = t->L1_load_B.value + t->L1_copy_B.value > 0 ? SP_GPU_RAMP_LOADS : 0;
    const struct sp_value part = L2_part(m), memory_B = t->memory_load_B;
    const struct sp_value first = sp_value_between(memory_B.value > 0 ? loads : loads * part.value,
                                                   memory_B.lo > 0 ? loads : loads * part.lo,
                                                   memory_B.hi > 0 ? loads : loads * part.hi, SP_MODELLED);
    const struct sp_roof_term waiting = {"latency", waits_of(t, part, 0),
                                         sp_gpu_rate_of(per_latency, m->gpu.latency_s)};
    p->term[SP_GPU_TERM_RAMP] = (struct sp_roof_term){"ramp", sp_value_sum(first, carry_waits(t, part)),
                                                      sp_gpu_rate_of(1, m->gpu.latency_s)};
    p->n_waves = (double)g->launch.n_blocks / ((double)m->n_cores * t->occupancy.blocks);
    p->waits_s = sp_gpu_term_time(&waiting);
    p->term[SP_GPU_TERM_ROWS] =
        (struct sp_roof_term){"row ends", sp_value_of(0, SP_MODELLED), sp_value_of(1, SP_MODELLED)};
}

static void set_terms(const struct sp_gpu_grid *g, const struct sp_machine *m, double work,
                      struct sp_gpu_prediction *p)
{
    const struct sp_gpu_traffic *t = &p->traffic;
    const struct sp_ceiling *L1_roof;
    double resident = fmin((double)sp_gpu_warps(&g->launch), (double)m->n_cores * t->occupancy.warps);
    const double share = p->busy = fmin(1, (double)g->launch.n_blocks / m->n_cores);
    double launches = sp_gpu_carry_blocks(g) > 0 ? 2 : 1;
    const struct sp_value L2_rate = part_of(roof_of(m, "L2", &p->L2_roof), share);
    p->term[SP_GPU_TERM_MEMORY] =
        (struct sp_roof_term){"memory bandwidth", sp_value_sum(t->memory_load_B, t->memory_store_B),
                              from_memory(roof_of(m, "MEM", &p->memory_roof), L2_rate, share)};
    p->term[SP_GPU_TERM_L2] =
        (struct sp_roof_term){"L2 bandwidth", sp_value_sum(t->L2_load_B, t->L2_store_B), L2_rate};
    p->term[SP_GPU_TERM_L1] =
        (struct sp_roof_term){"L1 requests", gpu_taken_B(t), part_of(roof_of(m, "L1", &L1_roof), share)};
    p->term[SP_GPU_TERM_PEAK] = arithmetic_of(g, m, work);
    p->term[SP_GPU_TERM_PEAK].rate = part_of(p->term[SP_GPU_TERM_PEAK].rate, share);
    /* `resident` warps wait at the same time, the longest one as often as it must. */
    p->term[SP_GPU_TERM_LATENCY] =
        (struct sp_roof_term){"latency", waits_of(t, L2_part(m), (double)t->sectors.most_steps * resident),
                              sp_gpu_rate_of(resident * g->launch.steps, m->gpu.latency_s)};
    p->term[SP_GPU_TERM_LAUNCH] = (struct sp_roof_term){"launch overhead", sp_value_of(launches, SP_MODELLED),
                                                        sp_gpu_rate_of(1, m->gpu.launch_s)};
    set_ends(g, m, p);
}

/* The slowest resource. Where nothing comes from memory and the L2 is not described, its bytes, all
 * that they may be, at the bandwidth of memory: an upper bound, so the lower end has none of it. */
static struct sp_roofline slowest(double work, struct sp_gpu_prediction *p)
{
    const struct sp_roof_term *memory = &p->term[SP_GPU_TERM_MEMORY];
    struct sp_roof_term *L2 = &p->term[SP_GPU_TERM_L2];
    p->L2_as_memory = p->L2_as_memory ||
                      (memory->amount.hi <= 0 && !sp_value_known(L2->rate) && sp_value_known(memory->rate));
    struct sp_roof_term term[SP_N_GPU_TERMS];
    memcpy(term, p->term, sizeof term);
    if (!p->L2_as_memory) { /* an L2 that is not described takes from nothing to what memory would */
        if (!sp_value_known(L2->rate) && sp_value_known(memory->rate) && sp_value_known(L2->amount))
            term[SP_GPU_TERM_L2] = (struct sp_roof_term){
                L2->name, sp_value_between(0, 0, L2->amount.hi, L2->amount.origin), memory->rate};
        return sp_gpu_time_of(work, term);
    }
    L2->rate = term[SP_GPU_TERM_L2].rate = memory->rate;
    term[SP_GPU_TERM_L2].amount = sp_value_between(L2->amount.hi, 0, L2->amount.hi, L2->amount.origin);
    struct sp_roofline r = sp_gpu_time_of(work, term);
    if (r.time_s.lo > 0)
        return r;
    term[SP_GPU_TERM_L2].amount = sp_value_of(L2->amount.hi, L2->amount.origin); /* no other term is known */
    return sp_gpu_time_of(work, term);
}

/* What follows from the other terms: the last wave of few blocks, and the time. */
static void find_time(struct sp_gpu_prediction *p)
{
    const struct sp_roofline steady = sp_roofline(0, p->term, SP_GPU_TERM_LAUNCH);
    const struct sp_value last_s = sp_gpu_last_wave(p->n_waves, steady.time_s, p->waits_s);
    p->term[SP_GPU_TERM_TAIL] =
        (struct sp_roof_term){"last wave", sp_value_known(last_s) ? last_s : sp_value_of(0, SP_MODELLED),
                              sp_value_known(last_s) ? sp_value_of(1, SP_MODELLED) : last_s};
    p->roofline = slowest(p->work, p);
    p->binding = p->roofline.binding < 0 ? "unknown" : p->term[p->roofline.binding].name;
}

void sp_gpu_take_roof(struct sp_gpu_prediction *p, enum sp_gpu_term level, struct sp_value roof_Bps)
{
    const struct sp_value none = sp_value_none("the machine does not describe it");
    p->term[level].rate =
        level == SP_GPU_TERM_MEMORY
            ? from_memory(roof_Bps, p->L2_as_memory ? none : p->term[SP_GPU_TERM_L2].rate, p->busy)
            : part_of(roof_Bps, p->busy);
    p->L2_as_memory = p->L2_as_memory && level != SP_GPU_TERM_L2;
    find_time(p);
}

struct sp_roofline sp_gpu_time_with(const struct sp_gpu_prediction *prediction, enum sp_gpu_term level,
                                    struct sp_value bytes)
{
    struct sp_gpu_prediction p = *prediction;
    p.term[level].amount = bytes;
    find_time(&p);
    return p.roofline;
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
    const struct sp_gpu_sector_lanes *lanes = &m->gpu.sector_lanes;
    grid.lanes_of_8B = lanes->origin == SP_NONE ? SP_GPU_LEAST_LANES_8B : lanes->of_8B;
    grid.lanes_of_16B = lanes->origin == SP_NONE ? SP_GPU_LEAST_LANES_16B : lanes->of_16B;
    if (status == SP_OK)
        status = traffic_of(&grid, m, warm, progress, &p->traffic, err);
    if (status == SP_OK) {
        p->work = work;
        set_terms(&grid, m, work, p);
        find_time(p);
        p->waited_s = sp_gpu_waited_time(m, p->roofline.time_s);
    }
    sp_gpu_grid_free(&grid);
    return status;
}
