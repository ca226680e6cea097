#include <stddef.h>

#include "cli/explain/terms/terms.h"

/* Symbols of sizes. */

static const struct sp_calculation per_row[] = {
    {"n_nzr", "n_nz/n_r", "1", SP_F_STRUCTURE_N_NZR_MEAN, NULL, NULL, NULL},
    {"n_nzc", "n_nz/n_c", "1", SP_F_NONE, NULL, NULL, NULL},
    {0},
};

static const struct sp_calculation blocks[] = {
    {"n_e", "n_nz/(beta*b_h*b_w)", "1", SP_F_NONE, NULL, NULL, "bcsr"},
    {"least", "n_nz/(b_h*b_w)", "1", SP_F_NONE, NULL, NULL, "bcsr"},
    {"most", "min(ceil(n_r/b_h)*ceil(n_c/b_w), n_nz)", "1", SP_F_NONE, NULL, NULL, "bcsr"},
    {0},
};

static const struct sp_calculation of_result[] = {
    {"traffic of y", "w*s_y*n_r*r", "B", SP_F_NONE, NULL, "spmv spmmv spmm fusedmm", NULL},
    {"traffic of y", "w*s_y*n_nz", "B", SP_F_NONE, NULL, "sddmm", NULL},
    {"shift of alpha by 1 in w", "n_r/n_nz", "1", SP_F_NONE, NULL, "spmv spmmv spmm", NULL},
    {0},
};

