/* SDDMM and FusedMM on a GPU: bodies of one thread, in the ways of sharing of
 * sparse/launch/gpu_launch.h. V is the type of values, I that of indices, n the columns of a load.
 *
 * A warp takes 32 entries at a time: its teams have them in turn, so many that every thread holds
 * the product of one entry at last, and all are stored with one request. Four entries of a team are
 * under way together. */
#ifndef SP_KERNELS_CUDA_SAMPLED_BODIES_H
#define SP_KERNELS_CUDA_SAMPLED_BODIES_H

#include "kernels/cuda/dense_bodies.h"

namespace gpu
{

template <class V, int n> SP_GPU number<V> dot(const pack<V, n> &a, const pack<V, n> &b)
{
    number<V> sum = 0;
#pragma unroll
    for (int e = 0; e < n; e++)
        sum += number_of(a.at[e]) * number_of(b.at[e]);
    return sum;
}

/* The sums over the teams, known to all of their threads. */
template <class V, int n> SP_GPU void sum_over_team(pack<V, n> &sum, int column_lanes)
{
    for (int by = column_lanes / 2; by > 0; by /= 2)
#pragma unroll
        for (int e = 0; e < n; e++)
            sum.at[e] += from_across(sum.at[e], by);
}

/* A thread's place in its warp. */
struct place {
    int mine; /* in its team */
    int team; /* of the warp */
    int teams;
};
SP_GPU place place_of(const struct sp_gpu_arrays &a)
{
    const int lane = thread() % SP_WARP;
    return {lane % a.column_lanes, lane / a.column_lanes, SP_WARP / a.column_lanes};
}

SP_GPU int64_t grid_warp()
{
    return grid_thread() / SP_WARP;
}

/* Where a batch has its entries: pass after pass each team the next one. Thread `mine` of a team
 * keeps the product of pass `mine`. */
SP_GPU int64_t entry_of(const place &at, int64_t from, int pass)
{
    return from + (int64_t)pass * at.teams + at.team;
}

/* Products of rows of A and B that belong to up to 32 entries from `from`, the thread's own one is
 * returned. A is the row operand: that of `row`, with `coo` those that the entries name. */
template <class V, class I, int n, bool coo> struct sampler {
    using P = pack<V, n>;

    static SP_GPU number<V> batch(const struct sp_gpu_arrays &a, const place &at, int64_t row, int64_t from,
                                  int64_t to)
    {
        number<V> kept = 0;
        for (int pass = 0; pass < a.column_lanes; pass += SP_GPU_TOGETHER) {
            if (from + (int64_t)pass * at.teams >= to)
                break;
            pack<number<V>, SP_GPU_TOGETHER> sum = {};
            products(a, at, row, from, to, pass, sum);
            sum_over_team(sum, a.column_lanes);
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++)
                if (pass + e == at.mine)
                    kept = sum.at[e];
        }
        return kept;
    }

    static SP_GPU void products(const struct sp_gpu_arrays &a, const place &at, int64_t row, int64_t from,
                                int64_t to, int pass, pack<number<V>, SP_GPU_TOGETHER> &sum)
    {
        I of[SP_GPU_TOGETHER] = {}, c[SP_GPU_TOGETHER] = {};
        bool is_entry[SP_GPU_TOGETHER];
#pragma unroll
        for (int e = 0; e < SP_GPU_TOGETHER; e++) {
            const int64_t j = entry_of(at, from, pass + e);
            is_entry[e] = j < to && pass + e < a.column_lanes;
            if (is_entry[e]) {
                if constexpr (coo)
                    of[e] = load((const I *)a.row_index + j);
                c[e] = load((const I *)a.col + j);
            }
        }
        const V *rows = (const V *)a.rows + row * a.r, *x = (const V *)a.x;
        for (int64_t k = at.mine * n; k < a.r; k += a.column_lanes * n) {
            P of_row[coo ? SP_GPU_TOGETHER : 1] = {}, b[SP_GPU_TOGETHER] = {};
            if constexpr (!coo)
                of_row[0] = load((const P *)(rows + k));
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++)
                if (is_entry[e]) {
                    if constexpr (coo)
                        of_row[e] = load((const P *)row_behind(rows + k, of[e], a.r));
                    b[e] = load((const P *)row_behind(x + k, c[e], a.ld_x));
                }
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++)
                sum.at[e] += dot(of_row[coo ? e : 0], b[e]);
        }
    }
};

