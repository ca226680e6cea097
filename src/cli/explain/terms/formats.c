#include <stddef.h>

#include "cli/explain/terms/terms.h"
#include "cli/explain/terms/volumes.h"

/* Operations. */

static const char of_formula[] =
    "alpha and w are as printed; the layout's own bytes and what stayed in caches may differ";

static const struct sp_calculation block_vectors[] = {
    {"B(r)", "((s_a + s_i)/r + alpha*s_x + (w*s_y + (s_p + s_b)/r)*n_r/n_nz)*r*n_nz/W", "B/flop",
     SP_F_METRICS_BALANCE, of_formula, "spmv spmmv spmm", "crs"},
    {"limit for large r", "(alpha*s_x + w*s_y*n_r/n_nz)*r*n_nz/W", "B/flop", SP_F_CURVES_BALANCE_LIMIT,
     "the curve takes x as loaded once", "spmv spmmv spmm", "crs"},
    {0},
};

static const struct sp_calculation dense_product[] = {
    {"compulsory V", "(s_a + s_i)*n_nz + s_p*(n_r + 1) + r*(s_x*n_c_used + w*s_y*n_r)", "B", SP_F_NONE, NULL,
     "spmm spmmv", NULL},
    {"I without caches", "2*n_nz/((s_a + s_i + s_x)*n_nz + (s_y + 8)*n_r)", "flop/B", SP_F_NONE, NULL,
     "spmm spmmv", NULL},
    {0},
};

static const struct sp_calculation sampled[] = {
    {"compulsory V", "(s_a + s_i + w*s_y)*n_nz + s_p*(n_r + 1) + r*s_x*(n_r_used + n_c_used)", "B", SP_F_NONE,
     NULL, "sddmm", NULL},
    {"W", "(2*r + 1)*n_nz", "flop", SP_F_METRICS_FLOPS, NULL, "sddmm", NULL},
    {"density", "n_nz/(n_r*n_c)", "1", SP_F_NONE, NULL, "sddmm", NULL},
    {"entries read, tiled", "3*n_nz*r/T_k + n_r*r + n_r*r*n_c*r/(T_i*r)", "1", SP_F_NONE, NULL, "sddmm",
     "tiled"},
    {"entries read, no reuse", "n_nz*(2*r + 3)", "1", SP_F_NONE, NULL, "sddmm", NULL},
    {0},
};

static const struct sp_calculation fused[] = {
    {"compulsory V", "s_i*n_nz + s_p*(n_r + 1) + r*(s_x*(n_r_used + 2*n_c_used) + w*s_y*n_r)", "B", SP_F_NONE,
     NULL, "fusedmm", NULL},
    {"saved", "(w + 1)*s_a*n_nz + s_i*n_nz + s_p*(n_r + 1) + s_a*n_nz", "B", SP_F_UNFUSED_SAVED_PREDICTED,
     "the record's prediction takes w of the pair's SDDMM", "fusedmm", NULL},
    {"saved as simulated", "V_pair - V_fused", "B", SP_F_UNFUSED_SAVED_PREDICTED,
     "one is simulated from empty caches, the other the formula's", "fusedmm", NULL},
    {0},
};

static const struct sp_calculation vector_product[] = {
    {"W", "f_e*n_nz", "flop", SP_F_METRICS_FLOPS, NULL, "spmv", NULL},
    {"B_C", "V/W", "B/flop", SP_F_METRICS_BALANCE, NULL, "spmv", NULL},
    {"P", "W/t", "flop/s", SP_F_METRICS_PERFORMANCE, NULL, "spmv", NULL},
    {0},
};

