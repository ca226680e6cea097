/* spmodel import: alpha, losses and a roofline for anybody's run, from its likwid-perfctr output and the
 * matrix. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/analyze_output.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/this_machine.h"
#include "session/analyze.h"
#include "session/import.h"
#include "sys/cpuid.h"
#include "sys/meminfo.h"
#include "sys/pages.h"

enum {
    KEY_REGION = SP_KEY_PRIVATE,
    KEY_EXECUTIONS,
    KEY_MACHINE,
    KEY_FORMAT,
    KEY_PRECISION,
    KEY_INDEX,
    KEY_SCHEDULE,
    KEY_STORE,
    KEY_COLD,
    KEY_REORDER,
    KEY_NO_HINTS,
    KEY_NO_PLOTS,
    KEY_STRICT
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What was run:", 1},
    {"region", KEY_REGION, "NAME", 0, "Marker region to take; default: the only one", 1},
    {"executions", KEY_EXECUTIONS, "N", 0,
     "Products in each call of the region (default 1), or in the whole program where there is no region", 1},
    {"format", KEY_FORMAT, "F", 0, "crs (default), sell[:C,SIGMA], sellu[:C,SIGMA]", 1},
    {"precision", KEY_PRECISION, "P", 0, "f64 (default), f32, c128 (default for complex matrices)", 1},
    {"index", KEY_INDEX, "I", 0, "i32 (default) or i64", 1},
    {"schedule", KEY_SCHEDULE, "S", 0, "rows (default: as most libraries do), nnz, cyclic[:N], merge", 1},
    {"store", KEY_STORE, "HOW", 0, "plain (default) or nt: how y was written", 1},
    {"reorder", KEY_REORDER, "R", 0,
     "Order in which the matrix was run: none (default), rcm, reversed, random:SEED", 1},
    {"cold", KEY_COLD, NULL, 0, "Caches were emptied before each execution", 1},
    {"machine", KEY_MACHINE, "M", 0, "Where it was run: a machine file or a name; default: this machine", 1},
    {NULL, 0, NULL, 0, "What comes out:", 3},
    {"out", 'o', "DIR", 0, "Directory for record and plots (default: this one)", 3},
    {"no-hints", KEY_NO_HINTS, NULL, 0, "Leave out the comparison with other formats, schedules and orders",
     3},
    {"no-plots", KEY_NO_PLOTS, NULL, 0, "Write the record only", 3},
    {"strict", KEY_STRICT, NULL, 0, "Exit code 6 when something is flagged as not trustworthy", 3},
    {0},
};

struct arguments {
    struct sp_common_options common;
    struct sp_analyze_options analyze;
    struct sp_output_options output;
    struct sp_import_options import;
    const char *machine, *reorder, *csv, *matrix;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    int value;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case KEY_REGION:
        a->import.region = arg;
        return 0;
    case KEY_EXECUTIONS:
        if (sp_parse_count(arg, &a->import.executions) || a->import.executions < 1)
            argp_error(state, "--executions takes a whole number from 1, not '%s'", arg);
        return 0;
    case KEY_MACHINE:
        a->machine = a->analyze.machine_name = arg;
        return 0;
    case KEY_FORMAT:
        a->analyze.format = arg;
        return 0;
    case KEY_PRECISION:
        a->analyze.precision = sp_precision_from_name(arg);
        if (a->analyze.precision < 0)
            argp_error(state, "--precision takes f64, f32 or c128, not '%s'", arg);
        return 0;
    case KEY_INDEX:
        value = sp_index_from_name(arg);
        if (value < 0)
            argp_error(state, "--index takes i32 or i64, not '%s'", arg);
        a->analyze.index = (enum sp_index)value;
        return 0;
    case KEY_SCHEDULE:
        a->analyze.schedule = arg;
        return 0;
    case KEY_STORE:
        if (strcmp(arg, "nt") != 0 && strcmp(arg, "plain") != 0)
            argp_error(state, "--store takes plain or nt, not '%s'", arg);
        a->analyze.store_nt = strcmp(arg, "nt") == 0 ? SP_CHOICE_ON : SP_CHOICE_OFF;
        return 0;
    case KEY_REORDER:
        a->reorder = arg;
        return 0;
    case KEY_COLD:
        a->analyze.state = SP_COLD;
        return 0;
    case 'o':
        a->output.directory = arg;
        return 0;
    case KEY_NO_HINTS:
        a->analyze.no_hints = true;
        return 0;
    case KEY_NO_PLOTS:
        a->output.no_plots = true;
        return 0;
    case KEY_STRICT:
        a->output.strict = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            argp_error(state, "import takes two arguments, CSV and MATRIX; '%s' is a third", arg);
        *(state->arg_num == 0 ? &a->csv : &a->matrix) = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->matrix)
            argp_error(state, "give the output of likwid-perfctr -O and the matrix that was run");
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
    if (a->machine || !*csv->cpu || strcmp(csv->cpu, here.model) == 0)
        return SP_OK;
    return sp_fail_at(
        err, SP_USAGE, a->csv, 0, 0,
        "--machine NAME (spmodel machine list), or a file that spmodel machine measure made there",
        "it was measured on another machine than this: %s", csv->cpu);
}

static enum sp_status open_source(struct arguments *a, struct sp_byte_source *source, struct sp_error *err)
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
        a->analyze.n_threads = sp_recording_threads(&recording);
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
    enum sp_status status = open_source(a, &source, err);
    if (status == SP_OK)
        status = sp_topology_read(&topology, err);
    if (status == SP_OK)
        status = sp_this_machine(a->machine, a->machine ? a->analyze.n_threads : 0, progress,
                                 a->common.verbosity, &machine, err);
    if (status == SP_OK && sp_meminfo_read("", &memory, NULL) == SP_OK)
        a->analyze.memory_B = (double)memory.available_B;
    if (status == SP_OK) {
        struct sp_load_options load = {.n_threads = sp_topology_default_threads(&topology),
                                       .allocator = &sp_allocator_huge,
                                       .memory_limit_B = a->analyze.memory_B,
                                       .progress = sp_watch_show,
                                       .interrupted = sp_watch_stop,
                                       .context = &watch};
        status = sp_subject_open(a->matrix, &load, a->reorder, progress, &subject, err);
    }
    if (status == SP_OK) {
        a->analyze.topology = &topology;
        a->analyze.machine = &machine;
        a->analyze.bytes = &source;
        a->analyze.seed = a->common.seed;
        status = sp_analyze(&subject, &a->analyze, progress, record, err);
    }
    sp_subject_free(&subject);
    sp_machine_free(&machine);
    sp_topology_free(&topology);
    sp_byte_source_close(&source);
    return status;
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = {{&sp_common_seed_argp, 0, "Common options:", 90}, {0}};
    static const struct argp argp = {options,
                                     parse,
                                     "CSV MATRIX",
                                     "Reads what likwid-perfctr counted of a run of y = A x by any program, "
                                     "and the matrix that it ran on, and "
                                     "reports alpha, losses and a roofline for it.\v"
                                     "CSV: likwid-perfctr -C 0-9 -g MEM -m -O -o FILE.csv PROGRAM, with a "
                                     "marker region around the product; several "
                                     "groups in one file are taken together. MATRIX: as for spmodel analyze.",
                                     children,
                                     NULL,
                                     NULL};
    struct arguments a = {.analyze = {.format = "crs", .schedule = "rows", .precision = -1, .max_samples = 1},
                          .output = {.directory = "."}};
    char command[4096];
    sp_join_command(argc, argv, command, sizeof command);
    a.analyze.command = command;
    sp_parse(&argp, argc, argv, &a);
    int code = sp_output_open(&a.output, &a.common);
    if (code)
        return code;
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, a.common.verbosity);
    struct sp_record record = {0};
    struct sp_error err;
    enum sp_status status = import_run(&a, &progress, &record, &err);
    sp_terminal_clear(&terminal);
    if (status != SP_OK)
        code = sp_report_error(&err);
    if (record.root)
        code = sp_worse_exit(code, sp_output_record(&record, &a.output, &a.common));
    sp_record_free(&record);
    return sp_output_close(&a.output, code);
}

const struct sp_command sp_cmd_import = {.name = "import",
                                         .arguments = "CSV MATRIX",
                                         .summary =
                                             "explain a run that likwid-perfctr measured, of any program",
                                         .run = run};
