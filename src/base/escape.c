#include "base/escape.h"

#include <ctype.h>
#include <stdint.h>
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

/* Between letters and digits an underscore is itself: no emphasis there [CommonMark 6.2]. */
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

/* What stands for a character of the text; NULL: its visible form. */
static const char *entity_of(uint32_t code)
{
    return code == '<'                 ? "&lt;"
           : code == '>'               ? "&gt;"
           : code == '&'               ? "&amp;"
           : code == '"'               ? "&quot;"
           : code == '\''              ? "&#39;"
           : (code & 0xfffe) == 0xfffe ? "\xef\xbf\xbd"
                                       : NULL;
}

void sp_xml_text(FILE *out, const char *text)
{
    char shown[SP_VISIBLE_MOST];
    while (*text) {
        const size_t n = sp_plain_length(text, SIZE_MAX, "<>&\"'");
        fwrite(text, 1, n, out);
        text += n;
        if (!*text)
            break;
        const char *from = text;
        const uint32_t code = sp_utf8_next(&from);
        sp_visible_next(&text, shown);
        const char *entity = entity_of(code);
        fputs(entity ? entity : shown, out);
    }
}

static bool is_allowed(uint32_t c, bool first)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           (!first && (c == '-' || c == '.'));
}

char *sp_file_stem(char *text, size_t size, const char *name)
{
    size_t n = 0;
    do {
        const uint32_t c = sp_utf8_next(&name);
        if (n + 1 < size) {
            text[n] = is_allowed(c, n == 0) ? (char)c : '_';
            n++;
        }
    } while (*name);
    text[n] = '\0';
    return text;
}

bool sp_is_file_stem(const char *name)
{
    bool is = *name;
    for (const char *c = name; *c && is; c++)
        is = is_allowed((unsigned char)*c, c == name);
    return is;
}
