#include "model/bottleneck.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

/* A cause below this share of the time does not name the run; transfers above that do. */
#define LEAST 0.20
#define MOST  0.70
/* Two of them that differ by less than this share cannot be told apart: the next run would name the other. */
#define CLOSE 0.10
/* Above this share of the time a cause is longer than what it causes: an input of it is wrong. */
#define MOST_POSSIBLE 1.10

const char *sp_bottleneck_name(enum sp_bottleneck bottleneck)
{
    static const char *const names[SP_N_BOTTLENECKS] = {"unknown", "bandwidth", "latency", "imbalance",
                                                        "in-core"};
    return names[bottleneck];
}

static double part(const struct sp_losses *l, enum sp_loss loss)
{
    return sp_value_known(l->part[loss]) ? fmax(0, l->part[loss].value) : 0;
}

static struct sp_bottleneck_found of_imbalance(const struct sp_bottleneck_inputs *in, double share)
{
    const bool is_equal_run = sp_value_known(in->equal_s);
    const bool is_measured = in->losses->part[SP_LOSS_IMBALANCE].origin == SP_MEASURED;
    struct sp_bottleneck_found f = {SP_BOTTLENECK_IMBALANCE, is_equal_run || is_measured, share, ""};
    char equal[32];
    if (is_equal_run)
        snprintf(f.why, sizeof f.why, "with equal shares it takes %s",
                 sp_text_seconds(equal, sizeof equal, in->equal_s.value));
    else if (is_measured)
        snprintf(f.why, sizeof f.why, "busy times of the threads differ, the others wait for the last one");
    else
        snprintf(f.why, sizeof f.why, "the fluid model: threads wait for the last one");
    return f;
}

static double known_or_0(struct sp_value v)
{
    return sp_value_known(v) ? v.value : 0;
}

/* In-core where the same work takes nearly as long from the inner caches, or execution, ends of rows and the
 * start of the team add more than gathers wait. */
static struct sp_bottleneck_found of_core(const struct sp_bottleneck_inputs *in, double share)
{
    char time[32];
    const struct sp_losses *l = in->losses;
    const double waits = known_or_0(l->waiting), ends = known_or_0(l->row_ends), team = known_or_0(l->team);
    const double executes = share * in->time_s.value - waits - ends - team;
    const bool fills = known_or_0(l->core) >= MOST * in->time_s.value;
    const bool is_core = sp_value_known(l->core) && (fills || executes + ends + team >= waits);
    struct sp_bottleneck_found f = {is_core ? SP_BOTTLENECK_IN_CORE : SP_BOTTLENECK_LATENCY,
                                    is_core || sp_value_known(in->linear_s), share, ""};
    if (is_core && (fills || executes >= fmax(ends, team)))
        snprintf(f.why, sizeof f.why, "with all data in the inner caches it takes %s",
                 sp_text_seconds(time, sizeof time, l->core.value));
    else if (is_core && ends >= team)
        snprintf(f.why, sizeof f.why, "rows in the order of their lengths, whose ends are foretold, save %s",
                 sp_text_seconds(time, sizeof time, ends));
    else if (is_core)
        snprintf(f.why, sizeof f.why, "starting the team and its barrier take %s",
                 sp_text_seconds(time, sizeof time, team));
    else if (f.proved)
        snprintf(f.why, sizeof f.why, "with all gathers in the inner caches it takes %s",
                 sp_text_seconds(time, sizeof time, in->linear_s.value));
    else
        snprintf(f.why, sizeof f.why, "neither transfers nor imbalance explain the time");
    return f;
}

/* A cause that is longer than the time; "" for `why`: there is none. */
static struct sp_bottleneck_found of_doubt(const struct sp_bottleneck_inputs *in, double moved, double core)
{
    struct sp_bottleneck_found f = {SP_BOTTLENECK_UNKNOWN, false, 0, ""};
    const double time = in->time_s.value;
    if (moved > MOST_POSSIBLE * time)
        snprintf(
            f.why, sizeof f.why,
            "transfers at the roof would take %.0f %% of the time: the roof is too low, or fewer bytes move",
            100 * moved / time);
    else if (core > MOST_POSSIBLE * time)
        snprintf(f.why, sizeof f.why,
                 "execution from the inner caches would take %.0f %% of the time: P_core is too low",
                 100 * core / time);
    return f;
}

/* Transfers and execution both fill the time. */
static bool are_both(double moved, double executed, double time)
{
    return fmin(moved, executed) >= MOST * time && fabs(moved - executed) < CLOSE * time;
}

static struct sp_bottleneck_found of_both(double moved, double executed, double time)
{
    struct sp_bottleneck_found f = {SP_BOTTLENECK_UNKNOWN, false, 0, ""};
    snprintf(
        f.why, sizeof f.why,
        "transfers at the roof take %.0f %% of the time and execution %.0f %%: only less of both is faster",
        100 * moved / time, 100 * executed / time);
    return f;
}

struct sp_bottleneck_found sp_bottleneck_of(const struct sp_bottleneck_inputs *in)
{
    const struct sp_losses *l = in->losses;
    const double time = in->time_s.value;
    const double moved = part(l, SP_LOSS_MIN_TRAFFIC) + part(l, SP_LOSS_PADDING) + part(l, SP_LOSS_EXTRA_X);
    const double imbalance = part(l, SP_LOSS_IMBALANCE) / time;
    const double core = part(l, SP_LOSS_IN_CORE) / time;
    const struct sp_bottleneck_found doubt = of_doubt(in, moved, known_or_0(in->core_s));
    if (*doubt.why)
        return doubt;
    if (imbalance >= LEAST && imbalance >= core)
        return of_imbalance(in, imbalance);
    if (are_both(moved, known_or_0(l->core), time))
        return of_both(moved, known_or_0(l->core), time);
    if (core >= LEAST || known_or_0(l->core) > fmax(moved, MOST * time))
        return of_core(in, core);
    struct sp_bottleneck_found f = {SP_BOTTLENECK_UNKNOWN, false, 0, ""};
    if (moved >= MOST * time) {
        f = (struct sp_bottleneck_found){SP_BOTTLENECK_BANDWIDTH, sp_value_known(in->linear_s),
                                         fmin(1, moved / time), ""};
        snprintf(f.why, sizeof f.why, "transfers at the roof take %.0f %% of the time%s", 100 * moved / time,
                 f.proved ? ", and gathers from inner caches do not shorten it by more than their bytes"
                          : "");
    } else {
        snprintf(
            f.why, sizeof f.why,
            "no dominant bottleneck: transfers explain %.0f %%; removing latency, imbalance or core limits "
            "saves less than %.0f %% each",
            100 * moved / time, 100 * LEAST);
    }
    return f;
}
