/* Memory-controller events from constructed sysfs trees, and software events counted live: what can be tested
 * of the kernel's side of counting where no hardware counts. The arithmetic of counts: test_count_log.c. */
#include <check.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "recorded_root.h"
#include "run_suite.h"
#include "sys/counters/counters.h"
#include "sys/counters/memory_pmu.h"

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
    ck_assert_int_eq(pmu.n_units, 6);
    ck_assert_int_eq(pmu.n_sockets, 2);
    ck_assert_int_eq(pmu.n_events, 12);
    ck_assert_str_eq(pmu.event[8].pmu, "uncore_imc_10"); /* numbers in order, and no free-running unit */
    for (int i = 0; i < 12; i++) {
        const struct sp_memory_event *e = &pmu.event[i];
        ck_assert_int_eq(e->direction, i % 2 ? SP_WRITES : SP_READS);
        ck_assert_int_eq(e->domain, i / 2 % 2);
        ck_assert_int_eq(e->channel, i / 4);
        ck_assert_int_eq(e->cpu, i / 2 % 2 ? 28 : 0);
        ck_assert_uint_eq(e->config[0], e->direction == SP_WRITES ? 0x0c04 : 0x0304);
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
    ck_assert(pmu.event[1].direction == SP_WRITES && pmu.event[1].scale_is_stated);
    ck_assert_double_eq(pmu.event[1].B_per_count, 64);
    sp_memory_pmu_free(&pmu);
    recorded_remove(root);
}
END_TEST

