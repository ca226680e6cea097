/* What is measured on a GPU: times by its own clock, beside a roof; bytes by its counters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/samples.h"
#include "session/gpu_analysis.h"

static const double fill_s = 5e-3; /* a warm sample repeats the execution until it lasts so long */

/* Larger than the L2 by so much that nothing of the kernel's stays in it. */
enum { SCRUB = 4 };
/* A load of this part of the L2 stays there, whatever its halves copy of each other. */
enum { IN_L2 = 4 };
/* A load over less tells nothing. */
enum { LEAST_B = 64 << 10 };

/* Of a known volume, what counters must see of it to be believed. */
static const double LEAST_OF_KNOWN = 0.95, MOST_OF_KNOWN = 1.15;

struct roof {
    const struct sp_gpu_ceilings *ceilings;
    void *arena;
    struct sp_gpu_ceiling_case load;
};

/* What scrubs the caches: larger than the L2. */
static enum sp_status open_scrub(const struct sp_gpu_analysis *a, struct roof *r, struct sp_error *err)
{
    struct sp_gpu_device now;
    enum sp_status status = a->module->describe(&now, err); /* the matrix has taken its share */
    if (status != SP_OK)
        return status;
    const size_t wanted = SCRUB * now.L2_B, half = now.free_B / 2;
    *r = (struct roof){.ceilings = a->module->ceilings,
                       .load = {.kind = SP_GPU_CEILING_LOAD,
                                .bytes = (wanted < half ? wanted : half) / 4096 * 4096,
                                .repetitions = 1}};
    if (r->load.bytes < LEAST_B)
        return sp_fail(err, SP_MEMORY, "take a smaller matrix, or end what else uses the GPU",
                       "the matrix leaves %.1f kB of the GPU's memory: a roof cannot be sampled beside it",
                       (double)now.free_B / 1e3);
    return r->ceilings->open(r->load.bytes, &r->arena, err);
}

/* The roof of the level that holds the data. Warm it lasts as long as the kernel's samples, so that the start
 * of a launch weighs alike in both; cold both are one launch. */
static enum sp_status open_roof(const struct sp_gpu_analysis *a, struct roof *r, struct sp_error *err)
{
    double value, seconds;
    enum sp_status status = open_scrub(a, r, err);
    const size_t in_L2_B = a->device.L2_B / IN_L2 / 4096 * 4096;
    if (status == SP_OK && a->in_L2 && in_L2_B < r->load.bytes)
        r->load.bytes = in_L2_B;
    for (int i = 0; status == SP_OK && a->options->state == SP_WARM && i < 2; i++) {
        status = r->ceilings->sample(r->arena, &r->load, &value, &seconds, err);
        if (status == SP_OK && i == 1 && seconds > 0 && seconds < fill_s)
            r->load.repetitions = (int64_t)ceil(fill_s / seconds);
    }
    return status;
}

static enum sp_status run_once(const struct sp_gpu_analysis *a, int64_t repetitions, double *seconds,
                               struct sp_error *err)
{
    struct sp_run_stats stats = {seconds, 1};
    *seconds = 0;
    enum sp_status status = a->chosen->kernel->run(a->state, repetitions, &stats, err);
    *seconds /= (double)repetitions;
    return status;
}

static enum sp_status find_repetitions(const struct sp_gpu_analysis *a, int64_t *repetitions,
                                       struct sp_error *err)
{
    double seconds;
    enum sp_status status = run_once(a, 1, &seconds, err);
    *repetitions = 1;
    if (a->options->state == SP_COLD || status != SP_OK)
        return status;
    status = run_once(a, 3, &seconds, err); /* the first one loads the code */
    *repetitions = seconds > 0 && seconds < fill_s ? (int64_t)ceil(fill_s / seconds) : 1;
    return status;
}

static enum sp_status take_pair(struct sp_gpu_analysis *a, struct roof *r, double *time_s, double *roof_Bps,
                                struct sp_error *err)
{
    double before = 0, after = 0, seconds;
    enum sp_status status = r->ceilings->sample(r->arena, &r->load, &before, &seconds, err);
    if (status == SP_OK && a->options->state == SP_WARM) /* the scrub has left nothing in the caches */
        status = run_once(a, 1, &seconds, err);
    if (status == SP_OK)
        status = run_once(a, a->pairs.repetitions, time_s, err);
    if (status == SP_OK)
        status = r->ceilings->sample(r->arena, &r->load, &after, &seconds, err);
    *roof_Bps = (before + after) / 2;
    return status;
}

static enum sp_status summarise(struct sp_pairs *p, struct sp_error *err)
{
    void *memory;
    enum sp_status status = sp_new_array(p->n, sizeof(double), "samples", &memory, err);
    if (status != SP_OK)
        return status;
    double *inverse = memory;
    for (int64_t i = 0; i < p->n; i++)
        inverse[i] = 1 / (p->time_s[i] * p->roof_Bps[i]);
    p->time = sp_median_interval(p->time_s, p->n, SP_MEASURED);
    p->roof = sp_median_interval(p->roof_Bps, p->n, SP_MEASURED);
    p->inverse = sp_median_interval(inverse, p->n, SP_MEASURED);
    p->spread = sp_relative_spread(p->time_s, p->n);
    free(memory);
    return SP_OK;
}

