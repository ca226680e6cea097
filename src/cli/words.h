/* The words of the command line that may name files. A result must not replace what the command reads, nor
 * two results each other: every output asks here before it opens its file. sp_parse() notes the words. */
#ifndef SP_CLI_WORDS_H
#define SP_CLI_WORDS_H

#include "base/status.h"

/* Notes an argument or an option's value; kept as it is, not copied: it must live as long as the program, as
 * the words of argv do. What does not fit into the table (256 words) is not watched. */
void sp_words_note(const char *word);

/* SP_USAGE where `output` is empty, or where it (one of the noted words itself, or a name that the program
 * chose) is a regular file that another noted word names too, under whatever path or link. */
enum sp_status sp_words_refuse(const char *output, struct sp_error *err);

#endif
