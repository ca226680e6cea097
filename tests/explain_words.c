#include "explain_words.h"

#include <stddef.h>

#include "model/losses.h"
#include "session/trial/tries.h"

const char *explain_word(int i)
{
    if (i < SP_N_OUTCOMES)
        return sp_outcome_name((enum sp_outcome)i);
    i -= SP_N_OUTCOMES;
    return i < SP_N_BOTTLENECKS ? sp_bottleneck_name((enum sp_bottleneck)i) : NULL;
}
