/* SDDMM and FusedMM on the test set of THEORY 6, or on matrices, in f32 against what one writes
 * first. Everything that is compared runs once a round, in turn; rates and ratios are those of the
 * best round of each.
 *
 *     bench_sampled [--threads N] [--samples N] [--precision f32|f64] [--table] [--small | --cases FIRST,END]
 *     bench_sampled [--threads N] [--samples N] [--precision f32|f64] [--table] [--inner R] gen spec ...
 *     bench_sampled --threshold [--threads N] [--samples N]
 *
 * The columns: Gflop/s of useful operations (2 r n_nz of SDDMM, 4 r n_nz of FusedMM); "fma" the
 * share of the ceiling of fused operations, sampled in the same rounds; "plain" and "simd" how many
 * times faster than a parallel loop over rows whose sums are scalar, or may be reordered; "pair"
 * how many times faster FusedMM is than SDDMM and SpMM one after the other (our SDDMM, and the best
 * SpMM here); "dense" the dense product A B^T charged with all of its operations, and how many
 * times faster SDDMM is than it; "tiled" how many times faster tiles are than rows.
 *
 * --table: for each case a row for bench/peers.sh in place of these columns, with quartiles over the
 * rounds: SDDMM's share of the ceiling, FusedMM's speed over that of the pair. One thread is timed by
 * its processor time.
 *
 * --threshold: the density from which on tiles are faster than rows here, where the ratio of their
 * times over density crosses 1, beside the one that the count of entries read gives, and the
 * printed ones. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/testset.h"
#include "kernels/ceiling.h"
#include "kernels/kernel.h"
#include "model/volume/volume.h"
#include "peer_dense.h"
#include "plain_sampled.h"
#include "rounds.h"
#include "sparse/generate/generate.h"
#include "sparse/product/verify.h"
#include "sys/machine/pages.h"

enum { MAX_SAMPLES = 100 };

/* What is timed in a round. */
enum timed { SDDMM, TILED, FUSEDMM, PLAIN, SIMD, PAIR, DENSE, N_TIMED };

struct settings {
    int n_threads, n_samples, first, end;
    int32_t inner; /* of matrices */
    enum sp_precision precision;
    bool table;
};

struct prepared {
    struct sp_layout layout;
    const struct sp_kernel *kernel;
    void *state;
    struct sp_kernel_facts facts;
};

static _Noreturn void fail(const struct sp_error *err)
{
    char text[2048];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "bench_sampled: %s\n", text);
    exit(EXIT_FAILURE);
}

/* The kernel of least time among the best ranked ones, of three runs each; NULL: none runs here. */
static const struct sp_kernel *fastest(const struct sp_layout *l, const struct sp_operands *o)
{
    enum { MOST = 3, RUNS = 3 };
    const struct sp_kernel *row[MOST], *best = NULL;
    double least = INFINITY;
    struct sp_error err;
    int n = sp_kernel_candidates(l, NULL, row, MOST);
    for (int i = 0; i < n && i < MOST; i++) {
        void *state;
        if (row[i]->prepare(l, o, &state, &err) != SP_OK)
            fail(&err);
        for (int k = 0; k <= RUNS; k++) { /* the first one warms up */
            double start = bench_now(l->partition.n_threads);
            if (row[i]->run(state, 1, NULL, &err) != SP_OK)
                fail(&err);
            double t = bench_now(l->partition.n_threads) - start;
            if (k > 0 && t < least) {
                least = t;
                best = row[i];
            }
        }
        row[i]->release(state);
    }
    return best;
}

/* The best kernel, run once and checked; the state stays empty where there is none. */
static void prepare(const struct sp_workload *w, struct prepared *p)
{
    struct sp_error err;
    struct sp_dense_arrays arrays;
    memset(p, 0, sizeof *p);
    if (sp_layout_make(w, true, &sp_allocator_huge, &p->layout, &err) != SP_OK ||
        sp_dense_make(w, 1, &arrays, &err) != SP_OK)
        fail(&err);
    struct sp_dense dense = sp_dense_of(&arrays);
    struct sp_operands o = {
        .x = dense.x, .rows = dense.rows, .second = dense.second, .allocator = &sp_allocator_huge};
    p->kernel = fastest(&p->layout, &o);
    if (p->kernel) {
        double *result = malloc((size_t)(sp_dense_n_result(w) + 1) * sizeof *result);
        if (p->kernel->prepare(&p->layout, &o, &p->state, &err) != SP_OK ||
            p->kernel->run(p->state, 1, NULL, &err) != SP_OK ||
            p->kernel->fetch(p->state, result, &err) != SP_OK ||
            sp_verify(w, &dense, result, NULL, &err) != SP_OK)
            fail(&err);
        p->kernel->facts(p->state, &p->facts);
        free(result);
    }
    sp_dense_free(&arrays);
}

