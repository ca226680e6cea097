/* The Matrix Market reader: the format's variants, what is refused, the parser cases and real matrices. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/files/archive.h"
#include "io/matrix/matrix_load.h"
#include "io/matrix/matrix_market.h"
#include "run_suite.h"

static enum sp_status read_text(const char *text, int n_threads, struct sp_csr *a, struct sp_error *err)
{
    struct sp_load_options options = {.n_threads = n_threads};
    struct sp_load_facts facts = {0};
    return sp_mtx_read_text("test.mtx", text, (int64_t)strlen(text), &options, a, &facts, err);
}

/* The same text as a stream on standard input, parsed in blocks of block_B (0: the usual ones). */
static enum sp_status stream_text(const char *text, int n_threads, int64_t block_B, struct sp_csr *a,
                                  struct sp_error *err)
{
    const int file = memfd_create("text", 0);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    ck_assert_int_eq(lseek(file, 0, SEEK_SET), 0);
    ck_assert_int_eq(dup2(file, STDIN_FILENO), STDIN_FILENO);
    close(file);
    struct sp_load_options options = {.n_threads = n_threads, .block_B = block_B};
    struct sp_load_facts facts = {0};
    struct sp_archive *archive;
    memset(a, 0, sizeof *a);
    enum sp_status status = sp_archive_open("-", &archive, err);
    if (status == SP_OK)
        status = sp_mtx_read_stream("test.mtx", archive, &options, a, &facts, err);
    sp_archive_close(archive);
    return status;
}

static double entry(const struct sp_csr *a, int row, int col, int part)
{
    int per_entry = sp_csr_is_complex(a) ? 2 : 1;
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++)
        if (a->col[k] == col)
            return a->val[k * per_entry + part];
    return 0;
}

static struct sp_csr read_good(const char *text)
{
    struct sp_csr a;
    struct sp_error err;
    enum sp_status status = read_text(text, 2, &a, &err);
    ck_assert_msg(status == SP_OK, "refused: %s\n%s", err.what, text);
    ck_assert_msg(sp_csr_check(&a, &err) == SP_OK, "not canonical: %s", err.what);
    return a;
}

START_TEST(reads_a_general_matrix_in_any_order)
{
    struct sp_csr a = read_good("%%MatrixMarket matrix coordinate real general\n% remark\n\n3 4 5\n"
                                "3 1 -2.5\n1 4 1e-3\n1 2 7\n\n% another\n2 2 0\n3 3 .5");
    ck_assert_int_eq(a.n_r, 3);
    ck_assert_int_eq(a.n_c, 4);
    ck_assert_int_eq(a.n_nz, 5);
    ck_assert_int_eq(a.n_zeros, 1);
    ck_assert_int_eq(a.n_duplicates, 0);
    ck_assert_double_eq(entry(&a, 2, 0, 0), -2.5);
    ck_assert_double_eq(entry(&a, 0, 3, 0), 1e-3);
    ck_assert_double_eq(entry(&a, 2, 2, 0), 0.5);
    sp_csr_free(&a);
    sp_csr_free(&a);
}
END_TEST

/* Signs, digits before and behind the point, up to and beyond what the fast paths take. */
START_TEST(numbers_are_those_of_strtod)
{
    static const char digits[] = "9072516384950617283";
    for (int n = 0; n <= 19; n++)
        for (int n_fraction = -1; n_fraction <= 19; n_fraction++)
            for (int k = 0; k < 4; k++) {
                char number[64], text[256];
                snprintf(number, sizeof number, "%s%.*s%s%.*s%s", k % 2 ? "-" : "", n, digits,
                         n_fraction < 0 ? "" : ".", n_fraction, digits, k / 2 ? "e-3" : "");
                if (n == 0 && n_fraction < 1)
                    continue;
                snprintf(text, sizeof text,
                         "%%%%MatrixMarket matrix coordinate real general\n"
                         "20000 2 3\n20000 2 %s\n1 1 %s\n1 2 -0\n",
                         number, number);
                struct sp_csr a = read_good(text);
                const double expected = strtod(number, NULL);
                ck_assert_msg(a.val[0] == expected && a.val[2] == expected, "%s", number);
                ck_assert(signbit(a.val[1]));
                sp_csr_free(&a);
            }
}
END_TEST

