#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/csr/sort.h"
#include "sparse/ranks/halo.h"

void sp_rank_part_free(struct sp_rank_part *part)
{
    if (!part)
        return;
    sp_csr_free(&part->local);
    sp_csr_free(&part->remote);
    free(part->place);
    memset(part, 0, sizeof *part);
}

/* What the rows of one rank are made with. */
struct maker {
    const struct sp_csr *a;
    const struct sp_ranks *d;
    int64_t first_row, n_r, first_x, end_x;
    uint64_t *key, *spare; /* [longest row] place << 32 | position in the row */
};

static int64_t row_at(const struct maker *m, int64_t i)
{
    return m->d->row_perm ? m->d->row_perm[m->first_row + i] : m->first_row + i;
}

static int64_t place_of(const struct maker *m, int64_t k)
{
    return m->d->col_place ? m->d->col_place[sp_csr_col(m->a, k)] : sp_csr_col(m->a, k);
}

static bool is_local(const struct maker *m, int64_t place)
{
    return place >= m->first_x && place < m->end_x;
}

/* The row's entries by place; how many. */
static int64_t sort_row(const struct maker *m, int64_t row)
{
    const int64_t first = m->a->row_ptr[row], n = m->a->row_ptr[row + 1] - first;
    for (int64_t k = 0; k < n; k++)
        m->key[k] = (uint64_t)place_of(m, first + k) << 32 | (uint64_t)k;
    if (m->d->col_place)
        sp_sort_u64(m->key, n, m->spare);
    return n;
}

/* Lengths of the rows of both blocks, and all remote places, not sorted, with repetitions. */
static void measure(const struct maker *m, struct sp_rank_part *part, int32_t *remote)
{
    int64_t n = 0;
    for (int64_t i = 0; i < m->n_r; i++) {
        const int64_t row = row_at(m, i);
        int64_t n_local = 0;
        for (int64_t k = m->a->row_ptr[row]; k < m->a->row_ptr[row + 1]; k++) {
            const int64_t place = place_of(m, k);
            if (is_local(m, place))
                n_local++;
            else
                remote[n++] = (int32_t)place;
        }
        part->local.row_ptr[i + 1] = n_local;
        part->remote.row_ptr[i + 1] = m->a->row_ptr[row + 1] - m->a->row_ptr[row] - n_local;
    }
}

static int64_t find_place(const struct sp_rank_part *part, int64_t place)
{
    int64_t low = 0, high = part->n_recv;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (part->place[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void fill(const struct maker *m, struct sp_rank_part *part)
{
    const int64_t width = sp_csr_is_complex(m->a) ? 2 : 1;
    int64_t at_local = 0, at_remote = 0;
    for (int64_t i = 0; i < m->n_r; i++) {
        const int64_t row = row_at(m, i), n = sort_row(m, row);
        for (int64_t k = 0; k < n; k++) {
            const int64_t place = (int64_t)(m->key[k] >> 32);
            const int64_t from = m->a->row_ptr[row] + (int64_t)(m->key[k] & UINT32_MAX);
            const bool local = is_local(m, place);
            struct sp_csr *to = local ? &part->local : &part->remote;
            const int64_t at = local ? at_local++ : at_remote++;
            to->col[at] = (int32_t)(local ? place - m->first_x : find_place(part, place));
            sp_csr_copy_numbers(m->a, width * from, width, to->val + width * at);
        }
    }
}

static enum sp_status keep_unique(int32_t *remote, int64_t n, struct sp_rank_part *part, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(n, sizeof *remote, "sorting what is received", &p, err);
    if (status != SP_OK)
        return status;
    sp_sort_i32(remote, n, p);
    free(p);
    int64_t kept = 0;
    for (int64_t k = 0; k < n; k++)
        if (kept == 0 || remote[kept - 1] != remote[k])
            remote[kept++] = remote[k];
    part->n_recv = part->remote.n_c = kept;
    status = sp_new_array(kept, sizeof *part->place, "what is received", &p, err);
    part->place = p;
    if (status == SP_OK && kept > 0)
        memcpy(part->place, remote, (size_t)kept * sizeof *remote);
    return status;
}

static enum sp_status make_blocks(struct maker *m, int64_t n_entries, int64_t longest,
                                  struct sp_rank_part *part, struct sp_error *err)
{
    void *remote = NULL, *p;
    enum sp_status status =
        sp_csr_take_rows(m->n_r, m->end_x - m->first_x, m->a->field, NULL, &part->local, err);
    if (status == SP_OK)
        status = sp_csr_take_rows(m->n_r, 0, m->a->field, NULL, &part->remote, err);
    if (status == SP_OK)
        status = sp_new_array(n_entries, sizeof(int32_t), "entries of a rank", &remote, err);
    if (status == SP_OK) {
        status = sp_new_array(2 * longest, sizeof *m->key, "sorting a row", &p, err);
        m->key = p;
        m->spare = m->key ? m->key + longest : NULL;
    }
    if (status == SP_OK) {
        measure(m, part, remote);
        status = sp_csr_take_entries(&part->local, err);
    }
    if (status == SP_OK)
        status = sp_csr_take_entries(&part->remote, err);
    if (status == SP_OK)
        status = keep_unique(remote, part->remote.n_nz, part, err);
    if (status == SP_OK && m->key)
        fill(m, part);
    free(remote);
    free(m->key);
    return status;
}

enum sp_status sp_rank_part_make(const struct sp_csr *a, const struct sp_ranks *d, int rank,
                                 struct sp_rank_part *part, struct sp_error *err)
{
    struct maker m = {.a = a,
                      .d = d,
                      .first_row = d->row_begin[rank],
                      .n_r = d->row_begin[rank + 1] - d->row_begin[rank],
                      .first_x = d->col_begin[rank],
                      .end_x = d->col_begin[rank + 1]};
    int64_t n = 0, longest = 0;
    memset(part, 0, sizeof *part);
    for (int64_t i = 0; i < m.n_r; i++) {
        const int64_t row = row_at(&m, i), length = a->row_ptr[row + 1] - a->row_ptr[row];
        n += length;
        longest = length > longest ? length : longest;
    }
    enum sp_status status = make_blocks(&m, n, longest, part, err);
    if (status != SP_OK)
        sp_rank_part_free(part);
    return status;
}
