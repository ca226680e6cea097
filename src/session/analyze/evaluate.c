/* From samples and simulated bytes to alpha, predictions and shares of the roof. Everything belongs
 * to the level that holds the data: memory, or the cache that they fit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/record/record.h"
#include "kernels/ceiling.h"
#include "model/formats/format.h"
#include "session/analyze/analysis.h"
#include "sparse/formats/format.h"

static struct sp_residence find_residence(const struct sp_analysis *a)
{
    const struct sp_layout *l = &a->setup.layout;
    return sp_residence_of(sp_analysis_caches(a), sp_footprint_of_layout(l), a->setup.workload.n_threads,
                           a->setup.n_domains, a->options->state == SP_WARM);
}

static double remembered_load(const struct sp_analysis *a, const char *level)
{
    bool exact;
    const struct sp_ceiling *c =
        sp_roof_of(a->options->machine, level, a->setup.workload.n_threads, NULL, &exact);
    return c && exact && sp_value_known(c->value) ? c->value.value : NAN;
}

/* How much of the last level other programs leave changes by the minute: where data that it could
 * hold are said to come from memory, and loads of them are twice as fast as memory and half as fast
 * as that cache at least, they lie in it. */
static bool is_drawn_from_cache(const struct sp_analysis *a, const struct sp_residence *home)
{
    const struct sp_machine *m = sp_analysis_caches(a);
    const struct sp_cache *llc = sp_machine_llc(m);
    if (!llc || home->level < m->n_caches || a->options->state != SP_WARM || a->options->llc_B > 0 ||
        a->elsewhere || !sp_analysis_has_own_roof(a) || home->needed_B > (double)llc->size_B)
        return false;
    char level[16];
    snprintf(level, sizeof level, "L%d", llc->level);
    const double roof = a->observed.pairs.roof.lo;
    return roof > 2 * remembered_load(a, "MEM") && roof > 0.5 * remembered_load(a, level);
}

/* Traffic of the interface through which the data come: outward of the last cache that does not
 * hold them. */
static const struct sp_traffic *traffic_at(const struct sp_analysis *a, const struct sp_evaluated *e)
{
    int k = e->residence.level - 1;
    return k >= 0 && k < a->simulated.n_levels ? &a->simulated.traffic[k] : NULL;
}

void sp_analysis_loading_domains(const struct sp_analysis *a, const struct sp_evaluated *e, int *n,
                                 const int **domain_of_thread, int *storage)
{
    const struct sp_machine *m = a->options->machine;
    int k = e->residence.level - 1;
    if (k >= 0 && k < m->n_caches - 1 && m->cache[k].cores_sharing <= 1) {
        *n = a->setup.workload.n_threads;
        for (int t = 0; t < *n; t++)
            storage[t] = t;
        *domain_of_thread = storage;
    } else {
        *n = a->setup.n_domains;
        *domain_of_thread = a->setup.domain_of_thread;
    }
}

/* w from the simulation where there is one: bytes of y and of its partial results per byte
 * stored. */
static struct sp_value find_w(const struct sp_analysis *a, const struct sp_evaluated *e)
{
    const struct sp_layout *l = &a->setup.layout;
    double y_B = sp_layout_array_bytes(l, SP_ARRAY_Y);
    if (e->at_level && e->at_level->by_array && y_B > 0) {
        double moved = e->at_level->array_read_B[SP_ARRAY_Y] + e->at_level->array_write_B[SP_ARRAY_Y];
        if (sp_format_of(l->format)->mirrored)
            moved += e->at_level->array_read_B[SP_ARRAY_OTHER] + e->at_level->array_write_B[SP_ARRAY_OTHER];
        double w =
            fmax(1, moved / y_B); /* below 1 a part of y stayed in the cache: the model counts from 1 */
        return sp_value_between(w, 1, fmax(2, w), SP_SIMULATED);
    }
    return sp_value_between(a->setup.facts.store_nt ? 1 : 2, 1, 2, SP_MODELLED);
}

