#include "probes/counting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "sys/machine/pages.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct sp_protocol sp_protocol_default(const struct sp_machine *machine)
{
    return (struct sp_protocol){
        .state = SP_WARM,
        .budget_s = 1,
        .min_samples = 5,
        .max_samples = 200,
        .min_sample_s = 0.01,
        .machine = machine,
        .n_domain = 1,
        .seed = 1,
    };
}

/* Bytes that push all else out of the caches: twice the last levels of all domains used. */
static double scrub_bytes(const struct sp_protocol *p)
{
    const struct sp_cache *llc = p->machine ? sp_machine_llc(p->machine) : NULL;
    int domains = p->n_domain > 1 ? p->n_domain : 1;
    double bytes = 2.0 * domains * (llc ? (double)sp_cache_believed_B(llc) : 64e6);
    return fmin(fmax(bytes, 64e6), 2e9);
}

enum sp_status sp_cache_state_prepare(struct sp_cache_buffer *b, const struct sp_protocol *p, int n_threads,
                                      struct sp_error *err)
{
    if (p->state == SP_WARM)
        return SP_OK;
    double bytes = p->state == SP_COLD ? scrub_bytes(p) : (double)p->between_B;
    int64_t n = (int64_t)(bytes / sizeof *b->v);
    if (b->n >= n)
        return SP_OK;
    sp_cache_state_free(b);
    void *v;
    enum sp_status status =
        sp_large_alloc(&sp_allocator_huge, n, sizeof *b->v, "the cache-emptying buffer", &v, err);
    if (status != SP_OK)
        return status;
    *b = (struct sp_cache_buffer){v, n};
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int64_t i = 0; i < n; i++)
        b->v[i] = 1;
    return SP_OK;
}

/* Reads and writes n items, as an axpy on one vector would. */
static void stream(double *v, int64_t n, int n_threads)
{
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int64_t i = 0; i < n; i++)
        v[i] = 0.5 * v[i] + 1;
}

void sp_cache_state_set(const struct sp_cache_buffer *b, const struct sp_protocol *p, int n_threads)
{
    if (p->state != SP_WARM)
        stream(b->v, p->state == SP_BETWEEN ? p->between_B / (int64_t)sizeof *b->v : b->n, n_threads);
}

void sp_cache_state_free(struct sp_cache_buffer *b)
{
    sp_large_free(&sp_allocator_huge, b->v, b->n, sizeof *b->v);
    memset(b, 0, sizeof *b);
}

/* Shorter windows are ruled by the start and the stop of counters. */
#define WINDOW_S 0.1
enum { JOB_WINDOWS = 3, KNOWN_WINDOWS = 2, IDLE_WINDOWS = 2, MOST_EXECUTIONS = 200 };
/* Executions one by one take what happens between them too; this is the most for a window [s]. */
#define PATIENCE_S 5.0

struct counting {
    const struct sp_counter *counter; /* NULL: the log is a recording */
    void *state;
    struct sp_count_log log;
    struct sp_cache_buffer buffer;
};

enum sp_status sp_counting_open(const struct sp_counter *counter, const char *argument, void **session,
                                struct sp_error *err)
{
    enum sp_status status = sp_new_array(1, sizeof(struct counting), "counters", session, err);
    if (status != SP_OK)
        return status;
    struct counting *c = *session;
    c->counter = counter;
    strncpy(c->log.source, counter->name, sizeof c->log.source - 1);
    c->log.n_passes = 1;
    status = counter->open(counter, argument, &c->state, &c->log, err);
    if (status == SP_OK && c->log.n_events == 0)
        status =
            sp_fail(err, SP_ABSENT, NULL, "%s offers no event that counts memory traffic", counter->name);
    if (status != SP_OK) {
        sp_counting_close(c);
        *session = NULL;
    }
    return status;
}

enum sp_status sp_counting_of_log(struct sp_count_log *log, void **session, struct sp_error *err)
{
    enum sp_status status = sp_new_array(1, sizeof(struct counting), "a recording", session, err);
    if (status != SP_OK)
        return status;
    struct counting *c = *session;
    c->log = *log;
    memset(log, 0, sizeof *log);
    return SP_OK;
}

