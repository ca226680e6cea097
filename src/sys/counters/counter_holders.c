#include "sys/counters/counter_holders.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/machine/sysfs.h"

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
