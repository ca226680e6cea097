#include "io/matrix/mtx_scan.h"

#include <stdio.h>
#include <string.h>

#include "io/matrix/decimal.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct mtx_entry {
    int32_t row, col; /* 0-based; 0 for array files */
    double val[2];
};
enum mtx_kind { SP_MTX_BLANK, SP_MTX_ENTRY, SP_MTX_FAULT };

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

static void pass_blanks(struct cursor *c)
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
    pass_blanks(c);
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

/* Judges one line, begin .. end without the line end. A fault fills err (if not NULL) with `line`,
 * the column and the reason. */
static enum mtx_kind mtx_line(const struct sp_mtx_header *h, const char *begin, const char *end, int64_t line,
                              struct mtx_entry *entry, struct sp_error *err)
{
    struct cursor c = {h, begin, end, begin, line, err};
    memset(entry, 0, sizeof *entry);
    entry->val[0] = 1;
    pass_blanks(&c);
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
        pass_blanks(&c);
        if (h->field == SP_FIELD_INTEGER ? !read_integer(&c, entry->val + i) : !read_real(&c, entry->val + i))
            return SP_MTX_FAULT;
    }
    pass_blanks(&c);
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

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first character must be the lowest byte");

#define FAST static inline __attribute__((always_inline))

static const double sign[2] = {1, -1}; /* of negative or not: a factor is no branch */
static const double power_of_ten_up_to_8[9] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

