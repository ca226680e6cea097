#include "io/matrix/mtx_scan.h"

#include <stdio.h>
#include <string.h>

#include "io/matrix/decimal.h"

/* The careful reading of one line; speed does not matter here. */
struct cursor {
    const struct sp_mtx_header *h;
    const char *begin, *end, *p;
    int64_t line;
    struct sp_error *err;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

enum { SHOWN = 40 }; /* bytes of a word in a message */

static int word_length(const struct cursor *c)
{
    const char *p = c->p;
    while (p < c->end && !is_blank(*p) && p - c->p <= SHOWN)
        p++;
    return (int)(p - c->p);
}

static int shown(int length)
{
    return length < SHOWN ? length : SHOWN;
}

static const char *rest(int length)
{
    return length > SHOWN ? "..." : "";
}

static void skip_blanks(struct cursor *c)
{
    while (c->p < c->end && is_blank(*c->p))
        c->p++;
}

static bool at_word_end(const struct cursor *c, const char *p)
{
    return p == c->end || is_blank(*p);
}

static const char *line_form(const struct sp_mtx_header *h)
{
    static const char *const forms[2][4] = {
        {"a line of this file is: ROW COLUMN VALUE", "a line of this file is: ROW COLUMN INTEGER",
         "a line of this file is: ROW COLUMN (the banner says pattern)",
         "a line of this file is: ROW COLUMN REAL-PART IMAGINARY-PART"},
        {"a line of this array file is one number", "a line of this array file is one integer", "",
         "a line of this array file is: REAL-PART IMAGINARY-PART"}};
    return forms[h->format == SP_MTX_ARRAY][h->field];
}

static bool fail_word(const struct cursor *c, const char *remedy, const char *reason)
{
    int n = word_length(c);
    if (n == 0)
        sp_fail_at(c->err, SP_INPUT, c->h->path, c->line, c->p - c->begin + 1, remedy,
                   "the line ends, but %s", reason);
    else
        sp_fail_at(c->err, SP_INPUT, c->h->path, c->line, c->p - c->begin + 1, remedy, "'%.*s%s': %s",
                   shown(n), c->p, rest(n), reason);
    return false;
}

static bool read_index(struct cursor *c, const char *what, int64_t limit, int32_t *index)
{
    skip_blanks(c);
    int64_t value = 0;
    const char *p = c->p;
    for (; p < c->end && *p >= '0' && *p <= '9'; p++)
        value = value < INT64_MAX / 100 ? value * 10 + (*p - '0') : value;
    if (p == c->p || !at_word_end(c, p)) {
        char reason[64];
        snprintf(reason, sizeof reason, "a whole number is wanted here, the %s", what);
        return fail_word(c, line_form(c->h), reason);
    }
    if (value < 1 || value > limit) { /* the word as it stands: its value may be beyond every type */
        const int n = word_length(c);
        sp_fail_at(c->err, SP_INPUT, c->h->path, c->line, c->p - c->begin + 1,
                   value == 0 ? "indices count from 1: add 1 to every index"
                              : "correct the index, or the sizes on the size line",
                   "%s %.*s%s is outside 1 .. %lld (line %lld gives the sizes)", what, shown(n), c->p,
                   rest(n), (long long)limit, (long long)c->h->size_line);
        return false;
    }
    *index = (int32_t)(value - 1);
    c->p = p;
    return true;
}

static bool read_integer(struct cursor *c, double *x)
{
    const char *p = c->p;
    bool negative = p < c->end && *p == '-', too_large = false;
    if (p < c->end && (*p == '-' || *p == '+'))
        p++;
    const char *digits = p;
    uint64_t value = 0;
    for (; p < c->end && *p >= '0' && *p <= '9'; p++)
        too_large |= __builtin_mul_overflow(value, UINT64_C(10), &value) ||
                     __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value);
    if (p == digits || !at_word_end(c, p))
        return fail_word(c, "if the values are no integers, say real in the banner",
                         "an integer is wanted here, as the banner says");
    if (too_large || value > (uint64_t)INT64_MAX + negative)
        return fail_word(c, "say real in the banner", "the integer does not fit 64 bits");
    *x = negative ? -(double)value : (double)value;
    c->p = p;
    return true;
}

static bool read_real(struct cursor *c, double *x)
{
    bool overflow;
    const char *p = sp_decimal_read(c->p, c->end, x, &overflow);
    if (!p || !at_word_end(c, p))
        return fail_word(c, line_form(c->h), "a number is wanted here");
    if (overflow)
        return fail_word(c, "scale the matrix, or write inf", "the number exceeds the range of a double");
    c->p = p;
    return true;
}

enum sp_mtx_kind sp_mtx_line(const struct sp_mtx_header *h, const char *begin, const char *end, int64_t line,
                             struct sp_mtx_entry *entry, struct sp_error *err)
{
    struct cursor c = {h, begin, end, begin, line, err};
    memset(entry, 0, sizeof *entry);
    entry->val[0] = 1;
    skip_blanks(&c);
    if (c.p == end || *c.p == '%')
        return SP_MTX_BLANK;
    if (h->format == SP_MTX_COORDINATE) {
        if (!read_index(&c, "row", h->n_r, &entry->row) || !read_index(&c, "column", h->n_c, &entry->col))
            return SP_MTX_FAULT;
        if (h->symmetry == SP_SKEW_SYMMETRIC && entry->row == entry->col) {
            sp_fail_at(err, SP_INPUT, h->path, line, 1,
                       "leave out the diagonal, or say general in the banner and list all entries",
                       "a skew-symmetric matrix has a zero diagonal and stores none of it");
            return SP_MTX_FAULT;
        }
    }
    int n_values = h->field == SP_FIELD_PATTERN ? 0 : h->field == SP_FIELD_COMPLEX ? 2 : 1;
    for (int i = 0; i < n_values; i++) {
        skip_blanks(&c);
        if (h->field == SP_FIELD_INTEGER ? !read_integer(&c, entry->val + i) : !read_real(&c, entry->val + i))
            return SP_MTX_FAULT;
    }
    skip_blanks(&c);
    if (c.p < end) {
        fail_word(&c,
                  h->field == SP_FIELD_PATTERN
                      ? "if the lines hold values, say real or integer instead of pattern in the banner"
                      : line_form(h),
                  "nothing more is expected on this line");
        return SP_MTX_FAULT;
    }
    return SP_MTX_ENTRY;
}
