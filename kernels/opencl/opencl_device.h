/* The OpenCL loader, which is opened when it is first asked for, and the device that this process
 * uses: of all devices of all platforms, in the loader's order, the one that was chosen, else the
 * first. */
#ifndef SP_KERNELS_OPENCL_OPENCL_DEVICE_H
#define SP_KERNELS_OPENCL_OPENCL_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 210
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>

#include "base/status.h"

struct sp_opencl_functions {
#define FUNCTION(name) __typeof__(&(name)) name;
#include "kernels/opencl/opencl_functions.inc"
#undef FUNCTION
};

struct sp_opencl_device {
    struct sp_opencl_functions call;
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue; /* in order, with times */
    bool is_cpu;            /* its work-items follow each other on cores, with caches of a CPU */
    void *create_with_il;   /* clCreateProgramWithIL where it takes SPIR-V, else NULL: SPIR */
    cl_ulong local_B;
};

/* The number of the device that will be opened. SP_USAGE where another one is open already. */
enum sp_status sp_opencl_choose(int number, struct sp_error *err);

/* Opened once; SP_ABSENT with the remedy. *device is static. */
enum sp_status sp_opencl_open(const struct sp_opencl_device **device, struct sp_error *err);

/* The device, which is open already: of what works on its memory. */
const struct sp_opencl_device *sp_opencl_now(void);

/* Text of a device or of its platform; "" unknown. */
void sp_opencl_device_text(const struct sp_opencl_device *device, cl_device_info what, char *text,
                           size_t size);

/* Does it name this extension? */
bool sp_opencl_has(const struct sp_opencl_device *device, const char *extension);

/* OpenCL's arrays have no addresses: *address is one for it, until sp_opencl_drop() of that address
 * gives the array back. */
enum sp_status sp_opencl_hold(cl_mem array, size_t bytes, const char *what, void **address,
                              struct sp_error *err);
cl_mem sp_opencl_drop(const void *address);
size_t sp_opencl_held_B(void); /* by all of them */

/* The array that an address points into and how far behind its begin; NULL for NULL and for what no
 * array holds. */
cl_mem sp_opencl_array(const void *address, size_t *offset);

#endif
