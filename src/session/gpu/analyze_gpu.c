/* An analysis on a GPU, step by step. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "model/gpu/gpu_time.h"
#include "session/analyze/analysis.h"
#include "session/analyze/analyze.h"
#include "session/gpu/gpu_analysis.h"
#include "sys/noise.h"

/* What is measured on a GPU: times by its own clock, beside a roof; bytes by its counters. */

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

/* The roof of the level that holds the data. Warm it is one launch that lasts as long as a sample
 * of the kernel, and so has no part of the launches that the model adds. */
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
    if (status == SP_OK && a->pairs.roof.value == c->value.value)
        a->pairs.roof = c->value;
    a->pairs.roof.origin = c->value.origin;
    return status;
}

/* Pairs of the kernel's sample and of a load-only run at the level that holds the data, and the
 * state of the machine meanwhile. Again: instead of those before.
 *
 * A sample is disturbed where the host's thread, between its first and its last launch, lost more
 * than 5 % of the time of the sample to others, for the device may have waited for it; and where it
 * took a quarter longer than the shortest so far: a device that is not shared repeats itself. */
static enum sp_status gpu_sample(struct sp_gpu_analysis *a, struct sp_error *err)
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

/* The GPU's counters over one execution, where they may be read; else why, in a->counts. */
static enum sp_status count_bytes(struct sp_gpu_analysis *a, struct sp_error *err)
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

const char *const *sp_gpu_format_every(enum sp_op op)
{
    static const char *const of_spmv[] = {"crs", "sell:32,1", "sell:32,256", NULL};
    static const char *const of_spmm[] = {"crs", "staged:16,64", NULL};
    static const char *const of_sddmm[] = {"crs", "coo", "tiled:64,32", NULL};
    static const char *const of_fusedmm[] = {"crs", NULL};
    return op == SP_OP_SPMV || op == SP_OP_SPMMV ? of_spmv
           : op == SP_OP_SPMM                    ? of_spmm
           : op == SP_OP_SDDMM                   ? of_sddmm
                                                 : of_fusedmm;
}

static enum sp_status set_workload(struct sp_gpu_analysis *a, const char *format, struct sp_error *err)
{
    const struct sp_analyze_options *o = a->options;
    const struct sp_csr *matrix = &a->subject->matrix;
    struct sp_workload *w = &a->workload;
    *w = (struct sp_workload){.op = o->op,
                              .r = o->r,
                              .order = o->order,
                              .index = o->index,
                              .matrix = matrix,
                              .C = 1,
                              .sigma = 1,
                              .n_threads = 1,
                              .precision = o->precision >= 0           ? (enum sp_precision)o->precision
                                           : sp_csr_is_complex(matrix) ? SP_C128
                                                                       : SP_F64};
    enum sp_status status = sp_workload_set_format(w, format, err);
    return status == SP_OK ? sp_workload_check(w, err) : status;
}

static bool is_added(const struct sp_gpu_analysis *a, const struct sp_kernel *kernel, const char *option)
{
    for (int i = 0; i < a->n_ways; i++)
        if (a->way[i].kernel == kernel && strcmp(a->way[i].option, option) == 0)
            return true;
    return false;
}

/* Of a run elsewhere a kernel stands for another, and need not be here. That it keeps x in the L2,
 * by hints of its loads or by a window, nobody has said. */
static int stand_ins(const struct sp_layout *l, const char *isa, const struct sp_kernel **rows, int max)
{
    int n = 0;
    for (int i = 0; sp_kernel_table[i] && n < max; i++) {
        const struct sp_kernel *row = sp_kernel_table[i];
        const char *variant = strrchr(row->name, '/');
        if (row->on_gpu && row->rank > 0 && sp_kernel_is_for(row, l) && variant && !row->x_in_window &&
            (enum sp_gpu_map)row->gpu_map != SP_GPU_KEEP && strncmp(variant + 1, isa, strlen(isa)) == 0 &&
            row->accepts(l, NULL) == SP_OK)
            rows[n++] = row;
    }
    return n;
}

