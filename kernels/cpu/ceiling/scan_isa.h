/* The reading loop per instruction set; scan.c chooses. */
#ifndef SP_KERNELS_CPU_SCAN_ISA_H
#define SP_KERNELS_CPU_SCAN_ISA_H

#include <stdint.h>

/* Sums n_a and n_b vectors of 64 bytes from two aligned streams, read in step. */
uint64_t sp_scan_portable(const void *a, int64_t n_a, const void *b, int64_t n_b);
#if defined(__x86_64__)
uint64_t sp_scan_avx2(const void *a, int64_t n_a, const void *b, int64_t n_b);
uint64_t sp_scan_avx512(const void *a, int64_t n_a, const void *b, int64_t n_b);
#endif

#endif
