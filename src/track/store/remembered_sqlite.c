#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/part_file.h"
#include "track/store/remembered.h"

/* Of the layout of struct sp_entry as stored: another one is not read. */
#define LAYOUT 11

static const char create[] = "CREATE TABLE remembered (path TEXT PRIMARY KEY, modified_ns INTEGER, size_B "
                             "INTEGER, why TEXT, entry BLOB)"
                             " WITHOUT ROWID;";

static enum sp_status failed(sqlite3 *db, const char *file, struct sp_error *err)
{
    return sp_fail_at(err, SP_OUTPUT, file, 0, 0, "remove it; it is made again from the records", "%s",
                      db ? sqlite3_errmsg(db) : "no memory");
}

void sp_remembered_free(struct sp_remembered *list, int64_t n)
{
    for (int64_t i = 0; list && i < n; i++)
        free(list[i].path);
    free(list);
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

static bool take_row(sqlite3_stmt *s, struct sp_remembered *one)
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

enum sp_status sp_remembered_read(const char *file, struct sp_remembered **list, int64_t *n,
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

static bool insert_all(sqlite3 *db, const struct sp_remembered *list, int64_t n)
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

/* A new file under a temporary name, filled by `fill`, then renamed: readers see the old one or the new one.
 */
static enum sp_status make_file(const char *file, const char *schema,
                                bool (*fill)(sqlite3 *db, const void *context), const void *context,
                                struct sp_error *err)
{
    char part[4200];
    sqlite3 *db = NULL;
    enum sp_status status = SP_OK;
    const int fd = sp_part_make(file, part, sizeof part);
    if (fd < 0)
        return sp_fail_at(err, SP_OUTPUT, file, 0, 0, NULL, "%s", strerror(errno));
    /* no journal: nobody goes on with a part, and it would have a name of its own */
    if (sqlite3_open(part, &db) != SQLITE_OK ||
        sqlite3_exec(db, "PRAGMA journal_mode = OFF", NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK || !fill(db, context) ||
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = failed(db, file, err);
    sqlite3_close(db);
    sp_part_permit(fd, file);
    close(fd);
    if (status == SP_OK && !sp_part_rename(part, file))
        status = sp_fail_at(err, SP_OUTPUT, file, 0, 0, NULL, "it cannot be written");
    if (status != SP_OK)
        sp_part_remove(part);
    return status;
}

struct listed {
    const struct sp_remembered *list;
    int64_t n;
};

static bool fill_remembered(sqlite3 *db, const void *context)
{
    const struct listed *l = context;
    return insert_all(db, l->list, l->n);
}

enum sp_status sp_remembered_write(const char *file, const struct sp_remembered *list, int64_t n,
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

enum sp_status sp_remembered_export(const char *file, const struct sp_entry *entry, char *const *path,
                                    int64_t n, struct sp_error *err)
{
    static const char schema[] =
        "PRAGMA user_version = 2;"
        "CREATE TABLE record (id TEXT PRIMARY KEY, series TEXT, env TEXT, start TEXT, status TEXT, matrix "
        "TEXT,"
        " what TEXT, machine TEXT, source_commit TEXT, source_branch TEXT, tool TEXT, bytes_origin TEXT,"
        " path TEXT, time_s REAL, bytes_B REAL, bandwidth_Bps REAL, roof_Bps REAL, performance_flops REAL,"
        " bandwidth_fraction REAL, model_fraction REAL, alpha REAL, lambda_t REAL, instructions REAL);"
        "CREATE TABLE run (id TEXT, run INTEGER, time_s REAL, roof_Bps REAL);"
        "CREATE INDEX by_series ON record (series, start);"
        "CREATE INDEX run_of_record ON run (id);";
    const struct exported x = {entry, path, n};
    return make_file(file, schema, fill_export, &x, err);
}
