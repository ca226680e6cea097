#include "kernels/cuda/nvml_clocks.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "sys/machine/gpu_files.h"

/* The calls that are made, as nvml.h (CUDA 13.0) declares them: 0 is success. */
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };
typedef int nvml_call(void);
typedef int nvml_find(const char *bus_id, void **device);
typedef int nvml_clock(void *device, int which, unsigned *MHz);
typedef int nvml_power(void *device, unsigned *mW);
typedef int nvml_reasons(void *device, unsigned long long *bits);
struct nvml_process {
    unsigned pid;
    unsigned long long used_B;
    unsigned gpu_instance, compute_instance;
};
typedef int nvml_processes(void *device, unsigned *n, struct nvml_process *process);

union symbol {
    void *address;
    nvml_call *call;
    nvml_find *find;
    nvml_clock *clock;
    nvml_power *power;
    nvml_reasons *reasons;
    nvml_processes *processes;
};

static struct sp_value clock_of(nvml_clock *get, void *device, int which)
{
    unsigned MHz = 0;
    return get(device, which, &MHz) == 0 && MHz > 0 ? sp_value_of(1e6 * MHz, SP_MEASURED)
                                                    : sp_value_none("the driver does not tell this clock");
}

static struct sp_value power_of(nvml_power *get, void *device)
{
    unsigned mW = 0;
    return get(device, &mW) == 0 && mW > 0 ? sp_value_of(1e-3 * mW, SP_MEASURED)
                                           : sp_value_none("the driver does not tell the power limit");
}

static const char *held_back(nvml_reasons *get, void *device)
{
    static const struct {
        unsigned long long bits;
        const char *what;
    } reasons[] = {{0x20 | 0x40, "its temperature"},
                   {0x80, "its power supply"},
                   {0x08, "its hardware"},
                   {0x04, "its power limit"}};
    unsigned long long bits = 0;
    if (!get || get(device, &bits) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (bits & reasons[i].bits)
            return reasons[i].what;
    return NULL;
}

/* In a namespace of its own this process is not found among them, though it is one of them. */
static void find_others(nvml_processes *get, void *device, struct sp_gpu_clocks *clocks)
{
    enum { MOST = 64 };
    struct nvml_process process[MOST];
    unsigned n = MOST;
    bool knows_us = false;
    if (!get || get(device, &n, process) != 0 || n > MOST)
        return;
    for (unsigned i = 0; i < n; i++)
        knows_us |= process[i].pid == (unsigned)getpid();
    for (unsigned i = 0; knows_us && i < n; i++)
        if (process[i].pid != (unsigned)getpid() && clocks->n_others++ < SP_MOST_GPU_OTHERS)
            clocks->other[clocks->n_others - 1] = (int)process[i].pid;
    if (!knows_us && n > 1)
        clocks->n_others = (int)n - 1;
}

void sp_nvml_clocks(const char *library, const char *bus_id, struct sp_gpu_clocks *clocks)
{
    static const char *const names[] = {"nvmlInit_v2", "nvmlShutdown", "nvmlDeviceGetHandleByPciBusId_v2",
                                        "nvmlDeviceGetClockInfo", "nvmlDeviceGetEnforcedPowerLimit"};
    /* Older libraries lack them. */
    static const char *const extra[] = {"nvmlDeviceGetCurrentClocksThrottleReasons",
                                        "nvmlDeviceGetComputeRunningProcesses_v3"};
    enum { INIT, SHUTDOWN, FIND, CLOCK, POWER, N_SYMBOLS, REASONS = 0, PROCESSES, N_EXTRA };
    union symbol symbol[N_SYMBOLS], more[N_EXTRA];
    void *device = NULL;
    memset(clocks, 0, sizeof *clocks);
    clocks->sm_Hz = clocks->memory_Hz = clocks->power_limit_W =
        sp_value_none("NVIDIA's management library cannot be opened");
    for (int i = 0; i < N_SYMBOLS; i++)
        if (sp_module_file_symbol(library, names[i], &symbol[i].address, NULL) != SP_OK)
            return;
    for (int i = 0; i < N_EXTRA; i++)
        if (sp_module_file_symbol(library, extra[i], &more[i].address, NULL) != SP_OK)
            more[i].address = NULL;
    if (symbol[INIT].call() != 0) {
        clocks->sm_Hz = clocks->memory_Hz = clocks->power_limit_W =
            sp_value_none("NVIDIA's management library does not start");
        return;
    }
    if (symbol[FIND].find(bus_id, &device) == 0) {
        clocks->sm_Hz = clock_of(symbol[CLOCK].clock, device, CLOCK_SM);
        clocks->memory_Hz = clock_of(symbol[CLOCK].clock, device, CLOCK_MEMORY);
        clocks->power_limit_W = power_of(symbol[POWER].power, device);
        clocks->held_back = held_back(more[REASONS].reasons, device);
        find_others(more[PROCESSES].processes, device, clocks);
    } else {
        clocks->sm_Hz = clocks->memory_Hz = clocks->power_limit_W =
            sp_value_none("NVIDIA's management library does not know the GPU");
    }
    symbol[SHUTDOWN].call();
}
