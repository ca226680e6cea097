#include "kernels/scan.h"

#include <omp.h>

#include "kernels/cpu/scan_isa.h"

typedef uint64_t scan_function(const void *a, int64_t n_a, const void *b, int64_t n_b);

static scan_function *choose(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return sp_scan_avx512;
    if (__builtin_cpu_supports("avx2"))
        return sp_scan_avx2;
#endif
    return sp_scan_portable;
}

/* Vectors that hold an array: the last one may reach beyond it, inside the page that the allocator gave. */
static int64_t vectors(int64_t items, size_t size)
{
    return (items * (int64_t)size + 63) / 64;
}

double sp_scan_bytes(const struct sp_layout *l)
{
    return 64.0 * (double)(vectors(l->n_stored, l->s_a) + vectors(l->n_indices, l->s_i));
}

void sp_scan_layout(const struct sp_layout *l, int64_t repetitions, uint64_t *checksum)
{
    int64_t n_a = vectors(l->n_stored, l->s_a), n_b = vectors(l->n_indices, l->s_i);
    scan_function *scan = choose();
    uint64_t sum = 0;
#pragma omp parallel num_threads(l->partition.n_threads) reduction(+ : sum)
    {
        int64_t k = omp_get_thread_num(), n = omp_get_num_threads();
        int64_t a0 = n_a * k / n, a1 = n_a * (k + 1) / n, b0 = n_b * k / n, b1 = n_b * (k + 1) / n;
        for (int64_t i = 0; i < repetitions; i++) {
            sum += scan((const char *)l->val + 64 * a0, a1 - a0, (const char *)l->col + 64 * b0, b1 - b0);
#pragma omp barrier
        }
    }
    *checksum = sum;
}
