#include <string.h>

#include "base/random.h"
#include "sparse/twin/twin.h"

enum { EXACT_LENGTHS = 32, PART_ROWS = 8 };

static int octave(int64_t n)
{
    return 63 - __builtin_clzll((unsigned long long)n);
}

int sp_twin_length_class(int64_t length)
{
    if (length < EXACT_LENGTHS)
        return (int)length;
    int o = octave(length);
    return EXACT_LENGTHS + 8 * (o - 5) + (int)(length >> (o - 3) & 7);
}

int sp_twin_step(int64_t distance)
{
    if (distance < 8)
        return (int)distance;
    int o = octave(distance), step = 8 + 2 * (o - 3) + (int)(distance >> (o - 1) & 1);
    return step < SP_TWIN_STEPS ? step : SP_TWIN_STEPS;
}

static int64_t step_start(int step)
{
    return step < 8 ? step : (int64_t)(2 + (step - 8) % 2) << ((step - 8) / 2 + 2);
}

void sp_twin_step_range(int step, int64_t *lo, int64_t *hi)
{
    *lo = step_start(step);
    *hi = step_start(step + 1) - 1;
}

int sp_twin_offset_class(const struct sp_twin *twin, int64_t offset, int64_t scale)
{
    enum { ATOMS = 2 * SP_TWIN_LOCAL + 1, LONG = ATOMS + SP_TWIN_ATOMS };
    const int64_t size = offset < 0 ? -offset : offset;
    if (size <= SP_TWIN_LOCAL)
        return (int)(SP_TWIN_LOCAL + offset);
    for (int k = 0; k < twin->n_atoms; k++)
        if (offset == scale * twin->atom_offset[k])
            return ATOMS + k;
    return LONG + sp_twin_step(size / scale) + (offset < 0 ? 0 : SP_TWIN_STEPS + 1);
}

static int32_t parts_of(int64_t n, int32_t most)
{
    const int64_t n_parts = n / PART_ROWS;
    return (int32_t)(n_parts < 1 ? 1 : n_parts > most ? most : n_parts);
}

int32_t sp_twin_length_parts(int64_t n)
{
    return parts_of(n, SP_TWIN_PARTS);
}

int32_t sp_twin_place_parts(int64_t n)
{
    return parts_of(n, SP_TWIN_GRID);
}

void sp_twin_measure_lengths(const int64_t *length, int64_t n, struct sp_twin_lengths *out)
{
    memset(out, 0, sizeof *out);
    out->n = n;
    out->n_parts = sp_twin_length_parts(n);
    int before = -1;
    for (int32_t p = 0; p < out->n_parts; p++)
        for (int64_t i = n * p / out->n_parts; i < n * (p + 1) / out->n_parts; i++) {
            int class = sp_twin_length_class(length[i]);
            out->sum[class] += length[i];
            out->count[p][class]++;
            if (before >= 0)
                out->next[before][class]++;
            before = class;
        }
}

/* What is left to draw in one part. */
struct pool {
    int n_classes;
    int class[SP_TWIN_LENGTHS];
    int64_t left[SP_TWIN_LENGTHS];
    double weight[SP_TWIN_LENGTHS];
};

/* Index of the class that follows `before` (-1: none): often one that followed it in the original, if any of
 * that class are left, else any that is left. */
static int draw_class(struct pool *pool, const struct sp_twin_lengths *l, const double *share, int before,
                      struct sp_random *random)
{
    double all = 0;
    for (int k = 0; before >= 0 && k < pool->n_classes; k++) {
        int class = pool->class[k];
        pool->weight[k] = (double)l->next[before][class] * (double)pool->left[k] * share[class];
        all += pool->weight[k];
    }
    for (int k = 0; all <= 0 && k < pool->n_classes; k++)
        pool->weight[k] = (double)pool->left[k];
    if (all <= 0)
        for (int k = 0; k < pool->n_classes; k++)
            all += pool->weight[k];
    double at = sp_random_unit(random) * all;
    int drawn = -1;
    for (int k = 0; k < pool->n_classes; k++) {
        if (pool->weight[k] <= 0)
            continue;
        drawn = k;
        at -= pool->weight[k];
        if (at < 0)
            break;
    }
    pool->left[drawn]--;
    return drawn;
}

static void draw_part(const struct sp_twin_lengths *l, const double *share, const double *mean, int32_t part,
                      int64_t scale, uint64_t seed, int32_t *length)
{
    struct pool pool = {0};
    struct sp_random random = {sp_random_at(seed, (uint64_t)part)};
    for (int class = 0; class < SP_TWIN_LENGTHS; class ++)
        if (l->count[part][class] > 0) {
            pool.class[pool.n_classes] = class;
            pool.left[pool.n_classes++] = l->count[part][class] * scale;
        }
    int64_t first = l->n * part / l->n_parts * scale, end = l->n * (part + 1) / l->n_parts * scale;
    int before = -1;
    for (int64_t i = first; i < end; i++) {
        before = pool.class[draw_class(&pool, l, share, before, &random)];
        length[i] = (int32_t)(mean[before] + sp_random_unit(&random));
    }
}

void sp_twin_draw_lengths(const struct sp_twin_lengths *l, int64_t scale, uint64_t seed, int32_t *length)
{
    double share[SP_TWIN_LENGTHS] = {0}, mean[SP_TWIN_LENGTHS] = {0};
    for (int class = 0; class < SP_TWIN_LENGTHS; class ++) {
        int64_t n = 0;
        for (int32_t p = 0; p < l->n_parts; p++)
            n += l->count[p][class];
        share[class] = n ? 1 / (double)n : 0;
        mean[class] = n ? (double)l->sum[class] / (double)n : 0;
    }
#pragma omp parallel for schedule(dynamic)
    for (int32_t part = 0; part < l->n_parts; part++)
        draw_part(l, share, mean, part, scale, seed, length);
}
