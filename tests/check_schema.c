/* Validates records against a schema. Usage: check_schema SCHEMA RECORD... ; exit 0: all obey. With --refuses
 * FIELD JSON first, the record with that top-level field replaced must *not* obey: a check of the checker. */
#include <stdio.h>
#include <string.h>

#include "schema_check.h"

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        printf("%s:%d: %s\n", path, error.line, error.text);
    return root;
}

int main(int argc, char **argv)
{
    bool refuses = argc > 4 && strcmp(argv[1], "--refuses") == 0;
    int first = refuses ? 4 : 1, bad = 0;
    json_t *schema = argc > first + 1 ? load(argv[first]) : NULL;
    if (!schema) {
        puts("usage: check_schema [--refuses FIELD JSON] SCHEMA RECORD...");
        return 2;
    }
    for (int i = first + 1; i < argc; i++) {
        char text[1024] = "not JSON";
        json_t *record = load(argv[i]);
        if (record && refuses)
            json_object_set_new(record, argv[2], json_loads(argv[3], JSON_DECODE_ANY, NULL));
        bool ok = record && schema_check(schema, record, text, sizeof text);
        if (ok == refuses) {
            printf("%s: %s\n", argv[i], ok ? "obeys although it should not" : text);
            bad = 1;
        }
        json_decref(record);
    }
    json_decref(schema);
    return bad;
}
