#include "sparse/formats/variant.h"

#include <stdlib.h>
#include <string.h>

#include "sparse/formats/layout_build.h"

enum sp_status sp_layout_repartition(const struct sp_layout *l, enum sp_schedule schedule, int64_t block,
                                     int n_threads, struct sp_partition *partition, struct sp_error *err)
{
    int64_t n_units = l->n_ptr - 1;
    void *p;
    enum sp_status status = sp_new_array(n_units + 1, sizeof(int64_t), "running entries", &p, err);
    if (status != SP_OK) {
        *partition = (struct sp_partition){0};
        return status;
    }
    int64_t *running = p;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i <= n_units; i++)
        running[i] = sp_layout_ptr(l, i);
    const int64_t unit_rows = sp_layout_unit_rows(l);
    int64_t block_units = block > 0 ? (block + unit_rows - 1) / unit_rows : 1;
    status = sp_partition_make(schedule, block_units, n_threads, n_units, running, partition, err);
    free(running);
    return status;
}

/* Bases of unit-stride slots may be negative: the result is in [0, window) all the same. */
int64_t sp_layout_folded(int64_t i, int64_t window)
{
    int64_t rest = i % window;
    return rest < 0 ? rest + window : rest;
}

/* Every base becomes 0; offsets reach no further than SP_OFFSET_MAX. */
static void fold_offsets(struct sp_layout *l, int64_t window)
{
    const int64_t reach = window <= SP_OFFSET_MAX ? window : SP_OFFSET_MAX + 1;
    const int64_t n_groups = l->n_bases;
    const bool by_rows = sp_format_of(l->format)->plain_rows;
    uint16_t *col = l->col;
#pragma omp parallel for schedule(static) num_threads(l->partition.n_threads)
    for (int64_t g = 0; g < n_groups; g++) {
        const int64_t first = by_rows ? sp_layout_ptr(l, g) : g * l->C;
        const int64_t end = by_rows ? sp_layout_ptr(l, g + 1) : first + l->C;
        for (int64_t i = first; i < end; i++)
            col[i] = (uint16_t)sp_layout_folded(sp_layout_col_in(l, i, g), reach);
        l->base[g] = 0;
    }
}

static void fold_in_place(struct sp_layout *l, int64_t window)
{
    const struct sp_format_kind *kind = sp_format_of(l->format);
    if (kind->fold) {
        kind->fold(l, window);
        return;
    }
    if (window > l->n_c - l->C) /* a unit-stride slot reads C entries from its base on */
        window = l->n_c - l->C;
    if (kind->in_blocks)
        window = window > l->b_w ? window / l->b_w : 1;
    if (window < 1)
        return;
    if (l->index == SP_D16) {
        fold_offsets(l, window);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(l->partition.n_threads)
    for (int64_t i = 0; i < l->n_indices; i++) {
        if (l->index == SP_I32)
            ((int32_t *)l->col)[i] = (int32_t)sp_layout_folded(((int32_t *)l->col)[i], window);
        else
            ((int64_t *)l->col)[i] = sp_layout_folded(((int64_t *)l->col)[i], window);
    }
}

static enum sp_status copy_array(const struct sp_layout *l, const void *from, int64_t n, size_t size,
                                 const char *what, void *out_pointer, struct sp_error *err)
{
    void *p;
    if (!from)
        return SP_OK;
    enum sp_status status = sp_layout_alloc(l, n, size, what, &p, err);
    if (status != SP_OK)
        return status;
    const int n_threads = l->partition.n_threads > 0 ? l->partition.n_threads : 1;
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int t = 0; t < n_threads; t++) {
        const int64_t first = n * t / n_threads, end = n * (t + 1) / n_threads;
        memcpy((char *)p + (size_t)first * size, (const char *)from + (size_t)first * size,
               (size_t)(end - first) * size);
    }
    memcpy(out_pointer, &p, sizeof p);
    return SP_OK;
}

enum sp_status sp_layout_fold(const struct sp_layout *l, int64_t window, struct sp_layout *view,
                              struct sp_error *err)
{
    *view = *l;
    if (!l->col)
        return sp_fail(err, SP_ABSENT, NULL, "a layout without indices of its own cannot be folded");
    view->col = NULL;
    view->list = view->base = NULL;
    enum sp_status status =
        copy_array(l, l->col, l->n_indices, l->s_i, "the folded column indices", &view->col, err);
    if (status == SP_OK)
        status = copy_array(l, l->list, l->n_list, sizeof *l->list, "the folded lists", &view->list, err);
    if (status == SP_OK)
        status = copy_array(l, l->base, l->n_bases, sizeof *l->base, "the folded bases", &view->base, err);
    if (status == SP_OK)
        fold_in_place(view, window);
    else
        sp_layout_unfold(view);
    return status;
}

/* Rows first .. end - 1 by length, at their place in ptr; count[longest + 1] is scratch. */
static void sort_share(const struct sp_layout *l, int64_t first, int64_t end, int64_t *count, void *ptr)
{
    int64_t longest = 0, at = sp_layout_ptr(l, first), row = first;
    for (int64_t i = first; i < end; i++) {
        const int64_t length = sp_layout_ptr(l, i + 1) - sp_layout_ptr(l, i);
        longest = length > longest ? length : longest;
        count[length]++;
    }
    for (int64_t length = 0; length <= longest; length++)
        for (; count[length] > 0; count[length]--) {
            at += length;
            sp_layout_set_ptr(ptr, l->s_p, ++row, at);
        }
}

enum sp_status sp_layout_sorted_ptr(const struct sp_layout *l, void **ptr, struct sp_error *err)
{
    int64_t longest = 0;
    void *count = NULL;
    *ptr = NULL;
    if (!sp_format_of(l->format)->plain_rows || l->index == SP_D16 ||
        l->partition.schedule == SP_SCHEDULE_MERGE)
        return sp_fail(err, SP_ABSENT, NULL, "only whole rows of CRS are put in the order of their lengths");
    for (int64_t i = 0; i < l->n_r; i++) {
        const int64_t length = sp_layout_ptr(l, i + 1) - sp_layout_ptr(l, i);
        longest = length > longest ? length : longest;
    }
    enum sp_status status = sp_layout_alloc(l, l->n_ptr, l->s_p, "sorted row pointers", ptr, err);
    if (status == SP_OK)
        status = sp_new_array(longest + 1, sizeof(int64_t), "rows of each length", &count, err);
    if (status == SP_OK)
        sp_layout_set_ptr(*ptr, l->s_p, 0, 0);
    for (int t = 0; t < l->partition.n_threads && status == SP_OK; t++) {
        int64_t cursor = 0, first, end;
        while (sp_partition_next(&l->partition, t, &cursor, &first, &end))
            sort_share(l, first, end, count, *ptr);
    }
    free(count);
    if (status == SP_OK && memcmp(*ptr, l->ptr, (size_t)l->n_ptr * l->s_p) == 0)
        status = sp_fail(err, SP_ABSENT, NULL, "the rows are in the order of their lengths");
    if (status != SP_OK) {
        sp_large_free(l->allocator, *ptr, l->n_ptr, l->s_p);
        *ptr = NULL;
    }
    return status;
}

void sp_layout_unfold(struct sp_layout *view)
{
    sp_large_free(view->allocator, view->col, view->n_indices, view->s_i);
    sp_large_free(view->allocator, view->list, view->n_list, sizeof *view->list);
    sp_large_free(view->allocator, view->base, view->n_bases, sizeof *view->base);
    memset(view, 0, sizeof *view);
}
