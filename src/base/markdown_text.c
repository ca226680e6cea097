#include "base/markdown_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/visible.h"

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
    char shown[SP_VISIBLE_MOST];
    while (*text && isspace((unsigned char)*text))
        text++;
    const char *mark = mark_of_item(text);
    for (const char *p = text; *p;) {
        const char *from = p;
        const bool is_blank = isspace((unsigned char)*p);
        sp_visible_next(&p, shown);
        if (is_blank)
            strcpy(shown, " ");
        if (strchr(anywhere, *shown) || (*from == '_' && !is_in_word(text, from)) ||
            (from == text && strchr(at_begin, *shown)) || from == mark)
            fputc('\\', out);
        fputs(shown, out);
    }
}
