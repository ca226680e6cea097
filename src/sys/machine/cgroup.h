/* Limits that a container or a batch system sets through control groups, versions 1 and 2. */
#ifndef SP_SYS_CGROUP_H
#define SP_SYS_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct sp_cgroup {
    bool memory_limited, cpu_limited;
    int64_t memory_limit_B; /* of the tightest group on the path to the root */
    int64_t memory_free_B; /* what this process may still take inside all groups; file cache counts as free */
    double cpu_quota;      /* CPUs' worth of time per second, of the tightest group */
    /* Of all groups on the path, the one that was stopped most often; -1: not told. */
    int64_t periods, throttled; /* enforcement periods, and those in which the quota ran out */
    double throttled_s;         /* time that its tasks waited for the next period [s] */
};

/* Reads ROOT/proc/self/cgroup and the groups named there below ROOT/sys/fs/cgroup. Whatever is absent limits
 * nothing. */
void sp_cgroup_read(const char *root, struct sp_cgroup *out);

#endif
