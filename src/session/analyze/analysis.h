/* Everything that one analysis of one workload has found out, before it becomes a record. Steps
 * fill it in turn: setup, sampling, simulation, evaluation, counterfactuals, hints. */
#ifndef SP_SESSION_ANALYSIS_H
#define SP_SESSION_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "model/cache/alpha.h"
#include "model/cache/reuse.h"
#include "model/count_log.h"
#include "model/ecm.h"
#include "model/gather.h"
#include "model/hints/hints.h"
#include "model/losses.h"
#include "model/roofline.h"
#include "model/trace/trace.h"
#include "model/volume/traffic.h"
#include "probes/probe.h"
#include "session/analyze/analyze.h"
#include "session/analyze/plan.h"
#include "session/analyze/sampling.h"
#include "session/analyze/setup.h"
#include "session/measure/conditions.h"
#include "session/trial/tries.h"

/* Entries in advance: the best of 16 to 512 where any of them helped (docs/results). */
enum { SP_TRIED_PREFETCH = 64 };
enum { SP_MAX_ALTERNATIVES = 8, SP_MAX_INTERVENTIONS = 4, SP_MAX_BALANCES = 20 };

/* A run with something taken away, to prove a loss. */
struct sp_intervention {
    const char *name;
    char text[200];
    struct sp_value time; /* [s] */
};

/* What a difference between alpha measured and alpha simulated may be due to. */
struct sp_alpha_cause {
    const char *name;
    double explains; /* of the difference, in alpha */
    bool tested;
    char text[160];
};

/* One last-level-cache domain: its part of the work, and what memory and caches make of it. */
struct sp_domain {
    int n_threads;
    double entries_share; /* of the stored entries */
    double bytes_B;       /* of one execution, as its threads' shares have it [B] */
    double x_once_B;      /* lines of x that its threads touch [B]: its part of alpha_min */
    double x_again_s;     /* time at its roof for lines that other domains load too, shared among them [s] */
    struct sp_value waits_s;     /* from its last thread's end to the end of the product */
    struct sp_value busy_s;      /* longest of its threads */
    struct sp_value roof_Bps;    /* of the domain alone */
    struct sp_value local_share; /* of its part of the values on the NUMA nodes of its threads */
};

/* B(r) [B/flop] of the same layout with another width. */
struct sp_balance_point {
    int32_t r;
    double balance;
};

/* ---- the parts of an analysis: each is filled by one step, from those before it ---- */

/* The runs, and the machine meanwhile. */
struct sp_observed {
    struct sp_pairs pairs; /* of all runs */
    struct sp_pairs *run;  /* [n_runs] each process; owned */
    int n_runs;
    struct sp_sentinels sentinels; /* beside the runs; n_threads 0: nothing was run */
    struct sp_conditions conditions;
    bool lost_pins; /* the threads of a later team could not be pinned */
};
/* Safe twice. */
void sp_observed_free(struct sp_observed *observed);

/* The start of a team is not taken from a time of which less than this share would be left. */
#define SP_LEAST_WORK 0.2
/* The kernel without memory limits, by the whole team, in turn with the run. */
struct sp_core_run {
    struct sp_value flop_s; /* P_core of all threads together, as if none waited for another [flop/s];
                               SP_NONE: it was not run */
    double lambda;          /* of its threads' busy times */
    struct sp_value team_s; /* an execution of one entry a thread: start of the team and barrier, not in
                               flop_s; SP_NONE: it is nothing beside the time, or was not run */
};

struct sp_simulated {
    int n_levels;
    struct sp_traffic traffic[SP_MAX_LEVELS]; /* [k] between level k + 1 and the next outward; [n_levels - 1]:
                                                 memory */
    struct sp_sim_facts sim;
    double simulate_s;
};

/* The job under counters. */
struct sp_counts {
    struct sp_count_log log;    /* owned */
    bool has_log;               /* else bytes are simulated */
    struct sp_core_events core; /* of the job's threads; none where nothing is run */
};

