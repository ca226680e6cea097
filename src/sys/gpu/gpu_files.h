/* What files tell about graphics processors: driver, devices, who may profile. No library of a vendor is
 * opened. */
#ifndef SP_SYS_GPU_FILES_H
#define SP_SYS_GPU_FILES_H

#include <stdbool.h>

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

#endif
