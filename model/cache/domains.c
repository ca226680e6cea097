#include "model/cache/domains.h"

#include <stdlib.h>

#include "base/memory.h"

/* Waking threads costs more than simulating fewer entries than this. */
static const int64_t parallel_from = 100000;

static int threads_of(const struct sp_domains *domains, int n_threads, int domain, int *thread)
{
    int n = 0;
    for (int t = 0; t < n_threads; t++)
        if ((domains->domain_of_thread ? domains->domain_of_thread[t] : 0) == domain)
            thread[n++] = t;
    return n;
}

enum sp_status sp_domains_each(struct sp_domains *domains, const struct sp_layout *layout,
                               enum sp_status (*simulate)(void *, int, const int *, int, struct sp_error *),
                               void *what, struct sp_error *err)
{
    const int n_threads = layout->partition.n_threads, n = domains->n > 0 ? domains->n : 1;
    const bool parallel = n > 1 && !domains->one_by_one && layout->n_stored > parallel_from;
    int failed = n;
    domains->n = n;
    domains->stop = false;
    enum sp_status first =
        sp_new_array(n, sizeof *domains->share, "the domains", (void **)&domains->share, err);
    if (first != SP_OK)
        return first;
#pragma omp parallel for schedule(dynamic, 1) ordered if (parallel)
    for (int d = 0; d < n; d++) {
        struct sp_error e;
        int *thread = NULL, n_own;
        enum sp_status status = sp_new_array(n_threads, sizeof *thread, "the threads", (void **)&thread, &e);
        if (status == SP_OK && (n_own = threads_of(domains, n_threads, d, thread)) > 0)
            status = simulate(what, d, thread, n_own, &e);
        free(thread);
#pragma omp critical(sp_domains)
        if (status != SP_OK && d < failed) {
            failed = d;
            first = status;
            domains->stop = true;
            if (err)
                *err = e;
        }
    }
    free(domains->share);
    domains->share = NULL;
    return first;
}

bool sp_domains_interrupted(struct sp_domains *domains, int domain, double share)
{
    bool stop;
#pragma omp critical(sp_domains)
    {
        double sum = 0;
        domains->share[domain] = share < 1 ? share : 1;
        for (int d = 0; d < domains->n; d++)
            sum += domains->share[d];
        if (domains->progress && !domains->stop)
            domains->stop = domains->progress(domains->context, sum / domains->n);
        stop = domains->stop;
    }
    return stop;
}
