/* What HIP and OpenCL have not got: a part of the L2 for accesses that are to stay. */
#include "kernels/cuda/gpu_runtime.h"

static enum sp_status no_set_aside(struct sp_error *err)
{
    return sp_fail(err, SP_ABSENT, "take another kernel", "HIP and OpenCL set no part of the L2 aside");
}

enum sp_status sp_gpu_L2_limits(struct sp_gpu_L2_room *limits, struct sp_error *err)
{
    *limits = (struct sp_gpu_L2_room){0, 0};
    return no_set_aside(err);
}

enum sp_status sp_gpu_L2_set_aside(size_t bytes, size_t *before_B, size_t *given_B, struct sp_error *err)
{
    (void)bytes;
    *before_B = *given_B = 0;
    return no_set_aside(err);
}

enum sp_status sp_gpu_L2_give_back(size_t before_B, struct sp_error *err)
{
    (void)before_B;
    return no_set_aside(err);
}
