#include <check.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/print.h"
#include "base/reading.h"
#include "base/status.h"
#include "base/text.h"
#include "run_suite.h"

START_TEST(error_text_names_place_and_remedy)
{
    struct sp_error err;
    char text[256];
    ck_assert_int_eq(sp_fail_at(&err, SP_INPUT, "a.mtx", 3, 7, "mend it", "bad %s", "number"), SP_INPUT);
    sp_error_text(&err, text, sizeof text);
    ck_assert_str_eq(text, "a.mtx:3:7: bad number\n  remedy: mend it");
    sp_fail(&err, SP_USAGE, NULL, "no");
    sp_error_text(&err, text, sizeof text);
    ck_assert_str_eq(text, "no");
    ck_assert_int_eq(sp_fail(NULL, SP_BUG, NULL, "x"), SP_BUG);
}
END_TEST

START_TEST(sizes_and_times_are_parsed)
{
    double x;
    int64_t n;
    ck_assert(sp_parse_bytes("32KiB", &x) == 0 && x == 32768);
    ck_assert(sp_parse_bytes("1.5G", &x) == 0 && x == 1.5e9);
    ck_assert(sp_parse_bytes("258e6", &x) == 0 && x == 258e6);
    ck_assert(sp_parse_bytes("12 apples", &x) != 0);
    ck_assert(sp_parse_bytes("", &x) != 0);
    ck_assert(sp_parse_seconds("5m", &x) == 0 && x == 300);
    ck_assert(sp_parse_seconds("200ms", &x) == 0 && x == 0.2);
    ck_assert(sp_parse_seconds("250ns", &x) == 0 && x == 250 * 1e-9);
    ck_assert(sp_parse_seconds("5 years", &x) != 0);
    ck_assert(sp_parse_seconds("1e308", &x) != 0);
    ck_assert(sp_parse_count("99999999999999999999", &n) != 0);
    ck_assert(sp_parse_number("nan", &x) != 0);
}
END_TEST

START_TEST(numbers_for_people)
{
    char t[32];
    ck_assert_str_eq(sp_text_count(t, sizeof t, 14612663), "14 612 663");
    ck_assert_str_eq(sp_text_count(t, sizeof t, -1234), "-1 234");
    ck_assert_str_eq(sp_text_count(t, sizeof t, 999), "999");
    ck_assert_str_eq(sp_text_bytes(t, sizeof t, 16.5e6), "16.5 MB");
    ck_assert_str_eq(sp_text_bytes(t, sizeof t, 12), "12 B");
    ck_assert_str_eq(sp_text_seconds(t, sizeof t, 0.00431), "4.31 ms");
    ck_assert_str_eq(sp_text_seconds(t, sizeof t, 1e300), "more than 31 years");
    ck_assert_str_eq(sp_figure_share(t, sizeof t, 1.2), ">100 %");
    ck_assert_str_eq(sp_figure_share(t, sizeof t, 0.004), "0.4 %");
}
END_TEST

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Nothing is an array, too: it may be added to, copied and sorted. */
START_TEST(lists_end_with_a_whole_item)
{
    char text[40];
    ck_assert_str_eq(sp_text_items(text, sizeof text, "one of 2, three", 2), "one of 2, three");
    ck_assert_str_eq(sp_text_items(text, sizeof text, "MEM load of 1, core scalar of 2 threads, L1 x", 3),
                     "MEM load of 1 and 2 more");
    ck_assert_str_eq(sp_text_items(text, sizeof text, "an item that is too long for the place it has", 1),
                     "1 more");
    ck_assert_str_eq(sp_text_items(text, sizeof text, "", 0), "");
}
END_TEST

