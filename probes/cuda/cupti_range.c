#include "probes/cuda/cupti_range.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* What is open, in the order of opening; close_session() goes back from wherever it stopped. */
struct session {
    const struct sp_cupti_device *device;
    const struct sp_cupti_api *api;
    CUdevice cuda_device;
    CUcontext context;
    bool initialised;
    const char *chip;      /* borrowed from CUPTI */
    uint8_t *availability; /* owned: what can be counted on this device */
    struct sp_cupti_plan plan;
    CUpti_RangeProfiler_Object *profiler;
    uint8_t *data; /* [data_B] owned: the counters' values */
    size_t data_B;
    bool started, in_range;
};

static enum sp_status find_device(struct session *s, struct sp_error *err)
{
    const struct sp_cuda_calls *cuda = s->device->cuda;
    int n = 0, error = cuda->device_count(&n);
    if (error != 0)
        return sp_fail(err, SP_ABSENT, "spmodel doctor tells what is missing", "no GPU can be used: %s (%d)",
                       cuda->error_text(error), error);
    if (s->device->ordinal < 0 || s->device->ordinal >= n)
        return sp_fail(err, SP_ABSENT, "nvidia-smi lists the GPUs; CUDA_VISIBLE_DEVICES may hide some",
                       "there is no GPU %d, but %d", s->device->ordinal, n);
    error = cuda->use_device(s->device->ordinal, &s->cuda_device, &s->context);
    if (error != 0)
        return sp_fail(err, SP_ABSENT, "nvidia-smi tells who uses the GPU", "GPU %d cannot be used: %s (%d)",
                       s->device->ordinal, cuda->error_text(error), error);
    return SP_OK;
}

static enum sp_status initialise(struct session *s, struct sp_error *err)
{
    CUpti_Profiler_Initialize_Params p = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    enum sp_status status = sp_cupti_check(s->api, s->api->initialize(&p), "cuptiProfilerInitialize", err);
    s->initialised = status == SP_OK;
    return status;
}

static enum sp_status ask_support(struct session *s, struct sp_error *err)
{
    CUpti_Profiler_DeviceSupported_Params p = {.structSize =
                                                   CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE,
                                               .cuDevice = s->cuda_device,
                                               .api = CUPTI_PROFILER_RANGE_PROFILING};
    enum sp_status status =
        sp_cupti_check(s->api, s->api->device_supported(&p), "cuptiProfilerDeviceSupported", err);
    return status == SP_OK ? sp_cupti_check_support(&p, err) : status;
}

static enum sp_status ask_chip(struct session *s, struct sp_error *err)
{
    CUpti_Device_GetChipName_Params p = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                         .deviceIndex = (size_t)s->device->ordinal};
    enum sp_status status = sp_cupti_check(s->api, s->api->chip_name(&p), "cuptiDeviceGetChipName", err);
    if (status == SP_OK && !p.pChipName)
        return sp_fail(err, SP_ABSENT, NULL, "CUPTI does not tell the chip of GPU %d", s->device->ordinal);
    s->chip = p.pChipName;
    return status;
}

/* First the size, then the image; the first call that a missing permission refuses. */
static enum sp_status ask_availability(struct session *s, struct sp_error *err)
{
    static const char call[] = "cuptiProfilerGetCounterAvailability";
    CUpti_Profiler_GetCounterAvailability_Params p = {
        .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE, .ctx = s->context};
    enum sp_status status = sp_cupti_check(s->api, s->api->counter_availability(&p), call, err);
    if (status == SP_OK)
        status = sp_new_array((int64_t)p.counterAvailabilityImageSize, 1, "what the GPU can count",
                              (void **)&s->availability, err);
    if (status != SP_OK)
        return status;
    p.pCounterAvailabilityImage = s->availability;
    return sp_cupti_check(s->api, s->api->counter_availability(&p), call, err);
}

static enum sp_status enable(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_Enable_Params p = {.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
                                           .ctx = s->context};
    enum sp_status status = sp_cupti_check(s->api, s->api->range_enable(&p), "cuptiRangeProfilerEnable", err);
    if (status == SP_OK)
        s->profiler = p.pRangeProfilerObject;
    return status;
}