void sp_counting_close(void *session)
{
    struct counting *c = session;
    if (!c)
        return;
    if (c->counter)
        c->counter->close(c->state);
    sp_count_log_free(&c->log);
    sp_cache_state_free(&c->buffer);
    free(c);
}

const struct sp_count_log *sp_counting_log(const void *session)
{
    const struct counting *c = session;
    return &c->log;
}

/* The time in which the counters counted, from the counts themselves where they tell it: starting
 * and stopping takes longer than that. */
static double counted_s(const struct sp_count_log *log, const struct sp_count *count, int pass, double wall_s)
{
    double s = 0;
    for (int i = 0; i < log->n_events; i++)
        if (log->event[i].pass == pass && count[i].enabled_s > s)
            s = count[i].enabled_s;
    return s > 0 && s < wall_s ? s : wall_s;
}

static enum sp_status idle_window(struct counting *c, int pass, struct sp_error *err)
{
    struct sp_count_window w = {.kind = SP_WINDOW_IDLE, .pass = pass, .repetitions = 1}, *in;
    enum sp_status status = sp_count_log_add_window(&c->log, &w, &in, err);
    double start = sp_now();
    if (status == SP_OK)
        status = c->counter->start(c->state, pass, err);
    if (status != SP_OK)
        return status;
    sp_sleep(WINDOW_S);
    status = c->counter->stop(c->state, in->count, err);
    in->duration_s = counted_s(&c->log, in->count, pass, sp_now() - start);
    return status;
}

/* The background, once for each pass: it is taken off windows of the same session. */
static enum sp_status need_idle(struct counting *c, int pass, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    int n = 0;
    for (int i = 0; i < c->log.n_windows; i++)
        n += c->log.window[i].kind == SP_WINDOW_IDLE && c->log.window[i].pass == pass;
    for (; n < IDLE_WINDOWS && status == SP_OK; n++)
        status = idle_window(c, pass, err);
    return status;
}

static enum sp_status repetitions_for(const struct sp_job *job, int64_t *n, struct sp_error *err)
{
    double took = 0;
    enum sp_status status = job->run(job->state, 1, NULL, err);
    for (*n = 1; status == SP_OK; *n *= 2) {
        double start = sp_now();
        status = job->run(job->state, *n, NULL, err);
        took = sp_now() - start;
        if (took >= WINDOW_S / 8 || *n >= (INT64_C(1) << 40))
            break;
    }
    if (took < 1.1 * WINDOW_S)
        *n = (int64_t)ceil((double)*n * 1.1 * WINDOW_S / fmax(took, 1e-9));
    return status;
}

static enum sp_status warm_window(struct counting *c, const struct sp_job *job, struct sp_count_window *w,
                                  struct sp_error *err)
{
    double start = sp_now();
    enum sp_status status = c->counter->start(c->state, w->pass, err);
    if (status != SP_OK)
        return status;
    status = job->run(job->state, w->repetitions, NULL, err);
    enum sp_status stopped = c->counter->stop(c->state, w->count, status == SP_OK ? err : NULL);
    w->duration_s = counted_s(&c->log, w->count, w->pass, sp_now() - start);
    return status == SP_OK ? stopped : status;
}

/* Adds what `one` counted to the sum. */
static void accumulate(const struct sp_count_log *log, const struct sp_count *one, struct sp_count *sum,
                       bool first)
{
    for (int i = 0; i < log->n_events; i++) {
        enum sp_count_state state;
        struct sp_count now = one[i];
        if (isnan(now.after) && isnan(now.before))
            continue;
        double n = sp_count_of(&log->event[i], now, &state, NULL);
        if (first)
            sum[i] = (struct sp_count){0, 0, 0, 0};
        /* scaled already: what was multiplexed keeps its share by the times */
        double share = now.enabled_s > 0 ? fmin(1, now.running_s / now.enabled_s) : 0;
        sum[i].after += state == SP_COUNT_NONE ? NAN : n * share;
        sum[i].enabled_s += now.enabled_s;
        sum[i].running_s += now.running_s;
    }
}

