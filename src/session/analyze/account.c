/* Losses and hints from all that was found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"
#include "session/analyze/analysis.h"
#include "sparse/formats/format.h"

static double working_set(const struct sp_layout *l)
{
    double bytes = 0;
    for (int k = 0; k < SP_N_ARRAYS; k++)
        bytes += sp_layout_array_bytes(l, (enum sp_array)k);
    return bytes;
}

static struct sp_value imbalance_of(const struct sp_analysis *a)
{
    if (a->setup.layout.n_nz <= 1 || a->setup.workload.n_threads == 1) /* one entry cannot be shared */
        return sp_value_of(0, SP_MODELLED);
    const struct sp_value core = sp_analysis_execution(a);
    const struct sp_imbalance_inputs in = {
        .time_s = a->observed.pairs.time,
        .lambda_t =
            a->evaluated.busy_decides ? a->evaluated.lambda_t : sp_value_none("bytes explain busy times"),
        .equal_s = a->proved.equal_s,
        .fluid_s = a->evaluated.fluid.loss_s,
        .core_s = sp_value_known(core) ? core.value : 0,
        .lambda_nz = a->evaluated.lambda_nz,
    };
    return sp_imbalance_of(&in);
}

static void find_losses(const struct sp_analysis *a, struct sp_accounted *out)
{
    const struct sp_layout *l = &a->setup.layout;
    double per_alpha = sp_volume_layout(l, 1, a->evaluated.w.value).total_B -
                       sp_volume_layout(l, 0, a->evaluated.w.value).total_B;
    const double w_once = sp_analysis_w_once(a, &a->evaluated);
    double once_B = sp_volume_layout(l, a->evaluated.alpha_min.alpha_once, w_once).total_B;
    const double y_again_B = (a->evaluated.w.value - w_once) * sp_layout_array_bytes(l, SP_ARRAY_Y);
    const double fill_B = sp_layout_fill_bytes(l);
    struct sp_loss_inputs in = {
        .time_s = a->observed.pairs.time,
        .roof_Bps = a->evaluated.roof_Bps,
        .min_B = once_B - fill_B,
        .padding_B = fill_B,
        .domains_B = (a->evaluated.alpha_min.alpha - a->evaluated.alpha_min.alpha_once) * per_alpha,
        .x_B = sp_value_of(a->evaluated.alpha.value * per_alpha + y_again_B, a->evaluated.alpha.origin),
        .x_once_B = a->evaluated.alpha_min.alpha_once * per_alpha,
        .imbalance_s = imbalance_of(a),
        .equal_run = !a->evaluated.busy_decides && sp_value_known(a->proved.equal_s),
        .lambda = a->evaluated.busy_decides ? a->evaluated.lambda_t.value : a->evaluated.fluid.lambda,
        .core_s = sp_analysis_execution(a),
        .team_s = a->core.team_s,
        .linear_s = a->proved.linear_s,
        .gathers_s = sp_gather_beyond_first(&a->gathers),
        .sorted_s = a->proved.sorted_s,
        .leftover_B = a->options->state == SP_WARM
                          ? 2 * sp_inner_capacity_B(sp_analysis_caches(a), a->evaluated.residence.level,
                                                    a->setup.workload.n_threads, a->setup.n_domains)
                          : sp_layout_array_bytes(l, SP_ARRAY_Y),
        .level = a->evaluated.residence.name,
    };
    out->losses = sp_losses_of(&in);
    const struct sp_bottleneck_inputs b = {in.time_s, in.linear_s, a->proved.equal_s, &out->losses};
    out->bottleneck = sp_bottleneck_of(&b);
}

/* Saturation: the level's load ceiling over threads, as the machine's own measurement has it. */
static int saturation_points(const struct sp_machine *m, const char *level, int threads[], double Bps[],
                             int most)
{
    int n = 0;
    for (int t = 1; n < most && t <= m->n_cores; t++) {
        bool exact;
        const struct sp_ceiling *c = sp_roof_of(m, level, t, NULL, &exact);
        if (!c || !exact)
            continue;
        threads[n] = t;
        Bps[n++] = c->value.value;
    }
    return n;
}

