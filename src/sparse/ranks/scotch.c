#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <scotch.h>

#include "base/memory.h"
#include "sparse/ranks/ranks.h"

const char *sp_scotch_absent(void)
{
    return NULL;
}

/* Scotch's form of a graph: no loops. */
struct input {
    SCOTCH_Num n;
    SCOTCH_Num *start;  /* [n + 1] */
    SCOTCH_Num *edge;   /* [start[n]] */
    SCOTCH_Num *weight; /* [n] */
};

static enum sp_status make_input(const struct sp_pattern *g, const int32_t *weight, struct input *in,
                                 struct sp_error *err)
{
    const int64_t most = sizeof(SCOTCH_Num) == sizeof(int32_t) ? INT32_MAX : INT64_MAX;
    void *p;
    *in = (struct input){.n = (SCOTCH_Num)g->n_r};
    if (g->n_nz > most)
        return sp_fail(err, SP_USAGE,
                       "take metis, rows or nnz, or a Scotch that was built with 64-bit integers",
                       "the graph has %lld edges, more than this Scotch can count", (long long)g->n_nz);
    enum sp_status status = sp_new_array(g->n_r + 1, sizeof *in->start, "the graph for Scotch", &p, err);
    in->start = p;
    if (status == SP_OK) {
        status = sp_new_array(g->n_nz, sizeof *in->edge, "the graph for Scotch", &p, err);
        in->edge = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(g->n_r, sizeof *in->weight, "weights for Scotch", &p, err);
        in->weight = p;
    }
    if (status != SP_OK)
        return status;
    SCOTCH_Num n = 0;
    for (int64_t v = 0; v < g->n_r; v++) {
        for (int64_t e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (g->col[e] != v)
                in->edge[n++] = g->col[e];
        in->start[v + 1] = n;
        in->weight[v] = weight[v];
    }
    return SP_OK;
}

/* One thread and a seed of its own, so that the result is always the same. */
#if SCOTCH_VERSION >= 7
static int divide_graph(SCOTCH_Graph *graph, int n_parts, SCOTCH_Strat *strategy, SCOTCH_Num *part)
{
    SCOTCH_Context context;
    SCOTCH_Graph bound;
    SCOTCH_contextInit(&context);
    SCOTCH_contextRandomSeed(&context, 1);
    SCOTCH_contextRandomReset(&context);
    int failed = SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) ||
                 SCOTCH_contextThreadSpawn(&context, 1, NULL) ||
                 SCOTCH_contextBindGraph(&context, graph, &bound);
    if (!failed) {
        failed = SCOTCH_graphPart(&bound, n_parts, strategy, part);
        SCOTCH_graphExit(&bound);
    }
    SCOTCH_contextExit(&context);
    return failed;
}
#else
static int divide_graph(SCOTCH_Graph *graph, int n_parts, SCOTCH_Strat *strategy, SCOTCH_Num *part)
{
    SCOTCH_randomSeed(1);
    SCOTCH_randomReset();
    return SCOTCH_graphPart(graph, n_parts, strategy, part);
}
#endif

static enum sp_status divide(const struct input *in, int n_parts, SCOTCH_Num *part, struct sp_error *err)
{
    SCOTCH_Graph graph;
    SCOTCH_Strat strategy;
    SCOTCH_graphInit(&graph);
    SCOTCH_stratInit(&strategy);
    int failed = SCOTCH_graphBuild(&graph, 0, in->n, in->start, NULL, in->weight, NULL, in->start[in->n],
                                   in->edge, NULL);
    if (!failed)
        failed = divide_graph(&graph, n_parts, &strategy, part);
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&graph);
    return failed ? sp_fail(err, SP_BUG, "take metis, rows or nnz", "Scotch fails to divide the graph")
                  : SP_OK;
}

enum sp_status sp_scotch_divide(const struct sp_pattern *g, const int32_t *weight, int n_parts, int32_t *part,
                                struct sp_error *err)
{
    struct input in;
    void *p = NULL;
    enum sp_status status = make_input(g, weight, &in, err);
    if (status == SP_OK)
        status = sp_new_array(g->n_r, sizeof(SCOTCH_Num), "the parts of Scotch", &p, err);
    SCOTCH_Num *found = p;
    if (status == SP_OK)
        status = divide(&in, n_parts, found, err);
    for (int64_t v = 0; status == SP_OK && v < g->n_r; v++)
        part[v] = (int32_t)found[v];
    free(found);
    free(in.start);
    free(in.edge);
    free(in.weight);
    return status;
}
