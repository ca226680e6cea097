/* Formulas of papers and of the lecture that nothing but the tests computes with: bytes, entries and code
 * balance of sizes alone, which the layouts and the formulas of the program are held against. */
#ifndef SP_TESTS_VOLUME_CASES_H
#define SP_TESTS_VOLUME_CASES_H

#include <assert.h>
#include <math.h>

#include "model/formulas/formulas.h"
#include "model/volume/volume.h"

static inline struct sp_symbols symbols_of_sizes(struct sp_sizes s)
{
    return (struct sp_symbols){
        .s_a = s.s_a, .s_x = s.s_x, .s_y = s.s_y, .s_i = s.s_i, .s_p = s.s_p, .s_b = s.s_b};
}

/* Bytes and entries that SpMM, SDDMM and FusedMM move, by formula [THEORY 4-6]. What a layout really stores
 * is counted by sp_volume_layout(); these are for reasoning about sizes alone. Where a paper's printed
 * formula differs from what its own counting gives, it has a function named ..._printed. Sources: [T] tiled
 * SpMM, [D] GPU-Dynamic SDDMM, [E] ESIMD kernels. */

/* The sizes that all of them take. Rows and columns with entries are those of the dense operands that are
 * read. */
struct sp_dense_case {
    int64_t n_r, n_c, n_nz;
    int64_t n_r_used, n_c_used;
    int64_t r; /* >= 1 */
};
/* All rows and columns have entries. */
static inline struct sp_dense_case sp_dense_case_of(int64_t n_r, int64_t n_c, int64_t n_nz, int64_t r)
{
    return (struct sp_dense_case){
        .n_r = n_r, .n_c = n_c, .n_nz = n_nz, .n_r_used = n_r, .n_c_used = n_c, .r = r};
}

/* ---- compulsory volumes: each array once, w bytes a byte stored ---- */

/* `stored` items of the result, and the sums over the arrays. */
static inline struct sp_volume with_result(struct sp_volume v, double stored, struct sp_sizes s, double w)
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
static inline struct sp_volume structure(struct sp_dense_case c, struct sp_sizes s, double gathered)
{
    assert(c.n_r >= 0 && c.n_nz >= 0 && c.r >= 1 && c.n_r_used <= c.n_r && c.n_c_used <= c.n_c);
    struct sp_volume v = {.total_B = 0};
    v.array_B[SP_ARRAY_INDICES] = s.s_i * (double)c.n_nz;
    v.array_B[SP_ARRAY_POINTERS] = s.s_p * (double)(c.n_r + 1);
    v.array_B[SP_ARRAY_X] = gathered * (double)c.r * s.s_x * (double)c.n_c_used;
    return v;
}

/* (s_a + s_i) n_nz + s_p (n_r + 1) + r (s_x n_c' + w s_y n_r) */
static inline struct sp_volume sp_volume_spmm(struct sp_dense_case c, struct sp_sizes s, double w)
{
    struct sp_volume v = structure(c, s, 1);
    v.array_B[SP_ARRAY_VALUES] = s.s_a * (double)c.n_nz;
    return with_result(v, (double)c.r * (double)c.n_r, s, w);
}

/* (s_a [scaled by S] + s_i + w s_y) n_nz + s_p (n_r + 1) + r s_x (n_r' + n_c') */
static inline struct sp_volume sp_volume_sddmm(struct sp_dense_case c, struct sp_sizes s, bool scaled,
                                               double w)
{
    struct sp_volume v = structure(c, s, 1);
    v.array_B[SP_ARRAY_VALUES] = scaled ? s.s_a * (double)c.n_nz : 0;
    v.array_B[SP_ARRAY_ROWS] = (double)c.r * s.s_x * (double)c.n_r_used;
    return with_result(v, (double)c.n_nz, s, w);
}

/* s_i n_nz + s_p (n_r + 1) + r (s_x (n_r' + 2 n_c') + w s_y n_r) */
static inline struct sp_volume sp_volume_fusedmm(struct sp_dense_case c, struct sp_sizes s, double w)
{
    struct sp_volume v = structure(c, s, 2);
    v.array_B[SP_ARRAY_ROWS] = (double)c.r * s.s_x * (double)c.n_r_used;
    return with_result(v, (double)c.r * (double)c.n_r, s, w);
}

