/* The formulas of the model, written once: the text files beside this one. to_c.awk makes of them
 * struct sp_symbols, a double for each symbol, and sp_formula_NAME(const struct sp_symbols *) for
 * each formula, so that the model computes what `spmodel explain` prints and docs/theory.md
 * derives.
 *
 * Where the model does not call them, because it counts the arrays of a layout or works with
 * intervals, tests/test_formulas.c holds it against them. */
#ifndef SP_MODEL_FORMULAS_H
#define SP_MODEL_FORMULAS_H

#include <math.h>
#include <stddef.h>

#include "model/formulas/formulas.inc"

/* SP_FORMULA(T_1, .f = f, .T_full = full, .T_none = none): all its symbols by name. */
#define SP_FORMULA(name, ...) sp_formula_##name(&(struct sp_symbols){__VA_ARGS__})

struct sp_symbol_row {
    const char *name, *unit, *what;
    size_t offset; /* in struct sp_symbols */
};
extern const struct sp_symbol_row sp_symbol_table[]; /* ends with a NULL name */

/* What model/formulas/formulas.awk describes; NULL: it says nothing of it. */
struct sp_formula_row {
    const char *name, *unit, *what;
    const char *text; /* what sp_formula_evaluate() (lab/formula.h) takes */
    const char *ops, *formats, *family, *array;
    const char *special; /* `case`: of which formula, with which numbers */
    double (*of)(const struct sp_symbols *symbols);
};
extern const struct sp_formula_row sp_formula_table[SP_N_FORMULAS + 1]; /* ends with a NULL name */

#endif
