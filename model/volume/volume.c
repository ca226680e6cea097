#include "model/volume/volume.h"

#include <assert.h>
#include <math.h>

#include "model/formulas/formulas.h"
#include "sparse/formats/format.h"

static const struct sp_volume no_volume = {.total_B = 0};

struct sp_sizes sp_sizes_of(enum sp_precision precision, enum sp_index index, double n_stored)
{
    double s_v = (double)sp_precision_size(precision);
    return (struct sp_sizes){.s_a = (double)sp_value_size(precision),
                             .s_x = s_v,
                             .s_y = s_v,
                             .s_i = (double)sp_index_size(index),
                             .s_p = n_stored <= INT32_MAX ? 4 : 8,
                             .s_b = (double)sp_base_size(index)};
}

struct sp_sizes sp_sizes_with_pointers(struct sp_sizes sizes, int row_ptr_B)
{
    if (row_ptr_B > 0)
        sizes.s_p = row_ptr_B;
    return sizes;
}

struct sp_sizes sp_sizes_of_layout(const struct sp_layout *l)
{
    return (struct sp_sizes){.s_a = (double)l->s_a,
                             .s_x = (double)l->s_x,
                             .s_y = (double)l->s_y,
                             .s_i = (double)l->s_i,
                             .s_p = (double)l->s_p,
                             .s_b = (double)sp_base_size(l->index)};
}

double sp_flops_per_entry(enum sp_precision precision)
{
    return precision == SP_C128 ? 8 : 2;
}

static struct sp_symbols symbols_of(struct sp_sizes s)
{
    return (struct sp_symbols){
        .s_a = s.s_a, .s_x = s.s_x, .s_y = s.s_y, .s_i = s.s_i, .s_p = s.s_p, .s_b = s.s_b};
}

/* Adds x, y and the sums to the arrays of the matrix. */
static struct sp_volume with_vectors(struct sp_volume v, int64_t n_r, int64_t n_nz, struct sp_sizes s,
                                     double alpha, double w)
{
    assert(n_r >= 0 && n_nz >= 0 && alpha >= 0 && w >= 1);
    double stored_y = s.s_y * (double)n_r;
    v.array_B[SP_ARRAY_X] = alpha * s.s_x * (double)n_nz;
    v.array_B[SP_ARRAY_Y] = w * stored_y;
    v.write_B = stored_y;
    v.total_B = 0;
    for (int i = 0; i < SP_N_ARRAYS; i++)
        v.total_B += v.array_B[i];
    v.read_B = v.total_B - v.write_B;
    return v;
}

struct sp_volume sp_volume_spmv_csr(int64_t n_r, int64_t n_nz, struct sp_sizes s, double alpha, double w)
{
    struct sp_volume v = no_volume;
    struct sp_symbols q = symbols_of(s);
    q.n_r = (double)n_r, q.n_nz = (double)n_nz;
    v.array_B[SP_ARRAY_VALUES] = sp_formula_values(&q);
    v.array_B[SP_ARRAY_INDICES] = sp_formula_indices_crs(&q);
    v.array_B[SP_ARRAY_POINTERS] = sp_formula_pointers_crs(&q);
    return with_vectors(v, n_r, n_nz, s, alpha, w);
}

struct sp_volume sp_volume_spmv_sell(int64_t n_r, int64_t n_nz, int32_t C, double beta, struct sp_sizes s,
                                     bool permuted, double alpha, double w)
{
    assert(C >= 1 && beta > 0 && beta <= 1);
    struct sp_volume v = no_volume;
    double n_stored = (double)n_nz / beta;
    const double s_row = 4; /* of a chunk's length and of a place in the permutation, whatever the index */
    v.array_B[SP_ARRAY_VALUES] = s.s_a * n_stored;
    v.array_B[SP_ARRAY_INDICES] = (s.s_i + s.s_b / C) * n_stored;
    v.array_B[SP_ARRAY_POINTERS] = (s.s_p + s_row) * ceil((double)n_r / C);
    v.array_B[SP_ARRAY_PERM] = permuted ? s_row * (double)n_r : 0;
    return with_vectors(v, n_r, n_nz, s, alpha, w);
}

struct sp_volume sp_volume_spmv_sellu(int64_t n_r, int64_t n_nz, int32_t C, double beta, double u,
                                      struct sp_sizes s, bool permuted, double alpha, double w)
{
    assert(u >= 0 && u <= 1);
    struct sp_volume v = sp_volume_spmv_sell(n_r, n_nz, C, beta, s, permuted, alpha, w);
    v.array_B[SP_ARRAY_INDICES] *= u / C + 1 - u;
    v.array_B[SP_ARRAY_POINTERS] *= 2;
    return with_vectors(v, n_r, n_nz, s, alpha, w);
}

static void add_up(struct sp_volume *v)
{
    v->total_B = 0;
    for (int i = 0; i < SP_N_ARRAYS; i++)
        v->total_B += v->array_B[i];
    v->read_B = v->total_B - v->write_B;
}