static void release(struct prepared *p)
{
    if (p->kernel)
        p->kernel->release(p->state);
    sp_layout_free(&p->layout);
}

/* Runs often enough that a sample takes a few milliseconds. */
static double time_kernel(const struct prepared *p, int64_t repetitions)
{
    struct sp_error err;
    double start = bench_now(p->layout.partition.n_threads);
    if (p->kernel->run(p->state, repetitions, NULL, &err) != SP_OK)
        fail(&err);
    return (bench_now(p->layout.partition.n_threads) - start) / (double)repetitions;
}

/* One case: what is prepared, and the seconds of each candidate in each round. */
struct bench {
    const struct settings *settings;
    struct sp_csr matrix;
    struct prepared sddmm, tiled, fusedmm, spmm;
    struct plain_operands plain;
    float *dense; /* [n_r x n_c], NULL: not tried */
    int64_t repetitions;
    double seconds[N_TIMED][MAX_SAMPLES], fma[MAX_SAMPLES];
};

static double time_plain(const struct bench *b, void (*run)(const struct plain_operands *))
{
    double start = bench_now(b->settings->n_threads);
    for (int64_t i = 0; i < b->repetitions; i++)
        run(&b->plain);
    return (bench_now(b->settings->n_threads) - start) / (double)b->repetitions;
}

static double time_dense(const struct bench *b)
{
    const struct plain_operands *o = &b->plain;
    double start = bench_now(b->settings->n_threads);
    for (int64_t i = 0; i < b->repetitions; i++)
        peer_dense.run((int)o->n_r, (int)b->matrix.n_c, (int)o->r, o->rows, o->x, b->dense,
                       b->settings->n_threads);
    return (bench_now(b->settings->n_threads) - start) / (double)b->repetitions;
}

static void sample(struct bench *b, int i, const struct sp_ceiling_run *fma, int64_t fma_repetitions)
{
    struct sp_ceiling_sample s;
    sp_ceiling_sample(fma, fma_repetitions, &s);
    b->fma[i] = s.work / s.seconds;
    b->seconds[SDDMM][i] = time_kernel(&b->sddmm, b->repetitions);
    b->seconds[TILED][i] = time_kernel(&b->tiled, b->repetitions);
    b->seconds[FUSEDMM][i] = time_kernel(&b->fusedmm, b->repetitions);
    b->seconds[PAIR][i] = 0; /* in turn: neither finds the caches as it left them */
    for (int64_t k = 0; k < b->repetitions; k++)
        b->seconds[PAIR][i] +=
            (time_kernel(&b->sddmm, 1) + time_kernel(&b->spmm, 1)) / (double)b->repetitions;
    const bool floats = b->settings->precision == SP_F32 && !b->settings->table;
    b->seconds[PLAIN][i] = floats ? time_plain(b, plain_sddmm) : NAN;
    b->seconds[SIMD][i] = floats ? time_plain(b, plain_sddmm_simd) : NAN;
    b->seconds[DENSE][i] = b->dense ? time_dense(b) : NAN;
}

/* The least time of a candidate: others on the machine can only add to it. */
static double best(const struct bench *b, enum timed what)
{
    return sp_quantile(b->seconds[what], b->settings->n_samples, 0);
}

static void *alloc_or_fail(int64_t n, size_t size)
{
    struct sp_error err;
    void *p;
    if (sp_large_alloc(&sp_allocator_huge, n, size, "an array of a benchmark", &p, &err) != SP_OK)
        fail(&err);
    return p;
}

