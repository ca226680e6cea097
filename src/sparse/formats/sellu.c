#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "sparse/csr/sort.h"
#include "sparse/formats/layout_build.h"

/* One chunk by diagonals: an entry of lane l in column c lies on the diagonal c - l. Each group
 * holds the entries of one diagonal, one lane at most once; a group can become a unit-stride
 * slot. */
struct chunk_view {
    int64_t n_groups;
    int32_t *diagonal; /* [n_groups] ascending */
    int64_t *start;    /* [n_groups + 1] into lane */
    int32_t *lane;     /* [entries of the chunk] */
    bool *is_unit;     /* [n_groups] chosen to be a unit-stride slot */
    int64_t n_unit, n_general;

    int64_t *order;  /* [entries] groups by descending number of lanes */
    int64_t *count;  /* [C + 2] of groups by their number of lanes */
    int64_t *next;   /* [C] next entry of each lane */
    int64_t *left;   /* [C] entries of each lane that are in no unit slot */
    int32_t *head;   /* [C] diagonal of the next entry of each lane, INT32_MAX: none */
    int64_t *n_with; /* [longest + 1] lanes by entries left */
    uint64_t *key;   /* [entries] sort keys */
};

static enum sp_status view_make(struct chunk_view *v, int32_t C, int64_t n_entries, int64_t longest,
                                struct sp_error *err)
{
    memset(v, 0, sizeof *v);
    struct {
        int64_t n;
        size_t size;
        void *out;
    } const arrays[] = {
        {n_entries, sizeof *v->diagonal, &v->diagonal},
        {n_entries + 1, sizeof *v->start, &v->start},
        {n_entries, sizeof *v->lane, &v->lane},
        {n_entries, sizeof *v->is_unit, &v->is_unit},
        {n_entries, sizeof *v->order, &v->order},
        {C + 2, sizeof *v->count, &v->count},
        {C, sizeof *v->next, &v->next},
        {C, sizeof *v->left, &v->left},
        {C, sizeof *v->head, &v->head},
        {longest + 1, sizeof *v->n_with, &v->n_with},
        {n_entries, sizeof *v->key, &v->key},
    };
    enum sp_status status = SP_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && status == SP_OK; i++) {
        void *p;
        status = sp_new_array(arrays[i].n, arrays[i].size, "the diagonals of a chunk", &p, err);
        memcpy(arrays[i].out, &p, sizeof p);
    }
    return status;
}

static void view_free(struct chunk_view *v)
{
    free(v->diagonal);
    free(v->start);
    free(v->lane);
    free(v->is_unit);
    free(v->order);
    free(v->count);
    free(v->next);
    free(v->left);
    free(v->head);
    free(v->n_with);
    free(v->key);
    memset(v, 0, sizeof *v);
}

/* Merges the lanes, whose diagonals ascend, by scanning their heads: cheap for small C. */
static void group_by_merging(struct chunk_view *v, const struct sp_sell_plan *plan, const struct sp_csr *a,
                             int64_t chunk)
{
    int32_t C = plan->C;
    int64_t n = 0, used = 0;
    for (;;) {
        int32_t least = INT32_MAX;
        for (int32_t lane = 0; lane < C; lane++)
            least = v->head[lane] < least ? v->head[lane] : least;
        if (least == INT32_MAX)
            break;
        v->diagonal[n] = least;
        v->start[n++] = used;
        for (int32_t lane = 0; lane < C; lane++) {
            if (v->head[lane] != least)
                continue;
            v->lane[used++] = lane;
            int64_t j = ++v->next[lane];
            v->head[lane] =
                j < a->row_ptr[sp_sell_plan_row(plan, chunk, lane) + 1] ? sp_csr_col(a, j) - lane : INT32_MAX;
        }
    }
    v->start[n] = used;
    v->n_groups = n;
}

