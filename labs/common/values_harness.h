/* What the harnesses of lab 0 share: a loop over the values of a matrix and x. Define LAB_NAME
 * before, run() and trace() behind it. */
#include "harness.h"

enum { MOST_THREADS = 4096 };

struct state {
    const struct spmodel_matrix *m;
    int32_t n_threads;
    double part[MOST_THREADS][8]; /* what a thread has to tell, a line each */
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

/* Neither indices nor pointers. */
static int stores(void *state, struct spmodel_array *array)
{
    const struct spmodel_matrix *m = ((const struct state *)state)->m;
    array[0] = (struct spmodel_array){"values", m->values, (size_t)m->n_nz * sizeof(double)};
    return 1;
}

static int run(void *state, const void *x, void *y);
static int trace(void *state, const void *x, const void *y, int32_t thread, spmodel_access *access,
                 void *walker);

const struct spmodel_kernel lab_kernel = {.size = sizeof lab_kernel,
                                          .name = LAB_NAME,
                                          .prepare = prepare,
                                          .run = run,
                                          .finish = free,
                                          .trace = trace,
                                          .stores = stores};
