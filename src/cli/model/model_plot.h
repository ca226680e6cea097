/* Pictures of the predictions for GPUs: the plot `levels` of each machine. */
#ifndef SP_CLI_MODEL_PLOT_H
#define SP_CLI_MODEL_PLOT_H

#include "cli/model/model_output.h"

/* Every row is of a described GPU, predicted level by level. */
bool sp_model_is_on_gpus(const struct sp_model_result *result);

/* In the terminal. Without gnuplot one remark on stderr takes their place, for all matrices of the program.
 * Machines without a known time have no picture. */
enum sp_status sp_model_plot_text(const struct sp_model_result *result, struct sp_error *err);

/* Into `path`, or PATH-MACHINE.ENDING where there are several GPUs; `say`: name the files on stdout. SP_USAGE
 * where there is nothing to draw; else as sp_plot_write(). */
enum sp_status sp_model_plot_images(const struct sp_model_result *result, const char *path, bool say,
                                    struct sp_error *err);

#endif
