/* What the bodies of GPU kernels are written with. nvcc makes instructions of it, and so does clang
 * for OpenCL devices (kernels/opencl/opencl_words.h); any other C++ compiler makes calls to an
 * executor of the tests, which runs the same bodies on a CPU, thread by thread, and sees every
 * access (tests/gpu/executor.h). Bodies name nothing else of CUDA or OpenCL.
 *
 * Accesses are told apart by their line, so each stands on a line of its own. */
#ifndef SP_KERNELS_CUDA_GPU_BODY_H
#define SP_KERNELS_CUDA_GPU_BODY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace gpu
{

/* n values that are accessed as one, 16 bytes at most, at a multiple of their size. */
template <class V, int n> struct alignas(sizeof(V) * n) pack {
    V at[n];
};

#ifdef __CUDACC__

#define SP_GPU __device__ __forceinline__

SP_GPU int thread()
{
    return (int)threadIdx.x;
}
SP_GPU int64_t block()
{
    return blockIdx.x;
}
SP_GPU int block_threads()
{
    return (int)blockDim.x;
}

/* Loads of what the kernel never writes: through the L1, or past it where asked for once. */
template <size_t size> struct word;
template <> struct word<2> {
    using type = unsigned short;
};
template <> struct word<4> {
    using type = unsigned;
};
template <> struct word<8> {
    using type = uint2;
};
template <> struct word<16> {
    using type = uint4;
};
template <class T> SP_GPU T load(const T *p)
{
    using bits_of_T = typename word<sizeof(T)>::type;
    T value;
    const bits_of_T bits = __ldg((const bits_of_T *)p);
    memcpy(&value, &bits, sizeof value);
    return value;
}
/* The same for one register; the compiler leaves it where it stands, before what takes time. */
SP_GPU int32_t load_here(const int32_t *p)
{
#ifdef __HIP__
    return *(const volatile int32_t *)p;
#else
    int32_t value;
    asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(value) : "l"(p));
    return value;
#endif
}
/* Through both caches; the L2 gives it up before all others, or after them. */
#ifdef __HIP__
template <class T> SP_GPU T load_once(const T *p)
{
    return __builtin_nontemporal_load(p);
}
template <class T> SP_GPU T load_kept(const T *p)
{
    return load(p);
}
#else
template <class T> SP_GPU T load_by(const T *p, uint64_t policy)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "one or two registers");
    T value;
    if constexpr (sizeof(T) == 8) {
        uint64_t bits;
        asm("ld.global.nc.L2::cache_hint.u64 %0, [%1], %2;" : "=l"(bits) : "l"(p), "l"(policy));
        memcpy(&value, &bits, sizeof value);
    } else {
        uint32_t bits;
        asm("ld.global.nc.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(bits) : "l"(p), "l"(policy));
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}
template <class T> SP_GPU T load_once(const T *p)
{
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return load_by(p, policy);
}
template <class T> SP_GPU T load_kept(const T *p)
{
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return load_by(p, policy);
}
#endif
/* Loads what this thread stored. */
template <class T> SP_GPU T reload(const T *p)
{
    return *p;
}
template <class T> SP_GPU T stream(const T *p)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "one, two or four registers");
    T value;
#ifdef __HIP__
    uint32_t bits[sizeof(T) / sizeof(uint32_t)];
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        bits[i] = __builtin_nontemporal_load((const uint32_t *)p + i);
    memcpy(&value, bits, sizeof value);
#else
    if constexpr (sizeof(T) == 16) {
        uint64_t bits[2];
        asm("ld.global.nc.L1::no_allocate.v2.u64 {%0, %1}, [%2];" : "=l"(bits[0]), "=l"(bits[1]) : "l"(p));
        memcpy(&value, bits, sizeof value);
    } else if constexpr (sizeof(T) == 8) {
        uint64_t bits;
        asm("ld.global.nc.L1::no_allocate.u64 %0, [%1];" : "=l"(bits) : "l"(p));
        memcpy(&value, &bits, sizeof value);
    } else {
        uint32_t bits;
        asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(bits) : "l"(p));
        memcpy(&value, &bits, sizeof value);
    }
#endif
    return value;
}
template <class T> SP_GPU void store(T *p, T value)
{
    *p = value;
}
template <class T> SP_GPU void add(T *p, T value)
{
    atomicAdd(p, value);
}

/* The dynamic shared memory of the block, from byte `offset`. */
template <class T> SP_GPU T *shared(size_t offset)
{
    extern __shared__ __align__(16) unsigned char memory[];
    return (T *)(memory + offset);
}
template <class T> SP_GPU T get(const T *p)
{
    return *p;
}
template <class T> SP_GPU void put(T *p, T value)
{
    *p = value;
}

/* All threads of the block, of the warp, come here before any goes on. */
SP_GPU void block_sync()
{
    __syncthreads();
}
SP_GPU void warp_sync()
{
    __syncwarp();
}

/* The value of the lane `by` further down or up in groups of `width` lanes of a whole warp. */
template <class T> SP_GPU T from_above(T value, int by, int width)
{
    return __shfl_down_sync(0xffffffffu, value, (unsigned)by, width);
}
template <class T> SP_GPU T from_below(T value, int by, int width)
{
    return __shfl_up_sync(0xffffffffu, value, (unsigned)by, width);
}
/* The value of the lane whose number differs in the bits `by`, of lane `which`. */
template <class T> SP_GPU T from_across(T value, int by)
{
    return __shfl_xor_sync(0xffffffffu, value, by);
}
template <class T> SP_GPU T from_lane(T value, int which)
{
    return __shfl_sync(0xffffffffu, value, which);
}

