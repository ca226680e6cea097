/* Events of threads where a processor counts them: a stand-in for perf_event_open answers as the kernel does. */
#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probes/probe.h"
#include "recorded_root.h"
#include "run_suite.h"

enum { MOST = 4096 };

/* What the stand-in does, and what it saw. */
static struct {
    bool on;
    int paranoid;
    uint64_t running_ns; /* of the millisecond that each event is asked for */
    uint64_t enabled_ns;
    int n, descriptor[MOST], thread[MOST];
    int most_at_once; /* events of hardware of one thread that were open together */
} kernel;

/* A file that reads as the event before and after: 7000 counts. */
static long open_event(const struct perf_event_attr *a, int thread)
{
    const uint64_t samples[2][3] = {{100, 0, 0}, {7100, kernel.enabled_ns, kernel.running_ns}};
    if (kernel.paranoid > 1 && !a->exclude_kernel) {
        errno = EACCES;
        return -1;
    }
    int fd = memfd_create("event", MFD_CLOEXEC), at_once = 1;
    ck_assert(kernel.n < MOST && fd >= 0 && write(fd, samples, sizeof samples) == sizeof samples);
    lseek(fd, 0, SEEK_SET);
    if (a->type == PERF_TYPE_SOFTWARE)
        return fd;
    for (int i = 0; i < kernel.n; i++)
        if (kernel.descriptor[i] == fd) /* the number of one that was closed */
            kernel.descriptor[i] = -1;
    for (int i = 0; i < kernel.n; i++)
        at_once += kernel.thread[i] == thread && fcntl(kernel.descriptor[i], F_GETFD) >= 0;
    kernel.descriptor[kernel.n] = fd;
    kernel.thread[kernel.n++] = thread;
    kernel.most_at_once = at_once > kernel.most_at_once ? at_once : kernel.most_at_once;
    return fd;
}

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (kernel.on && number == SYS_perf_event_open)
        return open_event((const struct perf_event_attr *)a[0], (int)a[1]);
    if (!real)
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
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
    memset(kernel.descriptor, 0, sizeof kernel.descriptor);
    kernel.n = kernel.most_at_once = 0;
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
    kernel.enabled_ns = kernel.running_ns = 1000000;
    struct sp_core_events intel = observe(SP_FLOPS_INTEL), zen = observe(SP_FLOPS_ZEN_2);
    ck_assert_int_le(kernel.most_at_once, 4);
    observe(SP_FLOPS_INTEL);
    ck_assert_int_eq(kernel.most_at_once, 4);
    ck_assert(sp_value_known(of(&intel, "fp64 operations")) && sp_value_known(of(&intel, "fp32 operations")));
    ck_assert(sp_value_known(of(&zen, "fp operations")) && !sp_value_known(of(&zen, "fp64 operations")));
}
END_TEST

/* perf_event_paranoid is 2 nearly everywhere: a user may count what happens outside of the kernel. */
START_TEST(users_count_without_the_kernel)
{
    kernel.paranoid = 2;
    kernel.enabled_ns = kernel.running_ns = 1000000;
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
    kernel.enabled_ns = 1000000;
    struct sp_core_events events = observe(SP_FLOPS_INTEL);
    ck_assert(!sp_value_known(of(&events, "instructions")) &&
              !sp_value_known(of(&events, "fp64 operations")));
    ck_assert_str_eq(of(&events, "instructions").why, "the event was never on a counter");
    kernel.running_ns = 500000; /* half of the time: twice the counts */
    events = observe(SP_FLOPS_INTEL);
    double all = of(&events, "instructions").value, scalar_to_512 = of(&events, "fp64 operations").value;
    ck_assert_double_eq_tol(scalar_to_512, 15 * all, 1e-9 * scalar_to_512);
    ck_assert_double_eq(events.event[0].running_share, 0.5);
    kernel.enabled_ns = kernel.running_ns = 0;
    events = observe(SP_FLOPS_NONE);
    ck_assert_str_eq(of(&events, "instructions").why, "no thread ran");
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

int main(void)
{
    Suite *suite = suite_create("core_events");
    TCase *tc = tcase_create("core_events");
    tcase_add_test(tc, no_event_waits_for_a_counter);
    tcase_add_test(tc, users_count_without_the_kernel);
    tcase_add_test(tc, what_was_never_on_is_not_0);
    tcase_add_loop_test(tc, codes_are_of_the_cores, 0, sizeof cores / sizeof *cores);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
