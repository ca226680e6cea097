/* STAGED without instructions of its own: the compiler makes vectors of 16 bytes of what the machine has. */
#include "kernels/cpu/spmm/staged.h"
#include "kernels/cpu/spmm/staged_rows.h"
#include "kernels/cpu/vectors.h"

typedef double f64x2 __attribute__((vector_size(16)));
typedef double f64x2u __attribute__((vector_size(16), aligned(8), may_alias));
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x4u __attribute__((vector_size(16), aligned(4), may_alias));

static inline double reduce_f64x2(f64x2 v)
{
    return v[0] + v[1];
}
static inline float reduce_f32x4(f32x4 v)
{
    return v[0] + v[1] + (v[2] + v[3]);
}

#define ISA       portable
#define ISA_WORD  "portable"
#define SUMMARY   "plain C"
#define AVAILABLE sp_kernel_everywhere
#define RANK      10
#define W_F64     2
#define W_F32     4
#define VECTORS   2
#define ENTRIES   4
#include "kernels/cpu/spmm/staged_variant.inc"
