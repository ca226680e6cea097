#include "base/print.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"

/* One conversion: "%-*.3lld". */
struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    char length[3], letter;
};

static int read_number(const char **format, va_list *args)
{
    if (**format == '*') {
        (*format)++;
        return va_arg(*args, int);
    }
    char *end;
    const int number = (int)strtol(*format, &end, 10);
    *format = end;
    return number;
}

/* Behind "%". */
static struct conversion read_conversion(const char **format, va_list *args)
{
    struct conversion c = {.width = -1, .precision = -1};
    for (size_t n = 0; **format && strchr("-+ #0'", **format); (*format)++)
        if (n + 2 < sizeof c.flags)
            c.flags[n++] = **format;
    if (**format == '*' || (**format >= '1' && **format <= '9'))
        c.width = read_number(format, args);
    if (c.width < -1) { /* as printf takes it */
        strcat(c.flags, "-");
        c.width = -c.width;
    }
    if (**format == '.') {
        (*format)++;
        c.precision = read_number(format, args);
    }
    for (size_t n = 0; **format && strchr("hljzt", **format); (*format)++)
        if (n + 1 < sizeof c.length)
            c.length[n++] = **format;
    c.letter = **format;
    *format += c.letter != '\0';
    return c;
}

/* The conversion as a format of printf with another length. */
static void spell(const struct conversion *c, const char *length, char *format, size_t size)
{
    char width[16] = "", precision[16] = "";
    if (c->width >= 0)
        snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(format, size, "%%%s%s%s%s%c", c->flags, width, precision, length, c->letter);
}

static intmax_t next_signed(const char *length, va_list *args)
{
    if (strcmp(length, "ll") == 0)
        return va_arg(*args, long long);
    const int of_int =
        *length == 'l' || *length == 'j' || *length == 'z' || *length == 't' ? 0 : va_arg(*args, int);
    return *length == 'l'   ? va_arg(*args, long)
           : *length == 'j' ? va_arg(*args, intmax_t)
           : *length == 'z' ? (intmax_t)va_arg(*args, size_t)
           : *length == 't' ? va_arg(*args, ptrdiff_t)
                            : of_int;
}

static uintmax_t next_unsigned(const char *length, va_list *args)
{
    const uintmax_t x = (uintmax_t)next_signed(length, args);
    return *length == '\0' || *length == 'h' ? (unsigned)x : x;
}

/* Bytes of `text` that the precision leaves: whole characters, none behind them is read. */
static size_t cut_at(const char *text, int precision)
{
    if (precision < 0)
        return strlen(text);
    const size_t n = strnlen(text, (size_t)precision);
    size_t begin = n;
    while (begin > 0 && n - begin < 3 && ((unsigned char)text[begin - 1] & 0xc0) == 0x80)
        begin--;
    const unsigned char first = begin > 0 ? (unsigned char)text[begin - 1] : 0;
    const size_t whole = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
    return whole > n - begin + 1 ? begin - 1 : n;
}

/* Writes text[size] (out NULL: nothing) visibly; returns the bytes that takes. */
static size_t put_visible(FILE *out, const char *text, size_t size)
{
    char block[512], special[SP_VISIBLE_MOST]; /* blocks, for standard error has no buffer */
    size_t n = 0, used = 0, taken;
    for (size_t i = 0; i < size; i += taken) {
        const size_t most = size - i < sizeof block ? size - i : sizeof block;
        const char *shown = text + i;
        size_t length = taken = sp_plain_length(shown, most, "");
        if (length == 0) {
            char one[5] = "";
            const char *next = one;
            memcpy(one, text + i, most < 4 ? most : 4);
            length = sp_visible_next(&next, special);
            taken = (size_t)(next - one);
            shown = special;
        }
        n += length;
        if (out && used + length > sizeof block) {
            fwrite(block, 1, used, out);
            used = 0;
        }
        memcpy(block + used, shown, out ? length : 0);
        used += out ? length : 0;
    }
    if (out)
        fwrite(block, 1, used, out);
    return n;
}

static void put_blanks(FILE *out, int n)
{
    for (int i = 0; i < n; i++)
        fputc(' ', out);
}

static void print_text(FILE *out, const struct conversion *c, const char *text)
{
    text = text ? text : "(null)";
    const size_t size = cut_at(text, c->precision), n = put_visible(NULL, text, size);
    const bool is_left = strchr(c->flags, '-') != NULL;
    const int fill = c->width > 0 && (size_t)c->width > n ? c->width - (int)n : 0;
    put_blanks(out, is_left ? 0 : fill);
    put_visible(out, text, size);
    put_blanks(out, is_left ? fill : 0);
}

#pragma GCC diagnostic ignored                                                                               \
    "-Wformat-nonliteral" /* made of the caller's, which the compiler has checked */