static inline struct sp_symbols symbols_of_case(struct sp_dense_case c, struct sp_sizes s)
{
    struct sp_symbols q = symbols_of_sizes(s);
    q.n_r = (double)c.n_r, q.n_c = (double)c.n_c, q.n_nz = (double)c.n_nz, q.r = (double)c.r;
    q.n_r_used = (double)c.n_r_used, q.n_c_used = (double)c.n_c_used;
    return q;
}

/* What FusedMM saves against SDDMM of the pattern followed by SpMM with P: (w + 1) s_a n_nz + s_i n_nz +
 * s_p (n_r + 1) [B]. */
static inline double sp_fusedmm_saved_B(struct sp_dense_case c, struct sp_sizes s, double w)
{
    struct sp_symbols q = symbols_of_case(c, s);
    q.w = w;
    return sp_formula_saved_by_fusing(&q);
}

/* Throughput of FusedMM over that of SDDMM and of SpMM, as [E] reports it. */
#define SP_FUSEDMM_OVER_SDDMM_REPORTED 1.3
#define SP_FUSEDMM_OVER_SPMM_REPORTED  1.07

/* ---- SpMM on GPUs ---- */

/* One thread an output, no cache: 2 mu/((s_a + s_i) mu + s_x mu + s_y + 8), mu entries a row, 8 B of pointers
 * [T] [flop/B]. mu > 0, also INFINITY. */
static inline double sp_spmm_baseline_intensity(double mu, struct sp_sizes s)
{
    assert(mu > 0);
    struct sp_symbols q = symbols_of_sizes(s);
    q.n_nzr = mu;
    return sp_formula_I_of_rows(&q);
}

/* With tiles: a register tile of r_t columns divides the traffic of A and of the pointers by r_t, staging the
 * distinct rows of B that a block of rows touches divides that of B by `reuse` = entries in the block /
 * distinct columns in it: r (((s_a + s_i) n_nz + 8 n_r)/r_t + s_x n_nz/reuse + s_y n_r) [B]. Both 1: the
 * baseline. */
static inline double sp_spmm_tiled_B(struct sp_dense_case c, struct sp_sizes s, double r_t, double reuse)
{
    assert(r_t >= 1 && reuse >= 1);
    struct sp_symbols q = symbols_of_case(c, s);
    q.r_t = r_t, q.reuse = reuse;
    return sp_formula_spmm_tiled(&q);
}

/* Geometric mean over cuSPARSE that [T] reports for 200 matrices on an A100 in f32. */
#define SP_SPMM_SPEEDUP_REPORTED 2.03

/* ---- SDDMM: entries read, |A| = n_r r, |B| = n_c r ---- */

static inline struct sp_symbols symbols_of_tiles(struct sp_dense_case c, double T_i, double T_k)
{
    struct sp_symbols q = symbols_of_case(c, (struct sp_sizes){0});
    assert(T_i >= 1 && T_k >= 1);
    q.T_i = T_i, q.T_k = T_k;
    return q;
}

/* Tiles of T_i rows and T_k of the width in shared memory: 3 n_nz r/T_k + |A| + |A||B|/(T_i r) [D]. */
static inline double sp_sddmm_reads_tiled(struct sp_dense_case c, double T_i, double T_k)
{
    const struct sp_symbols q = symbols_of_tiles(c, T_i, T_k);
    return sp_formula_reads_tiled(&q);
}

/* Columns re-indexed, worst case: |A| + n_nz (r + 1 + 3 r/T_k); [D] prints r/T_k. */
static inline double sp_sddmm_reads_reindexed(struct sp_dense_case c, double T_k)
{
    const struct sp_symbols q = symbols_of_tiles(c, 1, T_k);
    return sp_formula_reads_reindexed(&q);
}

static inline double sp_sddmm_reads_reindexed_printed(struct sp_dense_case c, double T_k)
{
    const struct sp_symbols q = symbols_of_tiles(c, 1, T_k);
    return sp_formula_reads_reindexed_printed(&q);
}

/* COO without reuse: n_nz (2 r + 3), and 2 n_nz for the conversion from CRS; [D] prints 2 r + 4 in all, which
 * leaves S's value out. */
static inline double sp_sddmm_reads_coo(struct sp_dense_case c)
{
    return SP_FORMULA(reads_coo_made, .n_nz = (double)c.n_nz, .r = (double)c.r);
}

static inline double sp_sddmm_reads_coo_printed(struct sp_dense_case c)
{
    return SP_FORMULA(reads_coo_printed, .n_nz = (double)c.n_nz, .r = (double)c.r);
}

