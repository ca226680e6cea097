/* The report of a lab: Markdown, predictions beside results, explanations. */
#ifndef SP_LAB_LAB_REPORT_H
#define SP_LAB_LAB_REPORT_H

#include <stdio.h>

#include "lab/lab_check.h"

/* Explanations ("because") and answers stand in it only once something was run. SP_OUTPUT is the caller's to
 * notice on the stream. */
void sp_lab_report(const struct sp_lab_results *results, const struct sp_lab_verdicts *verdicts, FILE *out);

#endif
