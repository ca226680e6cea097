/* triad() as a kernel of spmodel: y = D x. */
#define LAB_NAME "triad"
#include "values_harness.h"

void triad_traced(double *a, const double *b, const double *c, int32_t first, int32_t stop);

static int run(void *state, const void *x, void *y)
{
    const struct state *s = state;
    const int32_t n = s->n_threads, n_r = (int32_t)s->m->n_r;
#pragma omp parallel for schedule(static, 1) num_threads(n)
    for (int32_t t = 0; t < n; t++)
        triad(y, s->m->values, x, lab_share(n_r, n, t), lab_share(n_r, n, t + 1));
#if defined __x86_64__
    _mm_sfence(); /* non-temporal stores are seen by then */
#endif
    return 0;
}

static int trace(void *state, const void *x, const void *y, int32_t thread, spmodel_access *access,
                 void *walker)
{
    const struct state *s = state;
    const int32_t n = s->n_threads, n_r = (int32_t)s->m->n_r;
    lab_access = access;
    lab_walker = walker;
    triad_traced((double *)y, s->m->values, x, lab_share(n_r, n, thread), lab_share(n_r, n, thread + 1));
    return 0;
}
