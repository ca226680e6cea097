#include "session/analyze/plan.h"

#include <math.h>
#include <string.h>

static const struct {
    double share, on_gpu;
} kinds[SP_N_SPENDINGS] = {
    [SP_SPEND_CHOICE] = {0.15, 0}, [SP_SPEND_LOOKS] = {0.05, 0},  [SP_SPEND_SAMPLES] = {0.25, 1},
    [SP_SPEND_OTHERS] = {0.10, 0}, [SP_SPEND_PROOFS] = {0.15, 0}, [SP_SPEND_TRIALS] = {0.30, 0},
};

void sp_plan_begin(struct sp_plan *plan, double budget_s)
{
    plan->budget_s = budget_s;
    plan->waiting =
        (struct sp_waiting){.quiet_s = fmax(3 * budget_s, 4), .cores_s = fmax(budget_s / 4, 0.25)};
    memset(plan->spent_s, 0, sizeof plan->spent_s);
}

double sp_plan_share_s(const struct sp_plan *plan, enum sp_spending what)
{
    return (plan->on_gpu ? kinds[what].on_gpu : kinds[what].share) * plan->budget_s;
}

double sp_plan_allowance_s(const struct sp_plan *plan, enum sp_spending what)
{
    const double own_s = sp_plan_share_s(plan, what);
    double s = own_s;
    for (int k = 0; k < (int)what; k++)
        s += sp_plan_share_s(plan, (enum sp_spending)k) - plan->spent_s[k];
    return fmax(s, 0.5 * own_s);
}

double sp_plan_left_s(const struct sp_plan *plan, enum sp_spending what)
{
    return fmax(0, sp_plan_allowance_s(plan, what) - plan->spent_s[what]);
}

const struct sp_value *sp_plan_rate(const struct sp_plan *plan, const struct sp_kernel *kernel, uint64_t rows)
{
    for (int i = 0; i < plan->n_rates; i++)
        if (plan->rate[i].kernel == kernel && plan->rate[i].rows == rows)
            return &plan->rate[i].flop_s;
    return NULL;
}

void sp_plan_remember(struct sp_plan *plan, const struct sp_kernel *kernel, uint64_t rows,
                      struct sp_value flop_s)
{
    if (plan->n_rates < SP_PLAN_RATES)
        plan->rate[plan->n_rates++] = (struct sp_plan_rate){kernel, rows, flop_s};
}
