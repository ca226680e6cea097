/* What files tell about GPUs: driver, devices, who may profile. No vendor's library is opened. */
#ifndef SP_SYS_GPU_FILES_H
#define SP_SYS_GPU_FILES_H

#include <stdbool.h>

#include "base/status.h"

struct sp_gpu_files {
    char driver[32];     /* NVIDIA's kernel driver, "535.104.05"; "" not loaded */
    bool open_driver;    /* its open flavour */
    int n_gpus;          /* that the driver names */
    char model[64];      /* of the first, "" unknown */
    int n_nodes;         /* /dev/nvidia0 ... */
    int n_open;          /* of those, readable and writable for this user */
    bool control, uvm;   /* /dev/nvidiactl and /dev/nvidia-uvm can be opened */
    int profiling_admin; /* RmProfilingAdminOnly: 1 only administrators may profile; 0; -1 unknown */
    int n_on_bus;        /* NVIDIA display or 3-D controllers on the PCI bus */
    char bus_driver[24]; /* kernel driver that holds the first of them, "" none */
    int n_mig;           /* GPU instances that MIG has made; 0: none, or not told */
    bool vgpu;           /* the model is a slice that a hypervisor sells ("A40-8Q", "GRID ...") */
    bool wsl;            /* Windows Subsystem for Linux: the driver is Windows' */
    bool amd;            /* /dev/kfd: AMD's compute driver */
};

void sp_gpu_files_read(const char *root, struct sp_gpu_files *out);

/* What to type where a GPU's counters are closed: the same words wherever it is noticed. */

extern const char sp_gpu_open_counters[]; /* the driver lets administrators alone profile */
extern const char sp_gpu_open_vgpu[];     /* a virtual GPU */
extern const char sp_gpu_open_wsl[];      /* Windows decides */
extern const char sp_gpu_leave_mig[];     /* a slice of a GPU */

/* Shared objects that are opened while the program runs. */

#define SP_GPU_MODULE_FILE    "libspmodel-cuda.so" /* kernels and counters of GPUs */
#define SP_HIP_MODULE_FILE    "libspmodel-hip.so"  /* kernels of AMD's GPUs, where there is no CUDA */
#define SP_OPENCL_MODULE_FILE "libspmodel-opencl.so"

/* Opens `file` where the loader looks for it (LD_LIBRARY_PATH, then beside the program and in
 * ../lib/spmodel) and finds `symbol` in it. It is never closed: libraries of drivers do not survive
 * that. SP_ABSENT with the loader's words. */
enum sp_status sp_module_file_symbol(const char *file, const char *symbol, void **address,
                                     struct sp_error *err);

#endif
