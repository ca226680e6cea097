/* What `spmodel explain` knows: symbols, formulas, parts of the report, flags, exit codes. The hints come
 * from the table of rules. */
#ifndef SP_CLI_EXPLAIN_TERMS_H
#define SP_CLI_EXPLAIN_TERMS_H

#include <stdio.h>

#include "io/record.h"

enum { SP_TERM_FIELDS = 8 };

struct sp_term {
    const char *name;
    const char *also; /* other names, separated by blanks; "" none */
    const char *title;
    const char *formula; /* NULL: none; lines are indented when printed */
    const char *text;
    /* Fields of a record that belong to it, shown as they are; ends with NULL. */
    const char *fields[SP_TERM_FIELDS];
    /* The formula with a record's numbers put in; prints nothing where they are missing. May be NULL. */
    void (*fill)(const struct sp_record *record, FILE *out);
};
extern const struct sp_term sp_terms[]; /* ends with a NULL name */

/* By name or another name, any case; NULL: none. */
const struct sp_term *sp_term_find(const char *name);

struct sp_exit_meaning {
    int code;
    const char *meaning;
};
extern const struct sp_exit_meaning sp_exit_meanings[]; /* ends with a negative code */

struct sp_flag_meaning {
    const char *code, *meaning;
};
extern const struct sp_flag_meaning sp_flag_meanings[]; /* ends with a NULL code */

/* Formulas with numbers; see fill above. */
void sp_fill_balance(const struct sp_record *record, FILE *out);
void sp_fill_volume(const struct sp_record *record, FILE *out);
void sp_fill_alpha(const struct sp_record *record, FILE *out);
void sp_fill_roofline(const struct sp_record *record, FILE *out);
void sp_fill_fractions(const struct sp_record *record, FILE *out);
void sp_fill_losses(const struct sp_record *record, FILE *out);

#endif
