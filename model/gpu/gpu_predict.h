/* The time of a kernel on a described GPU: that of the slowest of its resources, each with its name [THEORY
 * 8, 9]. A resource whose ceiling the machine does not describe is left out, and named. */
#ifndef SP_MODEL_GPU_PREDICT_H
#define SP_MODEL_GPU_PREDICT_H

#include "model/gpu/gpu_traffic.h"
#include "model/roofline.h"

/* A launch of fewer blocks than there are SMs draws its SMs' part of bandwidths and of the peak: an estimate,
 * and so modelled.
 * "memory bandwidth", "L2 bandwidth", "peak performance" (MMA: "peak of matrix units", whose amount is what
 * they execute), "launch overhead", "latency". */
enum sp_gpu_term {
    SP_GPU_TERM_MEMORY,
    SP_GPU_TERM_L2,
    SP_GPU_TERM_PEAK,
    SP_GPU_TERM_LAUNCH,
    SP_GPU_TERM_LATENCY,
    SP_N_GPU_TERMS
};

struct sp_gpu_prediction {
    struct sp_gpu_launch launch;
    struct sp_gpu_traffic traffic;
    struct sp_roof_term term[SP_N_GPU_TERMS]; /* rate SP_NONE: the ceiling is not known */
    struct sp_roofline roofline;
    const char *binding;                  /* its name; "unknown" where no ceiling is known */
    const struct sp_ceiling *memory_roof; /* of the machine; NULL: not known */
    const struct sp_ceiling *L2_roof;
    double busy;       /* share of the SMs that have a block */
    bool L2_as_memory; /* all stays in the L2, whose bandwidth is not known: all that its bytes may be at that
                          of memory, which an L2 exceeds, so that the time of transfers is an upper bound */
};

/* Latency, by Little's law: a warp has SP_GPU_OVERLAP of its steps (col, val, x of its lanes, one load of
 * each; MMA: two stages with two requests for x each) on the way at a time, and a step waits for memory once,
 * but not more often than sectors come from there. The warp with most steps takes at least its own time. */
enum { SP_GPU_OVERLAP = 4 };

/* Below this a kernel may well be shorter than its launch [s]. */
#define SP_SHORT_LAUNCH_S 5e-6

/* work: of an execution [flop]. The machine must be described (sp_gpu_is_described); borrowed. */
enum sp_status sp_gpu_predict(const struct sp_layout *layout, const struct sp_gpu_launch *launch,
                              const struct sp_machine *machine, double work, bool warm,
                              const struct sp_progress *progress, struct sp_gpu_prediction *prediction,
                              struct sp_error *err);

#endif
