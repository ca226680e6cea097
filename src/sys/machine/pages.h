/* Large pages: the allocator that kernels and ceilings use, and what was really achieved. */
#ifndef SP_SYS_PAGES_H
#define SP_SYS_PAGES_H

#include "base/memory.h"
#include "base/reading.h"

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