START_TEST(arrays_of_nothing)
{
    void *p = NULL;
    ck_assert_int_eq(sp_large_alloc(NULL, 0, sizeof(double), "nothing", &p, NULL), SP_OK);
    ck_assert_ptr_nonnull(p);
    sp_large_free(NULL, p, 0, sizeof(double));
    sp_large_free(NULL, p, 7, sizeof(double)); /* not the system's, whatever its length */
    sp_sort_by(NULL, 0, sizeof(int), by_value);
    int list[] = {3, 1, 2};
    sp_sort_by(list, 3, sizeof *list, by_value);
    ck_assert_int_eq(list[0] * 100 + list[1] * 10 + list[2], 123);
}
END_TEST

START_TEST(whole_numbers_that_are_none)
{
    char text[32];
    ck_assert_str_eq(sp_text_whole(text, sizeof text, -14612663), "-14 612 663");
    ck_assert_str_eq(sp_text_whole(text, sizeof text, NAN), "?");
    ck_assert_str_eq(sp_text_whole(text, sizeof text, INFINITY), "?");
    ck_assert_str_eq(sp_text_whole(text, sizeof text, 0x1p63), "?");
}
END_TEST

START_TEST(what_a_terminal_obeys_is_visible)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"kkt_power \xce\xb2 \xf0\x9f\x98\x80\ttab", "kkt_power \xce\xb2 \xf0\x9f\x98\x80\ttab"},
        {"a\nok: forged\r", "a\\nok: forged\\r"},
        {"\033[2J\007\177", "\\u001b[2J\\u0007\\u007f"},
        {"\xc2\x9b"
         "2J\xc2\x85",
         "\\u009b2J\\u0085"},
        {"\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8e\xd8\x9c", "\\u202e\\u2066\\u200e\\u061c"},
        {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
        {"\x9b"
         "2J \xc3",
         "\\x9b2J \\xc3"},
        {"\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80"},
        {"real \xef\xbf\xbd", "real \xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[80], cut[6];
        ck_assert_uint_eq(sp_visible(cases[i][0], text, sizeof text), strlen(cases[i][1]));
        ck_assert_str_eq(text, cases[i][1]);
        ck_assert_int_eq(sp_is_visible(cases[i][0]), strcmp(cases[i][0], cases[i][1]) == 0);
        ck_assert(sp_is_visible(text));
        ck_assert_uint_eq(sp_visible(cases[i][0], cut, sizeof cut), strlen(cases[i][1]));
        ck_assert(strlen(cut) < sizeof cut && strncmp(cut, text, strlen(cut)) == 0 && sp_is_visible(cut));
    }
}
END_TEST

/* What comes out of the guarded standard output, and whether writing was said to fail. */
static void guarded(void (*print)(void), int to, const char *expected)
{
    static char seen[1 << 18];
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(to >= 0 ? to : ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (!sp_guard_standard_streams())
            _exit(9);
        print();
        _exit(fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(ends[0], seen + n, sizeof seen - 1 - n)) > 0;)
        n += (size_t)got;
    close(ends[0]);
    seen[n] = '\0';
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, to >= 0 ? 1 << 8 : 0);
    ck_assert_uint_eq(n, strlen(expected));
    ck_assert_str_eq(seen, expected);
}

static void print_pieces(void)
{
    sp_terminal_code(stdout, "\033[1m");
    fputs("bold\n", stdout);
    sp_terminal_code(stdout, "\033[0m");
    fputs("\033[0m forged \xe2\x80", stdout);
    fflush(stdout);
    fputs("\xae half \xe2", stdout);
    sp_terminal_code(stdout, "\r\033[K");
    fputc('\0', stdout);
    fputs("\x9b\xc2\n\xce\xb2\n", stdout);
}

static void print_much(void)
{
    for (int i = 0; i < 10000; i++) {
        sp_terminal_code(stdout, "\033[2m");
        fputs("\033", stdout);
    }
}

static void print_data(void)
{
    fputs("\033 text\n", stdout);
    sp_guard_as_data(stdout);
    fputs("\033 data \x9b", stdout);
}

