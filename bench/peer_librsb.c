/* librsb: recursive sparse blocks, not tuned. */
#include "peer.h"

#include <rsb.h>
#include <stdio.h>
#include <stdlib.h>

struct state {
    struct rsb_mtx_t *a;
    struct peer_matrix m;
};

static void *open_librsb(const struct peer_matrix *m, int n_threads)
{
    rsb_int_t threads = n_threads;
    if (rsb_lib_init(RSB_NULL_INIT_OPTIONS) != RSB_ERR_NO_ERROR)
        return NULL;
    rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &threads);
    rsb_err_t error;
    rsb_type_t type = m->single_precision ? RSB_NUMERICAL_TYPE_FLOAT : RSB_NUMERICAL_TYPE_DOUBLE;
    struct state *s = malloc(sizeof *s);
    s->a = rsb_mtx_alloc_from_csr_const(m->val, m->row_ptr, m->col, m->n_nz, type, m->n_r, m->n_c, 1, 1,
                                        RSB_FLAG_NOFLAGS, &error);
    s->m = *m;
    if (s->a)
        return s;
    free(s);
    return NULL;
}

static void run(void *state)
{
    struct state *s = state;
    const double one = 1, zero = 0;
    const float one_f = 1, zero_f = 0;
    const void *alpha = &one, *beta = &zero;
    if (s->m.single_precision) {
        alpha = &one_f;
        beta = &zero_f;
    }
    rsb_err_t error = s->m.r == 1
                          ? rsb_spmv(RSB_TRANSPOSITION_N, alpha, s->a, s->m.x, 1, beta, s->m.y, 1)
                          : rsb_spmm(RSB_TRANSPOSITION_N, alpha, s->a, s->m.r, RSB_FLAG_WANT_ROW_MAJOR_ORDER,
                                     s->m.x, s->m.r, beta, s->m.y, s->m.r);
    if (error != RSB_ERR_NO_ERROR)
        fprintf(stderr, "librsb: rsb_spmm failed\n");
}

static void close_librsb(void *state)
{
    struct state *s = state;
    rsb_mtx_free(s->a);
    free(s);
    rsb_lib_exit(RSB_NULL_EXIT_OPTIONS);
}

const struct peer peer_librsb = {.name = "librsb", .open = open_librsb, .run = run, .close = close_librsb};
