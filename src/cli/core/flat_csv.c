#include "cli/core/flat_csv.h"

#include <stdlib.h>

#include "base/escape.h"

static void put_cell(const json_t *value, FILE *out)
{
    if (json_is_null(value))
        return;
    if (json_is_string(value)) {
        sp_csv_field(out, json_string_value(value));
        return;
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    sp_csv_field(out, text ? text : "");
    free(text);
}

void sp_flat_csv(const json_t *object, bool with_header, FILE *out)
{
    json_t *value;
    const char *key, *comma = "";
    if (with_header) {
        json_object_foreach((json_t *)object, key, value)
        {
            fputs(comma, out);
            sp_csv_field(out, key);
            comma = ",";
        }
        fputc('\n', out);
    }
    comma = "";
    json_object_foreach((json_t *)object, key, value)
    {
        fputs(comma, out);
        comma = ",";
        put_cell(value, out);
    }
    fputc('\n', out);
}