template <class V, class I, int n, bool coo>
SP_GPU void sample(const struct sp_gpu_arrays &a, const place &at, int64_t row, int64_t from, int64_t to)
{
    const number<V> product = sampler<V, I, n, coo>::batch(a, at, row, from, to);
    const int64_t j = entry_of(at, from, at.mine);
    if (j < to) {
        const V v = load((const V *)a.val + j);
        store((V *)a.y + j, rounded<V>(number_of(v) * product));
    }
}

template <class V, class I, int n> struct sddmm_crs {
    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const int64_t row = grid_warp();
        if (row >= a.n_r)
            return;
        const place at = place_of(a);
        const int64_t begin = pointer(a.ptr, a.wide_ptr, row);
        const int64_t end = pointer(a.ptr, a.wide_ptr, row + 1);
        for (int64_t from = begin; from < end; from += SP_WARP)
            sample<V, I, n, false>(a, at, row, from, end);
    }
};

template <class V, class I, int n> struct sddmm_coo {
    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const int64_t from = grid_warp() * SP_WARP, to = from + SP_WARP;
        if (from < a.n_nz)
            sample<V, I, n, true>(a, place_of(a), 0, from, to < a.n_nz ? to : a.n_nz);
    }
};

/* The columns of a block against its rows of A in shared memory, tile after tile of the width. */
template <class V, class I, int n> struct sddmm_tiled {
    using P = pack<V, n>;

    static SP_GPU void stage(const struct sp_gpu_arrays &a, int64_t first_row, int64_t column, int width,
                             V *buffer)
    {
        const int team = thread() / a.column_lanes, teams = block_threads() / a.column_lanes;
        const V *rows = (const V *)a.rows + first_row * a.r + column;
        const int64_t left = a.n_r - first_row;
        const int n_rows = (int)(left < a.T_i ? left : a.T_i);
        constexpr int rows_together = 2; /* four would spill a register */
        for (int i = team; i < n_rows; i += rows_together * teams) {
            next_pass();
            for (int k = thread() % a.column_lanes * n; k < width; k += a.column_lanes * n) {
                P p[rows_together] = {};
#pragma unroll
                for (int e = 0; e < rows_together; e++)
                    if (i + e * teams < n_rows)
                        p[e] = load((const P *)(rows + (i + e * teams) * a.r + k));
#pragma unroll
                for (int e = 0; e < rows_together; e++)
                    if (i + e * teams < n_rows)
                        put((P *)(buffer + (i + e * teams) * a.tile + k), p[e]);
            }
        }
    }

    /* Products of up to 32 entries of a column, in one tile: x is the same for all of them. */
    static SP_GPU V batch(const struct sp_gpu_arrays &a, const place &at, const V *x, const V *buffer,
                          int width, int64_t from, int64_t to)
    {
        V kept = 0;
        for (int pass = 0; pass < a.column_lanes; pass += SP_GPU_TOGETHER) {
            if (from + (int64_t)pass * at.teams >= to)
                break;
            pack<V, SP_GPU_TOGETHER> sum = {};
            products(a, at, x, buffer, width, from, to, pass, sum);
            sum_over_team(sum, a.column_lanes);
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++)
                if (pass + e == at.mine)
                    kept = sum.at[e];
        }
        return kept;
    }

    static SP_GPU void products(const struct sp_gpu_arrays &a, const place &at, const V *x, const V *buffer,
                                int width, int64_t from, int64_t to, int pass, pack<V, SP_GPU_TOGETHER> &sum)
    {
        const uint16_t *row_index = (const uint16_t *)a.row_index + entry_of(at, from, pass);
        const int left = (int)(to - entry_of(at, from, pass)), passes = a.column_lanes - pass;
        uint16_t row[SP_GPU_TOGETHER] = {};
        int k = at.mine * n;
        const int end = left > 0 ? width : 0;
        P b = {};
        if (k < end) /* before it is known which rows it belongs to */
            b = load((const P *)(x + k));
#pragma unroll
        for (int e = 0; e < SP_GPU_TOGETHER; e++)
            if (e * at.teams < left && e < passes)
                row[e] = load(row_index + e * at.teams);
        while (k < end) {
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++) {
                const P of_row = get((const P *)(buffer + row[e] * a.tile + k));
                sum.at[e] += dot(of_row, b);
            }
            k += a.column_lanes * n;
            if (k < end)
                b = load((const P *)(x + k));
        }
    }

    static SP_GPU void sample_column(const struct sp_gpu_arrays &a, const place &at, int64_t item,
                                     int64_t column, int width, const V *buffer)
    {
        const int64_t c = load((const I *)a.col + item);
        const int64_t begin = pointer(a.column_ptr, a.wide_ptr, item);
        const int64_t end = pointer(a.column_ptr, a.wide_ptr, item + 1);
        const V *x = (const V *)a.x + c * a.ld_x + column;
        V *y = (V *)a.y;
        for (int64_t from = begin; from < end; from += SP_WARP) {
            next_pass();
            const int64_t j = entry_of(at, from, at.mine);
            V before = 0, factor = 1;
            if (j < end && column > 0)
                before = reload(y + j);
            if (j < end && column + width == a.r)
                factor = load((const V *)a.val + j);
            const V product = before + batch(a, at, x, buffer, width, from, end);
            if (j < end)
                store(y + j, product * factor);
        }
    }

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const uint32_t b = (uint32_t)block() / (uint32_t)a.n_parts,
                       part = (uint32_t)block() % (uint32_t)a.n_parts;
        V *buffer = shared<V>(a, 0);
        const place at = place_of(a);
        const int64_t list = pointer(a.index_ptr, a.wide_ptr, b);
        const int64_t n_listed = pointer(a.index_ptr, a.wide_ptr, b + 1) - list;
        const int64_t from = list + n_listed * part / a.n_parts,
                      to = list + n_listed * (part + 1) / a.n_parts;
        for (int64_t column = 0; column < a.r; column += a.tile) {
            const int64_t left = a.r - column;
            const int width = (int)(left < a.tile ? left : a.tile);
            stage(a, (int64_t)b * a.T_i, column, width, buffer);
            block_sync();
            for (int64_t item = from + thread() / SP_WARP; item < to; item += block_threads() / SP_WARP)
                sample_column(a, at, item, column, width, buffer);
            block_sync();
        }
    }
};

