/* Precisions, indices, schedules, orders of rows and columns. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"
#include "cli/explain/terms/volumes.h"

static const char of_caches[] =
    "the formula counts alpha and w as they are printed; what stayed in caches is not counted, and what was "
    "loaded again is not in it";

/* The total of a record made with it, line by line; what fp64 values would cost besides. */
static const struct sp_calculation narrow_values[] = {
    {"values", "s_a*n_nz", "B", "layout.arrays_B.values", NULL, "spmv", "crs striped"},
    {"values", "s_a*n_nz/beta", "B", "layout.arrays_B.values", NULL, "spmv", "sell sellu"},
    {"indices and bases", "s_i*n_nz + s_b*n_r", "B", "layout.arrays_B.indices", NULL, "spmv", "crs"},
    {"indices and bases", "(s_i + s_b/C)*n_nz/beta", "B", "layout.arrays_B.indices", NULL, "spmv", "sell"},
    {"indices and bases", "s_i*n_index", "B", "layout.arrays_B.indices", NULL, "spmv", "sellu"},
    {"indices and bases", "(s_i + 2)*n_nz", "B", "layout.arrays_B.indices", NULL, "spmv", "striped"},
    {"pointers", "s_p*(n_r + 1)", "B", "layout.arrays_B.pointers", NULL, "spmv", "crs"},
    {"pointers", "(s_p + 4)*ceil(n_r/C)", "B", "layout.arrays_B.pointers", NULL, "spmv", "sell"},
    {"pointers", "(2*s_p + 8)*ceil(n_r/C)", "B", "layout.arrays_B.pointers", NULL, "spmv", "sellu"},
    {"pointers", "16*(n_C + 1)", "B", "layout.arrays_B.pointers", NULL, "spmv", "striped"},
    {"permutation", "4*n_r*sorted", "B", "layout.arrays_B.permutation", NULL, "spmv", "sell sellu"},
    {"x, once", "alpha_min*s_x*n_nz", "B", NULL, NULL, "spmv", "crs sell sellu striped"},
    {"y", "w*s_y*n_r", "B", NULL, NULL, "spmv", "crs sell sellu striped"},
    {"V_min", SP_M_CRS " + " SP_VECTORS("alpha_min"), "B", "metrics.bytes_min", NULL, "spmv", "crs"},
    {"V_min", SP_M_SELL " + " SP_VECTORS("alpha_min"), "B", "metrics.bytes_min", NULL, "spmv", "sell"},
    {"V_min", SP_M_SELLU " + " SP_VECTORS("alpha_min"), "B", "metrics.bytes_min", NULL, "spmv", "sellu"},
    {"V_min", SP_M_UNITS " + " SP_VECTORS("alpha_min"), "B", "metrics.bytes_min", of_caches, "spmv", "sellu"},
    {"V_min", SP_V_STRIPED("alpha_min"), "B", "metrics.bytes_min", NULL, "spmv", "striped"},
    {"V", SP_M_CRS " + " SP_VECTORS("alpha"), "B", "metrics.bytes", of_caches, "spmv", "crs"},
    {"V", SP_M_SELL " + " SP_VECTORS("alpha"), "B", "metrics.bytes", of_caches, "spmv", "sell"},
    {"V", SP_M_SELLU " + " SP_VECTORS("alpha"), "B", "metrics.bytes", of_caches, "spmv", "sellu"},
    {"V", SP_M_UNITS " + " SP_VECTORS("alpha"), "B", "metrics.bytes", of_caches, "spmv", "sellu"},
    {"V", SP_V_STRIPED("alpha"), "B", "metrics.bytes", of_caches, "spmv", "striped"},
    {"values in fp64", "8*n_nz/beta", "B", NULL, NULL, "spmv", NULL},
    {"share of V that fp32 saves of fp64 values", "4*n_nz/beta/V", "1", NULL, NULL, "spmv", NULL},
    {0},
};

static const struct sp_calculation narrow_indices[] = {
    {"values", "s_a*n_nz", "B", "layout.arrays_B.values", NULL, "spmv", "crs"},
    {"values", "s_a*n_nz/beta", "B", "layout.arrays_B.values", NULL, "spmv", "sell"},
    {"indices and bases", "s_i*n_nz + s_b*n_r", "B", "layout.arrays_B.indices", NULL, "spmv", "crs"},
    {"indices and bases", "(s_i + s_b/C)*n_nz/beta", "B", "layout.arrays_B.indices", NULL, "spmv", "sell"},
    {"pointers", "s_p*(n_r + 1)", "B", "layout.arrays_B.pointers", NULL, "spmv", "crs"},
    {"pointers", "(s_p + 4)*ceil(n_r/C)", "B", "layout.arrays_B.pointers", NULL, "spmv", "sell"},
    {"permutation", "4*n_r*sorted", "B", "layout.arrays_B.permutation", NULL, "spmv", "sell"},
    {"x, once", "alpha_min*s_x*n_nz", "B", NULL, NULL, "spmv", "crs sell"},
    {"y", "w*s_y*n_r", "B", NULL, NULL, "spmv", "crs sell"},
    {"V_min", SP_M_CRS " + " SP_VECTORS("alpha_min"), "B", "metrics.bytes_min", NULL, "spmv", "crs"},
    {"V_min", SP_M_SELL " + " SP_VECTORS("alpha_min"), "B", "metrics.bytes_min", NULL, "spmv", "sell"},
    {"V", SP_M_CRS " + " SP_VECTORS("alpha"), "B", "metrics.bytes", of_caches, "spmv", "crs"},
    {"V", SP_M_SELL " + " SP_VECTORS("alpha"), "B", "metrics.bytes", of_caches, "spmv", "sell"},
    {"index bytes an entry now", "s_i + s_b*n_r/n_nz", "B", NULL, NULL, "spmv", "crs"},
    {"with 16-bit offsets", "2 + 4*n_r/n_nz", "B", NULL, NULL, "spmv", "crs"},
    {"index bytes a stored entry now", "s_i + s_b/C", "B", NULL, NULL, "spmv", "sell"},
    {"with 16-bit offsets and bases a slot", "2 + 4/C", "B", NULL, NULL, "spmv", "sell"},
    {0},
};

