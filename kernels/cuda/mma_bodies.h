/* SpMM in BCSR on matrix units: the body of one thread, in the way of sharing MMA of
 * sparse/launch/gpu_launch.h. All blocks of a block row lie side by side, as one matrix of b_h rows
 * and as many columns as are stored; the threads of a block walk it in stages, each of which they
 * bring into shared memory together with the rows of X that belong to it, and every warp multiplies
 * the stage with its 16 columns of X. Stages to come are on their way meanwhile. */
#ifndef SP_KERNELS_CUDA_MMA_BODIES_H
#define SP_KERNELS_CUDA_MMA_BODIES_H

#include "kernels/cuda/gpu_arrays.h"
#include "kernels/cuda/mma_units.h"

namespace gpu
{

/* The part of a block row that a block of threads has, in the tile of the width at hand. */
struct mma_strip {
    int64_t first, n_stored; /* blocks of the block row */
    int64_t part;            /* first row of the part in these blocks */
    int64_t row, column;     /* of the result */
    uint32_t n_k;            /* columns to be walked */
    int x_first, x_part;     /* of this thread: the first row of X in a stage, columns of the tile before its
                                part of it */
};

/* Where column k of the walk is: a row of X, and a stored column; -1: zeros. The first threads of a
 * block find those of a stage, one each, while the stage before it is multiplied, and leave them in
 * shared memory. */
struct alignas(16) mma_place {
    int64_t x_row, stored;
};
static_assert(sizeof(mma_place) == SP_GPU_MMA_PLACE_B, "what launches reckon with");

/* The same on its way: the index of the block is being loaded. */
struct mma_search {
    int32_t block_column, j; /* j: the column in the block; -1: behind the last one */
    int64_t stored;
};

/* U: a unit of mma_units.h. row_units: rows of the part by 8. switches: SP_GPU_MMA_*. whole: rows
 * of X begin at multiples of 16 bytes. */
template <class U, int row_units, unsigned switches, bool whole> struct bcsr_mma {
    typedef typename U::value V;
    enum {
        ROWS = 8 * row_units,
        WARP_COLUMNS = 16,
        LEFTS = WARP_COLUMNS / U::M,
        K = SP_GPU_MMA_STAGE_B / (int)sizeof(V), /* columns of a stage */
        IN_COPY = COPY_B / (int)sizeof(V),
        PAD = sizeof(V) == 8 ? 4 : 8, /* lanes of a warp then fall into different banks */
        LD_S = ROWS | PAD,
        TOGETHER = whole ? 2 : 4 /* parts of X that a thread brings at once, K rows in a multiple of it */
    };
    typedef typename U::sums sums[row_units][LEFTS];

    static SP_GPU int tile()
    {
        return block_threads() / SP_WARP * WARP_COLUMNS;
    }
    static SP_GPU int ld_x()
    {
        return tile() | PAD;
    }
    static SP_GPU V *stage_of(uint32_t i)
    {
        constexpr int n = switches & SP_GPU_MMA_ASYNC ? SP_GPU_MMA_STAGES : 1;
        return shared<V>(0) + (int)(i % n) * K * (ld_x() + LD_S);
    }

    /* There are fewer than 2^31 columns: the lower half of a wide index is all of it, and a load
     * that no sign is to be added to need not be waited for at once. */
    static SP_GPU int32_t column_of(const struct sp_gpu_arrays &a, int64_t stored)
    {
        return load_here((const int32_t *)a.col + (stored << a.wide_col));
    }

    /* The stored block in block column J, or -1: in as many steps for every J. */
    static SP_GPU int64_t find(const struct sp_gpu_arrays &a, const mma_strip &s, int64_t J)
    {
        int64_t at = s.first, n = s.n_stored;
        while (n > 1) {
            const int64_t half = n / 2;
            at += column_of(a, at + half) <= J ? half : 0;
            n -= half;
        }
        return n > 0 && column_of(a, at) == J ? at : -1;
    }

    static SP_GPU mma_search search(const struct sp_gpu_arrays &a, const mma_strip &s, uint32_t k)
    {
        if (k >= s.n_k)
            return {0, -1, 0};
        const uint32_t b_w = (uint32_t)a.b_w, walked = k / b_w, j = k % b_w;
        if constexpr (switches & SP_GPU_MMA_SKIP)
            return {column_of(a, s.first + walked), (int32_t)j, s.first + walked};
        return {(int32_t)walked, (int32_t)j, find(a, s, walked)};
    }

    /* Leaves the place of this thread's column of stage i. */
    static SP_GPU void keep_place(const struct sp_gpu_arrays &a, const mma_search &found, uint32_t i)
    {
        const int64_t x_row = (int64_t)found.block_column * a.b_w + found.j;
        mma_place p = {-1, -1};
        if (found.j >= 0 && x_row < a.n_c)
            p = {x_row, found.stored < 0 ? -1 : found.stored * a.b_w + found.j};
        put(places_of(i) + thread(), p);
    }

    static SP_GPU mma_place *places_of(uint32_t i)
    {
        constexpr int n = switches & SP_GPU_MMA_ASYNC ? SP_GPU_MMA_STAGES : 1;
        mma_place *first = shared<mma_place>((size_t)n * K * (ld_x() + LD_S) * sizeof(V));
        return first + i % SP_GPU_MMA_STAGES * K;
    }

    static SP_GPU void copy(V *to, const V *from, bool there)
    {
        if constexpr (switches & SP_GPU_MMA_ASYNC)
            copy_async(to, from, there);
        else
            copy_now(to, from, there);
    }

    /* Rows of X, part of a row after part: a thread has the same part of every row that it
     * brings. */
    static SP_GPU void bring_x(const struct sp_gpu_arrays &a, const mma_strip &s, const mma_place *places,
                               V *to)
    {
        constexpr int in_part = whole ? IN_COPY : 1;
        constexpr int rows = SP_WARP / WARP_COLUMNS * in_part; /* that all threads have at a time */
        const bool in_row = s.column + s.x_part < a.r;
        const V *x = (const V *)a.x + s.column + s.x_part;
        to += s.x_part;
#pragma unroll
        for (int k0 = 0; k0 < K; k0 += rows * TOGETHER) {
            V v[TOGETHER] = {};
#pragma unroll
            for (int e = 0; e < TOGETHER; e++) {
                const int k = k0 + e * rows + s.x_first;
                const int64_t x_row = get(&places[k].x_row);
                const bool there = in_row && x_row >= 0;
                const V *from = there ? row_behind(x, (uint32_t)x_row, a.ld_x) : (const V *)a.x;
                if constexpr (whole)
                    copy(to + k * ld_x(), from, there);
                else if (there)
                    v[e] = load(from);
                next_pass();
            }
            if constexpr (!whole)
#pragma unroll
                for (int e = 0; e < TOGETHER; e++)
                    put(to + (k0 + e * rows + s.x_first) * ld_x(), v[e]);
        }
    }

    static SP_GPU void bring_blocks(const struct sp_gpu_arrays &a, const mma_strip &s,
                                    const mma_place *places, V *to)
    {
        constexpr int n_parts = ROWS / IN_COPY;
        const V *val = (const V *)a.val + s.part;
        for (int i = thread(); i < K * n_parts; i += block_threads()) {
            const int k = i / n_parts, row = i % n_parts * IN_COPY;
            const int64_t stored = get(&places[k].stored);
            const V *from = val + (stored < 0 ? 0 : stored * a.b_h + row);
            copy(to + k * LD_S + row, from, stored >= 0);
            next_pass();
        }
    }

    static SP_GPU void bring(const struct sp_gpu_arrays &a, const mma_strip &s, uint32_t i)
    {
        if (i * K < s.n_k) {
            bring_x(a, s, places_of(i), stage_of(i));
            bring_blocks(a, s, places_of(i), stage_of(i) + K * ld_x());
        }
        if constexpr (switches & SP_GPU_MMA_ASYNC)
            copies_end();
    }

    static SP_GPU void multiply(const V *stage, sums &d)
    {
        const V *x = stage + thread() / SP_WARP * WARP_COLUMNS, *s = stage + K * ld_x();
#pragma unroll
        for (int k = 0; k < K; k += U::K) {
            typename U::left left[LEFTS];
#pragma unroll
            for (int l = 0; l < LEFTS; l++)
                left[l] = U::left_of(x + k * ld_x() + l * U::M, ld_x());
#pragma unroll
            for (int n = 0; n < row_units; n++) {
                const typename U::right right = U::right_of(s + k * LD_S + 8 * n, LD_S);
#pragma unroll
                for (int l = 0; l < LEFTS; l++)
                    U::multiply(d[n][l], left[l], right);
            }
        }
    }

    /* All stages of a strip, a barrier between the last look at one and what is brought there. */
    static SP_GPU void walk(const struct sp_gpu_arrays &a, const mma_strip &s, sums &d)
    {
        constexpr uint32_t ahead = switches & SP_GPU_MMA_ASYNC ? SP_GPU_MMA_STAGES - 1 : 0;
        const uint32_t t = (uint32_t)thread();
        mma_search found = {0, -1, 0};
        block_sync();
        if (t < K) {
            for (uint32_t i = 0; i <= ahead; i++)
                keep_place(a, search(a, s, i * K + t), i);
            found = search(a, s, (ahead + 1) * K + t);
        }
        block_sync();
        if constexpr (ahead > 0)
            for (uint32_t i = 0; i < ahead; i++)
                bring(a, s, i);
        for (uint32_t i = 0; i * K < s.n_k; i++) {
            if constexpr (ahead > 0) {
                copies_wait<(int)ahead - 1>();
                block_sync();
            }
            bring(a, s, i + ahead);
            if (t < K) { /* asked for a stage ago */
                keep_place(a, found, i + ahead + 1);
                found = search(a, s, (i + ahead + 2) * K + t);
            }
            if constexpr (ahead == 0)
                block_sync();
            multiply(stage_of(i), d);
            if constexpr (ahead == 0)
                block_sync();
        }
    }

    static SP_GPU void keep(const struct sp_gpu_arrays &a, const mma_strip &s, const sums &d)
    {
        const int lane = lane_of_warp();
        const int64_t column = s.column + thread() / SP_WARP * WARP_COLUMNS;
#pragma unroll
        for (int n = 0; n < row_units; n++)
#pragma unroll
            for (int l = 0; l < LEFTS; l++)
#pragma unroll
                for (int e = 0; e < (int)(sizeof d[0][0] / sizeof d[0][0][0]); e++) {
                    const int64_t i = s.row + 8 * n + mma_column(lane, e);
                    const int64_t c = column + l * U::M + mma_row(lane, e);
                    if (i < a.n_r && c < a.r)
                        store((V *)a.y + i * a.ld_y + c, U::stored(d[n][l][e]));
                    next_pass();
                }
    }

    static SP_GPU mma_strip strip_of(const struct sp_gpu_arrays &a, int64_t which)
    {
        const int64_t parts = a.b_h / ROWS, block_row = which / parts, part = which % parts * ROWS;
        const int64_t first = pointer(a.ptr, a.wide_ptr, block_row);
        const int64_t end = pointer(a.ptr, a.wide_ptr, block_row + 1);
        const int64_t walked = switches & SP_GPU_MMA_SKIP ? end - first : (a.n_c + a.b_w - 1) / a.b_w;
        constexpr int in_part = whole ? IN_COPY : 1;
        const int n_parts = tile() / in_part;
        return {first,
                end - first,
                part,
                block_row * a.b_h + part,
                0,
                (uint32_t)(walked * a.b_w),
                thread() / n_parts,
                thread() % n_parts * in_part};
    }

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        constexpr bool one_tile = switches & SP_GPU_MMA_TILES;
        const int64_t in_turn = one_tile ? a.n_tiles : 1;
        mma_strip s = strip_of(a, block() / in_turn);
        int64_t first = one_tile ? block() % in_turn : 0;
        const int64_t end = one_tile ? first + 1 : a.n_tiles;
        for (; first < end; first++) {
            sums d = {};
            s.column = first * tile();
            walk(a, s, d);
            keep(a, s, d);
        }
    }
};

} // namespace gpu

#endif
