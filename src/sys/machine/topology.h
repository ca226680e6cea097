/* Processors, cores, cache domains, NUMA nodes and caches of this machine, by hwloc or from sysfs.
 *
 * Virtual machines invent their topology: what is read here is a claim, core_to_core.h and the
 * measured effective capacity of the last level are the facts. */
#ifndef SP_SYS_TOPOLOGY_H
#define SP_SYS_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* One hardware thread. Numbers count from 0 in order of appearance, unlike the kernel's ids. */
struct sp_cpu {
    int os;       /* the kernel's number: what sched_setaffinity takes */
    int core;     /* physical core */
    int smt;      /* rank among the hardware threads of its core */
    int domain;   /* last-level-cache domain; where no cache is described: the package */
    int numa;     /* NUMA node, the kernel's number; 0 where none is described */
    int package;  /* socket */
    bool allowed; /* in the cpuset of the process when the topology was read */
};

struct sp_topology_cache {
    int level;
    int64_t size_B;    /* of one instance; 0: unknown */
    int line_B;        /* 0: unknown */
    int ways;          /* 0: unknown or fully associative */
    int cpus_sharing;  /* hardware threads that share one instance */
    int cores_sharing; /* cores that do */
    int n_instances;
};

enum { SP_TOPOLOGY_MAX_CACHES = 4 };

struct sp_topology {
    int n_cpus;         /* online hardware threads */
    struct sp_cpu *cpu; /* [n_cpus] ascending in `os`; owned */
    int n_allowed;      /* hardware threads in the cpuset */
    int n_cores, n_allowed_cores;
    int n_domains, n_numa, n_packages;
    int threads_per_core; /* the most of any core */
    int n_caches;         /* data and unified caches, inner to outer */
    struct sp_topology_cache cache[SP_TOPOLOGY_MAX_CACHES];
    double cpu_quota; /* CPUs' worth of time that control groups grant; 0: no limit */
    char source[32];  /* "hwloc 2.9.0" or "sysfs" */
};

/* The live machine. Read it *before* threads are pinned: pinning changes the cpuset that it sees.
 * SP_ABSENT when the system describes no processor. */
enum sp_status sp_topology_read(struct sp_topology *out, struct sp_error *err);

/* The same from ROOT/sys and ROOT/proc (sys/machine/sysfs.h), always there. The cpuset is the
 * calling thread's for root "", else Cpus_allowed_list of ROOT/proc/self/status, and all where that
 * is absent. */
enum sp_status sp_topology_read_sysfs(const char *root, struct sp_topology *out, struct sp_error *err);

void sp_topology_free(struct sp_topology *topology);

/* Threads by default: one for each allowed core, at most the CPU quota (rounded up), at least 1. */
int sp_topology_default_threads(const struct sp_topology *topology);

/* Which processor each thread of a team runs on, and pinning it there. */

enum sp_placement {
    SP_COMPACT, /* fill one last-level-cache domain after the other */
    SP_SCATTER  /* one thread in each domain, then the next: most caches and memory interfaces */
};

struct sp_binding {
    int n_threads;
    int *cpu;            /* [n_threads] the kernel's CPU number of each thread; owned */
    int n_domains;       /* last-level-cache domains used, as the topology claims them */
    int n_numa;          /* NUMA nodes used */
    bool oversubscribed; /* more threads than allowed hardware threads: some share one */
    bool uses_smt;       /* two threads share a core */
    bool pinned;         /* sp_binding_apply() found every thread where it should be */
};

/* Chooses CPUs for n_threads (0: sp_topology_default_threads()) inside the process's cpuset: one a
 * core while there are cores, then their further hardware threads. With SP_COMPACT the CPUs ascend
 * by domain, so that neighbouring threads share a cache. */
enum sp_status sp_binding_plan(const struct sp_topology *topology, int n_threads, enum sp_placement placement,
                               struct sp_binding *out, struct sp_error *err);

/* Pins thread k of an OpenMP team of n_threads to cpu[k], the caller being thread 0, and checks
 * that each runs there. Regions of that size that follow keep it, and those of no stated size have
 * that size until the team is let go: further threads would begin on the caller's CPU. SP_ABSENT
 * where the system refuses or OpenMP gives fewer threads: the measurement is still possible, its
 * spread will be larger. */
enum sp_status sp_binding_apply(struct sp_binding *binding, struct sp_error *err);

/* Lets the threads of the caller's team, whichever is pinned, run on every allowed CPU of the
 * topology again; regions of no stated size have as many as before. What computes without being
 * timed is faster then. */
void sp_binding_undo(struct sp_binding *binding, const struct sp_topology *topology);

/* Puts the threads where the binding has them: pinned, where sp_binding_apply() did so, else free
 * to run on every allowed CPU. Needed after regions of another size or binding: a smaller team ends
 * the threads that it does not use, and those that a larger one begins inherit the first thread's
 * CPU. Fails as apply does. */
enum sp_status sp_binding_restore(const struct sp_binding *binding, const struct sp_topology *topology,
                                  struct sp_error *err);

/* Is a team of the caller's pinned? */
bool sp_binding_is_held(void);

/* Do both leave the threads in the same places? */
bool sp_binding_is_same(const struct sp_binding *a, const struct sp_binding *b);

void sp_binding_free(struct sp_binding *binding);

#endif
