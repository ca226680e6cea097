#include <check.h>
#include <jansson.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/machine/machine_file.h"
#include "run_suite.h"

#define MACHINES SP_TEST_DATA "/../../machines"

static const char *const directories[] = {"/nonexistent", MACHINES, NULL};

START_TEST(the_lecture_machine_has_its_numbers)
{
    char path[1024], remarks[256];
    struct sp_machine m;
    struct sp_error err;
    ck_assert_int_eq(sp_machine_file_find("ivb-e5-2660v2", directories, path, sizeof path, NULL), SP_OK);
    ck_assert_msg(sp_machine_file_read(path, &m, remarks, sizeof remarks, &err) == SP_OK, "%s", err.what);
    ck_assert_str_eq(remarks, "");
    ck_assert_int_eq(m.n_cores, 10);
    ck_assert_double_eq(m.frequency_Hz, 2.2e9);
    ck_assert_int_eq(m.n_caches, 3);
    ck_assert_int_eq(m.cache[0].size_B, 32 << 10);
    ck_assert_int_eq(m.cache[1].size_B, 256 << 10);
    ck_assert_int_eq(sp_cache_believed_B(sp_machine_llc(&m)), 25 << 20);
    bool exact;
    const struct sp_ceiling *c = sp_machine_ceiling(&m, "load", "MEM", "f64", 10, NULL, &exact);
    ck_assert_ptr_nonnull(c);
    ck_assert(exact && c->value.value == 46.6e9 && c->value.origin == SP_STATED);
    c = sp_machine_ceiling(&m, "simd", "core", "f64", 10, NULL, NULL);
    ck_assert_double_eq(c->value.value, 176e9); /* 8 flop/cycle/core */
    sp_machine_free(&m);
    sp_machine_free(&m);
}
END_TEST

START_TEST(every_machine_file_loads_without_remarks)
{
    char **paths, remarks[512];
    int n;
    ck_assert_int_eq(sp_machine_file_list(MACHINES, &paths, &n, NULL), SP_OK);
    ck_assert_int_ge(n, 1);
    for (int i = 0; i < n; i++) {
        struct sp_machine m;
        struct sp_error err;
        ck_assert_msg(sp_machine_file_read(paths[i], &m, remarks, sizeof remarks, &err) == SP_OK, "%s: %s",
                      paths[i], err.what);
        ck_assert_msg(!*remarks, "%s: %s", paths[i], remarks);
        const char *file = strrchr(paths[i], '/') + 1;
        ck_assert_int_eq(strncmp(file, m.name, strlen(file) - 5), 0);
        for (int k = 0; k < m.n_ceilings; k++) {
            ck_assert_msg(*m.ceiling[k].how != '\0', "%s: ceiling %d has no source", paths[i], k);
            ck_assert(m.ceiling[k].value.origin != SP_MEASURED || *m.ceiling[k].when);
        }
        if (m.kind == SP_GPU) /* one L2 behind all cores, and L1 beside it */
            ck_assert(m.n_caches == 2 && sp_machine_llc(&m)->cores_sharing == m.n_cores);
        else if (m.n_domains > 0)
            ck_assert_int_eq(sp_machine_llc(&m)->cores_sharing * m.n_domains, m.n_cores);
        sp_machine_free(&m);
    }
    sp_machine_file_unlist(paths, n);
}
END_TEST

/* Figures that public sources print, as the files must have them. */
static const struct {
    const char *name;
    enum sp_machine_kind kind;
    int n_cores, n_domains, granule_B;
    int64_t llc_B;
    const char *ceiling;
    int n_threads;
    double value;
} stated[] = {
    {"snb-e5-2680", SP_CPU, 8, 1, 64, 20 << 20, "load", 8, 43.77e9},
    {"ivb-e5-2660v2", SP_CPU, 10, 1, 64, 25 << 20, "load", 10, 46.6e9},
    {"clx-9242", SP_CPU, 48, 2, 64, 37486592, "load", 24, 122e9},
    {"icx-8360y", SP_CPU, 72, 4, 64, 27 << 20, "load", 72, 356e9},
    {"zen4-epyc-9654", SP_CPU, 96, 12, 64, 32 << 20, "load", 96, 460.8e9},
    {"a64fx", SP_CPU, 48, 4, 256, 8 << 20, "load", 12, 227.5e9},
    {"grace", SP_CPU, 72, 1, 64, 114 << 20, "triad", 72, 410e9},
    {"v100-pcie-16gb", SP_GPU, 80, 1, 32, 6 << 20, "load", 80, 891e9},
    {"a100-sxm4-40gb", SP_GPU, 108, 1, 32, 40 << 20, "load", 108, 1400e9},
    {"h100-pcie-80gb", SP_GPU, 114, 1, 32, 50 << 20, "load", 114, 1942e9},
    {"h200-sxm-141gb", SP_GPU, 132, 1, 32, 60 << 20, "load", 132, 4800e9},
    {"max-1550-1stack", SP_GPU, 64, 1, 64, 204 << 20, "triad", 64, 1e12},
};