/* HALF adds to y as often as it loads x: with x once, y and what threads share of it move once,
 * too. */
double sp_analysis_w_once(const struct sp_analysis *a, const struct sp_evaluated *e)
{
    const struct sp_layout *l = &a->setup.layout;
    return sp_format_of(l->format)->mirrored ? fmin(e->w.value, sp_layout_w(l, e->alpha_min.alpha, 0))
                                             : e->w.value;
}

/* The load-only run starts as the kernel does, which is a loss of its own. Returns the factor. */
static double without_start(const struct sp_analysis *a, struct sp_value *roof)
{
    const double seconds = sp_scan_bytes(&a->setup.job) / roof->value;
    if (!sp_value_known(a->core.team_s))
        return 1;
    const double factor = seconds / fmax(seconds - a->core.team_s.value, SP_LEAST_WORK * seconds);
    *roof = sp_value_between(roof->value * factor, roof->lo * factor, roof->hi * factor, roof->origin);
    return factor;
}

/* b_S: load-only on the kernel's own arrays, corrected for the share of stores by this machine's
 * own copy [THEORY 8]: 1/b = (1 - f)/b_load + f/b_copy, f the share of traffic that is as
 * half-written as a copy's. */
static void correct_roof(const struct sp_analysis *a, struct sp_evaluated *e)
{
    const struct sp_machine *m = a->options->machine;
    const char *level = e->residence.name;
    int n = a->setup.workload.n_threads;
    bool exact_copy = false, exact_load = false;
    const char *copy_name = a->setup.facts.store_nt ? "copy_nt" : "copy";
    const struct sp_ceiling *copy = sp_machine_ceiling(m, copy_name, level, "f64", n, NULL, &exact_copy);
    const struct sp_ceiling *load = sp_roof_of(m, level, n, NULL, &exact_load);
    struct sp_value roof = a->observed.pairs.roof;
    char whose[80] = "the machine's load-only bandwidth";
    if (sp_analysis_has_own_roof(a)) {
        const double started = without_start(a, &roof);
        snprintf(whose, sizeof whose, "load-only on the kernel's own arrays%s",
                 started > 1 ? ", less the start of the team" : "");
    } else if (load && strcmp(level, "MEM") != 0) { /* the recording was paired with memory's */
        roof = load->value;
    }
    const double alpha = sp_value_known(e->alpha) ? e->alpha.value : 0;
    double write_B = sp_volume_layout(&a->setup.layout, alpha, fmax(2, e->w.value)).write_B;
    double share = e->V_B.value > 0 ? write_B / e->V_B.value : 0;
    double copy_share = a->setup.facts.store_nt ? 1.0 / 2 : 1.0 / 3; /* written, of all that a copy moves */
    double f = fmin(1, share / copy_share);
    if (copy && load && exact_copy && exact_load && load->value.value > 0 && copy->value.value > 0) {
        double ratio = fmin(1, copy->value.value / load->value.value);
        double factor = 1 / (1 - f + f / ratio);
        e->roof_Bps = sp_value_between(roof.value * factor, roof.lo * factor, roof.hi * factor, roof.origin);
        snprintf(e->roof_how, sizeof e->roof_how, "%s, times %.3f for %.1f %% stores (%s/load = %.2f)", whose,
                 factor, 100 * share, copy_name, copy->value.value / load->value.value);
    } else {
        e->roof_Bps = roof;
        snprintf(e->roof_how, sizeof e->roof_how, "%s; %.1f %% stores not corrected for", whose, 100 * share);
    }
}

static int64_t thread_units(const struct sp_partition *p, int thread)
{
    int64_t cursor = 0, first, end, n = 0;
    while (sp_partition_next(p, thread, &cursor, &first, &end))
        n += end - first;
    return n;
}

