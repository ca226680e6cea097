#include <math.h>
#include <stdlib.h>

#include "sparse/csr/sort.h"
#include "sparse/structure/parts.h"

/* Rows longer than this are few (n_nz / LONG at most) and are sorted; the others are counted by length. */
enum { LONG = 1 << 16 };

struct sums {
    int64_t lower, upper, profile, n_diagonal, n_empty, n_long, min, max;
    double distance, squares;
};

static void add_row(const struct sp_csr *a, int64_t i, double mean, unsigned char *used, struct sums *sum)
{
    int64_t begin = a->row_ptr[i], end = a->row_ptr[i + 1], n = end - begin, distance = 0;
    double deviation = (double)n - mean;
    sum->squares += deviation * deviation;
    sum->n_empty += n == 0;
    sum->n_long += n > LONG;
    sum->min = n < sum->min ? n : sum->min;
    sum->max = n > sum->max ? n : sum->max;
    if (n == 0)
        return;
    int64_t below = i - a->col[begin], above = a->col[end - 1] - i;
    sum->lower = below > sum->lower ? below : sum->lower;
    sum->upper = above > sum->upper ? above : sum->upper;
    sum->profile += below > 0 ? below : 0;
    for (int64_t k = begin; k < end; k++) {
        int64_t j = a->col[k];
        distance += j > i ? j - i : i - j;
        sum->n_diagonal += j == i;
        if (!__atomic_load_n(&used[j], __ATOMIC_RELAXED))
            __atomic_store_n(&used[j], 1, __ATOMIC_RELAXED);
    }
    sum->distance += (double)distance;
}

/* The smallest length that at least rank rows do not exceed; rank >= 1. */
static int64_t at_rank(const int64_t *count, const int32_t *lengths, int64_t rank)
{
    int64_t below = 0;
    for (int64_t n = 0; n <= LONG; n++) {
        below += count[n];
        if (below >= rank)
            return n;
    }
    return lengths[rank - below - 1];
}

static enum sp_status quantiles(const struct sp_csr *a, struct sp_structure *s, int64_t n_long,
                                struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(LONG + 1, sizeof(int64_t), "row lengths", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *count = p;
    status = sp_new_array(2 * n_long, sizeof(int32_t), "long rows", &p, err);
    if (status != SP_OK) {
        free(count);
        return status;
    }
    int32_t *lengths = p;
    int64_t n = 0;
    for (int64_t i = 0; i < a->n_r; i++) {
        int64_t length = a->row_ptr[i + 1] - a->row_ptr[i];
        if (length > LONG)
            lengths[n++] = (int32_t)length;
        else
            count[length]++;
    }
    sp_sort_i32(lengths, n, lengths + n_long);
    s->row_median = at_rank(count, lengths, (a->n_r + 1) / 2);
    s->row_p99 = at_rank(count, lengths, a->n_r - a->n_r / 100);
    for (s->longest_row = 0; a->row_ptr[s->longest_row + 1] - a->row_ptr[s->longest_row] != s->row_max;)
        s->longest_row++;
    free(count);
    free(lengths);
    return SP_OK;
}

enum sp_status sp_structure_rows(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err)
{
    s->n_empty_rows = a->n_r;
    if (a->n_r == 0 || a->n_c == 0)
        return SP_OK;
    void *p;
    enum sp_status status = sp_large_alloc(NULL, a->n_c, 1, "marks of columns", &p, err);
    if (status != SP_OK)
        return status;
    unsigned char *used = p;
    struct sums all = {.min = INT64_MAX};
    double mean = s->n_nzr;
#pragma omp parallel
    {
        struct sums own = {.min = INT64_MAX};
#pragma omp for schedule(dynamic, 1024) nowait
        for (int64_t i = 0; i < a->n_r; i++)
            add_row(a, i, mean, used, &own);
#pragma omp critical
        {
            all.lower = own.lower > all.lower ? own.lower : all.lower;
            all.upper = own.upper > all.upper ? own.upper : all.upper;
            all.min = own.min < all.min ? own.min : all.min;
            all.max = own.max > all.max ? own.max : all.max;
            all.profile += own.profile;
            all.n_diagonal += own.n_diagonal;
            all.n_empty += own.n_empty;
            all.n_long += own.n_long;
            all.distance += own.distance;
            all.squares += own.squares;
        }
    }
    for (int64_t j = 0; j < a->n_c; j++)
        s->n_c_used += used[j];
    sp_large_free(NULL, used, a->n_c, 1);
    s->row_min = all.min;
    s->row_max = all.max;
    s->row_cv = a->n_nz > 0 ? sqrt(all.squares / (double)a->n_r) / mean : 0;
    s->n_empty_rows = all.n_empty;
    s->lower_bandwidth = all.lower;
    s->upper_bandwidth = all.upper;
    s->profile = all.profile;
    s->n_diagonal = all.n_diagonal;
    s->mean_distance = a->n_nz > 0 ? all.distance / (double)a->n_nz : 0;
    return quantiles(a, s, all.n_long, err);
}
