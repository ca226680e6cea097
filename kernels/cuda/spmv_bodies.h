/* SpMV on a GPU: bodies of one thread, in the ways of sharing of sparse/launch/gpu_launch.h, whose
 * order of requests they keep. V is the type of values, I that of indices. */
#ifndef SP_KERNELS_CUDA_SPMV_BODIES_H
#define SP_KERNELS_CUDA_SPMV_BODIES_H

#include "kernels/cuda/gpu_arrays.h"
#include "kernels/cuda/gpu_body.h"
#include "kernels/cuda/gpu_complex.h"

namespace gpu
{

/* How matrix and x are loaded: as any other data, or so that the L2 keeps x. */
struct loads_alike {
    template <class T> static SP_GPU T of_matrix(const T *p, int site = SP_GPU_SITE)
    {
        return SP_GPU_AT(load, p, site);
    }
    template <class T> static SP_GPU T of_x(const T *p, int site = SP_GPU_SITE)
    {
        return SP_GPU_AT(load, p, site);
    }
};
struct loads_keeping_x {
    template <class T> static SP_GPU T of_matrix(const T *p, int site = SP_GPU_SITE)
    {
        return SP_GPU_AT(load_once, p, site);
    }
    template <class T> static SP_GPU T of_x(const T *p, int site = SP_GPU_SITE)
    {
        return SP_GPU_AT(load_kept, p, site);
    }
};

/* The sum of a thread's entries: `stride` apart, the first at col and val, `left` up to the end of
 * the row. Entries are taken `batch` at a time, so that their loads are on the way together; those
 * behind the end are left out one by one, which keeps entry k of all rows of a warp in one request.
 * (A loop that the compiler unrolls begins with what the batches leave over: lanes whose rows
 * differ in length would then ask for different entries together.) */
template <class Loads, int stride, class V, class I>
SP_GPU V sum_of_entries(const I *col, const V *val, const V *x, int64_t left)
{
    constexpr int batch = SP_GPU_TOGETHER;
    V sum = 0;
#pragma unroll 1
    for (; left > 0; left -= batch * stride) {
        I c[batch] = {};
        V v[batch] = {};
#pragma unroll
        for (int k = 0; k < batch; k++)
            if (k * stride < left) {
                c[k] = Loads::of_matrix(col + k * stride);
                v[k] = Loads::of_matrix(val + k * stride);
            }
#pragma unroll
        for (int k = 0; k < batch; k++)
            if (k * stride < left)
                sum += v[k] * Loads::of_x(x + c[k]);
        col += batch * stride;
        val += batch * stride;
    }
    return sum;
}

/* `lanes` threads have a row, 1 for a row to each thread; most: entries of a row that is not left
 * out. */
template <class V, class I, int lanes, class Loads = loads_alike> struct crs_rows {
    static SP_GPU void run_from(const struct sp_gpu_arrays &a, int64_t first_thread, int64_t most)
    {
        const int64_t row = first_thread / lanes;
        const int mine = thread() % lanes;
        int64_t begin = 0, end = 0;
        bool has_row = row < a.n_r;
        if (has_row) {
            begin = pointer(a.ptr, a.wide_ptr, row);
            end = pointer(a.ptr, a.wide_ptr, row + 1);
        }
        if (end - begin > most) {
            has_row = false;
            end = begin;
        }
        V sum = sum_of_entries<Loads, lanes, V, I>((const I *)a.col + begin + mine,
                                                   (const V *)a.val + begin + mine, (const V *)a.x,
                                                   end - begin - mine);
        for (int by = lanes / 2; by > 0; by /= 2)
            sum += from_above(sum, by, lanes);
        if (mine == 0 && has_row)
            store((V *)a.y + row, sum);
    }

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        run_from(a, grid_thread(), INT64_MAX);
    }
};