static void print_one(FILE *out, const struct conversion *c, va_list *args)
{
    enum { LONGEST = 1024 }; /* the largest double has 309 digits */
    char format[64], text[LONGEST] = "";
    spell(c, strchr("diuxXo", c->letter) ? "j" : "", format, sizeof format);
    if (c->letter == 's')
        print_text(out, c, va_arg(*args, const char *));
    else if (c->letter == 'd' || c->letter == 'i')
        snprintf(text, sizeof text, format, next_signed(c->length, args));
    else if (strchr("uxXo", c->letter))
        snprintf(text, sizeof text, format, next_unsigned(c->length, args));
    else if (c->letter == 'c')
        snprintf(text, sizeof text, format, va_arg(*args, int)); // NOLINT(bugprone-branch-clone): other types
    else if (c->letter == 'p')
        snprintf(text, sizeof text, format, va_arg(*args, void *));
    else
        snprintf(text, sizeof text, format, va_arg(*args, double));
    fputs(text, out);
}

void sp_print(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    flockfile(out);
    while (*format) {
        const size_t n = strcspn(format, "%");
        fwrite(format, 1, n, out);
        format += n;
        if (*format == '%' && format[1] == '%') {
            fputc('%', out);
            format += 2;
        } else if (*format == '%') {
            format++;
            const struct conversion c = read_conversion(&format, &args);
            print_one(out, &c, &args);
        }
    }
    funlockfile(out);
    va_end(args);
}

enum { MOST_CODES = 64, OUT_B = 4096, LINE_B = 2048 };

/* One guarded stream. Codes of the program are known by where they lie in the stream, so they need
 * not be written one by one: [from, to) counted from its first byte. */
struct guard {
    FILE *stream;
    int fd;
    bool is_data;
    uint64_t at; /* bytes taken so far */
    struct {
        uint64_t from, to;
    } code[MOST_CODES];
    int n_codes;
    char held[8]; /* the begin of a character whose rest has not come yet, and '\0' */
    size_t n_held;
    char out[OUT_B];
    size_t n_out;
    bool failed;
    int columns; /* of the terminal; 0: lines are not wrapped */
    char line[LINE_B + 1];
    size_t n_line;
    bool is_begun; /* part of this line was handed over: the rest follows as it is */
};
static struct guard guards[2];

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

static void hand_over(struct guard *g)
{
    g->failed = g->failed || !write_all(g->fd, g->out, g->n_out);
    g->n_out = 0;
}

static void put_out(struct guard *g, const char *bytes, size_t n)
{
    while (n > 0) {
        const size_t fits = OUT_B - g->n_out < n ? OUT_B - g->n_out : n;
        memcpy(g->out + g->n_out, bytes, fits);
        g->n_out += fits;
        bytes += fits;
        n -= fits;
        if (g->n_out == OUT_B)
            hand_over(g);
    }
}

enum { ESCAPE = 27 }; /* begins a sequence for the terminal */

/* Bytes of the next character, or of a sequence of the program's own, which takes no column. */
static size_t next_column(const char *text, size_t n, int *columns)
{
    const char *next = text;
    if (*text == ESCAPE) {
        while (next < text + n && !isalpha((unsigned char)*next))
            next++;
        return (size_t)(next - text) + (next < text + n);
    }
    sp_utf8_next(&next);
    ++*columns;
    return (size_t)(next - text);
}

/* Where the last column of a line begins: behind the last two spaces or more. */
static size_t last_column(const char *line, size_t n)
{
    size_t begin = 0;
    for (size_t i = 0; i + 1 < n; i++)
        if (line[i] == ' ' && (line[i + 1] == ' ' || i == begin))
            begin = i + 1 + (line[i + 1] == ' ');
    return begin;
}

static int columns_of(const char *text, size_t n)
{
    int columns = 0;
    for (size_t i = 0; i < n;)
        i += next_column(text + i, n - i, &columns);
    return columns;
}

/* Bytes of `text` that fit, up to a space where they are not all of it; all of it where it has no
 * space. */
static size_t fitting(const char *text, size_t n, int columns)
{
    size_t fits = 0;
    int used = 0;
    for (size_t i = 0; i < n;) {
        if (text[i] == ' ' && i > 0 && (used <= columns || fits == 0))
            fits = i;
        i += next_column(text + i, n - i, &used);
    }
    return used <= columns || fits == 0 ? n : fits;
}

/* The line that is held, in pieces one below the other. A table wider than the terminal and a
 * command, which is to be copied, stay in one. */
static void put_line(struct guard *g)
{
    g->line[g->n_line] = '\0';
    const size_t begin = last_column(g->line, g->n_line);
    const int at = columns_of(g->line, begin), room = g->columns - at;
    const char *rest = g->line + begin;
    size_t left = g->n_line - begin;
    const bool is_command = left > 8 && strncmp(rest, "spmodel ", 8) == 0;
    if (room >= g->columns / 3 && !is_command) {
        put_out(g, g->line, begin);
        for (size_t n; (n = fitting(rest, left, room)) < left; rest += n + 1, left -= n + 1) {
            put_out(g, rest, n);
            put_out(g, "\n", 1);
            for (int i = 0; i < at; i++)
                put_out(g, " ", 1);
        }
        put_out(g, rest, left);
    } else {
        put_out(g, g->line, g->n_line);
    }
    g->n_line = 0;
}

/* What is held of a line, which goes on. */
static void put_begin(struct guard *g)
{
    g->is_begun = g->is_begun || g->n_line > 0;
    put_out(g, g->line, g->n_line);
    g->n_line = 0;
}

