/* Ceilings of a GPU: bodies of one thread, over arrays of zeros; LATENCY follows a chain of
 * indices, SECTORS is for counters. LOAD goes over its array with blocks in another order in each
 * pass, so that what comes again comes from the L2 and not from the L1 of the same core. */
#ifndef SP_KERNELS_CUDA_CEILING_BODIES_H
#define SP_KERNELS_CUDA_CEILING_BODIES_H

#include "kernels/cuda/ceiling_args.h"
#include "kernels/cuda/gpu_body.h"

namespace gpu
{

/* A value that no sum of zeros is, and no sum of the chains of FMA. */
constexpr double NEVER = 0.3125;

/* So many loads of a thread are on the way together: whole tiles without a test, then the rest. */
constexpr int IN_FLIGHT = 8;

struct ceiling_load {
    static SP_GPU void run(const struct sp_gpu_ceiling_args &a)
    {
        const int64_t threads = a.n_blocks * block_threads();
        double sum = 0;
        for (int64_t pass = 0; pass < a.repetitions; pass++) {
            int64_t i = (block() + 17 * pass) % a.n_blocks * block_threads() + thread();
#pragma unroll 1
            for (; i + (IN_FLIGHT - 1) * threads < a.n; i += IN_FLIGHT * threads) {
                double v[IN_FLIGHT];
#pragma unroll
                for (int k = 0; k < IN_FLIGHT; k++)
                    v[k] = stream(a.a + i + k * threads);
#pragma unroll
                for (int k = 0; k < IN_FLIGHT; k++)
                    sum += v[k];
            }
#pragma unroll 1
            for (; i < a.n; i += threads)
                sum += stream(a.a + i);
        }
        if (sum == NEVER)
            store(a.c, sum);
    }
};

/* Element i of c out of elements i of what is read, half as many of a thread together as LOAD has.
 * Stream: reads and makes one element. */
template <class Stream> struct ceiling_stores {
    static constexpr int batch = IN_FLIGHT / 2;

    static SP_GPU void run(const struct sp_gpu_ceiling_args &a)
    {
        const int64_t threads = a.n_blocks * block_threads();
        for (int64_t pass = 0; pass < a.repetitions; pass++) {
            int64_t i = block() * block_threads() + thread();
#pragma unroll 1
            for (; i + (batch - 1) * threads < a.n; i += batch * threads) {
                Stream element[batch];
#pragma unroll
                for (int k = 0; k < batch; k++)
                    element[k].read(a, i + k * threads);
#pragma unroll
                for (int k = 0; k < batch; k++)
                    store(a.c + i + k * threads, element[k].value());
            }
#pragma unroll 1
            for (; i < a.n; i += threads) {
                Stream element;
                element.read(a, i);
                store(a.c + i, element.value());
            }
        }
    }
};

struct copy_stream {
    double v;

    SP_GPU void read(const struct sp_gpu_ceiling_args &a, int64_t i)
    {
        v = stream(a.a + i);
    }
    SP_GPU double value() const
    {
        return v;
    }
};
struct triad_stream {
    double first, second;

    SP_GPU void read(const struct sp_gpu_ceiling_args &a, int64_t i)
    {
        first = stream(a.a + i);
        second = stream(a.b + i);
    }
    SP_GPU double value() const
    {
        return first + 3 * second;
    }
};
typedef ceiling_stores<copy_stream> ceiling_copy;
typedef ceiling_stores<triad_stream> ceiling_triad;

template <class V> struct ceiling_fma {
    static SP_GPU void run(const struct sp_gpu_ceiling_args &a)
    {
        V chain[SP_GPU_CHAINS];
        const V factor = (V)(1 - 1e-3), term = (V)1e-3;
        for (int k = 0; k < SP_GPU_CHAINS; k++)
            chain[k] = (V)(thread() + k);
        for (int64_t i = 0; i < a.repetitions; i++)
#pragma unroll
            for (int k = 0; k < SP_GPU_CHAINS; k++)
                chain[k] = chain[k] * factor + term;
        V sum = 0;
        for (int k = 0; k < SP_GPU_CHAINS; k++)
            sum += chain[k];
        if (sum == (V)NEVER)
            store(a.c, (double)sum);
    }
};

struct ceiling_nothing {
    static SP_GPU void run(const struct sp_gpu_ceiling_args &)
    {
    }
};

/* Every word of what is loaded is used, so that nothing narrower is. */
template <int n> struct ceiling_sectors {
    static SP_GPU void run(const struct sp_gpu_ceiling_args &a)
    {
        using words = pack<float, n>;
        constexpr int sector = 32 / (int)sizeof(words);
        const int64_t row = a.row_B / (int)sizeof(words);
        const words *at = (const words *)a.a + thread() / a.together * sector + thread() % sector;
        float sum = 0;
        for (int64_t i = 0; i < a.repetitions; i++) {
            const words v = load(at + i * row);
            for (int k = 0; k < n; k++)
                sum += v.at[k];
        }
        if (sum == (float)NEVER)
            store(a.c, (double)sum);
    }
};

/* next[i] is the index of the element to load then. */
struct ceiling_chase {
    static SP_GPU void run(const struct sp_gpu_ceiling_args &a)
    {
        const int64_t *next = (const int64_t *)a.a;
        int64_t at = 0;
        for (int64_t i = 0; i < a.repetitions; i++)
            at = stream(next + at);
        if (at < 0)
            store(a.c, (double)at);
    }
};

} // namespace gpu

#endif
