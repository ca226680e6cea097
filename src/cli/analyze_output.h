/* What becomes of a record: report on the terminal, JSON, CSV, record file, plots, exit code. */
#ifndef SP_CLI_ANALYZE_OUTPUT_H
#define SP_CLI_ANALYZE_OUTPUT_H

#include <stdbool.h>

#include "cli/options.h"
#include "io/record.h"

struct sp_output_options {
    const char *directory; /* for record and plots */
    bool no_plots, strict;
    double fail_below_bandwidth, fail_below_model; /* 0: not asked */
};

/* Prints, writes and judges; returns the exit code. A --json or --csv on standard output takes the report's
 * place. */
int sp_output_record(struct sp_record *record, const struct sp_output_options *options,
                     const struct sp_common_options *common);

#endif
