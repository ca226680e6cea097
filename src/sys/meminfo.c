#include "sys/meminfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/cgroup.h"
#include "sys/sysfs.h"

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
    if (group.memory_limited && group.memory_limit_B < total)
        out->total_B = group.memory_limit_B;
    if (group.memory_limited && group.memory_free_B < available) {
        out->available_B = group.memory_free_B;
        out->group_limited = true;
    }
    return SP_OK;
}
