#include "io/json_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

static char *visible_copy(const char *text)
{
    const size_t size = sp_visible(text, NULL, 0) + 1;
    char *copy = malloc(size);
    if (copy)
        sp_visible(text, copy, size);
    return copy;
}

json_t *sp_json_string(const char *text)
{
    if (!text || sp_is_visible(text))
        return json_string(text);
    char *copy = visible_copy(text);
    json_t *string = json_string(copy);
    free(copy);
    return string;
}

json_t *sp_json_text(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

json_t *sp_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static bool make_visible(json_t *node);

/* The keys of an object that are not visible get new names, behind the others; a name that is there
 * already is taken from it: two keys that look alike must not say two things. */
static bool rename_keys(json_t *object)
{
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(object, next, key, value)
    {
        if (sp_is_visible(key))
            continue;
        char *name = visible_copy(key);
        const bool renamed = name && json_object_set(object, name, value) == 0;
        free(name);
        if (!renamed || json_object_del(object, key) != 0)
            return false;
    }
    return true;
}

static bool make_members_visible(json_t *object)
{
    const char *key;
    json_t *value;
    bool all_keys = true;
    json_object_foreach(object, key, value)
    {
        all_keys = all_keys && sp_is_visible(key);
        if (!make_visible(value))
            return false;
    }
    return all_keys || rename_keys(object);
}

static bool make_visible(json_t *node)
{
    if (json_is_string(node) && !sp_is_visible(json_string_value(node))) {
        char *text = visible_copy(json_string_value(node));
        const bool held = text && json_string_set(node, text) == 0;
        free(text);
        return held;
    }
    size_t i;
    json_t *item;
    if (json_is_array(node))
        json_array_foreach(node, i, item) if (!make_visible(item)) return false;
    return !json_is_object(node) || make_members_visible(node);
}

json_t *sp_json_parse(const char *text, size_t size, size_t flags, json_error_t *fault)
{
    json_t *root = json_loadb(text, size, flags, fault);
    if (!root || make_visible(root))
        return root;
    json_decref(root);
    if (fault) {
        memset(fault, 0, sizeof *fault);
        fault->line = fault->column = -1;
        snprintf(fault->text, sizeof fault->text, "out of memory");
    }
    return NULL;
}
