/* PETSc binary, SciPy's npz, Harwell-Boeing and Rutherford-Boeing: what is read, what is refused and where,
 * and that matrices come back bit by bit. Files are made here, byte by byte. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/files/archive.h"
#include "io/matrix/matrix_formats.h"
#include "io/matrix/matrix_load.h"
#include "run_suite.h"
#include "scratch_dir.h"
#include "sp_config.h"

/* Bytes that grow. */
struct bytes {
    char at[1 << 16];
    int64_t n;
};

static void put(struct bytes *b, const void *p, size_t n)
{
    ck_assert_int_le(b->n + (int64_t)n, (int64_t)sizeof b->at);
    memcpy(b->at + b->n, p, n);
    b->n += (int64_t)n;
}

/* The lowest `width` bytes of x, the highest first. */
static void big(struct bytes *b, uint64_t x, int width)
{
    for (int k = width - 1; k >= 0; k--) {
        const char c = (char)(x >> (8 * k));
        put(b, &c, 1);
    }
}

static void big_double(struct bytes *b, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    big(b, bits, 8);
}

typedef enum sp_status reader(const char *path, const char *text, int64_t n,
                              const struct sp_load_options *options, struct sp_csr *matrix,
                              struct sp_load_facts *facts, struct sp_error *err);

static enum sp_status read_bytes(reader *read, const void *p, int64_t n, struct sp_csr *a,
                                 struct sp_load_facts *facts, struct sp_error *err)
{
    const struct sp_load_options options = {.n_threads = 2, .memory_limit_B = 64e6};
    char *text = malloc(n > 0 ? (size_t)n : 1); /* exactly so long, for the address sanitizer */
    memcpy(text, p, (size_t)n);
    memset(facts, 0, sizeof *facts);
    memset(err, 0, sizeof *err);
    const enum sp_status status = read("test", text, n, &options, a, facts, err);
    free(text);
    if (status == SP_OK)
        ck_assert_msg(sp_csr_check(a, err) == SP_OK, "not canonical: %s", err->what);
    return status;
}

static struct sp_csr read_good(reader *read, const void *p, int64_t n, struct sp_load_facts *facts)
{
    struct sp_csr a;
    struct sp_error err;
    const enum sp_status status = read_bytes(read, p, n, &a, facts, &err);
    ck_assert_msg(status == SP_OK, "refused: line %d: %s", (int)err.line, err.what);
    return a;
}

static void check_refused(reader *read, const void *p, int64_t n, const char *wanted)
{
    struct sp_csr a;
    struct sp_load_facts facts;
    struct sp_error err;
    const enum sp_status status = read_bytes(read, p, n, &a, &facts, &err);
    ck_assert_msg(status == SP_INPUT, "status %d, wanted: %s", (int)status, wanted);
    ck_assert_msg(strstr(err.what, wanted) != NULL, "\"%s\" lacks \"%s\"", err.what, wanted);
    ck_assert_msg(err.remedy[0], "no remedy: %s", err.what);
    ck_assert_ptr_null(a.row_ptr);
}

/* Entry k of a matrix is as given. */
static void check_entry(const struct sp_csr *a, int64_t k, int32_t col, double re, double im)
{
    const int per_entry = sp_csr_is_complex(a) ? 2 : 1;
    ck_assert_int_eq(a->col[k], col);
    ck_assert_double_eq(a->val[k * per_entry], re);
    if (per_entry == 2)
        ck_assert_double_eq(a->val[2 * k + 1], im);
}

/* [2 . 1; . . .; . 3 .] with the first row's columns in the wrong order. */
enum { REAL, COMPLEX, SINGLE };
static void put_petsc(struct bytes *b, int width, int scalar)
{
    static const int numbers[] = {1211216, 3, 3, 3, 2, 0, 1, 2, 0, 1};
    for (int k = 0; k < 10; k++)
        big(b, (uint64_t)numbers[k], width);
    for (int k = 1; k <= 3; k++) {
        const float single = (float)k;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        if (scalar == SINGLE)
            big(b, bits, 4);
        else
            big_double(b, k);
        if (scalar == COMPLEX)
            big_double(b, -k);
    }
}

static void put_vector(struct bytes *b, int width, int64_t n)
{
    big(b, 1211214, width);
    big(b, (uint64_t)n, width);
    for (int64_t k = 0; k < n; k++)
        big_double(b, 0.5);
}

START_TEST(petsc_is_read)
{
    for (int width = 4; width <= 8; width += 4)
        for (int scalar = REAL; scalar <= SINGLE; scalar++)
            for (int around = 0; around < 4; around++) { /* 1: a vector before, 2: behind */
                struct bytes *b = calloc(1, sizeof *b);
                if (around & 1) {
                    put_vector(b, width, 5);
                    big(b, 1211218, width);
                    big(b, 2, width);
                    big(b, 0, width);
                    big(b, 1, width);
                }
                put_petsc(b, width, scalar);
                if (around & 2)
                    put_vector(b, width, 3);
                ck_assert(sp_matrix_format_of(b->at, b->n)->read == sp_petsc_read);
                struct sp_load_facts facts;
                struct sp_csr a = read_good(sp_petsc_read, b->at, b->n, &facts);
                ck_assert_int_eq(a.field, scalar == COMPLEX ? SP_FIELD_COMPLEX : SP_FIELD_REAL);
                ck_assert_int_eq(a.n_nz, 3);
                ck_assert_int_eq(facts.n_entries, 3);
                ck_assert_int_eq(a.row_ptr[1], 2);
                ck_assert_int_eq(a.row_ptr[2], 2);
                check_entry(&a, 0, 0, 2, -2);
                check_entry(&a, 1, 2, 1, -1);
                check_entry(&a, 2, 1, 3, -3);
                sp_csr_free(&a);
                free(b);
            }
}
END_TEST