/* A row of C and one of E stay in registers. */
template <class V, class I, int n> struct fused_narrow {
    using P = pack<V, n>;
    static constexpr int PACKS = 2;

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const int64_t row = grid_warp();
        if (row >= a.n_r)
            return;
        const place at = place_of(a);
        const int first = at.mine * n, apart = a.column_lanes * n;
        const int64_t begin = pointer(a.ptr, a.wide_ptr, row);
        const int64_t end = pointer(a.ptr, a.wide_ptr, row + 1);
        P of_row[PACKS] = {}, sum[PACKS] = {};
#pragma unroll
        for (int u = 0; u < PACKS; u++)
            if (first + u * apart < a.r)
                of_row[u] = load((const P *)((const V *)a.rows + row * a.r + first + u * apart));
        for (int64_t from = begin; from < end; from += SP_GPU_TOGETHER * at.teams)
            add_entries(a, at, from, end, of_row, sum);
#pragma unroll
        for (int u = 0; u < PACKS; u++) {
            sum_across(sum[u], a.column_lanes, SP_WARP);
            if (at.team == 0 && first + u * apart < a.r)
                store((P *)((V *)a.y + row * a.ld_y + first + u * apart), sum[u]);
        }
    }

    static SP_GPU void add_entries(const struct sp_gpu_arrays &a, const place &at, int64_t from, int64_t end,
                                   const P *of_row, P *sum)
    {
        const int first = at.mine * n, apart = a.column_lanes * n;
        const int64_t left = end - entry_of(at, from, 0);
        const I *col = (const I *)a.col + entry_of(at, from, 0);
        I c[SP_GPU_TOGETHER] = {};
        pack<V, SP_GPU_TOGETHER> product = {};
#pragma unroll
        for (int e = 0; e < SP_GPU_TOGETHER; e++)
            if (e * at.teams < left)
                c[e] = load(col + e * at.teams);
#pragma unroll
        for (int u = 0; u < PACKS; u++) {
            P of_entry[SP_GPU_TOGETHER] = {};
            load_rows((const V *)a.x + first + u * apart, c, a, left, at.teams, first + u * apart, of_entry);
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++)
                product.at[e] += dot(of_row[u], of_entry[e]);
        }
        sum_over_team(product, a.column_lanes);
