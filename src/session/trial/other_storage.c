/* Storage that changes what is moved of x and y too: half of a symmetric matrix, and stripes of columns. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "session/analyze/analysis.h"

/* W/P_core of another storage; SP_NONE where no kernel runs here. */
static struct sp_value core_of(const struct sp_analysis *a, const struct sp_workload *other)
{
    struct sp_value core_s;
    return sp_analysis_core_of(a, other, a->evaluated.balance_W, &core_s, NULL) == SP_OK
               ? core_s
               : sp_value_none("P_core was not measured");
}

/* V from alpha `least` with kept_B of partial results in caches to alpha `most` with none there. */
static struct sp_value between_kept_and_not(const struct sp_layout *l, double least, double kept_B,
                                            double most)
{
    const double lo = sp_volume_layout(l, least, sp_layout_w(l, least, kept_B)).total_B;
    const double hi = sp_volume_layout(l, most, sp_layout_w(l, most, 0)).total_B;
    return sp_value_between((lo + hi) / 2, lo, hi, SP_MODELLED);
}

/* ---- half storage ---- */

/* V of half storage by formula: x and y loaded as often as x is now at most, once at least; what threads
 * share costs nothing where a cache keeps it. */
static struct sp_value half_volume(const struct sp_analysis *a, const struct sp_layout *half)
{
    const struct sp_layout *l = &a->setup.layout;
    const double of_half = sp_layout_gather_bytes(l) / sp_layout_gather_bytes(half);
    const double least = a->evaluated.alpha_min.alpha, most = fmax(a->evaluated.alpha.value, least);
    return between_kept_and_not(half, least * of_half, INFINITY, most * of_half);
}

/* The simulation of half storage is expected to take no longer than this [s]. */
#define HALF_LIMIT_S 1.5

/* Bytes at the level where the data of a layout would live, which may be further in than those of the run;
 * SP_NONE: in the innermost cache, or the simulation failed. Of memory the last level alone is simulated. */
static struct sp_value simulated_at_home(const struct sp_analysis *a, const struct sp_layout *l)
{
    const struct sp_machine *m = sp_analysis_caches(a);
    const struct sp_residence home =
        sp_residence_of(m, sp_footprint_of_layout(l), a->setup.workload.n_threads, a->setup.n_domains,
                        a->options->state == SP_WARM);
    struct sp_sim_options o = sp_analysis_sim_options(a);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels = 0, k = -1;
    o.store_nt = false; /* y is updated */
    o.llc_only = home.level >= m->n_caches;
    if (home.level > 0 && sp_sim_traffic(l, &o, traffic, &n_levels, NULL, NULL) == SP_OK)
        k = o.llc_only ? n_levels - 1 : home.level - 1;
    if (k >= 0 && o.llc_only && sp_traffic_is_idle(l, &traffic[k])) {
        o.llc_only = false;
        k = sp_sim_traffic(l, &o, traffic, &n_levels, NULL, NULL) == SP_OK ? n_levels - 1 : -1;
    }
    while (k >= 0 && sp_traffic_is_idle(l, &traffic[k]))
        k--;
    return k < 0 ? sp_value_none("it would stay in the innermost cache, or cannot be simulated")
                 : sp_value_of(traffic[k].read_B.value + traffic[k].write_B.value, SP_SIMULATED);
}

/* V of half storage; what was measured beyond the simulation of the present layout is not known to go away.
 * SP_NONE: it takes too long, or in the innermost cache. */
static struct sp_value half_simulated(const struct sp_analysis *a, const struct sp_layout *half)
{
    if (a->simulated.simulate_s > HALF_LIMIT_S)
        return sp_value_none("not simulated");
    const struct sp_value V = simulated_at_home(a, half);
    const double beyond = sp_analysis_is_counted(a)
                              ? fmax(0, a->evaluated.alpha.value - a->evaluated.alpha_simulated.value) *
                                    sp_layout_gather_bytes(half)
                              : 0;
    return sp_value_known(V) ? sp_value_of(V.value + beyond, SP_SIMULATED) : V;
}

/* What half storage would move and compute; nothing where the layout does not take the matrix. */
static void look_at_half(const struct sp_analysis *a, struct sp_hint_inputs *in)
{
    struct sp_workload other = a->setup.workload;
    if (!in->symmetric || other.format == SP_FORMAT_HALF || other.op != SP_OP_SPMV ||
        !sp_value_known(a->evaluated.alpha))
        return;
    struct sp_layout half;
    if (sp_workload_set_format(&other, "half", NULL) != SP_OK ||
        sp_workload_set_schedule(&other, "nnz", NULL) != SP_OK || sp_workload_check(&other, NULL) != SP_OK ||
        sp_layout_make(&other, false, NULL, &half, NULL) != SP_OK)
        return;
    in->to_half = sp_change_of(SP_OPTION_FORMAT, "half");
    if (a->setup.workload.schedule != SP_SCHEDULE_NNZ)
        sp_change_add(&in->to_half, SP_OPTION_SCHEDULE, "nnz");
    in->half_V_B = half_volume(a, &half);
    if (in->half_V_B.lo < a->evaluated.V_B.value) {
        const struct sp_value simulated = half_simulated(a, &half);
        in->half_V_B = sp_value_known(simulated) ? simulated : in->half_V_B;
    }
    sp_layout_free(&half);
    in->half_core_s = core_of(a, &other);
}

