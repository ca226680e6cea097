/* SpMM on matrix units: of CUDA alone. */
#include "kernels/cuda/gpu_arrays.h"
#include "kernels/opencl/opencl_start.h"

int sp_gpu_mma_execute(const struct sp_gpu_launch *launch, const struct sp_gpu_arrays *arrays,
                       enum sp_precision precision, enum sp_index index)
{
    (void)launch;
    (void)arrays;
    (void)precision;
    (void)index;
    return SP_OPENCL_NO_BODY;
}