static void print_wide(void)
{
    sp_guard_wrap(stdout, 30);
    sp_terminal_code(stdout, "\033[1m");
    fputs("note", stdout);
    sp_terminal_code(stdout, "\033[0m");
    fputs("    as wide as \xce\xb1 the terminal it may be\n", stdout);
    fputs("0123456789 123456789 123456789\n", stdout);
    fputs("a table of values       1.0 2.0 3.0 4.0\n", stdout);
    fputs("  next  spmodel explain alpha a_record.json\n", stdout);
    fputs("  /a/path/that/has/no/space/in/it/at/all then words\n", stdout);
    fputs("asked: ", stdout);
    fflush(stdout);
    fputs("the rest of that line is as it is\n", stdout);
    sp_guard_as_data(stdout);
    fputs("data that is wider than the terminal is\n", stdout);
}

START_TEST(lines_end_where_the_terminal_does)
{
    guarded(print_wide, -1,
            "\033[1mnote\033[0m    as wide as \xce\xb1 the\n        terminal it may be\n"
            "0123456789 123456789 123456789\n"
            "a table of values       1.0 2.0 3.0 4.0\n"
            "  next  spmodel explain alpha a_record.json\n"
            "  /a/path/that/has/no/space/in/it/at/all\n  then words\n"
            "asked: the rest of that line is as it is\n"
            "data that is wider than the terminal is\n");
}
END_TEST

START_TEST(standard_streams_are_guarded)
{
    static char much[10000 * 10 + 1];
    for (int i = 0; i < 10000; i++)
        memcpy(much + 10 * i, "\033[2m\\u001b", 11);
    guarded(print_pieces, -1,
            "\033[1mbold\n\033[0m\\u001b[0m forged \\u202e half \\xe2\r\033[K\\u0000\\x9b\\xc2\n\xce\xb2\n");
    guarded(print_much, -1, much);
    guarded(print_data, -1, "\\u001b text\n\033 data \x9b");
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    ck_assert_int_ge(full, 0);
    guarded(print_pieces, full, "");
    close(full);
}
END_TEST

static const char *said(void (*print)(FILE *out))
{
    static char seen[4096];
    memset(seen, 0, sizeof seen);
    FILE *out = fmemopen(seen, sizeof seen - 1, "w");
    ck_assert_ptr_nonnull(out);
    print(out);
    fclose(out);
    return seen;
}

static void print_like_printf(FILE *out)
{
    sp_print(out, "%d|%5d|%-5d|%05d|%+d|%*d|%-*d|%.3d|%ld|%lld|%zu|%hd|%hhu\n", -7, 42, 42, 42, 42, 6, 42, 6,
             42, 7, -1234567890123L, -9223372036854775807LL, sizeof(int), (short)-3, (unsigned char)200);
    sp_print(out, "%u|%x|%08X|%#o|%llx|%c|%3c|%%|%p\n", 4294967295u, 3735928559u, 48879u, 8u,
             0xfedcba9876543210ull, 'a', 'b', (void *)0);
    sp_print(out, "%f|%.2f|%10.3e|%-10g|%+.1f|%G|%.0f|%g|%.*f\n", 1.5, 2.345, 12345.678, 0.1, -0.05, 1e-10,
             1e22, (double)INFINITY, 3, 2.0 / 3);
    sp_print(out, "%s|%8s|%-8s|%.3s|%*s|%-*s|%.*s|\n", "text", "right", "left", "cut off", 6, "a", 6, "b", 2,
             "xyz");
}

static void print_by_printf(FILE *out)
{
    fprintf(out, "%d|%5d|%-5d|%05d|%+d|%*d|%-*d|%.3d|%ld|%lld|%zu|%hd|%hhu\n", -7, 42, 42, 42, 42, 6, 42, 6,
            42, 7, -1234567890123L, -9223372036854775807LL, sizeof(int), (short)-3, (unsigned char)200);
    fprintf(out, "%u|%x|%08X|%#o|%llx|%c|%3c|%%|%p\n", 4294967295u, 3735928559u, 48879u, 8u,
            0xfedcba9876543210ull, 'a', 'b', (void *)0);
    fprintf(out, "%f|%.2f|%10.3e|%-10g|%+.1f|%G|%.0f|%g|%.*f\n", 1.5, 2.345, 12345.678, 0.1, -0.05, 1e-10,
            1e22, (double)INFINITY, 3, 2.0 / 3);
    fprintf(out, "%s|%8s|%-8s|%.3s|%*s|%-*s|%.*s|\n", "text", "right", "left", "cut off", 6, "a", 6, "b", 2,
            "xyz");
}

