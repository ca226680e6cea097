/* spmodel import: alpha, losses and a roofline for anybody's run, from what its likwid-perfctr counted, or
 * its time alone, and the matrix. */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/terminal.h"
#include "io/times_text.h"
#include "session/measure/this_machine.h"
#include "session/record/recording.h"
#include "sys/machine/identity.h"
#include "sys/machine/meminfo.h"
#include "sys/machine/pages.h"

enum { KEY_REGION = SP_KEY_PRIVATE, KEY_EXECUTIONS, KEY_TIME };

static const struct argp_option options[] = {
    {"time", KEY_TIME, "TIMES", 0,
     "Times of a product that you took yourself, for example 1.23ms or 1.23ms,1.21ms, or a file of them", 1},
    {"threads", 't', "N", 0, "Threads that ran it, with --time", 1},
    {"region", KEY_REGION, "NAME", 0, "Marker region to take; default: the only one", 1},
    {"executions", KEY_EXECUTIONS, "N", 0,
     "Products in each call of the region (default 1), in the whole program where there is no region, or in "
     "each time of --time",
     1},
    {0},
};

struct arguments {
    struct sp_common_options common;
    struct sp_request request;
    struct sp_output_options output;
    struct sp_run_options run; /* both, for the parser */
    struct sp_import_options import;
    const char *time; /* NULL: something counted */
    int n_threads;    /* 0: not said */
    const char *csv, *matrix;
    const char *argument[2]; /* as they come */
    int n_arguments;
};

static void settle_arguments(struct argp_state *state, struct arguments *a)
{
    const int wanted = a->time ? 1 : 2;
    if (a->n_arguments > wanted)
        sp_usage_error(state, "with --time import takes one argument, MATRIX; '%s' is a second",
                       a->argument[1]);
    if (a->n_arguments < wanted)
        sp_usage_error(state, a->time ? "give the matrix that was run"
                                      : "give the output of likwid-perfctr -O and the matrix that was run");
    if (a->time && a->n_threads == 0)
        sp_usage_error(state, "say with --threads how many threads ran it");
    if (!a->time && a->n_threads > 0)
        sp_usage_error(state, "--threads goes with --time; the output of likwid-perfctr says it");
    if (a->time && a->import.region)
        sp_usage_error(state, "--region goes with the output of likwid-perfctr, not with --time");
    a->matrix = a->argument[wanted - 1];
    a->csv = a->time ? NULL : a->argument[0];
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    int64_t n = 0;
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
    case 't':
        if (sp_parse_count(arg, &n) || n < 1 || n > 4096)
            sp_usage_error(state, "--threads takes a whole number from 1 to 4096, not '%s'", arg);
        a->n_threads = (int)n;
        return 0;
    case KEY_REGION:
        a->import.region = arg;
        return 0;
    case KEY_EXECUTIONS:
        if (sp_parse_count(arg, &a->import.executions) || a->import.executions < 1)
            sp_usage_error(state, "--executions takes a whole number from 1, not '%s'", arg);
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
    if (!a->time || m->n_cores < 1 || a->request.analyze.n_threads <= most)
        return SP_OK;
    return sp_fail(err, SP_USAGE,
                   a->request.machine ? "name the machine that it ran on, or fewer threads"
                                  : "--machine NAME of where it ran (spmodel machine list)",
                   "it had %d threads, and %s runs at most %d at a time", a->request.analyze.n_threads,
                   a->request.machine ? m->name : "this machine", most);
}

