/* Hints on the balance of threads and their number, and on who has which rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/hints/rules.h"

static const struct sp_alternative *best_schedule(const struct sp_hint_inputs *in)
{
    const struct sp_alternative *best = NULL;
    for (int i = 0; i < in->n_schedules; i++)
        if (sp_value_known(in->schedules[i].fluid_s) &&
            (!best || in->schedules[i].fluid_s.value < best->fluid_s.value))
            best = &in->schedules[i];
    return best;
}

static double value_or_one(struct sp_value v)
{
    return sp_value_known(v) ? v.value : 1;
}

/* Threads that are busy for unequal times with equal bytes: the cost of a byte differs, and only
 * running another schedule tells what it gives. */
static enum sp_verdict judge_measured(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                      struct sp_checked *checked)
{
    const struct sp_alternative *best = NULL;
    for (int i = 0; i < in->n_schedules; i++)
        if (sp_value_known(in->schedules[i].time_s) &&
            (!best || in->schedules[i].time_s.value < best->time_s.value))
            best = &in->schedules[i];
    if (!best)
        return SP_SILENT;
    struct sp_value now = in->time_s, then = best->time_s;
    /* Both were run in turn, so then's interval is that of the ratio. */
    struct sp_then other = {.time_s = then};
    const struct sp_gain gain = sp_gain_of(in, &other);
    if (then.hi >= now.value || !sp_gain_is_worth(in, gain))
        return sp_clear(checked,
                        "busy times: max/mean %.2f, but no other schedule was faster on the same arrays",
                        in->lambda_t.value);
    char before[32], after[32];
    sp_hint_take(in, hint, other, SP_MEASURED, gain.lo >= in->threshold ? SP_HIGH : SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "Equal nonzeros per thread did not give equal time: busy times max/mean %.2f, entries %.2f. On "
             "the same arrays "
             "%s takes %s instead of %s (measured).",
             in->lambda_t.value, value_or_one(in->lambda_nz), best->option,
             sp_text_seconds(after, sizeof after, then.value),
             sp_text_seconds(before, sizeof before, now.value));
    hint->change = sp_change_of(SP_OPTION_SCHEDULE, best->option);
    snprintf(hint->expect, sizeof hint->expect,
             "lambda of times towards 1; refuted if it falls and the time stays");
    return SP_FIRES;
}

static bool equal_was_run(const struct sp_hint_inputs *in)
{
    return sp_value_known(in->equal_s) && sp_value_known(in->time_s);
}

/* The model's time of a schedule; 0: it was not looked at. */
static double fluid_of(const struct sp_hint_inputs *in, const char *option)
{
    for (int i = 0; i < in->n_schedules; i++)
        if (strcmp(in->schedules[i].option, option) == 0 && sp_value_known(in->schedules[i].fluid_s))
            return in->schedules[i].fluid_s.value;
    return 0;
}

/* By the model's ratio: what it does not explain is shared out with the bytes. */
static struct sp_then by_model(const struct sp_hint_inputs *in, double then_s)
{
    if (!sp_value_known(in->time_s) || in->fluid_s.value <= 0)
        return sp_then_times(in->fluid_s.value, then_s);
    struct sp_then then = {.time_s = sp_value_of(in->time_s.value * then_s / in->fluid_s.value, SP_MODELLED)};
    char after[32], before[32];
    snprintf(then.time_how, sizeof then.time_how, "time now x %s / %s of the fluid model",
             sp_text_seconds(after, sizeof after, then_s),
             sp_text_seconds(before, sizeof before, in->fluid_s.value));
    return then;
}

/* As the run with equal shares had it; else by the model, at best busy times spread evenly. */
static struct sp_then with_schedule(const struct sp_hint_inputs *in, const struct sp_alternative *best)
{
    struct sp_then then = by_model(in, best->fluid_s.value);
    if (equal_was_run(in)) {
        const struct sp_value e = in->equal_s;
        const double nnz_s = fluid_of(in, "nnz"),
                     ratio = best->fluid_s.value / (nnz_s > 0 ? nnz_s : in->fluid_equal_s.value);
        then.time_s = sp_value_between(ratio * e.value, ratio * e.lo, ratio * e.hi, e.origin);
        then.instead_s = sp_value_none("measured");
        snprintf(then.time_how, sizeof then.time_how, "run with equal shares x %.3g of the fluid model",
                 ratio);
    } else if (sp_value_known(in->lambda_t) && in->lambda_t.value >= 1 && sp_value_known(in->time_s)) {
        then.least_s = sp_value_of(in->time_s.value / in->lambda_t.value, SP_MEASURED);
        then.least_why = ", busy times spread evenly";
    }
    return then;
}

