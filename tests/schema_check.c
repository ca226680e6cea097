#include "schema_check.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

struct checker {
    const json_t *root;
    char place[512];
    char *text;
    size_t size;
};

static bool check(struct checker *c, const json_t *schema, const json_t *value);

static bool fault(struct checker *c, const char *what, const char *detail)
{
    snprintf(c->text, c->size, "%s: %s %s", *c->place ? c->place : "(root)", what, detail ? detail : "");
    return false;
}

/* Checks a part under its name, which is taken off again. */
static bool check_part(struct checker *c, const json_t *schema, const json_t *value, const char *name)
{
    size_t length = strlen(c->place);
    snprintf(c->place + length, sizeof c->place - length, "%s%s", length ? "." : "", name);
    bool ok = check(c, schema, value);
    if (ok)
        c->place[length] = '\0';
    return ok;
}

static bool has_type(const char *type, const json_t *value)
{
    return (strcmp(type, "object") == 0 && json_is_object(value)) ||
           (strcmp(type, "array") == 0 && json_is_array(value)) ||
           (strcmp(type, "string") == 0 && json_is_string(value)) ||
           (strcmp(type, "number") == 0 && json_is_number(value)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
           (strcmp(type, "null") == 0 && json_is_null(value)) ||
           (strcmp(type, "integer") == 0 &&
            (json_is_integer(value) ||
             (json_is_real(value) && json_real_value(value) == (double)(long long)json_real_value(value))));
}

static bool check_type(struct checker *c, const json_t *type, const json_t *value)
{
    const json_t *one;
    size_t i;
    if (json_is_string(type))
        return has_type(json_string_value(type), value) ||
               fault(c, "is not of type", json_string_value(type));
    json_array_foreach(type, i, one)
    {
        if (has_type(json_string_value(one), value))
            return true;
    }
    return fault(c, "is of none of the allowed types", NULL);
}

static bool check_enum(struct checker *c, const json_t *list, const json_t *value)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        if (json_equal(one, value))
            return true;
    }
    return fault(c, "is none of the allowed values:", json_string_value(value));
}

static bool check_pattern(struct checker *c, const char *pattern, const json_t *value)
{
    regex_t regex;
    if (!json_is_string(value))
        return true;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return fault(c, "bad pattern in the schema:", pattern);
    bool ok = regexec(&regex, json_string_value(value), 0, NULL, 0) == 0;
    regfree(&regex);
    return ok || fault(c, "does not match", pattern);
}

static bool check_object(struct checker *c, const json_t *schema, const json_t *value)
{
    const json_t *one, *properties = json_object_get(schema, "properties"),
                       *others = json_object_get(schema, "additionalProperties");
    json_t *field;
    const char *key;
    size_t i;
    json_array_foreach(json_object_get(schema, "required"), i, one)
    {
        if (!json_object_get(value, json_string_value(one)))
            return fault(c, "lacks", json_string_value(one));
    }
    json_object_foreach((json_t *)value, key, field)
    {
        const json_t *known = json_object_get(properties, key);
        if (!known && json_is_false(others))
            return fault(c, "has an unknown field", key);
        known = known ? known : json_is_object(others) ? others : NULL;
        if (known && !check_part(c, known, field, key))
            return false;
    }
    return true;
}

static bool check_any(struct checker *c, const json_t *list, const json_t *value)
{
    const json_t *one;
    size_t i, length = strlen(c->place);
    json_array_foreach(list, i, one)
    {
        if (check(c, one, value))
            return true;
        c->place[length] = '\0';
    }
    return fault(c, "fits none of the alternatives", NULL);
}

static bool keywords_known(struct checker *c, const json_t *schema)
{
    static const char *const known[] = {
        "$schema", "$id",     "$defs",    "title",      "description",
        "type",    "enum",    "required", "properties", "items",
        "minimum", "pattern", "anyOf",    "$ref",       "additionalProperties"};
    const char *key;
    json_t *unused;
    json_object_foreach((json_t *)schema, key, unused)
    {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found = found || strcmp(known[i], key) == 0;
        if (!found)
            return fault(c, "unknown keyword in the schema:", key);
    }
    return true;
}

static bool check(struct checker *c, const json_t *schema, const json_t *value)
{
    const json_t *part;
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    if (!keywords_known(c, schema))
        return false;
    if (reference) {
        const char *name = strrchr(reference, '/');
        part = json_object_get(json_object_get(c->root, "$defs"), name ? name + 1 : reference);
        if (!part)
            return fault(c, "unresolved $ref", reference);
        if (!check(c, part, value))
            return false;
    }
    if ((part = json_object_get(schema, "type")) && !check_type(c, part, value))
        return false;
    if ((part = json_object_get(schema, "enum")) && !check_enum(c, part, value))
        return false;
    if ((part = json_object_get(schema, "pattern")) && !check_pattern(c, json_string_value(part), value))
        return false;
    if ((part = json_object_get(schema, "minimum")) && json_is_number(value) &&
        json_number_value(value) < json_number_value(part))
        return fault(c, "is below the minimum", NULL);
    if ((part = json_object_get(schema, "anyOf")) && !check_any(c, part, value))
        return false;
    if (json_is_object(value) && !check_object(c, schema, value))
        return false;
    if ((part = json_object_get(schema, "items")) && json_is_array(value)) {
        const json_t *one;
        size_t i;
        json_array_foreach(value, i, one)
        {
            char name[32];
            snprintf(name, sizeof name, "[%zu]", i);
            if (!check_part(c, part, one, name))
                return false;
        }
    }
    return true;
}

bool schema_check(const json_t *schema, const json_t *value, char *text, size_t size)
{
    struct checker c = {.root = schema, .text = text, .size = size};
    *text = '\0';
    return check(&c, schema, value);
}
