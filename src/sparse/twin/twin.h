/* Twins: what a matrix is like, as statistics without its entries, and synthetic matrices that are
 * alike.
 *
 * What is kept (struct sp_twin) is what balance and alpha follow from. Of rows and columns: how
 * many have which length in each of up to 256 equal parts of the matrix, and which length follows
 * which. Of entries off the diagonal (where the pattern is symmetric: above it), in the order of
 * rows:
 *
 *   copies      at a column of the row above plus a shift, the one of 0 to 8 that fits the row best
 *   neighbours  else up to 8 columns right of another entry of the row, or left of a copy
 *   near        else within SP_TWIN_LOCAL columns of the diagonal (slope n_c / n_r): which offset
 *   atoms       else at one of the few offsets that are common
 *   returns     else in a line (8 columns) that was met before: how many rows ago, and whether at
 *               the same column
 *   firsts      else the first entry of their line: in which parts of rows and columns
 *
 * The model draws a row as these classes in this order. Reuse times decide what a cache of any size
 * holds (the working-set theory, Denning 1968); kept per line they keep alpha.
 *
 * A column's length is drawn by its entries' places, not prescribed: long columns become shorter
 * (68 entries of p2p-Gnutella31 become 18).
 *
 * Scale K: K times the rows and columns, lengths as they are. Offsets and reuse times up to
 * SP_TWIN_LOCAL stay, longer ones grow by K; places along the matrix are relative. (Offsets of a
 * finer mesh in natural order grow by K^(1/2) or K^(2/3) only.) */
#ifndef SP_SPARSE_TWIN_H
#define SP_SPARSE_TWIN_H

#include <stdbool.h>
#include <stdint.h>

#include "sparse/csr/csr.h"

enum {
    SP_TWIN_PARTS = 256,   /* along rows and along columns, for lengths */
    SP_TWIN_LENGTHS = 256, /* classes of lengths: exact below 32, then 8 an octave */
    SP_TWIN_GRID = 128,    /* parts along rows and columns, for places */
    SP_TWIN_SHIFTS = 9,
    SP_TWIN_GAPS = 8,
    SP_TWIN_LINE = 8,
    SP_TWIN_STEPS = 64, /* classes of distances: exact to 8, then 2 an octave */
    SP_TWIN_LOCAL = 64, /* [columns, rows] distances up to this do not grow with the scale */
    SP_TWIN_ATOMS = 32, /* longer offsets at which a fiftieth of the births or more are */
    SP_TWIN_OFFSETS = 2 * SP_TWIN_LOCAL + 1 + SP_TWIN_ATOMS + 2 * (SP_TWIN_STEPS + 1), /* classes */
};

/* Lengths of rows, or of columns. Part p of n is [p n / n_parts, (p + 1) n / n_parts). */
struct sp_twin_lengths {
    int64_t n;
    int32_t n_parts;
    int64_t sum[SP_TWIN_LENGTHS]; /* entries in the rows of a class */
    int64_t count[SP_TWIN_PARTS][SP_TWIN_LENGTHS];
    int64_t next[SP_TWIN_LENGTHS][SP_TWIN_LENGTHS]; /* a row of one class, then one of the other */
};

enum sp_twin_birth {
    SP_TWIN_NEIGHBOUR,
    SP_TWIN_NEAR,
    SP_TWIN_ATOM,
    SP_TWIN_RETURN,
    SP_TWIN_FIRST,
    SP_TWIN_BIRTHS
};

struct sp_twin {
    int64_t n_r, n_c, n_nz;
    enum sp_field field;
    enum sp_symmetry symmetry; /* of the file */
    bool mirrored;             /* nine of ten entries off the diagonal, or more, have their mirror image */
    int64_t n_diagonal;        /* entries on the diagonal; 0 where the matrix is not square */
    struct sp_twin_lengths rows, columns; /* columns: those of rows where mirrored */
    int32_t n_parts, n_column_parts;      /* of the figures below */

    /* rows with this best shift, last those that copy nothing; [1]: as long as the row above */
    int64_t shift[2][SP_TWIN_SHIFTS + 1];
    /* columns of the row above, by shift and by a copy's offset; those that were copied */
    int64_t offered[SP_TWIN_SHIFTS][SP_TWIN_OFFSETS], copied[SP_TWIN_SHIFTS][SP_TWIN_OFFSETS];
    int64_t birth[SP_TWIN_GRID][SP_TWIN_BIRTHS];  /* entries that are no copies, by part of the rows */
    int64_t gap[2 * SP_TWIN_GAPS + 1];            /* of neighbours, from SP_TWIN_GAPS to the left on */
    int64_t lag[SP_TWIN_GRID][SP_TWIN_STEPS + 1]; /* returns, by part of the rows and rows since */
    int64_t same_column[SP_TWIN_STEPS + 1];       /* of all parts */
    int64_t grid[SP_TWIN_GRID][SP_TWIN_GRID];     /* firsts, by parts of rows and columns */
    int64_t near[2 * SP_TWIN_LOCAL + 1];
    /* of all entries: lines of a row, by rows since they were met; last: for the first time.
     * Nothing is drawn from it; it tells how near a twin comes. All 0: unknown (older files) */
    int64_t reuse[SP_TWIN_STEPS + 2];
    int32_t n_atoms;
    int64_t atom_offset[SP_TWIN_ATOMS], atom_count[SP_TWIN_ATOMS];
};

/* Class of a length; class of a distance >= 0, and the distances lo .. hi that a class holds. */
int sp_twin_length_class(int64_t length);
int sp_twin_step(int64_t distance);
void sp_twin_step_range(int step, int64_t *lo, int64_t *hi);
/* Class of an offset from the diagonal, in [0, SP_TWIN_OFFSETS): short ones and atoms exactly,
 * others by their step. Short ones are as they are, long ones in multiples of `scale`. */
int sp_twin_offset_class(const struct sp_twin *twin, int64_t offset, int64_t scale);

/* Two passes over the entries. *twin is released with free(). SP_MEMORY. */
enum sp_status sp_twin_measure(const struct sp_csr *a, struct sp_twin **twin, struct sp_error *err);
/* Into how many parts n rows are cut for lengths, at least 8 rows each; for places. */
int32_t sp_twin_length_parts(int64_t n);
int32_t sp_twin_place_parts(int64_t n);

/* For figures that come from elsewhere: fills in the numbers of parts, which follow from the sizes,
 * and returns the word for the first figure that contradicts the others, NULL where all is well. */
const char *sp_twin_complete(struct sp_twin *twin);

/* Lengths for scale * n rows: those of each part are drawn without putting back. */
void sp_twin_draw_lengths(const struct sp_twin_lengths *l, int64_t scale, uint64_t seed, int32_t *length);

/* Bytes that sp_twin_make takes, the matrix included; sizes beforehand (entries: nearly). SP_USAGE:
 * scale below 1, or more rows or columns than there may be. */
enum sp_status sp_twin_estimate(const struct sp_twin *twin, int64_t scale, int n_threads, int64_t *n_r,
                                int64_t *n_c, int64_t *n_nz, double *bytes, struct sp_error *err);

/* The same matrix for the same features, scale and seed, whatever the threads. Values are positive;
 * field and symmetry are those of the original (patterns: 1; skew: below the diagonal; mirrored
 * patterns have symmetric values even where the file said general). */
enum sp_status sp_twin_make(const struct sp_twin *twin, int64_t scale, uint64_t seed, int n_threads,
                            const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err);

#endif
