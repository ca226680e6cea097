#include "cli/model_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/traffic.h"
#include "sparse/layout.h"

static int cores_of(const struct sp_machine *m)
{
    return m->n_cores > 0 ? m->n_cores : 1;
}

/* Threads fill one cache domain after the other. */
static int cores_per_domain(const struct sp_machine *m)
{
    int domains = m->n_domains > 0 ? m->n_domains : 1;
    int cores = cores_of(m) / domains;
    return cores > 0 ? cores : 1;
}

static int domain_of(const struct sp_machine *m, int thread)
{
    int domains = m->n_domains > 0 ? m->n_domains : 1;
    return thread / cores_per_domain(m) % domains;
}

static int domains_used(const struct sp_machine *m, int n_threads)
{
    int most = 0;
    for (int t = 0; t < n_threads; t++)
        if (domain_of(m, t) > most)
            most = domain_of(m, t);
    return most + 1;
}

static int line_of(const struct sp_machine *m)
{
    const struct sp_cache *llc = sp_machine_llc(m);
    return llc && llc->line_B > 0 ? llc->line_B : 64;
}

static enum sp_status simulate(const struct sp_layout *layout, const struct sp_model_request *request,
                               const int *domain, struct sp_model_row *row, struct sp_error *err)
{
    struct sp_sim_options options = sp_sim_default(row->machine);
    options.n_domain = row->n_domains;
    options.domain_of_thread = domain;
    options.state = request->cold ? SP_SIM_COLD : SP_SIM_WARM;
    options.store_nt = request->w == 1;
    struct sp_traffic traffic[SP_MAX_LEVELS];
    struct sp_sim_facts facts;
    int n_levels;
    enum sp_status status = sp_sim_spmv(layout, &options, traffic, &n_levels, &facts, err);
    if (status != SP_OK)
        return status;
    /* traffic[k] crosses into level k + 1, so data at home in cache[h] come through traffic[h - 1]; out of
     * the first level every access moves its element. */
    int home = row->prediction.home;
    int k = home < n_levels ? home - 1 : n_levels - 1;
    row->alpha = sp_value_of(k >= 0 ? sp_traffic_alpha(layout, &traffic[k]) : 1, SP_SIMULATED);
    snprintf(row->note, sizeof row->note, "alpha simulated, %s, last level %.1f MiB",
             request->cold ? "cold" : "warm", (double)facts.llc_B / 1048576);
    return SP_OK;
}

/* The cache that a thread's data pass into: its last-level domain when they come from memory, an instance of
 * the next level inward when they live in a cache. */
static int receiver_of(const struct sp_machine *m, int home, int thread)
{
    if (home >= m->n_caches)
        return domain_of(m, thread);
    int sharing = home > 0 ? m->cache[home - 1].cores_sharing : 1;
    return thread / (sharing > 1 ? sharing : 1);
}

/* From the entries: the layout's lines of x, and the simulator where it is asked for. */
static enum sp_status alpha_of_layout(const struct sp_model_request *request, const struct sp_layout *layout,
                                      struct sp_model_row *row, struct sp_error *err)
{
    void *memory;
    int n = row->n_threads, n_receivers = 1;
    enum sp_status status = sp_new_array(2 * n, sizeof(int), "domains of threads", &memory, err);
    if (status != SP_OK)
        return status;
    int *domain = memory, *receiver = domain + n;
    for (int t = 0; t < n; t++) {
        domain[t] = domain_of(row->machine, t);
        receiver[t] = receiver_of(row->machine, row->prediction.residence.level, t);
        n_receivers = receiver[t] >= n_receivers ? receiver[t] + 1 : n_receivers;
    }
    struct sp_alpha_min least;
    status = sp_alpha_min_layout(layout, n_receivers, receiver, line_of(row->machine), 0, &least, err);
    if (status == SP_OK) {
        row->alpha = row->alpha_min = sp_value_of(least.alpha, SP_MODELLED);
        snprintf(row->note, sizeof row->note, "alpha modelled: every line of x that is used, loaded once%s",
                 n_receivers > 1 ? " by each cache" : "");
        if (request->alpha_kind == SP_ALPHA_SIM)
            status = simulate(layout, request, domain, row, err);
    }
    free(domain);
    return status;
}

