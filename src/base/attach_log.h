/* What libspmodel-attach.so writes of a program that it looks into (attach/), and
 * io/attach/capture.h reads: a folder with one log a process and one file a pattern. All numbers
 * little endian, structures without padding.
 *
 * A log, PID-N.splog, is mapped by the process that it tells of, so that what was seen is there
 * whatever ends that process:
 *
 *     header                                                  SP_ATTACH_HEADER_B
 *     matrix[SP_ATTACH_MATRICES]                              SP_ATTACH_MATRIX_B each
 *     cell[0 ... n_cells]                                     SP_ATTACH_CELL_B each
 *
 * The file is as long as its highest cell needs, and a header alone where there is no matrix. A
 * cell belongs to one matrix, symbol, width and thread, which writes it without a lock; threads
 * that ended leave theirs to others. Whoever reads must expect every number to be anything: a
 * process may have died while it wrote.
 *
 * A pattern, pattern-HASH.sppat, is a struct sp_attach_pattern, then row_ptr[n_r + 1] of 8 bytes,
 * then col[n_nz] of 4, both from 0; rows need not be sorted. It appears complete or not at all. */
#ifndef SP_BASE_ATTACH_LOG_H
#define SP_BASE_ATTACH_LOG_H

#include <assert.h>
#include <stdint.h>

#define SP_ATTACH_LOG_MAGIC     "SPATTACH"
#define SP_ATTACH_PATTERN_MAGIC "SPPATTRN"
#define SP_ATTACH_LOG_ENDING    ".splog"
/* The record of a job's messages: JSON that attach/mpi writes and io/attach/capture.h reads. */
#define SP_ATTACH_MESSAGES_ENDING ".spmsg"

/* Names of variables of the environment that the program sets and the library reads: the folder,
 * and the process that was started (others without a product leave no log). */
#define SP_ATTACH_FOLDER_VARIABLE "SPMODEL_ATTACH_FOLDER"
#define SP_ATTACH_PID_VARIABLE    "SPMODEL_ATTACH_PID"

enum {
    SP_ATTACH_VERSION = 1,
    SP_ATTACH_HEADER_B = 4096,
    SP_ATTACH_MATRIX_B = 256,
    SP_ATTACH_CELL_B = 2048,
    SP_ATTACH_MATRICES = 2048,
    SP_ATTACH_CELLS = 8192,
    SP_ATTACH_SAMPLES = 472
};

struct sp_attach_header {
    char magic[8];
    uint32_t version, header_B, matrix_B, cell_B;
    int64_t pid, parent;
    int64_t began_ns, begun_at_ns; /* monotonic clock; since 1970 */
    int64_t ended_ns;              /* monotonic; 0: it was killed, became another program, or still runs */
    uint32_t n_matrices, n_cells;
    uint64_t n_lost;             /* products that found no room in the log */
    uint32_t n_cpus, reserved;   /* that it could run on when it began */
    char host[64], program[512]; /* program: the path of what ran */
    char lost[128];              /* why products were lost or matrices are not known; "": none */
    char idle[128];   /* libraries that were loaded at the end, but made no product: "hypre, MKL" */
    char second[128]; /* those of which a second copy was loaded, which is not counted */
    char rest[SP_ATTACH_HEADER_B - 1048];
};

enum sp_attach_type { SP_ATTACH_TYPE_UNKNOWN, SP_ATTACH_F32, SP_ATTACH_F64, SP_ATTACH_C64, SP_ATTACH_C128 };
enum sp_attach_pattern_state { SP_ATTACH_NO_PATTERN, SP_ATTACH_PATTERN, SP_ATTACH_REFUSED };

struct sp_attach_matrix {
    uint32_t valid;   /* written last */
    uint32_t pattern; /* enum sp_attach_pattern_state */
    int64_t n_r, n_c, n_nz;
    uint64_t hash;              /* of sampled row pointers and columns */
    uint32_t type;              /* enum sp_attach_type */
    uint32_t row_ptr_B, col_B;  /* as the program has them; 0: unknown */
    uint32_t base;              /* of its indices: 0 or 1 */
    int64_t n_c_own;            /* columns from here on are copies of other processes' x; n_c: none */
    char library[16], kind[40]; /* "PETSc", "rows of an MPIAIJ matrix" */
    char why[80];               /* why there is no pattern */
    char file[40];              /* "pattern-HASH.sppat" */
    char rest[16];
};

enum sp_attach_op {
    SP_ATTACH_SPMV,      /* y = A x */
    SP_ATTACH_ADD,       /* y = z + A x */
    SP_ATTACH_TRANSPOSE, /* y = A^T x */
    SP_ATTACH_SPMM,      /* Y = A X */
    SP_ATTACH_SDDMM,     /* P = S o (A B^T) */
    SP_ATTACH_OPS
};

/* Bits of a cell. */
enum {
    SP_ATTACH_ON_GPU = 1,   /* timed by events of its stream */
    SP_ATTACH_COLUMNS = 2,  /* dense operands column by column */
    SP_ATTACH_TRIANGLE = 4, /* one triangle stands for both: that which the bits below name, or, with
                               none of them, what counts is not known */
    SP_ATTACH_SIDE_T = 8,   /* of SPMM: with A^T */
    SP_ATTACH_LOWER = 16,   /* what counts of A; without SP_ATTACH_TRIANGLE it stands for itself */
    SP_ATTACH_UPPER = 32,   /* both: all that is stored is one triangle, whichever */
    SP_ATTACH_UNIT = 64     /* ones stand for the diagonal */
};

struct sp_attach_cell {
    uint32_t valid;  /* written when the rest is filled */
    uint32_t matrix; /* its place */
    uint32_t op, width, bits, n_threads, thread, symbol_row;
    uint64_t count, n_timed;
    uint64_t total_ns, min_ns, max_ns; /* of the timed ones */
    uint64_t first_ns;                 /* of the first product, which is in the sums, too */
    int64_t last_ns;                   /* monotonic, when the last one ended */
    char symbol[64];
    float sample_ns[SP_ATTACH_SAMPLES]; /* [min(n_timed, SP_ATTACH_SAMPLES)], each product as likely as others
                                         */
    char rest[8];
};

struct sp_attach_pattern {
    char magic[8];
    uint32_t version, header_B;
    int64_t n_r, n_c, n_nz;
    uint64_t hash;
    char rest[16];
};

static_assert(sizeof(struct sp_attach_header) == SP_ATTACH_HEADER_B, "as in the file");
static_assert(sizeof(struct sp_attach_matrix) == SP_ATTACH_MATRIX_B, "as in the file");
static_assert(sizeof(struct sp_attach_cell) == SP_ATTACH_CELL_B, "as in the file");
static_assert(sizeof(struct sp_attach_pattern) == 64, "as in the file");

#endif
