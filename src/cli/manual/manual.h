/* All pages that the manual has: commands, their verbs, topics. They come from the tables, so that
 * a new row is in the manual, the help and the completion at once. */
#ifndef SP_CLI_MANUAL_H
#define SP_CLI_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "cli/core/command.h"

/* The topics of `spmodel help`. */

struct sp_help_topic {
    const char *name;
    const char *summary;
    const char *const *lines; /* sp_help_topic_lines() has them; end with NULL; NULL itself: made from the
                                 table of exit codes */
};
extern const struct sp_help_topic sp_help_topics[]; /* ends with a NULL name */

const struct sp_help_topic *sp_help_topic_find(const char *name); /* NULL: none */
const char *const *sp_help_topic_lines(const struct sp_help_topic *topic);

/* A command, or a verb of one. */
struct sp_manual_entry {
    char name[48]; /* as typed: "analyze", "track check" */
    const char *arguments, *summary;
    const struct sp_manual_facts *page;
    const struct sp_verb_family *family; /* a command that has verbs: them; else NULL */
    const struct sp_command *command;    /* itself, or that of the verb */
    int (*run)(int argc, char **argv);
};

/* i = 0, 1, ...: the commands in the order of their table, each with its verbs; then false. */
bool sp_manual_get(int i, struct sp_manual_entry *entry);
/* By what is typed, "track check"; false: there is none. */
bool sp_manual_find(const char *name, struct sp_manual_entry *entry);
/* May a command of this page exit with this code? */
bool sp_manual_exits_with(const struct sp_manual_facts *page, int code);

/* Pages in roff: one command or verb, one topic, the overview. */
void sp_manual_write(const struct sp_manual_entry *entry, FILE *out);
void sp_manual_write_topic(const struct sp_help_topic *topic, FILE *out);
void sp_manual_write_overview(FILE *out);
/* All of them as FOLDER/man1/spmodel-*.1 and FOLDER/man7/spmodel-*.7. SP_OUTPUT. */
enum sp_status sp_manual_write_files(const char *folder, struct sp_error *err);

/* Examples of the overview; ends with a NULL line. */
extern const struct sp_example sp_overview_examples[];

#endif
