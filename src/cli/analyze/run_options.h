/* Options of a run, as analyze, import, sweep and model take them, and the stage that a run stands on. Rows
 * of base/option/run_options.inc become options of argp: define the macros of the wanted ones as SP_ARGP_ROW.
 */
#ifndef SP_CLI_RUN_OPTIONS_H
#define SP_CLI_RUN_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/option/run_option.h"
#include "cli/analyze/analyze_output.h"
#include "cli/core/options.h"
#include "cli/core/terminal.h"
#include "io/matrix/matrix_load.h"
#include "session/analyze/analyze.h"
#include "sparse/product/workload.h"

/* Keys of options that have no letter. */
enum { SP_KEY_OPTION = SP_KEY_PRIVATE + 0x100 };
#define SP_KEY_OF(id) (SP_KEY_OPTION + SP_OPTION_##id)

#define SP_ARGP_ROW(id, key, arg, w, p, o, t, b, ...) SP_ARGP(id, key, arg, __VA_ARGS__)

#define SP_ARGP(id, key, arg, group, help)                                                                   \
    {&SP_O_##id[2], (key) ? (key) : SP_KEY_OF(id), arg, 0, help, group},

/* The option of a key, one with a letter included; SP_N_OPTIONS: none. */
enum sp_option sp_option_of_key(int key);

/* Place of the word among `words`, separated by blanks; a usage error names them. */
int sp_pick(struct argp_state *state, const char *option, const char *arg, const char *words);
/* Among those of the option's row. */
static inline int sp_pick_of(struct argp_state *state, enum sp_option option, const char *arg)
{
    return sp_pick(state, sp_option_name(option), arg, sp_run_options[option].words);
}

/* Options of analyze and model that say what is computed: --op, --rhs, --inner, --order. A child parser,
 * whose input is a struct sp_op_options (cli/core/options.h has the manner). */
enum { SP_MOST_WIDTHS = 32 };

/* Zero-initialise. */
struct sp_op_options {
    enum sp_op op;
    enum sp_order order;
    int32_t width[SP_MOST_WIDTHS]; /* ascending or not, as typed; SpMV: a single 1 */
    int n_widths;
    bool op_given;
    const char *width_option; /* "rhs" or "inner", where one was given */
};

extern const struct argp sp_op_argp;

/* After parsing: the widths' default where none was given (8 right-hand sides, a width of 64), and --rhs
 * alone means spmmv. SP_USAGE where the option is not one of the operation. */
enum sp_status sp_op_settle(struct sp_op_options *options, struct sp_error *err);

/* Options that analyze and import share: which kernel on which machine, and what comes out. A child parser,
 * whose input is a struct sp_run_options (cli/core/options.h has the manner). */

/* Defaults are the command's: format, schedule, precision -1, directory. */
struct sp_run_options {
    struct sp_analyze_options analyze;
    struct sp_output_options output;
    const char *reorder, *machine;
    bool format_given, schedule_given, index_given;
    char recorded_format[48]; /* as typed, where a recording says it */
};

/* Those of RUN_OPTION (base/option/run_options.inc). */
extern const struct argp sp_run_argp;

/* The command line of `spmodel analyze`. */
struct sp_analyze_arguments {
    struct sp_common_options common;
    struct sp_op_options op;
    struct sp_run_options run;
    enum sp_cache_mode cache;
    bool drop_zeros;
    const char *bytes;
    bool all_formats, require_bytes, try_hints;
    bool on_gpu;
    int gpu;         /* among those that the process may see */
    bool cpu_option; /* one was given that has a meaning on CPUs only */
    char **matrix;
    int n_matrices;
};

extern const struct argp sp_analyze_argp;

/* Understands the command line, which stays in `command` [size]; where it cannot be understood, argp says why
 * and ends the program. SP_USAGE: options that exclude each other. */
enum sp_status sp_analyze_arguments(int argc, char **argv, char *command, size_t size,
                                    struct sp_analyze_arguments *arguments, struct sp_error *err);

/* What a command that measures stands on: the terminal, the topology and the memory of this machine, and the
 * machine whose ceilings count. */
enum sp_stage_kind { SP_STAGE_CPU, SP_STAGE_GPU };

/* Not to be moved: `progress` points into it. */
struct sp_stage {
    struct sp_terminal terminal;
    struct sp_progress progress;
    struct sp_topology topology;
    struct sp_machine machine;
};

/* Opens all of it; machine_name NULL: this one, measured once (as sp_this_machine() and sp_this_gpu()). Sets
 * options->topology, memory_B and machine, borrowed from the stage. sp_stage_close() where it returns SP_OK.
 */
enum sp_status sp_stage_open(enum sp_stage_kind kind, const char *machine_name, int verbosity,
                             struct sp_analyze_options *options, struct sp_stage *stage,
                             struct sp_error *err);
void sp_stage_close(struct sp_stage *stage);

#endif