static enum sp_status window_one_by_one(struct counting *c, const struct sp_job *job,
                                        const struct sp_protocol *p, struct sp_count_window *w,
                                        struct sp_error *err)
{
    void *memory;
    enum sp_status status = sp_new_array(c->log.n_events, sizeof(struct sp_count), "counts", &memory, err);
    struct sp_count *one = memory;
    w->repetitions = 0;
    double begun = sp_now();
    while (status == SP_OK && w->duration_s < WINDOW_S && w->repetitions < MOST_EXECUTIONS &&
           (w->repetitions == 0 || sp_now() - begun < PATIENCE_S)) {
        sp_cache_state_set(&c->buffer, p, job->n_threads);
        for (int i = 0; i < c->log.n_events; i++)
            one[i].before = one[i].after = NAN;
        double start = sp_now();
        status = c->counter->start(c->state, w->pass, err);
        if (status != SP_OK)
            break;
        status = job->run(job->state, 1, NULL, err);
        enum sp_status stopped = c->counter->stop(c->state, one, status == SP_OK ? err : NULL);
        w->duration_s += counted_s(&c->log, one, w->pass, sp_now() - start);
        status = status == SP_OK ? stopped : status;
        accumulate(&c->log, one, w->count, w->repetitions == 0);
        w->repetitions++;
    }
    free(memory);
    return status;
}

static enum sp_status take_windows(struct counting *c, const struct sp_job *job, const struct sp_protocol *p,
                                   struct sp_error *err)
{
    struct sp_count_window w = {.kind = p->known ? SP_WINDOW_KNOWN : SP_WINDOW_JOB, .repetitions = 1};
    if (p->known) {
        strncpy(w.what, p->known->what, sizeof w.what - 1);
        w.load_B = p->known->load_B;
        w.store_B = p->known->store_B;
        w.memory_share = p->known->memory_share;
    }
    int n = p->known ? KNOWN_WINDOWS : JOB_WINDOWS;
    for (int d = 0; p->known && d < p->known->n_shares && d < SP_COUNT_MAX_DOMAINS; d++) {
        c->log.domain_share[d] = p->known->domain_share[d];
        c->log.n_shares = d + 1;
    }
    enum sp_status status = sp_cache_state_prepare(&c->buffer, p, job->n_threads, err);
    if (status == SP_OK && p->state == SP_WARM)
        status = repetitions_for(job, &w.repetitions, err);
    for (w.pass = 0; w.pass < c->log.n_passes && status == SP_OK; w.pass++) {
        status = need_idle(c, w.pass, err);
        for (int i = 0; i < n && status == SP_OK; i++) {
            struct sp_count_window *in;
            if (p->interrupted && p->interrupted(p->context))
                return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted while counting");
            status = sp_count_log_add_window(&c->log, &w, &in, err);
            if (status == SP_OK)
                status = p->state == SP_WARM ? warm_window(c, job, in, err)
                                             : window_one_by_one(c, job, p, in, err);
        }
    }
    return status;
}

enum sp_status sp_counting_observe(void *session, const struct sp_job *job, const struct sp_protocol *p,
                                   struct sp_reading *reading, struct sp_error *err)
{
    struct counting *c = session;
    memset(reading, 0, sizeof *reading);
    reading->time_s = sp_value_none("counters do not time");
    strncpy(reading->source, c->log.source, sizeof reading->source - 1);
    if (c->counter) {
        if (!p->known)
            sp_count_log_drop(&c->log, SP_WINDOW_JOB);
        enum sp_status status = take_windows(c, job, p, err);
        if (status != SP_OK)
            return status;
    }
    struct sp_counted b = sp_count_log_bytes(&c->log, p->known ? SP_WINDOW_KNOWN : SP_WINDOW_JOB,
                                             p->known ? p->known->what : NULL, "MEM", -1);
    reading->n_levels = 1;
    reading->traffic[0] = (struct sp_traffic){.read_B = b.read_B, .write_B = b.write_B};
    return SP_OK;
}

