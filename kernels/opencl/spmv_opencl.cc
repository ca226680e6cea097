/* The kernels of this family under OpenCL: names of the bodies, then what CUDA chooses between them
 * with. */
#include "kernels/cuda/gpu_grid.h"
#include "kernels/cuda/spmv_bodies.h"

#define SP_OPENCL_SPMV
#define SP_OPENCL_FAMILY "spmv"
#include "kernels/opencl/opencl_names.inc"

#include "kernels/cuda/spmv_gpu.cu"
