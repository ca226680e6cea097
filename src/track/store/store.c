#include "track/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/option/option_words.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"

#define STORE_FILE   "spmodel-store.json"
#define STORE_SCHEMA "spmodel.store/1"

static enum sp_status create_store(const char *path, struct sp_error *err)
{
    char name[4096];
    struct sp_atomic_file file;
    snprintf(name, sizeof name, "%s/records", path);
    const enum sp_status made = sp_make_folder_within(path, name, err);
    if (made != SP_OK)
        return made;
    snprintf(name, sizeof name, "%s/" STORE_FILE, path);
    enum sp_status status = sp_atomic_open_within(name, &file, err);
    if (status != SP_OK)
        return status;
    fprintf(file.stream, "{\"schema\": \"" STORE_SCHEMA "\"}\n");
    return sp_atomic_commit(&file, err);
}

/* A folder of other things is no place for a store. "records" alone is one that is being made, or
 * whose maker was killed; where the name of a store is there by now, another process was
 * quicker. */
static enum sp_status refuse_foreign(const char *path, struct sp_error *err)
{
    DIR *folder = opendir(path);
    char other[256] = "";
    bool is_store = false;
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        is_store = is_store || strcmp(e->d_name, STORE_FILE) == 0;
        if (e->d_name[0] != '.' && strcmp(e->d_name, "records") != 0)
            snprintf(other, sizeof other, "%s", e->d_name);
    }
    if (folder)
        closedir(folder);
    if (is_store || !*other)
        return SP_OK;
    return sp_fail_at(err, SP_INPUT, path, 0, 0, "name a store, an empty folder or a new one",
                      "no store is made in a folder that has other things, such as '%s'", other);
}

enum sp_status sp_store_open(const char *path, bool create, struct sp_store *store, struct sp_error *err)
{
    char name[4096];
    enum sp_status status = SP_OK;
    if (snprintf(store->path, sizeof store->path, "%s", path) >= (int)sizeof store->path)
        return sp_fail(err, SP_USAGE, NULL, "the name of the store is too long");
    snprintf(name, sizeof name, "%s/" STORE_FILE, path);
    if (access(name, F_OK) != 0) {
        if (!create)
            return sp_fail_at(err, SP_INPUT, path, 0, 0,
                              "spmodel track add " SP_O_STORE " DIR RECORD... makes one",
                              "this is no store of records: it has no " STORE_FILE);
        status = refuse_foreign(path, err);
        return status == SP_OK ? create_store(path, err) : status;
    }
    json_t *root;
    status = sp_input_json(name, SP_INPUT_MOST_B, NULL, &root, err);
    if (status != SP_OK)
        return status;
    const char *schema = json_string_value(json_object_get(root, "schema"));
    status = !schema ? sp_fail_at(err, SP_INPUT, name, 0, 0, NULL, "no schema is named")
             : strcmp(schema, STORE_SCHEMA) != 0 &&
                     strncmp(schema, STORE_SCHEMA ".", strlen(STORE_SCHEMA) + 1) != 0
                 ? sp_fail_at(err, SP_INPUT, name, 0, 0, "take a newer version of spmodel",
                              "a store of schema '%s', which this version does not know", schema)
                 : SP_OK;
    json_decref(root);
    return status;
}

enum sp_status sp_store_check_writable(const struct sp_store *store, struct sp_error *err)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/records", store->path);
    return access(name, W_OK | X_OK) == 0 ? SP_OK
                                          : sp_fail_output(err, name, "write into the directory", errno);
}

/* What was read as a record is read again as it stands. A stream gives nothing the second time. */
static enum sp_status slurp(const char *path, char **bytes, size_t *size, struct sp_error *err)
{
    enum sp_status status = sp_input_bytes(path, SP_INPUT_MOST_B, bytes, size, err);
    if (status != SP_OK || *size > 0)
        return status;
    free(*bytes);
    *bytes = NULL;
    return sp_fail_at(err, SP_INPUT, path, 0, 0, "write it to a file first",
                      "a record that is kept must come from a file that can be read twice");
}

static bool is_same(const char *path, const char *bytes, size_t size)
{
    char *there;
    size_t n;
    if (slurp(path, &there, &n, NULL) != SP_OK)
        return false;
    const bool same = n == size && memcmp(there, bytes, n) == 0;
    free(there);
    return same;
}

/* Where a record belongs; SP_INPUT: it cannot be kept. */
static enum sp_status find_place(const struct sp_store *store, const struct sp_record *record,
                                 const char *file, int64_t line, char *path, struct sp_error *err)
{
    const char *id = "", *start = "", *status = "";
    char folder[3300], month[8];
    if (!sp_record_text(record, SP_F_ID, &id) || !sp_is_file_stem(id) || strlen(id) > 200 ||
        !sp_record_text(record, SP_F_TIME_START, &start) || strlen(start) < 7)
        return sp_fail_at(err, SP_INPUT, file, line, 0, NULL, "the record has no usable id and start");
    if (!sp_record_text(record, SP_F_STATUS, &status) || strcmp(status, "complete") != 0)
        return sp_fail_at(err, SP_INPUT, file, line, 0, "a store keeps what was measured to its end",
                          "the record is not complete: its status is '%s'", *status ? status : "unknown");
    snprintf(folder, sizeof folder, "%s/records/%s", store->path, sp_file_stem(month, sizeof month, start));
    snprintf(path, 4096, "%s/%s.json", folder, id);
    return sp_make_folder_within(store->path, folder, err);
}

