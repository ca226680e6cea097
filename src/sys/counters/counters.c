#include "sys/counters/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/machine/sysfs.h"

void sp_counters_read(const char *root, struct sp_counters *out)
{
    memset(out, 0, sizeof *out);
    struct perf_event_attr attribute = {.type = PERF_TYPE_HARDWARE,
                                        .size = sizeof attribute,
                                        .config = PERF_COUNT_HW_INSTRUCTIONS,
                                        .disabled = 1,
                                        .exclude_kernel = 1,
                                        .exclude_hv = 1};
    int descriptor = (int)syscall(SYS_perf_event_open, &attribute, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    out->core = descriptor >= 0;
    out->error = out->core ? 0 : errno;
    if (out->core)
        close(descriptor);
    int64_t level;
    out->paranoid = sp_sysfs_count(root, &level, "/proc/sys/kernel/perf_event_paranoid") ? (int)level : -100;
}

const char *sp_counters_reason(const struct sp_counters *c)
{
    switch (c->error) {
    case 0:
        return "core events can be counted";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "no hardware counters here, as in most VMs";
    case EACCES:
    case EPERM:
        return "counting is not permitted for this user";
    case ENOSYS:
        return "the kernel is built without perf_event_open, or a sandbox forbids it";
    case EMFILE:
        return "too many open files";
    case EINVAL:
        return "the kernel does not know the event attribute";
    default:
        return "perf_event_open fails";
    }
}

const char *sp_counters_remedy(const struct sp_counters *c)
{
    switch (c->error) {
    case EACCES:
    case EPERM:
        return "sudo sysctl kernel.perf_event_paranoid=0";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "enable the virtual PMU of this machine in the hypervisor (KVM: -cpu host,pmu=on), or use a "
               "machine "
               "of its own";
    case EMFILE:
        return "ulimit -n 4096";
    default:
        return "";
    }
}
