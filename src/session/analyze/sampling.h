/* Samples of a kernel and of its roof, or of another kernel, in turn, so that both see the same
 * minute of a shared machine: fractions and gains are medians of paired ratios [THEORY 8]. Samples
 * are short, and know whether other work took a processor meanwhile (sys/noise.h); those are
 * replaced. */
#ifndef SP_SESSION_SAMPLING_H
#define SP_SESSION_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "base/reading.h"
#include "base/status.h"
#include "probes/probe.h"
#include "sparse/formats/layout.h"
#include "sys/machine/topology.h"

struct sp_waiting; /* session/analyze/plan.h */

struct sp_sampling_options {
    struct sp_protocol protocol; /* state, budget_s, min_samples, max_samples ... of the kernel's samples */
    bool pinned; /* threads are bound: the latency between the first two is looked at before and after each
                    sample */
    const struct sp_job *against; /* NULL: the roof; else this job is sampled in the roof's place */
    /* Where the threads of both jobs belong; NULL: they stay where they are, against_binding: as
     * the job's. Pinned ones are put there before the first sample, and where the two differ,
     * before every one. */
    const struct sp_binding *binding, *against_binding;
    const struct sp_topology *topology; /* with against_binding */
    bool shares_cores; /* threads share cores here as a rule, so nobody waits for cores of their own */
    double core_width; /* of a core of one's own, as far as the machine file knows; 0: not */
    double sample_s;   /* a sample lasts about so long [s]; 0: 1 ms */
    double patience_s; /* at least so long sampling goes on where clean pairs are too few [s]; 0: 2 s */
    struct sp_waiting *waiting; /* of all samplings together, less what this one takes; NULL: as much as each
                                   wants */
    const struct sp_progress *progress;
};

/* Pairs in order of time. Zero-initialise; sp_pairs_free(). */
struct sp_pairs {
    int64_t n;         /* pairs kept */
    int64_t n_dropped; /* the cores changed beside them, but not beside others; or another mode prevails */
    bool clean; /* the pairs kept are undisturbed; else fewer than min_samples were so, and those that are not
                     are kept, too */
    bool moved; /* the cores changed beside all pairs, which count as disturbed: there are no others */
    bool crowded; /* they were taken while cores were shared with other work: there were too few others */
    int64_t n_clean, n_disturbed; /* pairs taken: undisturbed; while other work took a processor, or moved */
    int64_t n_crowded; /* undisturbed, but while a core was shared: with another hardware thread in use,
                                     be it the host's or another of these threads (sys/machine/core_to_core.h) */
    double *time_s;    /* [n] of one execution */
    double *roof_Bps;  /* [n] load-only bandwidth on the kernel's own arrays, mean of before and after the
                         sample (one of them where the other was disturbed); executions of `against` a second
                         [1/s] where there is one */
    double *thread_s;  /* [n_threads] median busy time; owned */
    int n_threads;
    int64_t repetitions;     /* executions in a sample */
    char mode[16];           /* of sp_core_mode_name(); all pairs kept have it */
    double latency_s;        /* median core-to-core latency between the first two threads; 0: one thread */
    struct sp_value time;    /* median [s] */
    struct sp_value roof;    /* median [B/s]; [1/s] */
    struct sp_value inverse; /* median of 1/(time roof) [1/B]: times V it is the bandwidth_fraction; with
                                `against` the time of that job over the time of this one */
    double spread;           /* (Q3 - Q1)/median of the times */
};

/* max_samples clean pairs, or as many as the budget allows, at least min_samples of them as long as
 * three budgets or patience_s last; at least one pair, clean or not: noise is no error.
 * SP_INTERRUPTED keeps what was sampled (n may be 0). */
enum sp_status sp_sample_pairs(const struct sp_job *job, const struct sp_sampling_options *options,
                               struct sp_pairs *pairs, struct sp_error *err);
void sp_pairs_free(struct sp_pairs *pairs);

/* One sample of one of two sides that take turns. */
struct sp_turn {
    double time_s;    /* of one execution */
    bool disturbed;   /* other work took part of its time */
    double *thread_s; /* [n_threads] busy time of each thread; the kernel's side fills it */
};

/* What a look at the machine says between samples: pairs of one burst must have it in common. */
struct sp_look {
    char mode[16]; /* as in struct sp_pairs; "unknown": nobody can say now */
    double latency_s;
    bool crowded; /* a thread has less than a core */
};

/* Whose samples these are: processors (sp_sample_pairs) or a GPU (session/gpu/analyze_gpu.c). */
struct sp_turns {
    void *context;
    int n_threads;        /* whose busy times are kept */
    int64_t repetitions;  /* executions in a sample of the kernel */
    double per_execution; /* of the other side: bytes of a pass over the roof; 1 */
    enum sp_status (*take)(void *context, bool other, struct sp_turn *turn, struct sp_error *err);
    void (*look)(void *context, struct sp_look *look);
};

/* The one loop under all samples: as sp_sample_pairs() says of it. */
enum sp_status sp_sample_turns(const struct sp_turns *turns, const struct sp_sampling_options *options,
                               struct sp_pairs *pairs, struct sp_error *err);

#endif
