#include "io/ranks/rank_files.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"
#include "io/files/places.h"
#include "io/json_text.h"
#include "io/machine/machine_file.h"
#include "sparse/ranks/ranks.h"

static const char schema[] = "spmodel.network/1";

/* The first fault is kept, later steps do nothing. */
struct reader {
    const char *path;
    enum sp_status status;
    struct sp_error *err;
};

static void fault(struct reader *r, const char *where, const char *key, const char *wanted)
{
    if (r->status == SP_OK)
        r->status = sp_fail_at(r->err, SP_INPUT, r->path, 0, 0,
                               "networks/slingshot-10.json of the program shows what a network file has",
                               "key \"%s\"%s%s: %s", key, *where ? " in " : "", where, wanted);
}

static void text_of(struct reader *r, const json_t *o, const char *where, const char *key, char *text,
                    size_t size)
{
    const json_t *v = json_object_get(o, key);
    text[0] = '\0';
    if (!json_is_string(v))
        fault(r, where, key, v ? "must be a text" : "is missing");
    else if (json_string_length(v) >= size)
        fault(r, where, key, "is too long");
    else
        snprintf(text, size, "%s", json_string_value(v));
}

/* {"value", "unit", "origin"}, of a size with which times stay finite. */
static struct sp_value value_of(struct reader *r, const json_t *o, const char *where, const char *key,
                                const char *unit)
{
    const json_t *v = json_object_get(o, key), *value = json_object_get(v, "value");
    char text[32], wanted[64];
    if (!json_is_object(v)) {
        fault(r, where, key, v ? "must be an object" : "is missing");
        return sp_value_none("not read");
    }
    text_of(r, v, key, "unit", text, sizeof text);
    if (r->status == SP_OK && strcmp(text, unit) != 0) {
        snprintf(wanted, sizeof wanted, "must be \"%s\"", unit);
        fault(r, key, "unit", wanted);
    }
    text_of(r, v, key, "origin", text, sizeof text);
    const enum sp_origin origin = sp_origin_from_name(text);
    if (r->status == SP_OK && origin != SP_MEASURED && origin != SP_STATED)
        fault(r, key, "origin", "must be measured or stated");
    const double x = json_number_value(value);
    if (!json_is_number(value) || !(x >= 1e-18 && x <= 1e18))
        fault(r, key, "value", "must be a number from 1e-18 to 1e18");
    return r->status == SP_OK ? sp_value_of(x, origin) : sp_value_none("not read");
}

/* What large messages cost beside; missing or null: nothing. */
static void read_rendezvous(struct reader *r, const json_t *o, struct sp_network_path *path)
{
    const json_t *from = json_object_get(o, "from_B");
    if (!o || json_is_null(o))
        return;
    path->rendezvous_s = value_of(r, o, "rendezvous", "latency", "s");
    path->rendezvous_B = json_number_value(from);
    if (!json_is_number(from) || !(path->rendezvous_B >= 1))
        fault(r, "rendezvous", "from_B", "must be a number of bytes");
}

/* null: not described. */
static void read_path(struct reader *r, const json_t *root, const char *key, struct sp_network_path *path)
{
    const json_t *o = json_object_get(root, key);
    path->latency_s = path->rank_Bps = path->node_Bps =
        sp_value_none("the network file does not describe it");
    if (json_is_null(o))
        return;
    if (!json_is_object(o)) {
        fault(r, "", key, o ? "must be an object, or null" : "is missing");
        return;
    }
    text_of(r, o, key, "how", path->how, sizeof path->how);
    path->latency_s = value_of(r, o, key, "latency", "s");
    path->rank_Bps = value_of(r, o, key, "rank_bandwidth", "B/s");
    read_rendezvous(r, json_object_get(o, "rendezvous"), path);
    if (!json_is_null(json_object_get(o, "node_bandwidth")))
        path->node_Bps = value_of(r, o, key, "node_bandwidth", "B/s");
}

enum sp_status sp_network_file_read(const char *path, struct sp_network *out, struct sp_error *err)
{
    static const int64_t most_B = 1 << 20;
    struct reader r = {path, SP_OK, err};
    char text[64];
    json_t *root;
    memset(out, 0, sizeof *out);
    enum sp_status status = sp_input_json(path, most_B, "correct the file", &root, err);
    if (status != SP_OK)
        return status;
    text_of(&r, root, "", "schema", text, sizeof text);
    if (r.status == SP_OK && strcmp(text, schema) != 0)
        fault(&r, "", "schema", "must be \"spmodel.network/1\"");
    text_of(&r, root, "", "name", out->name, sizeof out->name);
    text_of(&r, root, "", "what", out->what, sizeof out->what);
    text_of(&r, root, "", "source", out->source, sizeof out->source);
    read_path(&r, root, "between", &out->between);
    read_path(&r, root, "within", &out->within);
    if (r.status == SP_OK && !sp_value_known(out->between.latency_s) &&
        !sp_value_known(out->within.latency_s))
        fault(&r, "", "between", "and \"within\" are both null: nothing is described");
    json_decref(root);
    if (r.status != SP_OK)
        memset(out, 0, sizeof *out);
    return r.status;
}

