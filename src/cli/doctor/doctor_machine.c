#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/doctor/doctor.h"
#include "io/files/places.h"
#include "kernels/gpu_module.h"
#include "sp_config.h"
#include "sys/counters/counters.h"
#include "sys/machine/core_to_core.h"
#include "sys/machine/gpu_files.h"
#include "sys/machine/identity.h"
#include "sys/machine/pages.h"
#include "sys/machine/topology.h"

static bool one_domain(const struct sp_topology *t, int cpu, int other)
{
    int domain[2] = {-1, -2};
    for (int i = 0; i < t->n_cpus; i++) {
        if (t->cpu[i].os == cpu)
            domain[0] = t->cpu[i].domain;
        if (t->cpu[i].os == other)
            domain[1] = t->cpu[i].domain;
    }
    return domain[0] == domain[1];
}

/* Virtual processors wander between caches: a few ping-pongs in a tenth of a second show some of
 * it. The threads are pinned when this is called. */
static void look_for_wandering(struct sp_doctor *d, const struct sp_topology *t, const struct sp_binding *b)
{
    static const char name[] = "core to core";
    enum { LOOKS = 4 };
    static const struct sp_core_history none;
    double least = 0, most = 0, narrowest = INFINITY, widest = 0;
    int n_on_one_core = 0;
    for (int i = 0; i < LOOKS; i++) {
        static const struct timespec pause = {0, 20000000};
        const double latency = sp_core_to_core(b->n_threads, 0, 1);
        struct sp_core_look look = {0};
        sp_core_crowd(b->n_threads, b->n_threads, &look);
        n_on_one_core += !b->uses_smt && sp_core_classify(&none, look) == SP_CORE_SMT;
        narrowest = look.width > 0 ? fmin(narrowest, look.width) : narrowest;
        widest = fmax(widest, look.width);
        if (latency > 0) {
            least = least > 0 && least < latency ? least : latency;
            most = most > latency ? most : latency;
        }
        nanosleep(&pause, NULL);
    }
    if (least <= 0)
        sp_find_out(d, sp_title_processor, name, SP_NOT_TOLD, "",
                    "two threads did not run at the same time within the time given");
    else if (n_on_one_core > 0)
        sp_find_out(d, sp_title_processor, name, SP_LIMITED, "",
                    "the host ran two of these processors on one core in %d of %d looks: threads are up to "
                    "twice as slow then",
                    n_on_one_core, LOOKS);
    else if (sp_core_is_crowded(&(struct sp_core_look){.width = narrowest}, widest))
        sp_find_out(d, sp_title_processor, name, SP_LIMITED, "",
                    "the other hardware thread of a core was in use now and then: a thread beside it ran at "
                    "%.0f %% of its speed",
                    100 * narrowest / widest);
    else if (most > 2 * least)
        sp_find_out(
            d, sp_title_processor, name, SP_LIMITED, "",
            "a line goes from one core to another in %.0f to %.0f ns: the processors wander between caches",
            least * 1e9, most * 1e9);
    else if (one_domain(t, b->cpu[0], b->cpu[1]) &&
             sp_core_classify(&none, (struct sp_core_look){.latency_s = least}) == SP_CORE_SPLIT)
        sp_find_out(d, sp_title_processor, name, SP_LIMITED, "",
                    "a line goes from one core to another in at least %.0f ns: they share no cache now, "
                    "although the topology says that they do",
                    least * 1e9);
    else
        sp_find_out(d, sp_title_processor, name, SP_WORKS, "",
                    "a line goes from one core to another in at most %.0f ns: the processors stayed where "
                    "they were",
                    most * 1e9);
}

