/* Metrics of records, by the names that they have there. */
#include <stddef.h>

#include "cli/explain/terms/terms.h"

static const char of_pairs[] =
    "the record's is the median of paired ratios of kernel and roof, this one a ratio of medians";
static const char of_stored[] = "the layout's own bytes are counted";

static const struct sp_calculation performance[] = {
    {"P", "W/t", "flop/s", "metrics.performance", NULL, NULL, NULL}, {0}};
static const struct sp_calculation loads[] = {
    {"x_loads", "alpha/alpha_min", "1", "metrics.x_loads", NULL, NULL, NULL}, {0}};
static const struct sp_calculation balance[] = {
    {"balance", "V/W", "B/flop", "metrics.balance", NULL, NULL, NULL},
    {"balance_min", "V_min/W", "B/flop", "metrics.balance_min", NULL, NULL, NULL},
    {0}};
static const struct sp_calculation bandwidth[] = {
    {"bandwidth", "V/t", "B/s", "metrics.bandwidth", NULL, NULL, NULL}, {0}};
static const struct sp_calculation of_roof[] = {
    {"bandwidth_fraction", "V/(t*b_S)", "1", "metrics.bandwidth_fraction", of_pairs, NULL, NULL}, {0}};
static const struct sp_calculation of_model[] = {
    {"t_model", "max(V_min/b_S, W/P_core)", "s", NULL, NULL, NULL, NULL},
    {"t_model", "V_min/b_S", "s", NULL, NULL, NULL, NULL},
    {"model_fraction", "t_once/t", "1", "metrics.model_fraction", of_pairs, NULL, NULL},
    {"model_fraction", "V_min/b_S/t", "1", "metrics.model_fraction", of_pairs, NULL, NULL},
    {0}};
static const struct sp_calculation split[] = {
    {"V", "V_read + V_write", "B", "metrics.bytes", "known volumes widen each of them by itself", NULL, NULL},
    {0}};
static const struct sp_calculation zero[] = {
    {"alpha", "(V_read - V_0)/(s_x*n_nz*r)", "1", "metrics.alpha",
     "V_0 has w of this run, and where only the sum is counted V stands in place of V_read",
     "spmv spmmv spmm sddmm", NULL},
    {0}};
static const struct sp_calculation difference[] = {{"measured - simulated", "alpha - alpha_simulated", "1",
                                                    "counters.alpha_difference.difference", NULL, NULL, NULL},
                                                   {0}};
static const struct sp_calculation least[] = {{"V_min/V", "V_min/V", "1", NULL, NULL, NULL, NULL}, {0}};
static const struct sp_calculation minimum_of_balance[] = {
    {"balance_min", "V_min/W", "B/flop", "metrics.balance_min", of_stored, NULL, NULL}, {0}};

