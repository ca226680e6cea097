/* Bytes that a kernel moves on a GPU, level by level, without the GPU [THEORY 9, GPUs]: sectors of
 * the L1 exact (model/gpu/coalesce.h), the L2 behind simulated L1s (model/gpu/gpu_caches.h), memory
 * behind an L2 whose effective size is known as an interval (there, too). */
#ifndef SP_MODEL_GPU_PREDICT_H
#define SP_MODEL_GPU_PREDICT_H

#include "base/progress.h"
#include "base/reading.h"
#include "model/gpu/coalesce.h"
#include "model/gpu/gpu_time.h"
#include "model/machine.h"
#include "model/roofline.h"

/* Of what modelled bytes are: one more with every change after which the same launch on the same
 * machine gives other bytes (as SP_TRAFFIC_VERSION of model/volume/traffic.h). */
enum { SP_GPU_TRAFFIC_VERSION = 4 };

/* Of the L2, what may be set aside for a window over x: three quarters (CUDA C++ Programming Guide,
 * L2 set-aside; compute capability 8.0 and later). */
#define SP_GPU_SET_ASIDE 0.75

/* One execution, second grids included: loads, and stores with atomic additions [B]. */
struct sp_gpu_traffic {
    struct sp_occupancy occupancy;
    struct sp_coalescing sectors;
    double use;    /* share of the bytes of the sectors loaded that lanes use; NAN: none */
    double active; /* sp_coalesced_active() */
    /* Exact, but for duplicate sectors where the machine does not say how they count: an
     * interval. */
    struct sp_value L1_load_B, L1_store_B;
    struct sp_value L1_copy_B; /* of asynchronous copies, which it does not keep */
    struct sp_value L2_load_B, L2_store_B;
    struct sp_value memory_load_B, memory_store_B; /* bands: of the L2's size, and of fetches of 32 to 64 B */
    struct sp_value x_B;                           /* of it, x and FusedMM's second */
    double x_once_B;                               /* of sectors of x that are asked for at all */
    double footprint_B;                            /* distinct bytes of an execution */
    int64_t L2_lo_B, L2_hi_B;                      /* the effective L2 */
    int n_sms;                                     /* whose L1s were simulated */
};

/* All that the warps ask for, copies and stores included [B]; exact as those are. */
struct sp_value sp_gpu_asked_B(const struct sp_gpu_traffic *traffic);

/* Ends of the effective L2 of a GPU: measured or stated, else half and all of the nominal. */
void sp_gpu_L2_band(const struct sp_machine *machine, int64_t *lo_B, int64_t *hi_B);

/* The time of a kernel on a described GPU (model/gpu/gpu_time.h). A resource whose ceiling the
 * machine does not describe is left out, and named. A launch of fewer blocks than there are SMs
 * draws its SMs' part of the peak, of the L1s and of the L2, and no more from memory: an estimate,
 * and so modelled. "L1 requests": sectors that the warps ask for, those of each request in
 * fours, since an L1 takes up to four of one request in a cycle, at what the L1s of all SMs pass.
 * Row ends are in the requests of a kernel whose layout is known. */
struct sp_gpu_prediction {
    struct sp_gpu_launch launch;
    struct sp_gpu_traffic traffic;
    struct sp_roof_term term[SP_N_GPU_TERMS]; /* rate SP_NONE: the ceiling is not known */
    struct sp_roofline roofline;
    struct sp_value waited_s;             /* where the host waits for the end of each, sp_gpu_waited_time() */
    const char *binding;                  /* its name; "unknown" where no ceiling is known */
    const struct sp_ceiling *memory_roof; /* of the machine; NULL: not known */
    const struct sp_ceiling *L2_roof;
    double work;             /* [flop] */
    double busy;             /* share of the SMs that have a block */
    double n_waves;          /* blocks over those that are resident together */
    struct sp_value waits_s; /* of all waves, what latency leaves of the last one, sp_gpu_last_wave() */
    bool L2_as_memory; /* all stays in the L2, whose bandwidth is not known: all that its bytes may be at that
                          of memory, which an L2 exceeds, so that the time of transfers is an upper bound */
};

/* Latency, by Little's law: a warp makes `steps` (of the launch) of its steps, a request for a
 * gathered operand with the loads that lead to it, while one latency passes, and a step waits for
 * memory once, but not more often than sectors come from there; where memory gives nothing, for the
 * L2. The warp with most steps takes at least its own time. */

/* Below this a kernel may well be shorter than its launch [s]. */
#define SP_SHORT_LAUNCH_S 5e-6

/* work: of an execution [flop]. The machine must be described (sp_gpu_is_described); borrowed. */
enum sp_status sp_gpu_predict(const struct sp_layout *layout, const struct sp_gpu_launch *launch,
                              const struct sp_machine *machine, double work, bool warm,
                              const struct sp_progress *progress, struct sp_gpu_prediction *prediction,
                              struct sp_error *err);

/* The same, but for waited_s, where `level`, SP_GPU_TERM_MEMORY or _L2, has this bandwidth for all
 * SMs [B/s]. */
void sp_gpu_take_roof(struct sp_gpu_prediction *prediction, enum sp_gpu_term level, struct sp_value roof_Bps);

/* The time where so many bytes [B] come from and go to `level`, all else as predicted. */
struct sp_roofline sp_gpu_time_with(const struct sp_gpu_prediction *prediction, enum sp_gpu_term level,
                                    struct sp_value bytes);

#endif
