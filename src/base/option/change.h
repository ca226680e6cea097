/* Options with their values, as a list: what a hint, a sweep or a trial changes of a run, and what
 * a run was given. Only here they become a command line's words, and a command line's words become
 * them. */
#ifndef SP_BASE_CHANGE_H
#define SP_BASE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/option/run_option.h"

enum { SP_CHANGE_VALUES = 400 };

/* Zero-initialise: nothing. Each option once; plain data. */
struct sp_change {
    int n;
    unsigned char option[SP_N_OPTIONS]; /* [n] enum sp_option, in the order in which they were added */
    char values[SP_CHANGE_VALUES];      /* their n values, each with its '\0'; "" of one that takes none */
};

/* Adds an option; one that is there already leaves its place and takes the new value. False: the
 * value is too long, and nothing is changed. */
bool sp_change_add(struct sp_change *change, enum sp_option option, const char *value);
bool sp_change_add_number(struct sp_change *change, enum sp_option option, long long value);
bool sp_change_add_all(struct sp_change *change, const struct sp_change *more);
/* With one option. */
struct sp_change sp_change_of(enum sp_option option, const char *value);

const char *sp_change_value(const struct sp_change *change, enum sp_option option); /* NULL: not there */
bool sp_change_shares(const struct sp_change *a, const struct sp_change *b);        /* one option or more */
bool sp_change_is_same(const struct sp_change *a, const struct sp_change *b);       /* in the same order */

/* Without those that name a kernel of somebody else. */
struct sp_change sp_change_without_kernel(const struct sp_change *change);

/* "--format sell:8,64 --threads 4", values quoted for a shell where they need it; what does not fit
 * is left out. Returns text[size]. */
char *sp_change_as_typed(const struct sp_change *change, char *text, size_t size);
/* The other way round: options in the way of a command line, separated by blanks. False: a word is
 * no option of a run, or a value is missing; *change is empty then. */
bool sp_change_parse(const char *text, struct sp_change *change);

/* "spmodel analyze MATRIX OPTIONS CHANGE", each option once. Returns text[size]. */
char *sp_change_command(const char *matrix, const struct sp_change *options, const struct sp_change *change,
                        char *text, size_t size);

#endif