START_TEST(reads_windows_lines_tabs_and_any_case)
{
    struct sp_csr a = read_good("%%matrixMARKET  Matrix COORDINATE\tInteger Symmetric \r\n%\r\n  2 2  2\r\n"
                                "\t1\t 1 5 \r\n 2  1\t-3\r\n\r\n");
    ck_assert_int_eq(a.n_nz, 3);
    ck_assert_int_eq(a.field, SP_FIELD_INTEGER);
    ck_assert_double_eq(entry(&a, 0, 1, 0), -3);
    ck_assert_double_eq(entry(&a, 1, 0, 0), -3);
    sp_csr_free(&a);
}
END_TEST

START_TEST(expands_every_symmetry)
{
    struct sp_csr a =
        read_good("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 1 2\n");
    ck_assert_double_eq(entry(&a, 1, 0, 1), 2);
    ck_assert_double_eq(entry(&a, 0, 1, 0), 1);
    ck_assert_double_eq(entry(&a, 0, 1, 1), -2);
    sp_csr_free(&a);
    a = read_good("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 1 2\n");
    ck_assert_double_eq(entry(&a, 0, 1, 0), -1);
    ck_assert_double_eq(entry(&a, 0, 1, 1), -2);
    sp_csr_free(&a);
    a = read_good(
        "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n1 3 8\n"); /* upper triangle */
    ck_assert_double_eq(entry(&a, 0, 2, 0), 8);
    ck_assert_double_eq(entry(&a, 2, 0, 0), -8);
    sp_csr_free(&a);
    a = read_good("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n");
    ck_assert_double_eq(entry(&a, 0, 1, 0), 1);
    ck_assert_int_eq(a.n_nz, 3);
    sp_csr_free(&a);
    a = read_good("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n");
    ck_assert_double_eq(entry(&a, 1, 0, 0), 1);
    ck_assert_double_eq(entry(&a, 2, 0, 0), 2);
    ck_assert_double_eq(entry(&a, 2, 1, 0), 3);
    ck_assert_double_eq(entry(&a, 1, 2, 0), -3);
    sp_csr_free(&a);
    a = read_good("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 5\n3 0\n");
    ck_assert_double_eq(entry(&a, 0, 1, 1), -5);
    ck_assert_double_eq(entry(&a, 1, 1, 0), 3);
    sp_csr_free(&a);
    a = read_good("%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n\n4\n5\n0\n");
    ck_assert_double_eq(entry(&a, 1, 0, 0), 2);
    ck_assert_double_eq(entry(&a, 0, 2, 0), 5);
    ck_assert_int_eq(a.n_zeros, 1);
    sp_csr_free(&a);
}
END_TEST

START_TEST(adds_duplicates_and_counts_them_once)
{
    struct sp_csr a = read_good("%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n"
                                "2 1 1\n3 3 4\n2 1 2\n2 1 -3\n3 3 1\n");
    ck_assert_int_eq(a.n_nz, 3);
    ck_assert_int_eq(a.n_duplicates, 3);
    ck_assert_int_eq(a.n_zeros, 2); /* 1 + 2 - 3, on both sides of the diagonal */
    ck_assert_double_eq(entry(&a, 2, 2, 0), 5);
    sp_csr_free(&a);
}
END_TEST

START_TEST(reads_empty_matrices)
{
    struct sp_csr a = read_good("%%MatrixMarket matrix coordinate real general\n3 4 0\n");
    ck_assert_int_eq(a.n_nz, 0);
    sp_csr_free(&a);
    a = read_good("%%MatrixMarket matrix array real general\n0 0");
    ck_assert_int_eq(a.n_r, 0);
    sp_csr_free(&a);
}
END_TEST

