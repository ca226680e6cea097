/* What becomes of a record: report on the terminal, JSON, CSV, record file, plots, exit code. */
#ifndef SP_CLI_ANALYZE_OUTPUT_H
#define SP_CLI_ANALYZE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/option/run_option.h"
#include "base/status.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "io/record/record.h"
#include "plots/plot.h"

struct sp_output_options {
    const char *directory;       /* for record and plots */
    bool asked[SP_N_OPTIONS];    /* options that were given */
    struct sp_sink json, lines;  /* open where --json, --lines were given */
    const char *html_name;       /* --html: NULL not asked for */
    struct sp_html_output *html; /* open where it was */
    bool is_sweep;               /* --csv has its points, not a row a record */
    struct sp_sink points;
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

/* What plots of commands are made from, and standard output as the place where they go. */

/* Path of the newest record (*.json with our schema, by time of change) in `directory` that belongs
 * to this user or to root. SP_INPUT: there is none, or the directory itself belongs to somebody
 * else: what others have written is read where it is named, not where it lies about. */
enum sp_status sp_newest_record(const char *directory, char *path, size_t size, struct sp_error *err);

/* A plot on standard output; as sp_plot_picture(). */
enum sp_status sp_draw_to_stdout(const struct sp_plot_kind *kind, const struct sp_record *const *records,
                                 int n, enum sp_image term, const struct sp_plot_tool *tool,
                                 struct sp_error *err);

#endif
