/* The data part of a Matrix Market file that lies in memory, cut into shares for threads; and the places of
 * faults in it. */
#ifndef SP_IO_MTX_TEXT_H
#define SP_IO_MTX_TEXT_H

#include <stdint.h>

#include "base/status.h"
#include "io/matrix/mtx_header.h"

/* The last lines are copied to where bytes may be loaded beyond the end and where a final newline can be
 * added; all else stays where it is, and may change there (io/files/mapped_file.h): a line is then cut where
 * it may not be, or judged wrong, and no byte outside is read. */
struct sp_mtx_text {
    const char *file;     /* borrowed */
    const char *body;     /* first data line, in the file */
    const char *main_end; /* what lies before this is scanned in place */
    char *tail;           /* owned: the lines from main_end on */
    int64_t n_tail;
    int n_shares;
};

/* Complete lines, each with its '\n'. */
struct sp_mtx_piece {
    const char *begin, *end;
    int64_t offset; /* [B] of `begin` in the file */
};

enum sp_status sp_mtx_text_open(struct sp_mtx_text *x, const struct sp_mtx_header *h, const char *text,
                                int64_t n, int n_shares, struct sp_error *err);
void sp_mtx_text_free(struct sp_mtx_text *x);

/* Part 0 or 1 of a share; the pieces in the order of shares and parts are the data part. May be empty. */
struct sp_mtx_piece sp_mtx_text_piece(const struct sp_mtx_text *x, int share, int part);

static inline int64_t sp_mtx_text_offset(const struct sp_mtx_piece *piece, const char *p)
{
    return piece->offset + (p - piece->begin);
}

/* SP_INPUT for the first fault of a file in which there is one. */
enum sp_status sp_mtx_text_fault(const struct sp_mtx_text *x, const struct sp_mtx_header *h,
                                 struct sp_error *err);

#endif
