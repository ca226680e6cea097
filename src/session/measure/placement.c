#include "session/measure/placement.h"

#include "sys/machine/pages.h"

struct sp_value sp_placement_huge_share(const struct sp_layout *l)
{
    struct sp_pages pages;
    if (l->n_stored == 0 || !l->val)
        return sp_value_none("the matrix has no entries");
    sp_pages_read("", l->val, (size_t)l->n_stored * l->s_a, -1, &pages);
    return pages.huge_share;
}

static int node_of(const struct sp_topology *topology, int os)
{
    for (int i = 0; i < topology->n_cpus; i++)
        if (topology->cpu[i].os == os)
            return topology->cpu[i].numa;
    return -1;
}

struct sp_value sp_placement_local_share(const struct sp_layout *l, const struct sp_binding *binding,
                                         const struct sp_topology *topology)
{
    return sp_placement_domain_share(l, binding, topology, NULL, 0);
}

struct sp_value sp_placement_domain_share(const struct sp_layout *l, const struct sp_binding *binding,
                                          const struct sp_topology *topology, const int *domain_of_thread,
                                          int domain)
{
    if (topology->n_numa < 2)
        return sp_value_none("one NUMA node");
    if (!binding->pinned)
        return sp_value_none("threads are not bound, so no node is theirs");
    if (l->n_stored == 0 || !l->val)
        return sp_value_none("the matrix has no entries");
    if (l->partition.schedule == SP_SCHEDULE_CYCLIC)
        return sp_value_none("blocks are dealt in turn: threads share pages");
    double local = 0, all = 0;
    for (int t = 0; t < l->partition.n_threads; t++) {
        int64_t cursor = 0, first, end;
        if (domain_of_thread && domain_of_thread[t] != domain)
            continue;
        int node = node_of(topology, binding->cpu[t]);
        while (node >= 0 && sp_partition_next(&l->partition, t, &cursor, &first, &end)) {
            struct sp_pages pages;
            int64_t from = sp_layout_ptr(l, first), to = sp_layout_ptr(l, end);
            const char *begin = (const char *)l->val + (size_t)from * l->s_a;
            sp_pages_read("", begin, (size_t)(to - from) * l->s_a, node, &pages);
            if (to == from || pages.remote_share < 0)
                continue;
            local += (1 - pages.remote_share) * (double)(to - from);
            all += (double)(to - from);
        }
    }
    return all > 0 ? sp_value_of(local / all, SP_MEASURED)
                   : sp_value_none("the system does not tell where pages lie");
}
