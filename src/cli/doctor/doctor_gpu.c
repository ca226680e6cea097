#include <string.h>

#include "cli/doctor/doctor.h"
#include "sp_config.h"
#include "sys/counters/counters.h"
#include "sys/machine/gpu_files.h"

static void build(struct sp_doctor *d)
{
    static const char remedy[] = "install the CUDA toolkit and build again: ./bootstrap";
    if (!SP_HAVE_CUDA)
        sp_find_out(d, sp_title_gpu, "CUDA", SP_IS_ABSENT, remedy, "not in this build");
    else
        sp_find_out(d, sp_title_gpu, "CUDA", SP_WORKS, "", "in this build, with CUDA " SP_CUDA_VERSION);
    if (!SP_HAVE_CUPTI)
        sp_find_out(d, sp_title_gpu, "CUPTI", SP_IS_ABSENT, SP_HAVE_CUDA ? remedy : "",
                    "not in this build: a GPU's counters cannot be read");
    else
        sp_find_out(d, sp_title_gpu, "CUPTI", SP_WORKS, "",
                    "in this build; the library is opened when counters are read");
}

static void driver(struct sp_doctor *d, const struct sp_gpu_files *g)
{
    static const char name[] = "driver";
    if (g->wsl)
        sp_find_out(d, sp_title_gpu, name, SP_LIMITED, "",
                    "Windows Subsystem for Linux: the driver is the one of Windows, and no file tells of it");
    else if (*g->driver)
        sp_find_out(d, sp_title_gpu, name, SP_WORKS, "", "NVIDIA %s%s, %d GPU%s%s%s", g->driver,
                    g->open_driver ? " (open)" : "", g->n_gpus, g->n_gpus == 1 ? "" : "s",
                    *g->model ? ": " : "", g->model);
    else if (g->n_on_bus > 0)
        sp_find_out(d, sp_title_gpu, name, SP_IS_ABSENT,
                    strncmp(g->bus_driver, "vfio", 4) == 0 ? "" : "sudo apt-get install nvidia-driver",
                    "%d NVIDIA GPU%s on the bus, %s%s", g->n_on_bus, g->n_on_bus == 1 ? "" : "s",
                    *g->bus_driver ? "held by the driver " : "without a driver", g->bus_driver);
    else
        sp_find_out(d, sp_title_gpu, name, SP_IS_ABSENT, "",
                    "no NVIDIA driver and no NVIDIA GPU on the bus%s",
                    g->amd ? "; an AMD GPU is there (/dev/kfd), which this version cannot use" : "");
}

static void nodes(struct sp_doctor *d, const struct sp_gpu_files *g)
{
    static const char name[] = "device nodes";
    bool good = g->n_open > 0 && g->control && g->uvm;
    if (g->n_nodes == 0)
        sp_find_out(d, sp_title_gpu, name, SP_IS_ABSENT,
                    "sudo nvidia-modprobe -c 0 -u\n"
                    "in containers: docker run --gpus all ..., in batch jobs: sbatch --gres=gpu:1 ...",
                    "no /dev/nvidia0: the driver is there, but this process was given no GPU");
    else
        sp_find_out(d, sp_title_gpu, name, good ? SP_WORKS : SP_LIMITED,
                    good                                   ? ""
                    : g->n_open < g->n_nodes && !g->n_open ? "sudo usermod -aG video,render YOU"
                                                           : "sudo nvidia-modprobe -c 0 -u",
                    "%d of %d /dev/nvidiaN can be opened%s%s", g->n_open, g->n_nodes,
                    g->control ? "" : "; /dev/nvidiactl cannot", g->uvm ? "" : "; /dev/nvidia-uvm cannot");
}

static void profiling(struct sp_doctor *d, const struct sp_gpu_files *g)
{
    static const char name[] = "profiling";
    struct sp_permissions p;
    sp_permissions_read(d->root, NULL, &p);
    bool admin = p.sys_admin && !p.user_namespace;
    if (g->vgpu)
        sp_find_out(d, sp_title_gpu, name, SP_LIMITED, sp_gpu_open_vgpu,
                    "a virtual GPU (%s): its counters are closed unless the host opens them", g->model);
    else if (g->wsl)
        sp_find_out(d, sp_title_gpu, name, SP_NOT_TOLD, sp_gpu_open_wsl,
                    "the Windows driver decides who may profile");
    else if (g->profiling_admin < 0)
        sp_find_out(d, sp_title_gpu, name, SP_NOT_TOLD, "",
                    "/proc/driver/nvidia/params does not tell who may profile");
    else if (g->profiling_admin == 0 || admin)
        sp_find_out(d, sp_title_gpu, name, SP_WORKS, "", "%s",
                    g->profiling_admin == 0
                        ? "every user may read the GPU's counters"
                        : "only administrators may read the GPU's counters; this process is one");
    else
        sp_find_out(d, sp_title_gpu, name, SP_LIMITED, sp_gpu_open_counters,
                    "only administrators may read the GPU's counters (RmProfilingAdminOnly is 1); kernels "
                    "run and can be timed");
}

void sp_doctor_gpu(struct sp_doctor *d)
{
    struct sp_gpu_files g;
    sp_gpu_files_read(d->root, &g);
    build(d);
    driver(d, &g);
    if (!*g.driver && !g.wsl)
        return;
    if (!g.wsl)
        nodes(d, &g);
    profiling(d, &g);
    if (g.n_mig > 0)
        sp_find_out(
            d, sp_title_gpu, "MIG", SP_LIMITED, sp_gpu_leave_mig,
            "%d GPU instance%s: a slice has its share of memory bandwidth, and its counters can be closed",
            g.n_mig, g.n_mig == 1 ? "" : "s");
}
