/* What the kernels of half storage share: the parallel run and the windows of the threads, over the state of
 * spmv_cpu.h. Private to kernels/cpu. */
#ifndef SP_KERNELS_CPU_SPMV_HALF_CPU_H
#define SP_KERNELS_CPU_SPMV_HALF_CPU_H

#include "kernels/cpu/spmv/spmv_cpu.h"

/* Do groups of W columns mostly follow each other? From some rows all over the matrix. */
bool sp_half_has_runs(const struct sp_layout *layout, int W);

typedef sp_half_units *sp_half_select(const struct sp_layout *layout);

/* As sp_spmv_cpu_prepare(), _run and _release; fetch and facts are those of SpMV. */
enum sp_status sp_half_cpu_prepare(const struct sp_layout *layout, const struct sp_operands *operands,
                                   sp_half_select *select, void **state, struct sp_error *err);
enum sp_status sp_half_cpu_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                               struct sp_error *err);
void sp_half_cpu_release(void *state);

#endif
