#include "probes/known_volume.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/clock.h"
#include "sys/machine/pages.h"

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
