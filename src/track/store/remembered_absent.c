#include <stdlib.h>

#include "track/store/remembered.h"

enum sp_status sp_remembered_read(const char *file, struct sp_remembered **list, int64_t *n,
                                  struct sp_error *err)
{
    (void)file;
    (void)err;
    *list = NULL;
    *n = 0;
    return SP_OK;
}

static enum sp_status absent(struct sp_error *err)
{
    return sp_fail(err, SP_ABSENT, "install libsqlite3-dev and run ./bootstrap again",
                   "this build has no SQLite");
}

enum sp_status sp_remembered_write(const char *file, const struct sp_remembered *list, int64_t n,
                                   struct sp_error *err)
{
    (void)file;
    (void)list;
    (void)n;
    return absent(err);
}

void sp_remembered_free(struct sp_remembered *list, int64_t n)
{
    for (int64_t i = 0; list && i < n; i++)
        free(list[i].path);
    free(list);
}

enum sp_status sp_remembered_export(const char *file, const struct sp_entry *entry, char *const *path,
                                    int64_t n, struct sp_error *err)
{
    (void)file;
    (void)entry;
    (void)path;
    (void)n;
    return absent(err);
}
