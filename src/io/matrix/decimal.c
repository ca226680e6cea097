#include "io/matrix/decimal.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

__extension__ typedef unsigned __int128 uint128;

enum { Q_MIN = -342, Q_MAX = 324, MAX_EXACT_POWER = 22, MAX_DIGITS = 19 };

static const uint64_t power_of_ten[Q_MAX - Q_MIN + 1][2] = {
#include "io/matrix/power_of_ten.inc"
};

static double double_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* floor(log2(10^q)) + 63 for |q| < 400. */
static int64_t binary_exponent(int64_t q)
{
    return ((217706 * q) >> 16) + 63;
}

/* w 10^q by the method of Eisel and Lemire; w > 0, Q_MIN <= q <= 308. */
static double scale_by_table(uint64_t w, int64_t q)
{
    int leading = __builtin_clzll(w);
    w <<= leading;
    const uint64_t *five = power_of_ten[q - Q_MIN];
    uint128 product = (uint128)w * five[0];
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    /* Only when the bits below the rounded ones are all ones can the second word change the
     * result. */
    if ((high & 0x1ff) == 0x1ff) {
        uint64_t carry = (uint64_t)(((uint128)w * five[1]) >> 64);
        low += carry;
        high += low < carry;
    }
    int upper = (int)(high >> 63);
    uint64_t mantissa = high >> (upper + 9); /* 54 bits: one more than is kept */
    int64_t exponent = binary_exponent(q) + upper - leading + 1023;
    if (exponent <= 0) { /* subnormal */
        if (1 - exponent >= 64)
            return 0.0;
        mantissa >>= 1 - exponent;
        mantissa = (mantissa + (mantissa & 1)) >> 1;
        return double_from_bits(mantissa); /* a carry into bit 52 is the exponent of the smallest normal */
    }
    /* Exactly half way: to even. Possible only where 5^|q| divides or is a factor of a 64-bit
     * number. */
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (upper + 9) == high)
        mantissa &= ~UINT64_C(1);
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >= UINT64_C(1) << 53) {
        mantissa = UINT64_C(1) << 52;
        exponent++;
    }
    if (exponent >= 0x7ff)
        return INFINITY;
    return double_from_bits((mantissa & ~(UINT64_C(1) << 52)) | (uint64_t)exponent << 52);
}

double sp_decimal_scale(uint64_t w, int64_t q)
{
    static const double exact[MAX_EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (w <= UINT64_C(1) << 53 && q >= -MAX_EXACT_POWER && q <= MAX_EXACT_POWER)
        return q < 0 ? (double)w / exact[-q] : (double)w * exact[q];
    if (w == 0 || q < Q_MIN)
        return 0.0;
    if (q > 308)
        return INFINITY;
    return scale_by_table(w, q);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *read_word(const char *p, const char *end, double *value)
{
    static const char *const words[] = {"infinity", "inf", "nan"};
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(end - p) >= n && strncasecmp(p, words[i], n) == 0) {
            *value = i == 2 ? NAN : INFINITY;
            return p + n;
        }
    }
    return NULL;
}

/* The last resort: any number of digits, in the C locale whatever the program's is. */
static double read_by_strtod(const char *p, const char *end)
{
    size_t n = (size_t)(end - p);
    char local[512];
    char *text = n < sizeof local ? local : malloc(n + 1);
    if (!text)
        return NAN;
    memcpy(text, p, n);
    text[n] = '\0';
    for (char *c = text; *c; c++)
        if (*c == 'd' || *c == 'D')
            *c = 'e';
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double x = strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    if (text != local)
        free(text);
    return x;
}

/* Digits of p .. end into *w as long as they are among the first MAX_DIGITS significant ones. */
static const char *read_digits(const char *p, const char *end, uint64_t *w, int *n_significant)
{
    for (; p < end && is_digit(*p); p++) {
        if (*n_significant < MAX_DIGITS)
            *w = *w * 10 + (uint64_t)(*p - '0');
        if (*w != 0 || *n_significant > 0)
            ++*n_significant;
    }
    return p;
}

/* The exponent behind an e or d; NULL when there are no digits. Large ones stay large without
 * overflow. */
static const char *read_exponent(const char *p, const char *end, int64_t *exponent)
{
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || !is_digit(*p))
        return NULL;
    int64_t e = 0;
    for (; p < end && is_digit(*p); p++)
        e = e < 1000000000 ? e * 10 + (*p - '0') : e;
    *exponent = negative ? -e : e;
    return p;
}