const struct sp_term sp_symbol_terms[] = {
    {"n_r", "rows", .also = "rows",
     .text = "Rows of the matrix, and elements of y (rows of Y). Empty ones still cost an element of y each, "
             "and in CRS a pointer.",
     .see = "n_c n_nz n_r_used", .fields = {SP_F_PROBLEM_ROWS, SP_F_STRUCTURE_EMPTY_ROWS}},
    {"n_c", "columns", .also = "columns cols",
     .text =
         "Columns of the matrix, and elements of x (rows of X). Columns without entries are never loaded.",
     .see = "n_r n_nz alpha_min", .fields = {SP_F_PROBLEM_COLS, SP_F_STRUCTURE_EMPTY_COLS}},
    {"n_nz", "entries", .also = "nnz nonzeros entries",
     .text = "Entries after symmetry is expanded. Zeros that the input file stores count, in n_nz and in W; "
             "fill that a format adds does not.",
     .see = "n_nzr beta W",
     .fields = {SP_F_PROBLEM_NNZ, SP_F_PROBLEM_ZEROS, SP_F_PROBLEM_ZEROS_DROPPED, SP_F_PROBLEM_DUPLICATES}},
    {"n_nzr", "entries per row, per column", .also = "n_nzc mu \xce\xbc entries-per-row row-length",
     .formula = "n_nzr = n_nz/n_r,  n_nzc = n_nz/n_c",
     .text = "Short rows cost more bytes an entry (y, and in CRS pointers) and there more execution (loop "
             "starts, remainders). 1/n_nzc is what alpha_min is for one cache domain, full lines and no "
             "empty columns. The papers on SpMM write mu for n_nzr.",
     .see = "n_nz B_C alpha_min",
     .fields = {SP_F_STRUCTURE_N_NZR_MEAN, SP_F_STRUCTURE_N_NZR_MEDIAN, SP_F_STRUCTURE_N_NZR_P99,
                SP_F_STRUCTURE_N_NZR_MAX, SP_F_STRUCTURE_N_NZR_CV},
     .calculations = per_row},
    {"n_r_used", "rows and columns that have entries", .also = "n_r' n_c' n_c_used",
     .text = "SDDMM and FusedMM read the rows of A (C) that have entries, and every operation loads the "
             "lines of x that some entry names.",
     .see = "n_r sddmm fusedmm alpha_min", .fields = {SP_F_STRUCTURE_EMPTY_ROWS, SP_F_STRUCTURE_EMPTY_COLS}},
    {"s_a", "bytes of a matrix value", .also = "s_v",
     .text = "8 in fp64, 4 in fp32 and where values are stored in fp32 beside fp64 vectors (mixed), 16 in "
             "complex128, 2 in fp16 and bf16. s_v stands for it where s_a = s_x = s_y.",
     .see = "s_x s_i precision mixed", .fields = {SP_F_CONFIG_PRECISION}},
    {"s_x", "bytes of an element of x, of y", .also = "s_y",
     .text = "As s_a, but 8 where only the matrix's values are in fp32 (mixed).", .see = "s_a alpha w",
     .fields = {SP_F_CONFIG_PRECISION}},
    {"s_i", "bytes of a column index",
     .text =
         "4 for 32-bit indices, 8 for 64-bit ones, 2 for 16-bit offsets, which need a base (s_b) besides.",
     .see = "s_b s_p d16 E01", .fields = {SP_F_CONFIG_INDEX}},
    {"s_p", "bytes of a row or chunk pointer",
     .text = "4 while the stored entries fit 31 bits, whatever the indices are; else 8.", .see = "s_i V"},
    {"s_b", "bytes of the base that 16-bit offsets count from",
     .text = "4 where column indices are 16-bit offsets (--index d16): one base for each row (CRS) or slot "
             "(SELL). Else 0.",
     .see = "d16 s_i", .fields = {SP_F_CONFIG_INDEX}},
    {"r", "width of the dense operand", .also = "width rhs inner",
     .text = "Right-hand sides of SpMMV, columns of SpMM, inner dimension of SDDMM and FusedMM (K or N in "
             "papers). 1 for SpMV.",
     .see = "spmmv spmm sddmm E05", .fields = {SP_F_CONFIG_RHS, SP_F_CONFIG_INNER, SP_F_CONFIG_ORDER}},
    {"b_h", "rows and columns of a block of BCSR", .also = "b_w block-size",
     .text =
         "A block holds b_h b_w values with one index. Matrix units of GPUs want b_h to be a multiple of 8.",
     .see = "bcsr n_e E04", .fields = {SP_F_CONFIG_FORMAT_OPTION}},
    {"n_e", "blocks of BCSR", .also = "blocks",
     .formula = "n_nz/(b_h b_w) <= n_e <= min(ceil(n_r/b_h) ceil(n_c/b_w), n_nz)",
     .text = "Counted from the pattern without converting, also for an order that was only found (`spmodel "
             "info --blocks`). beta = n_nz/(n_e b_h b_w).",
     .see = "bcsr beta jaccard T_e", .fields = {SP_F_CONFIG_FORMAT_OPTION, SP_F_METRICS_BETA},
     .calculations = blocks},
    {"C", "chunk height and sorting window of SELL-C-sigma", .also = "sigma \xcf\x83 chunk window",
     .text = "Rows are sorted by length inside windows of sigma rows, cut into chunks of C rows and stored "
             "column by column, so that C rows run in the lanes of a vector. sigma = 1: not sorted. beta "
             "grows with sigma for nested windows (multiples of C that divide each other).",
     .see = "sell beta D01", .fields = {SP_F_CONFIG_C, SP_F_CONFIG_SIGMA, SP_F_METRICS_BETA}},
    {"u", "share of SELL's slots whose C columns are consecutive", .also = "unit-stride-share",
     .text =
         "Such a slot needs one base index instead of C, and x is loaded as a vector instead of gathered.",
     .see = "sellu E01", .fields = {SP_F_STRUCTURE_UNIT_SHARE}},
    {"w", "bytes moved per byte stored of the result",
     .also = "write-allocate nt non-temporal-stores nt-stores", .formula = "traffic of y = w s_y n_r",
     .text = "2 for a plain store whose miss first reads the line, 1 without that read (GPUs, non-temporal "
             "stores, evaded by the hardware). It may be fractional: a property of machine and run. y += A x "
             "has 2 everywhere, and half and striped more where partial results leave the caches. An error "
             "of 1 in w shifts a measured alpha by 1/n_nzr.",
     .see = "V alpha G03 Q27 trust", .fields = {SP_F_METRICS_W, SP_F_CONFIG_STORE_NT},
     .calculations = of_result},
    {0},
};

/* Metrics of records, by the names that they have there. */

static const char of_pairs[] =
    "the record's is the median of paired ratios of kernel and roof, this one a ratio of medians";
static const char of_stored[] = "the layout's own bytes are counted";

static const struct sp_calculation performance[] = {
    {"P", "W/t", "flop/s", SP_F_METRICS_PERFORMANCE, NULL, NULL, NULL}, {0}};
static const struct sp_calculation loads[] = {
    {"x_loads", "alpha/alpha_min", "1", SP_F_METRICS_X_LOADS, NULL, NULL, NULL}, {0}};
