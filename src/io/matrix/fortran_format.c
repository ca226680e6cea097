#include "io/matrix/fortran_format.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "io/matrix/decimal.h"

/* A format while it is read. */
struct reading {
    const char *p, *end;
    int column; /* of the line, where the next field begins */
    int scale;
    struct sp_fortran_format *format;
};

static const char too_many[] = "has more than 128 numbers on a line";
static const char not_known[] = "has a part that is none of r I w, r D E F G w.d, k P and n X";

static void skip(struct reading *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == ','))
        r->p++;
}

/* A number of at most 4 digits; -1: none. */
static int take_number(struct reading *r)
{
    int n = 0;
    const char *begin = r->p;
    while (r->p < r->end && isdigit((unsigned char)*r->p) && n < 1000)
        n = 10 * n + (*r->p++ - '0');
    return r->p > begin ? n : -1;
}

static bool take_letter(struct reading *r, char wanted)
{
    if (r->p >= r->end || toupper((unsigned char)*r->p) != wanted)
        return false;
    r->p++;
    return true;
}

/* "w", "w.d", "w.dEe" behind the letter. */
static const char *take_field(struct reading *r, int repeat, char letter)
{
    const int width = take_number(r);
    int decimals = 0;
    if (width < 1 || width > SP_FORTRAN_WIDTH)
        return "has a number without a width from 1 to 128";
    if (r->p < r->end && *r->p == '.') {
        r->p++;
        decimals = take_number(r);
    } else if (letter != 'I') {
        return "has a number without its digits behind the point (E20.12)";
    }
    if (decimals < 0)
        return not_known;
    if (letter != 'I' && take_letter(r, 'E') && take_number(r) < 0)
        return not_known;
    for (int k = 0; k < repeat; k++) {
        if (r->format->n == SP_FORTRAN_FIELDS)
            return too_many;
        r->format->field[r->format->n++] = (struct sp_fortran_field){(int16_t)r->column, (int16_t)width,
                                                                     (int16_t)(letter == 'I' ? 0 : decimals),
                                                                     (int16_t)r->scale, letter == 'I'};
        r->column += width;
    }
    return NULL;
}

/* All up to the closing parenthesis; a group inside one, but not deeper. */
static const char *take_list(struct reading *r, int depth)
{
    for (skip(r); r->p < r->end && *r->p != ')'; skip(r)) {
        const bool negative = *r->p == '-';
        if (negative || *r->p == '+')
            r->p++;
        const int number = take_number(r);
        const int repeat = number < 0 ? 1 : number;
        while (r->p < r->end && *r->p == ' ')
            r->p++;
        if (r->p >= r->end)
            return "ends before its closing parenthesis";
        const char letter = (char)toupper((unsigned char)*r->p++);
        const char *wrong = NULL;
        if (negative && letter != 'P')
            return not_known;
        if (letter == 'E' && !take_letter(r, 'S')) /* ES and EN are read as E */
            take_letter(r, 'N');
        if (letter == 'P' && number >= 0) {
            r->scale = negative ? -number : number;
        } else if (letter == 'X') {
            r->column += repeat;
        } else if (letter == '(') {
            if (depth > 0 || r->format->n > 0 || r->column > 0 || repeat > SP_FORTRAN_FIELDS)
                return "has groups that are not understood here";
            const char *begin = r->p;
            for (int k = 0; k < repeat && !wrong; k++) {
                r->p = begin;
                wrong = take_list(r, depth + 1);
            }
            skip(r);
            if (!wrong && (r->p >= r->end || *r->p != ')'))
                return "has groups that are not understood here";
        } else if (memchr("IDEFG", letter, 5)) {
            wrong = take_field(r, repeat, letter);
        } else {
            wrong = not_known;
        }
        if (!wrong && r->column > 16000)
            wrong = "has lines of more than 16000 columns";
        if (wrong)
            return wrong;
    }
    if (r->p >= r->end)
        return "ends before its closing parenthesis";
    r->p++;
    return NULL;
}

