/* The terminal report of a series: one kernel, several widths r. */
#ifndef SP_REPORT_REPORT_SERIES_H
#define SP_REPORT_REPORT_SERIES_H

#include <stdio.h>

#include "io/record/record.h"
#include "report/text/pen.h"

/* Balance and performance over r beside the model, where another term takes over, and the best r as
 * predicted and as found. Records that have no bytes are left out. */
void sp_report_series(const struct sp_record *const *records, int n, const struct sp_report_style *style,
                      FILE *out);

#endif
