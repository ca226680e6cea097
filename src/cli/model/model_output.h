/* The output of `spmodel model`: rows of one matrix as text, JSON, CSV or pictures. */
#ifndef SP_CLI_MODEL_OUTPUT_H
#define SP_CLI_MODEL_OUTPUT_H

#include <stdio.h>

#include "session/model/case.h"

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

#endif
