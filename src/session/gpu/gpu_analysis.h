/* Everything that the analysis of one workload on a GPU has found out, before it is a record. */
#ifndef SP_SESSION_GPU_ANALYSIS_H
#define SP_SESSION_GPU_ANALYSIS_H

#include "io/record/record.h"
#include "kernels/gpu_module.h"
#include "model/gpu/gpu_predict.h"
#include "model/hints/hints.h"
#include "model/losses.h"
#include "probes/cuda/gpu_counters.h"
#include "session/analyze/analyze.h"
#include "session/analyze/plan.h"
#include "session/analyze/sampling.h"
#include "session/measure/conditions.h"
#include "session/record/recording.h"
#include "sparse/product/workload.h"

enum { SP_MAX_WAYS = 12, SP_MAX_UNITS = 2 };

/* A kernel that could run the workload, in a format, with what the model says of it. */
struct sp_gpu_way {
    const struct sp_kernel *kernel;
    char option[48]; /* of --format: "crs", "sell:32,256" */
    enum sp_precision precision;
    int64_t n_stored, n_indices; /* of its layout */
    int32_t T_i, T_k;
    struct sp_gpu_launch launch;
    bool predicted; /* else the field below is zero */
    struct sp_gpu_prediction prediction;
};

struct sp_gpu_analysis {
    const struct sp_analyze_options *options;
    const struct sp_subject *subject;
    const struct sp_progress *progress;
    struct sp_steps_taken steps_taken;
    const struct sp_gpu_module *module;
    struct sp_gpu_device device;
    struct sp_workload workload;
    struct sp_layout layout;
    struct sp_dense_arrays dense;
    double layout_s, upload_s, model_s;
    double window_B, window_hits; /* of struct sp_kernel_facts */
    double streamed_B;            /* copied to the GPU in each execution; 0: the matrix is there */
    int n_ways;
    struct sp_gpu_way way[SP_MAX_WAYS];
    const struct sp_gpu_way *chosen;
    bool has_reordered; /* the chosen kernel was modelled after RCM, too */
    struct sp_gpu_prediction reordered;
    int n_units;
    struct sp_gpu_way units[SP_MAX_UNITS]; /* on matrix units, in this precision, then fp16; not run */
    struct sp_value reorder_s;
    void *state;
    struct sp_spmv_check check;
    struct sp_pairs pairs;
    struct sp_conditions conditions;
    struct sp_gpu_clocks clocks; /* after the samples */
    struct sp_gpu_counts counts; /* by the GPU's counters; unknown ones with their reasons */
    char counts_why[768], trust[160];
    double work; /* W [flop] */

    bool in_L2; /* next to nothing comes from memory: what follows belongs to the L2, else to memory */
    struct sp_value V_B, read_B, write_B; /* counted, else modelled */
    double once_B;                        /* the least: matrix, y, and x once */
    double x_once_B;
    struct sp_value x_B, x_modelled_B;
    struct sp_value roof_Bps;
    struct sp_value t_model, t_once; /* [s] */
    const char *binding;             /* of t_once */
    const char *beside; /* the slowest resource but the level that holds the data; NULL: none is known */
    double roof_part;   /* of roof_Bps, what the SMs draw that have a block */
    struct sp_value fraction, model_fraction;
    char doubt[240]; /* why no share of the time and no hint can be given; "": they can */
    bool retake;     /* the roof is to blame, so sampling again may help */
    struct sp_losses losses;
    struct sp_hints hints;
};

/* Why shares of an empty matrix are not known. */
extern const char sp_gpu_no_entries[];
bool sp_gpu_is_counted(const struct sp_gpu_analysis *a);
/* Bytes counted at the L2 are a lower bound: additions to y were not counted. */
bool sp_gpu_lacks_updates(const struct sp_gpu_analysis *a);
/* A sample of these seconds, beside the shortest one so far. */
bool sp_gpu_is_late(double seconds, double shortest_s);
/* The host's thread before the first launch and with all queued, in a sample of these seconds. */
struct sp_thread_clock;
bool sp_gpu_waited_for_host(const struct sp_thread_clock *before, const struct sp_thread_clock *queued,
                            double seconds);
/* What the model says of another order, and of matrix units, where hints may propose them. Only
 * SP_INTERRUPTED: a look that fails leaves its hint silent. */
enum sp_status sp_gpu_try_others(struct sp_gpu_analysis *a, struct sp_error *err);
void sp_gpu_find_hints(struct sp_gpu_analysis *a);
/* Which level holds the data: before anything is sampled. */
void sp_gpu_find_level(struct sp_gpu_analysis *a);
/* Of what the L2 delivers what is not the matrix once [B]: gathered operands, and sectors of the
 * matrix that are asked for again. */
struct sp_value sp_gpu_x_from_L2(const struct sp_layout *layout, const struct sp_gpu_traffic *traffic);
/* Of C bytes that memory was counted to give, those of x [B]; read, and of that x, as the model has
 * them. The rest, matrix and pointers, comes once, all_B; what an L2 may keep of it from one
 * execution to the next is in the model's lower end, least_B. So x lies between C - all_B and
 * C - least_B. A cache that keeps some of the matrix, which is used once an execution, keeps at
 * least as much of x, which is used more often: then x comes once at most, or as often as fetches
 * of 64 B make it, which is the model's upper end. The value takes both as kept alike, x_once_B
 * C/(all_B + x_once_B), until nothing is kept: from C = all_B + x_once_B on it is C - all_B. */
struct sp_value sp_gpu_counted_x(struct sp_value counted_B, struct sp_value read_B, struct sp_value x_B,
                                 double x_once_B);
/* Bytes, roof, model of the level that holds the data; if a verdict can be given, losses. */
void sp_gpu_evaluate(struct sp_gpu_analysis *a);
/* What is known once the kernel was checked: of an analysis that was interrupted. */
void sp_gpu_record_known(const struct sp_gpu_analysis *a, struct sp_record *record);
void sp_gpu_record(const struct sp_gpu_analysis *a, struct sp_record *record);

/* What the model says of a GPU, as parts of records: of an analysis, and of predictions alone. */

/* "CRS lanes 8", "SELL-32-1": a format in words, and how threads share its work. */
char *sp_gpu_way_name(char *text, size_t size, const char *format, const struct sp_gpu_launch *launch);

/* A way of sharing the work, predicted. */
struct sp_gpu_guess {
    const char *name;      /* sp_gpu_way_name */
    const char *format;    /* as after --format */
    struct sp_value alpha; /* bytes of x over those at one load for each nonzero */
    const struct sp_gpu_prediction *prediction;
};

/* All that is known when SpMV is predicted on a described GPU: everything is borrowed. */
struct sp_gpu_forecast {
    const char *matrix;
    int64_t n_r, n_c, n_nz;
    const struct sp_workload *workload; /* precision, index */
    const struct sp_machine *machine;
    bool cold;
    double work; /* of one execution [flop] */
    const struct sp_gpu_guess *guess;
    int n_guesses, best; /* n_guesses >= 1 */
};

/* A record with the status "modelled". */
enum sp_status sp_gpu_forecast_record(const struct sp_gpu_forecast *forecast, struct sp_record *record,
                                      struct sp_error *err);

#endif