static struct sp_value ceiling_value(const struct sp_analysis *a, const char *name)
{
    bool exact;
    const struct sp_ceiling *c = sp_machine_ceiling(a->options->machine, name, a->evaluated.residence.name,
                                                    "f64", a->setup.workload.n_threads, NULL, &exact);
    return c && exact ? c->value : sp_value_none("not measured for this number of threads");
}

static void prolong(struct sp_value *time, double by_s)
{
    if (sp_value_known(*time))
        *time = sp_value_between(time->value + by_s, time->lo + by_s, time->hi + by_s, time->origin);
}

/* Alternatives, whose P_core was measured as a ratio to the run's: as much faster as that proved to
 * be, at the other end of the interval not; and with what P_core has not: the start of the team,
 * and, where a run goes through row by row, beside lanes and blocks, the ends of rows, which cost
 * what they do now. */
struct by_rows {
    struct sp_alternative format[SP_MAX_ALTERNATIVES], width[SP_MAX_ALTERNATIVES], offsets, mixed;
};

static void complete(struct sp_value *time, double share, double team_s)
{
    if (sp_value_known(*time))
        *time = sp_value_between(share * time->value, share * time->lo, time->hi, time->origin);
    prolong(time, team_s);
}

static void complete_core(const struct sp_analysis *a, double ends_s, struct by_rows *rows,
                          struct sp_hint_inputs *in)
{
    const struct sp_compared *c = &a->compared;
    const bool by_rows = sp_format_of(a->setup.workload.format)->plain_rows;
    memcpy(rows->format, c->format, sizeof rows->format);
    memcpy(rows->width, c->width, sizeof rows->width);
    rows->offsets = c->offsets;
    rows->mixed = c->mixed;
    in->formats = rows->format;
    in->widths = rows->width;
    in->offsets = c->has_offsets ? &rows->offsets : NULL;
    in->mixed = c->has_mixed ? &rows->mixed : NULL;
    const double team_s = sp_value_known(a->core.team_s) ? a->core.team_s.value : 0;
    const double share = a->proved.core_share;
    struct sp_value *const all[] = {&rows->offsets.core_s, &rows->mixed.core_s, &in->blocks_core_s};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        complete(all[i], share, team_s);
    for (int i = 0; i < sp_n_formats; i++) /* measured over the P_core that was corrected */
        prolong(&in->storage[i].core_s, team_s);
    for (int i = 0; i < c->n_formats; i++)
        complete(&rows->format[i].core_s, share, team_s);
    for (int i = 0; i < c->n_widths; i++)
        complete(&rows->width[i].core_s, share, team_s);
    prolong(&in->core_s, team_s);
    prolong(&in->core_reordered_s, team_s);
    prolong(&in->core_s, ends_s);
    for (int i = 0; i < c->n_formats; i++)
        if (strncmp(rows->format[i].option, "crs", 3) == 0)
            prolong(&rows->format[i].core_s, ends_s);
    for (int i = 0; i < c->n_widths && by_rows; i++)
        prolong(&rows->width[i].core_s, ends_s);
    if (by_rows) {
        prolong(&rows->offsets.core_s, ends_s);
        prolong(&rows->mixed.core_s, ends_s);
        prolong(&in->core_reordered_s, ends_s);
        for (int i = 0; i < sp_n_formats; i++)
            prolong(&in->storage[i].core_s, ends_s);
    }
}