/* SDDMM of rows and of tiles whose part of A fits the first-level cache. */
static struct sp_workload prepare_formats(struct bench *b, int32_t r)
{
    struct sp_error err;
    struct sp_workload w = {.op = SP_OP_SDDMM,
                            .r = r,
                            .precision = b->settings->precision,
                            .schedule = SP_SCHEDULE_NNZ,
                            .n_threads = b->settings->n_threads,
                            .matrix = &b->matrix};
    char format[32];
    snprintf(format, sizeof format, "tiled:%d,%d",
             (int)sp_sddmm_tile_rows(r, (double)sp_precision_size(w.precision)), (int)r);
    if (sp_workload_set_format(&w, format, &err) != SP_OK)
        fail(&err);
    prepare(&w, &b->tiled);
    if (sp_workload_set_format(&w, "crs", &err) != SP_OK)
        fail(&err);
    prepare(&w, &b->sddmm);
    const double once = time_kernel(&b->sddmm, 1), sample_s = 1e-3;
    b->repetitions = once < sample_s ? (int64_t)(sample_s / once) + 1 : 1;
    return w;
}

static void prepare_case(struct bench *b, int32_t r)
{
    struct sp_workload w = prepare_formats(b, r);
    w.op = SP_OP_FUSEDMM;
    prepare(&w, &b->fusedmm);
    w.op = SP_OP_SPMM;
    prepare(&w, &b->spmm);
    const struct sp_layout *l = &b->sddmm.layout;
    b->plain = (struct plain_operands){.n_r = l->n_r,
                                       .r = r,
                                       .row_ptr = l->ptr,
                                       .col = l->col,
                                       .val = l->val,
                                       .rows = b->sddmm.facts.rows,
                                       .x = b->sddmm.facts.x,
                                       .p = alloc_or_fail(l->n_nz, sizeof(float)),
                                       .n_threads = b->settings->n_threads};
    const bool small = l->n_r * l->n_c <= INT64_C(1) << 28 && l->precision == SP_F32 && !b->settings->table;
    b->dense = peer_dense.absent || !small ? NULL : alloc_or_fail(l->n_r * l->n_c, sizeof(float));
}

static void release_case(struct bench *b)
{
    const struct sp_layout *l = &b->sddmm.layout;
    sp_large_free(&sp_allocator_huge, b->plain.p, l->n_nz, sizeof(float));
    sp_large_free(&sp_allocator_huge, b->dense, l->n_r * l->n_c, sizeof(float));
    release(&b->tiled);
    release(&b->fusedmm);
    release(&b->spmm);
    release(&b->sddmm);
    sp_csr_free(&b->matrix);
}

/* Products of ratios, for geometric means. */
struct means {
    double plain, simd, pair, tiled;
    int n;
};

/* | rows x columns | r | entries a row | threads | SDDMM Gflop/s | its share of the ceiling | quartiles
 * | FusedMM Gflop/s | x its pair | quartiles | rounds | */
static void print_row(const struct bench *b, double fma)
{
    const struct sp_layout *l = &b->sddmm.layout;
    const int n = b->settings->n_samples;
    const double flops = 2.0 * l->r * (double)l->n_nz;
    double share[MAX_SAMPLES], pair[MAX_SAMPLES];
    for (int i = 0; i < n; i++) {
        share[i] = 100 * flops / b->seconds[SDDMM][i] / fma;
        pair[i] = b->seconds[PAIR][i] / b->seconds[FUSEDMM][i];
    }
    const struct bench_ratio of_fma = bench_quartiles(share, n), of_pair = bench_quartiles(pair, n);
    printf("| %lld x %lld | %d | %.0f | %d | %.1f | %.0f %% | %.0f ... %.0f | %.1f | %.2f | %.2f ... %.2f | "
           "%d |\n",
           (long long)l->n_r, (long long)l->n_c, (int)l->r, (double)l->n_nz / (double)l->n_r,
           b->settings->n_threads, 1e-9 * flops / best(b, SDDMM), of_fma.median, of_fma.low, of_fma.high,
           2e-9 * flops / best(b, FUSEDMM), of_pair.median, of_pair.low, of_pair.high, n);
}

