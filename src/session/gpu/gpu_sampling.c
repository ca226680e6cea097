/* What is measured on a GPU: times by its own clock, beside a roof; bytes by its counters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "session/analyze/observe.h"
#include "session/gpu/gpu_analysis.h"
#include "sys/disturbance.h"

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

/* The roof of the level that holds the data. Warm it lasts as long as the kernel's samples, so that
 * the start of a launch weighs alike in both; cold both are one launch. */
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

/* Host and device, while they take samples. */
struct gpu_turns {
    const struct sp_gpu_analysis *a;
    struct roof roof;
    int64_t repetitions;
    struct sp_thread_clock before, queued; /* of the host's thread */
    double shortest_s[2];                  /* sample of the kernel, and of the roof; INFINITY: none yet */
};

static void look_at_host(void *context)
{
    struct gpu_turns *t = context;
    sp_thread_clocks(1, &t->queued);
}

bool sp_gpu_is_late(double seconds, double shortest_s)
{
    static const double late_share = 0.25, late_s = 20e-6; /* a launch may take so long */
    return seconds > (1 + late_share) * shortest_s + late_s;
}

bool sp_gpu_waited_for_host(const struct sp_thread_clock *before, const struct sp_thread_clock *queued,
                            double seconds)
{
    static const double harmless = 0.05;
    const double lost_s =
        sp_disturbance_between(before, queued, 1).lost_share * (queued->wall_s - before->wall_s);
    return lost_s > harmless * seconds;
}

static enum sp_status take(void *context, bool other, struct sp_turn *turn, struct sp_error *err)
{
    struct gpu_turns *t = context;
    const struct sp_gpu_analysis *a = t->a;
    const int64_t n = other ? t->roof.load.repetitions : t->repetitions;
    double value;
    enum sp_status status = SP_OK;
    if (!other && a->options->state == SP_WARM) /* the scrub has left nothing in the caches */
        status = run_once(a, 1, &value, err);
    sp_thread_clocks(1, &t->before);
    t->queued = t->before;
    if (status == SP_OK && other)
        status = t->roof.ceilings->sample(t->roof.arena, &t->roof.load, &value, &turn->time_s, err);
    else if (status == SP_OK)
        status = run_once(a, n, &turn->time_s, err);
    if (status != SP_OK)
        return status;
    turn->time_s /= other ? (double)n : 1;
    const double seconds = turn->time_s * (double)n;
    double *shortest_s = &t->shortest_s[other];
    *shortest_s = fmin(*shortest_s, seconds);
    turn->disturbed =
        sp_gpu_waited_for_host(&t->before, &t->queued, seconds) || sp_gpu_is_late(seconds, *shortest_s);
    return SP_OK;
}

static void look(void *context, struct sp_look *look)
{
    (void)context;
    *look = (struct sp_look){.mode = "unknown"};
}

/* A thing of the module is open; takes turns until the time for samples is over. */
static enum sp_status take_turns(const struct sp_gpu_analysis *a, struct gpu_turns *t, struct sp_pairs *pairs,
                                 struct sp_error *err)
{
    struct sp_sampling_options o = {.protocol = sp_protocol_default(a->options->machine),
                                    .progress = a->progress};
    const int most = a->options->max_samples;
    o.protocol.max_samples = most;
    o.protocol.min_samples = most < o.protocol.min_samples ? most : o.protocol.min_samples;
    o.protocol.budget_s = sp_plan_left_s(a->options->plan, SP_SPEND_SAMPLES);
    const struct sp_turns turns = {.context = t,
                                   .repetitions = t->repetitions,
                                   .per_execution = (double)t->roof.load.bytes,
                                   .take = take,
                                   .look = look};
    a->module->on_queued(look_at_host, t);
    const enum sp_status status = sp_sample_turns(&turns, &o, pairs, err);
    a->module->on_queued(NULL, NULL);
    return status;
}

/* The recorded times, and the machine's bandwidth of the level that holds the data. */
static enum sp_status replay(struct sp_gpu_analysis *a, struct sp_error *err)
{
    const struct sp_machine *m = a->options->machine;
    const struct sp_ceiling *c = sp_roof_of(m, a->in_L2 ? "L2" : "MEM", m->n_cores, NULL, NULL);
    if (!c)
        return sp_fail(err, SP_ABSENT, "name another with " SP_O_MACHINE,
                       "%s describes no bandwidth of its %s", m->name, a->in_L2 ? "L2" : "memory");
    enum sp_status status =
        sp_recording_pairs(&a->options->gpu_recorded->times, c->value.value, 1, &a->pairs, err);
    a->pairs.roof.origin = c->value.origin;
    return status;
}

enum sp_status sp_gpu_sample(struct sp_gpu_analysis *a, struct sp_error *err)
{
    if (a->options->gpu_recorded)
        return replay(a, err);
    struct gpu_turns t = {.a = a, .shortest_s = {INFINITY, INFINITY}};
    struct sp_bystanders bystanders;
    struct sp_pairs run = {0};
    sp_pairs_free(&a->pairs);
    memset(&a->conditions, 0, sizeof a->conditions);
    a->pairs.time = a->pairs.roof = a->pairs.inverse = sp_value_none("no sample was taken");
    sp_bystanders_begin(&bystanders);
    const double start = sp_now();
    enum sp_status status = open_roof(a, &t.roof, err);
    if (status == SP_OK)
        status = find_repetitions(a, &t.repetitions, err);
    if (status == SP_OK)
        status = take_turns(a, &t, &run, err);
    a->module->clocks(&a->clocks);
    if (t.roof.arena)
        t.roof.ceilings->close(t.roof.arena);
    a->options->plan->spent_s[SP_SPEND_SAMPLES] += sp_now() - start;
    if (run.n > 0) {
        const enum sp_status pooled = sp_pairs_pool(&run, 1, 1, &a->pairs, status == SP_OK ? err : NULL);
        status = status == SP_OK ? pooled : status;
    }
    sp_conditions_set(&a->pairs, &a->conditions);
    sp_conditions_name(&a->conditions, a->clocks.other, a->clocks.n_others);
    a->conditions.held_back = a->clocks.held_back;
    sp_bystanders_end(&bystanders, &a->conditions);
    sp_pairs_free(&run);
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
    if (a->options->gpu_api != SP_GPU_CUDA)
        return sp_fail(err, SP_ABSENT, "leave " SP_O_REQUIRE_BYTES " out", "%s counts no bytes",
                       sp_gpu_interfaces[a->options->gpu_api].name);
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
    struct sp_error reason = {.what = "not asked for", .remedy = "leave " SP_O_BYTES " sim out"};
    if (a->options->gpu_recorded) {
        a->counts = a->options->gpu_recorded->counts;
        return SP_OK;
    }
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
