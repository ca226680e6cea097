/* spmodel import: alpha, losses and a roofline for anybody's run, from what its likwid-perfctr
 * counted, or its time alone, and the matrix. */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/terminal.h"
#include "io/profiler_output.h"
#include "session/measure/machine.h"
#include "session/record/imports.h"
#include "sys/machine/identity.h"
#include "sys/machine/pages.h"

enum { KEY_REGION = SP_KEY_PRIVATE, KEY_EXECUTIONS, KEY_TIME, KEY_PERF, KEY_NCU };

static const struct argp_option options[] = {
    {"time", KEY_TIME, "TIMES", 0,
     "Times of a product that you took yourself, for example 1.23ms or 1.23ms,1.21ms, or a file of them", 1},
    {"perf", KEY_PERF, "FILE", 0,
     "What perf stat -x, -o FILE counted of the whole program, with --executions and --threads", 1},
    {"ncu", KEY_NCU, "FILE", 0,
     "What Nsight Compute counted on a GPU: ncu --csv --page raw (or details) --log-file FILE", 1},
    {"threads", 't', "N", 0, "Threads that ran it, with --time and --perf", 1},
    {"region", KEY_REGION, "NAME", 0,
     "Marker region to take, or a part of the kernels' names, with --ncu; default: the only one", 1},
    {"executions", KEY_EXECUTIONS, "N", 0,
     "Products in each call of the region (default 1), in the whole program where there is no region, or, "
     "with --time alone, in each time",
     1},
    {0},
};

struct arguments {
    struct sp_common_options common;
    struct sp_request request;
    struct sp_output_options output;
    struct sp_run_options run; /* both, for the parser */
    struct sp_import_options import;
    const char *time, *perf, *ncu; /* NULL: not given */
    const char *vendor, *counted;  /* of `perf`: by what, on whose processors; NULL: any */
    struct sp_times times;         /* of `time` */
    const char *csv, *matrix;
    const char *argument[2]; /* as they come */
    int n_arguments;
};