const struct sp_term sp_operation_terms[] = {
    {"spmv", "y = S x", .also = "sparse-matrix-vector", .formula = "W = 2 n_nz (complex 8 n_nz),  V: see `V`",
     .text = "At most two operations for each value that is loaded (four in half storage), so bandwidth "
             "decides wherever the matrix exceeds the caches. --format chooses how the matrix is stored, "
             "--schedule who does what.",
     .see = "V B_C alpha roofline spmmv formats",
     .fields = {SP_F_CONFIG_OP, SP_F_CONFIG_FORMAT_TEXT, SP_F_CONFIG_KERNEL}, .calculations = vector_product},
    {"spmmv", "Y = S X for a few vectors at once", .also = "block-vectors B(r)",
     .formula = "B(r) = 6/r + 4 alpha(r) + (8 + 2/r)/n_nzr  (CRS, fp64, 32-bit indices, row-major, w = 2)\n"
                "r large: 4 alpha + 8/n_nzr",
     .text = "The matrix is read once for all vectors, so a vector costs less the more there are, until x "
             "and y are all that is moved, P_core or a cache's bandwidth limits, or the rows of X no longer "
             "stay in a cache (alpha(r) rises). Vectors stored one after the other (--order column) with the "
             "loop over vectors outside would read the matrix for each.",
     .see = "r E05 spmm P_core alpha_max",
     .fields = {SP_F_CONFIG_RHS, SP_F_CONFIG_ORDER, SP_F_METRICS_BALANCE, SP_F_METRICS_PERFORMANCE,
                SP_F_METRICS_P_CORE},
     .calculations = block_vectors},
    {"spmm", "Y = S X with tens to hundreds of columns", .also = "sparse-dense",
     .formula = "compulsory V in CRS = (s_a + s_i) n_nz + s_p (n_r + 1) + r (s_x n_c' + w s_y n_r)\n"
                "GPU, one thread an output, no cache: I = 2 mu/((s_a + s_i) mu + s_x mu + s_y + 8)  (mu "
                "entries a row)",
     .text = "As SpMMV, but wide: a register tile of r_t columns divides the traffic of S by r_t; copying "
             "the distinct rows of X that a block of rows touches (staged) divides that of X by "
             "entries/distinct columns. On matrix units in BCSR.",
     .see = "spmmv staged bcsr mma r",
     .fields = {SP_F_CONFIG_INNER, SP_F_METRICS_BALANCE, SP_F_METRICS_ALPHA}, .calculations = dense_product},
    {"sddmm", "P = S o (A B^T): dot products of rows of A and B where S has entries", .also = "sampled",
     .formula = "in CRS V = (s_a + s_i + w s_y) n_nz + s_p (n_r + 1) + r s_x n_r' + alpha r s_x n_nz,  W = "
                "(2 r + 1) n_nz\n"
                "entries read:  tiled 3 n_nz r/T_k + |A| + |A||B|/(T_i r)    columns re-indexed |A| + n_nz "
                "(r + 1 + 3 r/T_k)    COO, no reuse n_nz (2 r + 3)",
     .text = "Row by row A is read once and B gathered: alpha counts B. Blocks of rows and slices of the "
             "width (--format tiled) read B less often and P more often; re-indexed columns (staged) copy "
             "the rows of B that a block needs; coo deals equal entries to threads whatever the rows are. By "
             "these counts tiles pay above density (1/T_i + 1/n_c)/(2 + 5/r - 3/T_k); the paper prints r/T_k "
             "and 2 r + 4 in two places, without the factor 3 and S's value.",
     .see = "tiled coo staged fusedmm J07",
     .fields = {SP_F_CONFIG_INNER, SP_F_METRICS_ALPHA, SP_F_METRICS_BYTES, SP_F_METRICS_BALANCE},
     .calculations = sampled},
    {"fusedmm", "E = (C B^T o pattern(S)) D in one pass", .also = "fused",
     .formula =
         "V = s_i n_nz + s_p (n_r + 1) + r (s_x n_r' + w s_y n_r) + 2 alpha r s_x n_nz,  W = 4 r n_nz\n"
         "saved against SDDMM and then SpMM: (w + 1) s_a n_nz + s_i n_nz + s_p (n_r + 1)",
     .text = "The values between the two products are never stored: what would be written and read again is "
             "saved, and the pattern is read once instead of twice. The report's prediction adds s_a n_nz, "
             "S's values, which the pair's SDDMM reads. alpha counts B and D together; rows and columns are "
             "walked in panels that keep them in a cache where they are dense enough.",
     .see = "sddmm spmm alpha r",
     .fields = {SP_F_CONFIG_INNER, SP_F_METRICS_ALPHA, SP_F_METRICS_BYTES, SP_F_METRICS_BALANCE,
                SP_F_UNFUSED_TIME, SP_F_UNFUSED_BYTES},
     .calculations = fused},
    {0},
};

/* Formats: how the entries of the matrix are stored. */

/* The lines that a total is made of name the layout's own count of the array beside them. */
static const char of_caches[] = "the formula counts alpha and w as they are printed, and what is written "
                                "again at its full price; caches keep part of it";

static const struct sp_calculation rows[] = {
    {"bytes of the matrix", "(s_a + s_i)*n_nz + (s_p + s_b)*n_r + s_p", "B", SP_F_NONE, NULL, NULL, "crs"},
    {"an entry", "((s_a + s_i)*n_nz + (s_p + s_b)*n_r + s_p)/n_nz", "B", SP_F_NONE, NULL, NULL, "crs"},
    {0},
};

static const struct sp_calculation chunks[] = {
    {"bytes of the matrix", SP_M_SELL, "B", SP_F_NONE, NULL, NULL, "sell"},
    {"an entry", "(" SP_M_SELL ")/n_nz", "B", SP_F_NONE, NULL, NULL, "sell"},
    {0},
};

