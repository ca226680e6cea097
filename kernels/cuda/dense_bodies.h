/* SpMMV and SpMM on a GPU: bodies of one thread, in the ways of sharing of
 * sparse/launch/gpu_launch.h. V is the type of values, I that of indices, n the columns of a load,
 * n_packs the loads of a thread for its columns. */
#ifndef SP_KERNELS_CUDA_DENSE_BODIES_H
#define SP_KERNELS_CUDA_DENSE_BODIES_H

#include "kernels/cuda/gpu_arrays.h"
#include "kernels/cuda/gpu_body.h"
#include "kernels/cuda/gpu_halves.h"

namespace gpu
{

template <class V, int n>
SP_GPU void add_product(pack<number<V>, n> &sum, number<V> factor, const pack<V, n> &x)
{
#pragma unroll
    for (int e = 0; e < n; e++)
        sum.at[e] += factor * number_of(x.at[e]);
}

template <class V, int n> SP_GPU void store_rounded(V *to, const pack<number<V>, n> &sum)
{
    pack<V, n> narrow;
#pragma unroll
    for (int e = 0; e < n; e++)
        narrow.at[e] = rounded<V>(sum.at[e]);
    store((pack<V, n> *)to, narrow);
}

/* In stores of 16 bytes at most. */
template <class V, int n> SP_GPU void store_part(number<V> *to, const pack<number<V>, n> &sum)
{
    constexpr int most = 16 / (int)sizeof(number<V>);
    if constexpr (n <= most)
        store((pack<number<V>, n> *)to, sum);
    else
#pragma unroll
        for (int i = 0; i < n; i += most) {
            pack<number<V>, most> some;
#pragma unroll
            for (int e = 0; e < most; e++)
                some.at[e] = sum.at[i + e];
            store((pack<number<V>, most> *)(to + i), some);
        }
}

/* The sum over the lanes whose numbers differ in bits `from` to below `to`, powers of two. */
template <class V, int n> SP_GPU void sum_across(pack<V, n> &sum, int from, int to)
{
    for (int by = from; by < to; by *= 2)
#pragma unroll
        for (int e = 0; e < n; e++)
            sum.at[e] += from_across(sum.at[e], by);
}

/* What a block has of the width and of the rest: consecutive blocks have the tiles in turn. */
struct block_share {
    int64_t column; /* first of its tile */
    int64_t block;  /* of those with this tile */
};
SP_GPU block_share share_of_block(const struct sp_gpu_arrays &a)
{
    const uint32_t b = (uint32_t)block(), n_tiles = (uint32_t)a.n_tiles;
    return {(int64_t)(b % n_tiles) * a.tile, b / n_tiles};
}

/* Entries are taken SP_GPU_TOGETHER at a time, so that their loads are on the way together; those
 * behind the end are left out one by one, which keeps the entries of one turn in one request for
 * all rows of a warp (see crs_rows of spmv_bodies.h). */

/* Entries that are `apart`, those whose number is below `left` when each counts for `count`; the
 * pointers are then at the next ones. */
template <class V, class I>
SP_GPU void load_entries(const I *&col, const V *&val, int apart, int count, int left, I *c, V *v)
{
#pragma unroll
    for (int k = 0; k < SP_GPU_TOGETHER; k++) {
        if (k * count < left) {
            c[k] = load(col);
            v[k] = load(val);
        }
        col += apart;
        val += apart;
    }
}

/* As many of n entries as a batch may need, in 32 bits. */
SP_GPU int entries_left(int64_t n)
{
    return (int)(n < INT32_MAX ? n : INT32_MAX);
}

template <class V, class I> struct crs_output {
    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const int64_t output = grid_thread(), row = output / a.r, k = output % a.r;
        if (row >= a.n_r)
            return;
        const V *x = (const V *)a.x + k;
        const int64_t begin = pointer(a.ptr, a.wide_ptr, row);
        const int64_t end = pointer(a.ptr, a.wide_ptr, row + 1);
        const I *col = (const I *)a.col + begin;
        const V *val = (const V *)a.val + begin;
        number<V> sum = 0;
#pragma unroll 1
        for (int64_t rest = end - begin; rest > 0; rest -= SP_GPU_TOGETHER) {
            I c[SP_GPU_TOGETHER] = {};
            V v[SP_GPU_TOGETHER] = {}, p[SP_GPU_TOGETHER] = {};
            const int left = entries_left(rest);
            load_entries<V, I>(col, val, 1, 1, left, c, v);
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++)
                if (e < left)
                    p[e] = load(row_behind(x, c[e], a.ld_x));
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++)
                sum += number_of(v[e]) * number_of(p[e]);
        }
        store((V *)a.y + row * a.ld_y + k, rounded<V>(sum));
    }
};

