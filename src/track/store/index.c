#include "track/store/index.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"
#include "io/json_text.h"
#include "track/judge/comparable.h"

/* An entry with its file; entry.id "" and `why` for a file that is no usable record. */
struct remembered {
    char *path; /* owned */
    int64_t modified_ns, size_B;
    struct sp_entry entry;
    char why[256];
};

static void remembered_free(struct remembered *list, int64_t n)
{
    for (int64_t i = 0; list && i < n; i++)
        free(list[i].path);
    free(list);
}

#ifdef SP_REMEMBER_IN_SQLITE
#include <sqlite3.h>

/* Of the layout of struct sp_entry as stored: another one is not read. */
#define LAYOUT 13

static const char create[] = "CREATE TABLE remembered (path TEXT PRIMARY KEY, modified_ns INTEGER, size_B "
                             "INTEGER, why TEXT, entry BLOB) WITHOUT ROWID;";

static enum sp_status failed(sqlite3 *db, const char *file, struct sp_error *err)
{
    static const char remedy[] =
        "free some space, raise the limit of a file's size (ulimit -f), or choose another directory";
    return sp_fail_at(err, SP_OUTPUT, file, 0, 0, remedy, "cannot write the database: %s",
                      db ? sqlite3_errmsg(db) : "no memory");
}