/* All at the level that holds the data. */
struct sp_evaluated {
    struct sp_residence residence;
    const struct sp_traffic *at_level; /* NULL: data in the innermost cache, no traffic is simulated there */
    struct sp_alpha_min alpha_min;
    struct sp_counted counted; /* at that level; SP_NONE where bytes are simulated */
    struct sp_value alpha_simulated, alpha_measured;
    struct sp_value alpha, w, V_B; /* measured where counters are believed, else simulated; lo and hi of
                                      simulated ones: over the interval of the last level's capacity */
    struct sp_value
        memory_B; /* simulated, in every execution, beside V_B, where the last level holds the data
                                 of some domains only; else SP_NONE */
    bool by_time; /* alpha and V_B are those at which the last level keeps what the run's time leaves no room
                     for: less than at the capacity that is believed */
    struct sp_value seen_B;   /* V_read, or V where only the sum is counted: what alpha_measured is from */
    struct sp_value zero_B;   /* the same volume at alpha = 0, as it stands beside alpha_measured */
    bool writes_added;        /* only reads are counted: s_y n_r stands for the writes in V */
    struct sp_value roof_Bps; /* corrected for the write share */
    char roof_how[160];
    double balance_W;                /* useful operations [flop] */
    struct sp_prediction once, seen; /* with alpha_min; with the simulated alpha */
    struct sp_value p_core;          /* all threads [flop/s], as far from other repetitions' as the time */
    double team; /* P_core of all threads over that of one; their number where it was not measured */
    double lambda_nz;
    struct sp_value lambda_t;
    struct sp_fluid fluid;
    bool busy_decides; /* busy times are unequal where bytes are not: threads do not share a bandwidth, or a
                          byte does not cost the same everywhere */
    struct sp_fluid_rates rates;
    double *thread_B; /* [n_threads] bytes of each thread; owned */
    struct sp_value fraction, model_fraction;
    char doubt[240]; /* why no share of the time and no hint can be given; "": they can */
    bool retake;     /* the roof is to blame, so sampling again may help */
};

/* The execution-cache-memory model of the run, beside the roofline. Parts that are not known say
 * why. */
struct sp_ecm_found {
    struct sp_ecm_inputs inputs;
    struct sp_ecm_times times;
    const char *core_from; /* what T_OL was made of; static */
    struct sp_value
        load_B;            /* that pass from L1 to registers: every entry and every gather once, by formula */
    struct sp_value bytes; /* simulated, at the level that holds the data; SP_NONE: data in L1 */
};

/* What the difference between alpha measured and simulated may be due to. */
struct sp_attributed {
    bool alpha_compared; /* causes were tested where they differ */
    int n_causes;
    struct sp_alpha_cause cause[6];
};

/* What was not run: other schedules, formats, widths, by formula and P_core. */
struct sp_compared {
    int n_formats, n_schedules, n_widths, n_balances;
    struct sp_alternative format[SP_MAX_ALTERNATIVES], schedule[SP_MAX_ALTERNATIVES],
        width[SP_MAX_ALTERNATIVES];
    struct sp_balance_point balance[SP_MAX_BALANCES]; /* over r, with the gathered operands loaded once */
    struct sp_alternative offsets;                    /* 16-bit offsets, where they would do */
    struct sp_alternative mixed;                      /* values in fp32, where that loses nothing */
    bool has_offsets, has_mixed;
    struct sp_value blocks_core_s; /* W/P_core of BCSR with the blocks that fill up best */
};

/* Runs with something taken away. */
struct sp_proved {
    int n_interventions;
    struct sp_intervention intervention[SP_MAX_INTERVENTIONS];
    struct sp_value linear_s; /* time with all gathers from L1 */
    struct sp_value sorted_s; /* that with the rows of each share in the order of their lengths, too */
    struct sp_value core_s;   /* W/P_core, where these two show that it is less than measured; else SP_NONE */
    double core_share;        /* that over W/P_core as measured; 1 */
    struct sp_value prefetch_s; /* with x prefetched so many entries ahead: */
    int32_t prefetch;
    struct sp_value equal_s;                         /* time with equal nonzeros per thread */
    struct sp_value schedule_s[SP_MAX_ALTERNATIVES]; /* of the compared schedules that were run */
};

/* The best other order of rows and columns. */
struct sp_ordered {
    const char *reorder; /* NULL: none was looked at */
    struct sp_value alpha_reordered, reorder_s;
    struct sp_value core_reordered_s;                   /* W/P_core */
    struct sp_value streams_reordered;                  /* share of new lines of x that go on */
    struct sp_value alpha_inner, alpha_inner_reordered; /* one level further in: what gathers wait for */
};