struct bad_case {
    const char *text;
    int64_t line, column;
    const char *says;
};

/* block_B < 0: from memory, else as a stream. */
static void check_refused(const struct bad_case *c, int n_threads, int64_t block_B)
{
    struct sp_csr a;
    struct sp_error err = {0};
    enum sp_status status = block_B < 0 ? read_text(c->text, n_threads, &a, &err)
                                        : stream_text(c->text, n_threads, block_B, &a, &err);
    ck_assert_msg(status == SP_INPUT, "status %d, %d threads, blocks of %d for\n%s%s", status, n_threads,
                  (int)block_B, c->text, err.what);
    ck_assert_msg(strstr(err.what, c->says), "says '%s', not '%s'", err.what, c->says);
    ck_assert_msg(err.line == c->line && err.column == c->column, "place %d:%d for\n%s%s", (int)err.line,
                  (int)err.column, c->text, err.what);
    if (c->text[0]) /* an unpacker that meets nothing names what it was to unpack */
        ck_assert_str_eq(err.path, "test.mtx");
    ck_assert_ptr_null(a.row_ptr);
    ck_assert_int_ne(err.remedy[0], '\0');
}

/* From memory and as a stream, whatever the threads and blocks: the same first fault. */
START_TEST(refuses_with_place_and_reason)
{
#define BANNER    "%%MatrixMarket matrix coordinate real general\n"
#define SYMMETRIC "%%MatrixMarket matrix coordinate real symmetric\n"
    static const struct bad_case cases[] = {
        {"", 0, 0, "empty"},
        {"%%MatrixMarket matrix coordinate real\n1 1 0\n", 1, 38, "ends before its symmetry"},
        {"%%MatrixMarket matrix coordinate reel general\n", 1, 34, "unknown field 'reel'"},
        {BANNER "% nothing follows\n", 3, 0, "ends before the size line"},
        {BANNER "3 3\n", 2, 4, "2 numbers, not 3"},
        {BANNER "3 3 -1\n", 2, 5, "no whole number"},
        {BANNER "3 3 99999999999999999999\n", 2, 5, "too large"},
        {BANNER "3000000000 3 1\n1 1 1\n", 2, 1, "too large"},
        {BANNER "3 3 1000000000000\n1 1 1\n", 3, 0, "ends after 1 entry, line 2 announces 1000000000000"},
        {BANNER "3 3 1000000000000\n1 1 1\n1 4 1\n", 4, 3, "column 4 is outside"},
        {BANNER "3 3 1\n1 x 1\n", 3, 3, "'x': a whole number is wanted here, the column"},
        {BANNER "3 3 1\n1.0 2 1\n", 3, 1, "whole number"},
        {BANNER "3 3 2\n1 1 1\n4 1 1\n", 4, 1, "row 4 is outside 1 .. 3"},
        {BANNER "3 3 1\n\n% x\n1 0 1.5\n", 5, 3, "column 0 is outside 1 .. 3"},
        {BANNER "3 3 1\n1 1\n", 3, 4, "the line ends"},
        {BANNER "3 3 1\n99999999999999999999 1 1\n", 3, 1, "row 99999999999999999999 is outside 1 .. 3"},
        {BANNER "3 3 1\n1 00000000000000000000000000000000000000009 1\n", 3, 3,
         "column 0000000000000000000000000000000000000000... is outside 1 .. 3"},
        {BANNER "3 3 1\n1 1 1 1\n", 3, 7, "nothing more"},
        {BANNER "3 3 1\n1 1 one\n", 3, 5, "'one': a number is wanted"},
        {BANNER "3 3 1\n1 1 1e999\n", 3, 5, "range of a double"},
        {BANNER "3 3 1\n1 1 0x10\n", 3, 5, "a number is wanted"},
        {BANNER "3 3 2\n1 1 1\n", 3, 0, "ends after 1 entry, line 2 announces 2"},
        {BANNER "3 3 1\n1 1 1\n2 2 2\n", 4, 1, "more than the 1 entry"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n", 3, 5, "integer is wanted"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 9223372036854775808\n", 3, 5,
         "64 bits"},
        {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 7\n", 3, 5, "nothing more"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", 2, 1, "must be square"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1\n2 3 1\n", 4, 1,
         "above the diagonal"},
        /* In each of these more than one thing is wrong: the first of the file is named. */
        {SYMMETRIC "3 3 2\n3 1 10\n1 3 x\n", 4, 5, "'x': a number is wanted"},
        {SYMMETRIC "3 3 3\n1 3 x\n3 1 10\n1 3 1\n", 3, 5, "'x': a number is wanted"},
        {SYMMETRIC "3 3 3\n3 1 10\n1 3 1\n1 3 x\n", 4, 1, "above the diagonal, that of line 3 below it"},
        {SYMMETRIC "3 3 3\n1 1 1\n\n1 3 1\n3 1 1\n4 1 1\n", 6, 1, "below the diagonal, that of line 5 above"},
        {SYMMETRIC "3 3 1\n3 1 10\n1 3 x\n", 4, 5, "'x': a number is wanted"},
        {SYMMETRIC "3 3 1\n3 1 10\n1 3 1\n", 4, 1, "more than the 1 entry that line 2 announces"},
        {SYMMETRIC "3 3 5\n3 1 10\n% x\n1 3 1\n", 5, 1, "above the diagonal"},
        {SYMMETRIC "3 3 3\n3 1 1\n2 1 1\n", 4, 0, "ends after 2 entries, line 2 announces 3"},
        {SYMMETRIC "3 3 1\n1 3\n", 3, 4, "the line ends"},
        {"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n1 3 1\n", 4, 5, "nothing more"},
        {"%%MatrixMarket matrix coordinate complex hermitian\n3 3 2\n3 1 1 1\n1 3 1\n", 4, 6,
         "the line ends"},
        /* Cut within a line, or wrong in the last one. */
        {BANNER "3 3 3\n1 1 1\n2 2 2\n3 ", 5, 0, "ends within this line, after 2 of 3 entries"},
        {BANNER "3 3 3\n1 1 1\n2 2 2\n3 3", 5, 0, "ends within this line, after 2 of 3 entries"},
        {BANNER "3 3 2\n1 1 1\nx 2 2", 4, 1, "'x': a whole number"},
        {BANNER "3 3 2\n1 1\n2 2 2", 3, 4, "the line ends"},
        {BANNER "3 3 2\n1 1 x\n4 1 1\n", 3, 5, "'x': a number is wanted"},
        {BANNER "3 3 1\n1 1 1\n2 2 2\n3 3 x\n", 4, 1, "more than the 1 entry"},
        {"%%MatrixMarket matrix array real symmetric\n2 2\n1\nx\n", 4, 1, "a number is wanted"},
        {"%%MatrixMarket matrix array real general\n1 1\n1\n2\nx\n", 4, 1,
         "more than the 1 value that line 2"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", 3, 1, "zero diagonal"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 1\n1 1 1\n", 4, 1,
         "zero diagonal"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 5, 0, "after 3 values"},
        {"%%MatrixMarket matrix array real general\n2 1\n1 2\n3\n", 3, 3, "nothing more"},
        {"version https://git-lfs.github.com/spec/v1\n", 1, 1, "Git LFS"},
        {"<!DOCTYPE html>\n", 1, 1, "HTML"},
        {"% asym positive\n1 2\n", 1, 1, "KONECT"},
        {" %%MatrixMarket matrix coordinate real general\n", 1, 1, "first thing"},
        {"neither banner\nnor third line", 1, 1, "no Matrix Market banner"},
        {"title\n 1 2 3\nRSA  3 3 3\n", 3, 1, "Harwell-Boeing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int n_threads = 1; n_threads <= 4; n_threads++) {
            check_refused(&cases[i], n_threads, -1);
            for (int64_t block_B = 0; block_B <= 64; block_B += 16)
                check_refused(&cases[i], n_threads, block_B);
        }
}
END_TEST

START_TEST(checks_memory_before_taking_it)
{
    struct sp_load_options options = {.memory_limit_B = 1e6};
    struct sp_load_facts facts = {0};
    struct sp_csr a;
    struct sp_error err;
    static const char text[] = BANNER "2000000000 3 1\n1 1 1\n";
    ck_assert_int_eq(sp_mtx_read_text("t", text, sizeof text - 1, &options, &a, &facts, &err), SP_MEMORY);
    ck_assert_ptr_nonnull(strstr(err.what, "24.0 GB"));
    ck_assert_ptr_nonnull(strstr(err.what, "1.00 MB"));
}
END_TEST

/* A random matrix as text, rows, columns or neither in order; with duplicates. */
static char *random_text(uint64_t seed, const char *banner, int n, int n_entries, size_t *length)
{
    struct sp_random r = {seed};
    char *text;
    FILE *f = open_memstream(&text, length);
    fprintf(f, "%%%%MatrixMarket matrix coordinate %s\n%d %d %d\n", banner, n, n, n_entries);
    bool complex = strstr(banner, "complex"), general = strstr(banner, "general");
    for (int k = 0; k < n_entries; k++) {
        int64_t row = sp_random_below(&r, n), col = sp_random_below(&r, n);
        int64_t lower = row > col ? row : col, upper = row > col ? col : row;
        fprintf(f, "%lld %lld %.17g", (long long)(general ? row : lower) + 1,
                (long long)(general ? col : upper) + 1, sp_random_unit(&r) - 0.5);
        if (complex)
            fprintf(f, " %g", lower == upper ? 0.0 : sp_random_unit(&r));
        fputc('\n', f);
        if (k % 1000 == 0)
            fputs("% remark\n\n", f);
    }
    fclose(f);
    return text;
}

static void check_equal(const struct sp_csr *a, const struct sp_csr *b)
{
    ck_assert_int_eq(a->n_r, b->n_r);
    ck_assert_int_eq(a->n_nz, b->n_nz);
    ck_assert_int_eq(a->n_zeros, b->n_zeros);
    ck_assert_int_eq(a->n_duplicates, b->n_duplicates);
    ck_assert_mem_eq(a->row_ptr, b->row_ptr, (size_t)(a->n_r + 1) * sizeof *a->row_ptr);
    ck_assert_mem_eq(a->col, b->col, (size_t)a->n_nz * sizeof *a->col);
    ck_assert_mem_eq(a->val, b->val, (size_t)a->n_nz * (sp_csr_is_complex(a) ? 2 : 1) * sizeof *a->val);
}

/* Blocks of a stream give way to what does not fit into one. */
START_TEST(a_line_may_be_longer_than_a_block)
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    fprintf(f, "%s%%%9999s\n%%\n%99s3 3 2\n%9999s1 1 5\n%%%99999s\n2 2%9999s7\n%%%9999s", BANNER, "", "", "",
            "", "", "");
    fclose(f);
    struct sp_csr a, b;
    struct sp_error err;
    ck_assert_int_eq(read_text(text, 1, &a, &err), SP_OK);
    for (int64_t block_B = 1; block_B <= 100000; block_B *= 10) {
        ck_assert_msg(stream_text(text, 3, block_B, &b, &err) == SP_OK, "%s", err.what);
        check_equal(&a, &b);
        sp_csr_free(&b);
    }
    sp_csr_free(&a);
    free(text);
}
END_TEST

