#include "io/csv_table.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/files/archive.h"
#include "io/files/input_file.h"

enum { MOST_COLUMNS = 4096, BLOCK = 1 << 20 };

/* More than anybody writes as text by hand or script. */
static const int64_t most_B = INT64_C(1) << 30;

static enum sp_status unpack(const char *path, char **bytes, size_t *size, struct sp_error *err)
{
    struct sp_archive *archive;
    size_t n = 0, room = 0;
    int64_t got = 1;
    enum sp_status status = sp_archive_open(path, &archive, err);
    if (status != SP_OK)
        return status;
    *bytes = NULL;
    while (status == SP_OK && got > 0) {
        if (n + BLOCK + 1 > room) {
            room = 2 * room + BLOCK + 1;
            char *larger = realloc(*bytes, room);
            if (!larger) {
                status = sp_fail(err, SP_MEMORY, "free memory", "no memory for %s", path);
                break;
            }
            *bytes = larger;
        }
        status = sp_archive_read(archive, *bytes + n, BLOCK, &got, err);
        n += status == SP_OK ? (size_t)got : 0;
        if (status == SP_OK && (int64_t)n > most_B)
            status = sp_fail_at(err, SP_INPUT, path, 0, 0, "split it", "more than 1 GiB of text");
    }
    sp_archive_close(archive);
    if (status == SP_OK) {
        (*bytes)[n] = '\0';
        *size = n;
        return SP_OK;
    }
    free(*bytes);
    *bytes = NULL;
    return status;
}

static enum sp_status read_text(const char *path, char **bytes, size_t *size, struct sp_error *err)
{
    enum sp_status status = sp_input_bytes(path, most_B, bytes, size, err);
    if (status != SP_OK || !sp_archive_kind(*bytes, (int64_t)*size))
        return status;
    free(*bytes);
    *bytes = NULL;
    return unpack(path, bytes, size, err);
}

/* A record, or several, under the name of a table. */
static bool is_json(const char *text)
{
    text += strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (isspace((unsigned char)*text))
        text++;
    return *text == '{';
}

struct reader {
    const char *path;
    char *at, *end;
    int64_t line;
    struct sp_error *err;
};

/* The next line with something in it; false at the end. */
static bool next_line(struct reader *r)
{
    while (r->at < r->end) {
        const char *c = r->at;
        while (*c == ' ' || *c == '\t' || *c == '\r')
            c++;
        if (*c != '\n' && *c != '#' && strncmp(c, "==", 2) != 0 && c < r->end)
            return true;
        char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->at = newline ? newline + 1 : r->end;
        r->line++;
    }
    return false;
}

static char *trimmed(char *begin, char *end)
{
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    while (isspace((unsigned char)*begin))
        begin++;
    return begin;
}

/* One cell, ended in place; *last: the line ends behind it. NULL: its quote does not end. */
static char *next_cell(struct reader *r, bool *last)
{
    char *begin = r->at, *to;
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
    const bool quoted = *r->at == '"';
    if (quoted) {
        begin = to = ++r->at;
        for (;; r->at++) {
            if (r->at >= r->end)
                return NULL;
            r->line += *r->at == '\n';
            if (*r->at == '"' && *++r->at != '"')
                break;
            *to++ = *r->at;
        }
        while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
            r->at++;
        if (r->at < r->end && *r->at != ',' && *r->at != '\n')
            return NULL;
    } else {
        while (r->at < r->end && *r->at != ',' && *r->at != '\n')
            r->at++;
        to = r->at;
    }
    *last = r->at >= r->end || *r->at == '\n';
    char *next = r->at < r->end ? r->at + 1 : r->at;
    r->line += r->at < r->end && *last;
    begin = trimmed(begin, to);
    r->at = next;
    return begin;
}

/* The cells of a line into cell[most]; their number, -1: the error is said. */
static int split(struct reader *r, char **cell, int most)
{
    const int64_t line = r->line;
    bool last = false;
    int n = 0;
    while (!last) {
        char *text = next_cell(r, &last);
        if (!text) {
            sp_fail_at(r->err, SP_INPUT, r->path, line, 0, "close the quotes of the cell",
                       "the quoted cell %d does not end", n + 1);
            return -1;
        }
        if (n < most)
            cell[n] = text;
        n++;
    }
    return n;
}

