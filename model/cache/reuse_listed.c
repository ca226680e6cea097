#include "model/cache/reuse_listed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/csr/csr.h"
#include "sparse/csr/sort.h"
#include "sparse/formats/permuted.h"

/* Of each column of the matrix as it stands. */
struct listing {
    const struct sp_permuted *permuted;
    int32_t *line;       /* [n_c] its line in the new order where that is followed, else NOT_FOLLOWED */
    unsigned char *used; /* [n_c] an entry is in it */
    struct sp_followed *list;
};
enum { NOT_FOLLOWED = -1 };

static uint32_t line_of(const struct sp_trace *t, const struct sp_permuted *p, int64_t column)
{
    const int64_t base_B = t->x_base_B - t->first_line[SP_REGION_X] * t->line_B;
    const int64_t place = sp_permuted_column(p, (int32_t)column) * (int64_t)t->layout->s_x;
    return (uint32_t)((base_B + place) >> t->line_shift);
}

static void choose_columns(const struct sp_trace *t, struct sp_line_sample sample, struct listing *l)
{
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < l->permuted->pattern.n_c; j++) {
        uint32_t line = line_of(t, l->permuted, j);
        l->line[j] = sp_line_is_followed(sample, line) ? (int32_t)line : NOT_FOLLOWED;
    }
}

static void mark_touched(const struct sp_trace *t, const struct listing *l, uint8_t *touched)
{
    for (int64_t j = 0; j < l->permuted->pattern.n_c; j++)
        if (l->used[j])
            touched[line_of(t, l->permuted, j)] = 1;
}

static void count_row(const struct listing *l, int64_t row, int64_t to)
{
    const struct sp_pattern *a = &l->permuted->pattern;
    int64_t n = 0;
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) {
        int32_t j = a->col[k];
        n += l->line[j] != NOT_FOLLOWED;
        if (!__atomic_load_n(&l->used[j], __ATOMIC_RELAXED))
            __atomic_store_n(&l->used[j], 1, __ATOMIC_RELAXED);
    }
    l->list->start[to + 1] = n;
}

static void list_row(const struct listing *l, int64_t row, int64_t to, int32_t *scratch)
{
    const struct sp_pattern *a = &l->permuted->pattern;
    const int64_t at = l->list->start[to], n = l->list->start[to + 1] - at;
    int64_t found = 0;
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1] && found < n; k++) {
        int32_t line = l->line[a->col[k]];
        if (line != NOT_FOLLOWED)
            l->list->line[at + found++] = line;
    }
    sp_sort_i32(l->list->line + at, n, scratch + at);
}

/* Counts, then fills. */
static enum sp_status list_rows(const struct listing *l, struct sp_error *err)
{
    const int64_t n_r = l->permuted->pattern.n_r;
    int64_t *start = l->list->start;
    void *p, *scratch;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t row = 0; row < n_r; row++)
        count_row(l, row, sp_permuted_place(l->permuted, row));
    sp_prefix_sum(start, n_r);
    enum sp_status status = sp_large_alloc(NULL, start[n_r], sizeof(int32_t), "followed lines", &p, err);
    l->list->line = p;
    if (status == SP_OK)
        status = sp_large_alloc(NULL, start[n_r], sizeof(int32_t), "sorting lines", &scratch, err);
    if (status != SP_OK)
        return status;
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t row = 0; row < n_r; row++)
        list_row(l, row, sp_permuted_place(l->permuted, row), scratch);
    sp_large_free(NULL, scratch, start[n_r], sizeof(int32_t));
    return SP_OK;
}

enum sp_status sp_followed_list(const struct sp_trace *t, struct sp_line_sample sample, uint8_t *touched,
                                struct sp_followed *list, struct sp_error *err)
{
    static const char what[] = "followed lines";
    const struct sp_permuted *p = t->layout->permuted;
    const int64_t n_r = p->pattern.n_r, n_c = p->pattern.n_c;
    void *start = NULL, *line = NULL, *used = NULL;
    *list = (struct sp_followed){.n_r = n_r};
    enum sp_status status = sp_large_alloc(NULL, n_r + 1, sizeof(int64_t), what, &start, err);
    list->start = start;
    if (status == SP_OK)
        status = sp_large_alloc(NULL, n_c, sizeof(int32_t), what, &line, err);
    if (status == SP_OK)
        status = sp_large_alloc(NULL, n_c, 1, what, &used, err);
    if (status == SP_OK) {
        struct listing l = {p, line, used, list};
        choose_columns(t, sample, &l);
        status = list_rows(&l, err);
        mark_touched(t, &l, touched);
    }
    sp_large_free(NULL, line, n_c, sizeof(int32_t));
    sp_large_free(NULL, used, n_c, 1);
    if (status != SP_OK)
        sp_followed_free(list);
    return status;
}

void sp_followed_free(struct sp_followed *list)
{
    if (list->line)
        sp_large_free(NULL, list->line, list->start[list->n_r], sizeof *list->line);
    sp_large_free(NULL, list->start, list->n_r + 1, sizeof *list->start);
    memset(list, 0, sizeof *list);
}
