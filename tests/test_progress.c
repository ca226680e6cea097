/* The progress line fits its terminal and promises nothing that cannot be. */
#include <check.h>
#include <string.h>

#include "cli/core/terminal.h"
#include "run_suite.h"

START_TEST(the_line_fits_any_width)
{
    static const char *const steps[] = {"", "measuring",
                                        "looking for the last-level cache's capacity beside what others do"};
    static const double done[] = {-1, 0, 0.001, 0.021, 0.5, 0.999, 1, 14.52};
    static const double spent_s[] = {0, 0.5, 2, 1e5, 1e12};
    char line[160];
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        for (size_t d = 0; d < sizeof done / sizeof *done; d++)
            for (size_t t = 0; t < sizeof spent_s / sizeof *spent_s; t++)
                for (int columns = 1; columns <= 200; columns++) {
                    sp_progress_line(steps[s], done[d], spent_s[t], columns, line, sizeof line);
                    ck_assert_msg((int)strlen(line) < columns, "%d columns: %s", columns, line);
                    ck_assert_msg(!strchr(line, '-') || strstr(steps[s], "-"), "below 0: %s", line);
                }
}
END_TEST

START_TEST(more_than_all_is_all)
{
    char line[160];
    sp_progress_line("measuring", 14.52, 3, 80, line, sizeof line);
    ck_assert_ptr_nonnull(strstr(line, "100 % 0 s left"));
    sp_progress_line("measuring", 0.25, 3, 120, line, sizeof line);
    ck_assert_ptr_nonnull(strstr(line, "measuring "));
    ck_assert_ptr_nonnull(strstr(line, "[======                  ]  25 % 9 s left"));
    sp_progress_line("measuring", 0.25, 3, 50, line, sizeof line);
    ck_assert_str_eq(line, "measuring  25 % 9 s left");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("progress");
    TCase *c = tcase_create("all");
    tcase_add_test(c, the_line_fits_any_width);
    tcase_add_test(c, more_than_all_is_all);
    suite_add_tcase(s, c);
    return run_suite(s);
}
