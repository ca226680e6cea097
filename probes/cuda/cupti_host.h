/* The host half of CUPTI's profiler: which metrics a chip has, and how a set of them is counted.
 * Works without a GPU and without a driver, so all of it is tested everywhere. A chip is named as
 * CUPTI does, exactly: GA100 (A100), GH100 (H100, H200, GH200), GB100. */
#ifndef SP_PROBES_CUDA_CUPTI_HOST_H
#define SP_PROBES_CUDA_CUPTI_HOST_H

#include "probes/cuda/cupti_api.h"
#include "probes/cuda/gpu_counters.h"

/* How a set is counted on a chip. */
struct sp_cupti_plan {
    const struct sp_cupti_api *api;   /* borrowed */
    const struct sp_gpu_set *set;     /* borrowed */
    CUpti_Profiler_Host_Object *host; /* owned */
    int n_metrics;                    /* of the set, that the chip has and that are counted */
    const struct sp_gpu_metric *metric[SP_MAX_GPU_METRICS];
    const char *name[SP_MAX_GPU_METRICS]; /* their names, as CUPTI takes them */
    int n_lacking;                        /* that the chip has not, where no alternative takes their place */
    const char *lacking[SP_MAX_GPU_METRICS];
    uint8_t *config; /* [config_B] owned: the image that configures the counters */
    size_t config_B;
    int n_passes; /* executions that it takes */
};

/* `availability`: the device's image of what can be counted, NULL where there is no device.
 * SP_ABSENT: an unknown chip, or one that has no metric of the set. */
enum sp_status sp_cupti_plan_make(const struct sp_cupti_api *api, const char *chip,
                                  const uint8_t *availability, const struct sp_gpu_set *set,
                                  struct sp_cupti_plan *plan, struct sp_error *err);

/* SP_ABSENT names a metric that the plan's chip has not. */
enum sp_status sp_cupti_metric_check(const struct sp_cupti_plan *plan, const char *name,
                                     struct sp_error *err);

void sp_cupti_plan_free(struct sp_cupti_plan *plan);

#endif
