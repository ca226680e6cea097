#include "kernels/ceiling.h"

#include <omp.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/option/option_words.h"
#include "kernels/cpu/ceiling/ceiling_isa.h"

enum { LINE = 64, UNIT = 1024, STAGGER = 5 * LINE, PROBE = 16 << 20 /* bytes touched at a time */ };

const char *sp_ceiling_kind_name(enum sp_ceiling_kind kind)
{
    static const char *const names[SP_N_CEILING_KINDS] = {
        "load",      "load_mix", "copy", "copy_nt", "triad",  "triad_nt", "gather",
        "gather_ld", "scalar",   "simd", "fma",     "scalar", "simd",     "fma"};
    return names[kind];
}

const char *sp_ceiling_kind_precision(enum sp_ceiling_kind kind)
{
    return kind >= SP_CEILING_SCALAR_F32 ? "f32" : "f64";
}

/* Thread k of n touches the k-th part of p[bytes]. Returns the seconds. */
static double touch(char *p, size_t bytes, int n_threads)
{
    double start = sp_now();
#pragma omp parallel num_threads(n_threads)
    {
        size_t k = (size_t)omp_get_thread_num(), n = (size_t)omp_get_num_threads();
        size_t from = bytes / n * k, to = k + 1 == n ? bytes : bytes / n * (k + 1);
        memset(p + from, 0, to - from);
    }
    return sp_now() - start;
}

enum sp_status sp_ceiling_arena_open(const struct sp_allocator *allocator, size_t bytes, int n_threads,
                                     double touch_budget_s, struct sp_ceiling_arena *arena,
                                     struct sp_error *err)
{
    memset(arena, 0, sizeof *arena);
    struct sp_ceiling_arena a = {
        .bytes = bytes, .allocated_B = bytes, .n_threads = n_threads, .allocator = allocator};
    enum sp_status status = sp_large_alloc(allocator, (int64_t)bytes, 1, "the ceilings", &a.memory, err);
    if (status != SP_OK)
        return status;
    size_t first = bytes < PROBE || touch_budget_s <= 0 ? bytes : PROBE;
    a.touch_s = touch(a.memory, first, n_threads);
    if (first < bytes && a.touch_s / (double)first * (double)bytes <= touch_budget_s) {
        /* Affordable: once more, so that every part is first touched by its own thread. */
        sp_large_free(allocator, a.memory, (int64_t)bytes, 1);
        status = sp_large_alloc(allocator, (int64_t)bytes, 1, "the ceilings", &a.memory, err);
        if (status != SP_OK)
            return status;
        a.touch_s += touch(a.memory, bytes, n_threads);
    } else if (first < bytes) {
        for (a.bytes = first; a.bytes + PROBE <= bytes && a.touch_s < touch_budget_s; a.bytes += PROBE)
            a.touch_s += touch((char *)a.memory + a.bytes, PROBE, n_threads);
    }
    *arena = a;
    return SP_OK;
}

void sp_ceiling_arena_close(struct sp_ceiling_arena *arena)
{
    if (arena->memory)
        sp_large_free(arena->allocator, arena->memory, (int64_t)arena->allocated_B, 1);
    memset(arena, 0, sizeof *arena);
}

