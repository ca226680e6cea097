#include "sys/counters.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/sysfs.h"

static void look_for_memory_units(const char *root, struct sp_counters *out)
{
    static const char *const names[] = {"uncore_imc", "amd_umc", "amd_df", "uncore_hbm", "nvidia_scf_pmu"};
    char path[1024];
    snprintf(path, sizeof path, "%s/sys/bus/event_source/devices", root ? root : "");
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        for (int i = 0; i < 5; i++)
            if (strncmp(e->d_name, names[i], strlen(names[i])) == 0) {
                if (out->n_memory_pmu++ == 0)
                    snprintf(out->memory_pmu, sizeof out->memory_pmu, "%.60s", e->d_name);
                break;
            }
    if (d)
        closedir(d);
}

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
    look_for_memory_units(root, out);
}

const char *sp_counters_reason(const struct sp_counters *c)
{
    switch (c->error) {
    case 0:
        return c->n_memory_pmu > 0 ? "core events and memory controllers can be counted"
                                   : "core events can be counted, but no memory controller is exposed";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this machine exposes no hardware counters (usual in virtual machines)";
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
