/* Memory: how much there is and how much may be taken now; large pages. */
#ifndef SP_SYS_PAGES_H
#define SP_SYS_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/reading.h"
#include "base/status.h"

/* What `available_B` is bounded by. */
enum sp_memory_limit {
    SP_LIMIT_MACHINE, /* MemAvailable */
    SP_LIMIT_GROUP,   /* a control group */
    SP_LIMIT_PROCESS, /* ulimit -v or -d */
    SP_LIMIT_STATED,  /* sp_meminfo_state() */
};

struct sp_meminfo {
    int64_t total_B;     /* of the machine, or the control group's limit where that is less */
    int64_t available_B; /* what can be taken without swapping: the least of MemAvailable, the room that the
                            control groups leave, and that below this process's limits; or what is left of
                            what was stated */
    enum sp_memory_limit limit;
    int64_t limit_B; /* the limit itself, of which `available_B` is left */
};

/* From now on this process may take `bytes`, whatever the system says (0: ask it): --memory. */
void sp_meminfo_state(int64_t bytes);

/* "the limit of the control group is 60 MB", "" for the machine's own memory. */
void sp_meminfo_limit_text(const struct sp_meminfo *memory, char *text, size_t size);

/* `root`: see sys/machine/sysfs.h. SP_ABSENT when ROOT/proc/meminfo gives no MemTotal. (Not NUMA
 * node files: they are wrong in some virtual machines.) */
enum sp_status sp_meminfo_read(const char *root, struct sp_meminfo *out, struct sp_error *err);

/* Limits that a container or a batch system sets through control groups, versions 1 and 2. */

struct sp_cgroup {
    bool memory_limited, cpu_limited;
    int64_t memory_limit_B; /* of the tightest group on the path to the root */
    int64_t memory_free_B; /* what this process may still take inside all groups; file cache counts as free */
    double cpu_quota;      /* CPUs' worth of time per second, of the tightest group */
    /* Of all groups on the path, the one that was stopped most often; -1: not told. */
    int64_t periods, throttled; /* enforcement periods, and those in which the quota ran out */
    double throttled_s;         /* time that its tasks waited for the next period [s] */
};

/* Reads ROOT/proc/self/cgroup and the groups named there below ROOT/sys/fs/cgroup. Whatever is
 * absent limits nothing. */
void sp_cgroup_read(const char *root, struct sp_cgroup *out);

/* Large pages: the allocator that kernels and ceilings use, and what was really achieved. */

/* mmap, aligned to 2 MiB, MADV_HUGEPAGE; sizes under 2 MiB come in plain pages. Falls back to plain
 * pages where the system refuses: read back with sp_pages_read(). */
extern const struct sp_allocator sp_allocator_huge;

enum { SP_PAGES_MAX_NODES = 64 };

struct sp_pages {
    struct sp_value huge_share; /* of the touched bytes of the mappings that hold the array, in huge pages, 0
                                   ... 1; neighbours in the same mapping count too. SP_NONE: unknown */
    struct sp_value touched_B;  /* of those mappings */
    int n_nodes;                /* nodes with a share below; 0: placement unknown */
    double node_share[SP_PAGES_MAX_NODES]; /* of sampled pages on NUMA node k; sums to 1 */
    double remote_share;                   /* of sampled pages not on the node asked about; -1: unknown */
};

/* Reads back the pages of p[bytes]: huge pages from ROOT/proc/self/smaps (AnonHugePages, or
 * hugetlb), NUMA nodes by move_pages(2) on up to 1024 sampled pages. `node`: where they should be,
 * -1: do not ask. Never fails: what cannot be read stays unknown. */
void sp_pages_read(const char *root, const void *p, size_t bytes, int node, struct sp_pages *out);

/* What the system does with huge pages: "always", "madvise", "never", or "" when unknown. */
void sp_pages_policy(const char *root, char *text, size_t size);

#endif