/* What a hint starts from: the workload as it ran. */
static void tell_workload(const struct sp_analysis *a, struct sp_hint_inputs *in)
{
    const struct sp_workload *w = &a->setup.workload;
    const struct sp_layout *l = &a->setup.layout;
    in->matrix = a->subject->argument;
    in->options = sp_run_change(a->options, w, a->subject);
    in->thorough = a->options->thorough;
    in->op = w->op;
    in->r = l->r;
    in->gather_B = sp_layout_gather_bytes(l);
    in->x_B = sp_layout_array_bytes(l, SP_ARRAY_X);
    in->y_B = sp_layout_array_bytes(l, SP_ARRAY_Y);
    in->n_r = l->n_r;
    in->n_c = l->n_c;
    in->n_nz = l->n_nz;
    in->n_stored = l->n_stored;
    in->format = w->format;
    in->C = w->C;
    in->sigma = w->sigma;
    in->precision = w->precision;
    in->index = w->index;
    in->row_ptr_B = w->row_ptr_B;
    in->schedule = w->schedule;
    in->n_threads = w->n_threads;
    in->n_domains = a->setup.n_domains;
    in->warm = a->options->state == SP_WARM;
    in->store_nt = a->setup.facts.store_nt;
    in->reordered = strcmp(a->subject->reorder, "none") != 0;
    in->beta = sp_value_of(sp_layout_beta(l), SP_MODELLED);
    if (sp_format_of(l->format)->unit_slots && l->n_slots > 0)
        in->unit_share = sp_value_of((double)l->n_unit_slots / (double)l->n_slots, SP_MODELLED);
    else if (a->subject->structure.unit_share.known)
        in->unit_share = sp_value_of(a->subject->structure.unit_share.value, SP_MODELLED);
    in->smt = a->setup.binding.uses_smt;
    in->huge_share = a->huge_share;
    in->asked_small_pages = a->options->small_pages;
    in->local_share = a->local_share;
    in->can_store_nt = a->setup.facts.can_store_nt;
}

/* Its time, its bytes, the roof, and what interventions took. */
static void tell_measured(const struct sp_analysis *a, const struct sp_accounted *out,
                          struct sp_hint_inputs *in)
{
    in->time_s = a->observed.pairs.time;
    in->roof_Bps = a->evaluated.roof_Bps;
    in->V_B = a->evaluated.V_B;
    if (a->evaluated.p_core.origin != SP_NONE && a->evaluated.p_core.value > 0)
        in->core_s = sp_value_of(out->losses.core.value, SP_MEASURED);
    in->team_s = out->losses.team;
    in->row_ends_s = out->losses.row_ends;
    in->linear_s = a->proved.linear_s;
    in->prefetch_s = a->proved.prefetch_s;
    in->prefetch = sp_value_known(a->proved.prefetch_s) ? a->proved.prefetch : 0;
    in->alpha = a->evaluated.alpha;
    in->w = a->evaluated.w;
    in->alpha_min = sp_value_of(a->evaluated.alpha_min.alpha, SP_MODELLED);
    in->alpha_once = sp_value_of(a->evaluated.alpha_min.alpha_once, SP_MODELLED);
    in->lambda_nz = sp_value_of(a->evaluated.lambda_nz, SP_MODELLED);
    in->lambda_t = a->evaluated.lambda_t;
    in->fluid_s = sp_value_of(a->evaluated.fluid.time_s, SP_MODELLED);
    in->fluid_equal_s = sp_value_of(a->evaluated.fluid.equal_s, SP_MODELLED);
    in->equal_s = a->proved.equal_s;
}

/* The caches that hold the data, and the ceilings of the machine. */
static void tell_machine(const struct sp_analysis *a, struct sp_hint_inputs *in)
{
    in->level = a->evaluated.residence.name;
    in->working_set_B = working_set(&a->setup.layout);
    in->cache_B = sp_llc_capacity_B(sp_analysis_caches(a), a->setup.n_domains);
    in->machine = sp_analysis_caches(a);
    in->ways = a->ways.n > 0 ? &a->ways : NULL;
    if (in->ways) {
        const struct sp_traffic *memory = &a->simulated.traffic[a->simulated.n_levels - 1];
        in->undivided_B = memory->read_B.value;
        in->undivided_x_B = memory->array_read_B[SP_ARRAY_X];
    }
    in->roof_best_Bps = ceiling_value(a, "load_mix");
    in->roof_store_Bps = ceiling_value(a, "copy");
    in->roof_store_nt_Bps = ceiling_value(a, "copy_nt");
    in->n_cores = sp_topology_default_threads(a->options->topology);
}

