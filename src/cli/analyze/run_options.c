#include "cli/analyze/run_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/print.h"
#include "base/text.h"
#include "cli/core/process.h"
#include "io/record/record.h"
#include "io/record/record_request.h"
#include "plots/plot.h"
#include "session/record/parts.h"
#include "sp_config.h"
#include "sys/machine/identity.h"
#include "track/store/store.h"

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What is run:", 1},
    {NULL, 0, NULL, 0, "How it is observed:", 2},
    {NULL, 0, NULL, 0, "What comes out:", 3},
#define RUN_OPTION SP_ARGP_ROW
#include "base/option/run_options.inc"
    {0},
};

enum sp_option sp_option_of_key(int key)
{
    int i = 0;
    while (i < SP_N_OPTIONS && key != (sp_run_options[i].key ? sp_run_options[i].key : SP_KEY_OPTION + i))
        i++;
    return (enum sp_option)i;
}

int sp_pick(struct argp_state *state, const char *typed, const char *arg, const char *words)
{
    int place;
    struct sp_error err;
    if (sp_word_pick(typed, words, arg, &place, &err) != SP_OK)
        sp_usage_error(state, "%s", err.what);
    return place;
}

const char *sp_pick_folder(struct argp_state *state, const char *arg)
{
    const char *dot = strrchr(arg, '.');
    if (dot && sp_term_from_name(dot + 1) >= 0 && access(arg, F_OK) != 0)
        sp_usage_error(state, "--out names the folder of the pictures, not one of them: '%s'", arg);
    return arg;
}

int sp_pick_threads(struct argp_state *state, const char *arg)
{
    struct sp_request r = {0};
    struct sp_error err;
    if (sp_request_take(&r, SP_OPTION_THREADS, arg, &err) != SP_OK)
        sp_usage_error(state, "%s", err.what);
    return r.analyze.n_threads;
}

/* An option of a request, or else of what becomes of the result. */
static error_t take(int key, const char *arg, struct argp_state *state, struct sp_request *r,
                    struct sp_output_options *o)
{
    struct sp_error err;
    const enum sp_option option = sp_option_of_key(key);
    if (option == SP_N_OPTIONS)
        return ARGP_ERR_UNKNOWN;
    const enum sp_status status = sp_request_take(r, option, arg, &err);
    if (status == SP_NO && sp_run_options[option].argument)
        return ARGP_ERR_UNKNOWN;
    if (status != SP_OK && status != SP_NO)
        sp_usage_error(state, "%s", err.what);
    o->asked[option] = true;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sp_run_options *r = state->input;
    switch (key) {
    case 'o':
        r->output->directory = sp_pick_folder(state, arg);
        return 0;
    case SP_KEY_OF(HTML):
        r->output->html_name = arg;
        r->output->asked[SP_OPTION_HTML] = true;
        return 0;
    default:
        return take(key, arg, state, r->request, r->output);
    }
}

const struct argp sp_run_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

static const struct argp_option op_options[] = {
    {NULL, 0, NULL, 0, "What is computed:", 4},
#define OP_OPTION SP_ARGP_ROW
#include "base/option/run_options.inc"
    {0},
};

static error_t parse_op(int key, char *arg, struct argp_state *state)
{
    struct sp_error err;
    const enum sp_status status = sp_op_take(state->input, sp_option_of_key(key), arg, &err);
    if (status == SP_NO)
        return ARGP_ERR_UNKNOWN;
    if (status != SP_OK)
        sp_usage_error(state, "%s", err.what);
    return 0;
}

const struct argp sp_op_argp = {op_options, parse_op, NULL, NULL, NULL, NULL, NULL};

static const struct argp_option analyze_options[] = {
#define ANALYZE_OPTION SP_ARGP_ROW
#include "base/option/run_options.inc"
    {0},
};

/* Caches let a run exceed the roof a little; a larger limit was meant in percent. */
#define MOST_SHARE 2

static void set_fail_below(struct argp_state *state, const char *arg, struct sp_output_options *o)
{
    const char *number = strchr(arg, ':');
    double f = 0;
    if (!number || sp_parse_number(number + 1, &f) || f <= 0)
        sp_usage_error(state,
                       "--fail-below takes bandwidth:F or model:F, for example bandwidth:0.8, not '%s'", arg);
    else if (f > MOST_SHARE)
        sp_usage_error(state, "--fail-below takes a share: %.*s:%g for %g %%, not '%s'", (int)(number - arg),
                       arg, f / 100, f, arg);
    else if (strncmp(arg, "bandwidth:", 10) == 0)
        o->fail_below_bandwidth = f;
    else if (strncmp(arg, "model:", 6) == 0)
        o->fail_below_model = f;
    else
        sp_usage_error(state, "--fail-below knows bandwidth:F and model:F, not '%s'", arg);
}

