#include "probes/cuda/gpu_counters.h"

#include "sys/gpu/module_file.h"

enum sp_status sp_gpu_counters_open(const struct sp_gpu_counters **counters, struct sp_error *err)
{
    union {
        void *address;
        sp_gpu_counters_of *function;
    } symbol;
    *counters = NULL;
    enum sp_status status =
        sp_module_file_symbol(SP_GPU_MODULE_FILE, SP_GPU_COUNTERS_SYMBOL, &symbol.address, err);
    if (status != SP_OK)
        return status;
    const struct sp_gpu_counters *found = symbol.function();
    if (found->abi != SP_GPU_COUNTERS_ABI || found->counts_size != sizeof(struct sp_gpu_counts))
        return sp_fail(err, SP_ABSENT, "build and install both together",
                       "%s is of another build than this program", SP_GPU_MODULE_FILE);
    *counters = found;
    return SP_OK;
}
