/* Memory-controller events from constructed sysfs trees, the arithmetic of counts, and software events
 * counted live: what can be tested of counting where no hardware counts. */
#include <check.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "probes/memory_counts.h"
#include "recorded_root.h"
#include "sys/memory_pmu.h"
#include "sys/perf_count.h"

static char root[64];

static void open_tree(const char *recording, struct sp_memory_pmu *pmu)
{
    struct sp_error err;
    recorded_unpack(recording, root, sizeof root);
    ck_assert_msg(sp_memory_pmu_read(root, pmu, &err) == SP_OK, "%s", err.what);
}

START_TEST(intel_channels_once_a_socket)
{
    struct sp_memory_pmu pmu;
    open_tree("sysfs-imc.txt", &pmu);
    ck_assert_str_eq(pmu.kind, "Intel integrated memory controller");
    ck_assert_int_eq(pmu.n_pmus, 3);
    ck_assert_int_eq(pmu.n_cpus, 2);
    ck_assert_int_eq(pmu.n_events, 12);
    ck_assert_str_eq(pmu.event[8].pmu, "uncore_imc_10"); /* numbers in order, and no free-running unit */
    for (int i = 0; i < 12; i++) {
        const struct sp_memory_event *e = &pmu.event[i];
        ck_assert_int_eq(e->is_write, i % 2);
        ck_assert_int_eq(e->cpu, i / 2 % 2 ? 28 : 0);
        ck_assert_uint_eq(e->config[0], e->is_write ? 0x0c04 : 0x0304);
        ck_assert_double_eq_tol(e->B_per_count, 64, 1e-9);
        ck_assert(!e->scale_is_stated);
    }
    ck_assert_uint_eq(pmu.event[0].type, 15);
    ck_assert_uint_eq(pmu.event[11].type, 25);
    sp_memory_pmu_free(&pmu);
    recorded_remove(root);
}
END_TEST

START_TEST(amd_codes_come_from_the_event_list)
{
    struct sp_memory_pmu pmu;
    open_tree("sysfs-umc.txt", &pmu);
    ck_assert_int_eq(pmu.n_events, 4);
    ck_assert_uint_eq(pmu.event[0].config[0], 0x10a);
    ck_assert_uint_eq(pmu.event[1].config[0], 0x20a);
    ck_assert(pmu.event[1].is_write && pmu.event[1].scale_is_stated);
    ck_assert_double_eq(pmu.event[1].B_per_count, 64);
    sp_memory_pmu_free(&pmu);
    recorded_remove(root);
}
END_TEST

START_TEST(arm_controllers_of_every_die)
{
    struct sp_memory_pmu pmu;
    open_tree("sysfs-ddrc.txt", &pmu);
    ck_assert_int_eq(pmu.n_pmus, 2);
    ck_assert_int_eq(pmu.n_events, 4);
    ck_assert_int_eq(pmu.event[2].cpu, 32);
    ck_assert_uint_eq(pmu.event[2].config[0], 1);
    ck_assert_uint_eq(pmu.event[3].config[0], 0);
    ck_assert_double_eq(pmu.event[3].B_per_count, 32);
    sp_memory_pmu_free(&pmu);
    recorded_remove(root);
}
END_TEST

START_TEST(what_is_missing_is_named)
{
    struct sp_memory_pmu pmu;
    struct sp_error err;
    recorded_unpack("sysfs-vm.txt", root, sizeof root);
    ck_assert_int_eq(sp_memory_pmu_read(root, &pmu, &err), SP_ABSENT);
    ck_assert_ptr_nonnull(strstr(err.what, "exposes no unit"));
    ck_assert(err.remedy[0] && pmu.n_events == 0 && !pmu.event);
    recorded_write(root, "/sys/bus/event_source/devices/uncore_imc_0/type", "15");
    ck_assert_int_eq(sp_memory_pmu_read(root, &pmu, &err), SP_ABSENT);
    ck_assert_ptr_nonnull(strstr(err.what, "no processor"));
    recorded_write(root, "/sys/bus/event_source/devices/uncore_imc_0/cpumask", "0");
    ck_assert_int_eq(sp_memory_pmu_read(root, &pmu, &err), SP_ABSENT);
    ck_assert_ptr_nonnull(strstr(err.what, "no event"));
    recorded_write(root, "/sys/bus/event_source/devices/uncore_imc_0/events/cas_count_read", "event=0x4");
    ck_assert_int_eq(sp_memory_pmu_read(root, &pmu, &err), SP_ABSENT);
    ck_assert_ptr_nonnull(strstr(err.what, "how many bytes")); /* never guessed */
    recorded_remove(root);
}
END_TEST

