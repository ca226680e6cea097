#include <string.h>

#include "base/clock.h"
#include "cli/doctor/doctor.h"
#include "probes/helper_counter.h"
#include "probes/probe.h"
#include "sys/counters/counters.h"
#include "sys/counters/memory_pmu.h"

static const char lower_level[] = "sudo sysctl kernel.perf_event_paranoid=0\n"
                                  "echo kernel.perf_event_paranoid=0 | sudo tee /etc/sysctl.d/99-perf.conf";

/* Levels of perf_event_paranoid as the kernel has them; 3 and 4 are Debian's and Ubuntu's. */
static const char *level_means(int level)
{
    return level < 0    ? "everything is allowed"
           : level == 0 ? "own programs, and whole processors with their memory controllers"
           : level == 1 ? "own programs with their time in the kernel; memory controllers are not allowed"
           : level == 2 ? "own programs outside the kernel; memory controllers are not allowed"
                        : "nothing without a privilege";
}

static void paranoid(struct sp_doctor *d, const struct sp_permissions *p)
{
    static const char name[] = "paranoid level";
    if (p->paranoid == SP_LEVEL_UNKNOWN) {
        sp_find_out(
            d, sp_title_permissions, name, SP_NOT_TOLD, "",
            "perf_event_paranoid cannot be read: the kernel is without perf_event, or a sandbox hides it");
        return;
    }
    bool all = sp_may_count_processors(p), some = sp_may_count_threads(p);
    if (all && p->paranoid > 0)
        sp_find_out(d, sp_title_permissions, name, SP_WORKS, "",
                    "perf_event_paranoid is %d, which a privilege of this process overrules", p->paranoid);
    else
        sp_find_out(d, sp_title_permissions, name,
                    all    ? SP_WORKS
                    : some ? SP_LIMITED
                           : SP_IS_ABSENT,
                    all ? "" : lower_level, "perf_event_paranoid is %d: %s", p->paranoid,
                    level_means(p->paranoid));
}

static void capabilities(struct sp_doctor *d, const struct sp_permissions *p)
{
    static const char name[] = "capabilities";
    if (!p->caps_known) {
        sp_find_out(d, sp_title_permissions, name, SP_NOT_TOLD, "", "/proc/self/status does not tell them");
        return;
    }
    bool counts = p->perfmon || p->sys_admin;
    const char *list = p->perfmon && p->sys_rawio ? "CAP_PERFMON and CAP_SYS_RAWIO"
                       : p->perfmon               ? "CAP_PERFMON"
                       : p->sys_admin             ? "CAP_SYS_ADMIN, which includes CAP_PERFMON"
                       : p->sys_rawio             ? "CAP_SYS_RAWIO only"
                                                  : "neither CAP_PERFMON nor CAP_SYS_ADMIN";
    if (p->user_namespace && counts)
        sp_find_out(d, sp_title_permissions, name, SP_LIMITED,
                    "Start the container as root of the host, with --cap-add PERFMON.",
                    "%s, in a user namespace of its own (rootless container): the kernel does not count that",
                    list);
    else if (counts)
        sp_find_out(d, sp_title_permissions, name, SP_WORKS, "", "%s", list);
    else
        sp_find_out(d, sp_title_permissions, name, sp_may_count_processors(p) ? SP_WORKS : SP_LIMITED,
                    sp_may_count_processors(p)
                        ? ""
                        : "for spmodel alone: sudo setcap cap_perfmon=ep \"$(command -v spmodel)\"",
                    "%s: what the paranoid level allows", list);
}

static void sandbox(struct sp_doctor *d, const struct sp_permissions *p)
{
    static const char name[] = "sandbox";
    if (p->seccomp < 0)
        sp_find_out(d, sp_title_permissions, name, SP_NOT_TOLD, "",
                    "/proc/self/status does not tell of seccomp");
    else if (p->seccomp == 0)
        sp_find_out(d, sp_title_permissions, name, SP_WORKS, "", "no filter of system calls");
    else
        sp_find_out(
            d, sp_title_permissions, name, SP_LIMITED,
            "docker run --cap-add PERFMON ...\n"
            "or, before Docker 24: docker run --security-opt seccomp=unconfined ...",
            "a filter of system calls is active (seccomp); those of containers often forbid perf_event_open");
}

