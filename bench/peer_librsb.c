/* librsb: recursive sparse blocks, not tuned. */
#include "peer.h"

#include <rsb.h>
#include <stdio.h>
#include <stdlib.h>

struct state {
    struct rsb_mtx_t *a;
    const double *x;
    double *y;
};

static void *open_librsb(const struct peer_matrix *m, int n_threads)
{
    rsb_int_t threads = n_threads;
    if (rsb_lib_init(RSB_NULL_INIT_OPTIONS) != RSB_ERR_NO_ERROR)
        return NULL;
    rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &threads);
    rsb_err_t error;
    struct state *s = malloc(sizeof *s);
    s->a = rsb_mtx_alloc_from_csr_const(m->val, m->row_ptr, m->col, m->n_nz, RSB_NUMERICAL_TYPE_DOUBLE,
                                        m->n_r, m->n_c, 1, 1, RSB_FLAG_NOFLAGS, &error);
    s->x = m->x;
    s->y = m->y;
    if (s->a)
        return s;
    free(s);
    return NULL;
}

static void run(void *state)
{
    struct state *s = state;
    const double one = 1, zero = 0;
    if (rsb_spmv(RSB_TRANSPOSITION_N, &one, s->a, s->x, 1, &zero, s->y, 1) != RSB_ERR_NO_ERROR)
        fprintf(stderr, "librsb: rsb_spmv failed\n");
}

static void close_librsb(void *state)
{
    struct state *s = state;
    rsb_mtx_free(s->a);
    free(s);
    rsb_lib_exit(RSB_NULL_EXIT_OPTIONS);
}

const struct peer peer_librsb = {.name = "librsb", .open = open_librsb, .run = run, .close = close_librsb};
