/* Measurements of others beside predictions: each line of a file with its error, and what all of
 * them say.
 *
 * Lines that ask for the same execution (matrix, machine, threads, layout) share one prediction, a
 * case. Predictions are kept in a file of JSON Lines as they are made, so that another run takes
 * them from there. */
#ifndef SP_SESSION_VALIDATION_H
#define SP_SESSION_VALIDATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "base/reading.h"
#include "base/status.h"
#include "io/record/record.h"
#include "model/machine.h"
#include "session/validate/measurements.h"
#include "sparse/csr/csr.h"
#include "sparse/product/workload.h"

/* What the simulation says of one execution that somebody measured elsewhere: bytes from and to
 * memory, each cache domain simulated with the bytes of its own threads, and the time that the
 * roofline makes of them. */

struct sp_forecast {
    struct sp_value read_B, write_B; /* simulated (model/volume/traffic.h) */
    struct sp_value time_s;          /* the roofline's, as in `spmodel model` */
    bool has_core;                   /* with the core's time by the lengths of rows; else that is left out */
    double once_B;                   /* every array once: what a cold execution reads at least, y included */
    int n_domains, n_held; /* cache domains in use; of them those whose cache holds all that they touch */
    double least_share, most_share; /* what a domain touches over the capacity of its cache */
    double copies_B; /* of once_B beyond one copy of x: caches that share its lines load them each */
};

/* The workload with matrix and threads, SpMV. SP_USAGE: it cannot be, SP_INTERRUPTED, SP_MEMORY. */
enum sp_status sp_forecast_make(const struct sp_workload *workload, const struct sp_machine *machine,
                                bool cold, const struct sp_progress *progress, struct sp_forecast *out,
                                struct sp_error *err);

/* What is known of sizes alone, CRS in f64 with 32-bit columns: every array once [B]; and what of
 * it must come from memory although the caches in use, kept_B, may hold the rest from one execution
 * to the next. */
double sp_forecast_once_B(double n_r, double n_c, double n_nz, double row_ptr_B);
static inline double sp_forecast_least_B(double once_B, double kept_B)
{
    return once_B > kept_B ? once_B - kept_B : 0;
}

enum { SP_VALIDATION_MACHINES = 16 };

enum sp_case_state { SP_CASE_WAITING, SP_CASE_MADE, SP_CASE_FAILED };

struct sp_validation_case {
    char matrix[1024];           /* what sp_matrix_load() takes */
    int machine;                 /* index */
    struct sp_workload workload; /* without its matrix */
    char partition[64];          /* "L1:matrix=1,L2:matrix=5"; "" */
    bool cold;
    uint64_t key; /* of all that the prediction depends on */
    double n_nz;  /* known before; 0: not */
    enum sp_case_state state;
    bool was_kept;                 /* taken from the file of an earlier run */
    int64_t n_r, n_c, matrix_n_nz; /* of the matrix, when made */
    struct sp_forecast forecast;
    enum sp_status status; /* failed: as what */
    char why[256];         /* and why */
};

enum sp_line_state {
    SP_LINE_COMPARED,
    SP_LINE_UNKNOWN_MATRIX, /* neither generator, alias nor file: not guessed */
    SP_LINE_OTHER_MATRIX,   /* what is found has other sizes than the line says */
    SP_LINE_FAILED,         /* could not be predicted */
    SP_LINE_NOT_REACHED,    /* interrupted before */
    SP_N_LINE_STATES
};

struct sp_validation_line {
    struct sp_measurement measured;
    char name[128]; /* of the matrix for people */
    int machine;    /* index; -1: of a record */
    int case_index; /* -1: none */
    enum sp_line_state state;
    bool of_record; /* measured and simulated by this program: `forecast` is the line's own */
    struct sp_forecast forecast;
    double kept_B; /* what the caches in use hold; 0: machine not known */
    double once_B; /* from the sizes that the line states, or of its matrix; NAN: not known */
};

/* Zero-initialise; sp_validation_free(). */
struct sp_validation {
    struct sp_machine machine[SP_VALIDATION_MACHINES]; /* owned */
    char machine_path[SP_VALIDATION_MACHINES][1024];
    int n_machines;
    struct sp_validation_line *line; /* [n_lines] owned */
    int64_t n_lines, room_lines;
    struct sp_validation_case *cases; /* [n_cases] owned */
    int64_t n_cases, room_cases;
    char remark[256]; /* on what was kept, for whoever ran it; "" */
};
void sp_validation_free(struct sp_validation *v);

