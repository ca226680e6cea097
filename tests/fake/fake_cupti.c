/* A library in place of CUPTI that keeps its rules: sizes of structures, order of calls, what is open. See
 * fake_cupti.h. */
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cupti.h"

struct fake_cupti fake_cupti;

enum { CONFIG_B = 64, DATA_B = 128, AVAILABILITY_B = 32 };

static struct {
    bool initialised, enabled, started, in_range, configured, data_ready, decoded;
    int n_hosts, n_added, n_passes;
} now;
static char host_object, profiler_object; /* only their addresses are used */

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static CUptiResult broken(const char *call, const char *rule)
{
    if (!*fake_cupti.fault)
        snprintf(fake_cupti.fault, sizeof fake_cupti.fault, "%s: %s", call, rule);
    return CUPTI_ERROR_INVALID_OPERATION;
}

/* Every call begins here: is it to be refused, and does it keep the rules? */
static CUptiResult enter(const char *call, size_t size, size_t expected, bool allowed)
{
    size_t used = strlen(fake_cupti.log);
    snprintf(fake_cupti.log + used, sizeof fake_cupti.log - used, "%s ", call);
    if (size != expected)
        return broken(call, "size of the structure");
    if (!allowed)
        return broken(call, "not in this state");
    if (!same(call, fake_cupti.fails) || fake_cupti.fails_at-- != 0)
        return CUPTI_SUCCESS;
    fake_cupti.n_failed++;
    return fake_cupti.with;
}

static void count_open(void)
{
    fake_cupti.n_open = now.initialised + now.n_hosts + now.enabled + now.started + now.in_range;
}

static void needs_driver(void)
{
    if (fake_cupti.no_driver)
        abort();
}

CUptiResult cuptiGetVersion(uint32_t *version)
{
    *version = 130001;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = result == CUPTI_ERROR_UNKNOWN ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR_OF_THE_FAKE";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
    needs_driver();
    CUptiResult r = enter("DeviceGetChipName", p->structSize, CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                          now.initialised);
    p->pChipName = r ? NULL : "GH100";
    return r;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p)
{
    needs_driver();
    CUptiResult r =
        enter("ProfilerInitialize", p->structSize, CUpti_Profiler_Initialize_Params_STRUCT_SIZE, true);
    now.initialised = r == CUPTI_SUCCESS;
    count_open();
    return r;
}

CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *p)
{
    CUptiResult r = enter("ProfilerDeInitialize", p->structSize,
                          CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE, now.initialised && !now.enabled);
    now.initialised = false;
    count_open();
    return r;
}

CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *p)
{
    const CUpti_Profiler_Support_Level good = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    needs_driver();
    CUptiResult r = enter("ProfilerDeviceSupported", p->structSize,
                          CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE, now.initialised);
    if (p->api != CUPTI_PROFILER_RANGE_PROFILING)
        return broken("ProfilerDeviceSupported", "asks for another interface");
    p->architecture = p->sli = p->confidentialCompute = p->cmp = good;
    p->vGpu = fake_cupti.vgpu ? fake_cupti.vgpu : good;
    p->wsl = fake_cupti.wsl ? fake_cupti.wsl : good;
    p->isSupported = fake_cupti.unsaid                   ? fake_cupti.unsaid
                     : p->vGpu == good && p->wsl == good ? good
                                                         : CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    return r;
}

CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *p)
{
    needs_driver();
    CUptiResult r = enter("ProfilerGetCounterAvailability", p->structSize,
                          CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE,
                          now.initialised && p->ctx && !now.enabled);
    if (p->pCounterAvailabilityImage && p->counterAvailabilityImageSize != AVAILABILITY_B)
        return broken("ProfilerGetCounterAvailability", "size of the image");
    if (p->pCounterAvailabilityImage)
        memset(p->pCounterAvailabilityImage, 1, AVAILABILITY_B);
    p->counterAvailabilityImageSize = AVAILABILITY_B;
    return r;
}

CUptiResult cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params *p)
{
    static const char *const chips[] = {"GH100"};
    p->ppChipNames = chips;
    p->numChips = 1;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
    CUptiResult r =
        enter("ProfilerHostInitialize", p->structSize, CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
              p->profilerType == CUPTI_PROFILER_TYPE_RANGE_PROFILER && p->pCounterAvailabilityImage);
    now.n_hosts += r == CUPTI_SUCCESS;
    now.n_added = 0;
    p->pHostObject = r ? NULL : (CUpti_Profiler_Host_Object *)&host_object;
    count_open();
    return r;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p)
{
    CUptiResult r =
        enter("ProfilerHostDeinitialize", p->structSize, CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE,
              now.n_hosts > 0 && p->pHostObject == (void *)&host_object);
    now.n_hosts--;
    count_open();
    return r;
}

CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params *p)
{
    CUptiResult r = enter("ProfilerHostGetMetricProperties", p->structSize,
                          CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE, now.n_hosts > 0);
    return same(p->pMetricName, fake_cupti.missing) ? CUPTI_ERROR_INVALID_METRIC_NAME : r;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
    CUptiResult r = enter("ProfilerHostConfigAddMetrics", p->structSize,
                          CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE, now.n_hosts > 0);
    for (size_t i = 0; i < p->numMetrics; i++)
        if (same(p->ppMetricNames[i], fake_cupti.missing))
            return CUPTI_ERROR_INVALID_PARAMETER;
    now.n_added += (int)p->numMetrics;
    return r;
}

