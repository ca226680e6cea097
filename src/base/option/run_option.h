/* The options of a run: a row each, of which command lines, records and series are made. */
#ifndef SP_BASE_RUN_OPTION_H
#define SP_BASE_RUN_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/option/option_words.h"
#include "base/status.h"

enum sp_option_bits {
    SP_ON_GPU = 1,    /* may be given there, too */
    SP_OF_SERIES = 2, /* series of records are told apart by it */
    SP_OF_CHANGE = 4, /* hints, sweeps and trials may change it */
    SP_IF_GIVEN = 8   /* series of records without it are as they were before there was such an option */
};

enum sp_option {
#define OP_OPTION(id, ...)      SP_OPTION_##id,
#define RUN_OPTION(id, ...)     SP_OPTION_##id,
#define ANALYZE_OPTION(id, ...) SP_OPTION_##id,
#define OTHER_OPTION(id, ...)   SP_OPTION_##id,
#include "base/option/run_options.inc"
    SP_N_OPTIONS
};

/* Of --format, behind two bytes: made of base/option/formats.inc. */
extern const char sp_formats_help[];
/* Of --bytes: made of base/option/byte_counters.inc. */
extern const char sp_bytes_words[], sp_bytes_help[];

/* base/option/run_options.inc says what the fields are. */
struct sp_run_option {
    const char *typed; /* "--format" */
    int key;
    const char *argument, *words, *otherwise;
    int title;
    unsigned bits;
    int group;
    const char *help;
};
extern const struct sp_run_option sp_run_options[SP_N_OPTIONS];

const char *sp_option_name(enum sp_option option); /* "format" */
enum sp_option sp_option_find(const char *name);   /* SP_N_OPTIONS: none */
/* Place of the value among words that are separated by blanks; -1: none of them, or NULL. */
int sp_word_among(const char *words, const char *value);
/* The same into *place; SP_USAGE names the words: "--store takes auto, nt, plain, not 'x'". */
enum sp_status sp_word_pick(const char *typed, const char *words, const char *value, int *place,
                            struct sp_error *err);

/* Options with their values, as a list: what a hint, a sweep or a trial changes of a run, and what
 * a run was given. Only here they become a command line's words, and a command line's words become
 * them. */

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
