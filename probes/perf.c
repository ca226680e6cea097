/* perf_event without a library: the events of memory controllers that the kernel exposes, each opened once on
 * the processor that the kernel names for its unit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "probes/counting.h"
#include "sys/counters/memory_pmu.h"
#include "sys/counters/perf_count.h"
#include "sys/machine/topology.h"

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

static enum sp_status start_perf(void *state, int pass, struct sp_error *err)
{
    struct perf *p = state;
    p->pass = pass;
    enum sp_status status = SP_OK;
    for (int i = 0; i < p->pmu.n_events && status == SP_OK; i++) {
        const struct sp_memory_event *e = &p->pmu.event[i];
        if (e->pass == pass)
            status = sp_perf_open(e->type, e->config, e->cpu, 0, &p->descriptor[i], err);
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

/* A short look whether all events of a pass fit their counters at once; where they do not, reads and writes
 * become passes of their own. */
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
        snprintf(log->how, sizeof log->how, "%s: %d unit%s on %d socket%s%s", p->pmu.kind, p->pmu.n_pmus,
                 p->pmu.n_pmus == 1 ? "" : "s", p->pmu.n_cpus, p->pmu.n_cpus == 1 ? "" : "s",
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
        status = sp_perf_open(pmu.event[0].type, pmu.event[0].config, pmu.event[0].cpu, 0, &descriptor, err);
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
