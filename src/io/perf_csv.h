/* The output of `perf stat -x, -o FILE` of perf 4 to 6: a line a count, of the whole run, with -r
 * of the mean of several, with -A or --per-socket and its like a line for each processor, core or
 * socket. */
#ifndef SP_IO_PERF_CSV_H
#define SP_IO_PERF_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

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

#endif