static void registers(struct sp_doctor *d, const struct sp_permissions *p)
{
    static const char name[] = "msr";
    if (!p->is_x86)
        sp_find_out(d, sp_title_permissions, name, SP_NOT_TOLD, "",
                    "/proc/cpuinfo names no x86 vendor: no model specific registers are expected");
    else if (!p->msr)
        sp_find_out(d, sp_title_permissions, name, SP_IS_ABSENT, "sudo modprobe msr",
                    "/dev/cpu/0/msr is not there%s; LIKWID needs it for direct access and for its daemon",
                    p->msr_module ? " although the module is loaded" : ": the module msr is not loaded");
    else if (sp_may_use_msr(p))
        sp_find_out(d, sp_title_permissions, name, SP_WORKS, "", "/dev/cpu/0/msr can be read and written");
    else if (strcmp(p->msr_allow_writes, "off") == 0)
        sp_find_out(d, sp_title_permissions, name, SP_LIMITED,
                    "echo on | sudo tee /sys/module/msr/parameters/allow_writes",
                    "the module msr refuses writes, so LIKWID cannot program counters");
    else
        sp_find_out(d, sp_title_permissions, name, SP_LIMITED, "",
                    "/dev/cpu/0/msr is there, %s for this user%s%s: LIKWID needs its access daemon or root",
                    p->msr_readable && p->msr_writable ? "readable and writable"
                    : p->msr_readable                  ? "readable but not writable"
                                                       : "closed",
                    p->sys_rawio && !p->user_namespace ? "" : ", and CAP_SYS_RAWIO is missing",
                    *p->lockdown && strcmp(p->lockdown, "none") != 0 ? ", and the kernel is locked down"
                                                                     : "");
}

static void access_daemon(struct sp_doctor *d, const struct sp_permissions *p)
{
    static const char name[] = "access daemon";
    char command[sizeof((struct sp_finding *)0)->remedy];
    if (!*p->access_daemon) {
        sp_find_out(d, sp_title_permissions, name, SP_IS_ABSENT, "sudo apt-get install likwid",
                    "likwid-accessD is neither beside the PATH nor where packages put it");
        return;
    }
    bool good = p->daemon_setuid && p->daemon_of_root;
    snprintf(command, sizeof command, "sudo chown root: %.200s && sudo chmod u+s %.200s", p->access_daemon,
             p->access_daemon);
    sp_find_out(d, sp_title_permissions, name, good ? SP_WORKS : SP_LIMITED, good ? "" : command, "%.300s%s",
                p->access_daemon,
                good                ? " runs as root for its users"
                : p->daemon_setuid  ? " is not root's: it gets no access"
                : p->daemon_of_root ? " is not setuid: it gets no access"
                                    : " is neither root's nor setuid: it gets no access");
}

static void watchdog(struct sp_doctor *d, const struct sp_permissions *p)
{
    static const char name[] = "NMI watchdog";
    if (p->nmi_watchdog < 0)
        sp_find_out(d, sp_title_permissions, name, SP_NOT_TOLD, "",
                    "/proc/sys/kernel/nmi_watchdog cannot be read");
    else
        sp_find_out(d, sp_title_permissions, name, p->nmi_watchdog ? SP_LIMITED : SP_WORKS,
                    p->nmi_watchdog ? "sudo sysctl kernel.nmi_watchdog=0" : "",
                    p->nmi_watchdog ? "on: it takes one counter of every core, usually that of cycles"
                                    : "off: it takes no counter");
}

void sp_doctor_permissions(struct sp_doctor *d)
{
    struct sp_permissions p;
    sp_permissions_read(d->root, d->look("PATH"), &p);
    paranoid(d, &p);
    capabilities(d, &p);
    sandbox(d, &p);
    if (*p.lockdown && strcmp(p.lockdown, "none") != 0)
        sp_find_out(d, sp_title_permissions, "lockdown", SP_LIMITED,
                    "Boot without lockdown= and, where that enforces it, without Secure Boot.",
                    "the kernel is locked down (%s): registers cannot be written%s", p.lockdown,
                    strcmp(p.lockdown, "confidentiality") == 0 ? ", and perf_event may be refused" : "");
    registers(d, &p);
    access_daemon(d, &p);
    watchdog(d, &p);
}

/* SOURCES OF BYTES: what the kernel offers, then each row of the probe table that counts, tried as
 * far as that is quick and changes nothing. */

/* LIKWID needs a second to find out that it may not count. */
#define TRY_S 1.1
/* The whole of doctor takes no longer than 2 s, even where both libraries hang. */
#define LOOK_S 0.4

static void kernel_side(struct sp_doctor *d)
{
    struct sp_counters c;
    struct sp_memory_pmu pmu;
    struct sp_error err;
    sp_counters_read("", &c);
    sp_find_out(d, sp_title_bytes, "core events", c.core ? SP_WORKS : SP_IS_ABSENT, sp_counters_remedy(&c),
                "%s%s%s%s", sp_counters_reason(&c), c.error ? " (" : "", c.error ? strerror(c.error) : "",
                c.error ? ")" : "");
    if (sp_memory_pmu_read("", &pmu, &err) == SP_OK)
        sp_find_out(d, sp_title_bytes, "memory events", SP_WORKS, "", "%s: %d unit%s on %d socket%s",
                    pmu.kind, pmu.n_units, pmu.n_units == 1 ? "" : "s", pmu.n_sockets,
                    pmu.n_sockets == 1 ? "" : "s");
    else
        sp_find_out(d, sp_title_bytes, "memory events", SP_IS_ABSENT, err.remedy, "%s", err.what);
    sp_memory_pmu_free(&pmu);
}

