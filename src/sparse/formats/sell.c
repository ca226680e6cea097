/* Sorting of rows by length inside windows, and beta(C, sigma) from row lengths alone. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/text.h"
#include "sparse/csr/sort.h"
#include "sparse/formats/layout_build.h"

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

/* Column-major in the chunk; without offsets a row that ends repeats its last column, value 0. */
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
        int64_t last = length > 0 ? sp_csr_col(a, from + length - 1) : 0;
        for (int64_t j = 0; j < slots; j++)
            sp_layout_set_col(l, begin + j * l->C + lane, j < length ? sp_csr_col(a, from + j) : last);
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

static enum sp_status build(const struct sp_workload *w, bool with_values, struct sp_layout *l,
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
        status = sp_layout_alloc_entries(l, with_values, err);
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

/* ---- the row of the table ---- */

enum sp_status sp_sell_set(struct sp_workload *w, int64_t C, int64_t sigma, int64_t sigma_of_C,
                           const char *text, const char *numbers, struct sp_error *err)
{
    int n = sp_format_read_pair(numbers, ',', &C, &sigma);
    if (n < 0 || C < 1 || C > SP_MAX_C)
        return sp_fail(err, SP_USAGE,
                       "C is the number of rows in a chunk, 1 to 4096, sigma the sorting window in rows",
                       "format '%s' has no valid C and sigma", text);
    if (sigma < 1)
        return sp_fail(err, SP_USAGE, "sigma is the sorting window in rows, 1 for none",
                       "format '%s' has no valid sigma", text);
    if (n == 1)
        sigma = sigma_of_C > 0 ? sigma_of_C : 8 * C;
    if (sigma > 1 && sigma % C != 0)
        return sp_fail(err, SP_USAGE, "take a multiple of C, or 1 for no sorting",
                       "sigma = %lld is not a multiple of C = %lld", (long long)sigma, (long long)C);
    w->C = (int32_t)C;
    w->sigma = sigma;
    return SP_OK;
}

static enum sp_status set(struct sp_workload *w, const char *text, const char *numbers, struct sp_error *err)
{
    return sp_sell_set(w, 32, 256, 0, text, numbers, err);
}

int sp_sell_numbers(const struct sp_workload *w, int64_t number[2])
{
    number[0] = w->C;
    number[1] = w->sigma;
    return 2;
}

enum sp_status sp_sell_check(const struct sp_workload *w, struct sp_error *err)
{
    if (w->C < 1 || w->C > SP_MAX_C || w->sigma < 1 || (w->sigma > 1 && w->sigma % w->C != 0))
        return sp_fail(err, SP_USAGE, "take sigma = 1 or a multiple of C",
                       "C = %d and sigma = %lld do not fit", (int)w->C, (long long)w->sigma);
    return SP_OK;
}

enum sp_status sp_sell_beta_of(const struct sp_workload *w, double *beta, struct sp_error *err)
{
    (void)err;
    const struct sp_pattern pattern = sp_csr_pattern(w->matrix);
    *beta = sp_sell_beta(&pattern, w->C, w->sigma);
    return SP_OK;
}

/* A chunk of SELLU, or with 16-bit offsets, is never stored in more bytes than in SELL. */
double sp_sell_bytes_bound(const struct sp_workload *w, bool with_values)
{
    const double s_a = with_values ? (double)sp_value_size(w->precision) : 0.0;
    const double s_i = w->index == SP_D16 ? sizeof(int32_t) : (double)sp_index_size(w->index);
    struct sp_pattern pattern = sp_csr_pattern(w->matrix);
    double n_stored = (double)w->matrix->n_nz / sp_sell_beta(&pattern, w->C, w->sigma);
    int64_t whole_chunks = (w->matrix->n_r + w->C - 1) / w->C;
    double n_chunks = (double)whole_chunks;
    double per_chunk_B = 2 * sizeof(int64_t) + 2 * sizeof(int32_t);           /* kept */
    per_chunk_B += 2 * sizeof(int64_t) + sizeof(int32_t);                     /* while building */
    double perm_B = w->sigma > 1 ? 2 * sizeof(int32_t) * n_chunks * w->C : 0; /* kept and while building */
    return (s_a + s_i) * n_stored + per_chunk_B * (n_chunks + 1) + perm_B;
}

static double pointers_B(const struct sp_layout *l)
{
    return (double)l->n_chunks * (double)(l->s_p + sizeof *l->len);
}

static double fill_indices_B(const struct sp_layout *l)
{
    return (double)(l->n_stored - l->n_nz) * (double)l->s_i;
}

static enum sp_status count_offsets(const struct sp_workload *w, struct sp_offsets *o, struct sp_error *err)
{
    struct sp_sell_plan plan;
    enum sp_status status = sp_sell_plan_make(w->matrix, w->C, w->sigma, w->n_threads, &plan, err);
    *o = (struct sp_offsets){0};
    if (status == SP_OK)
        sp_sell_plan_offsets(&plan, w->matrix, w->n_threads, o);
    sp_sell_plan_free(&plan);
    return status;
}

static enum sp_status check_offsets(const struct sp_workload *w, const struct sp_offsets *o,
                                    struct sp_error *err)
{
    const double s_a = (double)sp_value_size(w->precision);
    const double offsets_B = s_a * (double)o->n_stored + sp_offsets_index_B(o);
    const double plain_B = s_a * (double)o->n_plain + sp_offsets_plain_B(o);
    char there[32], here[32];
    if (offsets_B <= plain_B)
        return SP_OK;
    return sp_fail(
        err, SP_USAGE, "take " SP_O_INDEX " i32, another " SP_O_REORDER ", or a larger C",
        "16-bit offsets would store %s, 32-bit indices %s: %lld of %lld rows are in chunks whose slots "
        "span more than %d columns",
        sp_text_bytes(there, sizeof there, offsets_B), sp_text_bytes(here, sizeof here, plain_B),
        (long long)o->n_broken_rows, (long long)w->matrix->n_r, (int)SP_OFFSET_MAX);
}

void sp_sell_each_entry(const struct sp_layout *l, sp_entry_visitor *visit, void *to)
{
    for (int64_t k = 0; k < l->n_chunks; k++) {
        int64_t entry = sp_layout_ptr(l, k);
        int64_t index = l->index_ptr ? sp_layout_index_ptr(l, k) : entry;
        int64_t n_unit = l->n_unit ? l->n_unit[k] : 0;
        for (int64_t slot = 0; slot < l->len[k]; slot++) {
            int64_t base = slot < n_unit ? sp_layout_col(l, index++) : 0, group = entry / l->C;
            for (int64_t lane = 0; lane < l->C; lane++, entry++) {
                int64_t i = k * l->C + lane;
                int64_t row = l->perm ? l->perm[i] : i < l->n_r ? i : -1;
                visit(to, row, slot < n_unit ? base + lane : sp_layout_col_in(l, index++, group), entry, 1);
            }
        }
    }
}

const struct sp_format_kind sp_format_sell = {
    .name = "sell",
    .title = "SELL",
    .form = "sell:C,SIGMA",
    .ops = 1u << SP_OP_SPMV | 1u << SP_OP_SPMMV,
    .set = set,
    .numbers = sp_sell_numbers,
    .between = ',',
    .check = sp_sell_check,
    .build = build,
    .bytes_bound = sp_sell_bytes_bound,
    .pointers_B = pointers_B,
    .fill_indices_B = fill_indices_B,
    .beta = sp_sell_beta_of,
    .count_offsets = count_offsets,
    .check_offsets = check_offsets,
    .each_entry = sp_sell_each_entry,
    .in_chunks = true,
    .by_lengths = true,
    .takes_prefetch = true,
    .takes_mixed = true,
};
