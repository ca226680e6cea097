/* In the place of NVIDIA's management library: one GPU at 0000:18:00.0, or what FAKE_NVML says of it. */
#include <stdlib.h>
#include <string.h>

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
