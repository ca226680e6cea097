#include "base/csv_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "base/visible.h"

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
    char shown[SP_VISIBLE_MOST];
    fputs(is_formula(text) ? "\"'" : "\"", out);
    while (sp_visible_next(&text, shown) > 0) {
        if (*shown == '"')
            fputc('"', out);
        fputs(shown, out);
    }
    fputc('"', out);
}

void sp_csv_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"") || !sp_is_visible(text)) {
        sp_csv_text(out, text);
        return;
    }
    fputs(is_formula(text) ? "'" : "", out);
    fputs(text, out);
}
