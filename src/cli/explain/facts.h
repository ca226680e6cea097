/* The numbers of a record by the symbols of the theory: what formulas are computed with. */
#ifndef SP_CLI_EXPLAIN_FACTS_H
#define SP_CLI_EXPLAIN_FACTS_H

#include "cli/explain/terms/terms.h"
#include "io/record/record.h"

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

/* The calculations of `explain ecm`, and the symbols that only they and those of the gather roof have. */

/* Of records with an `ecm` part, three levels of caches. */
extern const struct sp_calculation sp_ecm_of_record[];
/* `list`; where it is that of ECM the one for the record's levels, and
 * without an `ecm` part the one from its roofs and `levels`. */
const struct sp_calculation *sp_ecm_calculations(const struct sp_calculation *list,
                                                 const struct sp_record *record);

#endif
