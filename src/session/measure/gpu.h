/* Measures the ceilings of a GPU by the kernels of the GPU module: memory (load, copy, triad; over
 * resident warps), L2, FMA, launch, latency, and the effective size of the L2 from loads of growing
 * sets. Rounds take one sample of each in turn. */
#ifndef SP_SESSION_MEASURE_GPU_H
#define SP_SESSION_MEASURE_GPU_H

#include "kernels/gpu_module.h"
#include "session/measure/machine.h"

/* As sp_machine_measure(), of device 0 of options->gpu_api. SP_ABSENT says why there is none. */
enum sp_status sp_machine_measure_gpu(const struct sp_measure_options *options, struct sp_machine *out,
                                      struct sp_measure_notes *notes, const struct sp_progress *progress,
                                      struct sp_error *err);

/* A quick machine of the first GPU from DIRECTORY/machine-gpu-NAME.json (machine-opencl-NAME.json),
 * or measured now and stored there. It is measured again where the file is of another device or
 * driver. `directory` NULL: nothing is stored; that it cannot be is no failure. */
enum sp_status sp_gpu_machine_cached(enum sp_gpu_api api, const char *directory, struct sp_machine *out,
                                     const struct sp_progress *progress, struct sp_error *err);

#endif