/* ---- stripes ---- */

/* Columns of a stripe: a power of two whose part of x takes at most half of a last-level cache; the rest is
 * for what streams through it. 0: there is no such cache. */
static int32_t stripe_of(const struct sp_analysis *a)
{
    const struct sp_layout *l = &a->setup.layout;
    const double cache_B = sp_llc_capacity_B(sp_analysis_caches(a), a->setup.n_domains) / a->setup.n_domains;
    int64_t W = SP_MIN_STRIPE;
    while (2 * (double)W * 2 * (double)l->s_x <= cache_B && W < (1 << 30))
        W *= 2;
    return (double)W * (double)l->s_x * 2 <= cache_B ? (int32_t)W : 0;
}

/* Does x exceed the cache, and could stripes move less, if x were loaded once and y stayed there? */
static bool stripes_may_pay(const struct sp_analysis *a, int32_t W)
{
    const struct sp_layout *l = &a->setup.layout;
    const double least_B = (double)l->n_nz * (double)(l->s_a + l->s_i + sizeof(uint16_t)) +
                           2 * sp_layout_array_bytes(l, SP_ARRAY_Y) +
                           a->evaluated.alpha_min.alpha * sp_layout_gather_bytes(l);
    const double cache_B = sp_llc_capacity_B(sp_analysis_caches(a), a->setup.n_domains) / a->setup.n_domains;
    return W > 0 && sp_layout_array_bytes(l, SP_ARRAY_X) > cache_B && least_B < a->evaluated.V_B.value;
}

/* x loaded once where its part stays in the cache; of the rest of today's loads, a third at most may remain.
 * y costs nothing in later stripes where it stays there too. */
static struct sp_value striped_volume(const struct sp_analysis *a, const struct sp_layout *striped)
{
    static const double may_remain = 1.0 / 3;
    const double least = a->evaluated.alpha_min.alpha,
                 most = least + may_remain * fmax(0, a->evaluated.alpha.value - least);
    /* each further domain keeps a stripe of x, too */
    const double other_stripes_B = (a->setup.n_domains - 1) * (double)striped->W * (double)striped->s_x;
    const double kept_B = sp_llc_capacity_B(sp_analysis_caches(a), a->setup.n_domains) - other_stripes_B;
    return between_kept_and_not(striped, least, kept_B, most);
}

/* What stripes would move and compute, where there is something to gain: x does not fit, and is loaded often.
 */
static void look_at_stripes(const struct sp_analysis *a, struct sp_hint_inputs *in)
{
    struct sp_workload other = a->setup.workload;
    const int32_t W = stripe_of(a);
    if (other.op != SP_OP_SPMV || other.format == SP_FORMAT_STRIPED || !sp_value_known(a->evaluated.alpha) ||
        a->evaluated.residence.level < a->options->machine->n_caches || !stripes_may_pay(a, W))
        return;
    char format[32];
    struct sp_layout striped;
    snprintf(format, sizeof format, "striped:%d", (int)W);
    other.prefetch = 0;
    if (other.index == SP_D16)
        other.index = SP_I32;
    const double start = sp_now();
    if (sp_workload_set_format(&other, format, NULL) != SP_OK ||
        sp_workload_set_schedule(&other, "nnz", NULL) != SP_OK || sp_workload_check(&other, NULL) != SP_OK ||
        (a->options->memory_B > 0 && sp_layout_bytes_bound(&other, false) > a->options->memory_B) ||
        sp_layout_make(&other, false, NULL, &striped, NULL) != SP_OK)
        return;
    in->to_stripes = sp_change_of(SP_OPTION_FORMAT, format);
    if (a->setup.workload.schedule != SP_SCHEDULE_NNZ)
        sp_change_add(&in->to_stripes, SP_OPTION_SCHEDULE, "nnz");
    if (a->setup.workload.index == SP_D16)
        sp_change_add(&in->to_stripes, SP_OPTION_INDEX, "i32");
    if (a->setup.workload.prefetch > 0)
        sp_change_add(&in->to_stripes, SP_OPTION_PREFETCH, "0");
    in->striped_s = sp_value_of(sp_now() - start, SP_MEASURED);
    in->striped_V_B = striped_volume(a, &striped);
    sp_layout_free(&striped);
    in->striped_core_s = core_of(a, &other);
}

void sp_analysis_look_at_storage(const struct sp_analysis *a, struct sp_hint_inputs *in)
{
    look_at_half(a, in);
    look_at_stripes(a, in);
}
