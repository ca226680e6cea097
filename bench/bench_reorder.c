/* RCM and structure on large matrices: bench_reorder [SPEC...]. Beside the times stands one pass that only
 * reads the matrix, the least that either could take. */
#include <omp.h>
#include <stdio.h>

#include "base/clock.h"
#include "sparse/generate.h"
#include "sparse/reorder.h"
#include "sparse/structure.h"
#include "sys/pages.h"

static double read_once(const struct sp_csr *a)
{
    double start = sp_now(), sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t k = 0; k < a->n_nz; k++)
        sum += a->val[k] + (double)a->col[k];
    return sum == 0.5 ? -1 : sp_now() - start;
}

static int time_one(const char *spec)
{
    struct sp_csr a, b;
    struct sp_structure before, after;
    struct sp_error err;
    enum sp_status status = sp_generate(spec, &sp_allocator_huge, &a, &err);
    double t0 = sp_now(), rcm = 0, analyse = 0;
    if (status == SP_OK) {
        status = sp_structure_analyse(&a, &before, &err);
        analyse = sp_now() - t0;
        t0 = sp_now();
        if (status == SP_OK)
            status = sp_reorder("rcm", &a, &sp_allocator_huge, NULL, &b, &err);
        rcm = sp_now() - t0;
        if (status == SP_OK)
            status = sp_structure_analyse(&b, &after, &err);
        else
            sp_csr_free(&a);
    }
    if (status != SP_OK) {
        char text[2400];
        sp_error_text(&err, text, sizeof text);
        fprintf(stderr, "%s\n", text);
        return 1;
    }
    double pass = read_once(&a);
    printf("%-30s %7.1f M   structure %6.2f s   rcm and apply %6.2f s   one pass %5.2f s   "
           "bandwidth %lld -> %lld   mean |i-j| %.0f -> %.0f\n",
           spec, (double)a.n_nz / 1e6, analyse, rcm, pass,
           (long long)(before.lower_bandwidth > before.upper_bandwidth ? before.lower_bandwidth
                                                                       : before.upper_bandwidth),
           (long long)(after.lower_bandwidth > after.upper_bandwidth ? after.lower_bandwidth
                                                                     : after.upper_bandwidth),
           before.mean_distance, after.mean_distance);
    sp_csr_free(&a);
    sp_csr_free(&b);
    return 0;
}

int main(int argc, char **argv)
{
    static char *specs[] = {"laplace3d:100+permuted:7", "laplace2d:1000+permuted:7", "powerlaw:18:8"};
    int bad = 0;
    printf("%d threads, huge pages\n", omp_get_max_threads());
    for (int i = 1; i < argc; i++)
        bad |= time_one(argv[i]);
    for (size_t i = 0; argc < 2 && i < sizeof specs / sizeof *specs; i++)
        bad |= time_one(specs[i]);
    return bad;
}
