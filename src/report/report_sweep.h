/* The table of a sweep for the terminal. */
#ifndef SP_REPORT_REPORT_SWEEP_H
#define SP_REPORT_REPORT_SWEEP_H

#include <stdio.h>

#include "io/record/record.h"
#include "report/text/pen.h"

/* Points by time, ties marked; the map over C and sigma where several were measured; what was left
 * out and why, all of it from verbosity 1 on; the best command. */
void sp_report_sweep(const struct sp_record *record, const struct sp_report_style *style, FILE *out);

/* A line a point: change, fate, time_s, gain, gain_lo, gain_hi, tied, bound_s, setup_executions,
 * kernel. */
void sp_report_sweep_csv(const struct sp_record *record, FILE *out);

#endif