/* All kernels for a layout whose names begin with `isa`, each with its modelled time. */
static enum sp_status add_ways(struct sp_gpu_analysis *a, const struct sp_layout *l, const char *isa,
                               struct sp_error *err)
{
    const struct sp_analyze_options *o = a->options;
    const struct sp_kernel *rows[SP_MAX_WAYS];
    char option[48];
    const char *wanted = isa ? isa : sp_gpu_interfaces[o->gpu_api].isa;
    int n = o->gpu_recorded ? stand_ins(l, wanted, rows, SP_MAX_WAYS)
                            : sp_kernel_candidates(l, wanted, rows, SP_MAX_WAYS);
    sp_workload_format_option(&a->workload, option, sizeof option);
    enum sp_status status = SP_OK;
    const double start = sp_now();
    for (int i = 0; i < n && a->n_ways < SP_MAX_WAYS && status == SP_OK; i++) {
        struct sp_gpu_way *way = &a->way[a->n_ways];
        if (is_added(a, rows[i], option))
            continue;
        *way = (struct sp_gpu_way){.kernel = rows[i],
                                   .precision = l->precision,
                                   .n_stored = l->n_stored,
                                   .n_indices = l->n_indices,
                                   .T_i = l->T_i,
                                   .T_k = l->T_k};
        snprintf(way->option, sizeof way->option, "%s", option);
        status = sp_gpu_launch_make(l, (enum sp_gpu_map)rows[i]->gpu_map, 0, &way->launch, err);
        way->launch.x_in_window = rows[i]->x_in_window;
        if (status == SP_OK && l->n_nz > 0 && o->gpu_api == SP_GPU_CUDA && sp_gpu_is_described(o->machine)) {
            status = sp_gpu_predict(l, &way->launch, o->machine, a->work, o->state == SP_WARM, a->progress,
                                    &way->prediction, err);
            way->predicted = status == SP_OK;
        }
        a->n_ways++;
    }
    a->model_s += sp_now() - start;
    return status;
}

/* A time without the peak of its matrix units is one from below, and no choice rests on it. */
static double expected_s(const struct sp_gpu_way *way)
{
    const struct sp_gpu_prediction *p = &way->prediction;
    const bool lacks_units = way->launch.map == SP_GPU_MMA && !sp_value_known(p->term[SP_GPU_TERM_PEAK].rate);
    return way->predicted && sp_value_known(p->roofline.time_s) && !lacks_units ? p->roofline.time_s.value
                                                                                : INFINITY;
}

/* The way of least time in [from, to); the highest rank, the first, where none is predicted. */
static const struct sp_gpu_way *best_way(const struct sp_gpu_analysis *a, int from, int to)
{
    const struct sp_gpu_way *best = from < to ? &a->way[from] : NULL;
    for (int i = from + 1; i < to; i++)
        if (expected_s(&a->way[i]) < expected_s(best))
            best = &a->way[i];
    return best;
}

/* The reason of the first row for the operation and format that does not take this layout. */
static enum sp_status no_kernel(const struct sp_gpu_analysis *a, const struct sp_layout *l,
                                struct sp_error *err)
{
    char text[64];
    const char *isa = a->options->isa ? a->options->isa : "";
    for (int i = 0; sp_kernel_table[i]; i++) {
        const struct sp_kernel *row = sp_kernel_table[i];
        if (row->on_gpu && row->api == a->options->gpu_api && sp_kernel_is_for(row, l) &&
            strncmp(strrchr(row->name, '/') + 1, isa, strlen(isa)) == 0 &&
            (row->available(err) != SP_OK || row->accepts(l, err) != SP_OK))
            return SP_ABSENT;
    }
    return sp_fail(err, SP_ABSENT,
                   a->options->isa ? "take another format or precision, or leave " SP_O_ISA " out"
                                   : "take another format or precision",
                   "no GPU kernel%s%s for %s, %s in %s", a->options->isa ? " " : "",
                   a->options->isa ? a->options->isa : "", sp_op_name(a->workload.op),
                   sp_workload_format_text(&a->workload, text, sizeof text),
                   sp_precision_name(a->workload.precision));
}

/* Ways of one format; the layout stays, with values or for the model alone. */
static enum sp_status look_at_format(struct sp_gpu_analysis *a, const char *format, const char *isa,
                                     bool with_values, struct sp_layout *l, struct sp_error *err)
{
    enum sp_status status = set_workload(a, format, err);
    a->work = status == SP_OK ? sp_workload_flops(&a->workload) : 0;
    const double start = sp_now();
    if (status == SP_OK)
        status = sp_layout_make(&a->workload, with_values, NULL, l, err);
    if (with_values)
        a->layout_s = sp_now() - start;
    if (status != SP_OK)
        return status;
    const int before = a->n_ways;
    status = add_ways(a, l, isa, err);
    if (status == SP_OK && with_values && a->n_ways == before)
        status = no_kernel(a, l, err);
    if (status != SP_OK)
        sp_layout_free(l);
    return status;
}

/* The format that was chosen for "auto", with values. */
static enum sp_status take_auto(struct sp_gpu_analysis *a, struct sp_error *err)
{
    const char *format = a->chosen ? a->chosen->option : sp_gpu_format_every(a->options->op)[0];
    enum sp_status status = set_workload(a, format, err);
    const double start = sp_now();
    if (status == SP_OK)
        status = sp_layout_make(&a->workload, true, NULL, &a->layout, err);
    a->layout_s = sp_now() - start;
    return status == SP_OK && !a->chosen ? no_kernel(a, &a->layout, err) : status;
}

