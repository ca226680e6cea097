/* What the analysis of a kernel of somebody else does beside that of a built-in one. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/reading.h"
#include "kernels/own/own_kernel.h"
#include "session/analyze/analysis.h"
#include "session/analyze/pcore.h"
#include "session/trial/apart.h"
#include "sys/machine/pages.h"
#include "sys/noise.h"

/* P_core of a kernel of somebody else that is made ready once: in a process that is forked for it
 * before the analysis makes it ready, so that there, too, prepare() is called once. */

struct core_run {
    struct sp_analysis *analysis;
    const struct sp_workload *workload;
};

enum { WANTED = 15, MOST = 80, ENOUGH = 5 };

/* Executions that together last for the clock. */
static enum sp_status find_repetitions(const struct sp_job *job, int64_t *n, struct sp_error *err)
{
    static const double resolved_s = 1e-3;
    double took_s = 0;
    enum sp_status status = SP_OK;
    for (*n = 1; status == SP_OK && took_s < resolved_s; *n *= took_s < resolved_s ? 2 : 1) {
        const double start = sp_now();
        status = job->run(job->state, *n, NULL, err);
        took_s = sp_now() - start;
    }
    return status;
}

/* Seconds of an execution in undisturbed batches; how many there are, below ENOUGH: too few. */
static int time_batches(const struct sp_job *job, struct sp_thread_clock *clock, double seconds[WANTED])
{
    int64_t repetitions;
    int n = 0;
    if (find_repetitions(job, &repetitions, NULL) != SP_OK)
        return 0;
    for (int i = 0; i < MOST && n < WANTED; i++) {
        sp_thread_clocks(job->n_threads, clock);
        const double start = sp_now();
        if (job->run(job->state, repetitions, NULL, NULL) != SP_OK)
            return 0;
        const double took_s = sp_now() - start;
        sp_thread_clocks(job->n_threads, clock + job->n_threads);
        if (sp_disturbance_is_ignored() ||
            !sp_disturbance_between(clock, clock + job->n_threads, job->n_threads).disturbed)
            seconds[n++] = took_s / (double)repetitions;
    }
    return n;
}

static struct sp_value rate_of(double work, const double *seconds, int n)
{
    return n < ENOUGH ? sp_value_none("other programs disturbed your kernel on few rows")
                      : sp_value_between(work / sp_median(seconds, n), work / sp_quantile(seconds, n, 1),
                                         work / sp_quantile(seconds, n, 0), SP_MEASURED);
}

static bool measure(void *context, int pipe)
{
    const struct core_run *c = context;
    const struct sp_analyze_options *o = c->analysis->options;
    struct sp_pcore_options p = sp_pcore_options_for(o->machine, c->workload, NULL, SP_SPEND_OTHERS);
    struct sp_binding binding = {0};
    struct sp_pcore_team *team;
    struct sp_job job;
    double work, seconds[WANTED];
    void *clock;
    struct sp_value rate = sp_value_none("your kernel could not be run on few rows");
    p.own = o->own.running;
    if (!o->not_pinned &&
        sp_binding_plan(o->topology, c->workload->n_threads, SP_COMPACT, &binding, NULL) == SP_OK)
        sp_binding_apply(&binding, NULL);
    if (sp_new_array(2 * (int64_t)c->workload->n_threads, sizeof(struct sp_thread_clock), "clocks", &clock,
                     NULL) == SP_OK &&
        sp_pcore_team_make(c->workload, &o->own.running->kernel, &p, &team, &job, &work, NULL) == SP_OK)
        rate = rate_of(work, seconds, time_batches(&job, clock, seconds));
    return sp_apart_send(pipe, &rate, sizeof rate);
}

static enum sp_status take(void *context, int pipe, struct sp_error *err)
{
    struct core_run *c = context;
    struct sp_value rate;
    const enum sp_status status = sp_apart_wait(pipe, "P_core", INFINITY, c->analysis->progress, err);
    if (status == SP_OK && sp_apart_receive(pipe, &rate, sizeof rate))
        c->analysis->own.core_flop_s = rate;
    return status;
}

