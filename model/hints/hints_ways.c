/* The hint on ways of the last level: a part of them for the matrix, which an execution reads once,
 * so that it does not push out x; or enough of them that a part of the matrix stays. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/cache/partition.h"
#include "model/hints/rules.h"
#include "model/volume/traffic.h"

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
