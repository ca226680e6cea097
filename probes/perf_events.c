#include "probes/probe.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "probes/counting.h"
#include "sys/counters/counters.h"
#include "sys/counters/memory_pmu.h"
#include "sys/machine/identity.h"
#include "sys/machine/topology.h"
#include "sys/processes.h"

enum {
    LL_READ_MISS =
        PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16
};

/* `flops`: SP_FLOPS_NONE for every processor. Parts of one sum follow each other with the same
 * name. A pass has four at most: as many as a thread of every processor counts at a time, for the
 * job runs no longer than the kernel takes to give a counter to the next event; and with many
 * threads more would be more descriptors than a process may have. */
static const struct event {
    const char *name, *unit;
    int pass;
    enum sp_flop_events flops;
    uint32_t type;
    uint64_t config;
    double scale;
} events[] = {
    {"instructions", "1", 0, SP_FLOPS_NONE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1},
    {"cycles", "1", 0, SP_FLOPS_NONE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1},
    {"stalled cycles", "1", 0, SP_FLOPS_NONE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 1},
    {"last-level read misses", "1", 0, SP_FLOPS_NONE, PERF_TYPE_HW_CACHE, LL_READ_MISS, 1},
    /* FP_ARITH_INST_RETIRED (Linux tools/perf/pmu-events/arch/x86), fused ones count twice: scalar,
     * 128, 256, 512 bits. */
    {"fp64 operations", "flop", 1, SP_FLOPS_INTEL, PERF_TYPE_RAW, 0x01c7, 1},
    {"fp64 operations", "flop", 1, SP_FLOPS_INTEL, PERF_TYPE_RAW, 0x04c7, 2},
    {"fp64 operations", "flop", 1, SP_FLOPS_INTEL, PERF_TYPE_RAW, 0x10c7, 4},
    {"fp64 operations", "flop", 1, SP_FLOPS_INTEL, PERF_TYPE_RAW, 0x40c7, 8},
    {"fp32 operations", "flop", 2, SP_FLOPS_INTEL, PERF_TYPE_RAW, 0x02c7, 1},
    {"fp32 operations", "flop", 2, SP_FLOPS_INTEL, PERF_TYPE_RAW, 0x08c7, 4},
    {"fp32 operations", "flop", 2, SP_FLOPS_INTEL, PERF_TYPE_RAW, 0x20c7, 8},
    {"fp32 operations", "flop", 2, SP_FLOPS_INTEL, PERF_TYPE_RAW, 0x80c7, 16},
    /* PMCx003, fp_ret_sse_avx_ops.all of the same lists: operations of all widths and precisions,
     * fused ones twice. Zen has a half of its mask for each precision. */
    {"fp operations", "flop", 1, SP_FLOPS_ZEN, PERF_TYPE_RAW, 0xff03, 1},
    {"fp operations", "flop", 1, SP_FLOPS_ZEN_2, PERF_TYPE_RAW, 0x0f03, 1},
    {"processor time", "s", 3, SP_FLOPS_NONE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1e-9},
    {"page faults", "1", 3, SP_FLOPS_NONE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1},
    {"context switches", "1", 3, SP_FLOPS_NONE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1},
    {"migrations", "1", 3, SP_FLOPS_NONE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 1},
};
enum { N_EVENTS = sizeof events / sizeof *events, N_PASSES = 4, MAX_THREADS = 1024 };

struct opened {
    enum sp_flop_events flops; /* that this processor has */
    int n_sorts;               /* of cores */
    uint64_t sort[SP_MAX_CORE_SORTS];
    int n_threads;
    int thread[MAX_THREADS];
    struct {
        int descriptor; /* -1: not open */
        struct sp_perf_sample before;
    } of[N_EVENTS][SP_MAX_CORE_SORTS][MAX_THREADS];
};

static bool is_in_pass(const struct opened *o, int e, int pass)
{
    return events[e].pass == pass && (events[e].flops == SP_FLOPS_NONE || events[e].flops == o->flops);
}

/* A code is the large cores', and what the kernel counts itself is of all. */
static int n_sorts(const struct opened *o, int e)
{
    return events[e].type == PERF_TYPE_HARDWARE || events[e].type == PERF_TYPE_HW_CACHE ? o->n_sorts : 1;
}

