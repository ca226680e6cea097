/* Options of a run, as analyze, import, sweep and model take them. Rows of
 * base/option/run_options.inc become options of argp: define the macros of the wanted ones as
 * SP_ARGP_ROW. */
#ifndef SP_CLI_RUN_OPTIONS_H
#define SP_CLI_RUN_OPTIONS_H

#include <argp.h>
#include <stddef.h>

#include "base/option/run_option.h"
#include "base/progress.h"
#include "cli/analyze/analyze_output.h"
#include "cli/core/options.h"
#include "io/record/record.h"
#include "session/request/request.h"

/* Keys of options that have no letter. */
enum { SP_KEY_OPTION = SP_KEY_PRIVATE + 0x100 };
#define SP_KEY_OF(id) (SP_KEY_OPTION + SP_OPTION_##id)

#define SP_ARGP_ROW(id, key, arg, w, p, o, t, b, ...) SP_ARGP(id, key, arg, __VA_ARGS__)

#define SP_ARGP(id, key, arg, group, help)                                                                   \
    {&SP_O_##id[2], (key) ? (key) : SP_KEY_OF(id), arg, 0, help, group},

/* The option of a key, one with a letter included; SP_N_OPTIONS: none. */
enum sp_option sp_option_of_key(int key);

/* Place of the word among `words`, separated by blanks; a usage error names them. */
int sp_pick(struct argp_state *state, const char *typed, const char *arg, const char *words);
/* Among those of the option's row. */
static inline int sp_pick_of(struct argp_state *state, enum sp_option option, const char *arg)
{
    return sp_pick(state, sp_run_options[option].typed, arg, sp_run_options[option].words);
}

/* --out of what writes several files; a usage error for the name of a picture that is no folder. */
const char *sp_pick_folder(struct argp_state *state, const char *arg);

/* The number of --threads. */
int sp_pick_threads(struct argp_state *state, const char *arg);

/* --op, --rhs, --inner, --order: a child parser of a struct sp_op_options (cli/core/options.h). */
extern const struct argp sp_op_argp;

/* Options that analyze and import share, those of RUN_OPTION (base/option/run_options.inc): which
 * kernel on which machine, and what comes out. A child parser, whose input is this. */
struct sp_run_options {
    struct sp_request *request;
    struct sp_output_options *output;
};
extern const struct argp sp_run_argp;

/* The command line of `spmodel analyze`. */
struct sp_analyze_arguments {
    struct sp_common_options common;
    struct sp_request request;
    struct sp_output_options output;
    struct sp_run_options run; /* both, for the parser */
    char **matrix;
    int n_matrices;
    const char *partition; /* of --mpi; NULL: not given */
    int n_ranks;           /* to be started here; 0: not given */
    bool each_reads;
    double patience_s; /* 0: not given */
};

extern const struct argp sp_analyze_argp;

/* Understands the command line, which stays in `command` [size]; where it cannot be understood,
 * argp says why and ends the program. SP_USAGE: options that exclude each other. */
enum sp_status sp_analyze_arguments(int argc, char **argv, char *command, size_t size,
                                    struct sp_analyze_arguments *arguments, struct sp_error *err);

/* What a record asked for, measured again in a process of this program. */

/* Can it be measured again here, on this machine, with this program, from this folder? SP_ABSENT
 * says why not. on_any: where it ran does not matter, because the machine is named in its request
 * and bytes are simulated. */
enum sp_status sp_can_measure_again(const struct sp_record *record, bool on_any, struct sp_error *err);

/* Runs `spmodel analyze` with what the record asked for; commit and branch are those of the record.
 * *again is the new record, whose `confirms` is the old one's id; path[4096] its file in `folder`.
 * SP_ABSENT: it could not be measured; SP_INTERRUPTED. The program's errors go to standard
 * error. */
enum sp_status sp_measure_again(const struct sp_record *record, const char *folder,
                                const struct sp_progress *progress, int verbosity, struct sp_record *again,
                                char path[4096], struct sp_error *err);

/* The commit that a record of now would name: SPMODEL_COMMIT, or what a CI server sets; NULL:
 * none. */
const char *sp_commit_of_now(void);

#endif
