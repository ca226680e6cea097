/* PAPI behind a small table of functions, without its headers. Memory controllers by the names that
 * its library libpfm gives them, system-wide on one processor a socket; where there are none,
 * misses of the last-level cache of the job's threads times a line, which is an approximation and
 * says so. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "probes/helper/helper.h"

enum {
    INIT,
    CREATE,
    NAME_TO_CODE,
    ADD,
    ATTACH,
    ASSIGN,
    START,
    STOP,
    CLEANUP,
    DESTROY,
    WORDS,
    N_COMPONENTS,
    COMPONENT,
    N_FUNCTIONS
};

static const char *const symbols[N_FUNCTIONS] = {"PAPI_library_init",
                                                 "PAPI_create_eventset",
                                                 "PAPI_event_name_to_code",
                                                 "PAPI_add_event",
                                                 "PAPI_attach",
                                                 "PAPI_assign_eventset_component",
                                                 "PAPI_start",
                                                 "PAPI_stop",
                                                 "PAPI_cleanup_eventset",
                                                 "PAPI_destroy_eventset",
                                                 "PAPI_strerror",
                                                 "PAPI_num_components",
                                                 "PAPI_get_component_info"};

static const char *const files[] = {"libpapi.so.7.2",
                                    "libpapi.so.7.1",
                                    "libpapi.so.7.0",
                                    "libpapi.so.6.0",
                                    "libpapi.so.5.7",
                                    "libpapi.so",
                                    NULL};

typedef int (*with_int)(int);
typedef int (*to_int)(int *);
typedef int (*name_function)(const char *, int *);
typedef int (*two_ints)(int, int);
typedef int (*attach_function)(int, unsigned long);
typedef int (*stop_function)(int, long long *);
typedef const char *(*words_function)(int);
typedef int (*plain)(void);
typedef const char *(*component_function)(int); /* the structure begins with the name */

enum { MAX_EVENTS = 128, MAX_SETS = 256, MAX_UNITS = 16, NONE = -1 };

/* One event set for all events of units, because PAPI runs one at a time for a component; and one
 * for each thread of the job, to which it is attached. */
struct event_set {
    int set, n_events;
    int event[MAX_EVENTS];
};

static struct {
    void *library;
    void *function[N_FUNCTIONS];
    int n_events;
    struct {
        int code, pass;
        bool of_threads;
    } event[MAX_EVENTS];
    bool works; /* software events: the helper does a known piece of work under them */
    int n_sets;
    struct event_set running[MAX_SETS];
    double started_s;
} papi;

static const char *words(int code)
{
    const char *text = ((words_function)papi.function[WORDS])(code);
    return text ? text : "no reason given";
}

static bool look(const char *path)
{
    /* PAPI refuses another version than its own: major in the highest byte, minor in the next. */
    static const int versions[] = {0x07020000, 0x07010000, 0x07000000, 0x06000000, 0x05070000, 0x05060000};
    if (papi.library)
        return true;
    papi.library = sp_helper_load("PAPI", path, files, N_FUNCTIONS, symbols, papi.function);
    if (!papi.library)
        return false;
    int code = 0;
    for (size_t i = 0; i < sizeof versions / sizeof *versions && code <= 0; i++)
        code = ((with_int)papi.function[INIT])(versions[i]);
    if (code <= 0) {
        papi.library = NULL;
        return sp_helper_absent("install another version of PAPI; 5.6 to 7.2 are known",
                                "PAPI does not initialise (%d)", code);
    }
    sp_helper_reply("how PAPI %d.%d\n", code >> 24 & 0xff, code >> 16 & 0xff);
    return true;
}

static void destroy_set(int *set)
{
    if (*set == NONE)
        return;
    ((with_int)papi.function[CLEANUP])(*set);
    ((to_int)papi.function[DESTROY])(set);
    *set = NONE;
}

