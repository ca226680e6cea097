/* The kernels of this family under OpenCL: names of the bodies, then what CUDA chooses between them
 * with. */
#include "kernels/cuda/dense_bodies.h"
#include "kernels/cuda/gpu_grid.h"

#define SP_OPENCL_DENSE
#define SP_OPENCL_FAMILY "dense"
#include "kernels/opencl/opencl_names.inc"

#include "kernels/cuda/dense_gpu.cu"