enum sp_status sp_analysis_own_core(struct sp_analysis *a, const struct sp_workload *w, struct sp_error *err)
{
    struct core_run c = {a, w};
    struct sp_own *own = a->options->own.running;
    a->own.core_flop_s = sp_value_none("your kernel could not be run on few rows");
    if (sp_own_is_stateless(own) || w->matrix->n_nz == 0)
        return SP_OK;
    sp_progress_step(a->progress, "measuring P_core", -1);
    sp_apart_begin();
    enum sp_status status = sp_apart(measure, take, &c, err);
    sp_own_watch_again(own->watch); /* what failed there will fail here, and is named then */
    return status == SP_ABSENT ? SP_OK : status;
}

/* A kernel of somebody else beside the fastest built-in one on the same arrays. */

/* The kernel of the table with the highest P_core, with plain stores: the same bytes. */
static enum sp_status prepare_built_in(const struct sp_analysis *a, struct sp_beside *out, void **state,
                                       struct sp_error *err)
{
    const struct sp_workload *w = &a->setup.workload;
    struct sp_pcore_options p =
        sp_pcore_options_for(a->options->machine, w, a->options->plan, SP_SPEND_OTHERS);
    struct sp_value rate;
    struct sp_dense_arrays arrays;
    *state = NULL;
    enum sp_status status = sp_pcore_choose(w, NULL, &p, &out->kernel, &rate, err);
    if (status == SP_OK)
        status = sp_dense_make(w, a->options->seed, &arrays, err);
    if (status != SP_OK)
        return status;
    const struct sp_operands operands = {
        .x = arrays.x, .allocator = a->options->small_pages ? &sp_allocator_plain : &sp_allocator_huge};
    status = out->kernel->prepare(&a->setup.layout, &operands, state, err);
    sp_dense_free(&arrays);
    return status;
}

enum sp_status sp_analysis_beside(const struct sp_analysis *a, struct sp_beside *out, struct sp_error *err)
{
    void *state;
    struct sp_value time;
    *out = (struct sp_beside){.time_s = sp_value_none("no built-in kernel was run beside it"),
                              .ratio = sp_value_none("no built-in kernel was run beside it")};
    if (a->setup.layout.n_nz == 0)
        return SP_OK;
    sp_progress_step(a->progress, "running a built-in kernel beside it", -1);
    enum sp_status status = prepare_built_in(a, out, &state, err);
    if (status == SP_OK) {
        const struct sp_job job = sp_kernel_job(out->kernel, state, &a->setup.layout);
        status = sp_analysis_time_beside(a, &job, &time, err);
    }
    if (out->kernel)
        out->kernel->release(state);
    if (status != SP_OK)
        return status == SP_ABSENT ? SP_OK : status;
    out->time_s = time;
    const double own_s = a->observed.pairs.time.value;
    out->ratio = sp_value_known(time)
                     ? sp_value_between(own_s / time.value, own_s / time.hi, own_s / time.lo, SP_MEASURED)
                     : time;
    return SP_OK;
}

/* y as the last execution has left it. */
static enum sp_status verify(const struct sp_analysis *a, const struct sp_dense *dense, double *y,
                             struct sp_spmv_check *check, struct sp_error *err)
{
    const struct sp_setup *s = &a->setup;
    enum sp_status status = s->kernel->fetch(s->state, y, err);
    return status == SP_OK ? sp_verify(&s->workload, dense, y, check, err) : status;
}

