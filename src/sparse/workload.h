/* The noun that all parts share: what is to be computed, in which form, by how many threads. */
#ifndef SP_SPARSE_WORKLOAD_H
#define SP_SPARSE_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/csr.h"

enum sp_op { SP_OP_SPMV, SP_N_OPS };
enum sp_format { SP_FORMAT_CRS, SP_FORMAT_SELL, SP_FORMAT_SELLU, SP_N_FORMATS };
enum sp_precision { SP_F64, SP_F32, SP_C128, SP_N_PRECISIONS };
enum sp_index { SP_I32, SP_I64, SP_N_INDICES };

/* How rows (CRS) or chunks (SELL) are dealt to threads.
 * rows: equal numbers of them, contiguous. nnz: contiguous, equal stored entries. cyclic: blocks of `block`
 * rows (rounded up to whole chunks) in turn. merge: equal shares of rows + entries, rows may be split (CRS
 * only). */
enum sp_schedule { SP_SCHEDULE_ROWS, SP_SCHEDULE_NNZ, SP_SCHEDULE_CYCLIC, SP_SCHEDULE_MERGE, SP_N_SCHEDULES };

struct sp_workload {
    enum sp_op op;
    enum sp_format format;
    int32_t C;     /* rows in a chunk, SELL kinds only, >= 1 */
    int64_t sigma; /* sorting window in rows, SELL kinds only, 1: no sorting; else a multiple of C */
    enum sp_precision precision;
    enum sp_index index; /* width of stored column indices */
    enum sp_schedule schedule;
    int64_t block;               /* rows in a block of cyclic */
    int n_threads;               /* >= 1 */
    const struct sp_csr *matrix; /* borrowed */
};

/* Bytes of a matrix value (= of a vector value: s_a = s_x = s_y here) and of a column index. */
size_t sp_precision_size(enum sp_precision precision);
size_t sp_index_size(enum sp_index index);

/* Words used on the command line and in records: "spmv"; "crs", "sell", "sellu"; "f64", "f32", "c128"; "i32",
 * "i64"; "rows", "nnz", "cyclic", "merge". The _from_ functions take such a word (synonyms fp64, double, ...
 * included) and return -1 when it is none. */
const char *sp_op_name(enum sp_op op);
const char *sp_format_name(enum sp_format format);
const char *sp_precision_name(enum sp_precision precision);
const char *sp_index_name(enum sp_index index);
const char *sp_schedule_name(enum sp_schedule schedule);
int sp_op_from_name(const char *name);
int sp_precision_from_name(const char *name);
int sp_index_from_name(const char *name);

/* "crs", "sell", "sell:8,32", "sellu:8,1" into format, C and sigma. Defaults: sell:32,256 for SELL and
 * sellu:8,1. "rows", "nnz", "cyclic", "cyclic:64", "merge" into schedule and block (cyclic: 64 rows).
 * SP_USAGE names the text and the forms that are right. */
enum sp_status sp_workload_set_format(struct sp_workload *w, const char *text, struct sp_error *err);
enum sp_status sp_workload_set_schedule(struct sp_workload *w, const char *text, struct sp_error *err);

/* "SELL-32-256", "CRS", ... into text; returns text. */
char *sp_workload_format_text(const struct sp_workload *w, char *text, size_t size);
/* "nnz", "cyclic:64", ... as typed by a user. */
char *sp_workload_schedule_text(const struct sp_workload *w, char *text, size_t size);

/* Fails with SP_USAGE where the parts do not fit: merge with SELL, complex matrix with a real precision, C <
 * 1, sigma neither 1 nor a multiple of C, more than 2^31 - 1 columns with i32 (cannot happen here), c128 with
 * SELL. */
enum sp_status sp_workload_check(const struct sp_workload *w, struct sp_error *err);

/* Useful operations of one execution [flop]: SpMV 2 n_nz, complex 8 n_nz [THEORY 1]. */
double sp_workload_flops(const struct sp_workload *w);

#endif
