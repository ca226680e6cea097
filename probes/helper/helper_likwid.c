/* LIKWID behind a small table of functions, without its headers: their structures change with the version.
 * Its performance groups know the events, scales and formulas of each machine; their metrics "... data volume
 * [GBytes]" are what is counted. A group is a pass. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/helper/helper.h"

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

enum { MAX_GROUPS = 16, MAX_COUNTED = 256, MAX_SOCKETS = 64 };

static struct {
    void *library;
    void *function[N_FUNCTIONS];
    bool initialised;
    int n_groups, group[MAX_GROUPS];
    int n_counted;
    struct {
        int pass, metric, socket;
        double B;
    } counted[MAX_COUNTED];
    struct request_cpus cpus;
    int pass;
    double started_s;
} likwid;

static bool look(const char *path)
{
    if (likwid.library)
        return true;
    likwid.library = open_library("LIKWID", path, files, N_FUNCTIONS, symbols, likwid.function);
    if (likwid.library)
        reply("how LIKWID\n");
    return likwid.library != NULL;
}

/* Bytes of one unit of a label: "Memory read data volume [GBytes]". */
static double unit_of(const char *metric)
{
    static const struct {
        const char *label;
        double B;
    } units[] = {{"[GBytes]", 1e9}, {"[MBytes]", 1e6}, {"[KBytes]", 1e3}, {"[Bytes]", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strstr(metric, units[i].label))
            return units[i].B;
    return 0;
}

/* What a metric counts; false: nothing that is wanted here. */
static bool classify(const char *metric, const char **level, const char **direction)
{
    static const struct {
        const char *words, *level, *direction;
    } table[] = {
        {"Memory read data volume", "MEM", "read"},
        {"Memory write data volume", "MEM", "write"},
        {"Memory load data volume", "MEM", "read"},
        {"Memory evict data volume", "MEM", "write"},
        {"HBM read data volume", "MEM", "read"},
        {"HBM write data volume", "MEM", "write"},
        {"MCDRAM Memory read data volume", "MEM", "read"},
        {"MCDRAM Memory write data volume", "MEM", "write"},
        {"Memory data volume", "MEM", "both"},
        {"HBM data volume", "MEM", "both"},
        {"L3 load data volume", "L3", "read"},
        {"L3 evict data volume", "L3", "write"},
        {"L3 data volume", "L3", "both"},
        {"L2D load data volume", "L2", "read"},
        {"L2D evict data volume", "L2", "write"},
        {"L2 load data volume", "L2", "read"},
        {"L2 evict data volume", "L2", "write"},
        {"L2 data volume", "L2", "both"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strncmp(metric, table[i].words, strlen(table[i].words)) == 0 && unit_of(metric) > 0) {
            *level = table[i].level;
            *direction = table[i].direction;
            return true;
        }
    return false;
}

/* Which of the machine's groups are passes: MEM, or its parts; HBM beside it; without them the ones that
 * count memory and flops; L3 and L2. */
static bool wanted(const char *name, bool has_mem)
{
    static const char *const always[] = {"MEM", "MEM1", "MEM2", "MEMREAD", "MEMWRITE",
                                         "HBM", "HBM1", "HBM2", "L3",      "L2"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (strcmp(name, always[i]) == 0)
            return true;
    return !has_mem && strcmp(name, "MEM_DP") == 0;
}

static bool has_socket_before(const struct request_cpus *cpus, int i)
{
    for (int k = 0; k < i; k++)
        if (cpus->socket[k] == cpus->socket[i])
            return true;
    return false;
}

/* Sums a metric of one socket over its threads, in which only the one that holds the socket's lock counts
 * what belongs to the whole socket; where all say the same it was counted once a thread. */
static double metric_of_socket(int group, int metric, int socket)
{
    metric_function get = (metric_function)likwid.function[METRIC];
    double sum = 0, first = NAN;
    int n = 0;
    bool same = true;
    for (int t = 0; t < likwid.cpus.n; t++) {
        if (likwid.cpus.socket[t] != socket)
            continue;
        double v = get(group, metric, t);
        same = same && (n == 0 || v == first);
        first = n == 0 ? v : first;
        sum += v;
        n++;
    }
    return same && n > 1 ? first : sum;
}

/* The sum of reads and writes is left out where a group has them apart. */
static void list_metrics(int pass)
{
    int group = likwid.group[pass];
    int n = ((with_int)likwid.function[N_METRICS])(group);
    bool apart = false;
    for (int round = 0; round < 2; round++)
        for (int m = 0; m < n && m < 200; m++) {
            const char *name = ((name_function)likwid.function[METRIC_NAME])(group, m);
            const char *level, *direction;
            if (!name || !classify(name, &level, &direction))
                continue;
            bool both = strcmp(direction, "both") == 0;
            apart = apart || !both;
            if (round == 0 || (both && apart))
                continue;
            for (int t = 0; t < likwid.cpus.n && likwid.n_counted < MAX_COUNTED; t++) {
                if (has_socket_before(&likwid.cpus, t))
                    continue;
                int i = likwid.n_counted++;
                likwid.counted[i].pass = pass;
                likwid.counted[i].metric = m;
                likwid.counted[i].socket = likwid.cpus.socket[t];
                likwid.counted[i].B = unit_of(name);
                reply("event %d %d -1 %s %s %.17g %s\n", pass, likwid.cpus.socket[t], level, direction,
                      likwid.counted[i].B, name);
            }
        }
}

static bool add_groups(void)
{
    char **names = NULL, **shorts = NULL, **longs = NULL;
    int n = ((groups_function)likwid.function[GROUPS])(&names, &shorts, &longs);
    bool has_mem = false;
    for (int i = 0; i < n && names; i++)
        has_mem = has_mem || strncmp(names[i], "MEM", 3) == 0;
    for (int i = 0; i < n && names; i++)
        if (strcmp(names[i], "MEM") == 0 || strcmp(names[i], "MEM1") == 0)
            has_mem = true;
    for (int i = 0; i < n && names && likwid.n_groups < MAX_GROUPS; i++) {
        if (!wanted(names[i], has_mem))
            continue;
        int group = ((add_function)likwid.function[ADD])(names[i]);
        if (group < 0)
            continue; /* counters that are not there: the others may do */
        likwid.group[likwid.n_groups] = group;
        list_metrics(likwid.n_groups++);
    }
    if (likwid.n_counted > 0)
        return true;
    return absent("spmodel doctor; likwid-perfctr -a lists the groups",
                  "LIKWID has no performance group that counts data volumes on this machine");
}

static bool open_likwid(const char *argument, const struct request_cpus *cpus)
{
    static const char *const modes[] = {"direct", "daemon", NULL};
    likwid.cpus = *cpus;
    if (cpus->n == 0)
        return absent("", "LIKWID: no processor was named");
    int mode = -2;
    if (argument && strcmp(argument, "perf") == 0)
        mode = -1;
    for (int i = 0; argument && modes[i]; i++)
        if (strcmp(argument, modes[i]) == 0)
            mode = i;
    if (argument && mode == -2)
        return absent("--bytes likwid, likwid:direct, likwid:daemon or likwid:perf",
                      "LIKWID has no access mode '%s'", argument);
    if (((plain)likwid.function[TOPOLOGY_INIT])() != 0)
        return absent("", "LIKWID cannot read the topology");
    ((plain)likwid.function[NUMA_INIT])();
    if (mode > -2)
        ((mode_function)likwid.function[MODE])(mode);
    int code = ((init_function)likwid.function[INIT])(cpus->n, cpus->cpu);
    if (code < 0)
        return absent(
            "likwid-accessD set up by the administrator, or: sudo modprobe msr, and rights on /dev/cpu/*/msr",
            "LIKWID cannot reach the counters (perfmon_init returns %d)", code);
    likwid.initialised = true;
    reply("how LIKWID, %s access, %d hardware thread%s\n", argument ? argument : "its own", cpus->n,
          cpus->n == 1 ? "" : "s");
    return add_groups();
}

static bool start(int pass, int n_threads, const int *threads)
{
    (void)n_threads;
    (void)threads;
    if (pass < 0 || pass >= likwid.n_groups)
        return absent("", "LIKWID: there is no pass %d", pass);
    likwid.pass = pass;
    int code = ((with_int)likwid.function[SETUP])(likwid.group[pass]);
    if (code >= 0)
        code = ((plain)likwid.function[START])();
    likwid.started_s = now_s();
    return code >= 0 || absent("another program may hold the counters (spmodel doctor)",
                               "LIKWID cannot start its counters (%d)", code);
}

static bool stop(void)
{
    double s = now_s() - likwid.started_s;
    int code = ((plain)likwid.function[STOP])();
    if (code < 0)
        return absent("another program may hold the counters (spmodel doctor)",
                      "LIKWID cannot stop its counters (%d)", code);
    for (int i = 0; i < likwid.n_counted; i++) {
        if (likwid.counted[i].pass != likwid.pass)
            continue;
        double v =
            metric_of_socket(likwid.group[likwid.pass], likwid.counted[i].metric, likwid.counted[i].socket);
        reply("count %d %.17g %.9f %.9f\n", i, v, s, s);
    }
    return true;
}

static void close_likwid(void)
{
    if (likwid.initialised)
        ((nothing)likwid.function[FINALIZE])();
}

const struct library library_likwid = {"likwid", look, open_likwid, start, stop, close_likwid};
