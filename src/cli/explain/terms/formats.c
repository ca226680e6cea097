/* Formats: how the entries of the matrix are stored. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"
#include "cli/explain/terms/volumes.h"

/* The lines that a total is made of name the layout's own count of the array beside them. */
static const char of_caches[] =
    "the formula counts alpha and w as they are printed, and what is written again at its full price; caches "
    "keep part of it";

static const struct sp_calculation rows[] = {
    {"bytes of the matrix", "(s_a + s_i)*n_nz + (s_p + s_b)*n_r + s_p", "B", NULL, NULL, NULL, "crs"},
    {"an entry", "((s_a + s_i)*n_nz + (s_p + s_b)*n_r + s_p)/n_nz", "B", NULL, NULL, NULL, "crs"},
    {0},
};

static const struct sp_calculation chunks[] = {
    {"bytes of the matrix", SP_M_SELL, "B", NULL, NULL, NULL, "sell"},
    {"an entry", "(" SP_M_SELL ")/n_nz", "B", NULL, NULL, NULL, "sell"},
    {0},
};

static const struct sp_calculation unit_slots[] = {
    {"index bytes a stored entry", "s_i*(u/C + 1 - u)", "B", NULL, NULL, NULL, "sellu"},
    {0},
};

static const struct sp_calculation blocks[] = {
    {"n_e", "n_nz/(beta*b_h*b_w)", "1", NULL, NULL, NULL, "bcsr"},
    {"bytes of the matrix", "(b_h*b_w*s_a + s_i)*n_nz/(beta*b_h*b_w) + s_p*(ceil(n_r/b_h) + 1)", "B", NULL,
     NULL, NULL, "bcsr"},
    {0},
};

static const struct sp_calculation line_in_blocks[] = {
    {"T", "T_e*n_nz/(beta*b_h*b_w) + T_init", "s", "metrics.time", NULL, NULL, "bcsr"},
    {0},
};

static const struct sp_calculation triangle[] = {
    {"V with x and y once, n_h = (n_nz + n_r)/2",
     "(s_a + s_i)*(n_nz + n_r)/2 + s_p*(n_r + 1) + (s_x + 2*s_y)*n_r", "B", NULL, NULL, "spmv",
     "crs sell sellu bcsr striped"},
    {"values of the triangle", "s_a*n_h", "B", "layout.arrays_B.values", NULL, "spmv", "half"},
    {"column indices", "s_i*n_h", "B", "layout.arrays_B.indices", NULL, "spmv", "half"},
    {"row pointers", "s_p*(n_r + 1)", "B", "layout.arrays_B.pointers", NULL, "spmv", "half"},
    {"x, once", "alpha_min*s_x*n_h", "B", NULL, NULL, "spmv", "half"},
    {"y and what threads share of it, x once", SP_W_HALF "*s_y*n_r", "B", NULL, NULL, "spmv", "half"},
    {"at most, where no cache keeps that", "2*alpha_min*s_y*n_h + c*s_y*W_h", "B", NULL, NULL, "spmv",
     "half"},
    {"V_min", SP_V_HALF("alpha_min", SP_W_HALF), "B", "metrics.bytes_min", NULL, "spmv", "half"},
    {"V", SP_V_HALF("alpha", "w"), "B", "metrics.bytes", of_caches, "spmv", "half"},
    {0},
};

