/* The options of a run, and lists of them with values. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "io/record/record_request.h"
#include "run_suite.h"

START_TEST(rows_name_their_options)
{
    for (int i = 0; i < SP_N_OPTIONS; i++) {
        const struct sp_run_option *o = &sp_run_options[i];
        ck_assert_msg(strncmp(o->typed, "--", 2) == 0 && o->typed[2], "row %d", i);
        ck_assert_int_eq(sp_option_find(sp_option_name((enum sp_option)i)), i);
        const char *field = sp_request_key((enum sp_option)i);
        ck_assert(field ? sp_request_option(field) == (enum sp_option)i : !(o->bits & SP_OF_SERIES));
        ck_assert_msg(!sp_option_field((enum sp_option)i) || o->otherwise, "%s", o->typed);
    }
    ck_assert_int_eq(sp_option_find("form"), SP_N_OPTIONS);
    ck_assert_int_eq(sp_option_find("formats"), SP_N_OPTIONS);
    ck_assert_int_eq(sp_request_option("runs"), SP_N_OPTIONS);
    ck_assert_int_eq(sp_word_among("auto nt plain", "plain"), 2);
    ck_assert_int_eq(sp_word_among("auto nt plain", "n"), -1);
    ck_assert_int_eq(sp_word_among(NULL, ""), -1);
}
END_TEST

/* Keys of series are made of these in this order: another order, and every series of every store begins anew.
 */
START_TEST(series_are_told_apart_as_ever)
{
    char fields[300] = "";
    for (int i = 0; i < SP_N_OPTIONS; i++)
        if (sp_run_options[i].bits & SP_OF_SERIES)
            snprintf(fields + strlen(fields), sizeof fields - strlen(fields), " %s",
                     sp_request_key((enum sp_option)i));
    ck_assert_str_eq(
        fields, " op format schedule precision index row_ptr prefetch width order threads isa store pages pin"
                " state between reorder device skew policy llc kernel signature ranks partition");
}
END_TEST

START_TEST(an_option_is_there_once)
{
    struct sp_change c = typed("--reorder rcm --format sell:8,64 --drop-zeros");
    ck_assert(sp_change_add(&c, SP_OPTION_REORDER, "random:7") &&
              sp_change_add_number(&c, SP_OPTION_THREADS, 4));
    ck_assert_change_eq(c, "--format sell:8,64 --drop-zeros --reorder random:7 --threads 4");
    ck_assert_str_eq(sp_change_value(&c, SP_OPTION_DROP_ZEROS), "");
    ck_assert_ptr_null(sp_change_value(&c, SP_OPTION_INDEX));
    const struct sp_change more = typed("--format crs --index d16"), others = typed("--index d16 --cold");
    ck_assert(sp_change_shares(&c, &more) && !sp_change_shares(&c, &others));
    ck_assert(sp_change_add_all(&c, &more));
    ck_assert_change_eq(c, "--drop-zeros --reorder random:7 --threads 4 --format crs --index d16");
    const struct sp_change turned = typed("--index d16 --format crs");
    ck_assert(!sp_change_is_same(&more, &turned) && sp_change_is_same(&more, &more));
}
END_TEST

START_TEST(what_does_not_fit_changes_nothing)
{
    static char longest[2 * SP_CHANGE_VALUES];
    char text[16];
    struct sp_change c = typed("--format crs");
    const struct sp_change more = typed("--format sell --cold");
    memset(longest, 'x', sizeof longest - 1);
    const struct sp_change before = c;
    ck_assert(!sp_change_add(&c, SP_OPTION_MACHINE, longest));
    ck_assert_mem_eq(&c, &before, sizeof c);
    ck_assert_str_eq(sp_change_as_typed(&more, text, sizeof text), "--format sell"); /* whole options only */
    for (int i = 0; i < SP_N_OPTIONS; i++)
        ck_assert(sp_change_add(&c, (enum sp_option)i, "1"));
    ck_assert_int_eq(c.n, SP_N_OPTIONS);
}
END_TEST

START_TEST(words_are_parsed_or_refused)
{
    static const char *const wrong[] = {"--sing loud",        "--threads",  "echo madvise",
                                        "--format crs --ind", "format crs", "-t 4"};
    struct sp_change c;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!sp_change_parse(wrong[i], &c) && c.n == 0, "%s", wrong[i]);
    ck_assert(sp_change_parse("", &c) && c.n == 0);
    for (int i = 0; i < SP_N_OPTIONS; i++) {
        char text[100];
        const struct sp_change one =
            sp_change_of((enum sp_option)i, sp_run_options[i].argument ? "sell:8,64" : "");
        ck_assert(sp_change_parse(sp_change_as_typed(&one, text, sizeof text), &c) &&
                  sp_change_is_same(&c, &one));
    }
}
END_TEST

START_TEST(commands_are_what_a_shell_takes)
{
    struct sp_change options = typed("--index i64 --threads 4"), change = typed("--index i32");
    char text[200];
    sp_change_add(&options, SP_OPTION_MACHINE, "it's one.json");
    ck_assert_str_eq(sp_change_command("my matrix.mtx", &options, &change, text, sizeof text),
                     "spmodel analyze 'my matrix.mtx' --threads 4 --machine 'it'\\''s one.json' --index i32");
    ck_assert_str_eq(sp_change_command("m", &options, &change, text, 40), "spmodel analyze m --threads 4");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("options");
    TCase *all = tcase_create("all");
    tcase_add_test(all, rows_name_their_options);
    tcase_add_test(all, series_are_told_apart_as_ever);
    tcase_add_test(all, an_option_is_there_once);
    tcase_add_test(all, what_does_not_fit_changes_nothing);
    tcase_add_test(all, words_are_parsed_or_refused);
    tcase_add_test(all, commands_are_what_a_shell_takes);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
