#include "sparse/csr/permute.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sparse/csr/csr.h"
#include "sparse/csr/sort.h"

void sp_permutations_free(struct sp_permutations *order)
{
    if (order->col_perm != order->row_perm)
        sp_large_free(NULL, order->col_perm, order->n_c, sizeof *order->col_perm);
    sp_large_free(NULL, order->row_perm, order->n_r, sizeof *order->row_perm);
    memset(order, 0, sizeof *order);
}

enum sp_status sp_permutation_check(const int32_t *perm, int64_t n, struct sp_error *err)
{
    static const char remedy[] = "a permutation names every row exactly once";
    void *p;
    enum sp_status status = sp_new_array(n, sizeof(unsigned char), "marks of the permutation", &p, err);
    if (status != SP_OK)
        return status;
    unsigned char *seen = p;
    for (int64_t i = 0; i < n; i++) {
        if (perm[i] < 0 || perm[i] >= n) {
            status = sp_fail(err, SP_INPUT, remedy, "item %lld of the permutation is %lld, outside 0 .. %lld",
                             (long long)i, (long long)perm[i], (long long)n - 1);
            break;
        }
        if (seen[perm[i]]) {
            status = sp_fail(err, SP_INPUT, remedy, "the permutation names %lld twice, again as item %lld",
                             (long long)perm[i], (long long)i);
            break;
        }
        seen[perm[i]] = 1;
    }
    free(seen);
    return status;
}

void sp_permutation_invert(const int32_t *perm, int64_t n, int32_t *inverse)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        inverse[perm[i]] = (int32_t)i;
}

/* Rao and Sandelius: deal the items into buckets by random bits, then shuffle inside each bucket,
 * which fits a cache. Chunks and buckets depend on n alone, so that the result does not depend on
 * threads. */
enum sp_status sp_permutation_random(int64_t n, uint64_t seed, int32_t *perm, struct sp_error *err)
{
    enum { BUCKET = 1 << 15, CHUNK = 1 << 18 };
    int bits = 0;
    while (n >> bits > BUCKET)
        bits++;
    int64_t n_buckets = INT64_C(1) << bits, n_chunks = (n + CHUNK - 1) / CHUNK;
    int shift = 63 - bits;
    uint64_t deal_seed = sp_random_at(seed, 0), shuffle_seed = sp_random_at(seed, 1);

    /* place[bucket * n_chunks + chunk + 1]: first counts, then where the chunk's items go */
    void *p;
    enum sp_status status =
        sp_new_array(n_buckets * n_chunks + 1, sizeof(int64_t), "buckets of a random permutation", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *place = p;
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < n_chunks; chunk++) {
        int64_t end = (chunk + 1) * CHUNK < n ? (chunk + 1) * CHUNK : n;
        for (int64_t i = chunk * CHUNK; i < end; i++) {
            int64_t bucket = (int64_t)(sp_random_at(deal_seed, (uint64_t)i) >> 1 >> shift);
            place[bucket * n_chunks + chunk + 1]++;
        }
    }
    sp_prefix_sum(place, n_buckets * n_chunks);
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t chunk = 0; chunk < n_chunks; chunk++) {
            int64_t end = (chunk + 1) * CHUNK < n ? (chunk + 1) * CHUNK : n;
            for (int64_t i = chunk * CHUNK; i < end; i++) {
                int64_t bucket = (int64_t)(sp_random_at(deal_seed, (uint64_t)i) >> 1 >> shift);
                perm[place[bucket * n_chunks + chunk]++] = (int32_t)i;
            }
        }
        /* each place has moved to the start of the next one */
#pragma omp for schedule(static)
        for (int64_t bucket = 0; bucket < n_buckets; bucket++) {
            int64_t begin = bucket ? place[bucket * n_chunks - 1] : 0;
            int64_t end = n_chunks ? place[(bucket + 1) * n_chunks - 1] : 0;
            struct sp_random random = {sp_random_at(shuffle_seed, (uint64_t)bucket)};
            for (int64_t i = end - 1; i > begin; i--) {
                int64_t j = begin + sp_random_below(&random, i - begin + 1);
                int32_t swap = perm[i];
                perm[i] = perm[j];
                perm[j] = swap;
            }
        }
    }
    free(place);
    return SP_OK;
}

/* Writes row `from` of a, its columns renamed and sorted, to position `to` of b. keys and scratch
 * hold the longest row; a key is (new column, position in the old row). */
