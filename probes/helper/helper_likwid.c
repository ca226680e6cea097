/* LIKWID behind a small table of functions, without its headers: their structures change with the
 * version. Its performance groups know the events, scales and formulas of each machine; their
 * metrics "... data volume [GBytes]" are what is counted. A group is a pass. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "probes/helper/helper.h"
#include "probes/likwid_metrics.h"

enum {
    TOPOLOGY_INIT,
    NUMA_INIT,
    MODE,
    INIT,
    GROUPS,
    ADD,
    SETUP,
    START,
    STOP,
    N_METRICS,
    METRIC_NAME,
    METRIC,
    FINALIZE,
    N_FUNCTIONS
};

static const char *const symbols[N_FUNCTIONS] = {"topology_init",
                                                 "numa_init",
                                                 "HPMmode",
                                                 "perfmon_init",
                                                 "perfmon_getGroups",
                                                 "perfmon_addEventSet",
                                                 "perfmon_setupCounters",
                                                 "perfmon_startCounters",
                                                 "perfmon_stopCounters",
                                                 "perfmon_getNumberOfMetrics",
                                                 "perfmon_getMetricName",
                                                 "perfmon_getLastMetric",
                                                 "perfmon_finalize"};

static const char *const files[] = {"liblikwid.so.5.5",
                                    "liblikwid.so.5.4",
                                    "liblikwid.so.5.3",
                                    "liblikwid.so.5.2",
                                    "liblikwid.so.5",
                                    "liblikwid.so",
                                    NULL};

typedef int (*plain)(void);
typedef int (*with_int)(int);
typedef int (*init_function)(int, const int *);
typedef int (*groups_function)(char ***, char ***, char ***);
typedef int (*add_function)(const char *);
typedef char *(*name_function)(int, int);
typedef double (*metric_function)(int, int, int);
typedef void (*nothing)(void);
typedef void (*mode_function)(int);

enum { MAX_GROUPS = 16, MAX_COUNTED = 256, MAX_METRICS = 512 };

static struct {
    void *library;
    void *function[N_FUNCTIONS];
    bool initialised;
    int n_groups, group[MAX_GROUPS];
    const char *name[MAX_GROUPS]; /* the library's */
    int n_counted;
    struct {
        int pass, metric, socket;
        struct sp_likwid_metric what;
    } counted[MAX_COUNTED];
    struct sp_helper_cpus cpus;
    int pass;
    double started_s;
} likwid;

static bool look(const char *path)
{
    if (likwid.library)
        return true;
    likwid.library = sp_helper_load("LIKWID", path, files, N_FUNCTIONS, symbols, likwid.function);
    if (likwid.library)
        sp_helper_reply("how LIKWID\n");
    return likwid.library != NULL;
}

/* Which of the machine's groups are passes: MEM, or its parts; HBM beside it; without them the ones
 * that count memory and flops; L3 and L2. */
