#include "cli/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LINE = 78 };

/* The code point at text[0..n), and its length in bytes in *used. What is no UTF-8 is taken byte by byte. */
static unsigned code_point(const unsigned char *text, size_t n, size_t *used)
{
    const int more = text[0] >= 0xf0 ? 3 : text[0] >= 0xe0 ? 2 : text[0] >= 0xc0 ? 1 : 0;
    unsigned c = more ? text[0] & (0x3fu >> more) : text[0];
    *used = 1;
    if ((size_t)more >= n)
        return text[0];
    for (int i = 1; i <= more; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return text[0];
        c = c << 6 | (text[i] & 0x3fu);
    }
    *used = (size_t)more + 1;
    return c;
}

void sp_roff_escape(const char *text, size_t n, FILE *out)
{
    /* Characters that roff would turn into typographic ones; a hyphen is one that can be copied and typed. */
    static const char *const special[128] = {
        ['\\'] = "\\e", ['-'] = "\\-", ['\''] = "\\(aq", ['`'] = "\\(ga", ['^'] = "\\(ha", ['~'] = "\\(ti"};
    for (size_t i = 0, used; i < n; i += used) {
        const unsigned c = code_point((const unsigned char *)text + i, n - i, &used);
        if (c >= 128)
            fprintf(out, "\\[u%04X]", c);
        else if (special[c])
            fputs(special[c], out);
        else if (i == 0 && c == '.')
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
