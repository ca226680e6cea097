/* The noun that all parts share: what is to be computed, in which form, by how many threads. */
#ifndef SP_SPARSE_WORKLOAD_H
#define SP_SPARSE_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

/* S is the sparse matrix [n_r x n_c], r the width of the dense operands.
 *   spmv     y = S x
 *   spmmv    Y = S X      X [n_c x r], Y [n_r x r]: block vectors, a few right-hand sides
 *   spmm     Y = S X      the same with tens to hundreds of columns
 *   sddmm    P = S o (A B^T)                A [n_r x r], B [n_c x r]; P has the pattern of S
 *   fusedmm  E = (C B^T o pattern(S)) D     C [n_r x r], B and D [n_c x r], E [n_r x r] */
enum sp_op { SP_OP_SPMV, SP_OP_SPMMV, SP_OP_SPMM, SP_OP_SDDMM, SP_OP_FUSEDMM, SP_N_OPS };
/* The 16-bit ones are for storage: they compute and sum in f32. SP_MIXED stores the matrix's values
 * in f32; x, y and the sums are f64. */
enum sp_precision { SP_F64, SP_F32, SP_C128, SP_F16, SP_BF16, SP_MIXED, SP_N_PRECISIONS };
/* SP_D16: 16-bit offsets from a base column, one base for each row (CRS) or slot (SELL). */
enum sp_index { SP_I32, SP_I64, SP_D16, SP_N_INDICES };
/* How a dense operand of r columns lies in memory: by rows, or one column after the other. */
enum sp_order { SP_ROW_MAJOR, SP_COLUMN_MAJOR, SP_N_ORDERS };

/* How rows (CRS) or chunks (SELL) are dealt to threads. rows: equal numbers of them, contiguous.
 * nnz: contiguous, equal stored entries. cyclic: blocks of `block` rows (rounded up to whole
 * chunks) in turn. merge: equal shares of rows + entries, rows may be split (CRS only). */
enum sp_schedule { SP_SCHEDULE_ROWS, SP_SCHEDULE_NNZ, SP_SCHEDULE_CYCLIC, SP_SCHEDULE_MERGE, SP_N_SCHEDULES };

enum {
    SP_MAX_FORMATS = 32,
    SP_MAX_WIDTH = 65536,
    SP_MAX_C = 4096,
    SP_MAX_PREFETCH = 4096,
    SP_MAX_THREADS = 4096 /* that may be asked for; OpenMP keeps a record of each on the stack */
};

struct sp_workload {
    enum sp_op op;
    int format;       /* SP_FORMAT_... of sparse/formats/format_ids.h */
    int32_t C;        /* rows in a chunk, SELL kinds only, >= 1 */
    int64_t sigma;    /* sorting window in rows, SELL kinds only, 1: no sorting; else a multiple of C */
    int32_t b_h, b_w; /* BCSR: rows and columns of a block */
    int32_t T_i, T_k; /* TILED, STAGED: rows of a block (STAGED: at most), columns of a tile of the width */
    int32_t W;        /* of formats that cut the columns: columns of a part */
    int32_t r;        /* width of the dense operands, >= 1; 0 means 1, which is all that SpMV has */
    enum sp_order order; /* of the dense operands; column-major for SpMMV only */
    enum sp_precision precision;
    enum sp_index index; /* width of stored column indices */
    int row_ptr_B;       /* of a pointer to rows, chunks or blocks: 4 or 8; 0: 4 while what they count fits */
    int32_t prefetch;    /* gathered x is asked for so many entries in advance; 0: it is not */
    enum sp_schedule schedule;
    int64_t block;               /* rows in a block of cyclic */
    int n_threads;               /* >= 1 */
    const struct sp_csr *matrix; /* borrowed */
};

/* The width with its default filled in. */
static inline int32_t sp_workload_width(const struct sp_workload *w)
{
    return w->r > 0 ? w->r : 1;
}

/* In which precision the matrix's values are stored: f32 for mixed, else the same. */
enum sp_precision sp_precision_of_values(enum sp_precision precision);
/* Bytes of an element of x and y (s_x = s_y), of a matrix value (s_a), of a stored column index
 * (s_i), and of the base that is stored for each row or slot beside it (s_b: 4 for d16, else 0). */
size_t sp_precision_size(enum sp_precision precision);
size_t sp_value_size(enum sp_precision precision);
size_t sp_index_size(enum sp_index index);
size_t sp_base_size(enum sp_index index);

