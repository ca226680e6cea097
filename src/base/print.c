#include "base/print.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"

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

/* Bytes of `text` that the precision leaves: no part of a character at their end, none behind them is read.
 */
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
    char block[512], shown[SP_VISIBLE_MOST]; /* blocks, for standard error has no buffer */
    size_t n = 0, used = 0, taken;
    for (size_t i = 0; i < size; i += taken) {
        char one[5] = "";
        const char *next = one;
        memcpy(one, text + i, size - i < 4 ? size - i : 4);
        const size_t length = sp_visible_next(&next, shown);
        taken = (size_t)(next - one);
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
