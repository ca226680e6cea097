#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sys/machine/cgroup.h"
#include "sys/machine/sysfs.h"
#include "sys/machine/topology.h"

#define CPU_DIRECTORY "/sys/devices/system/cpu"
enum { LIST_SIZE = 16384, MAX_INDEX = 10, MAX_NODES = 1024 };

struct list {
    int n, first;
    struct sp_topology *topology;
    int node;
};

static void count_one(void *context, int cpu)
{
    struct list *list = context;
    if (list->n++ == 0)
        list->first = cpu;
}

static void add_one(void *context, int cpu)
{
    struct sp_topology *t = ((struct list *)context)->topology;
    t->cpu[t->n_cpus++] = (struct sp_cpu){.os = cpu, .core = cpu, .domain = -1};
}

static struct sp_cpu *find(struct sp_topology *t, int os)
{
    for (int i = 0; i < t->n_cpus; i++)
        if (t->cpu[i].os == os)
            return &t->cpu[i];
    return NULL;
}

static void allow_one(void *context, int cpu)
{
    struct sp_cpu *c = find(((struct list *)context)->topology, cpu);
    if (c)
        c->allowed = true;
}

static void place_one(void *context, int cpu)
{
    struct list *list = context;
    struct sp_cpu *c = find(list->topology, cpu);
    if (c)
        c->numa = list->node;
}

static enum sp_status read_cpus(const char *root, struct sp_topology *t, struct sp_error *err)
{
    char text[LIST_SIZE];
    struct list list = {.topology = t};
    if (!sp_sysfs_text(root, text, sizeof text, CPU_DIRECTORY "/online") ||
        !sp_sysfs_list(text, count_one, &list) || list.n == 0)
        return sp_fail(err, SP_ABSENT, "mount /sys", "%s" CPU_DIRECTORY "/online names no processor", root);
    enum sp_status status = sp_new_array(list.n, sizeof *t->cpu, "processors", (void **)&t->cpu, err);
    if (status != SP_OK)
        return status;
    sp_sysfs_list(text, add_one, &list);
    for (int i = 0; i < t->n_cpus; i++) {
        int64_t value;
        struct sp_cpu *c = &t->cpu[i];
        if (sp_sysfs_count(root, &value, CPU_DIRECTORY "/cpu%d/topology/physical_package_id", c->os) &&
            value >= 0)
            c->package = (int)value;
        /* The first of the siblings stands for the core: core_id is unique within a die only. */
        struct list siblings = {0};
        if (sp_sysfs_text(root, text, sizeof text, CPU_DIRECTORY "/cpu%d/topology/thread_siblings_list",
                          c->os) &&
            sp_sysfs_list(text, count_one, &siblings) && siblings.n > 0)
            c->core = siblings.first;
    }
    return SP_OK;
}

static void read_nodes(const char *root, struct sp_topology *t)
{
    char text[LIST_SIZE];
    struct list list = {.topology = t};
    for (int node = 0, absent = 0; node < MAX_NODES && absent < 16; node++) {
        list.node = node;
        if (sp_sysfs_text(root, text, sizeof text, "/sys/devices/system/node/node%d/cpulist", node))
            sp_sysfs_list(text, place_one, &list);
        else
            absent++;
    }
}

static void read_allowed(const char *root, struct sp_topology *t)
{
    struct list list = {.topology = t};
    if (!*root) {
        cpu_set_t *set = CPU_ALLOC(LIST_SIZE);
        size_t size = CPU_ALLOC_SIZE(LIST_SIZE);
        bool known = set && sched_getaffinity(0, size, set) == 0;
        for (int i = 0; i < t->n_cpus; i++)
            t->cpu[i].allowed = !known || CPU_ISSET_S(t->cpu[i].os, size, set);
        CPU_FREE(set);
        return;
    }
    static const char key[] = "Cpus_allowed_list:";
    char *status = sp_sysfs_file(root, "/proc/self/status");
    char *line = status ? strstr(status, key) : NULL;
    if (line) {
        line += strlen(key);
        line += strspn(line, " \t");
        line[strcspn(line, "\n")] = '\0';
        sp_sysfs_list(line, allow_one, &list);
    } else {
        for (int i = 0; i < t->n_cpus; i++)
            t->cpu[i].allowed = true;
    }
    free(status);
}

