/* The command table: one file cmd_NAME.c and one row in command_table.c a subcommand. */
#ifndef SP_CLI_COMMAND_H
#define SP_CLI_COMMAND_H

#include <stdio.h>

#include "base/status.h"
#include "cli/core/verbs.h"

struct sp_command {
    const char *name;
    const char *arguments; /* "MATRIX...", for the usage line */
    const char *summary;   /* one line for `spmodel help` */
    /* argv[0] is "spmodel NAME". Returns the exit code (options.h: sp_exit_code); never calls exit() itself,
     * except in sp_parse() (--help, usage errors, no memory). */
    int (*run)(int argc, char **argv);
    struct sp_page page;
    const struct sp_verb_family *family; /* of a command that is one; else NULL */
};

extern const struct sp_command *const sp_command_table[]; /* ends with NULL */

#endif
