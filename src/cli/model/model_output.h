/* The output of `spmodel model`: rows of one matrix as text, JSON, CSV or pictures. */
#ifndef SP_CLI_MODEL_OUTPUT_H
#define SP_CLI_MODEL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/core/options.h"
#include "cli/core/output.h"
#include "session/model/case.h"
#include "session/ranks/scaling.h"

/* The matrix and the kernel. */
void sp_model_print_subject(const struct sp_model_result *result, FILE *out);
/* Each machine in full. */
void sp_model_print(const struct sp_model_result *result, FILE *out);
/* One table, a line for each machine with the format that is best there. */
void sp_model_print_machines(const struct sp_model_result *result, FILE *out);

/* One object in SI units ("spmodel.model/1"), with id, time, tool and command as in records.
 * SP_MEMORY, SP_OUTPUT. */
enum sp_status sp_model_write_json(const struct sp_model_result *result, FILE *out, struct sp_error *err);

/* With a header before the first row of all. */
void sp_model_csv_rows(const struct sp_model_result *result, FILE *out);

/* Pictures of the predictions for GPUs: the plot `levels` of each machine. Every row is of a
 * described GPU, predicted level by level. */
bool sp_model_is_on_gpus(const struct sp_model_result *result);

/* In the terminal. Without gnuplot one remark on stderr takes their place, for all matrices of the
 * program. Machines without a known time have no picture. */
enum sp_status sp_model_plot_text(const struct sp_model_result *result, struct sp_error *err);

/* Into `path`, or PATH-MACHINE.ENDING where there are several GPUs; `say`: name the files on
 * stdout. SP_USAGE where there is nothing to draw; else as sp_plot_write(). */
enum sp_status sp_model_plot_images(const struct sp_model_result *result, const char *path, bool say,
                                    struct sp_error *err);

/* A field of a CSV row, and a comma; empty where it is not known. */
void sp_model_csv_value(struct sp_value value, FILE *out);

/* `spmodel model M --ranks ...`: a matrix over the ranks of a cluster. */

struct sp_ranks_options {
    int count[SP_MOST_COUNTS]; /* ascending */
    int n_counts;              /* 0: not asked for */
    int per_node;              /* 0: not said */
    const char *network;       /* as typed; NULL */
};

/* "2,4,8", "2,4,...,4096" (goes on as the last two do), each a whole number above the one before;
 * a wrong one ends the program. */
void sp_ranks_counts_set(struct argp_state *state, const char *arg, struct sp_ranks_options *o);
void sp_ranks_per_node_set(struct argp_state *state, const char *arg, struct sp_ranks_options *o);

/* Results of one matrix to where they are asked for; `picture`: a file for the plot, NULL: none. */
struct sp_ranks_output {
    struct sp_sinks *sinks;
    const char *command, *picture;
    int verbosity;
};
enum sp_status sp_ranks_model(const struct sp_scaling_request *request, const struct sp_csr *a,
                              const char *name, const struct sp_progress *progress,
                              const struct sp_ranks_output *to, struct sp_error *err);

#endif
