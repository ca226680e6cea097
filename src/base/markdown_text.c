#include "base/markdown_text.h"

#include <ctype.h>
#include <string.h>

/* Between letters and digits an underscore is one: no emphasis begins or ends there [CommonMark 6.2]. */
static int is_in_word(const char *text, const char *p)
{
    return p > text && isalnum((unsigned char)p[-1]) && isalnum((unsigned char)p[1]);
}

/* A number at the begin that a list would take: "1." or "1)"; its mark, NULL: there is none. */
static const char *mark_of_item(const char *text)
{
    const char *p = text + strspn(text, "0123456789");
    return p > text && (*p == '.' || *p == ')') && (p[1] == ' ' || !p[1]) ? p : NULL;
}

void sp_markdown_text(FILE *out, const char *text)
{
    static const char anywhere[] = "\\`*[]<>|~&$", at_begin[] = "#+-=";
    while (*text && (isspace((unsigned char)*text) || iscntrl((unsigned char)*text)))
        text++;
    const char *mark = mark_of_item(text);
    for (const char *p = text; *p; p++) {
        if (strchr(anywhere, *p) || (*p == '_' && !is_in_word(text, p)) ||
            (p == text && strchr(at_begin, *p)) || p == mark)
            fputc('\\', out);
        fputc(iscntrl((unsigned char)*p) ? ' ' : *p, out);
    }
}
