#include "session/validate/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/cache/alpha.h"
#include "model/roofline.h"
#include "model/unit_costs.h"
#include "model/volume/traffic.h"
#include "sparse/formats/layout.h"

double sp_forecast_once_B(double n_r, double n_c, double n_nz, double row_ptr_B)
{
    return 12 * n_nz + row_ptr_B * (n_r + 1) + 8 * n_r + 8 * n_c;
}

struct work {
    const struct sp_machine *machine;
    const struct sp_layout *layout;
    const struct sp_progress *progress;
    int *domain; /* [threads] */
    int n_domains;
    int64_t *lines_of; /* [n_domains] of x */
    int line_B;
    double capacity_B; /* of one last level */
    int ways;          /* of it; 0: pages may lie anywhere */
    bool cold;
};

static bool tell(void *context, double share)
{
    const struct work *w = context;
    sp_progress_step(w->progress, "simulating", share);
    return sp_progress_interrupted(w->progress);
}

/* The part of the matrix and of y that a domain's threads go through. */
static double share_of(const struct work *w, int domain)
{
    const struct sp_layout *l = w->layout;
    double entries = 0;
    for (int t = 0; t < l->partition.n_threads; t++)
        if (w->domain[t] == domain)
            entries += (double)sp_layout_thread_entries(l, t);
    return l->n_stored > 0 ? entries / (double)l->n_stored : 0;
}

/* A domain's last level, or a part of its ways, and the bytes that its threads go through there. */
struct part {
    double bytes, capacity_B;
};
enum { MOST_PARTS = 2 };

/* The matrix and y as the threads share them, and the lines of x that they touch; returns how many
 * parts. The first one has the values. */
static int parts_of(const struct work *w, int domain, struct part part[MOST_PARTS])
{
    const struct sp_layout *l = w->layout;
    const struct sp_way_partition *p = &sp_machine_llc(w->machine)->partition;
    const double share = share_of(w, domain);
    const bool divided = p->ways > 0 && w->ways > p->ways;
    part[0] = (struct part){.capacity_B = w->capacity_B};
    part[1] = part[0];
    for (int i = 0; divided && i < 2; i++) {
        const bool kept = (p->arrays >> SP_ARRAY_VALUES & 1) == (i == 0);
        part[i].capacity_B *= (double)(kept ? p->ways : w->ways - p->ways) / w->ways;
    }
    for (int a = 0; a < SP_ARRAY_OTHER; a++) {
        const bool with_values = !divided || (p->arrays >> a & 1) == (p->arrays >> SP_ARRAY_VALUES & 1);
        struct part *to = &part[with_values ? 0 : 1];
        to->bytes += a == SP_ARRAY_X ? (double)(w->lines_of[domain] * w->line_B)
                                     : share * sp_layout_array_bytes(l, (enum sp_array)a);
    }
    return divided ? 2 : 1;
}

/* Times its cache, or its ways, that the bytes are. */
static double fullness(const struct part *p)
{
    return p->capacity_B > 0 ? p->bytes / p->capacity_B : INFINITY;
}

static enum sp_status look_at_sizes(struct work *w, struct sp_forecast *out, struct sp_error *err)
{
    static const double noticed = 0.02, half = 0.5; /* of a divided cache: other arrays that matter */
    const struct sp_layout *l = w->layout;
    struct sp_alpha_min least;
    enum sp_status status =
        sp_alpha_min_layout(l, w->n_domains, w->domain, w->line_B, 0, w->lines_of, &least, err);
    if (status != SP_OK)
        return status;
    const double gather_B = sp_layout_gather_bytes(l);
    out->once_B =
        sp_layout_matrix_bytes(l) + sp_layout_array_bytes(l, SP_ARRAY_Y) + least.alpha_once * gather_B;
    out->copies_B = (least.alpha - least.alpha_once) * gather_B;
    out->n_domains = w->n_domains;
    for (int d = 0; d < w->n_domains; d++) {
        struct part part[MOST_PARTS];
        const int n = parts_of(w, d, part);
        double share = fullness(&part[0]);
        out->n_held += share <= 1;
        if (n > 1 && part[1].bytes > noticed * part[0].bytes && fullness(&part[1]) > half)
            share = fmin(share, fullness(&part[1]));
        out->least_share = d == 0 ? share : fmin(out->least_share, share);
        out->most_share = fmax(out->most_share, share);
    }
    return SP_OK;
}

static enum sp_status simulate(struct work *w, struct sp_traffic traffic[SP_MAX_LEVELS], int *n_levels,
                               struct sp_error *err)
{
    struct sp_sim_options o = sp_sim_default(w->machine);
    o.n_domain = w->n_domains;
    o.domain_of_thread = w->domain;
    o.state = w->cold ? SP_SIM_COLD : SP_SIM_WARM;
    o.progress = tell;
    o.context = w;
    return sp_sim_traffic(w->layout, &o, traffic, n_levels, NULL, err);
}