static const struct sp_ceiling_isa *choose(const char *isa)
{
#if SP_X86
    if ((!isa || strcmp(isa, "avx512") == 0) && __builtin_cpu_supports("avx512f"))
        return &sp_ceiling_avx512;
    if ((!isa || strcmp(isa, "avx2") == 0) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &sp_ceiling_avx2;
#endif
    return !isa || strcmp(isa, "portable") == 0 ? &sp_ceiling_portable : NULL;
}

static sp_ceiling_loop *loop_of(const struct sp_ceiling_isa *isa, enum sp_ceiling_kind kind)
{
    sp_ceiling_loop *const loops[SP_N_CEILING_KINDS] = {
        isa->load,     isa->load_mix,   isa->copy,         isa->copy_nt,    isa->triad,
        isa->triad_nt, isa->gather,     isa->gather_loads, isa->scalar_f64, isa->simd_f64,
        isa->fma_f64,  isa->scalar_f32, isa->simd_f32,     isa->fma_f32};
    return loops[kind];
}

/* Bytes of the streams a, b, c per byte of the longest, and the counted bytes per byte of the
 * longest. */
static void shape(enum sp_ceiling_kind kind, int w, double stream[3], double *counted)
{
    static const double shapes[][3] = {{1, 0, 0}, {1, 0.5, 0}, {1, 0, 1}, {1, 0, 1},
                                       {1, 1, 1}, {1, 1, 1},   {1, 0, 0}, {1, 0, 0}};
    for (int i = 0; i < 3; i++)
        stream[i] = shapes[kind][i];
    bool plain = kind == SP_CEILING_COPY || kind == SP_CEILING_TRIAD;
    *counted = stream[0] + stream[1] + stream[2] * (plain ? w : 1);
}

static _Alignas(64) uint32_t gather_list[SP_CEILING_GATHER_LIST];
static int64_t gather_first; /* the next list that was not used; only the thread that samples changes it */

/* Line SP_CEILING_GATHER_ODD p (mod 2^32) for the numbers p below the list's length in a random
 * order, and of each line any element. List l stands for p + l SP_CEILING_GATHER_LIST; a product
 * with an odd number is a permutation of the numbers mod 2^k, so every line of x is visited once
 * before any comes again. */
static void make_gather_list(void)
{
    struct sp_random random = {1};
    uint32_t p[SP_CEILING_GATHER_LIST] = {0};
    for (uint32_t i = 0; i < SP_CEILING_GATHER_LIST; i++) {
        const int64_t j = sp_random_below(&random, (int64_t)i + 1);
        p[i] = p[j];
        p[j] = i;
    }
    for (int i = 0; i < SP_CEILING_GATHER_LIST; i++)
        gather_list[i] = SP_CEILING_GATHER_ODD * p[i] * 8 + (uint32_t)sp_random_below(&random, 8);
}

/* x of each thread: the largest power of two in its share, at most 2^30 elements. */
static enum sp_status prepare_gather(struct sp_ceiling_run *r, size_t arena_B, size_t bytes,
                                     struct sp_error *err)
{
    const size_t share = bytes / (size_t)r->n_threads;
    r->distance = arena_B / (size_t)r->n_threads / LINE * LINE;
    for (r->stream = UNIT; (size_t)r->stream * 2 <= share && r->stream < INT64_C(1) << 33;)
        r->stream *= 2;
    if (bytes > arena_B || share < 4 * UNIT || (size_t)r->stream > r->distance)
        return sp_fail(err, SP_USAGE, "choose a working set of at least 4 KiB a thread and at most the arena",
                       "a working set of %zu B does not fit the ceiling %s", bytes,
                       sp_ceiling_kind_name(r->kind));
    make_gather_list();
    r->bytes_used = r->stream * r->n_threads;
    r->work = (double)SP_CEILING_GATHER_LIST * r->n_threads;
    return SP_OK;
}

/* Flops of one repetition of one thread. */
static double operations(const struct sp_ceiling_isa *isa, enum sp_ceiling_kind kind)
{
    bool scalar = kind == SP_CEILING_SCALAR_F64 || kind == SP_CEILING_SCALAR_F32;
    int lanes = scalar ? 1 : isa->vector_B / (kind >= SP_CEILING_SCALAR_F32 ? 4 : 8);
    return 2.0 * lanes * SP_CEILING_CHAINS * SP_CEILING_ROUNDS;
}

enum sp_status sp_ceiling_prepare(struct sp_ceiling_run *run, const struct sp_ceiling_arena *arena,
                                  enum sp_ceiling_kind kind, size_t bytes, int n_threads, int w,
                                  const char *isa, struct sp_error *err)
{
    memset(run, 0, sizeof *run);
    const struct sp_ceiling_isa *chosen = choose(isa);
    if (!chosen)
        return sp_fail(err, SP_ABSENT, "leave " SP_O_ISA " away", "this CPU or build has no %s ceilings",
                       isa);
    if (!loop_of(chosen, kind))
        return sp_fail(err, SP_ABSENT, NULL, "no %s ceiling for the instruction set %s",
                       sp_ceiling_kind_name(kind), chosen->name);
    struct sp_ceiling_run r = {.kind = kind, .n_threads = n_threads, .isa = chosen, .isa_name = chosen->name};
    if (sp_ceiling_kind_is_flops(kind)) {
        r.work = operations(chosen, kind) * n_threads;
        r.memory = arena->memory; /* not used, but pointers may be computed from it */
        *run = r;
        return SP_OK;
    }
    if (sp_ceiling_kind_is_gather(kind)) {
        r.memory = arena->memory;
        enum sp_status status = prepare_gather(&r, arena->bytes, bytes, err);
        if (status == SP_OK)
            *run = r;
        return status;
    }
    double stream[3], counted;
    shape(kind, w, stream, &counted);
    int n_streams = (stream[0] > 0) + (stream[1] > 0) + (stream[2] > 0);
    double share = (double)bytes / n_threads - (n_streams - 1) * STAGGER;
    r.stream = (int64_t)(share / (stream[0] + stream[1] + stream[2])) / UNIT * UNIT;
    r.distance = arena->bytes / (size_t)n_threads / LINE * LINE;
    if (bytes > arena->bytes || r.stream < UNIT)
        return sp_fail(err, SP_USAGE, "choose a working set of at least 4 KiB a thread and at most the arena",
                       "a working set of %zu B does not fit the ceiling %s", bytes,
                       sp_ceiling_kind_name(kind));
    /* The streams lie one after the other, a few lines apart, so that equal places of two streams
     * do not fall into the same cache set or page offset. */
    int64_t at = 0;
    for (int i = 0; i < 3; i++) {
        r.offset[i] = at;
        if (stream[i] > 0) {
            at += (int64_t)((double)r.stream * stream[i]) + STAGGER;
            r.bytes_used += (int64_t)((double)r.stream * stream[i]) * n_threads;
        }
    }
    r.memory = arena->memory;
    r.work = counted * (double)r.stream * n_threads;
    *run = r;
    return SP_OK;
}

static double thread_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void sp_ceiling_sample(const struct sp_ceiling_run *run, int64_t repetitions,
                       struct sp_ceiling_sample *sample)
{
    sp_ceiling_loop *loop = loop_of(run->isa, run->kind);
    double first = 1e300, last = 0, busy = 1, most = 0;
    const bool gathers = sp_ceiling_kind_is_gather(run->kind);
#pragma omp parallel num_threads(run->n_threads) reduction(min : first, busy) reduction(max : last, most)
    {
        char *part = run->memory + run->distance * (size_t)omp_get_thread_num();
        char *second = gathers ? (char *)gather_list : part + run->offset[1];
        char *third = gathers ? (char *)&gather_first : part + run->offset[2];
        double sink;
#pragma omp barrier
        double cpu = thread_time();
        first = sp_now();
        loop(part + run->offset[0], second, third, run->stream, repetitions, &sink);
        last = sp_now();
        most = thread_time() - cpu;
        busy = last > first && most < last - first ? most / (last - first) : 1;
        __asm__ volatile("" : : "r"(&sink) : "memory"); /* used */
    }
    gather_first += gathers ? repetitions : 0;
    *sample = (struct sp_ceiling_sample){last - first, run->work * (double)repetitions, busy, most};
}

int64_t sp_ceiling_gather_pass(const struct sp_ceiling_run *run)
{
    const int64_t n_lines = run->stream / LINE;
    return (n_lines + SP_CEILING_GATHER_LIST - 1) / SP_CEILING_GATHER_LIST;
}

int64_t sp_ceiling_calibrate(const struct sp_ceiling_run *run, double target_s)
{
    struct sp_ceiling_sample sample;
    int64_t n = 1;
    for (;; n *= 4) {
        sp_ceiling_sample(run, n, &sample);
        if (sample.cpu_s > 0.05 * target_s || n > INT64_C(1) << 40)
            break;
    }
    double wanted = sample.cpu_s > 0 ? target_s / sample.cpu_s * (double)n : 1;
    return wanted < 1 ? 1 : (int64_t)wanted;
}

/* Sattolo's shuffle gives one cycle through all lines. The first eight bytes of a line hold the
 * next one's number. */
void sp_ceiling_chase_build(const struct sp_ceiling_arena *arena, size_t bytes, uint64_t seed)
{
    int64_t n = (int64_t)(bytes / LINE), *line = arena->memory;
    const int64_t stride = LINE / (int64_t)sizeof *line;
    struct sp_random random = {seed};
    for (int64_t i = 0; i < n; i++)
        line[i * stride] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = sp_random_below(&random, i), t = line[i * stride];
        line[i * stride] = line[j * stride];
        line[j * stride] = t;
    }
}

