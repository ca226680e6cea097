#include "base/csv_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

static bool is_number(const char *text)
{
    static const char digits[] = "0123456789+-.eE";
    double x;
    return text[strspn(text, digits)] == '\0' && sp_parse_number(text, &x) == 0;
}

static bool is_formula(const char *text)
{
    return *text && text[1] && strchr("=+-@\t\r", *text) && !is_number(text);
}

void sp_csv_text(FILE *out, const char *text)
{
    fputs(is_formula(text) ? "\"'" : "\"", out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void sp_csv_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n")) {
        sp_csv_text(out, text);
        return;
    }
    fputs(is_formula(text) ? "'" : "", out);
    fputs(text, out);
}
