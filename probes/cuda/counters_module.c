/* The module's side of gpu_counters.h. */
#include "probes/cuda/cupti_host.h"
#include "probes/cuda/gpu_counters.h"

static enum sp_status count(enum sp_gpu_set_name set, const struct sp_gpu_work *work,
                            struct sp_gpu_counts *counts, struct sp_error *err)
{
    static struct sp_cupti_api api; /* opened at the first use, and then for good */
    const struct sp_cupti_device device = {&api, &sp_cuda_calls, 0};
    if (!api.get_version) {
        enum sp_status status = sp_cupti_open(NULL, &api, err);
        if (status != SP_OK) {
            sp_gpu_counts_none(counts, "CUPTI cannot be opened");
            return status;
        }
    }
    return sp_cupti_count(&device, &sp_gpu_sets[set], work, counts, err);
}

__attribute__((visibility("default"))) const struct sp_gpu_counters *sp_gpu_counters(void)
{
    static const struct sp_gpu_counters counters = {
        .abi = SP_GPU_COUNTERS_ABI, .counts_size = sizeof(struct sp_gpu_counts), .count = count};
    return &counters;
}
