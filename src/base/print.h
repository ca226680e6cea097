/* Printing for people. A line is made of the program's own words, the format, and of text that may
 * come from anywhere, the arguments: names of files, strings of records. sp_print() keeps the two
 * apart. */
#ifndef SP_BASE_PRINT_H
#define SP_BASE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

/* As fprintf, but what %s prints is visible and one line (base/escape.h), so that no name can end
 * a line and begin one that looks like the program's; widths and precisions count its bytes.
 * Conversions: d i u x o c s f F e E g G p %, with hh h l ll j z t, no L and no n. src/cli,
 * src/report and src/lab print with nothing else (ctest `layers`); text of the program that has
 * line ends goes through fputs. */
void sp_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Where text leaves for a terminal. Standard output and error are streams that make visible what a
 * terminal would obey (base/escape.h) in all that is printed on them; line ends pass. Colours and
 * the line of progress pass because they are said by sp_terminal_code(), and by nothing else.
 *
 * A line end in text of others cannot be told from the program's own here: that text is made one
 * line where it comes in or is put into a line (base/status.h, io/json_text.h, sp_print). */

/* From here on stdout and stderr are guarded, buffered as they are by default. False: no memory.
 * They have no fileno(); what asks the terminal uses STDOUT_FILENO and STDERR_FILENO. */
bool sp_guard_standard_streams(void);

/* From here on lines of `out`, where it is guarded, that are wider than a terminal of so many
 * columns go on below the begin of their last column, broken at spaces. Tables and commands stay as
 * they are, and so does a line that is flushed before it ends. 0: as they are. */
void sp_guard_wrap(FILE *out, int columns);

/* What follows on `out` is data, for a program: it passes as it is, unless `out` goes to a
 * terminal, where lines are not wrapped. Nothing where `out` is not guarded. */
void sp_guard_as_data(FILE *out);

/* A sequence of the program's own for the terminal: a colour, the start of the line. On every other
 * stream it is written as it is. */
void sp_terminal_code(FILE *out, const char *code);

#endif