START_TEST(threads_do_not_change_the_result)
{
    static const char *const banners[] = {"real general", "real symmetric", "complex hermitian",
                                          "complex general"};
    for (int i = 0; i < 4; i++) {
        size_t n;
        char *text = random_text(i, banners[i], i == 3 ? 37 : 300, 60000, &n);
        struct sp_csr one, several;
        struct sp_error err;
        ck_assert_int_eq(read_text(text, 1, &one, &err), SP_OK);
        ck_assert_int_gt(one.n_duplicates, 0);
        ck_assert_int_eq(sp_csr_check(&one, &err), SP_OK);
        for (int t = 2; t <= 5; t++) {
            ck_assert_int_eq(read_text(text, t, &several, &err), SP_OK);
            check_equal(&one, &several);
            sp_csr_free(&several);
            ck_assert_int_eq(stream_text(text, t, t == 5 ? 0 : 1000 * t, &several, &err), SP_OK);
            check_equal(&one, &several);
            sp_csr_free(&several);
        }
        sp_csr_free(&one);
        free(text);
    }
}
END_TEST

/* Against a dense sum made from the same numbers in the same order. */
START_TEST(equals_a_dense_reference)
{
    enum { N = 50, ENTRIES = 20000 };
    size_t n;
    char *text = random_text(99, "real general", N, ENTRIES, &n);
    struct sp_csr a = read_good(text);
    static double dense[N][N];
    struct sp_random r = {99};
    for (int k = 0; k < ENTRIES; k++) {
        int64_t row = sp_random_below(&r, N), col = sp_random_below(&r, N);
        dense[row][col] += sp_random_unit(&r) - 0.5;
    }
    ck_assert_int_eq(a.n_nz + a.n_duplicates, ENTRIES);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            ck_assert_double_eq(entry(&a, i, j, 0), dense[i][j]);
    sp_csr_free(&a);
    free(text);
}
END_TEST