static error_t parse_analyze(int key, char *arg, struct argp_state *state)
{
    struct sp_analyze_arguments *a = state->input;
    struct sp_error err;
    switch (key) {
    case ARGP_KEY_INIT:
        a->run = (struct sp_run_options){&a->request, &a->output};
        state->child_inputs[0] = &a->run;
        state->child_inputs[1] = &a->request.op;
        state->child_inputs[2] = &a->common;
        return 0;
    case SP_KEY_OF(FAIL_BELOW):
        set_fail_below(state, arg, &a->output);
        a->output.asked[SP_OPTION_FAIL_BELOW] = true;
        return 0;
    case SP_KEY_OF(PARTITION):
        a->partition = arg;
        return 0;
    case SP_KEY_OF(RANKS):
        a->n_ranks = (int)sp_take_count(state, "ranks", 1, 4096, arg);
        return 0;
    case SP_KEY_OF(EACH_READS):
        a->each_reads = true;
        return 0;
    case SP_KEY_OF(PATIENCE):
        if (sp_parse_seconds(arg, &a->patience_s) || !(a->patience_s > 0 && a->patience_s < 1e7))
            sp_usage_error(state, "--patience takes a time, for example 60s or 1h, not '%s'", arg);
        return 0;
    case ARGP_KEY_ARGS:
        a->matrix = state->argv + state->next;
        a->n_matrices = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (!a->output.asked[SP_OPTION_MPI] &&
            (a->partition || a->each_reads || a->n_ranks > 0 || a->patience_s > 0))
            sp_usage_error(state, "%s is for --mpi",
                           a->partition    ? "--partition"
                           : a->n_ranks    ? "--ranks"
                           : a->each_reads ? "--each-reads"
                                           : "--patience");
        if (sp_request_check_device(&a->request, &err) != SP_OK)
            sp_usage_error(state, "%s", err.what);
        return 0;
    case ARGP_KEY_NO_ARGS:
        sp_usage_error(
            state,
            "give a matrix: a .mtx file, - for standard input, or gen:KIND (spmodel generate lists them)");
        return 0;
    default:
        return take(key, arg, state, &a->request, &a->output);
    }
}

static const struct argp_child children[] = {{&sp_run_argp, 0, NULL, 0},
                                             {&sp_op_argp, 0, NULL, 0},
                                             {&sp_common_measure_argp, 0, "Common options:", 90},
                                             {&sp_memory_argp, 0, NULL, 90},
                                             {0}};
const struct argp sp_analyze_argp = {
    analyze_options,
    parse_analyze,
    "MATRIX...",
    "Reads a matrix, runs a kernel on it under the clock, counts or simulates the bytes it moves, and "
    "says how "
    "fast it "
    "could run, how "
    "fast it does run, where the rest of the time goes, and what to do about it.\v"
    "MATRIX: .mtx, .petsc, .npz or .rb, also .gz .xz .zst .bz2, a SuiteSparse NAME.tar.gz, a binary cache "
    ".spm, - (standard input), or a generated matrix such as gen:laplace3d:120.",
    children,
    NULL,
    NULL};

enum sp_status sp_analyze_arguments(int argc, char **argv, char *command, size_t size,
                                    struct sp_analyze_arguments *a, struct sp_error *err)
{
    *a = (struct sp_analyze_arguments){.request = sp_request_begin(), .output = {.directory = "."}};
    sp_join_command(argc, argv, command, size);
    a->request.analyze.command = command;
    sp_parse(&sp_analyze_argp, argc, argv, a);
    a->request.analyze.seed = a->common.seed;
    const enum sp_status status = sp_request_settle(&a->request, err);
    a->output.several = a->n_matrices > 1 || a->request.all_formats || a->request.op.n_widths > 1;
    return status;
}

/* The first fact about where it ran that is another here. */
static enum sp_status check_machine(const struct sp_record *r, struct sp_error *err)
{
    struct sp_topology topology;
    struct sp_identity here;
    const json_t *there = sp_record_node(r, SP_F_ENV_IDENTITY);
    enum sp_status status = sp_topology_read(&topology, err);
    if (status != SP_OK)
        return status;
    sp_identity_read("", &topology, &here);
    sp_topology_free(&topology);
    for (int i = 0; i < here.n; i++) {
        const char *was = sp_item_text(there, here.fact[i].name);
        if (!was || strcmp(was, here.fact[i].value) != 0)
            return sp_fail(err, SP_ABSENT, NULL, "this is not the machine it ran on: %s is %s, was %s",
                           here.fact[i].name, here.fact[i].value, was ? was : "not recorded");
    }
    return SP_OK;
}

static enum sp_status check_program(const struct sp_record *r, struct sp_error *err)
{
    const char *version = sp_words_text(r, SP_F_TOOL_VERSION, "?"),
               *git = sp_words_text(r, SP_F_TOOL_GIT, "?");
    if (strcmp(version, SP_VERSION) == 0 && strcmp(git, SP_GIT_VERSION) == 0)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, NULL, "it was measured by spmodel %s (%s), this is %s (%s)", version, git,
                   SP_VERSION, SP_GIT_VERSION);
}

