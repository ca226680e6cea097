#include "model/volume/volume_dense.h"

#include <assert.h>
#include <math.h>

/* Bytes of the pointers that a thread of the baseline reads. */
static const double two_pointers_B = 8;

struct sp_dense_case sp_dense_case_of(int64_t n_r, int64_t n_c, int64_t n_nz, int64_t r)
{
    return (struct sp_dense_case){
        .n_r = n_r, .n_c = n_c, .n_nz = n_nz, .n_r_used = n_r, .n_c_used = n_c, .r = r};
}

/* `stored` items of the result, and the sums over the arrays. */
static struct sp_volume with_result(struct sp_volume v, double stored, struct sp_sizes s, double w)
{
    assert(w >= 1);
    v.write_B = s.s_y * stored;
    v.array_B[SP_ARRAY_Y] = w * v.write_B;
    for (int i = 0; i < SP_N_ARRAYS; i++)
        v.total_B += v.array_B[i];
    v.read_B = v.total_B - v.write_B;
    return v;
}

/* What all three read of the matrix in CRS, values apart, and of `gathered` operands of n_c' rows. */
static struct sp_volume structure(struct sp_dense_case c, struct sp_sizes s, double gathered)
{
    assert(c.n_r >= 0 && c.n_nz >= 0 && c.r >= 1 && c.n_r_used <= c.n_r && c.n_c_used <= c.n_c);
    struct sp_volume v = {.total_B = 0};
    v.array_B[SP_ARRAY_INDICES] = s.s_i * (double)c.n_nz;
    v.array_B[SP_ARRAY_POINTERS] = s.s_p * (double)(c.n_r + 1);
    v.array_B[SP_ARRAY_X] = gathered * (double)c.r * s.s_x * (double)c.n_c_used;
    return v;
}

struct sp_volume sp_volume_spmm(struct sp_dense_case c, struct sp_sizes s, double w)
{
    struct sp_volume v = structure(c, s, 1);
    v.array_B[SP_ARRAY_VALUES] = s.s_a * (double)c.n_nz;
    return with_result(v, (double)c.r * (double)c.n_r, s, w);
}

struct sp_volume sp_volume_sddmm(struct sp_dense_case c, struct sp_sizes s, bool scaled, double w)
{
    struct sp_volume v = structure(c, s, 1);
    v.array_B[SP_ARRAY_VALUES] = scaled ? s.s_a * (double)c.n_nz : 0;
    v.array_B[SP_ARRAY_ROWS] = (double)c.r * s.s_x * (double)c.n_r_used;
    return with_result(v, (double)c.n_nz, s, w);
}

struct sp_volume sp_volume_fusedmm(struct sp_dense_case c, struct sp_sizes s, double w)
{
    struct sp_volume v = structure(c, s, 2);
    v.array_B[SP_ARRAY_ROWS] = (double)c.r * s.s_x * (double)c.n_r_used;
    return with_result(v, (double)c.r * (double)c.n_r, s, w);
}

double sp_fusedmm_saved_B(struct sp_dense_case c, struct sp_sizes s, double w)
{
    return ((w + 1) * s.s_a + s.s_i) * (double)c.n_nz + s.s_p * (double)(c.n_r + 1);
}

double sp_spmm_baseline_intensity(double mu, struct sp_sizes s)
{
    assert(mu > 0);
    return 2 / (s.s_a + s.s_i + s.s_x + (s.s_y + two_pointers_B) / mu);
}

double sp_spmm_tiled_B(struct sp_dense_case c, struct sp_sizes s, double r_t, double reuse)
{
    assert(r_t >= 1 && reuse >= 1);
    const double n_nz = (double)c.n_nz, n_r = (double)c.n_r;
    const double matrix_B = (s.s_a + s.s_i) * n_nz + two_pointers_B * n_r;
    return (double)c.r * (matrix_B / r_t + s.s_x * n_nz / reuse + s.s_y * n_r);
}

/* |A| */
static double rows_entries(struct sp_dense_case c)
{
    return (double)c.n_r * (double)c.r;
}

double sp_sddmm_reads_tiled(struct sp_dense_case c, double T_i, double T_k)
{
    assert(T_i >= 1 && T_k >= 1);
    const double r = (double)c.r;
    return 3 * (double)c.n_nz * r / T_k + rows_entries(c) + rows_entries(c) * (double)c.n_c / T_i;
}

/* `items` of the sparse matrix are read for each tile of the width. */
static double reindexed(struct sp_dense_case c, double T_k, double items)
{
    assert(T_k >= 1);
    const double r = (double)c.r;
    return rows_entries(c) + (double)c.n_nz * (r + 1 + items * r / T_k);
}

double sp_sddmm_reads_reindexed(struct sp_dense_case c, double T_k)
{
    return reindexed(c, T_k, 3);
}

double sp_sddmm_reads_reindexed_printed(struct sp_dense_case c, double T_k)
{
    return reindexed(c, T_k, 1);
}

double sp_sddmm_reads_coo(struct sp_dense_case c)
{
    return (double)c.n_nz * (2 * (double)c.r + 3) + 2 * (double)c.n_nz;
}

double sp_sddmm_reads_coo_printed(struct sp_dense_case c)
{
    return (double)c.n_nz * (2 * (double)c.r + 4);
}

double sp_sddmm_uncached_B(struct sp_dense_case c, struct sp_sizes s, bool with_store)
{
    const double row_B = (double)c.r * s.s_x;
    const double entry_B = s.s_i + row_B + (with_store ? s.s_y : 0);
    return entry_B * (double)c.n_nz + row_B * (double)c.n_r_used + s.s_p * (double)(c.n_r + 1);
}
