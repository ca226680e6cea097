/* The time of BCSR as a line in its number of blocks [THEORY 7]: bench_bcsr [--threads N] [--cache MB]
 * [--samples N].
 *
 * Band matrices of 16384 rows and half-bandwidths from 64 to 4096, and from 2 on for what fits a cache, are
 * multiplied in several block sizes, by one vector and by eight, and T = T_e n_e + T_init is fitted (relative
 * residuals) for each block size, apart for what fits the last-level cache (below half of --cache) and what
 * does not (above twice that). Then, for matrices of ten other structures, the block size of least predicted
 * time, from n_e alone and without converting, is compared with that of least measured time.
 *
 * All candidates of a matrix run in turn, `samples` times; a time is the least of them, and a tie is a
 * measured time within the spread of the best one, 3 to 10 %. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/reading.h"
#include "bench/block_fit.h"
#include "kernels/kernel.h"
#include "sparse/formats/bcsr.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "sparse/product/workload.h"
#include "sys/machine/pages.h"

enum { N_SHAPES = 6, N_WIDTHS = 2, MAX_SAMPLES = 101, MAX_POINTS = 32, N_BANDS = 22, N_REGIMES = 2 };
static const int32_t shapes[N_SHAPES][2] = {{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 8}, {16, 16}};
static const int32_t widths[N_WIDTHS] = {1, 8};
/* Blocks that fill up a matrix beyond this are not tried. */
static const double MOST_B = 1e9;
static const char *const regimes[N_REGIMES] = {"in cache", "from memory"};

struct settings {
    int n_threads, n_samples;
    double cache_B;
};

struct timed {
    struct sp_layout layout;
    const struct sp_kernel *kernel;
    void *state;
    int64_t n_e, repetitions;
    double bytes, sample_s[MAX_SAMPLES];
    bool there;
};

static _Noreturn void fail(const struct sp_error *err)
{
    char text[2400];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(EXIT_FAILURE);
}

static void prepare(const struct settings *s, const struct sp_csr *a, int shape, int32_t r, struct timed *t)
{
    struct sp_error err;
    struct sp_workload w = {.op = r > 1 ? SP_OP_SPMM : SP_OP_SPMV,
                            .r = r,
                            .format = SP_FORMAT_BCSR,
                            .b_h = shapes[shape][0],
                            .b_w = shapes[shape][1],
                            .schedule = SP_SCHEDULE_NNZ,
                            .n_threads = s->n_threads,
                            .matrix = a};
    struct sp_dense_arrays arrays;
    if (sp_layout_make(&w, true, &sp_allocator_huge, &t->layout, &err) != SP_OK ||
        sp_dense_make(&w, 1, &arrays, &err) != SP_OK)
        fail(&err);
    struct sp_operands operands = {.x = arrays.x, .allocator = &sp_allocator_huge};
    if (sp_kernel_candidates(&t->layout, NULL, &t->kernel, 1) < 1 ||
        t->kernel->prepare(&t->layout, &operands, &t->state, &err) != SP_OK)
        fail(&err);
    sp_dense_free(&arrays);
    t->n_e = t->layout.n_indices;
    t->bytes = sp_layout_matrix_bytes(&t->layout) + sp_layout_array_bytes(&t->layout, SP_ARRAY_X) +
               sp_layout_array_bytes(&t->layout, SP_ARRAY_Y);
    double start = sp_now();
    t->kernel->run(t->state, 1, NULL, &err); /* warms up */
    t->repetitions = (int64_t)(3e-3 / (sp_now() - start)) + 1;
    t->there = true;
}

static void release(struct timed *t)
{
    if (t->there)
        t->kernel->release(t->state);
    sp_layout_free(&t->layout);
    *t = (struct timed){.there = false};
}