/* What this program decided where the manifest leaves it open; docs/input.md lists the cases. */
static bool policy_accepts(const char *file)
{
    static const char *const refused[] = {"lagraph-full_noheader.mtx",
                                          "lagraph-west0067_noheader.mtx",
                                          "paru-row0.mtx",
                                          "scipy-64bit-integer-sparse-skew-with-diagonal.mtx",
                                          "scipy-gh18123-leading-space-in-banner.mtx",
                                          "scipy-skew-with-diagonal.mtx"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(file, refused[i]) == 0)
            return false;
    return true;
}

START_TEST(behaves_on_the_parser_cases)
{
    FILE *f = fopen(SP_TEST_SHARED "/parser-cases/MANIFEST.tsv", "r");
    if (!f) {
        printf("SKIPPED parser cases: %s is absent\n", SP_TEST_SHARED "/parser-cases/MANIFEST.tsv");
        return;
    }
    char line[1024], expect[32], class[32], file[256];
    int n_cases = 0;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%31[^\t]\t%31[^\t]\t%255[^\t]", expect, class, file) != 3 ||
            strcmp(expect, "expect") == 0)
            continue;
        char path[1200];
        snprintf(path, sizeof path, "%s/parser-cases/%s/%s", SP_TEST_SHARED, class, file);
        bool accept =
            strcmp(expect, "accept") == 0 || (strcmp(expect, "policy") == 0 && policy_accepts(file));
        struct sp_csr a;
        struct sp_error err = {0};
        enum sp_status status = sp_matrix_load(path, NULL, &a, NULL, &err);
        if (accept) {
            ck_assert_msg(status == SP_OK, "%s was refused: line %d: %s", file, (int)err.line, err.what);
            ck_assert_int_eq(sp_csr_check(&a, &err), SP_OK);
            sp_csr_free(&a);
        } else {
            ck_assert_msg(status == SP_INPUT, "%s was accepted", file);
            ck_assert_msg(err.line > 0 && err.what[0] && err.remedy[0], "%s: no line, reason or remedy",
                          file);
        }
        n_cases++;
    }
    fclose(f);
    ck_assert_int_gt(n_cases, 50);
}
END_TEST

