/* Hints put to the proof: each is applied to the run alone, the best are combined, what wins is
 * measured again in fresh processes; what was predicted stands beside what was observed, also where
 * it was wrong. */
#ifndef SP_SESSION_TRY_HINTS_H
#define SP_SESSION_TRY_HINTS_H

#include "session/trial/tries.h"

/* The analysis, then its hints within budget_s [s]: written into the record's hints and `tries`.
 * Returns what the analysis does; an interruption of the trials keeps those that were made. */
enum sp_status sp_analyze_and_try(const struct sp_subject *subject, const struct sp_analyze_options *options,
                                  double budget_s, const struct sp_progress *progress,
                                  struct sp_record *record, struct sp_error *err);

#endif