/* What other orders bring, and blocks. */
static void tell_orders(const struct sp_analysis *a, struct sp_hint_inputs *in)
{
    in->alpha_reordered = a->ordered.alpha_reordered;
    in->alpha_inner = a->ordered.alpha_inner;
    in->alpha_inner_reordered = a->ordered.alpha_inner_reordered;
    in->core_reordered_s = a->ordered.core_reordered_s;
    in->streams_reordered = a->ordered.streams_reordered;
    in->blocks_core_s = a->compared.blocks_core_s;
    in->reorder = a->ordered.reorder ? a->ordered.reorder : "";
    in->reorder_s = a->ordered.reorder_s;
}

static void find_hints(const struct sp_analysis *a, struct sp_accounted *out)
{
    enum { MOST_POINTS = 64 };
    int threads[MOST_POINTS];
    double Bps[MOST_POINTS];
    char blocks[32];
    struct sp_hint_inputs in;
    memset(&in, 0, sizeof in);
    sp_hint_inputs_init(&in);
    tell_workload(a, &in);
    tell_measured(a, out, &in);
    tell_machine(a, &in);
    tell_orders(a, &in);
    in.n_schedules = a->compared.n_schedules;
    struct sp_alternative schedules[SP_MAX_ALTERNATIVES];
    for (int i = 0; i < a->compared.n_schedules; i++) {
        schedules[i] = a->compared.schedule[i];
        schedules[i].time_s = a->proved.schedule_s[i];
    }
    in.schedules = schedules;
    in.n_formats = a->compared.n_formats;
    in.n_widths = a->compared.n_widths;
    in.n_saturation = saturation_points(a->options->machine, in.level, threads, Bps, MOST_POINTS);
    in.saturation_threads = threads;
    in.saturation_Bps = Bps;
    sp_subject_hint_inputs(a->subject, &in);
    sp_analysis_look_at_storage(a, &in);
    struct by_rows rows;
    const struct sp_value ends = out->losses.row_ends;
    complete_core(a, sp_value_known(ends) ? ends.value + out->losses.row_ends_hidden : 0, &rows, &in);
    if (a->setup_options.own) {
        in.own = a->own.n_stores > 0 ? SP_OWN_STORES_ITSELF : SP_OWN_WALKS_CRS;
        in.built_in = a->beside.kernel ? a->beside.kernel->name : "";
        in.built_in_s = a->beside.time_s;
        in.busy_threads = a->own.busy_threads;
    }
    snprintf(blocks, sizeof blocks, "bcsr:%dx%d", in.block_h, in.block_w);
    if (in.block_h > 0 && in.precision != SP_C128)
        in.to_blocks = sp_change_of(SP_OPTION_FORMAT, blocks);
    sp_hints_find(&in, &out->hints);
    sp_hints_chances(&in, &out->hints, &out->chances);
    sp_hints_settle(&out->hints, out->bottleneck.kind, &out->losses, a->observed.pairs.time.value,
                    in.threshold);
    for (int i = 0; i < out->hints.n_hints; i++) /* bytes that nothing vouches for */
        if (sp_analysis_is_counted(a) && !a->options->bytes->tested &&
            strncmp(out->hints.hint[i].id, "A", 1) == 0)
            out->hints.hint[i].confidence = SP_LOW;
}

void sp_analysis_account(const struct sp_analysis *a, struct sp_accounted *out)
{
    if (a->setup.layout.n_nz == 0)
        return;
    find_losses(a, out);
    if (!a->options->no_hints)
        find_hints(a, out);
}
