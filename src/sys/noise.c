#include "sys/noise.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/machine/sysfs.h"

enum { MAX_CPUS = 4096 };

/* The word in brackets of "always [madvise] never". */
static void chosen(const char *root, const char *path, char *word, size_t size)
{
    char line[128];
    word[0] = '\0';
    if (!sp_sysfs_text(root, line, sizeof line, "%s", path))
        return;
    const char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    if (close)
        snprintf(word, size, "%.*s", (int)(close - open - 1), open + 1);
}

static int flag(const char *root, const char *path)
{
    int64_t value;
    return sp_sysfs_count(root, &value, "%s", path) ? (int)value : -1;
}

static double kHz(const char *root, const char *name)
{
    int64_t value;
    return sp_sysfs_count(root, &value, "/sys/devices/system/cpu/cpu0/cpufreq/%s", name) ? 1e3 * (double)value
                                                                                         : 0;
}

static void add_one(void *n, int cpu)
{
    (void)cpu;
    ++*(int *)n;
}

static int count_list(const char *text)
{
    int n = 0;
    return sp_sysfs_list(text, add_one, &n) && n > 0 ? n : -1;
}

static void read_clock(const char *root, struct sp_noise *out)
{
    static const char base[] = "/sys/devices/system/cpu/cpu0/cpufreq";
    sp_sysfs_text(root, out->governor, sizeof out->governor, "%s/scaling_governor", base);
    sp_sysfs_text(root, out->driver, sizeof out->driver, "%s/scaling_driver", base);
    sp_sysfs_text(root, out->preference, sizeof out->preference, "%s/energy_performance_preference", base);
    out->min_Hz = kHz(root, "scaling_min_freq");
    out->max_Hz = kHz(root, "scaling_max_freq");
    out->highest_Hz = kHz(root, "cpuinfo_max_freq");
    char other[24];
    for (int cpu = 1; *out->governor && cpu < MAX_CPUS && !out->governor_mixed; cpu++) {
        if (!sp_sysfs_text(root, other, sizeof other,
                           "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu))
            break;
        out->governor_mixed = strcmp(other, out->governor) != 0;
    }
    static const struct {
        const char *path;
        bool inverted;
    } switches[] = {{"/sys/devices/system/cpu/intel_pstate/no_turbo", true},
                    {"/sys/devices/system/cpu/cpufreq/boost", false}};
    out->turbo = -1;
    for (int i = 0; i < 2 && out->turbo < 0; i++) {
        int value = flag(root, switches[i].path);
        if (value < 0)
            continue;
        out->turbo = (value != 0) != switches[i].inverted;
        out->turbo_path = switches[i].path;
        out->turbo_inverted = switches[i].inverted;
    }
    out->throttled = -1;
    for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
        int64_t n;
        if (!sp_sysfs_count(root, &n, "/sys/devices/system/cpu/cpu%d/thermal_throttle/package_throttle_count",
                            cpu))
            break;
        out->throttled = n > out->throttled ? n : out->throttled;
    }
    char uptime[64], *end;
    out->uptime_s = -1;
    if (sp_sysfs_text(root, uptime, sizeof uptime, "/proc/uptime")) {
        double seconds = strtod(uptime, &end);
        out->uptime_s = end != uptime ? seconds : -1;
    }
}

/* Laptops: is any supply of the type "Mains" online? */
static void read_supply(const char *root, struct sp_noise *out)
{
    char path[512], type[24];
    out->on_mains = -1;
    snprintf(path, sizeof path, "%s/sys/class/power_supply", root);
    DIR *directory = opendir(path);
    for (struct dirent *e; directory && (e = readdir(directory));) {
        int64_t online;
        if (e->d_name[0] != '.' &&
            sp_sysfs_text(root, type, sizeof type, "/sys/class/power_supply/%s/type", e->d_name) &&
            strcmp(type, "Mains") == 0 &&
            sp_sysfs_count(root, &online, "/sys/class/power_supply/%s/online", e->d_name))
            out->on_mains = out->on_mains > 0 || online != 0;
    }
    if (directory)
        closedir(directory);
}

static int64_t kilobytes(const char *text, const char *key)
{
    const char *at = text ? strstr(text, key) : NULL;
    return at ? strtoll(at + strlen(key), NULL, 10) * 1024 : -1;
}

void sp_noise_read(const char *root, struct sp_noise *out)
{
    memset(out, 0, sizeof *out);
    root = root ? root : "";
    read_clock(root, out);
    read_supply(root, out);
    out->smt = flag(root, "/sys/devices/system/cpu/smt/active");
    sp_sysfs_text(root, out->smt_control, sizeof out->smt_control, "/sys/devices/system/cpu/smt/control");
    out->numa_balancing = flag(root, "/proc/sys/kernel/numa_balancing");
    chosen(root, "/sys/kernel/mm/transparent_hugepage/enabled", out->huge_enabled, sizeof out->huge_enabled);
    chosen(root, "/sys/kernel/mm/transparent_hugepage/defrag", out->huge_defrag, sizeof out->huge_defrag);
    char *memory = sp_sysfs_file(root, "/proc/meminfo");
    out->swap_total_B = kilobytes(memory, "SwapTotal:");
    int64_t unused = kilobytes(memory, "SwapFree:");
    out->swap_used_B = out->swap_total_B >= 0 && unused >= 0 ? out->swap_total_B - unused : -1;
    free(memory);
    char text[4096];
    out->load[0] = out->load[1] = out->load[2] = out->running = -1;
    if (sp_sysfs_text(root, text, sizeof text, "/proc/loadavg") &&
        sscanf(text, "%lf %lf %lf %d/", &out->load[0], &out->load[1], &out->load[2], &out->running) != 4)
        out->load[0] = out->load[1] = out->load[2] = out->running = -1;
    out->n_online = out->n_allowed = -1;
    if (sp_sysfs_text(root, text, sizeof text, "/sys/devices/system/cpu/online"))
        out->n_online = count_list(text);
    char *status = sp_sysfs_file(root, "/proc/self/status");
    char *list = status ? strstr(status, "Cpus_allowed_list:") : NULL;
    if (list) {
        list += strlen("Cpus_allowed_list:");
        list += strspn(list, " \t");
        list[strcspn(list, "\n")] = '\0';
        out->n_allowed = count_list(list);
    }
    free(status);
}

bool sp_cpu_times_read(const char *root, struct sp_cpu_times *out)
{
    memset(out, 0, sizeof *out);
    char text[256];
    int64_t t[8] = {0}; /* user nice system idle iowait irq softirq steal; guests are inside user */
    if (!sp_sysfs_text(root, text, sizeof text, "/proc/stat") ||
        sscanf(text,
               "cpu %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %" SCNd64,
               &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) != 8)
        return false;
    for (int i = 0; i < 8; i++)
        out->total += t[i];
    out->idle = t[3] + t[4];
    out->stolen = t[7];
    return true;
}

/* As of ceilings and sentinels: what is lost below that is less than neighbours take. */
static const double harmless = 0.05;

/* Time of the calling thread in a processor's queue [s], by the kernel's scheduler. */
static double queued(void)
{
    char text[96];
    double on_ns, queued_ns;
    const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    const ssize_t n = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = '\0';
    return sscanf(text, "%lf %lf", &on_ns, &queued_ns) == 2 ? 1e-9 * queued_ns : -1;
}

static void look(struct sp_thread_clock *clock)
{
    struct rusage usage;
    struct timespec processor;
    const double queued_s = queued();
    getrusage(RUSAGE_THREAD, &usage);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);
    *clock =
        (struct sp_thread_clock){.wall_s = sp_now(),
                                 .processor_s = (double)processor.tv_sec + 1e-9 * (double)processor.tv_nsec,
                                 .queued_s = queued_s,
                                 .involuntary = usage.ru_nivcsw,
                                 .voluntary = usage.ru_nvcsw,
                                 .cpu = sched_getcpu()};
}

