#include <immintrin.h>
#include <stddef.h>

#include "kernels/cpu/ceiling/ceiling_isa.h"

#define ISA                           sp_ceiling_avx512
#define ISA_NAME                      "avx512"
#define VECTOR_B                      64
#define STREAM_STORE(address, vector) _mm512_stream_si512((__m512i *)(address), (__m512i)(vector))
#define GATHER(x, i)                  (lanes_i64) _mm512_i32gather_pd(_mm256_load_si256((const __m256i *)(i)), x, 8)
#define FMA_F64(x, y, z)              _mm512_fmadd_pd(x, y, z)
#define FMA_F32(x, y, z)              _mm512_fmadd_ps(x, y, z)
#include "kernels/cpu/ceiling/ceiling_body.inc"
