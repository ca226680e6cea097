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

#endif
