/* STAGED with AVX-512. */
#include "kernels/cpu/spmm/staged.h"
#include "kernels/cpu/spmm/staged_rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors_avx512.h"

#define ISA       avx512
#define ISA_WORD  "avx512"
#define SUMMARY   "AVX-512"
#define AVAILABLE sp_cpu_has_avx512
#define RANK      30
#define STREAMS
#define W_F64   8
#define W_F32   16
#define VECTORS 4
#define ENTRIES 4
#include "kernels/cpu/spmm/staged_variant.inc"