/* Libraries in the helper are opened, on one processor, where the machine counts at all. */
static enum sp_status try_probe(const struct sp_probe *probe, struct sp_error *err)
{
    static const char *const in_helper[] = {
#define LIBRARY_COUNTER(NAME, ...) #NAME,
#include "base/option/byte_counters.inc"
    };
    bool is_library = false;
    for (size_t i = 0; i < sizeof in_helper / sizeof *in_helper; i++)
        is_library |= strcmp(probe->name, in_helper[i]) == 0;
    if (!is_library)
        return probe->available(err);
    enum sp_status status = sp_helper_counter_look(probe->name, LOOK_S, err);
    return status == SP_OK ? sp_helper_counter_try(probe->name, TRY_S, err) : status;
}

/* A remedy stands once. */
static bool said_before(const struct sp_doctor *d, const char *remedy)
{
    for (int i = 0; i < d->n; i++)
        if (strcmp(d->finding[i].remedy, remedy) == 0)
            return true;
    return false;
}

static void one_probe(struct sp_doctor *d, const struct sp_probe *probe)
{
    struct sp_error err = {0};
    if (probe->absent)
        sp_find_out(d, sp_title_bytes, probe->name, SP_IS_ABSENT, "", "%s", probe->absent);
    else if (sp_markers_wanted())
        sp_find_out(d, sp_title_bytes, probe->name, SP_LIMITED,
                    "spmodel import takes its output (likwid-perfctr -O)",
                    "likwid-perfctr -m runs around this program and holds the counters");
    else if (try_probe(probe, &err) == SP_OK)
        sp_find_out(d, sp_title_bytes, probe->name, SP_WORKS, "",
                    "%s; known volumes decide at each use whether it is believed", probe->summary);
    else
        sp_find_out(d, sp_title_bytes, probe->name, SP_IS_ABSENT,
                    said_before(d, err.remedy) ? "" : err.remedy, "%s", err.what);
}

void sp_doctor_bytes(struct sp_doctor *d)
{
    kernel_side(d);
    for (int i = 0; sp_probe_table[i]; i++)
        if (sp_probe_table[i]->counts && strcmp(sp_probe_table[i]->name, "replay") != 0)
            one_probe(d, sp_probe_table[i]);
    sp_find_out(d, sp_title_bytes, "sim", SP_WORKS, "",
                "the cache simulation works everywhere; its numbers say \"simulated\"");
}

/* For listing the descriptors of all processes [s]. */
static const double longest_scan = 0.35;

enum { SHOWN = 5 };

/* "perf (pid 12, 8 descriptors, counts or samples), ..." */
static void list_holders(const struct sp_holders *h, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < h->n && i < SHOWN && used < size; i++) {
        const struct sp_holder *one = &h->holder[i];
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s (pid %d", i ? "; " : "", one->name, one->pid);
        if (one->n_descriptors && used < size)
            used += (size_t)snprintf(text + used, size - used, ", %d perf_event descriptor%s",
                                     one->n_descriptors, one->n_descriptors == 1 ? "" : "s");
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s)", one->what ? ": " : "",
                                     one->what ? one->what : "");
    }
    int more = h->n + h->n_more - SHOWN;
    if (more > 0 && used < size)
        snprintf(text + used, size - used, "; and %d more", more);
}

/* What could not be looked at. */
static void list_blind_spots(const struct sp_holders *h, char *text, size_t size)
{
    text[0] = '\0';
    int unseen = h->n_processes - h->n_looked;
    if (!h->listed)
        snprintf(text, size, "the time was over before all processes were listed");
    else if (h->cut)
        snprintf(text, size, "the time was over before the descriptors of %d of %d processes were looked at",
                 unseen, h->n_processes);
    else if (unseen > 0)
        snprintf(
            text, size,
            "the descriptors of %d of %d processes, of other users or of the system, are closed to this one",
            unseen, h->n_processes);
    size_t used = strlen(text);
    if (h->container || h->hidden)
        snprintf(text + used, size - used, "%s%s", used ? "; " : "",
                 h->container ? "a container sees no process of its host"
                              : "/proc hides other users' processes (hidepid)");
}

