/* The end of a test's main(), and what keeps assertions in long loops cheap. */
#ifndef SP_TESTS_RUN_SUITE_H
#define SP_TESTS_RUN_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

/* check notes in a file that an assertion held, to say behind which of them a test crashed: the first time
 * is enough, and a million times are half of a test's time. */
static inline void mark_first_time(const char *file, int line)
{
    static bool marked[1 << 13]; /* by number of the line */
    if (!marked[line % (1 << 13)])
        _mark_point(file, line);
    marked[line % (1 << 13)] = true;
}
#define _mark_point(file, line) mark_first_time(file, line)

/* Runs all tests of the suite and frees it; what main() returns. CK_FORK, CK_VERBOSITY and the like
 * are obeyed; where `forked` is false all run in this process. */
static inline int run_suite_forked(Suite *suite, bool forked)
{
    SRunner *runner = srunner_create(suite);
    if (!forked)
        srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static inline int run_suite(Suite *suite)
{
    return run_suite_forked(suite, true);
}

#endif