static enum sp_status read_header(struct reader *r, struct sp_csv_table *t)
{
    static char *name[MOST_COLUMNS];
    void *memory;
    if (!next_line(r))
        return sp_fail_at(r->err, SP_INPUT, r->path, 0, 0, "the first line names the columns",
                          "the file has no header");
    const int64_t line = r->line;
    const int n = split(r, name, MOST_COLUMNS);
    if (n < 0)
        return SP_INPUT;
    if (n > MOST_COLUMNS)
        return sp_fail_at(r->err, SP_INPUT, r->path, line, 0, NULL, "more than %d columns", MOST_COLUMNS);
    enum sp_status status = sp_new_array(n, sizeof *t->column, "names of columns", &memory, r->err);
    if (status != SP_OK)
        return status;
    t->column = memory;
    for (int i = 0; i < n; i++) {
        if (!*name[i])
            return sp_fail_at(r->err, SP_INPUT, r->path, line, 0, "the first line names the columns",
                              "column %d has no name", i + 1);
        if (sp_csv_table_column(t, name[i]) >= 0)
            return sp_fail_at(r->err, SP_INPUT, r->path, line, 0, "rename one of them",
                              "two columns are called '%s'", name[i]);
        t->column[t->n_columns++] = name[i];
    }
    return SP_OK;
}

static enum sp_status read_rows(struct reader *r, struct sp_csv_table *t)
{
    int64_t most = 1;
    void *cells, *lines;
    for (const char *c = r->at; c < r->end; c++)
        most += *c == '\n';
    enum sp_status status = sp_new_array(most * t->n_columns, sizeof *t->cell, "cells", &cells, r->err);
    if (status != SP_OK)
        return status;
    t->cell = cells;
    status = sp_new_array(most, sizeof *t->line, "lines", &lines, r->err);
    if (status != SP_OK)
        return status;
    t->line = lines;
    while (next_line(r)) {
        const int64_t line = r->line;
        const int n = split(r, t->cell + t->n_rows * t->n_columns, t->n_columns);
        if (n < 0)
            return SP_INPUT;
        if (n != t->n_columns)
            return sp_fail_at(r->err, SP_INPUT, r->path, line, 0, "one cell a column, separated by commas",
                              "%d cells, but the header names %d columns", n, t->n_columns);
        t->line[t->n_rows++] = line;
    }
    return SP_OK;
}

enum sp_status sp_csv_table_read(const char *path, struct sp_csv_table *t, struct sp_error *err)
{
    size_t size;
    memset(t, 0, sizeof *t);
    enum sp_status status = read_text(path, &t->text, &size, err);
    if (status == SP_OK && memchr(t->text, '\0', size))
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, "give CSV, plain or compressed", "this is no text");
    if (status == SP_OK && is_json(t->text))
        status = sp_fail_at(err, SP_INPUT, path, 0, 0,
                            "rename it to .json, or to .jsonl where each line is a record",
                            "this is JSON, not CSV");
    if (status == SP_OK) {
        const bool marked = size >= 3 && memcmp(t->text, "\xef\xbb\xbf", 3) == 0;
        struct reader r = {path, t->text + (marked ? 3 : 0), t->text + size, 1, err};
        status = read_header(&r, t);
        if (status == SP_OK)
            status = read_rows(&r, t);
    }
    if (status != SP_OK)
        sp_csv_table_free(t);
    return status;
}

void sp_csv_table_free(struct sp_csv_table *t)
{
    free(t->text);
    free(t->column);
    free(t->cell);
    free(t->line);
    memset(t, 0, sizeof *t);
}

int sp_csv_table_column(const struct sp_csv_table *t, const char *name)
{
    for (int i = 0; i < t->n_columns; i++)
        if (strcmp(t->column[i], name) == 0)
            return i;
    return -1;
}
