#include "track/pins.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/atomic_file.h"
#include "io/input_file.h"

static void pin_file(const struct sp_store *store, const struct sp_entry *of, char *path, size_t size)
{
    snprintf(path, size, "%s/pins/%.16s-%.16s.json", store->path, of->series, of->env);
}

enum sp_status sp_pins_set(const struct sp_store *store, const struct sp_entry *const *entry, int n,
                           const char *why, struct sp_error *err)
{
    char path[4096];
    struct sp_atomic_file file;
    snprintf(path, sizeof path, "%s/pins", store->path);
    const int failed = sp_make_directories(path);
    if (failed)
        return sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "%s", strerror(failed));
    pin_file(store, entry[0], path, sizeof path);
    json_t *root = json_object(), *ids = json_array();
    json_object_set_new(root, "schema", json_string("spmodel.pin/1"));
    json_object_set_new(root, "series", json_string(entry[0]->series));
    json_object_set_new(root, "why", why ? json_string(why) : json_null());
    for (int i = 0; i < n; i++)
        json_array_append_new(ids, json_string(entry[i]->id));
    json_object_set_new(root, "records", ids);
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status == SP_OK) {
        json_dumpf(root, file.stream, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
        fputc('\n', file.stream);
        status = sp_atomic_commit(&file, err);
    }
    json_decref(root);
    return status;
}

enum sp_status sp_pins_drop(const struct sp_store *store, const struct sp_entry *of, bool *had,
                            struct sp_error *err)
{
    char path[4096];
    pin_file(store, of, path, sizeof path);
    *had = unlink(path) == 0;
    return *had || errno == ENOENT ? SP_OK
                                   : sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "%s", strerror(errno));
}

static const struct sp_entry *entry_of(const struct sp_index *index, const char *id)
{
    for (int64_t i = index->n - 1; i >= 0; i--)
        if (strcmp(index->entry[i].id, id) == 0)
            return &index->entry[i];
    return NULL;
}

enum sp_status sp_pins_find(const struct sp_store *store, const struct sp_entry *of,
                            const struct sp_index *index, const struct sp_entry **out, int *n,
                            struct sp_error *err)
{
    char path[4096];
    static const char remedy[] = "accept a baseline again: track accept";
    json_t *item;
    size_t i;
    *n = 0;
    pin_file(store, of, path, sizeof path);
    if (access(path, F_OK) != 0)
        return SP_OK;
    json_t *root;
    enum sp_status status = sp_input_json(path, SP_INPUT_MOST_B, remedy, &root, err);
    const json_t *ids = json_object_get(root, "records");
    if (status == SP_OK && !json_is_array(ids))
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "it names no records");
    json_array_foreach((json_t *)ids, i, item)
    {
        const struct sp_entry *e = json_is_string(item) ? entry_of(index, json_string_value(item)) : NULL;
        if (!e)
            status = sp_fail_at(err, SP_INPUT, path, 0, 0, remedy,
                                "it names the record '%s', which the store does not have",
                                json_is_string(item) ? json_string_value(item) : "?");
        else if (*n < SP_MOST_PINNED)
            out[(*n)++] = e;
    }
    json_decref(root);
    return status;
}