/* The column of a thread's load: where it is not in the row, the thread loads the row's last ones
 * with the others, so that loops have no branches, and stores nothing. */
SP_GPU int64_t column_in_row(const struct sp_gpu_arrays &a, int64_t column, int n)
{
    return column < a.r ? column : a.r - n;
}

template <class V, class I, int n, int n_packs> struct crs_columns {
    using P = pack<V, n>;

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const block_share share = share_of_block(a);
        const int mine = thread() % a.lanes, apart = a.column_lanes * n;
        const int64_t row = share.block * (block_threads() / a.lanes) + thread() / a.lanes;
        const int64_t first = share.column + mine % a.column_lanes * n;
        const V *x[n_packs];
#pragma unroll
        for (int u = 0; u < n_packs; u++)
            x[u] = (const V *)a.x + column_in_row(a, first + u * apart, n);
        int64_t begin = 0, end = 0;
        if (row < a.n_r) {
            begin = pointer(a.ptr, a.wide_ptr, row);
            end = pointer(a.ptr, a.wide_ptr, row + 1);
        }
        pack<number<V>, n> sum[n_packs] = {};
        const int teams = a.lanes / a.column_lanes, team = mine / a.column_lanes;
        const I *col = (const I *)a.col + begin + team;
        const V *val = (const V *)a.val + begin + team;
#pragma unroll 1
        for (int64_t rest = end - begin - team; rest > 0; rest -= SP_GPU_TOGETHER * teams) {
            I c[SP_GPU_TOGETHER] = {};
            V v[SP_GPU_TOGETHER] = {};
            const int left = entries_left(rest);
            load_entries<V, I>(col, val, teams, teams, left, c, v);
#pragma unroll
            for (int u = 0; u < n_packs; u++) {
                P p[SP_GPU_TOGETHER] = {};
#pragma unroll
                for (int k = 0; k < SP_GPU_TOGETHER; k++)
                    if (k * teams < left)
                        p[k] = load((const P *)row_behind(x[u], c[k], a.ld_x));
#pragma unroll
                for (int k = 0; k < SP_GPU_TOGETHER; k++)
                    add_product(sum[u], number_of(v[k]), p[k]);
            }
        }
#pragma unroll
        for (int u = 0; u < n_packs; u++) {
            sum_across(sum[u], a.column_lanes, a.lanes);
            if (mine < a.column_lanes && row < a.n_r && first + u * apart < a.r)
                store_rounded<V, n>((V *)a.y + row * a.ld_y + first + u * apart, sum[u]);
        }
    }
};

/* What a share carries: the sum of the row that it cuts at its end; of 16-bit storage that of the
 * first row that ends in it, then this. */
template <class V> SP_GPU number<V> *part_of_share(const struct sp_gpu_arrays &a, int64_t which)
{
    return (number<V> *)a.carry_val + which * (is_storage<V> ? 2 * a.r : a.r);
}

/* A team has equally many entries and ends of rows. With 16-bit storage the first row that ends in
 * a share is a part, too, since shares before it may have others: rows are rounded once, by
 * share_parts. */
