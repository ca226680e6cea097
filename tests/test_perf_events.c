/* perf_event where a processor counts: a stand-in for the kernel answers perf_event_open and the reading of its
 * descriptors, and has the memory controllers of two sockets in sysfs (sysfs-imc.txt). */
#include <check.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "probes/probe.h"
#include "recorded_root.h"
#include "run_suite.h"
#include "sys/counters/memory_pmu.h"

enum { MOST = 4096, SECOND_CPU = 28 };

/* What the stand-in does, and what it saw. */
static struct {
    bool on;
    int paranoid;
    char units[64]; /* where sysfs has its units */
    int error;      /* of opening a unit */
    bool second;    /* what goes wrong does so on the second socket alone */
    double running; /* share of the time on a counter */
    bool idle;      /* the threads do not run */
    int factor;     /* every line so many times */
    double moved_B[2];
    struct {
        bool open;
        int thread, cpu, direction; /* -1: no unit */
        bool atom, software;
        double before_B[2], since_s;
        int n_read;
    } event[MOST];
    int most_at_once; /* events of one thread that were open together */
} kernel;

static long open_event(const struct perf_event_attr *a, int thread, int cpu)
{
    const bool unit = cpu >= 0;
    if ((kernel.paranoid > 1 && !unit && !a->exclude_kernel) || (kernel.paranoid > 0 && unit))
        return errno = EACCES, -1;
    if (unit && kernel.error && (!kernel.second || cpu == SECOND_CPU))
        return errno = kernel.error, -1;
    int fd = dup(STDOUT_FILENO), at_once = 0;
    ck_assert(fd >= 0 && fd < MOST);
    kernel.event[fd].open = true;
    kernel.event[fd].thread = thread;
    kernel.event[fd].cpu = cpu;
    kernel.event[fd].direction = !unit ? -1 : a->config == 0x0c04;
    kernel.event[fd].atom = !unit && a->config >> 32 == 10;
    kernel.event[fd].software = a->type == PERF_TYPE_SOFTWARE;
    kernel.event[fd].since_s = sp_now();
    kernel.event[fd].n_read = 0;
    memcpy(kernel.event[fd].before_B, kernel.moved_B, sizeof kernel.moved_B);
    for (int i = 0; i < MOST; i++)
        at_once += !unit && kernel.event[i].open && kernel.event[i].thread == thread;
    kernel.most_at_once = at_once > kernel.most_at_once ? at_once : kernel.most_at_once;
    return fd;
}

