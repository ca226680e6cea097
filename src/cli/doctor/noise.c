#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cli/doctor/doctor.h"
#include "sys/machine/identity.h"
#include "sys/machine/pages.h"

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