/* Granite Rapids: two halves of a channel, each with events of its own. */
START_TEST(halves_of_channels_add_up)
{
    struct sp_memory_pmu pmu;
    struct sp_error err;
    static const struct {
        const char *event, *terms;
    } events[] = {{"cas_count_read_sch0", "event=0x05,umask=0xcf"},
                  {"cas_count_read_sch1", "event=0x06,umask=0xcf"},
                  {"cas_count_write_sch0", "event=0x05,umask=0xf0"},
                  {"cas_count_write_sch1", "event=0x06,umask=0xf0"}};
    recorded_unpack("sysfs-vm.txt", root, sizeof root);
    for (int unit = 0; unit < 2; unit++) {
        char path[128];
        static const char *const files[] = {"type", "cpumask", "format/event", "format/umask"},
                                 *const texts[] = {"90", "0,28", "config:0-7", "config:8-15"};
        for (int f = 0; f < 4; f++) {
            snprintf(path, sizeof path, "/sys/bus/event_source/devices/uncore_imc_%d/%s", unit, files[f]);
            recorded_write(root, path, texts[f]);
        }
        for (int e = 0; e < 4; e++) {
            const int n = snprintf(path, sizeof path, "/sys/bus/event_source/devices/uncore_imc_%d/events/%s",
                                   unit, events[e].event);
            recorded_write(root, path, events[e].terms);
            snprintf(path + n, sizeof path - (size_t)n, ".scale");
            recorded_write(root, path, "6.103515625e-5");
            snprintf(path + n, sizeof path - (size_t)n, ".unit");
            recorded_write(root, path, "MiB");
        }
    }
    ck_assert_msg(sp_memory_pmu_read(root, &pmu, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(pmu.n_events, 16);
    ck_assert_int_eq(pmu.n_units, 4);
    ck_assert_uint_eq(pmu.event[1].config[0], 0xcf06);
    ck_assert_uint_eq(pmu.event[2].config[0], 0xf005);
    ck_assert_int_eq(pmu.event[2].direction, SP_WRITES);
    ck_assert_double_eq_tol(pmu.event[3].B_per_count, 64, 1e-9);
    ck_assert_int_eq(pmu.event[9].channel, 3); /* the second half of the second unit */
    sp_memory_pmu_free(&pmu);
    recorded_remove(root);
}
END_TEST

/* AMD numbers the units of all sockets on, each with a cpumask of its own socket. */
START_TEST(units_of_both_sockets_are_told)
{
    struct sp_memory_pmu pmu;
    struct sp_error err;
    recorded_unpack("sysfs-umc.txt", root, sizeof root);
    recorded_write(root, "/sys/bus/event_source/devices/amd_umc_1/cpumask", "64");
    recorded_write(root, "/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0");
    recorded_write(root, "/sys/devices/system/cpu/cpu64/topology/physical_package_id", "1");
    ck_assert_msg(sp_memory_pmu_read(root, &pmu, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(pmu.n_units, 2);
    ck_assert_int_eq(pmu.n_sockets, 2);
    ck_assert_int_eq(pmu.event[3].domain, 1);
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
    ck_assert_ptr_nonnull(strstr(err.what, "no memory counters here"));
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

/* Zen 2 and 3 count both directions in one event a channel; the fabric of Zen 4 has other codes. */
START_TEST(amd_fabric_counts_both_ways_in_two_passes)
{
    struct sp_memory_pmu pmu;
    struct sp_error err;
    recorded_unpack("sysfs-vm.txt", root, sizeof root);
    recorded_write(root, "/sys/bus/event_source/devices/amd_df/type", "8");
    recorded_write(root, "/sys/bus/event_source/devices/amd_df/cpumask", "0,64");
    recorded_write(root, "/sys/bus/event_source/devices/amd_df/format/event", "config:0-7,32-35,59-60");
    recorded_write(root, "/sys/bus/event_source/devices/amd_df/format/umask", "config:8-15");
    recorded_write(root, "/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0");
    recorded_write(root, "/sys/devices/system/cpu/cpu64/topology/physical_package_id", "1");
    ck_assert_msg(sp_memory_pmu_read(root, &pmu, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(pmu.n_events, 16);
    ck_assert_int_eq(pmu.n_passes, 2);
    ck_assert_int_eq(pmu.event[4].direction, SP_READS_AND_WRITES);
    ck_assert_int_eq(pmu.event[3].pass, 0);
    ck_assert_int_eq(pmu.event[4].pass, 1);
    ck_assert_int_eq(pmu.event[15].channel, 7);
    ck_assert_int_eq(pmu.event[15].domain, 1);
    ck_assert_uint_eq(pmu.event[4].config[0], UINT64_C(0x100003807)); /* 0x107: bit 8 goes to 32 */
    sp_memory_pmu_free(&pmu);
    recorded_write(root, "/sys/bus/event_source/devices/amd_df/format/umask", "config:8-15,24-27");
    ck_assert_int_eq(sp_memory_pmu_read(root, &pmu, &err), SP_ABSENT);
    ck_assert_ptr_nonnull(strstr(err.what, "generation"));
    ck_assert_ptr_nonnull(strstr(err.remedy, "amd_umc"));
    recorded_remove(root);
}
END_TEST

/* Xeon Max: HBM beside DDR, each with its own bytes a count. */
START_TEST(hbm_counts_beside_ddr)
{
    struct sp_memory_pmu pmu;
    struct sp_error err;
    recorded_unpack("sysfs-imc.txt", root, sizeof root);
    for (int i = 0; i < 2; i++) {
        char path[128];
        static const char *const files[] = {"type", "cpumask", "format/event", "format/umask"},
                                 *const texts[] = {"90", "0,28", "config:0-7", "config:8-15,32-63"};
        for (int f = 0; f < 4; f++) {
            snprintf(path, sizeof path, "/sys/bus/event_source/devices/uncore_hbm_%d/%s", i, files[f]);
            recorded_write(root, path, texts[f]);
        }
    }
    ck_assert_msg(sp_memory_pmu_read(root, &pmu, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(pmu.n_events, 12 + 8);
    ck_assert_int_eq(pmu.n_pmus, 5);
    ck_assert_double_eq_tol(pmu.event[0].B_per_count, 64, 1e-9);
    ck_assert_double_eq(pmu.event[12].B_per_count, 32);
    ck_assert_uint_eq(pmu.event[12].config[0], 0xcf05);
    ck_assert_uint_eq(pmu.event[13].config[0], 0xf005);
    ck_assert_int_eq(pmu.event[13].direction, SP_WRITES);
    ck_assert_int_eq(pmu.event[14].domain, 1);
    ck_assert_int_eq(pmu.event[19].channel, 4);
    sp_memory_pmu_free(&pmu);
    /* DDR alone would be a part of the traffic; what is wrong with HBM is said */
    recorded_write(root, "/sys/bus/event_source/devices/uncore_hbm_1/format/umask", "config:8-9");
    ck_assert_int_eq(sp_memory_pmu_read(root, &pmu, &err), SP_ABSENT);
    ck_assert_msg(strstr(err.what, "uncore_hbm_1") && pmu.n_events == 0, "'%s'", err.what);
    recorded_remove(root);
}
END_TEST

START_TEST(arm_filters_tell_reads_from_writes)
{
    struct sp_memory_pmu pmu;
    struct sp_error err;
    recorded_unpack("sysfs-vm.txt", root, sizeof root);
    recorded_write(root, "/sys/bus/event_source/devices/arm_dmc620_10008c000/type", "12");
    recorded_write(root, "/sys/bus/event_source/devices/arm_dmc620_10008c000/cpumask", "0");
    recorded_write(root, "/sys/bus/event_source/devices/arm_dmc620_10008c000/format/eventid", "config:3-8");
    recorded_write(root, "/sys/bus/event_source/devices/arm_dmc620_10008c000/format/clkdiv2", "config:9");
    recorded_write(root, "/sys/bus/event_source/devices/arm_dmc620_10008c000/format/mask", "config:10-19");
    recorded_write(root, "/sys/bus/event_source/devices/arm_dmc620_10008c000/format/match", "config:20-29");
    recorded_write(root, "/sys/bus/event_source/devices/arm_dmc620_10008c000/events/clkdiv2_rdwr",
                   "eventid=0x12,clkdiv2=0x1");
    ck_assert_msg(sp_memory_pmu_read(root, &pmu, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(pmu.n_events, 2);
    ck_assert_uint_eq(pmu.event[0].config[0], 0x12 << 3 | 1 << 9 | 1 << 10);
    ck_assert_uint_eq(pmu.event[1].config[0], 0x12 << 3 | 1 << 9 | 1 << 10 | 1 << 20);
    sp_memory_pmu_free(&pmu);
    recorded_remove(root);
}
END_TEST

/* The plumbing, live: the kernel counts these itself. */
START_TEST(software_events_are_counted)
{
    static const uint64_t faults[3] = {PERF_COUNT_SW_PAGE_FAULTS}, clock[3] = {PERF_COUNT_SW_TASK_CLOCK};
    int fd_faults, fd_clock;
    struct sp_error err;
    if (sp_perf_open(PERF_TYPE_SOFTWARE, faults, -1, 0, &fd_faults, &err) != SP_OK ||
        sp_perf_open(PERF_TYPE_SOFTWARE, clock, -1, 0, &fd_clock, &err) != SP_OK) {
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
    double wall = sp_now() - start, n = (double)(f1.value - f0.value), ns = (double)(c1.value - c0.value);
    ck_assert_uint_eq(f1.running_ns - f0.running_ns, f1.enabled_ns - f0.enabled_ns);
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
    ck_assert_int_eq(sp_perf_open(PERF_TYPE_SOFTWARE, none, -1, 0, &fd, &err), SP_ABSENT);
    ck_assert(err.what[0] && fd < 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("counters");
    TCase *tc = tcase_create("counters");
    tcase_add_test(tc, intel_channels_once_a_socket);
    tcase_add_test(tc, amd_codes_come_from_the_event_list);
    tcase_add_test(tc, halves_of_channels_add_up);
    tcase_add_test(tc, units_of_both_sockets_are_told);
    tcase_add_test(tc, arm_controllers_of_every_die);
    tcase_add_test(tc, what_is_missing_is_named);
    tcase_add_test(tc, terms_go_where_the_formats_say);
    tcase_add_test(tc, amd_fabric_counts_both_ways_in_two_passes);
    tcase_add_test(tc, hbm_counts_beside_ddr);
    tcase_add_test(tc, arm_filters_tell_reads_from_writes);
    tcase_add_test(tc, software_events_are_counted);
    tcase_add_test(tc, an_event_that_is_not_there_gives_a_reason);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
