#include "track/campaign/node_screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/samples.h"

enum sp_status sp_screen_nodes(struct sp_node_value *node, int n, struct sp_screen *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    s->can_tell = n >= SP_SCREEN_LEAST_NODES;
    double *x = calloc((size_t)n + 1, sizeof *x);
    if (!x)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %d nodes", n);
    for (int i = 0; i < n; i++)
        x[i] = node[i].value;
    s->median = n > 0 ? sp_median(x, n) : NAN;
    for (int i = 0; i < n; i++) {
        node[i].change = node[i].value / s->median - 1;
        x[i] = fabs(node[i].change);
    }
    s->deviation = n > 0 ? 1.4826 * sp_median(x, n) : NAN;
    s->limit = fmax(SP_SCREEN_FLOOR, SP_SCREEN_DEVIATIONS * s->deviation);
    for (int i = 0; i < n; i++)
        node[i].is_outlier = s->can_tell && fabs(node[i].change) > s->limit;
    free(x);
    return SP_OK;
}

int sp_screen_jobs_needed(int n_jobs, int n_nodes)
{
    static const double accepted = 0.01;
    const double q = SP_SCREEN_CHANCE;
    double exactly = pow(1 - q, n_jobs), beyond = 1 - exactly; /* in k jobs; in more than k */
    if (n_jobs <= 1)
        return 1;
    for (int k = 1; k < n_jobs; k++) {
        if (n_nodes * beyond <= accepted)
            return k;
        exactly *= (double)(n_jobs - k + 1) / k * q / (1 - q);
        beyond -= exactly;
    }
    return n_jobs;
}
