/* The same as errno.h of this folder. */
#ifndef SP_KERNELS_OPENCL_STRING_H
#define SP_KERNELS_OPENCL_STRING_H
#define memcpy __builtin_memcpy
#endif
