/* All that can be explained as one list: terms by theme, hints, flags of records, exit codes. */
#ifndef SP_CLI_EXPLAIN_TOPICS_H
#define SP_CLI_EXPLAIN_TOPICS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/explain/terms/terms.h"
#include "model/hints/hints.h"

struct sp_topic {
    const char *theme, *title;
    char name[48];
    char also[16];    /* of an exit code its number; else "" and term->also counts */
    const char *see;  /* NULL none */
    const char *text; /* NULL: a hint */
    /* One of them. */
    const struct sp_term *term;
    const struct sp_hint_rule *rule;
    const struct sp_flag_meaning *flag;
    const struct sp_exit_meaning *exit;
};

/* The i-th one from 0 on; false: there are no more. Themes follow each other. */
bool sp_topic_at(int i, struct sp_topic *topic);
/* Other spellings, separated by blanks; "" none. */
const char *sp_topic_also(const struct sp_topic *topic);

enum { SP_TOPIC_MATCHES = 8 };
/* Those called so: by name, else by another spelling, else either in any case with '-', '_' and ' ' taken
 * for each other. Returns how many (several things may have one name: "ok"), at most SP_TOPIC_MATCHES. */
int sp_topics_find(const char *name, struct sp_topic found[SP_TOPIC_MATCHES]);

/* Up to three names that are near: "alpha, alpha_min". "" none. Returns text. */
char *sp_topics_near(const char *name, char *text, size_t size);

#endif
