/* Symbols that are made of several fields of a record; facts.h looks here, too. */
#ifndef SP_CLI_EXPLAIN_DERIVED_H
#define SP_CLI_EXPLAIN_DERIVED_H

#include "cli/explain/facts.h"

struct sp_derived {
    const char *name;
    struct sp_fact (*of)(const struct sp_record *record);
};
/* Each ends with a NULL name; sp_stored_symbols are of the layout and of the bytes of its arrays. */
extern const struct sp_derived sp_derived_symbols[], sp_stored_symbols[];

/* How facts are made. `from` is copied, the other texts are static. */
extern const char sp_fact_not_here[];
struct sp_fact sp_fact_of(struct sp_value value, const char *unit, const char *from);
struct sp_fact sp_fact_counted(double x, const char *from);
struct sp_fact sp_fact_unknown(const char *why, const char *unit, const char *from);

#endif