START_TEST(terms_go_where_the_formats_say)
{
    uint64_t config[3];
    struct sp_error err;
    recorded_unpack("sysfs-umc.txt", root, sizeof root);
    recorded_write(root, "/sys/bus/event_source/devices/p/format/event", "config:0-7,32-35");
    recorded_write(root, "/sys/bus/event_source/devices/p/format/filter", "config1:8-15");
    recorded_write(root, "/sys/bus/event_source/devices/p/format/inv", "config:23");
    ck_assert_int_eq(sp_pmu_encode(root, "p", "event=0x1ff,inv,filter=0xab", config, &err), SP_OK);
    ck_assert_uint_eq(config[0], UINT64_C(0x1008000ff)); /* nine bits: eight below, one at 32; inv at 23 */
    ck_assert_uint_eq(config[1], 0xab00);
    ck_assert_int_eq(sp_pmu_encode(root, "p", "config2=0x10", config, &err), SP_OK);
    ck_assert_uint_eq(config[2], 0x10);
    static const char *const wrong[] = {"event=0x10000", "nothing=1", "event=zz", "event=,inv", ",", "inv=2"};
    for (int i = 0; i < 6; i++)
        ck_assert_msg(sp_pmu_encode(root, "p", wrong[i], config, &err) == SP_INPUT, "'%s' is taken",
                      wrong[i]);
    recorded_remove(root);
}
END_TEST

START_TEST(counts_are_scaled_or_refused)
{
    enum sp_count_trust trust;
    struct sp_perf_sample zero = {0, 0, 0}, full = {1000, 50, 50}, half = {1000, 100, 50},
                          never = {0, 100, 0};
    ck_assert_double_eq(sp_perf_count(zero, full, &trust), 1000);
    ck_assert_int_eq(trust, SP_COUNT_EXACT);
    ck_assert_double_eq(sp_perf_count(zero, half, &trust), 2000);
    ck_assert_int_eq(trust, SP_COUNT_MULTIPLEXED);
    ck_assert(isnan(sp_perf_count(zero, never, &trust)) && trust == SP_COUNT_NONE);
    ck_assert(isnan(sp_perf_count(full, zero, &trust)));                               /* backwards */
    ck_assert(isnan(sp_perf_count(zero, (struct sp_perf_sample){5, 50, 60}, &trust))); /* contradiction */
    ck_assert_uint_eq(sp_count_delta(UINT64_C(0xfffffffffff0), 0x10, 48), 0x20);
    ck_assert_uint_eq(sp_count_delta(5, 5, 48), 0);
    ck_assert_uint_eq(sp_count_delta(UINT64_MAX, 1, 64), 2);
}
END_TEST

/* The plumbing, live: the kernel counts these itself. */
START_TEST(software_events_are_counted)
{
    static const uint64_t faults[3] = {PERF_COUNT_SW_PAGE_FAULTS}, clock[3] = {PERF_COUNT_SW_TASK_CLOCK};
    int fd_faults, fd_clock;
    struct sp_error err;
    if (sp_perf_open(PERF_TYPE_SOFTWARE, faults, -1, &fd_faults, &err) != SP_OK ||
        sp_perf_open(PERF_TYPE_SOFTWARE, clock, -1, &fd_clock, &err) != SP_OK) {
        printf("SKIPPED software events: %s\n", err.what);
        return;
    }
    struct sp_perf_sample f0, f1, c0, c1;
    enum { PAGES = 500 };
    ck_assert(sp_perf_read(fd_faults, &f0) && sp_perf_read(fd_clock, &c0));
    char *p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(p, PAGES * 4096, MADV_NOHUGEPAGE);
    double start = sp_now();
    for (int i = 0; i < PAGES; i++)
        ((volatile char *)p)[i * 4096] = 1;
    volatile double x = 1;
    while (sp_now() < start + 0.05)
        x = x * 1.0000001;
    ck_assert(sp_perf_read(fd_faults, &f1) && sp_perf_read(fd_clock, &c1));
    double wall = sp_now() - start, n = sp_perf_count(f0, f1, NULL), ns = sp_perf_count(c0, c1, NULL);
    ck_assert_msg(n >= PAGES && n < PAGES + 200, "%g faults for %d pages", n, PAGES);
    ck_assert_msg(ns > 0.001e9 && ns < 1.1e9 * wall + 1e6, "%g ns of task clock in %g s", ns, wall);
    munmap(p, PAGES * 4096);
    close(fd_faults);
    close(fd_clock);
}
END_TEST

