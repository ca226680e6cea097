/* All that can be explained as one list: terms by theme, hints, flags of records, exit codes. */
#ifndef SP_CLI_EXPLAIN_TOPICS_H
#define SP_CLI_EXPLAIN_TOPICS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/explain/terms/terms.h"
#include "model/hints/hints.h"

struct sp_topic {
    const char *theme, *name, *title;
    enum sp_term_kind kind;
    const struct sp_term *term;      /* empty: a rule whose numbers are not listed */
    const struct sp_hint_rule *rule; /* NULL: none */
};

/* The i-th one from 0 on; false: there are no more. Themes follow each other. */
bool sp_topic_at(int i, struct sp_topic *topic);
/* Other spellings, separated by blanks; "" none. */
const char *sp_topic_also(const struct sp_topic *topic);

enum { SP_TOPIC_MATCHES = 8 };
/* Those called so: by name, else by another spelling, else either in any case with '-', '_' and ' '
 * taken for each other. Returns how many (several things may have one name: "ok"), at most
 * SP_TOPIC_MATCHES. */
int sp_topics_find(const char *name, struct sp_topic found[SP_TOPIC_MATCHES]);

/* Up to three names that are near: "alpha, alpha_min". "" none. Returns text. */
char *sp_topics_near(const char *name, char *text, size_t size);

#endif
