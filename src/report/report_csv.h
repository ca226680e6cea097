/* One row a record. Names of columns carry the unit; what is not known is an empty field; next to
 * each figure that can be measured, simulated or modelled stands a column with the word. Quoting
 * after RFC 4180. */
#ifndef SP_REPORT_REPORT_CSV_H
#define SP_REPORT_REPORT_CSV_H

#include <stdio.h>

#include "io/record/record.h"

/* Write errors stay in the stream's error flag. */
void sp_report_csv_header(FILE *out);
void sp_report_csv_row(const struct sp_record *record, FILE *out);

/* Adds rows to the file at `path`, atomically: with a header when it is new or empty. A file that
 * begins with another header is left alone: SP_INPUT. */
enum sp_status sp_report_csv_append(const char *path, const struct sp_record *const *records, int n,
                                    struct sp_error *err);

#endif