/* Callers pass as many as the call takes; the others are read from where they would be. */
__attribute__((no_sanitize_address)) long syscall(long number, ...)
{
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (kernel.on && number == SYS_perf_event_open)
        return open_event((const struct perf_event_attr *)a[0], (int)a[1], (int)a[2]);
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* 7000 counts of an event of a thread; of a unit its sixth of what was moved, in lines. */
ssize_t read(int fd, void *to, size_t size)
{
    if (!kernel.on || fd < 0 || fd >= MOST || !kernel.event[fd].open) {
        ssize_t (*real)(int, void *, size_t) = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
        return real(fd, to, size);
    }
    ck_assert_uint_eq(size, 24);
    const bool bad = !kernel.second || kernel.event[fd].cpu == SECOND_CPU;
    const int d = kernel.event[fd].direction;
    uint64_t count = kernel.event[fd].n_read++ > 0 ? 7000 : 0,
             ns = (uint64_t)(1e9 * (sp_now() - kernel.event[fd].since_s));
    if (d >= 0)
        count = (uint64_t)((kernel.moved_B[d] - kernel.event[fd].before_B[d]) / 6 / 64 * kernel.factor);
    ns = kernel.idle ? 0 : ns;
    double running = bad ? kernel.running : 1;
    if (kernel.event[fd].atom)
        running = 1 - running;
    if (kernel.event[fd].software)
        running = 1;
    memcpy(to,
           (const uint64_t[]){(uint64_t)((double)count * (d >= 0 ? running : 1)), ns,
                              (uint64_t)(running * (double)ns)},
           24);
    return 24;
}

int close(int fd)
{
    if (fd >= 0 && fd < MOST)
        kernel.event[fd].open = false;
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
    return real(fd);
}

static const char *place_of(const char *path, char *other, size_t size)
{
    if (!kernel.on || !*kernel.units || strncmp(path, SP_PMU_DEVICES, strlen(SP_PMU_DEVICES)) != 0)
        return path;
    snprintf(other, size, "%s%s", kernel.units, path);
    return other;
}

FILE *fopen(const char *path, const char *mode)
{
    char other[4096];
    FILE *(*real)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    return real(place_of(path, other, sizeof other), mode);
}

DIR *opendir(const char *path)
{
    char other[4096];
    DIR *(*real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
    return real(place_of(path, other, sizeof other));
}

static enum sp_status run(void *state, int64_t n, struct sp_run_stats *stats, struct sp_error *err)
{
    (void)state, (void)n, (void)stats, (void)err;
    usleep(100); /* longer than it is asked for: once in each pass */
    return SP_OK;
}

static struct sp_core_events observe(enum sp_flop_events flops)
{
    const struct sp_job job = {.name = "nothing", .run = run, .n_threads = 1};
    struct sp_core_events events;
    kernel.most_at_once = 0;
    kernel.on = true;
    ck_assert_int_eq(sp_core_events_observe(&job, flops, 1e-6, &events, NULL), SP_OK);
    kernel.on = false;
    return events;
}

static struct sp_value of(const struct sp_core_events *events, const char *name)
{
    for (int i = 0; i < events->n; i++)
        if (strcmp(events->event[i].name, name) == 0)
            return events->event[i].each;
    return sp_value_none("no such row");
}

/* A job of a millisecond ends before the kernel gives a shared counter to the next event. */
START_TEST(no_event_waits_for_a_counter)
{
    kernel.running = 1;
    struct sp_core_events intel = observe(SP_FLOPS_INTEL), zen = observe(SP_FLOPS_ZEN_2);
    ck_assert_int_le(kernel.most_at_once, 4);
    observe(SP_FLOPS_INTEL);
    ck_assert_int_eq(kernel.most_at_once, 4);
    ck_assert(sp_value_known(of(&intel, "fp64 operations")) && sp_value_known(of(&intel, "fp32 operations")));
    ck_assert(sp_value_known(of(&intel, "migrations")) && sp_value_known(of(&zen, "fp operations")) &&
              !sp_value_known(of(&zen, "fp64 operations")));
}
END_TEST

/* perf_event_paranoid is 2 nearly everywhere: a user may count what happens outside of the kernel. */
START_TEST(users_count_without_the_kernel)
{
    kernel.paranoid = 2;
    kernel.running = 1;
    struct sp_core_events events = observe(SP_FLOPS_NONE);
    static const char *const counted[] = {"instructions", "cycles", "processor time", "page faults"},
                             *const not [] = {"context switches", "migrations"};
    for (int i = 0; i < 4; i++)
        ck_assert_msg(sp_value_known(of(&events, counted[i])), "%s: %s", counted[i],
                      of(&events, counted[i]).why);
    for (int i = 0; i < 2; i++) { /* they happen in the kernel: without it they would be 0 */
        ck_assert(!sp_value_known(of(&events, not [i])));
        ck_assert_ptr_nonnull(strstr(of(&events, not [i]).why, "for this user"));
    }
}
END_TEST

START_TEST(what_was_never_on_is_not_0)
{
    struct sp_core_events events = observe(SP_FLOPS_INTEL);
    ck_assert(!sp_value_known(of(&events, "instructions")) &&
              !sp_value_known(of(&events, "fp64 operations")));
    ck_assert_str_eq(of(&events, "instructions").why, "the event was never on a counter");
    kernel.running = 0.5; /* twice the counts */
    events = observe(SP_FLOPS_INTEL);
    double all = of(&events, "instructions").value, scalar_to_512 = of(&events, "fp64 operations").value;
    ck_assert_double_eq_tol(scalar_to_512, 15 * all, 1e-3 * scalar_to_512);
    ck_assert_double_eq_tol(events.event[0].running_share, 0.5, 1e-3);
    kernel.idle = true;
    events = observe(SP_FLOPS_NONE);
    ck_assert_str_eq(of(&events, "instructions").why, "no thread ran");
}
END_TEST

/* A thread that was on large cores for 0.6 of the time and on small ones for the rest. */
START_TEST(both_sorts_of_cores_add_up)
{
    recorded_unpack("sysfs-vm.txt", kernel.units, sizeof kernel.units);
    recorded_write(kernel.units, SP_PMU_DEVICES "/cpu_core/type", "4");
    recorded_write(kernel.units, SP_PMU_DEVICES "/cpu_atom/type", "10");
    kernel.running = 0.6;
    struct sp_core_events events = observe(SP_FLOPS_NONE);
    ck_assert_double_eq_tol(events.event[0].running_share, 1, 1e-3); /* and 7000 of either, not scaled */
    ck_assert_double_eq_tol(of(&events, "instructions").value, 14000.0 * events.n_threads, 14);
    ck_assert_double_eq_tol(of(&events, "page faults").value, 7000.0 * events.n_threads, 7);
    recorded_remove(kernel.units);
}
END_TEST

static const struct {
    const char *vendor;
    int family, model;
    const char *unit, *pmu_name;
    enum sp_flop_events flops;
} cores[] = {
    {"GenuineIntel", 6, 106, "cpu", "icelake", SP_FLOPS_INTEL},
    {"GenuineIntel", 6, 151, "cpu_core", "alderlake_hybrid", SP_FLOPS_INTEL},
    {"GenuineIntel", 6, 62, "cpu", "ivybridge", SP_FLOPS_NONE},  /* its code 0xc7 counts nothing */
    {"GenuineIntel", 6, 63, "cpu", "haswell", SP_FLOPS_NONE},    /* has no such event */
    {"GenuineIntel", 6, 175, "cpu", "crestmont", SP_FLOPS_NONE}, /* 0xc7 are instructions */
    {"GenuineIntel", 6, 106, "cpu", NULL, SP_FLOPS_NONE},
    {"AuthenticAMD", 0x17, 0x01, "cpu", NULL, SP_FLOPS_ZEN},
    {"AuthenticAMD", 0x17, 0x31, "cpu", NULL, SP_FLOPS_ZEN_2},
    {"AuthenticAMD", 0x19, 0x11, "cpu", NULL, SP_FLOPS_ZEN_2},
    {"AuthenticAMD", 0x15, 0x02, "cpu", NULL, SP_FLOPS_NONE},
    {"HygonGenuine", 0x18, 0x01, "cpu", NULL, SP_FLOPS_ZEN},
};

START_TEST(codes_are_of_the_cores)
{
    char root[64], text[256];
    recorded_unpack("sysfs-vm.txt", root, sizeof root);
    snprintf(text, sizeof text, "processor\t: 0\\nvendor_id\t: %s\\ncpu family\t: %d\\nmodel\t\t: %d",
             cores[_i].vendor, cores[_i].family, cores[_i].model);
    recorded_write(root, "/proc/cpuinfo", text);
    snprintf(text, sizeof text, "/sys/bus/event_source/devices/%s/caps/pmu_name", cores[_i].unit);
    if (cores[_i].pmu_name)
        recorded_write(root, text, cores[_i].pmu_name);
    ck_assert_int_eq(sp_flop_events_read(root), cores[_i].flops);
    recorded_remove(root);
}
END_TEST

/* ---- memory controllers ---- */

/* A job that moves so much, and what is stored is loaded before. */
static enum sp_status move(void *state, int64_t n, struct sp_run_stats *stats, struct sp_error *err)
{
    const struct sp_known *k = state;
    (void)stats, (void)err;
    for (int64_t i = 0; i < n; i++) {
        for (double end = sp_now() + 0.002; sp_now() < end;)
            ;
        kernel.moved_B[0] += k->memory_share * (k->load_B + k->store_B);
        kernel.moved_B[1] += k->memory_share * k->store_B;
    }
    return SP_OK;
}

static const struct {
    int error, paranoid;
    bool second;
    double running;
    int factor;
    const char *words; /* of the refusal */
    const char *trust; /* of the verdict, where it opens */
} machines[] = {
    {0, 0, false, 1, 1, NULL, "is believed: it counts 1.00 to 1.00"},
    {0, 0, false, 0.5, 1, NULL, "is believed: it counts 1.00 to 1.00 of known volumes; multiplexed"},
    {0, 0, false, 1, 2, NULL, "every line 2 times"},
    {0, 0, true, 0, 1, NULL, "a counter was never on"},
    {0, 1, false, 1, 1, "uncore_imc_0 at processor 0: counting is not permitted", NULL},
    {ENODEV, 0, true, 1, 1, "uncore_imc_0 at processor 28: ", NULL},
    {EBUSY, 0, false, 1, 1, "another program holds the counters", NULL},
    {EINVAL, 0, false, 1, 1, "uncore_imc_0 at processor 0: the event cannot be opened", NULL},
};

START_TEST(units_of_two_sockets)
{
    static const struct sp_known volumes[] = {{"load", 64e6, 0, 1, 0, NULL}, {"store", 0, 64e6, 1, 0, NULL}};
    const struct sp_probe *perf = sp_probe_find("perf");
    struct sp_protocol p = sp_protocol_default(NULL);
    struct sp_error err = {0};
    struct sp_reading reading;
    void *session;
    recorded_unpack("sysfs-imc.txt", kernel.units, sizeof kernel.units);
    kernel.error = machines[_i].error;
    kernel.paranoid = machines[_i].paranoid;
    kernel.second = machines[_i].second;
    kernel.running = machines[_i].running;
    kernel.factor = machines[_i].factor;
    kernel.on = true;
    enum sp_status status = perf->open(NULL, &session, &err);
    if (machines[_i].words) {
        ck_assert_msg(status == SP_ABSENT && strstr(err.what, machines[_i].words), "%s", err.what);
        ck_assert(!session && *err.remedy);
    } else {
        ck_assert_msg(status == SP_OK, "%s", err.what);
        for (int i = 0; i < 2; i++) {
            struct sp_job job = {.name = "known", .state = (void *)&volumes[i], .run = move, .n_threads = 1};
            p.known = &volumes[i];
            ck_assert_msg(perf->observe(session, &job, &p, &reading, &err) == SP_OK, "%s", err.what);
        }
        const struct sp_count_log *log = perf->log(session);
        ck_assert_ptr_nonnull(strstr(log->how, "Intel integrated memory controller: 6 units on 2 sockets"));
        struct sp_trust_report trust = sp_trust_of(log, "MEM", 0.05);
        ck_assert_msg(strstr(trust.text, machines[_i].trust) != NULL, "%s", trust.text);
    }
    perf->close(session);
    kernel.on = false;
    for (int i = 0; i < MOST; i++)
        ck_assert_msg(!kernel.event[i].open, "descriptor %d is left open", i);
    recorded_remove(kernel.units);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("perf_events");
    TCase *tc = tcase_create("perf_events");
    tcase_add_test(tc, no_event_waits_for_a_counter);
    tcase_add_test(tc, users_count_without_the_kernel);
    tcase_add_test(tc, what_was_never_on_is_not_0);
    tcase_add_test(tc, both_sorts_of_cores_add_up);
    tcase_add_loop_test(tc, codes_are_of_the_cores, 0, sizeof cores / sizeof *cores);
    tcase_add_loop_test(tc, units_of_two_sockets, 0, sizeof machines / sizeof *machines);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
