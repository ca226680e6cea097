/* Rows of `spmodel model` for a described GPU: one for each way in which its threads can share the
 * format's work. */
#ifndef SP_CLI_MODEL_GPU_H
#define SP_CLI_MODEL_GPU_H

#include <stdio.h>

#include "cli/model/case.h"
#include "sparse/formats/layout.h"

/* Entries are known, GPU kernels take the layout, the machine says what an SM holds, and neither alpha nor
 * bytes are given. */
bool sp_model_on_gpu(const struct sp_model_request *request, const struct sp_layout *layout,
                     const struct sp_machine *machine);

/* Is there a GPU kernel for the operation and format? */
bool sp_model_has_gpu_way(enum sp_op op, enum sp_format format);

/* The launch at place `way` (0, 1, ...) of those that take the layout; false: there are no more. */
bool sp_model_gpu_way(const struct sp_layout *layout, int way, struct sp_gpu_launch *launch);

/* Fills in row->gpu, alpha, alpha_min, and the prediction, whose bytes and balance are those of memory (of
 * the L2 where nothing comes from memory). `in` is what the prediction by formula takes; the row has its
 * machine, format and x_B. */
enum sp_status sp_model_gpu_row(const struct sp_model_request *request, const struct sp_layout *layout,
                                const struct sp_gpu_launch *launch, struct sp_predict_inputs *in,
                                const struct sp_progress *progress, struct sp_model_row *row,
                                struct sp_error *err);

/* The rows of one GPU, which all have `gpu`: a table of levels, the best of them, what it rests on. */
void sp_model_gpu_print(const struct sp_model_row *row, int n, double n_nz, FILE *out);

/* A remark where the time of one of n rows of one GPU is so short and its launch overhead is not described.
 */
void sp_model_gpu_print_short(const struct sp_model_row *row, int n, FILE *out);

#endif
