/* Text into the language of manual pages. */
#ifndef SP_CLI_ROFF_H
#define SP_CLI_ROFF_H

#include <stddef.h>
#include <stdio.h>

/* n bytes of UTF-8 as they are to be seen: nothing in them is an instruction. They may stand in a line. */
void sp_roff_escape(const char *text, size_t n, FILE *out);
/* Running text, cut into lines, with a newline at its end. */
void sp_roff_words(const char *text, FILE *out);
/* Lines of running text are filled, those that begin with a blank stay as they are; an empty line ends a
 * paragraph. */
void sp_roff_text(const char *text, FILE *out);
/* What is typed: words that begin with a small letter or a hyphen bold, others (places for values) italic. */
void sp_roff_usage(const char *text, FILE *out);

#endif
