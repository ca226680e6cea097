/* How arguments reach a kernel under OpenCL, which passes no pointers inside of structs: the first
 * members of the arguments are pointers to arrays on the device. Each array goes as an argument of
 * its own, and in the place of the pointer stands how many bytes behind the array's begin it
 * points. */
#ifndef SP_KERNELS_OPENCL_OPENCL_ARGUMENTS_H
#define SP_KERNELS_OPENCL_OPENCL_ARGUMENTS_H

#include "kernels/cuda/ceiling_args.h"
#include "kernels/cuda/gpu_arrays.h"

/* All kernels take so many arrays; those that their arguments do not have are NULL. */
enum { SP_OPENCL_POINTERS = 17 };

static_assert(offsetof(struct sp_gpu_arrays, n_r) == SP_OPENCL_POINTERS * sizeof(void *),
              "all pointers first");
static_assert(offsetof(struct sp_gpu_ceiling_args, n) == 3 * sizeof(void *), "all pointers first");

/* The pointers that the arguments begin with. */
template <class Args> struct sp_opencl_pointers {
    static constexpr int n = SP_OPENCL_POINTERS;
};
template <> struct sp_opencl_pointers<struct sp_gpu_ceiling_args> {
    static constexpr int n = 3;
};

#endif
