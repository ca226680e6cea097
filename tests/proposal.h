/* What hints propose, as a user types it. */
#ifndef SP_TESTS_PROPOSAL_H
#define SP_TESTS_PROPOSAL_H

#include "changes.h"
#include "model/hints/hints.h"

static inline char *proposal_of(const struct sp_hint_inputs *in, const struct sp_hint *hint, char text[400])
{
    struct sp_hints hints;
    hints.matrix = in->matrix;
    hints.options = in->options;
    return sp_hint_try_text(&hints, hint, text, 400);
}
#define PROPOSAL_OF(in, hint) proposal_of(in, hint, (char[400]){0})

#endif
