/* rows() as a kernel of spmodel. */
#include "harness.h"

void rows_traced(const struct crs *a, const double *x, double *y, int32_t first, int32_t stop);

struct state {
    struct crs a;
    int32_t n_threads;
};

static int prepare(void *context, const struct spmodel_matrix *m, int32_t n_threads, int32_t r, void **state)
{
    struct state *s = lab_is_known(m) && r == 1 ? malloc(sizeof *s) : NULL;
    (void)context;
    if (!s)
        return 1;
    *s = (struct state){lab_crs_of(m), n_threads};
    *state = s;
    return 0;
}

static int run(void *state, const void *x, void *y)
{
    const struct state *s = state;
    const int32_t n = s->n_threads, n_r = s->a.n_r;
#pragma omp parallel for schedule(static, 1) num_threads(n)
    for (int32_t t = 0; t < n; t++)
        rows(&s->a, x, y, lab_share(n_r, n, t), lab_share(n_r, n, t + 1));
#if defined __x86_64__
    _mm_sfence(); /* non-temporal stores are seen by then */
#endif
    return 0;
}

static int trace(void *state, const void *x, const void *y, int32_t thread, spmodel_access *access,
                 void *walker)
{
    const struct state *s = state;
    const int32_t n = s->n_threads, n_r = s->a.n_r;
    lab_access = access;
    lab_walker = walker;
    rows_traced(&s->a, x, (double *)y, lab_share(n_r, n, thread), lab_share(n_r, n, thread + 1));
    return 0;
}

const struct spmodel_kernel lab_kernel = {.size = sizeof lab_kernel,
                                          .name = "rows",
                                          .prepare = prepare,
                                          .run = run,
                                          .finish = free,
                                          .trace = trace};
