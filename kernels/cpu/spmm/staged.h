/* SpMM and SDDMM in format STAGED: for each block of the layout and each tile of the width, the
 * listed rows of the gathered operand are copied into the thread's buffer once, and all entries of
 * the block read them there through 16-bit places [THEORY 4, 5]. Private to kernels/cpu and to
 * programs that stream layers. */
#ifndef SP_KERNELS_CPU_STAGED_H
#define SP_KERNELS_CPU_STAGED_H

#include "kernels/cpu/spmm/dense_cpu.h"

/* Bytes of the scratch of a thread: the buffer, and a row of A padded to whole vectors (SDDMM). */
static inline size_t sp_staged_work_bytes(const struct sp_layout *l)
{
    return (size_t)(sp_layout_stage_bytes(l) + sp_layout_stage_ld(l) * (int64_t)l->s_x);
}

/* The best body of this CPU for SpMM or SDDMM of f64 or f32, for programs that have no table row at
 * hand; a thread calls body.units() on sp_dense_args with its own `work` of sp_staged_work_bytes(),
 * as sp_dense_cpu_run() does. */
struct sp_dense_body sp_staged_body(const struct sp_layout *layout);

sp_dense_select sp_staged_select_portable, sp_staged_select_avx2, sp_staged_select_avx512;

#endif