static void run_all(const struct settings *s, struct timed *t, int n)
{
    struct sp_error err;
    for (int i = 0; i < s->n_samples; i++)
        for (int k = 0; k < n; k++) {
            if (!t[k].there)
                continue;
            double start = sp_now();
            if (t[k].kernel->run(t[k].state, t[k].repetitions, NULL, &err) != SP_OK)
                fail(&err);
            t[k].sample_s[i] = (sp_now() - start) / (double)t[k].repetitions;
        }
}

static double least(const struct settings *s, const struct timed *t)
{
    return sp_quantile(t->sample_s, s->n_samples, 0);
}

/* 0: in cache, 1: from memory, -1: between. */
static int regime_of(const struct settings *s, double bytes)
{
    return bytes < s->cache_B / 2 ? 0 : bytes > 2 * s->cache_B ? 1 : -1;
}

struct points {
    struct block_time point[N_SHAPES][N_REGIMES][MAX_POINTS];
    int n[N_SHAPES][N_REGIMES];
};

/* Half-bandwidths in steps of a factor of the root of two. */
static void sweep(const struct settings *s, int32_t r, struct points *points)
{
    memset(points, 0, sizeof *points);
    for (int i = 0; i < N_BANDS; i++) {
        char spec[64];
        struct sp_csr a;
        struct sp_error err;
        snprintf(spec, sizeof spec, "band:16384:%d", (int)(2 * pow(2, 11.0 * i / (N_BANDS - 1)) + 0.5));
        if (sp_generate(spec, &sp_allocator_huge, &a, &err) != SP_OK)
            fail(&err);
        for (int k = 0; k < N_SHAPES; k++) {
            struct timed t = {.there = false};
            prepare(s, &a, k, r, &t);
            run_all(s, &t, 1);
            int regime = regime_of(s, t.bytes);
            if (regime >= 0)
                points->point[k][regime][points->n[k][regime]++] =
                    (struct block_time){(double)t.n_e, least(s, &t)};
            release(&t);
        }
        sp_csr_free(&a);
    }
}

static void fit_all(const struct points *points, struct block_fit fit[N_SHAPES][N_REGIMES])
{
    for (int k = 0; k < N_SHAPES; k++)
        for (int g = 0; g < N_REGIMES; g++) {
            struct block_fit f = block_fit(points->point[k][g], points->n[k][g], true);
            fit[k][g] = f;
            if (!f.known)
                printf("  %2d x %-2d %-11s  %d points: no fit\n", shapes[k][0], shapes[k][1], regimes[g],
                       f.n);
            else
                printf(
                    "  %2d x %-2d %-11s  %2d points  T_e %8.3f +- %6.3f ns   T_init %9.2f +- %7.2f us   R^2 "
                    "%.5f\n",
                    shapes[k][0], shapes[k][1], regimes[g], f.n, f.T_e * 1e9, f.T_e_half * 1e9,
                    f.T_init * 1e6, f.T_init_half * 1e6, f.R2);
        }
}

