/* The first lines of a Harwell-Boeing or Rutherford-Boeing file. */
#ifndef SP_IO_RB_HEADER_H
#define SP_IO_RB_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

/* Fortran's formats, as far as files of matrices have them, and the numbers that they describe:
 * "(8I10)", "(1P,4D20.12)", "(3(1X,E25.17))". */

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

/* True when line 3 begins with three letters such as RSA. */
bool sp_rb_is(const char *text, int64_t n);

enum sp_rb_part { SP_RB_POINTERS, SP_RB_INDICES, SP_RB_VALUES, SP_RB_PARTS };

struct sp_rb_header {
    const char *path;
    char type[4]; /* "RSA" */
    enum sp_field field;
    enum sp_symmetry symmetry;
    int64_t n_r, n_c, n_nz;
    int64_t n_numbers[SP_RB_PARTS], n_lines[SP_RB_PARTS]; /* of pointers, indices, values */
    struct sp_fortran_format format[SP_RB_PARTS];
    bool right_hand_sides; /* they follow, and are not read */
    int64_t body_line;     /* 1-based line where the data begin */
    int64_t body_begin;    /* [B] offset of that line */
};

/* For messages: "pointers", "row indices", "values". */
extern const char *const sp_rb_part_names[SP_RB_PARTS];

/* SP_INPUT with line, column and remedy. Numbers and lines agree with each other; whether the file
 * has so many lines is not looked at. */
enum sp_status sp_rb_header_read(const char *path, const char *text, int64_t n, struct sp_rb_header *header,
                                 struct sp_error *err);

#endif
