#include <math.h>

#include "sparse/csr/sort.h"
#include "sparse/generate/families.h"

/* K distinct numbers below n, ascending, every set equally likely: draw until K are distinct. Above n/2 the
 * ones to leave out are drawn. out[] and scratch[] hold n items at most, K at least. */
static void draw_distinct(struct sp_random *random, int64_t n, int64_t k, int32_t *out, int32_t *scratch)
{
    int64_t wanted = 2 * k <= n ? k : n - k, have = 0;
    int32_t *drawn = wanted == k ? out : scratch;
    int32_t *spare = wanted == k ? scratch : scratch + wanted;
    while (have < wanted) {
        for (int64_t i = have; i < wanted; i++)
            drawn[i] = (int32_t)sp_random_below(random, n);
        sp_sort_i32(drawn, wanted, spare);
        have = 0;
        for (int64_t i = 0; i < wanted; i++)
            if (have == 0 || drawn[i] != drawn[have - 1])
                drawn[have++] = drawn[i];
    }
    if (drawn == out)
        return;
    int64_t next = 0, to = 0;
    for (int64_t j = 0; j < n; j++) {
        if (next < wanted && drawn[next] == j)
            next++;
        else
            out[to++] = (int32_t)j;
    }
}

/* random: arguments NxM, K, SEED */
enum sp_status sp_uniform_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    shape->n_r = arg[0].size[0];
    shape->n_c = arg[0].size[1];
    if (arg[1].count > shape->n_c)
        return sp_fail(err, SP_USAGE, "take K up to the number of columns",
                       "%lld distinct columns a row of %lld", (long long)arg[1].count, (long long)shape->n_c);
    if (__builtin_mul_overflow(shape->n_r, arg[1].count, &shape->n_nz))
        return sp_fail(err, SP_USAGE, "take smaller parameters", "too many entries to count");
    shape->symmetry = SP_GENERAL;
    return SP_OK;
}

void sp_uniform_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                        int64_t end, int64_t *length)
{
    (void)g;
    for (int64_t i = first; i < end; i++)
        length[i - first] = arg[1].count;
}

int64_t sp_uniform_scratch(const struct sp_generator_argument *arg)
{
    return 2 * arg[1].count + 2;
}

void sp_uniform_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                     int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    uint64_t seed = (uint64_t)arg[2].count;
    for (int64_t i = first; i < end; i++) {
        struct sp_random random = {sp_random_at(seed, (uint64_t)i)};
        draw_distinct(&random, arg[0].size[1], arg[1].count, a->col + a->row_ptr[i], scratch);
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            a->val[k] = sp_generator_value(seed, i, a->col[k]);
    }
}

/* block: arguments NxM, B, K, SEED, FILL */
enum { FILL = 4 };

/* Is place `at` of the B K ones that the blocks give to row i taken? Where the blocks are does not matter, so
 * that lengths are known before columns. */
static bool is_filled(const struct sp_generator_argument *arg, int64_t i, int64_t at)
{
    if (arg[FILL].real >= 1)
        return true;
    struct sp_random coin = {
        sp_random_at((uint64_t)arg[3].count + (uint64_t)i * UINT64_C(0x9fb21c651e98df25), (uint64_t)at)};
    return sp_random_unit(&coin) < arg[FILL].real;
}

enum sp_status sp_block_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                              struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    int64_t b = arg[1].count, k = arg[2].count;
    shape->n_r = arg[0].size[0];
    shape->n_c = arg[0].size[1];
    if (shape->n_r % b || shape->n_c % b)
        return sp_fail(err, SP_USAGE, "take multiples of B",
                       "%lld x %lld cannot be cut into blocks of %lld x %lld", (long long)shape->n_r,
                       (long long)shape->n_c, (long long)b, (long long)b);
    if (k > shape->n_c / b)
        return sp_fail(err, SP_USAGE, "take fewer blocks a row", "%lld distinct blocks in a row of %lld",
                       (long long)k, (long long)(shape->n_c / b));
    int64_t length;
    if (__builtin_mul_overflow(b, k, &length) || __builtin_mul_overflow(shape->n_r, length, &shape->n_nz))
        return sp_fail(err, SP_USAGE, "take smaller parameters", "too many entries to count");
    /* binomial: nine standard deviations, and room for small numbers */
    double all = (double)shape->n_nz, fill = arg[FILL].real;
    double bound = all * fill + 9 * sqrt(all * fill * (1 - fill)) + 40;
    shape->n_nz = bound < all ? (int64_t)bound : shape->n_nz;
    shape->symmetry = SP_GENERAL;
    return SP_OK;
}

void sp_block_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                      int64_t end, int64_t *length)
{
    (void)g;
    const int64_t room = arg[1].count * arg[2].count;
    for (int64_t i = first; i < end; i++) {
        length[i - first] = room;
        if (arg[FILL].real < 1) {
            length[i - first] = 0;
            for (int64_t at = 0; at < room; at++)
                length[i - first] += is_filled(arg, i, at);
        }
    }
}

int64_t sp_block_scratch(const struct sp_generator_argument *arg)
{
    return 3 * arg[2].count + 2;
}

void sp_block_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                   int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    int64_t b = arg[1].count, k = arg[2].count, drawn_for = -1;
    uint64_t seed = (uint64_t)arg[3].count;
    for (int64_t i = first; i < end; i++) {
        if (i / b != drawn_for) {
            drawn_for = i / b;
            struct sp_random random = {sp_random_at(seed, (uint64_t)drawn_for)};
            draw_distinct(&random, arg[0].size[1] / b, k, scratch, scratch + k);
        }
        int64_t to = a->row_ptr[i];
        for (int64_t block = 0; block < k; block++)
            for (int64_t j = scratch[block] * b; j < (scratch[block] + 1) * b; j++) {
                if (!is_filled(arg, i, block * b + j % b))
                    continue;
                a->col[to] = (int32_t)j;
                a->val[to++] = sp_generator_value(seed, i, j);
            }
    }
}
