/* What `spmodel model` computes: predictions of one matrix, or of its sizes alone, over machines and formats.
 */
#ifndef SP_CLI_MODEL_CASE_H
#define SP_CLI_MODEL_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "model/alpha.h"
#include "model/predict.h"
#include "sparse/workload.h"

enum sp_alpha_kind { SP_ALPHA_MIN, SP_ALPHA_SIM, SP_ALPHA_GIVEN };

/* What is asked about every matrix. */
struct sp_model_request {
    struct sp_workload workload; /* precision, index, schedule; n_threads 0: as many as the machine has cores;
                                    format and matrix are filled in case by case */
    bool precision_given;
    enum sp_alpha_kind alpha_kind;
    double alpha; /* SP_ALPHA_GIVEN */
    double beta;  /* of SELL where only sizes are known; 0: not given */
    double w;     /* 0: not given, 2 for predictions and 1 ... 2 where bytes are turned into alpha */
    bool cold;
    double volume_B; /* turn the model around; 0: not asked */
};

/* The matrix, or its sizes. */
struct sp_model_subject {
    char name[128];
    int64_t n_r, n_c, n_nz;
    const struct sp_csr *matrix; /* NULL: sizes only */
};

struct sp_model_row {
    char format[32];
    const struct sp_machine *machine; /* borrowed; without ceilings and name where none was asked for */
    int n_threads, n_domains;
    enum sp_precision precision;
    struct sp_value alpha, alpha_min, beta;
    double unit_share; /* SELLU; NAN otherwise */
    char note[160];    /* how alpha and beta were found */
    struct sp_prediction prediction;
    struct sp_alpha_reading inverse; /* volume_B asked: alpha from it; else origin SP_NONE and seen_B 0 */
    double minimum_B;                /* V(alpha_min) of this format */
};

/* `format`: as after --format. SP_USAGE where the request needs what the subject has not (simulation of
 * sizes, beta of row lengths). */
enum sp_status sp_model_row_make(const struct sp_model_request *request,
                                 const struct sp_model_subject *subject, const char *format,
                                 const struct sp_machine *machine, const struct sp_progress *progress,
                                 struct sp_model_row *row, struct sp_error *err);

#endif