static void print_case(const struct bench *b, struct means *means)
{
    const struct sp_layout *l = &b->sddmm.layout;
    const int n = b->settings->n_samples;
    double flops = 2.0 * l->r * (double)l->n_nz, all = 2.0 * l->r * (double)l->n_r * (double)l->n_c;
    double sddmm = flops / best(b, SDDMM), fusedmm = 2 * flops / best(b, FUSEDMM),
           fma = sp_quantile(b->fma, n, 1);
    double plain = best(b, PLAIN) / best(b, SDDMM), simd = best(b, SIMD) / best(b, SDDMM),
           tiled = best(b, SDDMM) / best(b, TILED), pair = best(b, PAIR) / best(b, FUSEDMM);
    means->plain += log(plain);
    means->simd += log(simd);
    means->tiled += log(tiled);
    means->pair += log(pair);
    means->n++;
    if (b->settings->table) {
        print_row(b, fma);
        return;
    }
    printf("%6lld x %5lld %4d %5.1f %% | %6.1f %5.1f %% %6.2f %6.2f %6.2f | %6.1f %5.1f %% %6.2f",
           (long long)l->n_r, (long long)l->n_c, (int)l->r,
           100 * (double)l->n_nz / ((double)l->n_r * (double)l->n_c), sddmm * 1e-9, 100 * sddmm / fma, plain,
           simd, tiled, fusedmm * 1e-9, 100 * fusedmm / fma, pair);
    if (b->dense)
        printf(" | %6.1f %6.2f", all / best(b, DENSE) * 1e-9, best(b, DENSE) / best(b, SDDMM));
    printf("\n");
}

static void bench_case(const struct settings *s, const char *spec, int32_t r,
                       const struct sp_ceiling_run *fma, struct means *means)
{
    struct bench *b = calloc(1, sizeof *b);
    struct sp_error err;
    b->settings = s;
    if (sp_generate(spec, NULL, &b->matrix, &err) != SP_OK)
        fail(&err);
    prepare_case(b, r);
    const int64_t fma_repetitions = sp_ceiling_calibrate(fma, 2e-3);
    for (int k = 0; k < s->n_samples; k++)
        sample(b, k, fma, fma_repetitions);
    print_case(b, means);
    fflush(stdout);
    release_case(b);
    free(b);
}

/* How many times faster tiles are than rows, for rows of `in_row` entries. */
static double gain_of_tiles(const struct settings *s, int64_t n, int32_t r, int64_t in_row)
{
    struct bench *b = calloc(1, sizeof *b);
    struct sp_error err;
    char spec[64];
    b->settings = s;
    snprintf(spec, sizeof spec, "random:%lldx%lld:%lld:1", (long long)n, (long long)n, (long long)in_row);
    if (sp_generate(spec, NULL, &b->matrix, &err) != SP_OK)
        fail(&err);
    prepare_formats(b, r);
    for (int i = 0; i < s->n_samples; i++) {
        b->seconds[SDDMM][i] = time_kernel(&b->sddmm, b->repetitions);
        b->seconds[TILED][i] = time_kernel(&b->tiled, b->repetitions);
    }
    const double gain = best(b, SDDMM) / best(b, TILED);
    release(&b->tiled);
    release(&b->sddmm);
    sp_csr_free(&b->matrix);
    free(b);
    return gain;
}

/* The density between two where the gain is 1, by the logarithms. */
static double crossing(double low, double gain_low, double high, double gain_high)
{
    if (gain_low <= 0)
        return high;
    return low * pow(high / low, log(1 / gain_low) / log(gain_high / gain_low));
}

static void find_threshold(const struct settings *s, int64_t n, int32_t r)
{
    const int32_t T_i = sp_sddmm_tile_rows(r, sizeof(float));
    double before = 0, density_before = 0, threshold = NAN;
    printf("n = %lld, r = %d, blocks of %d rows: tiles against rows", (long long)n, (int)r, (int)T_i);
    for (int64_t in_row = n / 512; in_row <= n / 4; in_row *= 2) {
        const double gain = gain_of_tiles(s, n, r, in_row), density = (double)in_row / (double)n;
        printf("  %.2g %%: %.2f", 100 * density, gain);
        if (gain < 1)
            threshold = NAN; /* rows are faster still */
        else if (isnan(threshold))
            threshold = crossing(density_before, before, density, gain);
        before = gain;
        density_before = density;
    }
    printf("\n  threshold: measured %.3g %%, by entries read %.3g %% (1/(2 T_i) %.3g %%), printed 1/(T_i r) "
           "%.3g %% and %.3g %%\n",
           100 * threshold, 100 * sp_sddmm_threshold(T_i, r, r, (double)n), 50.0 / T_i, 100.0 / (T_i * r),
           0.01);
    fflush(stdout);
}

