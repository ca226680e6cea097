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

struct sp_volume sp_volume_on_gpu(const struct sp_layout *l, double alpha)
{
    struct sp_volume v = sp_volume_layout(l, alpha, 1);
    v.write_B -= v.array_B[SP_ARRAY_OTHER] / 2;
    v.array_B[SP_ARRAY_OTHER] = 0;
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
