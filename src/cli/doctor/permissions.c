#include <string.h>

#include "cli/doctor/doctor.h"
#include "sys/counters/permissions.h"

static const char lower_level[] = "sudo sysctl kernel.perf_event_paranoid=0\n"
                                  "echo kernel.perf_event_paranoid=0 | sudo tee /etc/sysctl.d/99-perf.conf";

/* Levels as the kernel's documentation of perf_event_paranoid has them; 3 and 4 are Debian's and Ubuntu's. */
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
        sp_find_out(d, sp_title_permissions, name, SP_LIMITED,
                    "docker run --cap-add PERFMON ...\n"
                    "or, before Docker 24: docker run --security-opt seccomp=unconfined ...",
                    "a filter of system calls is active (seccomp); those of containers often forbid "
                    "perf_event_open");
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
