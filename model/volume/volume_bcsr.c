#include "model/volume/volume_bcsr.h"

#include <assert.h>

struct sp_volume sp_volume_bcsr(int64_t n_r, int64_t n_nz, int64_t n_e, int32_t b_h, int32_t b_w, int64_t r,
                                struct sp_sizes s, double alpha, double w)
{
    assert(n_r >= 0 && n_nz >= 0 && n_e >= 0 && b_h >= 1 && b_w >= 1 && r >= 1 && alpha >= 0 && w >= 1);
    struct sp_volume v = {.write_B = s.s_y * (double)n_r * (double)r};
    v.array_B[SP_ARRAY_VALUES] = (double)b_h * b_w * s.s_a * (double)n_e;
    v.array_B[SP_ARRAY_INDICES] = s.s_i * (double)n_e;
    const int64_t n_block_rows = (n_r + b_h - 1) / b_h;
    v.array_B[SP_ARRAY_POINTERS] = s.s_p * (double)(n_block_rows + 1);
    v.array_B[SP_ARRAY_X] = alpha * s.s_x * (double)n_nz * (double)r;
    v.array_B[SP_ARRAY_Y] = w * v.write_B;
    for (int i = 0; i < SP_N_ARRAYS; i++)
        v.total_B += v.array_B[i];
    v.read_B = v.total_B - v.write_B;
    return v;
}

double sp_bcsr_beta(int64_t n_nz, int64_t n_e, int32_t b_h, int32_t b_w)
{
    assert(n_nz >= 0 && b_h >= 1 && b_w >= 1);
    return n_e > 0 ? (double)n_nz / ((double)n_e * b_h * b_w) : 1;
}

int64_t sp_bcsr_instructions(int64_t n_e, int64_t r)
{
    assert(n_e >= 0 && r >= 1);
    return n_e * ((r + 7) / 8);
}
