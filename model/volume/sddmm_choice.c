#include "model/volume/sddmm_choice.h"

#include <assert.h>
#include <math.h>

enum { FIRST_LEVEL_B = 32 << 10, SECOND_LEVEL_B = 1 << 20 };

int32_t sp_sddmm_tile_rows(int64_t width, double s_x)
{
    assert(width >= 1 && s_x > 0);
    const double rows = 0.5 * FIRST_LEVEL_B / ((double)width * s_x);
    return rows > 1 ? (int32_t)rows : 1;
}

double sp_sddmm_threshold(double T_i, double T_k, double r, double n_c)
{
    assert(T_i >= 1 && T_k >= 1 && r >= 1 && n_c >= 1);
    const double saved = 2 + 5 / r - 3 / T_k; /* entries that an entry of P reads less, over r */
    return saved > 0 ? (1 / T_i + 1 / n_c) / saved : INFINITY;
}

/* The size of the second-level cache that the machine describes [B]. */
static double second_level_B(const struct sp_machine *machine)
{
    for (int i = 0; machine && i < machine->n_caches; i++)
        if (machine->cache[i].level == 2)
            return (double)machine->cache[i].size_B;
    return SECOND_LEVEL_B;
}

struct sp_sddmm_choice sp_sddmm_choose(const struct sp_machine *machine, int64_t n_r, int64_t n_c,
                                       int64_t n_nz, int64_t r, double s_x, double threshold)
{
    assert(n_r >= 1 && n_c >= 1 && n_nz >= 0 && r >= 1 && s_x > 0);
    const struct sp_sddmm_choice rows = {.tiled = false};
    const double density = (double)n_nz / ((double)n_r * (double)n_c), B_B = (double)n_c * (double)r * s_x;
    if (density <= threshold || B_B <= 0.5 * second_level_B(machine))
        return rows;
    return (struct sp_sddmm_choice){.tiled = true, .T_i = sp_sddmm_tile_rows(r, s_x), .T_k = (int32_t)r};
}
