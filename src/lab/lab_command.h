/* The command of a run, with the student's numbers. */
#ifndef SP_LAB_LAB_COMMAND_H
#define SP_LAB_LAB_COMMAND_H

#include "lab/lab_folder.h"

enum { SP_LAB_MOST_ARGUMENTS = 48 };

/* Zero-initialise; sp_lab_command_free(). */
struct sp_lab_command {
    int n;
    char *argument[SP_LAB_MOST_ARGUMENTS + 1]; /* owned, NULL at the end; the first is "spmodel" */
};

/* "arguments" of the run, then "small" where the matrices are, then where the result goes; `machine` (may be
 * NULL) for analyses that name none. {lab}/ in an argument is the lab's own folder. */
enum sp_status sp_lab_command_make(const struct sp_lab_folder *folder, const json_t *run, const char *machine,
                                   struct sp_lab_command *command, struct sp_error *err);
void sp_lab_command_free(struct sp_lab_command *command);
/* As a person would type it, without the options that only say where results go; returns text. */
char *sp_lab_command_text(const struct sp_lab_command *command, char *text, size_t size);

#endif
