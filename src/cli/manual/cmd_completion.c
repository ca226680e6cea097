#include <string.h>

#include "base/print.h"
#include "cli/analyze/run_options.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/explain/terms/topics.h"
#include "cli/manual/completion.h"

/* Apart from completion_values.c: plots and the terms of explain have an enum of one name. */

void sp_explained_words(FILE *out)
{
    struct sp_topic t;
    for (int i = 0; sp_topic_at(i, &t); i++)
        if (t.kind != SP_KIND_EXIT)
            fprintf(out, "%s ", t.name);
}

/* spmodel completion: scripts for shells, and the names that these ask for. */

enum { KEY_WORDS = SP_KEY_PRIVATE, KEY_STALE };

enum shell { BASH, ZSH, N_SHELLS };

struct arguments {
    int shell; /* N_SHELLS: none was named */
    const char *output;
    enum sp_value_kind names; /* SP_VALUE_FREE: not asked for */
    bool stale;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write the script into FILE (default: standard output)", 0},
    {"words", KEY_WORDS, "KIND", 0, "List the names that complete now: machine or lab", 0},
    {"stale", KEY_STALE, NULL, OPTION_HIDDEN, "List rows of the table of values that fit no option", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const shells[] = {[BASH] = "bash", [ZSH] = "zsh", [N_SHELLS] = NULL};
    struct arguments *a = state->input;
    switch (key) {
    case 'o':
        a->output = arg;
        return 0;
    case KEY_WORDS:
        a->names = sp_pick(state, "--words", arg, "machine lab") == 0 ? SP_VALUE_MACHINE : SP_VALUE_LAB;
        return 0;
    case KEY_STALE:
        a->stale = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->shell != N_SHELLS)
            sp_usage_error(state, "one shell at a time");
        for (a->shell = 0; shells[a->shell] && strcmp(shells[a->shell], arg) != 0;)
            a->shell++;
        if (a->shell == N_SHELLS)
            sp_usage_error(state, "completion knows bash and zsh, not '%s'", arg);
        return 0;
    case ARGP_KEY_END:
        if (a->shell == N_SHELLS && a->names == SP_VALUE_FREE && !a->stale)
            sp_usage_error(state, "name a shell: bash or zsh");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options, parse, .args_doc = "bash|zsh",
    .doc = "Prints a script with which a shell completes commands, verbs, options and their values.\v"
           "An installed spmodel has the scripts where the shells look for them. Else, in ~/.bashrc:\n\n"
           "  eval \"$(spmodel completion bash)\"\n\n"
           "and for zsh into a folder of fpath:\n\n"
           "  spmodel completion zsh -o ~/.zfunc/_spmodel"};

static int list_stale(void)
{
    char text[80];
    int i = 0;
    for (; sp_values_stale(i, text, sizeof text); i++)
        sp_print(stdout, "%s\n", text);
    return i > 0;
}

static int run(int argc, char **argv)
{
    struct arguments a = {.shell = N_SHELLS, .names = SP_VALUE_FREE};
    struct sp_sink sink;
    struct sp_error err;
    sp_parse(&argp, argc, argv, &a);
    if (a.stale)
        return list_stale();
    if (a.names != SP_VALUE_FREE) {
        sp_list_names(a.names, stdout);
        return 0;
    }
    if (sp_sink_open(a.output ? a.output : "-", &sink, &err) != SP_OK)
        return sp_report_error(&err);
    (a.shell == BASH ? sp_completion_bash : sp_completion_zsh)(sink.stream);
    return sp_sink_close(&sink, 0);
}

static const struct sp_example examples[] = {
    {"spmodel completion bash -o spmodel.bash", "a file for bash to read", NULL},
    {"spmodel completion --words machine", "the machines that --machine completes", NULL},
    {0},
};

extern const struct sp_command sp_cmd_completion;
const struct sp_command sp_cmd_completion = {
    .name = "completion",
    .arguments = "bash|zsh",
    .summary = "scripts with which bash and zsh complete commands, options and values",
    .run = run,
    .page = {&argp, examples, NULL, "help"},
};