void sp_thread_clocks(int n_threads, struct sp_thread_clock *clock)
{
    for (int t = 0; t < n_threads; t++)
        clock[t] = (struct sp_thread_clock){.cpu = -1};
    if (n_threads == 1) {
        look(clock);
        return;
    }
#pragma omp parallel num_threads(n_threads)
    look(&clock[omp_get_thread_num()]);
}

struct sp_disturbance sp_disturbance_between(const struct sp_thread_clock *before,
                                             const struct sp_thread_clock *after, int n_threads)
{
    struct sp_disturbance d = {0};
    for (int t = 0; t < n_threads; t++) {
        const struct sp_thread_clock *b = &before[t], *a = &after[t];
        const double wall = a->wall_s - b->wall_s, ran = a->processor_s - b->processor_s;
        const int64_t taken_off = a->involuntary - b->involuntary;
        d.taken_off += taken_off;
        d.n_moved += a->cpu != b->cpu;
        if (wall > 0 && (taken_off > 0 || a->voluntary == b->voluntary))
            d.lost_share = fmax(d.lost_share, (wall - ran) / wall);
        if (wall > 0 && b->queued_s >= 0)
            d.lost_share = fmax(d.lost_share, (a->queued_s - b->queued_s) / wall);
    }
    d.disturbed = d.n_moved > 0 || d.lost_share > harmless;
    return d;
}

bool sp_disturbance_is_ignored(void)
{
    const char *assumed = getenv("SPMODEL_ASSUME");
    return assumed && strcmp(assumed, "clean") == 0;
}

const char *sp_faults(void)
{
    const char *text = getenv("SPMODEL_FAULT");
    return text ? text : "";
}

bool sp_fault(const char *name, double *level)
{
    const size_t n = strlen(name);
    for (const char *p = sp_faults(); *p;) {
        const size_t length = strcspn(p, ",");
        if (strncmp(p, name, n) == 0 && (length == n || p[n] == ':')) {
            const double x = length > n ? atof(p + n + 1) : 0;
            if (level)
                *level = x > 0 ? x : 1;
            return true;
        }
        p += length + (p[length] == ',');
    }
    return false;
}

enum sp_status sp_fault_check(struct sp_error *err)
{
    static const char *const known[] = {"pages", "straggler", "order"};
    for (const char *p = sp_faults(); *p;) {
        const size_t length = strcspn(p, ","), name = strcspn(p, ",:");
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found = found || (strlen(known[i]) == name && strncmp(p, known[i], name) == 0);
        if (!found)
            return sp_fail(err, SP_USAGE, "faults are pages, straggler:0.2 and order",
                           "SPMODEL_FAULT names '%.*s', which is no fault", (int)length, p);
        p += length + (p[length] == ',');
    }
    return SP_OK;
}