void sp_doctor_processor(struct sp_doctor *d, const struct sp_topology *t)
{
    static const char *const section = sp_title_processor;
    struct sp_cpuid cpu;
    sp_cpuid_read("", &cpu);
    sp_find_out(d, section, "cpu", SP_WORKS, "", "%s, %d of %d hardware threads allowed, %d core%s, %s",
                *cpu.model ? cpu.model : "unknown CPU", t->n_allowed, t->n_cpus, t->n_cores,
                t->n_cores == 1 ? "" : "s",
                cpu.avx512 ? "AVX-512"
                : cpu.avx2 ? "AVX2"
                           : "no AVX2: portable kernels");
    struct sp_binding b;
    struct sp_error err;
    if (sp_binding_plan(t, 0, SP_COMPACT, &b, &err) == SP_OK && sp_binding_apply(&b, &err) == SP_OK)
        sp_find_out(d, section, "pin", SP_WORKS, "", "threads can be pinned (tried with %d)", b.n_threads);
    else
        sp_find_out(d, section, "pin", SP_IS_ABSENT, err.remedy, "%s", err.what);
    if (b.pinned && cpu.hypervisor && b.n_threads > 1)
        look_for_wandering(d, t, &b);
    if (b.pinned)
        sp_binding_undo(&b, t);
    sp_binding_free(&b);
    struct sp_identity id;
    sp_identity_read("", t, &id);
    sp_find_out(d, section, "environment", SP_WORKS, "", "key %s", id.env_key);
}

void sp_doctor_memory(struct sp_doctor *d)
{
    static const char *const section = sp_title_memory;
    struct sp_meminfo memory;
    char a[32], b[32], policy[32], limit[96];
    if (sp_meminfo_read("", &memory, NULL) == SP_OK) {
        sp_meminfo_limit_text(&memory, limit, sizeof limit);
        sp_find_out(d, section, "memory", SP_WORKS, "", "%s available of %s%s%s",
                    sp_text_bytes(a, sizeof a, (double)memory.available_B),
                    sp_text_bytes(b, sizeof b, (double)memory.total_B), limit[0] ? ": " : "", limit);
    } else {
        sp_find_out(d, section, "memory", SP_NOT_TOLD, "", "/proc/meminfo does not tell");
    }
    sp_pages_policy("", policy, sizeof policy);
    size_t bytes = (size_t)4 << 20;
    char *p = sp_allocator_huge.alloc(NULL, bytes);
    struct sp_pages pages = {.huge_share = sp_value_none("no memory")};
    if (p) {
        memset(p, 1, bytes);
        sp_pages_read("", p, bytes, -1, &pages);
        sp_allocator_huge.free(NULL, p, bytes);
    }
    const char *word = *policy ? policy : "unknown";
    double share = sp_value_known(pages.huge_share) ? pages.huge_share.value : -1;
    static const char ask[] = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled";
    if (share < 0)
        sp_find_out(d, section, "huge pages", SP_NOT_TOLD, "",
                    "policy \"%s\"; what is achieved cannot be read back", word);
    else
        sp_find_out(d, section, "huge pages",
                    share > 0.9 ? SP_WORKS
                    : share > 0 ? SP_LIMITED
                                : SP_IS_ABSENT,
                    share > 0.9 ? "" : ask, "policy \"%s\", %.0f %% of a test array came in huge pages", word,
                    100 * share);
}

void sp_doctor_around(struct sp_doctor *d)
{
    static const char *const section = sp_title_around;
    char path[1024];
    bool there = sp_find_program("gnuplot", path, sizeof path) != NULL;
    sp_find_out(d, section, "gnuplot", there ? SP_WORKS : SP_LIMITED,
                there ? "" : "sudo apt-get install gnuplot-nox",
                there ? "%.200s" : "not found: plots are written as scripts", path);
    sp_find_out(d, section, "libarchive", SP_HAVE_LIBARCHIVE ? SP_WORKS : SP_IS_ABSENT, "",
                SP_HAVE_LIBARCHIVE ? "reads .gz .xz .zst .bz2 and .tar.gz"
                                   : "not in this build: unpack matrices first");
    sp_find_out(d, section, "hwloc", SP_HAVE_HWLOC ? SP_WORKS : SP_LIMITED, "",
                SP_HAVE_HWLOC ? "describes the topology"
                              : "not in this build: the topology comes from sysfs");
    struct sp_machine_paths paths;
    sp_machine_paths_find(&paths);
    /* The directory need not exist yet: its nearest existing parent must be writable. */
    char part[1024];
    snprintf(part, sizeof part, "%s", paths.cache ? paths.cache : "");
    for (char *slash; access(part, F_OK) != 0 && (slash = strrchr(part, '/')) && slash != part;)
        *slash = '\0';
    bool writable = paths.cache && access(part, W_OK) == 0;
    sp_find_out(d, section, "cache", writable ? SP_WORKS : SP_LIMITED,
                writable ? "" : "export XDG_CACHE_HOME=DIRECTORY",
                writable ? "%.200s" : "%.200s cannot be written: ceilings are measured every time",
                paths.cache ? paths.cache : "no home directory, so nothing");
}

