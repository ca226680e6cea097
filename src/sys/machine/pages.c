#include "sys/machine/pages.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/option/option_words.h"
#include "base/text.h"
#include "sys/machine/sysfs.h"
#include "sys/noise.h"

/* The number of kB after "KEY:" at the start of a line, in bytes; -1: no such line. */
static int64_t field(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = text; line && *line;) {
        if (strncmp(line, key, length) == 0 && line[length] == ':')
            return strtoll(line + length + 1, NULL, 10) * 1024;
        const char *next = strchr(line, '\n');
        line = next ? next + 1 : NULL;
    }
    return -1;
}

static _Atomic int64_t stated_B;

void sp_meminfo_state(int64_t bytes)
{
    stated_B = bytes;
}

void sp_meminfo_limit_text(const struct sp_meminfo *memory, char *text, size_t size)
{
    static const char *const of[] = {[SP_LIMIT_GROUP] = "the limit of the control group",
                                     [SP_LIMIT_PROCESS] = "the limit of this process (ulimit)",
                                     [SP_LIMIT_STATED] = "what " SP_O_MEMORY " states"};
    char bytes[32];
    text[0] = '\0';
    if (memory->limit != SP_LIMIT_MACHINE)
        snprintf(text, size, "%s is %s", of[memory->limit],
                 sp_text_bytes(bytes, sizeof bytes, (double)memory->limit_B));
}

/* Fields of ROOT/proc/self/statm: pages of this process. */
enum { STATM_SIZE, STATM_RESIDENT, STATM_SHARED, STATM_DATA = 5, N_STATM = 7 };

static bool read_statm(const char *root, int64_t bytes[N_STATM])
{
    char *text = sp_sysfs_file(root, "/proc/self/statm"), *p = text;
    int n = 0;
    for (; p && n < N_STATM; n++) {
        char *end;
        bytes[n] = strtoll(p, &end, 10) * sysconf(_SC_PAGESIZE);
        if (end == p)
            break;
        p = end;
    }
    free(text);
    return n == N_STATM;
}

static void take_least(struct sp_meminfo *out, enum sp_memory_limit limit, int64_t limit_B, int64_t free_B)
{
    free_B = free_B < 1 ? 1 : free_B;
    if (free_B >= out->available_B)
        return;
    out->available_B = free_B;
    out->limit = limit;
    out->limit_B = limit_B;
}

/* The soft limits of ROOT/proc/self/limits that count pages before they are touched. */
static void take_process(const char *root, struct sp_meminfo *out)
{
    static const struct {
        const char *name;
        int used;
    } limits[] = {{"Max address space", STATM_SIZE}, {"Max data size", STATM_DATA}};
    int64_t used[N_STATM];
    char *text = sp_sysfs_file(root, "/proc/self/limits");
    const bool known = text && read_statm(root, used);
    for (size_t i = 0; known && i < sizeof limits / sizeof *limits; i++) {
        const char *line = strstr(text, limits[i].name);
        int64_t limit_B;
        if (line && sscanf(line + strlen(limits[i].name), "%" SCNd64, &limit_B) == 1)
            take_least(out, SP_LIMIT_PROCESS, limit_B, limit_B - used[limits[i].used]);
    }
    free(text);
}

/* What was stated is in place of everything else. */
static void take_stated(const char *root, struct sp_meminfo *out)
{
    int64_t used[N_STATM];
    out->limit = SP_LIMIT_STATED;
    out->limit_B = out->available_B = stated_B;
    if (read_statm(root, used))
        out->available_B -= used[STATM_RESIDENT] - used[STATM_SHARED];
    out->available_B = out->available_B < 1 ? 1 : out->available_B;
}

enum sp_status sp_meminfo_read(const char *root, struct sp_meminfo *out, struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    char *text = sp_sysfs_file(root, "/proc/meminfo");
    int64_t total = field(text, "MemTotal"), available = field(text, "MemAvailable");
    if (available < 0 && total >= 0) { /* kernels before 3.14 */
        int64_t unused = field(text, "MemFree"), cached = field(text, "Cached");
        available = (unused > 0 ? unused : 0) + (cached > 0 ? cached : 0);
    }
    free(text);
    if (total <= 0)
        return sp_fail(err, SP_ABSENT, "mount /proc", "%s/proc/meminfo does not tell the size of memory",
                       root ? root : "");
    struct sp_cgroup group;
    sp_cgroup_read(root, &group);
    out->total_B = total;
    out->available_B = available;
    out->limit_B = total;
    if (group.memory_limited && group.memory_limit_B < total)
        out->total_B = group.memory_limit_B;
    if (group.memory_limited)
        take_least(out, SP_LIMIT_GROUP, group.memory_limit_B, group.memory_free_B);
    take_process(root, out);
    if (stated_B > 0)
        take_stated(root, out);
    return SP_OK;
}