FAST uint64_t load_8(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* With t = eight characters ^ "00000000": the high bit of each byte that is no digit. Bytes above
 * the first such one may be marked wrongly through the carry; only the first counts. */
FAST uint64_t non_digits(uint64_t t)
{
    return ((t + UINT64_C(0x7676767676767676)) | t) & UINT64_C(0x8080808080808080);
}

/* Eight digits, the first character in the lowest byte, in three multiplications. */
FAST uint64_t eight_digits(uint64_t t)
{
    const uint64_t pairs = UINT64_C(0x000000ff000000ff);
    t = t * 10 + (t >> 8);
    return ((t & pairs) * UINT64_C(0x000f424000000064) +
            ((t >> 16) & pairs) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* Digits at p into *w (w = w 10^n + digits); returns the first byte behind them. */
FAST const char *take_digits(const char *p, uint64_t *w)
{
    static const uint64_t scale[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    for (;;) {
        uint64_t t = load_8(p) ^ UINT64_C(0x3030303030303030), stop = non_digits(t);
        if (stop == 0) {
            *w = *w * 100000000 + eight_digits(t);
            p += 8;
            continue;
        }
        int n = __builtin_ctzll(stop) >> 3;
        if (n == 0)
            return p;
        *w = *w * scale[n] + eight_digits(t << (64 - 8 * n));
        return p + n;
    }
}

/* An index of at most 15 digits in 1 .. limit, behind single or several blanks; NULL where it is
 * anything else. */
FAST const char *take_index(const char *p, uint64_t limit, int32_t *index)
{
    uint64_t w = 0;
    const char *end = take_digits(p, &w);
    if (end == p || end - p > 15 || w - 1 >= limit)
        return NULL;
    *index = (int32_t)(w - 1);
    return end;
}

FAST const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* A plain decimal number with at most 19 digits in all; NULL where it is anything else. */
FAST const char *take_real(const char *p, double *x)
{
    bool negative = *p == '-';
    p += negative;
    uint64_t w = 0;
    const char *begin = p;
    p = take_digits(p, &w);
    int64_t n_digits = p - begin, q = 0;
    if (*p == '.') {
        const char *fraction = ++p;
        p = take_digits(p, &w);
        q = fraction - p;
        n_digits -= q;
    }
    if (n_digits == 0 || n_digits > 19)
        return NULL;
    if ((*p | 0x20) == 'e') {
        p++;
        bool down = *p == '-';
        p += *p == '-' || *p == '+';
        uint64_t e = 0;
        const char *exponent = p;
        p = take_digits(p, &e);
        if (p == exponent || p - exponent > 5)
            return NULL;
        q += down ? -(int64_t)e : (int64_t)e;
    }
    double value = (double)w;
    if (w > UINT64_C(1) << 53 || q < -8 || q > 0) {
        if (q > 280)
            return NULL;
        value = sp_decimal_scale(w, q);
    } else if (q < 0) {
        value /= power_of_ten_up_to_8[-q];
    }
    *x = value * sign[negative];
    return p;
}

/* An integer of at most 18 digits; NULL where it is anything else. */
FAST const char *take_integer(const char *p, double *x)
{
    bool negative = *p == '-';
    p += negative;
    uint64_t w = 0;
    const char *begin = p;
    p = take_digits(p, &w);
    if (p == begin || p - begin > 18)
        return NULL;
    *x = negative ? -(double)w : (double)w;
    return p;
}

/* Behind the '\n' at or after p, which is there. */
FAST const char *next_line(const char *p)
{
#ifdef __SSE2__
    const __m128i newline = _mm_set1_epi8('\n');
    for (;; p += 16) {
        int hits =
            _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), newline));
        if (hits)
            return p + __builtin_ctz((unsigned)hits) + 1;
    }
#else
    for (;; p += 8) {
        uint64_t x = load_8(p) ^ UINT64_C(0x0a0a0a0a0a0a0a0a);
        uint64_t hits = (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);
        if (hits)
            return p + (__builtin_ctzll(hits) >> 3) + 1;
    }
#endif
}

/* The line end: blanks, perhaps '\r', '\n'. NULL where something else follows. */
FAST const char *take_line_end(const char *p)
{
    if (*p == '\n')
        return p + 1;
    p = skip_blanks(p);
    p += *p == '\r';
    return *p == '\n' ? p + 1 : NULL;
}

/* The values of a line and its end. */
FAST const char *take_values(const char *p, enum sp_field field, double *val)
{
    switch (field) {
    case SP_FIELD_PATTERN:
        return take_line_end(p);
    case SP_FIELD_INTEGER:
        p = take_integer(skip_blanks(p), val);
        break;
    case SP_FIELD_REAL:
        p = take_real(skip_blanks(p), val);
        break;
    case SP_FIELD_COMPLEX:
        p = take_real(skip_blanks(p), val);
        if (!p || (*p != ' ' && *p != '\t'))
            return NULL;
        p = take_real(skip_blanks(p), val + 1);
        break;
    }
    return p ? take_line_end(p) : NULL;
}

/* One line in the common form; NULL: ask mtx_line(). */
FAST const char *take_entry(const struct sp_mtx_header *h, enum sp_mtx_take take, enum sp_field field,
                            const char *p, struct sp_mtx_chunk *chunk, int64_t k)
{
    p = take_index(skip_blanks(p), (uint64_t)h->n_r, chunk->row + k);
    if (!p)
        return NULL;
    if (take == SP_MTX_ROWS)
        return *p == ' ' || *p == '\t' ? next_line(p) : NULL;
    if (*p != ' ' && *p != '\t')
        return NULL;
    p = take_index(skip_blanks(p), (uint64_t)h->n_c, chunk->col + k);
    if (!p)
        return NULL;
    if (h->symmetry == SP_SKEW_SYMMETRIC && chunk->row[k] == chunk->col[k])
        return NULL;
    if (take == SP_MTX_INDICES)
        return *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' ? next_line(p) : NULL;
    if (field != SP_FIELD_PATTERN && *p != ' ' && *p != '\t')
        return NULL;
    return take_values(
        p, field, field == SP_FIELD_PATTERN ? NULL : chunk->val + (field == SP_FIELD_COMPLEX ? 2 : 1) * k);
}

#ifdef __SSE2__
/* Bit i: byte i of the 32 from p on is no digit; ends a line. */
struct window {
    uint32_t other, newline;
};

FAST struct window look(const char *p)
{
    struct window w = {0, 0};
#pragma GCC unroll 2
    for (int i = 0; i < 32; i += 16) {
        const __m128i text = _mm_loadu_si128((const __m128i *)(const void *)(p + i)),
                      digit = _mm_sub_epi8(text, _mm_set1_epi8('0')),
                      other = _mm_subs_epu8(digit, _mm_set1_epi8(9)), /* 0 of digits */
            newline = _mm_cmpeq_epi8(text, _mm_set1_epi8('\n'));
        w.other |= (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(other, _mm_setzero_si128())) << i;
        w.newline |= (uint32_t)_mm_movemask_epi8(newline) << i;
    }
    w.other = ~w.other;
    return w;
}

/* n digits, 1 to 8 of them, at p, to the end of eight. */
FAST uint64_t last_digits(const char *p, int n)
{
    return (load_8(p) ^ UINT64_C(0x3030303030303030)) << (64 - 8 * n);
}

/* Two numbers of eight digits: the first one below, the second one in the upper half. */
FAST uint64_t two_numbers(uint64_t first, uint64_t second)
{
    const __m128i digits = _mm_set_epi64x((int64_t)second, (int64_t)first),
                  tens = _mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(0xff)), _mm_set1_epi16(10)),
                  pairs = _mm_add_epi16(tens, _mm_srli_epi16(digits, 8)),
                  fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16)),
                  eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(10000 | 1 << 16));
    return (uint64_t)_mm_cvtsi128_si64(eights);
}

