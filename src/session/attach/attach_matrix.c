#include "session/attach/attach_matrix.h"

#include <string.h>

#include "sparse/reorder/graph.h"

static const uint32_t triangles = SP_ATTACH_LOWER | SP_ATTACH_UPPER;

static bool is_transposed(const struct sp_captured_product *p)
{
    return p->op == SP_ATTACH_TRANSPOSE || (p->bits & SP_ATTACH_SIDE_T);
}

enum sp_attach_walk sp_attach_walk_of(const struct sp_captured_product *p)
{
    return p->bits & SP_ATTACH_TRIANGLE ? SP_WALK_HALF
           : p->bits & triangles        ? SP_WALK_TRIANGLE
           : is_transposed(p)           ? SP_WALK_TRANSPOSED
                                        : SP_WALK_ROWS;
}

const char *sp_attach_walk_name(enum sp_attach_walk walk)
{
    static const char *const name[] = {"rows", "transposed", "triangle", "half"};
    return name[walk];
}

const char *sp_attach_walk_text(enum sp_attach_walk walk)
{
    static const char *const text[] = {
        NULL, "simulated as if the rows of A^T were stored; a library that adds into y row by row moves more",
        "simulated as the rows of the triangle alone",
        "simulated as half storage, one triangle for both; how the library walks it is not known"};
    return text[walk];
}

/* Is the entry in what counts of row i? */
static bool counts(uint32_t bits, int64_t i, int64_t j)
{
    return i == j  ? !(bits & SP_ATTACH_UNIT)
           : j < i ? (bits & SP_ATTACH_LOWER) != 0
                   : (bits & SP_ATTACH_UPPER) != 0;
}

static void set_ones(struct sp_csr *a)
{
    for (int64_t k = 0; k < a->n_nz; k++)
        a->val[k] = 1;
}

static enum sp_status keep_triangle(uint32_t bits, struct sp_csr *a, struct sp_error *err)
{
    struct sp_csr kept;
    enum sp_status status = sp_csr_take_rows(a->n_r, a->n_c, a->field, a->allocator, &kept, err);
    for (int64_t i = 0; status == SP_OK && i < a->n_r; i++) {
        int64_t n = 0;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            n += counts(bits, i, a->col[k]);
        kept.row_ptr[i + 1] = n;
    }
    if (status == SP_OK)
        status = sp_csr_take_entries(&kept, err);
    if (status != SP_OK)
        return status;
    int64_t at = 0;
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            if (counts(bits, i, a->col[k]))
                kept.col[at++] = a->col[k];
    set_ones(&kept);
    sp_csr_free(a);
    *a = kept;
    return SP_OK;
}

/* A^T, or the pattern of A + A^T. */
static enum sp_status turn(bool symmetric, struct sp_csr *a, struct sp_error *err)
{
    struct sp_graph graph;
    struct sp_csr turned;
    const struct sp_pattern pattern = sp_csr_pattern(a);
    a->symmetry = SP_GENERAL; /* else it is believed to be whole */
    enum sp_status status =
        symmetric ? sp_graph_make(a, &graph, err) : sp_graph_transpose(&pattern, &graph, err);
    if (status != SP_OK)
        return status;
    const struct sp_pattern *g = &graph.pattern;
    status = sp_csr_alloc(g->n_r, g->n_c, g->n_nz, a->field, a->allocator, &turned, err);
    if (status == SP_OK) {
        memcpy(turned.row_ptr, g->row_ptr, (size_t)(g->n_r + 1) * sizeof *turned.row_ptr);
        if (g->n_nz > 0)
            memcpy(turned.col, g->col, (size_t)g->n_nz * sizeof *turned.col);
        set_ones(&turned);
        turned.symmetry = symmetric ? SP_SYMMETRIC : SP_GENERAL;
    }
    sp_graph_free(&graph);
    if (status != SP_OK)
        return status;
    sp_csr_free(a);
    *a = turned;
    return SP_OK;
}

enum sp_status sp_attach_walked(const struct sp_captured_product *p, struct sp_csr *a, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    const uint32_t which = p->bits & triangles;
    if (which && which != triangles)
        status = keep_triangle(p->bits, a, err);
    if (status == SP_OK && ((p->bits & SP_ATTACH_TRIANGLE) || is_transposed(p)))
        status = turn((p->bits & SP_ATTACH_TRIANGLE) != 0, a, err);
    if (status != SP_OK)
        sp_csr_free(a);
    return status;
}
