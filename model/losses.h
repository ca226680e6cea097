/* Where the time goes: the measured time as a sum of parts in a fixed order, with a signed rest
 * [THEORY 8].
 *
 *   1 min_traffic  V(alpha_min of one domain, beta = 1)/b_S
 *   2 padding      fill: V(beta) - V(beta = 1)
 *   3 extra_x      x beyond one load of each line; of it extra_x_domains: once for each further cache domain
 *   4 imbalance    fluid model, actual shares against equal ones
 *   5 in_core      execution or latency beyond what overlaps with the transfers
 *   6 rest         measured time minus all of these: signed, flagged above 10 %
 *
 * All bytes and the roof belong to one level: that which holds the data (memory, or the cache that
 * they fit). A part that nobody looked at is SP_NONE and its time is inside the rest, which its
 * `how` says.
 *
 * In-core time is what the roofline does not see:
 *   T_core = W/P_core (never more than a run with all gathers from L1 takes, which does the same work), plus
 *   what rows in the order of their lengths save of that run (whose ends are foretold then), exceeds the
 *   transfers (1 + 2 + 3): its excess; plus
 *   the start of the team and its barrier, an execution without work, which nothing hides; plus
 *   the latency of gathers, proved by intervention: the time that the test with all gathers from L1 saves,
 *   minus the transfer of x, which it saves too, as far as T_core does not hide that. Without that test:
 *   what gathers from beyond L1 take at their roof (model/gather.h), as far as transfers do not hide it.
 * No part is cut to what is left: where they are together longer than the time, the rest is
 * negative.
 *
 * In warm caches data can survive from one execution to the next: then less than the minimum is
 * moved, and the rest is negative; `how` of the rest states by how many bytes, and whether
 * leftovers can explain it. */
#ifndef SP_MODEL_LOSSES_H
#define SP_MODEL_LOSSES_H

#include <stdbool.h>

#include "base/reading.h"

enum sp_loss {
    SP_LOSS_MIN_TRAFFIC,
    SP_LOSS_PADDING,
    SP_LOSS_EXTRA_X,
    SP_LOSS_IMBALANCE,
    SP_LOSS_IN_CORE,
    SP_LOSS_REST,
    SP_N_LOSSES
};
const char *sp_loss_name(enum sp_loss loss); /* "min_traffic", ... as in records */

struct sp_loss_inputs {
    struct sp_value time_s;      /* measured, of one execution */
    struct sp_value roof_Bps;    /* b_S of the level for the threads and domains used [B/s] */
    double min_B;                /* V(alpha_once, beta = 1) */
    double padding_B;            /* V(alpha_once, beta) - min_B; 0 for CRS */
    double domains_B;            /* (alpha_min - alpha_once) s_x n_nz */
    struct sp_value x_B;         /* bytes of x simulated or measured; SP_NONE: unknown */
    double x_once_B;             /* alpha_once s_x n_nz: extra x is x_B - x_once_B, at least 0 */
    struct sp_value imbalance_s; /* sp_imbalance_of(); SP_NONE: unknown */
    bool equal_run;              /* imbalance_s comes from a run with equal shares */
    double lambda;               /* of the threads' bytes or entries, for the text */
    struct sp_value core_s;      /* W/P_core with all threads, without team_s; SP_NONE: not measured */
    struct sp_value gathers_s;   /* what gathers add that come from beyond L1, sp_gather_beyond_first();
                                    counts where linear_s is not known; SP_NONE: not modelled */
    struct sp_value team_s;   /* an execution that has nothing to do; SP_NONE: not measured, not in core_s */
    struct sp_value linear_s; /* time with all gathers from L1; SP_NONE: no intervention was made */
    struct sp_value sorted_s; /* that with the rows in the order of their lengths, too; SP_NONE: none */
    double leftover_B;        /* what may survive between executions: warm twice what the caches in front of
                                 the level keep (2 Z of memory), s_y n_r cold */
    const char *level;        /* "MEM", "L3": for the texts */
};

struct sp_losses {
    /* [s]; the known ones sum to time_s.value exactly. The interval of the rest joins those of the
     * time, the transfers, the imbalance and in_core as independent ones: root of the sum of
     * squares. */
    struct sp_value part[SP_N_LOSSES];
    struct sp_value core;            /* [s] W/P_core as it was used */
    struct sp_value extra_x_domains; /* [s], contained in extra_x */
    struct sp_value waiting;    /* [s] latency of gathers, contained in in_core; SP_NONE: no intervention */
    struct sp_value team;       /* [s] start of the team and its barrier, contained in in_core; SP_NONE: it
                                   was not measured */
    struct sp_value row_ends;   /* [s] ends of rows that were not foretold, contained in in_core; SP_NONE: no
                                   intervention */
    double row_ends_hidden;     /* [s] of the ends that row_ends has not: transfers hide them; 0 where that
                                   is SP_NONE */
    char how[SP_N_LOSSES][200]; /* where each comes from, with its figures */
    double rest_fraction;       /* rest/time, signed */
    bool flagged;               /* |rest_fraction| > 0.1 */
    bool below_minimum;         /* less time than the minimum traffic takes */
};

