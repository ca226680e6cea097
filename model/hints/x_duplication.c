#include <stdio.h>

#include "model/hints/rules.h"
#include "model/hints/support.h"

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
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
    .judge = judge,
};
