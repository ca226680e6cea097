/* A library in place of liblikwid that misbehaves as it is told to by the environment (FAKE_LIKWID):
 *
 *   exits, exits-in-child, hangs, hangs-at-start, crashes, prints, refuses   at or after perfmon_init
 *   zeros, nan, double, missing, right, per-thread                           what it counts
 *   channels   right, with two groups more, each of a half of the channels
 *
 * The counting ones say what the program moved: the file named by FAKE_LIKWID_MOVED holds "READ WRITTEN"
 * bytes, which the test's jobs keep up to date. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double moved[2], at_start[2], counted[2];
static int n_threads;

static int is(const char *mode)
{
    const char *told = getenv("FAKE_LIKWID");
    return told && strcmp(told, mode) == 0;
}

static void read_moved(void)
{
    const char *path = getenv("FAKE_LIKWID_MOVED");
    FILE *f = path ? fopen(path, "r") : NULL;
    if (f && fscanf(f, "%lf %lf", &moved[0], &moved[1]) != 2)
        moved[0] = moved[1] = 0;
    if (f)
        fclose(f);
}

int topology_init(void)
{
    return 0;
}

int numa_init(void)
{
    return 0;
}

void HPMmode(int mode)
{
    printf("mode %d\n", mode);
}

int perfmon_init(int n, const int *threads)
{
    (void)threads;
    n_threads = n;
    if (is("exits"))
        exit(3);
    if (is("hangs"))
        pause();
    if (is("crashes"))
        abort();
    if (is("exits-in-child") && fork() == 0)
        exit(0); /* runs the program's atexit handlers, as LIKWID's failing daemon does */
    if (is("prints")) {
        printf("ERROR: cannot do what nobody asked for\n");
        fprintf(stderr, "WARN: counter is in use by somebody\n");
        fflush(stdout);
    }
    return is("refuses") || is("prints") ? -13 : 0;
}

int perfmon_getGroups(char ***names, char ***shorts, char ***longs)
{
    static char *list[] = {"BRANCH", "MEM1", "MEM2", "MEM", "MEM_DP"};
    static char *none[] = {"", "", "", "", ""};
    *names = list;
    *shorts = *longs = none;
    return 5;
}

int perfmon_addEventSet(const char *group)
{
    if (is("channels") && strncmp(group, "MEM", 3) == 0 && strlen(group) == 4)
        return group[3] - '0';
    return strcmp(group, "MEM") == 0 ? 0 : -1;
}

int perfmon_setupCounters(int group)
{
    return group;
}

int perfmon_startCounters(void)
{
    if (is("hangs-at-start"))
        pause();
    read_moved();
    at_start[0] = moved[0];
    at_start[1] = moved[1];
    return 0;
}

int perfmon_stopCounters(void)
{
    read_moved();
    for (int i = 0; i < 2; i++)
        counted[i] = moved[i] - at_start[i];
    return 0;
}

int perfmon_getNumberOfMetrics(int group)
{
    return group == 0 ? 5 : 1;
}

char *perfmon_getMetricName(int group, int metric)
{
    static char *names[] = {"Runtime (RDTSC) [s]", "Memory read bandwidth [MBytes/s]",
                            "Memory read data volume [GBytes]", "Memory write data volume [GBytes]",
                            "Memory data volume [GBytes]"};
    static char *halves[] = {"Memory data volume (channels 0-3) [GBytes]",
                             "Memory data volume (channels 4-7) [GBytes]"};
    return group == 0 ? names[metric] : halves[group - 1];
}

double perfmon_getLastMetric(int group, int metric, int thread)
{
    if (group > 0)
        return thread > 0 ? 0 : 0.5e-9 * (counted[0] + counted[1]);
    if (metric < 2 || is("zeros"))
        return 0;
    if (is("nan"))
        return NAN;
    if (thread > 0 && !is("per-thread"))
        return 0; /* the first thread holds the socket's lock */
    double GB = 1e-9 * (metric == 2 ? counted[0] : metric == 3 ? counted[1] : counted[0] + counted[1]);
    return is("double") ? 2 * GB : is("missing") ? 0.75 * GB : GB;
}

void perfmon_finalize(void)
{
}

/* The markers: writes what it saw. */
static void note(const char *what, const char *region)
{
    const char *path = getenv("FAKE_LIKWID_MARKERS");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "%s %s\n", what, region);
    fclose(f);
}

void likwid_markerInit(void)
{
    note("init", "");
}

void likwid_markerThreadInit(void)
{
}

int likwid_markerRegisterRegion(const char *region)
{
    note("register", region);
    return 0;
}

int likwid_markerStartRegion(const char *region)
{
    note("start", region);
    return 0;
}

int likwid_markerStopRegion(const char *region)
{
    note("stop", region);
    return 0;
}

void likwid_markerClose(void)
{
    note("close", "");
}