/* As CUPTI does: without metrics the size is 0, with success. */
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
    CUptiResult r = enter("ProfilerHostGetConfigImageSize", p->structSize,
                          CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE, now.n_hosts > 0);
    p->configImageSize = now.n_added ? CONFIG_B : 0;
    return r;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
    CUptiResult r = enter("ProfilerHostGetConfigImage", p->structSize,
                          CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
                          now.n_added > 0 && p->configImageSize == CONFIG_B);
    memset(p->pConfigImage, 2, CONFIG_B);
    return r;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
    CUptiResult r = enter("ProfilerHostGetNumOfPasses", p->structSize,
                          CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
                          p->configImageSize == CONFIG_B && p->pConfigImage[CONFIG_B - 1] == 2);
    p->numOfPasses = 1 + (size_t)fake_cupti.more_passes;
    return r;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
    CUptiResult r = enter("RangeProfilerEnable", p->structSize, CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
                          now.initialised && !now.enabled && p->ctx);
    now.enabled = r == CUPTI_SUCCESS;
    p->pRangeProfilerObject = r ? NULL : (CUpti_RangeProfiler_Object *)&profiler_object;
    count_open();
    return r;
}

/* Succeeds or not, the object is gone: the caller can do no more. */
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *p)
{
    CUptiResult r =
        enter("RangeProfilerDisable", p->structSize, CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
              now.enabled && !now.started && p->pRangeProfilerObject == (void *)&profiler_object);
    now.enabled = now.configured = now.data_ready = now.decoded = false;
    count_open();
    return r;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
    CUptiResult r = enter("RangeProfilerGetCounterDataSize", p->structSize,
                          CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
                          now.enabled && (int)p->numMetrics == now.n_added && p->maxNumOfRanges == 1 &&
                              p->maxNumRangeTreeNodes >= 1);
    p->counterDataSize = DATA_B;
    return r;
}

CUptiResult
cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
    CUptiResult r = enter("RangeProfilerCounterDataImageInitialize", p->structSize,
                          CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
                          now.enabled && p->counterDataSize == DATA_B && p->pCounterData);
    now.data_ready = r == CUPTI_SUCCESS;
    return r;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
    CUptiResult r =
        enter("RangeProfilerSetConfig", p->structSize, CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
              now.data_ready && p->configSize == CONFIG_B && p->counterDataImageSize == DATA_B);
    if (p->range != CUPTI_UserRange || p->replayMode != CUPTI_UserReplay || p->maxRangesPerPass != 1 ||
        p->numNestingLevels != 1 || p->minNestingLevel != 1 || p->targetNestingLevel != 1 ||
        p->passIndex != 0)
        return broken("RangeProfilerSetConfig", "ranges or replay");
    now.configured = r == CUPTI_SUCCESS;
    now.n_passes = 0;
    return r;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p)
{
    CUptiResult r = enter("RangeProfilerStart", p->structSize, CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
                          now.configured && !now.started);
    now.started = r == CUPTI_SUCCESS;
    count_open();
    return r;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *p)
{
    CUptiResult r =
        enter("RangeProfilerPushRange", p->structSize, CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE,
              now.started && !now.in_range && p->pRangeName);
    now.in_range = r == CUPTI_SUCCESS;
    count_open();
    return r;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *p)
{
    CUptiResult r = enter("RangeProfilerPopRange", p->structSize,
                          CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE, now.in_range);
    now.in_range = false;
    fake_cupti.n_passes_run++;
    count_open();
    return r;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
    CUptiResult r = enter("RangeProfilerStop", p->structSize, CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                          now.started && !now.in_range);
    now.started = false;
    now.n_passes++;
    p->isAllPassSubmitted = now.n_passes > fake_cupti.more_passes && !fake_cupti.never_complete;
    count_open();
    return r;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
    CUptiResult r = enter("RangeProfilerDecodeData", p->structSize,
                          CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE, now.configured && !now.started);
    p->numOfRangeDropped = fake_cupti.dropped;
    now.decoded = r == CUPTI_SUCCESS;
    return r;
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *p)
{
    CUptiResult r = enter("RangeProfilerGetCounterDataInfo", p->structSize,
                          CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
                          now.decoded && p->counterDataImageSize == DATA_B);
    p->numTotalRanges = fake_cupti.dropped ? 0 : 1;
    return r;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    CUptiResult r =
        enter("ProfilerHostEvaluateToGpuValues", p->structSize,
              CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
              now.decoded && now.n_hosts > 0 && p->rangeIndex == 0 && (int)p->numMetrics == now.n_added);
    for (size_t i = 0; i < p->numMetrics && r == CUPTI_SUCCESS; i++)
        if (!same(p->ppMetricNames[i], fake_cupti.untouched))
            p->pMetricValues[i] = same(p->ppMetricNames[i], fake_cupti.nan) ? NAN : 1000;
    return r;
}
