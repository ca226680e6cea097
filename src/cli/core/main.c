#include <jansson.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/process.h"
#include "cli/core/terminal.h"
#include "sp_config.h"

/* `spmodel --version`: version, revision, compiler, and the optional parts of the build. */

static const struct part {
    const char *name;
    int have;
    const char *text;
} parts[] = {SP_PARTS};
enum { N_PARTS = sizeof parts / sizeof *parts };

static void print_json(FILE *out)
{
    json_t *list = json_object();
    for (int i = 0; i < N_PARTS; i++)
        json_object_set_new(list, parts[i].name,
                            json_pack("{s:b, s:s}", "have", parts[i].have, "text", parts[i].text));
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "version", SP_VERSION, "git", SP_GIT_VERSION, "compiler",
                  SP_COMPILER, "build_type", SP_BUILD_TYPE, "flags", SP_C_FLAGS, "parts", list);
    json_dumpf(root, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(root);
}

/* As lines for people, the first "spmodel VERSION (REVISION)", or as JSON. */
static void version_print(bool as_json, FILE *out)
{
    if (as_json) {
        print_json(out);
        return;
    }
    sp_print(out, "spmodel %s (%s)\ncompiler %s, %s, flags %s\n", SP_VERSION, SP_GIT_VERSION, SP_COMPILER,
             SP_BUILD_TYPE, SP_C_FLAGS);
    for (int i = 0; i < N_PARTS; i++)
        sp_print(out, "  %s: %s\n", parts[i].name, parts[i].text);
}

static void print_usage(FILE *stream)
{
    fputs("Usage: spmodel COMMAND [OPTION]... [FILE]...\n"
          "How fast could a sparse kernel run, how fast does it run, and where does the rest of the time "
          "go?\n\n"
          "Commands:\n",
          stream);
    for (const struct sp_command *const *c = sp_command_table; *c; c++)
        sp_print(stream, "  %-10s %s\n", (*c)->name, (*c)->summary);
    fputs("\nStart with:  spmodel analyze MATRIX.mtx      spmodel COMMAND --help  explains a command;\n"
          "spmodel --version says what this build can do.\n",
          stream);
}

static const struct sp_command *find_command(const char *name)
{
    for (const struct sp_command *const *c = sp_command_table; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

/* A matrix, or an option, in a command's place, a command misspelt, or neither. */
static int no_command(int argc, char **argv)
{
    static char analyze[] = "spmodel analyze";
    const char *word = argv[1];
    struct sp_suggestion s = sp_suggestion_begin(word);
    for (const struct sp_command *const *c = sp_command_table; *c; c++)
        sp_suggestion_offer(&s, (*c)->name, (*c)->name);
    sp_print(stderr, "spmodel: error: no command '%s'\n", word);
    if (strncmp(word, "gen:", 4) == 0 || strpbrk(word, "./") || access(word, R_OK) == 0 ||
        (word[0] == '-' && argc > 2)) {
        char text[1000];
        argv[0] = analyze;
        sp_join_command(argc, argv, text, sizeof text);
        sp_print(stderr, "  remedy: %s\n", text);
    } else if (s.shown)
        sp_print(stderr, "  remedy: did you mean `spmodel %s`? `spmodel --help` lists the commands\n",
                 s.shown);
    else
        fputs("  remedy: `spmodel --help` lists the commands\n", stderr);
    return sp_exit_code(SP_USAGE);
}

/* -h is what most people type for --help; argp keeps it for itself. */
static void take_short_help(int argc, char **argv)
{
    static char help[] = "--help";
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-h") == 0)
            argv[i] = help;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    sp_command_table = sp_commands;
    const int refused = sp_process_begin();
    if (refused)
        return refused;
    if (!sp_guard_standard_streams()) {
        static const char text[] =
            "spmodel: error: no memory is left for standard output\n  remedy: free memory\n";
        if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
            return sp_exit_code(SP_OUTPUT);
        return sp_exit_code(SP_MEMORY);
    }
    sp_guard_wrap(stdout, sp_terminal_columns());
    if (argc < 2) {
        print_usage(stderr);
        return sp_exit_code(SP_USAGE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return sp_process_end(0);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        const bool as_json = argc > 2 && strcmp(argv[2], "--json") == 0;
        version_print(as_json, stdout);
        return sp_process_end(0);
    }
    const struct sp_command *command = find_command(argv[1]);
    if (!command) {
        return no_command(argc, argv);
    }
    if (command->is_measuring)
        sp_process_wait_briefly(argv);
    take_short_help(argc, argv);
    char name[64];
    snprintf(name, sizeof name, "spmodel %s", command->name);
    argv[1] = name;
    return sp_process_end(command->run(argc - 1, argv + 1));
}
