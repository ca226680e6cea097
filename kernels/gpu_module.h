/* The GPU kernels live in shared objects of their own, one for CUDA and one for OpenCL, so that one
 * program runs with and without a driver. One is opened when its device is asked for; this is all
 * that it shows. Arguments are those of struct sp_kernel. */
#ifndef SP_KERNELS_GPU_MODULE_H
#define SP_KERNELS_GPU_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/gpu_ceiling.h"
#include "kernels/kernel.h"
#include "sparse/launch/gpu_launch.h"
#include "sys/machine/gpu_files.h"

#define SP_GPU_MODULE_ABI 8

/* What a device says of itself. */
struct sp_gpu_device {
    char name[128];       /* "NVIDIA H200" */
    int major, minor;     /* compute capability */
    int n_cores;          /* streaming multiprocessors */
    size_t memory_B;      /* of the device */
    size_t free_B;        /* of it now */
    size_t L2_B;          /* nominal */
    size_t shared_core_B; /* shared memory of a core */
    int core_threads;     /* resident on a core at most */
    int core_blocks;
    int core_registers;
    int wave;            /* lanes that go in step: 32, or 64 */
    int driver, runtime; /* CUDA versions, 13000 for 13.0; driver 0: unknown */
    /* Of OpenCL, else empty: there capability, registers and blocks of a core are not told. */
    char interface[128]; /* "OpenCL 3.0 of PLATFORM, driver 3.1" */
    int line_B;          /* of the cache whose size is L2_B */
    double max_Hz;       /* what it says of its clock */
    bool is_cpu;         /* a CPU as an OpenCL device */
    bool has_sub_groups; /* that exchange values, of a size that kernels may choose */
};

enum { SP_MOST_GPU_OTHERS = 3 };
/* As they are now, while a kernel has just run. */
struct sp_gpu_clocks {
    struct sp_value sm_Hz, memory_Hz; /* SP_NONE: not told, and why */
    struct sp_value power_limit_W;
    const char *held_back;         /* what holds the clocks back, static; NULL: nothing, or not told */
    int n_others;                  /* other processes that have work on the GPU; 0: none, or not told */
    int other[SP_MOST_GPU_OTHERS]; /* the first of them, as this process sees them; 0: in another namespace */
};

struct sp_gpu_module {
    int abi;
    size_t layout_size, launch_size; /* sizeof(struct sp_layout), sizeof(struct sp_gpu_launch) */
    /* From now on the device of that number, counted from 0 over all that the driver shows. Before
       anything else; SP_USAGE where another one is in use. NULL: only device 0. */
    enum sp_status (*choose)(int number, struct sp_error *err);
    /* The device that was chosen, else number 0 of those that this process may see; SP_ABSENT with
       the driver's words. */
    enum sp_status (*describe)(struct sp_gpu_device *device, struct sp_error *err);
    enum sp_status (*prepare)(const struct sp_gpu_launch *launch, const struct sp_layout *layout,
                              const struct sp_operands *operands, void **state, struct sp_error *err);
    /* stats->thread_s[0] grows by the time that the device's own clock saw. */
    enum sp_status (*run)(void *state, int64_t repetitions, struct sp_run_stats *stats, struct sp_error *err);
    enum sp_status (*fetch)(void *state, double *y, struct sp_error *err);
    void (*release)(void *state); /* accepts NULL */
    /* What each execution copies to the device because the matrix exceeds its memory [B]. */
    double (*streamed_B)(const void *state);
    /* Of x, what a window of the L2 covers [B], and the share of the accesses to it that stay
       there, as the last run had it; 0: there is none. */
    void (*window)(const void *state, double *bytes, double *hits);
    const struct sp_gpu_ceilings *ceilings;
    void (*clocks)(struct sp_gpu_clocks *clocks);
    /* Called when all work of a run or of a ceiling's sample is queued, before it is waited for;
       NULL: nobody. */
    void (*on_queued)(void (*queued)(void *context), void *context);
};

/* The symbol that a module exports for the kernels, "sp_gpu_module". */
typedef const struct sp_gpu_module *sp_gpu_module_of(void);
#define SP_GPU_MODULE_SYMBOL "sp_gpu_module"

/* Opens the one of an interface; SP_ABSENT says what the loader said, or that it is of another
 * build. It stays open. */
enum sp_status sp_gpu_module_open(enum sp_gpu_api api, const struct sp_gpu_module **module,
                                  struct sp_error *err);

#endif
