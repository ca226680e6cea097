/* What orders cost and bring: bench_reorder [--methods M,M,...] [--cache MiB] [--no-exact] [SPEC...]. Per
 * matrix and method: time to find the order and to preview it, in seconds and in SpMVs (the fastest CRS
 * kernel on the matrix as it stands), alpha previewed by sampling and exactly for a cache of the size given,
 * and the time of an SpMV after the matrix was rewritten. At the end what the structure analysis of the
 * matrix takes, beside one pass that only reads it. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kernels/kernel.h"
#include "model/cache/reuse.h"
#include "sparse/csr/permute.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "sparse/reorder/reorder.h"
#include "sparse/structure/structure.h"
#include "sys/machine/pages.h"

struct settings {
    char methods[256];
    int64_t cache_B;
    bool exact;
};

static void check(enum sp_status status, const struct sp_error *err)
{
    if (status == SP_OK)
        return;
    char text[2400];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "bench_reorder: %s\n", text);
    exit(EXIT_FAILURE);
}

static struct sp_workload workload_of(const struct sp_csr *a)
{
    return (struct sp_workload){.op = SP_OP_SPMV,
                                .format = SP_FORMAT_CRS,
                                .schedule = SP_SCHEDULE_NNZ,
                                .n_threads = omp_get_max_threads(),
                                .matrix = a};
}

/* Seconds of one SpMV by the fastest CRS kernel, each the best of some runs. */
static double time_spmv(const struct sp_csr *a)
{
    enum { MAX_ROWS = 16, RUNS = 7 };
    struct sp_error err;
    struct sp_layout l;
    const struct sp_workload w = workload_of(a);
    check(sp_layout_make(&w, true, &sp_allocator_huge, &l, &err), &err);
    double *x = calloc((size_t)a->n_c + 1, sizeof *x), best = INFINITY;
    const struct sp_operands operands = {.x = x, .allocator = &sp_allocator_huge};
    const struct sp_kernel *rows[MAX_ROWS];
    int n = sp_kernel_candidates(&l, NULL, rows, MAX_ROWS);
    for (int k = 0; k < n; k++) {
        void *state;
        check(rows[k]->prepare(&l, &operands, &state, &err), &err);
        for (int run = 0; run < RUNS; run++) {
            double start = sp_now();
            check(rows[k]->run(state, 1, NULL, &err), &err);
            best = fmin(best, sp_now() - start);
        }
        rows[k]->release(state);
    }
    free(x);
    sp_layout_free(&l);
    return best;
}

static double read_once(const struct sp_csr *a)
{
    double start = sp_now(), sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t k = 0; k < a->n_nz; k++)
        sum += a->val[k] + (double)a->col[k];
    return sum == 0.5 ? -1 : sp_now() - start;
}

/* alpha of the permuted matrix for the cache; seconds into *took. */
static struct sp_value alpha_of(const struct sp_layout *l, const struct settings *s, double rate,
                                double *took)
{
    struct sp_error err;
    struct sp_reuse reuse;
    const struct sp_reuse_options options = {.rate = rate, .seed = 1};
    double start = sp_now();
    check(sp_reuse_curve(l, &options, &reuse, &err), &err);
    struct sp_value alpha = sp_reuse_alpha(&reuse, s->cache_B, false);
    *took = sp_now() - start;
    sp_reuse_free(&reuse);
    return alpha;
}