static int64_t number(sqlite3 *db, const char *query)
{
    sqlite3_stmt *s = NULL;
    int64_t n = -1;
    if (sqlite3_prepare_v2(db, query, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return n;
}

static bool take_row(sqlite3_stmt *s, struct remembered *one)
{
    const char *path = (const char *)sqlite3_column_text(s, 0),
               *why = (const char *)sqlite3_column_text(s, 3);
    if (!path || sqlite3_column_bytes(s, 4) != (int)sizeof one->entry)
        return false;
    one->path = strdup(path);
    one->modified_ns = sqlite3_column_int64(s, 1);
    one->size_B = sqlite3_column_int64(s, 2);
    snprintf(one->why, sizeof one->why, "%s", why ? why : "");
    memcpy(&one->entry, sqlite3_column_blob(s, 4), sizeof one->entry);
    return one->path != NULL;
}

/* Reads all into *list [*n], sorted by path; freed with remembered_free(). A file that is missing
 * or damaged is an empty list. */
static enum sp_status remembered_read(const char *file, struct remembered **list, int64_t *n,
                                      struct sp_error *err)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    *list = NULL;
    *n = 0;
    if (access(file, F_OK) != 0)
        return SP_OK;
    const int64_t most = sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
                                 number(db, "PRAGMA user_version") == LAYOUT
                             ? number(db, "SELECT count(*) FROM remembered")
                             : -1;
    if (most > 0 && (*list = calloc((size_t)most, sizeof **list)) &&
        sqlite3_prepare_v2(db, "SELECT path, modified_ns, size_B, why, entry FROM remembered ORDER BY path",
                           -1, &s, NULL) == SQLITE_OK)
        while (*n < most && sqlite3_step(s) == SQLITE_ROW && take_row(s, &(*list)[*n]))
            ++*n;
    sqlite3_finalize(s);
    sqlite3_close(db);
    if (most > 0 && !*list)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %lld entries", (long long)most);
    return SP_OK;
}

static bool insert_all(sqlite3 *db, const struct remembered *list, int64_t n)
{
    sqlite3_stmt *s = NULL;
    bool good =
        sqlite3_prepare_v2(db, "INSERT INTO remembered VALUES (?, ?, ?, ?, ?)", -1, &s, NULL) == SQLITE_OK;
    for (int64_t i = 0; i < n && good; i++) {
        sqlite3_bind_text(s, 1, list[i].path, -1, SQLITE_STATIC);
        sqlite3_bind_int64(s, 2, list[i].modified_ns);
        sqlite3_bind_int64(s, 3, list[i].size_B);
        sqlite3_bind_text(s, 4, list[i].why, -1, SQLITE_STATIC);
        sqlite3_bind_blob(s, 5, &list[i].entry, (int)sizeof list[i].entry, SQLITE_STATIC);
        good = sqlite3_step(s) == SQLITE_DONE;
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return good;
}

/* A database in an empty file that has no readers yet. */
static enum sp_status fill_file(const char *part, const char *file, const char *schema,
                                bool (*fill)(sqlite3 *db, const void *context), const void *context,
                                struct sp_error *err)
{
    sqlite3 *db = NULL;
    enum sp_status status = SP_OK;
    /* no journal: nobody goes on with a part, and it would have a name of its own */
    if (sqlite3_open(part, &db) != SQLITE_OK ||
        sqlite3_exec(db, "PRAGMA journal_mode = OFF", NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK || !fill(db, context) ||
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = failed(db, file, err);
    sqlite3_close(db);
    return status;
}

/* A new file under a temporary name, filled, then renamed: readers see the old or the new. */
static enum sp_status make_file(const char *file, const char *schema,
                                bool (*fill)(sqlite3 *db, const void *context), const void *context,
                                struct sp_error *err)
{
    char part[4200];
    const int fd = sp_part_make(file, part, sizeof part);
    if (fd < 0)
        return sp_fail_output(err, file, "create the file", errno);
    enum sp_status status = fill_file(part, file, schema, fill, context, err);
    sp_part_permit(fd, file);
    close(fd);
    if (status == SP_OK && !sp_part_rename(part, file))
        status = sp_fail_at(err, SP_OUTPUT, file, 0, 0, NULL, "it cannot be written");
    if (status != SP_OK)
        sp_part_remove(part);
    return status;
}

struct listed {
    const struct remembered *list;
    int64_t n;
};

static bool fill_remembered(sqlite3 *db, const void *context)
{
    const struct listed *l = context;
    return insert_all(db, l->list, l->n);
}

/* Replaces what is there by the list, as a whole or not at all. */
static enum sp_status remembered_write(const char *file, const struct remembered *list, int64_t n,
                                       struct sp_error *err)
{
    char schema[sizeof create + 80];
    const struct listed l = {list, n};
    snprintf(schema, sizeof schema, "PRAGMA synchronous = OFF; PRAGMA user_version = %d; %s", LAYOUT, create);
    return make_file(file, schema, fill_remembered, &l, err);
}

struct exported {
    const struct sp_entry *entry;
    char *const *path;
    int64_t n;
};

static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
    if (*text)
        sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(s, at);
}

static void bind_number(sqlite3_stmt *s, int at, double x)
{
    if (isnan(x))
        sqlite3_bind_null(s, at);
    else
        sqlite3_bind_double(s, at, x);
}

static bool export_runs(sqlite3_stmt *s, const struct sp_entry *e)
{
    bool good = true;
    for (int i = 0; i < e->n_runs && good; i++) {
        bind_text(s, 1, e->id);
        sqlite3_bind_int(s, 2, i);
        sqlite3_bind_double(s, 3, e->time_s[i]);
        bind_number(s, 4, e->roof_Bps[i] > 0 ? e->roof_Bps[i] : NAN);
        good = sqlite3_step(s) == SQLITE_DONE;
        sqlite3_reset(s);
    }
    return good;
}

static bool export_entry(sqlite3_stmt *s, const struct sp_entry *e, const char *path)
{
    const char *const text[] = {e->id,     e->series, e->env,  e->start,
                                e->status, e->matrix, e->what, e->machine,
                                e->commit, e->branch, e->tool, e->origin[SP_TRACKED_BYTES],
                                path};
    const int n = (int)(sizeof text / sizeof *text);
    for (int i = 0; i < n; i++)
        bind_text(s, i + 1, text[i]);
    for (int i = 0; i < SP_N_TRACKED; i++)
        bind_number(s, n + 1 + i, e->metric[i]);
    const bool good = sqlite3_step(s) == SQLITE_DONE;
    sqlite3_reset(s);
    return good;
}

static bool fill_export(sqlite3 *db, const void *context)
{
    const struct exported *x = context;
    sqlite3_stmt *record = NULL, *run = NULL;
    bool good = sqlite3_prepare_v2(
                    db, "INSERT OR IGNORE INTO record VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                    -1, &record, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(db, "INSERT INTO run VALUES (?, ?, ?, ?)", -1, &run, NULL) == SQLITE_OK;
    for (int64_t i = 0; i < x->n && good; i++)
        good = export_entry(record, &x->entry[i], x->path[i]) && export_runs(run, &x->entry[i]);
    sqlite3_finalize(record);
    sqlite3_finalize(run);
    return good;
}

/* For other programs: tables `record` and `run` in a new file. SP_ABSENT: built without SQLite. */
static enum sp_status remembered_export(const char *file, const struct sp_entry *entry, char *const *path,
                                        int64_t n, struct sp_error *err)
{
    static const char schema[] =
        "PRAGMA user_version = 2;CREATE TABLE record (id TEXT PRIMARY KEY, series TEXT, env TEXT, start "
        "TEXT, status TEXT, matrix TEXT, what TEXT, machine TEXT, source_commit TEXT, source_branch TEXT, "
        "tool TEXT, bytes_origin TEXT, path TEXT, time_s REAL, bytes_B REAL, bandwidth_Bps REAL, roof_Bps "
        "REAL, performance_flops REAL, bandwidth_fraction REAL, model_fraction REAL, alpha REAL, lambda_t "
        "REAL, instructions REAL);CREATE TABLE run (id TEXT, run INTEGER, time_s REAL, roof_Bps REAL);CREATE "
        "INDEX by_series ON record (series, start);CREATE INDEX run_of_record ON run (id);";
    const struct exported x = {entry, path, n};
    struct sp_atomic_file to;
    struct stat facts;
    if (strcmp(file, "-") == 0 ||
        (stat(file, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)))
        return sp_fail_at(err, SP_OUTPUT, file, 0, 0, "give a file name",
                          "a database is a file: no device, pipe or stream takes it");
    enum sp_status status = sp_atomic_open(file, &to, err);
    if (status == SP_OK)
        status = fill_file(to.part, file, schema, fill_export, &x, err);
    if (status == SP_OK)
        return sp_atomic_commit(&to, err);
    sp_atomic_abort(&to);
    return status;
}

#else

static enum sp_status remembered_read(const char *file, struct remembered **list, int64_t *n,
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

static enum sp_status remembered_write(const char *file, const struct remembered *list, int64_t n,
                                       struct sp_error *err)
{
    (void)file;
    (void)list;
    (void)n;
    return absent(err);
}

static enum sp_status remembered_export(const char *file, const struct sp_entry *entry, char *const *path,
                                        int64_t n, struct sp_error *err)
{
    (void)file;
    (void)entry;
    (void)path;
    (void)n;
    return absent(err);
}

#endif

static const char *const wanted[] = {
    "schema",    "id",      "status",      "time",     "tool",     "source",     "env",     "machine",
    "problem",   "config",  "request",     "runs",     "roofs",    "metrics",    "outside", "placement",
    "sentinels", "binding", "core_events", "confirms", "campaign", "conditions", "outside"};

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

/* Behind the string that begins at p, a quote; NULL: it does not end. */
static const char *skip_string(const char *p, const char *end)
{
    for (p++; p < end; p++)
        if (*p == '\\')
            p++;
        else if (*p == '"')
            return p + 1;
    return NULL;
}

/* Behind the value that begins at p; NULL: it does not end. */
static const char *skip_value(const char *p, const char *end)
{
    int depth = 0;
    while (p && p < end) {
        const char c = *p;
        if (c == '"') {
            p = skip_string(p, end);
            if (depth == 0)
                return p;
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return p; /* behind a number or a word */
        if (c == '{' || c == '[')
            depth++;
        if (c == '}' || c == ']')
            depth--;
        p++;
        if (depth == 0 && (c == '}' || c == ']'))
            return p;
    }
    return NULL;
}

static bool is_among(const char *key, size_t n, const char *const *keys, int n_keys)
{
    for (int i = 0; i < n_keys; i++)
        if (strlen(keys[i]) == n && memcmp(keys[i], key, n) == 0)
            return true;
    return false;
}

size_t sp_skim(const char *text, size_t size, const char *const *keys, int n_keys, char *out)
{
    const char *end = text + size, *p = skip_blanks(text, end);
    size_t n = 0;
    if (p == end || *p != '{')
        return 0;
    p = skip_blanks(p + 1, end);
    out[n++] = '{';
    while (p < end && *p == '"') {
        const char *key = p, *behind_key = skip_string(p, end);
        p = behind_key ? skip_blanks(behind_key, end) : end;
        if (p == end || *p != ':')
            return 0;
        const char *value = skip_blanks(p + 1, end), *behind = skip_value(value, end);
        if (!behind)
            return 0;
        if (is_among(key + 1, (size_t)(behind_key - key) - 2, keys, n_keys)) {
            if (n > 1)
                out[n++] = ',';
            memcpy(out + n, key, (size_t)(behind - key));
            n += (size_t)(behind - key);
        }
        p = skip_blanks(behind, end);
        if (p < end && *p == ',')
            p = skip_blanks(p + 1, end);
    }
    if (p == end || *p != '}' || skip_blanks(p + 1, end) != end)
        return 0;
    out[n++] = '}';
    return n;
}

/* A stream can be read but once: that is left to who reads all of it. */
static bool read_file(const char *path, char **text, size_t *size)
{
    struct stat facts;
    *text = NULL;
    *size = 0;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0 &&
           sp_input_bytes(path, SP_INPUT_MOST_B, text, size, NULL) == SP_OK;
}

enum sp_status sp_record_skim(const char *path, struct sp_record *record, struct sp_error *err)
{
    char *text, *out = NULL;
    size_t size, n = 0;
    memset(record, 0, sizeof *record);
    if (read_file(path, &text, &size) && (out = malloc(size + 3)))
        n = sp_skim(text, size, wanted, (int)(sizeof wanted / sizeof *wanted), out);
    if (n > 0)
        record->root = sp_json_parse(out, n, 0, NULL);
    free(out);
    free(text);
    const char *schema = "", *id;
    if (json_is_object(record->root) && sp_record_text(record, SP_F_SCHEMA, &schema) &&
        strncmp(schema, "spmodel.record/1", 16) == 0 && (schema[16] == '\0' || schema[16] == '.') &&
        sp_record_text(record, SP_F_ID, &id) && json_is_object(sp_record_node(record, SP_F_TIME)))
        return SP_OK;
    sp_record_free(record);
    return sp_record_read(path, record, err);
}

static int64_t modified_ns(const struct stat *facts)
{
    return (int64_t)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec;
}

static int compare_path(const void *path, const void *one)
{
    return strcmp(path, ((const struct remembered *)one)->path);
}

/* Can its bytes be read? If not, that may pass: permissions, a server that is away. */
static bool can_be_read(const char *path)
{
    char block[4096];
    FILE *f;
    if (sp_input_open(path, &f, NULL) != SP_OK)
        return false;
    while (fread(block, 1, sizeof block, f) == sizeof block)
        ;
    const bool good = !ferror(f);
    fclose(f);
    return good;
}

/* An entry, or why there is none; no record: remembered, not readable: read again. */
static void read_record(struct remembered *one)
{
    struct sp_record record = {0};
    struct sp_error err;
    if (sp_record_skim(one->path, &record, &err) == SP_OK)
        sp_entry_of(&record, &one->entry);
    else
        snprintf(one->why, sizeof one->why, "%.255s", err.what);
    if (one->why[0] && !can_be_read(one->path))
        one->modified_ns = -1; /* the time of no file */
    sp_record_free(&record);
}

struct merging {
    const struct sp_record_paths *paths;
    size_t of_store; /* length of the store's name, however it was typed: the rest of a path is remembered */
    struct remembered *old, *now; /* now [paths->n] */
    int64_t n_old, n_read;
};

/* What is remembered of a file that has not changed since; the others are marked by size_B -1. */
static void recall(struct merging *m)
{
    for (int i = 0; i < m->paths->n; i++) {
        struct stat facts;
        struct remembered *one = &m->now[i];
        const char *name = m->paths->path[i] + m->of_store;
        const struct remembered *was =
            m->n_old > 0 ? bsearch(name, m->old, (size_t)m->n_old, sizeof *m->old, compare_path) : NULL;
        one->path = m->paths->path[i];
        if (stat(one->path, &facts) != 0) {
            one->size_B = -1;
            continue;
        }
        if (was && was->modified_ns == modified_ns(&facts) && was->size_B == facts.st_size) {
            one->entry = was->entry;
            memcpy(one->why, was->why, sizeof one->why);
        } else {
            one->entry.id[0] = '\0';
            one->entry.n_runs = -1; /* to be read */
            m->n_read++;
        }
        one->modified_ns = modified_ns(&facts);
        one->size_B = facts.st_size;
    }
}

static enum sp_status read_new(struct merging *m, const struct sp_progress *progress, struct sp_error *err)
{
    int64_t done = 0;
    bool stopped = false;
#pragma omp parallel for schedule(dynamic, 16) shared(done, stopped)
    for (int i = 0; i < m->paths->n; i++) {
        struct remembered *one = &m->now[i];
        bool skip;
#pragma omp atomic read
        skip = stopped;
        if (skip || one->entry.n_runs != -1)
            continue;
        one->entry.n_runs = 0;
        read_record(one);
        int64_t now;
#pragma omp atomic capture
        now = ++done;
        if (omp_get_thread_num() == 0) {
            sp_progress_step(progress, "reading records", (double)now / (double)m->n_read);
            if (sp_progress_interrupted(progress)) {
#pragma omp atomic write
                stopped = true;
            }
        }
    }
    return stopped ? sp_fail(err, SP_INTERRUPTED, NULL, "interrupted while reading records") : SP_OK;
}

static int by_start(const void *a, const void *b)
{
    const struct remembered *x = a, *y = b;
    return sp_entry_order(&x->entry, &y->entry);
}

/* The list is in the order of its paths. */
static enum sp_status remember(const char *cache, struct merging *m, struct sp_error *err)
{
    for (int i = 0; i < m->paths->n; i++)
        m->now[i].path += m->of_store;
    const enum sp_status status = remembered_write(cache, m->now, m->paths->n, err);
    for (int i = 0; i < m->paths->n; i++)
        m->now[i].path -= m->of_store;
    return status;
}

static void note_bad(struct sp_store_index *index, const char *path, const char *why)
{
    struct sp_bad_record *bad = &index->bad[index->n_bad++];
    snprintf(bad->path, sizeof bad->path, "%s", path);
    snprintf(bad->why, sizeof bad->why, "%s", why);
}

/* The entries and the files that are none into the index. A store that was copied into another one
 * has records twice: they would count as two measurements. */
static enum sp_status fill(struct sp_store_index *index, struct remembered *list, int n, struct sp_error *err)
{
    const size_t most = (size_t)(n > 0 ? n : 1);
    sp_sort_by(list, n, sizeof *list, by_start);
    index->entry = calloc(most, sizeof *index->entry);
    index->path = calloc(most, sizeof *index->path);
    index->bad = calloc(most, sizeof *index->bad);
    if (!index->entry || !index->path || !index->bad)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %d records", n);
    for (int i = 0; i < n; i++) {
        const struct remembered *one = &list[i];
        if (one->size_B < 0)
            continue; /* it has gone meanwhile */
        if (one->why[0]) {
            note_bad(index, one->path, one->why);
            continue;
        }
        if (index->n > 0 && sp_entry_order(&index->entry[index->n - 1], &one->entry) == 0) {
            char why[256];
            snprintf(why, sizeof why, "the record '%.100s' is in the store twice", one->entry.id);
            note_bad(index, one->path, why);
            continue;
        }
        index->entry[index->n] = one->entry;
        index->path[index->n] = strdup(one->path);
        if (!index->path[index->n++])
            return sp_fail(err, SP_MEMORY, NULL, "no memory for %d records", n);
    }
    return SP_OK;
}

enum sp_status sp_index_open(const struct sp_store *store, const char *cache, bool rebuild,
                             const struct sp_progress *progress, struct sp_store_index *index,
                             struct sp_error *err)
{
    struct sp_record_paths paths = {0};
    struct merging m = {.paths = &paths, .of_store = strlen(store->path)};
    struct sp_error why = {0};
    memset(index, 0, sizeof *index);
    const bool remembers = cache && *cache;
    enum sp_status status = sp_store_list(store, &paths, err);
    if (status == SP_OK && remembers && !rebuild)
        status = remembered_read(cache, &m.old, &m.n_old, err);
    if (status == SP_OK && !(m.now = calloc((size_t)paths.n + 1, sizeof *m.now)))
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for %d records", paths.n);
    if (status == SP_OK) {
        recall(&m);
        index->n_read = m.n_read;
        status = read_new(&m, progress, err);
    }
    if (status == SP_OK && remembers && (m.n_read > 0 || m.n_old != paths.n) &&
        remember(cache, &m, &why) != SP_OK)
        snprintf(index->remark, sizeof index->remark, "%.200s", why.what);
    if (status == SP_OK)
        status = fill(index, m.now, paths.n, err);
    remembered_free(m.old, m.n_old);
    free(m.now); /* its paths are those of `paths` */
    sp_record_paths_free(&paths);
    if (status != SP_OK)
        sp_index_free(index);
    return status;
}

void sp_index_free(struct sp_store_index *index)
{
    if (!index)
        return;
    for (int64_t i = 0; index->path && i < index->n; i++)
        free(index->path[i]);
    free(index->path);
    free(index->entry);
    free(index->bad);
    memset(index, 0, sizeof *index);
}

enum sp_status sp_index_export(const struct sp_store_index *index, const char *path, struct sp_error *err)
{
    return remembered_export(path, index->entry, index->path, index->n, err);
}

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
    json_object_set_new(root, "why", sp_json_text(why));
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
    return *had || errno == ENOENT ? SP_OK : sp_fail_output(err, path, "remove the file", errno);
}

static const struct sp_entry *entry_of(const struct sp_store_index *index, const char *id)
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

static enum sp_status read_set(const char *path, const struct sp_store_index *index, struct pin_set *set,
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
                                  enum sp_tracked metric, const struct sp_store_index *index,
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
                            const struct sp_store_index *index, const struct sp_entry **out, int *n,
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