static void opencl_kernels(struct sp_doctor *d)
{
    static const char name[] = "OpenCL";
    const struct sp_gpu_module *module;
    struct sp_gpu_device g;
    struct sp_error err;
    if (sp_gpu_module_open(SP_GPU_OPENCL, &module, &err) != SP_OK || module->describe(&g, &err) != SP_OK) {
        sp_find_out(d, sp_title_gpu, name, SP_IS_ABSENT, "", "%s: %s", err.what, err.remedy);
        return;
    }
    sp_find_out(d, sp_title_gpu, name, SP_WORKS, "",
                "they would run on the %s%s: %s, %d compute units, %.1f GB, sub-groups %s", g.name,
                g.is_cpu ? " (a CPU)" : "", g.interface, g.n_cores, (double)g.memory_B / 1e9,
                g.has_sub_groups ? "that exchange values" : "none");
}

/* What files do not tell: whether the modules of GPU kernels open and find a device. */
void sp_doctor_gpu_kernels(struct sp_doctor *d)
{
    static const char name[] = "kernels";
    opencl_kernels(d);
    const struct sp_gpu_module *module;
    struct sp_gpu_device g;
    struct sp_error err;
    if (sp_gpu_module_open(SP_GPU_CUDA, &module, &err) != SP_OK || module->describe(&g, &err) != SP_OK) {
        sp_find_out(d, sp_title_gpu, name, SP_IS_ABSENT, "",
                    "%s: GPUs are modelled (spmodel model --machine)", err.what);
        return;
    }
    sp_find_out(d, sp_title_gpu, name, SP_WORKS, "",
                "they would run on the %s: compute capability %d.%d, %d SMs, %.1f of %.1f GB free", g.name,
                g.major, g.minor, g.n_cores, (double)g.free_B / 1e9, (double)g.memory_B / 1e9);
}

static void build(struct sp_doctor *d)
{
    static const char remedy[] = "install the CUDA toolkit and build again: ./bootstrap";
    if (!SP_HAVE_CUDA)
        sp_find_out(d, sp_title_gpu, "CUDA", SP_IS_ABSENT, remedy, "not in this build");
    else
        sp_find_out(d, sp_title_gpu, "CUDA", SP_WORKS, "", "in this build, with CUDA " SP_CUDA_VERSION);
    if (!SP_HAVE_CUPTI)
        sp_find_out(d, sp_title_gpu, "CUPTI", SP_IS_ABSENT, SP_HAVE_CUDA ? remedy : "",
                    "not in this build: a GPU's counters cannot be read");
    else
        sp_find_out(d, sp_title_gpu, "CUPTI", SP_WORKS, "",
                    "in this build; the library is opened when counters are read");
}

static void driver(struct sp_doctor *d, const struct sp_gpu_files *g)
{
    static const char name[] = "driver";
    if (g->wsl)
        sp_find_out(d, sp_title_gpu, name, SP_LIMITED, "",
                    "Windows Subsystem for Linux: the driver is the one of Windows, and no file tells of it");
    else if (*g->driver)
        sp_find_out(d, sp_title_gpu, name, SP_WORKS, "", "NVIDIA %s%s, %d GPU%s%s%s", g->driver,
                    g->open_driver ? " (open)" : "", g->n_gpus, g->n_gpus == 1 ? "" : "s",
                    *g->model ? ": " : "", g->model);
    else if (g->n_on_bus > 0)
        sp_find_out(d, sp_title_gpu, name, SP_IS_ABSENT,
                    strncmp(g->bus_driver, "vfio", 4) == 0 ? "" : "sudo apt-get install nvidia-driver",
                    "%d NVIDIA GPU%s on the bus, %s%s", g->n_on_bus, g->n_on_bus == 1 ? "" : "s",
                    *g->bus_driver ? "held by the driver " : "without a driver", g->bus_driver);
    else
        sp_find_out(d, sp_title_gpu, name, SP_IS_ABSENT, "",
                    "no NVIDIA driver and no NVIDIA GPU on the bus%s",
                    g->amd ? "; an AMD GPU is there (/dev/kfd), which this version cannot use" : "");
}

