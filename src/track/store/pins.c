#include "track/store/pins.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/files/atomic_file.h"
#include "io/files/input_file.h"
#include "track/judge/comparable.h"

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
    const enum sp_status made = sp_make_folder_within(store->path, path, err);
    if (made != SP_OK)
        return made;
    pin_file(store, entry[0], path, sizeof path);
    json_t *root = json_object(), *ids = json_array();
    json_object_set_new(root, "schema", json_string("spmodel.pin/1"));
    json_object_set_new(root, "series", json_string(entry[0]->series));
    json_object_set_new(root, "why", why ? json_string(why) : json_null());
    for (int i = 0; i < n; i++)
        json_array_append_new(ids, json_string(entry[i]->id));
    json_object_set_new(root, "records", ids);
    enum sp_status status = sp_atomic_open_within(path, &file, err);
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

/* What one file accepts, oldest first; none where there is no file. */
struct pin_set {
    const struct sp_entry *entry[SP_MOST_PINNED];
    int n;
};

static enum sp_status read_set(const char *path, const struct sp_index *index, struct pin_set *set,
                               struct sp_error *err)
{
    static const char remedy[] = "accept a baseline there again (track accept), or remove the file";
    json_t *item, *root;
    size_t i;
    set->n = 0;
    if (access(path, F_OK) != 0)
        return SP_OK;
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
        else if (set->n < SP_MOST_PINNED)
            set->entry[set->n++] = e;
    }
    json_decref(root);
    if (status != SP_OK)
        set->n = 0;
    return status;
}

/* Of the sets of all environments the one that was measured last, if the metric can be compared
 * with it. One that cannot be read, of whatever environment, is the error, and leaves the others as
 * they are. */
static enum sp_status read_latest(const struct sp_store *store, const struct sp_entry *of,
                                  enum sp_tracked metric, const struct sp_index *index,
                                  struct pin_set *latest, struct sp_error *err)
{
    char folder[3100], path[4096];
    struct dirent *entry;
    enum sp_status failed = SP_OK;
    const size_t n_key = strlen(of->series);
    snprintf(folder, sizeof folder, "%s/pins", store->path);
    DIR *dir = opendir(folder);
    if (!dir && errno != ENOENT)
        return sp_fail_at(err, sp_input_status(errno), folder, 0, 0, NULL, "%s", strerror(errno));
    while (dir && (entry = readdir(dir))) {
        struct pin_set set;
        const size_t n = strlen(entry->d_name);
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strncmp(entry->d_name, of->series, n_key) != 0 || n < 5 ||
            strcmp(entry->d_name + n - 5, ".json") != 0 || length >= (int)sizeof path)
            continue;
        const enum sp_status status = read_set(path, index, &set, failed == SP_OK ? err : NULL);
        failed = failed == SP_OK ? status : failed;
        if (set.n == 0 || !sp_entries_comparable(set.entry[set.n - 1], of, metric))
            continue;
        if (latest->n == 0 || sp_entry_order(set.entry[set.n - 1], latest->entry[latest->n - 1]) > 0)
            *latest = set;
    }
    if (dir)
        closedir(dir);
    return failed;
}

enum sp_status sp_pins_find(const struct sp_store *store, const struct sp_entry *of, enum sp_tracked metric,
                            const struct sp_index *index, const struct sp_entry **out, int *n,
                            struct sp_error *err)
{
    char path[4096];
    struct pin_set set = {.n = 0};
    enum sp_status status;
    pin_file(store, of, path, sizeof path);
    if (sp_entry_is_simulated(of, metric))
        status = read_latest(store, of, metric, index, &set, err);
    else
        status = read_set(path, index, &set, err);
    memcpy(out, set.entry, (size_t)set.n * sizeof *out);
    *n = set.n;
    return status;
}