/* An empty file is a claim to its name where the file system has no hard links
 * (io/files/part_file.h): of a process that writes it in a moment, or that was killed then. */
static bool is_abandoned(const char *path)
{
    const struct timespec moment = {.tv_sec = 2};
    struct stat facts;
    if (stat(path, &facts) != 0 || facts.st_size > 0)
        return false;
    nanosleep(&moment, NULL);
    return stat(path, &facts) == 0 && facts.st_size == 0;
}

static enum sp_status add_bytes(const struct sp_store *store, const struct sp_record *record,
                                const char *file, int64_t line, const char *bytes, size_t size, bool *added,
                                char *path, struct sp_error *err)
{
    enum sp_status status = find_place(store, record, file, line, path, err);
    if (status == SP_OK)
        status = sp_new_file(path, bytes, size, added, err);
    if (status == SP_OK && !*added && is_abandoned(path) && unlink(path) == 0)
        status = sp_new_file(path, bytes, size, added, err);
    if (status == SP_OK && !*added && !is_same(path, bytes, size))
        status = sp_fail_at(err, SP_OUTPUT, path, 0, 0, "records are never changed: give it another id",
                            "another record of this id is in the store");
    return status;
}

enum sp_status sp_store_add(const struct sp_store *store, const char *file, bool *added, char *path,
                            struct sp_error *err)
{
    struct sp_record record = {0};
    char *bytes = NULL;
    size_t size = 0;
    *added = false;
    enum sp_status status = sp_record_read(file, &record, err);
    if (status == SP_OK)
        status = slurp(file, &bytes, &size, err);
    if (status == SP_OK)
        status = add_bytes(store, &record, file, 0, bytes, size, added, path, err);
    free(bytes);
    sp_record_free(&record);
    return status;
}

enum sp_status sp_store_add_line(const struct sp_store *store, const char *file, int64_t line,
                                 const char *text, size_t size, bool *added, char *path, struct sp_error *err)
{
    struct sp_record record = {0};
    *added = false;
    enum sp_status status = sp_record_read_line(file, line, text, size, &record, err);
    if (status == SP_OK)
        status = add_bytes(store, &record, file, line, text, size, added, path, err);
    sp_record_free(&record);
    return status;
}

enum sp_status sp_store_list(const struct sp_store *store, struct sp_record_paths *paths,
                             struct sp_error *err)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/records", store->path);
    return sp_record_paths_add(paths, name, err);
}

static enum sp_status append(struct sp_record_paths *p, const char *path, struct sp_error *err)
{
    char *copy = strdup(path);
    if (copy && p->n == p->most) {
        const int most = p->most > 0 ? 2 * p->most : 64;
        char **more = realloc(p->path, (size_t)most * sizeof *more);
        if (more) {
            p->path = more;
            p->most = most;
        }
    }
    if (!copy || p->n == p->most) {
        free(copy);
        return sp_fail(err, SP_MEMORY, "name fewer of them", "no memory for the names of %d records", p->n);
    }
    p->path[p->n++] = copy;
    return SP_OK;
}

static bool ends_in_json(const char *name)
{
    const size_t n = strlen(name);
    return n > 5 && strcmp(name + n - 5, ".json") == 0;
}

static enum sp_status add_folder(struct sp_record_paths *p, const char *folder, struct sp_error *err)
{
    struct dirent **entry;
    const int n = scandir(folder, &entry, NULL, alphasort);
    enum sp_status status =
        n < 0 ? sp_fail(err, sp_input_status(errno), NULL, "'%s' cannot be read: %s", folder, strerror(errno))
              : SP_OK;
    for (int i = 0; i < n; i++) {
        char path[4096];
        struct stat facts;
        const char *name = entry[i]->d_name;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
        if (status == SP_OK && name[0] != '.' && length < (int)sizeof path && stat(path, &facts) == 0 &&
            (S_ISDIR(facts.st_mode) || ends_in_json(name)))
            status = S_ISDIR(facts.st_mode) ? add_folder(p, path, err) : append(p, path, err);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return status;
}

enum sp_status sp_record_paths_add(struct sp_record_paths *p, const char *name, struct sp_error *err)
{
    struct stat facts;
    if (stat(name, &facts) != 0)
        return sp_fail_at(err, SP_INPUT, name, 0, 0, "name records, or a folder with records", "%s",
                          strerror(errno));
    return S_ISDIR(facts.st_mode) ? add_folder(p, name, err) : append(p, name, err);
}

void sp_record_paths_free(struct sp_record_paths *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->n; i++)
        free(p->path[i]);
    free(p->path);
    memset(p, 0, sizeof *p);
}
