#include <math.h>

#include "base/figures.h"
#include "io/record/record.h"
#include "report/text/sections.h"

/* FusedMM beside SDDMM and SpMM: time, bytes, and whether as many were saved as predicted. */
void sp_section_unfused(struct sp_pen *pen, const struct sp_record *record)
{
    struct sp_value bytes = sp_record_value(record, SP_F_UNFUSED_BYTES),
                    fused = sp_record_value(record, SP_F_UNFUSED_BYTES_FUSED),
                    predicted = sp_record_value(record, SP_F_UNFUSED_SAVED_PREDICTED),
                    pair = sp_record_value(record, SP_F_UNFUSED_TIME),
                    time = sp_record_value(record, SP_F_METRICS_TIME);
    char a[64], b[64];
    if (!sp_value_known(bytes) || !sp_value_known(fused) || !sp_value_known(predicted))
        return;
    fputc('\n', pen->out);
    pen->indent = 9;
    sp_pen_put(pen, SP_INK_BOLD, "UNFUSED");
    sp_pen_tab(pen, 9);
    if (sp_value_known(pair) && sp_value_known(time)) {
        struct sp_scale s = sp_scale_of_seconds(pair.value);
        sp_figure_interval(a, sizeof a, pair.value, pair.lo, pair.hi, s.factor, 3);
        sp_pen_part(pen, SP_INK_PLAIN, 0, "SDDMM, then SpMM: %s %s measured;", a, s.prefix);
        sp_pen_part(pen, SP_INK_BOLD, 1, "fused %s times as fast",
                    sp_figure(b, sizeof b, pair.value / time.value, 3));
    } else {
        sp_pen_part(pen, SP_INK_PLAIN, 0, "SDDMM, then SpMM: time unknown (%s)", pair.why);
    }
    struct sp_scale s = sp_scale_of(bytes.value);
    double saved = bytes.value - fused.value;
    sp_pen_part(pen, SP_INK_PLAIN, 2, "from empty caches %s %sB through memory instead of",
                sp_figure(a, sizeof a, bytes.value / s.factor, 4), s.prefix);
    sp_pen_part(pen, SP_INK_PLAIN, 1, "%s %sB, simulated:", sp_figure(a, sizeof a, fused.value / s.factor, 4),
                s.prefix);
    struct sp_scale d = sp_scale_of(predicted.value);
    sp_figure(a, sizeof a, fabs(saved) / d.factor, 3);
    sp_figure(b, sizeof b, predicted.value / d.factor, 3);
    sp_pen_part(pen, SP_INK_BOLD, 1, "%s %sB %s, %s %sB modelled (S's values, which SDDMM reads, included)",
                a, d.prefix, saved >= 0 ? "saved" : "more", b, d.prefix);
    if (saved < 0.5 * predicted.value)
        sp_pen_part(pen, SP_INK_PLAIN, 1,
                    "(B and D together do not stay in the cache where one of them does)");
    sp_pen_end(pen);
}