static const struct sp_calculation unit_slots[] = {
    {"index bytes a stored entry", "s_i*(u/C + 1 - u)", "B", SP_F_NONE, NULL, NULL, "sellu"},
    {0},
};

static const struct sp_calculation blocks[] = {
    {"n_e", "n_nz/(beta*b_h*b_w)", "1", SP_F_NONE, NULL, NULL, "bcsr"},
    {"bytes of the matrix", "(b_h*b_w*s_a + s_i)*n_nz/(beta*b_h*b_w) + s_p*(ceil(n_r/b_h) + 1)", "B",
     SP_F_NONE, NULL, NULL, "bcsr"},
    {0},
};

static const struct sp_calculation line_in_blocks[] = {
    {"T", "T_e*n_nz/(beta*b_h*b_w) + T_init", "s", SP_F_METRICS_TIME, NULL, NULL, "bcsr"},
    {0},
};

static const struct sp_calculation triangle[] = {
    {"V with x and y once, n_h = (n_nz + n_r)/2",
     "(s_a + s_i)*(n_nz + n_r)/2 + s_p*(n_r + 1) + (s_x + 2*s_y)*n_r", "B", SP_F_NONE, NULL, "spmv",
     "crs sell sellu bcsr striped"},
    {"values of the triangle", "s_a*n_h", "B", SP_F_LAYOUT_ARRAYS_B_VALUES, NULL, "spmv", "half"},
    {"column indices", "s_i*n_h", "B", SP_F_LAYOUT_ARRAYS_B_INDICES, NULL, "spmv", "half"},
    {"row pointers", "s_p*(n_r + 1)", "B", SP_F_LAYOUT_ARRAYS_B_POINTERS, NULL, "spmv", "half"},
    {"x, once", "alpha_min*s_x*n_h", "B", SP_F_NONE, NULL, "spmv", "half"},
    {"y and what threads share of it, x once", SP_W_HALF "*s_y*n_r", "B", SP_F_NONE, NULL, "spmv", "half"},
    {"at most, where no cache keeps that", "2*alpha_min*s_y*n_h + c*s_y*W_h", "B", SP_F_NONE, NULL, "spmv",
     "half"},
    {"V_min", SP_V_HALF("alpha_min", SP_W_HALF), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmv", "half"},
    {"V", SP_V_HALF("alpha", "w"), "B", SP_F_METRICS_BYTES, of_caches, "spmv", "half"},
    {0},
};

static const struct sp_calculation stripe[] = {
    {"values", "s_a*n_nz", "B", SP_F_LAYOUT_ARRAYS_B_VALUES, NULL, "spmv", "striped"},
    {"columns and rows of entries", "(s_i + 2)*n_nz", "B", SP_F_LAYOUT_ARRAYS_B_INDICES, NULL, "spmv",
     "striped"},
    {"cells", "16*(n_C + 1)", "B", SP_F_LAYOUT_ARRAYS_B_POINTERS, NULL, "spmv", "striped"},
    {"x, once", "alpha_min*s_x*n_nz", "B", SP_F_NONE, NULL, "spmv", "striped"},
    {"y, set by the first stripe", "min(w, 2)*s_y*n_r", "B", SP_F_NONE, NULL, "spmv", "striped"},
    {"y, updated by the others", "max(0, w - 2)*s_y*n_r", "B", SP_F_NONE, NULL, "spmv", "striped"},
    {"at most, where no cache keeps y", "2*64*L_y", "B", SP_F_NONE, NULL, "spmv", "striped"},
    {"V_min", SP_V_STRIPED("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmv", "striped"},
    {"V", SP_V_STRIPED("alpha"), "B", SP_F_METRICS_BYTES, of_caches, "spmv", "striped"},
    {"x of a stripe of 262144 columns", "262144*s_x", "B", SP_F_NONE, NULL, "spmv", NULL},
    {"x over the last-level caches", "s_x*n_c/(n_d*Z)", "1", SP_F_NONE, NULL, "spmv", NULL},
    {0},
};

static const struct sp_calculation coordinates[] = {
    {"values", "s_a*n_nz", "B", SP_F_LAYOUT_ARRAYS_B_VALUES, NULL, "sddmm", "coo"},
    {"row and column indices", "2*s_i*n_nz", "B", SP_F_LAYOUT_ARRAYS_B_INDICES, NULL, "sddmm", "coo"},
    {"rows of A", "r*s_x*n_r_used", "B", SP_F_LAYOUT_ARRAYS_B_ROWS, NULL, "sddmm", "coo"},
    {"what is gathered, once", "r*alpha_min*s_x*n_nz", "B", SP_F_NONE, NULL, "sddmm", "coo"},
    {"P, written", "w*s_y*n_nz", "B", SP_F_NONE, NULL, "sddmm", "coo"},
    {"V_min", SP_V_COO("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "sddmm", "coo"},
    {"V", SP_V_COO("alpha"), "B", SP_F_METRICS_BYTES, of_caches, "sddmm", "coo"},
    {0},
};

static const struct sp_calculation tiles[] = {
    {"values", "s_a*n_nz", "B", SP_F_LAYOUT_ARRAYS_B_VALUES, NULL, "sddmm", "tiled"},
    {"columns of the blocks and rows of entries", "s_i*n_l + 2*n_nz", "B", SP_F_LAYOUT_ARRAYS_B_INDICES, NULL,
     "sddmm", "tiled"},
    {"pointers of blocks and columns", "s_p*(n_b + 1 + n_l + 1)", "B", SP_F_LAYOUT_ARRAYS_B_POINTERS, NULL,
     "sddmm", "tiled"},
    {"rows of A", "r*s_x*n_r_used", "B", SP_F_LAYOUT_ARRAYS_B_ROWS, NULL, "sddmm", "tiled"},
    {"what is gathered, once", "r*alpha_min*s_x*n_nz", "B", SP_F_NONE, NULL, "sddmm", "tiled"},
    {"P, written", "w*s_y*n_nz", "B", SP_F_NONE, NULL, "sddmm", "tiled"},
    {"V_min", SP_V_TILED("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "sddmm", "tiled"},
    {"V", SP_V_TILED("alpha"), "B", SP_F_METRICS_BYTES, of_caches, "sddmm", "tiled"},
    {0},
};

static const struct sp_calculation stages[] = {
    {"values", "s_a*n_stored", "B", SP_F_LAYOUT_ARRAYS_B_VALUES, NULL, "spmm sddmm", "staged"},
    {"places in lists, and the lists", "s_i*n_stored + 4*n_l", "B", SP_F_LAYOUT_ARRAYS_B_INDICES, NULL,
     "spmm sddmm", "staged"},
    {"blocks and chunks", "(s_p + 16)*(n_b + 1) + 4*n_k", "B", SP_F_LAYOUT_ARRAYS_B_POINTERS, NULL,
     "spmm sddmm", "staged"},
    {"rows of A", "r*s_x*n_r_used", "B", SP_F_LAYOUT_ARRAYS_B_ROWS, NULL, "sddmm", "staged"},
    {"rows of X, once", "r*alpha_min*s_x*n_nz", "B", SP_F_NONE, NULL, "spmm sddmm", "staged"},
    {"buffers, read and written", "2*n*s_x*min(T_k, r)*m_l", "B", SP_F_NONE, NULL, "spmm sddmm", "staged"},
    {"Y, written", "r*w*s_y*n_r", "B", SP_F_NONE, NULL, "spmm", "staged"},
    {"P, written", "w*s_y*n_nz", "B", SP_F_NONE, NULL, "sddmm", "staged"},
    {"V_min", SP_V_STAGED("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmm", "staged"},
    {"V_min", SP_V_STAGED_SDDMM("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "sddmm", "staged"},
    {"V", SP_V_STAGED("alpha"), "B", SP_F_METRICS_BYTES, of_caches, "spmm", "staged"},
    {"V", SP_V_STAGED_SDDMM("alpha"), "B", SP_F_METRICS_BYTES, of_caches, "sddmm", "staged"},
    {"entries of a block for each of its columns", "n_nz/n_l", "1", SP_F_NONE, NULL, "spmm sddmm", "staged"},
    {0},
};

const struct sp_term sp_format_terms[] = {
    {"formats", "how the entries of the matrix are stored", .also = "format",
     .text = "crs, sell, sellu, bcsr, half and striped for SpMV; crs, coo, tiled, staged and bcsr for "
             "operations with dense operands. `spmodel help formats` has the table, `spmodel analyze "
             "--format all` runs each, `spmodel sweep` looks for the best.",
     .see = "crs sell sellu bcsr coo tiled staged half striped",
     .fields = {SP_F_CONFIG_FORMAT_TEXT, SP_F_CONFIG_FORMAT_OPTION}},
    {"crs", "compressed row storage", .also = "csr",
     .formula = "values n_nz s_a, column indices n_nz s_i, pointers (n_r + 1) s_p",
     .text = "Row after row. No fill; short rows cost a loop each.", .see = "V B_C sell C01",
     .fields = {SP_F_CONFIG_FORMAT_TEXT, SP_F_METRICS_BETA}, .calculations = rows},
    {"sell", "chunks of C rows, column by column", .also = "SELL-C-sigma SELL-C-\xcf\x83 sliced-ellpack",
     .formula = "(s_a + s_i) n_nz/beta + (s_p + 4) ceil(n_r/C) + 4 n_r [if rows are sorted]",
     .text = "C rows run in the lanes of a vector or of a warp, whatever their length: no short loops, "
             "neighbouring bytes for neighbouring lanes. Rows of a chunk are padded to its longest one "
             "(beta); sorting by length inside windows of sigma rows keeps that small.",
     .see = "C beta sellu D01 C01", .fields = {SP_F_CONFIG_C, SP_F_CONFIG_SIGMA, SP_F_METRICS_BETA},
     .calculations = chunks},
    {"sellu", "SELL with unit-stride slots", .also = "unit-stride",
     .formula = "index bytes per stored entry = s_i (u/C + 1 - u)",
     .text = "Where the C columns of a slot are consecutive one base index replaces C, and x is loaded as a "
             "vector instead of gathered. u is the share of such slots.",
     .see = "u sell E01", .fields = {SP_F_STRUCTURE_UNIT_SHARE, SP_F_CONFIG_C}, .calculations = unit_slots},
    {"bcsr", "blocks of b_h x b_w entries, fill included", .also = "block-csr",
     .formula = "V = (b_h b_w s_a + s_i) n_e + s_p (ceil(n_r/b_h) + 1) + r (w s_y n_r + alpha s_x n_nz)\n"
                "beta = n_nz/(n_e b_h b_w),   T = T_e n_e + T_init",
     .text = "One index a block instead of one an entry, and vectors without gathers, for the price of zeros "
             "that fill the blocks. n_e is counted without converting (`spmodel info`); rows that have the "
             "same columns can be brought together by clustering.",
     .see = "n_e b_h T_e jaccard E04 mma",
     .fields = {SP_F_CONFIG_FORMAT_OPTION, SP_F_METRICS_BETA, SP_F_METRICS_BYTES}, .calculations = blocks},
    {"T_e", "time of a BCSR kernel as a line in its blocks", .also = "T_init T_tot",
     .formula = "T = T_e n_e + T_init",
     .text = "Fitted to bands of growing width by least squares, in cache and from memory apart, with "
             "intervals and R^2. With r columns the instructions grow with n_e ceil(r/8). A dense product "
             "wins above the block density at which its time is less.",
     .see = "n_e bcsr", .fields = {SP_F_METRICS_TIME}, .calculations = line_in_blocks},
    {"coo", "a row index beside each column index (SDDMM)", .also = "coordinate V_COO",
     .formula =
         "V = (s_a + 2 s_i) n_nz + r s_x n_r' + r alpha s_x n_nz + w s_y n_nz,  n_r': rows with entries",
     .text =
         "In the order of CRS; equal entries for all threads, whatever the rows are. No row pointers, but a "
         "row index beside each column index: s_i n_nz bytes more than CRS has, s_p (n_r + 1) less.",
     .see = "sddmm tiled V", .fields = {SP_F_CONFIG_FORMAT_TEXT, SP_F_METRICS_BYTES},
     .calculations = coordinates},
    {"tiled", "blocks of T_i rows, slices of T_k of the width (SDDMM)", .also = "T_i T_k tiles V_tiled",
     .formula = "V = s_a n_nz + s_i n_l + 2 n_nz + s_p (n_b + n_l + 2) + r s_x n_r' + r alpha s_x n_nz + w "
                "s_y n_nz\n"
                "n_b: blocks; n_l: distinct columns of each block, summed over blocks",
     .text = "The entries of a block lie by column, so that a row of B is read once a block and slice; P is "
             "read and written once a slice. An entry has a 16-bit row inside its block, a column stands "
             "once a block. Pays for dense matrices whose B exceeds the L2.",
     .see = "sddmm coo J07", .fields = {SP_F_CONFIG_FORMAT_OPTION, SP_F_METRICS_ALPHA},
     .calculations = tiles},
    {"staged", "rows of X copied to a buffer for a block of rows (SpMM, SDDMM)",
     .also = "16-bit-local-indices n_l n_b m_l V_staged",
     .formula = "V = (s_a + 2) n_nz/beta + 4 n_l + (s_p + 16) (n_b + 1) + 4 n_k + 2 n s_x min(T_k, r) m_l + "
                "vectors\n"
                "vectors: r (w s_y n_r + alpha s_x n_nz) for SpMM, r s_x (n_r' + alpha n_nz) + w s_y n_nz "
                "for SDDMM\n"
                "n_b: blocks; n_k: chunks; n_l: distinct columns of each block, summed; m_l: of the block "
                "that has most",
     .text = "Blocks of rows copy the distinct rows of X that they need, a tile of the width at a time, and "
             "find them by 16-bit indices; pays where the rows of a block share columns that no cache keeps. "
             "The buffers of the n threads count once, as a first execution moves them.",
     .see = "spmm sddmm alpha V", .fields = {SP_F_CONFIG_FORMAT_OPTION, SP_F_METRICS_ALPHA},
     .calculations = stages},
    {"half", "one triangle of a symmetric matrix, each entry used twice",
     .also = "half-storage symmetric triangle W_h n_h V_half",
     .formula =
         "V = (s_a + s_i) n_h + s_p (n_r + 1) + alpha s_x n_h + w s_y n_r,  n_h = (n_nz + diagonal)/2\n"
         "w: 2 where caches keep what threads share, else (2 alpha n_h + c W_h)/n_r\n"
         "W_h: rows of others that threads update; c = 2 in phases, 5 with windows",
     .text = "`--format half` reads each entry once: it gathers x for its own row and updates y for the row "
             "of its mirror image. Narrow bands keep threads apart in two phases; elsewhere each thread sums "
             "up for rows of others in a window of its own, which is added to y at the end. Up to 1.7 times "
             "as fast as crs where bandwidth limits, slower where the window of a thread is as long as y.",
     .see = "E02 V alpha", .fields = {SP_F_CONFIG_FORMAT_TEXT, SP_F_METRICS_BYTES, SP_F_PROBLEM_SYMMETRY},
     .calculations = triangle},
    {"striped", "stripes of W columns, computed one after the other",
     .also = "column-blocking cache-blocking stripes L_y n_C V_striped",
     .formula =
         "V = (s_a + s_i + 2) n_nz + 16 (n_C + 1) + w s_y n_r + alpha s_x n_nz,  alpha -> alpha_min\n"
         "w: 2 where the caches keep y between stripes, else 2 + 2 64 L_y/(s_y n_r)\n"
         "n_C: cells, blocks of rows of a stripe; L_y: lines of y that stripes after the first one update",
     .text = "Where x exceeds the last-level cache and is gathered at random, most gathers load a line of 64 "
             "bytes for 8. `--format striped:W` walks the entries of W columns at a time, whose part of x "
             "stays in the cache, and pays with a 2-byte row index an entry and with y, which is read and "
             "written again for each stripe where it exceeds the cache: good for rows of some entries a "
             "stripe, bad for few entries in many stripes.",
     .see = "A04 alpha Z", .fields = {SP_F_CONFIG_FORMAT_TEXT, SP_F_METRICS_ALPHA, SP_F_METRICS_BYTES},
     .calculations = stripe},
    {0},
};

/* Precisions, indices, schedules, orders of rows and columns. */

static const char of_what_stayed[] = "the formula counts alpha and w as they are printed; what stayed in "
                                     "caches is not counted, and what was loaded again is not in it";

/* The total of a record made with it, line by line; what fp64 values would cost besides. */
static const struct sp_calculation narrow_values[] = {
    {"values", "s_a*n_nz", "B", SP_F_LAYOUT_ARRAYS_B_VALUES, NULL, "spmv", "crs striped"},
    {"values", "s_a*n_nz/beta", "B", SP_F_LAYOUT_ARRAYS_B_VALUES, NULL, "spmv", "sell sellu"},
    {"indices and bases", "s_i*n_nz + s_b*n_r", "B", SP_F_LAYOUT_ARRAYS_B_INDICES, NULL, "spmv", "crs"},
    {"indices and bases", "(s_i + s_b/C)*n_nz/beta", "B", SP_F_LAYOUT_ARRAYS_B_INDICES, NULL, "spmv", "sell"},
    {"indices and bases", "s_i*n_index", "B", SP_F_LAYOUT_ARRAYS_B_INDICES, NULL, "spmv", "sellu"},
    {"indices and bases", "(s_i + 2)*n_nz", "B", SP_F_LAYOUT_ARRAYS_B_INDICES, NULL, "spmv", "striped"},
    {"pointers", "s_p*(n_r + 1)", "B", SP_F_LAYOUT_ARRAYS_B_POINTERS, NULL, "spmv", "crs"},
    {"pointers", "(s_p + 4)*ceil(n_r/C)", "B", SP_F_LAYOUT_ARRAYS_B_POINTERS, NULL, "spmv", "sell"},
    {"pointers", "(2*s_p + 8)*ceil(n_r/C)", "B", SP_F_LAYOUT_ARRAYS_B_POINTERS, NULL, "spmv", "sellu"},
    {"pointers", "16*(n_C + 1)", "B", SP_F_LAYOUT_ARRAYS_B_POINTERS, NULL, "spmv", "striped"},
    {"permutation", "4*n_r*sorted", "B", SP_F_LAYOUT_ARRAYS_B_PERMUTATION, NULL, "spmv", "sell sellu"},
    {"x, once", "alpha_min*s_x*n_nz", "B", SP_F_NONE, NULL, "spmv", "crs sell sellu striped"},
    {"y", "w*s_y*n_r", "B", SP_F_NONE, NULL, "spmv", "crs sell sellu striped"},
    {"V_min", SP_M_CRS " + " SP_VECTORS("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmv", "crs"},
    {"V_min", SP_M_SELL " + " SP_VECTORS("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmv", "sell"},
    {"V_min", SP_M_SELLU " + " SP_VECTORS("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmv", "sellu"},
    {"V_min", SP_M_UNITS " + " SP_VECTORS("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, of_what_stayed, "spmv",
     "sellu"},
    {"V_min", SP_V_STRIPED("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmv", "striped"},
    {"V", SP_M_CRS " + " SP_VECTORS("alpha"), "B", SP_F_METRICS_BYTES, of_what_stayed, "spmv", "crs"},
    {"V", SP_M_SELL " + " SP_VECTORS("alpha"), "B", SP_F_METRICS_BYTES, of_what_stayed, "spmv", "sell"},
    {"V", SP_M_SELLU " + " SP_VECTORS("alpha"), "B", SP_F_METRICS_BYTES, of_what_stayed, "spmv", "sellu"},
    {"V", SP_M_UNITS " + " SP_VECTORS("alpha"), "B", SP_F_METRICS_BYTES, of_what_stayed, "spmv", "sellu"},
    {"V", SP_V_STRIPED("alpha"), "B", SP_F_METRICS_BYTES, of_what_stayed, "spmv", "striped"},
    {"values in fp64", "8*n_nz/beta", "B", SP_F_NONE, NULL, "spmv", NULL},
    {"share of V that fp32 saves of fp64 values", "4*n_nz/beta/V", "1", SP_F_NONE, NULL, "spmv", NULL},
    {0},
};

static const struct sp_calculation narrow_indices[] = {
    {"values", "s_a*n_nz", "B", SP_F_LAYOUT_ARRAYS_B_VALUES, NULL, "spmv", "crs"},
    {"values", "s_a*n_nz/beta", "B", SP_F_LAYOUT_ARRAYS_B_VALUES, NULL, "spmv", "sell"},
    {"indices and bases", "s_i*n_nz + s_b*n_r", "B", SP_F_LAYOUT_ARRAYS_B_INDICES, NULL, "spmv", "crs"},
    {"indices and bases", "(s_i + s_b/C)*n_nz/beta", "B", SP_F_LAYOUT_ARRAYS_B_INDICES, NULL, "spmv", "sell"},
    {"pointers", "s_p*(n_r + 1)", "B", SP_F_LAYOUT_ARRAYS_B_POINTERS, NULL, "spmv", "crs"},
    {"pointers", "(s_p + 4)*ceil(n_r/C)", "B", SP_F_LAYOUT_ARRAYS_B_POINTERS, NULL, "spmv", "sell"},
    {"permutation", "4*n_r*sorted", "B", SP_F_LAYOUT_ARRAYS_B_PERMUTATION, NULL, "spmv", "sell"},
    {"x, once", "alpha_min*s_x*n_nz", "B", SP_F_NONE, NULL, "spmv", "crs sell"},
    {"y", "w*s_y*n_r", "B", SP_F_NONE, NULL, "spmv", "crs sell"},
    {"V_min", SP_M_CRS " + " SP_VECTORS("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmv", "crs"},
    {"V_min", SP_M_SELL " + " SP_VECTORS("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmv", "sell"},
    {"V", SP_M_CRS " + " SP_VECTORS("alpha"), "B", SP_F_METRICS_BYTES, of_what_stayed, "spmv", "crs"},
    {"V", SP_M_SELL " + " SP_VECTORS("alpha"), "B", SP_F_METRICS_BYTES, of_what_stayed, "spmv", "sell"},
    {"index bytes an entry now", "s_i + s_b*n_r/n_nz", "B", SP_F_NONE, NULL, "spmv", "crs"},
    {"with 16-bit offsets", "2 + 4*n_r/n_nz", "B", SP_F_NONE, NULL, "spmv", "crs"},
    {"index bytes a stored entry now", "s_i + s_b/C", "B", SP_F_NONE, NULL, "spmv", "sell"},
    {"with 16-bit offsets and bases a slot", "2 + 4/C", "B", SP_F_NONE, NULL, "spmv", "sell"},
    {0},
};

const struct sp_term sp_storage_terms[] = {
    {"precision", "type of values and vectors", .also = "f64 f32 c128 f16 bf16 fp64 fp32 fp16 complex128",
     .text = "f64, f32, c128 everywhere they are supported; f16 and bf16 are for storage (SpMM, SDDMM), sums "
             "are fp32; mixed stores the matrix in fp32 beside fp64 vectors. Fewer bytes a value are more "
             "entries a second where bandwidth limits.",
     .see = "s_a mixed E03 J06", .fields = {SP_F_CONFIG_PRECISION}},
    {"mixed", "values of the matrix in fp32, vectors and sums in fp64", .also = "mixed-precision",
     .formula = "s_a = 4, s_x = s_y = 8",
     .text =
         "`--precision mixed` loses nothing where every value is an fp32 number, as in stencils and graphs; "
         "elsewhere each value changes by at most 6e-8 of itself, and the report says by how much in all.",
     .see = "s_a E03 precision",
     .fields = {SP_F_CONFIG_PRECISION, SP_F_STRUCTURE_INEXACT_IN_F32, SP_F_METRICS_BYTES},
     .calculations = narrow_values},
    {"d16", "width of column indices; 16-bit offsets",
     .also = "i32 i64 offsets bases 16-bit delta-indices index",
     .formula = "d16: s_i = 2, and s_b = 4 for each base: of a row in crs, of a slot in sell",
     .text = "`--index i32` (default), `i64` for more than 2^31 columns, or `d16`: the distance of each "
             "column from the first one of its row (crs) or slot (sell). Rows that span more than 65535 "
             "columns are refused, slots are split. How many bytes it takes is counted from the pattern "
             "before anything is rewritten.",
     .see = "s_i s_b E01", .fields = {SP_F_CONFIG_INDEX, SP_F_METRICS_BYTES}, .calculations = narrow_indices},
    {"schedule", "who computes which rows", .also = "rows nnz cyclic merge partition",
     .text = "rows: equal numbers of rows, contiguous. nnz (default): contiguous, equal entries. cyclic:N: "
             "blocks of N rows in turn. merge: equal shares of rows plus entries, rows may be split (CRS). "
             "The matrix's own arrays are placed by whoever computes with them first.",
     .see = "lambda fluid B01",
     .fields = {SP_F_CONFIG_SCHEDULE, SP_F_CONFIG_THREADS, SP_F_METRICS_LAMBDA_NZ}},
    {"reorder", "another order of rows and columns",
     .also = "reordering order rcm metis nd degree hubs gray reversed permutation none",
     .text = "rcm: entries near the diagonal, for meshes. metis, nd: parts with few entries between them. "
             "degree, hubs: rows with most entries first, for graphs. gray, jaccard: similar rows side by "
             "side. random: what no locality costs. Found and previewed (bandwidth, alpha, beta, lambda, "
             "n_e) before anything is rewritten: `spmodel reorder`. Vectors must be permuted too, and "
             "preconditioners change.",
     .see = "alpha A01 jaccard J04",
     .fields = {SP_F_PROBLEM_REORDER, SP_F_STRUCTURE_BANDWIDTH, SP_F_COST_REORDER_S}},
    {"jaccard", "rows with similar patterns side by side", .also = "jaccard2 clustering",
     .formula = "distance = 1 - |A n B| / |A u B| of the block columns of two rows",
     .text = "`--reorder jaccard:B` puts rows that share columns into clusters of B rows, so that BCSR needs "
             "fewer blocks; columns keep their places. jaccard2:B clusters columns too. `spmodel info "
             "--blocks 8x8` counts n_e for both before anything is rewritten: on banded matrices it can be "
             "more than before.",
     .see = "bcsr n_e reorder", .fields = {SP_F_PROBLEM_REORDER}},
    {"structure", "what the pattern looks like", .also = "profile lower_bandwidth bandwidth-of-the-matrix",
     .text = "Row lengths (n_nzr_*), empty rows and columns, bandwidth (largest |i - j|), profile (sum of i "
             "- first column), symmetry of pattern and values, share of unit-stride slots. Nothing is run "
             "for it: `spmodel info`.",
     .see = "n_nzr u reorder",
     .fields = {SP_F_STRUCTURE_BANDWIDTH, SP_F_STRUCTURE_PROFILE, SP_F_STRUCTURE_MEAN_DISTANCE,
                SP_F_STRUCTURE_PATTERN_SYMMETRIC, SP_F_STRUCTURE_FOOTPRINT_B,
                SP_F_STRUCTURE_DISTINCT_VALUES}},
    {0},
};
