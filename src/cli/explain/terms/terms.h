/* What `spmodel explain` knows: symbols, formulas, parts of the report, words, flags, exit codes, one table a
 * theme, which share files by subject. The hints come from the table of rules. */
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
    /* Operations and formats that it holds for, separated by blanks; NULL: all. */
    const char *ops, *formats;
};

struct sp_term {
    const char *name, *title;
    const char *also;    /* other spellings, separated by blanks ('-' stands for a blank in one); NULL none */
    const char *formula; /* NULL: none; lines are indented when printed */
    const char *text;
    const char *see; /* names of other terms, hints, flags, separated by blanks; NULL none */
    /* Fields of a record that belong to it, shown as they are; ends with SP_F_NONE. */
    enum sp_record_field fields[SP_TERM_FIELDS];
    /* Ends with a NULL result. Of several of one result the first that holds here and whose numbers are known
     * is taken. NULL: none. */
    const struct sp_calculation *calculations;
};

struct sp_theme {
    const char *title;
    const struct sp_term *terms; /* ends with a NULL name */
};
extern const struct sp_theme sp_themes[]; /* ends with a NULL title */

extern const struct sp_term sp_verdict_terms[], sp_report_terms[], sp_label_terms[], sp_symbol_terms[],
    sp_traffic_terms[], sp_operation_terms[], sp_format_terms[], sp_storage_terms[], sp_machine_terms[],
    sp_gpu_terms[], sp_loss_terms[], sp_metric_terms[], sp_source_terms[], sp_advice_terms[],
    sp_tracking_terms[], sp_word_terms[], sp_lab_flag_terms[];

/* Exit codes and flags of records are terms, too: "exit-5", "Q10". */
struct sp_exit_meaning {
    int code;
    const char *meaning;
    const char *text; /* what to do then */
};
extern const struct sp_exit_meaning sp_exit_meanings[]; /* ends with a negative code */

struct sp_flag_meaning {
    const char *code, *meaning;
    const char *text; /* when it is raised, and what to do then */
    const char *see;
};
extern const struct sp_flag_meaning sp_flag_meanings[]; /* ends with a NULL code */

#endif
