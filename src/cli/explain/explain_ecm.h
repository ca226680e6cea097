/* The calculations of `explain ecm`, and the symbols that only they and those of the gather roof have. */
#ifndef SP_CLI_EXPLAIN_ECM_H
#define SP_CLI_EXPLAIN_ECM_H

#include "cli/explain/facts.h"
#include "cli/explain/terms/terms.h"

/* Of records with an `ecm` part, three levels of caches. */
extern const struct sp_calculation sp_ecm_of_record[];
/* `list`; where it is that of ECM the one for the record's levels, and
 * without an `ecm` part the one from its roofs and `levels`. */
const struct sp_calculation *sp_ecm_calculations(const struct sp_calculation *list,
                                                 const struct sp_record *record);

/* in_, out_, w_, b_ and T_ of an interface: "in_L1L2", "T_L3Mem". False: the symbol is none of them. */
bool sp_ecm_fact(const struct sp_record *record, const char *symbol, struct sp_fact *fact);
/* T_shared: the longest time that all threads need for the bytes of a shared level [s]; 0 for one thread. */
struct sp_fact sp_ecm_shared(const struct sp_record *record);

/* Gathers from a level and their rate: "n_L1", "r_MEM". False: the symbol is none of them. */
bool sp_gather_fact(const struct sp_record *record, const char *symbol, struct sp_fact *fact);

#endif
