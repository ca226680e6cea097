/* Bytes that a kernel moves on a GPU, level by level, without the GPU [THEORY 9, GPUs]: sectors of the L1
 * exact (model/gpu/coalesce.h), the L2 behind simulated L1s (model/gpu/l1.h), memory behind an L2 whose
 * effective size is known as an interval (model/gpu/wave.h). */
#ifndef SP_MODEL_GPU_TRAFFIC_H
#define SP_MODEL_GPU_TRAFFIC_H

#include "base/progress.h"
#include "base/reading.h"
#include "model/gpu/coalesce.h"
#include "model/gpu/occupancy.h"
#include "model/machine.h"

/* Of what modelled bytes are: one more with every change after which the same launch on the same machine
 * gives other bytes (as SP_TRAFFIC_VERSION of model/volume/traffic.h). */
enum { SP_GPU_TRAFFIC_VERSION = 1 };

/* One execution, second grids included. Loads towards the threads, stores (and atomic additions) away from
 * them [B]. */
struct sp_gpu_traffic {
    struct sp_occupancy occupancy;
    struct sp_coalescing sectors;
    double use;    /* share of the bytes of the sectors loaded that lanes use; NAN: none */
    double active; /* sp_coalesced_active() */
    struct sp_value L1_load_B, L1_store_B; /* exact */
    struct sp_value L1_copy_B;             /* of asynchronous copies, which it does not keep; exact */
    struct sp_value L2_load_B, L2_store_B;
    struct sp_value memory_load_B, memory_store_B; /* bands: of the L2's size, and of fetches of 32 to 64 B */
    struct sp_value x_B;                           /* of it, x and FusedMM's second */
    double x_once_B;                               /* of sectors of x that are asked for at all */
    double footprint_B;                            /* distinct bytes of an execution */
    int64_t L2_lo_B, L2_hi_B;                      /* the effective L2 */
    int n_sms;                                     /* whose L1s were simulated */
};

/* All that the warps ask for, copies and stores included [B]. */
struct sp_value sp_gpu_asked_B(const struct sp_gpu_traffic *traffic);

/* Ends of the effective L2 of a GPU: as measured or stated, else half and all of the nominal size. */
void sp_gpu_L2_band(const struct sp_machine *machine, int64_t *lo_B, int64_t *hi_B);

/* The machine must be described (sp_gpu_is_described). warm: repeated executions. */
enum sp_status sp_gpu_traffic_of(const struct sp_gpu_grid *grid, const struct sp_machine *machine, bool warm,
                                 const struct sp_progress *progress, struct sp_gpu_traffic *traffic,
                                 struct sp_error *err);

#endif
