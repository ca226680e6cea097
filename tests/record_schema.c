/* Writes docs/record.schema.json, made of the table of fields: build/tests/record_schema >
 * docs/record.schema.json
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "io/record/record.h"

/* With what items of lists have, and what several fields are like. */
static const struct sp_field_facts rows[] = {
#define FIELD(id, p, t, ...) {.path = p, .type = t, .words = __VA_ARGS__},
#define PART(p, t, ...)      {.path = p, .type = t, .words = __VA_ARGS__},
#include "io/record/record_fields.inc"
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* The key of `row` in the object `of` (NULL: the record); NULL: it is not directly of it. */
static const char *key_in(const struct sp_field_facts *of, const struct sp_field_facts *row)
{
    const size_t n = of ? strlen(of->path) : 0;
    const char *key = row->path + n + (of != NULL);
    if (of ? strncmp(row->path, of->path, n) != 0 || row->path[n] != '.' : *row->path == '#')
        return NULL;
    return strpbrk(key, ".[") ? NULL : key;
}

static const struct sp_field_facts *items_of(const struct sp_field_facts *list)
{
    const size_t n = strlen(list->path);
    for (int i = 0; i < N_ROWS; i++)
        if (strncmp(rows[i].path, list->path, n) == 0 && strcmp(rows[i].path + n, "[]") == 0)
            return &rows[i];
    return NULL;
}

static json_t *ref(const char *name)
{
    return json_pack("{s:s+}", "$ref", "#/$defs/", name);
}

static void add(json_t **list, json_t *one)
{
    *list = *list ? *list : json_array();
    json_array_append_new(*list, one);
}

static json_t *words_of(const char *words)
{
    json_t *list = json_array();
    while (words) {
        const size_t n = strcspn(words, "|");
        json_array_append_new(list, json_stringn(words, n));
        words = words[n] ? words + n + 1 : NULL;
    }
    return list;
}

/* "string", or ["string", "null"]. */
static json_t *type_of(const struct sp_field_facts *row)
{
    static const char *const names[] = {
        [SP_A_TEXT] = "string", [SP_A_COUNT] = "integer",  [SP_A_NUMBER] = "number", [SP_A_FLAG] = "boolean",
        [SP_A_NULL] = "null",   [SP_AN_OBJECT] = "object", [SP_A_LIST] = "array"};
    static const struct {
        unsigned bit;
        const char *name;
    } others[] = {{SP_OR_OBJECT, "object"}, {SP_OR_TEXT, "string"}, {SP_OR_NULL, "null"}};
    json_t *list = json_array();
    json_array_append_new(list, json_string(names[row->type]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (row->bits & others[i].bit)
            json_array_append_new(list, json_string(others[i].name));
    json_t *type = json_array_size(list) > 1 ? json_incref(list) : json_incref(json_array_get(list, 0));
    json_decref(list);
    return type;
}

static json_t *node_of(const struct sp_field_facts *row);

static void put_fields(json_t *node, const struct sp_field_facts *of)
{
    json_t *fields = json_object(), *required = NULL;
    for (int i = 0; i < N_ROWS; i++) {
        const char *key = key_in(of, &rows[i]);
        if (key)
            json_object_set_new(fields, key, node_of(&rows[i]));
        if (key && rows[i].bits & SP_REQUIRED)
            add(&required, json_string(key));
    }
    if (json_object_size(fields) > 0)
        json_object_set(node, "properties", fields);
    if (required)
        json_object_set_new(node, "required", required);
    json_decref(fields);
}

/* The names of the fields of an object whose fields are all alike. */
static json_t *listed(const struct sp_field_facts *of)
{
    char text[1000] = "";
    size_t used = 0;
    for (int i = 0; i < N_ROWS; i++) {
        const char *key = key_in(of, &rows[i]);
        if (key && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", key);
    }
    return json_string(text);
}

static void put_object(json_t *node, const struct sp_field_facts *row)
{
    if (!row->each && !(row->bits & SP_IN_WORDS))
        put_fields(node, row);
    if (row->bits & SP_CLOSED)
        json_object_set_new(node, "additionalProperties", json_false());
    else if (row->each)
        json_object_set_new(node, "additionalProperties",
                            strcmp(row->each, "string") == 0 ? json_pack("{s:s}", "type", "string")
                                                             : ref(row->each));
    if (row->each && !row->words)
        json_object_set_new(node, "description", listed(row));
}

static json_t *node_of(const struct sp_field_facts *row)
{
    const struct sp_field_facts *items = row->type == SP_A_LIST ? items_of(row) : NULL;
    json_t *node = json_object(), *either = NULL;
    if (row->type == SP_LIKE || row->type == SP_A_VALUE) {
        json_decref(node);
        node = ref(row->type == SP_LIKE ? row->like : "value");
    } else if (row->type == SP_A_WORD)
        json_object_set_new(node, "enum", words_of(row->among));
    else
        json_object_set_new(node, "type", type_of(row));
    if (row->least)
        json_object_set_new(node, "minimum", json_loads(row->least, JSON_DECODE_ANY, NULL));
    if (row->pattern)
        json_object_set_new(node, "pattern", json_string(row->pattern));
    if (row->type == SP_AN_OBJECT)
        put_object(node, row);
    if (items)
        json_object_set_new(node, "items", node_of(items));
    if (row->bits & SP_OR_NUMBER)
        add(&either, json_pack("{s:[s,s]}", "type", "number", "null"));
    if (row->bits & (SP_OR_NUMBER | SP_OR_UNKNOWN)) {
        add(&either, node);
        node = json_object();
        json_object_set(node, "anyOf", either);
    }
    if (row->bits & SP_OR_UNKNOWN)
        json_array_append_new(either, ref("unknown"));
    if (row->words)
        json_object_set_new(node, "description", json_string(row->words));
    json_decref(either);
    return node;
}

int main(void)
{
    json_t *schema = json_pack(
        "{s:s, s:s, s:s, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema", "$id",
        SP_RECORD_SCHEMA, "title", "Record of one spmodel analysis", "description",
        "All that one analysis produced. SI base units throughout; times are UTC. Unknown fields are allowed "
        "and kept; minor versions only add. What is undefined is null with a reason.",
        "type", "object");
    json_t *defs = json_object();
    put_fields(schema, NULL);
    for (int i = 0; i < N_ROWS; i++)
        if (rows[i].path[0] == '#' && !strpbrk(rows[i].path, ".["))
            json_object_set_new(defs, rows[i].path + 1, node_of(&rows[i]));
    json_object_set_new(schema, "$defs", defs);
    const bool written = json_dumpf(schema, stdout, JSON_INDENT(1)) == 0 && putchar('\n') != EOF;
    json_decref(schema);
    return written && fflush(stdout) == 0 ? 0 : 1;
}
