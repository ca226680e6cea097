#include "track/store/skim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/files/input_file.h"
#include "io/json_text.h"

static const char *const wanted[] = {
    "schema",    "id",        "status",  "time",        "tool",     "source",   "env",
    "machine",   "problem",   "config",  "request",     "runs",     "roofs",    "metrics",
    "placement", "sentinels", "binding", "core_events", "confirms", "campaign", "conditions"};

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
    if (json_is_object(record->root) && sp_record_text(record, "schema", &schema) &&
        strncmp(schema, "spmodel.record/1", 16) == 0 && (schema[16] == '\0' || schema[16] == '.') &&
        sp_record_text(record, "id", &id) && json_is_object(sp_record_node(record, "time")))
        return SP_OK;
    sp_record_free(record);
    return sp_record_read(path, record, err);
}
