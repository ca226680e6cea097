/* Is the matrix still what its file called it? */
#ifndef SP_SPARSE_CSR_SYMMETRY_H
#define SP_SPARSE_CSR_SYMMETRY_H

#include "base/status.h"
#include "sparse/csr/csr.h"

/* *holds = true when the entries of the canonical matrix have the symmetry that a->symmetry names (general:
 * never), position by position and bit by bit; a permutation of rows alone, for example, breaks it. One pass.
 */
enum sp_status sp_csr_symmetry_holds(const struct sp_csr *a, bool *holds, struct sp_error *err);

#endif
