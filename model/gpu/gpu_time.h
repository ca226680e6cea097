/* The time of an execution on a GPU from its terms [THEORY 8, 9]:
 *
 *     T = T_launch + T_ramp + max(V/b of each level, requests, peak, latency) + T_tail + T_rows
 *
 * Large problems are as long as their slowest resource, small ones as long as a launch. A term
 * whose ceiling the machine does not describe is left out. */
#ifndef SP_MODEL_GPU_TIME_H
#define SP_MODEL_GPU_TIME_H

#include <stdint.h>

#include "model/machine.h"
#include "model/roofline.h"
#include "sparse/formats/layout.h"
#include "sparse/launch/gpu_launch.h"

/* How many blocks of a launch an SM holds at a time, from its limits. */

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

/* What hides behind each other, then what is added. "memory bandwidth", "L2 bandwidth", "L1
 * requests", "peak performance" (MMA: "peak of matrix units", whose amount is what they execute),
 * "latency", "launch overhead", "ramp", "last wave", "row ends". */
enum sp_gpu_term {
    SP_GPU_TERM_MEMORY,
    SP_GPU_TERM_L2,
    SP_GPU_TERM_L1,
    SP_GPU_TERM_PEAK,
    SP_GPU_TERM_LATENCY,
    SP_GPU_TERM_LAUNCH, /* this and the next ones are added to the slowest of those before */
    SP_GPU_TERM_RAMP,
    SP_GPU_TERM_TAIL,
    SP_GPU_TERM_ROWS,
    SP_N_GPU_TERMS
};

/* [s]; SP_NONE where its ceiling is not known. */
struct sp_value sp_gpu_term_time(const struct sp_roof_term *term);

/* So many at a time, each of which takes `seconds` [1/s]. */
struct sp_value sp_gpu_rate_of(double n, struct sp_value seconds);

/* binding: the longest of all. */
struct sp_roofline sp_gpu_time_of(double work, const struct sp_roof_term term[SP_N_GPU_TERMS]);

/* With the wait for its end by the host, beyond which nothing overlaps: what a program pays that
 * waits for each execution. SP_NONE where the machine does not describe it. */
struct sp_value sp_gpu_waited_time(const struct sp_machine *machine, struct sp_value time_s);

/* Loads that the first warps of a launch wait for in turn: an index, then what it points to. */
enum { SP_GPU_RAMP_LOADS = 2 };

/* The last of n waves of blocks, of which only a part is there to ask for data [s]: its bytes take
 * their part of `steady_s` where that part keeps enough loads on the way, else what latency leaves,
 * `waits_s` of all waves. n_waves: blocks over those that are resident together; up to 1 there is
 * no other wave. */
struct sp_value sp_gpu_last_wave(double n_waves, struct sp_value steady_s, struct sp_value waits_s);

/* SpMV of which sizes alone are known, in CRS whose nonzeros warps share equally (two launches:
 * what warps cut is put together, or y is cleared before), or in SELL with a thread for each row:
 * the formula's bytes at the share of the ceiling that SpMV reaches. */
struct sp_gpu_sizes {
    int64_t n_r;
    int64_t longest;  /* entries of the longest row; 0: not known */
    bool thread_rows; /* SELL */
};
struct sp_gpu_sizes_time {
    struct sp_roof_term term[SP_N_GPU_TERMS];
    struct sp_roofline roofline;
    const char *binding;      /* "unknown" where no ceiling is known */
    struct sp_value waited_s; /* sp_gpu_waited_time() */
};

/* From what sp_predict() says of the same sizes. */
struct sp_gpu_sizes_time sp_gpu_time_of_sizes(const struct sp_machine *machine,
                                              const struct sp_gpu_sizes *sizes,
                                              const struct sp_prediction *formula);

#endif
