/* Where text leaves for a terminal. Standard output and error are streams that make visible what a terminal
 * would obey (base/visible.h) in all that is printed on them, whoever prints it and however; line ends pass.
 * What the program itself says to the terminal, colours and the line of progress, passes because it is said
 * by sp_terminal_code(), and by nothing else.
 *
 * A line end in text of others cannot be told from the program's own here: that text is made one line where
 * it comes in or is put into a line (base/status.h, io/json_text.h, cli/print.h). */
#ifndef SP_BASE_GUARDED_STREAM_H
#define SP_BASE_GUARDED_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* From here on stdout and stderr are guarded, buffered as they are by default. False: no memory. They have no
 * fileno(); what asks the terminal uses STDOUT_FILENO and STDERR_FILENO. */
bool sp_guard_standard_streams(void);

/* What follows on `out` is data, for a program: it passes as it is, unless `out` goes to a terminal. Nothing
 * where `out` is not guarded. */
void sp_guard_as_data(FILE *out);

/* A sequence of the program's own for the terminal: a colour, the start of the line. On every other stream it
 * is written as it is. */
void sp_terminal_code(FILE *out, const char *code);

#endif
