/* Matrices beside their twins: bench_twins [-s SCALE] [-d SEED] MATRIX... (files or gen:...). A line each for
 * the original and its twin: fill of SELL-8-1 and SELL-32-256, alpha of CRS, warm, in an LRU cache of 1/16 to
 * all of x (exact stack distances), Gflop/s that the model expects at 20 GB/s where the matrix streams by and
 * an eighth of x stays, with at most 2 Gflop/s in the core; then their ratios. At a scale above 1 caches are
 * scaled too. The last lines count the ratios that are within 15 %. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/matrix/matrix_load.h"
#include "model/cache/reuse.h"
#include "sparse/formats/format_ids.h"
#include "sparse/formats/layout.h"
#include "sparse/twin/twin.h"
#include "tests/plain_layout.h"

enum { N_CACHES = 5, N_FIGURES = 3 + N_CACHES };
static const double share[N_CACHES] = {1. / 16, 1. / 8, 1. / 4, 1. / 2, 1};
static const char *const name[N_FIGURES] = {"beta 8,1", "32,256", "a 1/16", "a 1/8",
                                            "a 1/4",    "a 1/2",  "a 1",    "Gflop/s"};

static void fail(const struct sp_error *err)
{
    char text[2400];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static void layout_of(const struct sp_csr *a, int format, int32_t C, int64_t sigma, struct sp_layout *l)
{
    struct sp_error err;
    if (plain_layout(a, format, C, sigma, l, &err) != SP_OK)
        fail(&err);
}

static double beta_of(const struct sp_csr *a, int32_t C, int64_t sigma)
{
    struct sp_layout l;
    layout_of(a, SP_FORMAT_SELL, C, sigma, &l);
    double beta = (double)l.n_nz / (double)l.n_stored;
    sp_layout_free(&l);
    return beta;
}

static void figures_of(const struct sp_csr *a, double *figure)
{
    figure[0] = beta_of(a, 8, 1);
    figure[1] = beta_of(a, 32, 256);
    struct sp_layout l;
    struct sp_reuse reuse;
    struct sp_error err;
    struct sp_reuse_options options = {.rate = a->n_nz < 20000000 ? 1 : 0, .seed = 1};
    layout_of(a, SP_FORMAT_CRS, 1, 1, &l);
    if (sp_reuse_curve(&l, &options, &reuse, &err) != SP_OK)
        fail(&err);
    for (int k = 0; k < N_CACHES; k++) {
        const struct sp_reuse_size *size = sp_reuse_at(&reuse, (int64_t)(share[k] * 8 * (double)a->n_c));
        figure[2 + k] = size ? size->alpha_warm : NAN;
    }
    double alpha = isnan(figure[3]) ? reuse.alpha_min : figure[3];
    double volume = (12 + 8 * alpha) * (double)a->n_nz + 20 * (double)a->n_r;
    figure[7] = 2 * (double)a->n_nz / fmax(volume / 20, 2 * (double)a->n_nz / 2);
    sp_reuse_free(&reuse);
    sp_layout_free(&l);
}

static void print_line(const char *what, const double *figure)
{
    printf("  %-10s", what);
    for (int k = 0; k < N_FIGURES; k++)
        printf(" %8.3f", figure[k]);
    printf("\n");
}

static void compare(const char *matrix, int64_t scale, uint64_t seed, int *n_good, int *n_all, bool *all_good)
{
    struct sp_csr a, b;
    struct sp_twin *twin;
    struct sp_error err;
    struct sp_load_options load = {.n_threads = omp_get_max_threads()};
    if (sp_matrix_load(matrix, &load, &a, NULL, &err) != SP_OK)
        fail(&err);
    double start = sp_now();
    if (sp_twin_measure(&a, &twin, &err) != SP_OK)
        fail(&err);
    double measured = sp_now();
    if (sp_twin_make(twin, scale, seed, load.n_threads, NULL, &b, &err) != SP_OK)
        fail(&err);
    double made = sp_now();
    char text[64];
    sp_matrix_display_name(matrix, text, sizeof text);
    printf("%s: %lld x %lld, %lld entries, twin %lld (%.4f)%s; measured in %.3f s, made in %.3f s\n", text,
           (long long)a.n_r, (long long)a.n_c, (long long)a.n_nz, (long long)b.n_nz,
           (double)b.n_nz / (double)(a.n_nz * scale), twin->mirrored ? ", mirrored" : "", measured - start,
           made - measured);
    double original[N_FIGURES], other[N_FIGURES], ratio[N_FIGURES];
    figures_of(&a, original);
    figures_of(&b, other);
    *all_good = true;
    for (int k = 0; k < N_FIGURES; k++) {
        ratio[k] = other[k] / original[k];
        if (original[k] == other[k])
            ratio[k] = 1;
        if (isnan(ratio[k]))
            continue;
        bool good = ratio[k] > 1 / 1.15 && ratio[k] < 1.15;
        n_good[k] += good;
        n_all[k]++;
        *all_good &= good;
    }
    print_line("original", original);
    print_line("twin", other);
    print_line("ratio", ratio);
    free(twin);
    sp_csr_free(&a);
    sp_csr_free(&b);
}

int main(int argc, char **argv)
{
    int64_t scale = 1;
    uint64_t seed = 1;
    for (int c; (c = getopt(argc, argv, "s:d:")) != -1;) {
        if (c == 's')
            scale = atoll(optarg);
        else if (c == 'd')
            seed = (uint64_t)atoll(optarg);
        else
            return 2;
    }
    int n_good[N_FIGURES] = {0}, n_all[N_FIGURES] = {0}, n_whole = 0;
    printf("%12s", "");
    for (int k = 0; k < N_FIGURES; k++)
        printf(" %8s", name[k]);
    printf("\n");
    for (int i = optind; i < argc; i++) {
        bool good;
        compare(argv[i], scale, seed, n_good, n_all, &good);
        n_whole += good;
    }
    printf("within 15 %%:");
    for (int k = 0; k < N_FIGURES; k++)
        printf(" %5d/%-2d", n_good[k], n_all[k]);
    printf("\nall figures within 15 %%: %d of %d\n", n_whole, argc - optind);
    return 0;
}
