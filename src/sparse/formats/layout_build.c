#include "sparse/formats/layout_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sparse/csr/sort.h"

int sp_format_read_pair(const char *text, char separator, int64_t *first, int64_t *second)
{
    char number[32];
    if (*text == '\0')
        return 0;
    if (*text++ != ':')
        return -1;
    const char *middle = strchr(text, separator);
    size_t length = middle ? (size_t)(middle - text) : strlen(text);
    if (length == 0 || length >= sizeof number)
        return -1;
    memcpy(number, text, length);
    number[length] = '\0';
    if (sp_parse_count(number, first) || (middle && sp_parse_count(middle + 1, second)))
        return -1;
    return middle ? 2 : 1;
}

enum sp_status sp_layout_alloc(const struct sp_layout *layout, int64_t n, size_t size, const char *what,
                               void *out_pointer, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_large_alloc(layout->allocator, n, size, what, &p, err);
    memcpy(out_pointer, &p, sizeof p);
    return status;
}

enum sp_status sp_layout_alloc_entries(struct sp_layout *l, bool with_values, struct sp_error *err)
{
    enum sp_status status =
        l->lent_col ? SP_OK : sp_layout_alloc(l, l->n_indices, l->s_i, "column indices", &l->col, err);
    if (status == SP_OK && with_values && !l->lent_val)
        status = sp_layout_alloc(l, l->n_stored, l->s_a, "matrix values", &l->val, err);
    return status;
}

/* --- Sorting of rows by length inside windows, and beta(C, sigma) from row lengths alone --------- */

struct sorter {
    int64_t *start;     /* [n_lengths + 1] */
    uint64_t *long_key; /* [sigma] */
    int64_t n_lengths;
};

/* Lengths below this many are sorted by counting; the few rows that are longer by comparison. So a
 * window costs its rows and not its longest row. */
static int64_t counted_lengths(int64_t sigma)
{
    return sigma < 1024 ? 1024 : sigma;
}

static void free_sorter(struct sorter *sorter)
{
    free(sorter->start);
    free(sorter->long_key);
    memset(sorter, 0, sizeof *sorter);
}

static enum sp_status make_sorter(int64_t n_r, int64_t sigma, struct sorter *sorter, struct sp_error *err)
{
    memset(sorter, 0, sizeof *sorter);
    int64_t window = sigma < n_r ? sigma : n_r;
    sorter->n_lengths = counted_lengths(window);
    void *start, *long_key = NULL;
    enum sp_status status =
        sp_new_array(sorter->n_lengths + 1, sizeof *sorter->start, "sorting rows by length", &start, err);
    if (status == SP_OK)
        status = sp_new_array(window, sizeof *sorter->long_key, "sorting rows by length", &long_key, err);
    sorter->start = start;
    sorter->long_key = long_key;
    if (status != SP_OK)
        free_sorter(sorter);
    return status;
}

/* Rows [first, first + n) by descending length, equal ones in their order, into perm[n]. */
static void sort_window(struct sorter *s, const int64_t *row_ptr, int64_t first, int64_t n, int32_t *perm)
{
    const int64_t *ptr = row_ptr + first;
    int64_t n_long = 0, low = s->n_lengths, high = -1; /* counted lengths lie in [low, high] */
    for (int64_t i = 0; i < n; i++) {
        int64_t length = ptr[i + 1] - ptr[i];
        if (length >= s->n_lengths) {
            s->long_key[n_long++] = (uint64_t)(INT32_MAX - length) << 32 | (uint64_t)i;
            continue;
        }
        s->start[length]++;
        low = length < low ? length : low;
        high = length > high ? length : high;
    }
    sp_sort_by(s->long_key, n_long, sizeof *s->long_key, sp_compare_u64);
    for (int64_t k = 0; k < n_long; k++)
        perm[k] = (int32_t)(first + (int64_t)(s->long_key[k] & UINT32_MAX));
    int64_t position = n_long;
    for (int64_t length = high; length >= low; length--) {
        int64_t count = s->start[length];
        s->start[length] = position;
        position += count;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t length = ptr[i + 1] - ptr[i];
        if (length < s->n_lengths)
            perm[s->start[length]++] = (int32_t)(first + i);
    }
    for (int64_t length = low; length <= high; length++)
        s->start[length] = 0;
}

