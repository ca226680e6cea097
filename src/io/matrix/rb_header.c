#include "io/matrix/matrix_formats.h"

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

const char *const sp_rb_part_names[SP_RB_PARTS] = {"pointers", "row indices", "values"};

bool sp_rb_is(const char *text, int64_t n)
{
    const char *p = text, *end = text + n;
    if (n <= 0 || memchr(text, '\0', n < 512 ? (size_t)n : 512))
        return false;
    for (int i = 0; i < 2; i++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            return false;
        p++;
    }
    return end - p > 4 && p[0] && p[1] && p[2] && strchr("RCPIQrcpiq", p[0]) && strchr("SUHZRsuhzr", p[1]) &&
           strchr("AEae", p[2]) && isspace((unsigned char)p[3]);
}

struct lines {
    const char *path, *end;
    const char *begin, *stop; /* the present line without its end */
    const char *next;
    int64_t number;
};

static bool take_line(struct lines *l)
{
    if (l->next >= l->end)
        return false;
    const char *newline = memchr(l->next, '\n', (size_t)(l->end - l->next));
    l->begin = l->next;
    l->stop = newline ? newline : l->end;
    l->next = newline ? newline + 1 : l->end;
    if (l->stop > l->begin && l->stop[-1] == '\r')
        l->stop--;
    l->number++;
    return true;
}

static enum sp_status fail_header(const struct lines *l, int64_t column, const char *what,
                                  struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, l->path, l->number, column,
                      "is it a whole Harwell-Boeing or Rutherford-Boeing file?", "%s", what);
}

/* The 14 columns from `first` on; a blank number is 0. False: something else stands there, or a
 * number that begins before them. */
static bool take_fixed(const struct lines *l, int64_t first, int64_t *value)
{
    const int64_t n = l->stop - l->begin, last = first + 14 < n ? first + 14 : n;
    const char *p = l->begin + (first < n ? first : n), *end = l->begin + last;
    *value = 0;
    if (p < end && p > l->begin && p[0] != ' ' && p[-1] != ' ')
        return false;
    while (p < end && *p == ' ')
        p++;
    while (end > p && end[-1] == ' ')
        end--;
    return p >= end ||
           (!memchr(p, ' ', (size_t)(end - p)) && !sp_fortran_whole(p, end, value) && *value >= 0);
}

/* The same numbers as words, for files whose columns are not those of the standard; `first` is 14
 * behind the three letters of the type. */
static int take_words(const struct lines *l, int64_t first, int n_wanted, int64_t *value)
{
    first = first > 0 ? 3 : 0;
    const char *p = l->begin + (first < l->stop - l->begin ? first : l->stop - l->begin);
    int n = 0;
    while (n < n_wanted) {
        while (p < l->stop && isspace((unsigned char)*p))
            p++;
        const char *word = p;
        while (p < l->stop && !isspace((unsigned char)*p))
            p++;
        if (p == word || sp_fortran_whole(word, p, &value[n]) || value[n] < 0)
            break;
        n++;
    }
    for (int k = n; k < n_wanted; k++)
        value[k] = 0;
    return n;
}

/* n numbers of 14 columns each from `first` on, of which n_least must be there. */
static enum sp_status take_numbers(const struct lines *l, int64_t first, int n, int n_least, int64_t *value,
                                   const char *what, struct sp_error *err)
{
    bool fixed = l->stop - l->begin >= first + (n_least - 1) * 14 + 1;
    for (int k = 0; k < n && fixed; k++)
        fixed = take_fixed(l, first + 14 * k, &value[k]);
    if (fixed || take_words(l, first, n, value) >= n_least)
        return SP_OK;
    char text[96];
    snprintf(text, sizeof text, "this line must have %s", what);
    return fail_header(l, first + 1, text, err);
}

