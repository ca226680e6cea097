#include <string.h>

#include "base/figures.h"
#include "io/record/record.h"
#include "report/text/sections.h"

/* What the bytes of the kernel rest on. */
static const char *walk_text(const char *walk)
{
    return strcmp(walk, "traced") == 0   ? "bytes simulated from its own trace"
           : strcmp(walk, "stored") == 0 ? "bytes simulated: its own arrays; x assumed as in the rows of CRS"
                                         : "bytes simulated, assuming that it walks the rows of CRS";
}

/* A kernel of the user's own beside the built-in one. */
void sp_section_own(struct sp_pen *pen, const struct sp_record *record)
{
    const char *name = sp_words_text(record, SP_F_OWN_NAME, ""),
               *built_in = sp_words_text(record, SP_F_OWN_BUILT_IN, "the built-in kernel");
    const struct sp_value ratio = sp_record_value(record, SP_F_OWN_RATIO),
                          other = sp_record_value(record, SP_F_OWN_BUILT_IN_TIME);
    char a[64], b[64];
    if (!*name)
        return;
    pen->indent = 11;
    sp_pen_put(pen, SP_INK_BOLD, "yours");
    sp_pen_tab(pen, 11);
    sp_pen_part(pen, SP_INK_PLAIN, 0, "%s:", name);
    if (sp_value_known(ratio) && sp_value_known(other)) {
        const struct sp_scale s = sp_scale_of_seconds(other.value);
        sp_pen_part(pen, SP_INK_BOLD, 1, "%s x",
                    sp_figure_interval(a, sizeof a, ratio.value, ratio.lo, ratio.hi, 1, 3));
        sp_pen_part(pen, SP_INK_PLAIN, 1, "the time of %s (%s %s)", built_in,
                    sp_figure(b, sizeof b, other.value / s.factor, 3), s.prefix);
    } else {
        char none[200];
        snprintf(none, sizeof none, "no built-in kernel beside it (%.150s)",
                 ratio.why ? ratio.why : "not run");
        sp_pen_words(pen, SP_INK_PLAIN, none);
    }
    sp_pen_put(pen, SP_INK_PLAIN, ";");
    sp_pen_words(pen, SP_INK_PLAIN, walk_text(sp_words_text(record, SP_F_OWN_WALK, "")));
    sp_pen_end(pen);
}
