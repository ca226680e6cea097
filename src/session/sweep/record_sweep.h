/* The record of a sweep: problem, structure, machine, and the object `sweep` in place of an analysis. */
#ifndef SP_SESSION_RECORD_SWEEP_H
#define SP_SESSION_RECORD_SWEEP_H

#include "io/record/record.h"
#include "session/sweep/sweep.h"

void sp_record_sweep(struct sp_record *record, const struct sp_subject *subject,
                     const struct sp_analyze_options *options, const struct sp_sweep *sweep, double budget_s);

#endif
