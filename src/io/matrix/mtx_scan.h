/* The data lines of a Matrix Market file: text in, entries out. No files, no memory of its own.
 *
 * The fast loops take the lines as programs write them (two indices and a number, single blanks);
 * any other line is read with care, by the only judge of what is right, which says why a line is
 * wrong. */
#ifndef SP_IO_MTX_SCAN_H
#define SP_IO_MTX_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

/* Banner and size line of a Matrix Market file [Boisvert, Pozo, Remington, NISTIR 5935, 1996]. */

enum sp_mtx_format { SP_MTX_COORDINATE, SP_MTX_ARRAY };

struct sp_mtx_header {
    const char *path; /* borrowed; for error messages */
    enum sp_mtx_format format;
    enum sp_field field;
    enum sp_symmetry symmetry;
    int64_t n_r, n_c;
    int64_t n_entries;  /* lines of data that must follow: stored entries, or values of an array */
    int64_t size_line;  /* 1-based line of the sizes */
    int64_t body_line;  /* 1-based line where the data begin */
    int64_t body_begin; /* [B] offset of that line */
};

/* True when text[n] holds the whole header: all up to and including the size line. */
bool sp_mtx_header_complete(const char *text, int64_t n);

/* Reads the header from the first n bytes of the file; they must contain all of it, or be the whole
 * file. SP_INPUT with line, column and remedy for whatever is not a Matrix Market header; files
 * that are something else and commonly met (Git LFS pointers, HTML pages, edge lists,
 * Harwell-Boeing, MATLAB, HDF5) are named. */
enum sp_status sp_mtx_header_read(const char *path, const char *text, int64_t n, struct sp_mtx_header *header,
                                  struct sp_error *err);

/* SP_INPUT that names what text[n] is, where it begins like one of these; else SP_OK. */
enum sp_status sp_mtx_name_foreign(const char *path, const char *text, int64_t n, struct sp_error *err);

/* Whether a file of n bytes has room behind the header for the entries that it announces. */
bool sp_mtx_header_can_hold(const struct sp_mtx_header *header, int64_t n);

/* So many bytes are looked at to tell what a file without a banner is: a stream has read them, or
 * all that there is, when it asks for the header. */
enum { SP_MTX_FOREIGN_LOOK = 4096 };

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

/* Scans complete lines (each with its '\n') from p to at most `end` until the chunk is full.
 * Returns where it stopped: `end`, or the beginning of a line that comes next, or with *fault =
 * true the beginning of a line that is wrong. Coordinate files only. */
const char *sp_mtx_scan(const struct sp_mtx_header *h, enum sp_mtx_take take, const char *p, const char *end,
                        struct sp_mtx_chunk *chunk, bool *fault);

/* The same for the values of an array file, which have no indices: fills val only. */
const char *sp_mtx_scan_array(const struct sp_mtx_header *h, const char *p, const char *end,
                              struct sp_mtx_chunk *chunk, bool *fault);

/* Fills row and col of n values of an array file that come column by column, the first one being
 * value `first`. */
void sp_mtx_number_array(const struct sp_mtx_header *h, int64_t first, struct sp_mtx_chunk *chunk);

/* Data lines (neither blank nor comment) between p and end. */
int64_t sp_mtx_count_lines(const char *p, const char *end);

/* The one judge of the data lines of a Matrix Market file: whoever reads them fast, and finds that
 * something is wrong, asks it what. It goes in the order of the file, so that the answer is the
 * first fault of the file, however the reading was cut into shares and blocks. */

struct sp_mtx_judge {
    const struct sp_mtx_header *h; /* borrowed */
    int64_t n_entries;             /* of the lines judged so far */
    int64_t line;                  /* 1-based: the next one */
    bool is_cut;                   /* the last of the lines judged next had no '\n' of its own */
    int64_t first_line; /* of the first entry off the diagonal where one triangle is wanted; 0: none yet */
    bool first_is_lower;
};

struct sp_mtx_judge sp_mtx_judge_begin(const struct sp_mtx_header *h);

/* Complete lines, each with its '\n'. SP_INPUT with line and column at the first that is no entry,
 * lies in the other triangle than those before, or is one more than the size line announces. */
enum sp_status sp_mtx_judge_lines(struct sp_mtx_judge *judge, const char *begin, const char *end,
                                  struct sp_error *err);
/* Behind the last line: SP_INPUT where entries are missing. */
enum sp_status sp_mtx_judge_end(const struct sp_mtx_judge *judge, struct sp_error *err);

/* For who asked because something is wrong, and was told that nothing is. */
enum sp_status sp_mtx_judge_disagrees(const struct sp_mtx_judge *judge, struct sp_error *err);

#endif
