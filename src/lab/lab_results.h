/* What the runs of a lab left: one JSON document a run, a record or what `spmodel model --json` writes. */
#ifndef SP_LAB_LAB_RESULTS_H
#define SP_LAB_LAB_RESULTS_H

#include "lab/lab_folder.h"

enum { SP_LAB_MOST_RUNS = 24 };

/* Zero-initialise; sp_lab_results_free(). */
struct sp_lab_results {
    const struct sp_lab_folder *folder; /* borrowed */
    int n;
    struct sp_lab_result {
        const char *run;     /* borrowed from the lab */
        const char *skipped; /* why; borrowed from the folder's state; NULL: it was run */
        const char *claimed; /* why, of a run that needs nothing and cannot be skipped; else NULL */
        json_t *root;        /* owned; NULL: skipped, or there is nothing yet */
    } result[SP_LAB_MOST_RUNS];
};

/* Reads what there is. SP_INPUT: a file is damaged, or the lab has too many runs; then nothing is held. */
enum sp_status sp_lab_results_read(const struct sp_lab_folder *folder, struct sp_lab_results *results,
                                   struct sp_error *err);
void sp_lab_results_free(struct sp_lab_results *results);

/* The document of a run; NULL: none. */
const json_t *sp_lab_result_of(const struct sp_lab_results *results, const char *run);

/* A node by a dotted path: keys of objects, numbers and key=text for items of lists, as in
 * "levels.name=MEM.read_B", "predictions.0.bytes". NULL: none. */
const json_t *sp_lab_node(const json_t *root, const char *path);

/* The number at such a path; `otherwise` where there is none. */
double sp_lab_number(const json_t *root, const char *path, double otherwise);

/* For sp_formula_source over parameters and results; context is a const struct sp_lab_results. SP_SKIPPED:
 * the run was skipped; SP_UNDECIDED: it was not run yet, or its record does not know the value. */
enum sp_status sp_lab_results_name(void *context, const char *name, struct sp_quantity *out,
                                   struct sp_error *err);
enum sp_status sp_lab_results_field(void *context, const char *run, const char *path, struct sp_quantity *out,
                                    struct sp_error *err);

#endif