/* Row-wise, the row of A held, nothing else kept: (s_i + r s_x) n_nz + r s_x n_r' + s_p (n_r + 1) [B], and
 * s_y n_nz with the store of P [E]. */
static inline double sp_sddmm_uncached_B(struct sp_dense_case c, struct sp_sizes s, bool with_store)
{
    const struct sp_symbols q = symbols_of_case(c, s);
    return with_store ? sp_formula_sddmm_uncached_stored(&q) : sp_formula_sddmm_uncached(&q);
}

/* 1 without blocks. */
static inline double sp_bcsr_beta(int64_t n_nz, int64_t n_e, int32_t b_h, int32_t b_w)
{
    assert(n_nz >= 0 && b_h >= 1 && b_w >= 1);
    return n_e > 0 ? (double)n_nz / ((double)n_e * b_h * b_w) : 1;
}

/* Matrix instructions that multiply every block by r columns, eight columns at a time. A block is the A
 * operand of one instruction: 16 x 16 of 16-bit values for m16n8k16. */
static inline int64_t sp_bcsr_instructions(int64_t n_e, int64_t r)
{
    assert(n_e >= 0 && r >= 1);
    return n_e * ((r + 7) / 8);
}

/* Bytes that SpMM and SDDMM move where blocks of rows stage the rows of X that they need [THEORY 4, 5]. */

struct sp_staged_reuse {
    double of_x; /* entries of a block for each of its distinct columns, the mean over entries: what staging
                    divides the traffic of X by */
    double r_t;  /* columns of the width for which an entry is read once: what divides the traffic of A */
};

/* Bytes of the entries of the largest block, with the results that SDDMM gathers beside them. */
static inline double largest_block_B(const struct sp_layout *l)
{
    int64_t most = 0;
    for (int64_t b = 0; b < l->n_blocks; b++)
        if (sp_layout_ptr(l, b + 1) - sp_layout_ptr(l, b) > most)
            most = sp_layout_ptr(l, b + 1) - sp_layout_ptr(l, b);
    const size_t s_y = l->op == SP_OP_SDDMM ? l->s_y : 0;
    return (double)most * (double)(l->s_a + l->s_i + s_y);
}

/* Of a layout, for the misses of a cache of `cache_B` bytes: a block's entries are read once where the
 * largest block and its buffer fit the cache together, else once for each tile of the width. */
static inline struct sp_staged_reuse sp_staged_reuse_of(const struct sp_layout *l, double cache_B)
{
    assert(l->block);
    const bool stays = largest_block_B(l) + (double)sp_layout_stage_bytes(l) <= cache_B;
    return (struct sp_staged_reuse){
        .of_x = l->n_list > 0 ? (double)l->n_nz / (double)l->n_list : 1,
        .r_t = (double)(stays ? l->r : sp_layout_stage_tile(l)),
    };
}

/* With s_i = 2, p the bytes of the layout's pointers and m = ceil(r/r_t):
 *   SpMM   V = m ((s_a + s_i) n_nz/beta + 4 n_nz/of_x + p) + r (s_x n_nz/of_x + w s_y n_r)
 *   SDDMM  V = m (s_i n_nz + 4 n_nz/of_x + p) + (s_a + 2 (m - 1) s_y + w s_y) n_nz + r s_x (n_r' + n_nz/of_x)
 * Exact where the buffers stay in the cache and blocks find no row of X that another block left there; an
 * upper bound where they do. */
static inline struct sp_volume sp_volume_staged(const struct sp_layout *l, struct sp_staged_reuse reuse,
                                                double w)
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

/* Code balance B_C = V/W [B/flop] for n_r large: what a row's and an entry's bytes cost per operation.
 *
 * fp64 with 32-bit indices and pointers, these reduce to [THEORY 2, 3]:
 *     CRS, CPU (w = 2)   6 + 4 alpha + 10/n_nzr         CRS, GPU (w = 1)   6 + 4 alpha + 6/n_nzr
 *     complex128, CPU    2.5 + 2 alpha + 4.5/n_nzr
 *     SELL, GPU          6/beta + 4 alpha + (4 + 2/C)/n_nzr, with stored chunk lengths 4/C instead of 2/C
 *     SpMMV, CRS, CPU    6/r + 4 alpha(r) + (8 + 2/r)/n_nzr */

