/* The output of Nsight Compute as CSV: `ncu --csv --page raw` (a column a metric, the units below
 * the header) or `--page details` (a line a metric), of any number of launches. */
#ifndef SP_IO_NCU_CSV_H
#define SP_IO_NCU_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

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

#endif