/* Between the data's home and the level inside it. */
static double alpha_of(const struct work *w, const struct sp_traffic *traffic, int n_levels, int home)
{
    const int k = home < n_levels ? home - 1 : n_levels - 1;
    return k >= 0 ? sp_traffic_alpha(w->layout, &traffic[k]) : 1;
}

/* The roofline with the simulated alpha, what memory gives of data that caches keep in part, and
 * the core's time by the lengths of rows where the machine file has it. */
static enum sp_status time_of(const struct work *w, const struct sp_workload *workload,
                              const struct sp_traffic *traffic, int n_levels, struct sp_forecast *out,
                              struct sp_error *err)
{
    const struct sp_layout *l = w->layout;
    const struct sp_csr *a = workload->matrix;
    struct sp_unit_time units;
    enum sp_status status = sp_unit_time_of(w->machine, l, &units, err);
    if (status != SP_OK)
        return status;
    struct sp_predict_inputs in = {
        .n_r = a->n_r,
        .n_c = a->n_c,
        .n_nz = a->n_nz,
        .format = workload->format,
        .C = workload->C,
        .beta = sp_layout_beta(l),
        .permuted = workload->sigma > 1,
        .precision = workload->precision,
        .index = workload->index,
        .row_ptr_B = workload->row_ptr_B,
        .r = 1,
        .layout = l,
        .work = sp_workload_flops(workload),
        .alpha = sp_value_of(sp_traffic_alpha(l, &traffic[n_levels - 1]), SP_SIMULATED),
        .w = sp_value_of(2, SP_MODELLED),
        .machine = w->machine,
        .n_threads = l->partition.n_threads,
        .n_domains = w->n_domains,
        .warm = !w->cold,
        .core = sp_value_none("not measured"),
        .roof_Bps = sp_value_none("the machine's"),
    };
    if (units.by && units.time_s.lo > 0)
        in.core = sp_value_between(in.work / units.time_s.value, in.work / units.time_s.hi,
                                   in.work / units.time_s.lo, SP_MODELLED);
    const int home = sp_predict(&in).home;
    in.alpha = sp_value_of(alpha_of(w, traffic, n_levels, home), SP_SIMULATED);
    const struct sp_traffic *memory = &traffic[n_levels - 1];
    if (!w->cold)
        *(home == n_levels ? &in.moved_B : &in.beyond_B) = sp_value_sum(memory->read_B, memory->write_B);
    out->time_s = sp_predict(&in).roofline.time_s;
    out->has_core = units.by != NULL;
    return SP_OK;
}

static enum sp_status predict(struct work *w, const struct sp_workload *workload, struct sp_forecast *out,
                              struct sp_error *err)
{
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    enum sp_status status = look_at_sizes(w, out, err);
    if (status == SP_OK)
        status = simulate(w, traffic, &n_levels, err);
    if (status != SP_OK)
        return status;
    out->read_B = traffic[n_levels - 1].read_B;
    out->write_B = traffic[n_levels - 1].write_B;
    return time_of(w, workload, traffic, n_levels, out, err);
}

enum sp_status sp_forecast_make(const struct sp_workload *workload, const struct sp_machine *machine,
                                bool cold, const struct sp_progress *progress, struct sp_forecast *out,
                                struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    const int n = workload->n_threads;
    const struct sp_cache *llc = sp_machine_llc(machine);
    if (machine->kind != SP_CPU || !llc)
        return sp_fail(err, SP_USAGE, "name a CPU with caches", "the caches of %s are not simulated",
                       machine->name);
    if (machine->n_cores > 0 && n > machine->n_cores)
        return sp_fail(err, SP_USAGE, "name a larger machine", "the machine %s has %d cores, not %d",
                       machine->name, machine->n_cores, n);
    enum sp_status status = sp_workload_check(workload, err);
    if (status != SP_OK)
        return status;
    struct sp_layout layout;
    sp_progress_step(progress, "building the layout", -1);
    status = sp_layout_make(workload, false, NULL, &layout, err);
    if (status != SP_OK)
        return status;
    void *domains = NULL, *lines = NULL;
    struct work w = {.machine = machine,
                     .layout = &layout,
                     .progress = progress,
                     .n_domains = 1,
                     .line_B = llc->line_B > 0 ? sp_cache_granule_B(llc) : 64,
                     .capacity_B = (double)sp_cache_believed_B(llc),
                     .ways = llc->policy == SP_LRU ? llc->ways : 0,
                     .cold = cold};
    status = sp_new_array(n, sizeof *w.domain, "domains of threads", &domains, err);
    w.domain = domains;
    for (int t = 0; t < n && status == SP_OK; t++) {
        w.domain[t] = sp_machine_domain_of(machine, t);
        w.n_domains = w.domain[t] >= w.n_domains ? w.domain[t] + 1 : w.n_domains;
    }
    if (status == SP_OK)
        status = sp_new_array(w.n_domains, sizeof *w.lines_of, "lines of domains", &lines, err);
    w.lines_of = lines;
    if (status == SP_OK)
        status = predict(&w, workload, out, err);
    free(w.domain);
    free(w.lines_of);
    sp_layout_free(&layout);
    if (status != SP_OK)
        memset(out, 0, sizeof *out);
    return status;
}