/* Loops that store must stay loops: memset and memcpy may bypass the caches. */
static inline void as_written(void)
{
    __asm__ volatile("" ::: "memory");
}

enum kind { LOAD, STORE, MIX, STORE_NT, GATHER, CACHED };
enum { LINE_ITEMS = 8, BLOCK_ITEMS = 64 };

static double load(const double *v, int64_t n)
{
    double s[LINE_ITEMS] = {0};
    for (int64_t i = 0; i < n; i += LINE_ITEMS)
        for (int k = 0; k < LINE_ITEMS; k++)
            s[k] += v[i + k];
    for (int k = 1; k < LINE_ITEMS; k++)
        s[0] += s[k];
    return s[0];
}

static void store(double *v, int64_t n, double value)
{
    for (int64_t i = 0; i < n; i += LINE_ITEMS) {
        for (int k = 0; k < LINE_ITEMS; k++)
            v[i + k] = value;
        as_written();
    }
}

/* n items of `to`, each block the sum of `loads` blocks of `from` [n loads]. */
static void mix(double *restrict to, const double *restrict from, int64_t n, int loads)
{
    for (int64_t b = 0; b < n; b += BLOCK_ITEMS, from += (int64_t)loads * BLOCK_ITEMS) {
        double sum[BLOCK_ITEMS];
        for (int i = 0; i < BLOCK_ITEMS; i++)
            sum[i] = from[i];
        for (int l = 1; l < loads; l++)
            for (int i = 0; i < BLOCK_ITEMS; i++)
                sum[i] += from[(int64_t)l * BLOCK_ITEMS + i];
        for (int i = 0; i < BLOCK_ITEMS; i++)
            to[b + i] = sum[i];
        as_written();
    }
}

#ifdef __SSE2__
static void store_nt(double *v, int64_t n, double value)
{
    __m128d x = _mm_set1_pd(value);
    for (int64_t i = 0; i < n; i += 2)
        _mm_stream_pd(v + i, x);
    _mm_sfence();
}
#endif

/* One item of each of 2^bits lines, every line once, in an order that no prefetcher follows: steps
 * that are one-to-one on 2^bits numbers. */
static double gather(const double *v, int bits)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    double s = 0;
    for (uint64_t i = 0; i <= mask; i++) {
        uint64_t x = i * UINT64_C(0x9e3779b97f4a7c15) & mask;
        x ^= x >> (bits / 2);
        x = x * UINT64_C(0xbf58476d1ce4e5b9) & mask;
        x ^= x >> (bits / 2);
        s += v[x * LINE_ITEMS];
    }
    return s;
}

static int64_t part_items(const struct sp_known_volumes *v)
{
    return v->n / v->options.n_threads;
}

static int gather_bits(const struct sp_known_volumes *v)
{
    int bits = 4;
    while ((INT64_C(2) << bits) * LINE_ITEMS <= part_items(v))
        bits++;
    return bits;
}

/* Items that a mix stores: a part of the array is loaded, the rest stored. */
static int64_t mix_items(const struct sp_known_volumes *v, int loads)
{
    return part_items(v) / (loads + 1) / BLOCK_ITEMS * BLOCK_ITEMS;
}

static int64_t inner_items(const struct sp_known_volumes *v)
{
    int64_t n = v->options.inner_B / (int64_t)sizeof *v->memory / LINE_ITEMS * LINE_ITEMS;
    return n < part_items(v) ? n : part_items(v) / LINE_ITEMS * LINE_ITEMS;
}

enum { INNER_ROUNDS = 100 };

