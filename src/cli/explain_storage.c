/* Precisions, indices, schedules, orders of rows and columns. */
#include <stddef.h>

#include "cli/explain_terms.h"

static const struct sp_calculation narrow_values[] = {
    {"saved share of V", "4*n_nz/beta/V", "1", NULL, NULL, "spmv", NULL},
    {0},
};

static const struct sp_calculation narrow_indices[] = {
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