static void find_thresholds(const struct settings *s)
{
    for (int64_t n = 2048; n <= 8192; n *= 4)
        for (int32_t r = 32; r <= 128; r *= 4)
            find_threshold(s, n, r);
}

/* The matrices, or where there is none the test set. */
static void bench_cases(const struct settings *s, int n_specs, char **specs)
{
    struct sp_error err;
    struct sp_ceiling_arena arena;
    struct sp_ceiling_run fma;
    struct means means = {0};
    if (sp_ceiling_arena_open(NULL, 1 << 20, s->n_threads, 0, &arena, &err) != SP_OK ||
        sp_ceiling_prepare(&fma, &arena, s->precision == SP_F32 ? SP_CEILING_FMA_F32 : SP_CEILING_FMA_F64, 0,
                           s->n_threads, 1, NULL, &err) != SP_OK)
        fail(&err);
    if (peer_dense.absent)
        printf("no dense routine: %s\n", peer_dense.absent);
    printf("%14s %4s %7s | SDDMM:  fma   plain   simd  tiled | FusedMM: fma   pair%s\n", "n_r x n_c", "r",
           "density", peer_dense.absent ? "" : " | dense  SDDMM");
    char spec[64];
    for (int i = s->first; i < s->end && n_specs == 0; i++)
        bench_case(s, testset_spec(i, spec, sizeof spec), testset_case(i).r, &fma, &means);
    for (int i = 0; i < n_specs; i++)
        bench_case(s, specs[i], s->inner, &fma, &means);
    if (means.n > 0 && s->precision == SP_F32 && !s->table)
        printf("geometric means of %d: plain %.2f, simd %.2f, tiled %.2f, pair %.2f\n", means.n,
               exp(means.plain / means.n), exp(means.simd / means.n), exp(means.tiled / means.n),
               exp(means.pair / means.n));
    else if (means.n > 0)
        printf("geometric means of %d: tiled %.2f, pair %.2f\n", means.n, exp(means.tiled / means.n),
               exp(means.pair / means.n));
    sp_ceiling_arena_close(&arena);
}

int main(int argc, char **argv)
{
    bool threshold = false;
    struct settings s = {.n_threads = 2, .n_samples = 7, .end = TESTSET_N, .inner = 32, .precision = SP_F32};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--threads") == 0 && more)
            s.n_threads = atoi(argv[++i]);
        else if (strcmp(argv[i], "--samples") == 0 && more)
            s.n_samples = atoi(argv[++i]);
        else if (strcmp(argv[i], "--inner") == 0 && more)
            s.inner = (int32_t)atoi(argv[++i]);
        else if (strcmp(argv[i], "--precision") == 0 && more)
            s.precision = strcmp(argv[++i], "f64") == 0 ? SP_F64 : SP_F32;
        else if (strcmp(argv[i], "--table") == 0)
            s.table = true;
        else if (strcmp(argv[i], "--threshold") == 0)
            threshold = true;
        else if (strcmp(argv[i], "--small") == 0)
            s.end = 36;
        else if (strcmp(argv[i], "--cases") == 0 && more &&
                 sscanf(argv[i + 1], "%d,%d", &s.first, &s.end) == 2)
            i++;
        else {
            fprintf(stderr, "bench_sampled: do not understand '%s'\n", argv[i]);
            return EXIT_FAILURE;
        }
    }
    if (s.n_samples < 1 || s.n_samples > MAX_SAMPLES || s.first < 0 || s.end > TESTSET_N) {
        fprintf(stderr, "bench_sampled: 1 to %d samples, cases 0 to %d\n", MAX_SAMPLES, TESTSET_N);
        return EXIT_FAILURE;
    }
    struct sp_error err;
    if (bench_pin(&s.n_threads, &err) != SP_OK)
        fail(&err);
    if (threshold)
        find_thresholds(&s);
    else
        bench_cases(&s, argc - i, argv + i);
    return EXIT_SUCCESS;
}
