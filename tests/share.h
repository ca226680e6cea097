/* Long loops over combinations: of those one in `share_of` is run, others for each matrix, so that each
 * choice is still met; all of them with the argument "all", as the tests NAME_full of label `full` have it.
 */
#ifndef SP_TESTS_SHARE_H
#define SP_TESTS_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static int share_of = 1;

static inline void share_take(int argc, char **argv, int one_in)
{
    share_of = argc > 1 && strcmp(argv[1], "all") == 0 ? 1 : one_in;
}

/* Is combination n of matrix i one of those that are run? */
static inline bool share_has(int64_t n, int i)
{
    return (n + i) % share_of == 0;
}

#endif
