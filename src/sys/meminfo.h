/* How much memory there is and how much may be taken now. */
#ifndef SP_SYS_MEMINFO_H
#define SP_SYS_MEMINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct sp_meminfo {
    int64_t total_B;     /* of the machine, or the control group's limit where that is less */
    int64_t available_B; /* what can be taken without swapping: the lesser of MemAvailable and the room that
                            the control groups leave */
    bool group_limited;  /* the control group is what limits `available_B` */
};

/* `root`: see sys/sysfs.h. SP_ABSENT when ROOT/proc/meminfo gives no MemTotal. (Not NUMA node files: they are
 * wrong in some virtual machines.) */
enum sp_status sp_meminfo_read(const char *root, struct sp_meminfo *out, struct sp_error *err);

#endif
