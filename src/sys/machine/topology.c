#include "sys/machine/topology.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sys/machine/pages.h"
#include "sys/machine/sysfs.h"

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

/* Replaces the ids by 0, 1, ... in order of first appearance; returns how many there are. Quadratic
 * in the number of distinct ids, which is small. */
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

/* For those who fill a topology: counts cores, domains, allowed CPUs ... from `cpu`, which must be
 * sorted, with core, domain and package as any ids; renumbers them. */
static void topology_finish(struct sp_topology *t)
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
    topology_finish(out);
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

#ifdef SP_TOPOLOGY_BY_HWLOC
#include <hwloc.h>

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

static void read_their_caches(hwloc_topology_t topology, hwloc_obj_t pu, struct sp_topology *out)
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
    read_their_caches(topology, first, out);
    topology_finish(out);
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

#else

enum sp_status sp_topology_read(struct sp_topology *out, struct sp_error *err)
{
    return sp_topology_read_sysfs("", out, err);
}

#endif

enum { MAX_CPUS = 1 << 16 };

struct choice {
    int rank_in_core;   /* first key: hardware threads of a core are used one after the other */
    int rank_in_domain; /* of its core */
    int domain, core, os, numa;
    bool scatter;
};

static int compare(const void *a, const void *b)
{
    const struct choice *p = a, *q = b;
    int keys[5] = {p->rank_in_core - q->rank_in_core, p->scatter ? p->rank_in_domain - q->rank_in_domain : 0,
                   p->domain - q->domain, p->core - q->core, p->os - q->os};
    for (int k = 0; k < 5; k++)
        if (keys[k])
            return keys[k];
    return 0;
}

/* Ranks count allowed CPUs only, so that a cpuset of second hardware threads is as good as any. */
static int list_choices(const struct sp_topology *t, enum sp_placement placement, struct choice *list)
{
    int n = 0;
    for (int i = 0; i < t->n_cpus; i++) {
        const struct sp_cpu *c = &t->cpu[i];
        if (!c->allowed)
            continue;
        struct choice *e = &list[n];
        *e = (struct choice){.domain = c->domain,
                             .core = c->core,
                             .os = c->os,
                             .numa = c->numa,
                             .scatter = placement == SP_SCATTER};
        for (int j = 0; j < n; j++) {
            if (list[j].core == c->core)
                e->rank_in_core++;
            else if (list[j].domain == c->domain && list[j].rank_in_core == 0)
                e->rank_in_domain++;
        }
        n++;
    }
    sp_sort_by(list, n, sizeof *list, compare);
    return n;
}

enum sp_status sp_binding_plan(const struct sp_topology *topology, int n_threads, enum sp_placement placement,
                               struct sp_binding *out, struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    int n = n_threads > 0 ? n_threads : sp_topology_default_threads(topology);
    struct choice *list = NULL;
    enum sp_status status = sp_new_array(topology->n_cpus, sizeof *list, "processors", (void **)&list, err);
    if (status != SP_OK)
        return status;
    int n_choices = list_choices(topology, placement, list);
    if (n_choices == 0)
        status = sp_fail(err, SP_ABSENT, NULL, "no processor is allowed to this process");
    if (status == SP_OK)
        status = sp_new_array(n, sizeof *out->cpu, "the binding", (void **)&out->cpu, err);
    for (int k = 0; status == SP_OK && k < n; k++) {
        const struct choice *c = &list[k % n_choices];
        bool new_domain = true, new_numa = true;
        for (int j = 0; j < k && j < n_choices; j++) {
            new_domain = new_domain && list[j].domain != c->domain;
            new_numa = new_numa && list[j].numa != c->numa;
        }
        out->cpu[k] = c->os;
        out->n_domains += new_domain;
        out->n_numa += new_numa;
        out->uses_smt = out->uses_smt || c->rank_in_core > 0;
    }
    out->n_threads = status == SP_OK ? n : 0;
    out->oversubscribed = n > n_choices;
    free(list);
    return status;
}

