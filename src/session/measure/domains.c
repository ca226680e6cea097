/* What each last-level-cache domain has to do, and with what: several of them load x several times, and the
 * slowest ends the product. */
#include <math.h>
#include <stdlib.h>

#include "session/analyze/analysis.h"
#include "session/measure/placement.h"

static void count_threads(const struct sp_analysis *a, struct sp_domain *domain)
{
    const struct sp_layout *l = &a->setup.layout;
    for (int t = 0; t < a->setup.workload.n_threads; t++) {
        struct sp_domain *d = &domain[a->setup.domain_of_thread[t]];
        d->n_threads++;
        d->entries_share += (double)sp_layout_thread_entries(l, t) / (double)l->n_stored;
        d->bytes_B += a->evaluated.thread_B[t];
        if (a->observed.pairs.thread_s &&
            (!sp_value_known(d->busy_s) || a->observed.pairs.thread_s[t] > d->busy_s.value))
            d->busy_s = sp_value_of(a->observed.pairs.thread_s[t], a->observed.pairs.time.origin);
    }
}

/* A domain's own ceiling where the machine has one for its number of threads; else its part of the roof. */
static struct sp_value own_roof(const struct sp_analysis *a, int n_threads)
{
    bool exact;
    const struct sp_ceiling *c =
        sp_roof_of(a->options->machine, a->evaluated.residence.name, n_threads, NULL, &exact);
    if (c && exact && c->n_domains == 1)
        return c->value;
    return sp_value_of(a->evaluated.roof_Bps.value * n_threads / a->setup.workload.n_threads, SP_MODELLED);
}

enum sp_status sp_analysis_domains(const struct sp_analysis *a, struct sp_domain **out, struct sp_error *err)
{
    int n = a->setup.n_domains;
    void *domains, *lines = NULL;
    if (n < 2 || a->setup.layout.n_nz == 0 || !a->evaluated.thread_B)
        return SP_OK;
    enum sp_status status = sp_new_array(n, sizeof **out, "cache domains", &domains, err);
    if (status == SP_OK)
        status = sp_new_array(n, sizeof(int64_t), "lines of x", &lines, err);
    if (status != SP_OK)
        return status;
    struct sp_domain *domain = *out = domains;
    struct sp_alpha_min least;
    status = sp_alpha_min_layout(&a->setup.layout, n, a->setup.domain_of_thread, a->line_B,
                                 a->setup.facts.x_offset_B, lines, &least, err);
    for (int d = 0; d < n; d++) {
        domain[d].busy_s = sp_value_none("threads were not timed");
        domain[d].x_once_B = (double)((int64_t *)lines)[d] * a->line_B;
    }
    count_threads(a, domain);
    for (int d = 0; d < n; d++) {
        domain[d].roof_Bps = own_roof(a, domain[d].n_threads);
        struct sp_domain *own = &domain[d];
        double again = least.lines > 0 ? 1 - (double)least.lines_once / (double)least.lines : 0;
        own->x_again_s = own->roof_Bps.value > 0 ? again * own->x_once_B / own->roof_Bps.value : 0;
        own->waits_s =
            sp_value_known(own->busy_s)
                ? sp_value_of(fmax(0, a->observed.pairs.time.value - own->busy_s.value), own->busy_s.origin)
                : own->busy_s;
        domain[d].local_share =
            sp_analysis_is_replayed(a)
                ? sp_value_none("the run was recorded elsewhere")
                : sp_placement_domain_share(&a->setup.layout, &a->setup.binding, a->options->topology,
                                            a->setup.domain_of_thread, d);
    }
    free(lines);
    return status;
}
