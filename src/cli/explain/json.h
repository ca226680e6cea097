/* An explanation as data: what `spmodel explain --json` writes and the text is made of. */
#ifndef SP_CLI_EXPLAIN_JSON_H
#define SP_CLI_EXPLAIN_JSON_H

#include "cli/explain/terms/topics.h"
#include "io/record/record.h"

#define SP_EXPLAIN_SCHEMA "spmodel.explain/1"

/* {"name", "theme", "title", "also": [], "formula", "text", "see_also": []}; of a hint "rule_version",
 * "condition", "remedy", "gain" and "check" instead of formula and text, of an exit code "code". With a
 * record (else NULL) also "record": {"calculations" (cli/explain/calculation.h), "fields": [{"path", "is"}],
 * and "hint" (cli/explain/hint.h) or "flag": {"raised", "texts": []}}. New reference. */
json_t *sp_explain_json(const struct sp_topic *topic, const struct sp_record *record);

/* {"name", "theme", "title", "also"} of all of them. New reference. */
json_t *sp_explain_list(void);

#endif
