#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/version.h"

static void print_usage(FILE *stream)
{
    fputs("Usage: spmodel COMMAND [OPTION]... [FILE]...\n"
          "How fast could a sparse kernel run, how fast does it run, and where does the rest of the time "
          "go?\n\n"
          "Commands:\n",
          stream);
    for (const struct sp_command *const *c = sp_command_table; *c; c++)
        fprintf(stream, "  %-10s %s\n", (*c)->name, (*c)->summary);
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

/* A full disk shows only when the last buffer is written, so that is part of the result. */
static int close_stdout(int code)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "spmodel: error: standard output: %s\n",
                errno ? strerror(errno) : "not everything could be written");
        return sp_worse_exit(code, sp_exit_code(SP_OUTPUT));
    }
    return code;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    if (argc < 2) {
        print_usage(stderr);
        return sp_exit_code(SP_USAGE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return close_stdout(0);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        const bool as_json = argc > 2 && strcmp(argv[2], "--json") == 0;
        sp_version_print(as_json, stdout);
        return close_stdout(0);
    }
    const struct sp_command *command = find_command(argv[1]);
    if (!command) {
        fprintf(stderr, "spmodel: error: no command '%s'\n  remedy: `spmodel --help` lists the commands\n",
                argv[1]);
        return sp_exit_code(SP_USAGE);
    }
    char name[64];
    snprintf(name, sizeof name, "spmodel %s", command->name);
    argv[1] = name;
    return close_stdout(command->run(argc - 1, argv + 1));
}
