#include "sys/machine/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sp_topology_free(struct sp_topology *topology)
{
    if (!topology)
        return;
    free(topology->cpu);
    memset(topology, 0, sizeof *topology);
}

int sp_topology_default_threads(const struct sp_topology *topology)
{
    int n = topology->n_allowed_cores;
    if (topology->cpu_quota > 0 && ceil(topology->cpu_quota) < n)
        n = (int)ceil(topology->cpu_quota);
    return n > 0 ? n : 1;
}

static int *package_of(struct sp_cpu *c)
{
    return &c->package;
}
static int *domain_of(struct sp_cpu *c)
{
    return &c->domain;
}
static int *core_of(struct sp_cpu *c)
{
    return &c->core;
}

/* Replaces the ids by 0, 1, ... in order of first appearance; returns how many there are. Quadratic in the
 * number of distinct ids, which is small. */
static int renumber(struct sp_topology *t, int *(*id_of)(struct sp_cpu *))
{
    int *seen = malloc((size_t)t->n_cpus * sizeof *seen), n = 0;
    if (!seen)
        return t->n_cpus;
    for (int i = 0; i < t->n_cpus; i++) {
        int *id = id_of(&t->cpu[i]), k = 0;
        while (k < n && seen[k] != *id)
            k++;
        if (k == n)
            seen[n++] = *id;
        *id = k;
    }
    free(seen);
    return n;
}

void sp_topology_finish(struct sp_topology *t)
{
    t->n_packages = renumber(t, package_of);
    t->n_domains = renumber(t, domain_of);
    t->n_cores = renumber(t, core_of);
    t->n_allowed = t->n_allowed_cores = t->n_numa = 0;
    t->threads_per_core = 1;
    for (int i = 0; i < t->n_cpus; i++) {
        struct sp_cpu *c = &t->cpu[i];
        bool first_allowed = c->allowed, new_node = true;
        c->smt = 0;
        for (int j = 0; j < i; j++) {
            const struct sp_cpu *other = &t->cpu[j];
            if (other->core == c->core) {
                c->smt++;
                if (other->allowed)
                    first_allowed = false;
            }
            if (other->numa == c->numa)
                new_node = false;
        }
        if (c->smt + 1 > t->threads_per_core)
            t->threads_per_core = c->smt + 1;
        t->n_numa += new_node;
        t->n_allowed += c->allowed;
        t->n_allowed_cores += first_allowed;
    }
}
