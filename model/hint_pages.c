#include <stdio.h>

#include "model/hint_rules.h"
#include "model/hint_support.h"

static const double enough = 0.9;

static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    if (!sp_value_known(in->huge_share) || !sp_hint_in_memory(in))
        return SP_SILENT;
    double share = in->huge_share.value;
    if (in->working_set_B > 0 && in->working_set_B < 2.0 * (1 << 20)) /* smaller than one huge page */
        return SP_SILENT;
    if (share >= enough)
        return sp_clear(checked, "%.0f %%", 100 * share);
    struct sp_gain gain;
    bool measured = sp_value_known(in->roof_small_pages_Bps) && sp_value_known(in->roof_huge_pages_Bps);
    if (measured) {
        /* Bytes on small pages pass at the small-page roof. */
        double small = (1 - share) / in->roof_small_pages_Bps.value;
        double huge = share / in->roof_huge_pages_Bps.value;
        gain.hi = 1 - 1 / in->roof_huge_pages_Bps.value / (small + huge);
        gain.lo = gain.hi / 2; /* time that is not transfers gains nothing */
    } else {
        gain = (struct sp_gain){0, 0.33 * (1 - share)};
    }
    if (gain.hi <= 0 || !sp_gain_is_worth(in, gain))
        return SP_SILENT;
    sp_hint_take(hint, gain, measured ? SP_MEASURED : SP_STATED, measured ? SP_MEDIUM : SP_LOW);
    int length = snprintf(hint->evidence, sizeof hint->evidence,
                          "%.0f %% of the data are on huge pages; the others need a page walk every 4 KiB. ",
                          100 * share);
    if (measured)
        snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length,
                 "The roof is %.1f GB/s on small and %.1f GB/s on huge pages (measured).",
                 in->roof_small_pages_Bps.value / 1e9, in->roof_huge_pages_Bps.value / 1e9);
    else
        snprintf(hint->evidence + length, sizeof hint->evidence - (size_t)length,
                 "On a Zen 4 machine SELL took 14 to 33 %% less time on huge pages (stated); here it was not "
                 "measured.");
    if (in->options_huge_pages) {
        struct sp_hint_inputs without = *in;
        without.options = in->options_huge_pages;
        sp_hint_command(&without, hint, "");
        snprintf(hint->change, sizeof hint->change, "--pages huge");
    } else {
        snprintf(hint->try_command, sizeof hint->try_command,
                 "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
    }
    snprintf(hint->expect, sizeof hint->expect, "a share of huge pages near 100 %%, and a higher roof");
    return SP_FIRES;
}

const struct sp_hint_rule sp_hint_pages = {
    .id = "G01",
    .title = "small pages",
    .version = 1,
    .condition = "less than 90 % of the data are on huge pages; the gain is that of the measured ceilings on "
                 "both kinds, or a stated range where they were not measured",
    .remedy = "transparent huge pages by madvise, or reserved ones; free memory that is not fragmented",
    .check = "huge pages",
    .gain = "the measured ceilings on small and on huge pages over the share of small ones, half of it at "
            "the lower end; 0 to a stated third of that share where they were not measured",
    .judge = judge,
};
