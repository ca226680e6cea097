#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/machine_paths.h"
#include "cli/options.h"
#include "sp_config.h"
#include "sys/binding.h"
#include "sys/counters.h"
#include "sys/cpuid.h"
#include "sys/identity.h"
#include "sys/meminfo.h"
#include "sys/memory_pmu.h"
#include "sys/pages.h"

enum { KEY_REQUIRE = SP_KEY_PRIVATE, MAX_FINDINGS = 32 };

enum verdict { WORKS, LIMITED, ABSENT };
static const char *const verdict_words[] = {"works", "limited", "absent"};

struct finding {
    const char *section, *name;
    enum verdict verdict;
    char what[256];
    char remedy[200]; /* what to type, "" when nothing helps */
};

struct doctor {
    struct sp_common_options common;
    const char *require;
    int n;
    struct finding finding[MAX_FINDINGS];
};

static void find_out(struct doctor *d, const char *section, const char *name, enum verdict verdict,
                     const char *remedy, const char *format, ...) __attribute__((format(printf, 6, 7)));

static void find_out(struct doctor *d, const char *section, const char *name, enum verdict verdict,
                     const char *remedy, const char *format, ...)
{
    if (d->n == MAX_FINDINGS)
        return;
    struct finding *f = &d->finding[d->n++];
    f->section = section;
    f->name = name;
    f->verdict = verdict;
    snprintf(f->remedy, sizeof f->remedy, "%s", remedy);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->what, sizeof f->what, format, arguments);
    va_end(arguments);
}

static void examine_bytes(struct doctor *d)
{
    static const char section[] = "SOURCES OF BYTES";
    struct sp_counters c;
    sp_counters_read("", &c);
    char level[48] = "";
    if (c.paranoid != -100)
        snprintf(level, sizeof level, "; perf_event_paranoid is %d", c.paranoid);
    find_out(d, section, "perf_event", c.core ? LIMITED : ABSENT, sp_counters_remedy(&c), "%s%s%s%s%s%s",
             sp_counters_reason(&c), c.error ? " (" : "", c.error ? strerror(c.error) : "",
             c.error ? ")" : "", level, c.core ? "; no probe uses them in this version" : "");
    struct sp_memory_pmu pmu;
    struct sp_error err;
    if (sp_memory_pmu_read("", &pmu, &err) == SP_OK)
        find_out(d, section, "memory", LIMITED, "",
                 "%s: %d unit%s, counted from %d processor%s; no probe uses them in this version", pmu.kind,
                 pmu.n_pmus, pmu.n_pmus == 1 ? "" : "s", pmu.n_cpus, pmu.n_cpus == 1 ? "" : "s");
    else
        find_out(d, section, "memory", ABSENT, err.remedy, "%s", err.what);
    sp_memory_pmu_free(&pmu);
    find_out(d, section, "LIKWID", ABSENT, "", "not in this build");
    find_out(d, section, "PAPI", ABSENT, "", "not in this build");
    find_out(d, section, "sim", WORKS, "",
             "the cache simulation works everywhere; its numbers say \"simulated\"");
}

static void examine_gpu(struct doctor *d)
{
    find_out(d, "GPU", "CUDA", ABSENT, "", "not in this build%s",
             access("/dev/nvidia0", F_OK) == 0 ? " (an NVIDIA device is there)"
                                               : "; no NVIDIA device is seen either");
}

static void examine_cpu(struct doctor *d, const struct sp_topology *t)
{
    static const char section[] = "PROCESSOR";
    struct sp_cpuid cpu;
    sp_cpuid_read("", &cpu);
    find_out(d, section, "cpu", WORKS, "", "%s, %d of %d hardware threads allowed, %d core%s, %s",
             *cpu.model ? cpu.model : "unknown CPU", t->n_allowed, t->n_cpus, t->n_cores,
             t->n_cores == 1 ? "" : "s",
             cpu.avx512 ? "AVX-512"
             : cpu.avx2 ? "AVX2"
                        : "no AVX2: portable kernels");
    struct sp_binding b;
    struct sp_error err;
    if (sp_binding_plan(t, 0, SP_COMPACT, &b, &err) == SP_OK && sp_binding_apply(&b, &err) == SP_OK)
        find_out(d, section, "pin", WORKS, "", "threads can be pinned (tried with %d)", b.n_threads);
    else
        find_out(d, section, "pin", ABSENT, err.remedy, "%s", err.what);
    if (b.pinned)
        sp_binding_undo(&b, t);
    sp_binding_free(&b);
    if (t->cpu_quota > 0)
        find_out(d, section, "cpu quota", t->cpu_quota < t->n_allowed_cores ? LIMITED : WORKS,
                 "ask for more CPU time, or run with fewer threads",
                 "a control group grants %.2f CPUs' worth of time", t->cpu_quota);
    else
        find_out(d, section, "cpu quota", WORKS, "", "no limit");
    find_out(d, section, "hypervisor", cpu.hypervisor ? LIMITED : WORKS, "",
             cpu.hypervisor
                 ? "virtual machine%s%s%s: the topology is a claim, the CPUs may wander and be taken away"
                 : "none%s%s%s",
             *cpu.hypervisor_name ? " (" : "", cpu.hypervisor_name, *cpu.hypervisor_name ? ")" : "");
    struct sp_identity id;
    sp_identity_read("", t, &id);
    const char *governor = sp_identity_value(&id, "governor");
    bool steady = strcmp(governor, "performance") == 0;
    find_out(d, section, "governor", steady ? WORKS : LIMITED,
             steady || strcmp(governor, "unknown") == 0 ? "" : "sudo cpupower frequency-set -g performance",
             strcmp(governor, "unknown") == 0 ? "%s: the system does not tell the frequency policy" : "%s",
             governor);
    find_out(d, section, "environment", WORKS, "", "key %s", id.env_key);
}