/* The table of the matrices' README: name, sizes, entries, longest row, empty rows. */
START_TEST(loads_the_real_matrices)
{
    FILE *f = fopen(SP_TEST_SHARED "/README.md", "r");
    if (!f) {
        printf("SKIPPED real matrices: %s is absent\n", SP_TEST_SHARED "/README.md");
        return;
    }
    char line[1024], file[256], field[32], symmetry[32];
    int n_files = 0;
    while (fgets(line, sizeof line, f)) {
        long long n_r, n_c, n_nz, longest, empty;
        double cv;
        if (sscanf(line, "| %255s | %lld × %lld | %lld | %31s | %31s | %lld | %lf | %lld |", file, &n_r, &n_c,
                   &n_nz, field, symmetry, &longest, &cv, &empty) != 9)
            continue;
        char path[1200];
        snprintf(path, sizeof path, "%s/%s", SP_TEST_SHARED, file);
        struct sp_load_options options = {.n_threads = 2};
        struct sp_load_facts facts;
        struct sp_csr a;
        struct sp_error err = {0};
        enum sp_status status = sp_matrix_load(path, &options, &a, &facts, &err);
        if (status == SP_ABSENT) {
            printf("SKIPPED %s: %s\n", file, err.what);
            continue;
        }
        ck_assert_msg(status == SP_OK, "%s: %d: %s", file, (int)err.line, err.what);
        ck_assert_int_eq(sp_csr_check(&a, &err), SP_OK);
        ck_assert_int_eq(a.n_r, n_r);
        ck_assert_int_eq(a.n_c, n_c);
        ck_assert_int_eq(a.n_nz, n_nz);
        ck_assert_str_eq(sp_field_name(a.field), field);
        ck_assert_str_eq(sp_symmetry_name(a.symmetry), symmetry);
        long long max = 0, none = 0;
        for (int64_t i = 0; i < a.n_r; i++) {
            long long length = a.row_ptr[i + 1] - a.row_ptr[i];
            max = length > max ? length : max;
            none += length == 0;
        }
        ck_assert_int_eq(max, longest);
        ck_assert_int_eq(none, empty);
        sp_csr_free(&a);
        n_files++;
    }
    fclose(f);
    ck_assert_int_gt(n_files, 20);
}
END_TEST

