/* The matrix as it was read: compressed row storage (CRS) in its canonical form.
 *
 * Canonical: rows complete, columns strictly ascending inside a row (duplicates were summed),
 * symmetry expanded, zeros of the input kept. Kernels never run on this directly: they run on a
 * struct sp_layout made from it, with the precision, index width, order and partition that the
 * workload asks for. */
#ifndef SP_SPARSE_CSR_H
#define SP_SPARSE_CSR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"

/* Rows and columns are limited to this, so that a column index fits 32 bits; entries are not. */
#define SP_MAX_DIMENSION INT32_MAX

enum sp_field { SP_FIELD_REAL, SP_FIELD_INTEGER, SP_FIELD_PATTERN, SP_FIELD_COMPLEX };
enum sp_symmetry { SP_GENERAL, SP_SYMMETRIC, SP_SKEW_SYMMETRIC, SP_HERMITIAN };

/* Lower-case names as in a Matrix Market banner. */
const char *sp_field_name(enum sp_field field);
const char *sp_symmetry_name(enum sp_symmetry symmetry);

struct sp_csr {
    int64_t n_r, n_c, n_nz;
    int64_t *row_ptr; /* [n_r + 1] */
    int32_t *col;     /* [n_nz] 0-based */
    double *val; /* [n_nz], complex: [2 n_nz] real and imaginary parts in turn; a pattern's values are 1 */
    /* [n_nz] lent by a caller (src/api) in place of col and val, which are NULL then: whoever takes
     * a matrix reads them with sp_csr_col() and sp_csr_number() */
    const int64_t *col_64;
    const float *val_f32;
    enum sp_field field;                  /* of the input */
    enum sp_symmetry symmetry;            /* of the input; entries are expanded whatever it says */
    int64_t n_zeros;                      /* stored entries whose value is 0, counted after expansion */
    int64_t n_duplicates;                 /* input entries that were added to an earlier one */
    const struct sp_allocator *allocator; /* of the three arrays */
};

/* A borrowed view of where entries are. */
struct sp_pattern {
    int64_t n_r, n_c, n_nz;
    const int64_t *row_ptr; /* [n_r + 1] */
    const int32_t *col;     /* [n_nz] */
    const int64_t *col_64;  /* [n_nz] in place of col, which is NULL then: see sp_pattern_col() */
};

static inline struct sp_pattern sp_csr_pattern(const struct sp_csr *a)
{
    return (struct sp_pattern){a->n_r, a->n_c, a->n_nz, a->row_ptr, a->col, a->col_64};
}

/* The column of entry k. */
static inline int32_t sp_csr_col(const struct sp_csr *a, int64_t k)
{
    return a->col ? a->col[k] : (int32_t)a->col_64[k];
}
static inline int32_t sp_pattern_col(const struct sp_pattern *p, int64_t k)
{
    return p->col ? p->col[k] : (int32_t)p->col_64[k];
}

static inline bool sp_csr_is_complex(const struct sp_csr *a)
{
    return a->field == SP_FIELD_COMPLEX;
}

/* Element k of the values: two of them are a complex entry. */
static inline double sp_csr_number(const struct sp_csr *a, int64_t k)
{
    return a->val_f32 ? (double)a->val_f32[k] : a->val[k];
}

/* n of them from `first` on. */
void sp_csr_copy_columns(const struct sp_csr *a, int64_t first, int64_t n, int32_t *to);
void sp_csr_copy_numbers(const struct sp_csr *a, int64_t first, int64_t n, double *to);

/* The three arrays (col, val untouched, row_ptr[0] = 0). On failure *a is zeroed. NULL: plain. */
enum sp_status sp_csr_alloc(int64_t n_r, int64_t n_c, int64_t n_nz, enum sp_field field,
                            const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err);
/* Bytes that sp_csr_alloc would take; exact, for the check before memory is taken. */
double sp_csr_bytes(int64_t n_r, int64_t n_nz, enum sp_field field);
/* Safe twice and on a zeroed matrix. */
void sp_csr_free(struct sp_csr *a);

/* SP_BUG with the first broken promise of the canonical form; for tests and caches. */
enum sp_status sp_csr_check(const struct sp_csr *a, struct sp_error *err);