/* Formats that were not asked for; what this matrix cannot have is passed over. */
static enum sp_status look_at_others(struct sp_gpu_analysis *a, const char *wanted, const char *isa,
                                     struct sp_error *err)
{
    struct sp_error reason;
    struct sp_layout l;
    enum sp_status status = SP_OK;
    for (const char *const *f = sp_gpu_format_every(a->options->op); *f && status == SP_OK; f++) {
        if (wanted && strcmp(wanted, *f) == 0)
            continue;
        status = look_at_format(a, *f, isa, false, &l, &reason);
        if (status == SP_OK)
            sp_layout_free(&l);
        else if (status == SP_ABSENT || status == SP_USAGE)
            status = SP_OK;
        else if (err)
            *err = reason;
    }
    return status;
}

/* Hints compare formats of SpMV and SDDMM; layouts of other operations take their time. */
static bool has_alternatives(const struct sp_analyze_options *o)
{
    return !o->no_hints && (o->op == SP_OP_SPMV || o->op == SP_OP_SDDMM);
}

/* The format that is asked for first, so that its ways are those before the alternatives'. */
static enum sp_status choose(struct sp_gpu_analysis *a, struct sp_error *err)
{
    const struct sp_analyze_options *o = a->options;
    char option[48];
    if (strcmp(o->format, "auto") == 0) {
        enum sp_status status = look_at_others(a, NULL, o->isa, err);
        a->chosen = best_way(a, 0, a->n_ways);
        return status == SP_OK ? take_auto(a, err) : status;
    }
    enum sp_status status = look_at_format(a, o->format, o->isa, true, &a->layout, err);
    const int n_wanted = a->n_ways;
    const struct sp_workload chosen = a->workload;
    sp_workload_format_option(&chosen, option, sizeof option);
    if (status == SP_OK && has_alternatives(o))
        status = add_ways(a, &a->layout, NULL, err);
    if (status == SP_OK && has_alternatives(o))
        status = look_at_others(a, option, NULL, err);
    a->workload = chosen;
    a->work = status == SP_OK ? sp_workload_flops(&chosen) : 0;
    a->chosen = best_way(a, 0, n_wanted);
    return status;
}

static enum sp_status prepare(struct sp_gpu_analysis *a, struct sp_error *err)
{
    enum sp_status status = sp_dense_make(&a->workload, a->options->seed, &a->dense, err);
    const struct sp_operands operands = {.x = a->dense.x, .rows = a->dense.rows, .second = a->dense.second};
    struct sp_kernel_facts facts;
    const double start = sp_now();
    if (status == SP_OK)
        status = a->chosen->kernel->prepare(&a->layout, &operands, &a->state, err);
    a->upload_s = sp_now() - start;
    if (status == SP_OK) {
        a->chosen->kernel->facts(a->state, &facts);
        a->streamed_B = facts.streamed_B;
    }
    return status;
}

static enum sp_status verify(struct sp_gpu_analysis *a, struct sp_error *err)
{
    void *result;
    const struct sp_dense dense = sp_dense_of(&a->dense);
    enum sp_status status =
        sp_new_array(sp_dense_n_result(&a->workload), sizeof(double), "the result", &result, err);
    if (status == SP_OK)
        status = a->chosen->kernel->run(a->state, 1, NULL, err);
    if (status == SP_OK) { /* how much of the L2 it was given, a run has shown */
        struct sp_kernel_facts facts;
        a->chosen->kernel->facts(a->state, &facts);
        a->window_B = facts.window_B;
        a->window_hits = facts.window_hits;
    }
    if (status == SP_OK)
        status = a->chosen->kernel->fetch(a->state, result, err);
    if (status == SP_OK)
        status = sp_verify(&a->workload, &dense, result, &a->check, err);
    free(result);
    return status;
}

/* The GPU that a recording is of, as the machine describes it. */
static void describe_recorded(struct sp_gpu_analysis *a)
{
    const struct sp_machine *m = a->options->machine;
    const struct sp_cache *L2 = sp_machine_llc(m);
    a->device = (struct sp_gpu_device){.n_cores = m->n_cores, .L2_B = L2 ? (size_t)L2->size_B : 0};
    snprintf(a->device.name, sizeof a->device.name, "%.127s", *m->cpu ? m->cpu : m->name);
}

/* The model of levels is CUDA's: on other devices ceilings are all that a machine file gives, and
 * they say nothing of another device. */
static enum sp_status check_machine(const struct sp_gpu_analysis *a, struct sp_error *err)
{
    const struct sp_gpu_interface *own = &sp_gpu_interfaces[a->options->gpu_api];
    const struct sp_machine *m = a->options->machine;
    char remedy[128];
    if (a->options->gpu_api == SP_GPU_CUDA || m->n_cores == a->device.n_cores)
        return SP_OK;
    snprintf(remedy, sizeof remedy,
             "leave " SP_O_MACHINE " out; spmodel machine measure " SP_O_DEVICE " %s describes this one",
             own->device);
    return sp_fail(err, SP_USAGE, remedy, "the machine %s, of %d cores, is not this %s device, of %d",
                   m->name, m->n_cores, own->name, a->device.n_cores);
}

