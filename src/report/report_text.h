/* The terminal report of one record: what was run, how far it is from the roof, where the time goes, what to
 * try. Reads the record only, so an old record prints as it did when it was made. */
#ifndef SP_REPORT_REPORT_TEXT_H
#define SP_REPORT_REPORT_TEXT_H

#include <stdio.h>

#include "io/record.h"
#include "report/pen.h"

/* Fields that are missing are left out or shown as "unknown (why)", never as 0. Write errors stay in the
 * stream's error flag. */
void sp_report_text(const struct sp_record *record, const struct sp_report_style *style, FILE *out);

#endif