const char *sp_decimal_read(const char *p, const char *end, double *value, bool *overflow)
{
    *overflow = false;
    *value = 0;
    const char *begin = p;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p < end && !is_digit(*p) && *p != '.') {
        p = read_word(p, end, value);
        if (p && negative)
            *value = -*value;
        return p;
    }
    uint64_t w = 0;
    int n_significant = 0;
    const char *digits = p;
    p = read_digits(p, end, &w, &n_significant);
    int64_t n_digits = p - digits, n_fraction = 0;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = read_digits(p, end, &w, &n_significant);
        n_fraction = p - fraction;
    }
    if (n_digits + n_fraction == 0)
        return NULL;
    int64_t exponent = 0;
    if (p < end && ((*p | 0x20) == 'e' || (*p | 0x20) == 'd')) {
        p = read_exponent(p + 1, end, &exponent);
        if (!p)
            return NULL;
    }
    double x;
    if (n_significant <= MAX_DIGITS) {
        x = sp_decimal_scale(w, exponent - n_fraction);
    } else {
        /* w holds the first MAX_DIGITS digits: the number lies in [w, w + 1) 10^q, and where both
         * ends round to one double, so does it. */
        int64_t dropped = n_significant - MAX_DIGITS;
        int64_t q = exponent - n_fraction + dropped;
        x = sp_decimal_scale(w, q);
        if (x != sp_decimal_scale(w + 1, q))
            x = fabs(read_by_strtod(begin, p));
    }
    *overflow = isinf(x);
    *value = negative ? -x : x;
    return p;
}

/* --- writing --- */

struct decimal {
    uint64_t digits;
    int exponent; /* value = digits 10^exponent */
};

/* floor of (g cp) / 2^128 with the lowest bit set when anything was cut off. */
static uint64_t round_to_odd(const uint64_t g[2], uint64_t cp)
{
    uint64_t x = (uint64_t)(((uint128)g[1] * cp) >> 64);
    uint128 y = (uint128)g[0] * cp + x;
    return (uint64_t)(y >> 64) | ((uint64_t)y > 1);
}

/* Schubfach needs the powers rounded up; the table cuts off those that are neither exact nor
 * rounded up. */
static void power_rounded_up(int q, uint64_t g[2])
{
    g[0] = power_of_ten[q - Q_MIN][0];
    g[1] = power_of_ten[q - Q_MIN][1];
    if (q < -27 || q > 55)
        g[0] += ++g[1] == 0;
}

/* The shortest decimal inside the rounding interval of the finite double > 0 with these bits; of
 * those the nearest to it. */
static struct decimal shortest_decimal(uint64_t bits)
{
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52);
    uint64_t c = biased ? fraction | UINT64_C(1) << 52 : fraction;
    int q = (biased ? biased : 1) - 1075;
    if (q <= 0 && q > -53 && (c & ((UINT64_C(1) << -q) - 1)) == 0)
        return (struct decimal){c >> -q, 0};
    bool odd = c & 1, closer = fraction == 0 && biased > 1;
    uint64_t left = 4 * c - 2 + closer, middle = 4 * c, right = 4 * c + 2;
    int k = closer ? (q * 1262611 - 524031) >> 22 : (q * 1262611) >> 22;
    int h = q + ((-k * 1741647) >> 19) + 1;
    uint64_t g[2];
    power_rounded_up(-k, g);
    uint64_t lower = round_to_odd(g, left << h) + odd;
    uint64_t centre = round_to_odd(g, middle << h);
    uint64_t upper = round_to_odd(g, right << h) - odd;
    uint64_t s = centre / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
        if (down != up)
            return (struct decimal){tens + up, k + 1};
    }
    bool down = lower <= 4 * s, up = 4 * s + 4 <= upper;
    if (down != up)
        return (struct decimal){s + up, k};
    uint64_t half = 4 * s + 2;
    return (struct decimal){s + (centre > half || (centre == half && (s & 1))), k};
}

static int write_digits(uint64_t n, char *text)
{
    char reversed[20];
    int length = 0;
    do {
        reversed[length++] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    for (int i = 0; i < length; i++)
        text[i] = reversed[length - 1 - i];
    return length;
}

int sp_decimal_write_count(int64_t n, char *text)
{
    if (n >= 0)
        return write_digits((uint64_t)n, text);
    text[0] = '-';
    return 1 + write_digits(UINT64_C(0) - (uint64_t)n, text + 1);
}

int sp_decimal_write(double x, char *text)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    char *t = text;
    if (isnan(x)) {
        memcpy(t, "nan", 3);
        return 3;
    }
    if (bits >> 63)
        *t++ = '-';
    bits &= ~(UINT64_C(1) << 63);
    if (isinf(x)) {
        memcpy(t, "inf", 3);
        return (int)(t - text) + 3;
    }
    if (bits == 0) {
        *t++ = '0';
        return (int)(t - text);
    }
    struct decimal d = shortest_decimal(bits);
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    char digits[20];
    int n = write_digits(d.digits, digits);
    int point = n + d.exponent; /* digits before the point */
    if (d.exponent >= 0 && point <= 17) {
        memcpy(t, digits, (size_t)n);
        memset(t + n, '0', (size_t)d.exponent);
        t += point;
    } else if (point > 0 && point <= 17) {
        memcpy(t, digits, (size_t)point);
        t[point] = '.';
        memcpy(t + point + 1, digits + point, (size_t)(n - point));
        t += n + 1;
    } else if (point <= 0 && point > -4) {
        memcpy(t, "0.", 2);
        memset(t + 2, '0', (size_t)-point);
        memcpy(t + 2 - point, digits, (size_t)n);
        t += 2 - point + n;
    } else {
        *t++ = digits[0];
        if (n > 1) {
            *t++ = '.';
            memcpy(t, digits + 1, (size_t)(n - 1));
            t += n - 1;
        }
        *t++ = 'e';
        t += sp_decimal_write_count(point - 1, t);
    }
    return (int)(t - text);
}