static void group_by_sorting(struct chunk_view *v, const struct sp_sell_plan *plan, const struct sp_csr *a,
                             int64_t chunk)
{
    int64_t n_keys = 0, n = 0;
    for (int32_t lane = 0; lane < plan->C; lane++) {
        int64_t row = sp_sell_plan_row(plan, chunk, lane);
        for (int64_t j = row >= 0 ? a->row_ptr[row] : 0; row >= 0 && j < a->row_ptr[row + 1]; j++)
            v->key[n_keys++] = (uint64_t)((int64_t)sp_csr_col(a, j) - lane + plan->C) << 32 | (uint64_t)lane;
    }
    sp_sort_by(v->key, n_keys, sizeof *v->key, sp_compare_u64);
    for (int64_t k = 0; k < n_keys; k++) {
        if (k == 0 || v->key[k] >> 32 != v->key[k - 1] >> 32 || v->key[k] == v->key[k - 1]) {
            v->diagonal[n] = (int32_t)((int64_t)(v->key[k] >> 32) - plan->C);
            v->start[n++] = k;
        }
        v->lane[k] = (int32_t)(v->key[k] & UINT32_MAX);
    }
    v->start[n] = n_keys;
    v->n_groups = n;
}

/* Groups in the order in which they may become unit slots: many lanes first; among equals first
 * those that hold the longest lane, because only they can save a general slot. */
static void order_groups(struct chunk_view *v, int32_t C, int32_t longest_lane)
{
    memset(v->count, 0, (size_t)(C + 2) * sizeof *v->count);
    for (int64_t g = 0; g < v->n_groups; g++)
        v->count[C - (v->start[g + 1] - v->start[g]) + 1]++;
    for (int32_t i = 0; i <= C; i++)
        v->count[i + 1] += v->count[i];
    for (int pass = 0; pass < 2; pass++)
        for (int64_t g = 0; g < v->n_groups; g++) {
            bool holds = false;
            for (int64_t i = v->start[g]; i < v->start[g + 1] && !holds; i++)
                holds = v->lane[i] == longest_lane;
            if (holds == (pass == 0))
                v->order[v->count[C - (v->start[g + 1] - v->start[g])]++] = g;
        }
}

/* Fills the view. With k groups in unit slots and m the most entries that a lane has left, the
 * chunk takes k (s_a C + s_i) + m (s_a + s_i) C bytes: the k that takes least is chosen. */
static void view_chunk(struct chunk_view *v, const struct sp_sell_plan *plan, const struct sp_csr *a,
                       int64_t chunk, size_t s_a, size_t s_i)
{
    int32_t C = plan->C, longest_lane = 0;
    int64_t longest = 0;
    for (int32_t lane = 0; lane < C; lane++) {
        int64_t row = sp_sell_plan_row(plan, chunk, lane);
        v->next[lane] = row >= 0 ? a->row_ptr[row] : 0;
        v->left[lane] = row >= 0 ? a->row_ptr[row + 1] - v->next[lane] : 0;
        v->head[lane] = v->left[lane] > 0 ? sp_csr_col(a, v->next[lane]) - lane : INT32_MAX;
        v->n_with[v->left[lane]]++;
        if (v->left[lane] > longest) {
            longest = v->left[lane];
            longest_lane = lane;
        }
    }
    if (C <= 64)
        group_by_merging(v, plan, a, chunk);
    else
        group_by_sorting(v, plan, a, chunk);
    order_groups(v, C, longest_lane);

    double unit_B = (double)(s_a * (size_t)C + s_i), general_B = (double)(s_a + s_i) * C;
    double least_B = general_B * (double)longest;
    int64_t most = longest;
    v->n_unit = 0;
    v->n_general = longest;
    for (int64_t k = 0; k < v->n_groups; k++) {
        int64_t g = v->order[k];
        for (int64_t i = v->start[g]; i < v->start[g + 1]; i++) {
            int64_t had = v->left[v->lane[i]]--;
            v->n_with[had]--;
            v->n_with[had - 1]++;
        }
        while (most > 0 && v->n_with[most] == 0)
            most--;
        double bytes = unit_B * (double)(k + 1) + general_B * (double)most;
        if (bytes < least_B) {
            least_B = bytes;
            v->n_unit = k + 1;
            v->n_general = most;
        }
    }
    v->n_with[0] = 0; /* all lanes are empty now: clean for the next chunk */
    for (int64_t k = 0; k < v->n_groups; k++)
        v->is_unit[v->order[k]] = k < v->n_unit;
}