static double run_part(const struct sp_known_state *s, int thread)
{
    const struct sp_known_volumes *v = s->all;
    int64_t n = part_items(v), stored;
    double *part = v->memory + thread * n, sum = 0;
    switch ((enum kind)s->kind) {
    case LOAD:
        return load(part, n);
    case STORE:
        store(part, n, 1.5);
        return part[0];
    case MIX:
        stored = mix_items(v, s->loads_per_store);
        mix(part, part + stored, stored, s->loads_per_store);
        return part[0];
    case STORE_NT:
#ifdef __SSE2__
        store_nt(part, n, 1.5);
#endif
        return part[0];
    case GATHER:
        return gather(part, gather_bits(v));
    case CACHED:
        for (int i = 0; i < INNER_ROUNDS; i++)
            sum += load(part, inner_items(v));
        return sum;
    }
    return 0;
}

static enum sp_status run(void *state, int64_t repetitions, struct sp_run_stats *stats, struct sp_error *err)
{
    const struct sp_known_state *s = state;
    const int n_threads = s->all->options.n_threads;
    (void)err;
    double start = sp_now(), sum = 0;
#pragma omp parallel num_threads(n_threads) reduction(+ : sum)
    for (int64_t r = 0; r < repetitions; r++) {
#pragma omp for schedule(static, 1)
        for (int t = 0; t < n_threads; t++)
            sum += run_part(s, t);
    }
    volatile double keep = sum;
    (void)keep;
    for (int t = 0; stats && stats->thread_s && t < stats->n_threads; t++)
        stats->thread_s[t] = sp_now() - start;
    return SP_OK;
}

static void add(struct sp_known_volumes *v, const char *what, enum kind kind, int loads, double load_items,
                double store_items)
{
    int i = v->n_known++;
    double item_B = sizeof *v->memory * (double)v->options.n_threads;
    v->state[i] = (struct sp_known_state){v, kind, loads};
    v->known[i] = (struct sp_known){.what = what,
                                    .load_B = load_items * item_B,
                                    .store_B = store_items * item_B,
                                    .memory_share = kind != CACHED};
    v->job[i] =
        (struct sp_job){.name = what, .state = &v->state[i], .run = run, .n_threads = v->options.n_threads};
}

enum sp_status sp_known_volumes_open(const struct sp_known_options *options, struct sp_known_volumes *v,
                                     struct sp_error *err)
{
    memset(v, 0, sizeof *v);
    v->options = *options;
    int n_threads = options->n_threads;
    int64_t part = options->bytes / n_threads / (int64_t)sizeof *v->memory / 1024 * 1024;
    part = part < 4096 ? 4096 : part;
    void *p;
    enum sp_status status = sp_large_alloc(&sp_allocator_huge, part * n_threads, sizeof *v->memory,
                                           "the arrays of known volume", &p, err);
    if (status != SP_OK)
        return status;
    v->memory = p;
    v->n = part * n_threads;
#pragma omp parallel for schedule(static, 1) num_threads(n_threads)
    for (int t = 0; t < n_threads; t++)
        store(v->memory + t * part, part, 1);
    double all = (double)part;
    add(v, "load", LOAD, 0, all, 0);
    add(v, "store", STORE, 0, 0, all);
    static const struct {
        const char *what;
        int loads;
    } mixes[] = {{"copy", 1}, {"mix 3:1", 3}, {"mix 7:1", 7}, {"mix 15:1", 15}};
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        double stored = (double)mix_items(v, mixes[i].loads);
        add(v, mixes[i].what, MIX, mixes[i].loads, mixes[i].loads * stored, stored);
    }
#ifdef __SSE2__
    add(v, "store nt", STORE_NT, 0, 0, all);
#endif
    add(v, "gather", GATHER, 0, (double)(INT64_C(1) << gather_bits(v)) * LINE_ITEMS, 0);
    add(v, "in cache", CACHED, 0, (double)inner_items(v) * INNER_ROUNDS, 0);
    return SP_OK;
}

void sp_known_volumes_close(struct sp_known_volumes *v)
{
    if (!v)
        return;
    sp_large_free(&sp_allocator_huge, v->memory, v->n, sizeof *v->memory);
    memset(v, 0, sizeof *v);
}
