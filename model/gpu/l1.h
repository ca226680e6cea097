/* What passes the L1s of a GPU: a sample of its SMs, each with a cache of its own [THEORY 9, GPUs].
 *
 * Blocks are dealt to the SMs in turn; an SM runs as many at a time as fit, takes the next of its own when
 * one ends, and asks the resident warps for one request after the other, in turn. Its L1 keeps lines of
 * sectors, fully associative, LRU; a sector that is not there comes from the L2 alone. Stores pass through
 * it. It is empty at the begin of a launch. */
#ifndef SP_MODEL_GPU_L1_H
#define SP_MODEL_GPU_L1_H

#include "base/progress.h"
#include "model/gpu/coalesce.h"
#include "model/gpu/occupancy.h"

/* Capacities that are simulated in one pass; in the endless one a sector is missed once by each SM. */
enum sp_gpu_l1_size { SP_GPU_L1_WHOLE, SP_GPU_L1_HALF, SP_GPU_L1_ENDLESS, SP_N_GPU_L1_SIZES };

struct sp_gpu_l1 {
    int n_sms; /* simulated */
    /* Share of the sectors that are loaded which the L2 delivers, 0 ... 1; 1 for arrays that pass by the L1
     * and where nothing is loaded. */
    double missed[SP_N_GPU_ARRAYS][SP_N_GPU_L1_SIZES];
};

/* n_sm: of the machine; L1_B, n_resident: of one; line_B of its L1. `sum`: of sp_coalesce, which says how
 * many SMs suffice. */
struct sp_gpu_l1_options {
    int n_sm, n_resident;
    int64_t L1_B;
    int line_B;
    const struct sp_progress *progress;
};
enum sp_status sp_gpu_l1_simulate(const struct sp_gpu_grid *grid, const struct sp_coalescing *sum,
                                  const struct sp_gpu_l1_options *options, struct sp_gpu_l1 *l1,
                                  struct sp_error *err);

#endif
