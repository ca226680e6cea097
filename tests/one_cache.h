/* A machine that has one cache, and what the simulation moves through it. */
#ifndef SP_TESTS_ONE_CACHE_H
#define SP_TESTS_ONE_CACHE_H

#include <check.h>

#include "model/volume/traffic.h"

static inline struct sp_machine machine_with(int64_t size_B)
{
    struct sp_machine m = {.n_caches = 1};
    m.cache[0] = (struct sp_cache){.level = 3,
                                   .size_B = size_B,
                                   .effective_B = sp_value_none("not measured"),
                                   .line_B = 64,
                                   .cores_sharing = 1};
    return m;
}

/* Bytes of one execution. */
static inline struct sp_traffic traffic_in(const struct sp_layout *l, int64_t size_B, enum sp_sim_state state)
{
    const struct sp_machine m = machine_with(size_B);
    struct sp_sim_options o = sp_sim_default(&m);
    struct sp_traffic v[SP_MAX_LEVELS];
    int n;
    o.state = state;
    ck_assert_int_eq(sp_sim_traffic(l, &o, v, &n, NULL, NULL), SP_OK);
    return v[0];
}

#endif
