/* The parts of structure.c, a file each. */
#ifndef SP_SPARSE_STRUCTURE_PARTS_H
#define SP_SPARSE_STRUCTURE_PARTS_H

#include "sparse/structure/structure.h"

/* structure_rows.c: lengths, quantiles, places. */
enum sp_status sp_structure_rows(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err);
/* structure_values.c: zeros, distinct values, fp32. */
enum sp_status sp_structure_values(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err);
/* structure_symmetry.c: mirror images. */
void sp_structure_symmetry(const struct sp_csr *a, struct sp_structure *s);
/* structure_blocks.c: blocks and unit-stride slots. */
enum sp_status sp_structure_blocks(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err);

#endif
