/* The counters of GPU 0 as the program sees them: in the module that also holds the kernels, behind a symbol
 * of its own, because kernels know nothing of probes. A module that was built without CUPTI has no such
 * symbol. */
#ifndef SP_PROBES_CUDA_GPU_COUNTERS_H
#define SP_PROBES_CUDA_GPU_COUNTERS_H

#include <stddef.h>

#include "base/status.h"
#include "probes/cuda/cupti_sets.h"

#define SP_GPU_COUNTERS_ABI    1
#define SP_GPU_COUNTERS_SYMBOL "sp_gpu_counters"

/* Both return when the GPU has finished; a failure of theirs ends the counting and is passed on. Before every
 * pass, outside of what is counted, set_cache_state brings the caches into the state that is to be measured.
 * Warm is one launch. Cold is *reading* an array of two to four times the size of L2: after writing it, its
 * modified lines would be written back during the launch, and be counted as the launch's. */
struct sp_gpu_work {
    enum sp_status (*set_cache_state)(void *context,
                                      struct sp_error *err); /* NULL: as the pass before left it */
    enum sp_status (*launch)(void *context, struct sp_error *err);
    void *context;
};

struct sp_gpu_counters {
    int abi;
    size_t counts_size; /* sizeof(struct sp_gpu_counts) */
    /* Counts a set; contract of sp_cupti_count (cupti_range.h). Executes the launch as often as the set takes
     * passes. */
    enum sp_status (*count)(enum sp_gpu_set_name set, const struct sp_gpu_work *work,
                            struct sp_gpu_counts *counts, struct sp_error *err);
};

typedef const struct sp_gpu_counters *sp_gpu_counters_of(void);

/* Opens the module; SP_ABSENT says what the loader said, or that it is of another build. It stays open. */
enum sp_status sp_gpu_counters_open(const struct sp_gpu_counters **counters, struct sp_error *err);

#endif
