/* What a record's `request` asks for, as the arguments of a program: to measure it again, or to say
 * what was run without repeating names that the command line had in it. */
#ifndef SP_IO_RECORD_REQUEST_H
#define SP_IO_RECORD_REQUEST_H

#include "base/option/run_option.h"
#include "io/record/record.h"

/* Where records have what was asked for by an option; SP_F_NONE: nowhere. */
enum sp_record_field sp_option_field(enum sp_option option);
/* Its key in `request`; NULL: it has none there. */
const char *sp_request_key(enum sp_option option);
enum sp_option sp_request_option(const char *key); /* SP_N_OPTIONS: none */

enum { SP_MOST_ARGUMENTS = 64 };

/* sp_arguments_free(). */
struct sp_arguments {
    int n;
    char *word[SP_MOST_ARGUMENTS + 1]; /* owned; [n] is NULL, as execv() wants it */
};

/* Adds a word; where there is no room or memory, `n` becomes SP_MOST_ARGUMENTS + 1 and stays so. */
void sp_arguments_add(struct sp_arguments *arguments, const char *word);
void sp_arguments_free(struct sp_arguments *arguments);
/* The words with blanks between them; returns text[size]. */
char *sp_arguments_text(const struct sp_arguments *arguments, char *text, size_t size);

/* Adds "analyze", `matrix`, and the options that the record's request stands for; of how it was
 * measured the runs, budget, samples, seed and source of bytes. SP_INPUT: the record does not say
 * what was asked for, says it in a version that this program does not know, or was not run by this
 * program (replayed, imported, swept); SP_MEMORY. */
enum sp_status sp_record_request_arguments(const struct sp_record *record, const char *matrix,
                                           struct sp_arguments *arguments, struct sp_error *err);

/* A record without what says whose it is, for sharing: in place, each field by its `mask`
 * (record.h). The matrix of a generator keeps its name, of another one sha256, sizes and
 * structure stay, and a name made of the sha256. In all other texts the names and files that went
 * are replaced, and every absolute path that is not of the system (/proc, /sys, /dev, /usr, /etc);
 * the command line is said again from `request`. The same commit becomes the same hash, so that
 * sessions stay together. Series and environment keep their keys. Sets `anonymous`; once more
 * changes nothing, but what a campaign has added since goes. SP_MEMORY. */
enum sp_status sp_record_anonymise(struct sp_record *record, struct sp_error *err);

#endif
