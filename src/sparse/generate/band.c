#include <math.h>

#include "sparse/generate/families.h"

/* Arguments: N, HALF, FILL, SEED. */
enum { N, HALF, FILL, SEED };

enum sp_status sp_band_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                             struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    int64_t n = arg[N].size[0], half = arg[HALF].count;
    if (half >= n && n > 0)
        return sp_fail(err, SP_USAGE, "take HALF below N",
                       "a half-bandwidth of %lld does not fit into %lld rows", (long long)half, (long long)n);
    shape->n_r = shape->n_c = n;
    double outside = (double)half * (2.0 * (double)n - (double)half - 1);
    double fill = arg[FILL].real, mean = outside * fill;
    /* binomial: nine standard deviations, and room for small numbers */
    double bound = fill < 1 ? mean + 9 * sqrt(mean * (1 - fill)) + 40 : outside;
    shape->n_nz = n + (int64_t)(bound < outside ? bound : outside);
    shape->symmetry = SP_GENERAL;
    return SP_OK;
}

static int64_t band_begin(int64_t row, int64_t half)
{
    return row > half ? row - half : 0;
}

static int64_t band_end(int64_t row, int64_t half, int64_t n)
{
    return row + half + 1 < n ? row + half + 1 : n;
}

/* The diagonal is always there; the others by a coin of their own. */
static bool occupied(const struct sp_generator_argument *arg, int64_t i, int64_t j)
{
    if (i == j)
        return true;
    struct sp_random coin = {
        sp_random_at((uint64_t)arg[SEED].count + (uint64_t)i * UINT64_C(0x9fb21c651e98df25), (uint64_t)j)};
    return sp_random_unit(&coin) < arg[FILL].real;
}

void sp_band_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                     int64_t end, int64_t *length)
{
    (void)g;
    int64_t n = arg[N].size[0], half = arg[HALF].count;
    for (int64_t i = first; i < end; i++) {
        int64_t begin = band_begin(i, half), stop = band_end(i, half, n);
        length[i - first] = stop - begin;
        if (arg[FILL].real < 1) {
            length[i - first] = 0;
            for (int64_t j = begin; j < stop; j++)
                length[i - first] += occupied(arg, i, j);
        }
    }
}

void sp_band_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                  int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    (void)scratch;
    int64_t n = arg[N].size[0], half = arg[HALF].count;
    bool full = arg[FILL].real >= 1;
    for (int64_t i = first; i < end; i++) {
        int64_t to = a->row_ptr[i], stop = band_end(i, half, n);
        for (int64_t j = band_begin(i, half); j < stop; j++)
            if (full || occupied(arg, i, j)) {
                a->col[to] = (int32_t)j;
                a->val[to++] = sp_generator_value((uint64_t)arg[SEED].count, i, j);
            }
    }
}