static const struct sp_calculation balance[] = {
    {"balance", "V/W", "B/flop", SP_F_METRICS_BALANCE, NULL, NULL, NULL},
    {"balance_min", "V_min/W", "B/flop", SP_F_METRICS_BALANCE_MIN, NULL, NULL, NULL},
    {0}};
static const struct sp_calculation bandwidth[] = {
    {"bandwidth", "V/t", "B/s", SP_F_METRICS_BANDWIDTH, NULL, NULL, NULL}, {0}};
static const struct sp_calculation of_roof[] = {
    {"bandwidth_fraction", "V/(t*b_S)", "1", SP_F_METRICS_BANDWIDTH_FRACTION, of_pairs, NULL, NULL}, {0}};
static const struct sp_calculation of_model[] = {
    {"t_model", "max(V_min/b_S, W/P_core)", "s", SP_F_NONE, NULL, NULL, NULL},
    {"t_model", "V_min/b_S", "s", SP_F_NONE, NULL, NULL, NULL},
    {"model_fraction", "t_once/t", "1", SP_F_METRICS_MODEL_FRACTION, of_pairs, NULL, NULL},
    {"model_fraction", "V_min/b_S/t", "1", SP_F_METRICS_MODEL_FRACTION, of_pairs, NULL, NULL},
    {0}};
static const struct sp_calculation split[] = {{"V", "V_read + V_write", "B", SP_F_METRICS_BYTES,
                                               "known volumes widen each of them by itself", NULL, NULL},
                                              {0}};
static const struct sp_calculation zero[] = {
    {"alpha", "(V_read - V_0)/(s_x*n_nz*r)", "1", SP_F_METRICS_ALPHA,
     "V_0 has w of this run, and where only the sum is counted V stands in place of V_read",
     "spmv spmmv spmm sddmm", NULL},
    {0}};
static const struct sp_calculation difference[] = {{"measured - simulated", "alpha - alpha_simulated", "1",
                                                    SP_F_COUNTERS_ALPHA_DIFFERENCE_DIFFERENCE, NULL, NULL,
                                                    NULL},
                                                   {0}};
static const struct sp_calculation least[] = {{"V_min/V", "V_min/V", "1", SP_F_NONE, NULL, NULL, NULL}, {0}};
static const struct sp_calculation minimum_of_balance[] = {
    {"balance_min", "V_min/W", "B/flop", SP_F_METRICS_BALANCE_MIN, of_stored, NULL, NULL}, {0}};

