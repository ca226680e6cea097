/* The caches of a GPU, simulated. */
#ifndef SP_MODEL_GPU_CACHES_H
#define SP_MODEL_GPU_CACHES_H

#include <stdint.h>

#include "base/progress.h"
#include "model/cache/stack_distance.h"
#include "model/gpu/coalesce.h"
#include "model/gpu/gpu_time.h"
#include "model/gpu/requests.h"

/* What passes the L1s of a GPU: a sample of its SMs, each with a cache of its own [THEORY 9, GPUs].
 *
 * Blocks are dealt to the SMs in turn; an SM runs as many at a time as fit, takes the next of its
 * own when one ends, and asks the resident warps for one request after the other, in turn. Its L1
 * keeps lines of sectors, fully associative, LRU; a sector that is not there comes from the L2
 * alone. Stores pass through it. It is empty at the begin of a launch. */

/* Capacities simulated in one pass; in the endless one each SM misses a sector once. */
enum sp_gpu_l1_size { SP_GPU_L1_WHOLE, SP_GPU_L1_HALF, SP_GPU_L1_ENDLESS, SP_N_GPU_L1_SIZES };

struct sp_gpu_l1 {
    int n_sms; /* simulated */
    /* Share of the sectors that are loaded which the L2 delivers, 0 ... 1; 1 for arrays that pass
     * by the L1 and where nothing is loaded. */
    double missed[SP_N_GPU_ARRAYS][SP_N_GPU_L1_SIZES];
};

/* n_sm: of the machine; L1_B, n_resident: of one; line_B of its L1. `sum`: of sp_coalesce, which
 * says how many SMs suffice. */
struct sp_gpu_l1_options {
    int n_sm, n_resident;
    int64_t L1_B;
    int line_B;
    const struct sp_progress *progress;
};
enum sp_status sp_gpu_l1_simulate(const struct sp_gpu_grid *grid, const struct sp_coalescing *sum,
                                  const struct sp_gpu_l1_options *options, struct sp_gpu_l1 *l1,
                                  struct sp_error *err);

/* Reuse distances of x (FusedMM: of both gathered operands) behind the L2 of a GPU, from one pass
 * in the order of waves [THEORY 9, GPUs].
 *
 * As many blocks as all SMs hold go on together: each warp in turn makes its next request for x,
 * what it asks of other arrays before that streams by; where a block ends the next of the grid
 * begins. Distances count distinct sectors of 32 bytes: of x, of which pairs are sampled by a hash
 * as in model/cache/reuse.h, and of the streams, each of whose sectors is new. */

struct sp_gpu_wave_options {
    int64_t n_blocks;   /* that all SMs hold together */
    int64_t n_gathers;  /* sp_coalesced_gathers(): what streams by is dealt to these equally */
    int64_t together_B; /* neighbouring sectors that are missed within so many bytes share a fetch of 64 B */
    uint64_t seed;
    const struct sp_progress *progress;
};

/* Requests for sectors of x by the bucket of their distance; of the pairs sampled. */
struct sp_gpu_wave {
    int64_t n_sectors;                  /* of x that are asked for at all, exact */
    int64_t stream_B;                   /* all arrays but x */
    double weight;                      /* sectors that one of the sample stands for */
    int64_t first, first_together;      /* first ones of an execution; of these with their neighbour */
    int64_t within[SP_STACK_BUCKETS];   /* again in the execution */
    int64_t together[SP_STACK_BUCKETS]; /* by the distance up to which both neighbours are missed */
    int64_t across[SP_STACK_BUCKETS];   /* first in it, again since the last one */
};

enum sp_status sp_gpu_wave_follow(const struct sp_gpu_grid *grid, const struct sp_gpu_wave_options *options,
                                  struct sp_gpu_wave *wave, struct sp_error *err);

/* Bytes of x that one execution fetches from memory through an L2 of so many bytes, fetch_B 32 or
 * 64 at a time. Warm: the one before it left behind what LRU keeps. */
double sp_gpu_wave_x_bytes(const struct sp_gpu_wave *wave, int64_t L2_B, int fetch_B, bool warm);

/* Distinct bytes of an execution, in sectors. */
int64_t sp_gpu_wave_footprint(const struct sp_gpu_wave *wave);

#endif
