/* Hints for a job of ranks: who has which rows. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/hints/rules.h"

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
