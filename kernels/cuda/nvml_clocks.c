#include "kernels/cuda/nvml_clocks.h"

#include <stddef.h>

#include "sys/module_file.h"

/* The few calls that are made, as nvml.h (CUDA 13.0) declares them: 0 is success, a device is opaque. */
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };
typedef int nvml_call(void);
typedef int nvml_find(const char *bus_id, void **device);
typedef int nvml_clock(void *device, int which, unsigned *MHz);
typedef int nvml_power(void *device, unsigned *mW);

union symbol {
    void *address;
    nvml_call *call;
    nvml_find *find;
    nvml_clock *clock;
    nvml_power *power;
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

void sp_nvml_clocks(const char *library, const char *bus_id, struct sp_gpu_clocks *clocks)
{
    static const char *const names[] = {"nvmlInit_v2", "nvmlShutdown", "nvmlDeviceGetHandleByPciBusId_v2",
                                        "nvmlDeviceGetClockInfo", "nvmlDeviceGetEnforcedPowerLimit"};
    enum { INIT, SHUTDOWN, FIND, CLOCK, POWER, N_SYMBOLS };
    union symbol symbol[N_SYMBOLS];
    void *device = NULL;
    clocks->sm_Hz = clocks->memory_Hz = clocks->power_limit_W =
        sp_value_none("NVIDIA's management library cannot be opened");
    for (int i = 0; i < N_SYMBOLS; i++)
        if (sp_module_file_symbol(library, names[i], &symbol[i].address, NULL) != SP_OK)
            return;
    if (symbol[INIT].call() != 0) {
        clocks->sm_Hz = clocks->memory_Hz = clocks->power_limit_W =
            sp_value_none("NVIDIA's management library does not start");
        return;
    }
    if (symbol[FIND].find(bus_id, &device) == 0) {
        clocks->sm_Hz = clock_of(symbol[CLOCK].clock, device, CLOCK_SM);
        clocks->memory_Hz = clock_of(symbol[CLOCK].clock, device, CLOCK_MEMORY);
        clocks->power_limit_W = power_of(symbol[POWER].power, device);
    } else {
        clocks->sm_Hz = clocks->memory_Hz = clocks->power_limit_W =
            sp_value_none("NVIDIA's management library does not know the GPU");
    }
    symbol[SHUTDOWN].call();
}
