/* Where does the level begin that a series is at? */
#ifndef SP_TRACK_LEVEL_H
#define SP_TRACK_LEVEL_H

#include "track/judge/group_shift.h"

/* The first of the records [n], by start, that are of the last level. Three sessions are a level of their own
 * (track/judge/change_points.h); a single one is where it is better than those before it by more than
 * sessions differ, as far as that is known: what has been reached once is what the next one is held against.
 * Steps below the floor are none. */
int sp_level_begin(const struct sp_entry *const *list, int n, const struct sp_steadiness *steadiness,
                   const struct sp_judge_options *o);

#endif
