#include "sys/machine/pages.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/fault.h"
#include "sys/machine/sysfs.h"

#define HUGE_PAGE ((size_t)2 << 20)

static size_t mapped_size(size_t bytes)
{
    return bytes < HUGE_PAGE ? bytes : (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
}

/* Maps one huge page too much and cuts the ends off, so that the rest is aligned. */
static void *huge_alloc(void *context, size_t bytes)
{
    (void)context;
    size_t size = mapped_size(bytes), slack = size < HUGE_PAGE ? 0 : HUGE_PAGE;
    char *raw = mmap(NULL, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    if (!slack)
        return raw;
    char *aligned = (char *)(((uintptr_t)raw + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
    size_t head = (size_t)(aligned - raw), tail = slack - head;
    if (head)
        munmap(raw, head);
    if (tail)
        munmap(aligned + size, tail);
    madvise(aligned, size, sp_fault("pages", NULL) ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    return aligned;
}

static void huge_free(void *context, void *p, size_t bytes)
{
    (void)context;
    if (p)
        munmap(p, mapped_size(bytes));
}

const struct sp_allocator sp_allocator_huge = {huge_alloc, huge_free, NULL};

/* Sums "Rss:" and the huge part over the mappings that overlap [start, end). */
static void read_smaps(const char *root, uintptr_t start, uintptr_t end, struct sp_pages *out)
{
    out->huge_share = out->touched_B = sp_value_none("/proc/self/smaps does not tell");
    char *text = sp_sysfs_file(root, "/proc/self/smaps"), *save = NULL;
    double touched = 0, huge = 0;
    bool inside = false, seen = false;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
        unsigned long long from, to, kB;
        if (sscanf(line, "%llx-%llx ", &from, &to) == 2) {
            inside = from < end && to > start;
            seen = seen || inside;
        } else if (inside && sscanf(line, "Rss: %llu kB", &kB) == 1) {
            touched += (double)kB * 1024;
        } else if (inside && sscanf(line, "AnonHugePages: %llu kB", &kB) == 1) {
            huge += (double)kB * 1024;
        } else if (inside && (sscanf(line, "Private_Hugetlb: %llu kB", &kB) == 1 ||
                              sscanf(line, "Shared_Hugetlb: %llu kB", &kB) == 1)) {
            huge += (double)kB * 1024;
            touched += (double)kB * 1024; /* Rss leaves them out */
        }
    }
    free(text);
    if (!seen)
        return;
    out->touched_B = sp_value_of(touched, SP_MEASURED);
    out->huge_share =
        touched > 0 ? sp_value_of(huge / touched, SP_MEASURED) : sp_value_none("nothing is touched yet");
}

static void sample_nodes(uintptr_t start, uintptr_t end, int node, struct sp_pages *out)
{
    enum { SAMPLES = 1024 };
    void *page[SAMPLES];
    int status[SAMPLES], placed = 0, remote = 0;
    uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), first = start / size,
              n_pages = (end - 1) / size - first + 1;
    unsigned long n = n_pages < SAMPLES ? n_pages : SAMPLES;
    for (unsigned long i = 0; i < n; i++)
        page[i] = (void *)((first + n_pages * i / n) * size);
    if (syscall(SYS_move_pages, 0, n, page, NULL, status, 0) != 0)
        return;
    for (unsigned long i = 0; i < n; i++)
        if (status[i] >= 0 && status[i] < SP_PAGES_MAX_NODES) {
            out->node_share[status[i]]++;
            placed++;
            remote += status[i] != node;
            if (status[i] >= out->n_nodes)
                out->n_nodes = status[i] + 1;
        }
    for (int k = 0; k < out->n_nodes; k++)
        out->node_share[k] /= placed;
    if (placed && node >= 0)
        out->remote_share = (double)remote / placed;
}

void sp_pages_read(const char *root, const void *p, size_t bytes, int node, struct sp_pages *out)
{
    memset(out, 0, sizeof *out);
    out->remote_share = -1;
    out->huge_share = out->touched_B = sp_value_none("an empty array");
    if (!p || bytes == 0)
        return;
    uintptr_t start = (uintptr_t)p;
    read_smaps(root, start, start + bytes, out);
    if (!root || !*root)
        sample_nodes(start, start + bytes, node, out);
}

void sp_pages_policy(const char *root, char *text, size_t size)
{
    char line[256];
    text[0] = '\0';
    if (!sp_sysfs_text(root, line, sizeof line, "/sys/kernel/mm/transparent_hugepage/enabled"))
        return;
    const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    if (close)
        snprintf(text, size, "%.*s", (int)(close - open - 1), open + 1);
}
