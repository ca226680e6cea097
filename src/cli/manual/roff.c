#include "cli/manual/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

enum { LINE = 78 };

void sp_roff_escape(const char *text, size_t n, FILE *out)
{
    /* Characters that roff would turn into typographic ones; a hyphen is one that can be copied and typed. */
    static const char *const special[128] = {
        ['\\'] = "\\e", ['-'] = "\\-", ['\''] = "\\(aq", ['`'] = "\\(ga", ['^'] = "\\(ha", ['~'] = "\\(ti"};
    for (const char *at = text; at < text + n && *at;) {
        const bool is_first = at == text;
        const uint32_t c = sp_utf8_next(&at);
        if (c >= 128)
            fprintf(out, "\\[u%04X]", (unsigned)c);
        else if (special[c])
            fputs(special[c], out);
        else if (is_first && c == '.')
            fputs("\\&.", out); /* at the beginning of a line it would be a request */
        else
            putc((int)c, out);
    }
}

/* The words of text[0..n); returns false where there are none. */
static bool put_words(const char *text, size_t n, FILE *out)
{
    size_t column = 0;
    for (size_t i = 0; i < n;) {
        size_t length = 0;
        while (i < n && text[i] == ' ')
            i++;
        while (i + length < n && text[i + length] != ' ')
            length++;
        if (length == 0)
            break;
        const bool breaks = column > 0 && column + 1 + length > LINE;
        if (column > 0)
            putc(breaks ? '\n' : ' ', out);
        sp_roff_escape(text + i, length, out);
        column = (column == 0 || breaks ? 0 : column + 1) + length;
        i += length;
    }
    if (column > 0)
        putc('\n', out);
    return column > 0;
}

void sp_roff_words(const char *text, FILE *out)
{
    put_words(text, strlen(text), out);
}

void sp_roff_text(const char *text, FILE *out)
{
    enum { NOTHING, WORDS, LINES } before = NOTHING;
    bool is_new = false, begun = false; /* a paragraph is to begin; something was written */
    while (*text) {
        const size_t n = strcspn(text, "\n");
        const bool as_is = *text == ' ';
        if (before == LINES && !as_is) {
            fputs(".fi\n", out);
            is_new = true;
            before = NOTHING;
        }
        if (n == 0) {
            is_new = before != NOTHING || is_new;
        } else if (as_is) {
            if (before != LINES)
                fputs(begun ? ".PP\n.nf\n" : ".nf\n", out);
            sp_roff_escape(text, n, out);
            putc('\n', out);
            before = LINES;
        } else {
            if (is_new)
                fputs(".PP\n", out);
            put_words(text, n, out);
            before = WORDS;
        }
        is_new = is_new && n == 0;
        begun = begun || n > 0;
        text += n + (text[n] == '\n');
    }
    if (before == LINES)
        fputs(".fi\n", out);
}

void sp_roff_usage(const char *text, FILE *out)
{
    while (*text) {
        size_t n = 0;
        while (isalnum((unsigned char)text[n]) || (text[n] && strchr("-_=", text[n])))
            n++;
        if (n == 0) {
            do
                n++;
            while (text[n] && !isalnum((unsigned char)text[n]) && !strchr("-_=", text[n]));
            sp_roff_escape(text, n, out);
            text += n;
            continue;
        }
        fputs(islower((unsigned char)*text) || *text == '-' ? "\\fB" : "\\fI", out);
        sp_roff_escape(text, n, out);
        fputs("\\fR", out);
        text += n;
    }
    putc('\n', out);
}
