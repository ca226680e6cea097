/* The command line of `spmodel analyze`. */
#ifndef SP_CLI_ANALYZE_ARGUMENTS_H
#define SP_CLI_ANALYZE_ARGUMENTS_H

#include "cli/analyze/run_options.h"
#include "cli/core/options.h"
#include "cli/model/op_options.h"
#include "io/matrix/matrix_load.h"

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

#endif