static void fill_chunk(struct chunk_view *v, const struct sp_sell_plan *plan, const struct sp_csr *a,
                       struct sp_layout *l, int64_t chunk, const int64_t *index_ptr)
{
    int32_t C = l->C;
    sp_sell_plan_fill(plan, l, chunk);
    sp_sell_plan_zero(plan, l, chunk);
    view_chunk(v, plan, a, chunk, l->s_a, l->s_i);
    l->n_unit[chunk] = sp_to_i32(v->n_unit);
    sp_layout_set_ptr(l->index_ptr, l->s_p, chunk, index_ptr[chunk]);
    int64_t base_at = index_ptr[chunk], general_index = base_at + v->n_unit;
    int64_t value_at = plan->ptr[chunk], general_value = value_at + v->n_unit * C;
    for (int32_t lane = 0; lane < C; lane++) {
        int64_t row = sp_sell_plan_row(plan, chunk, lane);
        v->next[lane] = row >= 0 ? a->row_ptr[row] : 0;
        v->left[lane] = 0; /* general slots that the lane has filled */
    }
    for (int64_t g = 0; g < v->n_groups; g++) {
        for (int64_t i = v->start[g]; i < v->start[g + 1]; i++) {
            int32_t lane = v->lane[i];
            int64_t at = value_at + lane, from = v->next[lane]++;
            if (!v->is_unit[g]) {
                int64_t slot = v->left[lane]++;
                sp_layout_set_col(l, general_index + slot * C + lane, sp_csr_col(a, from));
                at = general_value + slot * C + lane;
            }
            if (l->val)
                sp_layout_set_val(l, at, a, from);
        }
        if (v->is_unit[g]) {
            sp_layout_set_col(l, base_at++, v->diagonal[g]);
            value_at += C;
        }
    }
    for (int32_t lane = 0; lane < C; lane++) {
        int64_t row = sp_sell_plan_row(plan, chunk, lane);
        bool empty = row < 0 || a->row_ptr[row + 1] == a->row_ptr[row];
        int64_t column = empty ? 0 : sp_csr_col(a, a->row_ptr[row + 1] - 1);
        for (int64_t slot = v->left[lane]; slot < v->n_general; slot++)
            sp_layout_set_col(l, general_index + slot * C + lane, column);
    }
}

/* Slots, unit slots and indices of every chunk; index_ptr[k + 1] gets those of chunk k. */
static enum sp_status count_slots(const struct sp_workload *w, struct sp_sell_plan *plan,
                                  const int64_t room[2], const struct sp_layout *l, int64_t *index_ptr,
                                  int64_t *n_unit_slots, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    int64_t n_unit = 0;
#pragma omp parallel num_threads(w->n_threads) reduction(+ : n_unit)
    {
        struct chunk_view v;
        bool ready = view_make(&v, l->C, room[0], room[1], NULL) == SP_OK;
        if (!ready) {
#pragma omp atomic write
            status = SP_MEMORY;
        }
#pragma omp for schedule(dynamic, 1024)
        for (int64_t k = 0; k < plan->n_chunks; k++) {
            if (!ready)
                continue;
            view_chunk(&v, plan, w->matrix, k, l->s_a, l->s_i);
            plan->ptr[k] = v.n_unit + v.n_general;
            index_ptr[k + 1] = v.n_unit + v.n_general * l->C;
            n_unit += v.n_unit;
        }
        view_free(&v);
    }
    *n_unit_slots = n_unit;
    if (status != SP_OK)
        return sp_fail(err, status, "take " SP_O_FORMAT " sell", "no memory for the diagonals of a chunk");
    return SP_OK;
}