static void settle_arguments(struct argp_state *state, struct arguments *a)
{
    const char *by = a->perf ? "--perf" : a->ncu ? "--ncu" : a->time ? "--time" : NULL;
    const int wanted = by ? 1 : 2;
    if (a->perf && a->ncu)
        sp_usage_error(state, "--perf and --ncu exclude each other");
    if (a->n_arguments > wanted)
        sp_usage_error(state, "with %s import takes one argument, MATRIX; '%s' is a second", by ? by : "",
                       a->argument[1]);
    if (a->n_arguments < wanted)
        sp_usage_error(state, by ? "give the matrix that was run"
                                 : "give the output of likwid-perfctr -O and the matrix that was run");
    if (by && !a->ncu && a->import.n_threads == 0)
        sp_usage_error(state, "say with --threads how many threads ran it");
    if (a->perf && a->import.executions == 0)
        sp_usage_error(state, "say with --executions how many products the program made");
    if ((!by || a->ncu) && a->import.n_threads > 0)
        sp_usage_error(state, "--threads goes with --time and --perf; %s",
                       by ? "a GPU has none" : "likwid-perfctr's output says it");
    if (by && !a->ncu && a->import.region)
        sp_usage_error(state, "--region goes with the output of likwid-perfctr and with --ncu");
    a->matrix = a->argument[wanted - 1];
    a->csv = by ? NULL : a->argument[0];
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        a->run = (struct sp_run_options){&a->request, &a->output};
        state->child_inputs[0] = &a->run;
        state->child_inputs[1] = &a->request.op;
        state->child_inputs[2] = &a->common;
        return 0;
    case KEY_TIME:
        a->time = arg;
        return 0;
    case KEY_PERF:
        a->perf = arg;
        return 0;
    case KEY_NCU:
        a->ncu = arg;
        return 0;
    case 't':
        a->import.n_threads = sp_pick_threads(state, arg);
        return 0;
    case KEY_REGION:
        a->import.region = arg;
        return 0;
    case KEY_EXECUTIONS:
        a->import.executions = sp_take_count(state, "executions", 1, INT64_MAX, arg);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            sp_usage_error(state, "import takes two arguments, CSV and MATRIX; '%s' is a third", arg);
        a->argument[a->n_arguments++] = arg;
        return 0;
    case ARGP_KEY_END:
        settle_arguments(state, a);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Roofs of another machine than the one that was measured would explain nothing. */
static enum sp_status check_machine(const struct arguments *a, const struct sp_likwid_csv *csv,
                                    struct sp_error *err)
{
    struct sp_cpuid here;
    sp_cpuid_read("", &here);
    if (a->request.machine || !*csv->cpu || strcmp(csv->cpu, here.model) == 0)
        return SP_OK;
    return sp_fail_at(
        err, SP_USAGE, a->csv, 0, 0,
        "--machine NAME (spmodel machine list), or a file that spmodel machine measure made there",
        "it was measured on another machine than this: %s", csv->cpu);
}

/* More threads than the machine runs at a time: another machine, or another run. */
static enum sp_status check_threads(const struct arguments *a, const struct sp_machine *m,
                                    struct sp_error *err)
{
    const int most = m->n_cores * (m->threads_per_core > 1 ? m->threads_per_core : 1);
    if (a->import.n_threads == 0 || m->n_cores < 1 || a->import.n_threads <= most)
        return SP_OK;
    return sp_fail(err, SP_USAGE,
                   a->request.machine ? "name the machine that it ran on, or fewer threads"
                                      : "--machine NAME of where it ran (spmodel machine list)",
                   "it had %d threads, and %s runs at most %d at a time", a->import.n_threads,
                   a->request.machine ? m->name : "this machine", most);
}

/* A list begins with a number, a file's name had better not (./1ms.txt). */
static bool is_list(const char *times)
{
    const bool is_path = strncmp(times, "./", 2) == 0 || strncmp(times, "../", 3) == 0;
    return !is_path && (isdigit((unsigned char)*times) || (*times && strchr(".-+", *times)));
}

static enum sp_status read_times(struct arguments *a, struct sp_error *err)
{
    enum sp_status status = is_list(a->time) ? sp_times_of_text(a->time, "--time", &a->times, err)
                                             : sp_times_read(a->time, &a->times, err);
    a->import.time_s = a->times.time_s;
    a->import.n_times = a->times.n;
    a->request.analyze.n_threads = a->import.n_threads;
    return status;
}

static enum sp_status open_times(struct arguments *a, struct sp_byte_source *source, struct sp_error *err)
{
    struct sp_recording recording;
    const struct sp_timed_run run = {.from = is_list(a->time) ? "--time" : a->time, .origin = SP_STATED};
    for (int64_t i = 0; a->import.executions > 1 && i < a->times.n; i++)
        a->times.time_s[i] /= (double)a->import.executions;
    enum sp_status status =
        sp_recording_of_times(a->times.time_s, a->times.n, a->import.n_threads, &run, &recording, err);
    return status == SP_OK ? sp_byte_source_of_recording(&recording, source, err) : status;
}

/* What counts memory on one vendor's processors does not on those of another. */
static enum sp_status check_vendor(const struct arguments *a, const char *cpu, const char *name,
                                   struct sp_error *err)
{
    static const char *const vendors[] = {"Intel", "AMD", "Arm", "Fujitsu"};
    for (size_t i = 0; a->vendor && !strstr(cpu, a->vendor) && i < sizeof vendors / sizeof *vendors; i++)
        if (strstr(cpu, vendors[i]))
            return sp_fail_at(err, SP_USAGE, a->perf, 0, 0,
                              strstr(a->counted, "miss")
                                  ? "elsewhere these are misses of an inner cache: count the memory "
                                    "controllers; or --machine NAME of where it ran"
                                  : "--machine NAME of where it ran (spmodel machine list)",
                              "it counted %s of %s, and this machine is %s", a->counted, a->vendor, name);
    return SP_OK;
}

static enum sp_status open_perf(struct arguments *a, struct sp_byte_source *source, struct sp_error *err)
{
    struct sp_perf_csv csv;
    struct sp_recording recording;
    enum sp_status status = sp_perf_csv_read(a->perf, &csv, err);
    if (status != SP_OK)
        return status;
    a->vendor = sp_perf_vendor(&csv, &a->counted);
    struct sp_cpuid here;
    sp_cpuid_read("", &here);
    if (!a->request.machine)
        status = check_vendor(a, here.vendor, here.model, err);
    if (status == SP_OK)
        status = sp_import_perf(&csv, a->perf, &a->import, &recording, err);
    if (status == SP_OK) {
        a->request.analyze.n_threads = a->import.n_threads;
        status = sp_byte_source_of_recording(&recording, source, err);
    }
    sp_perf_csv_free(&csv);
    return status;
}

static enum sp_status open_counted(struct arguments *a, struct sp_byte_source *source, struct sp_error *err)
{
    struct sp_likwid_csv csv;
    struct sp_recording recording;
    enum sp_status status = sp_likwid_csv_read(a->csv, &csv, err);
    if (status != SP_OK)
        return status;
    status = check_machine(a, &csv, err);
    if (status == SP_OK)
        status = sp_import_likwid(&csv, a->csv, &a->import, &recording, err);
    if (status == SP_OK) {
        a->request.analyze.n_threads = sp_recording_threads(&recording);
        status = sp_byte_source_of_recording(&recording, source, err);
    }
    sp_likwid_csv_free(&csv);
    return status;
}

static enum sp_status open_source(struct arguments *a, struct sp_byte_source *source, struct sp_error *err)
{
    enum sp_status status = a->time ? read_times(a, err) : SP_OK;
    if (status != SP_OK)
        return status;
    return (a->perf ? open_perf : a->time ? open_times : open_counted)(a, source, err);
}

static enum sp_status open_matrix(struct arguments *a, const struct sp_topology *topology,
                                  const struct sp_progress *progress, struct sp_subject *subject,
                                  struct sp_error *err)
{
    struct sp_meminfo memory;
    struct sp_watch watch = {progress, "reading the matrix"};
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        a->request.analyze.memory_B = (double)memory.available_B;
    const struct sp_load_options load = {.n_threads = sp_topology_default_threads(topology),
                                         .allocator = &sp_allocator_huge,
                                         .use = SP_LOAD_ANALYSIS,
                                         .memory_limit_B = a->request.analyze.memory_B,
                                         .progress = sp_watch_show,
                                         .interrupted = sp_watch_stop,
                                         .context = &watch};
    return sp_subject_open(a->matrix, &load, a->request.reorder, progress, subject, err);
}

static void set_run(struct arguments *a, const struct sp_topology *topology, const struct sp_machine *machine)
{
    a->request.analyze.op = a->request.op.op;
    a->request.analyze.order = a->request.op.order;
    a->request.analyze.r = a->request.op.width[0];
    a->request.analyze.topology = topology;
    a->request.analyze.machine = machine;
    a->request.analyze.seed = a->common.seed;
}

static enum sp_status import_run(struct arguments *a, const struct sp_progress *progress,
                                 struct sp_record *record, struct sp_error *err)
{
    struct sp_byte_source source = {0};
    struct sp_topology topology = {0};
    struct sp_machine machine = {0};
    struct sp_subject subject = {0};
    enum sp_status status = open_source(a, &source, err);
    if (status == SP_OK)
        status = sp_topology_read(&topology, err);
    if (status == SP_OK && !a->request.machine) {
        const struct sp_machine here = {.n_cores = topology.n_cores,
                                        .threads_per_core = topology.threads_per_core};
        status = check_threads(a, &here, err);
    }
    if (status == SP_OK)
        status =
            sp_this_machine(a->request.machine, a->request.analyze.n_threads, 0, progress, &machine, err);
    if (status == SP_OK && a->request.machine)
        status = check_threads(a, &machine, err);
    if (status == SP_OK && a->request.machine)
        status = check_vendor(a, machine.cpu, machine.cpu, err);
    if (status == SP_OK)
        status = open_matrix(a, &topology, progress, &subject, err);
    if (status == SP_OK) {
        set_run(a, &topology, &machine);
        a->request.analyze.bytes = &source;
        status = sp_analyze(&subject, &a->request.analyze, progress, record, err);
    }
    sp_subject_free(&subject);
    sp_machine_free(&machine);
    sp_topology_free(&topology);
    sp_byte_source_close(&source);
    sp_times_free(&a->times);
    return status;
}

/* "NVIDIA A100-SXM4-40GB" as machine files are called: "a100-sxm4-40gb". */
static void gpu_file_name(const char *gpu, char *name, size_t size)
{
    static const char *const makers[] = {"NVIDIA ", "Tesla ", "GeForce "};
    size_t n = 0;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strncmp(gpu, makers[i], strlen(makers[i])) == 0)
            gpu += strlen(makers[i]);
    for (; *gpu && n + 1 < size; gpu++)
        name[n++] = isalnum((unsigned char)*gpu) ? (char)tolower((unsigned char)*gpu) : '-';
    name[n] = '\0';
}