static void permute_row(const struct sp_csr *a, int64_t from, const int32_t *new_col, struct sp_csr *b,
                        int64_t to, uint64_t *keys, uint64_t *scratch)
{
    int64_t begin = a->row_ptr[from], n = a->row_ptr[from + 1] - begin;
    for (int64_t k = 0; k < n; k++)
        keys[k] = (uint64_t)(uint32_t)new_col[sp_csr_col(a, begin + k)] << 32 | (uint64_t)k;
    sp_sort_u64(keys, n, scratch);
    bool is_complex = sp_csr_is_complex(a);
    for (int64_t k = 0; k < n; k++) {
        int64_t source = begin + (int64_t)(keys[k] & UINT32_MAX), target = to + k;
        b->col[target] = (int32_t)(keys[k] >> 32);
        if (is_complex) {
            b->val[2 * target] = a->val[2 * source];
            b->val[2 * target + 1] = a->val[2 * source + 1];
        } else {
            b->val[target] = sp_csr_number(a, source);
        }
    }
}

static void copy_row(const struct sp_csr *a, int64_t from, struct sp_csr *b, int64_t to)
{
    int64_t begin = a->row_ptr[from], n = a->row_ptr[from + 1] - begin;
    int64_t per_entry = sp_csr_is_complex(a) ? 2 : 1;
    if (n == 0)
        return;
    sp_csr_copy_columns(a, begin, n, b->col + to);
    sp_csr_copy_numbers(a, begin * per_entry, n * per_entry, b->val + to * per_entry);
}

static int64_t longest_row(const struct sp_csr *a)
{
    int64_t longest = 0;
#pragma omp parallel for schedule(static) reduction(max : longest)
    for (int64_t i = 0; i < a->n_r; i++) {
        int64_t n = a->row_ptr[i + 1] - a->row_ptr[i];
        longest = n > longest ? n : longest;
    }
    return longest;
}

enum sp_status sp_csr_permute(const struct sp_csr *a, const int32_t *row_perm, const int32_t *col_perm,
                              const struct sp_allocator *allocator, struct sp_csr *b, struct sp_error *err)
{
    enum { BLOCK = 512 };
    int32_t *new_col = NULL;
    int64_t longest = longest_row(a), n_blocks = (a->n_r + BLOCK - 1) / BLOCK;
    bool no_memory = false;
    void *p;
    enum sp_status status = sp_csr_take_rows(a->n_r, a->n_c, a->field, allocator, b, err);
    if (status == SP_OK && col_perm) {
        status = sp_large_alloc(NULL, a->n_c, sizeof *new_col, "an inverse permutation", &p, err);
        new_col = p;
    }
    if (status != SP_OK)
        goto done;
    if (new_col)
        sp_permutation_invert(col_perm, a->n_c, new_col);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->n_r; i++) {
        int64_t from = row_perm ? row_perm[i] : i;
        b->row_ptr[i + 1] = a->row_ptr[from + 1] - a->row_ptr[from];
    }
    status = sp_csr_take_entries(b, err);
    if (status != SP_OK)
        goto done;
#pragma omp parallel
    {
        uint64_t *keys = new_col ? malloc((size_t)(2 * longest + 1) * sizeof *keys) : NULL;
        if (new_col && !keys) {
#pragma omp atomic write
            no_memory = true;
        }
#pragma omp for schedule(dynamic, 4)
        for (int64_t block = 0; block < n_blocks; block++) {
            int64_t end = (block + 1) * BLOCK < a->n_r ? (block + 1) * BLOCK : a->n_r;
            for (int64_t i = block * BLOCK; i < end; i++) {
                int64_t from = row_perm ? row_perm[i] : i;
                if (!new_col)
                    copy_row(a, from, b, b->row_ptr[i]);
                else if (keys)
                    permute_row(a, from, new_col, b, b->row_ptr[i], keys, keys + longest);
            }
        }
        free(keys);
    }
    if (no_memory) {
        status = sp_fail(err, SP_MEMORY, "free memory, or take a smaller matrix",
                         "no memory for sorting rows of up to %lld entries", (long long)longest);
        goto done;
    }
    b->symmetry = row_perm == col_perm ? a->symmetry : SP_GENERAL;
    b->n_zeros = a->n_zeros;
    b->n_duplicates = a->n_duplicates;
done:
    sp_large_free(NULL, new_col, a->n_c, sizeof *new_col);
    if (status != SP_OK)
        sp_csr_free(b);
    return status;
}

/* Entries in a window: a part of a private cache. */
enum { WINDOW = 1 << 15 };

