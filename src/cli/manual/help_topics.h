/* The topics of `spmodel help`. */
#ifndef SP_CLI_HELP_TOPICS_H
#define SP_CLI_HELP_TOPICS_H

struct sp_help_topic {
    const char *name;
    const char *summary;
    const char *const *lines; /* ends with NULL; NULL itself: made from the table of exit codes */
};
extern const struct sp_help_topic sp_help_topics[]; /* ends with a NULL name */

const struct sp_help_topic *sp_help_topic_find(const char *name); /* NULL: none */

#endif