void sp_analysis_thread_bytes(const struct sp_analysis *a, const struct sp_evaluated *e,
                              const struct sp_partition *p, double *out)
{
    const struct sp_layout *l = &a->setup.layout;
    struct sp_layout view = *l;
    view.partition = *p;
    double result_B = e->w.value * sp_layout_array_bytes(l, SP_ARRAY_Y);
    double rows_B = sp_layout_array_bytes(l, SP_ARRAY_POINTERS) + sp_layout_array_bytes(l, SP_ARRAY_PERM) +
                    sp_layout_array_bytes(l, SP_ARRAY_ROWS);
    double entries_B = sp_layout_array_bytes(l, SP_ARRAY_VALUES) +
                       sp_layout_array_bytes(l, SP_ARRAY_INDICES) +
                       e->alpha.value * sp_layout_gather_bytes(l);
    *(l->op == SP_OP_SDDMM ? &entries_B : &rows_B) += result_B;
    double moved = fmin(1, e->V_B.value / (rows_B + entries_B)); /* what stayed in caches, in proportion */
    rows_B *= moved;
    entries_B *= moved;
    for (int t = 0; t < p->n_threads; t++) {
        double of_entries =
            l->n_stored > 0 ? (double)sp_layout_thread_entries(&view, t) / (double)l->n_stored : 0;
        double of_rows = p->n_units > 0 ? (double)thread_units(p, t) / (double)p->n_units : 0;
        out[t] = entries_B * of_entries + rows_B * of_rows;
    }
}

/* lambda of the threads' busy times; the interval holds that of each run of the same mode, by
 * itself. */
static struct sp_value find_lambda_t(const struct sp_analysis *a)
{
    const struct sp_observed *o = &a->observed;
    const int n = a->setup.workload.n_threads;
    if (n < 2)
        return sp_value_none("one thread");
    if (a->setup_options.own)
        return sp_value_none("nobody times the threads of a kernel of your own");
    if (!o->pairs.thread_s)
        return sp_value_none("the threads were not timed one by one");
    const double all = sp_lambda(o->pairs.thread_s, n);
    struct sp_value lambda = sp_value_of(all, o->pairs.time.origin);
    for (int i = 0; i < o->n_runs; i++) {
        if (!o->run[i].thread_s || o->run[i].clean != o->pairs.clean ||
            strcmp(o->run[i].mode, o->pairs.mode) != 0)
            continue;
        const double one = sp_lambda(o->run[i].thread_s, n);
        lambda.lo = fmin(lambda.lo, one);
        lambda.hi = fmax(lambda.hi, one);
    }
    return lambda;
}

static enum sp_status find_imbalance(const struct sp_analysis *a, struct sp_evaluated *e,
                                     struct sp_error *err)
{
    int n = a->setup.workload.n_threads;
    void *p;
    enum sp_status status = sp_new_array(n, sizeof(double), "bytes of threads", &p, err);
    if (status != SP_OK)
        return status;
    double *entries = p;
    for (int t = 0; t < n; t++)
        entries[t] = (double)sp_layout_thread_entries(&a->setup.layout, t);
    e->lambda_nz = sp_lambda(entries, n);
    e->lambda_t = find_lambda_t(a);
    sp_analysis_thread_bytes(a, e, &a->setup.layout.partition, entries);
    e->thread_B = entries;
    bool exact;
    const struct sp_ceiling *one = sp_roof_of(a->options->machine, e->residence.name, 1, NULL, &exact);
    double b_1 = one && exact ? one->value.value : e->roof_Bps.value;
    double per_flop = e->balance_W > 0 ? e->V_B.value / e->balance_W : 0;
    if (e->p_core.origin != SP_NONE &&
        per_flop > 0) /* a thread cannot use bytes faster than its core computes */
        b_1 = fmin(b_1, a->setup.p_core_one.value * per_flop);
    double domain_S = e->roof_Bps.value / a->setup.n_domains;
    e->rates = (struct sp_fluid_rates){fmin(fmax(b_1, e->roof_Bps.value / n), e->roof_Bps.value), domain_S};
    e->fluid = sp_fluid_model(n, e->thread_B, a->setup.n_domains, a->setup.domain_of_thread, e->rates, NULL);
    bool shares_memory =
        e->residence.level >= a->options->machine->n_caches &&
        (e->p_core.origin == SP_NONE || e->V_B.value / e->roof_Bps.value > e->balance_W / e->p_core.value);
    /* In every run: what one of them alone has is the machine's doing, and not for long. */
    const double least = e->lambda_t.lo;
    e->busy_decides = sp_value_known(e->lambda_t) && least > 1.1 && least > 1.05 * e->fluid.lambda &&
                      (!shares_memory || least > 1.3);
    return SP_OK;
}