/* Returns whether the block size that was predicted is the best measured one, or as good. */
static bool compare(const struct settings *s, const char *spec, int32_t r,
                    struct block_fit fit[N_SHAPES][N_REGIMES])
{
    struct sp_csr a;
    struct sp_error err;
    struct timed t[N_SHAPES] = {{.there = false}};
    double predicted[N_SHAPES];
    int best = -1, chosen = -1;
    if (sp_generate(spec, &sp_allocator_huge, &a, &err) != SP_OK)
        fail(&err);
    struct sp_pattern pattern = sp_csr_pattern(&a);
    for (int k = 0; k < N_SHAPES; k++) {
        struct sp_blocks b;
        if (sp_blocks_count(&pattern, shapes[k][0], shapes[k][1], NULL, &b, &err) != SP_OK)
            fail(&err);
        double area_B = 8.0 * shapes[k][0] * shapes[k][1] + 4;
        double bytes = area_B * (double)b.n_e + 8.0 * r * (double)(a.n_r + a.n_c);
        int regime = bytes < s->cache_B ? 0 : 1;
        if (!fit[k][regime].known)
            regime = 1 - regime;
        predicted[k] = INFINITY;
        if (!fit[k][regime].known || bytes > MOST_B)
            continue;
        predicted[k] = block_fit_time(&fit[k][regime], (double)b.n_e);
        if (fit[k][0].known) /* no faster from memory than in cache */
            predicted[k] = fmax(predicted[k], block_fit_time(&fit[k][0], (double)b.n_e));
        prepare(s, &a, k, r, &t[k]);
        if (chosen < 0 || predicted[k] < predicted[chosen])
            chosen = k;
    }
    run_all(s, t, N_SHAPES);
    for (int k = 0; k < N_SHAPES; k++)
        if (t[k].there && (best < 0 || least(s, &t[k]) < least(s, &t[best])))
            best = k;
    double spread = fmin(0.1, fmax(0.03, sp_relative_spread(t[best].sample_s, s->n_samples)));
    bool right = chosen == best || least(s, &t[chosen]) <= (1 + spread) * least(s, &t[best]);
    printf("  %-34s predicted %2d x %-2d  best %2d x %-2d  %s (%.1f %% slower, spread %.1f %%)\n", spec,
           shapes[chosen][0], shapes[chosen][1], shapes[best][0], shapes[best][1],
           chosen == best ? "same"
           : right        ? "tie"
                          : "WRONG",
           100 * (least(s, &t[chosen]) / least(s, &t[best]) - 1), 100 * spread);
    for (int k = 0; k < N_SHAPES; k++) {
        if (t[k].there)
            printf("      %2d x %-2d  n_e %10lld  predicted %9.1f us  measured %9.1f us\n", shapes[k][0],
                   shapes[k][1], (long long)t[k].n_e, predicted[k] * 1e6, least(s, &t[k]) * 1e6);
        release(&t[k]);
    }
    sp_csr_free(&a);
    return right;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    static const char *const ten[] = {"block:16384:2:16:1",    "block:16384:4:8:1",  "block:16384:8:4:1",
                                      "block:16384:8:8:1:0.3", "laplace2d:300",      "block:262144:4:8:1",
                                      "block:65536:8:16:1",    "block:65536:16:8:1", "hpcg:64",
                                      "random:200000:12"};
    struct settings s = {.n_threads = 1, .n_samples = 7, .cache_B = 32e6};
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && strcmp(argv[i], "--threads") == 0)
            s.n_threads = atoi(argv[i + 1]);
        else if (i + 1 < argc && strcmp(argv[i], "--samples") == 0)
            s.n_samples = atoi(argv[i + 1]);
        else if (i + 1 < argc && strcmp(argv[i], "--cache") == 0)
            s.cache_B = atof(argv[i + 1]) * 1e6;
        else {
            fprintf(stderr, "bench_bcsr: do not understand '%s'\n", argv[i]);
            return EXIT_FAILURE;
        }
    }
    if (s.n_samples < 1 || s.n_samples > MAX_SAMPLES || s.n_threads < 1 || s.cache_B <= 0) {
        fprintf(stderr, "bench_bcsr: 1 to %d samples, at least one thread, a cache in MB\n", MAX_SAMPLES);
        return EXIT_FAILURE;
    }
    for (int i = 0; i < N_WIDTHS; i++) {
        struct points points;
        struct block_fit fit[N_SHAPES][N_REGIMES];
        int n_right = 0;
        printf("%d column%s, %d thread%s, bands of 16384 rows; last level %.0f MB\n", widths[i],
               widths[i] > 1 ? "s" : "", s.n_threads, s.n_threads > 1 ? "s" : "", s.cache_B / 1e6);
        sweep(&s, widths[i], &points);
        fit_all(&points, fit);
        for (int k = 0; k < 10; k++)
            n_right += compare(&s, ten[k], widths[i], fit);
        printf("  right or tied: %d of 10\n", n_right);
    }
    return EXIT_SUCCESS;
}
