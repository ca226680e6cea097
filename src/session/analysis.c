/* What every step of an analysis may ask of it, and its end. */
#include "session/analysis.h"

#include <stdlib.h>

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
    return sp_value_known(a->counted.total_B) && a->counted.total_B.value > 0;
}

void sp_analysis_free(struct sp_analysis *a)
{
    sp_count_log_free(&a->kept);
    free(a->thread_B);
    free(a->domain);
    sp_pairs_free(&a->pairs);
    for (int i = 0; i < a->n_runs; i++)
        sp_pairs_free(&a->run[i]);
    free(a->run);
    sp_reuse_free(&a->reuse);
    sp_setup_free(&a->setup);
}
