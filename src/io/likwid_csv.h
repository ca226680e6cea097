/* The output of `likwid-perfctr -O` (CSV), with or without regions (-m), of LIKWID 4 and 5. */
#ifndef SP_IO_LIKWID_CSV_H
#define SP_IO_LIKWID_CSV_H

#include <stdbool.h>

#include "base/status.h"

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

#endif
