/* How many blocks of a launch an SM holds at a time, from its limits. */
#ifndef SP_MODEL_OCCUPANCY_H
#define SP_MODEL_OCCUPANCY_H

#include <stdint.h>

#include "model/machine.h"
#include "sparse/formats/layout.h"
#include "sparse/launch/gpu_launch.h"

struct sp_occupancy {
    int blocks;        /* resident on an SM, at least 1 */
    int warps;         /* of them */
    const char *limit; /* "threads", "blocks", "registers" or "shared memory": what allows no more */
    int64_t L1_B;      /* of an SM that their shared memory leaves */
};

/* The machine must describe its limits (sp_gpu_is_described). Lanes of a wave get registers by 8. A
 * warp stays 32 lanes: a wave of 64 asks for two at a time. */
struct sp_occupancy sp_occupancy_of(const struct sp_machine *machine, const struct sp_gpu_launch *launch);

/* A GPU with an L1 for each SM, an L2 with sectors of 32 bytes, and limits of an SM. */
bool sp_gpu_is_described(const struct sp_machine *machine);

/* What matrix units do for a launch of MMA: the kernel's shapes, and their ceiling. */

/* Operations that the units execute [flop]: for all rows of a block row, all columns of the tiles,
 * and the stored columns up to the end of the last stage, zeros included; f32 as three products of
 * tf32. */
double sp_gpu_unit_work(const struct sp_layout *layout, const struct sp_gpu_launch *launch);

/* "mma" of all SMs in the type that the units multiply for this precision: f64, tf32, f16 or bf16.
 * NULL: the machine does not describe it. */
const struct sp_ceiling *sp_gpu_unit_peak(const struct sp_machine *machine, enum sp_precision precision);

#endif
