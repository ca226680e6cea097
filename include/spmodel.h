/* libspmodel: how fast a sparse kernel could run, how fast it does run, where the rest of the time goes, and
 * what to do about it.
 *
 *     spmodel *s = spmodel_new();
 *     spmodel_result *r = NULL;
 *     spmodel_set(s, "threads", "4");
 *     if (spmodel_analyze(s, &matrix, NULL, &r) == SPMODEL_OK)
 *         puts(spmodel_text(r, SPMODEL_REPORT));
 *     else
 *         fputs(spmodel_message(s), stderr);
 *     spmodel_result_free(r);
 *     spmodel_free(s);
 *
 * Nothing here prints or ends the program. Affinity, OpenMP team, signal handlers and locale of the caller
 * are as before on return: the work is done by threads and processes of its own. A handle belongs to one
 * thread at a time; analyses of several handles wait for each other, because they would disturb what they
 * measure. Functions that return a status leave their output NULL where it is not SPMODEL_OK. Structs begin
 * with their size, so that they may grow: a field that the caller's header has not is zero. */
#ifndef SPMODEL_H
#define SPMODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPMODEL_VERSION_MAJOR 0
#define SPMODEL_VERSION_MINOR 1
#define SPMODEL_VERSION_PATCH 0

/* Of the library that runs: "0.1.0". */
const char *spmodel_version(void);

/* As the exit codes of the program (spmodel help exit-codes). */
enum spmodel_status {
    SPMODEL_OK = 0,
    SPMODEL_NO = 1,         /* a check was made and the answer is no */
    SPMODEL_USAGE = 2,      /* an option or argument makes no sense */
    SPMODEL_INPUT = 3,      /* the matrix or a file cannot be used */
    SPMODEL_ABSENT = 4,     /* something is missing or not permitted; no memory */
    SPMODEL_UNDECIDED = 5,  /* too few or too noisy */
    SPMODEL_WRONG = 6,      /* the kernel's result differs from the reference; the kernel failed */
    SPMODEL_BUG = 7,        /* in the library */
    SPMODEL_CANCELLED = 130 /* by the progress callback */
};

/* ---- a handle: options, progress, the last message ---- */

typedef struct spmodel spmodel;

spmodel *spmodel_new(void);    /* NULL: no memory */
void spmodel_free(spmodel *s); /* accepts NULL */

/* An option of `spmodel analyze` by its name without dashes ("format", "sell:8,64"); of one that takes no
 * value NULL or "yes" sets it, "no" takes it back. Options of files and output ("out", "html", ...) are not
 * known here. SPMODEL_USAGE names the option; what was set before stays. */
int spmodel_set(spmodel *s, const char *option, const char *value);

/* What the last call that failed says, a sentence and a remedy, which name options as the program does
 * ("--threads");
 * "" where none did. Until the next call. */
const char *spmodel_message(const spmodel *s);

/* Called now and then by the thread that waits for the analysis: what is done ("reading the machine"), and
 * the part of it that is done, 0 ... 1, negative where that is unknown. Not 0 cancels. */
typedef int spmodel_progress(void *context, const char *step, double done);
void spmodel_on_progress(spmodel *s, spmodel_progress *progress, void *context);

/* ---- a matrix: a view of compressed rows, borrowed ---- */

enum spmodel_type { SPMODEL_F64 = 0, SPMODEL_F32 = 1, SPMODEL_C128 = 2 };

struct spmodel_matrix {
    size_t size; /* sizeof(struct spmodel_matrix) */
    int64_t n_r, n_c, n_nz;
    const void *row_ptr; /* [n_r + 1] */
    const void *col;     /* [n_nz] */
    const void *values;  /* [n_nz]; NULL: all are 1 */
    int32_t row_ptr_B;   /* bytes of a row pointer: 4 or 8 */
    int32_t col_B;       /* of a column index: 4 or 8 */
    int32_t type;        /* enum spmodel_type */
    int32_t base;        /* of row_ptr and col: 0 or 1 */
    const char *name;    /* for the report; NULL: "matrix" */
};

/* A matrix from a file, or generated ("gen:laplace3d:60"), as the program takes it. spmodel_matrix_free(). */
int spmodel_read(spmodel *s, const char *name, struct spmodel_matrix **matrix);
void spmodel_matrix_free(struct spmodel_matrix *matrix); /* of spmodel_read() only; accepts NULL */

/* ---- a kernel of your own ---- */

/* An array that the kernel reads in each execution. */
struct spmodel_array {
    const char *name; /* "values" */
    const void *address;
    size_t size_B;
};
enum { SPMODEL_MAX_ARRAYS = 16 };

/* Told by trace() for each access, in the order of the thread's execution. `is_write`: 0 a load, 1 a store,
 * SPMODEL_STREAMS a non-temporal store of y, which reads nothing and passes the caches. */
