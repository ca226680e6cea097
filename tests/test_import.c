/* Runs of others: times as people write them, what perf stat and ncu print, and the analysis that
 * rests on either. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/machine/machine_file.h"
#include "io/profiler_output.h"
#include "probes/likwid_metrics.h"
#include "run_suite.h"
#include "session/analyze/analyze.h"
#include "session/record/imports.h"

static const struct {
    const char *text;
    int n;
    double time_s[3];
} good[] = {
    {"1.23ms", 1, {1.23e-3}},
    {"1.23 ms", 1, {1.23e-3}},
    {"850us,0.9ms;1s", 3, {850e-6, 0.9e-3, 1}},
    {"12\xc2\xb5s, 13\xce\xbcs", 2, {12e-6, 13e-6}},
    {"900ns", 1, {900e-9}},
    {"0.00123", 1, {1.23e-3}},
    {"1e-3 2E-3\t.5", 3, {1e-3, 2e-3, 0.5}},
    {"2min", 1, {120}},
};

START_TEST(times_are_read_with_their_units)
{
    struct sp_times t = {0};
    ck_assert_int_eq(sp_times_of_text(good[_i].text, "--time", &t, NULL), SP_OK);
    ck_assert_int_eq(t.n, good[_i].n);
    for (int k = 0; k < good[_i].n; k++)
        ck_assert_double_eq_tol(t.time_s[k], good[_i].time_s[k], 1e-9 * good[_i].time_s[k]);
    sp_times_free(&t);
    sp_times_free(&t);
}
END_TEST

static const char *const bad[] = {"",         "ms",        "0",
                                  "-1ms",     "1.23mss",   "1,23ms",
                                  "3 ms 4",   "+1ms",      "1ms,,x",
                                  "nan",      "inf",       "1e999",
                                  "1ms,2",    "1ms,two",   "0x10ms",
                                  "1..2s",    "1ms#",      "1 2ms",
                                  "1e",       "1-2",       "1e-400",
                                  "1ms\x01",  ",",         "1%",
                                  "1ms,,2ms", "1ms; ;2ms", "12345678901234567890123456789012ms"};

START_TEST(what_is_no_time_is_refused)
{
    struct sp_times t = {0};
    struct sp_error err;
    ck_assert_msg(sp_times_of_text(bad[_i], "--time", &t, &err) == SP_USAGE, "%s", bad[_i]);
    ck_assert(t.time_s == NULL && strcmp(err.path, "--time") == 0 && *err.what && *err.remedy);
}
END_TEST

START_TEST(a_file_of_times_has_comments_and_lines)
{
    char path[] = "/tmp/spmodel-times-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    struct sp_times t;
    struct sp_error err;
    fputs("# rank 0\n1.5 ms\r\n\n1.25ms, 2ms # warm\n", f);
    fclose(f);
    ck_assert_int_eq(sp_times_read(path, &t, NULL), SP_OK);
    ck_assert(t.n == 3 && t.time_s[1] == 1.25e-3);
    sp_times_free(&t);
    f = fopen(path, "w");
    fputs("1ms\n# a\nslow\n", f);
    fclose(f);
    ck_assert_int_eq(sp_times_read(path, &t, &err), SP_INPUT);
    ck_assert_int_eq(err.line, 3);
    remove(path);
}
END_TEST

START_TEST(times_that_cannot_be_make_no_recording)
{
    static const double times[][2] = {{1e-3, 0}, {1e-3, -1}, {NAN, 1}, {INFINITY, 1}};
    const struct sp_timed_run run = {.from = "here", .origin = SP_STATED};
    struct sp_recording r;
    struct sp_error err;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        ck_assert_int_eq(sp_recording_of_times(times[i], 2, 2, &run, &r, &err), SP_USAGE);
    ck_assert_int_eq(sp_recording_of_times(times[0], 0, 2, &run, &r, &err), SP_USAGE);
    ck_assert_int_eq(sp_recording_of_times(times[0], 1, 0, &run, &r, &err), SP_USAGE);
    sp_recording_free(&r);
}
END_TEST

/* ---- perf stat -x ---- */

static enum sp_status read_perf(const char *text, struct sp_perf_csv *csv, struct sp_error *err)
{
    char path[] = "/tmp/spmodel-perf-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fputs(text, f);
    fclose(f);
    const enum sp_status status = sp_perf_csv_read(path, csv, err);
    remove(path);
    return status;
}