/* The machine that was named, else the one that is called as the GPU of the file. */
static enum sp_status gpu_of_file(const struct arguments *a, const char *gpu,
                                  const struct sp_progress *progress, struct sp_machine *machine,
                                  struct sp_error *err)
{
    char name[128];
    if (a->request.machine)
        return sp_this_gpu(SP_GPU_CUDA, a->request.machine, progress, machine, err);
    gpu_file_name(gpu, name, sizeof name);
    if (*name && sp_this_gpu(SP_GPU_CUDA, name, progress, machine, NULL) == SP_OK)
        return SP_OK;
    return sp_fail_at(err, SP_USAGE, a->ncu, 0, 0, "--machine NAME of a GPU (spmodel machine list)",
                      *gpu ? "no machine is described that is called as its GPU, %s"
                           : "it does not say which GPU it is of%s",
                      gpu);
}

static enum sp_status open_ncu(struct arguments *a, const struct sp_progress *progress,
                               struct sp_gpu_recorded *recorded, struct sp_machine *machine,
                               struct sp_error *err)
{
    struct sp_ncu_csv csv;
    enum sp_status status = a->time ? read_times(a, err) : SP_OK;
    if (status == SP_OK)
        status = sp_ncu_csv_read(a->ncu, &csv, err);
    if (status != SP_OK)
        return status;
    status = sp_import_ncu(&csv, a->ncu, &a->import, recorded, err);
    if (status == SP_OK)
        status = gpu_of_file(a, csv.gpu, progress, machine, err);
    sp_ncu_csv_free(&csv);
    return status;
}

