/* Formulas of labs: arithmetic over parameters of a student and fields of records, with intervals.
 *
 *   sum = + - of products, product = * / % of powers, power = factor ^ power
 *   factor = number | name | [run:path] | function(sum, ...) | (sum) | -factor
 *
 * Functions: min, max (any number of arguments), ceil, floor, sqrt, log2. A name is a parameter of
 * the lab; [crs:metrics.balance] is a field of the record that the run "crs" wrote. */
#ifndef SP_BASE_FORMULA_H
#define SP_BASE_FORMULA_H

#include <stdbool.h>

#include "base/status.h"

/* lo = hi = value where nothing is uncertain. */
struct sp_quantity {
    double value, lo, hi;
};

/* Where names and fields come from. Each returns SP_OK, or says why not in `err`: SP_INPUT no such
 * thing, SP_SKIPPED the run was skipped, SP_UNDECIDED the record does not know it. `field` may be
 * NULL: none. */
struct sp_formula_source {
    enum sp_status (*name)(void *context, const char *name, struct sp_quantity *out, struct sp_error *err);
    enum sp_status (*field)(void *context, const char *run, const char *path, struct sp_quantity *out,
                            struct sp_error *err);
    void *context;
};

/* SP_INPUT where the text is no formula (NULL is none), else what the source says. A result that is
 * no finite number is SP_UNDECIDED. */
enum sp_status sp_formula_evaluate(const char *text, const struct sp_formula_source *source,
                                   struct sp_quantity *out, struct sp_error *err);

#endif
