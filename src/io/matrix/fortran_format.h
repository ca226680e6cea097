/* Fortran's formats, as far as files of matrices have them, and the numbers that they describe:
 * "(8I10)", "(1P,4D20.12)", "(3(1X,E25.17))". */
#ifndef SP_IO_FORTRAN_FORMAT_H
#define SP_IO_FORTRAN_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum { SP_FORTRAN_FIELDS = 128, SP_FORTRAN_WIDTH = 128 };

struct sp_fortran_field {
    int16_t start, width; /* columns of the line, the first is 0 */
    int16_t decimals;     /* digits behind a point that is not written */
    int16_t scale;        /* P: without an exponent the number is divided by 10^scale */
    bool is_integer;      /* I, else D, E, F or G */
};

struct sp_fortran_format {
    int n; /* numbers on a line */
    struct sp_fortran_field field[SP_FORTRAN_FIELDS];
};

/* NULL, or what is wrong with text[n], which is the format with its parentheses. */
const char *sp_fortran_parse(const char *text, int64_t n, struct sp_fortran_format *format);

/* The number in p .. end, which is the field or what its line has of it; blanks in it say nothing.
 * NULL, or what is wrong. */
const char *sp_fortran_whole(const char *p, const char *end, int64_t *value);
const char *sp_fortran_real(const struct sp_fortran_field *field, const char *p, const char *end,
                            double *value);

#endif