template <class V, class I, int n> struct crs_share {
    using P = pack<V, n>;

    struct share {
        int64_t row, end_row; /* the rows from row on end in the share, before end_row */
        int64_t entry, end;
        int64_t row_end;        /* the entry that `row` ends before; none: no such row */
        pack<number<V>, n> sum; /* of `row`, as far as its entries are in the share */
        bool is_first;          /* 16-bit storage: no row has ended */
    };
    static constexpr int64_t none = INT64_MAX;

    static SP_GPU int64_t end_of_row(const struct sp_gpu_arrays &a, const share &s)
    {
        return s.row < s.end_row ? pointer(a.ptr, a.wide_ptr, s.row + 1) : none;
    }

    static SP_GPU share share_of_team(const struct sp_gpu_arrays &a, int64_t which)
    {
        share s = {0, 0, 0, 0, none, {}, true};
        if (which >= a.n_shares)
            return s;
        const int64_t all = a.n_r + a.n_nz, item = which * a.items;
        s.row = load(a.start + which);
        s.end_row = load(a.start + which + 1);
        s.entry = item - s.row;
        s.end = (item + a.items < all ? item + a.items : all) - s.end_row;
        s.row_end = end_of_row(a, s);
        return s;
    }

    static SP_GPU void next_row(const struct sp_gpu_arrays &a, share &s)
    {
        s.sum = {};
        s.row++;
        s.row_end = end_of_row(a, s);
    }

    static SP_GPU void store_row(V *y, const share &s)
    {
        if constexpr (is_storage<V>)
            store_rounded<V, n>(y, s.sum);
        else
            store((P *)y, s.sum);
    }

    /* Stores the rows that have no entry from `entry` on. y: the thread's columns of row 0. */
    static SP_GPU void end_rows(const struct sp_gpu_arrays &a, int64_t entry, int64_t which, int64_t column,
                                V *y, share &s)
    {
        if constexpr (is_storage<V>) {
            if (s.is_first && s.row_end <= entry) {
                if (column < a.r)
                    store_part<V, n>(part_of_share<V>(a, which) + column, s.sum);
                s.is_first = false;
                next_row(a, s);
            }
            next_pass();
        }
        while (s.row_end <= entry) {
            if (column < a.r)
                store_row(y + s.row * a.ld_y, s);
            next_row(a, s);
        }
    }

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const block_share of_block = share_of_block(a);
        const int64_t column = of_block.column + thread() % a.column_lanes * n;
        const int64_t which = of_block.block * (block_threads() / a.column_lanes) + thread() / a.column_lanes;
        const V *x = (const V *)a.x + column_in_row(a, column, n);
        V *y = (V *)a.y + column;
        share s = share_of_team(a, which);
        const I *col = (const I *)a.col + s.entry;
        const V *val = (const V *)a.val + s.entry;
#pragma unroll 1
        for (; s.entry < s.end; s.entry += SP_GPU_TOGETHER) {
            I c[SP_GPU_TOGETHER] = {};
            V v[SP_GPU_TOGETHER] = {};
            P p[SP_GPU_TOGETHER] = {};
            const int left = (int)(s.end - s.entry);
            load_entries<V, I>(col, val, 1, 1, left, c, v);
#pragma unroll
            for (int k = 0; k < SP_GPU_TOGETHER; k++)
                if (k < left)
                    p[k] = load((const P *)row_behind(x, c[k], a.ld_x));
#pragma unroll
            for (int k = 0; k < SP_GPU_TOGETHER; k++) {
                next_pass();
                if (k < left) {
                    end_rows(a, s.entry + k, which, column, y, s);
                    add_product(s.sum, number_of(v[k]), p[k]);
                }
            }
        }
        warp_sync();
        end_rows(a, s.end, which, column, y, s);
        if (which < a.n_shares && column < a.r)
            store_part<V, n>(part_of_share<V>(a, which) + (is_storage<V> ? a.r : 0) + column, s.sum);
    }
};

/* Adds what the teams of crs_share left for rows that they did not end. */
template <class V> struct share_carries {
    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const int64_t T = grid_thread(), column = T % a.r, first = T / a.r * SP_GPU_CARRY_SHARES;
        const int left = entries_left(a.n_shares - first);
        int64_t row[SP_GPU_CARRY_SHARES + 1] = {};
        V carried[SP_GPU_CARRY_SHARES] = {}, sum = 0;
#pragma unroll
        for (int i = 0; i < SP_GPU_CARRY_SHARES; i++)
            if (i < left) {
                row[i] = load(a.start + first + i + 1);
                carried[i] = load((const V *)a.carry_val + (first + i) * a.r + column);
            }
#pragma unroll
        for (int i = 0; i < SP_GPU_CARRY_SHARES; i++) {
            const bool is_last = i + 1 == SP_GPU_CARRY_SHARES || i + 1 == left || row[i + 1] != row[i];
            next_pass();
            sum += carried[i];
            if (i < left && is_last && row[i] < a.n_r)
                add((V *)a.y + row[i] * a.ld_y + column, sum);
            if (is_last)
                sum = 0;
        }
    }
};

