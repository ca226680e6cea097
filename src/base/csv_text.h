/* Text in CSV [RFC 4180], for programs and for spreadsheets.
 *
 * Spreadsheets take a cell that begins with = + - @, a tab or a carriage return for a formula, quoted or not,
 * and a formula can open programs and send other cells away. Such text gets an apostrophe before it, by which
 * they know text; what is a number altogether, or a single character, computes nothing and stays as it is.
 *
 * Control characters, line ends among them, are made visible (base/visible.h): a cell is part of one line. */
#ifndef SP_BASE_CSV_TEXT_H
#define SP_BASE_CSV_TEXT_H

#include <stdio.h>

/* In quotes, those inside doubled. */
void sp_csv_text(FILE *out, const char *text);
/* The same; without the quotes where it needs none. */
void sp_csv_field(FILE *out, const char *text);

#endif
