#include "io/record/record_field.h"

#include <string.h>

#include "base/option/run_option.h"

const struct sp_field_facts sp_record_fields[SP_N_FIELDS] = {
#define FIELD(id, p, t, ...)                                                                                 \
    [SP_F_##id] = {.path = p, .length = sizeof p - 1, .type = t, .words = __VA_ARGS__},
#include "io/record/record_fields.inc"
};

const char *sp_field_path(enum sp_record_field field)
{
    return sp_record_fields[field].path;
}

const char *sp_field_key(enum sp_record_field field)
{
    const char *path = sp_field_path(field), *dot = path ? strrchr(path, '.') : NULL;
    return dot ? dot + 1 : path;
}

const char *sp_field_within(enum sp_record_field field, enum sp_record_field object)
{
    const char *path = sp_field_path(field), *of = sp_field_path(object), *key = sp_field_key(field);
    const size_t n = of ? strlen(of) : 0;
    return path && of && strncmp(path, of, n) == 0 && key == path + n + 1 ? key : NULL;
}

enum sp_record_field sp_field_find(const char *path)
{
    const size_t length = strlen(path);
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++)
        if (sp_record_fields[i].length == length && memcmp(sp_record_fields[i].path, path, length) == 0)
            return (enum sp_record_field)i;
    return SP_F_NONE;
}

enum sp_record_field sp_field_in(enum sp_record_field object, const char *key)
{
    const char *of = sp_field_path(object);
    const size_t n = strlen(of), length = n + 1 + strlen(key);
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++) {
        const struct sp_field_facts *f = &sp_record_fields[i];
        if (f->length == length && f->path[n] == '.' && memcmp(f->path, of, n) == 0 &&
            strcmp(f->path + n + 1, key) == 0)
            return (enum sp_record_field)i;
    }
    return SP_F_NONE;
}

enum sp_record_field sp_field_of_symbol(const char *symbol)
{
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++)
        if (sp_word_among(sp_record_fields[i].symbol, symbol) >= 0)
            return (enum sp_record_field)i;
    return SP_F_NONE;
}