static void nodes(struct sp_doctor *d, const struct sp_gpu_files *g)
{
    static const char name[] = "device nodes";
    bool good = g->n_open > 0 && g->control && g->uvm;
    if (g->n_nodes == 0)
        sp_find_out(d, sp_title_gpu, name, SP_IS_ABSENT,
                    "sudo nvidia-modprobe -c 0 -u\n"
                    "in containers: docker run --gpus all ..., in batch jobs: sbatch --gres=gpu:1 ...",
                    "no /dev/nvidia0: the driver is there, but this process was given no GPU");
    else
        sp_find_out(d, sp_title_gpu, name, good ? SP_WORKS : SP_LIMITED,
                    good                                   ? ""
                    : g->n_open < g->n_nodes && !g->n_open ? "sudo usermod -aG video,render YOU"
                                                           : "sudo nvidia-modprobe -c 0 -u",
                    "%d of %d /dev/nvidiaN can be opened%s%s", g->n_open, g->n_nodes,
                    g->control ? "" : "; /dev/nvidiactl cannot", g->uvm ? "" : "; /dev/nvidia-uvm cannot");
}

static void profiling(struct sp_doctor *d, const struct sp_gpu_files *g)
{
    static const char name[] = "profiling";
    struct sp_permissions p;
    sp_permissions_read(d->root, NULL, &p);
    bool admin = p.sys_admin && !p.user_namespace;
    if (g->vgpu)
        sp_find_out(d, sp_title_gpu, name, SP_LIMITED, sp_gpu_open_vgpu,
                    "a virtual GPU (%s): its counters are closed unless the host opens them", g->model);
    else if (g->wsl)
        sp_find_out(d, sp_title_gpu, name, SP_NOT_TOLD, sp_gpu_open_wsl,
                    "the Windows driver decides who may profile");
    else if (g->profiling_admin < 0)
        sp_find_out(d, sp_title_gpu, name, SP_NOT_TOLD, "",
                    "/proc/driver/nvidia/params does not tell who may profile");
    else if (g->profiling_admin == 0 || admin)
        sp_find_out(d, sp_title_gpu, name, SP_WORKS, "", "%s",
                    g->profiling_admin == 0
                        ? "every user may read the GPU's counters"
                        : "only administrators may read the GPU's counters; this process is one");
    else
        sp_find_out(d, sp_title_gpu, name, SP_LIMITED, sp_gpu_open_counters,
                    "only administrators may read the GPU's counters (RmProfilingAdminOnly is 1); kernels "
                    "run and can be timed");
}

void sp_doctor_gpu(struct sp_doctor *d)
{
    struct sp_gpu_files g;
    sp_gpu_files_read(d->root, &g);
    build(d);
    driver(d, &g);
    if (!*g.driver && !g.wsl)
        return;
    if (!g.wsl)
        nodes(d, &g);
    profiling(d, &g);
    if (g.n_mig > 0)
        sp_find_out(
            d, sp_title_gpu, "MIG", SP_LIMITED, sp_gpu_leave_mig,
            "%d GPU instance%s: a slice has its share of memory bandwidth, and its counters can be closed",
            g.n_mig, g.n_mig == 1 ? "" : "s");
}

static const char *const section = sp_title_noise;

static void governor(struct sp_doctor *d, const struct sp_noise *z)
{
    static const char name[] = "governor", type[] = "sudo cpupower frequency-set -g performance";
    bool steady = strcmp(z->governor, "performance") == 0;
    char driver[48] = "", preference[48] = "";
    if (*z->driver)
        snprintf(driver, sizeof driver, " (%s)", z->driver);
    if (*z->preference)
        snprintf(preference, sizeof preference, ", preference %s", z->preference);
    if (!*z->governor)
        sp_find_out(d, section, name, SP_NOT_TOLD, "", "the system does not tell its frequency policy");
    else if (z->governor_mixed)
        sp_find_out(d, section, name, SP_LIMITED, type, "processors differ: the first has %s%s", z->governor,
                    driver);
    else if (steady || (z->min_Hz > 0 && z->min_Hz >= z->max_Hz))
        sp_find_out(d, section, name, SP_WORKS, "", "%s%s", z->governor, driver);
    else
        sp_find_out(d, section, name, SP_LIMITED, type,
                    "%s%s%s: the clock follows the load, so short runs and first samples are slower",
                    z->governor, driver, preference);
}

