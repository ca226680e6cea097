/* What becomes of a record: report on the terminal, JSON, CSV, record file, plots, exit code. */
#ifndef SP_CLI_ANALYZE_OUTPUT_H
#define SP_CLI_ANALYZE_OUTPUT_H

#include <stdbool.h>

#include "base/option/run_option.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "io/record/record.h"

struct sp_output_options {
    const char *directory;                         /* for record and plots */
    bool asked[SP_N_OPTIONS];                      /* options that were given */
    struct sp_sink json, lines;                    /* open where --json, --lines were given */
    const char *html_name;                         /* --html: NULL not asked for */
    struct sp_html_output *html;                   /* open where it was */
    bool several;                                  /* records: JSON Lines */
    double fail_below_bandwidth, fail_below_model; /* 0: not asked */
};

/* Before anything is run: makes the directory and opens the files of --json, --lines and --html.
 * Returns the exit code, 0: go on. */
int sp_output_open(struct sp_output_options *options, const struct sp_common_options *common);
/* At the end; returns the worse of `code` and what closing gives. */
int sp_output_close(struct sp_output_options *options, const struct sp_common_options *common, int code);

/* Prints, writes and judges; the exit code. A --json and such on standard output: no report. */
int sp_output_record(struct sp_record *record, const struct sp_output_options *options,
                     const struct sp_common_options *common);

/* After the records of one kernel with several widths: the table over the widths, and the balance
 * plot beside the records. Returns the exit code. */
int sp_output_series(const struct sp_record *const *records, int n, const struct sp_output_options *options,
                     const struct sp_common_options *common);

#endif
