/* Options that analyze and import share: which kernel on which machine, and what comes out. A child parser,
 * whose input is a struct sp_run_options (cli/core/options.h has the manner). */
#ifndef SP_CLI_RUN_OPTIONS_H
#define SP_CLI_RUN_OPTIONS_H

#include <argp.h>

#include "cli/analyze/analyze_output.h"
#include "cli/analyze/run_argp.h"
#include "session/analyze/analyze.h"

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

#endif
