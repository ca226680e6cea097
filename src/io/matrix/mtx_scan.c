#include "io/matrix/mtx_scan.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "io/matrix/decimal.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first character must be the lowest byte");

#define FAST static inline __attribute__((always_inline))

static const double power_of_ten_up_to_8[9] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

FAST uint64_t load_8(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* With t = eight characters ^ "00000000": the high bit of each byte that is no digit. Bytes above the first
 * such one may be marked wrongly through the carry; only the first counts. */
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

/* An index of at most 15 digits in 1 .. limit, behind single or several blanks; NULL where it is anything
 * else. */
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
    double value;
    if (w <= UINT64_C(1) << 53 && q >= -8 && q <= 0)
        value = (double)w / power_of_ten_up_to_8[-q];
    else if (q > 280)
        return NULL;
    else
        value = sp_decimal_scale(w, q);
    *x = negative ? -value : value;
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

/* One line in the common form; NULL: ask sp_mtx_line(). */
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

FAST const char *scan(const struct sp_mtx_header *h, enum sp_mtx_take take, enum sp_field field,
                      const char *p, const char *end, struct sp_mtx_chunk *chunk, bool *fault)
{
    int64_t k = 0;
    while (k < SP_MTX_CHUNK && p < end) {
        const char *next = take_entry(h, take, field, p, chunk, k);
        if (__builtin_expect(next != NULL, 1)) {
            p = next;
            k++;
            continue;
        }
        struct sp_mtx_entry entry;
        const char *line_end = next_line(p) - 1;
        enum sp_mtx_kind kind = sp_mtx_line(h, p, line_end, 0, &entry, NULL);
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
            struct sp_mtx_entry entry;
            next = next_line(p);
            enum sp_mtx_kind kind = sp_mtx_line(h, p, next - 1, 0, &entry, NULL);
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