static enum sp_status make_data(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {
        .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = s->profiler,
        .pMetricNames = s->plan.name,
        .numMetrics = (size_t)s->plan.n_metrics,
        .maxNumOfRanges = 1,
        .maxNumRangeTreeNodes = 1};
    enum sp_status status =
        sp_cupti_check(s->api, s->api->range_data_size(&size), "cuptiRangeProfilerGetCounterDataSize", err);
    if (status == SP_OK)
        status =
            sp_new_array((int64_t)size.counterDataSize, 1, "the counters' values", (void **)&s->data, err);
    if (status != SP_OK)
        return status;
    s->data_B = size.counterDataSize;
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params p = {
        .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = s->profiler,
        .counterDataSize = s->data_B,
        .pCounterData = s->data};
    return sp_cupti_check(s->api, s->api->range_data_initialize(&p),
                          "cuptiRangeProfilerCounterDataImageInitialize", err);
}

static enum sp_status configure(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_SetConfig_Params p = {.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = s->profiler,
                                              .configSize = s->plan.config_B,
                                              .pConfig = s->plan.config,
                                              .counterDataImageSize = s->data_B,
                                              .pCounterDataImage = s->data,
                                              .range = CUPTI_UserRange,
                                              .replayMode = CUPTI_UserReplay,
                                              .maxRangesPerPass = 1,
                                              .numNestingLevels = 1,
                                              .minNestingLevel = 1,
                                              .targetNestingLevel = 1};
    return sp_cupti_check(s->api, s->api->range_configure(&p), "cuptiRangeProfilerSetConfig", err);
}

static enum sp_status start(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_Start_Params p = {.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
                                          .pRangeProfilerObject = s->profiler};
    enum sp_status status = sp_cupti_check(s->api, s->api->range_start(&p), "cuptiRangeProfilerStart", err);
    s->started = status == SP_OK;
    return status;
}

static enum sp_status push(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_PushRange_Params p = {.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = s->profiler,
                                              .pRangeName = "launch"};
    enum sp_status status =
        sp_cupti_check(s->api, s->api->range_push(&p), "cuptiRangeProfilerPushRange", err);
    s->in_range = status == SP_OK;
    return status;
}

static enum sp_status pop(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_PopRange_Params p = {.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE,
                                             .pRangeProfilerObject = s->profiler};
    s->in_range = false;
    return sp_cupti_check(s->api, s->api->range_pop(&p), "cuptiRangeProfilerPopRange", err);
}

static enum sp_status stop(struct session *s, bool *complete, struct sp_error *err)
{
    CUpti_RangeProfiler_Stop_Params p = {.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                                         .pRangeProfilerObject = s->profiler};
    s->started = false;
    enum sp_status status = sp_cupti_check(s->api, s->api->range_stop(&p), "cuptiRangeProfilerStop", err);
    *complete = p.isAllPassSubmitted == 1;
    return status;
}

static enum sp_status run_pass(struct session *s, const struct sp_gpu_work *work, bool *complete,
                               struct sp_error *err)
{
    enum sp_status status = work->set_cache_state ? work->set_cache_state(work->context, err) : SP_OK;
    if (status == SP_OK)
        status = start(s, err);
    if (status == SP_OK)
        status = push(s, err);
    if (status == SP_OK)
        status = work->launch(work->context, err);
    if (status == SP_OK)
        status = pop(s, err);
    if (status == SP_OK)
        status = stop(s, complete, err);
    return status;
}

static enum sp_status run_passes(struct session *s, const struct sp_gpu_work *work, int *n_passes,
                                 struct sp_error *err)
{
    const int limit =
        s->plan.n_passes + 2; /* CUPTI says itself when it is done; this only ends a loop without end */
    bool complete = false;
    for (*n_passes = 0; !complete && *n_passes < limit; ++*n_passes) {
        enum sp_status status = run_pass(s, work, &complete, err);
        if (status != SP_OK)
            return status;
    }
    if (complete)
        return SP_OK;
    return sp_fail(err, SP_UNDECIDED, "count again",
                   "CUPTI announced %d passes of the set '%s' and asks for more than %d", s->plan.n_passes,
                   s->plan.set->name, limit);
}

/* Decoding waits for the GPU. */
static enum sp_status decode(struct session *s, struct sp_error *err)
{
    CUpti_RangeProfiler_DecodeData_Params p = {
        .structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE, .pRangeProfilerObject = s->profiler};
    enum sp_status status =
        sp_cupti_check(s->api, s->api->range_decode(&p), "cuptiRangeProfilerDecodeData", err);
    CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
        .structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = s->data,
        .counterDataImageSize = s->data_B};
    if (status == SP_OK)
        status = sp_cupti_check(s->api, s->api->range_data_info(&info),
                                "cuptiRangeProfilerGetCounterDataInfo", err);
    if (status == SP_OK && (p.numOfRangeDropped || info.numTotalRanges != 1))
        return sp_fail(err, SP_UNDECIDED, "count again",
                       "the profiler dropped %zu ranges and kept %zu, where one was counted",
                       p.numOfRangeDropped, info.numTotalRanges);
    return status;
}

