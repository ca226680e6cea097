/* The loops of the ceilings, compiled once per instruction set. */
#ifndef SP_KERNELS_CPU_CEILING_ISA_H
#define SP_KERNELS_CPU_CEILING_ISA_H

#include <stdbool.h>
#include <stdint.h>

/* `n` bytes of each stream (a multiple of 1024; streams 64-byte aligned), `repetitions` times. In
 * load_mix stream b has n/2 bytes. What is computed ends in *sink, so that nothing can be left
 * out. */
typedef void sp_ceiling_loop(char *a, char *b, char *c, int64_t n, int64_t repetitions, double *sink);

/* One repetition of an arithmetic loop: SP_CEILING_ROUNDS rounds over SP_CEILING_CHAINS independent
 * chains, each with one multiplication and one addition a lane. */
enum { SP_CEILING_CHAINS = 12, SP_CEILING_ROUNDS = 256 };

/* Indices that a gather loop has in the L1. The streams of such a loop: a, x of n bytes, a power of
 * two; b, SP_CEILING_GATHER_LIST numbers (uint32_t) of which the loop makes indices; c, int64_t,
 * the list that it begins with. List l has the indices (b[k] + l SP_CEILING_GATHER_STEP) mod
 * n/8. */
enum { SP_CEILING_GATHER_LIST = 1024 };
#define SP_CEILING_GATHER_ODD  UINT32_C(0x9e3779b1)
#define SP_CEILING_GATHER_STEP (SP_CEILING_GATHER_ODD * SP_CEILING_GATHER_LIST * 8)

struct sp_ceiling_isa {
    const char *name;
    int vector_B;
    sp_ceiling_loop *load, *load_mix, *copy, *copy_nt, *triad,
        *triad_nt, /* NULL: not on this instruction set */
        *gather, *gather_loads;
    sp_ceiling_loop *scalar_f64, *simd_f64, *fma_f64, *scalar_f32, *simd_f32, *fma_f32;
};

extern const struct sp_ceiling_isa sp_ceiling_portable, sp_ceiling_avx2, sp_ceiling_avx512;

/* The reading loop of kernels/ceiling.h. Sums n_a and n_b vectors of 64 bytes from two aligned
 * streams, read in step. */
typedef uint64_t sp_scan_loop(const void *a, int64_t n_a, const void *b, int64_t n_b);
extern sp_scan_loop sp_scan_portable, sp_scan_avx2, sp_scan_avx512;

#endif
