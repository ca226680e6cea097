/* The calls that cupti_range.h needs, made by the CUDA runtime: static, as the module has it, so that it
 * starts without a driver. The driver's own functions are asked of the runtime; linking them would keep the
 * module from being opened where there is no driver. */
#ifndef SP_PROBES_CUDA_CUDA_CALLS_H
#define SP_PROBES_CUDA_CUDA_CALLS_H

#include "probes/cuda/cupti_range.h"

extern const struct sp_cuda_calls sp_cuda_calls;

#endif
