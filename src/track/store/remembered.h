/* Private to the index: entries remembered between programs. One of remembered_sqlite.c, remembered_absent.c.
 */
#ifndef SP_TRACK_REMEMBERED_H
#define SP_TRACK_REMEMBERED_H

#include "track/store/entry.h"

/* An entry with the file that it came from; entry.id "" and `why` for a file that is no usable record. */
struct sp_remembered {
    char *path; /* owned */
    int64_t modified_ns, size_B;
    struct sp_entry entry;
    char why[256];
};

/* Reads all into *list [*n], sorted by path; freed with sp_remembered_free(). A file that is missing or
 * damaged is an empty list. */
enum sp_status sp_remembered_read(const char *file, struct sp_remembered **list, int64_t *n,
                                  struct sp_error *err);
/* Replaces what is there by the list, as a whole or not at all. */
enum sp_status sp_remembered_write(const char *file, const struct sp_remembered *list, int64_t n,
                                   struct sp_error *err);
void sp_remembered_free(struct sp_remembered *list, int64_t n);

/* For other programs: tables `record` and `run` in a new file. SP_ABSENT: built without SQLite. */
enum sp_status sp_remembered_export(const char *file, const struct sp_entry *entry, char *const *path,
                                    int64_t n, struct sp_error *err);

#endif
