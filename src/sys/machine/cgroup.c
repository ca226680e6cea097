#include "sys/machine/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/machine/sysfs.h"

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

/* Every group from `path` up to the root of its hierarchy limits. Inside a container the path may be the
 * host's and not exist below the mount: then its upper parts are simply absent. */
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
