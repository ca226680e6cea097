#include "report/text/pen.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"

enum { TEXT_MAX = 4096 };

static const char *const ink_codes[] = {
    [SP_INK_PLAIN] = "",        [SP_INK_BOLD] = "\033[1m",     [SP_INK_DIM] = "\033[2m",
    [SP_INK_RED] = "\033[31m",  [SP_INK_GREEN] = "\033[32m",   [SP_INK_YELLOW] = "\033[33m",
    [SP_INK_BLUE] = "\033[34m", [SP_INK_MAGENTA] = "\033[35m", [SP_INK_CYAN] = "\033[36m",
};

/* What stands for a character on a terminal without UTF-8; others become '?'. */
static const struct {
    uint32_t code;
    const char *ascii;
} spellings[] = {
    {0xb1, "+-"},     {0xb5, "u"},     {0xd7, "x"},       {0xb7, "."},   {0xb2, "^2"},
    {0x3b1, "alpha"}, {0x3b2, "beta"}, {0x3bb, "lambda"}, {0x3bc, "u"},  {0x3c3, "sigma"},
    {0x2013, "-"},    {0x2014, "-"},   {0x2018, "'"},     {0x2019, "'"}, {0x201c, "\""},
    {0x201d, "\""},   {0x2026, "..."}, {0x2192, "->"},    {0x2212, "-"}, {0x2248, "~"},
    {0x2260, "!="},   {0x2264, "<="},  {0x2265, ">="},    {0x2550, "="}, {0xe9, "e"},
};

/* A character for a terminal that may not speak UTF-8; itself where it is ASCII. */
static const char *spelling_of(const char *character)
{
    const char *next = character;
    const uint32_t code = sp_utf8_next(&next);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (spellings[i].code == code)
            return spellings[i].ascii;
    return code < 0x80 ? character : "?";
}

/* Copies `text` as this pen's terminal can show it; returns the columns it takes. */
static int clean(const struct sp_pen *pen, const char *text, char out[TEXT_MAX])
{
    int columns = 0;
    size_t n = 0;
    while (*text && n + 16 < TEXT_MAX) {
        char shown[SP_VISIBLE_MOST];
        const char *from = text, *spelling = shown;
        const size_t taken = sp_visible_next(&text, shown);
        const bool is_one = strncmp(shown, from, taken) == 0;
        if (is_one && !pen->utf8)
            spelling = spelling_of(shown);
        const size_t length = strlen(spelling);
        memcpy(out + n, spelling, length);
        n += length;
        columns += is_one && spelling == shown ? 1 : (int)length;
    }
    out[n] = '\0';
    return columns;
}

static void write_inked(struct sp_pen *pen, enum sp_ink ink, const char *text, int columns)
{
    bool inked = pen->color && ink != SP_INK_PLAIN && *text;
    if (inked)
        sp_terminal_code(pen->out, ink_codes[ink]);
    fputs(text, pen->out);
    if (inked)
        sp_terminal_code(pen->out, "\033[0m");
    pen->column += columns;
}

static void blanks(struct sp_pen *pen, int n)
{
    if (n > 0)
        sp_print(pen->out, "%*s", n, "");
    pen->column += n > 0 ? n : 0;
}

static void new_line(struct sp_pen *pen)
{
    fputc('\n', pen->out);
    pen->lines++;
    pen->column = 0;
    blanks(pen, pen->indent);
}

void sp_pen_open(struct sp_pen *pen, const struct sp_report_style *style, FILE *out)
{
    *pen = (struct sp_pen){.out = out,
                           .color = style->color,
                           .utf8 = style->utf8,
                           .width = style->width > 0 ? style->width : 100};
    if (pen->width < 60)
        pen->width = 60;
}

int sp_pen_columns(const struct sp_pen *pen, const char *text)
{
    char out[TEXT_MAX];
    return clean(pen, text, out);
}

