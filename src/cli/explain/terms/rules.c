/* The numbers of a record that the rules of hints look at. */
#include <stddef.h>
#include <string.h>

#include "cli/explain/hint.h"

static const struct sp_calculation gathers[] = {
    {"x_loads", "alpha/alpha_min", "1", "metrics.x_loads", NULL, NULL, NULL},
    {"x beyond one load, of all bytes", "max(0, alpha - alpha_min)*s_x*n_nz*r/V", "1", NULL, NULL,
     "spmv spmmv spmm sddmm", NULL},
    {"share of the time", "extra_x/t", "1", NULL, NULL, NULL, NULL},
    {0},
};
static const struct sp_calculation domains[] = {
    {"what several caches load beyond once", "extra_x_domains/t", "1", NULL, NULL, NULL, NULL}, {0}};
static const struct sp_calculation late[] = {
    {"time that transfers do not explain", "t - V/b_S", "s", NULL, NULL, NULL, NULL}, {0}};
static const struct sp_calculation stripes[] = {
    {"x_loads", "alpha/alpha_min", "1", "metrics.x_loads", NULL, NULL, NULL},
    {"x over the last-level caches in use", "s_x*n_c*r/(n_d*Z)", "1", NULL, NULL, NULL, NULL},
    {0},
};
static const struct sp_calculation threads[] = {
    {"imbalance, share of the time", "imbalance/t", "1", NULL, NULL, NULL, NULL}, {0}};
static const struct sp_calculation execution[] = {
    {"transfers V/b_S", "V/b_S", "s", NULL, NULL, NULL, NULL},
    {"execution W/P_core", "W/P_core", "s", NULL, NULL, NULL, NULL},
    {"transfers over execution", "V/b_S/(W/P_core)", "1", NULL, NULL, NULL, NULL},
    {0},
};
static const struct sp_calculation fill[] = {
    {"share of fill", "1 - beta", "1", NULL, NULL, NULL, NULL},
    {"share of the time", "padding/t", "1", NULL, NULL, NULL, NULL},
    {0},
};
static const struct sp_calculation indices[] = {
    {"indices, share of all bytes", "s_i*n_nz/beta/V", "1", NULL, NULL, NULL, "crs sell"},
    {"16-bit offsets, an entry", "2 + 4*n_r/n_nz", "B", NULL, NULL, NULL, "crs"},
    {"16-bit offsets, a stored entry", "2 + 4/C", "B", NULL, NULL, NULL, "sell"},
    {"unit-stride slots, a stored entry", "s_i*(u/C + 1 - u)", "B", NULL, NULL, NULL, "sellu"},
    {0},
};
static const struct sp_calculation triangle[] = {
    {"one triangle, x and y once", "(s_a + s_i)*(n_nz + n_r)/2 + s_p*(n_r + 1) + (s_x + 2*s_y)*n_r", "B",
     NULL, NULL, "spmv", NULL},
    {"of all bytes now", "((s_a + s_i)*(n_nz + n_r)/2 + s_p*(n_r + 1) + (s_x + 2*s_y)*n_r)/V", "1", NULL,
     NULL, "spmv", NULL},
    {0},
};
static const struct sp_calculation values[] = {
    {"4 of 8 bytes a value, of all bytes", "4*n_nz/beta/V", "1", NULL, NULL, "spmv", NULL}, {0}};
static const struct sp_calculation blocks[] = {
    {"indices, share of all bytes", "s_i*n_nz/beta/V", "1", NULL, NULL, NULL, "crs sell"}, {0}};
static const struct sp_calculation vectors[] = {
    {"a vector's share of the matrix", "(s_a + s_i)*n_nz/r/V", "1", NULL, NULL, "spmv spmmv", NULL}, {0}};
static const struct sp_calculation saturation[] = {
    {"bandwidth over one thread's", "b_S/b_1", "1", NULL, NULL, NULL, NULL}, {0}};
static const struct sp_calculation stores[] = {
    {"y read before it is written, of all bytes", "s_y*n_r*r/V", "1", NULL, NULL, "spmv spmmv spmm fusedmm",
     NULL},
    {"P read before it is written, of all bytes", "s_y*n_nz/V", "1", NULL, NULL, "sddmm", NULL},
    {0},
};
static const struct sp_calculation levels[] = {
    {"memory", "(MEM_load + MEM_store)/b_S", "s", NULL, NULL, NULL, NULL},
    {"L2", "(L2_load + L2_store)/b_L2", "s", NULL, NULL, NULL, NULL},
    {"L2 bytes an entry", "(L2_load + L2_store)/n_nz", "B", NULL, NULL, NULL, NULL},
    {"memory bytes an entry", "(MEM_load + MEM_store)/n_nz", "B", NULL, NULL, NULL, NULL},
    {0},
};

static const struct sp_rule_numbers table[] = {
    {"A01", {"metrics.alpha", "metrics.alpha_min", "problem.reorder"}, gathers},
    {"A02", {"machine.n_domains", "metrics.alpha_min"}, domains},
    {"A03", {"structure.n_nzr_mean"}, late},
    {"A04", {"metrics.alpha", "metrics.alpha_min"}, stripes},
    {"B01", {"metrics.lambda_nz", "metrics.lambda_t", "config.schedule"}, threads},
    {"C01", {"structure.n_nzr_mean", "config.kernel"}, execution},
    {"C02", {"config.kernel"}, execution},
    {"D01", {"metrics.beta", "config.C", "config.sigma"}, fill},
    {"E01", {"config.index", "structure.unit_share"}, indices},
    {"E02", {"problem.symmetry", "structure.value_symmetry"}, triangle},
    {"E03", {"structure.inexact_in_f32", "structure.distinct_values", "config.precision"}, values},
    {"E04", {"config.format_text"}, blocks},
    {"E05", {"config.rhs"}, vectors},
    {"E06", {"problem.zeros", "problem.nnz"}, NULL},
    {"F01", {"config.threads", "machine.n_cores"}, saturation},
    {"F02", {"config.threads", "losses.team"}, NULL},
    {"G01", {"placement.pages.huge_share"}, NULL},
    {"G02", {"placement.numa.local_share"}, NULL},
    {"G03", {"metrics.w", "config.store_nt"}, stores},
    {"H01", {"binding.level", "binding.why", "structure.footprint_B"}, NULL},
    {"J01", {"gpu.use", "binding.term"}, levels},
    {"J02", {"gpu.launch.blocks", "binding.term"}, levels},
    {"J03", {"metrics.x_loads", "structure.footprint_B"}, levels},
    {"J04", {"metrics.alpha", "metrics.alpha_min"}, levels},
    {"J05", {"config.kernel", "structure.n_nzr_cv"}, levels},
    {"J06", {"config.kernel", "metrics.beta"}, levels},
    {"J07", {"config.kernel", "config.format_option"}, levels},
};

const struct sp_rule_numbers *sp_rule_numbers(const char *id)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].id, id) == 0)
            return &table[i];
    return NULL;
}
