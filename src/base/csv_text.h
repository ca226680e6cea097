/* Text in CSV [RFC 4180]. */
#ifndef SP_BASE_CSV_TEXT_H
#define SP_BASE_CSV_TEXT_H

#include <stdio.h>

/* In quotes, those inside doubled. */
void sp_csv_text(FILE *out, const char *text);
/* The same; as it is where it needs no quotes. */
void sp_csv_field(FILE *out, const char *text);

#endif
