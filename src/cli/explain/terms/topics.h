/* All that can be explained as one list: terms by theme, hints, flags of records, exit codes. */
#ifndef SP_CLI_EXPLAIN_TOPICS_H
#define SP_CLI_EXPLAIN_TOPICS_H

#include <stdbool.h>
#include <stddef.h>

#include "io/record/record.h"
#include "model/hints/hints.h"

/* What `spmodel explain` knows: symbols, formulas, parts of the report, words, flags, exit codes.
 * The texts are the .txt files beside this one, a theme each, of which to_c.awk makes these tables;
 * the hints come from the table of rules. */

enum { SP_TERM_FIELDS = 8 };

/* A formula that is computed with a record's numbers. Symbols are those of sp_fact_find(). */
struct sp_calculation {
    const char *result;         /* symbol of the result; NULL ends a list */
    const char *formula;        /* what sp_formula_evaluate() (base/formula.h) takes */
    const char *unit;           /* of the result, SI */
    enum sp_record_field field; /* of the record that the result should be; SP_F_NONE: none */
    const char *why_not;        /* why it may differ from that by more than rounding; NULL: it may not */
    /* Operations, formats and kinds of records ("ecm", "ecm-of-two-levels", "no-ecm") that it holds
     * for, separated by blanks; "not A B": all but these; NULL: all. */
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

struct sp_topic {
    const char *theme, *name, *title;
    enum sp_term_kind kind;
    const struct sp_term *term;      /* empty: a rule whose numbers are not listed */
    const struct sp_hint_rule *rule; /* NULL: none */
};

/* The i-th one from 0 on; false: there are no more. Themes follow each other. */
bool sp_topic_at(int i, struct sp_topic *topic);
/* Other spellings, separated by blanks; "" none. */
const char *sp_topic_also(const struct sp_topic *topic);

enum { SP_TOPIC_MATCHES = 8 };
/* Those called so: by name, else by another spelling, else either in any case with '-', '_' and ' '
 * taken for each other. Returns how many (several things may have one name: "ok"), at most
 * SP_TOPIC_MATCHES. */
int sp_topics_find(const char *name, struct sp_topic found[SP_TOPIC_MATCHES]);

/* Up to three names that are near: "alpha, alpha_min". "" none. Returns text. */
char *sp_topics_near(const char *name, char *text, size_t size);

#endif