/* Sums the parts of the row that is the first to end in a share: those of the shares from its begin
 * on, then the share's own. */
template <class V> struct share_parts {
    /* `left` of them, at most n, from `part` on, which then is behind n. */
    template <int n> static SP_GPU number<V> sum_of(const number<V> *&part, int64_t apart, int left)
    {
        number<V> carried[n] = {}, sum = 0;
#pragma unroll
        for (int i = 0; i < n; i++) {
            if (i < left)
                carried[i] = load(part);
            part += apart;
        }
#pragma unroll
        for (int i = 0; i < n; i++)
            sum += carried[i];
        return sum;
    }

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const int64_t T = grid_thread(), which = T / a.r, column = T % a.r;
        if (which >= a.n_shares)
            return;
        const int64_t row = load(a.start + which);
        const int64_t end_row = load(a.start + which + 1);
        if (row >= end_row)
            return;
        const int64_t begin = (pointer(a.ptr, a.wide_ptr, row) + row) / a.items;
        const number<V> own = load(part_of_share<V>(a, which) + column);
        const number<V> *part = part_of_share<V>(a, begin) + a.r + column;
        int64_t rest = which - begin;
        number<V> sum = 0;
#pragma unroll 1
        for (; rest >= SP_GPU_CARRY_MANY; rest -= SP_GPU_CARRY_MANY)
            sum += sum_of<SP_GPU_CARRY_MANY>(part, 2 * a.r, SP_GPU_CARRY_MANY);
        next_pass();
#pragma unroll 1
        for (; rest > 0; rest -= SP_GPU_CARRY_SHARES)
            sum += sum_of<SP_GPU_CARRY_SHARES>(part, 2 * a.r, (int)rest);
        store((V *)a.y + row * a.ld_y + column, rounded<V>(sum + own));
    }
};

template <class V, class I, int n> struct sell_columns {
    using P = pack<V, n>;

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const block_share share = share_of_block(a);
        const int64_t place = share.block * (block_threads() / a.column_lanes) + thread() / a.column_lanes;
        const int64_t first = share.column + thread() % a.column_lanes * n;
        if (place >= a.n_chunks * a.C)
            return;
        const int64_t chunk = place / a.C;
        const V *x = (const V *)a.x + column_in_row(a, first, n);
        const int64_t at = pointer(a.ptr, a.wide_ptr, chunk) + place % a.C;
        const I *col = (const I *)a.col + at;
        const V *val = (const V *)a.val + at;
        P sum = {};
#pragma unroll 1
        for (int32_t left = load(a.len + chunk); left > 0; left -= SP_GPU_TOGETHER) {
            I c[SP_GPU_TOGETHER] = {};
            V v[SP_GPU_TOGETHER] = {};
            P p[SP_GPU_TOGETHER] = {};
            load_entries<V, I>(col, val, a.C, 1, left, c, v);
#pragma unroll
            for (int k = 0; k < SP_GPU_TOGETHER; k++)
                if (k < left)
                    p[k] = load((const P *)row_behind(x, c[k], a.ld_x));
#pragma unroll
            for (int k = 0; k < SP_GPU_TOGETHER; k++)
                add_product(sum, v[k], p[k]);
        }
        const int64_t row = a.perm ? load(a.perm + place) : place;
        if (first < a.r && row >= 0 && row < a.n_r)
            store((P *)((V *)a.y + row * a.ld_y + first), sum);
    }
};

/* Four rows of a chunk at once: a value and a place serve all columns of the thread, and each
 * column of the list was fetched once for all rows of the block. */
