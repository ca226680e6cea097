/* Rows in chunks, sorted by length inside windows. */
#include <omp.h>

#include "base/option/option_words.h"
#include "base/text.h"
#include "sparse/formats/layout_build.h"

/* SELL with 16-bit offsets: which entries share a slot. */

/* Of lane i of a chunk the entries at[i] .. end[i] - 1 are left. */
struct lanes {
    int32_t C;
    int64_t at[SP_MAX_C], end[SP_MAX_C];
};

static void start(const struct sp_sell_plan *plan, const struct sp_csr *a, int64_t chunk, struct lanes *lanes)
{
    lanes->C = plan->C;
    for (int32_t lane = 0; lane < plan->C; lane++) {
        int64_t row = sp_sell_plan_row(plan, chunk, lane);
        lanes->at[lane] = row >= 0 ? a->row_ptr[row] : 0;
        lanes->end[lane] = row >= 0 ? a->row_ptr[row + 1] : 0;
    }
}

/* The base of the next slot: the least of the lanes' next columns; -1: no entries are left. */
static int64_t next_base(const struct lanes *lanes, const struct sp_csr *a)
{
    int64_t base = -1;
    for (int32_t lane = 0; lane < lanes->C; lane++)
        if (lanes->at[lane] < lanes->end[lane]) {
            int64_t column = sp_csr_col(a, lanes->at[lane]);
            base = base < 0 || column < base ? column : base;
        }
    return base;
}

/* The entry that the lane gives to the slot of this base; -1: none. */
static int64_t take(struct lanes *lanes, const struct sp_csr *a, int32_t lane, int64_t base)
{
    int64_t at = lanes->at[lane];
    if (at == lanes->end[lane] || sp_csr_col(a, at) - base > SP_OFFSET_MAX)
        return -1;
    lanes->at[lane]++;
    return at;
}

static int64_t slots_of(const struct sp_sell_plan *plan, const struct sp_csr *a, int64_t chunk)
{
    struct lanes lanes;
    int64_t n = 0;
    start(plan, a, chunk, &lanes);
    for (int64_t base = next_base(&lanes, a); base >= 0; base = next_base(&lanes, a), n++)
        for (int32_t lane = 0; lane < lanes.C; lane++)
            take(&lanes, a, lane, base);
    return n;
}

/* Sets ptr[k] to the slots of chunk k with 16-bit offsets, and counts. */
static void plan_offsets(struct sp_sell_plan *plan, const struct sp_csr *a, int n_threads,
                         struct sp_offsets *offsets)
{
    int64_t n_slots = 0, n_plain = 0, n_broken = 0;
#pragma omp parallel for schedule(static) num_threads(n_threads) reduction(+ : n_slots, n_plain, n_broken)
    for (int64_t k = 0; k < plan->n_chunks; k++) {
        const int64_t longest = sp_sell_plan_longest(plan, a, k), left = plan->n_r - k * plan->C;
        plan->ptr[k] = slots_of(plan, a, k);
        n_slots += plan->ptr[k];
        n_plain += longest;
        n_broken += plan->ptr[k] > longest ? (left < plan->C ? left : plan->C) : 0;
    }
    *offsets = (struct sp_offsets){n_slots * plan->C, n_slots, n_plain * plan->C, n_broken};
}

/* Bases, offsets and values of one chunk; fill keeps its value. */
static void fill_offsets(const struct sp_sell_plan *plan, const struct sp_csr *a, struct sp_layout *l,
                         int64_t chunk)
{
    struct lanes lanes;
    uint16_t *col = l->col;
    int64_t to = plan->ptr[chunk];
    start(plan, a, chunk, &lanes);
    for (int64_t base = next_base(&lanes, a); base >= 0; base = next_base(&lanes, a)) {
        l->base[to / l->C] = sp_to_i32(base);
        for (int32_t lane = 0; lane < lanes.C; lane++, to++) {
            const int64_t from = take(&lanes, a, lane, base);
            col[to] = from >= 0 ? (uint16_t)(sp_csr_col(a, from) - base) : 0;
            if (l->val && from >= 0)
                sp_layout_set_val(l, to, a, from);
        }
    }
}

/* Column-major in the chunk; without offsets a row that ends repeats its last column, value 0. */
static void fill_chunk(const struct sp_sell_plan *plan, const struct sp_csr *a, struct sp_layout *l,
                       int64_t chunk)
{
    sp_sell_plan_fill(plan, l, chunk);
    int64_t begin = plan->ptr[chunk], slots = l->len[chunk];
    sp_sell_plan_zero(plan, l, chunk);
    if (l->index == SP_D16) {
        fill_offsets(plan, a, l, chunk);
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

/* plan->ptr[k] becomes the slots of chunk k. */
static enum sp_status count_slots(const struct sp_workload *w, struct sp_sell_plan *plan,
                                  struct sp_error *err)
{
    if (w->index == SP_D16) {
        struct sp_offsets offsets;
        plan_offsets(plan, w->matrix, w->n_threads, &offsets);
        return check_offsets(w, &offsets, err);
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
        plan_offsets(&plan, w->matrix, w->n_threads, o);
    sp_sell_plan_free(&plan);
    return status;
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