/* [-]DIGITS[.DIGITS] at p, each of 1 to 8 digits and 15 in all, and a line end; NULL where it is
 * anything else. Bit i of `other`: byte i from p on is no digit. */
FAST const char *take_short_real(const char *p, uint32_t other, double *x)
{
    const bool negative = *p == '-';
    p += negative;
    other >>= negative;
    const uint32_t behind = other & (other - 1);
    const int n = other ? __builtin_ctz(other) : 0;
    if ((unsigned)n - 1 > 7)
        return NULL;
    if (p[n] == '\n') {
        *x = sign[negative] * (double)(int64_t)eight_digits(last_digits(p, n));
        return p + n + 1;
    }
    const int end = behind ? __builtin_ctz(behind) : 0, n_fraction = end - n - 1;
    if (p[n] != '.' || (unsigned)n_fraction - 1 > 7 || n + n_fraction > 15 || p[end] != '\n')
        return NULL;
    const uint64_t both = two_numbers(last_digits(p, n), last_digits(p + n + 1, n_fraction));
    const double scale = power_of_ten_up_to_8[n_fraction];
    *x = sign[negative] * ((double)(uint32_t)both * scale + (double)(uint32_t)(both >> 32)) / scale;
    return p + end + 1;
}

/* One line with indices of up to 8 digits, single blanks between its words and none beside; NULL:
 * ask take_entry(). Where words and line end is found at once, so that the next line does not wait
 * for the numbers of this one. */
FAST const char *take_short(const struct sp_mtx_header *h, enum sp_mtx_take take, enum sp_field field,
                            const char *p, struct sp_mtx_chunk *chunk, int64_t k)
{
    const struct window w = look(p);
    const char *next = w.newline ? p + __builtin_ctz(w.newline) + 1 : next_line(p + 32);
    const uint32_t behind_row = w.other & (w.other - 1);
    if (behind_row == 0)
        return NULL;
    const int row_end = __builtin_ctz(w.other), col_end = __builtin_ctz(behind_row),
              n_col = col_end - row_end - 1;
    if ((unsigned)row_end - 1 > 7 || (unsigned)n_col - 1 > 7 || p[row_end] != ' ' || p + col_end >= next)
        return NULL;
    const uint64_t both = two_numbers(last_digits(p, row_end), last_digits(p + row_end + 1, n_col)),
                   row = (both & UINT32_MAX) - 1, col = (both >> 32) - 1;
    if (row >= (uint64_t)h->n_r || col >= (uint64_t)h->n_c ||
        (h->symmetry == SP_SKEW_SYMMETRIC && row == col))
        return NULL;
    chunk->row[k] = (int32_t)row;
    if (take == SP_MTX_ROWS)
        return next;
    chunk->col[k] = (int32_t)col;
    if (take == SP_MTX_ENTRIES && field == SP_FIELD_PATTERN)
        return p[col_end] == '\n' ? next : NULL;
    if (p[col_end] != ' ')
        return NULL;
    if (take == SP_MTX_INDICES)
        return next;
    double *val = chunk->val + (field == SP_FIELD_COMPLEX ? 2 : 1) * k;
    const char *end =
        field == SP_FIELD_REAL ? take_short_real(p + col_end + 1, w.other >> (col_end + 1), val) : NULL;
    if (!end)
        end = take_values(p + col_end, field, val);
    return end == next ? next : NULL;
}
#else
#define take_short take_entry
#endif

