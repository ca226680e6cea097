/* dot() as a kernel of spmodel: y = A x where A has one row without gaps. */
#include "harness.h"

double dot_traced(const double *b, const double *c, int32_t first, int32_t stop);

enum { MOST_THREADS = 1024 };

struct state {
    const struct spmodel_matrix *m;
    int32_t n_threads;
    double part[MOST_THREADS][8]; /* a line each */
};

static int prepare(void *context, const struct spmodel_matrix *m, int32_t n_threads, int32_t r, void **state)
{
    struct state *s = lab_is_known(m) && r == 1 && n_threads <= MOST_THREADS ? malloc(sizeof *s) : NULL;
    (void)context;
    if (!s)
        return 1;
    s->m = m;
    s->n_threads = n_threads;
    *state = s;
    return 0;
}

static int stores(void *state, struct spmodel_array *array)
{
    const struct spmodel_matrix *m = ((const struct state *)state)->m;
    array[0] = (struct spmodel_array){"values", m->values, (size_t)m->n_nz * sizeof(double)};
    return 1;
}

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

const struct spmodel_kernel lab_kernel = {.size = sizeof lab_kernel,
                                          .name = "dot",
                                          .prepare = prepare,
                                          .run = run,
                                          .finish = free,
                                          .trace = trace,
                                          .stores = stores};