void sp_pen_put(struct sp_pen *pen, enum sp_ink ink, const char *format, ...)
{
    char text[TEXT_MAX], out[TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    int columns = clean(pen, text, out);
    write_inked(pen, ink, out, columns);
}

void sp_pen_part(struct sp_pen *pen, enum sp_ink ink, int gap, const char *format, ...)
{
    char text[TEXT_MAX], out[TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    int columns = clean(pen, text, out);
    if (pen->column > pen->indent && pen->column + gap + columns > pen->width)
        new_line(pen);
    else if (pen->column > pen->indent)
        blanks(pen, gap);
    if (pen->column + columns > pen->width)
        sp_pen_words(pen, ink, text);
    else
        write_inked(pen, ink, out, columns);
}

/* The next word of *text, cleaned, with a unit that may not be parted from it ("98 %"), or a whole
 * command between backquotes; returns its columns. */
static int next_word(const struct sp_pen *pen, const char **text, char out[TEXT_MAX])
{
    static const char white[] = " \t";
    const char *start = *text + strspn(*text, white);
    size_t length = strcspn(start, white);
    const char *open = memchr(start, '`', length);
    if (open && !memchr(open + 1, '`', length - (size_t)(open + 1 - start)) && strchr(open + 1, '`'))
        length = (size_t)(strchr(open + 1, '`') - start) + strcspn(strchr(open + 1, '`'), white);
    while (start[length] == ' ' && start[length + 1] == '%')
        length += 1 + strcspn(start + length + 1, white);
    *text = start + length;
    char word[TEXT_MAX];
    snprintf(word, sizeof word, "%.*s", (int)(length < TEXT_MAX ? length : TEXT_MAX - 1), start);
    return clean(pen, word, out);
}

void sp_pen_words(struct sp_pen *pen, enum sp_ink ink, const char *text)
{
    char line[TEXT_MAX] = "", word[TEXT_MAX];
    size_t used = 0;
    int line_columns = 0;
    while (*text) {
        int columns = next_word(pen, &text, word);
        if (columns == 0)
            continue;
        bool first = pen->column + line_columns <= pen->indent;
        bool fits =
            pen->column + line_columns + 1 + columns <= pen->width && used + strlen(word) + 2 < sizeof line;
        if (!first && !fits) {
            write_inked(pen, ink, line, line_columns);
            new_line(pen);
            used = 0;
            line_columns = 0;
        } else if (!first && used == 0) {
            blanks(pen, 1);
        } else if (!first) {
            line[used++] = ' ';
            line_columns++;
        }
        used += (size_t)snprintf(line + used, sizeof line - used, "%s", word);
        line_columns += columns;
    }
    if (used)
        write_inked(pen, ink, line, line_columns);
}

void sp_pen_tab(struct sp_pen *pen, int column)
{
    blanks(pen, pen->column < column ? column - pen->column : 1);
}

void sp_pen_right(struct sp_pen *pen, enum sp_ink ink, int column, const char *text)
{
    char out[TEXT_MAX];
    int columns = clean(pen, text, out);
    const int gap = column - columns - pen->column;
    blanks(pen, gap > 0 || pen->column == 0
                    ? gap
                    : 1); /* too long for its column: still apart from the one before */
    write_inked(pen, ink, out, columns);
}

void sp_pen_bar(struct sp_pen *pen, enum sp_ink ink, double columns, bool hatched)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    char bar[TEXT_MAX] = "";
    size_t n = 0;
    int parts = (int)(columns * 8 + 0.5), whole = pen->utf8 && !hatched ? parts / 8 : (parts + 4) / 8;
    if (parts > 0 && whole == 0 && (!pen->utf8 || hatched))
        whole = 1;
    const char *block = hatched ? (pen->utf8 ? "░" : "-") : pen->utf8 ? "█" : "#";
    for (int i = 0; i < whole && n + 8 < sizeof bar; i++)
        n += (size_t)snprintf(bar + n, sizeof bar - n, "%s", block);
    int rest = pen->utf8 && !hatched ? parts % 8 : 0;
    snprintf(bar + n, sizeof bar - n, "%s", eighths[rest]);
    write_inked(pen, ink, bar, whole + (rest > 0));
}

void sp_pen_end(struct sp_pen *pen)
{
    fputc('\n', pen->out);
    pen->lines++;
    pen->column = 0;
    pen->indent = 0;
}
