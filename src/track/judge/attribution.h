/* Why a time has changed: bytes, bandwidth at the kernel, or the machine [UX 4]. */
#ifndef SP_TRACK_ATTRIBUTION_H
#define SP_TRACK_ATTRIBUTION_H

#include "track/store/entry.h"

/* What moved along with the time. */
struct sp_attribution {
    double time, bytes, bandwidth, roof;   /* ln(after/before); NAN: unknown. time = bytes - bandwidth */
    double sentinel[SP_N_ENTRY_SENTINELS]; /* likewise of what the machine showed beside the runs */
    bool is_resolved_otherwise;
    bool is_machine; /* the largest part is the machine's, and its sentinels saw it */
    char also[480]; /* what else changed, and may be the reason: pages, busy times, kernel, clock; "" */
    char text[320]; /* the sentence: "more traffic, same speed: ..." */
};

/* Medians of the records before and after, both n >= 1, oldest first; of each quantity those that
 * know it in the way the newest one does, measured or simulated, else NAN. The text is empty where
 * the time has not changed by 1 %. */
void sp_attribute(const struct sp_entry *const *before, int n_before, const struct sp_entry *const *after,
                  int n_after, struct sp_attribution *attribution);

#endif
