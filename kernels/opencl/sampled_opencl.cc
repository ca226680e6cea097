/* The kernels of this family under OpenCL: names of the bodies, then what CUDA chooses between them
 * with. */
#include "kernels/cuda/gpu_grid.h"
#include "kernels/cuda/sampled_bodies.h"

#define SP_OPENCL_SAMPLED
#define SP_OPENCL_FAMILY "sampled"
#include "kernels/opencl/opencl_names.inc"

#include "kernels/cuda/sampled_gpu.cu"
