/* The plan of an analysis. --budget is the measuring time of the whole command: each kind of
 * measurement has a share of it, and what one leaves goes to those after it. What was spent is
 * noted, and P_core is measured once for each kernel and class of rows, whoever asks. */
#ifndef SP_SESSION_PLAN_H
#define SP_SESSION_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"

/* In the order in which they come. */
enum sp_spending {
    SP_SPEND_CHOICE,  /* the kernel: P_core of those that can run, and executions that decide between them */
    SP_SPEND_LOOKS,   /* the sentinels, before and after the samples */
    SP_SPEND_SAMPLES, /* the kernel and its roof */
    SP_SPEND_OTHERS,  /* P_core of other formats, widths and orders */
    SP_SPEND_PROOFS,  /* runs with something taken away */
    SP_SPEND_TRIALS,  /* hints that are tried */
    SP_N_SPENDINGS
};

struct sp_kernel;

/* P_core of one thread, as it was measured [flop/s]. */
struct sp_plan_rate {
    const struct sp_kernel *kernel;
    uint64_t rows; /* the class of rows and all else that the rate depends on, hashed */
    struct sp_value flop_s;
};
enum { SP_PLAN_RATES = 256 };

/* What samplings may still take beyond their budgets [s]. */
struct sp_waiting {
    double quiet_s; /* until enough samples are undisturbed */
    double cores_s; /* until threads that share their cores have them to themselves, which on most virtual
                       machines stays as it is; no more than quiet_s */
};

/* Plain data; begins with sp_plan_begin(). */
struct sp_plan {
    double budget_s; /* [s] */
    double spent_s[SP_N_SPENDINGS];
    struct sp_waiting waiting;
    int n_rates;
    bool on_gpu; /* where all is modelled but the samples */
    struct sp_plan_rate rate[SP_PLAN_RATES];
};

/* Nothing is spent; three budgets, 4 s at least, may be waited for quiet moments, one, 0.25 s at
 * least, for cores of one's own. Rates that were measured under an earlier budget are kept:
 * zero-initialise the first time. */
void sp_plan_begin(struct sp_plan *plan, double budget_s);

/* Of the budget [s], whatever the others took. */
double sp_plan_share_s(const struct sp_plan *plan, enum sp_spending what);
/* The time that this kind has in all [s]: its own share, and what the kinds before it left; at
 * least half of its share where they took more than theirs. */
double sp_plan_allowance_s(const struct sp_plan *plan, enum sp_spending what);
/* Of that, what is left; not below 0. */
double sp_plan_left_s(const struct sp_plan *plan, enum sp_spending what);

/* The rate that is known; NULL: none. */
const struct sp_value *sp_plan_rate(const struct sp_plan *plan, const struct sp_kernel *kernel,
                                    uint64_t rows);
/* Remembers it, unless there is no room. */
void sp_plan_remember(struct sp_plan *plan, const struct sp_kernel *kernel, uint64_t rows,
                      struct sp_value flop_s);

/* The steps of an analysis that were taken, whatever it runs on. The tables are in
 * session/analyze/analyze.c and analyze_gpu.c, the loop over them in steps.inc. */
enum { SP_MAX_STEPS = 20 };
/* A step without measurements, or with some that take nothing of the budget; else enum
 * sp_spending. */
enum { SP_COMPUTES = -1, SP_RUNS = -2 };

struct sp_step_taken {
    const char *name, *adds;
    double allowed_s; /* for its measurements, by the plan [s]; 0: it measures nothing */
    double took_s;    /* in all [s] */
};

struct sp_steps_taken {
    int n;
    struct sp_step_taken step[SP_MAX_STEPS];
};

#endif
