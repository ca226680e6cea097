/* The options of a command as --help shows them: those of its argp and of all children, in groups. */
#ifndef SP_CLI_OPTION_LIST_H
#define SP_CLI_OPTION_LIST_H

#include <argp.h>
#include <stdbool.h>

enum { SP_MOST_OPTIONS = 128, SP_OPTION_DEPTH = 8 };

struct sp_option_line {
    const char *header; /* the title of a group, which the options behind it belong to; else NULL */
    const char *name;   /* long name */
    char letter;        /* short name; 0: none */
    const char *arg;    /* "FILE"; NULL: takes nothing */
    bool arg_optional;
    const char *doc;
    int place[SP_OPTION_DEPTH], depth; /* among the groups: lines sort by it */
};

struct sp_option_list {
    int n;
    struct sp_option_line line[SP_MOST_OPTIONS];
};

/* argp NULL: no options. Hidden ones are left out; --help and --usage are there. */
void sp_option_list_make(const struct argp *argp, struct sp_option_list *list);

#endif
