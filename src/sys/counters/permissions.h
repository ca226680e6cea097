/* What the system lets this process count, from files alone: nothing is opened for counting. */
#ifndef SP_SYS_PERMISSIONS_H
#define SP_SYS_PERMISSIONS_H

#include <stdbool.h>

enum { SP_LEVEL_UNKNOWN = -100 };

struct sp_permissions {
    int paranoid;     /* /proc/sys/kernel/perf_event_paranoid, SP_LEVEL_UNKNOWN */
    int nmi_watchdog; /* 1: it takes a counter of every core; 0; -1 unknown */

    /* Effective capabilities of this process; they count only in the first user namespace. */
    bool caps_known;
    bool perfmon, sys_admin, sys_rawio;
    bool user_namespace; /* a container's own: the capabilities above give no right to count */
    int seccomp; /* 0 none, 1 strict, 2 a filter (containers: often forbids perf_event_open); -1 unknown */
    char lockdown[24]; /* "none", "integrity", "confidentiality"; "" where the kernel has none */

    bool is_x86;                     /* /proc/cpuinfo names a vendor: there are model specific registers */
    bool msr_module;                 /* loaded or built in, as far as /sys/module tells */
    bool msr;                        /* /dev/cpu/0/msr is there */
    bool msr_readable, msr_writable; /* by its mode; the kernel asks for CAP_SYS_RAWIO on top */
    char msr_allow_writes[12];       /* "on", "off", "default"; "" unknown */

    char access_daemon[512]; /* likwid-accessD without ROOT, "" not found */
    bool daemon_setuid;      /* or holds file capabilities */
    bool daemon_of_root;
};

/* `search`: directories as in $PATH (NULL: none). The daemon is looked for there, in the sbin beside each
 * bin, and where packages put it. */
void sp_permissions_read(const char *root, const char *search, struct sp_permissions *out);

/* May this process open events of its own threads, of whole processors (memory controllers need that), and
 * model specific registers? Only what files tell: a sandbox can still refuse. */
bool sp_may_count_threads(const struct sp_permissions *permissions);
bool sp_may_count_processors(const struct sp_permissions *permissions);
bool sp_may_use_msr(const struct sp_permissions *permissions);

#endif
