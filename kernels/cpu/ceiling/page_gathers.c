#include <omp.h>

#include "base/clock.h"
#include "base/random.h"
#include "kernels/ceiling.h"
#include "kernels/cpu/ceiling/ceiling_isa.h"

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
