/* The options of a run: a row each, of which command lines, records and series are made. */
#ifndef SP_BASE_RUN_OPTION_H
#define SP_BASE_RUN_OPTION_H

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

#endif
