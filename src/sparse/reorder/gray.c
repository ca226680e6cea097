#include "sparse/reorder/gray.h"

#include "sparse/csr/sort.h"

/* Which of the sections of `width` columns row i has entries in, the first one in the highest bit. */
static uint32_t occupancy(const struct sp_pattern *a, int64_t i, int64_t width)
{
    uint32_t bits = 0;
    for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
        bits |= UINT32_C(1) << (SP_GRAY_MOST_SECTIONS - 1 - a->col[k] / width);
    return bits;
}

/* The place of a code word in the Gray code. */
static uint32_t rank_of(uint32_t word)
{
    for (int shift = 1; shift < 32; shift *= 2)
        word ^= word >> shift;
    return word;
}

enum sp_status sp_gray_order(const struct sp_pattern *a, uint64_t sections, int32_t *perm,
                             struct sp_error *err)
{
    const int64_t n = sections < 1                       ? 1
                      : sections > SP_GRAY_MOST_SECTIONS ? SP_GRAY_MOST_SECTIONS
                                                         : (int64_t)sections;
    const int64_t width = a->n_c / n + 1;
    void *p;
    enum sp_status status = sp_large_alloc(NULL, 2 * a->n_r, sizeof(uint64_t), "the codes of rows", &p, err);
    if (status != SP_OK)
        return status;
    uint64_t *key = p; /* code, then row */
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < a->n_r; i++)
        key[i] = (uint64_t)rank_of(occupancy(a, i, width)) << 32 | (uint64_t)i;
    sp_sort_u64(key, a->n_r, key + a->n_r);
    for (int64_t i = 0; i < a->n_r; i++)
        perm[i] = (int32_t)(key[i] & UINT32_MAX);
    sp_large_free(NULL, key, 2 * a->n_r, sizeof *key);
    return SP_OK;
}