START_TEST(an_event_that_is_not_there_gives_a_reason)
{
    static const uint64_t none[3] = {0xffff};
    int fd;
    struct sp_error err;
    ck_assert_int_eq(sp_perf_open(PERF_TYPE_SOFTWARE, none, -1, &fd, &err), SP_ABSENT);
    ck_assert(err.what[0] && fd < 0);
}
END_TEST

/* Two channels, one line a count; three executions in a window of 0.3 s. */
static struct sp_memory_event events[4] = {{.B_per_count = 64},
                                           {.B_per_count = 64, .is_write = true},
                                           {.B_per_count = 64},
                                           {.B_per_count = 64, .is_write = true}};
static const struct sp_memory_pmu two_channels = {.n_pmus = 2, .n_cpus = 1, .n_events = 4, .event = events};

START_TEST(bytes_of_one_execution)
{
    struct sp_perf_sample before[4] = {{7, 10, 10}, {9, 10, 10}, {0, 10, 10}, {5, 10, 10}}, after[4], idle[4];
    const uint64_t counts[4] = {3000, 600, 3000, 660};
    for (int i = 0; i < 4; i++) {
        after[i] = (struct sp_perf_sample){before[i].value + counts[i], 300000010, 300000010};
        idle[i] = (struct sp_perf_sample){before[i].value + (i == 3 ? 20 : 0), 100000010, 100000010};
    }
    struct sp_count_window window = {before, after, 0.3}, quiet = {before, idle, 0.1};
    struct sp_traffic t = sp_memory_traffic(&two_channels, window, NULL, 3);
    ck_assert_double_eq(t.read_B.value, 2000 * 64.0);
    ck_assert_double_eq(t.write_B.value, 420 * 64.0);
    ck_assert(t.read_B.origin == SP_MEASURED && t.read_B.lo == t.read_B.hi);
    t = sp_memory_traffic(&two_channels, window, &quiet, 3); /* 20 counts in 0.1 s are 60 in 0.3 s */
    ck_assert_double_eq_tol(t.write_B.value, 400 * 64.0, 1e-6);
    after[0].running_ns = 150000010; /* half of the time: twice the count, and an interval */
    t = sp_memory_traffic(&two_channels, window, NULL, 3);
    ck_assert_double_eq_tol(t.read_B.value, 3000 * 64.0, 1e-6);
    ck_assert(t.read_B.lo < 1600 * 64.0 && t.read_B.hi > 4000 * 64.0);
    after[2].running_ns = before[2].running_ns; /* never on a counter */
    t = sp_memory_traffic(&two_channels, window, NULL, 3);
    ck_assert(t.read_B.origin == SP_NONE && t.read_B.why);
}
END_TEST

START_TEST(wrong_counters_are_called_by_their_names)
{
    static const struct {
        double counted;
        int channels;
        enum sp_trust trust;
        const char *words;
    } cases[] = {
        {1.02e9, 6, SP_TRUSTED, "1.020"},          {2.03e9, 6, SP_TRUST_MULTIPLE, "2 times"},
        {2.95e9, 6, SP_TRUST_MULTIPLE, "3 times"}, {0.835e9, 6, SP_TRUST_MISSING, "1 of 6"},
        {0.5e9, 4, SP_TRUST_MISSING, "2 of 4"},    {0, 6, SP_TRUST_NOTHING, "nothing"},
        {NAN, 6, SP_TRUST_NOTHING, "no number"},   {1.4e9, 6, SP_TRUST_OFF, "nothing simple"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_trust_verdict v = sp_trust_judge(cases[i].counted, 1e9, 0.05, cases[i].channels);
        ck_assert_msg(v.trust == cases[i].trust && strstr(v.text, cases[i].words), "case %zu: '%s'", i,
                      v.text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("counters");
    TCase *tc = tcase_create("counters");
    tcase_add_test(tc, intel_channels_once_a_socket);
    tcase_add_test(tc, amd_codes_come_from_the_event_list);
    tcase_add_test(tc, arm_controllers_of_every_die);
    tcase_add_test(tc, what_is_missing_is_named);
    tcase_add_test(tc, terms_go_where_the_formats_say);
    tcase_add_test(tc, counts_are_scaled_or_refused);
    tcase_add_test(tc, bytes_of_one_execution);
    tcase_add_test(tc, wrong_counters_are_called_by_their_names);
    tcase_add_test(tc, software_events_are_counted);
    tcase_add_test(tc, an_event_that_is_not_there_gives_a_reason);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
