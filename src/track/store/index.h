/* A record without what tracking does not need: curves, hints, tables are most of a file, and
 * parsing them is most of the time that reading ten thousand records takes. */
#ifndef SP_TRACK_INDEX_H
#define SP_TRACK_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/progress.h"
#include "io/record/record.h"
#include "track/store/entry.h"
#include "track/store/store.h"

/* The members of a JSON object whose keys are among keys[n_keys], copied as they stand into out[at
 * least size + 3], as an object; the others are stepped over, brackets and strings counted. Returns
 * the length; 0: it is no object, or it does not end where the text does. What is inside of members
 * that are stepped over is not checked. */
size_t sp_skim(const char *text, size_t size, const char *const *keys, int n_keys, char *out);

/* Reads what sp_entry_of() needs of a record; else all of it, with sp_record_read()'s error. */
enum sp_status sp_record_skim(const char *path, struct sp_record *record, struct sp_error *err);

/* The entries of a store's records, in memory; what was read once is remembered in an SQLite file,
 * so that only new records are read again. The index holds nothing that is not in the records: it
 * can be deleted at any time. It lies in the user's cache and not in the store, which may be on a
 * network file system, where SQLite's locks cannot be trusted, or not be writable. */

/* A file of the store that is no usable record. */
struct sp_bad_record {
    char path[4096], why[256];
};

/* Zero-initialise; sp_index_free(). */
struct sp_store_index {
    int64_t n, most;
    struct sp_entry *entry; /* [n] by start, then id */
    char **path;            /* [n] of the record */
    int n_bad;
    struct sp_bad_record *bad; /* [n_bad] */
    int64_t n_read;            /* records that had to be read: they were new, or rebuild was asked for */
    char remark[256];          /* why nothing is remembered; "" */
};

/* Entries of all records of the store. `cache`: file of the index; NULL or "": nothing is
 * remembered. `rebuild`: everything is read again. A damaged index is made anew; a store that
 * cannot be listed is SP_INPUT. */
enum sp_status sp_index_open(const struct sp_store *store, const char *cache, bool rebuild,
                             const struct sp_progress *progress, struct sp_store_index *index,
                             struct sp_error *err);
void sp_index_free(struct sp_store_index *index);

/* The index as an SQLite file: tables `record` and `run`. SP_ABSENT: built without SQLite. */
enum sp_status sp_index_export(const struct sp_store_index *index, const char *path, struct sp_error *err);

/* Accepted baselines of a store: what a series is held against besides its last records, so that
 * small steps cannot add up unseen. One file a series and environment, replaced as a whole. */

enum { SP_MOST_PINNED = 16 };

/* Makes these records the baseline of their series (all of one series and environment, oldest
 * first, n >= 1); `why` may be NULL. SP_OUTPUT. */
enum sp_status sp_pins_set(const struct sp_store *store, const struct sp_entry *const *entry, int n,
                           const char *why, struct sp_error *err);
/* Forgets the baseline of the entry's series and environment; *had: there was one. */
enum sp_status sp_pins_drop(const struct sp_store *store, const struct sp_entry *of, bool *had,
                            struct sp_error *err);
/* The entries of the baseline that this one's metric is held against, oldest first, borrowed from
 * the index: out[*n], *n <= SP_MOST_PINNED, 0: none is accepted. That of its series and
 * environment; where the metric is simulated, the latest of its series that was simulated with the
 * same caches, in whatever environment. SP_INPUT: a file is damaged, or names records that the
 * store does not have; where the metric is simulated other files may be good, and out[*n] is then
 * the latest of those: the error is to be reported, and they hold. */
enum sp_status sp_pins_find(const struct sp_store *store, const struct sp_entry *of, enum sp_tracked metric,
                            const struct sp_store_index *index, const struct sp_entry **out, int *n,
                            struct sp_error *err);

#endif
