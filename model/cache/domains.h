/* Last-level domains share nothing: each is simulated by itself, and all of them side by side. */
#ifndef SP_MODEL_DOMAINS_H
#define SP_MODEL_DOMAINS_H

#include <stdbool.h>

#include "base/status.h"
#include "sparse/formats/layout.h"

struct sp_domains {
    int n;                       /* 0: 1 */
    const int *domain_of_thread; /* [layout threads]; NULL: all in domain 0 */
    bool one_by_one;
    /* As in struct sp_sim_options, of all domains together. */
    bool (*progress)(void *context, double share);
    void *context;
    /* Its own. */
    double *share; /* [n] done of each domain */
    bool stop;
};

/* Calls `simulate` for each domain that has threads, with these, from several threads where that
 * pays. What it adds to sums that all share it adds in an `omp ordered` region, so that they do not
 * depend on who is first. Returns the error of the first domain that has one. */
enum sp_status sp_domains_each(struct sp_domains *domains, const struct sp_layout *layout,
                               enum sp_status (*simulate)(void *what, int domain, const int *thread,
                                                          int n_threads, struct sp_error *err),
                               void *what, struct sp_error *err);

/* Called by `simulate` with what is done of its domain, 0 ... 1; true: stop. */
bool sp_domains_interrupted(struct sp_domains *domains, int domain, double share);

#endif
