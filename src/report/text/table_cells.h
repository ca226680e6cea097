/* The table of model and measurement as texts, the same on the terminal and in the page. */
#ifndef SP_REPORT_TABLE_CELLS_H
#define SP_REPORT_TABLE_CELLS_H

#include "io/record/record.h"
#include "report/text/pen.h"

enum { SP_TABLE_COLUMNS = 7, SP_TABLE_ROWS = 16, SP_TABLE_CELL = 96 };

struct sp_table_cells {
    char cell[SP_TABLE_ROWS + 1][SP_TABLE_COLUMNS][SP_TABLE_CELL]; /* [0] is the head */
    bool marked[SP_TABLE_ROWS + 1];                                /* the point lies above its roof */
    int n_rows;
    bool unknown_bytes;
    bool has_ecm; /* "model" alone would be either of two: rows of the roofline say so */
    double above; /* largest fraction above SP_ABOVE_ROOF, 0: none */
};

/* False: the record has no table. */
bool sp_table_cells_fill(const struct sp_record *record, struct sp_table_cells *cells);

/* Below it: what the fractions are made of, what is unknown, what lies above its roof. */
typedef void sp_table_remark(void *context, enum sp_ink ink, const char *text);
void sp_table_remarks(const struct sp_record *record, const struct sp_table_cells *cells,
                      sp_table_remark *remark, void *context);

#endif
