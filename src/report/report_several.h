/* Several records, or the points of a sweep, side by side: CSV, and reports for the terminal. */
#ifndef SP_REPORT_REPORT_SEVERAL_H
#define SP_REPORT_REPORT_SEVERAL_H

#include <stdio.h>

#include "io/record/record.h"
#include "report/text/pen.h"

/* CSV: one row a record. Names of columns carry the unit; what is not known is an empty field; next
 * to each figure that can be measured, simulated or modelled stands a column with the word. Quoting
 * after RFC 4180. */

/* Write errors stay in the stream's error flag. */
void sp_report_csv_header(FILE *out);
void sp_report_csv_row(const struct sp_record *record, FILE *out);

/* Adds rows to the file at `path`, atomically: with a header when it is new or empty. Processes
 * that add to one file at once wait for each other. A file that begins with another header is left
 * alone: SP_INPUT. */
enum sp_status sp_report_csv_append(const char *path, const struct sp_record *const *records, int n,
                                    struct sp_error *err);

/* Could it do so now? For those who measure first; the file stays as it is. */
enum sp_status sp_report_csv_check(const char *path, struct sp_error *err);

/* The terminal report of a series: one kernel, several widths r. */

/* Balance and performance over r beside the model, where another term takes over, and the best r as
 * predicted and as found. Records that have no bytes are left out. */
void sp_report_series(const struct sp_record *const *records, int n, const struct sp_report_style *style,
                      FILE *out);

/* The table of a sweep for the terminal. */

/* Points by time, ties marked; the map over C and sigma where several were measured; what was left
 * out and why, all of it from verbosity 1 on; the best command. */
void sp_report_sweep(const struct sp_record *record, const struct sp_report_style *style, FILE *out);

/* A line a point: change, fate, time_s, gain, gain_lo, gain_hi, tied, bound_s, setup_executions,
 * kernel. */
void sp_report_sweep_csv(const struct sp_record *record, FILE *out);

#endif