const struct sp_term sp_metric_terms[] = {
    {"metrics",
     "metric",
     "the figures of a record",
     NULL,
     "Each is a value with its interval, its unit in SI, on whose word it is (origin), which way is better, "
     "and "
     "a definition. `spmodel analyze --lines` prints one a line, --csv one a column.",
     "time spread flops performance bytes alpha beta balance bandwidth bandwidth_fraction model_fraction",
     {"metrics.time", "metrics.bytes", "metrics.alpha", "metrics.performance", "metrics.bandwidth_fraction"},
     NULL},
    {"time",
     "t seconds",
     "time of one execution",
     NULL,
     "Median over the samples of all runs; its interval holds nine tenths of them. On a GPU by the GPU's own "
     "clock. Samples during which processors moved between caches are dropped.",
     "spread losses P",
     {"metrics.time", "metrics.spread"},
     NULL},
    {"spread",
     "noise",
     "how far samples lie apart",
     "spread = (Q3 - Q1)/median",
     "Above 10 % the record is flagged (Q02). Of labs above that nothing is decided about times.",
     "time Q02 verdict",
     {"metrics.spread"},
     NULL},
    {"flops",
     "",
     "metric: useful operations of one execution",
     "flops = W",
     "Fill does not count.",
     "W",
     {"metrics.flops"},
     NULL},
    {"performance",
     "flop/s gflop/s",
     "metric: useful operations a second",
     "performance = W/time",
     "Compare it with the roofline, not with the peak.",
     "P W roofline",
     {"metrics.performance"},
     performance},
    {"bytes",
     "",
     "metric: bytes of one execution through the level that holds the data",
     "bytes = V",
     "Counted or simulated (origin); see V for what they are made of.",
     "V bytes_min levels",
     {"metrics.bytes"},
     NULL},
    {"bytes_min",
     "",
     "metric: the same with x loaded once",
     "bytes_min = V(alpha_min)",
     "With the format's own storage, fill included.",
     "V_min alpha_min",
     {"metrics.bytes_min"},
     least},
    {"bytes_read",
     "bytes_written",
     "metric: V_read and V_write",
     "bytes = bytes_read + bytes_written",
     "Where counters tell both apart.",
     "V_read bytes",
     {"metrics.bytes_read", "metrics.bytes_written"},
     split},
    {"bytes_alpha_zero",
     "",
     "metric: what would have been counted at alpha = 0",
     "alpha = (V_read - V(alpha = 0))/(s_x n_nz r)",
     "V_read, or V where only the sum is counted.",
     "V_0 alpha Q24",
     {"metrics.bytes_alpha_zero"},
     zero},
    {"alpha_simulated",
     "",
     "metric: alpha of the cache simulation, beside the measured one",
     NULL,
     "A difference of more than 10 % (and 0.02) is attributed to what was tested: background, fetching in "
     "pairs, threads that lag, page size; the rest is called unattributed.",
     "alpha simulated trust",
     {"metrics.alpha", "metrics.alpha_simulated"},
     difference},
    {"x_loads",
     "x-loads",
     "metric: how many times x is loaded",
     "x_loads = alpha/alpha_min",
     "1: every line once by every cache domain. Below 1 part of x stayed in a cache between executions.",
     "alpha alpha_min A01",
     {"metrics.x_loads"},
     loads},
    {"balance",
     "",
     "metric: code balance",
     "balance = bytes/W",
     "Bytes an operation.",
     "B_C balance_min",
     {"metrics.balance"},
     balance},
    {"balance_min",
     "",
     "metric: code balance with x loaded once",
     "balance_min = bytes_min/W",
     "The roofline at this balance is what an ideal order of x would reach.",
     "B_C V_min",
     {"metrics.balance_min"},
     minimum_of_balance},
    {"bandwidth",
     "",
     "metric: bytes a second that the kernel drew",
     "bandwidth = bytes/time",
     "From measured bytes or simulated ones: its origin says which. The bandwidth of a matrix, |i - j|, is "
     "`structure`.",
     "b_S bandwidth_fraction V",
     {"metrics.bandwidth"},
     bandwidth},
    {"bandwidth_fraction",
     "of-roof fraction roof-fraction",
     "metric: how busy the interface was",
     "bandwidth_fraction = V/(t b_S)",
     "\"Of roof\" in reports: the median of paired ratios of kernel and roof, sampled in turn. Extra traffic "
     "keeps it high while model_fraction falls: the two are never mixed. Above 103 % a point is marked and "
     "explained (Q01).",
     "model_fraction b_S Q01",
     {"metrics.bandwidth_fraction"},
     of_roof},
    {"model_fraction",
     "of-model",
     "metric: how much of the possible speed was reached",
     "model_fraction = t_model(alpha_min)/t",
     "t_model is the roofline's time with x loaded once. Extra traffic, imbalance and execution all lower "
     "it.",
     "bandwidth_fraction roofline V_min",
     {"metrics.model_fraction"},
     of_model},
    {"p_core",
     "",
     "metric: rate without memory limits",
     "T_core = W/p_core",
     "See P_core.",
     "P_core C01",
     {"metrics.p_core"},
     NULL},
    {"instructions",
     "core-events core_events",
     "instructions of one execution",
     NULL,
     "Counted for the job's threads where perf_event or PAPI may. An entry of the matrix, they are a gate "
     "without noise for continuous integration (track check --metric instructions).",
     "verdict noise-free",
     {NULL},
     NULL},
    {0},
};