const struct sp_term sp_storage_terms[] = {
    {"precision",
     "f64 f32 c128 f16 bf16 fp64 fp32 fp16 complex128",
     "type of values and vectors",
     NULL,
     "f64, f32, c128 everywhere they are supported; f16 and bf16 are for storage (SpMM, SDDMM), sums are "
     "fp32; "
     "mixed stores the matrix in fp32 beside fp64 vectors. Fewer bytes a value are more entries a second "
     "where "
     "bandwidth limits.",
     "s_a mixed E03 J06",
     {"config.precision"},
     NULL},
    {"mixed",
     "mixed-precision",
     "values of the matrix in fp32, vectors and sums in fp64",
     "s_a = 4, s_x = s_y = 8",
     "`--precision mixed` loses nothing where every value is an fp32 number, as in stencils and graphs; "
     "elsewhere each value changes by at most 6e-8 of itself, and the report says by how much in all.",
     "s_a E03 precision",
     {"config.precision", "structure.inexact_in_f32", "metrics.bytes"},
     narrow_values},
    {"d16",
     "i32 i64 offsets bases 16-bit delta-indices index",
     "width of column indices; 16-bit offsets",
     "d16: s_i = 2, and s_b = 4 for each base: of a row in crs, of a slot in sell",
     "`--index i32` (default), `i64` for more than 2^31 columns, or `d16`: the distance of each column from "
     "the "
     "first one of its row (crs) or slot (sell). Rows that span more than 65535 columns are refused, slots "
     "are "
     "split. How many bytes it takes is counted from the pattern before anything is rewritten.",
     "s_i s_b E01",
     {"config.index", "metrics.bytes"},
     narrow_indices},
    {"schedule",
     "rows nnz cyclic merge partition",
     "who computes which rows",
     NULL,
     "rows: equal numbers of rows, contiguous. nnz (default): contiguous, equal entries. cyclic:N: blocks of "
     "N "
     "rows in turn. merge: equal shares of rows plus entries, rows may be split (CRS). The matrix's own "
     "arrays "
     "are placed by whoever computes with them first.",
     "lambda fluid B01",
     {"config.schedule", "config.threads", "metrics.lambda_nz"},
     NULL},
    {"reorder",
     "reordering order rcm metis nd degree hubs gray reversed permutation none",
     "another order of rows and columns",
     NULL,
     "rcm: entries near the diagonal, for meshes. metis, nd: parts with few entries between them. degree, "
     "hubs: "
     "rows with most entries first, for graphs. gray, jaccard: similar rows side by side. random: what no "
     "locality costs. Found and previewed (bandwidth, alpha, beta, lambda, n_e) before anything is "
     "rewritten: "
     "`spmodel reorder`. Vectors must be permuted too, and preconditioners change.",
     "alpha A01 jaccard J04",
     {"problem.reorder", "structure.bandwidth", "cost.reorder_s"},
     NULL},
    {"jaccard",
     "jaccard2 clustering",
     "rows with similar patterns side by side",
     "distance = 1 - |A n B| / |A u B| of the block columns of two rows",
     "`--reorder jaccard:B` puts rows that share columns into clusters of B rows, so that BCSR needs fewer "
     "blocks; columns keep their places. jaccard2:B clusters columns too. `spmodel info --blocks 8x8` counts "
     "n_e for both before anything is rewritten: on banded matrices it can be more than before.",
     "bcsr n_e reorder",
     {"problem.reorder"},
     NULL},
    {"structure",
     "profile lower_bandwidth bandwidth-of-the-matrix",
     "what the pattern looks like",
     NULL,
     "Row lengths (n_nzr_*), empty rows and columns, bandwidth (largest |i - j|), profile (sum of i - first "
     "column), symmetry of pattern and values, share of unit-stride slots. Nothing is run for it: `spmodel "
     "info`.",
     "n_nzr u reorder",
     {"structure.bandwidth", "structure.profile", "structure.mean_distance", "structure.pattern_symmetric",
      "structure.footprint_B", "structure.distinct_values"},
     NULL},
    {0},
};