static void examine_memory(struct doctor *d)
{
    static const char section[] = "MEMORY";
    struct sp_meminfo memory;
    char a[32], b[32], policy[32];
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        find_out(d, section, "memory", WORKS, "", "%s available of %s%s",
                 sp_text_bytes(a, sizeof a, (double)memory.available_B),
                 sp_text_bytes(b, sizeof b, (double)memory.total_B),
                 memory.group_limited ? ", limited by a control group" : "");
    sp_pages_policy("", policy, sizeof policy);
    size_t bytes = (size_t)4 << 20;
    char *p = sp_allocator_huge.alloc(NULL, bytes);
    struct sp_pages pages = {.huge_share = sp_value_none("no memory")};
    if (p) {
        memset(p, 1, bytes);
        sp_pages_read("", p, bytes, -1, &pages);
        sp_allocator_huge.free(NULL, p, bytes);
    }
    double share = sp_value_known(pages.huge_share) ? pages.huge_share.value : -1;
    find_out(d, section, "huge pages",
             share > 0.9              ? WORKS
             : share > 0 || share < 0 ? LIMITED
                                      : ABSENT,
             share > 0.9 ? "" : "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
             share < 0 ? "policy \"%s\"; what is achieved cannot be read back (%.0f)"
                       : "policy \"%s\", %.0f %% of a test array came in huge pages",
             *policy ? policy : "unknown", share < 0 ? 0.0 : 100 * share);
}

static bool on_path(const char *program, char *found, size_t size)
{
    const char *path = getenv("PATH");
    for (const char *p = path; p && *p;) {
        size_t length = strcspn(p, ":");
        snprintf(found, size, "%.*s/%s", (int)length, p, program);
        if (length > 0 && access(found, X_OK) == 0)
            return true;
        p += length + (p[length] == ':');
    }
    return false;
}

static void examine_programs(struct doctor *d)
{
    static const char section[] = "AROUND IT";
    char path[1024];
    bool there = on_path("gnuplot", path, sizeof path);
    find_out(d, section, "gnuplot", there ? WORKS : LIMITED, there ? "" : "sudo apt-get install gnuplot-nox",
             there ? "%.200s" : "not found: plots are written as scripts", path);
    find_out(d, section, "libarchive", SP_HAVE_LIBARCHIVE ? WORKS : ABSENT, "",
             SP_HAVE_LIBARCHIVE ? "reads .gz .xz .zst .bz2 and .tar.gz"
                                : "not in this build: unpack matrices first");
    find_out(d, section, "hwloc", SP_HAVE_HWLOC ? WORKS : LIMITED, "",
             SP_HAVE_HWLOC ? "describes the topology" : "not in this build: the topology comes from sysfs");
    struct sp_machine_paths paths;
    sp_machine_paths_find(&paths);
    /* The directory need not exist yet: its nearest existing parent must be writable. */
    char part[1024];
    snprintf(part, sizeof part, "%s", paths.cache ? paths.cache : "");
    for (char *slash; access(part, F_OK) != 0 && (slash = strrchr(part, '/')) && slash != part;)
        *slash = '\0';
    bool writable = paths.cache && access(part, W_OK) == 0;
    find_out(d, section, "cache", writable ? WORKS : LIMITED,
             writable ? "" : "export XDG_CACHE_HOME=DIRECTORY",
             writable ? "%.200s" : "%.200s cannot be written: ceilings are measured every time",
             paths.cache ? paths.cache : "no home directory, so nothing");
}

