#include "sys/counters/counters.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/machine/identity.h"
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
    out->paranoid =
        sp_sysfs_count(root, &level, "/proc/sys/kernel/perf_event_paranoid") ? (int)level : SP_LEVEL_UNKNOWN;
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
               "machine of its own";
    case EMFILE:
        return "ulimit -n 4096";
    default:
        return "";
    }
}

enum sp_flop_events sp_flop_events_read(const char *root)
{
    /* How the kernel calls cores with FP_ARITH_INST_RETIRED (arch/x86/events/intel/core.c); of
     * hybrid ones raw events are the large cores'. */
    static const char *const intel[] = {"broadwell",         "skylake",          "icelake",
                                        "sapphire_rapids",   "granite_rapids",   "alderlake_hybrid",
                                        "meteorlake_hybrid", "lunarlake_hybrid", "arrowlake_h_hybrid"};
    static const char file[] = "/sys/bus/event_source/devices/%s/caps/pmu_name";
    struct sp_cpuid cpu;
    char name[64];
    sp_cpuid_read(root, &cpu);
    if (strcmp(cpu.vendor, "HygonGenuine") == 0)
        return SP_FLOPS_ZEN;
    if (strcmp(cpu.vendor, "AuthenticAMD") == 0 && cpu.family >= 0x17)
        return cpu.family == 0x17 && cpu.number < 0x30 ? SP_FLOPS_ZEN : SP_FLOPS_ZEN_2;
    if (strcmp(cpu.vendor, "GenuineIntel") != 0 ||
        (!sp_sysfs_text(root, name, sizeof name, file, "cpu") &&
         !sp_sysfs_text(root, name, sizeof name, file, "cpu_core")))
        return SP_FLOPS_NONE;
    for (size_t i = 0; i < sizeof intel / sizeof *intel; i++)
        if (strcmp(name, intel[i]) == 0)
            return SP_FLOPS_INTEL;
    return SP_FLOPS_NONE;
}

int sp_core_sorts_read(const char *root, uint64_t type[SP_MAX_CORE_SORTS])
{
    static const char *const units[SP_MAX_CORE_SORTS] = {"cpu_core", "cpu_atom", "cpu_lowpower"};
    int64_t found;
    int n = 0;
    for (int i = 0; i < SP_MAX_CORE_SORTS; i++)
        if (sp_sysfs_count(root, &found, "/sys/bus/event_source/devices/%s/type", units[i]))
            type[n++] = (uint64_t)found;
    if (n < 2)
        type[0] = 0;
    return n < 2 ? 1 : n;
}

enum { BIT_SYS_RAWIO = 17, BIT_SYS_ADMIN = 21, BIT_PERFMON = 38 };

static int level(const char *root, const char *path, int unknown)
{
    int64_t value;
    return sp_sysfs_count(root, &value, "%s", path) ? (int)value : unknown;
}

/* The text after "KEY:" and blanks in a file of such lines; NULL where the key is not there. */
static const char *field(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = text; line && *line;) {
        if (strncmp(line, key, length) == 0 && line[length] == ':')
            return line + length + 1 + strspn(line + length + 1, " \t");
        const char *next = strchr(line, '\n');
        line = next ? next + 1 : NULL;
    }
    return NULL;
}

static void read_status(const char *root, struct sp_permissions *out)
{
    char *status = sp_sysfs_file(root, "/proc/self/status");
    const char *caps = field(status, "CapEff"), *seccomp = field(status, "Seccomp");
    if (caps) {
        uint64_t set = strtoull(caps, NULL, 16);
        out->caps_known = true;
        out->perfmon = set >> BIT_PERFMON & 1;
        out->sys_admin = set >> BIT_SYS_ADMIN & 1;
        out->sys_rawio = set >> BIT_SYS_RAWIO & 1;
    }
    out->seccomp = seccomp ? atoi(seccomp) : -1;
    free(status);
    /* The first namespace maps every user to itself; another map is somebody's own namespace. */
    char map[64];
    unsigned inside, outside, count;
    if (sp_sysfs_text(root, map, sizeof map, "/proc/self/uid_map") &&
        sscanf(map, "%u %u %u", &inside, &outside, &count) == 3)
        out->user_namespace = inside != 0 || outside != 0 || count != UINT32_MAX;
}

static void read_lockdown(const char *root, struct sp_permissions *out)
{
    char line[96];
    if (!sp_sysfs_text(root, line, sizeof line, "/sys/kernel/security/lockdown"))
        return;
    const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    if (close)
        snprintf(out->lockdown, sizeof out->lockdown, "%.*s", (int)(close - open - 1), open + 1);
}

