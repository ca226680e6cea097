/* Long loops over combinations: of those the test NAME runs one in `share_of`, others for each matrix, so
 * that each choice is still met. NAME_full, of label `full`, has the argument "rest" and runs the others, and
 * nothing that NAME runs whole: together they are all. Under sanitizers, ten times as slow, NAME runs
 * one in `sanitized`, but with SP_CI_FULL=1.
 */
#ifndef SP_TESTS_SHARE_H
#define SP_TESTS_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int share_of = 1;    /* 1 with "rest" */
static int share_taken = 0; /* with "rest": one in so many was run by the test without _full */

static inline void share_take(int argc, char **argv, int one_in, int sanitized)
{
#ifdef __SANITIZE_ADDRESS__
    const char *full = getenv("SP_CI_FULL");
    one_in = full && strcmp(full, "0") != 0 ? one_in : sanitized;
#else
    (void)sanitized;
#endif
    const bool is_rest = argc > 1 && strcmp(argv[1], "rest") == 0;
    share_of = is_rest ? 1 : one_in;
    share_taken = is_rest ? one_in : 0;
}

static inline bool share_is_rest(void)
{
    return share_taken > 0;
}

/* Is combination n of matrix i one of those that are run? */
static inline bool share_has(int64_t n, int i)
{
    return share_is_rest() ? (n + i) % share_taken != 0 : (n + i) % share_of == 0;
}

#endif
