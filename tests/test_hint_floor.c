/* A sweep over what the rules may be told: no hint promises more than the removed bytes, instructions or
 * waiting can give, its interval is one, its evidence says something, and no action is proposed twice. The
 * floor is computed here once more, from the machine that was made up. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpu/gpu_predict.h"
#include "model/hints/hints.h"
#include "model/roofline.h"
#include "model/volume/traffic.h"
#include "proposal.h"
#include "require.h"
#include "run_suite.h"
#include "share.h"
#include "sparse/formats/format.h"
#include "sparse/formats/format_ids.h"

enum { N_INPUTS = 120000, ONE_IN = 3, MOST = 8 };

static uint64_t state; /* the same inputs in every run */

static double unit(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

static double between(double lo, double hi)
{
    return lo + (hi - lo) * unit();
}

static double decades(double lo, double hi)
{
    return lo * pow(hi / lo, unit());
}

static bool chance(double p)
{
    return unit() < p;
}

static int below(int n)
{
    return (int)(unit() * n);
}

/* Known in p of the cases, with an interval in some. */
static struct sp_value maybe(double p, double x, enum sp_origin origin)
{
    if (!chance(p))
        return sp_value_none("not looked at");
    const double width = chance(0.5) ? 0 : between(0, 0.3);
    return sp_value_between(x, x * (1 - width), x * (1 + width), origin);
}

static struct sp_value exactly(double p, double x, enum sp_origin origin)
{
    return chance(p) ? sp_value_of(x, origin) : sp_value_none("not looked at");
}

/* What inputs borrow. */
struct made {
    struct sp_hint_inputs in;
    struct sp_machine machine;
    struct sp_ceiling ceiling[4];
    struct sp_alternative schedule[3], format[MOST], width[3], offsets, mixed;
    int threads[4];
    double Bps[4];
    struct sp_alternative partition[3];
    struct sp_gpu_hint_inputs gpu;
    struct sp_gpu_prediction now, reordered;
    struct sp_gpu_hint_way way[MOST], units[2];
    struct sp_ways ways;
};

static void make_machine(struct made *m)
{
    static const char *const level[] = {"L1", "L2", "L3", "MEM"};
    const double Bps = decades(5e9, 2e11);
    m->machine = (struct sp_machine){.kind = SP_CPU, .n_caches = 3, .n_ceilings = 4, .ceiling = m->ceiling};
    for (int i = 0; i < 3; i++)
        m->machine.cache[i] = (struct sp_cache){.level = i + 1,
                                                .size_B = (int64_t)((32 << 10) * pow(16, i) * between(1, 3)),
                                                .line_B = 64,
                                                .cores_sharing = i < 2 ? 1 : 8};
    for (int i = 0; i < 4; i++) {
        m->ceiling[i] = (struct sp_ceiling){.n_threads = m->in.n_threads,
                                            .value = exactly(0.9, Bps * pow(2.5, 3 - i), SP_MEASURED)};
        strcpy(m->ceiling[i].name, "load");
        strcpy(m->ceiling[i].level, level[i]);
        strcpy(m->ceiling[i].precision, "f64");
        strcpy(m->ceiling[i].mode, "unknown");
    }
    if (chance(0.8))
        m->in.machine = &m->machine;
}

static void make_alternatives(struct made *m, double V_B, double core_s, double time_s)
{
    static const char *const schedules[] = {"nnz", "cyclic:64", "merge"};
    static const char *const formats[] = {"sell:8,1", "sell:32,256", "sellu:8,1", "crs", "sell:8,64"};
    struct sp_hint_inputs *in = &m->in;
    in->n_schedules = below(4);
    for (int i = 0; i < in->n_schedules; i++) {
        m->schedule[i] =
            (struct sp_alternative){.fluid_s = exactly(0.9, time_s * decades(0.02, 1.2), SP_MODELLED),
                                    .time_s = chance(0.3) ? maybe(1, time_s * decades(0.1, 1.2), SP_MEASURED)
                                                          : sp_value_none("not run")};
        strcpy(m->schedule[i].option, schedules[i]);
    }
    in->schedules = m->schedule;
    in->n_formats = below(6);
    for (int i = 0; i < in->n_formats; i++) {
        m->format[i] = (struct sp_alternative){.V_B = maybe(0.95, V_B * decades(0.01, 2), SP_MODELLED),
                                               .core_s = maybe(0.8, core_s * decades(0.02, 3), SP_MEASURED),
                                               .beta = exactly(0.8, between(0.3, 1), SP_MODELLED)};
        strcpy(m->format[i].option, formats[i]);
        m->format[i].change = sp_change_of(SP_OPTION_FORMAT, formats[i]);
    }
    in->formats = m->format;
    m->offsets = (struct sp_alternative){.V_B = maybe(1, V_B * decades(0.1, 1.3), SP_MODELLED),
                                         .core_s = maybe(0.8, core_s * decades(0.1, 3), SP_MEASURED)};
    strcpy(m->offsets.option, chance(0.5) ? "--index d16" : "--format sell:32,256 --index d16");
    m->offsets.change = typed(m->offsets.option);
    in->offsets = chance(0.3) ? &m->offsets : NULL;
    m->mixed = m->offsets;
    strcpy(m->mixed.option, "--precision mixed");
    m->mixed.change = typed(m->mixed.option);
    in->mixed = chance(0.3) ? &m->mixed : NULL;
    in->n_widths = below(4);
    for (int i = 0; i < in->n_widths; i++) {
        m->width[i] = (struct sp_alternative){.V_B = maybe(1, V_B * decades(0.3, 8), SP_MODELLED),
                                              .core_s = maybe(0.8, core_s * decades(0.3, 8), SP_MEASURED)};
        snprintf(m->width[i].option, sizeof m->width[i].option, "%d", 1 << (2 * i));
    }
    in->widths = m->width;
}

static void make_ranks(struct made *m, double time_s)
{
    static const char *const names[] = {"nnz", "metis", "scotch"};
    struct sp_hint_inputs *in = &m->in;
    const double now_s = time_s * decades(0.05, 2);
    in->n_ranks = chance(0.3) ? 1 + below(8) : 0;
    in->launch = "mpirun -n 8";
    in->partition = "rows";
    in->partition_s = exactly(0.9, now_s, SP_MODELLED);
    in->n_partitions = below(4);
    for (int i = 0; i < in->n_partitions; i++) {
        m->partition[i] =
            (struct sp_alternative){.time_s = exactly(0.9, now_s * decades(0.1, 2), SP_MODELLED)};
        strcpy(m->partition[i].option, names[i]);
    }
    in->partitions = m->partition;
}

static void make_x(struct made *m, double time_s)
{
    struct sp_hint_inputs *in = &m->in;
    const double least = decades(0.05, 1), alpha = least * decades(1, 12);
    in->alpha = maybe(0.95, alpha, SP_SIMULATED);
    in->alpha_min = exactly(0.95, least, SP_MODELLED);
    in->alpha_once = exactly(0.9, least * between(0.3, 1), SP_MODELLED);
    in->w = exactly(0.8, between(1, 2), SP_SIMULATED);
    in->alpha_inner = exactly(0.3, decades(0.1, 8), SP_SIMULATED);
    in->alpha_inner_reordered = exactly(0.5, decades(0.05, 8), SP_SIMULATED);
    in->alpha_reordered = maybe(0.5, least * decades(1, 10), SP_SIMULATED);
    in->core_reordered_s = exactly(0.5, time_s * decades(0.02, 1), SP_MEASURED);
    in->streams_reordered = exactly(0.3, unit(), SP_MODELLED);
    in->reorder_s = exactly(0.7, decades(1e-3, 10), SP_MEASURED);
    in->linear_s = maybe(0.5, time_s * decades(0.05, 1.2), SP_MEASURED);
    in->prefetch_s = maybe(0.2, time_s * between(0.1, 1.2), SP_MEASURED);
    in->prefetch = chance(0.9) ? 64 : 0;
    in->gather_B = chance(0.8) ? 8 * (double)in->n_nz : 0;
    in->x_B = 8 * (double)in->n_c;
    in->y_B = chance(0.8) ? 8 * (double)in->n_r : 0;
}

static void make_rest(struct made *m, double V_B, double core_s, double time_s)
{
    struct sp_hint_inputs *in = &m->in;
    in->lambda_nz = exactly(0.7, between(1, 3), SP_MODELLED);
    in->lambda_t = exactly(0.5, between(1, 3), SP_MEASURED);
    const double fluid_s = time_s * decades(0.1, 1.2);
    in->fluid_s = exactly(0.7, fluid_s, SP_MODELLED);
    in->fluid_equal_s = exactly(0.9, fluid_s * decades(0.1, 1), SP_MODELLED);
    in->equal_s = maybe(0.4, time_s * between(0.2, 1.1), SP_MEASURED);
    in->beta = exactly(0.9, between(0.2, 1), SP_MODELLED);
    in->unit_share = exactly(0.7, unit(), SP_MODELLED);
    in->fits_f32 = (enum sp_truth)below(3);
    in->n_zeros = chance(0.3) ? (int64_t)((double)in->n_nz * unit()) : 0;
    in->n_distinct = chance(0.5) ? 17 : 0;
    if (chance(0.5)) {
        in->block_h = 1 + below(4);
        in->block_w = 1 + below(4);
        in->n_blocks = 1 + (int64_t)((double)in->n_nz * between(1.0 / (in->block_h * in->block_w), 1));
    }
    if (chance(0.8))
        in->to_blocks = sp_change_of(SP_OPTION_FORMAT, "bcsr:2x2");
    in->n_cores = below(3) * 8;
    in->n_saturation = below(5);
    for (int i = 0; i < in->n_saturation; i++) {
        m->threads[i] = i == 0 ? in->n_threads : 1 << i;
        m->Bps[i] = V_B / time_s * decades(0.3, 10);
    }
    in->saturation_threads = m->threads;
    in->saturation_Bps = m->Bps;
    in->huge_share = exactly(0.3, unit(), SP_MEASURED);
    in->local_share = exactly(0.3, unit(), SP_MEASURED);
    in->asked_small_pages = chance(0.5);
    in->roof_store_Bps = exactly(0.3, V_B / time_s * decades(0.5, 4), SP_MEASURED);
    in->roof_store_nt_Bps = exactly(0.7, V_B / time_s * decades(0.5, 4), SP_MEASURED);
    in->can_store_nt = chance(0.8);
    in->symmetric = chance(0.5);
    for (int i = 0; i < sp_n_formats; i++) {
        struct sp_storage *s = &in->storage[i];
        if (chance(0.9))
            s->change = sp_change_of(SP_OPTION_FORMAT, sp_format_name(i));
        s->V_B =
            maybe(0.6, chance(0.2) ? 0 : V_B * decades(0.01, 1.5), chance(0.5) ? SP_SIMULATED : SP_MODELLED);
        s->core_s = exactly(0.8, core_s * decades(0.05, 3), SP_MEASURED);
        s->build_s = exactly(0.8, 1, SP_MEASURED);
    }
}

/* Divisions of the last level; some save, some do not. */
static void make_ways(struct made *m, double V_B)
{
    struct sp_hint_inputs *in = &m->in;
    if (!chance(0.2))
        return;
    in->undivided_B = V_B * between(0.7, 1);
    in->undivided_x_B = in->undivided_B * between(0, 0.9);
    m->ways.n = m->machine.cache[2].ways = 16;
    m->machine.cache[2].partition.arrays = 1 << SP_ARRAY_VALUES | 1 << SP_ARRAY_INDICES;
    for (int w = 1; w < m->ways.n; w++)
        m->ways.read_B[w] = in->undivided_B * (w > 5 && w < 9 ? between(0.4, 1.1) : decades(0.2, 3)),
        m->ways.most_B[w] = m->ways.read_B[w] * between(1, 1.2),
        m->ways.x_B[w] = in->undivided_x_B * between(0, 1);
    in->ways = &m->ways;
}

static struct sp_gpu_prediction make_prediction(void)
{
    struct sp_gpu_prediction p;
    memset(&p, 0, sizeof p);
    const double launch_s = decades(1e-6, 1e-4);
    const struct sp_value none = sp_value_none("unknown");
    p.term[SP_GPU_TERM_MEMORY] = (struct sp_roof_term){
        "memory bandwidth", sp_value_of(decades(1e6, 1e9), SP_MODELLED), sp_value_of(1e12, SP_MEASURED)};
    p.term[SP_GPU_TERM_L2] = (struct sp_roof_term){
        "L2 bandwidth", sp_value_of(decades(1e6, 3e9), SP_MODELLED), sp_value_of(3e12, SP_MEASURED)};
    p.term[SP_GPU_TERM_PEAK] = (struct sp_roof_term){"peak performance", sp_value_of(1e6, SP_MODELLED),
                                                     sp_value_of(3e13, SP_MEASURED)};
    p.term[SP_GPU_TERM_LAUNCH] =
        (struct sp_roof_term){"launch overhead", sp_value_of(1, SP_MODELLED),
                              chance(0.5) ? sp_value_of(1 / launch_s, SP_MEASURED) : none};
    p.term[SP_GPU_TERM_LATENCY] = (struct sp_roof_term){"latency", sp_value_of(1, SP_MODELLED), none};
    p.roofline = sp_gpu_time_of(1e6, p.term);
    p.binding = p.term[p.roofline.binding].name;
    p.traffic.use = unit();
    p.traffic.active = unit();
    p.traffic.x_once_B = decades(1e5, 1e8);
    p.traffic.x_B = exactly(0.8, p.traffic.x_once_B * decades(1, 10), SP_MODELLED);
    p.traffic.L2_lo_B = 30 << 20;
    p.traffic.L2_hi_B = 60 << 20;
    return p;
}

static struct sp_gpu_hint_way make_way(double time_s)
{
    struct sp_gpu_hint_way w = {.kernel = "cuda-merge",
                                .same_format = chance(0.4),
                                .precision = chance(0.7) ? SP_F64 : SP_F16,
                                .time_s = exactly(0.9, time_s * decades(0.05, 2), SP_MODELLED),
                                .active = unit(),
                                .n_stored = 1000000000,
                                .n_indices = 1 + below(1000000),
                                .T_i = chance(0.4) ? 64 : 0,
                                .T_k = 32};
    strcpy(w.option, w.T_i ? "tiled:64,32" : chance(0.5) ? "sell:32,256" : "coo");
    return w;
}

static void make_gpu(struct made *m)
{
    static const enum sp_op ops[] = {SP_OP_SPMV, SP_OP_SPMM, SP_OP_SDDMM};
    struct sp_hint_inputs *in = &m->in;
    m->now = make_prediction();
    m->reordered = make_prediction();
    const double now_s = m->now.roofline.time_s.value;
    m->gpu = (struct sp_gpu_hint_inputs){.now = &m->now,
                                         .reordered = chance(0.5) ? &m->reordered : NULL,
                                         .run = make_way(now_s),
                                         .equal_rows = chance(0.5)};
    m->gpu.n_ways = below(MOST);
    for (int i = 0; i < m->gpu.n_ways; i++)
        m->way[i] = make_way(now_s);
    m->gpu.n_units = below(3);
    for (int i = 0; i < m->gpu.n_units; i++)
        m->units[i] = make_way(now_s);
    m->gpu.way = m->way;
    m->gpu.units = m->units;
    in->op = ops[below(3)];
    in->time_s = maybe(0.8, now_s * decades(0.5, 10), SP_MEASURED);
    in->roof_Bps = sp_value_of(1e12, SP_MEASURED);
    in->V_B = m->now.term[SP_GPU_TERM_MEMORY].amount;
    in->store_nt = true;
    in->gpu = &m->gpu;
}

static void make(struct made *m)
{
    static const char *const levels[] = {"MEM", "MEM", "MEM", "L3", "L2", "L1"};
    memset(m, 0, sizeof *m);
    struct sp_hint_inputs *in = &m->in;
    sp_hint_inputs_init(in);
    in->matrix = "a.mtx";
    in->n_r = in->n_c = (int64_t)decades(1e2, 1e7);
    in->n_nz = (int64_t)((double)in->n_r * decades(1.5, 100));
    in->n_threads = 1 + below(16);
    in->n_domains = 1 + below(2);
    in->thorough = chance(0.3);
    if (chance(0.2)) {
        make_gpu(m);
        return;
    }
    in->op = chance(0.85) ? SP_OP_SPMV : SP_OP_SPMMV;
    in->r = in->op == SP_OP_SPMV ? 1 : 4;
    in->format = chance(0.7) ? SP_FORMAT_CRS : chance(0.5) ? SP_FORMAT_SELL : SP_FORMAT_SELLU;
    in->C = in->format == SP_FORMAT_CRS ? 1 : 8;
    in->index = chance(0.8) ? SP_I32 : SP_I64;
    in->schedule = chance(0.7) ? SP_SCHEDULE_NNZ : SP_SCHEDULE_CYCLIC;
    in->warm = chance(0.8);
    in->store_nt = chance(0.5);
    in->level = levels[below(6)];
    in->working_set_B = 12.0 * (double)in->n_nz + 20.0 * (double)in->n_r;
    const double V_B = in->working_set_B * decades(0.1, 3), roof = decades(5e9, 2e11), data_s = V_B / roof;
    const double core_s = data_s * decades(0.05, 5), time_s = fmax(data_s, core_s) * decades(0.8, 10);
    in->V_B = maybe(0.97, V_B, SP_SIMULATED);
    in->roof_Bps = maybe(0.97, roof, SP_MEASURED);
    in->roof_best_Bps = exactly(0.5, roof * decades(0.5, 3), SP_MEASURED);
    in->time_s = maybe(0.9, time_s, SP_MEASURED);
    in->core_s = exactly(0.8, core_s, SP_MEASURED);
    in->team_s = exactly(0.5, core_s * decades(0.01, 1), SP_MEASURED);
    in->cache_B = decades(1e5, 1e9);
    make_machine(m);
    make_x(m, time_s);
    make_ranks(m, time_s);
    make_alternatives(m, V_B, core_s, time_s);
    make_rest(m, V_B, core_s, time_s);
    if (chance(0.2)) {
        in->own = chance(0.7) ? SP_OWN_WALKS_CRS : SP_OWN_STORES_ITSELF;
        in->built_in = "spmv/crs/portable";
        in->built_in_s = maybe(0.9, time_s * decades(0.2, 2), SP_MEASURED);
        in->busy_threads = exactly(0.8, unit() * in->n_threads, SP_MEASURED);
    }
    make_ways(m, V_B);
}

static double value_or(struct sp_value v, double otherwise)
{
    return sp_value_known(v) ? v.value : otherwise;
}

/* The roof of the level where `set_B` lives after the change, or of the next one inward of the level that
 * counts: all of it comes from there. 0: not known. */
static double inner_s(const struct made *m, double set_B)
{
    const struct sp_hint_inputs *in = &m->in;
    const double x_B = fmin(in->x_B, set_B), now_s = value_or(in->time_s, 0);
    if (!in->machine || !in->warm || now_s <= 0)
        return 0;
    const struct sp_residence r =
        sp_residence_of(in->machine, (struct sp_footprint){.shared_out_B = set_B - x_B, .each_B = x_B},
                        in->n_threads, in->n_domains, true);
    const int now = in->level[0] == 'M' ? 3 : in->level[1] - '1', k = r.level < now ? r.level : now - 1;
    if (k < 0 || !sp_value_known(m->ceiling[k].value))
        return 0;
    return set_B / fmax(m->ceiling[k].value.value, in->working_set_B / now_s);
}

/* What the change cannot go below. */
static double least_s(const struct made *m, const struct sp_hint *h)
{
    const struct sp_hint_inputs *in = &m->in;
    const struct sp_then *t = &h->then;
    if (sp_value_known(t->instead_s))
        return t->time_s.value;
    if (sp_value_known(t->time_s) && t->time_s.origin == SP_MEASURED)
        return value_or(t->least_s, 0);
    const double V = sp_value_known(t->V_B) ? t->V_B.lo : sp_value_known(in->V_B) ? in->V_B.lo : 0;
    const double b = value_or(t->roof_Bps, value_or(in->roof_Bps, 0));
    double least =
        fmax(b > 0 ? V / b : 0, sp_value_known(t->core_s) ? t->core_s.lo : value_or(in->core_s, 0));
    if (sp_value_known(t->set_B))
        least = fmax(least, inner_s(m, t->set_B.value));
    if (strcmp(h->id, "A01") == 0 && sp_value_known(in->linear_s) && sp_value_known(in->time_s))
        least = fmax(least, fmin(in->linear_s.value, in->time_s.value) -
                                fmax(0, value_or(in->core_s, 0) - value_or(in->core_reordered_s, INFINITY)));
    return least;
}

/* The run's time: measured, else the model's. */
static double time_of(const struct sp_hint_inputs *in, const struct sp_hint *h)
{
    const bool has = sp_value_known(in->V_B) && sp_value_known(in->roof_Bps);
    const double data_s = has ? in->V_B.value / in->roof_Bps.value : 0;
    return value_or(in->time_s, value_or(h->then.instead_s, fmax(data_s, value_or(in->core_s, 0))));
}

static int find_rule(const char *id)
{
    for (int i = 0; sp_hint_table[i]; i++)
        if (strcmp(sp_hint_table[i]->id, id) == 0)
            return i;
    ck_abort_msg("there is no rule %s", id);
    return -1;
}

static void check_hint(const struct made *m, const struct sp_hint *h, int n)
{
    require_msg(h->gain_lo >= 0 && h->gain_lo <= h->gain_hi && h->gain_hi < 1, "input %d, %s: %g ... %g", n,
                h->id, h->gain_lo, h->gain_hi);
    require_msg(h->evidence[0] && h->expect[0], "input %d, %s says nothing", n, h->id);
    if (h->gain_hi == 0) /* a chance that promises nothing */
        return;
    const double then_s = (1 - h->gain_hi) * time_of(&m->in, h), least = least_s(m, h);
    require_msg(then_s >= (1 - 1e-9) * least, "input %d, %s: promises %g s, its floor is %g s (hi %g)", n,
                h->id, then_s, least, h->gain_hi);
    require_msg(!sp_value_known(h->floor_s) || then_s >= (1 - 1e-9) * h->floor_s.value,
                "input %d, %s: own floor", n, h->id);
}

/* The derivation that `explain` prints is that of the promise. */
static void check_derivation(const struct made *m, const struct sp_hint *h, int n)
{
    const struct sp_now now = {m->in.time_s,   m->in.V_B, m->in.roof_Bps, m->in.core_s,
                               m->in.linear_s, false,     false};
    struct sp_gain_lines lines;
    const struct sp_gain gain = sp_gain_derive(&now, &h->then, &lines);
    require_msg(gain.lo == h->gain_lo && gain.hi == h->gain_hi,
                "input %d, %s: derived %g ... %g, promised %g ... %g", n, h->id, gain.lo, gain.hi, h->gain_lo,
                h->gain_hi);
    require(lines.n >= 2 && lines.n < SP_MAX_GAIN_LINES);
    const struct sp_gain_line *last = &lines.line[lines.n - 1];
    require_msg(last->lo == gain.lo && last->hi == gain.hi, "input %d, %s: the last line is '%s'", n, h->id,
                last->what);
}

START_TEST(no_promise_passes_its_floor)
{
    static int fired[SP_MAX_HINTS];
    static struct made m;
    static struct sp_hints h, chances;
    memset(fired, 0, sizeof fired);
    /* test_hint_floor has a share of them, and with "rest" the others */
    const int share = N_INPUTS / ONE_IN, n_inputs = share_is_rest() ? N_INPUTS - share : share;
    state = share_is_rest() ? 0xbf58476d1ce4e5b9u : 0x9e3779b97f4a7c15u;
    for (int n = 0; n < n_inputs; n++) {
        make(&m);
        sp_hints_find(&m.in, &h);
        for (int i = 0; i < h.n_hints; i++) {
            fired[find_rule(h.hint[i].id)]++;
            for (int k = 0; k < h.hint[i].n_also; k++)
                fired[find_rule(h.hint[i].also[k])]++;
            check_hint(&m, &h.hint[i], n);
            check_derivation(&m, &h.hint[i], n);
            for (int k = 0; k < i; k++)
                require_msg(strcmp(PROPOSAL_OF(&m.in, &h.hint[i]), PROPOSAL_OF(&m.in, &h.hint[k])) != 0,
                            "input %d: %s and %s propose the same", n, h.hint[i].id, h.hint[k].id);
        }
        sp_hints_chances(&m.in, &h, &chances);
        for (int i = 0; i < chances.n_hints; i++) {
            check_hint(&m, &chances.hint[i], n);
            if (chances.hint[i].gain_hi > 0)
                check_derivation(&m, &chances.hint[i], n);
        }
    }
    for (int i = 0; sp_hint_table[i]; i++)
        ck_assert_msg(fired[i] >= 100 * n_inputs / N_INPUTS || strcmp(sp_hint_table[i]->id, "H01") == 0,
                      "%s fired %d times: the sweep does not reach it", sp_hint_table[i]->id, fired[i]);
}
END_TEST

int main(int argc, char **argv)
{
    share_take(argc, argv, ONE_IN, 3 * ONE_IN);
    Suite *suite = suite_create("hint_floor");
    TCase *tc = tcase_create("hint_floor");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, no_promise_passes_its_floor);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