FAST const char *scan(const struct sp_mtx_header *h, enum sp_mtx_take take, enum sp_field field,
                      const char *p, const char *end, struct sp_mtx_chunk *chunk, bool *fault)
{
    int64_t k = 0;
    while (k < SP_MTX_CHUNK && p < end) {
        const char *next = take_short(h, take, field, p, chunk, k);
        if (!next)
            next = take_entry(h, take, field, p, chunk, k);
        if (__builtin_expect(next != NULL, 1)) {
            p = next;
            k++;
            continue;
        }
        struct mtx_entry entry;
        const char *line_end = next_line(p) - 1;
        enum mtx_kind kind = mtx_line(h, p, line_end, 0, &entry, NULL);
        if (kind == SP_MTX_FAULT) {
            *fault = true;
            break;
        }
        if (kind == SP_MTX_ENTRY) {
            chunk->row[k] = entry.row;
            if (take != SP_MTX_ROWS)
                chunk->col[k] = entry.col;
            if (take == SP_MTX_ENTRIES && field != SP_FIELD_PATTERN)
                memcpy(chunk->val + (field == SP_FIELD_COMPLEX ? 2 : 1) * k, entry.val,
                       (field == SP_FIELD_COMPLEX ? 2 : 1) * sizeof(double));
            k++;
        }
        p = line_end + 1;
    }
    chunk->n = k;
    return p;
}

const char *sp_mtx_scan(const struct sp_mtx_header *h, enum sp_mtx_take take, const char *p, const char *end,
                        struct sp_mtx_chunk *chunk, bool *fault)
{
    *fault = false;
    if (take == SP_MTX_ROWS)
        return scan(h, SP_MTX_ROWS, SP_FIELD_PATTERN, p, end, chunk, fault);
    if (take == SP_MTX_INDICES)
        return scan(h, SP_MTX_INDICES, SP_FIELD_PATTERN, p, end, chunk, fault);
    switch (h->field) {
    case SP_FIELD_REAL:
        return scan(h, SP_MTX_ENTRIES, SP_FIELD_REAL, p, end, chunk, fault);
    case SP_FIELD_INTEGER:
        return scan(h, SP_MTX_ENTRIES, SP_FIELD_INTEGER, p, end, chunk, fault);
    case SP_FIELD_COMPLEX:
        return scan(h, SP_MTX_ENTRIES, SP_FIELD_COMPLEX, p, end, chunk, fault);
    case SP_FIELD_PATTERN:
        break;
    }
    return scan(h, SP_MTX_ENTRIES, SP_FIELD_PATTERN, p, end, chunk, fault);
}

const char *sp_mtx_scan_array(const struct sp_mtx_header *h, const char *p, const char *end,
                              struct sp_mtx_chunk *chunk, bool *fault)
{
    *fault = false;
    int64_t k = 0, per_entry = h->field == SP_FIELD_COMPLEX ? 2 : 1;
    while (k < SP_MTX_CHUNK && p < end) {
        const char *next = take_values(p, h->field, chunk->val + per_entry * k);
        if (!next) {
            struct mtx_entry entry;
            next = next_line(p);
            enum mtx_kind kind = mtx_line(h, p, next - 1, 0, &entry, NULL);
            if (kind == SP_MTX_FAULT) {
                *fault = true;
                break;
            }
            memcpy(chunk->val + per_entry * k, entry.val, (size_t)per_entry * sizeof(double));
            k -= kind == SP_MTX_BLANK;
        }
        k++;
        p = next;
    }
    chunk->n = k;
    return p;
}

int64_t sp_mtx_count_lines(const char *p, const char *end)
{
    int64_t n = 0;
    while (p < end) {
        while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\v' || *p == '\f')
            p++;
        n += *p != '\n' && *p != '%';
        p = next_line(p);
    }
    return n;
}

