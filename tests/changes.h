/* Proposed changes as tests write them: as a user types them. */
#ifndef SP_TESTS_CHANGES_H
#define SP_TESTS_CHANGES_H

#include <check.h>
#include <string.h>

#include "base/option/run_option.h"

static inline struct sp_change typed(const char *text)
{
    struct sp_change change;
    ck_assert_msg(sp_change_parse(text, &change), "%s", text);
    return change;
}

#define AS_TYPED(change) sp_change_as_typed(&(change), (char[SP_CHANGE_VALUES]){0}, SP_CHANGE_VALUES)

#define ck_assert_change_eq(change, text) ck_assert_str_eq(AS_TYPED(change), text)

#endif
