#include "session/sweep/sweep_bound.h"

#include <math.h>
#include <string.h>

#include "model/roofline.h"
#include "session/record/format_model.h"

double sp_bandwidth_bound(const struct sp_machine *m, const char *level, int n_threads)
{
    double of_one = 0, most = 0;
    int most_threads = 0;
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *c = &m->ceiling[i];
        if (strcmp(c->level, level) != 0 || !sp_value_known(c->value))
            continue;
        most = fmax(most, c->value.hi);
        most_threads = c->n_threads > most_threads ? c->n_threads : most_threads;
        if (c->n_threads == 1)
            of_one = fmax(of_one, c->value.hi);
    }
    if (most_threads < n_threads)
        return n_threads * of_one;
    return of_one > 0 ? fmin(n_threads * of_one, most) : most;
}

/* What the caches inside of the interface can hold together, of all that the threads may be spread over [B]:
 * those in front of memory, or of the level that the arrays live in. */
static double kept_B(const struct sp_machine *m, int level, int n_threads, int n_domains)
{
    double sum_B = 0;
    for (int i = 0; i < level; i++) {
        const struct sp_cache *c = &m->cache[i];
        const int sharing = c->cores_sharing > 1 ? c->cores_sharing : 1;
        const int there = m->n_cores > 0 ? (m->n_cores + sharing - 1) / sharing : n_threads;
        const int used = i == m->n_caches - 1 && sharing > 1 ? n_domains
                         : there < n_threads                 ? there
                                                             : n_threads;
        const double measured_B = sp_value_known(c->effective_B) ? c->effective_B.hi : 0;
        sum_B += used * fmax((double)c->size_B, measured_B);
    }
    return sum_B;
}

double sp_transfer_bound(const struct sp_workload *w, int64_t n_c_used, const struct sp_machine *m, bool warm)
{
    struct sp_volume least;
    if (sp_format_least_volume(w, n_c_used, &least, NULL) != SP_OK)
        return 0;
    const int n_domains = m->n_domains > 1 ? m->n_domains : 1;
    const int n_used = n_domains < w->n_threads ? n_domains : w->n_threads;
    /* Arrays up to twice as large as a cache stay in it in part, and are counted as in it. */
    const struct sp_footprint footprint = {.shared_out_B = least.total_B / 2};
    const struct sp_residence r = sp_residence_of(m, footprint, w->n_threads, n_used, warm);
    const double b_S = sp_bandwidth_bound(m, r.name, w->n_threads);
    const double V_B = sp_volume_floor(&least, warm, kept_B(m, r.level, w->n_threads, n_used));
    return b_S > 0 ? V_B / b_S : 0;
}
