/* The identity of a matrix' content. */
#ifndef SP_SPARSE_CSR_DIGEST_H
#define SP_SPARSE_CSR_DIGEST_H

#include "base/status.h"
#include "sparse/csr/csr.h"

/* 64 hexadecimal digits that depend on sizes, positions and values of the canonical matrix alone: not on the
 * order, the symmetry or the kind of the file. Definition ("spmodel.csr/1"): SHA-256 of the line
 *     spmodel.csr/1 N_R N_C N_NZ real|complex\n
 * followed by the XXH64 of each 1 MiB block of row_ptr (int64), then of col (int32), then of val (double),
 * little endian, each array cut on its own, the seed of a block being its number in its array. Runs at memory
 * speed on n_threads threads, and a damaged block changes it. */
enum sp_status sp_csr_digest(const struct sp_csr *a, int n_threads, char hex[65], struct sp_error *err);

#endif