enum sp_status sp_permuted_make(const struct sp_pattern *a, const struct sp_permutations *order,
                                struct sp_permuted *p, struct sp_error *err)
{
    *p = (struct sp_permuted){.pattern = *a, .row_perm = order->row_perm};
    void *memory;
    enum sp_status status =
        sp_large_alloc(NULL, a->n_r + 1, sizeof *p->row_ptr, "row pointers of the order", &memory, err);
    p->row_ptr = memory;
    if (status == SP_OK && order->row_perm) {
        status = sp_large_alloc(NULL, a->n_r, sizeof *p->new_row, "an inverse permutation", &memory, err);
        p->new_row = memory;
    }
    if (status == SP_OK && order->col_perm) {
        status = sp_large_alloc(NULL, a->n_c, sizeof *p->new_col, "an inverse permutation", &memory, err);
        p->new_col = memory;
    }
    if (status != SP_OK) {
        sp_permuted_free(p);
        return status;
    }
    if (order->row_perm)
        sp_permutation_invert(order->row_perm, a->n_r, p->new_row);
    if (order->col_perm)
        sp_permutation_invert(order->col_perm, a->n_c, p->new_col);
    int64_t longest = 0;
#pragma omp parallel for schedule(static) reduction(max : longest)
    for (int64_t row = 0; row < a->n_r; row++) {
        int64_t n = a->row_ptr[row + 1] - a->row_ptr[row];
        p->row_ptr[sp_permuted_place(p, row) + 1] = n;
        longest = n > longest ? n : longest;
    }
    sp_prefix_sum(p->row_ptr, a->n_r);
    p->longest = longest;
    return SP_OK;
}

void sp_permuted_free(struct sp_permuted *p)
{
    sp_large_free(NULL, p->row_ptr, p->pattern.n_r + 1, sizeof *p->row_ptr);
    sp_large_free(NULL, p->new_row, p->pattern.n_r, sizeof *p->new_row);
    sp_large_free(NULL, p->new_col, p->pattern.n_c, sizeof *p->new_col);
    memset(p, 0, sizeof *p);
}

static int64_t room_of(const struct sp_permuted *p)
{
    return p->longest > WINDOW ? p->longest : WINDOW;
}

enum sp_status sp_permuted_windows_make(const struct sp_permuted *p, int n, struct sp_permuted_window *window,
                                        struct sp_error *err)
{
    enum sp_status status = SP_OK;
    memset(window, 0, (size_t)n * sizeof *window);
    for (int i = 0; i < n && status == SP_OK; i++) {
        void *memory;
        status = sp_large_alloc(NULL, 2 * room_of(p), sizeof(int32_t), "rows in a new order", &memory, err);
        window[i].col = memory;
        if (status == SP_OK)
            window[i].scratch = window[i].col + room_of(p);
    }
    if (status != SP_OK)
        sp_permuted_windows_free(p, n, window);
    return status;
}

void sp_permuted_windows_free(const struct sp_permuted *p, int n, struct sp_permuted_window *window)
{
    for (int i = 0; window && i < n; i++) {
        sp_large_free(NULL, window[i].col, 2 * room_of(p), sizeof(int32_t));
        memset(&window[i], 0, sizeof window[i]);
    }
}

static inline void prefetch_columns(const struct sp_pattern *p, int64_t k)
{
    if (p->col)
        __builtin_prefetch(&p->col[k]);
    else
        __builtin_prefetch(&p->col_64[k]);
}

/* Rows that are far from each other in memory: have the next ones ready. */
static inline void prefetch(const struct sp_permuted *p, int64_t i, int64_t end)
{
    enum { FAR = 24, NEAR = 8 };
    if (!p->row_perm)
        return;
    if (i + FAR < end)
        __builtin_prefetch(&p->pattern.row_ptr[p->row_perm[i + FAR]]);
    if (i + NEAR < end)
        prefetch_columns(&p->pattern, p->pattern.row_ptr[p->row_perm[i + NEAR]]);
}

/* Rows [first, end) of the window: first all names, whose reads may overlap, then the order. */
static void fill(const struct sp_permuted *p, struct sp_permuted_window *w, int64_t first, int64_t end)
{
    const int64_t origin = p->row_ptr[w->first];
    for (int64_t i = first; i < end; i++) {
        prefetch(p, i, end);
        const int64_t n = p->row_ptr[i + 1] - p->row_ptr[i];
        const int64_t from = p->pattern.row_ptr[sp_permuted_row(p, i)];
        int32_t *to = w->col + (p->row_ptr[i] - origin);
        for (int64_t k = 0; k < n; k++)
            to[k] = sp_permuted_column(p, sp_pattern_col(&p->pattern, from + k));
    }
    for (int64_t i = first; i < end && p->new_col; i++) {
        int64_t at = p->row_ptr[i] - origin;
        sp_sort_i32(w->col + at, p->row_ptr[i + 1] - p->row_ptr[i], w->scratch + at);
    }
}

void sp_permuted_window_to(const struct sp_permuted *p, struct sp_permuted_window *w, int64_t row,
                           int64_t stop)
{
    enum { BLOCK = 256 };
    if (row >= w->first && row < w->end)
        return;
    const int64_t limit = p->row_ptr[row] + room_of(p);
    int64_t end = row + 1;
    while (end < stop && p->row_ptr[end + 1] <= limit)
        end++;
    w->first = row;
    w->end = end;
#pragma omp parallel for schedule(dynamic, 4) if (end - row > 4 * BLOCK)
    for (int64_t block = row; block < end; block += BLOCK)
        fill(p, w, block, block + BLOCK < end ? block + BLOCK : end);
}