void sp_mtx_number_array(const struct sp_mtx_header *h, int64_t first, struct sp_mtx_chunk *chunk)
{
    if (chunk->n == 0)
        return;
    const int64_t skip = h->symmetry == SP_SKEW_SYMMETRIC;
    int64_t row = first, col = 0;
    if (h->symmetry == SP_GENERAL) {
        row = first % h->n_r;
        col = first / h->n_r;
    } else {
        for (; row >= h->n_r - skip - col; col++)
            row -= h->n_r - skip - col;
        row += col + skip;
    }
    for (int64_t k = 0; k < chunk->n; k++) {
        chunk->row[k] = (int32_t)row;
        chunk->col[k] = (int32_t)col;
        if (++row == h->n_r) {
            col++;
            row = h->symmetry == SP_GENERAL ? 0 : col + skip;
        }
    }
}

struct sp_mtx_judge sp_mtx_judge_begin(const struct sp_mtx_header *h)
{
    return (struct sp_mtx_judge){.h = h, .line = h->body_line};
}

/* "1 value", "2 entries" */
static const char *noun(const struct sp_mtx_header *h, int64_t n)
{
    static const char *const nouns[2][2] = {{"entries", "entry"}, {"values", "value"}};
    return nouns[h->format == SP_MTX_ARRAY][n == 1];
}

static enum sp_status ends_within_line(const struct sp_mtx_judge *j, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, j->h->path, j->line, 0, "is the file cut off? get it again",
                      "the file ends within this line, after %lld of %lld %s", (long long)j->n_entries,
                      (long long)j->h->n_entries, noun(j->h, j->h->n_entries));
}

static enum sp_status too_many(const struct sp_mtx_judge *j, struct sp_error *err)
{
    const struct sp_mtx_header *h = j->h;
    return sp_fail_at(err, SP_INPUT, h->path, j->line, 1, "correct the size line, or remove what is too much",
                      "more than the %lld %s that line %lld announces", (long long)h->n_entries,
                      noun(h, h->n_entries), (long long)h->size_line);
}

static enum sp_status check_triangle(struct sp_mtx_judge *j, const struct mtx_entry *e, struct sp_error *err)
{
    if (j->h->symmetry == SP_GENERAL || e->row == e->col)
        return SP_OK;
    const bool lower = e->row > e->col;
    if (j->first_line == 0) {
        j->first_line = j->line;
        j->first_is_lower = lower;
    }
    if (lower == j->first_is_lower)
        return SP_OK;
    return sp_fail_at(
        err, SP_INPUT, j->h->path, j->line, 1,
        "remove the entries of one triangle, or say general in the banner",
        "this entry lies %s the diagonal, that of line %lld %s it: a %s file gives one triangle",
        lower ? "below" : "above", (long long)j->first_line, lower ? "above" : "below",
        sp_symmetry_name(j->h->symmetry));
}

enum sp_status sp_mtx_judge_lines(struct sp_mtx_judge *j, const char *begin, const char *end,
                                  struct sp_error *err)
{
    for (const char *p = begin, *newline; p < end; p = newline + 1, j->line++) {
        struct mtx_entry e;
        newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline)
            newline = end - 1; /* the file changed meanwhile */
        const enum mtx_kind kind = mtx_line(j->h, p, newline, j->line, &e, err);
        if (kind == SP_MTX_FAULT) /* its column is known: nothing stands there in a line that was cut */
            return j->is_cut && newline + 1 >= end && p + err->column - 1 >= newline
                       ? ends_within_line(j, err)
                       : SP_INPUT;
        if (kind == SP_MTX_BLANK)
            continue;
        if (j->n_entries == j->h->n_entries)
            return too_many(j, err);
        j->n_entries++;
        if (check_triangle(j, &e, err) != SP_OK)
            return SP_INPUT;
    }
    return SP_OK;
}

enum sp_status sp_mtx_judge_end(const struct sp_mtx_judge *j, struct sp_error *err)
{
    const struct sp_mtx_header *h = j->h;
    if (j->n_entries >= h->n_entries)
        return SP_OK;
    return sp_fail_at(err, SP_INPUT, h->path, j->line - 1, 0, "is the file cut off? get it again",
                      "the file ends after %lld %s, line %lld announces %lld", (long long)j->n_entries,
                      noun(h, j->n_entries), (long long)h->size_line, (long long)h->n_entries);
}

enum sp_status sp_mtx_judge_disagrees(const struct sp_mtx_judge *j, struct sp_error *err)
{
    return sp_fail_at(err, SP_BUG, j->h->path, j->line, 0, "report this with the file",
                      "the reader stopped before this line, where nothing is wrong");
}
