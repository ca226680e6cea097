#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_text.h"
#include "base/markdown_text.h"
#include "base/samples.h"
#include "base/status.h"
#include "base/text.h"
#include "base/utf8.h"

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
    ck_assert(sp_parse_seconds("5 years", &x) != 0);
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
        {"\r=1", "\"'\r=1\"", "\"'\r=1\""},
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
        {"\x1b[31mred", "\\[31mred"},
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

int main(void)
{
    Suite *suite = suite_create("base");
    TCase *tc = tcase_create("base");
    tcase_add_test(tc, error_text_names_place_and_remedy);
    tcase_add_test(tc, sizes_and_times_are_parsed);
    tcase_add_test(tc, numbers_for_people);
    tcase_add_test(tc, median_and_its_interval);
    tcase_add_test(tc, csv_has_no_formulas);
    tcase_add_test(tc, markdown_shows_text_as_it_is);
    tcase_add_test(tc, characters_and_what_is_none);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