/* A line in each of the forms of perf 4 to 6, as perf prints it. */
static const struct {
    const char *line, *place, *name, *unit;
    double value, running;
    int state;
} lines[] = {
    {"51,,page-faults,515017,100.00,99.026,K/sec", "", "page-faults", "", 51, 1, SP_PERF_COUNTED},
    {"0.52,msec,task-clock,515017,100.00,0.443,CPUs utilized", "", "task-clock", "msec", 0.52, 1,
     SP_PERF_COUNTED},
    {"<not supported>,,cycles,0,100.00,,", "", "cycles", "", NAN, 1, SP_PERF_NOT_SUPPORTED},
    {"<not counted>,,cycles,0,0.00,,", "", "cycles", "", NAN, 0, SP_PERF_NOT_COUNTED},
    {"848915,ns,duration_time,83.55%,848915,100.00,1.746,G/sec", "", "duration_time", "ns", 848915, 1,
     SP_PERF_COUNTED},
    {"CPU0,7101,,page-faults,106101541,100.00,66.927,K/sec", "CPU0", "page-faults", "", 7101, 1,
     SP_PERF_COUNTED},
    {"S0,2,6526,,page-faults,224378516,42.00,29.085,K/sec", "S0", "page-faults", "", 6526, 0.42,
     SP_PERF_COUNTED},
    {"S0-D0-C1;1;2984;;page-faults;102642568;100.00;29.072;K/sec", "S0-D0-C1", "page-faults", "", 2984, 1,
     SP_PERF_COUNTED},
    {"N0,2,25.08,msec,cpu-clock,25080950,100.00,1.878,CPUs utilized", "N0", "cpu-clock", "msec", 25.08, 1,
     SP_PERF_COUNTED},
    {"S0-D0-L3-ID0,2,9,,cache-misses,25080950,100.00,,", "S0-D0-L3-ID0", "cache-misses", "", 9, 1,
     SP_PERF_COUNTED},
    {"sleep-4711,9,,cache-misses,25080950,100.00,,", "sleep-4711", "cache-misses", "", 9, 1, SP_PERF_COUNTED},
    {"1.50,MiB,uncore_imc_0/event=0x4,umask=0x3/,7,50.00,,", "", "uncore_imc_0/event=0x4,umask=0x3/", "MiB",
     1.5, 0.5, SP_PERF_COUNTED},
    {"1,,cpu/event=0xd1,umask=0x20,name=x/u,7,100.00,,", "", "cpu/event=0xd1,umask=0x20,name=x/u", "", 1, 1,
     SP_PERF_COUNTED},
    {"7,,cycles,system.slice,515017,99.00,,", "", "cycles", "", 7, 0.99, SP_PERF_COUNTED},
    {"7,,cycles", "", "cycles", "", 7, 1, SP_PERF_COUNTED},
};

