#include <hwloc.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "sys/machine/cgroup.h"
#include "sys/machine/topology.h"

/* The logical index of the object of that type above (or equal to) a processing unit, or -1. */
static int index_above(hwloc_topology_t topology, hwloc_obj_t pu, hwloc_obj_type_t type)
{
    hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(topology, type, pu);
    return object ? (int)object->logical_index : -1;
}

/* The outermost data or unified cache above a processing unit; NULL: none is described. */
static hwloc_obj_t last_level(hwloc_obj_t pu)
{
    hwloc_obj_t last = NULL;
    for (hwloc_obj_t up = pu->parent; up; up = up->parent)
        if (hwloc_obj_type_is_dcache(up->type))
            last = up;
    return last;
}

static void read_caches(hwloc_topology_t topology, hwloc_obj_t pu, struct sp_topology *out)
{
    for (hwloc_obj_t up = pu->parent; up && out->n_caches < SP_TOPOLOGY_MAX_CACHES; up = up->parent) {
        if (!hwloc_obj_type_is_dcache(up->type))
            continue;
        struct sp_topology_cache *c = &out->cache[out->n_caches++];
        c->level = (int)up->attr->cache.depth;
        c->size_B = (int64_t)up->attr->cache.size;
        c->line_B = (int)up->attr->cache.linesize;
        c->ways = up->attr->cache.associativity > 0 ? up->attr->cache.associativity : 0;
        c->cpus_sharing = hwloc_bitmap_weight(up->cpuset);
        int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, up->cpuset, HWLOC_OBJ_CORE);
        c->cores_sharing = cores > 0 ? cores : c->cpus_sharing;
        c->n_instances = hwloc_get_nbobjs_by_depth(topology, up->depth);
    }
}

static enum sp_status translate(hwloc_topology_t topology, hwloc_const_cpuset_t allowed,
                                struct sp_topology *out, struct sp_error *err)
{
    int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    if (n <= 0)
        return sp_fail(err, SP_ABSENT, "mount /sys", "hwloc finds no processor");
    enum sp_status status = sp_new_array(n, sizeof *out->cpu, "processors", (void **)&out->cpu, err);
    if (status != SP_OK)
        return status;
    hwloc_obj_t pu = NULL, first = NULL;
    unsigned os;
    hwloc_const_cpuset_t all = hwloc_topology_get_topology_cpuset(topology);
    hwloc_bitmap_foreach_begin(os, all)
    {
        pu = hwloc_get_pu_obj_by_os_index(topology, os);
        if (!pu || out->n_cpus == n)
            continue;
        first = first ? first : pu;
        struct sp_cpu *c = &out->cpu[out->n_cpus++];
        c->os = (int)os;
        c->core = index_above(topology, pu, HWLOC_OBJ_CORE);
        if (c->core < 0)
            c->core = (int)pu->logical_index;
        c->package = index_above(topology, pu, HWLOC_OBJ_PACKAGE);
        hwloc_obj_t cache = last_level(pu);
        c->domain = cache ? (int)cache->logical_index : -1 - c->package;
        int node = pu->nodeset ? hwloc_bitmap_first(pu->nodeset) : -1;
        c->numa = node >= 0 ? node : 0;
        c->allowed = hwloc_bitmap_isset(allowed, os);
    }
    hwloc_bitmap_foreach_end();
    read_caches(topology, first, out);
    sp_topology_finish(out);
    return SP_OK;
}

enum sp_status sp_topology_read(struct sp_topology *out, struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return sp_topology_read_sysfs("", out, err);
    enum sp_status status = SP_ABSENT;
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (allowed && hwloc_topology_load(topology) == 0) {
        if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_THREAD) != 0)
            hwloc_bitmap_fill(allowed);
        status = translate(topology, allowed, out, err);
    }
    hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(topology);
    if (status != SP_OK) {
        sp_topology_free(out);
        return sp_topology_read_sysfs("", out, err);
    }
    struct sp_cgroup group;
    sp_cgroup_read("", &group);
    out->cpu_quota = group.cpu_limited ? group.cpu_quota : 0;
    unsigned version = hwloc_get_api_version();
    snprintf(out->source, sizeof out->source, "hwloc %u.%u.%u", version >> 16, version >> 8 & 0xff,
             version & 0xff);
    return SP_OK;
}