/* ---- by name ---- */

/* The user's own, and those that come with the program; NULL behind them. */
struct folders {
    char storage[2][1100];
    const char *folder[3];
};

static void find_folders(struct folders *f)
{
    struct sp_machine_paths machines;
    int n = 0;
    memset(f, 0, sizeof *f);
    sp_machine_paths_find(&machines);
    const char *own = machines.directory[0], *end = own ? strrchr(own, '/') : NULL;
    if (end && machines.directory[1])
        snprintf(f->storage[n++], sizeof f->storage[0], "%.*s/networks", (int)(end - own), own);
    if (sp_data_path("networks", f->storage[n], sizeof f->storage[0]))
        n++;
    for (int i = 0; i < n; i++)
        f->folder[i] = f->storage[i];
}

enum sp_status sp_network_list(char ***paths, int *n, struct sp_error *err)
{
    struct folders f;
    *paths = NULL;
    *n = 0;
    find_folders(&f);
    for (int i = 0; f.folder[i]; i++) {
        char **some;
        int n_some;
        enum sp_status status = sp_machine_file_list(f.folder[i], &some, &n_some, err);
        char **both = status == SP_OK ? realloc(*paths, (size_t)(*n + n_some + 1) * sizeof *both) : NULL;
        if (!both) {
            sp_machine_file_unlist(some, status == SP_OK ? n_some : 0);
            sp_machine_file_unlist(*paths, *n);
            *paths = NULL;
            *n = 0;
            return status != SP_OK
                       ? status
                       : sp_fail(err, SP_MEMORY, "free memory", "no memory for the list of networks");
        }
        *paths = both;
        for (int k = 0; k < n_some; k++)
            both[(*n)++] = some[k];
        free(some);
    }
    return SP_OK;
}

static int name_length(const char *path, const char **name)
{
    *name = strrchr(path, '/') + 1;
    return (int)strlen(*name) - 5; /* .json */
}

/* The path of a name, or of the only one that begins so, among paths[n]. */
static enum sp_status choose(const char *name, char *const *paths, int n, char *path, size_t size,
                             struct sp_error *err)
{
    const size_t typed = strlen(name);
    int n_found = 0;
    char names[480] = "";
    for (int i = 0; i < n; i++) {
        const char *base;
        const int length = name_length(paths[i], &base);
        const size_t used = strlen(names);
        if (used + 80 < sizeof names)
            snprintf(names + used, sizeof names - used, "%s%.*s", used ? ", " : "", length, base);
        if (typed == 0 || strncmp(base, name, typed) != 0)
            continue;
        if (n_found == 0 || (size_t)length == typed)
            snprintf(path, size, "%s", paths[i]);
        n_found++;
        if ((size_t)length == typed) {
            n_found = 1;
            break;
        }
    }
    if (n_found == 1)
        return SP_OK;
    if (n_found > 1)
        return sp_fail(err, SP_USAGE, "write more of the name", "several networks begin with '%s': %s", name,
                       names);
    return sp_fail(err, SP_ABSENT, "take one of these, or a file", "no network '%s'; there are: %s", name,
                   *names ? names : "none");
}

static enum sp_status read_one(const char *name, struct sp_network *out, struct sp_error *err)
{
    char path[1100], **paths;
    int n;
    if (strchr(name, '/') || strstr(name, ".json"))
        return sp_network_file_read(name, out, err);
    enum sp_status status = sp_network_list(&paths, &n, err);
    if (status == SP_OK)
        status = choose(name, paths, n, path, sizeof path, err);
    sp_machine_file_unlist(paths, n);
    return status == SP_OK ? sp_network_file_read(path, out, err) : status;
}

enum sp_status sp_network_find(const char *names, struct sp_network *out, struct sp_error *err)
{
    char first[1024];
    const size_t n = strcspn(names, ",");
    memset(out, 0, sizeof *out);
    if (n >= sizeof first)
        return sp_fail(err, SP_USAGE, NULL, "the name of the network is too long");
    snprintf(first, sizeof first, "%.*s", (int)n, names);
    enum sp_status status = read_one(first, out, err);
    if (status != SP_OK || !names[n])
        return status;
    struct sp_network second;
    status = read_one(names + n + 1, &second, err);
    if (status != SP_OK) {
        memset(out, 0, sizeof *out);
        return status;
    }
    if (!sp_value_known(out->between.latency_s))
        out->between = second.between;
    if (!sp_value_known(out->within.latency_s))
        out->within = second.within;
    const size_t used = strlen(out->name);
    snprintf(out->name + used, sizeof out->name - used, ", %.*s", (int)(sizeof out->name - used - 3),
             second.name);
    return SP_OK;
}