/* An event set with these events; thread > 0: attached to it. */
static int make_set(int n, const int *codes, int thread, int *set)
{
    *set = NONE;
    int error = ((to_int)papi.function[CREATE])(set);
    if (error == 0 && thread > 0) { /* 0: the component of processors, which must be known before attaching */
        error = ((two_ints)papi.function[ASSIGN])(*set, 0);
        if (error == 0)
            error = ((attach_function)papi.function[ATTACH])(*set, (unsigned long)thread);
    }
    for (int i = 0; i < n && error == 0; i++)
        error = ((two_ints)papi.function[ADD])(*set, codes[i]);
    if (error != 0)
        destroy_set(set);
    return error;
}

/* Adds an event when it can be counted; returns PAPI's code otherwise. */
static int try_event(const char *name, bool of_threads, int pass, int socket, int channel, const char *level,
                     const char *direction, double B)
{
    int code, set = NONE;
    if (papi.n_events == MAX_EVENTS)
        return -1;
    int error = ((name_function)papi.function[NAME_TO_CODE])(name, &code);
    if (error != 0)
        return error;
    error = make_set(1, &code, 0, &set);
    if (error != 0)
        return error;
    destroy_set(&set);
    int i = papi.n_events++;
    papi.event[i].code = code;
    papi.event[i].pass = pass;
    papi.event[i].of_threads = of_threads;
    sp_helper_reply("event %d %d %d %s %s %.17g %s\n", pass, socket, channel, level, direction, B, name);
    return 0;
}

/* A unit, and what its halves of a channel call their transfers of a line, by libpfm (its
 * lib/events/intel_*_unc_imc_events.h). */
static bool add_memory(const struct sp_helper_cpus *cpus)
{
    static const struct {
        const char *family, *half[2];
    } units[] = {{"gnr", {"_SCH0", "_SCH1"}},
                 {"emr", {""}},
                 {"spr", {""}},
                 {"icx", {""}},
                 {"skx", {""}},
                 {"bdx", {""}},
                 {"hswep", {""}},
                 {"ivbep", {""}},
                 {"snbep", {""}}};
    for (size_t f = 0; f < sizeof units / sizeof *units; f++)
        for (int unit = 0; unit < MAX_UNITS; unit++)
            for (int t = 0; t < cpus->n; t++) {
                bool first = true;
                for (int k = 0; k < t; k++)
                    first = first && cpus->socket[k] != cpus->socket[t];
                for (int i = 0; first && i < 4; i++) {
                    const char *half = units[f].half[i / 2];
                    char name[96];
                    if (!half)
                        continue;
                    snprintf(name, sizeof name, "%s_unc_imc%d::UNC_M_CAS_COUNT%s:%s:cpu=%d", units[f].family,
                             unit, half, i % 2 ? "WR" : "RD", cpus->cpu[t]);
                    try_event(name, false, 0, cpus->socket[t], 2 * unit + i / 2, "MEM",
                              i % 2 ? "write" : "read", 64);
                }
            }
    return papi.n_events > 0;
}

/* Operations and vector instructions of the job's threads, where presets for them are there. */
static void add_work(void)
{
    static const char *const presets[] = {"PAPI_TOT_INS", "PAPI_DP_OPS", "PAPI_SP_OPS", "PAPI_VEC_DP",
                                          "PAPI_VEC_SP"};
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        try_event(presets[i], true, 0, 0, -1, "core", "both", 1);
}

/* Names of the components, for the reason why nothing is counted. */
static void list_components(char *text, size_t size)
{
    int n = ((plain)papi.function[N_COMPONENTS])();
    text[0] = '\0';
    for (int i = 0; i < n && i < 40; i++) {
        const char *name = ((component_function)papi.function[COMPONENT])(i);
        size_t used = strlen(text);
        if (name && used + 40 < size)
            snprintf(text + used, size - used, "%s%.32s", i ? ", " : "", name);
    }
}

