/* A record without what tracking does not need: curves, hints, tables are most of a file, and parsing them is
 * most of the time that reading ten thousand records takes. */
#ifndef SP_TRACK_SKIM_H
#define SP_TRACK_SKIM_H

#include <stdbool.h>
#include <stddef.h>

#include "io/record/record.h"

/* The members of a JSON object whose keys are among keys[n_keys], copied as they stand into out[at least size
 * + 3], as an object; the others are stepped over, brackets and strings counted. Returns the length; 0: it is
 * no object, or it does not end where the text does. What is inside of members that are stepped over is not
 * checked. */
size_t sp_skim(const char *text, size_t size, const char *const *keys, int n_keys, char *out);

/* Reads what sp_entry_of() needs of a record; where that fails, all of it, with the error of
 * sp_record_read(). */
enum sp_status sp_record_skim(const char *path, struct sp_record *record, struct sp_error *err);

#endif