/* Is any event of the pass counted? */
static bool open_events(struct opened *o, int pass)
{
    bool any = false;
    for (int e = 0; e < N_EVENTS; e++) {
        enum sp_status status = is_in_pass(o, e, pass) ? SP_OK : SP_ABSENT;
        for (int s = 0; s < SP_MAX_CORE_SORTS; s++)
            for (int t = 0; t < o->n_threads; t++) {
                const bool sorted = s < n_sorts(o, e);
                const uint64_t sort = sorted && n_sorts(o, e) > 1 ? o->sort[s] << 32 : 0,
                               config[3] = {events[e].config | sort, 0, 0};
                int *descriptor = &o->of[e][s][t].descriptor;
                *descriptor = -1;
                if (sorted && status == SP_OK)
                    status = sp_perf_open(events[e].type, config, -1, o->thread[t], descriptor, NULL);
                if (*descriptor >= 0)
                    any = sp_perf_read(*descriptor, &o->of[e][s][t].before) || any;
            }
    }
    return any;
}

static void close_events(struct opened *o)
{
    for (int e = 0; e < N_EVENTS; e++)
        for (int s = 0; s < SP_MAX_CORE_SORTS; s++)
            for (int t = 0; t < o->n_threads; t++)
                if (o->of[e][s][t].descriptor >= 0)
                    close(o->of[e][s][t].descriptor);
}

/* Sum over threads, scaled up where a counter was shared; NAN and why where a thread has none. On
 * one sort of cores the counters of another rest, so that their shares of the time add up. */
static double sum_threads(const struct opened *o, int e, double *share, const char **why)
{
    double sum = 0;
    bool ran = false;
    for (int t = 0; t < o->n_threads; t++) {
        double running = 0, n = 0; /* share of the time, counts */
        bool enabled = false;
        for (int s = 0; s < n_sorts(o, e); s++) {
            struct sp_perf_sample after;
            const struct sp_perf_sample *before = &o->of[e][s][t].before;
            *why = events[e].type == PERF_TYPE_SOFTWARE
                       ? "not for this user (spmodel doctor)"
                       : "this processor has no counter for it, or not for this user (spmodel doctor)";
            if (o->of[e][s][t].descriptor < 0)
                return NAN;
            *why = "the event was never on a counter";
            if (!sp_perf_read(o->of[e][s][t].descriptor, &after))
                return NAN;
            if (after.enabled_ns > before->enabled_ns)
                running += (double)(after.running_ns - before->running_ns) /
                           (double)(after.enabled_ns - before->enabled_ns);
            enabled = enabled || after.enabled_ns > before->enabled_ns;
            n += (double)(after.value - before->value);
        }
        if (!enabled)
            continue; /* a thread that did not run */
        if (running == 0)
            return NAN; /* it ran without it */
        running = fmin(running, 1);
        *share = fmin(*share, running);
        sum += n / running;
        ran = true;
    }
    *why = "no thread ran";
    return ran ? sum : NAN;
}

static void take(const struct opened *o, int e, int64_t repetitions, struct sp_core_events *out)
{
    struct sp_core_event *last = out->n > 0 ? &out->event[out->n - 1] : NULL;
    const char *why;
    double share = 1, n = sum_threads(o, e, &share, &why);
    struct sp_value v = isfinite(n) ? sp_value_of(n * events[e].scale / (double)repetitions, SP_MEASURED)
                                    : sp_value_none(why);
    if (last && strcmp(last->name, events[e].name) == 0) { /* a further part of a sum */
        bool both = sp_value_known(last->each) && sp_value_known(v);
        last->each = both ? sp_value_of(last->each.value + v.value, SP_MEASURED)
                          : sp_value_none(v.why ? v.why : last->each.why);
        last->running_share = fmin(last->running_share, share);
    } else if (out->n < SP_MAX_CORE_EVENTS)
        out->event[out->n++] = (struct sp_core_event){events[e].name, events[e].unit, v, share};
}

static enum sp_status run_for(const struct sp_job *job, double seconds, int64_t *repetitions, double *took,
                              struct sp_error *err)
{
    double start = sp_now();
    enum sp_status status = SP_OK;
    *repetitions = 0;
    *took = 0;
    for (int64_t n = 1; status == SP_OK && *took < seconds; n *= 2) {
        status = job->run(job->state, n, NULL, err);
        *repetitions += n;
        *took = sp_now() - start;
    }
    return status;
}

