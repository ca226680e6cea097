/* The data lines of a Matrix Market file: text in, entries out. No files, no memory of its own.
 *
 * The fast loops take the lines as programs write them (two indices and a number, single blanks); any other
 * line goes to sp_mtx_line(), which is the only judge of what is right and says why a line is wrong. */
#ifndef SP_IO_MTX_SCAN_H
#define SP_IO_MTX_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/matrix/mtx_header.h"

/* Text must be readable this far beyond its end: the fast loops load several bytes at a time. */
enum { SP_MTX_PADDING = 64 };
enum { SP_MTX_CHUNK = 4096 };

/* Entries as a caller's arrays; those that a scan does not fill may be NULL. */
struct sp_mtx_chunk {
    int32_t *row, *col; /* [SP_MTX_CHUNK] 0-based */
    double *val;        /* [SP_MTX_CHUNK], complex [2 SP_MTX_CHUNK] */
    int64_t n;
};

/* What to take from a line. */
enum sp_mtx_take {
    SP_MTX_ROWS,    /* row only: the rest of the line is not looked at */
    SP_MTX_INDICES, /* row and column: the rest is not looked at */
    SP_MTX_ENTRIES, /* everything, and the line is checked to its end */
};

/* Scans complete lines (each with its '\n') from p to at most `end` until the chunk is full. Returns where it
 * stopped: `end`, or the beginning of a line that comes next, or with *fault = true the beginning of a line
 * that is wrong. Coordinate files only. */
const char *sp_mtx_scan(const struct sp_mtx_header *h, enum sp_mtx_take take, const char *p, const char *end,
                        struct sp_mtx_chunk *chunk, bool *fault);

/* The same for the values of an array file, which have no indices: fills val only. */
const char *sp_mtx_scan_array(const struct sp_mtx_header *h, const char *p, const char *end,
                              struct sp_mtx_chunk *chunk, bool *fault);

/* Fills row and col of n values of an array file that come column by column, the first one being value
 * `first`. */
void sp_mtx_number_array(const struct sp_mtx_header *h, int64_t first, struct sp_mtx_chunk *chunk);

/* Data lines (neither blank nor comment) between p and end. */
int64_t sp_mtx_count_lines(const char *p, const char *end);

struct sp_mtx_entry {
    int32_t row, col; /* 0-based; 0 for array files */
    double val[2];
};
enum sp_mtx_kind { SP_MTX_BLANK, SP_MTX_ENTRY, SP_MTX_FAULT };

/* Judges one line, begin .. end without the line end. A fault fills err (if not NULL) with `line`, the column
 * and the reason. */
enum sp_mtx_kind sp_mtx_line(const struct sp_mtx_header *h, const char *begin, const char *end, int64_t line,
                             struct sp_mtx_entry *entry, struct sp_error *err);

#endif