static int64_t parse_size(const char *text)
{
    char *end;
    int64_t size = strtoll(text, &end, 10);
    return *end == 'K' ? size << 10 : *end == 'M' ? size << 20 : *end == 'G' ? size << 30 : size;
}

/* One cache directory; false where there is none. */
static bool read_cache(const char *root, int os, int index, struct sp_topology_cache *cache, bool *data,
                       struct list *sharing)
{
    char text[LIST_SIZE];
    int64_t value;
    memset(cache, 0, sizeof *cache);
    memset(sharing, 0, sizeof *sharing);
    if (!sp_sysfs_count(root, &value, CPU_DIRECTORY "/cpu%d/cache/index%d/level", os, index))
        return false;
    cache->level = (int)value;
    *data = sp_sysfs_text(root, text, sizeof text, CPU_DIRECTORY "/cpu%d/cache/index%d/type", os, index) &&
            strcmp(text, "Instruction") != 0;
    if (sp_sysfs_text(root, text, sizeof text, CPU_DIRECTORY "/cpu%d/cache/index%d/size", os, index))
        cache->size_B = parse_size(text);
    if (sp_sysfs_count(root, &value, CPU_DIRECTORY "/cpu%d/cache/index%d/coherency_line_size", os, index))
        cache->line_B = (int)value;
    if (sp_sysfs_count(root, &value, CPU_DIRECTORY "/cpu%d/cache/index%d/ways_of_associativity", os, index))
        cache->ways = (int)value;
    if (sp_sysfs_text(root, text, sizeof text, CPU_DIRECTORY "/cpu%d/cache/index%d/shared_cpu_list", os,
                      index))
        sp_sysfs_list(text, count_one, sharing);
    return true;
}

/* The last-level domain of each CPU, and the caches of the first one, which stand for all. */
static void read_caches(const char *root, struct sp_topology *t)
{
    for (int i = 0; i < t->n_cpus; i++) {
        struct sp_cpu *c = &t->cpu[i];
        struct sp_topology_cache cache;
        struct list sharing;
        bool data;
        int outermost = 0;
        for (int k = 0; k < MAX_INDEX && read_cache(root, c->os, k, &cache, &data, &sharing); k++) {
            if (!data)
                continue;
            if (cache.level > outermost && sharing.n > 0) {
                outermost = cache.level;
                c->domain = sharing.first;
            }
            if (i == 0 && t->n_caches < SP_TOPOLOGY_MAX_CACHES) {
                cache.cpus_sharing = sharing.n > 0 ? sharing.n : 1;
                t->cache[t->n_caches++] = cache;
            }
        }
        if (c->domain < 0)
            c->domain = -1 - c->package;
    }
}

enum sp_status sp_topology_read_sysfs(const char *root, struct sp_topology *out, struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    root = root ? root : "";
    enum sp_status status = read_cpus(root, out, err);
    if (status != SP_OK)
        return status;
    read_nodes(root, out);
    read_allowed(root, out);
    read_caches(root, out);
    sp_topology_finish(out);
    for (int k = 0; k < out->n_caches; k++) {
        struct sp_topology_cache *c = &out->cache[k];
        c->n_instances = (out->n_cpus + c->cpus_sharing - 1) / c->cpus_sharing;
        c->cores_sharing = (c->cpus_sharing + out->threads_per_core - 1) / out->threads_per_core;
    }
    struct sp_cgroup group;
    sp_cgroup_read(root, &group);
    out->cpu_quota = group.cpu_limited ? group.cpu_quota : 0;
    memcpy(out->source, "sysfs", 6);
    return SP_OK;
}
