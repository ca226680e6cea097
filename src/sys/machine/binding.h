/* Which processor each thread of a team runs on, and pinning it there. */
#ifndef SP_SYS_BINDING_H
#define SP_SYS_BINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sys/machine/topology.h"

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
 * that each runs there. Regions of the same team size that follow keep it. SP_ABSENT where the
 * system refuses or OpenMP gives fewer threads: the measurement is still possible, its spread will
 * be larger. */
enum sp_status sp_binding_apply(struct sp_binding *binding, struct sp_error *err);

/* Lets the threads of the team run on every allowed CPU of the topology again. */
void sp_binding_undo(struct sp_binding *binding, const struct sp_topology *topology);

/* Puts the threads where the binding has them: pinned, where sp_binding_apply() did so, else free
 * to run on every allowed CPU. Needed after regions of another size or binding: a smaller team ends
 * the threads that it does not use, and those that a larger one begins inherit the first thread's
 * CPU. Fails as apply does. */
enum sp_status sp_binding_restore(const struct sp_binding *binding, const struct sp_topology *topology,
                                  struct sp_error *err);

/* Do both leave the threads in the same places? */
bool sp_binding_is_same(const struct sp_binding *a, const struct sp_binding *b);

void sp_binding_free(struct sp_binding *binding);

#endif