/* What a kernel of somebody else says of itself. */
struct sp_own_found {
    int n_stores; /* arrays that it reads instead of the matrix'; 0: that */
    char name[16][24];
    struct sp_job_array store[16]; /* [n_stores] */
    double array_B[SP_N_ARRAYS];   /* by kind [B]; where n_stores > 0 */
    bool traced;                   /* bytes are simulated from its own addresses */
    struct sp_value core_flop_s;   /* P_core of all threads, where prepare() is called once */
    struct sp_value busy_threads;  /* threads that it keeps busy */
    struct sp_value idle_threads;  /* that go on between its calls */
};

/* A kernel of somebody else, in turn with the fastest built-in one for the same arrays. */
struct sp_beside {
    const struct sp_kernel *kernel; /* NULL: none was run */
    struct sp_value time_s;         /* of the built-in one [s] */
    struct sp_value ratio;          /* time of theirs over it */
};

struct sp_accounted {
    struct sp_losses losses;
    struct sp_bottleneck_found bottleneck;
    struct sp_hints hints, chances; /* sp_hints_chances() */
};

/* FusedMM against the pair that it replaces: SDDMM, whose values are stored, and then SpMM with
 * them. Bytes are those of executions that start with empty caches: what survives between the two,
 * and between executions, would hide what fusing saves. */
struct sp_unfused {
    /* of the pair, measured, warm; SP_NONE: not known, with the reason */
    struct sp_value time_s;
    /* through memory, simulated: of the pair, of FusedMM */
    struct sp_value bytes_B, fused_B;
    /* that fusing saves by the formulas: the values between (written with w, read once), the
     * second reading of the pattern [THEORY 6]; and of S's values, which our SDDMM reads */
    struct sp_value predicted_B;
};

struct sp_analysis {
    const struct sp_analyze_options *options;
    const struct sp_subject *subject;
    const struct sp_progress *progress;
    struct sp_setup_options setup_options;
    struct sp_machine caches; /* the machine's, with the last level of --sim-llc; borrows its ceilings.
                                 n_caches 0: the machine's own are simulated */
    struct sp_steps_taken steps_taken;
    bool elsewhere; /* the machine's description is not of where this runs */
    int line_B;
    struct sp_setup setup;
    struct sp_value huge_share, local_share; /* of the arrays */

    struct sp_observed observed;
    struct sp_core_run core;
    struct sp_counts counts;
    struct sp_simulated simulated;
    struct sp_evaluated evaluated;
    struct sp_ecm_found ecm;
    struct sp_gather_roof gathers; /* of the run's own mixture of levels */
    struct sp_attributed attributed;
    struct sp_reuse reuse; /* alpha over cache size; no sizes where the matrix has no entries */
    struct sp_compared compared;
    struct sp_ways ways;       /* with every division of the last level; n 0: not simulated */
    struct sp_own_found own;   /* kernels of somebody else */
    struct sp_beside beside;   /* kernels of somebody else; kernel NULL: none */
    struct sp_domain *domain;  /* [setup.n_domains] where there are several; owned */
    struct sp_unfused unfused; /* FusedMM against SDDMM and SpMM; origins SP_NONE for other operations */
    struct sp_proved proved;
    struct sp_ordered ordered;
    struct sp_accounted accounted;
    struct sp_tries *tries; /* of the best hints; NULL: none was tried; owned */
};

/* How this analysis is simulated; also for variants of its layout. */
struct sp_sim_options sp_analysis_sim_options(const struct sp_analysis *a);

/* Bytes streamed between two executions: dense operands of n_r rows. */
int64_t sp_between_bytes(const struct sp_analyze_options *options, const struct sp_layout *layout);

/* Pairs of a kernel's sample and its roof, of the job as it stands, in budget_s [s]. */
enum sp_status sp_analysis_sample(const struct sp_analysis *a, double budget_s, int max_samples,
                                  struct sp_pairs *pairs, struct sp_error *err);

/* The steps, in order: each takes what those before it have found out, and fills its own part,
 * which is zero (again) when it begins. session/analyze/analyze.c has the table. */
/* Takes all samples: options->n_runs - 1 in children, one after the other, then one here, and pools
 * them. */
enum sp_status sp_analysis_observe(const struct sp_analysis *a, struct sp_observed *out,
                                   struct sp_error *err);
/* P_core of the team: threads share what they share in the run, and a machine that drifts slows
 * both. */
enum sp_status sp_analysis_core(const struct sp_analysis *a, struct sp_core_run *out, struct sp_error *err);
/* The job under counters, where there is a source of them. */
enum sp_status sp_analysis_count(const struct sp_analysis *a, struct sp_counts *out, struct sp_error *err);
enum sp_status sp_analysis_simulate(const struct sp_analysis *a, struct sp_simulated *out,
                                    struct sp_error *err);