/* 0 or errno. The set is on the heap: systems have more than 1024 CPUs. */
static int pin_self(const int *cpu, int n)
{
    size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
    cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
    if (!set)
        return ENOMEM;
    CPU_ZERO_S(size, set);
    for (int i = 0; i < n; i++)
        CPU_SET_S(cpu[i], size, set);
    int error = sched_setaffinity(0, size, set) == 0 ? 0 : errno;
    CPU_FREE(set);
    return error;
}

/* Of the caller's team: regions of no stated size have so many threads while none are pinned. */
static _Thread_local int free_threads;
static _Thread_local bool held;

static enum sp_status pin_team(const struct sp_binding *binding, struct sp_error *err)
{
    int error = 0, misplaced = 0, team = 0;
#pragma omp parallel num_threads(binding->n_threads) reduction(max : error) reduction(+ : misplaced)
    {
        int k = omp_get_thread_num();
#pragma omp single
        team = omp_get_num_threads();
        if (k < binding->n_threads) {
            error = pin_self(&binding->cpu[k], 1);
            misplaced += sched_getcpu() != binding->cpu[k];
        }
    }
    if (!error) {
        free_threads = held ? free_threads : omp_get_max_threads();
        held = true;
        omp_set_num_threads(binding->n_threads); /* others would begin on the caller's processor */
    }
    if (error)
        return sp_fail(err, SP_ABSENT, "allow sched_setaffinity, or go on without pinning",
                       "threads cannot be pinned: %s", strerror(error));
    if (team < binding->n_threads)
        return sp_fail(err, SP_ABSENT, "raise OMP_THREAD_LIMIT and unset OMP_DYNAMIC",
                       "OpenMP gives %d threads where %d were asked for", team, binding->n_threads);
    if (misplaced)
        return sp_fail(err, SP_ABSENT, "go on without pinning; expect a larger spread",
                       "%d of %d threads do not run where they were pinned", misplaced, binding->n_threads);
    return SP_OK;
}

enum sp_status sp_binding_apply(struct sp_binding *binding, struct sp_error *err)
{
    const enum sp_status status = pin_team(binding, err);
    binding->pinned = status == SP_OK;
    return status;
}

static void let_go(const struct sp_binding *binding, const struct sp_topology *topology)
{
    int n = 0, *cpu = malloc((size_t)topology->n_cpus * sizeof *cpu);
    if (!cpu)
        return;
    for (int i = 0; i < topology->n_cpus; i++)
        if (topology->cpu[i].allowed)
            cpu[n++] = topology->cpu[i].os;
    const int n_threads = held ? omp_get_max_threads() : binding->n_threads;
    if (n_threads > 0) {
#pragma omp parallel num_threads(n_threads)
        pin_self(cpu, n);
    }
    free(cpu);
    if (held)
        omp_set_num_threads(free_threads);
    held = false;
}

void sp_binding_undo(struct sp_binding *binding, const struct sp_topology *topology)
{
    let_go(binding, topology);
    binding->pinned = false;
}

enum sp_status sp_binding_restore(const struct sp_binding *binding, const struct sp_topology *topology,
                                  struct sp_error *err)
{
    if (binding->pinned)
        return pin_team(binding, err);
    let_go(binding, topology);
    return SP_OK;
}

bool sp_binding_is_held(void)
{
    return held;
}

bool sp_binding_is_same(const struct sp_binding *a, const struct sp_binding *b)
{
    return a->n_threads == b->n_threads && a->pinned == b->pinned &&
           (!a->pinned || memcmp(a->cpu, b->cpu, (size_t)a->n_threads * sizeof *a->cpu) == 0);
}

void sp_binding_free(struct sp_binding *binding)
{
    if (!binding)
        return;
    free(binding->cpu);
    memset(binding, 0, sizeof *binding);
}
