/* What completes on the command line: of each page its options, and of each option the values that
 * are known. The scripts for bash and zsh are made from it. */
#ifndef SP_CLI_COMPLETION_H
#define SP_CLI_COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/core/options.h"
#include "cli/manual/manual.h"

/* Scripts ask for the names of machines and labs when they complete: there may be new ones. */
enum sp_value_kind {
    SP_VALUE_FREE, /* nothing is offered */
    SP_VALUE_WORDS,
    SP_VALUE_FILE,
    SP_VALUE_DIRECTORY,
    SP_VALUE_MATRIX, /* files, and gen:KIND */
    SP_VALUE_RECORD, /* .json */
    SP_VALUE_MACHINE,
    SP_VALUE_LAB,
    SP_N_VALUE_KINDS
};
const char *sp_value_kind_name(enum sp_value_kind kind); /* "words", "file", ... */

struct sp_values {
    enum sp_value_kind kind;
    bool is_list; /* several, separated by commas */
    char *words;  /* offered beside what the kind offers, separated by blanks; may be ""; owned */
};

/* Of an option of a page, option NULL: of its arguments. Free it. */
void sp_values_of(const struct sp_manual_entry *page, const struct sp_option_line *option,
                  struct sp_values *values);
void sp_values_free(struct sp_values *values);
/* "gen:laplace3d: ..." for words that stand for matrices. */
void sp_matrix_words(FILE *out);
/* What `spmodel explain` knows. */
void sp_explained_words(FILE *out);
/* Names now: of machines or of labs, a line each. */
void sp_list_names(enum sp_value_kind kind, FILE *out);

void sp_completion_bash(FILE *out);
void sp_completion_zsh(FILE *out);

/* The i-th row of the table of values that fits no option of any page; false: none. */
bool sp_values_stale(int i, char *text, size_t size);

#endif
