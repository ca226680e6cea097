/* Decimal text <-> double, exact in both directions and independent of the locale.
 *
 * Reading rounds correctly (to nearest, ties to even): Clinger's fast path where the number and the
 * power of ten are exact doubles, else the method of Eisel and Lemire [D. Lemire, Number parsing at
 * a gigabyte per second, 2021; N. Mushtak, D. Lemire, Fast number parsing without fallback, 2023];
 * more than 19 significant digits that leave a doubt go to strtod in the C locale. Writing gives
 * the shortest text that reads back to the same bits [R. Giulietti, The Schubfach way to render
 * doubles, 2020]. */
#ifndef SP_IO_DECIMAL_H
#define SP_IO_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a number that starts at p and ends at most at end: sign, digits with at most one point,
 * exponent after e, E, d or D (Fortran); also nan, inf and infinity in any case. No leading blanks,
 * no hexadecimal. Returns the first byte after the number, or NULL where there is none. A number
 * beyond the range of a double gives an infinity and *overflow = true (else it is false); one below
 * the range gives 0 or a subnormal. */
const char *sp_decimal_read(const char *p, const char *end, double *value, bool *overflow);

/* w 10^q rounded to a double: the core of the above. Exact for every w and q. */
double sp_decimal_scale(uint64_t w, int64_t q);

/* Writes the shortest text of x that reads back to the same bits ("-1", "0.1", "1.5e-12", "nan",
 * "inf") without a terminator into text[SP_DECIMAL_MAX]; returns its length. */
enum { SP_DECIMAL_MAX = 32 };
int sp_decimal_write(double x, char *text);

/* Writes n in decimal without a terminator into text[SP_DECIMAL_MAX]; returns its length. */
int sp_decimal_write_count(int64_t n, char *text);

#endif
