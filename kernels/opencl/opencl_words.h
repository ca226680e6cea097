/* The words of kernels/cuda/gpu_body.h in C++ for OpenCL, which compiles the bodies for an OpenCL
 * device. Pointers are generic. Words that take a place in the source, for the tests' executor,
 * take it here and do nothing with it. A device without sub-groups runs the bodies that exchange
 * nothing between lanes (opencl_kernels.inc). */
#ifndef SP_KERNELS_OPENCL_OPENCL_WORDS_H
#define SP_KERNELS_OPENCL_OPENCL_WORDS_H

#define SP_GPU inline __attribute__((always_inline))

namespace gpu
{

SP_GPU int thread()
{
    return (int)get_local_id(0);
}
SP_GPU int64_t block()
{
    return (int64_t)get_group_id(0);
}
SP_GPU int block_threads()
{
    return (int)get_local_size(0);
}

/* What a pointer of the bodies points to has a generic address; its value has none. */
template <class T> struct value_of {
    using type = T;
};
template <class T> struct value_of<__generic T> {
    using type = T;
};
template <class T> struct value_of<const __generic T> {
    using type = T;
};
template <class T> using value = typename value_of<T>::type;

template <class T> SP_GPU value<T> load(T *p)
{
    return *p;
}
template <class T> SP_GPU value<T> load_here(T *p)
{
    return *p;
}
template <class T> SP_GPU value<T> reload(T *p)
{
    return *p;
}
template <class T> SP_GPU value<T> stream(T *p)
{
    return *p;
}
template <class T> SP_GPU void store(T *p, value<T> what)
{
    *p = what;
}
template <class T> SP_GPU value<T> get(T *p)
{
    return *p;
}
template <class T> SP_GPU void put(T *p, value<T> what)
{
    *p = what;
}

/* The arguments of a kernel with the local memory of its group: bodies are given the Args of one of
 * these. */
template <class Args> struct with_memory : Args {
    __local unsigned char *memory;
};
template <class T, class Args> SP_GPU T *shared(const Args &args, size_t offset)
{
    return (T *)(static_cast<const with_memory<Args> &>(args).memory + offset);
}

SP_GPU void block_sync()
{
    barrier(CLK_LOCAL_MEM_FENCE);
}
SP_GPU void next_pass()
{
}

/* By compare and exchange, because OpenCL adds no floating-point numbers atomically. */
SP_GPU void add(double *p, double value, int = 0)
{
    __global ulong *at = (__global ulong *)p;
    ulong seen = *(volatile __global ulong *)at, before;
    do {
        before = seen;
        seen = atom_cmpxchg(at, before, as_ulong(as_double(before) + value));
    } while (seen != before);
}
SP_GPU void add(float *p, float value, int = 0)
{
    __global uint *at = (__global uint *)p;
    uint seen = *(volatile __global uint *)at, before;
    do {
        before = seen;
        seen = atomic_cmpxchg(at, before, as_uint(as_float(before) + value));
    } while (seen != before);
}

#ifdef SP_OPENCL_SUB_GROUPS

SP_GPU void warp_sync()
{
    sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
SP_GPU uint lane()
{
    return get_sub_group_local_id();
}
template <class T> SP_GPU T from_above(T value, int by, int width, int = 0)
{
    const int l = (int)lane();
    return sub_group_shuffle(value, (uint)(l % width + by < width ? l + by : l));
}
template <class T> SP_GPU T from_below(T value, int by, int width, int = 0)
{
    const int l = (int)lane();
    return sub_group_shuffle(value, (uint)(l % width - by >= 0 ? l - by : l));
}
template <class T> SP_GPU T from_across(T value, int by)
{
    return sub_group_shuffle_xor(value, (uint)by);
}
template <class T> SP_GPU T from_lane(T value, int which)
{
    return sub_group_shuffle(value, (uint)which);
}

#else

/* Each work-item goes its own way; where bodies say it, nothing is exchanged. */
SP_GPU void warp_sync()
{
}

/* Declared for bodies that exchange nothing, like a row to each thread: no code is left of them. */
template <class T> T from_above(T value, int by, int width, int = 0);
template <class T> T from_below(T value, int by, int width, int = 0);
template <class T> T from_across(T value, int by);
template <class T> T from_lane(T value, int which);

#endif

} // namespace gpu

#endif
