/* Starts kernels by their names in the programs that the module carries. */
#ifndef SP_KERNELS_OPENCL_OPENCL_START_H
#define SP_KERNELS_OPENCL_OPENCL_START_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sp_opencl_grid {
    const char *program, *kernel; /* static; NULL: OpenCL has no such body */
    int64_t n_blocks;
    int block_threads;
    size_t shared_B;
    const void *args; /* begin with n_pointers addresses of sp_gpu_alloc() */
    size_t args_B;
    int n_pointers;
};

/* Queues it. 0, or the number of what went wrong, for sp_gpu_check(). The program is built when its
 * first kernel is started. */
int sp_opencl_start(const struct sp_opencl_grid *grid);

/* sp_opencl_start()'s for a body that OpenCL has not got, for a program that the device's compiler
 * refused, and for a block that claims more local memory than the device has. */
enum { SP_OPENCL_NO_BODY = -20001, SP_OPENCL_REFUSED = -20002, SP_OPENCL_LITTLE_LOCAL = -20003 };

/* Do the work-items of the device, which is open, follow each other on cores? */
bool sp_opencl_is_cpu(void);

/* What the device's compiler said when it refused a program, and its name. */
const char *sp_opencl_refusal(void);

/* A program as the build made it (opencl_programs.c, which CMake writes): LLVM bitcode in the form
 * of SPIR, and SPIR-V where the build had a translator, else NULL. */
struct sp_opencl_program {
    const char *name;
    const unsigned char *spir, *spir_end, *spirv, *spirv_end;
};
extern const struct sp_opencl_program sp_opencl_programs[]; /* ends with a name of NULL */

#ifdef __cplusplus
}
#endif

#endif
