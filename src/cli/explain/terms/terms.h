/* What `spmodel explain` knows: symbols, formulas, parts of the report, words, flags, exit codes.
 * The texts are the .txt files beside this one, a theme each, of which to_c.awk makes these tables;
 * the hints come from the table of rules. */
#ifndef SP_CLI_EXPLAIN_TERMS_H
#define SP_CLI_EXPLAIN_TERMS_H

#include "io/record/record_field.h"

enum { SP_TERM_FIELDS = 8 };

/* A formula that is computed with a record's numbers. Symbols are those of cli/explain/facts.h. */
struct sp_calculation {
    const char *result;         /* symbol of the result; NULL ends a list */
    const char *formula;        /* what sp_formula_evaluate() (base/formula.h) takes */
    const char *unit;           /* of the result, SI */
    enum sp_record_field field; /* of the record that the result should be; SP_F_NONE: none */
    const char *why_not;        /* why it may differ from that by more than rounding; NULL: it may not */
    /* Operations, formats and kinds of records ("ecm", "ecm-of-two-levels", "no-ecm") that it holds
     * for, separated by blanks; NULL: all. */
    const char *ops, *formats, *records;
};

struct sp_term {
    const char *name, *title;
    const char *also;    /* other spellings, separated by blanks ('-' stands for a blank in one); NULL none */
    const char *formula; /* NULL: none; lines are indented when printed */
    const char *text;
    const char *see; /* names of other terms, hints, flags, separated by blanks; NULL none */
    /* Fields of a record that belong to it, shown as they are; ends with SP_F_NONE. */
    enum sp_record_field fields[SP_TERM_FIELDS];
    /* Ends with a NULL result. Of several of one result the first that holds here and whose numbers
     * are known is taken. NULL: none. */
    const struct sp_calculation *calculations;
};

/* Terms of rules have names and numbers alone; exit codes also have the number in `also`. */
enum sp_term_kind { SP_KIND_TERM, SP_KIND_RULE, SP_KIND_FLAG, SP_KIND_EXIT };

struct sp_theme {
    const char *title;
    enum sp_term_kind kind;
    const struct sp_term *terms; /* ends with a NULL name */
};
extern const struct sp_theme sp_themes[]; /* ends with a NULL title; the six lines come first */

/* Those of the first theme of this kind. */
const struct sp_term *sp_terms_of(enum sp_term_kind kind);
/* The number of "exit-5". */
int sp_term_exit_code(const struct sp_term *term);

#endif