START_TEST(lines_of_perf_are_understood)
{
    struct sp_perf_csv csv;
    struct sp_error err;
    ck_assert_msg(read_perf(lines[_i].line, &csv, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(csv.n, 1);
    const struct sp_perf_row *row = csv.row;
    ck_assert_str_eq(row->place, lines[_i].place);
    ck_assert_str_eq(row->name, lines[_i].name);
    ck_assert_str_eq(row->unit, lines[_i].unit);
    ck_assert_int_eq(row->state, lines[_i].state);
    ck_assert(row->value == lines[_i].value || (isnan(row->value) && isnan(lines[_i].value)));
    ck_assert_double_eq_tol(row->running, lines[_i].running, 1e-12);
    sp_perf_csv_free(&csv);
    sp_perf_csv_free(&csv);
}
END_TEST

static const struct {
    const char *text, *says;
} no_perf[] = {
    {"", "no count"},
    {"hello, world\n", "no count"},
    {"{\"counter-value\" : \"0.5\"}\n", "JSON"},
    {"\n Performance counter stats for 'true':\n\n", "for people"},
    {"     0.050103021,77,,page-faults,829526,100.00,,\n", "intervals"},
    {"-7,,cycles,7,100.00,,\n", "below 0"},
    {"7,,cycles,7,250.00,,\n", "percentage"},
    {"7,,,7,100.00,,\n", "no event"},
    {"7,8,9,10\n", "no count"},
};

START_TEST(what_perf_did_not_print_is_refused)
{
    struct sp_perf_csv csv;
    struct sp_error err;
    ck_assert_msg(read_perf(no_perf[_i].text, &csv, &err) == SP_INPUT, "%s", no_perf[_i].text);
    ck_assert_msg(strstr(err.what, no_perf[_i].says) != NULL && *err.remedy, "%s", err.what);
    ck_assert_ptr_null(csv.row);
}
END_TEST

START_TEST(the_summary_stands_for_its_intervals)
{
    struct sp_perf_csv csv;
    ck_assert_int_eq(
        read_perf(" 0.05,0.69,msec,cpu-clock,694285,100.00,,\n 0.10,0.05,msec,cpu-clock,9,100.00,,\n"
                  "         summary,0.75,msec,cpu-clock,748005,100.00,,\n 0.1 seconds time elapsed\n",
                  &csv, NULL),
        SP_OK);
    ck_assert(csv.n == 1 && csv.row[0].value == 0.75 && csv.elapsed_s == 0.1);
    sp_perf_csv_free(&csv);
}
END_TEST

/* What is counted: bytes of an execution, from which events. */
static const struct {
    const char *text;
    double read_B, write_B; /* NAN: not counted */
    double running;
} counted[] = {
    {"10,MiB,uncore_imc/cas_count_read/,7,100.00,,\n5,MiB,uncore_imc/cas_count_write/,7,100.00,,\n", 1048576,
     524288, 1},
    {"1,MiB,uncore_imc_0/cas_count_read/,7,100,,\n9,MiB,uncore_imc_1/cas_count_read/,7,100,,\n"
     "5,MiB,uncore_imc_0/cas_count_write/,7,100,,\n5,MiB,uncore_imc_free_running/data_read/,7,100,,\n"
     "99,,LLC-load-misses,7,100.00,,\n",
     1048576, 524288, 1},
    {"100,,unc_m_cas_count.rd,7,50.00,,\n10,,UNC_M_CAS_COUNT.WR,7,100.00,,\n", 640, 64, 0.5},
    {"S0,2,100,,amd_umc/event=0xa,rdwrmask=1/,7,100,,\nS1,2,100,,amd_umc/event=0xa,rdwrmask=1/,7,100,,\n"
     "S0,2,10,,umc_cas_cmd.wr,7,100,,\n",
     1280, 64, 1},
    /* both directions beside each of them, and other names for the same */
    {"100,,umc_cas_cmd.rd,7,100,,\n10,,umc_cas_cmd.wr,7,100,,\n110,,umc_cas_cmd.all,7,100,,\n", 640, 64, 1},
    {"100,,unc_m_cas_count.rd,7,100,,\n6400,Bytes,llc_misses.mem_read,7,100,,\n"
     "0.006103515625,MiB,uncore_imc/cas_count_read/,7,100,,\n10,,unc_m_cas_count.wr,7,100,,\n",
     640, 64, 1},
    {"640,Bytes,llc_misses.mem_read,7,100,,\n64,Bytes,llc_misses.mem_write,7,100,,\n", 64, 6.4, 1},
    {"0.006103515625,MiB,uncore_imc/cas_count_read_sch0/,7,100,,\n100,,unc_m_cas_count_sch1.rd,7,100,,\n"
     "0.006103515625,MiB,uncore_imc/cas_count_read_sch1/,7,100,,\n10,,unc_m_cas_count_sch0.wr,7,100,,\n",
     1280, 64, 1},
    {"100,,arm_dmc620_10008c000/clkdiv2_rdwr,match=0,mask=0x1/,7,100,,\n", 640, NAN, 1},
    {"100,,hisi_sccl1_ddrc0/flux_rd/,7,100,,\n100,,hisi_sccl1_ddrc0/flux_wr/,7,100,,\n", 320, 320, 1},
    {"100,,nvidia_scf_pmu_0/cmem_rd_data/,7,100,,\n100,,nvidia_scf_pmu_0/cmem_wr_total_bytes/,7,100,,\n", 320,
     10, 1},
    {"100,,LLC-load-misses:u,7,100,,\n20,,LLC-store-misses:u,7,100,,\n9,,cycles,7,100,,\n", 768, NAN, 1},
    {"100,,cpu_core/cache-misses/,7,100,,\n100,,cpu_atom/cache-misses/,7,100,,\n", 1280, NAN, 1},
};

START_TEST(bytes_come_from_the_best_events)
{
    struct sp_perf_csv csv;
    struct sp_recording r;
    struct sp_byte_source source;
    struct sp_error err;
    const struct sp_import_options o = {.executions = 10, .n_threads = 4};
    char text[1000];
    snprintf(text, sizeof text, "%s1000000,ns,duration_time,1000000,100.00,,\n", counted[_i].text);
    ck_assert_int_eq(read_perf(text, &csv, NULL), SP_OK);
    ck_assert_msg(sp_import_perf(&csv, "a file", &o, &r, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(sp_byte_source_of_recording(&r, &source, NULL), SP_OK);
    const struct sp_counted c =
        sp_count_log_bytes(source.probe->log(source.session), SP_WINDOW_JOB, NULL, "MEM", -1);
    ck_assert_double_eq_tol(c.read_B.value, counted[_i].read_B, 1e-6 * counted[_i].read_B);
    if (isnan(counted[_i].write_B))
        ck_assert(!sp_value_known(c.write_B));
    else
        ck_assert_double_eq_tol(c.write_B.value, counted[_i].write_B, 1e-6 * counted[_i].write_B);
    ck_assert_double_eq_tol(c.running_share, counted[_i].running, 1e-9);
    sp_byte_source_close(&source);
    sp_perf_csv_free(&csv);
}
END_TEST

static const struct {
    const char *text, *says;
    int executions;
    enum sp_status status;
} no_bytes[] = {
    {"7,,cycles,7,100,,\n7,ns,duration_time,7,100,,\n", "counts bytes of memory", 10, SP_INPUT},
    {"7,MiB,uncore_imc/cas_count_read/,7,100,,\n", "no time", 10, SP_INPUT},
    {"7,MiB,uncore_imc/cas_count_read/,7,100,,\n7,ns,duration_time,7,100,,\n", "how many products", 0,
     SP_USAGE},
    {"7,MiB,uncore_imc/cas_count_write/,7,100,,\n7,ns,duration_time,7,100,,\n", "only what is written", 10,
     SP_INPUT},
    {"<not counted>,MiB,uncore_imc/cas_count_read/,0,0,,\n7,ns,duration_time,7,100,,\n", "<not counted>", 10,
     SP_INPUT},
    {"7,GHz,uncore_imc/cas_count_read/,7,100,,\n7,ns,duration_time,7,100,,\n", "no unit of bytes", 10,
     SP_INPUT},
    {"7,,unc_m_cas_count.rd,7,100,,\n7,,unc_m_cas_count.rd,7,100,,\n7,ns,duration_time,7,100,,\n",
     "would count twice", 10, SP_INPUT},
};

START_TEST(counts_without_bytes_or_time_are_refused)
{
    struct sp_perf_csv csv;
    struct sp_recording r;
    struct sp_error err;
    const struct sp_import_options o = {.executions = no_bytes[_i].executions, .n_threads = 4};
    ck_assert_int_eq(read_perf(no_bytes[_i].text, &csv, NULL), SP_OK);
    ck_assert_int_eq(sp_import_perf(&csv, "a file", &o, &r, &err), no_bytes[_i].status);
    ck_assert_msg(strstr(err.what, no_bytes[_i].says) != NULL && *err.remedy, "%s", err.what);
    sp_perf_csv_free(&csv);
}
END_TEST

/* ---- likwid-perfctr ---- */

/* Metrics in the order of their groups; what is kept is marked by the string behind the last. */
static const struct {
    const char *metric[7][2]; /* group, metric without its unit */
    const char *kept;
} groups[] = {
    /* Zen 4 since LIKWID 5.4: MEM of the controllers, MEM1 and MEM2 of the fabric's channels */
    {{{"MEM", "Memory read data volume"},
      {"MEM", "Memory write data volume"},
      {"MEM", "Memory data volume"},
      {"MEM1", "Memory data volume (channels 0-3)"},
      {"MEM2", "Memory data volume (channels 4-7)"}},
     "yyn--"},
    {{{"MEM2", "Memory data volume (channels 4-7)"},
      {"MEM1", "Memory data volume (channels 0-3)"},
      {"MEM", "Memory data volume"}},
     "--y"},
    {{{"MEM1", "Memory data volume (channels 0-3)"}, {"MEM2", "Memory data volume (channels 4-7)"}}, "yy"},
    /* Zen 5 */
    {{{"MEMREAD", "Memory read data volume"},
      {"MEM", "Memory data volume"},
      {"MEMWRITE", "Memory write data volume"}},
     "yny"},
    /* Knights Landing: two memories by one name */
    {{{"HBM", "Memory read data volume"},
      {"HBM", "Memory writeback data volume"},
      {"HBM", "Memory data volume"},
      {"MEM", "Memory read data volume"},
      {"MEM", "Memory writeback data volume"}},
     "yynyy"},
    {{{"HBM_CACHE", "MCDRAM Memory read data volume"},
      {"HBM_CACHE", "MCDRAM Memory writeback data volume"},
      {"HBM_CACHE", "MCDRAM Memory data volume"},
      {"HBM_CACHE", "DDR Memory read data volume"},
      {"HBM_CACHE", "DDR Memory writeback data volume"},
      {"HBM_CACHE", "DDR Memory data volume"}},
     "yynyyn"},
    {{{"DDR_HBM", "DDR read data volume"},
      {"DDR_HBM", "DDR write data volume"},
      {"DDR_HBM", "HBM read data volume"},
      {"DDR_HBM", "HBM write data volume"}},
     "yyyy"},
    {{{"L3", "L3 load data volume"}, {"L3", "L3 evict data volume"}, {"L3", "L3 data volume"}}, "yyn"},
    {{{"NUMA", "Remote memory data volume"}, {"CACHES", "L3 to/from system data volume"}}, "xx"},
};

START_TEST(volumes_of_groups_count_once)
{
    struct sp_likwid_metric metric[7];
    int group[7] = {0}, n = 0;
    bool keep[7];
    char name[64];
    for (; n < 7 && groups[_i].metric[n][0]; n++) {
        group[n] =
            n > 0 ? group[n - 1] + (strcmp(groups[_i].metric[n][0], groups[_i].metric[n - 1][0]) != 0) : 0;
        snprintf(name, sizeof name, "%s [GBytes]", groups[_i].metric[n][1]);
        ck_assert_int_eq(sp_likwid_metric_of(groups[_i].metric[n][0], name, &metric[n]),
                         groups[_i].kept[n] != 'x');
    }
    ck_assert_int_eq(n, strlen(groups[_i].kept));
    if (groups[_i].kept[0] == 'x')
        return;
    ck_assert_ptr_null(sp_likwid_choose(n, metric, group, keep));
    for (int i = 0; i < n; i++)
        ck_assert_msg(keep[i] == (groups[_i].kept[i] == 'y'), "%s of %s", groups[_i].metric[i][1],
                      groups[_i].metric[i][0]);
}
END_TEST

/* Seconds of two threads in a region; unknown ones of one thread say nothing of balance. */
static const struct {
    const char *seconds;
    bool has_threads;
} regions[] = {{"0.5,0.4", true}, {"0.5,0", false}, {"0.5,-", false}};

START_TEST(threads_outside_of_a_region_have_no_time)
{
    char path[] = "/tmp/spmodel-likwid-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    struct sp_likwid_csv csv;
    struct sp_recording r;
    struct sp_error err;
    const struct sp_import_options o = {0};
    fprintf(f,
            "TABLE,Region spmv,Group 1 Raw,MEM,1,\nRegion Info,HWThread 0,HWThread 1,\n"
            "RDTSC Runtime [s],%s,\ncall count,100,100,\nTABLE,Region spmv,Group 1 Metric,MEM,2,\n"
            "Metric,HWThread 0,HWThread 1,\nMemory read data volume [GBytes],2,0,\n"
            "Memory write data volume [GBytes],1,0,\n",
            regions[_i].seconds);
    fclose(f);
    ck_assert_msg(sp_likwid_csv_read(path, &csv, &err) == SP_OK, "%s", err.what);
    ck_assert_msg(sp_import_likwid(&csv, path, &o, &r, &err) == SP_OK, "%s", err.what);
    const json_t *run = json_array_get(sp_record_node(&r.record, SP_F_RUNS), 0);
    ck_assert_double_eq_tol(json_real_value(json_array_get(json_object_get(run, "time_s"), 0)), 5e-3, 1e-9);
    ck_assert_int_eq(json_object_get(run, "thread_time_s") != NULL, regions[_i].has_threads);
    sp_recording_free(&r);
    sp_likwid_csv_free(&csv);
    remove(path);
}
END_TEST

/* ---- ncu --csv ---- */

/* Both pages say the same of a product: 128 MB + 64 MB read, 16 MB written, in 200 us. */
static const struct {
    const char *file, *region;
    int64_t executions, n_launches;
    double read_B, write_B, time_s;
} profiles[] = {
    {"ncu-raw.csv", "csr_vector", 0, 10, 192e6, 16e6, 200e-6},
    {"ncu-raw.csv", "constructed_", 0, 10, 224e6, 16.01e6, 228.5e-6},
    {"ncu-raw.csv", "csr_vector", 1, 10, 960e6, 80e6, 1000e-6},
    {"ncu-details.csv", "csrmv", 0, 6, 192e6, 16e6, 200e-6},
    {"ncu-details.csv", "partition", 0, 6, 64e6, 0, 80e-6},
};

START_TEST(launches_make_products)
{
    char path[512];
    struct sp_ncu_csv csv;
    struct sp_gpu_recorded g;
    struct sp_error err;
    const struct sp_import_options o = {.region = profiles[_i].region, .executions = profiles[_i].executions};
    snprintf(path, sizeof path, SP_TEST_DATA "/%s", profiles[_i].file);
    ck_assert_msg(sp_ncu_csv_read(path, &csv, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(csv.n_launches, profiles[_i].n_launches);
    ck_assert(csv.constructed && strcmp(csv.cc, "8.0") == 0);
    ck_assert_msg(sp_import_ncu(&csv, path, &o, &g, &err) == SP_OK, "%s", err.what);
    ck_assert_double_eq_tol(g.counts.of[SP_GPU_DRAM_READ].value, profiles[_i].read_B,
                            1e-6 * profiles[_i].read_B);
    ck_assert_double_eq_tol(g.counts.of[SP_GPU_DRAM_WRITE].value, profiles[_i].write_B,
                            1 + 1e-6 * profiles[_i].write_B);
    ck_assert_double_eq_tol(g.counts.of[SP_GPU_TIME].value, profiles[_i].time_s, 1e-9);
    ck_assert(g.counts.of[SP_GPU_DRAM_READ].origin == SP_CONSTRUCTED && g.times.has_times);
    sp_gpu_recorded_free(&g);
    sp_ncu_csv_free(&csv);
}
END_TEST

#define NCU_HEADER "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
static const struct {
    const char *text, *region, *says;
    enum sp_status status;
} no_profile[] = {
    {"a,b\n1,2\n", NULL, "no columns 'ID'", SP_INPUT},
    {"\"ID\",\"Kernel Name\"\n", NULL, "no line of units", SP_INPUT},
    {"\"ID\",\"Kernel Name\"\n\"\",\"\"\n", NULL, "no launch", SP_INPUT},
    {NCU_HEADER "0,k(int),dram__bytes_read.sum,Mbyte,many\n", NULL, "no number", SP_INPUT},
    {NCU_HEADER "0,k(int),dram__bytes_read.sum,Mbyte,-1\n", NULL, "below 0", SP_INPUT},
    {NCU_HEADER "0,k(int),dram__bytes_read.sum,Mbyte,n/a\n", NULL, "bytes read from memory are not in it",
     SP_INPUT},
    {NCU_HEADER "0,k(int),dram__bytes.sum,Mbyte,7\n", NULL, "bytes read from memory are not in it", SP_INPUT},
    {NCU_HEADER "0,k(int),dram__bytes_read.sum,Mbyte,7\n0,k(int),dram__bytes_write.sum,Mbyte,7\n", NULL,
     "no time", SP_INPUT},
    {NCU_HEADER "0,k(int),dram__bytes_read.sum,Mbyte,7\n1,l(int),dram__bytes_read.sum,Mbyte,7\n", NULL,
     "several kernels are in it: k, l", SP_USAGE},
    {NCU_HEADER "0,k(int),dram__bytes_read.sum,Mbyte,7\n", "spmv", "no kernel with 'spmv'", SP_USAGE},
};

START_TEST(profiles_without_bytes_or_time_are_refused)
{
    char path[] = "/tmp/spmodel-ncu-XXXXXX";
    struct sp_ncu_csv csv;
    struct sp_gpu_recorded g;
    struct sp_error err;
    const struct sp_import_options o = {.region = no_profile[_i].region};
    FILE *f = fdopen(mkstemp(path), "w");
    fputs(no_profile[_i].text, f);
    fclose(f);
    enum sp_status status = sp_ncu_csv_read(path, &csv, &err);
    if (status == SP_OK)
        status = sp_import_ncu(&csv, path, &o, &g, &err);
    sp_ncu_csv_free(&csv);
    ck_assert_int_eq(status, no_profile[_i].status);
    ck_assert_msg(strstr(err.what, no_profile[_i].says) != NULL && *err.remedy, "%s", err.what);
    remove(path);
}
END_TEST

/* ---- an analysis of times alone, on a machine that is described and not here ---- */

static struct sp_topology topology;
static struct sp_machine machine;

static void open_all(void)
{
    ck_assert_int_eq(sp_topology_read(&topology, NULL), SP_OK);
    ck_assert_int_eq(
        sp_machine_file_read(SP_TEST_DATA "/../../machines/ivb-e5-2660v2.json", &machine, NULL, 0, NULL),
        SP_OK);
}

static void close_all(void)
{
    sp_machine_free(&machine);
    sp_topology_free(&topology);
}

enum { GRID = 300, N_THREADS = 10 };

/* y = A x of the five-point stencil, or with `r` columns, after the times; from empty caches, so
 * that it is memory that counts. */
static void explain(const double *time_s, int n, enum sp_origin origin, int r, struct sp_record *record)
{
    struct sp_recording recording;
    struct sp_byte_source source;
    struct sp_subject subject;
    struct sp_error err;
    const struct sp_load_options load = {.n_threads = 2};
    const struct sp_timed_run run = {.from = "a test", .kernel = "theirs", .origin = origin};
    ck_assert_int_eq(sp_recording_of_times(time_s, n, N_THREADS, &run, &recording, NULL), SP_OK);
    ck_assert_int_eq(sp_byte_source_of_recording(&recording, &source, NULL), SP_OK);
    ck_assert_int_eq(sp_subject_open("gen:laplace2d:300", &load, NULL, NULL, &subject, NULL), SP_OK);
    const struct sp_analyze_options o = {.format = "crs",
                                         .schedule = "rows",
                                         .op = r > 1 ? SP_OP_SPMMV : SP_OP_SPMV,
                                         .r = r,
                                         .precision = -1,
                                         .n_threads = N_THREADS,
                                         .state = SP_COLD,
                                         .max_samples = 1,
                                         .no_hints = n == 1,
                                         .seed = 1,
                                         .machine = &machine,
                                         .topology = &topology,
                                         .bytes = &source};
    ck_assert_msg(sp_analyze(&subject, &o, NULL, record, &err) == SP_OK, "%s", err.what);
    sp_subject_free(&subject);
    sp_byte_source_close(&source);
}

static bool has_flag(const struct sp_record *r, const char *wanted)
{
    const json_t *flags = sp_record_node(r, SP_F_FLAGS), *flag;
    size_t i;
    json_array_foreach(flags, i, flag) if (strcmp(json_string_value(json_object_get(flag, "code")), wanted) ==
                                           0) return true;
    return false;
}

/* 12 n_nz + 4 (n_r + 1) + 8 n_r twice for y, and x once: 7.9 MB at 46.6 GB/s less what stores
 * cost. */
START_TEST(a_time_alone_gives_bandwidth_balance_and_losses)
{
    static const double times[] = {0.41e-3, 0.4e-3, 0.39e-3};
    struct sp_record r;
    open_all();
    explain(times, 3, SP_STATED, 1, &r);
    const double n = (double)GRID * GRID, n_nz = 5 * n - 4.0 * GRID;
    const double least = 12 * n_nz + 4 * (n + 1) + 16 * n + 8 * n;
    const struct sp_value time = sp_record_value(&r, SP_F_METRICS_TIME),
                          V = sp_record_value(&r, SP_F_METRICS_BYTES),
                          share = sp_record_value(&r, SP_F_METRICS_BANDWIDTH_FRACTION);
    ck_assert(time.origin == SP_STATED && time.value == 0.4e-3 && time.lo <= 0.39e-3 + 1e-12 &&
              time.hi >= 0.41e-3 - 1e-12);
    ck_assert(V.origin == SP_SIMULATED);
    ck_assert_double_eq_tol(V.value, least, 0.01 * least);
    ck_assert(share.value > least / 0.4e-3 / 46.6e9 && share.value < 1.1 * least / 0.4e-3 / 46.6e9);
    double sum = 0, part;
    static const char *const parts[] = {"min_traffic", "padding", "extra_x", "imbalance", "rest"};
    for (int i = 0; i < 5; i++) {
        ck_assert(sp_record_number(&r, sp_field_in(SP_F_LOSSES, parts[i]), &part));
        sum += part;
    }
    ck_assert_double_eq_tol(sum, 0.4e-3, 1e-12);
    ck_assert(!sp_value_known(sp_record_value(&r, SP_F_METRICS_LAMBDA_T)));
    ck_assert(has_flag(&r, "Q30") && !has_flag(&r, "Q31") && !has_flag(&r, "Q22"));
    sp_record_free(&r);
    close_all();
}
END_TEST

/* The same simulation: the time is no part of it, nor is who took it. */
START_TEST(bytes_do_not_hang_on_the_time)
{
    static const double fast[] = {0.25e-3}, slow[] = {0.9e-3};
    struct sp_record a, b;
    open_all();
    for (int r = 1; r <= 4; r += 3) {
        explain(fast, 1, SP_STATED, r, &a);
        explain(slow, 1, SP_MEASURED, r, &b);
        ck_assert(sp_record_value(&a, SP_F_METRICS_ALPHA).value ==
                  sp_record_value(&b, SP_F_METRICS_ALPHA).value);
        ck_assert(sp_record_value(&a, SP_F_METRICS_BYTES).value ==
                  sp_record_value(&b, SP_F_METRICS_BYTES).value);
        ck_assert(!has_flag(&b, "Q30") && sp_record_value(&b, SP_F_METRICS_TIME).origin == SP_MEASURED);
        sp_record_free(&a);
        sp_record_free(&b);
    }
    close_all();
}
END_TEST

START_TEST(times_that_do_not_fit_are_named)
{
    static const double short_s[] = {0.05e-3}, long_s[] = {0.1};
    struct sp_record r;
    const char *text;
    open_all();
    explain(short_s, 1, SP_STATED, 1, &r);
    ck_assert(has_flag(&r, "Q31") && sp_record_text(&r, SP_F_CONDITIONS_DOUBT, &text));
    ck_assert(strstr(text, "of another matrix or machine") != NULL);
    ck_assert(!sp_value_known(sp_record_value(&r, SP_F_METRICS_BANDWIDTH_FRACTION)));
    sp_record_free(&r);
    explain(long_s, 1, SP_STATED, 1, &r);
    ck_assert(has_flag(&r, "Q31"));
    sp_record_free(&r);
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import");
    TCase *text = tcase_create("text"), *run = tcase_create("run");
    tcase_add_loop_test(text, times_are_read_with_their_units, 0, sizeof good / sizeof *good);
    tcase_add_loop_test(text, what_is_no_time_is_refused, 0, sizeof bad / sizeof *bad);
    tcase_add_test(text, a_file_of_times_has_comments_and_lines);
    tcase_add_test(text, times_that_cannot_be_make_no_recording);
    tcase_add_test(run, a_time_alone_gives_bandwidth_balance_and_losses);
    tcase_add_test(run, bytes_do_not_hang_on_the_time);
    tcase_add_test(run, times_that_do_not_fit_are_named);
    tcase_add_loop_test(text, lines_of_perf_are_understood, 0, sizeof lines / sizeof *lines);
    tcase_add_loop_test(text, what_perf_did_not_print_is_refused, 0, sizeof no_perf / sizeof *no_perf);
    tcase_add_test(text, the_summary_stands_for_its_intervals);
    tcase_add_loop_test(text, bytes_come_from_the_best_events, 0, sizeof counted / sizeof *counted);
    tcase_add_loop_test(text, counts_without_bytes_or_time_are_refused, 0,
                        sizeof no_bytes / sizeof *no_bytes);
    tcase_add_loop_test(text, volumes_of_groups_count_once, 0, sizeof groups / sizeof *groups);
    tcase_add_loop_test(text, threads_outside_of_a_region_have_no_time, 0, sizeof regions / sizeof *regions);
    tcase_add_loop_test(text, launches_make_products, 0, sizeof profiles / sizeof *profiles);
    tcase_add_loop_test(text, profiles_without_bytes_or_time_are_refused, 0,
                        sizeof no_profile / sizeof *no_profile);
    suite_add_tcase(suite, text);
    suite_add_tcase(suite, run);
    return run_suite(suite);
}