static const struct sp_calculation stripe[] = {
    {"values", "s_a*n_nz", "B", "layout.arrays_B.values", NULL, "spmv", "striped"},
    {"columns and rows of entries", "(s_i + 2)*n_nz", "B", "layout.arrays_B.indices", NULL, "spmv",
     "striped"},
    {"cells", "16*(n_C + 1)", "B", "layout.arrays_B.pointers", NULL, "spmv", "striped"},
    {"x, once", "alpha_min*s_x*n_nz", "B", NULL, NULL, "spmv", "striped"},
    {"y, set by the first stripe", "min(w, 2)*s_y*n_r", "B", NULL, NULL, "spmv", "striped"},
    {"y, updated by the others", "max(0, w - 2)*s_y*n_r", "B", NULL, NULL, "spmv", "striped"},
    {"at most, where no cache keeps y", "2*64*L_y", "B", NULL, NULL, "spmv", "striped"},
    {"V_min", SP_V_STRIPED("alpha_min"), "B", "metrics.bytes_min", NULL, "spmv", "striped"},
    {"V", SP_V_STRIPED("alpha"), "B", "metrics.bytes", of_caches, "spmv", "striped"},
    {"x of a stripe of 262144 columns", "262144*s_x", "B", NULL, NULL, "spmv", NULL},
    {"x over the last-level caches", "s_x*n_c/(n_d*Z)", "1", NULL, NULL, "spmv", NULL},
    {0},
};

static const struct sp_calculation coordinates[] = {
    {"values", "s_a*n_nz", "B", "layout.arrays_B.values", NULL, "sddmm", "coo"},
    {"row and column indices", "2*s_i*n_nz", "B", "layout.arrays_B.indices", NULL, "sddmm", "coo"},
    {"rows of A", "r*s_x*n_r_used", "B", "layout.arrays_B.rows", NULL, "sddmm", "coo"},
    {"what is gathered, once", "r*alpha_min*s_x*n_nz", "B", NULL, NULL, "sddmm", "coo"},
    {"P, written", "w*s_y*n_nz", "B", NULL, NULL, "sddmm", "coo"},
    {"V_min", SP_V_COO("alpha_min"), "B", "metrics.bytes_min", NULL, "sddmm", "coo"},
    {"V", SP_V_COO("alpha"), "B", "metrics.bytes", of_caches, "sddmm", "coo"},
    {0},
};

static const struct sp_calculation tiles[] = {
    {"values", "s_a*n_nz", "B", "layout.arrays_B.values", NULL, "sddmm", "tiled"},
    {"columns of the blocks and rows of entries", "s_i*n_l + 2*n_nz", "B", "layout.arrays_B.indices", NULL,
     "sddmm", "tiled"},
    {"pointers of blocks and columns", "s_p*(n_b + 1 + n_l + 1)", "B", "layout.arrays_B.pointers", NULL,
     "sddmm", "tiled"},
    {"rows of A", "r*s_x*n_r_used", "B", "layout.arrays_B.rows", NULL, "sddmm", "tiled"},
    {"what is gathered, once", "r*alpha_min*s_x*n_nz", "B", NULL, NULL, "sddmm", "tiled"},
    {"P, written", "w*s_y*n_nz", "B", NULL, NULL, "sddmm", "tiled"},
    {"V_min", SP_V_TILED("alpha_min"), "B", "metrics.bytes_min", NULL, "sddmm", "tiled"},
    {"V", SP_V_TILED("alpha"), "B", "metrics.bytes", of_caches, "sddmm", "tiled"},
    {0},
};

static const struct sp_calculation stages[] = {
    {"values", "s_a*n_stored", "B", "layout.arrays_B.values", NULL, "spmm sddmm", "staged"},
    {"places in lists, and the lists", "s_i*n_stored + 4*n_l", "B", "layout.arrays_B.indices", NULL,
     "spmm sddmm", "staged"},
    {"blocks and chunks", "(s_p + 16)*(n_b + 1) + 4*n_k", "B", "layout.arrays_B.pointers", NULL, "spmm sddmm",
     "staged"},
    {"rows of A", "r*s_x*n_r_used", "B", "layout.arrays_B.rows", NULL, "sddmm", "staged"},
    {"rows of X, once", "r*alpha_min*s_x*n_nz", "B", NULL, NULL, "spmm sddmm", "staged"},
    {"buffers, read and written", "2*n*s_x*min(T_k, r)*m_l", "B", NULL, NULL, "spmm sddmm", "staged"},
    {"Y, written", "r*w*s_y*n_r", "B", NULL, NULL, "spmm", "staged"},
    {"P, written", "w*s_y*n_nz", "B", NULL, NULL, "sddmm", "staged"},
    {"V_min", SP_V_STAGED("alpha_min"), "B", "metrics.bytes_min", NULL, "spmm", "staged"},
    {"V_min", SP_V_STAGED_SDDMM("alpha_min"), "B", "metrics.bytes_min", NULL, "sddmm", "staged"},
    {"V", SP_V_STAGED("alpha"), "B", "metrics.bytes", of_caches, "spmm", "staged"},
    {"V", SP_V_STAGED_SDDMM("alpha"), "B", "metrics.bytes", of_caches, "sddmm", "staged"},
    {"entries of a block for each of its columns", "n_nz/n_l", "1", NULL, NULL, "spmm sddmm", "staged"},
    {0},
};

