#include "sparse/formats/offsets.h"

#include "sparse/formats/layout_build.h"

enum sp_status sp_offsets_count(const struct sp_workload *w, struct sp_offsets *o, struct sp_error *err)
{
    return sp_format_of(w->format)->count_offsets(w, o, err);
}

enum sp_status sp_offsets_check(const struct sp_workload *w, const struct sp_offsets *o, struct sp_error *err)
{
    return sp_format_of(w->format)->check_offsets(w, o, err);
}

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

static int64_t count_slots(const struct sp_sell_plan *plan, const struct sp_csr *a, int64_t chunk)
{
    struct lanes lanes;
    int64_t n = 0;
    start(plan, a, chunk, &lanes);
    for (int64_t base = next_base(&lanes, a); base >= 0; base = next_base(&lanes, a), n++)
        for (int32_t lane = 0; lane < lanes.C; lane++)
            take(&lanes, a, lane, base);
    return n;
}

void sp_sell_plan_offsets(struct sp_sell_plan *plan, const struct sp_csr *a, int n_threads,
                          struct sp_offsets *offsets)
{
    int64_t n_slots = 0, n_plain = 0, n_broken = 0;
#pragma omp parallel for schedule(static) num_threads(n_threads) reduction(+ : n_slots, n_plain, n_broken)
    for (int64_t k = 0; k < plan->n_chunks; k++) {
        const int64_t longest = sp_sell_plan_longest(plan, a, k), left = plan->n_r - k * plan->C;
        plan->ptr[k] = count_slots(plan, a, k);
        n_slots += plan->ptr[k];
        n_plain += longest;
        n_broken += plan->ptr[k] > longest ? (left < plan->C ? left : plan->C) : 0;
    }
    *offsets = (struct sp_offsets){n_slots * plan->C, n_slots, n_plain * plan->C, n_broken};
}

void sp_sell_plan_fill_offsets(const struct sp_sell_plan *plan, const struct sp_csr *a, struct sp_layout *l,
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
