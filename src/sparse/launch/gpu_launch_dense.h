/* The part of sp_gpu_launch_make() that is for operations with dense operands. Private to src/sparse. */
#ifndef SP_SPARSE_GPU_LAUNCH_DENSE_H
#define SP_SPARSE_GPU_LAUNCH_DENSE_H

#include "sparse/launch/gpu_launch.h"

/* Completes a launch whose map, block_threads and registers are set; n_blocks is not yet checked. */
enum sp_status sp_gpu_launch_dense(const struct sp_layout *layout, int lanes, struct sp_gpu_launch *launch,
                                   struct sp_error *err);

#endif
