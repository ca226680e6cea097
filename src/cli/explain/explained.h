/* An explanation as data: what `spmodel explain --json` writes and the text is made of. */
#ifndef SP_CLI_EXPLAINED_H
#define SP_CLI_EXPLAINED_H

#include "cli/explain/terms/topics.h"
#include "io/record/record.h"
#include "model/hints/hints.h"

/* The numbers of a record by the symbols of the theory: what formulas are computed with. */

struct sp_fact {
    struct sp_value value; /* SP_NONE with the reason where the record does not know it */
    const char *unit;      /* "B", "s", "B/s", "flop", "flop/s", "B/flop", "1" */
    const char *word;      /* on whose word: an origin's name, "counted", "by definition" */
    char from[96];         /* where it stands in the record, or what it was made of */
};

/* False: there is no such symbol. Texts are static, of the fact or of the record. */
bool sp_fact_find(const struct sp_record *record, const char *symbol, struct sp_fact *fact);

/* A value, number or count of the record, with the field's unit. */
struct sp_fact sp_fact_at(const struct sp_record *record, enum sp_record_field field);

/* "262.4 MB", "4.31 ms", "14612663", "0.39"; four digits. Returns text. */
char *sp_fact_number(char *text, size_t size, double x, const char *unit);

#define SP_EXPLAIN_SCHEMA "spmodel.explain/1"

/* {"name", "theme", "title", "also": [], "formula", "text", "see_also": []}; of a hint
 * "rule_version", "condition", "remedy", "gain" and "check" instead of formula and text, of an exit
 * code "code". With a record (else NULL) also "record": {"calculations" (calculate() in
 * explained.c), "fields": [{"path", "is"}], and "hint" (sp_explain_hint()) or "flag": {"raised",
 * "texts": []}}. New reference. */
json_t *sp_explain_json(const struct sp_topic *topic, const struct sp_record *record);

/* {"name", "theme", "title", "also"} of all of them. New reference. */
json_t *sp_explain_list(void);

/* What a record says of a rule: the hint and the numbers behind it, or why there is none. */

/* {"fires": true, "hints": [of the record, each with "gain_text" as the report prints it, and
 * "derivation": [{"what", "how", "lo", "hi", "unit", "origin"}] or "not_derived": why]} or
 * {"fires": false, "silent": why}. New reference. */
json_t *sp_explain_hint(const struct sp_hint_rule *rule, const struct sp_record *record);

#endif