static enum sp_status check_matrix(const struct sp_record *r, struct sp_error *err)
{
    bool anonymous = false;
    const char *path = sp_words_text(r, SP_F_PROBLEM_PATH, "");
    if (sp_record_flag(r, SP_F_ANONYMOUS, &anonymous) && anonymous && strncmp(path, "gen:", 4) != 0)
        return sp_fail(err, SP_ABSENT, NULL, "the record is anonymous: it does not say which matrix");
    if (!*path || strcmp(path, "-") == 0)
        return sp_fail(err, SP_ABSENT, NULL, "its matrix came by standard input");
    if (strncmp(path, "gen:", 4) != 0 && access(path, R_OK) != 0)
        return sp_fail(err, SP_ABSENT, NULL, "its matrix '%s' is not here (seen from this folder)", path);
    return SP_OK;
}

/* What is measured here and now is of this commit. */
static enum sp_status check_commit(const struct sp_record *r, struct sp_error *err)
{
    const char *variable, *here = sp_source_commit(&variable),
                          *was = sp_words_text(r, SP_F_SOURCE_COMMIT, "");
    const size_t n_here = here ? strlen(here) : 0, n_was = strlen(was);
    /* One may be the other, abbreviated. */
    if (!here || (n_was > 0 && strncmp(here, was, n_here < n_was ? n_here : n_was) == 0))
        return SP_OK;
    return sp_fail(err, SP_ABSENT, NULL, "it was measured at %s, and %s says %s",
                   *was ? was : "no named commit", variable, here);
}

enum sp_status sp_can_measure_again(const struct sp_record *r, bool on_any, struct sp_error *err)
{
    struct sp_arguments unused = {0};
    enum sp_status status = sp_record_request_arguments(r, "", &unused, err);
    sp_arguments_free(&unused);
    if (status == SP_OK)
        status = check_matrix(r, err);
    if (status == SP_OK)
        status = check_program(r, err);
    if (status == SP_OK)
        status = check_commit(r, err);
    if (status == SP_OK && !on_any)
        status = check_machine(r, err);
    return status;
}

/* As the record's source, nothing on standard output. */
static enum sp_status run_program(const struct sp_arguments *a, const struct sp_record *r,
                                  const struct sp_progress *progress, struct sp_error *err)
{
    struct sp_own_variable set[3] = {{NULL, NULL}};
    const struct sp_own_process what = {.word = a->word, .out = "/dev/null", .set = set};
    const char *commit = sp_words_text(r, SP_F_SOURCE_COMMIT, ""),
               *branch = sp_words_text(r, SP_F_SOURCE_BRANCH, "");
    int state, n = 0;
    pid_t child;
    if (*commit)
        set[n++] = (struct sp_own_variable){"SPMODEL_COMMIT", commit};
    if (*branch)
        set[n++] = (struct sp_own_variable){"SPMODEL_BRANCH", branch};
    const enum sp_status status = sp_own_process_start(&what, &child, err);
    if (status != SP_OK)
        return status;
    state = sp_own_process_wait(child);
    if (sp_progress_interrupted(progress)) /* Ctrl-C ends the child too */
        return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted while measuring again");
    if (state != -1 && WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, NULL, "measuring it again failed (exit code %d)",
                   WIFEXITED(state) ? WEXITSTATUS(state) : -1);
}

/* The one record that the program left; it says which it confirms. */
static enum sp_status take_field(const struct sp_record *of, const char *folder, struct sp_record *again,
                                 char path[4096], struct sp_error *err)
{
    struct sp_record_paths paths = {0};
    enum sp_status status = sp_record_paths_add(&paths, folder, err);
    if (status == SP_OK && paths.n != 1)
        status = sp_fail(err, SP_ABSENT, NULL, "measuring it again left %d records", paths.n);
    if (status == SP_OK) {
        snprintf(path, 4096, "%s", paths.path[0]);
        status = sp_record_read(path, again, err);
    }
    if (status == SP_OK) {
        sp_record_set_text(again, SP_F_CONFIRMS, sp_words_text(of, SP_F_ID, ""));
        status = sp_record_write(again, path, err);
    }
    sp_record_paths_free(&paths);
    return status;
}

enum sp_status sp_measure_again(const struct sp_record *r, const char *folder,
                                const struct sp_progress *progress, int verbosity, struct sp_record *again,
                                char path[4096], struct sp_error *err)
{
    static const char *const ours[] = {"-q", "--no-hints", "--no-plots", "--out"};
    struct sp_arguments a = {0};
    char text[2000];
    sp_arguments_add(&a, "spmodel");
    enum sp_status status = sp_record_request_arguments(r, sp_words_text(r, SP_F_PROBLEM_PATH, ""), &a, err);
    if (status == SP_OK && verbosity >= 0)
        sp_print(stderr, "measuring again: %s\n", sp_arguments_text(&a, text, sizeof text));
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        sp_arguments_add(&a, ours[i]);
    sp_arguments_add(&a, folder);
    if (status == SP_OK && a.n > SP_MOST_ARGUMENTS)
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for a command line");
    if (status == SP_OK)
        status = run_program(&a, r, progress, err);
    if (status == SP_OK)
        status = take_field(r, folder, again, path, err);
    sp_arguments_free(&a);
    return status;
}

const char *sp_commit_of_now(void)
{
    const char *variable;
    return sp_source_commit(&variable);
}