static void print_hostile(FILE *out)
{
    static const char not_ended[3] = {'\xce', '\xb2', '\n'};
    sp_print(out, "saved  %s\n", "a\nok: forged\033[2J");
    sp_print(out, "[%8s] [%-8s] [%.2s] [%.*s]\n", "\n", "\r", "\xce\xb2\xce\xb2", 3, not_ended);
    sp_print(out, "[%.1s] [%.3s]\n", "\xce\xb2", "\xce\xb2\xce\xb2");
}

START_TEST(what_is_printed_is_one_line_of_its_text)
{
    char expected[4096];
    snprintf(expected, sizeof expected, "%s", said(print_by_printf));
    ck_assert_str_eq(said(print_like_printf), expected);
    ck_assert_str_eq(said(print_hostile),
                     "saved  a\\nok: forged\\u001b[2J\n"
                     "[      \\n] [\\r      ] [\xce\xb2] [\xce\xb2\\n]\n[] [\xce\xb2]\n");
}
END_TEST

START_TEST(an_error_is_two_lines_whatever_it_names)
{
    struct sp_error err;
    char text[3000], name[1500];
    memset(name, '\n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    sp_fail_at(&err, SP_INPUT, "a\nok: forged\033.mtx", 3, 0, "mv 'a\nb'", "no '%s'",
               "x\nok: forged \xc2\x9b");
    sp_error_text(&err, text, sizeof text);
    ck_assert_str_eq(text, "a\\nok: forged\\u001b.mtx:3: no 'x\\nok: forged \\u009b'\n  remedy: mv 'a\\nb'");
    sp_fail_at(&err, SP_INPUT, name, 1, 2, name, "%s", name);
    sp_error_text(&err, text, sizeof text);
    ck_assert(strchr(text, '\n') != NULL && strchr(text, '\n') == strrchr(text, '\n'));
}
END_TEST

START_TEST(intervals_do_not_mislead)
{
    char text[80];
    ck_assert_str_eq(sp_figure_interval(text, sizeof text, 76e9, 75.2e9, 76.8e9, 1e9, 3), "76.0 ±0.8");
    ck_assert_str_eq(sp_figure_interval(text, sizeof text, 30.4, 30.39, 30.41, 1, 3), "30.4");
    ck_assert_str_eq(sp_figure_interval(text, sizeof text, 26.2, 25.1, 41, 1, 3), "26.2 (25.1 … 41.0)");
    ck_assert_str_eq(sp_figure_interval(text, sizeof text, 24.3, 10, 20549, 1, 3), "24.3 (10.0 … 20549)");
    ck_assert_str_eq(sp_figure_interval(text, sizeof text, 10, 6, 14, 1, 3), "10.0 (6.00 … 14.0)");
}
END_TEST

START_TEST(median_and_its_interval)
{
    double x[] = {5, 1, 4, 2, 3};
    ck_assert(sp_median(x, 5) == 3);
    struct sp_value v = sp_median_interval(x, 5, SP_MEASURED);
    ck_assert(v.value == 3 && v.lo == 1 && v.hi == 5 && v.origin == SP_MEASURED);
    double many[101];
    for (int i = 0; i < 101; i++)
        many[i] = i;
    v = sp_median_interval(many, 101, SP_MEASURED);
    ck_assert(v.value == 50 && v.lo == 40 && v.hi == 61);
    ck_assert(sp_quantile(many, 101, 0.99) == 99);
}
END_TEST

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The same as sorting gives, whatever the signs, sizes and repetitions; places of 2^j + 1 values are exact.
 */