const char *sp_fortran_parse(const char *text, int64_t n, struct sp_fortran_format *format)
{
    memset(format, 0, sizeof *format);
    struct reading r = {text, text + n, 0, 0, format};
    skip(&r);
    if (r.p >= r.end || *r.p != '(')
        return "does not begin with a parenthesis";
    r.p++;
    const char *wrong = take_list(&r, 0);
    if (!wrong && format->n == 0)
        wrong = "has no number on a line";
    return wrong;
}

const char *sp_fortran_whole(const char *p, const char *end, int64_t *value)
{
    bool negative = false;
    int64_t x = 0;
    *value = 0;
    while (p < end && *p == ' ')
        p++;
    if (p == end)
        return "blank where a whole number is wanted";
    if (*p == '-' || *p == '+')
        negative = *p++ == '-';
    bool any = false;
    for (; p < end; p++) {
        if (*p == ' ')
            continue;
        if (*p < '0' || *p > '9')
            return "no whole number";
        any = true;
        if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, *p - '0', &x))
            return "a number beyond 64 bits";
    }
    *value = negative ? -x : x;
    return any ? NULL : "no whole number";
}

static bool is_sign(char c)
{
    return c == '+' || c == '-';
}

/* With what Fortran lets one leave out put in: the point, the exponent's letter, the scale. */
static const char *read_bare(const struct sp_fortran_field *field, const char *text, int n, double *value,
                             bool *overflow)
{
    char whole[SP_FORTRAN_WIDTH + 32];
    int at = 0, exponent = 0, digits = 0, behind = 0;
    bool point = false, has_exponent = false;
    int k = 0;
    if (n > 0 && is_sign(text[0]))
        whole[at++] = text[k++];
    for (; k < n && (isdigit((unsigned char)text[k]) || (text[k] == '.' && !point)); k++) {
        point = point || text[k] == '.';
        digits += text[k] != '.';
        behind += point && text[k] != '.';
        if (text[k] != '.')
            whole[at++] = text[k];
    }
    if (digits == 0)
        return "no number";
    if (k < n) {
        has_exponent = true;
        if (strchr("eEdDqQ", text[k]))
            k++;
        const bool negative = k < n && text[k] == '-';
        if (k < n && is_sign(text[k]))
            k++;
        const int first = k;
        for (; k < n && isdigit((unsigned char)text[k]); k++)
            exponent = exponent < 100000 ? 10 * exponent + (text[k] - '0') : exponent;
        if (k == first || k < n)
            return "no number";
        exponent = negative ? -exponent : exponent;
    }
    exponent -= point ? behind : field->decimals;
    exponent -= has_exponent ? 0 : field->scale;
    at += snprintf(whole + at, sizeof whole - (size_t)at, "e%d", exponent);
    return sp_decimal_read(whole, whole + at, value, overflow) ? NULL : "no number";
}

const char *sp_fortran_real(const struct sp_fortran_field *field, const char *p, const char *end,
                            double *value)
{
    *value = 0;
    while (p < end && *p == ' ')
        p++;
    while (end > p && end[-1] == ' ')
        end--;
    if (p == end)
        return "blank where a number is wanted";
    bool overflow = false, point = false, exponent = false;
    const char *after = sp_decimal_read(p, end, value, &overflow), *first = p + is_sign(*p);
    for (const char *c = p; c < end; c++) {
        point |= *c == '.';
        exponent |= isalpha((unsigned char)*c) != 0;
    }
    const bool word = first < end && isalpha((unsigned char)*first); /* nan, inf */
    if (field->is_integer && (point || exponent))
        return "no whole number";
    if (after != end || !(word || field->is_integer || (point && (exponent || field->scale == 0)))) {
        char text[SP_FORTRAN_WIDTH];
        int n = 0;
        for (const char *c = p; c < end; c++)
            if (*c != ' ' && n < SP_FORTRAN_WIDTH)
                text[n++] = *c;
        const char *wrong = read_bare(field, text, n, value, &overflow);
        if (wrong)
            return wrong;
    }
    return overflow ? "a number beyond the range of a double" : NULL;
}
