#include "base/escape.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Longer than need be, one half of a pair of UTF-16, or beyond the last character. */
static bool is_forbidden(uint32_t code, int more)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    return code < least[more] || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
}

uint32_t sp_utf8_next(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    const int more = s[0] < 0x80             ? 0
                     : (s[0] & 0xe0) == 0xc0 ? 1
                     : (s[0] & 0xf0) == 0xe0 ? 2
                     : (s[0] & 0xf8) == 0xf0 ? 3
                                             : -1;
    uint32_t code = more == 0 ? s[0] : more > 0 ? s[0] & (0x3fU >> more) : SP_UTF8_INVALID;
    int taken = 1;
    for (; taken <= more && (s[taken] & 0xc0) == 0x80; taken++)
        code = code << 6 | (s[taken] & 0x3f);
    if (more > 0 && (taken <= more || is_forbidden(code, more))) {
        code = SP_UTF8_INVALID;
        taken = 1;
    }
    *text += s[0] ? taken : 0;
    return code;
}

bool sp_is_control(uint32_t code)
{
    return (code < 0x20 && code != '\t') || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

size_t sp_plain_length(const char *text, size_t most, const char *but)
{
    size_t n = 0;
    while (n < most && text[n] >= ' ' && text[n] <= '~' && !strchr(but, text[n]))
        n++;
    return n;
}

size_t sp_visible_next(const char **text, char shown[SP_VISIBLE_MOST])
{
    const char *from = *text;
    const uint32_t code = sp_utf8_next(text);
    const size_t length = (size_t)(*text - from);
    if (code == SP_UTF8_INVALID && length == 1)
        return (size_t)snprintf(shown, SP_VISIBLE_MOST, "\\x%02x", (unsigned char)*from);
    if (length > 0 && sp_is_control(code))
        return code == '\n' || code == '\r'
                   ? (size_t)snprintf(shown, SP_VISIBLE_MOST, "\\%c", code == '\n' ? 'n' : 'r')
                   : (size_t)snprintf(shown, SP_VISIBLE_MOST, "\\u%04x", (unsigned)code);
    memcpy(shown, from, length);
    shown[length] = '\0';
    return length;
}

size_t sp_visible(const char *text, char *out, size_t size)
{
    char shown[SP_VISIBLE_MOST];
    size_t n = 0, used = 0;
    for (size_t length; (length = sp_visible_next(&text, shown)) > 0; n += length)
        if (used == n && n + length < size) {
            memcpy(out + n, shown, length);
            used += length;
        }
    if (size > 0)
        out[used] = '\0';
    return n;
}

bool sp_is_visible(const char *text)
{
    while (*text) {
        const char *from = text;
        const uint32_t code = sp_utf8_next(&text);
        if (sp_is_control(code) || (code == SP_UTF8_INVALID && text - from == 1))
            return false;
    }
    return true;
}

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

bool sp_add_shell_word(char *text, size_t size, const char *word)
{
    bool plain = *word != '\0';
    for (const char *c = word; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || strchr("_./:+,-=@%^", *c));
    size_t at = strlen(text);
    const size_t before = at;
    at += (size_t)snprintf(text + at, size - at, "%s%s", at ? " " : "", plain ? word : "'");
    for (const char *c = word; !plain && *c && at < size; c++)
        at += (size_t)snprintf(text + at, size - at, "%s%c", *c == '\'' ? "'\\'" : "", *c);
    if (!plain && at < size)
        at += (size_t)snprintf(text + at, size - at, "'");
    if (at >= size)
        text[before] = '\0';
    return at < size;
}
