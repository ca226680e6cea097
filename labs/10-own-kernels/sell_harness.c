/* convert() and chunks() as a kernel of spmodel. */
#include "harness.h"

void chunks_traced(const struct sell *s, const double *x, double *y, int32_t first, int32_t stop);

struct state {
    struct sell a;
    int32_t n_threads;
};

static void finish(void *state)
{
    struct state *s = state;
    free(s->a.begin);
    free(s->a.col);
    free(s->a.val);
    free(s);
}

static int prepare(void *context, const struct spmodel_matrix *m, int32_t n_threads, int32_t r, void **state)
{
    struct state *s = lab_is_known(m) && r == 1 ? calloc(1, sizeof *s) : NULL;
    const struct crs a = lab_crs_of(m);
    (void)context;
    if (!s)
        return 1;
    s->n_threads = n_threads;
    const int code = convert(&a, &s->a);
    if (code != 0 || !s->a.begin || !s->a.col || !s->a.val || s->a.n_chunks <= 0) {
        finish(s);
        return code != 0 ? code : 2;
    }
    *state = s;
    return 0;
}

static int run(void *state, const void *x, void *y)
{
    const struct state *s = state;
    const int32_t n = s->n_threads, n_chunks = s->a.n_chunks;
#pragma omp parallel for schedule(static, 1) num_threads(n)
    for (int32_t t = 0; t < n; t++)
        chunks(&s->a, x, y, lab_share(n_chunks, n, t), lab_share(n_chunks, n, t + 1));
    return 0;
}

static int trace(void *state, const void *x, const void *y, int32_t thread, spmodel_access *access,
                 void *walker)
{
    const struct state *s = state;
    const int32_t n = s->n_threads, n_chunks = s->a.n_chunks;
    lab_access = access;
    lab_walker = walker;
    chunks_traced(&s->a, x, (double *)y, lab_share(n_chunks, n, thread), lab_share(n_chunks, n, thread + 1));
    return 0;
}

static int stores(void *state, struct spmodel_array *array)
{
    const struct sell *a = &((const struct state *)state)->a;
    const size_t n = (size_t)a->begin[a->n_chunks];
    array[0] = (struct spmodel_array){"values", a->val, n * sizeof *a->val};
    array[1] = (struct spmodel_array){"indices", a->col, n * sizeof *a->col};
    array[2] = (struct spmodel_array){"pointers", a->begin, ((size_t)a->n_chunks + 1) * sizeof *a->begin};
    return 3;
}

const struct spmodel_kernel lab_kernel = {.size = sizeof lab_kernel,
                                          .name = "chunks",
                                          .prepare = prepare,
                                          .run = run,
                                          .finish = finish,
                                          .trace = trace,
                                          .stores = stores};