const struct sp_term sp_metric_terms[] = {
    {"metrics", "the figures of a record", .also = "metric",
     .text = "Each is a value with its interval, its unit in SI, on whose word it is (origin), which way is "
             "better, and a definition. `spmodel analyze --lines` prints one a line, --csv one a column.",
     .see =
         "time spread flops performance bytes alpha beta balance bandwidth bandwidth_fraction model_fraction",
     .fields = {SP_F_METRICS_TIME, SP_F_METRICS_BYTES, SP_F_METRICS_ALPHA, SP_F_METRICS_PERFORMANCE,
                SP_F_METRICS_BANDWIDTH_FRACTION}},
    {"time", "time of one execution", .also = "t seconds",
     .text = "Median over the samples of all runs; its interval holds nine tenths of them. On a GPU by the "
             "GPU's own clock. Samples during which processors moved between caches are dropped.",
     .see = "spread losses P", .fields = {SP_F_METRICS_TIME, SP_F_METRICS_SPREAD}},
    {"spread", "how far samples lie apart", .also = "noise", .formula = "spread = (Q3 - Q1)/median",
     .text = "Above 10 % the record is flagged (Q02). Of labs above that nothing is decided about times.",
     .see = "time Q02 verdict", .fields = {SP_F_METRICS_SPREAD}},
    {"flops", "metric: useful operations of one execution", .formula = "flops = W",
     .text = "Fill does not count.", .see = "W", .fields = {SP_F_METRICS_FLOPS}},
    {"performance", "metric: useful operations a second", .also = "flop/s gflop/s",
     .formula = "performance = W/time", .text = "Compare it with the roofline, not with the peak.",
     .see = "P W roofline", .fields = {SP_F_METRICS_PERFORMANCE}, .calculations = performance},
    {"bytes", "metric: bytes of one execution through the level that holds the data", .formula = "bytes = V",
     .text = "Counted or simulated (origin); see V for what they are made of.", .see = "V bytes_min levels",
     .fields = {SP_F_METRICS_BYTES}},
    {"bytes_min", "metric: the same with x loaded once", .formula = "bytes_min = V(alpha_min)",
     .text = "With the format's own storage, fill included.", .see = "V_min alpha_min",
     .fields = {SP_F_METRICS_BYTES_MIN}, .calculations = least},
    {"bytes_read", "metric: V_read and V_write", .also = "bytes_written",
     .formula = "bytes = bytes_read + bytes_written", .text = "Where counters tell both apart.",
     .see = "V_read bytes", .fields = {SP_F_METRICS_BYTES_READ, SP_F_METRICS_BYTES_WRITTEN},
     .calculations = split},
    {"bytes_alpha_zero", "metric: what would have been counted at alpha = 0",
     .formula = "alpha = (V_read - V(alpha = 0))/(s_x n_nz r)",
     .text = "V_read, or V where only the sum is counted.", .see = "V_0 alpha Q24",
     .fields = {SP_F_METRICS_BYTES_ALPHA_ZERO}, .calculations = zero},
    {"alpha_simulated", "metric: alpha of the cache simulation, beside the measured one",
     .text = "A difference of more than 10 % (and 0.02) is attributed to what was tested: background, "
             "fetching in pairs, threads that lag, page size; the rest is called unattributed.",
     .see = "alpha simulated trust", .fields = {SP_F_METRICS_ALPHA, SP_F_METRICS_ALPHA_SIMULATED},
     .calculations = difference},
    {"x_loads", "metric: how many times x is loaded", .also = "x-loads",
     .formula = "x_loads = alpha/alpha_min",
     .text =
         "1: every line once by every cache domain. Below 1 part of x stayed in a cache between executions.",
     .see = "alpha alpha_min A01", .fields = {SP_F_METRICS_X_LOADS}, .calculations = loads},
    {"balance", "metric: code balance", .formula = "balance = bytes/W", .text = "Bytes an operation.",
     .see = "B_C balance_min", .fields = {SP_F_METRICS_BALANCE}, .calculations = balance},
    {"balance_min", "metric: code balance with x loaded once", .formula = "balance_min = bytes_min/W",
     .text = "The roofline at this balance is what an ideal order of x would reach.", .see = "B_C V_min",
     .fields = {SP_F_METRICS_BALANCE_MIN}, .calculations = minimum_of_balance},
    {"bandwidth", "metric: bytes a second that the kernel drew", .formula = "bandwidth = bytes/time",
     .text = "From measured bytes or simulated ones: its origin says which. The bandwidth of a matrix, |i - "
             "j|, is `structure`.",
     .see = "b_S bandwidth_fraction V", .fields = {SP_F_METRICS_BANDWIDTH}, .calculations = bandwidth},
    {"bandwidth_fraction", "metric: how busy the interface was", .also = "of-roof fraction roof-fraction",
     .formula = "bandwidth_fraction = V/(t b_S)",
     .text = "\"Of roof\" in reports: the median of paired ratios of kernel and roof, sampled in turn. Extra "
             "traffic keeps it high while model_fraction falls: the two are never mixed. Above 103 % a point "
             "is marked and explained (Q01).",
     .see = "model_fraction b_S Q01", .fields = {SP_F_METRICS_BANDWIDTH_FRACTION}, .calculations = of_roof},
    {"model_fraction", "metric: how much of the possible speed was reached", .also = "of-model",
     .formula = "model_fraction = t_model(alpha_min)/t",
     .text = "t_model is the roofline's time with x loaded once. Extra traffic, imbalance and execution all "
             "lower it.",
     .see = "bandwidth_fraction roofline V_min", .fields = {SP_F_METRICS_MODEL_FRACTION},
     .calculations = of_model},
    {"p_core", "metric: rate without memory limits", .formula = "T_core = W/p_core", .text = "See P_core.",
     .see = "P_core C01", .fields = {SP_F_METRICS_P_CORE}},
    {"instructions", "instructions of one execution", .also = "core-events core_events",
     .text = "Counted for the job's threads where perf_event or PAPI may. An entry of the matrix, they are a "
             "gate without noise for continuous integration (track check --metric instructions).",
     .see = "verdict noise-free"},
    {0},
};