static enum sp_status import_gpu(struct arguments *a, const struct sp_progress *progress,
                                 struct sp_record *record, struct sp_error *err)
{
    struct sp_gpu_recorded recorded = {0};
    struct sp_topology topology = {0};
    struct sp_machine machine = {0};
    struct sp_subject subject = {0};
    enum sp_status status = open_ncu(a, progress, &recorded, &machine, err);
    if (status == SP_OK)
        status = sp_topology_read(&topology, err);
    if (status == SP_OK)
        status = open_matrix(a, &topology, progress, &subject, err);
    if (status == SP_OK) {
        set_run(a, &topology, &machine);
        a->request.analyze.gpu_recorded = &recorded;
        status = sp_analyze_gpu(&subject, &a->request.analyze, progress, record, err);
    }
    sp_subject_free(&subject);
    sp_machine_free(&machine);
    sp_topology_free(&topology);
    sp_gpu_recorded_free(&recorded);
    sp_times_free(&a->times);
    return status;
}

static const struct argp_child children[] = {{&sp_run_argp, 0, NULL, 0},
                                             {&sp_op_argp, 0, NULL, 0},
                                             {&sp_common_measure_argp, 0, "Common options:", 90},
                                             {&sp_memory_argp, 0, NULL, 90},
                                             {0}};
static const struct argp argp = {
    options,
    parse,
    "CSV MATRIX\n--ncu FILE MATRIX\n--perf FILE --executions N --threads N MATRIX\n--time TIMES "
    "--threads N MATRIX",
    "Reads what likwid-perfctr or perf stat counted of a run of y = A x by any program, "
    "or takes the time that it took, "
    "and the matrix that it ran on, and "
    "reports alpha, losses and a roofline for it.\v"
    "With --time nothing was counted, so bytes are simulated; the roof is that "
    "of this machine, or of --machine. "
    "With --perf everything that the program did is divided among its products; "
    "--time beside it says how long one took. "
    "CSV: likwid-perfctr -C 0-9 -g MEM -m -O -o FILE.csv PROGRAM, with a "
    "marker region around the product; several "
    "groups in one file are taken together. MATRIX: as for spmodel analyze.",
    children,
    NULL,
    NULL};

static int run(int argc, char **argv)
{
    struct arguments a = {
        .request = {.analyze = {.format = "crs", .schedule = "rows", .precision = -1, .max_samples = 1}},
        .output = {.directory = "."}};
    char command[4096];
    sp_join_command(argc, argv, command, sizeof command);
    a.request.analyze.command = command;
    sp_parse(&argp, argc, argv, &a);
    struct sp_error err;
    if (strcmp(a.request.analyze.format, "auto") == 0 || strcmp(a.request.analyze.format, "all") == 0) {
        sp_fail(&err, SP_USAGE, "crs, sell[:C,SIGMA] or sellu[:C,SIGMA]",
                "import takes the format that was run, not '%s'", a.request.analyze.format);
        return sp_report_error(&err);
    }
    if (sp_op_settle(&a.request.op, &err) != SP_OK)
        return sp_report_error(&err);
    if (a.request.op.n_widths > 1) {
        sp_fail(&err, SP_USAGE, "give the width that was run",
                "import explains one run: %d widths were given", a.request.op.n_widths);
        return sp_report_error(&err);
    }
    int code = sp_output_open(&a.output, &a.common);
    if (code)
        return code;
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, a.common.verbosity);
    struct sp_record record = {0};
    enum sp_status status = (a.ncu ? import_gpu : import_run)(&a, &progress, &record, &err);
    sp_terminal_clear(&terminal);
    if (status != SP_OK)
        code = sp_report_error(&err);
    if (record.root)
        code = sp_worse_exit(code, sp_output_record(&record, &a.output, &a.common));
    sp_record_free(&record);
    return sp_output_close(&a.output, &a.common, code);
}

static const struct sp_example examples[] = {
    {"spmodel import run.csv matrix.mtx --machine icx-8360y",
     "what likwid-perfctr counted of another program, explained", NULL},
    {"spmodel import --time 1.23ms,1.21ms --threads 1 matrix.mtx",
     "a product that was timed with a clock of one's own, here, explained", "0 5"},
    {0},
};

const struct sp_command sp_cmd_import = {
    .name = "import",
    .arguments = "CSV MATRIX",
    .summary = "explain a run of any program, by its counters or its time",
    .run = run,
    .page = {&argp, examples, "5 6", "analyze machine counters"},
};