enum sp_status sp_core_events_observe(const struct sp_job *job, enum sp_flop_events flops, double seconds,
                                      struct sp_core_events *out, struct sp_error *err)
{
    void *memory;
    memset(out, 0, sizeof *out);
    enum sp_status status = job->run(job->state, 1, NULL, err); /* its threads are there now */
    if (status == SP_OK)
        status = sp_new_array(1, sizeof(struct opened), "descriptors", &memory, err);
    if (status != SP_OK)
        return status;
    struct opened *o = memory;
    o->flops = flops;
    o->n_sorts = sp_core_sorts_read("", o->sort);
    o->n_threads = sp_process_threads(o->thread, MAX_THREADS);
    out->n_threads = o->n_threads;
    for (int pass = 0; pass < N_PASSES && status == SP_OK; pass++) {
        int64_t repetitions = 1;
        double took = 0;
        bool any = open_events(o, pass);
        if (any)
            status = run_for(job, seconds / N_PASSES, &repetitions, &took, err);
        for (int e = 0; e < N_EVENTS && status == SP_OK; e++)
            if (is_in_pass(o, e, pass))
                take(o, e, repetitions, out);
        out->repetitions += any ? repetitions : 0;
        out->seconds += took;
        close_events(o);
    }
    free(o);
    return status;
}

/* perf_event without a library: the events of memory controllers that the kernel exposes, each
 * opened once on the processor that the kernel names for its unit. */

struct perf {
    struct sp_memory_pmu pmu;
    int *descriptor; /* [n_events] -1: closed */
    struct sp_perf_sample *before;
    int pass;
};

static void close_descriptors(struct perf *p)
{
    for (int i = 0; p->descriptor && i < p->pmu.n_events; i++)
        if (p->descriptor[i] >= 0) {
            close(p->descriptor[i]);
            p->descriptor[i] = -1;
        }
}

static void close_perf(void *state)
{
    struct perf *p = state;
    if (!p)
        return;
    close_descriptors(p);
    sp_memory_pmu_free(&p->pmu);
    free(p->descriptor);
    free(p->before);
    free(p);
}

static enum sp_status open_unit(const struct sp_memory_event *e, int *descriptor, struct sp_error *err)
{
    struct sp_error why;
    enum sp_status status = sp_perf_open(e->type, e->config, e->cpu, 0, descriptor, &why);
    return status == SP_OK
               ? status
               : sp_fail(err, status, why.remedy, "%s at processor %d: %s", e->pmu, e->cpu, why.what);
}

static enum sp_status start_perf(void *state, int pass, struct sp_error *err)
{
    struct perf *p = state;
    p->pass = pass;
    enum sp_status status = SP_OK;
    for (int i = 0; i < p->pmu.n_events && status == SP_OK; i++) {
        const struct sp_memory_event *e = &p->pmu.event[i];
        if (e->pass == pass)
            status = open_unit(e, &p->descriptor[i], err);
    }
    for (int i = 0; i < p->pmu.n_events && status == SP_OK; i++)
        if (p->descriptor[i] >= 0 && !sp_perf_read(p->descriptor[i], &p->before[i]))
            status = sp_fail(err, SP_ABSENT, NULL, "%s gives no count", p->pmu.event[i].pmu);
    if (status != SP_OK)
        close_descriptors(p);
    return status;
}

static enum sp_status stop_perf(void *state, struct sp_count *count, struct sp_error *err)
{
    struct perf *p = state;
    enum sp_status status = SP_OK;
    for (int i = 0; i < p->pmu.n_events && status == SP_OK; i++) {
        struct sp_perf_sample after, *before = &p->before[i];
        if (p->descriptor[i] < 0)
            continue;
        if (!sp_perf_read(p->descriptor[i], &after))
            status = sp_fail(err, SP_ABSENT, NULL, "%s gives no count", p->pmu.event[i].pmu);
        else
            count[i] = (struct sp_count){
                .before = 0,
                .after = (double)(int64_t)(after.value - before->value),
                .enabled_s = 1e-9 * (double)(after.enabled_ns - before->enabled_ns),
                .running_s = 1e-9 * (double)(after.running_ns - before->running_ns),
            };
    }
    close_descriptors(p);
    return status;
}

/* A short look whether all events of a pass fit their counters at once; where they do not, reads
 * and writes become passes of their own. */
