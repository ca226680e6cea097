/* What a product of an unchanged program walks over: the pattern that was kept, its transpose, a
 * triangle of it, or the matrix that a triangle stands for. */
#ifndef SP_SESSION_ATTACH_MATRIX_H
#define SP_SESSION_ATTACH_MATRIX_H

#include "io/attach/capture.h"
#include "sparse/csr/csr.h"

enum sp_attach_walk { SP_WALK_ROWS, SP_WALK_TRANSPOSED, SP_WALK_TRIANGLE, SP_WALK_HALF };

/* How the product is taken to walk: rows of A, rows of A^T, rows of one triangle, half storage. */
enum sp_attach_walk sp_attach_walk_of(const struct sp_captured_product *product);
/* "rows", "transposed", ...; and a sentence without its end, NULL for rows. */
const char *sp_attach_walk_name(enum sp_attach_walk walk);
const char *sp_attach_walk_text(enum sp_attach_walk walk);

/* Puts that matrix in the place of the pattern as it was kept; allocated as that was, values all 1.
 * On failure the matrix is freed. */
enum sp_status sp_attach_walked(const struct sp_captured_product *product, struct sp_csr *matrix,
                                struct sp_error *err);

#endif
