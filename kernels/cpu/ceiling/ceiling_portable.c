#include <stddef.h>

#include "kernels/cpu/ceiling/ceiling_isa.h"

#define ISA      sp_ceiling_portable
#define ISA_NAME "portable"
#define VECTOR_B 16
#if defined(__x86_64__)
#include <emmintrin.h>
#define STREAM_STORE(address, vector) _mm_stream_si128((__m128i *)(address), (__m128i)(vector))
#endif
#include "kernels/cpu/ceiling/ceiling_body.inc"