/* r >= 1 right-hand sides, row-major block vectors, CRS; r may be INFINITY (the limit 4 alpha + 8/n_nzr). */
static inline double sp_balance_spmmv_crs(struct sp_sizes s, double flops_per_entry, double n_nzr, double r,
                                          double alpha, double w)
{
    assert(flops_per_entry > 0 && n_nzr > 0 && r >= 1 && alpha >= 0 && w >= 1);
    struct sp_symbols q = symbols_of_sizes(s);
    q.f_e = flops_per_entry, q.n_nzr = n_nzr, q.alpha = alpha, q.w = w, q.r = r;
    return sp_formula_balance_crs(&q);
}

/* flops_per_entry: sp_flops_per_entry(). n_nzr > 0 entries per row. */
static inline double sp_balance_crs(struct sp_sizes s, double flops_per_entry, double n_nzr, double alpha,
                                    double w)
{
    return sp_balance_spmmv_crs(s, flops_per_entry, n_nzr, 1, alpha, w);
}

/* stored_lengths: each chunk stores its length beside its pointer. permuted: a row permutation is read. */
static inline double sp_balance_sell(struct sp_sizes s, double flops_per_entry, double n_nzr, int32_t C,
                                     double beta, bool stored_lengths, bool permuted, double alpha, double w)
{
    assert(flops_per_entry > 0 && n_nzr > 0 && C >= 1 && beta > 0 && beta <= 1 && alpha >= 0 && w >= 1);
    struct sp_symbols q = symbols_of_sizes(s);
    q.f_e = flops_per_entry, q.n_nzr = n_nzr, q.alpha = alpha, q.w = w;
    q.C = C, q.beta = beta, q.sorted = permuted;
    return stored_lengths ? sp_formula_balance_sell_lengths(&q) : sp_formula_balance_sell(&q);
}

/* The lecture's way to write the same, fp64 on a GPU, alpha counted per *stored* entry:
 *     (6 + 4 alpha_stored + beta (4 + 2/C)/n_nzr)/beta,   alpha_stored = beta alpha
 * The slide prints 1/beta before the first term only; it belongs before the whole sum [THEORY 2]. */
static inline double sp_balance_sell_per_stored(double n_nzr, int32_t C, double beta, double alpha_stored)
{
    assert(n_nzr > 0 && C >= 1 && beta > 0 && beta <= 1 && alpha_stored >= 0);
    return SP_FORMULA(B_SELL_per_stored, .n_nzr = n_nzr, .C = C, .beta = beta, .alpha = alpha_stored);
}

/* The density from which tiles pay as [D] prints it, which does not follow from its own counts. */
static inline double sp_sddmm_threshold_printed(double T_i, double r)
{
    return 1 / (T_i * r);
}

/* Threads that share a row where T hardware threads want more than M rows: the smallest power of two <= 16
 * with the largest (M NT/T)/ceil(M NT/T), the occupancy of the last wave [E]. */
static inline int sp_sddmm_threads_per_row(int64_t M, int64_t T)
{
    int best = 1;
    double most = 0;
    for (int threads = 1; threads <= 16; threads *= 2) {
        const double waves = (double)M * threads / (double)T, occupancy = waves / ceil(waves);
        if (occupancy > most) {
            most = occupancy;
            best = threads;
        }
    }
    return best;
}

/* The light ECM of one core: T = max(T_core, sum of T_level); n_sat = ceil(T/T_mem) cores saturate memory,
 * the last of transfer_s, 0 where it takes no time. */
struct light_ecm {
    double time_s;
    int n_sat;
};
static inline struct light_ecm light_ecm(double core_s, const double *transfer_s, int n_levels)
{
    double transfers = 0;
    for (int i = 0; i < n_levels; i++)
        transfers += transfer_s[i];
    struct light_ecm ecm = {.time_s = fmax(core_s, transfers)};
    if (n_levels > 0 && transfer_s[n_levels - 1] > 0)
        ecm.n_sat = (int)ceil(ecm.time_s / transfer_s[n_levels - 1]);
    return ecm;
}

static inline struct sp_sizes sp_sizes_of_layout(const struct sp_layout *l)
{
    return (struct sp_sizes){.s_a = (double)l->s_a,
                             .s_x = (double)l->s_x,
                             .s_y = (double)l->s_y,
                             .s_i = (double)l->s_i,
                             .s_p = (double)l->s_p,
                             .s_b = (double)sp_base_size(l->index)};
}

#endif
