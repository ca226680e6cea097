#include "base/csv_text.h"

#include <string.h>

void sp_csv_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void sp_csv_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n"))
        sp_csv_text(out, text);
    else
        fputs(text, out);
}