template <class V, int n> struct staged_columns {
    using P = pack<V, n>;
    static constexpr int C = SP_STAGED_C;
    static constexpr int IN_LOAD = 16 / (int)sizeof(V);

    static SP_GPU void stage(const struct sp_gpu_arrays &a, int64_t column, int width, int64_t list,
                             int n_listed, V *buffer)
    {
        if (n_listed == 0) /* there may be no X */
            return;
        const int team = thread() / a.column_lanes, teams = block_threads() / a.column_lanes;
        const int mine = thread() % a.column_lanes * n;
        const V *x = (const V *)a.x + column;
        for (int i = team; i < n_listed; i += SP_GPU_TOGETHER * teams) {
            int32_t c[SP_GPU_TOGETHER] = {};
#pragma unroll
            for (int e = 0; e < SP_GPU_TOGETHER; e++) {
                next_pass();
                if (i + e * teams < n_listed)
                    c[e] = load(a.list + list + i + e * teams);
            }
            for (int k = mine; k < width; k += a.column_lanes * n) {
                P p[SP_GPU_TOGETHER] = {};
#pragma unroll
                for (int e = 0; e < SP_GPU_TOGETHER; e++)
                    if (i + e * teams < n_listed)
                        p[e] = load((const P *)row_behind(x + k, c[e], a.ld_x));
#pragma unroll
                for (int e = 0; e < SP_GPU_TOGETHER; e++)
                    if (i + e * teams < n_listed)
                        put((P *)(buffer + (i + e * teams) * a.tile + k), p[e]);
            }
        }
    }

    /* A slot's places and values. */
    struct slot {
        pack<uint16_t, C> place;
        pack<V, IN_LOAD> val[C / IN_LOAD];
    };
    static SP_GPU slot load_slot(const uint16_t *col, const V *val)
    {
        slot s;
        s.place = load((const pack<uint16_t, C> *)col);
#pragma unroll
        for (int i = 0; i < C / IN_LOAD; i++)
            s.val[i] = load((const pack<V, IN_LOAD> *)(val + i * IN_LOAD));
        return s;
    }
    static SP_GPU void multiply_slot(const struct sp_gpu_arrays &a, const slot &s, const V *buffer, P *sum)
    {
#pragma unroll
        for (int i = 0; i < C; i++) {
            const P p = get((const P *)(buffer + s.place.at[i] * a.tile));
            add_product(sum[i], s.val[i / IN_LOAD].at[i % IN_LOAD], p);
        }
    }

    /* n columns of a chunk, those from `buffer` on: two slots at a time, batched as above, because
     * the teams of a warp have chunks of different lengths. */
    static SP_GPU void multiply(const struct sp_gpu_arrays &a, int64_t at, int slots, const V *buffer, P *sum)
    {
        const V *val = (const V *)a.val + at;
        const uint16_t *col = (const uint16_t *)a.col + at;
#pragma unroll 1
        for (int j = 0; j < slots; j += 2) {
            slot s[2] = {};
#pragma unroll
            for (int k = 0; k < 2; k++)
                if (j + k < slots)
                    s[k] = load_slot(col + (j + k) * C, val + (j + k) * C);
#pragma unroll
            for (int k = 0; k < 2; k++)
                if (j + k < slots)
                    multiply_slot(a, s[k], buffer, sum);
        }
    }

    /* What is not above zero, NaN too, is zero, as in the CPU's kernel. */
    static SP_GPU void end_layer(const struct sp_gpu_arrays &a, P &sum)
    {
#pragma unroll
        for (int e = 0; e < n; e++) {
            const V y = sum.at[e] + (V)a.bias, most = (V)a.most;
            sum.at[e] = y > most ? most : y > 0 ? y : 0;
        }
    }

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const block_share share = share_of_block(a);
        const struct sp_staged_block *b = a.block + share.block;
        V *buffer = shared<V>(a, 0);
        const int64_t list = load(&b[0].list);
        const int64_t list_end = load(&b[1].list);
        const int32_t first_chunk = load(&b[0].chunk);
        const int32_t end_chunk = load(&b[1].chunk);
        const int64_t left = a.r - share.column;
        const int width = (int)(left < a.tile ? left : a.tile);
        stage(a, share.column, width, list, (int)(list_end - list), buffer);
        block_sync();

        const int team = thread() / a.column_lanes, teams = block_threads() / a.column_lanes;
        for (int32_t chunk = first_chunk + team; chunk < end_chunk; chunk += teams) {
            next_pass();
            const int64_t at = load(a.start + chunk);
            const int32_t slots = load(a.len + chunk);
            for (int k = thread() % a.column_lanes * n; k < width; k += a.column_lanes * n) {
                P sum[C] = {};
                multiply(a, at, slots, buffer + k, sum);
#pragma unroll
                for (int i = 0; i < C; i++) {
                    const int64_t row = (int64_t)chunk * C + i;
                    if (a.ends_layer)
                        end_layer(a, sum[i]);
                    if (row < a.n_r)
                        store((P *)((V *)a.y + row * a.ld_y + share.column + k), sum[i]);
                }
            }
        }
    }
};

} // namespace gpu

#endif