static void read_msr(const char *root, struct sp_permissions *out)
{
    char path[512];
    struct stat facts;
    char *cpuinfo = sp_sysfs_file(root, "/proc/cpuinfo");
    out->is_x86 = cpuinfo && strstr(cpuinfo, "vendor_id");
    free(cpuinfo);
    snprintf(path, sizeof path, "%s/sys/module/msr", root);
    out->msr_module = stat(path, &facts) == 0;
    snprintf(path, sizeof path, "%s/dev/cpu/0/msr", root);
    out->msr = stat(path, &facts) == 0;
    out->msr_readable = faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
    out->msr_writable = faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
    sp_sysfs_text(root, out->msr_allow_writes, sizeof out->msr_allow_writes,
                  "/sys/module/msr/parameters/allow_writes");
}

/* directory[length] below root; the daemon's facts when it is there. */
static bool daemon_in(const char *root, const char *directory, int length, struct sp_permissions *out)
{
    char path[1024];
    struct stat facts;
    int n = snprintf(path, sizeof path, "%s%.*s/likwid-accessD", root, length, directory);
    if (length == 0 || n >= (int)sizeof path || stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    snprintf(out->access_daemon, sizeof out->access_daemon, "%s", path + strlen(root));
    out->daemon_setuid = (facts.st_mode & S_ISUID) != 0 || getxattr(path, "security.capability", NULL, 0) > 0;
    out->daemon_of_root = facts.st_uid == 0;
    return true;
}

static void find_daemon(const char *root, const char *search, struct sp_permissions *out)
{
    static const char *const usual[] = {"/usr/sbin", "/usr/local/sbin", "/sbin", "/opt/likwid/sbin"};
    for (const char *p = search; p && *p;) {
        int length = (int)strcspn(p, ":");
        char beside[512];
        if (daemon_in(root, p, length, out))
            return;
        if (length >= 4 && strncmp(p + length - 4, "/bin", 4) == 0) {
            int n = snprintf(beside, sizeof beside, "%.*ssbin", length - 3, p);
            if (n < (int)sizeof beside && daemon_in(root, beside, n, out))
                return;
        }
        p += length + (p[length] == ':');
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (daemon_in(root, usual[i], (int)strlen(usual[i]), out))
            return;
}

void sp_permissions_read(const char *root, const char *search, struct sp_permissions *out)
{
    memset(out, 0, sizeof *out);
    root = root ? root : "";
    out->paranoid = level(root, "/proc/sys/kernel/perf_event_paranoid", SP_LEVEL_UNKNOWN);
    out->nmi_watchdog = level(root, "/proc/sys/kernel/nmi_watchdog", -1);
    read_status(root, out);
    read_lockdown(root, out);
    read_msr(root, out);
    find_daemon(root, search, out);
}

/* The kernel's perfmon_capable(): either capability, in the first user namespace. */
static bool privileged(const struct sp_permissions *p)
{
    return (p->perfmon || p->sys_admin) && !p->user_namespace;
}

bool sp_may_count_threads(const struct sp_permissions *p)
{
    /* Levels above 2 are distributions' own (Debian 3, Ubuntu 4): nothing without privilege. */
    return privileged(p) || (p->paranoid != SP_LEVEL_UNKNOWN && p->paranoid <= 2);
}

bool sp_may_count_processors(const struct sp_permissions *p)
{
    return privileged(p) || (p->paranoid != SP_LEVEL_UNKNOWN && p->paranoid <= 0);
}

bool sp_may_use_msr(const struct sp_permissions *p)
{
    bool locked = strcmp(p->lockdown, "integrity") == 0 || strcmp(p->lockdown, "confidentiality") == 0;
    return p->msr && p->msr_readable && p->msr_writable && p->sys_rawio && !p->user_namespace && !locked &&
           strcmp(p->msr_allow_writes, "off") != 0;
}

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
        return sp_fail(err, SP_ABSENT, "lscpu -e lists what is offline; virtual machines have no counters",
                       "this machine has no counter for the event, or the processor is offline: %s",
                       strerror(error));
    case EMFILE:
        return sp_fail(err, SP_ABSENT, "ulimit -n 4096", "too many open files");
    case EBUSY:
        return sp_fail(err, SP_ABSENT, "spmodel doctor names who may hold them",
                       "another program holds the counters: %s", strerror(error));
    default:
        return sp_fail(err, SP_ABSENT, "perf stat -e tells whether the kernel takes it",
                       "the event cannot be opened: %s", strerror(error));
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
        bool in_kernel = type == PERF_TYPE_SOFTWARE && (config[0] == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                                        config[0] == PERF_COUNT_SW_CPU_MIGRATIONS);
        attribute.inherit = thread == 0;
        attribute.exclude_hv = 1;
        attribute.exclude_kernel = !in_kernel; /* these would be 0 without it */
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

enum { MAX_DESCRIPTORS = 4096 };

/* A '*' at either end stands for anything. */
static const struct {
    const char *name, *what;
    bool of_gpu;
} monitors[] = {
    {"likwid-perfctr", "programs the counters while its program runs", false},
    {"likwid-lua", "runs a LIKWID tool, which programs the counters", false},
    {"likwid-accessD", "serves the counters to a LIKWID user", false},
    {"likwid-*", "a LIKWID tool", false},
    {"cc-metric-collector", "monitors the cluster, with LIKWID where so configured", false},
    {"perf", "counts or samples", false},
    {"perf.plugin", "netdata's perf_event collector", false},
    {"pcm*", "Intel PCM programs memory-controller and core counters", false},
    {"vtune*", "Intel VTune samples", false},
    {"amplxe-*", "Intel VTune samples", false},
    {"emon", "Intel EMON counts", false},
    {"sep", "Intel SEP samples", false},
    {"AMDuProf*", "AMD uProf samples", false},
    {"turbostat", "reads model specific registers", false},
    {"operf", "samples", false},
    {"oprofiled", "samples", false},
    {"hpcrun", "samples", false},
    {"pat_*", "Cray PAT counts or samples", false},
    {"scorep*", "may count through PAPI", false},
    {"bpftrace", "may hold perf_event descriptors", false},
    {"parca-agent", "samples all processes", false},
    {"telegraf", "monitors; holds counters with its intel_pmu input", false},
    {"collectd", "monitors; holds counters with its intel_pmu plugin", false},
    {"node_exporter", "monitors; holds counters with its perf collector", false},
    {"pmdaperfevent", "Performance Co-Pilot's perf_event agent", false},
    {"ldmsd", "monitors; holds counters where so configured", false},
    {"hpcperfstatsd", "monitors with counters", false},
    {"tacc_statsd", "monitors with counters", false},
    {"geopmd", "reads counters for power management", false},
    {"nv-hostengine", "DCGM's engine; profiling metrics take the GPU's counters", true},
    {"dcgm-exporter", "exports DCGM's metrics; profiling ones take the GPU's counters", true},
    {"dcgmi", "DCGM's client", true},
    {"ncu", "Nsight Compute takes the GPU's counters", true},
    {"nv-nsight-cu-cli", "Nsight Compute takes the GPU's counters", true},
    {"nsys", "Nsight Systems; its GPU metrics take the GPU's counters", true},
    {"*_exporter", "a Prometheus exporter: some hold counters", false},
    {"*-exporter", "a Prometheus exporter: some hold counters", false},
};

/* The kernel keeps 15 characters of a name. */
static bool matches(const char *pattern, const char *name)
{
    size_t n = strlen(pattern), length = strlen(name);
    if (pattern[0] == '*')
        return length >= n - 1 && strcmp(name + length - (n - 1), pattern + 1) == 0;
    if (pattern[n - 1] == '*')
        return strncmp(name, pattern, n - 1) == 0;
    return strncmp(name, pattern, 15) == 0;
}

const char *sp_monitor_known(const char *name, bool *of_gpu)
{
    for (size_t i = 0; i < sizeof monitors / sizeof *monitors; i++)
        if (matches(monitors[i].name, name)) {
            *of_gpu = monitors[i].of_gpu;
            return monitors[i].what;
        }
    *of_gpu = false;
    return NULL;
}

/* Counts links to anon_inode:[perf_event]; -1 where the list is not for us. */
static int count_descriptors(const char *root, int pid, double deadline, bool *cut)
{
    char path[512], target[64];
    snprintf(path, sizeof path, "%s/proc/%d/fd", root, pid);
    DIR *directory = opendir(path);
    if (!directory)
        return -1;
    int found = 0, seen = 0;
    for (struct dirent *e; (e = readdir(directory));) {
        if (++seen > MAX_DESCRIPTORS || (seen % 64 == 0 && sp_now() > deadline)) {
            *cut = true;
            break;
        }
        ssize_t n = readlinkat(dirfd(directory), e->d_name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        found += strcmp(target, "anon_inode:[perf_event]") == 0;
    }
    closedir(directory);
    return found;
}

static void look_around(const char *root, struct sp_holders *out)
{
    char path[512], link[64];
    struct stat facts;
    static const char first_namespace[] = "pid:[4026531836]"; /* a constant of the kernel */
    snprintf(path, sizeof path, "%s/proc/self/ns/pid", root);
    ssize_t n = readlink(path, link, sizeof link - 1);
    link[n > 0 ? n : 0] = '\0';
    out->container = n > 0 && strcmp(link, first_namespace) != 0;
    char *mounts = sp_sysfs_file(root, "/proc/self/mounts");
    char *save = NULL;
    for (char *line = mounts ? strtok_r(mounts, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        const char *option = strstr(line, " /proc proc ") ? strstr(line, "hidepid=") : NULL;
        if (option && strncmp(option, "hidepid=0", 9) != 0 && strncmp(option, "hidepid=off", 11) != 0)
            out->hidden = true;
    }
    free(mounts);
    static const char *const locks[] = {"/var/run/likwid.lock", "/run/likwid.lock"};
    for (int i = 0; i < 2 && !out->lock; i++) {
        snprintf(path, sizeof path, "%s%s", root, locks[i]);
        out->lock = stat(path, &facts) == 0;
        out->lock_uid = out->lock ? facts.st_uid : 0;
    }
}

/* Users with a process, other than services and this one; up to 64 are told apart. */
static int count_users(const struct sp_processes *processes, unsigned uid)
{
    unsigned users[64];
    int n = 0;
    for (int i = 0; i < processes->n; i++) {
        unsigned who = processes->process[i].uid;
        if (who < 1000 || who == uid || who == 65534)
            continue;
        int k = 0;
        while (k < n && users[k] != who)
            k++;
        if (k == n && n < 64)
            users[n++] = who;
    }
    return n;
}

void sp_holders_read(const char *root, const struct sp_processes *processes, int self, unsigned uid,
                     double deadline, struct sp_holders *out)
{
    memset(out, 0, sizeof *out);
    root = root ? root : "";
    look_around(root, out);
    out->n_users = count_users(processes, uid);
    out->listed = !processes->cut;
    for (int i = 0; i < processes->n; i++) {
        const struct sp_process *p = &processes->process[i];
        if (p->kernel || p->pid == self)
            continue;
        out->n_processes++;
        int descriptors = -1;
        if (sp_now() > deadline)
            out->cut = true; /* names are still compared: that costs nothing */
        else
            descriptors = count_descriptors(root, p->pid, deadline, &out->cut);
        out->n_looked += descriptors >= 0;
        bool of_gpu;
        const char *what = sp_monitor_known(p->name, &of_gpu);
        if (descriptors <= 0 && !what)
            continue;
        if (out->n == SP_HOLDERS_MAX) {
            out->n_more++;
            continue;
        }
        struct sp_holder *h = &out->holder[out->n++];
        *h = (struct sp_holder){.pid = p->pid,
                                .uid = p->uid,
                                .n_descriptors = descriptors > 0 ? descriptors : 0,
                                .what = what,
                                .of_gpu = of_gpu};
        memcpy(h->name, p->name, sizeof h->name);
    }
}

char *sp_profiler_around(char *(*look)(const char *name), char *text, unsigned size)
{
    static const struct {
        const char *variable, *tool;
    } signs[] = {{"LIKWID_MODE", "likwid-perfctr -m"},   {"LIKWID_FILEPATH", "likwid-perfctr -m"},
                 {"HPCRUN_EVENT_LIST", "hpcrun"},        {"SCOREP_METRIC_PAPI", "Score-P with PAPI"},
                 {"PAT_RT_PERFCTR", "Cray PAT"},         {"CUDA_INJECTION64_PATH", "a CUDA profiler"},
                 {"INTEL_LIBITTNOTIFY64", "Intel VTune"}};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (look(signs[i].variable)) {
            snprintf(text, size, "%s (%s is set)", signs[i].tool, signs[i].variable);
            break;
        }
    return text;
}

char *sp_batch_job(char *(*look)(const char *name), char *text, unsigned size)
{
    static const struct {
        const char *variable, *system;
    } signs[] = {{"SLURM_JOB_ID", "Slurm"}, {"PBS_JOBID", "PBS"},       {"LSB_JOBID", "LSF"},
                 {"OAR_JOB_ID", "OAR"},     {"COBALT_JOBID", "Cobalt"}, {"FLUX_JOB_ID", "Flux"}};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (look(signs[i].variable)) {
            snprintf(text, size, "%s job %.32s", signs[i].system, look(signs[i].variable));
            break;
        }
    return text;
}
