#include <langinfo.h>
#include <omp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "cli/matrix/info.h"
#include "io/files/atomic_file.h"
#include "io/matrix/matrix_load.h"
#include "sys/machine/pages.h"

struct options {
    struct sp_common_options common;
    bool spy;
    struct sp_block_list blocks;
    int n_matrices;
    char **matrix;
};

enum { KEY_SPY = SP_KEY_PRIVATE, KEY_BLOCKS };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        return 0;
    case KEY_SPY:
        o->spy = true;
        return 0;
    case KEY_BLOCKS:
        if (sp_block_list_parse(strcmp(arg, "all") == 0 ? "2x2,3x3,4x4,8x8,16x8,16x16" : arg, &o->blocks))
            sp_usage_error(state, "--blocks takes a list such as 2x2,4x4,16x8 (sides 1 to 64), not '%s'",
                           arg);
        return 0;
    case ARGP_KEY_ARGS:
        o->matrix = state->argv + state->next;
        o->n_matrices = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (o->blocks.n > 0 && (o->common.json || o->common.csv))
            sp_usage_error(state, "--blocks prints a table and goes with neither --json nor --csv");
        return 0;
    case ARGP_KEY_NO_ARGS:
        sp_usage_error(state, "no matrix given");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int spy_columns(void)
{
    struct winsize window;
    int width = 80;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= 20)
        width = window.ws_col;
    return width - 2 < 100 ? width - 2 : 100;
}

static enum sp_status put_info(const struct options *o, const struct sp_info *info, const struct sp_csr *a,
                               bool is_first, struct sp_sink *json, struct sp_sink *csv, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    if (json->stream) {
        json_t *object = sp_info_json(info);
        size_t layout = o->n_matrices > 1 ? JSON_COMPACT : JSON_INDENT(2);
        if (!object || json_dumpf(object, json->stream, layout | JSON_REAL_PRECISION(15)) != 0)
            status = sp_fail(err, object ? SP_OUTPUT : SP_MEMORY, NULL, "the JSON of %s cannot be written",
                             info->name);
        json_decref(object);
        fputs("\n", json->stream);
    }
    if (csv->stream && status == SP_OK)
        status = sp_info_csv(info, is_first, csv->stream, err);
    if (json->stream == stdout || csv->stream == stdout || status != SP_OK)
        return status;
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    struct sp_info_style style = {sp_use_color(&o->common, isatty(STDOUT_FILENO)), utf8};
    if (!is_first)
        fputs("\n", stdout);
    sp_info_text(info, &style, stdout);
    if (o->blocks.n > 0)
        status = sp_info_blocks(a, &o->blocks, stdout, err);
    if (status != SP_OK)
        return status;
    return o->spy ? sp_spy_text(a, spy_columns(), utf8, stdout, err) : SP_OK;
}

static const struct argp_option own[] = {
    {"spy", KEY_SPY, NULL, 0, "Draw the pattern on the terminal", 0},
    {"blocks", KEY_BLOCKS, "RxC,...", 0,
     "Count the blocks of BCSR exactly, as stored and with similar rows side by side; all: some sizes", 0},
    {0}};
static const struct argp_child children[] = {
    {&sp_common_csv_argp, 0, "Common options:", 90}, {&sp_memory_argp, 0, NULL, 90}, {0}};
static const struct argp argp = {
    own, parse, .args_doc = "MATRIX...",
    .doc = "What matrices look like: sizes, row lengths, places, symmetry, values, fill of blocks and of "
           "SELL-C-sigma. Nothing is run.\vMATRIX is a file (`spmodel help input`), - for standard "
           "input, or gen:KIND (see `spmodel generate`).",
    .children = children};

static int run(int argc, char **argv)
{
    struct options o = {0};
    sp_parse(&argp, argc, argv, &o);

    struct sp_sink json = {0}, csv = {0};
    struct sp_error err;
    int code = 0;
    bool is_first = true;
    if (sp_sink_open(o.common.json, &json, &err) != SP_OK)
        return sp_report_error(&err);
    if (sp_sink_open(o.common.csv, &csv, &err) != SP_OK) {
        sp_sink_abort(&json);
        return sp_report_error(&err);
    }
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, o.common.verbosity);
    struct sp_watch watch = {&progress, "reading the matrix"};
    for (int m = 0; m < o.n_matrices; m++) {
        struct sp_csr a;
        struct sp_load_facts facts;
        struct sp_info info = {0};
        struct sp_load_options load = {.n_threads = omp_get_max_threads(),
                                       .allocator = &sp_allocator_huge,
                                       .use = SP_LOAD_FIGURES,
                                       .progress = sp_watch_show,
                                       .interrupted = sp_watch_stop,
                                       .context = &watch};
        enum sp_status status = sp_matrix_load(o.matrix[m], &load, &a, &facts, &err);
        sp_terminal_clear(&terminal);
        if (status == SP_OK) {
            info.name = facts.name;
            info.source = facts.format;
            info.file_B = facts.file_B;
            if (facts.remark[0] && o.common.verbosity >= 0)
                sp_print(stderr, "spmodel: %s: %s\n", info.name, facts.remark);
            status = sp_info_make(&a, &info, &err);
            if (status == SP_OK)
                status = put_info(&o, &info, &a, is_first, &json, &csv, &err);
            is_first = false;
            sp_csr_free(&a);
        }
        if (status != SP_OK)
            code = sp_worse_exit(code, sp_report_error(&err));
        if (status == SP_INTERRUPTED)
            break;
    }
    code = sp_sink_close(&json, code);
    return sp_sink_close(&csv, code);
}

static const struct sp_example examples[] = {
    {"spmodel info --spy matrix.mtx", "its figures, and its pattern in the terminal", NULL},
    {"spmodel info --blocks 2x2,4x4 matrix.mtx", "how full blocks of these sizes would be", NULL},
    {"spmodel info --csv=features.csv matrix.mtx gen:laplace3d:20", "the figures of two matrices as a table",
     NULL},
    {0},
};

extern const struct sp_command sp_cmd_info;
const struct sp_command sp_cmd_info = {
    .name = "info",
    .arguments = "MATRIX...",
    .summary = "structure only: sizes, row lengths, symmetry, fill of formats, spy plot",
    .run = run,
    .page = {&argp, examples, NULL, "analyze convert reorder input"},
};