struct sp_volume sp_volume_layout(const struct sp_layout *l, double alpha, double w)
{
    assert(alpha >= 0 && w >= 1);
    struct sp_volume v = no_volume;
    for (int i = 0; i < SP_N_ARRAYS; i++)
        v.array_B[i] = sp_layout_array_bytes(l, (enum sp_array)i);
    if (sp_format_of(l->format)->mirrored) /* windows are partial results of y, w counts them */
        v.array_B[SP_ARRAY_OTHER] = 0;
    v.write_B = fmax(1, w / 2) * v.array_B[SP_ARRAY_Y];
    v.array_B[SP_ARRAY_X] = alpha * sp_layout_gather_bytes(l);
    v.array_B[SP_ARRAY_Y] *= w;
    v.write_B +=
        v.array_B[SP_ARRAY_OTHER]; /* a buffer's lines are read before the first store, and written */
    v.array_B[SP_ARRAY_OTHER] *= 2;
    add_up(&v);
    return v;
}

struct sp_volume sp_volume_spmv_half(int64_t n_r, int64_t n_nz, struct sp_sizes s, double alpha_x,
                                     double alpha_y)
{
    assert(alpha_x >= 0 && alpha_y >= 0);
    double n_stored = (double)(n_nz + n_r) / 2;
    struct sp_volume v = no_volume;
    v.array_B[SP_ARRAY_VALUES] = s.s_a * n_stored;
    v.array_B[SP_ARRAY_INDICES] = s.s_i * n_stored;
    v.array_B[SP_ARRAY_POINTERS] = s.s_p * (double)(n_r + 1);
    v.array_B[SP_ARRAY_X] = alpha_x * s.s_x * (double)n_nz;
    v.write_B = alpha_y * s.s_y * (double)n_nz;
    v.array_B[SP_ARRAY_Y] = 2 * v.write_B;
    for (int i = 0; i < SP_N_ARRAYS; i++)
        v.total_B += v.array_B[i];
    v.read_B = v.total_B - v.write_B;
    return v;
}

struct sp_volume sp_volume_spmmv(struct sp_volume one, int64_t r)
{
    assert(r >= 1);
    struct sp_volume v = one;
    v.array_B[SP_ARRAY_X] *= (double)r;
    v.array_B[SP_ARRAY_Y] *= (double)r;
    v.write_B *= (double)r;
    v.total_B = sp_volume_matrix_B(&v) + v.array_B[SP_ARRAY_X] + v.array_B[SP_ARRAY_Y];
    v.read_B = v.total_B - v.write_B;
    return v;
}

double sp_volume_matrix_B(const struct sp_volume *v)
{
    return v->array_B[SP_ARRAY_VALUES] + v->array_B[SP_ARRAY_INDICES] + v->array_B[SP_ARRAY_POINTERS] +
           v->array_B[SP_ARRAY_PERM];
}

double sp_volume_floor(const struct sp_volume *v, bool warm, double Z_B)
{
    double floor_B = warm ? v->total_B - 2 * Z_B : v->total_B - v->write_B;
    return floor_B > 0 ? floor_B : 0;
}

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

static struct sp_symbols symbols_of_case(struct sp_dense_case c, struct sp_sizes s)
{
    struct sp_symbols q = symbols_of(s);
    q.n_r = (double)c.n_r, q.n_c = (double)c.n_c, q.n_nz = (double)c.n_nz, q.r = (double)c.r;
    q.n_r_used = (double)c.n_r_used, q.n_c_used = (double)c.n_c_used;
    return q;
}

double sp_fusedmm_saved_B(struct sp_dense_case c, struct sp_sizes s, double w)
{
    struct sp_symbols q = symbols_of_case(c, s);
    q.w = w;
    return sp_formula_saved_by_fusing(&q);
}

double sp_spmm_baseline_intensity(double mu, struct sp_sizes s)
{
    assert(mu > 0);
    struct sp_symbols q = symbols_of(s);
    q.n_nzr = mu;
    return sp_formula_I_of_rows(&q);
}

double sp_spmm_tiled_B(struct sp_dense_case c, struct sp_sizes s, double r_t, double reuse)
{
    assert(r_t >= 1 && reuse >= 1);
    struct sp_symbols q = symbols_of_case(c, s);
    q.r_t = r_t, q.reuse = reuse;
    return sp_formula_spmm_tiled(&q);
}

static struct sp_symbols symbols_of_tiles(struct sp_dense_case c, double T_i, double T_k)
{
    struct sp_symbols q = symbols_of_case(c, (struct sp_sizes){0});
    assert(T_i >= 1 && T_k >= 1);
    q.T_i = T_i, q.T_k = T_k;
    return q;
}

double sp_sddmm_reads_tiled(struct sp_dense_case c, double T_i, double T_k)
{
    const struct sp_symbols q = symbols_of_tiles(c, T_i, T_k);
    return sp_formula_reads_tiled(&q);
}

double sp_sddmm_reads_reindexed(struct sp_dense_case c, double T_k)
{
    const struct sp_symbols q = symbols_of_tiles(c, 1, T_k);
    return sp_formula_reads_reindexed(&q);
}

