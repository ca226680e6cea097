#include <omp.h>
#include <string.h>

#include "sparse/formats/layout_build.h"
#include "sparse/formats/sell_plan.h"

enum sp_status sp_sell_plan_make(const struct sp_csr *a, int32_t C, int64_t sigma, int n_threads,
                                 struct sp_sell_plan *plan, struct sp_error *err)
{
    memset(plan, 0, sizeof *plan);
    plan->C = C;
    plan->n_r = a->n_r;
    plan->n_chunks = (a->n_r + C - 1) / C;
    void *p = NULL;
    enum sp_status status =
        sp_large_alloc(NULL, plan->n_chunks + 1, sizeof *plan->ptr, "chunk pointers", &p, err);
    plan->ptr = p;
    if (status == SP_OK && sigma > 1) {
        status = sp_large_alloc(NULL, plan->n_chunks * C, sizeof *plan->perm, "the row permutation", &p, err);
        plan->perm = p;
    }
    if (status == SP_OK && plan->perm) {
        int64_t n_windows = (a->n_r + sigma - 1) / sigma;
        enum sp_status failure = SP_OK;
#pragma omp parallel num_threads(n_threads) if (n_windows > 1)
        {
            struct sp_sell_sorter sorter;
            enum sp_status mine = sp_sell_sorter_make(a->n_r, sigma, &sorter, NULL);
#pragma omp for schedule(static)
            for (int64_t i = 0; i < n_windows; i++) {
                int64_t first = i * sigma, end = first + sigma < a->n_r ? first + sigma : a->n_r;
                if (mine == SP_OK)
                    sp_sell_sort_window(&sorter, a->row_ptr, first, end - first, plan->perm + first);
            }
            sp_sell_sorter_free(&sorter);
            if (mine != SP_OK) {
#pragma omp atomic write
                failure = mine;
            }
        }
        for (int64_t i = a->n_r; i < plan->n_chunks * C; i++)
            plan->perm[i] = -1;
        if (failure != SP_OK)
            status = sp_fail(err, SP_MEMORY, "take a smaller sigma", "no memory to sort rows by length");
    }
    if (status != SP_OK) {
        sp_sell_plan_free(plan);
        return status;
    }
    return SP_OK;
}

void sp_sell_plan_free(struct sp_sell_plan *plan)
{
    sp_large_free(NULL, plan->ptr, plan->n_chunks + 1, sizeof *plan->ptr);
    sp_large_free(NULL, plan->perm, plan->n_chunks * plan->C, sizeof *plan->perm);
    memset(plan, 0, sizeof *plan);
}

int64_t sp_sell_plan_longest(const struct sp_sell_plan *plan, const struct sp_csr *a, int64_t chunk)
{
    int64_t longest = 0;
    for (int32_t lane = 0; lane < plan->C; lane++) {
        int64_t row = sp_sell_plan_row(plan, chunk, lane);
        if (row >= 0 && a->row_ptr[row + 1] - a->row_ptr[row] > longest)
            longest = a->row_ptr[row + 1] - a->row_ptr[row];
    }
    return longest;
}

void sp_sell_plan_sum(struct sp_sell_plan *plan)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < plan->n_chunks; k++) {
        int64_t slots = plan->ptr[k];
        plan->ptr[k] = sum;
        sum += slots * plan->C;
    }
    plan->ptr[plan->n_chunks] = sum;
}

enum sp_status sp_sell_plan_apply(const struct sp_sell_plan *plan, const struct sp_workload *w,
                                  struct sp_layout *l, struct sp_error *err)
{
    l->n_chunks = plan->n_chunks;
    l->n_ptr = plan->n_chunks + 1;
    l->n_stored = plan->ptr[plan->n_chunks];
    l->n_slots = l->n_stored / l->C;
    l->s_p = sp_layout_pointer_size(l->n_stored);
    int64_t block = w->block / l->C + (w->block % l->C != 0);
    enum sp_status status =
        sp_partition_make(w->schedule, block, w->n_threads, l->n_chunks, plan->ptr, &l->partition, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_ptr, l->s_p, "chunk pointers", &l->ptr, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_chunks, sizeof *l->len, "chunk lengths", &l->len, err);
    if (status == SP_OK && plan->perm)
        status =
            sp_layout_alloc(l, l->n_chunks * l->C, sizeof *l->perm, "the row permutation", &l->perm, err);
    return status;
}