START_TEST(quantiles_are_order_statistics)
{
    enum { MOST = 2049 };
    struct sp_random random = {7};
    for (int trial = 0; trial < 300; trial++) {
        double x[MOST], sorted[MOST];
        const int n = trial % 50 == 49 ? MOST : 1 + (1 << trial % 8);
        for (int i = 0; i < n; i++) {
            const double u = sp_random_unit(&random) - 0.5;
            x[i] = trial % 3 == 0 ? round(8 * u) : trial % 3 == 1 ? u * pow(10, 300 * u) : 1 / u;
        }
        memcpy(sorted, x, sizeof x);
        qsort(sorted, (size_t)n, sizeof *sorted, by_size);
        for (int k = 0; k < n; k += n == MOST ? 128 : 1)
            ck_assert(sp_quantile(x, n, (double)k / (n - 1)) == sorted[k]);
    }
}
END_TEST

/* What a writer makes of a text. */
static const char *written(void (*put)(FILE *, const char *), const char *text)
{
    static char out[256];
    memset(out, 0, sizeof out);
    FILE *f = fmemopen(out, sizeof out, "w");
    put(f, text);
    fclose(f);
    return out;
}

START_TEST(csv_has_no_formulas)
{
    static const struct {
        const char *text, *quoted, *bare;
    } cases[] = {
        {"", "\"\"", ""},
        {"Ada", "\"Ada\"", "Ada"},
        {"a \"b\", c", "\"a \"\"b\"\", c\"", "\"a \"\"b\"\", c\""},
        {"=1+2", "\"'=1+2\"", "'=1+2"},
        {"@SUM(A1)", "\"'@SUM(A1)\"", "'@SUM(A1)"},
        {"+cmd|' /C calc'!A0", "\"'+cmd|' /C calc'!A0\"", "'+cmd|' /C calc'!A0"},
        {"-2+3", "\"'-2+3\"", "'-2+3"},
        {"=A1,\"x\"", "\"'=A1,\"\"x\"\"\"", "\"'=A1,\"\"x\"\"\""},
        {"\t=1", "\"'\t=1\"", "'\t=1"},
        {"\r=1", "\"'\\r=1\"", "\"'\\r=1\""},
        {"-3.5", "\"-3.5\"", "-3.5"},
        {"+1e-3", "\"+1e-3\"", "+1e-3"},
        {"-inf", "\"'-inf\"", "'-inf"},
        {"-0x1p3", "\"'-0x1p3\"", "'-0x1p3"},
        {"-", "\"-\"", "-"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_str_eq(written(sp_csv_text, cases[i].text), cases[i].quoted);
        ck_assert_str_eq(written(sp_csv_field, cases[i].text), cases[i].bare);
    }
}
END_TEST

START_TEST(markdown_shows_text_as_it_is)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"Ada Example", "Ada Example"},
        {"# Ada", "\\# Ada"},
        {"Ada # 1", "Ada # 1"},
        {"a | b", "a \\| b"},
        {"a\\| b", "a\\\\\\| b"},
        {"two\nlines\r\tand more", "two lines  and more"},
        {" \n# x", "\\# x"},
        {"`rm` *x* _y_ a_b __z__", "\\`rm\\` \\*x\\* \\_y\\_ a_b \\_\\_z\\_\\_"},
        {"<img src=x> [a](b) &lt; ~~c~~ $d$", "\\<img src=x\\> \\[a\\](b) \\&lt; \\~\\~c\\~\\~ \\$d\\$"},
        {"- x", "\\- x"},
        {"+ x", "\\+ x"},
        {"---", "\\---"},
        {"12. x", "12\\. x"},
        {"1) x", "1\\) x"},
        {"1.5 x", "1.5 x"},
        {"gen:laplace2d:150", "gen:laplace2d:150"},
        {"\x1b[31mred", "\\\\u001b\\[31mred"},
        {"J\xc3\xb6rg", "J\xc3\xb6rg"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(written(sp_markdown_text, cases[i][0]), cases[i][1]);
}
END_TEST

