/* What a record says of a rule: the hint and the numbers behind it, or why there is none. */
#ifndef SP_CLI_EXPLAIN_HINT_H
#define SP_CLI_EXPLAIN_HINT_H

#include "cli/explain/terms/terms.h"
#include "io/record/record.h"
#include "model/hints/hints.h"

struct sp_rule_numbers {
    const char *id;
    const char *fields[SP_TERM_FIELDS];
    const struct sp_calculation *calculations; /* NULL: none */
};
/* NULL: none are listed. */
const struct sp_rule_numbers *sp_rule_numbers(const char *id);

/* Rules J01 ... look at kernels on GPUs, the others at those of CPUs. */
bool sp_rule_is_for(const struct sp_hint_rule *rule, const struct sp_record *record);

/* {"fires": true, "hints": [of the record, each with "gain_text" as the report prints it, and "derivation":
 * [{"what", "how", "lo", "hi", "unit", "origin"}] or "not_derived": why]} or {"fires": false, "silent": why}.
 * New reference. */
json_t *sp_explain_hint(const struct sp_hint_rule *rule, const struct sp_record *record);

#endif