static void print_text(const struct doctor *d, bool color)
{
    static const char *const colors[] = {"\033[32m", "\033[33m", "\033[31m"};
    const char *section = "";
    for (int i = 0; i < d->n; i++) {
        const struct finding *f = &d->finding[i];
        if (strcmp(section, f->section) != 0)
            printf("%s%s\n", i ? "\n" : "", section = f->section);
        printf("  %s%-7s%s  %-11s  %s\n", color ? colors[f->verdict] : "", verdict_words[f->verdict],
               color ? "\033[0m" : "", f->name, f->what);
        if (*f->remedy)
            printf("           %-11s  -> %s\n", "", f->remedy);
    }
    printf(
        "\nWithout counters everything still works: times are measured, bytes are simulated and say so.\n");
}

static int print_json(const struct doctor *d)
{
    json_t *list = json_array();
    for (int i = 0; i < d->n; i++) {
        const struct finding *f = &d->finding[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "section", f->section, "name",
                                              f->name, "verdict", verdict_words[f->verdict], "what", f->what,
                                              "remedy", f->remedy));
    }
    json_t *root = json_pack("{s:s, s:o}", "schema", "spmodel.doctor/1", "findings", list);
    const char *file = d->common.json;
    bool good = strcmp(file, "-") == 0 ? json_dumpf(root, stdout, JSON_INDENT(1)) == 0
                                       : json_dump_file(root, file, JSON_INDENT(1)) == 0;
    if (good && strcmp(file, "-") == 0)
        putchar('\n');
    json_decref(root);
    if (good)
        return 0;
    struct sp_error err;
    sp_fail_at(&err, SP_OUTPUT, file, 0, 0, "choose a place where you may write",
               "the file cannot be written");
    return sp_report_error(&err);
}

/* "bytes" is any counter of memory traffic that a probe of this build can use; simulation does not count. */
static bool satisfied(const struct doctor *d, const char *wanted, size_t length, bool *known)
{
    static const struct {
        const char *word, *names[4];
    } table[] = {{"bytes", {"LIKWID", "PAPI", NULL}},
                 {"gpu", {"CUDA", NULL}},
                 {"pin", {"pin", NULL}},
                 {"huge", {"huge pages", NULL}}};
    *known = false;
    for (int i = 0; i < 4; i++) {
        if (strlen(table[i].word) != length || strncmp(table[i].word, wanted, length) != 0)
            continue;
        *known = true;
        for (int k = 0; table[i].names[k]; k++)
            for (int j = 0; j < d->n; j++)
                if (strcmp(d->finding[j].name, table[i].names[k]) == 0 && d->finding[j].verdict == WORKS)
                    return true;
    }
    return false;
}

static int check_required(const struct doctor *d)
{
    int code = 0;
    for (const char *p = d->require; p && *p;) {
        size_t length = strcspn(p, ",");
        bool known, good = satisfied(d, p, length, &known);
        if (!known) {
            fprintf(stderr,
                    "spmodel: error: --require does not know '%.*s'\n  remedy: bytes, gpu, pin, huge\n",
                    (int)length, p);
            return sp_exit_code(SP_USAGE);
        }
        if (!good) {
            fprintf(stderr, "spmodel: error: required, but not here: %.*s (see `spmodel doctor`)\n",
                    (int)length, p);
            code = sp_exit_code(SP_ABSENT);
        }
        p += length + (p[length] == ',');
    }
    return code;
}

static const struct argp_option options[] = {
    {"require", KEY_REQUIRE, "LIST", 0, "Exit with 4 unless all of these work: bytes,gpu,pin,huge", 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct doctor *d = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &d->common;
        return 0;
    case KEY_REQUIRE:
        d->require = arg;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "doctor takes no argument: '%s'", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = {{&sp_common_json_argp, 0, "Common options:", 90}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "",
        "What works on this machine, what does not and why, and what an administrator "
        "would type.",
        children,
        NULL,
        NULL};
    struct doctor d = {0};
    sp_parse(&argp, argc, argv, &d);
    struct sp_topology topology;
    struct sp_error err;
    if (sp_topology_read(&topology, &err) != SP_OK)
        return sp_report_error(&err);
    examine_bytes(&d);
    examine_gpu(&d);
    examine_cpu(&d, &topology);
    examine_memory(&d);
    examine_programs(&d);
    sp_topology_free(&topology);
    int code = 0;
    if (d.common.json)
        code = print_json(&d);
    else
        print_text(&d, sp_use_color(&d.common, isatty(STDOUT_FILENO)));
    return sp_worse_exit(code, check_required(&d));
}

const struct sp_command sp_cmd_doctor = {"doctor", "", "what works here, why not, and what would help", run};
