/* A lab as data: labs/NN-name/lab.json (format in docs/labs.md) beside its sheet.md, and what it
 * becomes for one student, whose name gives the seed of the matrices and with it all numbers of the
 * sheet. */
#ifndef SP_LAB_LAB_H
#define SP_LAB_LAB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/formula.h"
#include "base/status.h"

#define SP_LAB_SCHEMA "spmodel.lab/1"

/* No file of a lab or of what is handed in comes near this: records have a tenth of a megabyte. */
enum { SP_LAB_MOST_PARAMETERS = 40, SP_LAB_MOST_FILE_B = 32 << 20 };

/* Zero-initialise; sp_lab_free(). */
struct sp_lab {
    char folder[1024];
    const char *id, *title; /* borrowed from root: "01-crs-balance" */
    int number, minutes;
    json_t *root; /* owned; lists "parameters", "runs", "questions" and "checks" are there */
};

/* SP_INPUT where there is no lab.json, or it is damaged or lacks something. */
enum sp_status sp_lab_read(const char *folder, struct sp_lab *lab, struct sp_error *err);
void sp_lab_free(struct sp_lab *lab);

/* The lab named by number ("1"), id or the part of the id after the number, in the first of the
 * directories that has it. SP_USAGE: none of that name. */
enum sp_status sp_lab_find(const char *const *directory, int n, const char *name, struct sp_lab *lab,
                           struct sp_error *err);

/* One student's lab. The lab is borrowed. */
struct sp_lab_case {
    const struct sp_lab *lab;
    char student[96];
    bool small;
    int n_parameters;
    struct sp_lab_parameter {
        const char *name;
        double value;
    } parameter[SP_LAB_MOST_PARAMETERS]; /* the first is "seed" */
};

/* A student's seed in a lab: below 2^31, from the name without outer blanks and ASCII case. */
int64_t sp_lab_seed(const char *student, const char *lab_id);
/* Computes the parameters. SP_INPUT: the lab's formulas are wrong. SP_USAGE: no name, or one that
 * is too long or has double quotes or control characters. */
enum sp_status sp_lab_case_make(const struct sp_lab *lab, const char *student, bool small,
                                struct sp_lab_case *out, struct sp_error *err);

/* A formula over the parameters alone. */
enum sp_status sp_lab_case_number(const struct sp_lab_case *c, const char *formula, double *out,
                                  struct sp_error *err);
/* For sp_formula_source: parameters; context is a const struct sp_lab_case. */
enum sp_status sp_lab_case_name(void *context, const char *name, struct sp_quantity *out,
                                struct sp_error *err);

/* Text with each {formula}, or {{formula}} where double_braces, replaced by its number: a whole one
 * in full, grouped by blanks where double_braces and not in code; others with four digits. *out is
 * to be freed. */
enum sp_status sp_lab_fill(const struct sp_lab_case *c, const char *text, bool double_braces, char **out,
                           struct sp_error *err);

/* The item of a list whose "id" is this; NULL: none. */
const json_t *sp_lab_item(const json_t *list, const char *id);
/* A text of an item, "" where it has none. */
const char *sp_lab_text(const json_t *item, const char *key);

#endif