static void clock_limits(struct sp_doctor *d, const struct sp_noise *z)
{
    static const char name[] = "clock";
    if (z->max_Hz <= 0)
        return; /* the governor said that nothing is told */
    if (z->min_Hz >= z->max_Hz)
        sp_find_out(d, section, name, SP_WORKS, "", "fixed at %.2f GHz", z->max_Hz * 1e-9);
    else if (z->highest_Hz > z->max_Hz * 1.001)
        sp_find_out(d, section, name, SP_LIMITED, "sudo cpupower frequency-set -u MAXIMUM",
                    "capped at %.2f of %.2f GHz: compare only with runs under the same cap", z->max_Hz * 1e-9,
                    z->highest_Hz * 1e-9);
    else
        sp_find_out(d, section, name, SP_WORKS, "", "free between %.2f and %.2f GHz", z->min_Hz * 1e-9,
                    z->max_Hz * 1e-9);
}

static void turbo(struct sp_doctor *d, const struct sp_noise *z)
{
    static const char name[] = "turbo";
    char command[128] = "";
    if (z->turbo > 0)
        snprintf(command, sizeof command, "echo %d | sudo tee %s", z->turbo_inverted, z->turbo_path);
    if (z->turbo < 0)
        sp_find_out(d, section, name, SP_NOT_TOLD, "", "the system does not tell");
    else
        sp_find_out(d, section, name, z->turbo ? SP_LIMITED : SP_WORKS, command, "%s",
                    z->turbo ? "on: the clock depends on heat and on how many cores work; scaling curves bend"
                             : "off");
}

static void supply_and_heat(struct sp_doctor *d, const struct sp_noise *z)
{
    if (z->on_mains >= 0)
        sp_find_out(d, section, "supply", z->on_mains ? SP_WORKS : SP_LIMITED,
                    z->on_mains ? "" : "Plug it in.",
                    z->on_mains ? "mains" : "battery: the clock is held down to save it");
    if (z->throttled < 0)
        return;
    /* Servers stay up for years: what counts is how often, not that it ever happened. */
    double hours = z->uptime_s > 0 ? z->uptime_s / 3600 : 1;
    bool often = (double)z->throttled / hours > 1;
    sp_find_out(d, section, "heat", often ? SP_LIMITED : SP_WORKS,
                often ? "Look after cooling, or fix a lower clock." : "",
                "held the clock down %" PRId64 " times since boot%s", z->throttled,
                often ? ": long runs slow down" : "");
}

/* Siblings outside of the cpuset belong to somebody else. */
static int foreign_siblings(const struct sp_topology *t)
{
    int n = 0;
    for (int i = 0; i < t->n_cpus; i++)
        for (int k = 0; k < t->n_cpus && t->cpu[i].allowed; k++)
            if (t->cpu[k].core == t->cpu[i].core && !t->cpu[k].allowed) {
                n++;
                break;
            }
    return n;
}

static void hardware_threads(struct sp_doctor *d, const struct sp_noise *z, const struct sp_topology *t)
{
    static const char name[] = "SMT";
    int foreign = z->smt == 1 ? foreign_siblings(t) : 0;
    if (foreign > 0)
        sp_find_out(
            d, section, name, SP_LIMITED, "sbatch --hint=nomultithread ... or --exclusive",
            "on, and %d of your hardware threads share a core with somebody else's: half the core may go",
            foreign);
    else if (z->smt == 1)
        sp_find_out(d, section, name, SP_WORKS, "",
                    "on: spmodel takes one hardware thread a core while there are cores");
    else if (z->smt == 0)
        sp_find_out(d, section, name, SP_WORKS, "", "off%s%s%s", *z->smt_control ? " (" : "", z->smt_control,
                    *z->smt_control ? ")" : "");
    else
        sp_find_out(d, section, name, SP_NOT_TOLD, "", "the system does not tell");
}

