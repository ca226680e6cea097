/* Assertions for loops of a million rounds: check writes a note for each of its own, also where it holds. */
#ifndef SP_TEST_REQUIRE_H
#define SP_TEST_REQUIRE_H

#include <check.h>

#define require(truth) ((truth) ? (void)0 : ck_abort_msg("%s", #truth))
#define require_msg(truth, ...)                                                                              \
    do {                                                                                                     \
        if (!(truth))                                                                                        \
            ck_abort_msg(__VA_ARGS__);                                                                       \
    } while (0)

#endif
