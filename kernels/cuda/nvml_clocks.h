/* Clocks and power limit of a GPU, what holds it back and who else has work on it, as NVIDIA's
 * management library tells them, which is opened when it is asked. */
#ifndef SP_KERNELS_CUDA_NVML_CLOCKS_H
#define SP_KERNELS_CUDA_NVML_CLOCKS_H

#include "kernels/gpu_module.h"

#define SP_NVML_LIBRARY "libnvidia-ml.so.1"

/* Of the device at a PCI address ("0000:18:00.0"); what is not told is SP_NONE with the reason. */
void sp_nvml_clocks(const char *library, const char *bus_id, struct sp_gpu_clocks *clocks);

#endif
