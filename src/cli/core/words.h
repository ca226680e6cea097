/* The words of the command line that may name files. A result must not replace what the command reads, nor
 * two results each other: every output asks here before it opens its file. sp_parse() notes the words. */
#ifndef SP_CLI_WORDS_H
#define SP_CLI_WORDS_H

#include "base/status.h"

/* The command line; borrowed, as argv is, for as long as the program runs. */
void sp_words_note(int argc, char *const *argv);
/* Files that the command reads although no word names them; borrowed until it is called again (NULL, 0). */
void sp_words_note_files(const char *const *names, int n);

/* SP_USAGE where `output` is empty, or where it (a word of the command line, the part of one behind = as argp
 * gives it, or a name that the program chose) is a regular file that another word names too: under whatever
 * path or link, as an argument, as an option's value, in replay:FILE or gen:like:FILE:SCALE. */
enum sp_status sp_words_refuse(const char *output, struct sp_error *err);

#endif