void sp_sell_plan_fill(const struct sp_sell_plan *plan, struct sp_layout *l, int64_t chunk)
{
    sp_layout_set_ptr(l->ptr, l->s_p, chunk, plan->ptr[chunk]);
    l->len[chunk] = sp_to_i32((plan->ptr[chunk + 1] - plan->ptr[chunk]) / l->C);
    if (l->perm)
        memcpy(l->perm + chunk * l->C, plan->perm + chunk * l->C, (size_t)l->C * sizeof *l->perm);
}

void sp_sell_plan_zero(const struct sp_sell_plan *plan, struct sp_layout *l, int64_t chunk)
{
    int64_t begin = plan->ptr[chunk], end = plan->ptr[chunk + 1];
    if (l->val && end > begin)
        memset((char *)l->val + (size_t)begin * l->s_a, 0, (size_t)(end - begin) * l->s_a);
}

/* Column-major within the chunk; with 32 and 64-bit indices a row that ends early repeats its last column
 * with value 0. */
static void fill_chunk(const struct sp_sell_plan *plan, const struct sp_csr *a, struct sp_layout *l,
                       int64_t chunk)
{
    sp_sell_plan_fill(plan, l, chunk);
    int64_t begin = plan->ptr[chunk], slots = l->len[chunk];
    sp_sell_plan_zero(plan, l, chunk);
    if (l->index == SP_D16) {
        sp_sell_plan_fill_offsets(plan, a, l, chunk);
        return;
    }
    for (int32_t lane = 0; lane < l->C; lane++) {
        int64_t row = sp_sell_plan_row(plan, chunk, lane);
        int64_t from = row >= 0 ? a->row_ptr[row] : 0;
        int64_t length = row >= 0 ? a->row_ptr[row + 1] - from : 0;
        int64_t last = length > 0 ? a->col[from + length - 1] : 0;
        for (int64_t j = 0; j < slots; j++)
            sp_layout_set_col(l, begin + j * l->C + lane, j < length ? a->col[from + j] : last);
        for (int64_t j = 0; l->val && j < length; j++)
            sp_layout_set_val(l, begin + j * l->C + lane, a, from + j);
    }
}

/* plan->ptr[k] becomes the slots of chunk k. */
static enum sp_status count_slots(const struct sp_workload *w, struct sp_sell_plan *plan,
                                  struct sp_error *err)
{
    if (w->index == SP_D16) {
        struct sp_offsets offsets;
        sp_sell_plan_offsets(plan, w->matrix, w->n_threads, &offsets);
        return sp_offsets_check(w, &offsets, err);
    }
#pragma omp parallel for schedule(static) num_threads(w->n_threads)
    for (int64_t k = 0; k < plan->n_chunks; k++)
        plan->ptr[k] = sp_sell_plan_longest(plan, w->matrix, k);
    return SP_OK;
}

enum sp_status sp_layout_build_sell(const struct sp_workload *w, bool with_values, struct sp_layout *l,
                                    struct sp_error *err)
{
    const struct sp_csr *a = w->matrix;
    struct sp_sell_plan plan;
    enum sp_status status = sp_sell_plan_make(a, l->C, l->sigma, w->n_threads, &plan, err);
    if (status != SP_OK)
        return status;
    status = count_slots(w, &plan, err);
    if (status != SP_OK)
        goto done;
    sp_sell_plan_sum(&plan);
    status = sp_sell_plan_apply(&plan, w, l, err);
    if (status != SP_OK)
        goto done;
    l->n_indices = l->n_stored;
    l->n_bases = w->index == SP_D16 ? l->n_slots : 0;
    if (w->index == SP_D16) /* none has an address, too */
        status = sp_layout_alloc(l, l->n_bases, sizeof *l->base, "bases of slots", &l->base, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_indices, l->s_i, "column indices", &l->col, err);
    if (status == SP_OK && with_values)
        status = sp_layout_alloc(l, l->n_stored, l->s_a, "matrix values", &l->val, err);
    if (status != SP_OK)
        goto done;

    const struct sp_partition *p = &l->partition;
#pragma omp parallel num_threads(p->n_threads)
    for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads()) {
        int64_t cursor = 0, first, end;
        while (sp_partition_next(p, t, &cursor, &first, &end))
            for (int64_t k = first; k < end; k++)
                fill_chunk(&plan, a, l, k);
    }
    sp_layout_set_ptr(l->ptr, l->s_p, l->n_chunks, l->n_stored);
done:
    sp_sell_plan_free(&plan);
    return status;
}