static void time_method(const struct settings *s, const struct sp_csr *a, const char *method, double spmv_s)
{
    struct sp_error err;
    struct sp_permutations order;
    struct sp_permuted permuted;
    struct sp_layout l;
    struct sp_preview preview;
    struct sp_csr b;
    const struct sp_pattern pattern = sp_csr_pattern(a);
    const struct sp_workload w = workload_of(a);
    const struct sp_preview_options options = {
        .C = 32, .sigma = 256, .b_h = 4, .b_w = 4, .n_threads = w.n_threads, .schedule = w.schedule};
    double start = sp_now();
    enum sp_status status = sp_reorder_find(method, a, &order, &err);
    double find_s = sp_now() - start, sampled_s, exact_s = 0;
    if (status != SP_OK) {
        printf("  %-10s %s\n", method, err.what);
        return;
    }
    start = sp_now();
    check(sp_permuted_make(&pattern, &order, &permuted, &err), &err);
    check(sp_preview_order(&permuted, &options, &preview, &err), &err);
    double preview_s = sp_now() - start;
    start = sp_now();
    check(sp_layout_make_permuted(&w, &permuted, &l, &err), &err);
    double layout_s = sp_now() - start;
    struct sp_value sampled = alpha_of(&l, s, 16384 / ((double)l.n_c / 8 + 1), &sampled_s),
                    exact = sp_value_none("");
    if (s->exact)
        exact = alpha_of(&l, s, 1, &exact_s);
    sp_layout_free(&l);
    sp_permuted_free(&permuted);
    check(sp_csr_permute(a, order.row_perm, order.col_perm, &sp_allocator_huge, &b, &err), &err);
    sp_permutations_free(&order);
    printf("  %-10s %8.3f s %7.0f  %6.3f s %5.1f  %6.3f s %5.1f  %7.4f [%7.4f %7.4f]", method, find_s,
           find_s / spmv_s, preview_s, preview_s / spmv_s, layout_s + sampled_s,
           (layout_s + sampled_s) / spmv_s, sampled.value, sampled.lo, sampled.hi);
    if (s->exact)
        printf(" %7.4f %+5.1f %% %6.2f s", exact.value, 100 * (sampled.value / exact.value - 1), exact_s);
    printf("  %7.2f ms  beta %.3f lambda %.3f  n_e %.4g  bandwidth %lld  mean |i-j| %.4g\n",
           1e3 * time_spmv(&b), preview.beta, preview.lambda, preview.n_e.value,
           (long long)(preview.lower_bandwidth > preview.upper_bandwidth ? preview.lower_bandwidth
                                                                         : preview.upper_bandwidth),
           preview.mean_distance);
    sp_csr_free(&b);
}

static void time_matrix(const struct settings *s, const char *spec)
{
    struct sp_csr a;
    struct sp_structure structure;
    struct sp_error err;
    check(sp_generate(spec, &sp_allocator_huge, &a, &err), &err);
    double spmv_s = time_spmv(&a);
    printf("%s: %.1f M entries, SpMV %.2f ms\n"
           "  method       find   in SpMVs   preview        alpha sampled%s      SpMV after\n",
           spec, (double)a.n_nz / 1e6, 1e3 * spmv_s, s->exact ? "                      exact" : "");
    char methods[sizeof s->methods], *rest;
    memcpy(methods, s->methods, sizeof methods);
    for (char *m = strtok_r(methods, ",", &rest); m; m = strtok_r(NULL, ",", &rest))
        time_method(s, &a, m, spmv_s);
    double start = sp_now();
    check(sp_structure_analyse(&a, &structure, &err), &err);
    printf("  structure %.3f s   one pass %.3f s\n", sp_now() - start, read_once(&a));
    sp_csr_free(&a);
}

int main(int argc, char **argv)
{
    static const char *const specs[] = {"laplace3d:100+permuted:7", "powerlaw:18:8"};
    struct settings s = {"none,rcm,metis,nd,degree,hubs,gray,jaccard", 16 << 20, true};
    int n = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--no-exact") == 0)
            s.exact = false;
        else if (strcmp(argv[i], "--methods") == 0 && i + 1 < argc)
            snprintf(s.methods, sizeof s.methods, "%s", argv[++i]);
        else if (strcmp(argv[i], "--cache") == 0 && i + 1 < argc)
            s.cache_B = strtoll(argv[++i], NULL, 10) << 20;
        else
            argv[++n] = argv[i];
    }
    printf("%d threads, huge pages, a cache of %lld MiB\n", omp_get_max_threads(),
           (long long)(s.cache_B >> 20));
    for (int i = 1; i <= n; i++)
        time_matrix(&s, argv[i]);
    for (size_t i = 0; n == 0 && i < sizeof specs / sizeof *specs; i++)
        time_matrix(&s, specs[i]);
    return 0;
}