#pragma unroll
        for (int u = 0; u < PACKS; u++) {
            P of_entry[SP_GPU_TOGETHER] = {};
            load_rows((const V *)a.second + first + u * apart, c, a, left, at.teams, first + u * apart,
                      of_entry);
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++)
                add_product(sum[u], product.at[e], of_entry[e]);
        }
    }

    /* The thread's columns from `column` of the rows c of an operand, as many as there are
     * entries. */
    static SP_GPU void load_rows(const V *from, const I *c, const struct sp_gpu_arrays &a, int64_t left,
                                 int teams, int column, P *to)
    {
#pragma unroll
        for (int e = 0; e < SP_GPU_TOGETHER; e++) {
            next_pass();
            if (e * teams < left && column < a.r)
                to[e] = load((const P *)row_behind(from, c[e], a.ld_x));
        }
    }
};

/* Rows too wide for that: the products of 32 entries first, then what they add to each column. */
template <class V, class I, int n> struct fused_wide {
    using P = pack<V, n>;

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const int64_t row = grid_warp();
        if (row >= a.n_r)
            return;
        const place at = place_of(a);
        const int64_t begin = pointer(a.ptr, a.wide_ptr, row);
        const int64_t end = pointer(a.ptr, a.wide_ptr, row + 1);
        V *y = (V *)a.y + row * a.ld_y;
        int64_t from = begin;
        do {
            const int64_t left = end - from;
            const int n_entries = left < SP_WARP ? (int)left : (int)SP_WARP;
            const V product = sampler<V, I, n, false>::batch(a, at, row, from, end);
            for (int64_t column = 0; column < a.r; column += SP_WARP * n)
                add_entries(a, from, n_entries, product, column + at.mine * n, from > begin, y);
            from += SP_WARP;
        } while (from < end);
    }

    static SP_GPU void add_entries(const struct sp_gpu_arrays &a, int64_t from, int n_entries, V product,
                                   int64_t k, bool goes_on, V *y)
    {
        P sum = {};
        if (goes_on && k < a.r)
            sum = reload((const P *)(y + k));
#pragma unroll 1
        for (int i = 0; i < n_entries; i += SP_GPU_TOGETHER) {
            I c[SP_GPU_TOGETHER] = {};
            P d[SP_GPU_TOGETHER] = {};
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++)
                if (i + e < n_entries)
                    c[e] = load((const I *)a.col + from + i + e);
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++)
                if (i + e < n_entries && k < a.r)
                    d[e] = load((const P *)row_behind((const V *)a.second + k, c[e], a.ld_x));
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++)
                add_product(sum, from_lane(product, i + e), d[e]);
        }
        if (k < a.r)
            store((P *)(y + k), sum);
    }
};

} // namespace gpu

#endif
