#include "cli/machine/this_caches.h"

#include <stdio.h>
#include <string.h>

#include "sys/machine/topology.h"

enum sp_status sp_this_caches(struct sp_machine *m, struct sp_error *err)
{
    struct sp_topology t;
    memset(m, 0, sizeof *m);
    enum sp_status status = sp_topology_read(&t, err);
    if (status != SP_OK)
        return status;
    snprintf(m->name, sizeof m->name, "this machine as the system states it");
    m->kind = SP_CPU;
    m->n_sockets = t.n_packages;
    m->n_numa = t.n_numa;
    m->n_domains = t.n_domains;
    m->n_cores = t.n_cores;
    m->threads_per_core = t.threads_per_core;
    for (int k = 0; k < t.n_caches && m->n_caches < SP_MAX_CACHES; k++) {
        const struct sp_topology_cache *c = &t.cache[k];
        if (c->size_B > 0)
            m->cache[m->n_caches++] = (struct sp_cache){.level = c->level,
                                                        .size_B = c->size_B,
                                                        .effective_B = sp_value_none("not measured"),
                                                        .line_B = c->line_B > 0 ? c->line_B : 64,
                                                        .ways = c->ways,
                                                        .cores_sharing = c->cores_sharing};
    }
    sp_topology_free(&t);
    if (m->n_caches == 0)
        return sp_fail(err, SP_ABSENT, "say --machine NAME", "the system describes no caches");
    return SP_OK;
}
