/* Predictions as data (docs/records.md). */
#ifndef SP_SESSION_MODEL_CASE_JSON_H
#define SP_SESSION_MODEL_CASE_JSON_H

#include <jansson.h>

#include "session/model/case.h"

/* Rows of one machine follow each other. */
struct sp_model_result {
    const struct sp_model_subject *subject;
    const struct sp_model_request *request;
    const struct sp_model_row *row; /* [n_rows] */
    int n_rows;
    int n_machines;
    const char *left_out; /* machines that cannot do what was asked, "" */
    const char *command;  /* as it was typed */
    const char *env_key;  /* of this machine, which described ones are compared with; "": not known */
};

/* Is row i the best of its machine's? */
bool sp_model_is_best(const struct sp_model_result *result, int i);
/* Is this row's machine the one that the program runs on? */
bool sp_model_is_here(const struct sp_model_result *result, const struct sp_model_row *row);

/* One object in SI units ("spmodel.model/1"), with id, time, tool and command as in records; a new
 * reference. SP_MEMORY. */
enum sp_status sp_model_json(const struct sp_model_result *result, json_t **json, struct sp_error *err);

#endif
