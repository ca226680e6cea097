#include "kernels/ceiling.h"

#include <omp.h>
#include <stdint.h>

#include "kernels/cpu/ceiling/ceiling_isa.h"

static sp_scan_loop *choose(void)
{
#if SP_X86
    if (__builtin_cpu_supports("avx512f"))
        return sp_scan_avx512;
    if (__builtin_cpu_supports("avx2"))
        return sp_scan_avx2;
#endif
    return sp_scan_portable;
}

/* Vectors that hold an array: the last one may reach beyond it, inside the page that the allocator
 * gave. */
static int64_t vectors(size_t size_B)
{
    return ((int64_t)size_B + 63) / 64;
}

static int64_t value_vectors(const struct sp_layout *l)
{
    return l->val ? vectors((size_t)l->n_stored * l->s_a) : 0;
}

static int64_t index_vectors(const struct sp_layout *l)
{
    return vectors((size_t)l->n_indices * l->s_i);
}

/* COO, TILED: the rows of entries. */
static int64_t row_vectors(const struct sp_layout *l)
{
    return l->row_index ? vectors((size_t)l->n_stored * l->s_row) : 0;
}

/* Whole vectors of an array that nobody here has made. */
static int64_t inner_vectors(const struct sp_job_array *a, const void **first)
{
    const uintptr_t at = ((uintptr_t)a->at + 63) & ~(uintptr_t)63, end = (uintptr_t)a->at + a->size_B;
    *first = (const void *)at;
    return end > at ? (int64_t)((end - at) / 64) : 0;
}

/* Of the arrays in place of the layout's; 0: there are none, or none fills a vector, and the
 * layout's are read. */
static int64_t instead_vectors(const struct sp_job *job)
{
    const void *first;
    int64_t n = 0;
    for (int i = 0; i < job->n_instead; i++)
        n += inner_vectors(&job->instead[i], &first);
    return n;
}

double sp_scan_bytes(const struct sp_job *job)
{
    int64_t n = instead_vectors(job);
    if (n == 0)
        n = value_vectors(job->layout) + index_vectors(job->layout) + row_vectors(job->layout);
    for (int i = 0; i < job->n_operands; i++)
        n += vectors(job->operand[i].size_B);
    return 64.0 * (double)n;
}

/* Vector i of an array; NULL for one that is not there. */
static const void *vector_at(const void *array, int64_t i)
{
    return array ? (const char *)array + 64 * i : NULL;
}

static uint64_t scan_once(const struct sp_job *job, sp_scan_loop *scan, int64_t k, int64_t n)
{
    const struct sp_layout *l = job->layout;
    int64_t n_a = value_vectors(l), n_b = index_vectors(l), n_i = row_vectors(l);
    int64_t a0 = n_a * k / n, a1 = n_a * (k + 1) / n, b0 = n_b * k / n, b1 = n_b * (k + 1) / n;
    uint64_t sum = 0;
    if (instead_vectors(job) == 0) {
        sum += scan(vector_at(l->val, a0), a1 - a0, vector_at(l->col, b0), b1 - b0);
        sum += scan(vector_at(l->row_index, n_i * k / n), n_i * (k + 1) / n - n_i * k / n, NULL, 0);
    }
    for (int i = 0; i < job->n_instead; i++) {
        const void *at;
        const int64_t n_o = inner_vectors(&job->instead[i], &at), first = n_o * k / n,
                      end = n_o * (k + 1) / n;
        sum += scan(vector_at(at, first), end - first, NULL, 0);
    }
    for (int i = 0; i < job->n_operands; i++) {
        int64_t n_o = vectors(job->operand[i].size_B), first = n_o * k / n, end = n_o * (k + 1) / n;
        sum += scan(vector_at(job->operand[i].at, first), end - first, NULL, 0);
    }
    return sum;
}

void sp_scan_job(const struct sp_job *job, int64_t repetitions, uint64_t *checksum)
{
    sp_scan_loop *scan = choose();
    uint64_t sum = 0;
#pragma omp parallel num_threads(job->layout->partition.n_threads) reduction(+ : sum)
    {
        int64_t k = omp_get_thread_num(), n = omp_get_num_threads();
        for (int64_t i = 0; i < repetitions; i++) {
            sum += scan_once(job, scan, k, n);
#pragma omp barrier
        }
    }
    *checksum = sum;
}
