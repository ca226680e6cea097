/* What the model says of a GPU, as parts of records: of an analysis, and of predictions alone. */
#ifndef SP_SESSION_RECORD_GPU_H
#define SP_SESSION_RECORD_GPU_H

#include "io/record/record.h"
#include "model/gpu/gpu_predict.h"
#include "sparse/product/workload.h"

/* "CRS lanes 8", "SELL-32-1": a format in words, and how threads share its work. */
char *sp_gpu_way_name(char *text, size_t size, const char *format, const struct sp_gpu_launch *launch);

/* A way of sharing the work, predicted. */
struct sp_gpu_guess {
    const char *name;      /* sp_gpu_way_name */
    const char *format;    /* as after --format */
    struct sp_value alpha; /* bytes of x over those at one load for each nonzero */
    const struct sp_gpu_prediction *prediction;
};

/* All that is known when SpMV is predicted on a described GPU: everything is borrowed. */
struct sp_gpu_forecast {
    const char *matrix;
    int64_t n_r, n_c, n_nz;
    const struct sp_workload *workload; /* precision, index */
    const struct sp_machine *machine;
    bool cold;
    double work; /* of one execution [flop] */
    const struct sp_gpu_guess *guess;
    int n_guesses, best; /* n_guesses >= 1 */
};

/* A record with the status "modelled". */
enum sp_status sp_gpu_forecast_record(const struct sp_gpu_forecast *forecast, struct sp_record *record,
                                      struct sp_error *err);

#endif
