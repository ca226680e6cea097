/* A format is one row: its words, its layout, and its properties. What is not its own asks the row
 * instead of which format it is. Rows are called sp_format_NAME and stand in formats/NAME.c;
 * base/option/formats.inc lists them. What the model knows of a format stands in
 * model/formats/format.h. */
#ifndef SP_SPARSE_FORMAT_H
#define SP_SPARSE_FORMAT_H

#include <stdbool.h>

#include "sparse/product/workload.h"

struct sp_layout;
struct sp_offsets;

/* Of each stored entry its row and column, which may lie beyond the matrix (fill), and the factor
 * of its value, 1 or -1. */
typedef void sp_entry_visitor(void *to, int64_t row, int64_t column, int64_t entry, int factor);

/* What a record says of a layout, in its part "layout". */
struct sp_layout_fact {
    const char *name; /* NULL ends a list */
    int64_t count;
    bool is_flag;
};
enum { SP_LAYOUT_FACTS = 5 };

struct sp_format_kind {
    const char *name;  /* "sell": typed, and in records */
    const char *title; /* "SELL": in texts */
    const char *form;  /* "sell:C,SIGMA": what messages tell to type */
    unsigned ops;      /* 1u << SP_OP_...: what has kernels and volumes of it */

    /* The numbers behind the name (":32,256", "") into the workload. NULL: it has none. */
    enum sp_status (*set)(struct sp_workload *w, const char *text, const char *numbers, struct sp_error *err);
    /* One or two of them back; how many. NULL where `set` is. */
    int (*numbers)(const struct sp_workload *w, int64_t number[2]);
    char between; /* two numbers as typed: ',' or 'x' */
    /* Do they fit? NULL: there is nothing to check. */
    enum sp_status (*check)(const struct sp_workload *w, struct sp_error *err);

    /* Fills in a layout whose format, sizes and s_* are set. On failure the caller frees it. */
    enum sp_status (*build)(const struct sp_workload *w, bool with_values, struct sp_layout *layout,
                            struct sp_error *err);
    void (*free)(struct sp_layout *layout); /* layout->own, which may be NULL; NULL: it has none */
    /* sp_layout_bytes_bound() without the partition [B]. */
    double (*bytes_bound)(const struct sp_workload *w, bool with_values);
    /* Bytes of what says where entries are; NULL: ptr alone. Of buffers and partial results; NULL:
     * none. Of the indices that fill brings; NULL: none. */
    double (*pointers_B)(const struct sp_layout *layout);
    double (*other_B)(const struct sp_layout *layout);
    double (*fill_indices_B)(const struct sp_layout *layout);
    /* Rows of a unit of the partition, and entries that an item of ptr counts. NULL: C, and 1. */
    int64_t (*unit_rows)(const struct sp_workload *w);
    int64_t (*ptr_entries)(const struct sp_workload *w);
    /* beta from the pattern alone. NULL: 1, entries only are stored. */
    enum sp_status (*beta)(const struct sp_workload *w, double *beta, struct sp_error *err);
    /* sp_offsets_count() and _check(); NULL: 16-bit offsets are not taken. */
    enum sp_status (*count_offsets)(const struct sp_workload *w, struct sp_offsets *offsets,
                                    struct sp_error *err);
    enum sp_status (*check_offsets)(const struct sp_workload *w, const struct sp_offsets *offsets,
                                    struct sp_error *err);
    /* Calls `visit` for each stored entry, in an order to sum y in; NULL: SpMV is not taken. */
    void (*each_entry)(const struct sp_layout *layout, sp_entry_visitor *visit, void *to);
    /* Columns into a window as sp_layout_fold() says; NULL: each item of col and list by itself. */
    void (*fold)(struct sp_layout *layout, int64_t window);
    int64_t (*fold_multiple)(const struct sp_workload *w); /* windows are multiples of this; NULL: 1 */
    /* Its numbers for a part of the matrix with columns folded into so many; NULL: the same. */
    void (*for_columns)(struct sp_workload *w, int64_t n_c, int64_t columns);
    void (*facts)(const struct sp_layout *layout,
                  struct sp_layout_fact fact[SP_LAYOUT_FACTS]); /* NULL: none */
    /* Is it one that a sweep of SpMV takes beside those of all matrices? NULL: no. */
    bool (*is_swept)(const struct sp_csr *matrix, bool symmetric);

    /* How entries lie. */
    bool plain_rows; /* the arrays of CRS and no others: what knows CRS, formulas too, takes them */
    bool in_chunks;  /* chunks of C rows, a row in each lane */
    bool unit_slots; /* in chunks, and slots of consecutive columns have one base */
    bool in_blocks;  /* dense blocks of b_h x b_w */
    bool mirrored;  /* an entry stands for its mirror image, too; its columns cannot be fewer than its rows */
    bool updates_y; /* y is read and written again: w is what sp_layout_w() says */
    bool by_lengths;  /* V follows from the lengths of rows, by the formula of CRS (plain_rows) or SELL */
    bool own_alpha;   /* x is gathered in an order of its own: alpha tells nothing of other formats */
    bool order_bound; /* what is stored, beside alpha, hangs on the order of rows and columns */
    /* What it takes. */
    bool takes_prefetch, takes_merge, takes_complex, takes_mixed;
    unsigned halves;        /* 1u << SP_OP_...: with values in f16 and bf16 */
    const char *nnz_only;   /* why no other schedule; NULL: others, too */
    const char *not_cyclic; /* why not this one */
};

/* [sp_n_formats], by SP_FORMAT_... of sparse/formats/format_ids.h. */
extern const struct sp_format_kind *const sp_format_kinds[];
extern const int sp_n_formats;

/* "crs, sell or half": the names of those formats, 1u << SP_FORMAT_..., into text; returns text. */
char *sp_format_list(unsigned formats, const char *last, char *text, size_t size);

static inline const struct sp_format_kind *sp_format_of(int format)
{
    return sp_format_kinds[format];
}

#endif