static bool wanted(const char *name, bool has_mem)
{
    static const char *const always[] = {"MEM", "MEM1", "MEM2", "MEMREAD", "MEMWRITE",
                                         "HBM", "HBM1", "HBM2", "L3",      "L2"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (strcmp(name, always[i]) == 0)
            return true;
    return !has_mem && strcmp(name, "MEM_DP") == 0;
}

/* The first hardware thread of each socket stands for it. */
static bool has_socket_before(const struct sp_helper_cpus *cpus, int i)
{
    for (int k = 0; k < i; k++)
        if (cpus->socket[k] == cpus->socket[i])
            return true;
    return false;
}

/* Sums a metric of one socket over its threads. What belongs to a whole socket is counted by the
 * one that holds its lock; where three or more all say the same of memory, it was counted once a
 * thread. */
static double metric_of_socket(int i)
{
    metric_function get = (metric_function)likwid.function[METRIC];
    double sum = 0, first = NAN;
    int n = 0;
    bool same = strcmp(likwid.counted[i].what.level, "MEM") == 0;
    for (int t = 0; t < likwid.cpus.n; t++) {
        if (likwid.cpus.socket[t] != likwid.counted[i].socket)
            continue;
        double v = get(likwid.group[likwid.counted[i].pass], likwid.counted[i].metric, t);
        same = same && (n == 0 || v == first);
        first = n == 0 ? v : first;
        sum += v;
        n++;
    }
    return same && n > 2 ? first : sum;
}

/* A group of which no metric is kept would only take time. */
static void drop_passes(int n, const bool *keep, int *pass)
{
    int kept = 0;
    for (int p = 0; p < likwid.n_groups; p++) {
        bool any = false;
        for (int i = 0; i < n; i++)
            if (keep[i] && pass[i] == p) {
                pass[i] = kept;
                any = true;
            }
        likwid.group[kept] = likwid.group[p];
        kept += any;
    }
    likwid.n_groups = kept;
}

/* The volumes among the metrics of all groups, none of them twice. */
static bool list_metrics(void)
{
    static struct sp_likwid_metric metric[MAX_METRICS];
    static int pass[MAX_METRICS], number[MAX_METRICS];
    static bool keep[MAX_METRICS];
    int n = 0;
    for (int p = 0; p < likwid.n_groups; p++)
        for (int m = 0; m < ((with_int)likwid.function[N_METRICS])(likwid.group[p]) && n < MAX_METRICS; m++) {
            const char *name = ((name_function)likwid.function[METRIC_NAME])(likwid.group[p], m);
            if (!name || !sp_likwid_metric_of(likwid.name[p], name, &metric[n]))
                continue;
            pass[n] = p;
            number[n++] = m;
        }
    const char *missing = sp_likwid_choose(n, metric, pass, keep);
    if (missing)
        return sp_helper_absent("likwid-perfctr -a lists the groups", "LIKWID: %s", missing);
    drop_passes(n, keep, pass);
    for (int i = 0; i < n; i++)
        for (int t = 0; keep[i] && t < likwid.cpus.n && likwid.n_counted < MAX_COUNTED; t++) {
            if (has_socket_before(&likwid.cpus, t))
                continue;
            int k = likwid.n_counted++;
            likwid.counted[k].pass = pass[i];
            likwid.counted[k].metric = number[i];
            likwid.counted[k].socket = likwid.cpus.socket[t];
            likwid.counted[k].what = metric[i];
            sp_helper_reply("event %d %d -1 %s %s %.17g %s\n", pass[i], likwid.cpus.socket[t],
                            metric[i].level, sp_direction_name(metric[i].direction), metric[i].B,
                            ((name_function)likwid.function[METRIC_NAME])(likwid.group[pass[i]], number[i]));
        }
    return likwid.n_counted > 0 ||
           sp_helper_absent("spmodel doctor; likwid-perfctr -a lists the groups",
                            "LIKWID has no performance group that counts data volumes on this machine");
}

static bool add_groups(void)
{
    char **names = NULL, **shorts = NULL, **longs = NULL;
    int n = ((groups_function)likwid.function[GROUPS])(&names, &shorts, &longs);
    bool has_mem = false;
    for (int i = 0; i < n && names; i++)
        has_mem = has_mem || strcmp(names[i], "MEM") == 0 || strcmp(names[i], "MEM1") == 0 ||
                  strcmp(names[i], "MEMREAD") == 0;
    for (int i = 0; i < n && names && likwid.n_groups < MAX_GROUPS; i++) {
        int group = wanted(names[i], has_mem) ? ((add_function)likwid.function[ADD])(names[i]) : -1;
        if (group < 0)
            continue; /* counters that are not there: the other groups may do */
        likwid.name[likwid.n_groups] = names[i];
        likwid.group[likwid.n_groups++] = group;
    }
    return list_metrics();
}

static bool open_likwid(const char *argument, const struct sp_helper_cpus *cpus)
{
    static const char *const modes[] = {"direct", "daemon", NULL};
    likwid.cpus = *cpus;
    if (cpus->n == 0)
        return sp_helper_absent("", "LIKWID: no processor was named");
    int mode = -2;
    if (argument && strcmp(argument, "perf") == 0)
        mode = -1;
    for (int i = 0; argument && modes[i]; i++)
        if (strcmp(argument, modes[i]) == 0)
            mode = i;
    if (argument && mode == -2)
        return sp_helper_absent(SP_O_BYTES " likwid, likwid:direct, likwid:daemon or likwid:perf",
                                "LIKWID has no access mode '%s'", argument);
    if (((plain)likwid.function[TOPOLOGY_INIT])() != 0)
        return sp_helper_absent("", "LIKWID cannot read the topology");
    ((plain)likwid.function[NUMA_INIT])();
    if (mode > -2)
        ((mode_function)likwid.function[MODE])(mode);
    int code = ((init_function)likwid.function[INIT])(cpus->n, cpus->cpu);
    if (code < 0)
        return sp_helper_absent(
            "likwid-accessD set up by the administrator, or: sudo modprobe msr, and rights on /dev/cpu/*/msr",
            "LIKWID cannot reach the counters (perfmon_init returns %d)", code);
    likwid.initialised = true;
    sp_helper_reply("how LIKWID, %s access, %d hardware thread%s\n", argument ? argument : "its own", cpus->n,
                    cpus->n == 1 ? "" : "s");
    return add_groups();
}

static bool start(int pass, int n_threads, const int *threads)
{
    (void)n_threads;
    (void)threads;
    if (pass < 0 || pass >= likwid.n_groups)
        return sp_helper_absent("", "LIKWID: there is no pass %d", pass);
    likwid.pass = pass;
    int code = ((with_int)likwid.function[SETUP])(likwid.group[pass]);
    if (code >= 0)
        code = ((plain)likwid.function[START])();
    likwid.started_s = sp_now();
    return code >= 0 || sp_helper_absent("another program may hold the counters (spmodel doctor)",
                                         "LIKWID cannot start its counters (%d)", code);
}

static bool stop(void)
{
    double s = sp_now() - likwid.started_s;
    int code = ((plain)likwid.function[STOP])();
    if (code < 0)
        return sp_helper_absent("another program may hold the counters (spmodel doctor)",
                                "LIKWID cannot stop its counters (%d)", code);
    for (int i = 0; i < likwid.n_counted; i++) {
        if (likwid.counted[i].pass != likwid.pass)
            continue;
        double v = metric_of_socket(i);
        sp_helper_reply("count %d %.17g %.9f %.9f\n", i, v, s, s);
    }
    return true;
}

static void close_likwid(void)
{
    if (likwid.initialised)
        ((nothing)likwid.function[FINALIZE])();
}

const struct sp_helper_backend sp_helper_likwid = {"likwid", look, open_likwid, start, stop, close_likwid};