static struct sp_prediction predict(const struct sp_analysis *a, const struct sp_evaluated *e,
                                    struct sp_value alpha, double w)
{
    const struct sp_layout *l = &a->setup.layout;
    struct sp_predict_inputs in = {
        .row_ptr_B = (int)l->s_p,
        .n_r = l->n_r,
        .n_c = l->n_c,
        .n_nz = l->n_nz,
        .format = l->format,
        .C = l->C,
        .beta = sp_layout_beta(l),
        .u = l->n_slots > 0 ? (double)l->n_unit_slots / (double)l->n_slots : 0,
        .permuted = l->perm != NULL,
        .precision = l->precision,
        .index = l->index,
        .layout = l,
        .alpha = alpha,
        .w = sp_value_of(fmax(1, w), e->w.origin),
        .work = e->balance_W,
        .machine = sp_analysis_caches(a),
        .n_threads = a->setup.workload.n_threads,
        .n_domains = a->setup.n_domains,
        .warm = a->options->state == SP_WARM,
        .n_inward = find_residence(a).level - e->residence.level,
        .core = e->p_core,
        .roof_Bps = e->roof_Bps,
        .beyond_B = e->memory_B,
    };
    return sp_predict(&in);
}

/* Domains have unequal parts of the data: where sizes say that the last level holds them, one of
 * them may still fetch its own from memory in every execution. SP_NONE: next to nothing. */
static struct sp_value memory_of(const struct sp_analysis *a, const struct sp_evaluated *e)
{
    const double noticed = 0.01;
    const struct sp_simulated *s = &a->simulated;
    const int n = a->options->machine->n_caches;
    if (a->options->state != SP_WARM || sp_analysis_is_counted(a) || s->n_levels != n ||
        e->residence.level != n - 1 || n < 2)
        return sp_value_none("next to nothing comes from memory");
    const struct sp_traffic *t = &s->traffic[n - 1];
    const struct sp_value B = sp_value_sum(t->read_B, t->write_B);
    return B.value > noticed * e->V_B.value ? B : sp_value_none("next to nothing comes from memory");
}

/* Where the last level's effective capacity is an interval, so are the bytes behind it, and which
 * level holds the data may not be certain. */
static void widen_by_capacity(const struct sp_analysis *a, struct sp_evaluated *e)
{
    const struct sp_machine *m = a->options->machine;
    const struct sp_cache *llc = sp_machine_llc(m);
    const bool cold = a->options->state == SP_COLD;
    if (a->options->llc_B > 0) /* given, whatever was measured */
        e->residence.doubt = NULL;
    if (!llc || !sp_value_known(llc->effective_B) || a->options->llc_B > 0 || a->reuse.n_sizes == 0)
        return;
    const double idle_B = sp_traffic_idle_B(&a->setup.layout);
    if (e->at_level && e->residence.level == m->n_caches) {
        sp_reuse_widen(&a->reuse, llc->effective_B, cold, &e->alpha, &e->V_B);
        e->residence.doubt = !cold && e->V_B.lo < idle_B ? sp_residence_fits_upper_end : NULL;
    } else if (e->residence.level == m->n_caches - 1) {
        e->residence.doubt = sp_reuse_bytes(&a->reuse, (int64_t)llc->effective_B.lo, cold) >= idle_B
                                 ? sp_residence_exceeds_lower_end
                                 : NULL;
    }
}

