#include <stdio.h>

#include "base/text.h"
#include "model/hints/rules.h"
#include "model/hints/support.h"

/* Informs only: it never fires. */
static enum sp_verdict judge(const struct sp_hint_inputs *in, struct sp_hint *hint,
                             struct sp_checked *checked)
{
    (void)hint;
    if (sp_hint_in_memory(in) || in->working_set_B <= 0)
        return SP_SILENT;
    char set[32];
    return sp_clear(checked, "the data (%s) stay in %s: its roof counts, advice about memory does not apply",
                    sp_text_bytes(set, sizeof set, in->working_set_B), in->level);
}

const struct sp_hint_rule sp_hint_level = {
    .id = "H01",
    .title = "fits a cache level",
    .version = 1,
    .condition = "matrix, x and y fit a cache and executions are repeated (warm): that level's traffic and "
                 "roof are shown; this rule informs and never fires",
    .remedy = "nothing to do; " SP_O_COLD " shows the first execution, a larger matrix shows memory",
    .check = "memory bandwidth",
    .gain = "none: it informs",
    .judge = judge,
};