/* A limit at or above this is the kernel's way of saying "none" in version 1. */
static const int64_t no_limit = INT64_C(1) << 60;

/* The number after KEY in a file of "KEY NUMBER" lines. */
static int64_t stat_value(const char *root, const char *group, const char *file, const char *key,
                          int64_t unknown)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", group, file);
    char *stat = sp_sysfs_file(root, path);
    int64_t value = unknown;
    size_t length = strlen(key);
    for (char *line = stat; line && *line;) {
        if (strncmp(line, key, length) == 0 && line[length] == ' ')
            value = strtoll(line + length, NULL, 10);
        char *next = strchr(line, '\n');
        line = next ? next + 1 : NULL;
    }
    free(stat);
    return value;
}

static void take_memory(struct sp_cgroup *out, const char *root, const char *group, bool second)
{
    int64_t limit, used;
    if (!sp_sysfs_count(root, &limit, "%s/%s", group, second ? "memory.max" : "memory.limit_in_bytes") ||
        limit >= no_limit)
        return;
    int64_t left = limit;
    if (sp_sysfs_count(root, &used, "%s/%s", group, second ? "memory.current" : "memory.usage_in_bytes"))
        /* The file cache is given back under pressure, so it is no use of memory. */
        left = limit - used +
               stat_value(root, group, "memory.stat", second ? "inactive_file" : "total_inactive_file", 0);
    left = left < 0 ? 0 : left > limit ? limit : left;
    if (!out->memory_limited || limit < out->memory_limit_B)
        out->memory_limit_B = limit;
    if (!out->memory_limited || left < out->memory_free_B)
        out->memory_free_B = left;
    out->memory_limited = true;
}

static void take_cpu(struct sp_cgroup *out, const char *root, const char *group, bool second)
{
    int64_t throttled = stat_value(root, group, "cpu.stat", "nr_throttled", -1);
    if (throttled > out->throttled) {
        out->throttled = throttled;
        out->periods = stat_value(root, group, "cpu.stat", "nr_periods", -1);
        out->throttled_s = second ? 1e-6 * (double)stat_value(root, group, "cpu.stat", "throttled_usec", 0)
                                  : 1e-9 * (double)stat_value(root, group, "cpu.stat", "throttled_time", 0);
    }
    char text[64];
    double quota = 0, period = 0;
    if (second) {
        if (!sp_sysfs_text(root, text, sizeof text, "%s/cpu.max", group) ||
            sscanf(text, "%lf %lf", &quota, &period) != 2)
            return;
    } else {
        int64_t q, p;
        if (!sp_sysfs_count(root, &q, "%s/cpu.cfs_quota_us", group) ||
            !sp_sysfs_count(root, &p, "%s/cpu.cfs_period_us", group))
            return;
        quota = (double)q;
        period = (double)p;
    }
    if (quota <= 0 || period <= 0)
        return;
    if (!out->cpu_limited || quota / period < out->cpu_quota)
        out->cpu_quota = quota / period;
    out->cpu_limited = true;
}

/* Every group from `path` up to the root of its hierarchy limits. Inside a container the path may
 * be the host's and not exist below the mount: then its upper parts are simply absent. */
static void walk(struct sp_cgroup *out, const char *root, const char *mount, const char *path, bool second)
{
    char group[1024];
    snprintf(group, sizeof group, "%s%s", mount, path);
    size_t stop = strlen(mount);
    for (;;) {
        size_t length = strlen(group);
        while (length > stop && group[length - 1] == '/')
            group[--length] = '\0';
        take_memory(out, root, group, second);
        take_cpu(out, root, group, second);
        if (length <= stop)
            return;
        char *slash = strrchr(group, '/');
        *slash = '\0';
    }
}

void sp_cgroup_read(const char *root, struct sp_cgroup *out)
{
    memset(out, 0, sizeof *out);
    out->periods = out->throttled = -1;
    char *text = sp_sysfs_file(root, "/proc/self/cgroup");
    char *save = NULL;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *controllers++ = '\0';
        *path++ = '\0';
        if (!*controllers) {
            walk(out, root, "/sys/fs/cgroup", path, true);
            walk(out, root, "/sys/fs/cgroup/unified", path, true);
            continue;
        }
        /* "cpu,cpuacct" is mounted under that name or under each of its parts. */
        char mount[256];
        snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", controllers);
        walk(out, root, mount, path, false);
        char *part_save = NULL;
        bool several = strchr(controllers, ',') != NULL;
        for (char *part = several ? strtok_r(controllers, ",", &part_save) : NULL; part;
             part = strtok_r(NULL, ",", &part_save)) {
            snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", part);
            walk(out, root, mount, path, false);
        }
    }
    free(text);
}

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