static void processes(struct sp_doctor *d, const struct sp_holders *h)
{
    static const char name[] = "processes";
    char list[420], blind[160], remedy[256] = "";
    list_holders(h, list, sizeof list);
    list_blind_spots(h, blind, sizeof blind);
    bool gpu = false, cpu = false, may_help = h->n_looked < h->n_processes && d->uid != 0 && !h->container;
    for (int i = 0; i < h->n; i++) {
        gpu |= h->holder[i].of_gpu;
        cpu |= !h->holder[i].of_gpu;
    }
    if (h->n > 0) {
        snprintf(remedy, sizeof remedy, "%s%s%s",
                 cpu ? "Ask for these to be stopped while you measure (sites often have a job option for it)."
                     : "",
                 cpu && gpu ? "\n" : "", gpu ? "dcgmi profiling --pause" : "");
        sp_find_out(d, sp_title_holders, name, SP_LIMITED, remedy, "%s%s%s", list,
                    *blind ? ". Not seen: " : "", blind);
    } else if (d->after.n == 0)
        sp_find_out(d, sp_title_holders, name, SP_NOT_TOLD, "", "/proc shows no process");
    else if (*blind)
        sp_find_out(d, sp_title_holders, name, SP_NOT_TOLD, may_help ? "sudo spmodel doctor" : "",
                    "no known monitor among %d processes. Not seen: %s", h->n_processes, blind);
    else
        sp_find_out(d, sp_title_holders, name, SP_WORKS, "",
                    "nobody: no known monitor and no perf_event descriptor in %d processes", h->n_processes);
}

static void lock(struct sp_doctor *d, const struct sp_holders *h)
{
    static const char name[] = "LIKWID lock";
    if (!h->lock)
        sp_find_out(d, sp_title_holders, name, SP_WORKS, "",
                    "no /var/run/likwid.lock: anybody may use LIKWID");
    else if (h->lock_uid == d->uid)
        sp_find_out(d, sp_title_holders, name, SP_WORKS, "",
                    "/var/run/likwid.lock is this user's: others wait");
    else
        sp_find_out(d, sp_title_holders, name, SP_LIMITED,
                    "sudo chown YOU /var/run/likwid.lock  (sites do so at the start of a job)",
                    "/var/run/likwid.lock belongs to user %u: LIKWID refuses everybody else", h->lock_uid);
}

static void profiler(struct sp_doctor *d)
{
    char around[96];
    sp_profiler_around(d->look, around, sizeof around);
    sp_find_out(d, sp_title_holders, "profiler", *around ? SP_LIMITED : SP_WORKS,
                *around ? "Run spmodel by itself: it counts by itself." : "", "%s%s",
                *around ? "this runs inside of " : "this runs inside of none that the environment names",
                around);
}

/* A node is shared when the batch system gave a part of it, or somebody else works on it. */
static void shared_node(struct sp_doctor *d, const struct sp_topology *t, const struct sp_holders *h)
{
    static const char name[] = "shared node";
    char job[64];
    sp_batch_job(d->look, job, sizeof job);
    bool part = t->n_allowed < t->n_cpus;
    char users[64] = "";
    if (h->n_users > 0)
        snprintf(users, sizeof users, "%d other user%s ha%s processes here", h->n_users,
                 h->n_users == 1 ? "" : "s", h->n_users == 1 ? "s" : "ve");
    if (part)
        sp_find_out(d, sp_title_holders, name, SP_LIMITED,
                    *job ? "sbatch --exclusive ...  (or the whole-node option of your batch system)"
                         : "Measure where the whole machine is yours.",
                    "%s%sonly %d of %d hardware threads are this process's: others may use the rest, and "
                    "memory controllers count everybody's traffic%s%s",
                    job, *job ? ": " : "", t->n_allowed, t->n_cpus, *users ? "; " : "", users);
    else if (*users)
        sp_find_out(d, sp_title_holders, name, SP_LIMITED, "", "%s%s%s: their traffic is counted with yours",
                    job, *job ? ": " : "", users);
    else if (h->container || h->hidden)
        sp_find_out(d, sp_title_holders, name, SP_NOT_TOLD, "",
                    "%s%sall hardware threads are allowed, but other users' processes cannot be seen", job,
                    *job ? ": " : "");
    else
        sp_find_out(d, sp_title_holders, name, SP_WORKS, "",
                    "%s%sall hardware threads are allowed; no other person has processes", job,
                    *job ? ": " : "");
}

void sp_doctor_holders(struct sp_doctor *d, const struct sp_topology *topology)
{
    struct sp_holders h;
    sp_holders_read(d->root, &d->after, d->self, d->uid, sp_now() + longest_scan, &h);
    processes(d, &h);
    lock(d, &h);
    profiler(d);
    shared_node(d, topology, &h);
}
