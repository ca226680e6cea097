/* Operations. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"

static const char of_formula[] =
    "alpha and w are as printed; the layout's own bytes and what stayed in caches may differ";

static const struct sp_calculation block_vectors[] = {
    {"B(r)", "((s_a + s_i)/r + alpha*s_x + (w*s_y + (s_p + s_b)/r)*n_r/n_nz)*r*n_nz/W", "B/flop",
     "metrics.balance", of_formula, "spmv spmmv spmm", "crs"},
    {"limit for large r", "(alpha*s_x + w*s_y*n_r/n_nz)*r*n_nz/W", "B/flop", "curves.balance.limit",
     "the curve takes x as loaded once", "spmv spmmv spmm", "crs"},
    {0},
};

static const struct sp_calculation dense_product[] = {
    {"compulsory V", "(s_a + s_i)*n_nz + s_p*(n_r + 1) + r*(s_x*n_c_used + w*s_y*n_r)", "B", NULL, NULL,
     "spmm spmmv", NULL},
    {"I without caches", "2*n_nz/((s_a + s_i + s_x)*n_nz + (s_y + 8)*n_r)", "flop/B", NULL, NULL,
     "spmm spmmv", NULL},
    {0},
};

static const struct sp_calculation sampled[] = {
    {"compulsory V", "(s_a + s_i + w*s_y)*n_nz + s_p*(n_r + 1) + r*s_x*(n_r_used + n_c_used)", "B", NULL,
     NULL, "sddmm", NULL},
    {"W", "(2*r + 1)*n_nz", "flop", "metrics.flops", NULL, "sddmm", NULL},
    {"density", "n_nz/(n_r*n_c)", "1", NULL, NULL, "sddmm", NULL},
    {"entries read, tiled", "3*n_nz*r/T_k + n_r*r + n_r*r*n_c*r/(T_i*r)", "1", NULL, NULL, "sddmm", "tiled"},
    {"entries read, no reuse", "n_nz*(2*r + 3)", "1", NULL, NULL, "sddmm", NULL},
    {0},
};

static const struct sp_calculation fused[] = {
    {"compulsory V", "s_i*n_nz + s_p*(n_r + 1) + r*(s_x*(n_r_used + 2*n_c_used) + w*s_y*n_r)", "B", NULL,
     NULL, "fusedmm", NULL},
    {"saved", "(w + 1)*s_a*n_nz + s_i*n_nz + s_p*(n_r + 1) + s_a*n_nz", "B", "unfused.saved_predicted",
     "the record's prediction takes w of the pair's SDDMM", "fusedmm", NULL},
    {"saved as simulated", "V_pair - V_fused", "B", "unfused.saved_predicted",
     "one is simulated from empty caches, the other the formula's", "fusedmm", NULL},
    {0},
};

static const struct sp_calculation vector_product[] = {
    {"W", "f_e*n_nz", "flop", "metrics.flops", NULL, "spmv", NULL},
    {"B_C", "V/W", "B/flop", "metrics.balance", NULL, "spmv", NULL},
    {"P", "W/t", "flop/s", "metrics.performance", NULL, "spmv", NULL},
    {0},
};

const struct sp_term sp_operation_terms[] = {
    {"spmv",
     "sparse-matrix-vector",
     "y = S x",
     "W = 2 n_nz (complex 8 n_nz),  V: see `V`",
     "At most two operations for each value that is loaded (four in half storage), so bandwidth decides "
     "wherever the matrix exceeds "
     "the caches. --format chooses how the matrix is stored, --schedule who does what.",
     "V B_C alpha roofline spmmv formats",
     {"config.op", "config.format_text", "config.kernel"},
     vector_product},
    {"spmmv",
     "block-vectors B(r)",
     "Y = S X for a few vectors at once",
     "B(r) = 6/r + 4 alpha(r) + (8 + 2/r)/n_nzr  (CRS, fp64, 32-bit indices, row-major, w = 2)\n"
     "r large: 4 alpha + 8/n_nzr",
     "The matrix is read once for all vectors, so a vector costs less the more there are, until x and y are "
     "all that is moved, P_core or a cache's bandwidth limits, or the rows of X no longer stay in a cache "
     "(alpha(r) rises). Vectors stored one after the other (--order column) with the loop over vectors "
     "outside would read the matrix for each.",
     "r E05 spmm P_core alpha_max",
     {"config.rhs", "config.order", "metrics.balance", "metrics.performance", "metrics.p_core"},
     block_vectors},
    {"spmm",
     "sparse-dense",
     "Y = S X with tens to hundreds of columns",
     "compulsory V in CRS = (s_a + s_i) n_nz + s_p (n_r + 1) + r (s_x n_c' + w s_y n_r)\n"
     "GPU, one thread an output, no cache: I = 2 mu/((s_a + s_i) mu + s_x mu + s_y + 8)  (mu entries a row)",
     "As SpMMV, but wide: a register tile of r_t columns divides the traffic of S by r_t; copying the "
     "distinct "
     "rows of X that a block of rows touches (staged) divides that of X by entries/distinct columns. On "
     "matrix "
     "units in BCSR.",
     "spmmv staged bcsr mma r",
     {"config.inner", "metrics.balance", "metrics.alpha"},
     dense_product},
    {"sddmm",
     "sampled",
     "P = S o (A B^T): dot products of rows of A and B where S has entries",
     "in CRS V = (s_a + s_i + w s_y) n_nz + s_p (n_r + 1) + r s_x n_r' + alpha r s_x n_nz,  W = (2 r + 1) "
     "n_nz\n"
     "entries read:  tiled 3 n_nz r/T_k + |A| + |A||B|/(T_i r)    columns re-indexed |A| + n_nz (r + 1 + 3 "
     "r/T_k)    COO, no reuse n_nz (2 r + 3)",
     "Row by row A is read once and B gathered: alpha counts B. Blocks of rows and slices of the width "
     "(--format tiled) read B less often and P more often; re-indexed columns (staged) copy the rows of B "
     "that "
     "a block needs; coo deals equal entries to threads whatever the rows are. By these counts tiles pay "
     "above "
     "density (1/T_i + 1/n_c)/(2 + 5/r - 3/T_k); the paper prints r/T_k and 2 r + 4 in two places, without "
     "the factor 3 and S's value.",
     "tiled coo staged fusedmm J07",
     {"config.inner", "metrics.alpha", "metrics.bytes", "metrics.balance"},
     sampled},
    {"fusedmm",
     "fused",
     "E = (C B^T o pattern(S)) D in one pass",
     "V = s_i n_nz + s_p (n_r + 1) + r (s_x n_r' + w s_y n_r) + 2 alpha r s_x n_nz,  W = 4 r n_nz\n"
     "saved against SDDMM and then SpMM: (w + 1) s_a n_nz + s_i n_nz + s_p (n_r + 1)",
     "The values between the two products are never stored: what would be written and read again is saved, "
     "and the pattern is read once instead of twice. The report's prediction adds s_a n_nz, S's values, "
     "which the pair's SDDMM reads. alpha counts B and D together; rows and columns are walked in panels "
     "that "
     "keep them in a cache where they are dense enough.",
     "sddmm spmm alpha r",
     {"config.inner", "metrics.alpha", "metrics.bytes", "metrics.balance", "unfused.time", "unfused.bytes"},
     fused},
    {0},
};
