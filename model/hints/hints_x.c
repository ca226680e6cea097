/* Hints on x: its traffic, duplication and latency, and what pushes it out of the last level. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/cache/partition.h"
#include "model/hints/rules.h"
#include "model/volume/traffic.h"

/* Share of the waiting that an order takes away for certain; less where bytes come from a cache,
 * because how long one further out takes to answer is not modelled. */
#define SURELY    0.75
#define IN_CACHES 0.3

static void propose(const struct sp_hint_inputs *in, struct sp_hint *hint)
{
    hint->change = sp_change_of(SP_OPTION_REORDER, in->reorder);
    sp_hint_cost(in, hint, in->reorder_s);
}

/* Share of the waiting that the order takes away: misses of the cache within, and those of this one
 * beyond loading x once, which streams; the latter wait some three times as long. */
static double less_waiting(const struct sp_hint_inputs *in)
{
    static const double longer = 3;
    const double least = sp_value_known(in->alpha_min) ? in->alpha_min.value : 0;
    double now = longer * fmax(0, in->alpha.value - least);
    double then = longer * fmax(0, in->alpha_reordered.value - least);
    if (sp_value_known(in->alpha_inner) && sp_value_known(in->alpha_inner_reordered)) {
        now += in->alpha_inner.value;
        then += in->alpha_inner_reordered.value;
    }
    return now > 0 ? fmax(0, 1 - then / now) : 0;
}

/* Share of the waiting that goes with the misses, `surely` of it for certain; where most misses go,
 * what overlapped badly with them goes too. Where no run tells how long gathers wait, but most of
 * them miss (alpha of 1 and more), they may wait for all that transfers leave. */
static struct sp_value waiting_that_goes(const struct sp_hint_inputs *in, double surely)
{
    static const double most_misses = 0.5;
    if (!sp_value_known(in->time_s))
        return sp_value_none("no time was measured");
    if (!sp_value_known(in->linear_s))
        return sp_value_between(0, 0, in->alpha.value >= 1 ? 1 : 0, SP_MODELLED);
    const double less = less_waiting(in);
    return sp_value_between(less, surely * less, less > most_misses ? 1 : less, SP_SIMULATED);
}

/* No order takes less than with all gathers from L1, but for what its order of rows changes. */
static struct sp_then in_order(const struct sp_hint_inputs *in, double surely)
{
    struct sp_then then =
        sp_then_bytes(in, sp_hint_volume_alpha(in, in->alpha_reordered), in->core_reordered_s, 0);
    then.gone = waiting_that_goes(in, surely);
    if (sp_value_known(in->linear_s) && sp_value_known(in->time_s)) {
        const double faster = sp_value_known(in->core_s) && sp_value_known(in->core_reordered_s)
                                  ? fmax(0, in->core_s.value - in->core_reordered_s.lo)
                                  : 0;
        then.least_s = sp_value_of(fmax(0, fmin(in->linear_s.value, in->time_s.value) - faster), SP_MEASURED);
        then.least_why = ", all gathers from L1";
    }
    return then;
}

/* Gathers that hit a cache, but not the innermost: no bytes to save at this level, and yet time. */
static bool judge_latency(const struct sp_hint_inputs *in, struct sp_hint *hint)
{
    /* Orders that promised 3 to 6 % of latency gave -1, +4, +5 % [docs/results, advice scored]. */
    static const double worth = 0.06;
    const bool seen = sp_value_known(in->linear_s);
    if (!sp_value_known(in->alpha_reordered) || !sp_value_known(in->time_s) || (!seen && in->alpha.value < 1))
        return false;
    if (seen && (less_waiting(in) <= 0 || sp_hint_waits(in) < in->threshold))
        return false; /* whatever else the order changes, it is not this */
    struct sp_then then = in_order(in, SURELY);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (gain.lo + gain.hi < 2 * fmax(worth, in->threshold))
        return false;
    sp_hint_take(in, hint, then, SP_SIMULATED, seen ? SP_MEDIUM : SP_LOW);
    char now[32], linear[32];
    int length;
    sp_text_seconds(now, sizeof now, in->time_s.value);
    if (seen)
        length = snprintf(hint->evidence, sizeof hint->evidence,
                          "Gathers wait: with all of them from L1 it takes %s instead of %s (measured). ",
                          sp_text_seconds(linear, sizeof linear, in->linear_s.value), now);
    else
        length = snprintf(
            hint->evidence, sizeof hint->evidence,
            "Most gathers miss, and transfers do not explain the %s that it takes: they may wait. ", now);
    const bool within = sp_value_known(in->alpha_inner) && sp_value_known(in->alpha_inner_reordered);
    const double before = within ? in->alpha_inner.value : in->alpha.value,
                 after = within ? in->alpha_inner_reordered.value : in->alpha_reordered.value;
    snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length,
             "After %s they miss %s %.0f %% less (alpha %.3f to %.3f, simulated).", in->reorder,
             within ? "the next cache inward" : "the last cache", before > 0 ? 100 * (1 - after / before) : 0,
             before, after);
    sp_hint_add_execution(in, hint);
    snprintf(hint->expect, sizeof hint->expect, "the part of latency shrinks; refuted if the time stays");
    propose(in, hint);
    return true;
}

