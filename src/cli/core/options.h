/* What all commands share: common options, exit codes, errors on stderr. Commands use glibc's argp
 * with sp_common_argp as a child, so that long options mean the same everywhere. */
#ifndef SP_CLI_OPTIONS_H
#define SP_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/core/command.h"

enum sp_color { SP_COLOR_AUTO, SP_COLOR_ALWAYS, SP_COLOR_NEVER };

struct sp_common_options {
    const char *json;  /* --json[=FILE]: NULL not asked, "-" stdout, else a file */
    const char *csv;   /* --csv[=FILE], likewise */
    const char *lines; /* --lines[=FILE], likewise */
    int verbosity;     /* 0; -q: -1; -v: +1 each */
    enum sp_color color;
    uint64_t seed; /* --seed, default 1 */
};

/* Child parsers: their input is a struct sp_common_options. A command takes the one that has no
 * more than it uses, so that an option which would change nothing is refused. In a command:
 *
 *     static const struct argp_child children[] = {{&sp_common_argp, 0, "Common options:", 90}, {0}};
 *     state->child_inputs[0] = &options.common;                in ARGP_KEY_INIT
 *
 * Keys at and above SP_KEY_PRIVATE are free for a command's long-only options. */
extern const struct argp sp_common_argp;         /* --quiet, --verbose, --color */
extern const struct argp sp_common_json_argp;    /* also --json */
extern const struct argp sp_common_csv_argp;     /* also --json, --csv */
extern const struct argp sp_common_lines_argp;   /* also --json, --csv, --lines */
extern const struct argp sp_common_seed_argp;    /* also --json, --csv, --seed */
extern const struct argp sp_common_measure_argp; /* also --json, --csv, --lines, --seed */
enum { SP_KEY_PRIVATE = 0x1000 };

/* --memory SIZE, for commands that load or make a matrix: a child without input, the last. */
extern const struct argp sp_memory_argp;

/* Parses; usage errors end the program with exit code 2 as argp does it, and so does what else may
 * keep it from reading the command line (no memory: 4): where it returns, everything has been read.
 * The words that may name files are noted for sp_words_refuse(). */
void sp_parse(const struct argp *argp, int argc, char **argv, void *input);

/* argp_error() for parsers: the command, what is wrong and how to get help; ends the program with
 * exit code 2. One line, whatever the arguments are. */
void sp_usage_error(const struct argp_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The whole number, or the percent as a share (with or without %), that an option takes from
 * `least` to `most`; anything else is a usage error. INT64_MAX: there is no most. */
int64_t sp_take_count(const struct argp_state *state, const char *option, int64_t least, int64_t most,
                      const char *arg);
double sp_take_percent(const struct argp_state *state, const char *option, double least, double most,
                       const char *arg);

/* TERM=dumb: it knows neither colours nor a line that is written again. */
bool sp_terminal_is_dumb(void);
/* True when the stream `is_tty` should be coloured. NO_COLOR is obeyed. */
bool sp_use_color(const struct sp_common_options *common, bool is_tty);

/* The command for the record, so that a shell can run it again: words in quotes where it would take
 * them for something else. What does not fit into `size` is cut off. */
void sp_join_command(int argc, char **argv, char *text, size_t size);

/* The options of a command as --help shows them: of its argp and all children, in groups. */
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
