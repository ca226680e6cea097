/* Shared memory filled past the registers, and read as fragments of small matrices: the part of the
 * bodies' vocabulary (gpu_body.h) that kernels on matrix units need. */
#ifndef SP_KERNELS_CUDA_GPU_ASYNC_H
#define SP_KERNELS_CUDA_GPU_ASYNC_H

#include "kernels/cuda/gpu_body.h"

namespace gpu
{

/* Bytes of one copy, and of a row of a matrix in shared memory: at a multiple of 16. */
enum { COPY_B = 16 };

#ifdef __CUDACC__

SP_GPU unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* 16 bytes into shared memory, past the L1 and the registers; zeros where they are not `there`.
 * They are there when this thread has waited for them, for other threads after a barrier behind
 * that. */
SP_GPU void copy_async(void *to, const void *from, bool there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(shared_address(to)), "l"(from), "r"(there ? COPY_B : 0)
                 : "memory");
}
/* Ends a group of copies of this thread. Waits until all but its last n groups are there. */
SP_GPU void copies_end()
{
    asm volatile("cp.async.commit_group;" : : : "memory");
}
template <int n> SP_GPU void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" : : "n"(n) : "memory");
}

/* The same copy through registers: there when it returns. */
SP_GPU void copy_now(void *to, const void *from, bool there)
{
    uint4 bits = make_uint4(0, 0, 0, 0);
    if (there)
        bits = __ldg((const uint4 *)from);
    *(uint4 *)to = bits;
}

/* n matrices of 8 x 8 numbers of 16 bits, transposed on the way: lane l gives the address of row l
 * mod 8 of matrix l div 8 (lanes from 8 n on: any row), and gets of matrix i the numbers (2t, g)
 * and (2t + 1, g) in parts[i], the first in the lower half; g = l div 4, t = l mod 4. */
template <int n> SP_GPU void matrices_transposed(uint32_t (&parts)[n], const void *row)
{
    static_assert(n == 2 || n == 4, "what the instruction offers and is used");
    if constexpr (n == 4)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
                     : "r"(shared_address(row))
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(parts[0]), "=r"(parts[1])
                     : "r"(shared_address(row))
                     : "memory");
}

#else

/* The executor's: until the copy has been waited for, nobody may touch what it fills. */
void copy_async(void *to, const void *from, bool there, int site = __builtin_LINE());
void copies_end();
void copies_wait_for(int n);

template <int n> void copies_wait()
{
    copies_wait_for(n);
}

/* Each lane of the warp shows what is at `mine`: of[l] is lane l's, until all have parted. */
void show(const void *mine, const void *(&of)[32], int site);
void part(int site);

inline void copy_now(void *to, const void *from, bool there, int site = __builtin_LINE())
{
    touch(to, COPY_B, ACCESS_PUT, site);
    if (!there) {
        memset(to, 0, COPY_B);
        return;
    }
    touch(from, COPY_B, ACCESS_LOAD, site);
    memcpy(to, from, COPY_B);
}

template <int n> void matrices_transposed(uint32_t (&parts)[n], const void *row, int site = __builtin_LINE())
{
    const void *rows[32];
    const int g = lane() / 4, t = lane() % 4;
    show(row, rows, site);
    for (int i = 0; i < n; i++) {
        const uint16_t *first = (const uint16_t *)rows[8 * i + 2 * t];
        const uint16_t *second = (const uint16_t *)rows[8 * i + 2 * t + 1];
        touch(first, COPY_B, ACCESS_GET, site);
        touch(second, COPY_B, ACCESS_GET, site);
        parts[i] = (uint32_t)first[g] | (uint32_t)second[g] << 16;
    }
    part(site);
}

#endif

} // namespace gpu

#endif
