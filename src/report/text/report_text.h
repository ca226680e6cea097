/* The terminal report of one record: the verdict in six lines, then the losses and the hints in at
 * most 18; all that is known of it with verbosity 1. Reads the record only. */
#ifndef SP_REPORT_REPORT_TEXT_H
#define SP_REPORT_REPORT_TEXT_H

#include <stdio.h>

#include "io/record/record.h"
#include "report/text/pen.h"

/* Fields that are missing are left out or shown as "unknown (why)", never as 0. Write errors stay
 * in the stream's error flag. */
void sp_report_text(const struct sp_record *record, const struct sp_report_style *style, FILE *out);

/* One line a figure, "KEY: VALUE UNIT (ORIGIN)", for programs that take text apart: ReFrame, awk, a
 * shell.
 *
 * Keys do not contain blanks; VALUE is a number with a decimal point, or the word unknown, and the
 * unit stands in the third place in either case: "alpha: unknown 1 (the matrix has no entries)".
 * Lines of words are "KEY: TEXT". */

/* What one record says. Its first line is "record: ID". The other keys are the names of its
 * metrics; status, matrix, operation, format, threads, kernel, verify, flags; roof; loss_NAME of
 * the losses in seconds, which add up to the time. Write errors stay in the stream's error flag. */
void sp_report_lines(const struct sp_record *record, FILE *out);

/* A line of a value. Unknown: with its reason. */
void sp_line_value(FILE *out, const char *key, struct sp_value value, const char *unit);
/* A line of words; blanks and ends of lines in it become single blanks. NULL, "": "unknown". */
void sp_line_text(FILE *out, const char *key, const char *text);

#endif