/* Rows [first, first + n_rows) as a small matrix whose columns are folded: column c becomes c mod
 * `window` (then sorted; equal columns are kept apart, so this one is not canonical in that
 * respect). The row lengths stay real while all of x fits `window` entries: what P_core is measured
 * on [THEORY 1]. */
enum sp_status sp_csr_fold(const struct sp_csr *a, int64_t first, int64_t n_rows, int64_t window,
                           struct sp_csr *folded, struct sp_error *err);

/* The same for kernels of half storage, as a canonical symmetric matrix of n_rows rows: of each row
 * the entries up to the diagonal, whose distance from it is folded into `window` or what rows there
 * are before it (equal columns become one), and their mirror images. Values are arbitrary. `a` is
 * square. */
enum sp_status sp_csr_fold_symmetric(const struct sp_csr *a, int64_t first, int64_t n_rows, int64_t window,
                                     struct sp_csr *folded, struct sp_error *err);

/* The place of column j among the entries of row i, whose columns ascend; -1: it has none. */
int64_t sp_csr_find(const struct sp_csr *a, int64_t i, int64_t j);

/* Building a matrix of known row lengths: first the lengths, then the room. */

/* n[0 .. n_items] holds 0 and then the sizes of the items; afterwards n[i] is the sum of the sizes
 * before item i. In parallel. */
void sp_prefix_sum(int64_t *n, int64_t n_items);

/* Allocates the row pointers only. The caller writes the length of row i to row_ptr[i + 1] and goes
 * on with sp_csr_take_entries(). On failure *a is zeroed. */
enum sp_status sp_csr_take_rows(int64_t n_r, int64_t n_c, enum sp_field field,
                                const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err);
/* Turns the lengths into pointers, allocates col and val, untouched. On failure *a is freed. */
enum sp_status sp_csr_take_entries(struct sp_csr *a, struct sp_error *err);

/* What is in a matrix: identity, symmetry, zeros, what f32 makes of its values, entries' rows. */

/* 64 hexadecimal digits that depend on sizes, positions and values of the canonical matrix alone:
 * not on the order, the symmetry or the kind of the file. Definition ("spmodel.csr/1"): SHA-256 of
 * the line
 *     spmodel.csr/1 N_R N_C N_NZ real|complex\n
 * followed by the XXH64 of each 1 MiB block of row_ptr (int64), then of col (int32), then of val
 * (double), little endian, each array cut on its own, the seed of a block being its number in its
 * array. Runs at memory speed on n_threads threads, and a damaged block changes it. */
enum sp_status sp_csr_digest(const struct sp_csr *a, int n_threads, char hex[65], struct sp_error *err);

/* *holds = true when the entries of the canonical matrix have the symmetry that a->symmetry names
 * (general: never), position by position and bit by bit; a permutation of rows alone, for example,
 * breaks it. One pass. */
enum sp_status sp_csr_symmetry_holds(const struct sp_csr *a, bool *holds, struct sp_error *err);

/* The field by which every value survives: a pattern whose duplicates were added is no pattern any
 * more, an integer beyond 64 bits is none for a reader. */
enum sp_field sp_csr_plainest_field(const struct sp_csr *a);

/* Removes every entry whose value is 0 (complex: both parts), whatever its sign; *n_dropped says
 * how many. What the file said about symmetry stays true: the mirror image of a zero is one. A
 * matrix without such entries is left as it is. SP_MEMORY, the matrix is then unchanged: it takes a
 * second one while it works. */
enum sp_status sp_csr_drop_zeros(struct sp_csr *a, int64_t *n_dropped, struct sp_error *err);

/* What storing the values of a matrix in f32 changes (precision mixed). */

struct sp_rounding {
    int64_t n_changed; /* values that are not f32 numbers; of complex ones, parts */
    double largest;  /* max |fl(a) - a| / |a|: at most 2^-24 where nothing under- or overflows; INFINITY: one
                        does overflow */
    double normwise; /* ||fl(A) - A||_F / ||A||_F */
};

/* Values that are not finite count as unchanged. One parallel pass. */
void sp_rounding_of(const struct sp_csr *a, struct sp_rounding *rounding);

/* The row of entry k. */
int64_t sp_csr_row_of(const struct sp_csr *a, int64_t k);

#endif
