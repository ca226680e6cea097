/* From samples and simulated bytes to alpha, predictions and shares of the roof. Everything belongs to the
 * level that holds the data: memory, or the cache that they fit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/analysis.h"

static struct sp_residence find_residence(const struct sp_analysis *a)
{
    const struct sp_layout *l = &a->setup.layout;
    return sp_residence_of(a->options->machine, sp_footprint_of_layout(l), a->setup.workload.n_threads,
                           a->setup.n_domains, a->options->state == SP_WARM);
}

/* Traffic of the interface through which the data come: outward of the last cache that does not hold them. */
static const struct sp_traffic *traffic_at(const struct sp_analysis *a)
{
    int k = a->residence.level - 1;
    return k >= 0 && k < a->n_levels ? &a->traffic[k] : NULL;
}

void sp_analysis_loading_domains(const struct sp_analysis *a, int *n, const int **domain_of_thread,
                                 int *storage)
{
    const struct sp_machine *m = a->options->machine;
    int k = a->residence.level - 1;
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

/* w from the simulation where there is one: bytes of y per byte stored. */
static struct sp_value find_w(const struct sp_analysis *a)
{
    const struct sp_layout *l = &a->setup.layout;
    double y_B = sp_layout_array_bytes(l, SP_ARRAY_Y);
    if (a->at_level && a->at_level->by_array && y_B > 0) {
        double moved = a->at_level->array_read_B[SP_ARRAY_Y] + a->at_level->array_write_B[SP_ARRAY_Y];
        double w =
            fmax(1, moved / y_B); /* below 1 a part of y stayed in the cache: the model counts from 1 */
        return sp_value_between(w, 1, fmax(2, w), SP_SIMULATED);
    }
    return sp_value_between(a->setup.facts.store_nt ? 1 : 2, 1, 2, SP_MODELLED);
}

/* b_S: load-only on the kernel's own arrays, corrected for the share of stores by this machine's own copy
 * [THEORY 8]: 1/b = (1 - f)/b_load + f/b_copy, f the share of traffic that is as half-written as a copy's. */
static void correct_roof(struct sp_analysis *a)
{
    const struct sp_machine *m = a->options->machine;
    const char *level = a->residence.name;
    int n = a->setup.workload.n_threads;
    bool exact_copy = false, exact_load = false;
    const char *copy_name = a->setup.facts.store_nt ? "copy_nt" : "copy";
    const struct sp_ceiling *copy = sp_machine_ceiling(m, copy_name, level, "f64", n, NULL, &exact_copy);
    const struct sp_ceiling *load = sp_roof_of(m, level, n, NULL, &exact_load);
    struct sp_value roof = a->pairs.roof;
    const char *whose = sp_analysis_has_own_roof(a) ? "load-only on the kernel's own arrays"
                                                    : "the machine's load-only bandwidth";
    const double alpha = sp_value_known(a->alpha) ? a->alpha.value : 0;
    double write_B = sp_volume_layout(&a->setup.layout, alpha, 2).write_B;
    double share = a->V_B.value > 0 ? write_B / a->V_B.value : 0;
    double copy_share = a->setup.facts.store_nt ? 1.0 / 2 : 1.0 / 3; /* written, of all that a copy moves */
    double f = fmin(1, share / copy_share);
    if (copy && load && exact_copy && exact_load && load->value.value > 0 && copy->value.value > 0) {
        double ratio = fmin(1, copy->value.value / load->value.value);
        double factor = 1 / (1 - f + f / ratio);
        a->roof_Bps = sp_value_between(roof.value * factor, roof.lo * factor, roof.hi * factor, roof.origin);
        snprintf(a->roof_how, sizeof a->roof_how, "%s, times %.3f for %.1f %% stores (%s/load = %.2f)", whose,
                 factor, 100 * share, copy_name, copy->value.value / load->value.value);
    } else {
        a->roof_Bps = roof;
        snprintf(a->roof_how, sizeof a->roof_how, "%s; %.1f %% stores not corrected for", whose, 100 * share);
    }
}

static int64_t thread_units(const struct sp_partition *p, int thread)
{
    int64_t cursor = 0, first, end, n = 0;
    while (sp_partition_next(p, thread, &cursor, &first, &end))
        n += end - first;
    return n;
}

void sp_analysis_thread_bytes(const struct sp_analysis *a, const struct sp_partition *p, double *out)
{
    const struct sp_layout *l = &a->setup.layout;
    struct sp_layout view = *l;
    view.partition = *p;
    double result_B = a->w.value * sp_layout_array_bytes(l, SP_ARRAY_Y);
    double rows_B = sp_layout_array_bytes(l, SP_ARRAY_POINTERS) + sp_layout_array_bytes(l, SP_ARRAY_PERM) +
                    sp_layout_array_bytes(l, SP_ARRAY_ROWS);
    double entries_B = sp_layout_array_bytes(l, SP_ARRAY_VALUES) +
                       sp_layout_array_bytes(l, SP_ARRAY_INDICES) +
                       a->alpha.value * sp_layout_gather_bytes(l);
    *(l->op == SP_OP_SDDMM ? &entries_B : &rows_B) += result_B;
    double moved = fmin(1, a->V_B.value / (rows_B + entries_B)); /* what stayed in caches, in proportion */
    rows_B *= moved;
    entries_B *= moved;
    for (int t = 0; t < p->n_threads; t++) {
        double of_entries =
            l->n_stored > 0 ? (double)sp_layout_thread_entries(&view, t) / (double)l->n_stored : 0;
        double of_rows = p->n_units > 0 ? (double)thread_units(p, t) / (double)p->n_units : 0;
        out[t] = entries_B * of_entries + rows_B * of_rows;
    }
}

static enum sp_status find_imbalance(struct sp_analysis *a, struct sp_error *err)
{
    int n = a->setup.workload.n_threads;
    void *p;
    enum sp_status status = sp_new_array(n, sizeof(double), "bytes of threads", &p, err);
    if (status != SP_OK)
        return status;
    double *entries = p;
    for (int t = 0; t < n; t++)
        entries[t] = (double)sp_layout_thread_entries(&a->setup.layout, t);
    a->lambda_nz = sp_lambda(entries, n);
    a->lambda_t = n > 1 && a->pairs.thread_s
                      ? sp_value_of(sp_lambda(a->pairs.thread_s, n), a->pairs.time.origin)
                      : sp_value_none("one thread");
    sp_analysis_thread_bytes(a, &a->setup.layout.partition, entries);
    a->thread_B = entries;
    bool exact;
    const struct sp_ceiling *one = sp_roof_of(a->options->machine, a->residence.name, 1, NULL, &exact);
    double b_1 = one && exact ? one->value.value : a->roof_Bps.value;
    double per_flop = a->balance_W > 0 ? a->V_B.value / a->balance_W : 0;
    if (a->p_core.origin != SP_NONE &&
        per_flop > 0) /* a thread cannot use bytes faster than its core computes */
        b_1 = fmin(b_1, a->setup.p_core_one.value * per_flop);
    double domain_S = a->roof_Bps.value / a->setup.n_domains;
    a->rates = (struct sp_fluid_rates){fmin(fmax(b_1, a->roof_Bps.value / n), a->roof_Bps.value), domain_S};
    a->fluid = sp_fluid_model(n, a->thread_B, a->setup.n_domains, a->setup.domain_of_thread, a->rates, NULL);
    bool shares_memory =
        a->residence.level >= a->options->machine->n_caches &&
        (a->p_core.origin == SP_NONE || a->V_B.value / a->roof_Bps.value > a->balance_W / a->p_core.value);
    a->busy_decides = sp_value_known(a->lambda_t) && a->lambda_t.value > 1.1 &&
                      a->lambda_t.value > 1.05 * a->fluid.lambda &&
                      (!shares_memory || a->lambda_t.value > 1.3);
    return SP_OK;
}

static struct sp_prediction predict(const struct sp_analysis *a, struct sp_value alpha)
{
    const struct sp_layout *l = &a->setup.layout;
    struct sp_predict_inputs in = {
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
        .w = sp_value_of(fmax(1, a->w.value), a->w.origin),
        .work = a->balance_W,
        .machine = a->options->machine,
        .n_threads = a->setup.workload.n_threads,
        .n_domains = a->setup.n_domains,
        .warm = a->options->state == SP_WARM,
        .core = a->p_core,
        .roof_Bps = a->roof_Bps,
    };
    return sp_predict(&in);
}

enum sp_status sp_analysis_evaluate(struct sp_analysis *a, struct sp_error *err)
{
    const struct sp_layout *l = &a->setup.layout;
    const struct sp_machine *m = a->options->machine;
    int n_threads = a->setup.workload.n_threads;
    a->residence = find_residence(a);
    a->line_B = m->n_caches > 0 && m->cache[0].line_B > 0 ? m->cache[0].line_B : 64;
    a->at_level = traffic_at(a);
    /* The simulation knows better than sizes: where next to nothing crosses, the data live further in. */
    while (a->at_level && a->residence.level > 0 && sp_traffic_is_idle(l, a->at_level)) {
        sp_residence_inward(&a->residence, m);
        a->at_level = traffic_at(a);
    }
    a->balance_W = sp_workload_flops(&a->setup.workload);
    a->w = find_w(a);
    double one = a->setup.p_core_one.origin == SP_NONE ? 0 : n_threads;
    a->p_core = one > 0 ? sp_value_between(one * a->setup.p_core_one.value, one * a->setup.p_core_one.lo,
                                           one * a->setup.p_core_one.hi, SP_MEASURED)
                        : a->setup.p_core_one;
    void *p;
    enum sp_status status = sp_new_array(n_threads, sizeof(int), "cache domains", &p, err);
    if (status != SP_OK)
        return status;
    int n_domains;
    const int *domains;
    sp_analysis_loading_domains(a, &n_domains, &domains, p);
    status = sp_alpha_min_layout(l, n_domains, domains, a->line_B, a->setup.facts.x_offset_B, NULL,
                                 &a->alpha_min, err);
    free(p);
    if (status != SP_OK)
        return status;
    double x_all = sp_layout_gather_bytes(l);
    if (a->at_level) {
        a->alpha = x_all > 0 ? sp_value_of((a->at_level->array_read_B[SP_ARRAY_X]) / x_all, SP_SIMULATED)
                             : sp_value_none("the matrix has no entries");
        a->V_B = sp_value_of(a->at_level->read_B.value + a->at_level->write_B.value, SP_SIMULATED);
    } else { /* in the innermost cache every gather is one element through its interface */
        a->alpha = sp_value_of(1, SP_MODELLED);
        a->w = sp_value_of(1, SP_MODELLED);
        a->V_B = sp_value_of(sp_volume_layout(l, 1, 1).total_B, SP_MODELLED);
        a->alpha_min.alpha = a->alpha_min.alpha_once = 1;
    }
    sp_analysis_use_counts(a);
    if (l->n_nz == 0) { /* nothing to read, so there is no roof and nothing to share */
        a->roof_Bps = a->lambda_t = a->fraction = a->model_fraction =
            sp_value_none("the matrix has no entries");
        a->lambda_nz = 1;
        return SP_OK;
    }
    correct_roof(a);
    a->once = predict(a, sp_value_of(a->alpha_min.alpha, SP_MODELLED));
    a->seen = predict(a, a->alpha);
    struct sp_value k =
        a->pairs.inverse; /* 1/(t b) of each pair: with the correction of the roof it is the fraction */
    double corrected = a->V_B.value * a->pairs.roof.value / a->roof_Bps.value;
    struct sp_value V = a->V_B;
    a->fraction = sp_value_between(k.value * corrected, k.lo * corrected * V.lo / V.value,
                                   k.hi * corrected * V.hi / V.value, V.origin);
    double t_model = a->once.roofline.time_s.value;
    a->model_fraction = sp_value_between(t_model / a->pairs.time.value, t_model / a->pairs.time.hi,
                                         t_model / a->pairs.time.lo, SP_MODELLED);
    return find_imbalance(a, err);
}
