/* What profilers print of a run: likwid-perfctr, perf stat, ncu; and times by hand. */
#ifndef SP_IO_PROFILER_OUTPUT_H
#define SP_IO_PROFILER_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* The output of `likwid-perfctr -O` (CSV), with or without regions (-m), of LIKWID 4 and 5. */

/* One table of metrics: a region under a group. */
struct sp_likwid_table {
    char region[96]; /* "" : the whole program */
    char group[32];  /* "MEM" */
    int number;      /* of the group, 1 ... */
    int n_threads;   /* columns */
    int n_rows;
    char (*name)[96]; /* [n_rows] metrics, and of a region "RDTSC Runtime [s]" and "call count"; owned */
    double *value;    /* [n_rows][n_threads] NAN: no number; owned */
};

/* Zero-initialise; sp_likwid_csv_free(). */
struct sp_likwid_csv {
    char cpu[128];    /* as LIKWID names it */
    bool constructed; /* a line "# constructed" stands in it */
    int n_tables;
    struct sp_likwid_table *table; /* [n_tables] owned */
};

/* SP_INPUT names the line that is no such output. */
enum sp_status sp_likwid_csv_read(const char *path, struct sp_likwid_csv *csv, struct sp_error *err);
void sp_likwid_csv_free(struct sp_likwid_csv *csv);

/* The row of a metric whose name begins with `words`; NULL: none. */
const double *sp_likwid_row(const struct sp_likwid_table *table, const char *words);

/* The output of `perf stat -x, -o FILE` of perf 4 to 6: a line a count, of the whole run, with -r
 * of the mean of several, with -A or --per-socket and its like a line for each processor, core or
 * socket. */

enum sp_perf_state { SP_PERF_COUNTED, SP_PERF_NOT_COUNTED, SP_PERF_NOT_SUPPORTED };

struct sp_perf_row {
    int64_t line;
    char place[48]; /* "S0", "CPU3", "S0-D0-C1"; "": the whole */
    char name[160]; /* "uncore_imc_0/cas_count_read/" */
    char unit[16];  /* "MiB", "ns"; "": a plain number */
    double value;   /* NAN where it was not counted; scaled up where `running` is below 1 */
    double running; /* share of the time that the event was on a counter */
    double spread;  /* with -r: standard deviation over the mean; NAN: one run */
    enum sp_perf_state state;
};

/* Zero-initialise; sp_perf_csv_free(). */
struct sp_perf_csv {
    int64_t n;
    struct sp_perf_row *row; /* [n] owned */
    double elapsed_s;        /* of a line "seconds time elapsed"; NAN: there is none */
    bool constructed;        /* a line "# constructed" stands in it */
};

/* SP_INPUT names the line that is no such output, and how to make one where it is the form for
 * people, JSON, or that of intervals (-I) without their summary. */
enum sp_status sp_perf_csv_read(const char *path, struct sp_perf_csv *csv, struct sp_error *err);
void sp_perf_csv_free(struct sp_perf_csv *csv); /* safe twice */

/* Names of a state: "counted", "<not counted>", "<not supported>". */
const char *sp_perf_state_name(enum sp_perf_state state);

/* The output of Nsight Compute as CSV: `ncu --csv --page raw` (a column a metric, the units below
 * the header) or `--page details` (a line a metric), of any number of launches. */

struct sp_ncu_value {
    int64_t launch;   /* 0 ... n_launches - 1 */
    char metric[128]; /* "dram__bytes_read.sum" */
    double value;     /* in SI units: B, s, or a plain number */
};

struct sp_ncu_launch {
    char id[24];
    char kernel[256]; /* with its arguments, as ncu prints it */
};

/* Zero-initialise; sp_ncu_csv_free(). */
struct sp_ncu_csv {
    int64_t n_launches, n_values;
    struct sp_ncu_launch *launch; /* [n_launches] owned */
    struct sp_ncu_value *value;   /* [n_values] by launch; owned */
    char gpu[128];                /* as the driver names it; "": not in the file */
    char cc[16];                  /* compute capability, "8.0"; "" */
    bool constructed;             /* its kernels' names begin with "constructed" */
};

/* SP_INPUT names what is missing, or the line whose number or unit is none. Values of other kinds
 * of units (shares, rates) are left out. */
enum sp_status sp_ncu_csv_read(const char *path, struct sp_ncu_csv *csv, struct sp_error *err);
void sp_ncu_csv_free(struct sp_ncu_csv *csv); /* safe twice */

/* Times that somebody took: numbers with units, on a command line or in a file. */

/* Zero-initialise; sp_times_free(). */
struct sp_times {
    int64_t n;
    double *time_s; /* [n] above 0 [s]; owned */
};

/* "1.23ms", "1.23ms,1.21 ms": numbers with ns, us, ms, s, min or h, between which stand commas,
 * semicolons or blanks. Without units all are seconds; some with and some without are refused,
 * since a comma may have been meant as a decimal point. `from` is named by errors: SP_USAGE. */
enum sp_status sp_times_of_text(const char *text, const char *from, struct sp_times *times,
                                struct sp_error *err);
/* The same from a file, over any number of lines; # begins a comment. SP_INPUT names the line. */
enum sp_status sp_times_read(const char *path, struct sp_times *times, struct sp_error *err);
void sp_times_free(struct sp_times *times); /* safe twice */

#endif