static enum sp_status set_up(struct sp_gpu_analysis *a, struct sp_error *err)
{
    const bool runs = !a->options->gpu_recorded;
    if (!runs)
        describe_recorded(a);
    enum sp_status status = runs ? sp_gpu_module_open(a->options->gpu_api, &a->module, err) : SP_OK;
    if (status == SP_OK && runs)
        status = a->module->describe(&a->device, err);
    if (status == SP_OK && runs)
        status = check_machine(a, err);
    if (status == SP_OK)
        status = choose(a, err);
    if (status == SP_OK && runs)
        status = prepare(a, err);
    if (status == SP_OK && runs)
        status = verify(a, err);
    if (status == SP_OK)
        sp_gpu_find_level(a);
    return status;
}

/* A roof that cannot be is taken once more. */
static enum sp_status evaluate(struct sp_gpu_analysis *a, struct sp_error *err)
{
    sp_gpu_evaluate(a);
    if (!a->retake || a->options->gpu_recorded)
        return SP_OK;
    enum sp_status status = gpu_sample(a, err);
    if (status == SP_OK)
        sp_gpu_evaluate(a);
    return status;
}

static enum sp_status find_hints(struct sp_gpu_analysis *a, struct sp_error *err)
{
    (void)err;
    sp_gpu_find_hints(a);
    return SP_OK;
}

static bool wants_hints(const struct sp_gpu_analysis *a)
{
    return !*a->doubt && !a->options->no_hints && a->streamed_B <= 0;
}

#define ANALYSIS struct sp_gpu_analysis
#include "session/analyze/steps.inc"

/* All that takes time, in order; losses belong to the evaluation. */
static const struct step steps[] = {
    {"set up", "the kernel that the model expects to be fastest, its result checked", SP_COMPUTES, NULL,
     set_up},
    {"sample", "time by the device's clock, and the roof beside it", SP_SPEND_SAMPLES, NULL, gpu_sample},
    {"count", "bytes by the GPU's counters, where they may be read", SP_COMPUTES, NULL, count_bytes},
    {"evaluate", "bytes, roof, bounds, losses", SP_COMPUTES, NULL, evaluate},
    {"compare", "what the model says of another order and of matrix units", SP_COMPUTES, wants_hints,
     sp_gpu_try_others},
    {"account", "hints", SP_COMPUTES, wants_hints, find_hints},
};
enum { N_STEPS = sizeof steps / sizeof *steps };
static_assert(sizeof steps / sizeof *steps <= SP_MAX_STEPS, "room for all steps");

static void free_analysis(struct sp_gpu_analysis *a)
{
    if (a->chosen && a->state)
        a->chosen->kernel->release(a->state);
    sp_layout_free(&a->layout);
    sp_dense_free(&a->dense);
    sp_pairs_free(&a->pairs);
}

enum sp_status sp_analyze_gpu(const struct sp_subject *subject, const struct sp_analyze_options *options,
                              const struct sp_progress *progress, struct sp_record *record,
                              struct sp_error *err)
{
    struct state {
        struct sp_gpu_analysis analysis;
        struct sp_plan plan;
    } * state;
    void *memory;
    enum sp_status status = sp_record_new(subject->name, record, err);
    if (status != SP_OK)
        return status;
    status = sp_new_array(1, sizeof *state, "the analysis", &memory, err);
    if (status != SP_OK) {
        sp_record_free(record);
        return status;
    }
    state = memory;
    struct sp_gpu_analysis *a = &state->analysis;
    struct sp_analyze_options o = *options;
    o.plan = options->plan ? options->plan : &state->plan;
    sp_plan_begin(o.plan, o.budget_s);
    o.plan->on_gpu = true;
    a->options = &o;
    a->subject = subject;
    a->progress = progress;
    sp_gpu_counts_none(&a->counts, "not counted");
    status = take_steps(steps, N_STEPS, a, NULL, err);
    if (status == SP_OK) {
        sp_gpu_record(a, record);
    } else if (status == SP_INTERRUPTED && a->state) { /* what is known is worth keeping */
        sp_gpu_record_known(a, record);
        sp_record_set_text(record, SP_F_STATUS, "interrupted");
        if (sp_value_known(a->pairs.time))
            sp_record_set_metric(record, SP_F_METRICS_TIME, a->pairs.time, SP_DEFINED_AS_STOPPED);
    } else {
        sp_record_free(record);
    }
    free_analysis(a);
    free(state);
    return status;
}
