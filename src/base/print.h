/* Printing for people. A line is made of the program's own words, the format, and of text that may come from
 * anywhere, the arguments: names of files, strings of records. sp_print() keeps the two apart. */
#ifndef SP_BASE_PRINT_H
#define SP_BASE_PRINT_H

#include <stdio.h>

/* As fprintf, but what %s prints is visible and one line (base/visible.h), so that no name can end a line and
 * begin one that looks like the program's; widths and precisions count its bytes. Conversions: d i u x o c s
 * f F e E g G p %, with hh h l ll j z t, no L and no n. src/cli, src/report and
 * src/lab print with nothing else (ctest `layers`);
 * text of the program that has line ends goes through fputs. */
void sp_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
