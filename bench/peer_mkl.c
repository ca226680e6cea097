/* MKL: its own analysis of the matrix, with the products it is told of. */
#include "peer.h"

#include <mkl_service.h>
#include <mkl_spblas.h>
#include <stdio.h>
#include <stdlib.h>

struct state {
    sparse_matrix_t a;
    struct peer_matrix m;
};

static const struct matrix_descr general = {.type = SPARSE_MATRIX_TYPE_GENERAL};

static sparse_status_t create(const struct peer_matrix *m, sparse_matrix_t *a)
{
    MKL_INT *ptr = (MKL_INT *)m->row_ptr, *col = (MKL_INT *)m->col;
    if (m->single_precision)
        return mkl_sparse_s_create_csr(a, SPARSE_INDEX_BASE_ZERO, m->n_r, m->n_c, ptr, ptr + 1, col,
                                       (float *)m->val);
    return mkl_sparse_d_create_csr(a, SPARSE_INDEX_BASE_ZERO, m->n_r, m->n_c, ptr, ptr + 1, col,
                                   (double *)m->val);
}

static void *open_mkl(const struct peer_matrix *m, int n_threads)
{
    enum { MANY = 10000 }; /* products that its analysis may pay for */
    mkl_set_threading_layer(n_threads > 1 ? MKL_THREADING_GNU : MKL_THREADING_SEQUENTIAL);
    mkl_set_num_threads(n_threads);
    struct state *s = malloc(sizeof *s);
    s->m = *m;
    if (create(m, &s->a) != SPARSE_STATUS_SUCCESS) {
        free(s);
        return NULL;
    }
    if (m->r == 1)
        mkl_sparse_set_mv_hint(s->a, SPARSE_OPERATION_NON_TRANSPOSE, general, MANY);
    else
        mkl_sparse_set_mm_hint(s->a, SPARSE_OPERATION_NON_TRANSPOSE, general, SPARSE_LAYOUT_ROW_MAJOR, m->r,
                               MANY);
    mkl_sparse_optimize(s->a);
    return s;
}

static void run(void *state)
{
    struct state *s = state;
    const struct peer_matrix *m = &s->m;
    sparse_status_t status;
    if (m->single_precision && m->r == 1)
        status = mkl_sparse_s_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, s->a, general, m->x, 0, m->y);
    else if (m->r == 1)
        status = mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, s->a, general, m->x, 0, m->y);
    else if (m->single_precision)
        status = mkl_sparse_s_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1, s->a, general, SPARSE_LAYOUT_ROW_MAJOR,
                                 m->x, m->r, m->r, 0, m->y, m->r);
    else
        status = mkl_sparse_d_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1, s->a, general, SPARSE_LAYOUT_ROW_MAJOR,
                                 m->x, m->r, m->r, 0, m->y, m->r);
    if (status != SPARSE_STATUS_SUCCESS)
        fprintf(stderr, "MKL: a product failed\n");
}

static void close_mkl(void *state)
{
    struct state *s = state;
    mkl_sparse_destroy(s->a);
    free(s);
}

const struct peer peer_mkl = {.name = "MKL", .open = open_mkl, .run = run, .close = close_mkl};