static enum sp_status from_sizes(const struct sp_model_request *request, const struct sp_model_subject *s,
                                 const struct sp_workload *w, struct sp_model_row *row, struct sp_error *err)
{
    static const char remedy[] = "name a matrix file or gen:... instead of --sizes";
    if (request->alpha_kind == SP_ALPHA_SIM)
        return sp_fail(err, SP_USAGE, remedy, "--alpha sim needs the entries, sizes do not suffice");
    if (w->format == SP_FORMAT_SELLU)
        return sp_fail(err, SP_USAGE, remedy,
                       "the share of unit-stride slots follows from the entries, sizes do not suffice");
    if (w->format != SP_FORMAT_CRS && request->beta <= 0)
        return sp_fail(err, SP_USAGE, "add --beta B, or name a matrix file",
                       "beta of %s follows from row lengths, sizes do not suffice", row->format);
    double once = sp_alpha_min_sizes(s->n_c, s->n_nz);
    row->alpha_min = sp_value_between(once, once, once * row->n_domains, SP_MODELLED);
    row->alpha = row->alpha_min;
    row->beta =
        w->format == SP_FORMAT_CRS ? sp_value_of(1, SP_MODELLED) : sp_value_of(request->beta, SP_STATED);
    snprintf(row->note, sizeof row->note, "alpha modelled: x loaded once%s",
             row->n_domains > 1 ? "; at most once by each cache domain" : "");
    return SP_OK;
}

static void turn_around(const struct sp_model_request *request, struct sp_model_row *row)
{
    const struct sp_prediction *p = &row->prediction;
    double w = request->w > 0 ? request->w : 2;
    struct sp_alpha_source source = {.matrix_B = sp_volume_matrix_B(&p->volume),
                                     .y_B = p->volume.write_B,
                                     .x_B = (double)sp_precision_size(row->precision) * p->work /
                                            sp_flops_per_entry(row->precision),
                                     .w = sp_value_between(w, request->w > 0 ? w : 1, w, SP_STATED),
                                     .read_B = sp_value_none("only the sum is known"),
                                     .total_B = sp_value_of(request->volume_B, SP_STATED)};
    row->inverse = sp_alpha_from_bytes(&source);
}

enum sp_status sp_model_row_make(const struct sp_model_request *request,
                                 const struct sp_model_subject *subject, const char *format,
                                 const struct sp_machine *machine, const struct sp_progress *progress,
                                 struct sp_model_row *row, struct sp_error *err)
{
    memset(row, 0, sizeof *row);
    struct sp_workload w = request->workload;
    enum sp_status status = sp_workload_set_format(&w, format, err);
    if (status != SP_OK)
        return status;
    w.matrix = subject->matrix;
    if (w.matrix && sp_csr_is_complex(w.matrix) && !request->precision_given)
        w.precision = SP_C128;
    if (w.n_threads <= 0)
        w.n_threads = cores_of(machine);
    if (w.matrix && (status = sp_workload_check(&w, err)) != SP_OK)
        return status;
    sp_workload_format_text(&w, row->format, sizeof row->format);
    row->machine = machine;
    row->n_threads = w.n_threads;
    row->n_domains = domains_used(machine, w.n_threads);
    row->precision = w.precision;
    row->unit_share = NAN;

    struct sp_layout layout = {0};
    row->beta = sp_value_of(w.format == SP_FORMAT_CRS ? 1 : request->beta, SP_STATED);
    sp_progress_step(progress, "building the layout", -1);
    status =
        w.matrix ? sp_layout_make(&w, false, NULL, &layout, err) : from_sizes(request, subject, &w, row, err);
    if (status != SP_OK)
        return status;
    if (w.matrix) {
        row->beta = sp_value_of((double)layout.n_nz / (double)layout.n_stored, SP_MODELLED);
        if (w.format == SP_FORMAT_SELLU && layout.n_slots > 0)
            row->unit_share = (double)layout.n_unit_slots / (double)layout.n_slots;
    }
    struct sp_predict_inputs in = {
        .n_r = subject->n_r,
        .n_c = subject->n_c,
        .n_nz = subject->n_nz,
        .format = w.format,
        .C = w.C,
        .beta = row->beta.value,
        .permuted = w.sigma > 1,
        .precision = w.precision,
        .index = w.index,
        .layout = w.matrix ? &layout : NULL,
        .alpha = sp_value_of(0, SP_MODELLED),
        .w = sp_value_of(request->w > 0 ? request->w : 2, SP_MODELLED),
        .machine = machine,
        .n_threads = w.n_threads,
        .n_domains = row->n_domains,
        .warm = !request->cold,
        .core = sp_value_none("not measured"),
        .roof_Bps = sp_value_none("the machine's"),
    };
    row->prediction = sp_predict_spmv(&in); /* where the data live does not depend on alpha */
    sp_progress_step(progress, "walking through the entries", -1);
    if (w.matrix)
        status = alpha_of_layout(request, &layout, row, err);
    if (status == SP_OK) {
        if (request->alpha_kind == SP_ALPHA_GIVEN) {
            row->alpha = sp_value_of(request->alpha, SP_STATED);
            snprintf(row->note, sizeof row->note, "alpha as stated");
        }
        in.alpha = row->alpha_min;
        row->minimum_B = sp_predict_spmv(&in).volume_B.value;
        in.alpha = row->alpha;
        row->prediction = sp_predict_spmv(&in);
        if (request->volume_B > 0)
            turn_around(request, row);
    }
    sp_layout_free(&layout);
    return status;
}
