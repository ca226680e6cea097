/* The part of sp_gpu_launch_make() that is for matrix units. Private to src/sparse. */
#ifndef SP_SPARSE_GPU_LAUNCH_MMA_H
#define SP_SPARSE_GPU_LAUNCH_MMA_H

#include "sparse/launch/gpu_launch.h"

/* Completes a launch whose map and registers are set; n_blocks is not yet checked. */
enum sp_status sp_gpu_launch_mma(const struct sp_layout *layout, struct sp_gpu_launch *launch,
                                 struct sp_error *err);

#endif