static enum sp_status fill_layout(const struct sp_workload *w, const struct sp_sell_plan *plan,
                                  const int64_t room[2], struct sp_layout *l, const int64_t *index_ptr,
                                  struct sp_error *err)
{
    const struct sp_partition *p = &l->partition;
    enum sp_status status = SP_OK;
#pragma omp parallel num_threads(p->n_threads)
    {
        struct chunk_view v;
        if (view_make(&v, l->C, room[0], room[1], NULL) != SP_OK) {
#pragma omp atomic write
            status = SP_MEMORY;
        } else {
            for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads()) {
                int64_t cursor = 0, first, end;
                while (sp_partition_next(p, t, &cursor, &first, &end))
                    for (int64_t k = first; k < end; k++)
                        fill_chunk(&v, plan, w->matrix, l, k, index_ptr);
            }
        }
        view_free(&v);
    }
    sp_layout_set_ptr(l->ptr, l->s_p, l->n_chunks, l->n_stored);
    sp_layout_set_ptr(l->index_ptr, l->s_p, l->n_chunks, l->n_indices);
    if (status != SP_OK)
        return sp_fail(err, status, "take " SP_O_FORMAT " sell", "no memory for the diagonals of a chunk");
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
    void *p = NULL;
    status = sp_large_alloc(NULL, plan.n_chunks + 1, sizeof(int64_t), "index pointers", &p, err);
    int64_t *index_ptr = p;
    if (status != SP_OK)
        goto done;
    int64_t most_entries = 0, longest = 0;
#pragma omp parallel for schedule(static) num_threads(w->n_threads) reduction(max : most_entries, longest)
    for (int64_t k = 0; k < plan.n_chunks; k++) {
        int64_t n = 0, longest_here = sp_sell_plan_longest(&plan, a, k);
        for (int32_t lane = 0; lane < l->C; lane++) {
            int64_t row = sp_sell_plan_row(&plan, k, lane);
            n += row >= 0 ? a->row_ptr[row + 1] - a->row_ptr[row] : 0;
        }
        most_entries = n > most_entries ? n : most_entries;
        longest = longest_here > longest ? longest_here : longest;
    }
    const int64_t room[2] = {most_entries, longest};
    status = count_slots(w, &plan, room, l, index_ptr, &l->n_unit_slots, err);
    if (status != SP_OK)
        goto done;
    for (int64_t k = 0; k < plan.n_chunks; k++)
        index_ptr[k + 1] += index_ptr[k];
    sp_sell_plan_sum(&plan);
    status = sp_sell_plan_apply(&plan, w, l, err);
    l->n_indices = index_ptr[plan.n_chunks];
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_chunks, sizeof *l->n_unit, "unit-stride slots", &l->n_unit, err);
    if (status == SP_OK)
        status = sp_layout_alloc(l, l->n_chunks + 1, l->s_p, "index pointers", &l->index_ptr, err);
    if (status == SP_OK)
        status = sp_layout_alloc_entries(l, with_values, err);
    if (status == SP_OK)
        status = fill_layout(w, &plan, room, l, index_ptr, err);
done:
    sp_large_free(NULL, index_ptr, plan.n_chunks + 1, sizeof(int64_t));
    sp_sell_plan_free(&plan);
    return status;
}

static enum sp_status set(struct sp_workload *w, const char *text, const char *numbers, struct sp_error *err)
{
    return sp_sell_set(w, 8, 1, 1, text, numbers, err);
}

static double pointers_B(const struct sp_layout *l)
{
    return (double)l->n_chunks * (double)(2 * l->s_p + sizeof *l->len + sizeof *l->n_unit);
}

const struct sp_format_kind sp_format_sellu = {
    .name = "sellu",
    .title = "SELLU",
    .form = "sellu:C,SIGMA",
    .ops = 1u << SP_OP_SPMV,
    .set = set,
    .numbers = sp_sell_numbers,
    .between = ',',
    .check = sp_sell_check,
    .build = build,
    .bytes_bound = sp_sell_bytes_bound,
    .pointers_B = pointers_B,
    .beta = sp_sell_beta_of,
    .each_entry = sp_sell_each_entry,
    .in_chunks = true,
    .unit_slots = true,
    .takes_mixed = true,
};
