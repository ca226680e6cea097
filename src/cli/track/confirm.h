/* track check --confirm: measures what the newest record of a series asked for once more. */
#ifndef SP_CLI_TRACK_CONFIRM_H
#define SP_CLI_TRACK_CONFIRM_H

#include "base/progress.h"
#include "track/judge/confirm.h"
#include "track/store/index.h"

struct sp_confirming {
    int rounds; /* at most, a series */
    int verbosity;
    const struct sp_store *store;
    const struct sp_index *index;
    const struct sp_judge_options *judge;
    const struct sp_progress *progress; /* interrupts */
    int n;                              /* of what was measured again */
    struct sp_entry **entry;            /* [n] owned; judgements point to them */
};

/* Measures again until the verdict *j on list [n] is confirmed or good, at most `rounds` times, adds the
 * records to the store, and judges again. Where that cannot be done, the verdict stays, and j->confirmation
 * says why. SP_INTERRUPTED, SP_MEMORY. */
enum sp_status sp_track_confirm(struct sp_confirming *c, const struct sp_entry *const *list, int n,
                                const struct sp_entry *const *pinned, int n_pinned, struct sp_judgement *j,
                                struct sp_error *err);
void sp_confirming_free(struct sp_confirming *c);

#endif