typedef void spmodel_access(void *walker, const void *address, size_t size_B, int is_write);
enum { SPMODEL_STREAMS = 2 };

/* Functions return 0, or a number of their own that the message names. They run in a process of their own:
 * one that crashes, hangs, ends its thread or process, or writes beside y is named and does no harm. */
struct spmodel_kernel {
    size_t size;      /* sizeof(struct spmodel_kernel) */
    const char *name; /* for the report */
    void *context;    /* handed to prepare() */
    /* Once: makes *state of the matrix, which stays as it is until finish(). May convert it, start threads.
     * Its row_ptr_B, col_B and type are those of the options row-ptr, index and precision; base 0; r is the
     * number of vectors. NULL: *state is the matrix. */
    int (*prepare)(void *context, const struct spmodel_matrix *matrix, int32_t n_threads, int32_t r,
                   void **state);
    /* Y = A X, once, complete on return; all that is timed. x[n_c r], y[n_r r] of the matrix' type; element k
     * of row i at i r + k. */
    int (*run)(void *state, const void *x, void *y);
    void (*finish)(void *state); /* NULL: nothing to do */
    /* Tells the accesses of one thread in one execution, to the arrays of stores(), x and y; NULL: the kernel
     * is taken to walk the rows of CRS one after the other. */
    int (*trace)(void *state, const void *x, const void *y, int32_t thread, spmodel_access *access,
                 void *walker);
    /* Arrays that it reads instead of the matrix'; returns how many it put into array[SPMODEL_MAX_ARRAYS].
     * NULL: the matrix' own. */
    int (*stores)(void *state, struct spmodel_array *array);
};

/* ---- analyses ---- */

typedef struct spmodel_result spmodel_result;

/* Y = A X: the matrix with `kernel`, or a built-in one (NULL), under the clock, explained. Without an option
 * "op" or "rhs": y = A x. SPMODEL_WRONG, where the result differs: there is a result that says by how much.
 */
int spmodel_analyze(spmodel *s, const struct spmodel_matrix *matrix, const struct spmodel_kernel *kernel,
                    spmodel_result **result);
/* Products that another program timed on this machine, time_s[n] [s], judged: bytes are simulated. */
int spmodel_explain(spmodel *s, const struct spmodel_matrix *matrix, const double *time_s, int64_t n,
                    spmodel_result **result);
/* What the model says of the matrix, without running it: an object of SPMODEL_JSON alone. "machine" names
 * another machine than this one. */
int spmodel_model(spmodel *s, const struct spmodel_matrix *matrix, spmodel_result **result);
/* A record that was written before. */
int spmodel_read_record(spmodel *s, const char *path, spmodel_result **result);
void spmodel_result_free(spmodel_result *result); /* accepts NULL */

/* Texts of a result, UTF-8, its own until it is freed; NULL: no memory, or this result has none. */
enum spmodel_form {
    SPMODEL_VERDICT = 0, /* six lines */
    SPMODEL_REPORT = 1,  /* those, the losses, the hints */
    SPMODEL_FULL = 2,    /* all that is known */
    SPMODEL_JSON = 3,    /* the record (docs/record.schema.json) */
    SPMODEL_HTML = 4     /* a page that needs no other file */
};
const char *spmodel_text(spmodel_result *result, enum spmodel_form form);

enum spmodel_number {
    SPMODEL_TIME_S = 0,        /* of an execution [s] */
    SPMODEL_MODEL_TIME_S = 1,  /* that the model expects [s] */
    SPMODEL_FLOP_S = 2,        /* [flop/s] */
    SPMODEL_BYTES_B = 3,       /* that an execution moves at the level that holds the data [B] */
    SPMODEL_BANDWIDTH_BPS = 4, /* reached [B/s] */
    SPMODEL_ROOF_BPS = 5,      /* measured on the same arrays [B/s] */
    SPMODEL_FRACTION = 6,      /* of the roof */
    SPMODEL_ALPHA = 7,         /* how often an element of x is loaded, a nonzero */
    SPMODEL_BALANCE_BPF = 8,   /* code balance [B/flop] */
    SPMODEL_IMBALANCE = 9      /* longest over mean busy time of the threads */
};
struct spmodel_value {
    size_t size;        /* sizeof(struct spmodel_value), set by the caller */
    double value;       /* NaN: not known */
    double lo, hi;      /* its interval; NaN where there is none */
    const char *origin; /* "measured", "simulated", "modelled", "stated", "unknown"; static */
    const char *why;    /* why it is not known; else ""; of the result */
};
/* SPMODEL_USAGE where there is no such number, or where `size` is none. */
int spmodel_number(const spmodel_result *result, enum spmodel_number number, struct spmodel_value *value);

#ifdef __cplusplus
}
#endif
#endif
