/* Volumes, code balance, alpha and beta. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"
#include "cli/explain/terms/volumes.h"

static const char of_formula[] =
    "the formula counts alpha and w as they are printed, and all that is stored once; what stayed in caches, "
    "and lines that were loaded or written again, are not in it";
static const char of_arrays[] = "bytes of arrays are simulated, the record's total is from counters";

static const struct sp_calculation volume[] = {
    {"V", SP_M_CRS " + " SP_VECTORS("alpha"), "B", SP_F_METRICS_BYTES, of_formula, SP_PRODUCTS, "crs"},
    {"V", SP_M_SELL " + " SP_VECTORS("alpha"), "B", SP_F_METRICS_BYTES, of_formula, SP_PRODUCTS, "sell"},
    {"V", SP_M_SELLU " + " SP_VECTORS("alpha"), "B", SP_F_METRICS_BYTES, of_formula, SP_PRODUCTS, "sellu"},
    {"V", SP_M_UNITS " + " SP_VECTORS("alpha"), "B", SP_F_METRICS_BYTES, of_formula, SP_PRODUCTS, "sellu"},
    {"V", SP_M_BCSR " + " SP_VECTORS("alpha"), "B", SP_F_METRICS_BYTES, of_formula, SP_PRODUCTS, "bcsr"},
    {"V", SP_V_HALF("alpha", "w"), "B", SP_F_METRICS_BYTES, of_formula, "spmv", "half"},
    {"V", SP_V_STRIPED("alpha"), "B", SP_F_METRICS_BYTES, of_formula, "spmv", "striped"},
    {"V", SP_V_STAGED("alpha"), "B", SP_F_METRICS_BYTES, of_formula, "spmm", "staged"},
    {"V", SP_V_CRS_SDDMM("alpha"), "B", SP_F_METRICS_BYTES, of_formula, "sddmm", "crs"},
    {"V", SP_V_COO("alpha"), "B", SP_F_METRICS_BYTES, of_formula, "sddmm", "coo"},
    {"V", SP_V_TILED("alpha"), "B", SP_F_METRICS_BYTES, of_formula, "sddmm", "tiled"},
    {"V", SP_V_STAGED_SDDMM("alpha"), "B", SP_F_METRICS_BYTES, of_formula, "sddmm", "staged"},
    {"V", SP_V_FUSED("alpha"), "B", SP_F_METRICS_BYTES, of_formula, "fusedmm", "crs"},
    {"V, array by array", "V_values + V_indices + V_pointers + V_permutation + V_x + V_rows + V_y + V_other",
     "B", SP_F_METRICS_BYTES, of_arrays, NULL, NULL},
    {0},
};

static const struct sp_calculation least_volume[] = {
    {"V_min", SP_M_CRS " + " SP_VECTORS("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, SP_PRODUCTS, "crs"},
    {"V_min", SP_M_SELL " + " SP_VECTORS("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, SP_PRODUCTS,
     "sell"},
    {"V_min", SP_M_SELLU " + " SP_VECTORS("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, SP_PRODUCTS,
     "sellu"},
    {"V_min", SP_M_UNITS " + " SP_VECTORS("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, of_formula, SP_PRODUCTS,
     "sellu"},
    {"V_min", SP_M_BCSR " + " SP_VECTORS("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, SP_PRODUCTS,
     "bcsr"},
    {"V_min", SP_V_HALF("alpha_min", SP_W_HALF), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmv", "half"},
    {"V_min", SP_V_STRIPED("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmv", "striped"},
    {"V_min", SP_V_STAGED("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "spmm", "staged"},
    {"V_min", SP_V_CRS_SDDMM("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "sddmm", "crs"},
    {"V_min", SP_V_COO("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "sddmm", "coo"},
    {"V_min", SP_V_TILED("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "sddmm", "tiled"},
    {"V_min", SP_V_STAGED_SDDMM("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "sddmm", "staged"},
    {"V_min", SP_V_FUSED("alpha_min"), "B", SP_F_METRICS_BYTES_MIN, NULL, "fusedmm", "crs"},
    {"V/V_min", "V/V_min", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation operations[] = {
    {"W", "f_e*r*n_nz", "flop", SP_F_METRICS_FLOPS, NULL, SP_PRODUCTS, NULL},
    {"W", "(2*r + 1)*n_nz", "flop", SP_F_METRICS_FLOPS, NULL, "sddmm", NULL},
    {"W", "4*r*n_nz", "flop", SP_F_METRICS_FLOPS, NULL, "fusedmm", NULL},
    {0},
};

static const struct sp_calculation balance[] = {
    {"B_C", "V/W", "B/flop", SP_F_METRICS_BALANCE, NULL, NULL, NULL},
    {"B_C by the formula", "(s_a + s_i + s_x*alpha*r + (w*s_y*r + s_p + s_b)*n_r/n_nz)*n_nz/W", "B/flop",
     SP_F_METRICS_BALANCE, of_formula, SP_PRODUCTS, "crs"},
    {"B_C by the formula",
     "((s_a + s_i + s_b/C)/beta + s_x*alpha*r + (w*s_y*r + (s_p + 4)/C + 4*sorted)*n_r/n_nz)*n_nz/W",
     "B/flop", SP_F_METRICS_BALANCE, of_formula, SP_PRODUCTS, "sell"},
    {"B_C by the formula", "(" SP_M_SELLU " + " SP_VECTORS("alpha") ")/W", "B/flop", SP_F_METRICS_BALANCE,
     of_formula, SP_PRODUCTS, "sellu"},
    {"B_C by the formula", "(" SP_M_UNITS " + " SP_VECTORS("alpha") ")/W", "B/flop", SP_F_METRICS_BALANCE,
     of_formula, SP_PRODUCTS, "sellu"},
    {"B_C by the formula", "(" SP_M_BCSR " + " SP_VECTORS("alpha") ")/W", "B/flop", SP_F_METRICS_BALANCE,
     of_formula, SP_PRODUCTS, "bcsr"},
    {"B_C by the formula", "(" SP_V_HALF("alpha", "w") ")/W", "B/flop", SP_F_METRICS_BALANCE, of_formula,
     "spmv", "half"},
    {"B_C by the formula", "(" SP_V_STRIPED("alpha") ")/W", "B/flop", SP_F_METRICS_BALANCE, of_formula,
     "spmv", "striped"},
    {"B_C by the formula", "(" SP_V_STAGED("alpha") ")/W", "B/flop", SP_F_METRICS_BALANCE, of_formula, "spmm",
     "staged"},
    {"B_C by the formula", "(" SP_V_CRS_SDDMM("alpha") ")/W", "B/flop", SP_F_METRICS_BALANCE, of_formula,
     "sddmm", "crs"},
    {"B_C by the formula", "(" SP_V_COO("alpha") ")/W", "B/flop", SP_F_METRICS_BALANCE, of_formula, "sddmm",
     "coo"},
    {"B_C by the formula", "(" SP_V_TILED("alpha") ")/W", "B/flop", SP_F_METRICS_BALANCE, of_formula, "sddmm",
     "tiled"},
    {"B_C by the formula", "(" SP_V_STAGED_SDDMM("alpha") ")/W", "B/flop", SP_F_METRICS_BALANCE, of_formula,
     "sddmm", "staged"},
    {"B_C by the formula", "(" SP_V_FUSED("alpha") ")/W", "B/flop", SP_F_METRICS_BALANCE, of_formula,
     "fusedmm", "crs"},
    {"B_min", "V_min/W", "B/flop", SP_F_METRICS_BALANCE_MIN, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation intensity[] = {
    {"I", "W/V", "flop/B", SP_F_NONE, NULL, NULL, NULL},
    {"I_max", "W/V_min", "flop/B", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const char with_w[] =
    "counted bytes contain background and prefetching, and w has an interval of its own";
static const char of_levels[] = "bytes of x are simulated, the record's alpha is from counters";
static const struct sp_calculation gathered[] = {
    {"alpha", "(V_read - ((s_a + s_i)*n_nz + s_p*(n_r + 1)) - (w - 1)*s_y*n_r)/(s_x*n_nz)", "1",
     SP_F_METRICS_ALPHA, with_w, "spmv", "crs"},
    {"alpha", "V_x/(s_x*n_nz*r)", "1", SP_F_METRICS_ALPHA, of_levels, SP_PRODUCTS " sddmm",
     "crs sell sellu bcsr coo tiled staged striped"},
    {"alpha", "V_x/(s_x*n_h)", "1", SP_F_METRICS_ALPHA, of_levels, "spmv", "half"},
    {"alpha", "V_x/(2*s_x*n_nz*r)", "1", SP_F_METRICS_ALPHA, of_levels, "fusedmm", NULL},
    {"x_loads", "alpha/alpha_min", "1", SP_F_METRICS_X_LOADS, NULL, NULL, NULL},
    {0},
};

static const char of_domains[] =
    "several cache domains load lines of their own, lines hold elements that no entry names, and where rows "
    "of X are shorter than a line neighbours come along";
static const struct sp_calculation least_alpha[] = {
    {"alpha_min", "n_r/n_h", "1", SP_F_METRICS_ALPHA_MIN, of_domains, NULL, "half"},
    {"alpha_min", "n_c_used/n_nz", "1", SP_F_METRICS_ALPHA_MIN, of_domains, NULL,
     "crs sell sellu bcsr coo tiled staged striped"},
    {"n_d domains", "n_d*n_r/n_h", "1", SP_F_NONE, NULL, NULL, "half"},
    {"n_d domains", "n_d*n_c_used/n_nz", "1", SP_F_NONE, NULL, NULL,
     "crs sell sellu bcsr coo tiled staged striped"},
    {0},
};

static const struct sp_calculation most_alpha[] = {
    {"alpha_max", "line*ceil(r*s_x/line)/(r*s_x)", "1", SP_F_NONE, NULL, NULL, NULL},
    {"alpha/alpha_max", "alpha/(line*ceil(r*s_x/line)/(r*s_x))", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation filled[] = {
    {"beta", "n_nz/n_stored", "1", SP_F_METRICS_BETA, NULL, NULL,
     "crs sell sellu bcsr coo tiled staged striped"},
    {"beta", "1", "1", SP_F_METRICS_BETA, NULL, NULL, "half"},
    {"stored entries", "n_h", "1", SP_F_NONE, NULL, NULL, "half"},
    {"stored entries", "n_nz/beta", "1", SP_F_NONE, NULL, NULL,
     "crs sell sellu bcsr coo tiled staged striped"},
    {"share of fill", "1 - beta", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation kept[] = {
    {"least when cold", "V_min - s_y*n_r*r", "B", SP_F_NONE, NULL, "spmv spmmv spmm fusedmm", NULL},
    {"least when warm", "max(0, V_min - 2*n_d*Z)", "B", SP_F_NONE, NULL, NULL, NULL},
    {"V", "V", "B", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

const struct sp_term sp_traffic_terms[] = {
    {"V", "bytes through the memory interface in one execution", .also = "volume traffic V_CRS V_SELL V_BCSR",
     .formula = "V_CRS  = (s_a + s_i) n_nz + s_p (n_r + 1) + w s_y n_r + alpha s_x n_nz\n"
                "V_SELL = (s_a + s_i) n_nz/beta + (s_p + 4) ceil(n_r/C) + w s_y n_r + 4 n_r [if permuted] + "
                "alpha s_x n_nz\n"
                "V_BCSR = (b_h b_w s_a + s_i) n_e + s_p (ceil(n_r/b_h) + 1) + w s_y n_r + alpha s_x n_nz\n"
                "others: spmodel explain half striped staged tiled coo d16 mixed\n"
                "V(r)   = matrix + r (w s_y n_r + alpha(r) s_x n_nz)",
     .text =
         "Measured by counters, simulated from the addresses of the very layout that runs, or modelled by "
         "the formula; the word says which. Data that stay in a cache level are counted at that level.",
     .see = "V_min B_C alpha w bytes cold", .fields = {SP_F_METRICS_BYTES}, .calculations = volume},
    {"V_min", "V with x loaded once", .also = "minimum-volume compulsory", .formula = "V_min = V(alpha_min)",
     .text = "What the format's own storage costs at least: matrix, result, and every line of x that a cache "
             "domain touches, once. V/V_min is the excess that another order may save.",
     .see = "alpha_min V bytes_min min_traffic A01", .fields = {SP_F_METRICS_BYTES_MIN},
     .calculations = least_volume},
    {"V_read", "bytes read from and written to memory", .also = "V_write", .formula = "V = V_read + V_write",
     .text = "Counted apart where the source of bytes can. The read of a line before it is written (w = 2) "
             "is a read.",
     .see = "V w bytes_read bytes_written Q27",
     .fields = {SP_F_METRICS_BYTES_READ, SP_F_METRICS_BYTES_WRITTEN}},
    {"V_0", "what would be counted if x never left the caches", .also = "V(alpha=0)",
     .text = "Printed beside a measured alpha: below it alpha is undefined, because part of the matrix was "
             "not counted.",
     .see = "alpha bytes_alpha_zero Q24", .fields = {SP_F_METRICS_BYTES_ALPHA_ZERO, SP_F_METRICS_BYTES_READ}},
    {"W", "useful operations", .also = "work operations f_e",
     .formula = "SpMV 2 n_nz (complex 8 n_nz); SpMMV, SpMM 2 r n_nz; SDDMM (2 r + 1) n_nz; FusedMM 4 r n_nz",
     .text = "Operations on fill do not count, operations on zeros that the file stores do. Of products an "
             "entry has f_e: a multiplication and an addition, of complex numbers eight real operations.",
     .see = "B_C P flops", .fields = {SP_F_METRICS_FLOPS, SP_F_PROBLEM_NNZ}, .calculations = operations},
    {"B_C", "code balance: bytes per operation", .also = "code-balance B_CRS B_SELL B B_min B/flop",
     .formula =
         "B_C = V/W.  fp64, 32-bit indices:  B_CRS = 6 + 4 alpha + 10/n_nzr  (w = 2; 6/n_nzr for w = 1)\n"
         "B_SELL = 6/beta + 4 alpha + (4 + 4/C)/n_nzr  (w = 1, stored chunk lengths; 2/C without them)\n"
         "CRS, complex128: 2.5 + 2 alpha + 4.5/n_nzr;  block vectors: B(r) = 6/r + 4 alpha(r) + (8 + "
         "2/r)/n_nzr",
     .text = "In CRS at least 6 B/flop for SpMV in fp64 with 32-bit indices, however the matrix looks: it is "
             "memory-bound on every machine of today. Blocks, half storage, unit-stride slots, narrower "
             "indices and values go below it (E01 to E04). The slide of the lecture prints 6/beta + 4 alpha "
             "+ beta (4 + 2/C)/n_nzr: there alpha counts per stored entry, and 1/beta belongs before the "
             "whole sum; then both agree.",
     .see = "V W I roofline balance", .fields = {SP_F_METRICS_BALANCE, SP_F_METRICS_BALANCE_MIN},
     .calculations = balance},
    {"I", "computational intensity", .also = "intensity arithmetic-intensity", .formula = "I = 1/B_C = W/V",
     .text = "Operations per byte: the roofline's x axis. In CRS at most 1/6 flop/B for SpMV in fp64 with "
             "32-bit indices; blocks, half storage, narrower indices and values exceed it.",
     .see = "B_C roofline", .fields = {SP_F_METRICS_BALANCE}, .calculations = intensity},
    {"alpha", "traffic of x", .also = "\xce\xb1",
     .formula = "alpha = bytes of x through the interface / (s_x n_nz r)",
     .text =
         "0: x stays in cache. alpha_min: every line is loaded once by every cache domain. 1: no reuse, but "
         "full use of lines. alpha_max (8 for fp64, one vector, 64-byte lines): a line for every gather. "
         "alpha/alpha_min is how many times x is loaded; more than once calls for another order (A01). From "
         "measured bytes, (V_read - matrix - (w - 1) s_y n_r)/(s_x n_nz), alpha absorbs prefetching, and its "
         "interval contains that of w. x is the gathered operand: X of SpMM, B of SDDMM, B and D of FusedMM.",
     .see = "alpha_min alpha_max x_loads V_0 A01 A04",
     .fields = {SP_F_METRICS_ALPHA, SP_F_METRICS_ALPHA_SIMULATED, SP_F_METRICS_W}, .calculations = gathered},
    {"alpha_min", "least alpha of a cold or out-of-cache execution",
     .also = "\xce\xb1_min alpha_once cold-minimum",
     .formula = "alpha_min = sum over cache domains of line x (distinct lines of x that its threads touch) / "
                "(s_x n_nz r)\n"
                "          = 1/n_nzc for one domain, full lines and no empty columns",
     .text = "Twelve last-level caches may load x twelve times: what alpha_min exceeds alpha_once (one "
             "domain) by is a loss of its own (A02).",
     .see = "alpha domain extra_x_domains V_min", .fields = {SP_F_METRICS_ALPHA_MIN, SP_F_MACHINE_N_DOMAINS},
     .calculations = least_alpha},
    {"alpha_max", "alpha where every gather loads whole lines of its own", .also = "\xce\xb1_max",
     .formula = "alpha_max(r) = line ceil(r s_x/line)/(r s_x)",
     .text = "8, 4, 2, 1 for fp64, r = 1, 2, 4, 8 and aligned 64-byte lines; 4 for the 32-byte sectors of "
             "GPUs, 8 where they are fetched in pairs. Prefetching can exceed it.",
     .see = "alpha line sectors", .fields = {SP_F_METRICS_ALPHA, SP_F_CONFIG_PRECISION},
     .calculations = most_alpha},
    {"line", "bytes that a cache loads at a time", .also = "cache-line",
     .text = "64 on most CPUs, 128 on some, 256 on A64FX. GPUs load sectors of 32 bytes.",
     .see = "alpha_max sectors"},
    {"beta", "share of useful entries among those that a format stores", .also = "\xce\xb2 fill",
     .formula = "beta = n_nz / stored entries,  0 < beta <= 1",
     .text = "SELL pads the rows of a chunk to its longest one, BCSR fills its blocks with zeros. beta "
             "follows from row lengths (SELL) or the pattern (BCSR) alone, alpha from the order of accesses: "
             "both are known before anything is converted (`spmodel info`). Sorting inside windows of sigma "
             "rows raises beta.",
     .see = "C n_e padding D01",
     .fields = {SP_F_METRICS_BETA, SP_F_CONFIG_C, SP_F_CONFIG_SIGMA, SP_F_LOSSES_PADDING},
     .calculations = filled},
    {"cold", "what caches hold when an execution begins", .also = "warm between protocol",
     .formula = "cold: V >= V(alpha_min) - s_y n_r r     warm: V >= max(0, V(alpha_min) - 2 Z)",
     .text = "Warm repeats the operation, as solvers do: part of the data survives in caches of capacity Z "
             "(all that are used together). Cold empties them before each execution; dirty lines may stay at "
             "its end. --between axpy,dot streams a solver's vectors in between.",
     .see = "Z V_min V", .fields = {SP_F_CONFIG_CACHE}, .calculations = kept},
    {"Z", "capacity of the last-level caches in use",
     .also = "last-level-capacity effective-capacity llc-size",
     .text = "As `spmodel machine measure` found it effective, which may be half of what the system claims; "
             "else as claimed. Size and origin are printed.",
     .see = "cold domain simulated", .fields = {SP_F_MACHINE_N_DOMAINS}},
    {0},
};
