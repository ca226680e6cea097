/* In front of the C library's where clang compiles for OpenCL: no header that the bodies include
 * uses it there, and the system's is of another processor. */
#ifndef SP_KERNELS_OPENCL_ERRNO_H
#define SP_KERNELS_OPENCL_ERRNO_H
#define ENOMEM 12
#endif
