#include "probes/cuda/cupti_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void list_chips(const struct sp_cupti_api *api, char *text, size_t size)
{
    CUpti_Profiler_Host_GetSupportedChips_Params p = {
        .structSize = CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
    snprintf(text, size, "install a newer CUDA toolkit (its CUPTI)");
    if (api->host_chips(&p) != CUPTI_SUCCESS)
        return;
    size_t used = (size_t)snprintf(text, size, "CUPTI %u knows", api->version);
    for (size_t i = 0; i < p.numChips && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s %s", i ? "," : "", p.ppChipNames[i]);
}

static enum sp_status open_host(struct sp_cupti_plan *plan, const char *chip, const uint8_t *availability,
                                struct sp_error *err)
{
    CUpti_Profiler_Host_Initialize_Params p = {.structSize =
                                                   CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
                                               .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
                                               .pChipName = chip,
                                               .pCounterAvailabilityImage = availability};
    CUptiResult result = plan->api->host_initialize(&p);
    if (result == CUPTI_ERROR_INVALID_CHIP_NAME) {
        char known[400];
        list_chips(plan->api, known, sizeof known);
        return sp_fail(err, SP_ABSENT, known, "CUPTI knows no chip '%s'", chip);
    }
    enum sp_status status = sp_cupti_check(plan->api, result, "cuptiProfilerHostInitialize", err);
    if (status == SP_OK)
        plan->host = p.pHostObject;
    return status;
}

static CUptiResult look_up(const struct sp_cupti_plan *plan, const char *name)
{
    CUpti_Profiler_Host_GetMetricProperties_Params p = {
        .structSize = CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE,
        .pHostObject = plan->host,
        .pMetricName = name};
    return plan->api->host_metric(&p);
}

static bool is_unknown(CUptiResult result)
{
    return result == CUPTI_ERROR_INVALID_METRIC_NAME || result == CUPTI_ERROR_INVALID_PARAMETER;
}

enum sp_status sp_cupti_metric_check(const struct sp_cupti_plan *plan, const char *name, struct sp_error *err)
{
    CUptiResult result = look_up(plan, name);
    if (is_unknown(result))
        return sp_fail(err, SP_ABSENT, NULL, "this GPU has no metric '%s'", name);
    return sp_cupti_check(plan->api, result, "cuptiProfilerHostGetMetricProperties", err);
}

/* Whether the chip has all metrics of one alternative of a count; false where there is none. */
static bool has_all(const struct sp_gpu_set *set, const bool *known, enum sp_gpu_count count, int alternative)
{
    bool any = false;
    for (int i = 0; i < set->n_metrics; i++) {
        if (set->metric[i].count != count || set->metric[i].alternative != alternative)
            continue;
        if (!known[i])
            return false;
        any = true;
    }
    return any;
}

/* The alternative to take; -1: the chip cannot tell this count. */
static int choose(const struct sp_gpu_set *set, const bool *known, enum sp_gpu_count count)
{
    for (int a = 0; a < set->n_metrics; a++)
        if (has_all(set, known, count, a))
            return a;
    return -1;
}

/* One bad name would refuse the whole set without naming it, so they are looked up one by one. */
static enum sp_status choose_metrics(struct sp_cupti_plan *plan, struct sp_error *err)
{
    const struct sp_gpu_set *set = plan->set;
    bool known[SP_MAX_GPU_METRICS] = {false};
    for (int i = 0; i < set->n_metrics; i++) {
        CUptiResult result = look_up(plan, set->metric[i].name);
        known[i] = result == CUPTI_SUCCESS;
        if (!known[i] && !is_unknown(result))
            return sp_cupti_check(plan->api, result, "cuptiProfilerHostGetMetricProperties", err);
    }
    for (int i = 0; i < set->n_metrics; i++) {
        const struct sp_gpu_metric *m = &set->metric[i];
        int taken = choose(set, known, m->count);
        if (taken < 0 && !known[i]) {
            plan->lacking[plan->n_lacking++] = m->name;
        } else if (taken == m->alternative) {
            plan->metric[plan->n_metrics] = m;
            plan->name[plan->n_metrics++] = m->name;
        }
    }
    if (plan->n_metrics)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, NULL,
                   "nothing of the set '%s' can be counted: this GPU has no metric '%s'", set->name,
                   plan->lacking[0]);
}

static enum sp_status make_config(struct sp_cupti_plan *plan, struct sp_error *err)
{
    CUpti_Profiler_Host_GetConfigImageSize_Params size = {
        .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE, .pHostObject = plan->host};
    enum sp_status status = sp_cupti_check(plan->api, plan->api->host_config_size(&size),
                                           "cuptiProfilerHostGetConfigImageSize", err);
    if (status == SP_OK && size.configImageSize == 0)
        return sp_fail(err, SP_ABSENT, NULL, "CUPTI makes no configuration of the set '%s'", plan->set->name);
    if (status == SP_OK)
        status = sp_new_array((int64_t)size.configImageSize, 1, "the configuration of the counters",
                              (void **)&plan->config, err);
    if (status != SP_OK)
        return status;
    plan->config_B = size.configImageSize;
    CUpti_Profiler_Host_GetConfigImage_Params image = {
        .structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
        .pHostObject = plan->host,
        .configImageSize = plan->config_B,
        .pConfigImage = plan->config};
    return sp_cupti_check(plan->api, plan->api->host_config(&image), "cuptiProfilerHostGetConfigImage", err);
}

static enum sp_status count_passes(struct sp_cupti_plan *plan, struct sp_error *err)
{
    CUpti_Profiler_Host_GetNumOfPasses_Params p = {.structSize =
                                                       CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
                                                   .configImageSize = plan->config_B,
                                                   .pConfigImage = plan->config};
    enum sp_status status =
        sp_cupti_check(plan->api, plan->api->host_passes(&p), "cuptiProfilerHostGetNumOfPasses", err);
    if (status == SP_OK && (p.numOfPasses < 1 || p.numOfPasses > 1000))
        return sp_fail(err, SP_ABSENT, NULL, "CUPTI wants %zu passes for the set '%s'", p.numOfPasses,
                       plan->set->name);
    if (status == SP_OK)
        plan->n_passes = (int)p.numOfPasses;
    return status;
}

static enum sp_status add_metrics(struct sp_cupti_plan *plan, struct sp_error *err)
{
    CUpti_Profiler_Host_ConfigAddMetrics_Params p = {
        .structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
        .pHostObject = plan->host,
        .ppMetricNames = plan->name,
        .numMetrics = (size_t)plan->n_metrics};
    return sp_cupti_check(plan->api, plan->api->host_add_metrics(&p), "cuptiProfilerHostConfigAddMetrics",
                          err);
}

enum sp_status sp_cupti_plan_make(const struct sp_cupti_api *api, const char *chip,
                                  const uint8_t *availability, const struct sp_gpu_set *set,
                                  struct sp_cupti_plan *plan, struct sp_error *err)
{
    *plan = (struct sp_cupti_plan){.api = api, .set = set};
    enum sp_status status = open_host(plan, chip, availability, err);
    if (status == SP_OK)
        status = choose_metrics(plan, err);
    if (status == SP_OK)
        status = add_metrics(plan, err);
    if (status == SP_OK)
        status = make_config(plan, err);
    if (status == SP_OK)
        status = count_passes(plan, err);
    if (status != SP_OK)
        sp_cupti_plan_free(plan);
    return status;
}

void sp_cupti_plan_free(struct sp_cupti_plan *plan)
{
    CUpti_Profiler_Host_Deinitialize_Params p = {
        .structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE, .pHostObject = plan->host};
    if (plan->host)
        plan->api->host_deinitialize(&p);
    free(plan->config);
    *plan = (struct sp_cupti_plan){0};
}