enum sp_status sp_gpu_sample(struct sp_gpu_analysis *a, struct sp_error *err)
{
    struct sp_pairs *p = &a->pairs;
    struct roof r = {0};
    void *times = NULL, *roofs = NULL;
    const int64_t most = a->options->max_samples, least = most < 5 ? most : 5;
    memset(p, 0, sizeof *p);
    strcpy(p->mode, "unknown");
    p->time = p->roof = p->inverse = sp_value_none("no sample was taken");
    enum sp_status status = sp_new_array(most, sizeof(double), "samples", &times, err);
    if (status == SP_OK)
        status = sp_new_array(most, sizeof(double), "samples", &roofs, err);
    p->time_s = times;
    p->roof_Bps = roofs;
    if (status == SP_OK)
        status = open_roof(a, &r, err);
    if (status == SP_OK)
        status = find_repetitions(a, &p->repetitions, err);
    const double start = sp_now();
    while (status == SP_OK && p->n < most && (p->n < least || sp_now() - start < a->options->budget_s)) {
        if (sp_progress_interrupted(a->progress))
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted after %lld samples", (long long)p->n);
        else
            status = take_pair(a, &r, &p->time_s[p->n], &p->roof_Bps[p->n], err);
        p->n += status == SP_OK;
        sp_progress_step(a->progress, "measuring", (sp_now() - start) / a->options->budget_s);
    }
    a->module->clocks(&a->clocks);
    if (r.arena)
        r.ceilings->close(r.arena);
    if (roofs && p->n > 0 && (status == SP_OK || status == SP_INTERRUPTED)) {
        enum sp_status summary = summarise(p, err);
        status = status == SP_OK ? summary : status;
    }
    return status;
}

struct counting {
    const struct sp_gpu_analysis *a;
    struct roof roof;
};

static enum sp_status launch(void *context, struct sp_error *err)
{
    const struct counting *c = context;
    double seconds;
    return run_once(c->a, 1, &seconds, err);
}

static enum sp_status scrub(void *context, struct sp_error *err)
{
    struct counting *c = context;
    double value, seconds;
    return c->roof.ceilings->sample(c->roof.arena, &c->roof.load, &value, &seconds, err);
}

bool sp_gpu_is_counted(const struct sp_gpu_analysis *a)
{
    const enum sp_gpu_count read = a->in_L2 ? SP_GPU_L2_READ : SP_GPU_DRAM_READ;
    const enum sp_gpu_count write = a->in_L2 ? SP_GPU_L2_WRITE : SP_GPU_DRAM_WRITE;
    return sp_value_known(a->counts.of[read]) && sp_value_known(a->counts.of[write]);
}

/* A load-only run moves what it is told to: counters that see something else are not believed. */
static enum sp_status try_known_volume(struct sp_gpu_analysis *a, const struct sp_gpu_counters *counters,
                                       struct counting *c, struct sp_error *err)
{
    const struct sp_gpu_work work = {scrub, scrub, c};
    const double expected = (double)c->roof.load.bytes;
    struct sp_gpu_counts counts;
    enum sp_status status = counters->count(SP_GPU_SET_TRAFFIC, &work, &counts, err);
    if (status != SP_OK)
        return status;
    const struct sp_value read = counts.of[SP_GPU_DRAM_READ];
    if (!sp_value_known(read))
        return sp_fail(err, SP_ABSENT, "spmodel doctor says what is missing",
                       "bytes of the GPU's memory cannot be counted: %s", read.why);
    snprintf(a->trust, sizeof a->trust, "a load of %.4g MB was counted as %.4g MB", expected / 1e6,
             read.value / 1e6);
    if (read.value < LEAST_OF_KNOWN * expected || read.value > MOST_OF_KNOWN * expected)
        return sp_fail(err, SP_ABSENT, "spmodel doctor shows who else uses the GPU", "%s", a->trust);
    return SP_OK;
}

static enum sp_status count_job(struct sp_gpu_analysis *a, struct sp_error *err)
{
    const struct sp_gpu_counters *counters;
    struct counting c = {.a = a};
    enum sp_status status = sp_gpu_counters_open(&counters, err);
    if (status == SP_OK)
        status = open_scrub(a, &c.roof, err);
    if (status == SP_OK)
        status = try_known_volume(a, counters, &c, err);
    const struct sp_gpu_work work = {a->options->state == SP_COLD ? scrub : launch, launch, &c};
    if (status == SP_OK)
        status = counters->count(SP_GPU_SET_TRAFFIC, &work, &a->counts, err);
    /* Apart, because they change the code that runs; what cannot be counted stays unknown. */
    static const enum sp_gpu_set_name others[] = {SP_GPU_SET_UPDATES, SP_GPU_SET_FLOPS};
    for (size_t i = 0; status == SP_OK && i < sizeof others / sizeof *others; i++) {
        struct sp_gpu_counts more;
        if (counters->count(others[i], &work, &more, NULL) == SP_OK)
            sp_gpu_counts_merge(&a->counts, &more);
    }
    if (c.roof.arena)
        c.roof.ceilings->close(c.roof.arena);
    return status;
}

enum sp_status sp_gpu_count(struct sp_gpu_analysis *a, struct sp_error *err)
{
    struct sp_error reason = {.what = "not asked for", .remedy = "leave --bytes sim out"};
    if (!a->options->count_on_gpu || count_job(a, &reason) != SP_OK) {
        snprintf(a->counts_why, sizeof a->counts_why, "%s", reason.what);
        sp_gpu_counts_none(&a->counts, a->counts_why);
    }
    if (!a->options->require_gpu_counts || sp_gpu_is_counted(a))
        return SP_OK;
    const char *why = a->counts.of[a->in_L2 ? SP_GPU_L2_READ : SP_GPU_DRAM_READ].why;
    return sp_fail(err, SP_ABSENT, reason.remedy, "bytes cannot be measured: %s",
                   why ? why : "bytes written were not counted");
}