static json_t *value_object(struct sp_value v, const char *unit)
{
    if (!sp_value_known(v))
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "value", json_real(v.value));
    json_object_set_new(o, "unit", json_string(unit));
    json_object_set_new(o, "origin", json_string(sp_origin_name(v.origin)));
    return o;
}

static json_t *path_object(const struct sp_network_path *p)
{
    if (!sp_value_known(p->latency_s))
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "latency", value_object(p->latency_s, "s"));
    json_object_set_new(o, "rank_bandwidth", value_object(p->rank_Bps, "B/s"));
    json_object_set_new(o, "node_bandwidth", value_object(p->node_Bps, "B/s"));
    if (p->rendezvous_B > 0) {
        json_t *r = json_object();
        json_object_set_new(r, "from_B", json_integer((json_int_t)p->rendezvous_B));
        json_object_set_new(r, "latency", value_object(p->rendezvous_s, "s"));
        json_object_set_new(o, "rendezvous", r);
    }
    json_object_set_new(o, "how", sp_json_string(p->how));
    return o;
}

json_t *sp_network_json(const struct sp_network *n)
{
    json_t *o = json_object();
    json_object_set_new(o, "schema", json_string("spmodel.network/1"));
    json_object_set_new(o, "name", sp_json_string(n->name));
    json_object_set_new(o, "what", sp_json_string(n->what));
    json_object_set_new(o, "source", sp_json_string(n->source));
    json_object_set_new(o, "between", path_object(&n->between));
    json_object_set_new(o, "within", path_object(&n->within));
    return o;
}

enum sp_status sp_network_file_write(const char *path, const struct sp_network *n, struct sp_error *err)
{
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    json_t *root = sp_network_json(n);
    if (json_dumpf(root, file.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0 ||
        fputc('\n', file.stream) == EOF) {
        sp_atomic_abort(&file);
        status = sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "the network cannot be written");
    } else {
        status = sp_atomic_commit(&file, err);
    }
    json_decref(root);
    return status;
}

static const char remedy[] = "a partition file has a line for each row: the number of its part, from 0 on";

/* Blanks, then a number, then blanks; -1: it is none, or more than there can be. */
static int64_t number_of(const char *line, const char *end)
{
    int64_t number = 0;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if (line == end || *line < '0' || *line > '9')
        return -1;
    for (; line < end && *line >= '0' && *line <= '9'; line++)
        if ((number = 10 * number + (*line - '0')) >= SP_MAX_RANKS)
            return -1;
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
        line++;
    return line == end ? number : -1;
}

static enum sp_status read_lines(const char *path, const char *text, size_t size, int64_t n_r, int32_t *part,
                                 int *n_parts, struct sp_error *err)
{
    int64_t n = 0;
    while (size > 0 && memchr(" \t\r\n", text[size - 1], 4)) /* blank lines at the end, too */
        size--;
    for (const char *line = text, *last = text + size; line < last; n++) {
        const char *end = memchr(line, '\n', (size_t)(last - line));
        end = end ? end : last;
        const int64_t number = number_of(line, end);
        if (number < 0)
            return sp_fail_at(err, SP_INPUT, path, n + 1, 0, remedy, "'%.*s' is no number of a part",
                              (int)(end - line < 40 ? end - line : 40), line);
        if (n == n_r)
            return sp_fail_at(err, SP_INPUT, path, n + 1, 0, remedy,
                              "there are more lines than the matrix has rows, %lld", (long long)n_r);
        part[n] = (int32_t)number;
        *n_parts = number >= *n_parts ? (int)number + 1 : *n_parts;
        line = end + 1;
    }
    if (n < n_r)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "it has %lld lines, the matrix has %lld rows",
                          (long long)n, (long long)n_r);
    return SP_OK;
}

enum sp_status sp_row_parts_read(const char *path, int64_t n_r, int32_t **part, int *n_parts,
                                 struct sp_error *err)
{
    char *text;
    size_t size;
    void *p;
    *part = NULL;
    *n_parts = 0;
    enum sp_status status = sp_input_bytes(path, SP_INPUT_MOST_B, &text, &size, err);
    if (status != SP_OK)
        return status;
    status = sp_new_array(n_r, sizeof **part, "parts of rows", &p, err);
    int32_t *numbers = p;
    if (status == SP_OK)
        status = read_lines(path, text, size, n_r, numbers, n_parts, err);
    free(text);
    if (status == SP_OK) {
        *part = numbers;
    } else {
        free(numbers);
        *n_parts = 0;
    }
    return status;
}

enum sp_status sp_row_parts_write(const char *path, const int32_t *part, int64_t n_r, struct sp_error *err)
{
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < n_r; i++)
        fprintf(file.stream, "%ld\n", (long)part[i]);
    return sp_atomic_commit(&file, err);
}