/* Passes of a loop that all threads of a warp make although only some access something. */
SP_GPU void next_pass()
{
}

#elif defined(__OPENCL_CPP_VERSION__)

} // namespace gpu
#include "kernels/opencl/opencl_words.h"
namespace gpu
{

#else

#define SP_GPU inline

/* COPY: what an asynchronous copy into shared memory reads. */
enum access {
    ACCESS_LOAD,
    ACCESS_RELOAD,
    ACCESS_STREAM,
    ACCESS_COPY,
    ACCESS_STORE,
    ACCESS_ADD,
    ACCESS_GET,
    ACCESS_PUT
};

/* The executor's. `touch` does not return where an access is wrong. */
int thread();
int64_t block();
int block_threads();
void touch(const void *p, size_t size, enum access kind, int site);
unsigned char *shared_memory();
void block_sync(int site = __builtin_LINE());
void warp_sync(int site = __builtin_LINE());
uint64_t exchange(uint64_t value, int from_lane, int site);
int lane();
void next_pass();

template <class T> T load(const T *p, int site = __builtin_LINE())
{
    touch(p, sizeof *p, ACCESS_LOAD, site);
    return *p;
}
template <class T> T load_once(const T *p, int site = __builtin_LINE())
{
    return load(p, site);
}
template <class T> T load_kept(const T *p, int site = __builtin_LINE())
{
    return load(p, site);
}
inline int32_t load_here(const int32_t *p, int site = __builtin_LINE())
{
    touch(p, sizeof *p, ACCESS_LOAD, site);
    return *p;
}
template <class T> T reload(const T *p, int site = __builtin_LINE())
{
    touch(p, sizeof *p, ACCESS_RELOAD, site);
    return *p;
}
template <class T> T stream(const T *p, int site = __builtin_LINE())
{
    touch(p, sizeof *p, ACCESS_STREAM, site);
    return *p;
}
template <class T> void store(T *p, T value, int site = __builtin_LINE())
{
    touch(p, sizeof *p, ACCESS_STORE, site);
    *p = value;
}
template <class T> void add(T *p, T value, int site = __builtin_LINE())
{
    touch(p, sizeof *p, ACCESS_ADD, site);
    *p += value;
}
template <class T> T *shared(size_t offset)
{
    return (T *)(shared_memory() + offset);
}
template <class T> T get(const T *p, int site = __builtin_LINE())
{
    touch(p, sizeof *p, ACCESS_GET, site);
    return *p;
}
template <class T> void put(T *p, T value, int site = __builtin_LINE())
{
    touch(p, sizeof *p, ACCESS_PUT, site);
    *p = value;
}

/* Through 64 bits, as registers are exchanged. */
template <class T> T exchanged(T value, int from_lane, int site)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "a register pair at most");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = exchange(bits, from_lane, site);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T> T from_above(T value, int by, int width, int site = __builtin_LINE())
{
    int l = lane();
    return exchanged(value, l % width + by < width ? l + by : l, site);
}
template <class T> T from_below(T value, int by, int width, int site = __builtin_LINE())
{
    int l = lane();
    return exchanged(value, l % width - by >= 0 ? l - by : l, site);
}
template <class T> T from_across(T value, int by, int site = __builtin_LINE())
{
    return exchanged(value, lane() ^ by, site);
}
template <class T> T from_lane(T value, int which, int site = __builtin_LINE())
{
    return exchanged(value, which, site);
}

#endif

/* For words that are made of words: SP_GPU_SITE is the line of the access, which SP_GPU_AT hands
 * on. */
#if defined(__CUDACC__) || defined(__OPENCL_CPP_VERSION__)
#define SP_GPU_SITE              0
#define SP_GPU_AT(word, p, site) ((void)(site), word(p))
#else
#define SP_GPU_SITE              __builtin_LINE()
#define SP_GPU_AT(word, p, site) word(p, site)
#endif

#ifndef __OPENCL_CPP_VERSION__
/* The same for bodies that run under OpenCL, too, which has that memory in the arguments. */
template <class T, class Args> SP_GPU T *shared(const Args &, size_t offset)
{
    return shared<T>(offset);
}
#endif

/* An item of a pointer array whose items have 4 or 8 bytes: the same for all threads. */
SP_GPU int64_t pointer(const void *ptr, int wide, int64_t i)
{
    return wide ? load((const int64_t *)ptr + i) : load((const int32_t *)ptr + i);
}

/* Row c behind x, whose rows are ld numbers apart, less than 4 GiB: one instruction. */
template <class V, class I> SP_GPU const V *row_behind(const V *x, I c, int64_t ld)
{
    if constexpr (sizeof(I) == sizeof(uint32_t))
        return (const V *)((const char *)x + (uint64_t)(uint32_t)c * (uint32_t)(ld * (int64_t)sizeof(V)));
    return x + (int64_t)c * ld;
}

SP_GPU int64_t grid_thread()
{
    return block() * block_threads() + thread();
}

} // namespace gpu

#endif
