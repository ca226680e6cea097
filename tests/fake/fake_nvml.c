/* In the place of NVIDIA's management library: one GPU at 0000:18:00.0, or what FAKE_NVML says of it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int n_started;

static int is(const char *what)
{
    const char *mood = getenv("FAKE_NVML");
    return mood && strcmp(mood, what) == 0;
}

int nvmlInit_v2(void)
{
    n_started += !is("asleep");
    return is("asleep") ? 9 : 0;
}

int nvmlShutdown(void)
{
    return --n_started < 0;
}

int fake_nvml_started(void)
{
    return n_started;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device)
{
    if (n_started < 1 || strcmp(bus_id, "0000:18:00.0") != 0)
        return 6;
    *device = &n_started;
    return 0;
}

int nvmlDeviceGetClockInfo(void *device, int which, unsigned *MHz)
{
    if (device != &n_started || is("secretive"))
        return 3;
    *MHz = which == 1 ? 1980 : which == 2 ? 3201 : 7;
    return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *mW)
{
    if (device != &n_started || is("secretive"))
        return 3;
    *mW = 700000;
    return 0;
}

/* As nvml.h has it. */
struct process {
    unsigned pid;
    unsigned long long used_B;
    unsigned gpu_instance, compute_instance;
};

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *n, struct process *process)
{
    const struct process all[] = {{4242, 1 << 20, 0, 0},
                                  {is("elsewhere") ? 77 : (unsigned)getpid(), 0, 0, 0}};
    if (device != &n_started || is("secretive"))
        return 4;
    if (*n < 2)
        return 7;
    *n = is("shared") || is("elsewhere") ? 2 : 1;
    memcpy(process, *n == 2 ? all : all + 1, *n * sizeof *all);
    return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits)
{
    if (device != &n_started || is("secretive"))
        return 3;
    *bits = is("hot") ? 0x44 : is("shared") ? 0x4 : 0x1;
    return 0;
}
