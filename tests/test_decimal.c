/* Numbers: our reading against strtod, our writing against our reading and against %.17g. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "io/matrix/decimal.h"
#include "run_suite.h"

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* check writes to a pipe at each of its own assertions, which is too slow for millions. */
static void check_text(const char *text)
{
    double x;
    bool overflow;
    const char *end = sp_decimal_read(text, text + strlen(text), &x, &overflow);
    double wanted = strtod(text, NULL);
    if (!end || *end)
        ck_abort_msg("'%s' was not read to its end", text);
    if (bits_of(x) != bits_of(wanted))
        ck_abort_msg("'%s' gave %a, strtod %a", text, x, wanted);
    if (overflow != (isinf(wanted) != 0))
        ck_abort_msg("'%s': overflow is %d", text, overflow);
}

START_TEST(reads_hard_cases)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "+0.0",
        "1",
        "-1",
        "1.",
        ".5",
        "-.1632648",
        "00012.500",
        "1e0",
        "1E+05",
        "1e-05",
        "0e999999999",
        "123456789012345678901234567890",
        "0.000000000000000000000000000000000000000000123456789012345678901234",
        "9007199254740993",
        "9007199254740992.999999999999999999999",
        "9007199254740993.0000000000000000000001",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "2.225073858507201136057409796709131975934819546351645648023426109724822222021076"
        "9455165295239081350879141491589130396211068700864386945946455276572074078206217433799881410632673292"
        "53552286"
        "8813721490129811224514518898490572223072852551331557550159143974763979834118019993239625482890171070"
        "81850690"
        "6306666559949382757725720157630626906633326475653000092458883164330377797918696120494973903778297049"
        "05051080"
        "6099407302629371289589500035837999672072543043602840788957717961509455167482434710307026091446215722"
        "89880258"
        "1825451803257070188608721131280795122334262883686223215037756666225039825343359745688844239002654981"
        "98385487"
        "9482922068947216898310996983658468140228542433306603398508864458040010349339704275671864433837704860"
        "37861622"
        "771738545623065874679014086723327636718751234567890123456789012345678901e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e308",
        "1e309",
        "-1e400",
        "1e-400",
        "1e-99999999999999999999",
        "8.98846567431158e307",
        "7.2057594037927933e16",
        "1e23",
        "8.5e22",
        "6.0221e23",
        "3.0e-44",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "1.15e-28",
        "5e-324",
        "4e-324",
        "3e-324"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_text(texts[i]);
}
END_TEST

START_TEST(reads_what_fortran_and_c_write)
{
    double x;
    bool overflow;
    const char *t = "-1.5D+02";
    ck_assert_ptr_eq(sp_decimal_read(t, t + strlen(t), &x, &overflow), t + strlen(t));
    ck_assert_double_eq(x, -150);
    static const char *const words[] = {"inf", "-Inf", "INFINITY", "nan", "-NaN"};
    for (int i = 0; i < 5; i++) {
        ck_assert_ptr_nonnull(sp_decimal_read(words[i], words[i] + strlen(words[i]), &x, &overflow));
        ck_assert(i < 3 ? isinf(x) && !overflow : isnan(x));
    }
    static const char *const bad[] = {"", "-", ".", "e5", "1e", "1e+", "x", "--1", "in"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!sp_decimal_read(bad[i], bad[i] + strlen(bad[i]), &x, &overflow), "'%s' was read",
                      bad[i]);
    t = "0x1p3";
    ck_assert_ptr_eq(sp_decimal_read(t, t + strlen(t), &x, &overflow), t + 1);
}
END_TEST

/* Doubles of all magnitudes in 1 to 25 digits, and decimal numbers next to the middle of two doubles. */
START_TEST(reads_random_numbers_as_strtod_does)
{
    struct sp_random r = {20261121};
    char text[64];
    for (int i = 0; i < 400000; i++) {
        uint64_t bits = sp_random_next(&r);
        double x = from_bits(bits);
        if (!isfinite(x))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)(i % 25), x);
        check_text(text);
    }
    for (int i = 0; i < 200000; i++) {
        uint64_t w = sp_random_next(&r) >> (i % 40);
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)w, (int)(sp_random_below(&r, 660) - 345));
        check_text(text);
        /* 2^53 + odd: exactly between two doubles */
        uint64_t half = (UINT64_C(1) << 53) + (sp_random_next(&r) >> 11 | 1);
        snprintf(text, sizeof text, "%llu.%s", (unsigned long long)half,
                 i % 3 == 0   ? "0"
                 : i % 3 == 1 ? "00000000000000001"
                              : "");
        check_text(text);
    }
}
END_TEST

START_TEST(writes_what_reads_back)
{
    struct sp_random r = {7};
    char text[SP_DECIMAL_MAX + 1], long_text[64];
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = sp_random_next(&r);
        double x = from_bits(bits);
        if (i % 3 == 1)
            x = (double)(int64_t)(bits >> 40) / 1000;
        else if (i % 3 == 2)
            x = (double)(float)from_bits((bits & ~(UINT64_C(0x7ff) << 52)) | (UINT64_C(1000) + bits % 48)
                                                                                 << 52);
        if (!isfinite(x))
            continue;
        int n = sp_decimal_write(x, text);
        text[n] = '\0';
        if (bits_of(strtod(text, NULL)) != bits_of(x))
            ck_abort_msg("%a was written as %s", x, text);
        for (int digits = 1; i % 4 == 0 && digits <= 17; digits++) { /* no shorter text would do */
            snprintf(long_text, sizeof long_text, "%.*e", digits - 1, x);
            if (strtod(long_text, NULL) != x)
                continue;
            int ours = 0;
            const char *p = text;
            for (; *p && *p != 'e'; p++)
                ours += (*p >= '1' && *p <= '9') || (*p == '0' && ours > 0);
            while (p > text && (p[-1] == '0' || p[-1] == '.'))
                ours -= *--p == '0';
            if (ours > digits)
                ck_abort_msg("%s has %d digits, %s only %d", text, ours, long_text, digits);
            break;
        }
    }
}
END_TEST

START_TEST(writes_special_numbers)
{
    static const struct {
        double x;
        const char *text;
    } cases[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-1, "-1"},
                 {0.1, "0.1"},
                 {26, "26"},
                 {1e16, "10000000000000000"},
                 {1e17, "1e17"},
                 {1.5e-12, "1.5e-12"},
                 {0.001, "0.001"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"},
                 {5e-324, "5e-324"},
                 {DBL_MAX, "1.7976931348623157e308"},
                 {123456.75, "123456.75"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SP_DECIMAL_MAX + 1];
        text[sp_decimal_write(cases[i].x, text)] = '\0';
        ck_assert_str_eq(text, cases[i].text);
    }
    char text[SP_DECIMAL_MAX + 1];
    text[sp_decimal_write_count(INT64_MIN, text)] = '\0';
    ck_assert_str_eq(text, "-9223372036854775808");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("decimal");
    TCase *c = tcase_create("decimal");
    tcase_add_test(c, reads_hard_cases);
    tcase_add_test(c, reads_what_fortran_and_c_write);
    tcase_add_test(c, reads_random_numbers_as_strtod_does);
    tcase_add_test(c, writes_what_reads_back);
    tcase_add_test(c, writes_special_numbers);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