/* Adds the slots of the chunks of one window, slots[n_C] for each C: in descending order of length
 * the rows at positions 0, C, 2 C, ... are the longest of their chunks. */
static void add_window_slots(struct sorter *s, const int64_t *ptr, int64_t n, const int32_t *C, int n_C,
                             int64_t *slots)
{
    int64_t n_long = 0, low = s->n_lengths, high = -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t length = ptr[i + 1] - ptr[i];
        if (length >= s->n_lengths) {
            s->long_key[n_long++] = (uint64_t)(INT32_MAX - length);
            continue;
        }
        s->start[length]++;
        low = length < low ? length : low;
        high = length > high ? length : high;
    }
    sp_sort_by(s->long_key, n_long, sizeof *s->long_key, sp_compare_u64);
    for (int c = 0; c < n_C; c++) {
        int64_t leader = 0; /* position of the next chunk's longest row */
        for (; leader < n_long; leader += C[c])
            slots[c] += INT32_MAX - (int64_t)s->long_key[leader];
        int64_t position = n_long;
        for (int64_t length = high; length >= low; length--) {
            position += s->start[length];
            if (leader < position) {
                int64_t leaders = (position - leader + C[c] - 1) / C[c];
                slots[c] += leaders * length;
                leader += leaders * C[c];
            }
        }
    }
    for (int64_t length = low; length <= high; length++)
        s->start[length] = 0;
}

static int64_t unsorted_slots(const int64_t *row_ptr, int64_t n_r, int32_t C)
{
    int64_t n_chunks = (n_r + C - 1) / C, slots = 0;
#pragma omp parallel for schedule(static) reduction(+ : slots)
    for (int64_t k = 0; k < n_chunks; k++) {
        int64_t end = (k + 1) * C < n_r ? (k + 1) * C : n_r, longest = 0;
        for (int64_t i = k * C; i < end; i++) {
            int64_t length = row_ptr[i + 1] - row_ptr[i];
            longest = length > longest ? length : longest;
        }
        slots += longest;
    }
    return slots;
}

void sp_sell_betas(const struct sp_pattern *a, const int32_t *C, int n_C, int64_t sigma, double *beta)
{
    int64_t slots[SP_MOST_BETAS] = {0};
    const int64_t n_windows = (a->n_r + sigma - 1) / sigma;
    bool failed = false, sorts = false;
    for (int c = 0; c < n_C; c++)
        sorts = sorts || sigma > C[c];
#pragma omp parallel reduction(+ : slots[:SP_MOST_BETAS]) reduction(|| : failed) if (n_windows > 1)
    if (sorts && a->n_nz > 0) {
        struct sorter sorter;
        failed = make_sorter(a->n_r, sigma, &sorter, NULL) != SP_OK;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n_windows; i++) {
            int64_t first = i * sigma, end = first + sigma < a->n_r ? first + sigma : a->n_r;
            if (!failed)
                add_window_slots(&sorter, a->row_ptr + first, end - first, C, n_C, slots);
        }
        free_sorter(&sorter);
    }
    for (int c = 0; c < n_C; c++) {
        /* Without memory for one window: the unsorted beta, a lower bound. */
        const int64_t n =
            a->n_nz > 0 && (failed || sigma <= C[c]) ? unsorted_slots(a->row_ptr, a->n_r, C[c]) : slots[c];
        beta[c] = a->n_nz > 0 ? (double)a->n_nz / ((double)n * C[c]) : 1.0;
    }
}

double sp_sell_beta(const struct sp_pattern *a, int32_t C, int64_t sigma)
{
    double beta;
    sp_sell_betas(a, &C, 1, sigma, &beta);
    return beta;
}

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
            struct sorter sorter;
            enum sp_status mine = make_sorter(a->n_r, sigma, &sorter, NULL);
#pragma omp for schedule(static)
            for (int64_t i = 0; i < n_windows; i++) {
                int64_t first = i * sigma, end = first + sigma < a->n_r ? first + sigma : a->n_r;
                if (mine == SP_OK)
                    sort_window(&sorter, a->row_ptr, first, end - first, plan->perm + first);
            }
            free_sorter(&sorter);
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
    l->s_p = sp_layout_pointer_size(w, l->n_stored);
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