/* alpha over cache size, from reuse distances: before the evaluation, which asks what the ends of
 * the last level's capacity make of the bytes. */
enum sp_status sp_analysis_reuse(const struct sp_analysis *a, struct sp_reuse *out, struct sp_error *err);
/* alpha, balance, predictions, shares of the roof; and whether a verdict can be given at all. */
enum sp_status sp_analysis_evaluate(const struct sp_analysis *a, struct sp_evaluated *out,
                                    struct sp_error *err);
/* ECM from what is there by then: P_core of the team, simulated bytes of every level, the machine
 * file. */
void sp_analysis_ecm(const struct sp_analysis *a, struct sp_ecm_found *out);
/* W/P_core as it was measured, of few rows; as sure as its share of the time is [s]. */
struct sp_value sp_analysis_execution(const struct sp_analysis *a);
/* The roof of its gathers, from simulated misses of x and the machine file; no part of it is
 * measured for it. */
enum sp_status sp_analysis_gathers(const struct sp_analysis *a, struct sp_gather_roof *out,
                                   struct sp_error *err);
/* Tests what the difference between alpha measured and simulated may be due to. */
enum sp_status sp_analysis_attribute(const struct sp_analysis *a, struct sp_attributed *out,
                                     struct sp_error *err);
/* B over the number of vectors; formats and schedules that were not run, by formula and P_core,
 * unless no hint can follow from them. */
enum sp_status sp_analysis_compare(const struct sp_analysis *a, struct sp_compared *out,
                                   struct sp_error *err);
/* Reads with every division of a last level that can be divided. */
bool sp_analysis_is_divisible(const struct sp_analysis *a);
enum sp_status sp_analysis_divide(const struct sp_analysis *a, struct sp_ways *out, struct sp_error *err);
/* The parts of several last-level-cache domains; NULL where there is one. */
enum sp_status sp_analysis_domains(const struct sp_analysis *a, struct sp_domain **out, struct sp_error *err);
/* FusedMM: the pair that it replaces, run and simulated. */
enum sp_status sp_analysis_unfuse(const struct sp_analysis *a, struct sp_unfused *out, struct sp_error *err);
/* Runs with something taken away, on copies: the layout is as before. */
enum sp_status sp_analysis_prove(const struct sp_analysis *a, struct sp_proved *out, struct sp_error *err);
/* Other orders; after the proofs, which tell whether latency is worth one. */
enum sp_status sp_analysis_order(const struct sp_analysis *a, struct sp_ordered *out, struct sp_error *err);
/* P_core of one that may be made ready once, before it is: own.core_flop_s; of others it stays
 * unknown. */
enum sp_status sp_analysis_own_core(struct sp_analysis *a, const struct sp_workload *workload,
                                    struct sp_error *err);
/* What a kernel of somebody else stores: the job's roof and the layout's bytes are of that from now
 * on. */
enum sp_status sp_analysis_own_arrays(struct sp_analysis *a, struct sp_error *err);
/* The accesses that its trace() tells; where own.traced. Borrows the analysis. */
void sp_analysis_own_walk(const struct sp_analysis *a, struct sp_walk *walk);
/* The best built-in kernel beside one of somebody else. */
enum sp_status sp_analysis_beside(const struct sp_analysis *a, struct sp_beside *out, struct sp_error *err);
/* Is the result of a kernel of somebody else still right, after all its executions? SP_WRONG: it is
 * not. */
enum sp_status sp_analysis_again(const struct sp_analysis *a, struct sp_spmv_check *check,
                                 struct sp_error *err);
/* How many threads it keeps busy while it runs, and between its calls. */
void sp_analysis_own_threads(const struct sp_analysis *a, struct sp_own_found *out);
/* The time of another job in turn with the run's own, in what the plan has left for proofs. */
enum sp_status sp_analysis_time_beside(const struct sp_analysis *a, const struct sp_job *job,
                                       struct sp_value *time, struct sp_error *err);
/* Losses, bottleneck, hints. */
void sp_analysis_account(const struct sp_analysis *a, struct sp_accounted *out);
/* Tries the three best hints on the arrays of the run, where a trial is worth its time; with
 * --try-hints others do. NULL: none. */
enum sp_status sp_analysis_try(const struct sp_analysis *a, struct sp_tries **out, struct sp_error *err);

/* What the machine file remembers for the level, threads and mode of the run, where its own roof
 * can be held against it; else NULL. */
