/* Predictions at the first run: what counts is copied into state.json with its digest, so that an
 * edit of predictions.json afterwards is seen, and what was given up (`lab run --unpredicted`) is
 * remembered. */
#ifndef SP_LAB_LAB_BIND_H
#define SP_LAB_LAB_BIND_H

#include "lab/lab_folder.h"

/* Before the first run; does nothing later. SP_OUTPUT. */
enum sp_status sp_lab_bind(struct sp_lab_folder *folder, struct sp_error *err);

/* What became of one question. */
struct sp_lab_bound {
    bool given_up;     /* it had no prediction when the first run began: its answer is not told */
    bool changed;      /* predictions.json says something else now */
    const json_t *was; /* what was bound; NULL: nothing */
};
struct sp_lab_bound sp_lab_bound_of(const struct sp_lab_folder *folder, const char *question);

/* How many questions were given up; of them, how many were predicted afterwards. */
int sp_lab_n_given_up(const struct sp_lab_folder *folder, int *n_late);
/* Does state.json say what was bound, with its digest? Each first run leaves that. */
bool sp_lab_is_bound(const struct sp_lab_folder *folder);
/* Is predictions.json, without what is late, still the file that was bound? True where nothing
 * was. */
bool sp_lab_is_as_bound(const struct sp_lab_folder *folder);

#endif
