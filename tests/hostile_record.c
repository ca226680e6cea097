#include "hostile_record.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 12 }; /* a schema may refer to itself */

struct walk {
    const json_t *root;
    struct hostile_places *places;
    bool failed;
};

static void add_place(struct walk *w, const char *path)
{
    struct hostile_places *p = w->places;
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->path[i], path) == 0)
            return;
    void *more = realloc(p->path, (size_t)(p->n + 1) * sizeof *p->path);
    w->failed = w->failed || !more || strlen(path) >= sizeof *p->path;
    if (w->failed)
        return;
    p->path = more;
    memcpy(p->path[p->n++], path, strlen(path) + 1);
}

/* No type at all allows text, too. */
static bool may_be_text(const json_t *schema)
{
    const json_t *one, *type = json_object_get(schema, "type"), *words = json_object_get(schema, "enum");
    size_t i;
    if (json_is_string(type))
        return strcmp(json_string_value(type), "string") == 0;
    json_array_foreach(type, i, one)
    {
        if (strcmp(json_string_value(one), "string") == 0)
            return true;
    }
    json_array_foreach(words, i, one)
    {
        if (json_is_string(one))
            return true;
    }
    return json_object_size(schema) == 0;
}

static void walk(struct walk *w, const json_t *schema, const char *path, int depth);

static void walk_below(struct walk *w, const json_t *schema, const char *path, const char *step, int depth)
{
    char longer[192];
    const bool dot = *path && *step != '[' && *step != '{';
    if (snprintf(longer, sizeof longer, "%s%s%s", path, dot ? "." : "", step) >= (int)sizeof longer)
        w->failed = true;
    else
        walk(w, schema, longer, depth + 1);
}

static void walk(struct walk *w, const json_t *schema, const char *path, int depth)
{
    const char *key, *reference = json_string_value(json_object_get(schema, "$ref"));
    const json_t *one, *others = json_object_get(schema, "additionalProperties");
    json_t *field;
    size_t i;
    if (depth > DEEPEST || w->failed)
        return;
    if (reference) {
        const char *name = strrchr(reference, '/');
        const json_t *target =
            json_object_get(json_object_get(w->root, "$defs"), name ? name + 1 : reference);
        w->failed = w->failed || !target;
        walk(w, target, path, depth + 1);
    }
    if (*path && may_be_text(schema))
        add_place(w, path);
    json_object_foreach(json_object_get(schema, "properties"), key, field)
        walk_below(w, field, path, key, depth);
    json_array_foreach(json_object_get(schema, "anyOf"), i, one) walk(w, one, path, depth + 1);
    if (json_object_get(schema, "items"))
        walk_below(w, json_object_get(schema, "items"), path, "[]", depth);
    if (json_is_object(others)) {
        char name[192];
        if (snprintf(name, sizeof name, "%s{key}", path) < (int)sizeof name)
            add_place(w, name);
        walk_below(w, others, path, "{}", depth);
    }
}

struct hostile_places hostile_places_of(const json_t *schema)
{
    struct hostile_places places = {0};
    struct walk w = {.root = schema, .places = &places};
    walk(&w, schema, "", 0);
    if (w.failed)
        hostile_places_free(&places);
    return places;
}

void hostile_places_free(struct hostile_places *places)
{
    free(places->path);
    memset(places, 0, sizeof *places);
}

static json_t *put(json_t *node, const char *path, const char *text, int *n);

/* What stands at `path` from here on: the text itself, or an empty list or object to go on with. */
static json_t *new_node(const char *path, const char *text)
{
    return *path == '\0' ? json_string(text) : *path == '[' ? json_array() : json_object();
}

/* In the place of `old`, which `path` leads on from; where it ends, the text. */
static json_t *changed(json_t *old, const char *path, const char *text, int *n)
{
    if (*path)
        return put(old, path, text, n);
    ++*n;
    return json_string(text);
}

static json_t *put_items(json_t *list, const char *rest, const char *text, int *n)
{
    size_t i;
    json_t *item, *copy = json_copy(list);
    if (json_array_size(list) == 0) {
        json_t *first = new_node(rest, text);
        json_array_append_new(copy, changed(first, rest, text, n));
        json_decref(first);
    }
    json_array_foreach(list, i, item) json_array_set_new(copy, i, changed(item, rest, text, n));
    return copy;
}

static json_t *put_members(json_t *object, const char *rest, const char *text, int *n)
{
    const char *key;
    json_t *member, *copy = json_copy(object);
    if (json_object_size(object) == 0) {
        json_t *first = new_node(rest, text);
        json_object_set_new(copy, "free", changed(first, rest, text, n));
        json_decref(first);
    }
    json_object_foreach(object, key, member) json_object_set_new(copy, key, changed(member, rest, text, n));
    return copy;
}

/* A copy of the node, in which all that the path does not lead through is the node's own. path: ".name…", "name…",
 * "[]…", "{}…" or "{key}", never empty. */
static json_t *put(json_t *node, const char *path, const char *text, int *n)
{
    if (strncmp(path, "[]", 2) == 0)
        return json_is_array(node) ? put_items(node, path + 2, text, n) : json_incref(node);
    if (!json_is_object(node))
        return json_incref(node);
    if (strncmp(path, "{}", 2) == 0)
        return put_members(node, path + 2, text, n);
    json_t *copy = json_copy(node);
    if (strcmp(path, "{key}") == 0) {
        *n += json_object_set_new(copy, text, json_string(text)) == 0;
        return copy;
    }
    char name[192];
    path += *path == '.';
    const size_t length = strcspn(path, ".[{");
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    path += length;
    json_t *child = json_object_get(node, name);
    child = !child || json_is_null(child) ? new_node(path, text) : json_incref(child);
    json_object_set_new(copy, name, changed(child, path, text, n));
    json_decref(child);
    return copy;
}

json_t *hostile_copy(json_t *record, const char *path, const char *text, int *n)
{
    *n = 0;
    return put(record, path, text, n);
}