START_TEST(characters_and_what_is_none)
{
    static const struct {
        const char *text;
        uint32_t code;
        int length;
    } cases[] = {
        {"", 0, 0},
        {"a", 'a', 1},
        {"\xce\xb1", 0x3b1, 2},
        {"\xe2\x82\xac", 0x20ac, 3},
        {"\xf0\x9f\x98\x80", 0x1f600, 4},
        {"\xef\xbf\xbd", SP_UTF8_INVALID, 3},     /* the character itself */
        {"\xb1x", SP_UTF8_INVALID, 1},            /* the rest of one */
        {"\xcex", SP_UTF8_INVALID, 1},            /* its beginning alone */
        {"\xe2\x82", SP_UTF8_INVALID, 1},         /* cut off by the end */
        {"\xc0\x80", SP_UTF8_INVALID, 1},         /* longer than need be */
        {"\xed\xa0\x80", SP_UTF8_INVALID, 1},     /* half of a pair of UTF-16 */
        {"\xf4\x90\x80\x80", SP_UTF8_INVALID, 1}, /* beyond the last */
        {"\xff", SP_UTF8_INVALID, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        ck_assert_uint_eq(sp_utf8_next(&text), cases[i].code);
        ck_assert_int_eq((int)(text - cases[i].text), cases[i].length);
    }
}
END_TEST

START_TEST(names_of_files_hold_no_surprise)
{
    static const char *const cases[][2] = {
        {"kkt_power", "kkt_power"},
        {"gen:laplace3d:60", "gen_laplace3d_60"},
        {"|touch${IFS}x;.mtx", "_touch__IFS_x_.mtx"},
        {"-rf", "_rf"},
        {".hidden", "_hidden"},
        {"..", "_."},
        {"../../etc/passwd", "_._.._etc_passwd"},
        {"a-b.c", "a-b.c"},
        {"", "_"},
        {"gr\xc3\xb6\xc3\x9f"
         "e",
         "gr__e"}, /* a character each */
        {"a\n\x1b\xff'\"`", "a______"},
        {"0123456789012345678901234567890123456789", "0123456789012345678901234567890"},
    };
    char stem[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_str_eq(sp_file_stem(stem, sizeof stem, cases[i][0]), cases[i][1]);
        ck_assert(sp_is_file_stem(stem));
        ck_assert_int_eq(sp_is_file_stem(cases[i][0]), strcmp(cases[i][0], cases[i][1]) == 0 || i == 11);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base");
    TCase *tc = tcase_create("base");
    tcase_add_test(tc, error_text_names_place_and_remedy);
    tcase_add_test(tc, sizes_and_times_are_parsed);
    tcase_add_test(tc, numbers_for_people);
    tcase_add_test(tc, arrays_of_nothing);
    tcase_add_test(tc, lists_end_with_a_whole_item);
    tcase_add_test(tc, whole_numbers_that_are_none);
    tcase_add_test(tc, what_a_terminal_obeys_is_visible);
    tcase_add_test(tc, standard_streams_are_guarded);
    tcase_add_test(tc, lines_end_where_the_terminal_does);
    tcase_add_test(tc, what_is_printed_is_one_line_of_its_text);
    tcase_add_test(tc, an_error_is_two_lines_whatever_it_names);
    tcase_add_test(tc, median_and_its_interval);
    tcase_add_test(tc, quantiles_are_order_statistics);
    tcase_add_test(tc, intervals_do_not_mislead);
    tcase_add_test(tc, csv_has_no_formulas);
    tcase_add_test(tc, markdown_shows_text_as_it_is);
    tcase_add_test(tc, characters_and_what_is_none);
    tcase_add_test(tc, names_of_files_hold_no_surprise);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
