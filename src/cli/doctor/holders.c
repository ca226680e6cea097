#include <string.h>

#include "base/clock.h"
#include "cli/doctor/doctor.h"
#include "sys/counters/counter_holders.h"

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
        sp_find_out(
            d, sp_title_holders, name, SP_LIMITED,
            *job ? "sbatch --exclusive ...  (or the whole-node option of your batch system)"
                 : "Measure where the whole machine is yours.",
            "%s%sonly %d of %d hardware threads are this process's: others may use the rest, and memory "
            "controllers count everybody's traffic%s%s",
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
