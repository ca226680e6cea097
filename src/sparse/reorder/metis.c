#include "sparse/reorder/metis.h"

#include <metis.h>
#include <stdlib.h>

void (*sp_metis_around)(enum sp_metis_moment moment);

static void around(enum sp_metis_moment moment)
{
    if (sp_metis_around)
        sp_metis_around(moment);
}

const char *sp_metis_absent(void)
{
    return NULL;
}

int sp_metis_integer_B(void)
{
    return (int)sizeof(idx_t);
}

/* METIS's form of a graph: no loops. */
struct input {
    idx_t n;
    idx_t *start; /* [n + 1] */
    idx_t *edge;  /* [start[n]] */
    idx_t option[METIS_NOPTIONS];
};

static int64_t largest(void)
{
    return sizeof(idx_t) == sizeof(int32_t) ? INT32_MAX : INT64_MAX;
}

static enum sp_status make_input(const struct sp_pattern *g, struct input *in, struct sp_error *err)
{
    *in = (struct input){.n = (idx_t)g->n_r};
    if (g->n_nz > largest())
        return sp_fail(err, SP_USAGE, "take rcm, or a METIS that was built with 64-bit integers",
                       "the graph has %lld edges, more than this METIS can count", (long long)g->n_nz);
    void *p;
    enum sp_status status = sp_new_array(g->n_r + 1, sizeof *in->start, "the graph for METIS", &p, err);
    if (status != SP_OK)
        return status;
    in->start = p;
    status = sp_new_array(g->n_nz, sizeof *in->edge, "the graph for METIS", &p, err);
    if (status != SP_OK)
        return status;
    in->edge = p;
    idx_t n = 0;
    for (int64_t v = 0; v < g->n_r; v++) {
        for (int64_t e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (g->col[e] != v)
                in->edge[n++] = g->col[e];
        in->start[v + 1] = n;
    }
    METIS_SetDefaultOptions(in->option);
    in->option[METIS_OPTION_SEED] = 1;
    return SP_OK;
}

static void free_input(struct input *in)
{
    free(in->start);
    free(in->edge);
}

/* METIS_ERROR is what its handler of SIGTERM makes of the signal, with which it also throws
 * errors. */
static enum sp_status ended_with(int code, struct sp_error *err)
{
    around(code == METIS_ERROR ? SP_METIS_ENDS_BY_SIGTERM : SP_METIS_ENDS);
    if (code == METIS_OK)
        return SP_OK;
    if (code == METIS_ERROR_MEMORY)
        return sp_fail(err, SP_MEMORY, "free memory, or take rcm", "METIS has no memory for the graph");
    return sp_fail(err, SP_BUG, "take another method", "METIS fails with code %d", code);
}

static void keep_order(int64_t n, int32_t *perm)
{
    for (int64_t i = 0; i < n; i++)
        perm[i] = (int32_t)i;
}

/* Vertices by part, stable. part[n] has values below n_parts; start[n_parts + 1] is zeroed. */
static void group(const idx_t *part, int64_t n, int64_t n_parts, int64_t *start, int32_t *perm)
{
    for (int64_t v = 0; v < n; v++)
        start[part[v] + 1]++;
    for (int64_t k = 0; k < n_parts; k++)
        start[k + 1] += start[k];
    for (int64_t v = 0; v < n; v++)
        perm[start[part[v]]++] = (int32_t)v;
}

static int64_t parts_of(const struct sp_pattern *g, uint64_t asked)
{
    int64_t n = (int64_t)asked;
    if (n < 2)
        n = (g->n_r * (int64_t)sizeof(double) + SP_METIS_PART_B - 1) / SP_METIS_PART_B;
    n = n < 2 ? 2 : n;
    return n < g->n_r ? n : g->n_r;
}

enum sp_status sp_metis_parts(const struct sp_pattern *g, uint64_t asked, int32_t *perm, struct sp_error *err)
{
    struct input in;
    int64_t n_parts = parts_of(g, asked);
    void *part = NULL, *start = NULL;
    enum sp_status status = make_input(g, &in, err);
    if (status == SP_OK)
        status = sp_new_array(g->n_r, sizeof(idx_t), "the parts of vertices", &part, err);
    if (status == SP_OK)
        status = sp_new_array(n_parts + 2, sizeof(int64_t), "the parts of vertices", &start, err);
    if (status == SP_OK && (n_parts < 2 || in.start[in.n] == 0)) {
        keep_order(g->n_r, perm);
    } else if (status == SP_OK) {
        idx_t n_weights = 1, n = (idx_t)n_parts, n_cut;
        around(SP_METIS_BEGINS);
        int code = METIS_PartGraphKway(&in.n, &n_weights, in.start, in.edge, NULL, NULL, NULL, &n, NULL, NULL,
                                       in.option, &n_cut, part);
        status = ended_with(code, err);
        if (status == SP_OK)
            group(part, g->n_r, n_parts, start, perm);
    }
    free_input(&in);
    free(part);
    free(start);
    return status;
}

enum sp_status sp_metis_dissection(const struct sp_pattern *g, uint64_t number, int32_t *perm,
                                   struct sp_error *err)
{
    (void)number;
    struct input in;
    void *p = NULL;
    enum sp_status status = make_input(g, &in, err);
    if (status == SP_OK)
        status = sp_new_array(2 * g->n_r, sizeof(idx_t), "the order of METIS", &p, err);
    if (status == SP_OK && in.start[in.n] == 0) {
        keep_order(g->n_r, perm);
    } else if (status == SP_OK) {
        idx_t *order = p; /* row i of the new matrix is row order[i]; the inverse follows */
        around(SP_METIS_BEGINS);
        int code = METIS_NodeND(&in.n, in.start, in.edge, NULL, in.option, order, order + g->n_r);
        status = ended_with(code, err);
        for (int64_t i = 0; i < g->n_r && status == SP_OK; i++)
            perm[i] = (int32_t)order[i];
    }
    free_input(&in);
    free(p);
    return status;
}

enum sp_status sp_metis_divide(const struct sp_pattern *g, const int32_t *weight, int n_parts, int32_t *part,
                               struct sp_error *err)
{
    struct input in;
    void *p = NULL;
    enum sp_status status = make_input(g, &in, err);
    if (status == SP_OK)
        status = sp_new_array(2 * g->n_r, sizeof(idx_t), "the parts of vertices", &p, err);
    idx_t *found = p;
    if (status == SP_OK) {
        idx_t *weights = found + g->n_r, n_weights = 1, n = (idx_t)n_parts, n_cut;
        for (int64_t v = 0; v < g->n_r; v++)
            weights[v] = weight[v];
        around(SP_METIS_BEGINS);
        int code = METIS_PartGraphKway(&in.n, &n_weights, in.start, in.edge, weights, NULL, NULL, &n, NULL,
                                       NULL, in.option, &n_cut, found);
        status = ended_with(code, err);
    }
    for (int64_t v = 0; status == SP_OK && v < g->n_r; v++)
        part[v] = (int32_t)found[v];
    free_input(&in);
    free(p);
    return status;
}
