#include "io/files/archive_write.h"

enum sp_status sp_archive_writer_open(FILE *stream, const char *path, const char *compression, int n_threads,
                                      struct sp_archive_writer **writer, struct sp_error *err)
{
    (void)stream;
    (void)n_threads;
    *writer = NULL;
    return sp_fail_at(err, SP_ABSENT, path, 0, 0,
                      "write plain .mtx and compress it, or install libarchive's headers and build again",
                      "this build is without libarchive and cannot write %s", compression);
}

enum sp_status sp_archive_writer_put(struct sp_archive_writer *writer, const char *text, size_t n,
                                     struct sp_error *err)
{
    (void)writer;
    (void)text;
    (void)n;
    return sp_fail(err, SP_ABSENT, NULL, "this build is without libarchive");
}

enum sp_status sp_archive_writer_close(struct sp_archive_writer *writer, struct sp_error *err)
{
    (void)writer;
    (void)err;
    return SP_OK;
}