static bool open_papi(const char *argument, const struct sp_helper_cpus *cpus)
{
    if (argument && strcmp(argument, "software") == 0) {
        int error = try_event("perf::PAGE-FAULTS", false, 0, 0, -1, "SW", "both", 1);
        if (error == 0)
            error = try_event("perf::TASK-CLOCK", false, 0, 0, -1, "SW", "both", 1);
        papi.works = true;
        return error == 0 || sp_helper_absent("", "PAPI counts no software events: %s", words(error));
    }
    if (argument)
        return sp_helper_absent(SP_O_BYTES " papi", "PAPI has no mode '%s'", argument);
    bool memory = add_memory(cpus);
    int error = memory ? 0 : try_event("PAPI_L3_TCM", true, 0, 0, -1, "MEM", "read", 64);
    if (error == 0)
        add_work();
    if (memory)
        return true;
    if (error == 0) {
        sp_helper_reply("how last-level misses x 64 B of the job's threads: an approximation, without "
                        "prefetches and writes\n");
        return true;
    }
    char components[512];
    list_components(components, sizeof components);
    return sp_helper_absent(
        "use a machine of its own, not a virtual one; or load the kernel's uncore modules",
        "PAPI has no memory-controller events here and cannot count last-level misses: %s (components: %s)",
        words(error), components);
}

static void end_sets(void)
{
    long long value[MAX_EVENTS];
    for (int i = 0; i < papi.n_sets; i++) {
        ((stop_function)papi.function[STOP])(papi.running[i].set, value);
        destroy_set(&papi.running[i].set);
    }
    papi.n_sets = 0;
}

/* Starts the events of a pass that belong to units (thread 0) or to this thread. */
static int begin_set(int pass, int thread)
{
    struct event_set *s = &papi.running[papi.n_sets];
    int codes[MAX_EVENTS];
    if (papi.n_sets == MAX_SETS)
        return -1;
    s->n_events = 0;
    for (int e = 0; e < papi.n_events; e++)
        if (papi.event[e].pass == pass && papi.event[e].of_threads == (thread > 0)) {
            codes[s->n_events] = papi.event[e].code;
            s->event[s->n_events++] = e;
        }
    if (s->n_events == 0)
        return 0;
    int error = make_set(s->n_events, codes, thread, &s->set);
    if (error == 0)
        error = ((with_int)papi.function[START])(s->set);
    if (error == 0)
        papi.n_sets++;
    else
        destroy_set(&s->set);
    return error;
}

/* PAGES faults and WORK_S of task clock, which the kernel counts itself: they prove the plumbing
 * where no hardware counts. PAPI attaches to other threads by way of a hardware event, so they are
 * the helper's own. */
static void do_known_work(void)
{
    enum { PAGES = 500, PAGE = 4096 };
    const double work_s = 0.01;
    char *p = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return;
    madvise(p, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
    for (int i = 0; i < PAGES; i++)
        ((volatile char *)p)[(size_t)i * PAGE] = 1;
    munmap(p, (size_t)PAGES * PAGE);
    for (double end = sp_now() + work_s; sp_now() < end;)
        ;
}

static bool start(int pass, int n_threads, const int *threads)
{
    end_sets();
    papi.started_s = sp_now();
    int error = begin_set(pass, 0);
    for (int t = 0; t < n_threads && error == 0; t++)
        error = begin_set(pass, threads[t]);
    if (error == 0 && papi.works)
        do_known_work();
    if (error == 0)
        return true;
    end_sets();
    return sp_helper_absent("sudo sysctl kernel.perf_event_paranoid=0", "PAPI cannot start its counters: %s",
                            words(error));
}

static bool stop(void)
{
    double sum[MAX_EVENTS] = {0}, s = sp_now() - papi.started_s;
    bool any[MAX_EVENTS] = {false};
    for (int i = 0; i < papi.n_sets; i++) {
        struct event_set *r = &papi.running[i];
        long long value[MAX_EVENTS] = {0};
        int error = ((stop_function)papi.function[STOP])(r->set, value);
        for (int k = 0; k < r->n_events; k++) {
            sum[r->event[k]] += error == 0 ? (double)value[k] : NAN;
            any[r->event[k]] = true;
        }
        destroy_set(&r->set);
    }
    papi.n_sets = 0;
    for (int e = 0; e < papi.n_events; e++)
        if (any[e])
            sp_helper_reply("count %d %.17g %.9f %.9f\n", e, sum[e], s, s);
    return true;
}

static void close_papi(void)
{
    if (papi.library)
        end_sets();
}

const struct sp_helper_backend sp_helper_papi = {"papi", look, open_papi, start, stop, close_papi};