static void hypervisor(struct sp_doctor *d)
{
    struct sp_cpuid cpu;
    sp_cpuid_read(d->root, &cpu);
    sp_find_out(d, section, "hypervisor", cpu.hypervisor ? SP_LIMITED : SP_WORKS,
                cpu.hypervisor ? "The host pins virtual processors: virsh vcpupin DOMAIN VCPU CPU" : "",
                cpu.hypervisor ? "virtual machine%s%s%s: the topology is a claim, and processors may wander "
                                 "between caches or be taken away"
                               : "none%s%s%s",
                *cpu.hypervisor_name ? " (" : "", cpu.hypervisor_name, *cpu.hypervisor_name ? ")" : "");
}

static void steal(struct sp_doctor *d)
{
    static const char name[] = "steal time";
    const struct sp_cpu_times *a = &d->times_before, *b = &d->times_after;
    if (!d->times_known || b->total <= 0) {
        sp_find_out(d, section, name, SP_NOT_TOLD, "", "/proc/stat does not tell");
        return;
    }
    double boot = 100 * (double)b->stolen / (double)b->total;
    double now =
        b->total > a->total ? 100 * (double)(b->stolen - a->stolen) / (double)(b->total - a->total) : 0;
    /* One tick of so short an interval is 2 % of two processors: a single one says nothing. */
    bool much = boot >= 0.5 || (now >= 0.5 && b->stolen - a->stolen >= 3);
    sp_find_out(d, section, name, much ? SP_LIMITED : SP_WORKS,
                much ? "Ask for dedicated processors of the host, or measure on a machine of its own." : "",
                "%.3g %% of the processors' time went to other guests since boot, %.3g %% just now%s", boot,
                now, much ? ": samples are interrupted" : "");
}

static void load(struct sp_doctor *d, const struct sp_noise *z)
{
    static const char name[] = "load";
    char averages[96] = "", list[160] = "";
    if (z->load[0] >= 0)
        snprintf(averages, sizeof averages, "; load averages %.2f %.2f %.2f on %d processors", z->load[0],
                 z->load[1], z->load[2], z->n_online);
    const struct sp_cpu_times *a = &d->times_before, *b = &d->times_after;
    if (!d->times_known || b->total <= a->total || z->n_online <= 0) {
        bool high = z->load[0] > 0.25 * z->n_online && z->load[0] > 0.5;
        sp_find_out(d, section, name,
                    z->load[0] < 0 ? SP_NOT_TOLD
                    : high         ? SP_LIMITED
                                   : SP_WORKS,
                    "", "who computes now cannot be told%s", averages);
        return;
    }
    struct sp_busy busy[4];
    int n = sp_processes_busy(&d->before, &d->after, d->self, 0.1, busy, 4);
    for (int i = 0; i < n; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s %.0f %%", i ? ", " : ": ", busy[i].name,
                 100 * busy[i].share);
    }
    double passed = (double)(b->total - a->total);
    double others = (double)z->n_online * (1 - (double)(b->idle - a->idle) / passed);
    bool much = others > 0.1 || n > 0;
    sp_find_out(
        d, section, name, much ? SP_LIMITED : SP_WORKS,
        much ? "Wait for them, or stop them: samples share caches and memory with whatever runs." : "",
        "others use %.2f of %d processors now%s%s", others > 0 ? others : 0.0, z->n_online, list, averages);
}

static void balancing(struct sp_doctor *d, const struct sp_noise *z, const struct sp_topology *t)
{
    static const char name[] = "NUMA balancing";
    if (z->numa_balancing < 0)
        sp_find_out(d, section, name, SP_NOT_TOLD, "", "/proc/sys/kernel/numa_balancing cannot be read");
    else if (z->numa_balancing == 0 || t->n_numa < 2)
        sp_find_out(d, section, name, SP_WORKS, "", "%s",
                    z->numa_balancing ? "on, without effect: there is one memory node"
                                      : "off: pages stay where they are");
    else
        sp_find_out(d, section, name, SP_LIMITED, "sudo sysctl kernel.numa_balancing=0",
                    "on: the kernel unmaps and moves pages between %d memory nodes while one measures",
                    t->n_numa);
}