/* [s] losses.core, from time_s, core_s, gathers_s, team_s, linear_s and sorted_s alone: W/P_core,
 * but not more than a run of the same work took, unless all gathers come from L1 anyway; with the
 * ends of rows no less than W/P_core then. */
struct sp_value sp_loss_execution(const struct sp_loss_inputs *inputs);

/* time_s and roof_Bps known and > 0. */
struct sp_losses sp_losses_of(const struct sp_loss_inputs *inputs);

/* The class of what limits a run: memory bandwidth, latency, imbalance, in-core execution. It is
 * read off the runs that had one thing taken away: all gathers from L1, equal shares, data in the
 * inner caches (P_core). What no such run shows stays unknown. */

enum sp_bottleneck {
    SP_BOTTLENECK_UNKNOWN,
    SP_BOTTLENECK_BANDWIDTH, /* transfers at the roof of the level fill the time */
    SP_BOTTLENECK_LATENCY,   /* gathers wait beyond what their bytes take */
    SP_BOTTLENECK_IMBALANCE, /* threads wait for the last one */
    SP_BOTTLENECK_IN_CORE,   /* as slow with data in the inner caches */
    SP_N_BOTTLENECKS
};
/* "bandwidth", "latency", "imbalance", "in-core", "unknown": as in records. */
const char *sp_bottleneck_name(enum sp_bottleneck bottleneck);

/* Times of one execution [s]; SP_NONE: such a run was not made. */
struct sp_bottleneck_inputs {
    struct sp_value time_s, linear_s, equal_s;
    const struct sp_losses *losses; /* of the same run */
};

struct sp_bottleneck_found {
    enum sp_bottleneck kind;
    bool proved;   /* by a run with the cause taken away; else by the model's parts alone */
    double share;  /* of the time, that goes with the cause; 0 with SP_BOTTLENECK_UNKNOWN */
    char why[200]; /* a sentence with the figures */
};

/* The cause with the largest share wins where that is LEAST (0.2) and more: imbalance, then latency
 * or in-core execution, whichever of the two adds more; else bandwidth where transfers take MOST
 * (0.7) of the time; else unknown. Unknown, too, where transfers or execution alone would take more
 * than 110 % of the time: `why` says which input that makes doubtful. */
struct sp_bottleneck_found sp_bottleneck_of(const struct sp_bottleneck_inputs *inputs);

/* Load imbalance where a bandwidth is shared: the fluid model [THEORY 8].
 *
 * Each of n active threads of a domain progresses at min(b_1, b_S/n) bytes a second. When others
 * finish the straggler speeds up, so in a saturated domain the loss is *not* (lambda - 1) t. */

struct sp_fluid_rates {
    double b_1; /* what one thread can draw alone [B/s]; where the core is slower, its rate of using bytes */
    double b_S; /* what one domain gives to all its threads [B/s] */
};

struct sp_fluid {
    double time_s;  /* until the last thread has finished */
    double equal_s; /* the same bytes in equal shares: the counterfactual */
    double loss_s;  /* time_s - equal_s */
    double gain;    /* loss_s/time_s: share of the time that balance would save; 0 for no bytes */
    double lambda;  /* max/mean of the bytes over threads; 1 for no bytes */
};

/* bytes[n_threads] >= 0 of each thread; domain_of_thread[n_threads] in [0, n_domains) or NULL: all
 * in 0. finish_s[n_threads]: receives when each thread finishes, or NULL. Rates > 0. Equal shares
 * are equal over all threads, so they differ from one domain to another only by the threads in
 * it. */
struct sp_fluid sp_fluid_model(int n_threads, const double *bytes, int n_domains, const int *domain_of_thread,
                               struct sp_fluid_rates rates, double *finish_s);

struct sp_imbalance_inputs {
    struct sp_value time_s;   /* measured, of one execution */
    struct sp_value lambda_t; /* of busy times where they decide; SP_NONE: they do not */
    struct sp_value equal_s;  /* measured, equal entries per thread on the same arrays; SP_NONE: not run */
    double fluid_s;           /* sp_fluid.loss_s: what unequal transfers cost */
    double core_s;            /* W/P_core of the team with equal shares; 0: not measured */
    double lambda_nz;         /* of the entries */
};

/* [s] what unequal shares cost: of the busy times, (1 - 1/lambda_t) t; else what the run with equal
 * shares saves, at most what unequal transfers or unequal execution, (lambda_nz - 1) core_s, can
 * cost; else fluid_s. */
struct sp_value sp_imbalance_of(const struct sp_imbalance_inputs *inputs);

/* lambda = max/mean; 1 for n = 0 or a zero mean. */
double sp_lambda(const double *x, int n);

#endif
