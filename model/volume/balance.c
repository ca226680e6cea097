#include "model/volume/balance.h"

#include <assert.h>

double sp_balance_crs(struct sp_sizes s, double flops_per_entry, double n_nzr, double alpha, double w)
{
    return sp_balance_spmmv_crs(s, flops_per_entry, n_nzr, 1, alpha, w);
}

double sp_balance_sell(struct sp_sizes s, double flops_per_entry, double n_nzr, int32_t C, double beta,
                       bool stored_lengths, bool permuted, double alpha, double w)
{
    assert(flops_per_entry > 0 && n_nzr > 0 && C >= 1 && beta > 0 && beta <= 1 && alpha >= 0 && w >= 1);
    double chunk_B = s.s_p + (stored_lengths ? s.s_i : 0);
    double row_B = w * s.s_y + chunk_B / C + (permuted ? s.s_i : 0);
    return ((s.s_a + s.s_i) / beta + alpha * s.s_x + row_B / n_nzr) / flops_per_entry;
}

double sp_balance_sell_per_stored(double n_nzr, int32_t C, double beta, double alpha_stored)
{
    assert(n_nzr > 0 && C >= 1 && beta > 0 && beta <= 1 && alpha_stored >= 0);
    return (6 + 4 * alpha_stored + beta * (4 + 2.0 / C) / n_nzr) / beta;
}

double sp_balance_spmmv_crs(struct sp_sizes s, double flops_per_entry, double n_nzr, double r, double alpha,
                            double w)
{
    assert(flops_per_entry > 0 && n_nzr > 0 && r >= 1 && alpha >= 0 && w >= 1);
    double row_B = w * s.s_y + s.s_p / r;
    return ((s.s_a + s.s_i) / r + alpha * s.s_x + row_B / n_nzr) / flops_per_entry;
}
