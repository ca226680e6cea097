/* How much memory a command will need for a matrix, known from sizes alone, and whether it may be taken.
 * Every reader and generator of matrices asks here before it takes memory. */
#ifndef SP_IO_LOAD_MEMORY_H
#define SP_IO_LOAD_MEMORY_H

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "sparse/csr/csr.h"

/* Sizes as a header or a formula states them; of a symmetric file what is listed is the least there will be.
 */
struct sp_load_size {
    int64_t n_r, n_c, n_nz;
    enum sp_field field;
    bool symmetric; /* n_nz has both triangles of a symmetric matrix */
};

/* Bytes at the peak of a command's use of a matrix, the matrix itself included:
 *
 *     need = (1 + M) B_csr + e n_nz + r n_r + c n_c + f,    B_csr = sp_csr_bytes()
 *
 * with M further copies, and bytes by entry, row, column and of fixed size from the table in load_memory.c,
 * which names what they are for. Known before the matrix is made, so it is an estimate: what depends on the
 * pattern is counted as for meshes (fill), or, where METIS may run, as for random graphs: no pattern takes
 * more. */
double sp_load_need(enum sp_load_use use, const struct sp_load_size *size);

/* SP_MEMORY where either `reading_B` (what reading or making it takes at its peak, the matrix included) or
 * what options->use will need exceeds options->memory_limit_B, with both figures, what limits, and the
 * remedy. `what`: "the matrix ...", for reading_B. */
enum sp_status sp_load_check_memory(const char *path, const struct sp_load_options *options,
                                    const struct sp_load_size *size, double reading_B, const char *what,
                                    struct sp_error *err);

#endif