enum sp_status sp_analysis_again(const struct sp_analysis *a, struct sp_spmv_check *check,
                                 struct sp_error *err)
{
    const struct sp_setup *s = &a->setup;
    struct sp_dense_arrays arrays;
    void *y;
    sp_progress_step(a->progress, "checking the result once more", -1);
    enum sp_status status = sp_dense_make(&s->workload, a->options->seed, &arrays, err);
    if (status != SP_OK)
        return status;
    const struct sp_dense dense = sp_dense_of(&arrays);
    const int64_t n = sp_dense_n_result(&s->workload);
    status = sp_new_array(n, sizeof(double), "the result", &y, err);
    if (status == SP_OK)
        status = verify(a, &dense, y, check, err);
    if (status == SP_OK &&
        check->n_bad == 0) { /* and once more, for it may keep x, or what it wrote before */
        sp_own_forget(s->state);
        sp_own_negate_x(s->state);
        status = s->kernel->run(s->state, 1, NULL, err);
        if (status == SP_OK)
            status = s->kernel->fetch(s->state, y, err);
        for (int64_t i = 0; status == SP_OK && i < n; i++)
            ((double *)y)[i] = -((double *)y)[i];
        if (status == SP_OK)
            status = sp_verify(&s->workload, &dense, y, check, err);
        sp_own_negate_x(s->state);
    }
    if (check->n_bad > 0)
        status = sp_own_wrong(a->setup_options.own, check, s->layout.n_r, true, err);
    free(y);
    sp_dense_free(&arrays);
    return status;
}

/* Values, indices or pointers, by what it is called. */
static enum sp_array kind_of(const char *name)
{
    return strncasecmp(name, "val", 3) == 0                                       ? SP_ARRAY_VALUES
           : strncasecmp(name, "ind", 3) == 0 || strncasecmp(name, "col", 3) == 0 ? SP_ARRAY_INDICES
                                                                                  : SP_ARRAY_POINTERS;
}

/* How y is written, by what one thread tells. */
struct y_stores {
    const char *y;
    size_t y_B;
    int64_t n_plain, n_streamed;
};

static void look_at_store(void *walker, const void *address, size_t size_B, int is_write)
{
    struct y_stores *s = walker;
    const uintptr_t at = (uintptr_t)address - (uintptr_t)s->y;
    (void)size_B;
    if (!is_write || (uintptr_t)address < (uintptr_t)s->y || at >= s->y_B)
        return;
    s->n_streamed += is_write == SPMODEL_STREAMS;
    s->n_plain += is_write != SPMODEL_STREAMS;
}

/* Does its trace tell of non-temporal stores alone? Then roof and model are of those. */
static enum sp_status look_at_stores(struct sp_analysis *a, struct sp_error *err)
{
    struct y_stores s = {.y = a->setup.facts.y, .y_B = a->setup.facts.y_B};
    if (!a->own.traced)
        return SP_OK;
    enum sp_status status = sp_own_trace(a->setup.state, 0, look_at_store, &s, err);
    a->setup.facts.store_nt = s.n_streamed > 0 && s.n_plain == 0;
    return status;
}

enum sp_status sp_analysis_own_arrays(struct sp_analysis *a, struct sp_error *err)
{
    struct spmodel_array array[SPMODEL_MAX_ARRAYS];
    struct sp_own_found *own = &a->own;
    const int n = sp_own_stores(a->setup.state, array, err);
    if (n < 0)
        return SP_WRONG;
    own->n_stores = n;
    for (int i = 0; i < n; i++) {
        const char *name = array[i].name ? array[i].name : "array";
        sp_visible(name, own->name[i], sizeof own->name[i]);
        own->store[i] = (struct sp_job_array){array[i].address, array[i].size_B};
        own->array_B[kind_of(name)] += (double)array[i].size_B;
    }
    own->traced = a->setup_options.own->theirs.trace != NULL;
    if (n > 0) {
        a->setup.job.instead = own->store;
        a->setup.job.n_instead = n;
        a->setup.layout.own_B = own->array_B;
    }
    return look_at_stores(a, err);
}

/* ---- its threads ---- */

/* Processor time of each thread of this process. */
struct times {
    int n;
    struct {
        int tid;
        double cpu_s;
    } thread[256];
};

