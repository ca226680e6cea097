/* What each refusal of CUPTI means for a person. */
#include "probes/cuda/cupti_api.h"
#include "sys/gpu/gpu_files.h"
#include "sys/gpu/gpu_remedies.h"

static const char end_profiler[] =
    "end the other profiler (ncu, nsys, dcgmi, a debugger); dcgmi profiling --pause stops a monitor's";
static const char own_gpu[] = "take another GPU (CUDA_VISIBLE_DEVICES), or go on without counters";

static const struct fault {
    CUptiResult result;
    const char *what;
    const char *remedy;
} faults[] = {
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "a virtual GPU has no counters for its guests", own_gpu},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
     "a virtual GPU: its counters are closed unless the host opens them", sp_gpu_open_vgpu},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "a slice of a GPU (MIG), whose counters are closed",
     sp_gpu_leave_mig},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED,
     "Windows Subsystem for Linux: the Windows driver closes the counters", sp_gpu_open_wsl},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
     "the GPU computes confidentially, which closes its counters", own_gpu},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "a mining processor, which has no counters for users", own_gpu},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "the GPU is coupled with another (SLI), which closes its counters",
     "switch SLI off"},
    {CUPTI_ERROR_HARDWARE_BUSY, "another profiler holds the GPU's counters", end_profiler},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "another profiler is attached to this process",
     end_profiler},
    {CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED, "this process already profiles through CUPTI's old interface",
     end_profiler},
    {CUPTI_ERROR_DISABLED, "CUPTI is switched off in this process, as a debugger or another profiler does",
     end_profiler},
    {CUPTI_ERROR_INVALID_CHIP_NAME, "CUPTI does not know this GPU",
     "install a newer CUDA toolkit (its CUPTI)"},
    {CUPTI_ERROR_NOT_SUPPORTED, "this GPU or its driver does not support CUPTI's range profiler",
     "it needs compute capability 7.5 or later, and a driver that is not older than the toolkit"},
    {CUPTI_ERROR_NOT_COMPATIBLE, "CUPTI and the driver do not fit together",
     "install the driver of the toolkit's release"},
    {CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, "this GPU does not support CUPTI's old interface",
     "report this: the program does not use it"},
};

/* The driver's rule, as its files tell it; a refusal in spite of it comes from a container or a batch system.
 */
static enum sp_status not_permitted(const struct sp_cupti_api *api, const char *call, const char *name,
                                    int code, struct sp_error *err)
{
    struct sp_gpu_files files;
    sp_gpu_files_read(api->root, &files);
    if (files.vgpu)
        return sp_fail(
            err, SP_ABSENT, sp_gpu_open_vgpu,
            "a virtual GPU (%s): its counters are closed unless the host opens them: %s gave %s (%d)",
            files.model, call, name, code);
    if (files.wsl)
        return sp_fail(err, SP_ABSENT, sp_gpu_open_wsl,
                       "the Windows driver does not let this user profile: %s gave %s (%d)", call, name,
                       code);
    if (files.profiling_admin == 0)
        return sp_fail(err, SP_ABSENT,
                       "in containers: docker run --cap-add SYS_ADMIN ...; on a cluster, ask its support",
                       "this process may not read the GPU's counters, although the driver lets every user "
                       "(RmProfilingAdminOnly is 0): "
                       "%s gave %s (%d)",
                       call, name, code);
    return sp_fail(
        err, SP_ABSENT, sp_gpu_open_counters,
        "only administrators may read the GPU's counters (RmProfilingAdminOnly is %s): %s gave %s (%d)",
        files.profiling_admin == 1 ? "1" : "not told", call, name, code);
}

static enum sp_status not_started(const struct sp_cupti_api *api, const char *call, const char *name,
                                  int code, struct sp_error *err)
{
    if (!api->host_library)
        return sp_fail(err, SP_ABSENT, "install all of CUPTI (Debian and Ubuntu: cuda-cupti-13-0)",
                       "libnvperf_host.so is not beside %s: %s gave %s (%d)", api->path, call, name, code);
    return sp_fail(err, SP_ABSENT, "spmodel doctor tells whether the driver works",
                   "CUPTI did not start, as without a driver: %s gave %s (%d)", call, name, code);
}

static const struct fault *find_fault(CUptiResult result)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].result == result)
            return &faults[i];
    return NULL;
}

enum sp_status sp_cupti_check(const struct sp_cupti_api *api, CUptiResult result, const char *call,
                              struct sp_error *err)
{
    if (result == CUPTI_SUCCESS)
        return SP_OK;
    const char *name = NULL;
    if (api->result_string(result, &name) != CUPTI_SUCCESS || !name)
        name = "an error without a name";
    if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
        return not_permitted(api, call, name, result, err);
    if (result == CUPTI_ERROR_NOT_INITIALIZED)
        return not_started(api, call, name, result, err);
    if (result == CUPTI_ERROR_OUT_OF_MEMORY)
        return sp_fail(err, SP_MEMORY, "use a smaller matrix, or end what else uses the GPU",
                       "no memory is left for the GPU's counters: %s gave %s (%d)", call, name, result);
    const struct fault *fault = find_fault(result);
    if (fault)
        return sp_fail(err, SP_ABSENT, fault->remedy, "%s: %s gave %s (%d)", fault->what, call, name, result);
    return sp_fail(err, SP_ABSENT, "go on without counters; times need none",
                   "CUPTI refuses: %s gave %s (%d)", call, name, result);
}

enum sp_status sp_cupti_check_support(const CUpti_Profiler_DeviceSupported_Params *device,
                                      struct sp_error *err)
{
    const struct {
        CUpti_Profiler_Support_Level level;
        CUptiResult like; /* the refusal that means the same */
    } parts[] = {{device->vGpu, device->vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED
                                    ? CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
                                    : CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED},
                 {device->wsl, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED},
                 {device->confidentialCompute, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED},
                 {device->cmp, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED},
                 {device->sli, CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED},
                 {device->architecture, CUPTI_ERROR_NOT_SUPPORTED}};
    if (device->isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
        return SP_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
            parts[i].level == CUPTI_PROFILER_CONFIGURATION_DISABLED) {
            const struct fault *fault = find_fault(parts[i].like);
            return sp_fail(err, SP_ABSENT, fault->remedy, "%s", fault->what);
        }
    return sp_fail(err, SP_ABSENT, "spmodel doctor tells what the driver's files say",
                   "CUPTI does not support this GPU, and does not say why");
}
