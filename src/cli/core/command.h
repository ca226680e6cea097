/* Commands and verbs: their rows, the name that was meant where none was typed right, and errors as
 * people see them. */
#ifndef SP_CLI_COMMAND_H
#define SP_CLI_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

/* Prints "spmodel: error: ..." with remedy on stderr and returns the exit code. */
int sp_report_error(const struct sp_error *err);

/* Worst of two exit codes, in this order; any other counts as 7. */
#define SP_WORST_COUNTS "Of several inputs the worst counts: 130, 7, 6, 4, 3, 2, 1, 8, 5, 77, 0."
int sp_worse_exit(int a, int b);

/* "Did you mean ...?": offers of names for a word that is none; the nearest wins. */
struct sp_suggestion {
    const char *word;
    const char *shown; /* NULL: nothing near */
    int distance;
};

struct sp_suggestion sp_suggestion_begin(const char *word);
/* `shown` (borrowed) is what to propose when `candidate` is the nearest. */
void sp_suggestion_offer(struct sp_suggestion *s, const char *candidate, const char *shown);

/* Of "--op takes spmv, spmmv or spmm, not 'spmvm'", and of the remedy "say crs, sell:C,SIGMA or
 * half" for "unknown format 'sel'": the word of the list that is near the quoted one at the end, in
 * word[size]; false: none is. `remedy` NULL: the list stands in `what`. */
bool sp_suggest_of_list(const char *what, const char *remedy, char *word, size_t size);

/* Letters to insert, delete or replace, or neighbours to exchange, to make one word of the other,
 * in any case. Words of up to 63 letters; longer ones are cut. */
int sp_edit_distance(const char *a, const char *b);

/* What a command's or a verb's row says for its manual page, its --help and its completion; the
 * options themselves are those that it parses. An example is one line that works:
 * tests/cli/examples.sh runs it as it stands, in a folder with matrix.mtx, before.json and the
 * like. */
struct sp_example {
    const char *line;  /* "spmodel info --spy matrix.mtx" */
    const char *what;  /* what it is for, without a full stop */
    const char *exits; /* codes that it may exit with, "0 5"; NULL: 0 */
};

struct sp_manual_facts {
    const struct argp *argp;           /* what it parses; NULL: a family of verbs */
    const struct sp_example *examples; /* ends with a NULL line; NULL: none */
    const char *exits;                 /* codes beside those that every command may have, "1 5"; NULL: none */
    const char *see;                   /* other pages and topics, "compare track-check formats"; NULL: none */
};

/* Commands that are families of verbs: `spmodel track check`, `spmodel lab run`. One verb; its
 * argv[0] is "spmodel FAMILY NAME". */
struct sp_verb {
    const char *name, *arguments, *summary;
    int (*run)(int argc, char **argv);
    struct sp_manual_facts page;
};

struct sp_verb_family {
    const char *name;                  /* of the command */
    const char *purpose;               /* a sentence or two for --help, with the newline */
    const char *example;               /* lines behind the list of verbs */
    const struct sp_verb *const *verb; /* ends with NULL */
};

/* Runs the verb that argv[1] names, or prints the list; returns the exit code. */
int sp_verbs_run(const struct sp_verb_family *family, int argc, char **argv);

/* A command: one file cmd_NAME.c, and one row in the table of cmd_help.c, which lists them. */
struct sp_command {
    const char *name;
    const char *arguments; /* "MATRIX...", for the usage line */
    const char *summary;   /* one line for `spmodel help` */
    /* argv[0] is "spmodel NAME". Returns the exit code (options.h: sp_exit_code); never calls
     * exit() itself, except in sp_parse() (--help, usage errors, no memory). */
    int (*run)(int argc, char **argv);
    struct sp_manual_facts page;
    const struct sp_verb_family *family; /* of a command that is one; else NULL */
    bool is_measuring;                   /* it times teams of threads: sp_process_wait_briefly() */
};

/* All commands, in the order of the lists; ends with NULL. Set by main(), so that what all commands
 * share does not name them. */
extern const struct sp_command *const *sp_command_table;
extern const struct sp_command *const sp_commands[]; /* the table itself, in cmd_help.c */

/* The examples of the command or the verb that has these options; NULL: none. */
const struct sp_example *sp_examples_of(const struct argp *argp);

#endif