static void read_times(struct times *t)
{
    enum { MOST_TIMES = sizeof t->thread / sizeof *t->thread };
    DIR *tasks = opendir("/proc/self/task");
    t->n = 0;
    for (const struct dirent *d; tasks && t->n < MOST_TIMES && (d = readdir(tasks));) {
        const int tid = atoi(d->d_name);
        struct timespec now;
        /* the clock of a thread by its number [clock_getcpuclockid()'s of threads] */
        if (tid > 0 && clock_gettime((clockid_t)(~(unsigned)tid << 3 | 6U), &now) == 0) {
            t->thread[t->n].tid = tid;
            t->thread[t->n++].cpu_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
        }
    }
    if (tasks)
        closedir(tasks);
}

/* Of all threads together since then, and of the one that took most of it [s]. */
static double spent_since(const struct times *before, double *most_s)
{
    struct times now;
    double sum_s = 0;
    read_times(&now);
    *most_s = 0;
    for (int i = 0; i < now.n; i++) {
        double s = now.thread[i].cpu_s;
        for (int k = 0; k < before->n; k++)
            s -= before->thread[k].tid == now.thread[i].tid ? before->thread[k].cpu_s : 0;
        sum_s += s;
        *most_s = fmax(*most_s, s);
    }
    return sum_s;
}

/* Threads with like parts of the time: other programs take from all, and change little. */
void sp_analysis_own_threads(const struct sp_analysis *a, struct sp_own_found *out)
{
    static const double long_enough_s = 0.03;
    const struct timespec nap = {.tv_nsec = 30000000};
    const struct sp_job *job = &a->setup.job;
    struct times before;
    double most_s, start;
    out->busy_threads = out->idle_threads = sp_value_none("not looked at");
    nanosleep(&nap, NULL); /* teams of OpenMP go on for a moment */
    read_times(&before);
    start = sp_now();
    nanosleep(&nap, NULL);
    const double idle_s = spent_since(&before, &most_s);
    out->idle_threads = sp_value_of(idle_s / (sp_now() - start), SP_MEASURED);
    read_times(&before);
    start = sp_now();
    enum sp_status status = SP_OK;
    while (status == SP_OK && sp_now() - start < long_enough_s)
        status = job->run(job->state, 1, NULL, NULL);
    const double busy_s = spent_since(&before, &most_s);
    if (status == SP_OK && most_s > 0)
        out->busy_threads = sp_value_of(busy_s / most_s, SP_MEASURED);
}

/* ---- its trace ---- */

static enum sp_status tell(void *context, int thread, sp_walk_access *access, void *walker,
                           struct sp_error *err)
{
    const struct sp_analysis *a = context;
    return sp_own_trace(a->setup.state, thread, access, walker, err);
}

static enum sp_trace_region region_of(enum sp_array array)
{
    return array == SP_ARRAY_VALUES    ? SP_REGION_VALUES
           : array == SP_ARRAY_INDICES ? SP_REGION_INDICES
                                       : SP_REGION_PTR;
}

static void add_array(struct sp_walk *walk, const void *at, size_t size_B, enum sp_trace_region region)
{
    if (size_B > 0)
        walk->array[walk->n_arrays++] = (struct sp_walk_array){at, size_B, region};
}

void sp_analysis_own_walk(const struct sp_analysis *a, struct sp_walk *walk)
{
    const struct sp_layout *l = &a->setup.layout;
    const struct sp_kernel_facts *f = &a->setup.facts;
    *walk = (struct sp_walk){
        .tell = tell, .context = (void *)a, .name = a->setup.kernel->name + sizeof "own/" - 1};
    if (a->own.n_stores == 0) {
        add_array(walk, l->val, (size_t)l->n_stored * l->s_a, SP_REGION_VALUES);
        add_array(walk, l->col, (size_t)l->n_indices * l->s_i, SP_REGION_INDICES);
        add_array(walk, l->ptr, (size_t)l->n_ptr * l->s_p, SP_REGION_PTR);
    }
    for (int i = 0; i < a->own.n_stores; i++)
        add_array(walk, a->own.store[i].at, a->own.store[i].size_B, region_of(kind_of(a->own.name[i])));
    add_array(walk, f->x, f->x_B, SP_REGION_X);
    add_array(walk, f->y, f->y_B, SP_REGION_Y);
}