START_TEST(names_files_for_people)
{
    char text[128];
    sp_matrix_display_name("/a/b/kkt_power.mtx.gz", text, sizeof text);
    ck_assert_str_eq(text, "kkt_power");
    sp_matrix_display_name("kkt_power.tar.gz", text, sizeof text);
    ck_assert_str_eq(text, "kkt_power");
    sp_matrix_display_name("-", text, sizeof text);
    ck_assert_str_eq(text, "stdin");
    sp_matrix_display_name("gen:hpcg:16", text, sizeof text);
    ck_assert_str_eq(text, "gen:hpcg:16");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("matrix_market");
    TCase *c = tcase_create("matrix_market");
    tcase_add_test(c, reads_a_general_matrix_in_any_order);
    tcase_add_test(c, numbers_are_those_of_strtod);
    tcase_add_test(c, reads_windows_lines_tabs_and_any_case);
    tcase_add_test(c, expands_every_symmetry);
    tcase_add_test(c, adds_duplicates_and_counts_them_once);
    tcase_add_test(c, reads_empty_matrices);
    tcase_add_test(c, refuses_with_place_and_reason);
    tcase_add_test(c, checks_memory_before_taking_it);
    tcase_add_test(c, threads_do_not_change_the_result);
    tcase_add_test(c, a_line_may_be_longer_than_a_block);
    tcase_add_test(c, equals_a_dense_reference);
    tcase_add_test(c, behaves_on_the_parser_cases);
    tcase_add_test(c, loads_the_real_matrices);
    tcase_add_test(c, names_files_for_people);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
