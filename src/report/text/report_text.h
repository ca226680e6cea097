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

#endif
