/* A term's formulas with the numbers of a record put in. */
#ifndef SP_CLI_EXPLAIN_CALCULATION_H
#define SP_CLI_EXPLAIN_CALCULATION_H

#include "cli/explain/terms/terms.h"
#include "io/record/record.h"

/* What differs from the record's own value by more than this does not agree, unless it lies in its interval.
 */
#define SP_EXPLAIN_ROUNDING 0.005

/* An array with an object for each result: {"result", "formula", "filled", "value", "unit", "inputs":
 * [{"symbol", "value", "lo", "hi", "unit", "origin", "from"}]}, and where the record has the value itself
 * "field", "record", "record_origin", "agrees" and, where it does not agree, "difference" (relative) and
 * "because". Results of which no formula holds for the record's operation and format are left out where
 * another one's does; where none does the first one says so. What is not known is null with "why". New
 * reference; NULL: memory is short, or the table is faulty. */
json_t *sp_calculate(const struct sp_calculation *list, const struct sp_record *record);

#endif
