/* What the module for AMD's GPUs has not got: kernels on matrix units. */
#include "kernels/cuda/gpu_arrays.h"
#include "kernels/cuda/gpu_hip.h"

int sp_gpu_mma_execute(const struct sp_gpu_launch *launch, const struct sp_gpu_arrays *arrays,
                       enum sp_precision precision, enum sp_index index)
{
    (void)launch, (void)arrays, (void)precision, (void)index;
    return (int)hipErrorNotSupported;
}
