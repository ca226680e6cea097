#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "model/hint_rules.h"
#include "model/hint_support.h"

/* max(V/b_S, W/P_core) of a format [s]; INFINITY: not known. */
static double least_time(const struct sp_hint_inputs *in, const struct sp_alternative *f)
{
    if (!sp_value_known(f->core_s))
        return INFINITY;
    const double V = sp_value_known(f->V_B) ? f->V_B.value : in->V_B.value;
    return fmax(V / in->roof_Bps.value, f->core_s.value);
}

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    (void)checked;
    const struct sp_alternative *best = NULL;
    if (!in->thorough || !sp_hint_has_volume(in) || !sp_value_known(in->time_s))
        return SP_SILENT;
    for (int i = 0; i < in->n_formats; i++)
        if (!best || least_time(in, &in->formats[i]) < least_time(in, best))
            best = &in->formats[i];
    const double now = in->time_s.value;
    const struct sp_gain gain = {0, best ? 1 - least_time(in, best) / now : 0};
    if (!best || !isfinite(gain.hi) || gain.hi <= 0 || !sp_gain_is_worth(in, gain))
        return SP_SILENT;
    char time[32], model[32], change[64];
    sp_hint_take(hint, gain, SP_MODELLED, SP_LOW);
    snprintf(hint->evidence, sizeof hint->evidence,
             "The kernel takes %s; what the model knows of does not let %s take less than %s, and says "
             "nothing of why "
             "this one stays below its model.",
             sp_text_seconds(time, sizeof time, now), best->option,
             sp_text_seconds(model, sizeof model, least_time(in, best)));
    snprintf(change, sizeof change, "--format %s", best->option);
    sp_hint_command(in, hint, change);
    snprintf(hint->expect, sizeof hint->expect,
             "a part of what is not explained goes; refuted if the time stays");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_below_model = {
    .id = "C02",
    .title = "below its model",
    .version = 1,
    .condition =
        "only where hints are tried: the best max(V/b_S, W/P_core) of another format is far below the "
        "measured time, whatever the reason; the gain is between nothing and all of that",
    .remedy = "another format, once it has been measured to be faster",
    .judge = judge,
};