const struct sp_ceiling *sp_analysis_remembered_roof(const struct sp_analysis *a,
                                                     const struct sp_evaluated *evaluated);

/* Called by sp_analysis_evaluate(): can a verdict be given? Fills doubt, and takes back the shares
 * of roof and model where it cannot. True: the roof is to blame. */
bool sp_analysis_doubt(const struct sp_analysis *a, struct sp_evaluated *evaluated);
bool sp_evaluated_is_counted(const struct sp_evaluated *evaluated);
bool sp_analysis_is_counted(const struct sp_analysis *a);
/* Nothing is run here: times come from a recording. */
bool sp_analysis_is_replayed(const struct sp_analysis *a);
/* The roof was measured on the kernel's own arrays, beside its samples: here or in the
 * recording. */
bool sp_analysis_has_own_roof(const struct sp_analysis *a);
/* Called by sp_analysis_evaluate(): V, w and alpha of what was counted at the level that holds the
 * data. */
void sp_analysis_use_counts(const struct sp_analysis *a, struct sp_evaluated *evaluated);
/* What formats that propose themselves would move and compute, for the rules of hints. */
struct sp_hint_inputs;
void sp_analysis_look_at_storage(const struct sp_analysis *a, struct sp_hint_inputs *in);
void sp_analysis_record(const struct sp_analysis *a,
                        struct sp_record *record); /* complete; sp_record_write() reports lack of memory */
/* What is known once the kernel is set up: also of an analysis that was interrupted. */
void sp_analysis_record_known(const struct sp_analysis *a, struct sp_record *record);

/* Instances of the cache that loads x at the level that counts, and which thread has which: what
 * alpha_min is summed over. *domain_of_thread points to the setup's or to storage[n_threads]. After
 * the residence is known. */
void sp_analysis_loading_domains(const struct sp_analysis *a, const struct sp_evaluated *evaluated, int *n,
                                 const int **domain_of_thread, int *storage);

/* The machine whose caches are simulated: what is asked of capacities. Its last level has that of
 * --sim-llc where it was given. */
const struct sp_machine *sp_analysis_caches(const struct sp_analysis *a);

/* w where x is loaded once: at most evaluated->w. */
double sp_analysis_w_once(const struct sp_analysis *a, const struct sp_evaluated *evaluated);

/* Puts the threads where the run has them; true: they had been let go. And lets them go: then
 * regions of no stated size have all processors. Nothing where the run is not pinned. */
bool sp_analysis_pin(const struct sp_analysis *a);
void sp_analysis_let_go(const struct sp_analysis *a);

/* What another workload computes with, by `kernel` (the run's own, for other rows) or the fastest
 * one (NULL): *core_s, `work` flops over its P_core by the whole team, measured in turn with that
 * of the run's own rows, and the larger by the units that cannot be shared evenly. With a budget
 * below 40 ms, or where samples contradict each other, from the rate of one thread: as if threads
 * did not hinder each other at one end, as they did in the run's own kernel at the other and in
 * value. SP_NONE: nothing is run here. SP_ABSENT: no kernel. */
enum sp_status sp_analysis_core_of(const struct sp_analysis *a, const struct sp_workload *other,
                                   const struct sp_kernel *kernel, double work, struct sp_value *core_s,
                                   struct sp_error *err);

/* Bytes of each thread at the level that counts, from its share of entries and rows under a
 * partition; out[n_threads]. */
void sp_analysis_thread_bytes(const struct sp_analysis *a, const struct sp_evaluated *evaluated,
                              const struct sp_partition *partition, double *out);

/* Samples from processes of their own: each makes its layout anew, so pages, their placement and
 * the start of the team differ as they do between two starts of a program, which samples within one
 * process never show. */

/* How a prepared workload is sampled under these options, against its roof; for how long is the
 * caller's. */
struct sp_sampling_options sp_run_sampling(const struct sp_setup *setup,
                                           const struct sp_analyze_options *options,
                                           const struct sp_progress *progress);

/* Pools runs of one workload: the samples of the mode that most of them have, of undisturbed runs
 * alone where those have `fewest` samples or there are no others. The median is that of the runs'
 * medians; its interval holds the runs' medians and the interval of all samples. Zeroed on
 * failure. */
enum sp_status sp_pairs_pool(const struct sp_pairs *run, int n_runs, int64_t fewest, struct sp_pairs *pooled,
                             struct sp_error *err);

#endif
