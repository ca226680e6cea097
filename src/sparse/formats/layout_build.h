/* Private to the formats: what they share. */
#ifndef SP_SPARSE_LAYOUT_BUILD_H
#define SP_SPARSE_LAYOUT_BUILD_H

#include "sparse/csr/real.h"
#include "sparse/formats/format.h"
#include "sparse/formats/layout.h"

/* "", ":A", ":A<separator>B" with whole numbers: how many there are, -1: none of these. */
int sp_format_read_pair(const char *text, char separator, int64_t *first, int64_t *second);

/* What the formats of chunks share; `sigma` of `set`: 0 for 8 C, where C alone is typed. */
enum sp_status sp_sell_set(struct sp_workload *w, int64_t C, int64_t sigma, int64_t sigma_of_C,
                           const char *text, const char *numbers, struct sp_error *err);
int sp_sell_numbers(const struct sp_workload *w, int64_t number[2]);
enum sp_status sp_sell_check(const struct sp_workload *w, struct sp_error *err);
enum sp_status sp_sell_beta_of(const struct sp_workload *w, double *beta, struct sp_error *err);
double sp_sell_bytes_bound(const struct sp_workload *w, bool with_values);
void sp_sell_each_entry(const struct sp_layout *layout, sp_entry_visitor *visit, void *to);
/* The same of those of tiles. */
enum sp_status sp_tiles_set(struct sp_workload *w, int64_t T_i, int64_t T_k, const char *text,
                            const char *numbers, struct sp_error *err);
int sp_tiles_numbers(const struct sp_workload *w, int64_t number[2]);
enum sp_status sp_tiles_check(const struct sp_workload *w, struct sp_error *err);
int64_t sp_tiles_unit_rows(const struct sp_workload *w);

/* One array of the layout through its allocator. */
enum sp_status sp_layout_alloc(const struct sp_layout *layout, int64_t n, size_t size, const char *what,
                               void *out_pointer, struct sp_error *err);
/* Its column indices and, where they are wanted, its values. */
enum sp_status sp_layout_alloc_entries(struct sp_layout *layout, bool with_values, struct sp_error *err);

static inline void sp_layout_set_col(struct sp_layout *layout, int64_t i, int64_t column)
{
    if (layout->index == SP_I32)
        ((int32_t *)layout->col)[i] = (int32_t)column;
    else
        ((int64_t *)layout->col)[i] = column;
}

/* Value `from` of the matrix becomes stored entry i in the layout's precision. */
static inline void sp_layout_set_val(struct sp_layout *layout, int64_t i, const struct sp_csr *a,
                                     int64_t from)
{
    if (layout->precision == SP_C128) {
        bool is_complex = sp_csr_is_complex(a);
        ((double *)layout->val)[2 * i] = is_complex ? a->val[2 * from] : sp_csr_number(a, from);
        ((double *)layout->val)[2 * i + 1] = is_complex ? a->val[2 * from + 1] : 0.0;
    } else {
        sp_real_store(sp_precision_of_values(layout->precision), layout->val, i, sp_csr_number(a, from));
    }
}

/* The plan of SELL and SELLU: which row goes into which lane and how many slots each chunk has,
 * known before the layout's arrays are allocated, so that these can be first touched by their
 * threads. */
struct sp_sell_plan {
    int32_t C;
    int64_t n_r, n_chunks;
    int64_t *ptr;  /* [n_chunks + 1] slots of each chunk, after sp_sell_plan_sum() their first entry */
    int32_t *perm; /* [n_chunks C] as in sp_layout; NULL: natural order */
};

static inline int64_t sp_sell_plan_row(const struct sp_sell_plan *plan, int64_t chunk, int32_t lane)
{
    int64_t i = chunk * plan->C + lane;
    if (plan->perm)
        return plan->perm[i];
    return i < plan->n_r ? i : -1;
}

/* Sorts rows; the caller then sets ptr[k] to the slots of chunk k. */
enum sp_status sp_sell_plan_make(const struct sp_csr *a, int32_t C, int64_t sigma, int n_threads,
                                 struct sp_sell_plan *plan, struct sp_error *err);
void sp_sell_plan_free(struct sp_sell_plan *plan);
/* Entries of the longest row of a chunk. */
int64_t sp_sell_plan_longest(const struct sp_sell_plan *plan, const struct sp_csr *a, int64_t chunk);
/* Slots to first entries. */
void sp_sell_plan_sum(struct sp_sell_plan *plan);
/* Sizes, the partition, and ptr, len and perm allocated (not touched). */
enum sp_status sp_sell_plan_apply(const struct sp_sell_plan *plan, const struct sp_workload *w,
                                  struct sp_layout *layout, struct sp_error *err);
/* ptr, len and perm of one chunk. */
void sp_sell_plan_fill(const struct sp_sell_plan *plan, struct sp_layout *layout, int64_t chunk);
/* The values of one chunk, fill included, so that pages of fill are touched too. */
void sp_sell_plan_zero(const struct sp_sell_plan *plan, struct sp_layout *layout, int64_t chunk);

#endif
