#include "probes/core_events.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "sys/counters/perf_count.h"
#include "sys/machine/cpuid.h"
#include "sys/processes.h"

enum {
    LL_READ_MISS =
        PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16
};

/* vendor: "" for every one. Parts of one sum follow each other with the same name. */
static const struct event {
    const char *name, *unit, *vendor;
    uint32_t type;
    uint64_t config;
    double scale;
} events[] = {
    {"instructions", "1", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1},
    {"cycles", "1", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1},
    {"stalled cycles", "1", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 1},
    {"last-level read misses", "1", "", PERF_TYPE_HW_CACHE, LL_READ_MISS, 1},
    /* FP_ARITH_INST_RETIRED since Broadwell, a fused operation counts twice: scalar, 128, 256, 512 bits. */
    {"fp64 operations", "flop", "GenuineIntel", PERF_TYPE_RAW, 0x01c7, 1},
    {"fp64 operations", "flop", "GenuineIntel", PERF_TYPE_RAW, 0x04c7, 2},
    {"fp64 operations", "flop", "GenuineIntel", PERF_TYPE_RAW, 0x10c7, 4},
    {"fp64 operations", "flop", "GenuineIntel", PERF_TYPE_RAW, 0x40c7, 8},
    {"fp32 operations", "flop", "GenuineIntel", PERF_TYPE_RAW, 0x02c7, 1},
    {"fp32 operations", "flop", "GenuineIntel", PERF_TYPE_RAW, 0x08c7, 4},
    {"fp32 operations", "flop", "GenuineIntel", PERF_TYPE_RAW, 0x20c7, 8},
    {"fp32 operations", "flop", "GenuineIntel", PERF_TYPE_RAW, 0x80c7, 16},
    /* Zen 2 and later, PMCx003: operations of all widths and precisions, a fused one counts twice. */
    {"fp operations", "flop", "AuthenticAMD", PERF_TYPE_RAW, 0x0f03, 1},
    {"processor time", "s", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1e-9},
    {"page faults", "1", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1},
    {"context switches", "1", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1},
    {"migrations", "1", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 1},
};
enum { N_EVENTS = sizeof events / sizeof *events, MAX_THREADS = 1024 };

struct opened {
    int n_threads;
    int thread[MAX_THREADS];
    int descriptor[N_EVENTS][MAX_THREADS]; /* -1: not open */
    struct sp_perf_sample before[N_EVENTS][MAX_THREADS];
    struct sp_error error[N_EVENTS];
};

static void open_events(struct opened *o)
{
    struct sp_cpuid cpu;
    sp_cpuid_read("", &cpu);
    for (int e = 0; e < N_EVENTS; e++) {
        const uint64_t config[3] = {events[e].config, 0, 0};
        bool here = !*events[e].vendor || strcmp(events[e].vendor, cpu.vendor) == 0;
        enum sp_status status = SP_OK;
        for (int t = 0; t < o->n_threads; t++) {
            o->descriptor[e][t] = -1;
            if (here && status == SP_OK)
                status = sp_perf_open(events[e].type, config, -1, o->thread[t], &o->descriptor[e][t],
                                      &o->error[e]);
        }
    }
}

/* Sum over threads, scaled up where a counter was shared; NAN where a thread has none. */
static double sum_threads(const struct opened *o, int e, double *share)
{
    double sum = 0;
    for (int t = 0; t < o->n_threads; t++) {
        struct sp_perf_sample after;
        const struct sp_perf_sample *before = &o->before[e][t];
        if (o->descriptor[e][t] < 0 || !sp_perf_read(o->descriptor[e][t], &after))
            return NAN;
        double enabled = (double)(after.enabled_ns - before->enabled_ns),
               running = (double)(after.running_ns - before->running_ns),
               n = (double)(after.value - before->value);
        if (enabled == 0)
            continue; /* a thread that did not run */
        if (running == 0)
            return NAN; /* it ran, and the event was never on a counter */
        *share = fmin(*share, running / enabled);
        sum += n * enabled / running;
    }
    return sum;
}

static void take(const struct opened *o, int e, struct sp_core_events *out)
{
    struct sp_core_event *last = out->n > 0 ? &out->event[out->n - 1] : NULL;
    double share = 1, n = sum_threads(o, e, &share);
    struct sp_value v = isfinite(n) ? sp_value_of(n * events[e].scale / (double)out->repetitions, SP_MEASURED)
                                    : sp_value_none("the event cannot be counted here (spmodel doctor)");
    if (last && strcmp(last->name, events[e].name) == 0) { /* a further part of a sum */
        bool both = sp_value_known(last->each) && sp_value_known(v);
        last->each = both ? sp_value_of(last->each.value + v.value, SP_MEASURED)
                          : sp_value_none(v.why ? v.why : last->each.why);
        last->running_share = fmin(last->running_share, share);
    } else if (out->n < SP_MAX_CORE_EVENTS)
        out->event[out->n++] = (struct sp_core_event){events[e].name, events[e].unit, v, share};
}

static enum sp_status run_for(const struct sp_job *job, double seconds, struct sp_core_events *out,
                              struct sp_error *err)
{
    double start = sp_now();
    enum sp_status status = SP_OK;
    for (int64_t n = 1; status == SP_OK && out->seconds < seconds; n *= 2) {
        status = job->run(job->state, n, NULL, err);
        out->repetitions += n;
        out->seconds = sp_now() - start;
    }
    return status;
}

enum sp_status sp_core_events_observe(const struct sp_job *job, double seconds, struct sp_core_events *out,
                                      struct sp_error *err)
{
    void *memory;
    memset(out, 0, sizeof *out);
    enum sp_status status = job->run(job->state, 1, NULL, err); /* its threads are there now */
    if (status == SP_OK)
        status = sp_new_array(1, sizeof(struct opened), "descriptors", &memory, err);
    if (status != SP_OK)
        return status;
    struct opened *o = memory;
    o->n_threads = sp_process_threads(o->thread, MAX_THREADS);
    out->n_threads = o->n_threads;
    open_events(o);
    for (int e = 0; e < N_EVENTS; e++)
        for (int t = 0; t < o->n_threads; t++)
            if (o->descriptor[e][t] >= 0)
                sp_perf_read(o->descriptor[e][t], &o->before[e][t]);
    status = run_for(job, seconds, out, err);
    struct sp_cpuid cpu;
    sp_cpuid_read("", &cpu);
    for (int e = 0; e < N_EVENTS && status == SP_OK; e++)
        if (!*events[e].vendor || strcmp(events[e].vendor, cpu.vendor) == 0)
            take(o, e, out);
    for (int e = 0; e < N_EVENTS; e++)
        for (int t = 0; t < o->n_threads; t++)
            if (o->descriptor[e][t] >= 0)
                close(o->descriptor[e][t]);
    free(o);
    return status;
}

const struct sp_core_event *sp_core_event_find(const struct sp_core_events *events_of, const char *name)
{
    for (int i = 0; i < events_of->n; i++)
        if (strcmp(events_of->event[i].name, name) == 0)
            return &events_of->event[i];
    return NULL;
}
