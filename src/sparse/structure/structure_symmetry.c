#include <math.h>

#include "base/random.h"
#include "sparse/structure/parts.h"

static bool same_value(const struct sp_csr *a, int64_t k, int64_t m)
{
    if (!sp_csr_is_complex(a))
        return a->val[k] == a->val[m];
    return a->val[2 * k] == a->val[2 * m] && a->val[2 * k + 1] == a->val[2 * m + 1];
}

/* The row of entry k. */
static int64_t row_of(const struct sp_csr *a, int64_t k)
{
    int64_t low = 0, high = a->n_r;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (a->row_ptr[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static struct sp_estimate share(int64_t hits, int64_t n, bool sampled)
{
    double p = (double)hits / (double)n;
    /* Wilson's half width: honest where all or none of a sample hit */
    double z2 = 3.8416, error = 0;
    if (sampled)
        error =
            sqrt(z2 * (p * (1 - p) / (double)n + z2 / (4.0 * (double)n * (double)n))) / (1 + z2 / (double)n);
    return (struct sp_estimate){p, error, true};
}

void sp_structure_symmetry(const struct sp_csr *a, struct sp_structure *s)
{
    if (a->n_r != a->n_c || a->n_nz == s->n_diagonal)
        return;
    int64_t n = 0, mirrored = 0, equal = 0;
    bool sampled = a->n_nz > SP_STRUCTURE_SAMPLE;
    if (a->symmetry == SP_SYMMETRIC) {
        s->pattern_symmetry = s->value_symmetry = (struct sp_estimate){1, 0, true};
        return;
    }
    if (sampled) {
        /* a search costs several cache misses, so a quarter of the sample is taken: error below 0.2 % */
        enum { DRAWS = SP_STRUCTURE_SAMPLE / 4 };
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : n, mirrored, equal)
        for (int64_t draw = 0; draw < DRAWS; draw++) {
            struct sp_random random = {sp_random_at(1, (uint64_t)draw)};
            int64_t k = sp_random_below(&random, a->n_nz), i = row_of(a, k);
            if (a->col[k] == i)
                continue;
            int64_t m = sp_csr_find(a, a->col[k], i);
            n++;
            mirrored += m >= 0;
            equal += m >= 0 && same_value(a, k, m);
        }
        if (n == 0)
            return;
    } else {
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : n, mirrored, equal)
        for (int64_t i = 0; i < a->n_r; i++)
            for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
                if (a->col[k] == i)
                    continue;
                int64_t m = sp_csr_find(a, a->col[k], i);
                n++;
                mirrored += m >= 0;
                equal += m >= 0 && same_value(a, k, m);
            }
    }
    s->pattern_symmetry = share(mirrored, n, sampled);
    s->value_symmetry = share(equal, n, sampled);
    if (a->symmetry != SP_GENERAL)
        s->pattern_symmetry = (struct sp_estimate){1, 0, true};
}
