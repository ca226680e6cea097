/* Text in CSV [RFC 4180]. */
#ifndef SP_CLI_CSV_TEXT_H
#define SP_CLI_CSV_TEXT_H

#include <stdio.h>

/* In quotes, those inside doubled. */
void sp_csv_text(FILE *out, const char *text);

#endif