static void huge_pages(struct sp_doctor *d, const struct sp_noise *z)
{
    if (!*z->huge_enabled)
        sp_find_out(d, section, "huge pages", SP_NOT_TOLD, "", "the system does not tell its policy");
    else if (strcmp(z->huge_enabled, "never") == 0)
        sp_find_out(d, section, "huge pages", SP_LIMITED,
                    "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
                    "never: gathers from large vectors wait for address translation");
    else
        sp_find_out(d, section, "huge pages", SP_WORKS, "", "%s: arrays get them", z->huge_enabled);
    bool never = strcmp(z->huge_defrag, "never") == 0;
    if (*z->huge_defrag)
        sp_find_out(d, section, "defrag", never ? SP_LIMITED : SP_WORKS,
                    never ? "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/defrag" : "", "%s%s",
                    z->huge_defrag,
                    never ? ": on a machine that has run long, huge pages differ from run to run"
                          : ": memory is compacted for arrays that ask, at their first touch");
}

static void swap(struct sp_doctor *d, const struct sp_noise *z, const struct sp_meminfo *memory)
{
    static const char name[] = "swap";
    char used[32], total[32];
    if (z->swap_used_B < 0)
        sp_find_out(d, section, name, SP_NOT_TOLD, "", "/proc/meminfo does not tell");
    else {
        bool much = (double)z->swap_used_B > 0.01 * (double)memory->total_B && memory->total_B > 0;
        sp_find_out(d, section, name, much ? SP_LIMITED : SP_WORKS,
                    much ? "sudo swapoff -a && sudo swapon -a" : "",
                    z->swap_total_B == 0 ? "none" : "%s of %s in use%s",
                    sp_text_bytes(used, sizeof used, (double)z->swap_used_B),
                    sp_text_bytes(total, sizeof total, (double)z->swap_total_B),
                    much ? ": pages may come back from disk while one measures" : "");
    }
}

static void limits(struct sp_doctor *d, const struct sp_noise *z, const struct sp_topology *t)
{
    if (t->n_allowed < t->n_cpus)
        sp_find_out(d, section, "cpuset", SP_LIMITED, "",
                    "%d of %d hardware threads (%d of %d cores): ceilings are those of this part",
                    t->n_allowed, t->n_cpus, t->n_allowed_cores, t->n_cores);
    else if (z->n_allowed < 0)
        sp_find_out(d, section, "cpuset", SP_NOT_TOLD, "",
                    "/proc/self/status does not tell the allowed processors");
    else
        sp_find_out(d, section, "cpuset", SP_WORKS, "", "all %d hardware threads", t->n_cpus);
    struct sp_cgroup group;
    sp_cgroup_read(d->root, &group);
    char stops[160] = "";
    if (group.throttled > 0)
        snprintf(stops, sizeof stops, "; stopped in %" PRId64 " of %" PRId64 " periods so far, %.3g s in all",
                 group.throttled, group.periods, group.throttled_s);
    if (group.cpu_limited) {
        bool tight = group.cpu_quota < t->n_allowed_cores || group.throttled > 0;
        sp_find_out(
            d, section, "cpu quota", tight ? SP_LIMITED : SP_WORKS,
            tight
                ? "docker run --cpuset-cpus 0-3 ...  instead of --cpus; Kubernetes: CPU manager policy static"
                : "",
            "a control group grants %.2f processors' worth of time%s%s", group.cpu_quota,
            tight ? ": threads beyond that are stopped in the middle of a sample" : "", stops);
    } else
        sp_find_out(d, section, "cpu quota", SP_WORKS, "", "no limit%s", stops);
    char limit[32], left[32];
    if (group.memory_limited)
        sp_find_out(d, section, "memory limit", SP_LIMITED, "",
                    "a control group grants %s, %s are left: larger matrices end the program",
                    sp_text_bytes(limit, sizeof limit, (double)group.memory_limit_B),
                    sp_text_bytes(left, sizeof left, (double)group.memory_free_B));
    else
        sp_find_out(d, section, "memory limit", SP_WORKS, "", "none");
}

void sp_doctor_noise(struct sp_doctor *d, const struct sp_topology *topology)
{
    struct sp_noise z;
    struct sp_meminfo memory;
    sp_noise_read(d->root, &z);
    sp_meminfo_read(d->root, &memory, NULL);
    load(d, &z);
    limits(d, &z, topology);
    hypervisor(d);
    steal(d);
    governor(d, &z);
    clock_limits(d, &z);
    turbo(d, &z);
    supply_and_heat(d, &z);
    hardware_threads(d, &z, topology);
    balancing(d, &z, topology);
    huge_pages(d, &z);
    swap(d, &z, &memory);
}