static enum sp_status read_type(const struct lines *l, struct sp_rb_header *h, struct sp_error *err)
{
    static const char kinds[] = "RCPI", ways[] = "USHZR";
    static const enum sp_field fields[] = {SP_FIELD_REAL, SP_FIELD_COMPLEX, SP_FIELD_PATTERN,
                                           SP_FIELD_INTEGER};
    static const enum sp_symmetry symmetries[] = {SP_GENERAL, SP_SYMMETRIC, SP_HERMITIAN, SP_SKEW_SYMMETRIC,
                                                  SP_GENERAL};
    for (int k = 0; k < 3; k++)
        h->type[k] = (char)(k < l->stop - l->begin ? toupper((unsigned char)l->begin[k]) : ' ');
    const char *kind = strchr(kinds, h->type[0]), *way = strchr(ways, h->type[1]);
    if (h->type[0] == 'Q' && way)
        return sp_fail_at(err, SP_INPUT, h->path, l->number, 1, "write P for Q to read the pattern alone",
                          "the values of a matrix of type %s are in another file", h->type);
    if (!kind || !way || !h->type[0] || !h->type[1] || (h->type[2] != 'A' && h->type[2] != 'E'))
        return sp_fail_at(err, SP_INPUT, h->path, l->number, 1,
                          "the letters are one of R C P I, one of S U H Z R, and A",
                          "'%s' is no type of a matrix", h->type);
    if (h->type[2] == 'E')
        return sp_fail_at(err, SP_INPUT, h->path, l->number, 3,
                          "assemble it first, or get the assembled one (type ..A)",
                          "the matrix is stored as finite elements (type %s)", h->type);
    h->field = fields[kind - kinds];
    h->symmetry = symmetries[way - ways];
    if (h->symmetry == SP_HERMITIAN && h->field != SP_FIELD_COMPLEX)
        h->symmetry = SP_SYMMETRIC;
    if (h->symmetry == SP_SKEW_SYMMETRIC && h->field == SP_FIELD_PATTERN)
        return sp_fail_at(err, SP_INPUT, h->path, l->number, 1, "say PSA",
                          "a pattern has no signs and cannot be skew-symmetric");
    return SP_OK;
}

static enum sp_status read_sizes(const struct lines *l, struct sp_rb_header *h, struct sp_error *err)
{
    int64_t size[4];
    enum sp_status status =
        take_numbers(l, 14, 4, 3, size, "a type, and rows, columns and entries behind column 14", err);
    if (status != SP_OK)
        return status;
    h->n_r = size[0];
    h->n_c = size[1];
    h->n_nz = size[2];
    if (h->n_r > SP_MAX_DIMENSION || h->n_c > SP_MAX_DIMENSION || h->n_nz > INT64_MAX / 64)
        return sp_fail_at(err, SP_INPUT, h->path, l->number, 15,
                          "rows and columns are limited to 2147483647, entries to 1.4e17",
                          "sizes of %lld x %lld with %lld entries are too large", (long long)h->n_r,
                          (long long)h->n_c, (long long)h->n_nz);
    if (h->symmetry != SP_GENERAL && h->n_r != h->n_c)
        return sp_fail_at(err, SP_INPUT, h->path, l->number, 15, "say U, or R, for the second letter",
                          "a matrix of type %s must be square, this one has %lld rows and %lld columns",
                          h->type, (long long)h->n_r, (long long)h->n_c);
    return SP_OK;
}

/* The next part of the line in parentheses. */
static bool take_parentheses(const struct lines *l, const char **p, int64_t *n)
{
    const char *begin = memchr(*p, '(', (size_t)(l->stop - *p));
    int depth = 0;
    for (const char *c = begin; begin && c < l->stop; c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth == 0) {
            *p = begin;
            *n = c + 1 - begin;
            return true;
        }
    }
    return false;
}

