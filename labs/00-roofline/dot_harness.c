/* dot() as a kernel of spmodel: y = A x where A has one row without gaps. */
#define LAB_NAME "dot"
#include "values_harness.h"

double dot_traced(const double *b, const double *c, int32_t first, int32_t stop);

static int run(void *state, const void *x, void *y)
{
    struct state *s = state;
    const int32_t n = s->n_threads, n_c = (int32_t)s->m->n_nz;
    double sum = 0;
#pragma omp parallel for schedule(static, 1) num_threads(n)
    for (int32_t t = 0; t < n; t++)
        s->part[t][0] = dot(s->m->values, x, lab_share(n_c, n, t), lab_share(n_c, n, t + 1));
    for (int32_t t = 0; t < n; t++)
        sum += s->part[t][0];
    *(double *)y = sum;
    return 0;
}

static int trace(void *state, const void *x, const void *y, int32_t thread, spmodel_access *access,
                 void *walker)
{
    const struct state *s = state;
    const int32_t n = s->n_threads, n_c = (int32_t)s->m->n_nz;
    lab_access = access;
    lab_walker = walker;
    dot_traced(s->m->values, x, lab_share(n_c, n, thread), lab_share(n_c, n, thread + 1));
    if (thread == 0)
        access(walker, y, sizeof(double), 1);
    return 0;
}