/* V over what the roof moves in the time of the run. */
static struct sp_value fraction_of(const struct sp_analysis *a, const struct sp_evaluated *e)
{
    /* 1/(t b) of each pair: with the correction of the roof it is the fraction */
    const struct sp_value k = a->observed.pairs.inverse, V = e->V_B;
    const double corrected = V.value * a->observed.pairs.roof.value / e->roof_Bps.value;
    return sp_value_between(k.value * corrected, k.lo * corrected * V.lo / V.value,
                            k.hi * corrected * V.hi / V.value, V.origin);
}

/* No more bytes than the roof moves in its time: where a last level within its interval keeps
 * enough, it kept as much. */
static void limit_by_time(const struct sp_analysis *a, struct sp_evaluated *e)
{
    const double fraction = fraction_of(a, e).value, V = e->V_B.value, lo = e->V_B.lo;
    const bool is_simulated = e->at_level && e->V_B.origin == SP_SIMULATED && e->alpha.origin == SP_SIMULATED;
    if (!is_simulated || a->elsewhere || !sp_analysis_has_own_roof(a) || !(fraction > 1) || !(lo < V))
        return;
    const double moved = fmax(lo, V / fraction), share = (V - moved) / (V - lo);
    const struct sp_value alpha = e->alpha;
    e->V_B = sp_value_between(moved, lo, e->V_B.hi, e->V_B.origin);
    e->alpha =
        sp_value_between(alpha.value - share * (alpha.value - alpha.lo), alpha.lo, alpha.hi, alpha.origin);
    e->by_time = true;
}

/* The team's rate was measured as a share of the time of the run: a repetition gives another one as
 * far as it gives another time. */
static struct sp_value as_repeated(struct sp_value rate, struct sp_value time)
{
    return sp_value_between(rate.value, rate.lo * time.value / time.hi, rate.hi * time.value / time.lo,
                            rate.origin);
}

static struct sp_value work_over(double work, struct sp_value by)
{
    return sp_value_between(work / by.value, work / by.hi, work / by.lo, SP_MEASURED);
}

struct sp_value sp_analysis_execution(const struct sp_analysis *a)
{
    const struct sp_value P = sp_value_known(a->core.flop_s) ? a->core.flop_s : a->evaluated.p_core;
    return P.origin != SP_NONE ? work_over(sp_workload_flops(&a->setup.workload), P)
                               : sp_value_none("P_core was not measured");
}

/* P_core of the team; of one thread, times their number, where that was not measured. No less than
 * a later run of all rows shows. */
static void find_p_core(const struct sp_analysis *a, struct sp_evaluated *e)
{
    const int n_threads = a->setup.workload.n_threads;
    const struct sp_value one = a->setup.p_core_one;
    e->team = n_threads;
    e->p_core = one;
    if (one.origin != SP_NONE)
        e->p_core =
            sp_value_between(n_threads * one.value, n_threads * one.lo, n_threads * one.hi, SP_MEASURED);
    if (sp_value_known(a->core.flop_s))
        e->p_core = as_repeated(a->core.flop_s, a->observed.pairs.time);
    if (sp_value_known(a->proved.core_s))
        e->p_core = as_repeated(work_over(e->balance_W, a->proved.core_s), a->observed.pairs.time);
    if (one.origin != SP_NONE && (sp_value_known(a->core.flop_s) || sp_value_known(a->proved.core_s)))
        e->team = e->p_core.value / one.value;
}

