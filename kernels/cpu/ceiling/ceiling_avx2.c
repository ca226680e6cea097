#include <immintrin.h>
#include <stddef.h>

#include "kernels/cpu/ceiling/ceiling_isa.h"

#define ISA                           sp_ceiling_avx2
#define ISA_NAME                      "avx2"
#define VECTOR_B                      32
#define STREAM_STORE(address, vector) _mm256_stream_si256((__m256i *)(address), (__m256i)(vector))
#define GATHER(x, i)                  (lanes_i64) _mm256_i32gather_pd(x, _mm_load_si128((const __m128i *)(i)), 8)
#define FMA_F64(x, y, z)              _mm256_fmadd_pd(x, y, z)
#define FMA_F32(x, y, z)              _mm256_fmadd_ps(x, y, z)
#include "kernels/cpu/ceiling/ceiling_body.inc"
