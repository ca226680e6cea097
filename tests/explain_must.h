/* What tests demand of `explain`: that it knows a word. */
#ifndef SP_TESTS_EXPLAIN_MUST_H
#define SP_TESTS_EXPLAIN_MUST_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "cli/explain/terms/topics.h"

static inline bool is_explained(const char *name)
{
    struct sp_topic found[SP_TOPIC_MATCHES];
    return sp_topics_find(name, found) > 0;
}

static inline void must(const char *name)
{
    ck_assert_msg(is_explained(name),
                  "'%s' is not explained: no `term:` and no `also:` of src/cli/explain/terms has it", name);
}

/* `list`: words separated by blanks. */
static inline void must_all(const char *list)
{
    while (*list) {
        char word[64];
        size_t n = strcspn(list, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, list);
        must(word);
        list += n + (list[n] == ' ');
    }
}

#endif
