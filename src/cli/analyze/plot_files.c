#include "cli/analyze/plot_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/print.h"
#include "io/record/record.h"

struct candidate {
    char path[1024];
    struct timespec changed;
};

static bool newer(const struct candidate *a, const struct candidate *b)
{
    return a->changed.tv_sec != b->changed.tv_sec ? a->changed.tv_sec > b->changed.tv_sec
                                                  : a->changed.tv_nsec > b->changed.tv_nsec;
}

static int newest_first(const void *a, const void *b)
{
    return newer(a, b) ? -1 : newer(b, a);
}

/* Does it belong to somebody who could make us read what we did not mean? */
static bool is_foreign(const struct stat *facts)
{
    return facts->st_uid != geteuid() && facts->st_uid != 0;
}

enum sp_status sp_newest_record(const char *directory, char *path, size_t size, struct sp_error *err)
{
    struct candidate *list = NULL;
    size_t n = 0, room = 0;
    *path = '\0';
    DIR *open = opendir(directory);
    struct stat folder;
    if (!open || fstat(dirfd(open), &folder) != 0) {
        const int error = errno;
        if (open)
            closedir(open);
        return sp_fail_at(err, SP_INPUT, directory, 0, 0, "name a record file",
                          "cannot look for records here: %s", strerror(error));
    }
    if (is_foreign(&folder)) {
        closedir(open);
        return sp_fail_at(
            err, SP_INPUT, directory, 0, 0, "name a record file",
            "the folder belongs to another user (uid %lld): none of its records is taken unasked",
            (long long)folder.st_uid);
    }
    int n_foreign = 0;
    for (struct dirent *entry; (entry = readdir(open));) {
        size_t length = strlen(entry->d_name);
        struct candidate one;
        struct stat facts;
        snprintf(one.path, sizeof one.path, "%s/%s", directory, entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0 || stat(one.path, &facts) != 0 ||
            !S_ISREG(facts.st_mode))
            continue;
        if (is_foreign(&facts)) {
            n_foreign++;
            continue;
        }
        one.changed = facts.st_mtim;
        if (n == room) {
            room = room ? 2 * room : 64;
            struct candidate *grown = realloc(list, room * sizeof *list);
            if (!grown)
                break; /* the newest of what fits is still an answer */
            list = grown;
        }
        list[n++] = one;
    }
    closedir(open);
    if (n > 1)
        sp_sort_by(list, n, sizeof *list, newest_first);
    for (size_t i = 0; i < n && !*path; i++) {
        struct sp_record record;
        if (sp_record_read(list[i].path, &record, NULL) != SP_OK)
            continue;
        snprintf(path, size, "%s", strncmp(list[i].path, "./", 2) == 0 ? list[i].path + 2 : list[i].path);
        sp_record_free(&record);
    }
    free(list);
    if (*path)
        return SP_OK;
    return sp_fail_at(err, SP_INPUT, directory, 0, 0,
                      "name a record file, or make one: spmodel analyze MATRIX.mtx",
                      n_foreign ? "there is no record of yours here, and others' are not taken unasked"
                                : "there is no record here");
}

enum sp_status sp_draw_to_stdout(const struct sp_plot_kind *kind, const struct sp_record *const *records,
                                 int n, enum sp_term term, const struct sp_plot_tool *tool,
                                 struct sp_error *err)
{
    char *bytes;
    size_t size;
    const enum sp_status status = sp_plot_picture(kind, records, n, term, tool, &bytes, &size, err);
    if (term != SP_TERM_TXT)
        sp_guard_as_data(stdout);
    if (status == SP_OK)
        fwrite(bytes, 1, size, stdout);
    free(bytes);
    return status;
}