double sp_ceiling_chase(const struct sp_ceiling_arena *arena, int64_t steps, int64_t *position)
{
    const int64_t *line = arena->memory;
    const int64_t stride = LINE / (int64_t)sizeof *line;
    int64_t p = *position;
    double start = sp_now();
    for (int64_t i = 0; i < steps; i++)
        p = line[p * stride];
    double seconds = sp_now() - start;
    *position = p;
    return seconds / (double)steps;
}

/* ---- gathers that are scattered over pages ---- */

enum { LIST = 1024, WORDS = 8 /* of 8 bytes in a line */ };

/* Elements of n_lists lists in turn; four sums, so that no gather waits for the one before. */
static __attribute__((noinline)) double gather(const double *x, uint32_t mask, const uint32_t *list,
                                               int64_t n_lists, int64_t repetitions)
{
    double a = 0, b = 0, c = 0, d = 0;
    for (int64_t r = 0; r < repetitions; r++) {
        const uint32_t from = (uint32_t)(r % n_lists) * (SP_CEILING_GATHER_ODD * LIST * WORDS);
        for (int k = 0; k < LIST; k += 4) {
            a += x[(list[k] + from) & mask];
            b += x[(list[k + 1] + from) & mask];
            c += x[(list[k + 2] + from) & mask];
            d += x[(list[k + 3] + from) & mask];
        }
    }
    return a + b + c + d;
}

double sp_ceiling_scattered(const void *memory, size_t bytes, int64_t n_lines, int n_threads,
                            int64_t repetitions)
{
    const uint32_t mask = (uint32_t)(bytes / sizeof(double) - 1);
    const int64_t n_lists = n_lines / LIST;
    uint32_t list[LIST] = {0};
    struct sp_random random = {1};
    double first = 1e300, last = 0;
    for (uint32_t i = 0; i < LIST; i++) {
        const int64_t j = sp_random_below(&random, (int64_t)i + 1);
        list[i] = list[j];
        list[j] = SP_CEILING_GATHER_ODD * i * WORDS;
    }
#pragma omp parallel num_threads(n_threads) reduction(min : first) reduction(max : last)
    {
        double sink = gather(memory, mask, list, n_lists, n_lists);
#pragma omp barrier
        first = sp_now();
        sink += gather(memory, mask, list, n_lists, repetitions);
        last = sp_now();
        __asm__ volatile("" : : "r"(&sink) : "memory"); /* used */
    }
    return (last - first) / ((double)repetitions * LIST);
}
