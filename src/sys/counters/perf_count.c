#include "sys/counters/perf_count.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static enum sp_status fail_open(int error, struct sp_error *err)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return sp_fail(err, SP_ABSENT,
                       "sudo sysctl kernel.perf_event_paranoid=0, or the capability CAP_PERFMON",
                       "counting is not permitted: %s", strerror(error));
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return sp_fail(err, SP_ABSENT, "use a machine of its own, not a virtual one",
                       "this machine has no counter for the event: %s", strerror(error));
    case EMFILE:
        return sp_fail(err, SP_ABSENT, "ulimit -n 4096", "too many open files");
    default:
        return sp_fail(err, SP_ABSENT, NULL, "the event cannot be opened: %s", strerror(error));
    }
}

enum sp_status sp_perf_open(uint32_t type, const uint64_t config[3], int cpu, int thread, int *descriptor,
                            struct sp_error *err)
{
    struct perf_event_attr attribute = {.type = type,
                                        .size = sizeof attribute,
                                        .config = config[0],
                                        .config1 = config[1],
                                        .config2 = config[2],
                                        .read_format =
                                            PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING};
    if (cpu < 0) { /* of this process and what it starts */
        attribute.inherit = thread == 0;
        attribute.exclude_hv = 1;
    }
    pid_t pid = cpu < 0 ? thread : -1;
    *descriptor = (int)syscall(SYS_perf_event_open, &attribute, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    return *descriptor < 0 ? fail_open(errno, err) : SP_OK;
}

bool sp_perf_read(int descriptor, struct sp_perf_sample *sample)
{
    uint64_t word[3];
    memset(sample, 0, sizeof *sample);
    if (read(descriptor, word, sizeof word) != (ssize_t)sizeof word)
        return false;
    *sample = (struct sp_perf_sample){word[0], word[1], word[2]};
    return true;
}