/* Does the order scatter what hardware fetches ahead now? Then gathers that missed unnoticed will
 * wait. Where they wait for a good part of the time already, there is not much to scatter. */
static bool breaks_streams(const struct sp_hint_inputs *in)
{
    static const double streaming = 0.95, good_part = 1.0 / 3;
    return sp_value_known(in->streams_reordered) && in->streams_reordered.value < streaming &&
           sp_hint_waits(in) < good_part;
}

/* Most of what is loaded again stays so: how much that is hangs on who else uses the cache, and
 * what else the order changes may cost more (Gray codes of random rows: 5 to 16 % less bytes, 2 to
 * 11 % more time). */
static bool leaves_most(const struct sp_hint_inputs *in)
{
    static const double most = 0.5;
    const double excess = in->alpha.value - in->alpha_min.value;
    return in->alpha_reordered.value - in->alpha_min.value > most * excess;
}

static enum sp_verdict judge_x_traffic(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                       struct sp_checked *checked)
{
    static const double much = 0.3;
    if (!sp_hint_has_volume(in) || !sp_value_known(in->alpha) || !sp_value_known(in->alpha_min) ||
        in->alpha_min.value <= 0)
        return SP_SILENT;
    double loads = in->alpha.value / in->alpha_min.value;
    char x[32];
    sp_text_bytes(x, sizeof x,
                  in->x_B > 0 ? in->x_B : (double)sp_precision_size(in->precision) * (double)in->n_c);
    struct sp_then least = sp_then_bytes(in, sp_hint_volume_alpha(in, in->alpha_min), sp_as_now(), 0);
    const struct sp_gain at_best = sp_gain_of(in, &least);
    if (!sp_gain_is_worth(in, at_best) && judge_latency(in, hint))
        return SP_FIRES;
    if (!sp_gain_is_worth(in, at_best))
        return sp_clear(checked, "x (%s) is loaded %.1f times; %s %.1f %%", x, loads,
                        "as seldom as its caches allow would save at most", 100 * at_best.hi);
    if (!sp_value_known(in->alpha_reordered))
        return SP_SILENT;
    struct sp_then then = in_order(in, sp_hint_in_memory(in) ? SURELY : IN_CACHES * SURELY);
    struct sp_gain gain = sp_gain_of(in, &then);
    /* Something is lost, but this order does not bring it back: neither hint nor "no problem". */
    if (!sp_gain_is_worth(in, gain))
        return judge_latency(in, hint) ? SP_FIRES : SP_SILENT;
    const bool breaks = breaks_streams(in), in_part = leaves_most(in);
    if ((breaks || in_part) && gain.hi < much) /* waiting costs as much as the bytes gain */
        return SP_SILENT;
    if (breaks || in_part)
        then.doubt = breaks ? "the order scatters what hardware fetches ahead"
                            : "it leaves most of what is loaded again";
    sp_hint_take(in, hint, then, in->alpha_reordered.origin,
                 breaks                                 ? SP_LOW
                 : !in_part && gain.lo >= in->threshold ? SP_HIGH
                                                        : SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "x (%s) is loaded %.1f times (alpha %.3f %s, cold minimum %.3f); after %s the %s alpha is %.3f.",
             x, loads, in->alpha.value, sp_origin_name(in->alpha.origin), in->alpha_min.value, in->reorder,
             sp_origin_name(in->alpha_reordered.origin), in->alpha_reordered.value);
    sp_hint_add_execution(in, hint);
    snprintf(hint->expect, sizeof hint->expect,
             "alpha towards %.3f; refuted if alpha stays, or if it falls and the time does not",
             in->alpha_reordered.value);
    propose(in, hint);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_x_traffic = {
    .id = "A01",
    .for_own = SP_FOR_ALL_OWN,
    .title = "x traffic",
    .version = 9,
    .effort = SP_EFFORT_ORDER,
    .condition =
        "alpha is above alpha_min, and an order of rows and columns was simulated whose smaller "
        "alpha saves time: V falls by (alpha - alpha') s_x n_nz; or a run with all gathers from L1 shows "
        "that "
        "gathers wait, and the order was simulated to miss less in the cache within; an order that leaves "
        "more "
        "than half of what is loaded again counts where it promises 30 %",
    .remedy = "reorder: RCM brings the entries of meshes towards the diagonal; graphs with hubs need other "
              "orders",
    .check = "x traffic",
    .gain =
        "V with the simulated alpha of the order instead of alpha, and its measured P_core, by the "
        "formula of `gain`; where gathers wait, the share of the waiting that goes with the misses that the "
        "order takes away, three quarters of it for certain (three tenths of that where x is loaded again "
        "from a cache); never less time than with all gathers from L1",
    .judge = judge_x_traffic,
};

static enum sp_verdict judge_x_duplication(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                           struct sp_checked *checked)
{
    if (!sp_hint_in_memory(in) || in->n_domains < 2 || !sp_hint_has_volume(in) ||
        !sp_value_known(in->alpha) || !sp_value_known(in->alpha_min) || !sp_value_known(in->alpha_once) ||
        in->alpha_once.value <= 0)
        return SP_SILENT;
    double twice = in->alpha_min.value / in->alpha_once.value;
    double excess = in->alpha_min.value - in->alpha_once.value;
    struct sp_value alpha = sp_value_of(in->alpha.value > excess ? in->alpha.value - excess : 0, SP_MODELLED);
    struct sp_then then = sp_then_bytes(in, sp_hint_volume_alpha(in, alpha), sp_as_now(), 0);
    struct sp_gain gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain))
        return sp_clear(checked, "%d cache domains load x %.2f times together", in->n_domains, twice);
    then.doubt = "no partition avoids all of it";
    gain = sp_gain_of(in, &then);
    if (!sp_gain_is_worth(in, gain) || in->schedule != SP_SCHEDULE_CYCLIC)
        return SP_SILENT;
    sp_hint_take(in, hint, then, SP_MODELLED, SP_LOW);
    snprintf(hint->evidence, sizeof hint->evidence,
             "The %d cache domains in use touch the same parts of x: they must load it %.2f times together "
             "(alpha_min %.3f, for one domain %.3f).",
             in->n_domains, twice, in->alpha_min.value, in->alpha_once.value);
    hint->change = sp_change_of(SP_OPTION_SCHEDULE, "nnz");
    snprintf(hint->expect, sizeof hint->expect, "alpha_min towards %.3f", in->alpha_once.value);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_x_duplication = {
    .id = "A02",
    .title = "x duplicated over cache domains",
    .version = 2,
    .condition = "several last-level caches are in use and touch the same lines of x: alpha_min sums over "
                 "domains, alpha_once counts each line once; the difference is the gain's upper end",
    .remedy = "contiguous rows for each domain, where blocks are dealt in turn now",
    .check = "x in several caches",
    .gain = "0 to what V without (alpha_min - alpha_once) s_x n_nz saves, by the formula of `gain`: no "
            "partition avoids all of it",
    .judge = judge_x_duplication,
};

