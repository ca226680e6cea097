#include "sparse/reorder/metis.h"

void (*sp_metis_around)(enum sp_metis_moment moment);

const char *sp_metis_absent(void)
{
    return "this build has no METIS (libmetis-dev)";
}

int sp_metis_integer_B(void)
{
    return 0;
}

enum sp_status sp_metis_parts(const struct sp_pattern *graph, uint64_t n_parts, int32_t *perm,
                              struct sp_error *err)
{
    (void)graph;
    (void)n_parts;
    (void)perm;
    return sp_fail(err, SP_ABSENT, "install METIS and build again", "%s", sp_metis_absent());
}

enum sp_status sp_metis_dissection(const struct sp_pattern *graph, uint64_t number, int32_t *perm,
                                   struct sp_error *err)
{
    return sp_metis_parts(graph, number, perm, err);
}

enum sp_status sp_metis_divide(const struct sp_pattern *graph, const int32_t *weight, int n_parts,
                               int32_t *part, struct sp_error *err)
{
    (void)weight;
    (void)part;
    return sp_metis_parts(graph, (uint64_t)n_parts, NULL, err);
}
