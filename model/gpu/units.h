/* What the matrix units of a GPU do for a launch of MMA: the kernel's shapes, and the ceiling that holds for
 * them. */
#ifndef SP_MODEL_GPU_UNITS_H
#define SP_MODEL_GPU_UNITS_H

#include "model/machine.h"
#include "sparse/formats/layout.h"
#include "sparse/launch/gpu_launch.h"

/* Operations that the units execute [flop]: for all rows of a block row, all columns of the tiles, and the
 * stored columns up to the end of the last stage, zeros included; f32 as three products of tf32. */
double sp_gpu_unit_work(const struct sp_layout *layout, const struct sp_gpu_launch *launch);

/* "mma" of all SMs in the type that the units multiply for this precision: f64, tf32, f16 or bf16. NULL: the
 * machine does not describe it. */
const struct sp_ceiling *sp_gpu_unit_peak(const struct sp_machine *machine, enum sp_precision precision);

#endif
