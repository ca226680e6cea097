/* STAGED with AVX2. */
#include "kernels/cpu/spmm/staged.h"
#include "kernels/cpu/spmm/staged_rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors_avx2.h"

#define ISA       avx2
#define ISA_WORD  "avx2"
#define SUMMARY   "AVX2"
#define AVAILABLE sp_cpu_has_avx2
#define RANK      20
#define STREAMS
#define W_F64   4
#define W_F32   8
#define VECTORS 2
#define ENTRIES 4
#include "kernels/cpu/spmm/staged_variant.inc"
