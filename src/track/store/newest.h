/* What of a series a check judges: where several machines write into one store, the newest record of each of
 * them has its own verdict, and none hides that of another. */
#ifndef SP_TRACK_NEWEST_H
#define SP_TRACK_NEWEST_H

#include "track/judge/judge.h"

/* One record to be judged, the last of `list`, and those before it that can be compared with it; where there
 * are none, all that came before it, so that the verdict can say why. */
struct sp_newest {
    const struct sp_entry *newest; /* = list[n - 1] */
    const struct sp_entry **list;  /* [n] owned; entries borrowed */
    int n;
};

/* Which records may be judged at all; the others are only compared with. */
typedef bool sp_entry_filter(const void *context, const struct sp_entry *entry);

/* list[n]: a series by start. Of every environment (where bytes are simulated: of all caches) the newest
 * record that the filter lets through, by start, if it ran within a day of the newest of all or measured the
 * same commit: what a machine measured before that has been judged then. At most `most` of them, the newest
 * ones. SP_MEMORY. newest[0 .. *n_newest) are to be freed with sp_newest_free(). */
enum sp_status sp_newest_find(const struct sp_entry *const *list, int n, enum sp_tracked metric,
                              sp_entry_filter *filter, const void *context, struct sp_newest *newest,
                              int most, int *n_newest, struct sp_error *err);
void sp_newest_free(struct sp_newest *newest);

#endif