/* A list begins with a number, a file's name had better not (./1ms.txt). */
static enum sp_status open_times(struct arguments *a, struct sp_byte_source *source, struct sp_error *err)
{
    struct sp_times times;
    struct sp_recording recording;
    const bool listed = isdigit((unsigned char)*a->time) || strchr(".-+", a->time[0]) != NULL;
    const bool is_path = strncmp(a->time, "./", 2) == 0 || strncmp(a->time, "../", 3) == 0;
    const char *from = listed && !is_path ? "--time" : a->time;
    enum sp_status status = listed && !is_path ? sp_times_of_text(a->time, from, &times, err)
                                               : sp_times_read(a->time, &times, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; a->import.executions > 1 && i < times.n; i++)
        times.time_s[i] /= (double)a->import.executions;
    const struct sp_timed_run run = {.from = from, .origin = SP_STATED};
    status = sp_recording_of_times(times.time_s, times.n, a->n_threads, &run, &recording, err);
    if (status == SP_OK) {
        a->request.analyze.n_threads = a->n_threads;
        status = sp_byte_source_of_recording(&recording, source, err);
    }
    sp_times_free(&times);
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
        status = sp_import_recording(&csv, a->csv, &a->import, &recording, err);
    if (status == SP_OK) {
        a->request.analyze.n_threads = sp_recording_threads(&recording);
        status = sp_byte_source_of_recording(&recording, source, err);
    }
    sp_likwid_csv_free(&csv);
    return status;
}

static enum sp_status import_run(struct arguments *a, const struct sp_progress *progress,
                                 struct sp_record *record, struct sp_error *err)
{
    struct sp_byte_source source = {0};
    struct sp_topology topology = {0};
    struct sp_machine machine = {0};
    struct sp_subject subject = {0};
    struct sp_meminfo memory;
    struct sp_watch watch = {progress, "reading the matrix"};
    enum sp_status status = (a->time ? open_times : open_counted)(a, &source, err);
    if (status == SP_OK)
        status = sp_topology_read(&topology, err);
    if (status == SP_OK && !a->request.machine) {
        const struct sp_machine here = {.n_cores = topology.n_cores,
                                        .threads_per_core = topology.threads_per_core};
        status = check_threads(a, &here, err);
    }
    if (status == SP_OK)
        status = sp_this_machine(a->request.machine, a->request.analyze.n_threads, 0, progress, &machine, err);
    if (status == SP_OK && a->request.machine)
        status = check_threads(a, &machine, err);
    if (status == SP_OK && sp_meminfo_read("", &memory, NULL) == SP_OK)
        a->request.analyze.memory_B = (double)memory.available_B;
    if (status == SP_OK) {
        struct sp_load_options load = {.n_threads = sp_topology_default_threads(&topology),
                                       .allocator = &sp_allocator_huge,
                                       .use = SP_LOAD_ANALYSIS,
                                       .memory_limit_B = a->request.analyze.memory_B,
                                       .progress = sp_watch_show,
                                       .interrupted = sp_watch_stop,
                                       .context = &watch};
        status = sp_subject_open(a->matrix, &load, a->request.reorder, progress, &subject, err);
    }
    if (status == SP_OK) {
        a->request.analyze.op = a->request.op.op;
        a->request.analyze.order = a->request.op.order;
        a->request.analyze.r = a->request.op.width[0];
        a->request.analyze.topology = &topology;
        a->request.analyze.machine = &machine;
        a->request.analyze.bytes = &source;
        a->request.analyze.seed = a->common.seed;
        status = sp_analyze(&subject, &a->request.analyze, progress, record, err);
    }
    sp_subject_free(&subject);
    sp_machine_free(&machine);
    sp_topology_free(&topology);
    sp_byte_source_close(&source);
    return status;
}

static const struct argp_child children[] = {{&sp_run_argp, 0, NULL, 0},
                                             {&sp_op_argp, 0, NULL, 0},
                                             {&sp_common_measure_argp, 0, "Common options:", 90},
                                             {&sp_memory_argp, 0, NULL, 90},
                                             {0}};
static const struct argp argp = {options,
                                 parse,
                                 "CSV MATRIX\n--time TIMES --threads N MATRIX",
                                 "Reads what likwid-perfctr counted of a run of y = A x by any program, "
                                 "or takes the time that it took, "
                                 "and the matrix that it ran on, and "
                                 "reports alpha, losses and a roofline for it.\v"
                                 "With --time nothing was counted, so bytes are simulated; the roof is that "
                                 "of this machine, or of --machine. "
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
    enum sp_status status = import_run(&a, &progress, &record, &err);
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
