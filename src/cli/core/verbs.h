/* Commands that are families of verbs: `spmodel track check`, `spmodel lab run`. */
#ifndef SP_CLI_VERBS_H
#define SP_CLI_VERBS_H

#include "cli/core/page.h"

/* One verb; its argv[0] is "spmodel FAMILY NAME". */
struct sp_verb {
    const char *name, *arguments, *summary;
    int (*run)(int argc, char **argv);
    struct sp_page page;
};

struct sp_verb_family {
    const char *name;                  /* of the command */
    const char *purpose;               /* a sentence or two for --help, with the newline */
    const char *example;               /* lines behind the list of verbs */
    const struct sp_verb *const *verb; /* ends with NULL */
};

/* Runs the verb that argv[1] names, or prints the list; returns the exit code. */
int sp_verbs_run(const struct sp_verb_family *family, int argc, char **argv);

#endif