/* Blocks that have a long row each, then as crs_rows. */
template <class V, class I, int lanes> struct crs_bins {
    static constexpr int threads = SP_GPU_BINS_THREADS, warps = threads / SP_WARP;

    static SP_GPU void sum_long(const struct sp_gpu_arrays &a)
    {
        const int t = thread();
        V *sums = shared<V>(a, 0);
        const int64_t row = load(a.start + block());
        const int64_t begin = pointer(a.ptr, a.wide_ptr, row);
        const int64_t end = pointer(a.ptr, a.wide_ptr, row + 1);
        V sum = sum_of_entries<loads_alike, threads, V, I>(
            (const I *)a.col + begin + t, (const V *)a.val + begin + t, (const V *)a.x, end - begin - t);
        for (int by = SP_WARP / 2; by > 0; by /= 2)
            sum += from_above(sum, by, SP_WARP);
        if (t % SP_WARP == 0)
            put(sums + t / SP_WARP, sum);
        block_sync();
        if (t > 0)
            return;
        for (int w = 1; w < warps; w++)
            sum += get(sums + w);
        store((V *)a.y + row, sum);
    }

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        if (block() < a.n_long)
            sum_long(a);
        else
            crs_rows<V, I, lanes>::run_from(a, grid_thread() - a.n_long * block_threads(), a.items);
    }
};

/* Batched as crs_rows; all lanes of a warp have as many slots. */
template <class V, class I> struct sell_chunk {
    static constexpr int batch = SP_GPU_TOGETHER;

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const int64_t t = grid_thread();
        if (t >= a.n_chunks * a.C)
            return;
        const int64_t chunk = t / a.C;
        const int64_t first = pointer(a.ptr, a.wide_ptr, chunk) + t % a.C;
        const I *col = (const I *)a.col + first;
        const V *val = (const V *)a.val + first, *x = (const V *)a.x;
        const int32_t slots = load(a.len + chunk);
        V sum = 0;
#pragma unroll 1
        for (int32_t left = slots; left > 0; left -= batch) {
            I c[batch] = {};
            V v[batch] = {};
#pragma unroll
            for (int k = 0; k < batch; k++)
                if (k < left) {
                    c[k] = stream(col);
                    v[k] = stream(val);
                    col += a.C;
                    val += a.C;
                }
#pragma unroll
            for (int k = 0; k < batch; k++)
                if (k < left)
                    sum += v[k] * load(x + c[k]);
        }
        const int64_t row = a.perm ? load(a.perm + t) : t;
        if (row >= 0 && row < a.n_r)
            store((V *)a.y + row, sum);
    }
};

/* Sums up what neighbouring threads of a block hold for the same row. Rows do not descend with the
 * thread. *sum becomes the sum over the threads up to this one that have its row; rows[] and sums[]
 * hold those of all threads afterwards. */
template <class R, class V> SP_GPU void sum_by_row(R row, V *sum, R *rows, V *sums)
{
    const int t = thread(), l = t % SP_WARP;
    for (int by = 1; by < SP_WARP; by *= 2) {
        const R other = from_below(row, by, SP_WARP);
        const V more = from_below(*sum, by, SP_WARP);
        if (l >= by && other == row)
            *sum += more;
    }
    put(rows + t, row);
    put(sums + t, *sum);
    block_sync();
    V before = 0;
    for (int last = t - l - 1; last > 0; last -= SP_WARP) {
        if (get(rows + last) != row)
            break;
        before += get(sums + last);
    }
    block_sync();
    *sum += before;
    put(sums + t, *sum);
    block_sync();
}