static void put(struct guard *g, const char *bytes, size_t n)
{
    if (g->columns == 0) {
        put_out(g, bytes, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n') {
            put_line(g);
            g->is_begun = false;
            put_out(g, "\n", 1);
            continue;
        }
        if (g->n_line == LINE_B)
            put_begin(g);
        if (g->is_begun)
            put_out(g, bytes + i, 1);
        else
            g->line[g->n_line++] = bytes[i];
    }
}

/* May more bytes make a character of these? */
static bool is_begin(const char *bytes, size_t n)
{
    const unsigned char first = (unsigned char)bytes[0];
    const size_t whole = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first >= 0xf8 || n >= whole)
        return false;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)bytes[i] & 0xc0) != 0x80)
            return false;
    return true;
}

/* What is held, but for the begin of a character, unless there is no more to come. */
static void release(struct guard *g, bool all)
{
    char shown[SP_VISIBLE_MOST];
    while (g->n_held > 0 && (all || !is_begin(g->held, g->n_held))) {
        const char *next = g->held;
        g->held[g->n_held] = '\0';
        const size_t length = sp_visible_next(&next, shown);
        if (length == 0)
            put(g, "\\u0000", 6);
        else if (g->held[0] == '\n')
            put(g, "\n", 1);
        else
            put(g, shown, length);
        const size_t taken = length == 0 ? 1 : (size_t)(next - g->held);
        g->n_held -= taken;
        memmove(g->held, next + (length == 0), g->n_held);
    }
}

static size_t n_plain(const char *bytes, size_t n)
{
    size_t i = 0;
    while (i < n && ((bytes[i] >= 0x20 && bytes[i] < 0x7f) || bytes[i] == '\n'))
        i++;
    return i;
}

static void put_text(struct guard *g, const char *bytes, size_t n)
{
    while (n > 0) {
        size_t taken = g->n_held == 0 ? n_plain(bytes, n) : 0;
        put(g, bytes, taken);
        if (taken == 0) {
            g->held[g->n_held++] = bytes[0];
            release(g, false);
            taken = 1;
        }
        bytes += taken;
        n -= taken;
    }
}

/* How many of the next n bytes are alike: text, or (*is_code) the program's own. */
static size_t next_piece(struct guard *g, size_t n, bool *is_code)
{
    while (g->n_codes > 0 && g->code[0].to <= g->at)
        memmove(g->code, g->code + 1, (size_t)--g->n_codes * sizeof *g->code);
    *is_code = g->n_codes > 0 && g->code[0].from <= g->at;
    const uint64_t end = g->n_codes == 0 ? g->at + n : *is_code ? g->code[0].to : g->code[0].from;
    return end - g->at < n ? (size_t)(end - g->at) : n;
}

static ssize_t take(void *cookie, const char *bytes, size_t n)
{
    struct guard *g = cookie;
    for (size_t i = 0, length; i < n; i += length) {
        bool is_code;
        length = next_piece(g, n - i, &is_code);
        if (is_code || g->is_data) {
            release(g, true);
            put(g, bytes + i, length);
        } else {
            put_text(g, bytes + i, length);
        }
        g->at += length;
    }
    put_begin(g);
    hand_over(g);
    const bool failed = g->failed;
    g->failed = false;
    return failed ? 0 : (ssize_t)n;
}

static struct guard *guard_of(const FILE *stream)
{
    for (size_t i = 0; i < sizeof guards / sizeof *guards; i++)
        if (stream && guards[i].stream == stream)
            return &guards[i];
    return NULL;
}

static FILE *guarded(struct guard *g, int fd, int mode)
{
    static const cookie_io_functions_t functions = {.write = take};
    *g = (struct guard){.fd = fd};
    g->stream = fopencookie(g, "w", functions);
    if (g->stream)
        setvbuf(g->stream, NULL, mode, mode == _IONBF ? 0 : 1 << 16);
    return g->stream;
}

bool sp_guard_standard_streams(void)
{
    FILE *out = guarded(&guards[0], STDOUT_FILENO, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    FILE *err = guarded(&guards[1], STDERR_FILENO, _IONBF);
    if (!out || !err)
        return false;
    stdout = out;
    stderr = err;
    return true;
}

void sp_guard_wrap(FILE *out, int columns)
{
    struct guard *g = guard_of(out);
    fflush(out);
    if (g)
        g->columns = columns;
}

void sp_guard_as_data(FILE *out)
{
    struct guard *g = guard_of(out);
    if (!g)
        return;
    sp_guard_wrap(out, 0);
    g->is_data = !isatty(g->fd);
}

void sp_terminal_code(FILE *out, const char *code)
{
    flockfile(out);
    struct guard *g = guard_of(out);
    if (g && g->n_codes == MOST_CODES)
        fflush(out);
    if (g && g->n_codes < MOST_CODES) {
        const uint64_t from = g->at + __fpending(out);
        g->code[g->n_codes].from = from;
        g->code[g->n_codes++].to = from + strlen(code);
    }
    fputs(code, out);
    funlockfile(out);
}