static enum sp_status read_formats(const struct lines *l, struct sp_rb_header *h, struct sp_error *err)
{
    const char *p = l->begin;
    for (int k = 0; k < (h->field == SP_FIELD_PATTERN ? SP_RB_VALUES : SP_RB_PARTS); k++) {
        int64_t n;
        char what[160];
        if (!take_parentheses(l, &p, &n)) {
            snprintf(what, sizeof what, "this line must have the format of the %s, such as (8I10)",
                     sp_rb_part_names[k]);
            return fail_header(l, p - l->begin + 1, what, err);
        }
        const char *wrong = sp_fortran_parse(p, n, &h->format[k]);
        if (!wrong && k < SP_RB_VALUES)
            for (int f = 0; f < h->format[k].n && !wrong; f++)
                wrong = h->format[k].field[f].is_integer ? NULL : "is none of whole numbers (I)";
        if (wrong)
            return sp_fail_at(err, SP_INPUT, h->path, l->number, p - l->begin + 1,
                              "formats are such as (8I10), (3E26.18), (1P,4D20.12)",
                              "the format %.*s of the %s %s", n < 40 ? (int)n : 40, p, sp_rb_part_names[k],
                              wrong);
        p += n;
    }
    return SP_OK;
}

static enum sp_status check_lines(struct sp_rb_header *h, struct sp_error *err)
{
    h->n_numbers[SP_RB_POINTERS] = h->n_c + 1;
    h->n_numbers[SP_RB_INDICES] = h->n_nz;
    h->n_numbers[SP_RB_VALUES] = h->field == SP_FIELD_PATTERN   ? 0
                                 : h->field == SP_FIELD_COMPLEX ? 2 * h->n_nz
                                                                : h->n_nz;
    for (int k = 0; k < SP_RB_PARTS; k++) {
        const int64_t per_line = h->format[k].n > 0 ? h->format[k].n : 1,
                      wanted = (h->n_numbers[k] + per_line - 1) / per_line;
        if (h->n_lines[k] != wanted)
            return sp_fail_at(err, SP_INPUT, h->path, 2, 14 * (k + 1) + 1,
                              "is it a whole Harwell-Boeing or Rutherford-Boeing file?",
                              "%lld lines of %s are announced, but %lld numbers, %lld on a line, take %lld",
                              (long long)h->n_lines[k], sp_rb_part_names[k], (long long)h->n_numbers[k],
                              (long long)per_line, (long long)wanted);
    }
    return SP_OK;
}

enum sp_status sp_rb_header_read(const char *path, const char *text, int64_t n, struct sp_rb_header *header,
                                 struct sp_error *err)
{
    struct sp_rb_header h = {.path = path};
    struct lines l = {.path = path, .end = text + n, .next = text};
    int64_t cards[5];
    memset(header, 0, sizeof *header);
    enum sp_status status = SP_OK;
    for (int k = 1; k <= 4 && status == SP_OK; k++) {
        if (!take_line(&l))
            return sp_fail_at(err, SP_INPUT, path, k, 0, "was its download or export cut off?",
                              "the file ends inside its header of four lines");
        if (k == 2)
            status =
                take_numbers(&l, 0, 5, 2, cards, "numbers of lines: of all, pointers, indices, values", err);
        else if (k == 3)
            status = read_type(&l, &h, err);
        if (k == 3 && status == SP_OK)
            status = read_sizes(&l, &h, err);
        if (k == 4)
            status = read_formats(&l, &h, err);
    }
    if (status != SP_OK)
        return status;
    memcpy(h.n_lines, cards + 1, sizeof h.n_lines);
    status = check_lines(&h, err);
    if (status != SP_OK)
        return status;
    h.right_hand_sides = cards[4] > 0;
    if (h.right_hand_sides && !take_line(&l))
        return sp_fail_at(err, SP_INPUT, path, 5, 0, "was its download or export cut off?",
                          "the file ends before the line about right-hand sides");
    h.body_line = l.number + 1;
    h.body_begin = l.next - text;
    *header = h;
    return SP_OK;
}
