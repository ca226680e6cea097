/* Pieces of records that several kinds of analysis share. */
#ifndef SP_SESSION_RECORD_PARTS_H
#define SP_SESSION_RECORD_PARTS_H

#include "io/record.h"
#include "model/machine.h"
#include "session/subject.h"

struct sp_analysis;

/* A ceiling as an item of roofs[]; role: "roof", "floor", "peak", "other". */
json_t *sp_json_ceiling(const struct sp_ceiling *ceiling, const char *role);
void sp_record_machine(struct sp_record *record, const struct sp_machine *machine);
/* problem, structure and the spy counts. */
void sp_record_subject(struct sp_record *record, const struct sp_subject *subject);
/* counters: null where bytes are simulated; with the log, the trust and what was tried otherwise. */
void sp_record_counters(struct sp_record *record, const struct sp_analysis *analysis);
/* curves: alpha over cache size, beta(C, sigma), saturation. */
void sp_record_curves(struct sp_record *record, const struct sp_analysis *analysis);

#endif
