/* What every step of an analysis may ask of it, and its end. */
#include "session/analyze/analysis.h"

#include <stdlib.h>

const struct sp_machine *sp_analysis_caches(const struct sp_analysis *a)
{
    return a->caches.n_caches > 0 ? &a->caches : a->options->machine;
}

bool sp_analysis_is_replayed(const struct sp_analysis *a)
{
    return a->options->bytes && a->options->bytes->replayed && a->options->bytes->recording.has_times;
}

bool sp_analysis_has_own_roof(const struct sp_analysis *a)
{
    return !sp_analysis_is_replayed(a) || sp_recording_has_roofs(&a->options->bytes->recording);
}

bool sp_analysis_is_counted(const struct sp_analysis *a)
{
    return sp_evaluated_is_counted(&a->evaluated);
}

bool sp_evaluated_is_counted(const struct sp_evaluated *e)
{
    return sp_value_known(e->counted.total_B) && e->counted.total_B.value > 0;
}

void sp_analysis_free(struct sp_analysis *a)
{
    sp_count_log_free(&a->counts.log);
    sp_observed_free(&a->observed);
    free(a->evaluated.thread_B);
    free(a->domain);
    free(a->tries);
    sp_reuse_free(&a->reuse);
    sp_setup_free(&a->setup);
}