double sp_sddmm_reads_reindexed_printed(struct sp_dense_case c, double T_k)
{
    const struct sp_symbols q = symbols_of_tiles(c, 1, T_k);
    return sp_formula_reads_reindexed_printed(&q);
}

double sp_sddmm_reads_coo(struct sp_dense_case c)
{
    return SP_FORMULA(reads_coo_made, .n_nz = (double)c.n_nz, .r = (double)c.r);
}

double sp_sddmm_reads_coo_printed(struct sp_dense_case c)
{
    return SP_FORMULA(reads_coo_printed, .n_nz = (double)c.n_nz, .r = (double)c.r);
}

double sp_sddmm_uncached_B(struct sp_dense_case c, struct sp_sizes s, bool with_store)
{
    const struct sp_symbols q = symbols_of_case(c, s);
    return with_store ? sp_formula_sddmm_uncached_stored(&q) : sp_formula_sddmm_uncached(&q);
}

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

/* Bytes of the entries of the largest block, with the results that SDDMM gathers beside them. */
static double largest_block_B(const struct sp_layout *l)
{
    int64_t most = 0;
    for (int64_t b = 0; b < l->n_blocks; b++)
        if (sp_layout_ptr(l, b + 1) - sp_layout_ptr(l, b) > most)
            most = sp_layout_ptr(l, b + 1) - sp_layout_ptr(l, b);
    const size_t s_y = l->op == SP_OP_SDDMM ? l->s_y : 0;
    return (double)most * (double)(l->s_a + l->s_i + s_y);
}

struct sp_staged_reuse sp_staged_reuse_of(const struct sp_layout *l, double cache_B)
{
    assert(l->block);
    const bool stays = largest_block_B(l) + (double)sp_layout_stage_bytes(l) <= cache_B;
    return (struct sp_staged_reuse){
        .of_x = l->n_list > 0 ? (double)l->n_nz / (double)l->n_list : 1,
        .r_t = (double)(stays ? l->r : sp_layout_stage_tile(l)),
    };
}

struct sp_volume sp_volume_staged(const struct sp_layout *l, struct sp_staged_reuse reuse, double w)
{
    assert(reuse.of_x >= 1 && reuse.r_t >= 1);
    struct sp_volume v = sp_volume_layout(l, 1 / reuse.of_x, w);
    const double again = ceil(l->r / reuse.r_t) - 1;
    const bool sampled = l->op == SP_OP_SDDMM;
    const enum sp_array often = sampled ? SP_ARRAY_Y : SP_ARRAY_VALUES;
    const double often_B = (sampled ? 2 : 1) * sp_layout_array_bytes(l, often) * again;
    const double indices_B = v.array_B[SP_ARRAY_INDICES] * again;
    const double pointers_B = v.array_B[SP_ARRAY_POINTERS] * again;
    v.array_B[SP_ARRAY_INDICES] += indices_B;
    v.array_B[SP_ARRAY_POINTERS] += pointers_B;
    v.array_B[often] += often_B;
    v.write_B += sampled ? often_B / 2 : 0;
    v.total_B += indices_B + pointers_B + often_B;
    v.read_B = v.total_B - v.write_B;
    return v;
}

double sp_balance_crs(struct sp_sizes s, double flops_per_entry, double n_nzr, double alpha, double w)
{
    return sp_balance_spmmv_crs(s, flops_per_entry, n_nzr, 1, alpha, w);
}

double sp_balance_sell(struct sp_sizes s, double flops_per_entry, double n_nzr, int32_t C, double beta,
                       bool stored_lengths, bool permuted, double alpha, double w)
{
    assert(flops_per_entry > 0 && n_nzr > 0 && C >= 1 && beta > 0 && beta <= 1 && alpha >= 0 && w >= 1);
    struct sp_symbols q = symbols_of(s);
    q.f_e = flops_per_entry, q.n_nzr = n_nzr, q.alpha = alpha, q.w = w;
    q.C = C, q.beta = beta, q.sorted = permuted;
    return stored_lengths ? sp_formula_balance_sell_lengths(&q) : sp_formula_balance_sell(&q);
}

double sp_balance_sell_per_stored(double n_nzr, int32_t C, double beta, double alpha_stored)
{
    assert(n_nzr > 0 && C >= 1 && beta > 0 && beta <= 1 && alpha_stored >= 0);
    return SP_FORMULA(B_SELL_per_stored, .n_nzr = n_nzr, .C = C, .beta = beta, .alpha = alpha_stored);
}

double sp_balance_spmmv_crs(struct sp_sizes s, double flops_per_entry, double n_nzr, double r, double alpha,
                            double w)
{
    assert(flops_per_entry > 0 && n_nzr > 0 && r >= 1 && alpha >= 0 && w >= 1);
    struct sp_symbols q = symbols_of(s);
    q.f_e = flops_per_entry, q.n_nzr = n_nzr, q.alpha = alpha, q.w = w, q.r = r;
    return sp_formula_balance_crs(&q);
}