static enum sp_verdict judge_imbalance(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                       struct sp_checked *checked)
{
    if (in->n_nz < in->n_threads) /* an entry cannot be shared */
        return in->n_threads < 2 ? SP_SILENT : sp_clear(checked, "fewer nonzeros than threads");
    if (in->n_threads < 2 || !sp_value_known(in->fluid_s) || !sp_value_known(in->fluid_equal_s))
        return SP_SILENT;
    for (int i = 0; i < in->n_schedules && sp_value_known(in->lambda_t); i++)
        if (sp_value_known(in->schedules[i].time_s))
            return judge_measured(in, hint, checked);
    struct sp_then even = by_model(in, in->fluid_equal_s.value);
    const struct sp_gain equal = sp_gain_of(in, &even);
    double lambda = sp_value_known(in->lambda_nz) ? in->lambda_nz.value : 0;
    if (!sp_gain_is_worth(in, equal)) {
        if (lambda > 0)
            return sp_clear(checked, "lambda of entries %.2f; equal shares would save at most %.1f %%",
                            lambda, 100 * equal.hi);
        return sp_clear(checked, "equal shares would save at most %.1f %%", 100 * equal.hi);
    }
    const struct sp_alternative *best = best_schedule(in);
    if (!best)
        return SP_SILENT;
    struct sp_then then = with_schedule(in, best);
    const struct sp_gain gain = sp_gain_of(in, &then);
    const bool seen = equal_was_run(in), is_it = seen && strcmp(best->option, "nnz") == 0;
    if (!sp_gain_is_worth(in, gain) || (seen && then.time_s.value >= in->time_s.value)) {
        if (seen)
            return sp_clear(checked,
                            "the fluid model says up to %.0f %%, but a run with equal shares took as long",
                            100 * equal.hi);
        if (sp_value_known(then.least_s) && in->lambda_t.value - 1 < in->threshold)
            return sp_clear(checked, "busy times: max/mean %.2f; lambda of entries %.2f", in->lambda_t.value,
                            value_or_one(in->lambda_nz));
        return SP_SILENT;
    }
    const bool confirmed = seen || (sp_value_known(in->lambda_t) && in->lambda_t.value > 1.05);
    sp_hint_take(in, hint, then, is_it ? SP_MEASURED : SP_MODELLED, confirmed ? SP_MEDIUM : SP_LOW);
    const bool is_even = in->schedule == SP_SCHEDULE_NNZ && lambda < 1.005;
    if (lambda > 0 && !is_even)
        sp_hint_add(hint, "The fullest thread has %.2f times the mean number of entries. ", lambda);
    if (sp_value_known(in->lambda_t))
        sp_hint_add(hint, "Busy times: max/mean %.2f. ", in->lambda_t.value);
    if (seen) {
        char equal_text[32], now_text[32];
        sp_hint_add(hint, "A run with equal nonzeros per thread took %s instead of %s (measured).",
                    sp_text_seconds(equal_text, sizeof equal_text, in->equal_s.value),
                    sp_text_seconds(now_text, sizeof now_text, in->time_s.value));
    } else if (is_even) {
        sp_hint_add(hint,
                    "Nonzeros per thread are equal, their times are not: modelled with the bandwidth shared, "
                    "equal times would save up to %.0f %%, %s %.0f %%.",
                    100 * equal.hi, best->option, 100 * gain.hi);
    } else {
        sp_hint_add(
            hint,
            "Modelled with the bandwidth shared, equal nonzeros per thread save up to %.0f %%, %s %.0f %%.",
            100 * equal.hi, best->option, 100 * gain.hi);
    }
    hint->change = sp_change_of(SP_OPTION_SCHEDULE, best->option);
    snprintf(hint->expect, sizeof hint->expect,
             "lambda of times towards 1; refuted if it falls and the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_imbalance = {
    .id = "B01",
    .title = "load imbalance",
    .version = 4,
    .condition =
        "the fluid model (n active threads progress at min(b_1, b_S/n) each) gives another schedule a "
        "shorter time than the one in use; or busy times are unequal with equal bytes, and another schedule "
        "was "
        "faster on the same arrays",
    .remedy = "balance by entries (nnz), deal blocks in turn (cyclic), or split long rows (merge)",
    .check = "load imbalance",
    .gain =
        "a run with equal shares, in the fluid model's ratio where another schedule is better; without "
        "one the model's ratio, no better than busy times spread evenly; or measured: another schedule on "
        "the same arrays; all widened by 5 % of the new time",
    .judge = judge_imbalance,
};

/* Fewer threads are proposed only where they draw this much more: two points of a curve that one
 * busy minute separates differ by less. */
#define BEYOND_NOISE 1.1

static double bandwidth_at(const struct sp_hint_inputs *in, int n_threads)
{
    for (int i = 0; i < in->n_saturation; i++)
        if (in->saturation_threads[i] == n_threads)
            return in->saturation_Bps[i];
    return 0;
}

/* Execution scales with threads, but not beyond the cores; the start of the team does not [s]. */
static double core_with_threads(const struct sp_hint_inputs *in, int n_threads)
{
    if (!sp_value_known(in->core_s))
        return 0;
    const double start = sp_value_known(in->team_s) ? fmin(in->team_s.value, in->core_s.value) : 0;
    return start + (in->core_s.value - start) * in->n_threads / n_threads;
}

/* Bandwidth from the curve. */
static double time_with_threads(const struct sp_hint_inputs *in, int n_threads, double Bps)
{
    return fmax(in->V_B.value / Bps, core_with_threads(in, n_threads));
}

/* What the model does not explain may be each thread's own, so that more share it, or stays. */
static struct sp_then with_threads(const struct sp_hint_inputs *in, int n_threads, double now_s,
                                   double then_s)
{
    if (!sp_value_known(in->time_s))
        return sp_then_times(now_s, then_s);
    const double rest = fmax(0, in->time_s.value - now_s),
                 least = then_s + rest * fmin(1, (double)in->n_threads / n_threads);
    struct sp_then then = {.time_s = sp_value_between(least, least, then_s + rest, SP_MODELLED),
                           .roof_Bps = sp_value_of(bandwidth_at(in, n_threads), SP_MEASURED)};
    if (sp_value_known(in->core_s))
        then.core_s = sp_value_of(core_with_threads(in, n_threads), in->core_s.origin);
    return then;
}

/* No other number of threads pays: known only where the curve reaches all cores. */
static enum sp_verdict nothing_better(const struct sp_hint_inputs *in, double now_Bps,
                                      struct sp_checked *checked)
{
    double most = 0;
    int reached = 0;
    for (int i = 0; i < in->n_saturation; i++) {
        most = fmax(most, in->saturation_Bps[i]);
        reached = in->saturation_threads[i] > reached ? in->saturation_threads[i] : reached;
    }
    if (in->n_saturation < 2 || in->n_cores <= 0 || reached < in->n_cores)
        return SP_SILENT;
    return sp_clear(checked, "%d reach %.0f %% of the best bandwidth", in->n_threads, 100 * now_Bps / most);
}

/* A kernel of somebody else may keep one thread busy, however many it is given. */
static bool may_share(const struct sp_hint_inputs *in)
{
    static const double most_of_them = 0.75;
    return !in->own || (in->n_threads > 1 && sp_value_known(in->busy_threads) &&
                        in->busy_threads.value >= most_of_them * in->n_threads);
}

static enum sp_verdict judge_threads(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                     struct sp_checked *checked)
{
    double now_Bps = bandwidth_at(in, in->n_threads);
    if (now_Bps <= 0 || !sp_hint_has_volume(in) || !may_share(in))
        return SP_SILENT;
    double now = time_with_threads(in, in->n_threads, now_Bps), best = now;
    int best_threads = in->n_threads;
    for (int i = 0; i < in->n_saturation; i++) {
        int n = in->saturation_threads[i];
        if (in->n_cores > 0 && n > in->n_cores && n > in->n_threads)
            continue;
        const bool is_noise = n < in->n_threads && !in->smt && in->saturation_Bps[i] < BEYOND_NOISE * now_Bps;
        double then = time_with_threads(in, n, in->saturation_Bps[i]);
        if (then < best && !is_noise) {
            best = then;
            best_threads = n;
        }
    }
    struct sp_then then = with_threads(in, best_threads, now, best);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (best_threads == in->n_threads || !sp_gain_is_worth(in, gain))
        return nothing_better(in, now_Bps, checked);
    sp_hint_take(in, hint, then, SP_MODELLED, best_threads > in->n_threads ? SP_HIGH : SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "%d thread%s draw%s %.1f GB/s from %s, %d draw %.1f GB/s (measured saturation curve)%s.",
             in->n_threads, in->n_threads == 1 ? "" : "s", in->n_threads == 1 ? "s" : "", now_Bps / 1e9,
             sp_hint_in_memory(in) ? "memory" : in->level, best_threads, bandwidth_at(in, best_threads) / 1e9,
             best_threads < in->n_threads ? in->smt ? ": hardware threads share cores"
                                                    : ": past saturation more threads disturb each other"
                                          : "");
    if (best_threads > in->n_threads && sp_value_known(in->core_s) &&
        in->core_s.value > in->V_B.value / now_Bps) {
        char core[32];
        sp_hint_add(hint, " Execution, %s by %d thread%s (measured), is longer than transfers: %d share it.",
                    sp_text_seconds(core, sizeof core, in->core_s.value), in->n_threads,
                    in->n_threads == 1 ? "" : "s", best_threads);
    }
    sp_change_add_number(&hint->change, SP_OPTION_THREADS, best_threads);
    snprintf(hint->expect, sizeof hint->expect, "the time falls with the bandwidth; refuted if it stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_threads = {
    .id = "F01",
    .for_own = SP_FOR_ALL_OWN,
    .title = "number of threads",
    .version = 6,
    .condition =
        "the measured saturation curve gives another number of threads a higher bandwidth (more below "
        "n_sat, fewer, by a tenth at least, past it, or on SMT); not a problem only where the curve reaches "
        "all cores that may be "
        "used",
    .remedy = "as many threads as saturate the memory of every domain",
    .check = "number of threads",
    .gain =
        "max(V/b, W/P_core) with the measured bandwidth of the other number of threads; execution, but not "
        "the start of the team, scales with threads, and of the rest of the time nothing to all does",
    .judge = judge_threads,
};

/* Fewer threads: each takes its part of the start away, and the others have more to do. */
static double time_with_team(const struct sp_hint_inputs *in, int n_threads)
{
    const double team_s = in->team_s.value, work_s = in->time_s.value - team_s;
    return team_s * (n_threads - 1) / (in->n_threads - 1) + work_s * in->n_threads / n_threads;
}

/* Nothing says that the work scales, so that fewer threads may lose less than that. */
static struct sp_then fewer(const struct sp_hint_inputs *in, int n_threads)
{
    const double worst_s = time_with_team(in, n_threads),
                 best_s = worst_s -
                          (in->time_s.value - in->team_s.value) * ((double)in->n_threads / n_threads - 1);
    return (struct sp_then){.time_s = sp_value_between(worst_s, fmax(0, best_s), worst_s, SP_MODELLED),
                            .core_s = sp_value_of(0, SP_MODELLED)};
}

/* A region is two barriers, one that starts the team and one that ends it; products that follow
 * each other in one region need one between them at most, and none where they do not wait for each
 * other. */
static struct sp_then in_one_region(const struct sp_hint_inputs *in)
{
    const double t = in->time_s.value, team_s = in->team_s.value;
    return (struct sp_then){
        .time_s = sp_value_between(t - 0.75 * team_s, t - team_s, t - 0.5 * team_s, SP_MODELLED),
        .core_s = sp_value_of(0, SP_MODELLED),
        .least_s = sp_value_of(fmax(0, t - in->team_s.hi), SP_MEASURED),
        .least_why = ", all but the start"};
}

static enum sp_verdict judge_team(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                  struct sp_checked *checked)
{
    if (in->n_threads < 2 || !sp_value_known(in->team_s) || !sp_value_known(in->time_s) ||
        in->team_s.value >= in->time_s.value)
        return SP_SILENT;
    const double share = in->team_s.value / in->time_s.value;
    char team[32], now[32];
    sp_text_seconds(team, sizeof team, in->team_s.value);
    sp_text_seconds(now, sizeof now, in->time_s.value);
    struct sp_then then = in_one_region(in);
    if (!sp_gain_is_worth(in, sp_gain_of(in, &then)))
        return sp_clear(checked, "%s of %s, %.1f %%", team, now, 100 * share);
    int best = in->n_threads;
    for (int n = in->n_threads / 2; n >= 1; n /= 2)
        if (time_with_team(in, n) < time_with_team(in, best))
            best = n;
    if (best < in->n_threads)
        then = fewer(in, best);
    sp_hint_take(in, hint, then, SP_MODELLED, SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "Starting %d threads and waiting for the last one takes %s of %s (measured, a run that has "
             "nothing to "
             "do).",
             in->n_threads, team, now);
    if (best < in->n_threads) {
        sp_change_add_number(&hint->change, SP_OPTION_THREADS, best);
        snprintf(hint->expect, sizeof hint->expect,
                 "the time falls; refuted if the work of a thread adds more");
    } else {
        hint->in_program = "several products in one parallel region";
        snprintf(hint->expect, sizeof hint->expect,
                 "the time of a product falls by half of the start or more");
    }
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_team = {
    .id = "F02",
    .title = "start of the team",
    .version = 2,
    .condition = "an execution that has nothing to do, of the same threads, takes a good part of the time",
    .remedy =
        "several products in one parallel region; where the start is longer than the work, fewer threads",
    .check = "start of the team",
    .gain = "half of the start to all of it, since one barrier of two may remain between products; of fewer "
            "threads, the start of those that are left and up to as much more work for each",
    .judge = judge_team,
};

/* Hints for a job of ranks: who has which rows. */

static enum sp_verdict judge_partition(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                       struct sp_checked *checked)
{
    const struct sp_alternative *best = NULL;
    if (in->n_ranks < 2 || !in->partition || !sp_value_known(in->partition_s))
        return SP_SILENT;
    for (int i = 0; i < in->n_partitions; i++)
        if (sp_value_known(in->partitions[i].time_s) &&
            (!best || in->partitions[i].time_s.value < best->time_s.value))
            best = &in->partitions[i];
    if (!best)
        return SP_SILENT;
    char now[32], then[32];
    sp_text_seconds(now, sizeof now, in->partition_s.value);
    sp_text_seconds(then, sizeof then, best->time_s.value);
    struct sp_then other = sp_then_times(in->partition_s.value, best->time_s.value);
    if (sp_value_known(in->time_s) &&
        in->partition_s.value > 0) { /* what it does not explain goes with the rest */
        other =
            (struct sp_then){.time_s = sp_value_of(
                                 in->time_s.value * best->time_s.value / in->partition_s.value, SP_MODELLED)};
        snprintf(other.time_how, sizeof other.time_how, "time now x %.24s / %.24s of the model of ranks",
                 then, now);
    }
    other.error = SP_GAIN_ERROR_IN_CACHES;
    const bool explains = !sp_value_known(in->time_s) || in->partition_s.value > in->time_s.value / 2;
    const struct sp_gain gain = sp_gain_of(in, &other);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "%s: %s; the best other one, %s: %s (modelled)", in->partition, now,
                        best->option, then);
    sp_hint_take(in, hint, other, SP_MODELLED, explains ? SP_MEDIUM : SP_LOW);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "With partition %s the model of rows over %d ranks gives %s, with %s %s: the least of %d partitions.",
        in->partition, in->n_ranks, now, best->option, then, in->n_partitions + 1);
    hint->change = sp_change_of(SP_OPTION_PARTITION, best->option);
    hint->under = in->launch;
    snprintf(hint->expect, sizeof hint->expect,
             "fewer bytes between ranks, or less waiting for the longest; refuted if these fall and the time "
             "stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_partition = {
    .id = "K01",
    .title = "partition of rows",
    .version = 1,
    .spmv_only = true,
    .condition =
        "the model of rows over ranks, with the roofs and the exchange of this job, gives another partition "
        "less time; " SP_O_MPI " alone",
    .remedy = "take the partition that is named; `spmodel reorder` writes the matrix in its order",
    .gain = "1 - T(partition)/T(now), both of the model; 12 % of the new time may be off",
    .check = "partition of rows",
    .judge = judge_partition,
};