static enum sp_status evaluate(struct session *s, double *value, struct sp_error *err)
{
    CUpti_Profiler_Host_EvaluateToGpuValues_Params p = {
        .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
        .pHostObject = s->plan.host,
        .pCounterDataImage = s->data,
        .counterDataImageSize = s->data_B,
        .ppMetricNames = s->plan.name,
        .numMetrics = (size_t)s->plan.n_metrics,
        .pMetricValues = value};
    for (int i = 0; i < s->plan.n_metrics; i++)
        value[i] = NAN; /* what CUPTI leaves untouched is no number */
    return sp_cupti_check(s->api, s->api->host_evaluate(&p), "cuptiProfilerHostEvaluateToGpuValues", err);
}

/* A count of several metrics is known when all of them are. */
static void fill(const struct sp_cupti_plan *plan, const double *value, struct sp_gpu_counts *counts)
{
    static const char no_number[] = "CUPTI gave no number", no_counter[] = "this GPU has no such counter";
    double sum[SP_N_GPU_COUNTS] = {0};
    for (int i = 0; i < plan->n_metrics; i++)
        sum[plan->metric[i]->count] += value[i] >= 0 ? plan->metric[i]->scale * value[i] : NAN;
    for (int i = 0; i < plan->set->n_metrics; i++)
        counts->of[plan->set->metric[i].count] = sp_value_none(no_counter);
    for (int i = 0; i < plan->n_metrics; i++) {
        enum sp_gpu_count c = plan->metric[i]->count;
        counts->of[c] = isfinite(sum[c]) ? sp_value_of(sum[c], SP_MEASURED) : sp_value_none(no_number);
    }
}

/* A profiler that stays on would disturb what runs next: not to switch it off is a failure. */
static enum sp_status close_session(struct session *s, enum sp_status status, struct sp_error *err)
{
    struct sp_error ignored;
    bool complete;
    if (s->in_range)
        pop(s, &ignored);
    if (s->started)
        stop(s, &complete, &ignored);
    CUpti_RangeProfiler_Disable_Params p = {.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
                                            .pRangeProfilerObject = s->profiler};
    if (s->profiler) {
        CUptiResult result = s->api->range_disable(&p);
        if (status == SP_OK)
            status = sp_cupti_check(s->api, result, "cuptiRangeProfilerDisable", err);
    }
    sp_cupti_plan_free(&s->plan);
    CUpti_Profiler_DeInitialize_Params d = {.structSize = CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE};
    if (s->initialised)
        s->api->deinitialize(&d);
    free(s->availability);
    free(s->data);
    return status;
}

enum sp_status sp_cupti_count(const struct sp_cupti_device *device, const struct sp_gpu_set *set,
                              const struct sp_gpu_work *work, struct sp_gpu_counts *counts,
                              struct sp_error *err)
{
    struct session s = {.device = device, .api = device->api};
    double value[SP_MAX_GPU_METRICS];
    int n_passes = 0;
    sp_gpu_counts_none(counts, "not in the set that was counted");
    static enum sp_status (*const opening[])(struct session *, struct sp_error *) = {
        find_device, initialise, ask_support, ask_chip, ask_availability};
    static enum sp_status (*const preparing[])(struct session *, struct sp_error *) = {enable, make_data,
                                                                                       configure};
    enum sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof opening / sizeof *opening && status == SP_OK; i++)
        status = opening[i](&s, err);
    if (status == SP_OK)
        status = sp_cupti_plan_make(s.api, s.chip, s.availability, set, &s.plan, err);
    for (size_t i = 0; i < sizeof preparing / sizeof *preparing && status == SP_OK; i++)
        status = preparing[i](&s, err);
    if (status == SP_OK)
        status = run_passes(&s, work, &n_passes, err);
    if (status == SP_OK)
        status = decode(&s, err);
    if (status == SP_OK)
        status = evaluate(&s, value, err);
    if (status == SP_OK) {
        fill(&s.plan, value, counts);
        counts->n_passes = n_passes;
    }
    status = close_session(&s, status, err);
    if (status != SP_OK)
        sp_gpu_counts_none(counts, "counting failed");
    return status;
}
