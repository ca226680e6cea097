#include "track/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/atomic_file.h"
#include "io/input_file.h"
#include "io/new_file.h"

#define STORE_FILE   "spmodel-store.json"
#define STORE_SCHEMA "spmodel.store/1"

static enum sp_status create_store(const char *path, struct sp_error *err)
{
    char name[4096];
    struct sp_atomic_file file;
    snprintf(name, sizeof name, "%s/records", path);
    const int failed = sp_make_directories(name);
    if (failed)
        return sp_fail_at(err, SP_OUTPUT, name, 0, 0, NULL, "%s", strerror(failed));
    snprintf(name, sizeof name, "%s/" STORE_FILE, path);
    enum sp_status status = sp_atomic_open(name, &file, err);
    if (status != SP_OK)
        return status;
    fprintf(file.stream, "{\"schema\": \"" STORE_SCHEMA "\"}\n");
    return sp_atomic_commit(&file, err);
}

enum sp_status sp_store_open(const char *path, bool create, struct sp_store *store, struct sp_error *err)
{
    char name[4096];
    if (snprintf(store->path, sizeof store->path, "%s", path) >= (int)sizeof store->path)
        return sp_fail(err, SP_USAGE, NULL, "the name of the store is too long");
    snprintf(name, sizeof name, "%s/" STORE_FILE, path);
    if (access(name, F_OK) != 0) {
        if (!create)
            return sp_fail_at(err, SP_INPUT, path, 0, 0, "spmodel track add --store DIR RECORD... makes one",
                              "this is no store of records: it has no " STORE_FILE);
        return create_store(path, err);
    }
    json_t *root;
    enum sp_status status = sp_input_json(name, SP_INPUT_MOST_B, NULL, &root, err);
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

enum sp_status sp_store_add(const struct sp_store *store, const char *file, bool *added, char *path,
                            struct sp_error *err)
{
    struct sp_record record = {0};
    const char *id = "", *start = "";
    char *bytes = NULL, folder[3300];
    size_t size = 0;
    *added = false;
    enum sp_status status = sp_record_read(file, &record, err);
    if (status == SP_OK)
        status = slurp(file, &bytes, &size, err);
    if (status == SP_OK &&
        (!sp_record_text(&record, "id", &id) || !*id || strchr(id, '/') || *id == '.' || strlen(id) > 200 ||
         !sp_record_text(&record, "time.start", &start) || strlen(start) < 7 || strchr(start, '/')))
        status = sp_fail_at(err, SP_INPUT, file, 0, 0, NULL, "the record has no usable id and start");
    if (status == SP_OK) {
        snprintf(folder, sizeof folder, "%s/records/%.7s", store->path, start);
        snprintf(path, 4096, "%s/%s.json", folder, id);
        const int failed = sp_make_directories(folder);
        if (failed)
            status = sp_fail_at(err, SP_OUTPUT, folder, 0, 0, NULL, "%s", strerror(failed));
    }
    if (status == SP_OK)
        status = sp_new_file(path, bytes, size, added, err);
    if (status == SP_OK && !*added && !is_same(path, bytes, size))
        status = sp_fail_at(err, SP_OUTPUT, path, 0, 0, "records are never changed: give it another id",
                            "another record of this id is in the store");
    free(bytes);
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
