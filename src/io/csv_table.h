/* A table of text with a header line, as spreadsheets write it (RFC 4180), maybe compressed. */
#ifndef SP_IO_CSV_TABLE_H
#define SP_IO_CSV_TABLE_H

#include <stdint.h>

#include "base/status.h"

/* Zero-initialise; sp_csv_table_free(). */
struct sp_csv_table {
    char *text; /* owned; all cells lie in it */
    int n_columns;
    char **column; /* [n_columns] names, all different; owned */
    int64_t n_rows;
    char **cell;   /* [n_rows][n_columns], without blanks at either end; owned */
    int64_t *line; /* [n_rows] 1-based, in the file; owned */
};

/* Blank lines and lines that begin with # or == (what ncu says of itself) are skipped. SP_INPUT
 * names file and line: no header, two columns of one name, a line with more or fewer cells than the
 * header, a quote that does not end, no text. */
enum sp_status sp_csv_table_read(const char *path, struct sp_csv_table *table, struct sp_error *err);
void sp_csv_table_free(struct sp_csv_table *table); /* safe twice */

/* Its index; -1: there is none of that name. */
int sp_csv_table_column(const struct sp_csv_table *table, const char *name);
static inline const char *sp_csv_table_cell(const struct sp_csv_table *table, int64_t row, int column)
{
    return table->cell[row * table->n_columns + column];
}

#endif