template <class V, class I> struct crs_merge {
    static constexpr int batch = SP_GPU_TOGETHER, threads = SP_GPU_MERGE_THREADS;

    /* Rows among the block's whose end comes before item `item` of it: ends[i] is the entry,
     * counted from the block's first, with which row i ends, so that its end is item ends[i] +
     * i. */
    static SP_GPU int32_t rows_before(const int32_t *ends, int32_t n_rows, int32_t item)
    {
        int32_t lo = 0, hi = item < n_rows ? item : n_rows;
        while (lo < hi) {
            const int32_t middle = lo + (hi - lo) / 2;
            const int32_t end = get(ends + middle);
            if (end + middle < item)
                lo = middle + 1;
            else
                hi = middle;
        }
        return lo;
    }

    /* The products of the entries [first, end), from the last multiple of 32 before them. Loads are
     * batched as in crs_rows: threads of the last warp have an entry more than others. */
    static SP_GPU void multiply(const struct sp_gpu_arrays &a, int64_t first, int64_t end, V *product)
    {
        const uint32_t n = (uint32_t)(end - first);
        const int32_t begin = (int32_t)(first / SP_WARP * SP_WARP - first) + thread();
        const I *col = (const I *)a.col + first + begin;
        const V *val = (const V *)a.val + first + begin, *x = (const V *)a.x;
#pragma unroll 1
        for (int32_t j = begin; j < (int32_t)n; j += batch * threads) {
            I c[batch] = {};
            V v[batch] = {};
#pragma unroll
            for (int k = 0; k < batch; k++) {
                next_pass();
                if ((uint32_t)(j + k * threads) < n) {
                    c[k] = stream(col + k * threads);
                    v[k] = stream(val + k * threads);
                }
            }
#pragma unroll
            for (int k = 0; k < batch; k++) {
                next_pass();
                if ((uint32_t)(j + k * threads) < n) {
                    const V product_j = v[k] * load(x + c[k]);
                    put(product + j + k * threads, product_j);
                }
            }
            col += batch * threads;
            val += batch * threads;
        }
    }

    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const int t = thread();
        const int32_t items = threads * a.items;
        V *product = shared<V>(a, 0);
        V *sums = product + items + 1;
        int32_t *ends = (int32_t *)(sums + threads);
        int32_t *rows = ends + items + 1;

        const int64_t first_row = load(a.start + block());
        const int64_t last_row = load(a.start + block() + 1);
        const int64_t all = a.n_r + a.n_nz, from = block() * items;
        const int32_t mine = (int32_t)(all - from < items ? all - from : items); /* items of the block */
        const int64_t first = from - first_row;
        const int32_t n_rows = (int32_t)(last_row - first_row), n_entries = mine - n_rows;

        for (int32_t i = t; i < n_rows; i += threads) {
            const int64_t end = pointer(a.ptr, a.wide_ptr, first_row + i + 1);
            put(ends + i, (int32_t)(end - first));
        }
        multiply(a, first, first + n_entries, product);
        block_sync();

        const int32_t my_from = t * a.items < mine ? t * a.items : mine;
        const int32_t my_to = my_from + a.items < mine ? my_from + a.items : mine;
        int32_t row = rows_before(ends, n_rows, my_from);
        int32_t entry = my_from - row;
        int32_t first_end = -1; /* the first row that ends here: others may have begun it */
        V sum = 0, first_sum = 0;
        for (int32_t i = 0; i < a.items; i++) {
            next_pass();
            if (my_from + i >= my_to)
                continue;
            const bool is_end = row < n_rows && get(ends + row) <= entry;
            if (!is_end) {
                sum += get(product + entry);
                entry++;
                continue;
            }
            if (first_end < 0) {
                first_end = row;
                first_sum = sum;
            } else {
                store((V *)a.y + first_row + row, sum);
            }
            sum = 0;
            row++;
        }
        sum_by_row<int32_t, V>(row, &sum, rows, sums);
        next_pass();
        if (first_end >= 0) {
            const V carried = t > 0 ? get(sums + t - 1) : V(0);
            store((V *)a.y + first_row + first_end, first_sum + carried);
        }
        if (t == threads - 1) {
            store(a.carry_row + block(), first_row + row);
            store((V *)a.carry_val + block(), sum);
        }
    }
};

/* Adds what the blocks of crs_merge left for rows that they did not end. */
template <class V> struct merge_carries {
    static SP_GPU void run(const struct sp_gpu_arrays &a)
    {
        const int t = thread(), threads = block_threads();
        const int64_t b = grid_thread();
        int64_t *rows = shared<int64_t>(a, 0);
        V *sums = (V *)(rows + threads);
        int64_t row = a.n_r;
        V sum = 0;
        if (b < a.n_shares) {
            row = load(a.carry_row + b);
            sum = load((const V *)a.carry_val + b);
        }
        sum_by_row<int64_t, V>(row, &sum, rows, sums);
        const bool is_last = t == threads - 1 || get(rows + t + 1) != row;
        if (is_last && row < a.n_r)
            add((V *)a.y + row, sum);
    }
};

} // namespace gpu

#endif