/* Words used on the command line and in records: "spmv", "spmmv", ...; "crs", "sell", ...; "f64",
 * "f32", ...; "i32", "i64", "d16"; "rows", "nnz", "cyclic", "merge"; "row", "column". The _from_
 * functions take such a word (synonyms fp64, double, ... included) and return -1 when it is
 * none. */
const char *sp_op_name(enum sp_op op);
const char *sp_format_name(int format);
const char *sp_precision_name(enum sp_precision precision);
const char *sp_index_name(enum sp_index index);
const char *sp_schedule_name(enum sp_schedule schedule);
const char *sp_order_name(enum sp_order order);
int sp_op_from_name(const char *name);
int sp_precision_from_name(const char *name);
int sp_index_from_name(const char *name);

/* "crs", "sell", "sell:8,32", "sellu:8,1", "bcsr:4x4" ... into the format and its numbers, left out
 * ones by default; the rows of sparse/formats/format.h say which there are. "rows", "nnz",
 * "cyclic", "cyclic:64", "merge" into schedule and block (cyclic: 64 rows). SP_USAGE names the text
 * and the forms that are right. */
enum sp_status sp_workload_set_format(struct sp_workload *w, const char *text, struct sp_error *err);
enum sp_status sp_workload_set_schedule(struct sp_workload *w, const char *text, struct sp_error *err);

/* "SELL-32-256", "CRS", ... into text; returns text. */
char *sp_workload_format_text(const struct sp_workload *w, char *text, size_t size);
/* "sell:32,256", "crs", "bcsr:4x4", ... as typed by a user. */
char *sp_workload_format_option(const struct sp_workload *w, char *text, size_t size);
/* "nnz", "cyclic:64", ... as typed by a user. */
char *sp_workload_schedule_text(const struct sp_workload *w, char *text, size_t size);

/* Fails with SP_USAGE where the parts do not fit: an operation that the format is not for, merge
 * with other than SpMV in CRS, complex matrix with a real precision, C < 1, sigma neither 1 nor a
 * multiple of C, c128 with other than SpMV in CRS, half with another schedule than nnz, 16-bit
 * storage with other than SpMM in CRS and BCSR and SDDMM in CRS, column-major order with other than
 * SpMMV in CRS or SELL, a width with SpMV, mixed with other than SpMV in CRS and SELL kinds, d16
 * with other than real SpMV in CRS (not by merge) and SELL, prefetch with other than real SpMV in
 * CRS and SELL with whole indices. */
enum sp_status sp_workload_check(const struct sp_workload *w, struct sp_error *err);

/* Useful operations of one execution [flop]: SpMV 2 n_nz (complex 8 n_nz), SpMMV and SpMM 2 r n_nz,
 * SDDMM (2 r + 1) n_nz, FusedMM 4 r n_nz [THEORY 1]. */
double sp_workload_flops(const struct sp_workload *w);

/* The dense operands of a workload, and its result, as the user has them: row-major doubles.
 * Kernels keep copies in their own precision and order.
 *
 *              x                rows         second        result
 *   spmv       x [n_c]                                     y [n_r]  (complex: two doubles a number)
 *   spmmv/mm   X [n_c x r]                                 Y [n_r x r]
 *   sddmm      B [n_c x r]      A [n_r x r]                P [n_nz], in the order of the entries
 *   fusedmm    B [n_c x r]      C [n_r x r]  D [n_c x r]   E [n_r x r] */

struct sp_dense {
    const double *x, *rows, *second; /* borrowed; NULL where the operation has none */
};

/* Doubles in each operand and in the result; 0 where the operation has none. */
int64_t sp_dense_n_x(const struct sp_workload *w);
int64_t sp_dense_n_rows(const struct sp_workload *w);
int64_t sp_dense_n_second(const struct sp_workload *w);
int64_t sp_dense_n_result(const struct sp_workload *w);

/* Operands filled with numbers of either sign between 0.5 and 1 in size (`seed` decides them), x of
 * SpMV with positive ones as ever. */
struct sp_dense_arrays {
    double *x, *rows, *second; /* owned */
};
enum sp_status sp_dense_make(const struct sp_workload *w, uint64_t seed, struct sp_dense_arrays *arrays,
                             struct sp_error *err);
void sp_dense_free(struct sp_dense_arrays *arrays);
static inline struct sp_dense sp_dense_of(const struct sp_dense_arrays *a)
{
    return (struct sp_dense){a->x, a->rows, a->second};
}

#endif