const struct sp_term sp_format_terms[] = {
    {"formats",
     "format",
     "how the entries of the matrix are stored",
     NULL,
     "crs, sell, sellu, bcsr, half and striped for SpMV; crs, coo, tiled, staged and bcsr for operations "
     "with "
     "dense operands. `spmodel help formats` has the table, `spmodel analyze --format all` runs each, "
     "`spmodel "
     "sweep` looks for the best.",
     "crs sell sellu bcsr coo tiled staged half striped",
     {"config.format_text", "config.format_option"},
     NULL},
    {"crs",
     "csr",
     "compressed row storage",
     "values n_nz s_a, column indices n_nz s_i, pointers (n_r + 1) s_p",
     "Row after row. No fill; short rows cost a loop each.",
     "V B_C sell C01",
     {"config.format_text", "metrics.beta"},
     rows},
    {"sell",
     "SELL-C-sigma SELL-C-\xcf\x83 sliced-ellpack",
     "chunks of C rows, column by column",
     "(s_a + s_i) n_nz/beta + (s_p + 4) ceil(n_r/C) + 4 n_r [if rows are sorted]",
     "C rows run in the lanes of a vector or of a warp, whatever their length: no short loops, neighbouring "
     "bytes for neighbouring lanes. Rows of a chunk are padded to its longest one (beta); sorting by length "
     "inside windows of sigma rows keeps that small.",
     "C beta sellu D01 C01",
     {"config.C", "config.sigma", "metrics.beta"},
     chunks},
    {"sellu",
     "unit-stride",
     "SELL with unit-stride slots",
     "index bytes per stored entry = s_i (u/C + 1 - u)",
     "Where the C columns of a slot are consecutive one base index replaces C, and x is loaded as a vector "
     "instead of gathered. u is the share of such slots.",
     "u sell E01",
     {"structure.unit_share", "config.C"},
     unit_slots},
    {"bcsr",
     "block-csr",
     "blocks of b_h x b_w entries, fill included",
     "V = (b_h b_w s_a + s_i) n_e + s_p (ceil(n_r/b_h) + 1) + r (w s_y n_r + alpha s_x n_nz)\n"
     "beta = n_nz/(n_e b_h b_w),   T = T_e n_e + T_init",
     "One index a block instead of one an entry, and vectors without gathers, for the price of zeros that "
     "fill the blocks. n_e is counted without converting (`spmodel info`); rows that have the same columns "
     "can "
     "be brought together by clustering.",
     "n_e b_h T_e jaccard E04 mma",
     {"config.format_option", "metrics.beta", "metrics.bytes"},
     blocks},
    {"T_e",
     "T_init T_tot",
     "time of a BCSR kernel as a line in its blocks",
     "T = T_e n_e + T_init",
     "Fitted to bands of growing width by least squares, in cache and from memory apart, with intervals and "
     "R^2. With r columns the instructions grow with n_e ceil(r/8). A dense product wins above the block "
     "density at which its time is less.",
     "n_e bcsr",
     {"metrics.time"},
     line_in_blocks},
    {"coo",
     "coordinate V_COO",
     "a row index beside each column index (SDDMM)",
     "V = (s_a + 2 s_i) n_nz + r s_x n_r' + r alpha s_x n_nz + w s_y n_nz,  n_r': rows with entries",
     "In the order of CRS; equal entries for all threads, whatever the rows are. No row pointers, but a row "
     "index beside each column index: s_i n_nz bytes more than CRS has, s_p (n_r + 1) less.",
     "sddmm tiled V",
     {"config.format_text", "metrics.bytes"},
     coordinates},
    {"tiled",
     "T_i T_k tiles V_tiled",
     "blocks of T_i rows, slices of T_k of the width (SDDMM)",
     "V = s_a n_nz + s_i n_l + 2 n_nz + s_p (n_b + n_l + 2) + r s_x n_r' + r alpha s_x n_nz + w s_y n_nz\n"
     "n_b: blocks; n_l: distinct columns of each block, summed over blocks",
     "The entries of a block lie by column, so that a row of B is read once a block and slice; P is read and "
     "written once a slice. An entry has a 16-bit row inside its block, a column stands once a block. Pays "
     "for dense matrices whose B exceeds the L2.",
     "sddmm coo J07",
     {"config.format_option", "metrics.alpha"},
     tiles},
    {"staged",
     "16-bit-local-indices n_l n_b m_l V_staged",
     "rows of X copied to a buffer for a block of rows (SpMM, SDDMM)",
     "V = (s_a + 2) n_nz/beta + 4 n_l + (s_p + 16) (n_b + 1) + 4 n_k + 2 n s_x min(T_k, r) m_l + vectors\n"
     "vectors: r (w s_y n_r + alpha s_x n_nz) for SpMM, r s_x (n_r' + alpha n_nz) + w s_y n_nz for SDDMM\n"
     "n_b: blocks; n_k: chunks; n_l: distinct columns of each block, summed; m_l: of the block that has most",
     "Blocks of rows copy the distinct rows of X that they need, a tile of the width at a time, and find "
     "them "
     "by 16-bit indices; pays where the rows of a block share columns that no cache keeps. The buffers of "
     "the n threads "
     "count once, as a first execution moves them.",
     "spmm sddmm alpha V",
     {"config.format_option", "metrics.alpha"},
     stages},
    {"half",
     "half-storage symmetric triangle W_h n_h V_half",
     "one triangle of a symmetric matrix, each entry used "
     "twice",
     "V = (s_a + s_i) n_h + s_p (n_r + 1) + alpha s_x n_h + w s_y n_r,  n_h = (n_nz + diagonal)/2\n"
     "w: 2 where caches keep what threads share, else (2 alpha n_h + c W_h)/n_r\n"
     "W_h: rows of others that threads update; c = 2 in phases, 5 with windows",
     "`--format half` reads each entry once: it gathers x for its own row and updates y for the row of its "
     "mirror image. Narrow bands keep threads apart in two phases; elsewhere each thread sums up for rows of "
     "others in a window of its own, which is added to y at the end. Up to 1.7 times as fast as crs where "
     "bandwidth limits, slower where the window of a thread is as long as y.",
     "E02 V alpha",
     {"config.format_text", "metrics.bytes", "problem.symmetry"},
     triangle},
    {"striped",
     "column-blocking cache-blocking stripes L_y n_C V_striped",
     "stripes of W columns, computed one after the other",
     "V = (s_a + s_i + 2) n_nz + 16 (n_C + 1) + w s_y n_r + alpha s_x n_nz,  alpha -> alpha_min\n"
     "w: 2 where the caches keep y between stripes, else 2 + 2 64 L_y/(s_y n_r)\n"
     "n_C: cells, blocks of rows of a stripe; L_y: lines of y that stripes after the first one update",
     "Where x exceeds the last-level cache and is gathered at random, most gathers load a line of 64 bytes "
     "for 8. `--format striped:W` walks the entries of W columns at a time, whose part of x stays in the "
     "cache, and pays with a 2-byte row index an entry and with y, which is read and written again for each "
     "stripe where it exceeds the cache: good for rows of some entries a stripe, bad for few entries in many "
     "stripes.",
     "A04 alpha Z",
     {"config.format_text", "metrics.alpha", "metrics.bytes"},
     stripe},
    {0},
};
