/* Time to make large matrices: bench_generate [SPEC...]. The first touch of fresh memory is part of it; the
 * line "touch" shows what writing the same bytes once costs. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "sparse/generate/generate.h"
#include "sys/machine/pages.h"

static int time_one(const char *spec)
{
    struct sp_csr a;
    struct sp_error err;
    double start = sp_now();
    if (sp_generate(spec, &sp_allocator_huge, &a, &err) != SP_OK) {
        char text[2400];
        sp_error_text(&err, text, sizeof text);
        fprintf(stderr, "%s\n", text);
        return 1;
    }
    double time = sp_now() - start;
    double n_nz = (double)a.n_nz;
    size_t bytes = (size_t)sp_csr_bytes(a.n_r, a.n_nz, a.field);
    sp_csr_free(&a);
    start = sp_now();
    char *p = sp_allocator_huge.alloc(sp_allocator_huge.context, bytes);
    if (p) {
        size_t slice = bytes / (size_t)omp_get_max_threads();
#pragma omp parallel
        memset(p + (size_t)omp_get_thread_num() * slice, 1, slice);
    }
    double touch = sp_now() - start;
    printf("%-34s %10.1f M entries  %7.3f s  %7.1f M entries/s   touch %6.3f s\n", spec, n_nz / 1e6, time,
           n_nz / 1e6 / time, touch);
    sp_allocator_huge.free(sp_allocator_huge.context, p, bytes);
    return 0;
}

int main(int argc, char **argv)
{
    static char *specs[] = {"laplace3d:240",
                            "hpcg:128",
                            "random:4000000:8",
                            "powerlaw:20:16",
                            "arrow:10000000",
                            "band:1000000:25",
                            "block:2000000:4:8",
                            "anderson:200",
                            "laplace3d:240+permuted:7",
                            "hpcg:128+permuted:7",
                            "powerlaw:20:16+permuted:7"};
    int bad = 0;
    printf("%d threads, huge pages\n", omp_get_max_threads());
    if (argc > 1)
        for (int i = 1; i < argc; i++)
            bad |= time_one(argv[i]);
    else
        for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
            bad |= time_one(specs[i]);
    return bad;
}
