/* A command line that cannot be read ends the program: no caller goes on with options that nobody has set. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "cli/core/options.h"
#include "run_suite.h"

static error_t fail_with(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    const error_t *failure = state->input;
    return key == ARGP_KEY_INIT ? *failure : 0;
}

/* Ends with 0 where it returns, so that an exit code says that it has not. */
static void parse(error_t failure)
{
    static const struct argp argp = {.parser = fail_with};
    char name[] = "spmodel test", *argv[] = {name, NULL};
    sp_parse(&argp, 1, argv, &failure);
    exit(0);
}

START_TEST(without_memory_it_ends)
{
    parse(ENOMEM);
}
END_TEST

START_TEST(with_another_fault_it_ends)
{
    parse(EIO);
}
END_TEST

START_TEST(otherwise_it_returns)
{
    parse(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("command_line");
    TCase *tc = tcase_create("command_line");
    tcase_add_exit_test(tc, without_memory_it_ends, 4);
    tcase_add_exit_test(tc, with_another_fault_it_ends, 7);
    tcase_add_exit_test(tc, otherwise_it_returns, 0);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