START_TEST(petsc_is_refused)
{
    static const struct {
        int at; /* number of the header that is changed, -1: none */
        int64_t to;
        int64_t cut; /* bytes that are left, 0: all */
        const char *wanted;
    } cases[] = {
        {0, 1211219, 0, "cannot be skipped"},
        {0, 1211214, 0, "cannot be skipped"},
        {0, 7, 0, "byte 0: this is no PETSc binary file"},
        {1, -1, 0, "-1 rows"},
        {2, -5, 0, "-5 columns"},
        {3, -1, 0, "stored dense"},
        {3, 4, 0, "4 entries, but its rows together 3"},
        {3, 2, 0, "2 entries, but its rows together 3"},
        {1, 1000000, 0, "inside the row lengths"},
        {4, -1, 0, "row 1 has -1 entries"},
        {4, 2000000000, 0, "row 1 has 2000000000 entries"},
        {7, 3, 0, "entry 1 is in column 3 (counted from 0) of 3"},
        {9, -1, 0, "entry 3 is in column -1"},
        {-1, 0, 12, "inside the sizes"},
        {-1, 0, 30, "inside the columns"},
        {-1, 0, 50, "inside the values"},
        {-1, 0, 60, "neither real nor complex"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes *b = calloc(1, sizeof *b), *number = calloc(1, sizeof *number);
        put_petsc(b, 4, REAL);
        big(number, (uint64_t)cases[i].to, 4);
        if (cases[i].at >= 0)
            memcpy(b->at + 4 * cases[i].at, number->at, 4);
        check_refused(sp_petsc_read, b->at, cases[i].cut ? cases[i].cut : b->n, cases[i].wanted);
        free(b);
        free(number);
    }
    struct bytes *b = calloc(1, sizeof *b);
    put_vector(b, 4, 3);
    check_refused(sp_petsc_read, b->at, b->n, "no matrix behind the vectors");
    free(b);
}
END_TEST

/* PETSc says INT32_MAX where the number of entries is beyond it. */
START_TEST(petsc_entries_may_be_untold)
{
    struct bytes *b = calloc(1, sizeof *b);
    put_petsc(b, 4, REAL);
    memcpy(b->at + 12, "\x7f\xff\xff\xff", 4);
    struct sp_load_facts facts;
    struct sp_csr a = read_good(sp_petsc_read, b->at, b->n, &facts);
    ck_assert_int_eq(a.n_nz, 3);
    sp_csr_free(&a);
    free(b);
}
END_TEST

START_TEST(memory_is_checked_before_it_is_taken)
{
    static const char rb[] =
        "t\n 2 1 1\nPUA            2000000000             1             0             0\n"
        "(2I4)           (2I4)\n   1   1\n";
    struct sp_csr a;
    struct sp_load_facts facts;
    struct sp_error err;
    ck_assert_int_eq(read_bytes(sp_rb_read, rb, sizeof rb - 1, &a, &facts, &err), SP_INPUT);
    static const char rb2[] =
        "t\n 1 1 0 0\nPUA            2000000000             1             0             0\n"
        "(2I4)           (2I4)\n   1   1\n";
    ck_assert_int_eq(read_bytes(sp_rb_read, rb2, sizeof rb2 - 1, &a, &facts, &err), SP_MEMORY);
    ck_assert_ptr_nonnull(strstr(err.what, "GB"));
}
END_TEST

#define HEAD(cards, type, sizes, formats) "title\n" cards "\n" type "           " sizes "\n" formats "\n"
#define THREE                                                                                                \
    HEAD("             3             1             1             1", "RUA",                                  \
         "             3             3             3             0",                                         \
         "(4I3)           (3I3)           (3F6.1)")

START_TEST(rb_is_read)
{
    static const struct {
        const char *text;
        double first; /* value of entry 0 */
    } cases[] = {
        {THREE "  1  2  3  4\n  1  2  3\n   7.0   8.0   9.0\n", 7},
        {THREE "  1  2  3  4\r\n  1  2  3\r\n   7.0   8.0   9.0\r\n", 7},
        {THREE "  1  2  3  4\n  1  2  3\n   7.0   8.0   9.0", 7},
        {THREE "  1  2  3  4\n  1  2  3\n    70    80    90\n", 7},     /* the point is not written */
        {THREE "  1  2  3  4\n  1  2  3\n 7.0+2   8.0   9.0\n", 700},   /* nor the exponent's letter */
        {THREE "  1  2  3  4\n  1  2  3\n 7.0D2   8.0   9.0\n\n", 700}, /* blank lines behind */
        /* Words in place of columns, Harwell-Boeing with a right-hand side. */
        {"t\n 4 1 1 1 1\nRUA 3 3 3 0\n(4I3) (3I3) (3F6.1) (3F6.1)\nF 1 0\n  1  2  3  4\n  1  2  3\n"
         "   7.0   8.0   9.0\n   1.0   1.0   1.0\n",
         7},
        /* Scale: counts where there is no exponent. */
        {"t\n 3 1 1 1\nrua            3             3             3\n(4I3) (3I3) (1P,3F6.1)\n  1  2  3  4\n"
         "  1  2  3\n  70.0   8.0   9.0\n",
         7},
        {"t\n 4 1 1 2\nRUA            3             3             3\n(4I3) (3I3) (1P2(1X,D8.1))\n  1  2  3  "
         "4\n"
         "  1  2  3\n    7.0D0    8.0D0\n    9.0D0\n",
         7},
        /* Types that are read as something simpler. */
        {"t\n 3 1 1 1\nRHA            3             3             3\n(4I3) (3I3) (3F6.1)\n  1  2  3  4\n  1  "
         "2  "
         "3\n   7.0   8.0   9.0\n",
         7},
        {"t\n 3 1 1 1\nIUA            3             3             3\n(4I3) (3I3) (3I3)\n  1  2  3  4\n  1  2 "
         " "
         "3\n  7  8  9\n",
         7},
        {"t\n 2 1 1 0\nPUA            3             3             3\n(4I3) (3I3)\n  1  2  3  4\n  1  2  3\n",
         1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_load_facts facts;
        const int64_t n = (int64_t)strlen(cases[i].text);
        ck_assert(sp_matrix_format_of(cases[i].text, n)->read == sp_rb_read);
        struct sp_csr a = read_good(sp_rb_read, cases[i].text, n, &facts);
        ck_assert_int_eq(a.n_nz, 3);
        check_entry(&a, 0, 0, cases[i].first, 0);
        ck_assert_int_eq(a.col[1], 1);
        ck_assert_int_eq(a.col[2], 2);
        sp_csr_free(&a);
    }
}
END_TEST

/* One triangle is mirrored, duplicates are added. */
START_TEST(rb_symmetry_is_expanded)
{
    static const struct {
        const char *type;
        double re, im; /* of the mirror image of (2, 1) */
    } cases[] = {{"CSA", 5, 6}, {"CHA", 5, -6}, {"CZA", -5, -6}, {"csa", 5, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        const int n = snprintf(text, sizeof text,
                               "t\n 3 1 1 1\n%s            2             2             2\n(3I3) (2I3) "
                               "(4F6.1)\n  1  3  3\n  2  2\n   2.0   3.0   3.0   3.0\n",
                               cases[i].type);
        struct sp_load_facts facts;
        struct sp_csr a = read_good(sp_rb_read, text, n, &facts);
        ck_assert_int_eq(a.n_nz, 2);
        ck_assert_int_eq(a.n_duplicates, 1);
        ck_assert_int_eq(facts.n_entries, 2);
        check_entry(&a, 0, 1, cases[i].re, cases[i].im);
        check_entry(&a, 1, 0, 5, 6);
        sp_csr_free(&a);
    }
}
END_TEST

#define SIZES3 "            3             3             3\n"
#define BODY   "  1  2  3  4\n  1  2  3\n   7.0   8.0   9.0\n"

START_TEST(rb_is_refused)
{
    static const struct {
        const char *text;
        int64_t line, column;
        const char *wanted;
    } cases[] = {
        {"t\n", 2, 0, "ends inside its header"},
        {"t\nx\nRUA            3             3             3\n", 2, 1, "numbers of lines"},
        {"t\n 3 1 1 1\nRUA\n", 3, 15, "rows, columns and entries"},
        {"t\n 3 1 1 1\nXUA" SIZES3 "(4I3) (3I3) (3F6.1)\n" BODY, 3, 1, "'XUA' is no type"},
        {"t\n 3 1 1 1\nRUE" SIZES3 "(4I3) (3I3) (3F6.1)\n" BODY, 3, 3, "finite elements"},
        {"t\n 3 1 1 1\nQUA" SIZES3 "(4I3) (3I3) (3F6.1)\n" BODY, 3, 1, "in another file"},
        {"t\n 3 1 1 1\nPZA" SIZES3 "(4I3) (3I3) (3F6.1)\n" BODY, 3, 1, "a pattern has no signs"},
        {"t\n 3 1 1 1\nRSA            3             4             3\n(5I3) (3I3) (3F6.1)\n", 3, 15,
         "must be square"},
        {"t\n 3 1 1 1\nRUA               3000000000             3             3\n(4I3) (3I3) (3F6.1)\n", 3,
         15, "too large"},
        {"t\n 3 1 1 1\nRUA" SIZES3 "(4I3) (3F6.1)\n" BODY, 4, 7, "is none of whole numbers"},
        {"t\n 3 1 1 1\nRUA" SIZES3 "(4I3) (3I3)\n" BODY, 4, 12, "the format of the values"},
        {"t\n 3 1 1 1\nRUA" SIZES3 "(4I3) (3I3) (3F6.1\n" BODY, 4, 12, "the format of the values"},
        {"t\n 3 1 1 1\nRUA" SIZES3 "(4I0) (3I3) (3F6.1)\n" BODY, 4, 1, "without a width"},
        {"t\n 3 1 1 1\nRUA" SIZES3 "(400I1) (3I3) (3F6.1)\n" BODY, 4, 1, "more than 128"},
        {"t\n 3 1 1 1\nRUA" SIZES3 "(4A3) (3I3) (3F6.1)\n" BODY, 4, 1, "none of r I w"},
        {"t\n 3 1 1 1\nRUA" SIZES3 "(4I3) (3I3) (3F6)\n" BODY, 4, 13, "digits behind the point"},
        {"t\n 3 2 1 1\nRUA" SIZES3 "(4I3) (3I3) (3F6.1)\n" BODY, 2, 15, "2 lines of pointers are announced"},
        {"t\n 3 1 1 9\nRUA" SIZES3 "(4I3) (3I3) (3F6.1)\n" BODY, 2, 43, "9 lines of values are announced"},
        {THREE "  1  2  3  4\n  1  2  3\n", 7, 0, "ends inside the values"},
        {THREE "  1  2  3  4\n  1  2  3\n   7.0   8.0\n", 7, 13, "blank where a number"},
        {THREE "  1  2  3  4\n  1  2  3\n   7.0   x.0   9.0\n", 7, 7, "no number"},
        {THREE "  1  2  3  4\n  1  2  3\n 7e999   8.0   9.0\n", 7, 1, "range of a double"},
        {THREE "  1  2  3  4\n  1  2  4\n   7.0   8.0   9.0\n", 6, 7, "a row that the matrix has not"},
        {THREE "  1  2  3  4\n  0  2  3\n   7.0   8.0   9.0\n", 6, 1, "a row that the matrix has not"},
        {THREE "  1  2  3  4\n  1 2x  3\n   7.0   8.0   9.0\n", 6, 4, "no whole number"},
        {THREE "  1  3  2  4\n  1  2  3\n   7.0   8.0   9.0\n", 5, 7, "pointer 3 is 2"},
        {THREE "  2  2  3  4\n  1  2  3\n   7.0   8.0   9.0\n", 5, 1, "pointer 1 is 2"},
        {THREE "  1  2  3  3\n  1  2  3\n   7.0   8.0   9.0\n", 5, 10, "pointer 4 is 3"},
        {THREE "  1  2  3 99\n  1  2  3\n   7.0   8.0   9.0\n", 5, 10, "a pointer to no entry"},
        {THREE BODY "   1.0\n", 8, 4, "goes on after the last"},
        {"t\n 3 1 1 1\nRZA" SIZES3 "(4I3) (3I3) (3F6.1)\n" BODY, 6, 1, "no entry on its diagonal"},
        {"t\n 3 1 1 1\nRSA" SIZES3 "(4I3) (3I3) (3F6.1)\n  1  2  4  4\n  2  1  2\n   7.0   8.0   9.0\n", 6, 4,
         "(1, 2) lies in the other triangle"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_csr a;
        struct sp_load_facts facts;
        struct sp_error err;
        check_refused(sp_rb_read, cases[i].text, (int64_t)strlen(cases[i].text), cases[i].wanted);
        read_bytes(sp_rb_read, cases[i].text, (int64_t)strlen(cases[i].text), &a, &facts, &err);
        ck_assert_msg(err.line == cases[i].line && err.column == cases[i].column, "%s: %d:%d", err.what,
                      (int)err.line, (int)err.column);
    }
}
END_TEST

START_TEST(fortran_formats)
{
    static const struct {
        const char *text;
        int n, start, width, decimals, scale; /* the last field; n 0: refused */
    } cases[] = {
        {"(8I10)", 8, 70, 10, 0, 0},
        {"(10I8)", 10, 72, 8, 0, 0},
        {"(1P,4D20.12)", 4, 60, 20, 12, 1},
        {"(1P4D20.12)", 4, 60, 20, 12, 1},
        {"( 5e16.8 )", 5, 64, 16, 8, 0},
        {"(-2P,F10.3)", 1, 0, 10, 3, -2},
        {"(3(1X,E25.17))", 3, 53, 25, 17, 0},
        {"(1P,3(E25.17E3,1X))", 3, 52, 25, 17, 1},
        {"(I5,I6,2X,I7)", 3, 13, 7, 0, 0},
        {"(ES24.16)", 1, 0, 24, 16, 0},
        {"(2EN24.16)", 2, 24, 24, 16, 0},
        {"(-2I8)", 0, 0, 0, 0, 0},
        {"(I)", 0, 0, 0, 0, 0},
        {"(8I10", 0, 0, 0, 0, 0},
        {"8I10)", 0, 0, 0, 0, 0},
        {"()", 0, 0, 0, 0, 0},
        {"(A8)", 0, 0, 0, 0, 0},
        {"(I3,2(I4))", 0, 0, 0, 0, 0},
        {"(2(2(I4)))", 0, 0, 0, 0, 0},
        {"(999999999I8)", 0, 0, 0, 0, 0},
        {"(99(I8", 0, 0, 0, 0, 0},
        {"(1P)", 0, 0, 0, 0, 0},
        {"(9999X,9999X,I8)", 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_fortran_format f;
        const char *wrong = sp_fortran_parse(cases[i].text, (int64_t)strlen(cases[i].text), &f);
        if (cases[i].n == 0) {
            ck_assert_msg(wrong != NULL, "%s is taken", cases[i].text);
            continue;
        }
        ck_assert_msg(!wrong, "%s: %s", cases[i].text, wrong);
        const struct sp_fortran_field *last = &f.field[f.n - 1];
        ck_assert_msg(f.n == cases[i].n && last->start == cases[i].start && last->width == cases[i].width &&
                          last->decimals == cases[i].decimals && last->scale == cases[i].scale,
                      "%s: %d %d %d %d %d", cases[i].text, f.n, last->start, last->width, last->decimals,
                      last->scale);
    }
}
END_TEST

START_TEST(fortran_numbers)
{
    static const struct {
        const char *text;
        int decimals, scale;
        double value; /* NAN: refused */
    } cases[] = {
        {"  1.5", 3, 0, 1.5},      {"1500", 3, 0, 1.5},
        {"-1500", 3, 0, -1.5},     {"15", 0, 1, 1.5},
        {"15.E0", 0, 1, 15},       {"1.5D+02", 3, 0, 150},
        {"1.5+2", 0, 0, 150},      {"1.5-300", 0, 0, 1.5e-300},
        {"1 . 5", 0, 0, 1.5},      {"1500E2", 3, 0, 150},
        {".5", 0, 0, 0.5},         {"5.", 0, 0, 5},
        {"+1.5q1", 0, 0, 15},      {"15.", 0, -1, 150},
        {"x", 0, 0, NAN},          {"1.5.2", 0, 0, NAN},
        {"1.5e", 0, 0, NAN},       {"--1", 0, 0, NAN},
        {"", 0, 0, NAN},           {"   ", 0, 0, NAN},
        {"1e400", 0, 0, NAN},      {".", 0, 0, NAN},
        {"0.1", 1, 0, 0.1},        {"1.e5x", 0, 0, NAN},
        {"-inf", 0, 0, -INFINITY}, {"123456789012345678901234567890", 30, 0, 0.12345678901234568},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sp_fortran_field f = {
            .width = 40, .decimals = (int16_t)cases[i].decimals, .scale = (int16_t)cases[i].scale};
        double x;
        const char *p = cases[i].text, *wrong = sp_fortran_real(&f, p, p + strlen(p), &x);
        ck_assert_msg(isnan(cases[i].value) == (wrong != NULL), "'%s': %s", p, wrong ? wrong : "taken");
        ck_assert_msg(wrong || x == cases[i].value, "'%s': %.17g", p, x);
    }
}
END_TEST

/* Archives of arrays. */
struct member {
    const char *name, *descr;
    int n_dims;
    int64_t dim[3];
    const void *data;
    int64_t bytes;
};

/* [n] bytes of the archive that was made, in text. */
static int64_t make_npz(const struct member *m, int n_members, struct bytes *b)
{
    char path[128];
    snprintf(path, sizeof path, "%s/made.npz", dir);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    struct sp_zip_writer *w;
    struct sp_error err;
    ck_assert_int_eq(sp_zip_writer_open(f, path, &w, &err), SP_OK);
    for (int k = 0; k < n_members; k++) {
        char header[SP_NPY_HEADER];
        const int length = sp_npy_write_header(m[k].descr, m[k].n_dims, m[k].dim, header);
        ck_assert_int_eq(sp_zip_writer_begin(w, m[k].name, length + m[k].bytes, &err), SP_OK);
        ck_assert_int_eq(sp_zip_writer_put(w, header, length, &err), SP_OK);
        ck_assert_int_eq(sp_zip_writer_put(w, m[k].data, m[k].bytes, &err), SP_OK);
    }
    ck_assert_int_eq(sp_zip_writer_close(w, &err), SP_OK);
    fclose(f);
    f = fopen(path, "rb");
    b->n = (int64_t)fread(b->at, 1, sizeof b->at, f);
    fclose(f);
    return b->n;
}

static const int32_t indptr[] = {0, 2, 2, 3}, indices[] = {2, 0, 1}, bad_indices[] = {2, 3, 1},
                     down[] = {0, 2, 1, 3}, late[] = {1, 2, 2, 3}, short_end[] = {0, 2, 2, 2},
                     beyond[] = {0, 9, 9, 3}, offsets[] = {0, -1}, far[] = {0, -2000000000};
static const int64_t shape[] = {3, 3}, wide_shape[] = {3, INT64_C(1) << 40}, one[] = {3},
                     negative[] = {-3, 3}, coords[] = {0, 0, 2, 2, 0, 1};
static const double values[] = {1, 2, 3, 0, 5, 6, 7, 8};
static const char bools[] = {1, 1, 0};

#define CSR(indptr_, indices_, shape_)                                                                       \
    {                                                                                                        \
        {"indices.npy", "<i4", 1, {3}, indices_, 12}, {"indptr.npy", "<i4", 1, {4}, indptr_, 16},            \
            {"format.npy", "|S3", 0, {0}, "csr", 3}, {"shape.npy", "<i8", 1, {2}, shape_, 16},               \
            {"data.npy", "<f8", 1, {3}, values, 24},                                                         \
    }

START_TEST(npz_is_read)
{
    struct bytes *b = calloc(1, sizeof *b);
    struct sp_load_facts facts;
    const struct member csr[5] = CSR(indptr, indices, shape);
    struct sp_csr a = read_good(sp_npz_read, b->at, make_npz(csr, 5, b), &facts);
    ck_assert(sp_matrix_format_of(b->at, b->n)->read == sp_npz_read);
    ck_assert_int_eq(a.n_nz, 3);
    check_entry(&a, 0, 0, 2, 0);
    check_entry(&a, 1, 2, 1, 0);
    check_entry(&a, 2, 1, 3, 0);
    sp_csr_free(&a);

    struct member csc[5];
    memcpy(csc, csr, sizeof csc);
    csc[2].data = "csc";
    csc[4] = (struct member){"data.npy", "|b1", 1, {3}, bools, 3};
    a = read_good(sp_npz_read, b->at, make_npz(csc, 5, b), &facts);
    ck_assert_int_eq(a.field, SP_FIELD_INTEGER);
    ck_assert_int_eq(a.n_zeros, 1);
    check_entry(&a, 0, 0, 1, 0);
    check_entry(&a, 1, 2, 0, 0);
    check_entry(&a, 2, 0, 1, 0);
    sp_csr_free(&a);

    struct member coo[4];
    memcpy(coo, csr + 1, sizeof coo);
    coo[0] = (struct member){"coords.npy", "<i8", 2, {2, 3}, coords, 48};
    coo[1].data = "coo";
    a = read_good(sp_npz_read, b->at, make_npz(coo, 4, b), &facts);
    ck_assert_int_eq(a.n_nz, 3);
    check_entry(&a, 0, 0, 2, 0);
    check_entry(&a, 1, 2, 1, 0);
    check_entry(&a, 2, 1, 3, 0);
    sp_csr_free(&a);

    struct member dia[4];
    memcpy(dia, coo, sizeof dia);
    dia[0] = (struct member){"offsets.npy", "<i4", 1, {2}, offsets, 8};
    dia[1].data = "dia";
    dia[3] = (struct member){"data.npy", "<f8", 2, {2, 4}, values, 64};
    a = read_good(sp_npz_read, b->at, make_npz(dia, 4, b), &facts);
    ck_assert_int_eq(a.n_nz, 5); /* 1 2 3 on the diagonal, 5 6 below it */
    check_entry(&a, 1, 0, 5, 0);
    check_entry(&a, 4, 2, 3, 0);
    dia[0].data = far;
    sp_csr_free(&a);
    a = read_good(sp_npz_read, b->at, make_npz(dia, 4, b), &facts);
    ck_assert_int_eq(a.n_nz, 3);
    sp_csr_free(&a);
    free(b);
}
END_TEST

START_TEST(npz_is_refused)
{
    static const struct member good[5] = CSR(indptr, indices, shape);
    static const struct {
        int at; /* the member in whose place another comes; -1: the archive is cut in its middle */
        struct member other;
        const char *wanted;
    } cases[] = {
        {0, {"indices.npy", "<i4", 1, {3}, bad_indices, 12}, "indices.npy: element 1 is 3"},
        {0, {"indices.npy", "<f8", 1, {3}, values, 24}, "not whole numbers"},
        {0, {"other.npy", "<f8", 1, {3}, values, 24}, "there is no indices.npy"},
        {0, {"indices.npy", "<i4", 1, {2}, indices, 8}, "element 3 is 3; they must ascend from 0 to 2"},
        {0, {"indices.npy", "<i4", 1, {INT64_C(1) << 60}, indices, 12}, "shorter than its header says"},
        {0, {"indices.npy", "<i4", 1, {INT64_MAX}, indices, 12}, "beyond all memory"},
        {0, {"indices.npy", "<i4", 1, {2}, indices, 12}, "goes on behind its array"},
        {0, {"indices.npy", "<O8", 1, {1}, values, 8}, "its type is none"},
        {0, {"indices.npy", "f8", 1, {1}, values, 8}, "its type has no byte order"},
        {1, {"indptr.npy", "<i4", 1, {4}, down, 16}, "indptr.npy: element 2 is 1"},
        {1, {"indptr.npy", "<i4", 1, {4}, late, 16}, "indptr.npy: element 0 is 1"},
        {1, {"indptr.npy", "<i4", 1, {4}, short_end, 16}, "indptr.npy: element 3 is 2"},
        {1, {"indptr.npy", "<i4", 1, {4}, beyond, 16}, "indptr.npy: element 1 is 9"},
        {1, {"indptr.npy", "<i4", 1, {3}, indptr, 12}, "it has 3 elements, not 4"},
        {2, {"format.npy", "|S3", 0, {0}, "lil", 3}, "names none of csr"},
        {2, {"format.npy", "|S4", 0, {0}, "csrx", 4}, "names none of csr"},
        {2, {"x.npy", "|S3", 0, {0}, "csr", 3}, "there is no format.npy"},
        {3, {"shape.npy", "<i8", 1, {1}, one, 8}, "not two dimensions"},
        {3, {"shape.npy", "<i8", 1, {2}, wide_shape, 16}, "1099511627776 columns"},
        {3, {"shape.npy", "<i8", 1, {2}, negative, 16}, "-3 rows"},
        {3, {"x.npy", "<i8", 1, {2}, shape, 16}, "there is no shape.npy"},
        {4, {"data.npy", "<f8", 1, {4}, values, 32}, "do not fit those of data.npy (4)"},
        {4, {"data.npy", "<f8", 2, {3, 1}, values, 24}, "its dimensions are 2"},
        {4, {"data.npy", "<f2", 1, {3}, values, 6}, "its type is <f2"},
        {4, {"x.npy", "<f8", 1, {3}, values, 24}, "there is no data.npy"},
        {-1, {0}, "cannot unpack"},
    };
    struct bytes *b = calloc(1, sizeof *b);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct member m[5];
        memcpy(m, good, sizeof m);
        if (cases[i].at >= 0)
            m[cases[i].at] = cases[i].other;
        const int64_t n = make_npz(m, 5, b);
        check_refused(sp_npz_read, b->at, cases[i].at < 0 ? n / 2 : n, cases[i].wanted);
    }
    const int64_t n = make_npz(good, 5, b);
    for (int64_t k = 0; k < n; k++) /* the values' last byte: the checksum tells */
        if (n - k > 24 && memcmp(b->at + k, values, 24) == 0)
            b->at[k + 23] ^= 1;
    check_refused(sp_npz_read, b->at, n, "cannot unpack");
    const struct member no_matrix[] = {{"x.npy", "<f8", 1, {3}, values, 24}};
    check_refused(sp_npz_read, b->at, make_npz(no_matrix, 1, b), "no sparse matrix of SciPy");
    free(b);
}
END_TEST

/* Real values of all magnitudes at random places, in a file of Matrix Market's. */
static void put_random(const char *path, const char *kind, int n, int n_entries, uint64_t seed)
{
    FILE *f = fopen(path, "w");
    struct sp_random r = {seed};
    const bool general = strstr(kind, "general");
    fprintf(f, "%%%%MatrixMarket matrix coordinate %s\n%d %d %d\n", kind, n, general ? n + 7 : n, n_entries);
    for (int k = 0; k < n_entries; k++) {
        const int64_t i = sp_random_below(&r, n), j = sp_random_below(&r, general ? n + 7 : n);
        int64_t row = general || i > j ? i : j, col = general || i > j ? j : i;
        if (!general && row == col) {
            row = n - 1;
            col = 0;
        }
        const double x = ldexp(sp_random_unit(&r) - 0.5, (int)sp_random_below(&r, 2000) - 1000);
        fprintf(f, "%lld %lld", (long long)row + 1, (long long)col + 1);
        if (strstr(kind, "integer"))
            fprintf(f, " %lld", (long long)sp_random_below(&r, INT64_C(1) << 40) - (INT64_C(1) << 39));
        else if (!strstr(kind, "pattern"))
            fprintf(f, strstr(kind, "complex") ? " %.17g %.17g" : " %.17g", x, -x / 3);
        fputc('\n', f);
    }
    fclose(f);
}

static struct sp_csr load(const char *path, struct sp_load_facts *facts)
{
    const struct sp_load_options options = {.n_threads = 2};
    struct sp_csr a;
    struct sp_error err;
    const enum sp_status status = sp_matrix_load(path, &options, &a, facts, &err);
    ck_assert_msg(status == SP_OK, "%s: line %d: %s", path, (int)err.line, err.what);
    return a;
}

START_TEST(matrices_come_back_bit_by_bit)
{
    static const char *const kinds[] = {"real general",           "real symmetric",    "real skew-symmetric",
                                        "complex hermitian",      "complex symmetric", "complex general",
                                        "complex skew-symmetric", "integer general",   "integer symmetric",
                                        "integer skew-symmetric", "pattern general",   "pattern symmetric"};
    char first[128], other[128], back[128];
    snprintf(first, sizeof first, "%s/a.mtx", dir);
    snprintf(back, sizeof back, "%s/back.mtx", dir);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        put_random(first, kinds[i], 150, 900, i + 1);
        struct sp_load_facts facts, facts_b;
        struct sp_csr a = load(first, &facts);
        for (const struct sp_matrix_format *f = sp_matrix_formats; f->word; f++) {
            if (!f->write || (!SP_HAVE_LIBARCHIVE && f->read == sp_npz_read))
                continue;
            struct sp_mtx_write_options options = {.n_threads = 2};
            struct sp_error err;
            snprintf(other, sizeof other, "%s/b.%s", dir, f->word);
            ck_assert_msg(f->write(other, &a, &options, &err) == SP_OK, "%s", err.what);
            struct sp_csr b = load(other, &facts_b);
            ck_assert_msg(strcmp(facts.sha256, facts_b.sha256) == 0, "%s, %s", kinds[i], f->word);
            ck_assert_str_eq(facts_b.name, "b");
            ck_assert_int_eq(a.n_zeros, b.n_zeros);
            ck_assert(!f->holds_triangle || a.symmetry == b.symmetry);
            ck_assert_int_eq(sp_mtx_write(back, &b, &options, &err), SP_OK);
            struct sp_csr c = load(back, &facts_b);
            ck_assert_msg(strcmp(facts.sha256, facts_b.sha256) == 0, "%s, %s, mtx", kinds[i], f->word);
            sp_csr_free(&b);
            sp_csr_free(&c);
        }
        sp_csr_free(&a);
    }
    if (!SP_HAVE_LIBARCHIVE)
        printf("SKIPPED npz: this build is without libarchive\n");
}
END_TEST

/* The same under another name, compressed, and as a stream: the content decides. */
START_TEST(content_decides)
{
    char path[128], command[512];
    struct sp_load_facts facts, packed;
    struct sp_csr a = load("gen:random:300:5", &facts);
    for (const struct sp_matrix_format *f = sp_matrix_formats; f->is && SP_HAVE_LIBARCHIVE; f++) {
        struct sp_mtx_write_options options = {0};
        if (!f->write)
            continue;
        snprintf(path, sizeof path, "%s/c.mtx", dir);
        ck_assert_int_eq(f->write(path, &a, &options, NULL), SP_OK);
        struct sp_csr b = load(path, &packed);
        ck_assert_str_eq(facts.sha256, packed.sha256);
        sp_csr_free(&b);
        snprintf(command, sizeof command, "gzip -kf '%s'", path);
        ck_assert_int_eq(system(command), 0);
        strcat(path, ".gz");
        b = load(path, &packed);
        ck_assert_str_eq(facts.sha256, packed.sha256);
        ck_assert_ptr_nonnull(strstr(packed.format, "gzip"));
        sp_csr_free(&b);
    }
    if (SP_HAVE_LIBARCHIVE) { /* as SuiteSparse has them */
        struct sp_mtx_write_options options = {0};
        snprintf(command, sizeof command, "mkdir '%s/d'", dir);
        ck_assert_int_eq(system(command), 0);
        snprintf(path, sizeof path, "%s/d/d.rb", dir);
        ck_assert_int_eq(sp_rb_write(path, &a, &options, NULL), SP_OK);
        snprintf(path, sizeof path, "%s/d.tar.gz", dir);
        snprintf(command, sizeof command, "tar -C '%s' -czf '%s' d", dir, path);
        ck_assert_int_eq(system(command), 0);
        struct sp_csr b = load(path, &packed);
        ck_assert_str_eq(facts.sha256, packed.sha256);
        ck_assert_str_eq(packed.name, "d");
        sp_csr_free(&b);
    }
    sp_csr_free(&a);
    if (!SP_HAVE_LIBARCHIVE)
        printf("SKIPPED compressed files: this build is without libarchive\n");
}
END_TEST

/* Where the content says nothing, the name does; where it is something else that is known, that is said. */
START_TEST(names_decide_next)
{
    static const struct {
        const char *name, *text, *wanted;
    } cases[] = {
        {"a.petsc", "something\n", "no PETSc binary file"},
        {"a.npz", "something\n", "no .npz file"},
        {"a.RSA", "one\ntwo\nthree\n", "this line must have numbers of lines"},
        {"a.rb", "%%MatrixMarket matrix array real general\n1 1\nx\n", "a number is wanted"},
        {"a.npz", "<!doctype html>\n", "HTML page"},
        {"a.npz", "", "the file is empty"},
        {"a.txt", "something\n", "no Matrix Market banner"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_csr a;
        struct sp_error err;
        ck_assert_int_eq(sp_matrix_load(write_file(cases[i].name, cases[i].text), NULL, &a, NULL, &err),
                         SP_INPUT);
        ck_assert_msg(strstr(err.what, cases[i].wanted) != NULL, "%s: %s", cases[i].name, err.what);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("matrix_formats");
    TCase *bytes = tcase_create("bytes"), *files = tcase_create("files");
    tcase_add_test(bytes, petsc_is_read);
    tcase_add_test(bytes, petsc_is_refused);
    tcase_add_test(bytes, petsc_entries_may_be_untold);
    tcase_add_test(bytes, memory_is_checked_before_it_is_taken);
    tcase_add_test(bytes, rb_is_read);
    tcase_add_test(bytes, rb_symmetry_is_expanded);
    tcase_add_test(bytes, rb_is_refused);
    tcase_add_test(bytes, fortran_formats);
    tcase_add_test(bytes, fortran_numbers);
    suite_add_tcase(suite, bytes);
    tcase_add_checked_fixture(files, make_dir, remove_dir);
    if (SP_HAVE_LIBARCHIVE) {
        tcase_add_test(files, npz_is_read);
        tcase_add_test(files, npz_is_refused);
    }
    tcase_add_test(files, matrices_come_back_bit_by_bit);
    tcase_add_test(files, content_decides);
    tcase_add_test(files, names_decide_next);
    suite_add_tcase(suite, files);
    return run_suite(suite);
}