static enum sp_status evaluate(const struct sp_analysis *a, struct sp_evaluated *e, struct sp_error *err)
{
    const struct sp_layout *l = &a->setup.layout;
    int n_threads = a->setup.workload.n_threads;
    e->residence = find_residence(a);
    const bool is_drawn = is_drawn_from_cache(a, &e->residence);
    if (is_drawn)
        sp_residence_inward(&e->residence, sp_analysis_caches(a));
    e->at_level = traffic_at(a, e);
    /* The simulation knows better than sizes: where next to nothing crosses, the data live further
     * in. */
    while (e->at_level && e->residence.level > 0 && sp_traffic_is_idle(l, e->at_level)) {
        sp_residence_inward(&e->residence, sp_analysis_caches(a));
        e->at_level = traffic_at(a, e);
    }
    e->balance_W = sp_workload_flops(&a->setup.workload);
    e->w = find_w(a, e);
    find_p_core(a, e);
    void *p;
    enum sp_status status = sp_new_array(n_threads, sizeof(int), "cache domains", &p, err);
    if (status != SP_OK)
        return status;
    int n_domains;
    const int *domains;
    sp_analysis_loading_domains(a, e, &n_domains, &domains, p);
    status = sp_alpha_min_layout(l, n_domains, domains, a->line_B, a->setup.facts.x_offset_B, NULL,
                                 &e->alpha_min, err);
    free(p);
    if (status != SP_OK)
        return status;
    double x_all = sp_layout_gather_bytes(l);
    if (e->at_level) {
        e->alpha = x_all > 0 ? sp_value_of((e->at_level->array_read_B[SP_ARRAY_X]) / x_all, SP_SIMULATED)
                             : sp_value_none("the matrix has no entries");
        e->V_B = sp_value_of(e->at_level->read_B.value + e->at_level->write_B.value, SP_SIMULATED);
    } else { /* in the innermost cache every gather is one element through its interface */
        e->alpha = sp_value_of(1, SP_MODELLED);
        const bool again = sp_format_of(l->format)->updates_y;
        e->w = sp_value_of(again ? sp_layout_w(l, 1, 0) : 1, SP_MODELLED);
        e->V_B = sp_value_of(sp_volume_layout(l, 1, e->w.value).total_B, SP_MODELLED);
        e->alpha_min.alpha = e->alpha_min.alpha_once = 1;
    }
    widen_by_capacity(a, e);
    if (is_drawn)
        e->residence.doubt = sp_residence_drawn_from_cache;
    sp_analysis_use_counts(a, e);
    if (l->n_nz == 0) { /* nothing to read, so there is no roof and nothing to share */
        e->roof_Bps = e->lambda_t = e->fraction = e->model_fraction =
            sp_value_none("the matrix has no entries");
        e->lambda_nz = 1;
        return SP_OK;
    }
    correct_roof(a, e);
    limit_by_time(a, e);
    e->memory_B = sp_value_none("not of the minimum");
    e->once = predict(a, e, sp_value_of(e->alpha_min.alpha, SP_MODELLED), sp_analysis_w_once(a, e));
    e->memory_B = memory_of(a, e);
    e->seen = predict(a, e, e->alpha, e->w.value);
    e->fraction = fraction_of(a, e);
    double t_model = e->once.roofline.time_s.value;
    e->model_fraction =
        sp_value_between(t_model / a->observed.pairs.time.value, t_model / a->observed.pairs.time.hi,
                         t_model / a->observed.pairs.time.lo, SP_MODELLED);
    return find_imbalance(a, e, err);
}

/* A replay is worth what its recording is. */
static enum sp_condition recorded_state(const struct sp_analysis *a)
{
    const char *state = sp_analysis_is_replayed(a)
                            ? sp_words_text(&a->options->bytes->recording.record, SP_F_CONDITIONS_STATE, "")
                            : "";
    return strcmp(state, "unusable") == 0  ? SP_UNUSABLE
           : strcmp(state, "assumed") == 0 ? SP_ASSUMED
                                           : SP_NOT_RUN;
}