static enum sp_status plan_passes(struct perf *p, struct sp_error *err)
{
    void *memory;
    enum sp_status status = sp_new_array(p->pmu.n_events, sizeof(struct sp_count), "counts", &memory, err);
    if (status != SP_OK)
        return status;
    struct sp_count *count = memory;
    bool shared = false;
    for (int pass = 0; pass < p->pmu.n_passes && status == SP_OK; pass++) {
        status = start_perf(p, pass, err);
        if (status != SP_OK)
            break;
        sp_sleep(0.02);
        status = stop_perf(p, count, err);
        for (int i = 0; i < p->pmu.n_events; i++)
            shared =
                shared || (p->pmu.event[i].pass == pass && count[i].running_s < 0.999 * count[i].enabled_s);
    }
    free(memory);
    if (!shared || p->pmu.n_passes > 1)
        return status;
    for (int i = 0; i < p->pmu.n_events; i++) {
        p->pmu.event[i].pass = p->pmu.event[i].direction == SP_WRITES;
        if (p->pmu.event[i].pass > 0)
            p->pmu.n_passes = 2;
    }
    return status;
}

/* Sockets as the topology numbers them: shares of the known volumes are told in these numbers. */
static void number_domains(struct perf *p)
{
    struct sp_topology t;
    if (sp_topology_read(&t, NULL) != SP_OK)
        return;
    for (int i = 0; i < p->pmu.n_events; i++)
        for (int c = 0; c < t.n_cpus; c++)
            if (t.cpu[c].os == p->pmu.event[i].cpu)
                p->pmu.event[i].domain = t.cpu[c].package;
    sp_topology_free(&t);
}

static enum sp_status open_perf(const struct sp_counter *self, const char *argument, void **state,
                                struct sp_count_log *log, struct sp_error *err)
{
    (void)self;
    (void)argument;
    *state = NULL;
    void *memory, *descriptors = NULL, *samples = NULL;
    enum sp_status status = sp_new_array(1, sizeof(struct perf), "perf_event", &memory, err);
    if (status != SP_OK)
        return status;
    struct perf *p = *state = memory;
    status = sp_memory_pmu_read("", &p->pmu, err);
    if (status == SP_OK)
        status = sp_new_array(p->pmu.n_events, sizeof(int), "descriptors", &descriptors, err);
    if (status == SP_OK)
        status = sp_new_array(p->pmu.n_events, sizeof *p->before, "samples", &samples, err);
    p->descriptor = descriptors;
    p->before = samples;
    for (int i = 0; i < p->pmu.n_events && p->descriptor; i++)
        p->descriptor[i] = -1;
    if (status == SP_OK) {
        number_domains(p);
        status = plan_passes(p, err);
    }
    for (int i = 0; i < p->pmu.n_events && status == SP_OK; i++) {
        const struct sp_memory_event *m = &p->pmu.event[i];
        struct sp_count_event e = {.level = "MEM",
                                   .domain = m->domain,
                                   .channel = m->channel,
                                   .B_per_count = m->B_per_count,
                                   .bits = 64,
                                   .pass = m->pass,
                                   .direction = m->direction};
        snprintf(e.name, sizeof e.name, "%.60s/%s/cpu%d", m->pmu, sp_direction_name(m->direction), m->cpu);
        status = sp_count_log_add_event(log, &e, err);
    }
    if (status == SP_OK)
        snprintf(log->how, sizeof log->how, "%s: %d unit%s on %d socket%s%s", p->pmu.kind, p->pmu.n_units,
                 p->pmu.n_units == 1 ? "" : "s", p->pmu.n_sockets, p->pmu.n_sockets == 1 ? "" : "s",
                 p->pmu.n_passes > 1 ? ", two passes" : "");
    return status;
}

static const struct sp_counter perf_counter = {
    .name = "perf", .open = open_perf, .start = start_perf, .stop = stop_perf, .close = close_perf};

static enum sp_status perf_available(struct sp_error *err)
{
    struct sp_memory_pmu pmu;
    enum sp_status status = sp_memory_pmu_read("", &pmu, err);
    int descriptor = -1;
    if (status == SP_OK)
        status = open_unit(&pmu.event[0], &descriptor, err);
    if (descriptor >= 0)
        close(descriptor);
    sp_memory_pmu_free(&pmu);
    return status;
}

static enum sp_status open_session(const char *argument, void **session, struct sp_error *err)
{
    return sp_counting_open(&perf_counter, argument, session, err);
}

const struct sp_probe sp_probe_perf = {
    .name = "perf",
    .summary = "memory controllers through perf_event, no library needed",
    .gives_bytes = true,
    .counts = true,
    .available = perf_available,
    .open = open_session,
    .observe = sp_counting_observe,
    .log = sp_counting_log,
    .close = sp_counting_close,
};