/* Adds lines of one file. matrices: a folder with files of the collection, NULL: none; directories:
 * where machine files are, ends with NULL. row_ptr of a line that says none: left to the program.
 * SP_INPUT names the line whose machine, schedule, format or precision is not known. */
enum sp_status sp_validation_add(struct sp_validation *v, const char *path,
                                 const struct sp_measurement *measured, int64_t n, const char *matrices,
                                 const char *const *directories, struct sp_error *err);
/* A record of this program: bytes counted and simulated, times. SP_INPUT: nothing counted. */
enum sp_status sp_validation_add_record(struct sp_validation *v, const struct sp_record *record, int64_t line,
                                        const char *path, struct sp_error *err);

struct sp_validation_options {
    int n_jobs;       /* at once */
    const char *kept; /* file of predictions, NULL: none */
    double memory_B;  /* 0: what the system has */
    const struct sp_progress *progress;
};

/* Predicts what waits. SP_INTERRUPTED: what was made is kept. A case that fails fails alone. */
enum sp_status sp_validation_run(struct sp_validation *v, const struct sp_validation_options *options,
                                 struct sp_error *err);

/* What can be compared. */
enum sp_compared { SP_COMPARED_READ, SP_COMPARED_WRITE, SP_COMPARED_TIME, SP_N_COMPARED };
const char *sp_compared_name(enum sp_compared what); /* "read_B", "write_B", "time_s" */

/* Its name; of a record what the record says. */
const char *sp_line_machine(const struct sp_validation *v, const struct sp_validation_line *l);
const struct sp_forecast *sp_line_forecast(const struct sp_validation *v, const struct sp_validation_line *l);
/* (predicted - measured)/measured; NAN: not compared. */
double sp_line_error(const struct sp_validation *v, const struct sp_validation_line *l,
                     enum sp_compared what);
/* A domain's data, or the arrays of a part of divided ways, are less than twice their cache: what
 * stays there from one execution to the next decides. */
bool sp_line_is_near(const struct sp_validation *v, const struct sp_validation_line *l);
/* Why this line is hard to predict, in words; "" where nothing speaks for it. */
char *sp_line_reason(const struct sp_validation *v, const struct sp_validation_line *l, char *text,
                     size_t size);

/* Which lines: all, those whose data are at least twice as large as each cache, and the others. */
enum sp_lines_of { SP_LINES_ALL, SP_LINES_FAR, SP_LINES_NEAR, SP_N_LINES_OF };

struct sp_error_statistics {
    int64_t n;
    double mean, mean_abs, most_abs; /* relative */
    double quantile[3];              /* of the signed error, at 5, 50 and 95 % */
    int64_t n_interval, n_covered;   /* predictions that have an interval, and those whose covers */
    int64_t n_right; /* within 10 % of what was measured or 2 % of the bytes of every array once */
};
/* Of the lines of one machine, NULL: of all. SP_MEMORY. */
enum sp_status sp_validation_statistics(const struct sp_validation *v, const char *machine,
                                        enum sp_compared what, enum sp_lines_of which,
                                        struct sp_error_statistics *s, struct sp_error *err);

/* The bound that sizes alone give: what must come from memory is at most what was counted. */
struct sp_bound_statistics {
    int64_t n, n_holds;
    int64_t n_matrices, n_far; /* distinct names; lines whose arrays are at least twice the caches in use */
    double least_of_far;       /* counted over every array once, least of them */
    int64_t worst;             /* line with the least counted over bound, -1: none */
};
enum sp_status sp_validation_bounds(const struct sp_validation *v, struct sp_bound_statistics *s,
                                    struct sp_error *err);

/* The result as a record with `validation`, from which the plot is drawn; `command` as typed. */
enum sp_status sp_validation_record(const struct sp_validation *v, const char *command,
                                    struct sp_record *record, struct sp_error *err);

/* The machine of all lines with its validation, from those that compare bytes read. SP_USAGE: lines
 * of several machines; SP_UNDECIDED: far out of the caches are fewer than SP_VALIDATION_LEAST
 * executions, of fewer than SP_VALIDATION_MATRICES matrices (those of one size are one), or their
 * mean |error| is above SP_VALIDATION_MOST_ERROR. */
enum { SP_VALIDATION_LEAST = 8, SP_VALIDATION_MATRICES = 3 };
#define SP_VALIDATION_MOST_ERROR 0.1
enum sp_status sp_validation_of_machine(const struct sp_validation *v, const char *source,
                                        const char *command, struct sp_machine *out, struct sp_error *err);

#endif