const struct sp_ceiling *sp_analysis_remembered_roof(const struct sp_analysis *a,
                                                     const struct sp_evaluated *e)
{
    static const char unknown[] = "unknown";
    const char *mode = a->observed.pairs.mode;
    const int n_threads = a->setup.workload.n_threads;
    bool exact = false;
    if (a->elsewhere || !sp_analysis_has_own_roof(a))
        return NULL;
    const struct sp_ceiling *c = sp_roof_of(a->options->machine, e->residence.name, n_threads,
                                            strcmp(mode, unknown) == 0 ? NULL : mode, &exact);
    if (!exact) /* measured when nobody could tell how the processors share */
        c = sp_roof_of(a->options->machine, e->residence.name, n_threads, unknown, &exact);
    return exact ? c : NULL;
}

/* A roof of a run elsewhere is a ceiling of its machine, and memory's is none of a cache: where the
 * level of the data is not described, no time of the model and no share can be told. */
static bool forget_roof(const struct sp_analysis *a, struct sp_evaluated *e)
{
    static const char why[] = "the machine does not describe the bandwidth of the cache that holds the data";
    const struct sp_machine *m = a->options->machine;
    bool exact;
    if (!m || sp_analysis_has_own_roof(a) || strcmp(e->residence.name, "MEM") == 0 ||
        sp_roof_of(m, e->residence.name, a->setup.workload.n_threads, NULL, &exact))
        return false;
    snprintf(e->doubt, sizeof e->doubt,
             "%.100s does not describe the bandwidth of %s, which holds the data between executions", m->name,
             e->residence.name);
    e->roof_Bps = e->fraction = e->model_fraction = e->once.roofline.time_s = e->once.roofline.performance =
        e->seen.roofline.time_s = e->seen.roofline.performance = sp_value_none(why);
    e->once.binding = e->seen.binding = "unknown";
    return true;
}

bool sp_analysis_doubt(const struct sp_analysis *a, struct sp_evaluated *e)
{
    const bool replayed = sp_analysis_is_replayed(a);
    const struct sp_ceiling *remembered = replayed ? NULL : sp_analysis_remembered_roof(a, e);
    const struct sp_conditions recorded = {.state = recorded_state(a)};
    *e->doubt = '\0';
    if (!sp_value_known(e->fraction) || forget_roof(a, e))
        return false;
    struct sp_shares shares = {
        .conditions = replayed ? &recorded : &a->observed.conditions,
        .of_roof = e->fraction,
        .of_model = e->model_fraction,
        .of_remembered = remembered ? a->observed.pairs.roof.value / remembered->value.value : INFINITY,
        .in_memory = strcmp(e->residence.name, "MEM") == 0,
        .roof = sp_analysis_has_own_roof(a) ? "what a load-only run beside it drew"
                                            : "the machine's load-only bandwidth",
        .fewer_B = sp_evaluated_is_counted(e) ? "other traffic was counted, too"
                   : a->observed.pairs.time.origin == SP_STATED
                       ? "the time is of another matrix or machine, or of more threads"
                   : e->residence.doubt
                       ? "part of the data stays in the last-level cache, whose capacity is not known well"
                       : "fewer bytes move than are simulated",
        .fast = e->V_B.value < e->once.volume_B.value
                    ? "part of what the model moves stays in inner caches"
                    : "faster than the model: one of its ceilings is too low"};
    const bool retake = sp_shares_doubt(&shares, e->doubt, sizeof e->doubt);
    if (recorded.state == SP_UNUSABLE)
        snprintf(e->doubt, sizeof e->doubt, "of the recording %s",
                 sp_words_text(&a->options->bytes->recording.record, SP_F_CONDITIONS_TEXT,
                               "most samples were disturbed"));
    e->fraction = shares.of_roof;
    e->model_fraction = shares.of_model;
    return retake && !replayed;
}

enum sp_status sp_analysis_evaluate(const struct sp_analysis *a, struct sp_evaluated *e, struct sp_error *err)
{
    enum sp_status status = evaluate(a, e, err);
    if (status == SP_OK)
        e->retake = sp_analysis_doubt(a, e);
    return status;
}