static enum sp_verdict judge_prefetch(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                      struct sp_checked *checked)
{
    if (!sp_value_known(in->prefetch_s) || !sp_value_known(in->time_s) || in->prefetch < 1)
        return SP_SILENT;
    const double now = in->time_s.value;
    struct sp_then then = {.time_s = in->prefetch_s};
    const struct sp_gain gain = sp_gain_of(in, &then);
    char asked[32];
    sp_text_seconds(asked, sizeof asked, in->prefetch_s.value);
    if (in->prefetch_s.hi >= now || !sp_gain_is_worth(in, gain))
        return sp_clear(checked, "with x prefetched %d entries ahead it takes %s", in->prefetch, asked);
    sp_hint_take(in, hint, then, SP_MEASURED, SP_MEDIUM);
    snprintf(
        hint->evidence, sizeof hint->evidence,
        "Gathers miss in an order that hardware cannot follow. With x prefetched %d entries ahead it took %s "
        "(measured on the same arrays).",
        in->prefetch, asked);
    sp_change_add_number(&hint->change, SP_OPTION_PREFETCH, in->prefetch);
    snprintf(hint->expect, sizeof hint->expect,
             "the part of latency shrinks, bytes stay; refuted if the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_prefetch = {
    .id = "A03",
    .title = "late gathers",
    .version = 3,
    .spmv_only = true,
    .condition =
        "transfers do not explain the time and x does not fit the second cache: a run that prefetches x "
        "was made, and took less",
    .remedy = "software prefetch of x, some tens of entries ahead",
    .check = "prefetch",
    .gain = "measured: the run that prefetches x beside the run itself on the same arrays, widened "
            "by 5 % of the new time",
    .judge = judge_prefetch,
};

/* The hint on ways of the last level: a part of them for the matrix, which an execution reads once,
 * so that it does not push out x; or enough of them that a part of the matrix stays. */

/* V less what is saved; gathers that then hit the last level wait about a fifth as long. */
static struct sp_then divided(const struct sp_hint_inputs *in, int best, struct sp_value saved)
{
    static const double as_long = 0.2;
    const double V_B = in->V_B.value, lo_B = fmax(0, V_B - saved.hi), hi_B = V_B - fmax(0, saved.lo);
    const struct sp_value then_B =
        sp_value_between(fmin(fmax(V_B - saved.value, lo_B), hi_B), lo_B, hi_B, SP_SIMULATED);
    struct sp_then then = sp_then_bytes(in, then_B, sp_as_now(), 0);
    const double x_B = in->undivided_x_B, less_x_B = x_B - in->ways->x_B[best];
    if (sp_hint_is_waiting(in) && x_B > 0 && less_x_B > 0)
        then.gone = sp_value_between(0, 0, (1 - as_long) * less_x_B / x_B, SP_MODELLED);
    return then;
}

static enum sp_verdict judge_ways(const struct sp_hint_inputs *in, struct sp_hint *hint,
                                  struct sp_checked *checked)
{
    static const double noticed = 0.03; /* of the bytes read */
    if (!in->ways || in->ways->n < 2 || !in->machine || !sp_hint_in_memory(in) || !sp_hint_has_volume(in))
        return SP_SILENT;
    const struct sp_cache *llc = sp_machine_llc(in->machine);
    const int best = sp_ways_best(in->ways);
    const struct sp_value saved = sp_ways_saved(in->ways, in->undivided_B, best);
    struct sp_then then = divided(in, best, saved);
    struct sp_cache with = *llc;
    char name[128], now[32], least[32], beside[32];
    with.partition = (struct sp_way_partition){.ways = best, .arrays = llc->partition.arrays};
    sp_partition_cache_text(name, sizeof name, &with);
    sp_text_bytes(now, sizeof now, in->undivided_B);
    sp_text_bytes(least, sizeof least, in->ways->read_B[best]);
    const struct sp_gain gain = sp_gain_of(in, &then);
    if (saved.lo < noticed * in->undivided_B || !sp_gain_is_worth(in, gain))
        return sp_clear(checked,
                        "best %s of %d in the L%d: %s would be read instead of %s, at most %.0f %% less time",
                        name, llc->ways, llc->level, least, now, 100 * gain.hi);
    sp_hint_take(in, hint, then, SP_SIMULATED, SP_MEDIUM);
    snprintf(hint->evidence, sizeof hint->evidence,
             "With %s of the %d ways of the L%d, the other arrays in the rest, %s would be read from memory "
             "instead of "
             "%s; with a way more or less at most %s (simulated, all divisions at once).",
             name, llc->ways, llc->level, least, now,
             sp_text_bytes(beside, sizeof beside, in->undivided_B - saved.lo));
    hint->in_program = "ways of the last level for values and indices alone (A64FX: scache_isolate_way "
                       "and scache_isolate_assign; others: what the system offers)";
    snprintf(hint->expect, sizeof hint->expect,
             "%s read in an execution by the counters; refuted if the bytes stay, or the time does", least);
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_ways = {
    .id = "A05",
    .title = "ways of the last level",
    .version = 1,
    .effort = SP_EFFORT_OPTION,
    .condition =
        "the machine file says that the last level can be divided (partition), data come from memory, and "
        "of all divisions between the arrays that it names and the others, one reads so much less that the "
        "gain's lower end is above the threshold",
    .remedy = "keep the best number of ways for the matrix (or for what the machine file names)",
    .check = "ways of the last level",
    .gain = "V less what the division saves, by the formula of `gain`; at both ends what it saves with a way "
            "more or "
            "less",
    .judge = judge_ways,
};
