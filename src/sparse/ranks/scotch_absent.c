#include "sparse/ranks/ranks.h"

const char *sp_scotch_absent(void)
{
    return "this build has no Scotch (libscotch-dev)";
}

enum sp_status sp_scotch_divide(const struct sp_pattern *graph, const int32_t *weight, int n_parts,
                                int32_t *part, struct sp_error *err)
{
    (void)graph;
    (void)weight;
    (void)n_parts;
    (void)part;
    return sp_fail(err, SP_ABSENT, "install Scotch and build again", "%s", sp_scotch_absent());
}