START_TEST(stated_machines_have_their_numbers)
{
    char path[1024];
    struct sp_machine m;
    struct sp_error err;
    bool exact;
    ck_assert_int_eq(sp_machine_file_find(stated[_i].name, directories, path, sizeof path, NULL), SP_OK);
    ck_assert_msg(sp_machine_file_read(path, &m, NULL, 0, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(m.kind, stated[_i].kind);
    ck_assert_int_eq(m.n_cores, stated[_i].n_cores);
    ck_assert_int_eq(m.n_domains, stated[_i].n_domains);
    ck_assert_int_eq(sp_cache_granule_B(sp_machine_llc(&m)), stated[_i].granule_B);
    ck_assert_int_eq(sp_machine_llc(&m)->size_B, stated[_i].llc_B);
    const struct sp_ceiling *c =
        sp_machine_ceiling(&m, stated[_i].ceiling, "MEM", "f64", stated[_i].n_threads, NULL, &exact);
    ck_assert(c && exact && c->value.value == stated[_i].value && c->value.origin == SP_STATED);
    ck_assert_int_eq(m.validated, strcmp(m.name, "a64fx") == 0);
    sp_machine_free(&m);
}
END_TEST

START_TEST(what_no_source_says_is_unknown)
{
    char path[1024];
    struct sp_machine m;
    ck_assert_int_eq(sp_machine_file_find("zen4-epyc-9654", directories, path, sizeof path, NULL), SP_OK);
    ck_assert_int_eq(sp_machine_file_read(path, &m, NULL, 0, NULL), SP_OK);
    int n_unknown = 0;
    for (int i = 0; i < m.n_ceilings; i++)
        n_unknown += !sp_value_known(m.ceiling[i].value) && *m.ceiling[i].how;
    ck_assert_int_eq(n_unknown, 1);
    ck_assert_ptr_null(sp_machine_ceiling(&m, "load", "L3", "f64", 96, NULL, NULL));
    sp_machine_free(&m);
}
END_TEST

static void same_value(struct sp_value a, struct sp_value b)
{
    ck_assert_double_eq_tol(a.value, b.value, 1e-9 * a.value);
    ck_assert_double_eq_tol(a.lo, b.lo, 1e-9 * a.value);
    ck_assert_double_eq_tol(a.hi, b.hi, 1e-9 * a.value);
    ck_assert_int_eq(a.origin, b.origin);
}

START_TEST(what_is_written_is_read)
{
    double sample[] = {33.125e9, 32.5e9, 34e9};
    struct sp_machine m = {.name = "a \"b\"",
                           .kind = SP_GPU,
                           .memory = "HBM2, 16 GB",
                           .note = "n",
                           .cpu = "Zen \xc3\xa4",
                           .source = "s",
                           .env_key = "0123456789abcdef",
                           .n_sockets = 1,
                           .n_numa = 1,
                           .n_domains = 2,
                           .n_cores = 2,
                           .threads_per_core = 1,
                           .frequency_Hz = 2.5e9,
                           .n_caches = 2,
                           .measured = {"2026-11-21T10:00:00Z", 3, 100, 60, 5.5, "busy"},
                           .validated = true};
    m.cache[0] = (struct sp_cache){.level = 1,
                                   .size_B = 49152,
                                   .line_B = 128,
                                   .sector_B = 32,
                                   .ways = 12,
                                   .cores_sharing = 1,
                                   .effective_B = sp_value_none("x")};
    m.cache[1] =
        (struct sp_cache){.level = 3,
                          .size_B = INT64_C(480) << 20,
                          .line_B = 64,
                          .ways = 16,
                          .cores_sharing = 2,
                          .victim = true,
                          .policy = SP_RRIP,
                          .effective_B = sp_value_between(40e6, 30e6, 60e6, SP_MEASURED),
                          .cycle_B = sp_value_between(100e6, 80e6, 110e6, SP_MEASURED),
                          .keeping = SP_KEEPS_A_PART,
                          .partition = {.arrays = 1 << SP_ARRAY_VALUES | 1 << SP_ARRAY_INDICES},
                          .n_draws = 2,
                          .draw = {{35e6, 30e6, 60e6, "2026-11-21T10:00:00Z"}, {45e6, 45e6, 45e6, ""}}};
    m.n_pages = 2;
    m.page[0] = (struct sp_page_costs){true, 1, 12.5e6, sp_value_between(3e-9, 2e-9, 4e-9, SP_MEASURED)};
    m.page[1] = (struct sp_page_costs){false, 2, 8192, sp_value_of(2e-9, SP_MEASURED)};
    m.gpu = (struct sp_gpu_limits){
        .threads = 2048,
        .blocks = 32,
        .registers = 65536,
        .wave = 64,
        .shared_B = 233472,
        .block_shared_B = 1024,
        .source = "guide",
        .launch_s = sp_value_between(2e-6, 1e-6, 4e-6, SP_STATED),
        .launch_how = "paper",
        .latency_s = sp_value_none("no public source"),
        .latency_how = "not found",
        .L2_latency_s = sp_value_of(1.5e-7, SP_STATED),
        .L2_latency_how = "chase",
        .wait_s = sp_value_none("no public source"),
        .wait_how = "not looked for",
        .row_s = sp_value_between(6e-11, 1e-11, 9e-11, SP_MODELLED),
        .row_how = "a fit",
        .sell_share = sp_value_between(0.9, 0.6, 1, SP_MODELLED),
        .sell_how = "a fit",
        .sector_lanes = {.of_8B = 16, .of_16B = 8, .origin = SP_MEASURED, .how = "counted"}};
    struct sp_ceiling c = {.name = "load_mix",
                           .level = "MEM",
                           .precision = "f64",
                           .n_threads = 2,
                           .n_domains = 2,
                           .mode = "split",
                           .value = sp_value_between(33.125e9, 32.5e9, 34e9, SP_MEASURED),
                           .sample = sample,
                           .n_samples = 3,
                           .set_B = 268435456,
                           .how = "256 MiB",
                           .when = "2026-11-21T10:00:00Z"};
    struct sp_ceiling unknown = {.name = "load",
                                 .level = "L2",
                                 .precision = "f64",
                                 .n_threads = 2,
                                 .mode = "unknown",
                                 .value = sp_value_none("no public source"),
                                 .how = "not found"};
    ck_assert_int_eq(sp_machine_add_ceiling(&m, &c, NULL), SP_OK);
    ck_assert_int_eq(sp_machine_add_ceiling(&m, &unknown, NULL), SP_OK);
    setlocale(LC_ALL, "de_DE.UTF-8"); /* a comma as decimal point must not reach the file */
    char path[] = "/tmp/sp_machine_XXXXXX";
    int descriptor = mkstemp(path);
    close(descriptor);
    struct sp_error err;
    ck_assert_msg(sp_machine_file_write(path, &m, &err) == SP_OK, "%s", err.what);
    struct sp_machine r;
    ck_assert_msg(sp_machine_file_read(path, &r, NULL, 0, &err) == SP_OK, "%s", err.what);
    unlink(path);
    ck_assert_str_eq(r.name, m.name);
    ck_assert_str_eq(r.cpu, m.cpu);
    ck_assert_str_eq(r.env_key, m.env_key);
    ck_assert_int_eq(r.kind, SP_GPU);
    ck_assert_str_eq(r.memory, m.memory);
    ck_assert_str_eq(r.note, m.note);
    ck_assert_int_eq(r.cache[0].sector_B, 32);
    ck_assert_int_eq(r.n_domains, 2);
    ck_assert(r.validated);
    ck_assert_int_eq(r.n_caches, 2);
    ck_assert(!sp_value_known(r.cache[0].effective_B));
    ck_assert_int_eq(r.cache[1].size_B, m.cache[1].size_B);
    ck_assert(r.cache[1].victim && r.cache[1].policy == SP_RRIP);
    same_value(m.cache[1].effective_B, r.cache[1].effective_B);
    ck_assert_int_eq(r.cache[1].n_draws, 2);
    same_value(m.cache[1].cycle_B, r.cache[1].cycle_B);
    ck_assert_int_eq(r.cache[1].keeping, SP_KEEPS_A_PART);
    ck_assert(r.cache[1].partition.ways == 0 && r.cache[0].partition.arrays == 0);
    ck_assert_int_eq(r.cache[1].partition.arrays, m.cache[1].partition.arrays);
    ck_assert(!sp_value_known(r.cache[0].cycle_B));
    ck_assert_int_eq(r.n_pages, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert(r.page[i].huge == m.page[i].huge && r.page[i].n_threads == m.page[i].n_threads);
        ck_assert_double_eq(r.page[i].reach_B, m.page[i].reach_B);
        same_value(m.page[i].walk_s, r.page[i].walk_s);
    }
    ck_assert_double_eq(r.ceiling[0].set_B, 268435456);
    ck_assert_double_eq(r.ceiling[1].set_B, 0);
    ck_assert(r.measured.n_times == 3 && r.measured.n_samples == 100 && r.measured.n_disturbed == 60);
    ck_assert_str_eq(r.measured.when, "2026-11-21T10:00:00Z");
    ck_assert_str_eq(r.measured.doubt, "busy");
    ck_assert_double_eq(r.measured.core_width, 5.5);
    ck_assert(r.cache[1].draw[0].lo == 30e6 && r.cache[1].draw[1].value == 45e6);
    ck_assert_str_eq(r.cache[1].draw[0].when, "2026-11-21T10:00:00Z");
    ck_assert_int_eq(r.gpu.threads, 2048);
    ck_assert_int_eq(r.gpu.blocks, 32);
    ck_assert_int_eq(r.gpu.registers, 65536);
    ck_assert_int_eq(r.gpu.wave, 64);
    ck_assert_int_eq(r.gpu.shared_B, 233472);
    ck_assert_int_eq(r.gpu.block_shared_B, 1024);
    ck_assert(r.gpu.sector_lanes.of_8B == 16 && r.gpu.sector_lanes.of_16B == 8 &&
              r.gpu.sector_lanes.origin == SP_MEASURED);
    ck_assert_str_eq(r.gpu.sector_lanes.how, "counted");
    ck_assert_str_eq(r.gpu.source, "guide");
    same_value(m.gpu.launch_s, r.gpu.launch_s);
    ck_assert_str_eq(r.gpu.launch_how, "paper");
    ck_assert(!sp_value_known(r.gpu.latency_s));
    ck_assert_str_eq(r.gpu.latency_how, "not found");
    same_value(m.gpu.L2_latency_s, r.gpu.L2_latency_s);
    same_value(m.gpu.row_s, r.gpu.row_s);
    same_value(m.gpu.sell_share, r.gpu.sell_share);
    ck_assert(!sp_value_known(r.gpu.wait_s) && !sp_value_known(r.gpu.crs_share));
    ck_assert_str_eq(r.gpu.wait_how, "not looked for");
    ck_assert_str_eq(r.gpu.step_how, "");
    ck_assert_str_eq(r.gpu.sell_how, "a fit");
    ck_assert_int_eq(r.n_ceilings, 2);
    ck_assert(!sp_value_known(r.ceiling[1].value));
    ck_assert_str_eq(r.ceiling[1].how, "not found");
    same_value(c.value, r.ceiling[0].value);
    ck_assert_int_eq(r.ceiling[0].n_samples, 3);
    ck_assert_double_eq(r.ceiling[0].sample[1], 32.5e9);
    ck_assert_str_eq(r.ceiling[0].mode, "split");
    ck_assert_str_eq(r.ceiling[0].when, c.when);
    sp_machine_free(&m);
    sp_machine_free(&r);
}
END_TEST

#define HEAD "{\"schema\":\"spmodel.machine/1\",\"name\":\"n\",\"cpu\":\"c\",\"source\":\"s\",\"cores\":2,"
#define GPU(lanes)                                                                                           \
    "\"gpu\":{\"threads\":64,\"blocks\":1,\"registers\":1,\"shared_B\":1,\"source\":\"s\","                  \
    "\"launch_s\":{\"value\":null,\"why\":\"w\"},\"latency_s\":{\"value\":null,\"why\":\"w\"},"              \
    "\"duplicate_sectors\":" lanes "},"
#define CACHES "\"caches\":[{\"level\":1,\"size_B\":32768,\"line_B\":64}],"
#define CEILING(value, unit, origin, more)                                                                   \
    "\"ceilings\":[{\"name\":\"load\",\"level\":\"MEM\",\"precision\":\"f64\",\"threads\":2,\"how\":\"h\","  \
    "\"value\":" value ",\"unit\":\"" unit "\",\"origin\":\"" origin "\"" more "}]}"

static const struct {
    const char *text, *word; /* of the message; NULL: the file is good */
} damaged[] = {
    {HEAD CACHES CEILING("1e9", "B/s", "stated", ""), NULL},
    {"", "not valid JSON"},
    {"{\"schema\": ", "not valid JSON"},
    {"[]", "object"},
    {"{}", "schema"},
    {"{\"schema\":\"spmodel.record/1\"}", "schema"},
    {HEAD CEILING("1e9", "B/s", "stated", ""), "caches"},
    {HEAD CACHES "\"ceilings\":[1]}", "ceilings"},
    {HEAD CACHES CEILING("\"fast\"", "B/s", "stated", ""), "value"},
    {HEAD CACHES CEILING("-1", "B/s", "stated", ""), "value"},
    {HEAD CACHES CEILING("0", "B/s", "stated", ""), "value"},
    {HEAD CACHES CEILING("1e-300", "B/s", "stated", ""), "is 1e-300, must be between 1 and 1e+18"},
    {HEAD CACHES CEILING("1e9", "GB/s", "stated", ""), "unit"},
    {HEAD CACHES CEILING("1e9", "B/s", "guessed", ""), "origin"},
    {HEAD CACHES CEILING("1e9", "B/s", "measured", ",\"lo\":2e9"), "enclose"},
    {HEAD CACHES CEILING("1e9", "B/s", "measured", ",\"samples\":[0]"), "samples"},
    {HEAD CACHES CEILING("null", "B/s", "stated", ""), "why"},
    {HEAD GPU("{\"lanes_8B\":16,\"lanes_16B\":8,\"origin\":\"measured\",\"how\":\"h\"}")
         CACHES CEILING("1e9", "B/s", "stated", ""),
     NULL},
    {HEAD GPU("{\"lanes_8B\":null,\"lanes_16B\":null,\"why\":\"w\"}")
         CACHES CEILING("1e9", "B/s", "stated", ""),
     NULL},
    {HEAD GPU("\"warp\"") CACHES CEILING("1e9", "B/s", "stated", ""), "an object"},
    {HEAD GPU("{\"lanes_8B\":null,\"lanes_16B\":null}") CACHES CEILING("1e9", "B/s", "stated", ""), "why"},
    {HEAD GPU("{\"lanes_8B\":16,\"lanes_16B\":null,\"origin\":\"measured\",\"how\":\"h\"}")
         CACHES CEILING("1e9", "B/s", "stated", ""),
     "lanes_16B"},
    {HEAD GPU("{\"lanes_8B\":24,\"lanes_16B\":8,\"origin\":\"measured\",\"how\":\"h\"}")
         CACHES CEILING("1e9", "B/s", "stated", ""),
     "power of two"},
    {HEAD GPU("{\"lanes_8B\":64,\"lanes_16B\":8,\"origin\":\"measured\",\"how\":\"h\"}")
         CACHES CEILING("1e9", "B/s", "stated", ""),
     "lanes_8B"},
    {HEAD GPU("{\"lanes_8B\":16,\"lanes_16B\":8,\"origin\":\"guessed\",\"how\":\"h\"}")
         CACHES CEILING("1e9", "B/s", "stated", ""),
     "origin"},
    {HEAD "\"kind\":\"fpga\"," CACHES CEILING("1", "B/s", "stated", ""), "kind"},
    {HEAD "\"caches\":[{\"level\":1,\"size_B\":1024,\"line_B\":128,\"sector_B\":48}]," CEILING("1", "B/s",
                                                                                               "stated", ""),
     "sector_B"},
    {HEAD "\"caches\":[{\"level\":1,\"size_B\":1.5e99,\"line_B\":64}]," CEILING("1", "B/s", "stated", ""),
     "size_B"},
    {HEAD "\"caches\":[{\"level\":2,\"size_B\":1,\"line_B\":64},{\"level\":1,\"size_B\":1,\"line_B\":64}]"
          "," CEILING("1", "B/s", "stated", ""),
     "ascend"},
    {HEAD "\"caches\":[{\"level\":2,\"size_B\":1,\"line_B\":64,\"policy\":\"magic\"}]," CEILING("1", "B/s",
                                                                                                "stated", ""),
     "policy"},
    {HEAD "\"ecm\":1," CACHES CEILING("1", "B/s", "stated", ""), "ecm"},
    {HEAD "\"ecm\":{}," CACHES CEILING("1", "B/s", "stated", ""), "overlap"},
    {HEAD
     "\"ecm\":{\"overlap\":{\"value\":2,\"unit\":\"1\",\"origin\":\"stated\"},\"how\":\"h\"}," CACHES CEILING(
         "1", "B/s", "stated", ""),
     "too large"},
    {HEAD "\"ecm\":{\"overlap\":{\"value\":null}}," CACHES CEILING("1", "B/s", "stated", ""), "why"},
    {HEAD "\"ecm\":{\"overlap\":{\"value\":null,\"why\":\"w\"},\"interfaces\":[{\"level\":\"L2\"}]}," CACHES
         CEILING("1", "B/s", "stated", ""),
     "one_thread"},
    {HEAD "\"caches\":[{\"level\":1,\"size_B\":1.5,\"line_B\":1}]," CEILING("1", "B/s", "stated", ""),
     "whole number"},
    {HEAD "\"caches\":[{\"level\":1,\"size_B\":64,\"line_B\":64,\"effective_B\":-1}]," CEILING("1", "B/s",
                                                                                               "stated", ""),
     "an object, or null"},
    {"{\"schema\":\"spmodel.machine/1\",\"name\":\"\",\"cpu\":\"c\",\"source\":\"s\",\"cores\":2," CACHES
         CEILING("1", "B/s", "stated", ""),
     "must not be empty"},
    {"{\"schema\":\"spmodel.machine/"
     "1\",\"name\":\"m\",\"cpu\":\"c\",\"source\":\"s\",\"cores\":1048576," CACHES CEILING("1", "B/s",
                                                                                           "stated", ""),
     "is 1048576, must be between 1 and 4096"},
};

/* Reads a file with this text; `path`: its name, which is gone. */
static enum sp_status read_text(const char *text, struct sp_machine *m, char *remarks, size_t size,
                                char path[24], struct sp_error *err)
{
    snprintf(path, 24, "/tmp/sp_machine_XXXXXX");
    const int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
    const enum sp_status status = sp_machine_file_read(path, m, remarks, size, err);
    unlink(path);
    return status;
}

START_TEST(damaged_files_are_refused_with_the_key)
{
    char path[24];
    struct sp_machine m;
    struct sp_error err = {0};
    const enum sp_status status = read_text(damaged[_i].text, &m, NULL, 0, path, &err);
    if (!damaged[_i].word) {
        ck_assert_msg(status == SP_OK, "%s", err.what);
        sp_machine_free(&m);
        return;
    }
    ck_assert_int_eq(status, SP_INPUT);
    ck_assert_msg(strstr(err.what, damaged[_i].word) != NULL, "\"%s\" does not name %s", err.what,
                  damaged[_i].word);
    ck_assert_str_eq(err.path, path);
    ck_assert(err.remedy[0] && m.n_ceilings == 0 && m.ceiling == NULL);
}
END_TEST

/* What of the overlap rule is written is read; files without it, or with null, do not know it. */
START_TEST(the_overlap_rule)
{
    char path[1024];
    struct sp_machine m, again;
    struct sp_error err;
    ck_assert_int_eq(sp_machine_file_read(MACHINES "/snb-e5-2680.json", &m, NULL, 0, &err), SP_OK);
    ck_assert(m.ecm.overlap.origin == SP_STATED && m.ecm.overlap.value == 0 && m.ecm.n_interfaces == 0);
    m.ecm.overlap = sp_value_between(0.75, 0.5, 1, SP_MEASURED);
    m.ecm.error = sp_value_of(0.03, SP_MEASURED);
    m.ecm.n_interfaces = 1;
    m.ecm.interface[0] = (struct sp_ecm_interface){.level = "MEM",
                                                   .one_Bps = sp_value_between(2e10, 1e10, 3e10, SP_MEASURED),
                                                   .write_weight = sp_value_of(0.5, SP_MEASURED)};
    snprintf(path, sizeof path, "/tmp/spmodel-overlap-%d.json", (int)getpid());
    ck_assert_int_eq(sp_machine_file_write(path, &m, &err), SP_OK);
    ck_assert_msg(sp_machine_file_read(path, &again, NULL, 0, &err) == SP_OK, "%s", err.what);
    remove(path);
    ck_assert(again.ecm.overlap.value == 0.75 && again.ecm.overlap.lo == 0.5 &&
              again.ecm.error.value == 0.03);
    ck_assert(again.ecm.n_interfaces == 1 && again.ecm.interface[0].one_Bps.hi == 3e10);
    ck_assert(again.ecm.interface[0].write_weight.value == 0.5);
    ck_assert_str_eq(again.ecm.how, m.ecm.how);
    sp_machine_free(&again);
    sp_machine_free(&m);
    ck_assert_int_eq(sp_machine_file_read(MACHINES "/a64fx.json", &m, NULL, 0, &err), SP_OK);
    ck_assert(!sp_value_known(m.ecm.overlap) && strstr(m.ecm.how, "Alappat"));
    sp_machine_free(&m);
    ck_assert_int_eq(sp_machine_file_read(MACHINES "/grace.json", &m, NULL, 0, &err), SP_OK);
    ck_assert(!sp_value_known(m.ecm.overlap) && !*m.ecm.how);
    sp_machine_free(&m);
}
END_TEST

START_TEST(unknown_keys_are_told_and_ignored)
{
    static const char text[] = HEAD "\"colour\":1," CACHES CEILING("1e9", "B/s", "stated", ",\"weight\":2");
    char path[24], remarks[256];
    struct sp_machine m;
    ck_assert_int_eq(read_text(text, &m, remarks, sizeof remarks, path, NULL), SP_OK);
    ck_assert_str_eq(remarks,
                     "unknown key \"colour\" ignored; unknown key \"weight\" in ceilings[0] ignored");
    sp_machine_free(&m);
}
END_TEST

/* A load of "mem" is none of memory: other ceilings would be taken in its place, without a word. */
START_TEST(words_of_ceilings_that_nobody_looks_for_are_told)
{
    static const char text[] =
        HEAD CACHES "\"ceilings\":[{\"name\":\"laod\",\"level\":\"mem\",\"precision\":\"fp64\","
                    "\"threads\":2,\"how\":\"h\",\"value\":1e9,\"unit\":\"B/s\",\"origin\":\"stated\"}]}";
    char path[24], remarks[256];
    struct sp_machine m;
    ck_assert_int_eq(read_text(text, &m, remarks, sizeof remarks, path, NULL), SP_OK);
    ck_assert_str_eq(remarks, "unknown name \"laod\" in ceilings[0]: it is not used; "
                              "unknown level \"mem\" in ceilings[0]: it is not used; "
                              "unknown precision \"fp64\" in ceilings[0]: it is not used");
    sp_machine_free(&m);
}
END_TEST

/* Two cores with a cache each in one domain: one cache of that size would be simulated for both. */
START_TEST(domains_that_leave_cores_out_are_told)
{
    static const char text[] =
        "{\"schema\":\"spmodel.machine/1\",\"name\":\"t\",\"cpu\":\"c\",\"source\":\"s\",\"cores\":2,"
        "\"llc_domains\":1,\"caches\":[{\"level\":1,\"size_B\":4096,\"line_B\":64,\"ways\":0,"
        "\"cores_sharing\":1,\"policy\":\"lru\"}],\"ceilings\":[]}";
    char path[24], remarks[256];
    struct sp_machine m;
    ck_assert_int_eq(read_text(text, &m, remarks, sizeof remarks, path, NULL), SP_OK);
    ck_assert_str_eq(remarks, "1 llc_domains of 1 cores_sharing make fewer than 2 cores: the L1 is taken as "
                              "one for all cores of a domain");
    sp_machine_free(&m);
}
END_TEST

/* What the schema lets a ceiling be called, the reader knows. */
START_TEST(words_of_the_schema_are_known)
{
    static const char *const keys[] = {"name", "level", "precision"};
    json_t *schema = json_load_file(SP_TEST_DATA "/../../docs/machine.schema.json", 0, NULL);
    ck_assert_ptr_nonnull(schema);
    for (int k = 0; k < 3; k++) {
        const json_t *words =
            json_object_get(json_object_get(json_object_get(schema, "$defs"), keys[k]), "enum");
        ck_assert_int_gt(json_array_size(words), 4);
        for (size_t i = 0; i < json_array_size(words); i++) {
            const char *word = json_string_value(json_array_get(words, i));
            char text[512], path[24], remarks[256];
            struct sp_machine m;
            snprintf(text, sizeof text,
                     HEAD CACHES
                     "\"ceilings\":[{\"name\":\"%s\",\"level\":\"%s\",\"precision\":\"%s\",\"threads\":2,"
                     "\"value\":null,\"why\":\"w\"}]}",
                     k == 0 ? word : "load", k == 1 ? word : "MEM", k == 2 ? word : "f64");
            ck_assert_int_eq(read_text(text, &m, remarks, sizeof remarks, path, NULL), SP_OK);
            ck_assert_msg(!*remarks, "%s", remarks);
            sp_machine_free(&m);
        }
    }
    json_decref(schema);
}
END_TEST

/* 90.8 MB of stated 32 MiB are impossible, and 0.5 MB behind an L2 of 1 MiB. */
START_TEST(no_capacity_exceeds_its_cache)
{
    static const char text[] =
        HEAD "\"caches\":[{\"level\":2,\"size_B\":1048576,\"line_B\":64},{\"level\":3,\"size_B\":33554432,"
             "\"line_B\":64,\"effective_B\":{\"value\":3.54e6,\"lo\":0.5e6,\"hi\":90.8e6,\"unit\":\"B\","
             "\"origin\":\"measured\"}}]," CEILING("1e9", "B/s", "stated", "");
    char path[24], remarks[256];
    struct sp_machine m;
    ck_assert_int_eq(read_text(text, &m, remarks, sizeof remarks, path, NULL), SP_OK);
    const struct sp_value v = m.cache[1].effective_B;
    ck_assert(v.value == 3.54e6 && v.lo == 1048576 && v.hi == 33554432 && v.origin == SP_MEASURED);
    ck_assert_ptr_nonnull(strstr(remarks, "effective capacity of L3 is cut"));
    sp_machine_free(&m);
}
END_TEST

START_TEST(a_name_that_is_not_there)
{
    char path[1024];
    struct sp_error err;
    struct sp_machine m;
    ck_assert_int_eq(sp_machine_file_find("h200", directories, path, sizeof path, &err), SP_OK);
    ck_assert_ptr_nonnull(strstr(path, "h200-sxm-141gb.json"));
    ck_assert_int_eq(sp_machine_file_find("zen4", directories, path, sizeof path, &err), SP_USAGE);
    ck_assert_ptr_nonnull(strstr(err.what, "begin with 'zen4': zen4-epyc-9654, zen4-vm-2c"));
    ck_assert_int_eq(sp_machine_file_find("cray-1", directories, path, sizeof path, &err), SP_ABSENT);
    ck_assert_ptr_nonnull(strstr(err.what, "ivb-e5-2660v2"));
    ck_assert_int_eq(sp_machine_file_find("/no/such.json", directories, path, sizeof path, &err), SP_ABSENT);
    ck_assert_int_eq(sp_machine_file_read("/no/such.json", &m, NULL, 0, &err), SP_ABSENT);
    ck_assert_int_eq(sp_machine_file_write("/no/such/directory/m.json", &m, &err), SP_OUTPUT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("machine_file");
    TCase *tc = tcase_create("machine_file");
    tcase_add_test(tc, the_lecture_machine_has_its_numbers);
    tcase_add_test(tc, every_machine_file_loads_without_remarks);
    tcase_add_loop_test(tc, stated_machines_have_their_numbers, 0, (int)(sizeof stated / sizeof *stated));
    tcase_add_test(tc, what_no_source_says_is_unknown);
    tcase_add_test(tc, what_is_written_is_read);
    tcase_add_loop_test(tc, damaged_files_are_refused_with_the_key, 0,
                        (int)(sizeof damaged / sizeof *damaged));
    tcase_add_test(tc, the_overlap_rule);
    tcase_add_test(tc, unknown_keys_are_told_and_ignored);
    tcase_add_test(tc, words_of_ceilings_that_nobody_looks_for_are_told);
    tcase_add_test(tc, domains_that_leave_cores_out_are_told);
    tcase_add_test(tc, words_of_the_schema_are_known);
    tcase_add_test(tc, no_capacity_exceeds_its_cache);
    tcase_add_test(tc, a_name_that_is_not_there);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
