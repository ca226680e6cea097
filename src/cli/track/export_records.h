/* Records copied out of a store, or from files, as they are or without what says whose they are. */
#ifndef SP_CLI_EXPORT_RECORDS_H
#define SP_CLI_EXPORT_RECORDS_H

#include "track/store/index.h"

/* Writes the record of the file `path` as FOLDER/ID.json; the folder is made. */
enum sp_status sp_export_record(const char *path, const char *folder, bool anonymous, struct sp_error *err);

/* Entries of the index as those of anonymous records, in place, and ids in place of paths: the n of `list`,
 * which point into it, or all where it is NULL. Those of records that can no longer be read are SP_INPUT. */
enum sp_status sp_export_anonymous(struct sp_index *index, const struct sp_entry *const *list, int64_t n,
                                   struct sp_error *err);

#endif
