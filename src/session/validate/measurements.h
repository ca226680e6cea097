/* Measurements of others: lines of a CSV file, and what its columns mean.
 *
 * A mapping says where each quantity comes from, one a line, `name = expression`:
 *
 *     # PAPI counters of an A64FX, summed over `repetitions` executions
 *     matrix  = matrix                                         a column
 *     machine = "a64fx"                                        the same in all lines
 *     read_B  = (L2D_CACHE_REFILL - L2D_SWAP_DM) * 256 / repetitions
 *
 * Numbers take formulas (base/formula.h) over columns; [column:NAME] is one whose name has other
 * characters than letters, digits and _. A quantity without an entry is the column of its name. */
#ifndef SP_SESSION_MEASUREMENTS_H
#define SP_SESSION_MEASUREMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/csv_table.h"

enum sp_measured_text {
    SP_MEASURED_MATRIX,    /* gen:..., a name of the collection, GROUP/NAME */
    SP_MEASURED_MACHINE,   /* the name of a machine file */
    SP_MEASURED_SCHEDULE,  /* rows, nnz (default), cyclic:N, merge */
    SP_MEASURED_FORMAT,    /* crs (default), sell:8,64 */
    SP_MEASURED_PRECISION, /* f64 (default), f32, mixed, c128 */
    SP_MEASURED_STATE,     /* warm (default), cold */
    SP_MEASURED_SOURCE,    /* who measured */
    SP_N_MEASURED_TEXTS
};
enum sp_measured_number {
    SP_MEASURED_THREADS,
    SP_MEASURED_ROW_PTR,      /* bytes of a row pointer, 4 or 8 */
    SP_MEASURED_PARTITION,    /* ways of the last level kept for values and indices; 0: none */
    SP_MEASURED_PARTITION_L1, /* the same of L1 */
    SP_MEASURED_READ,         /* bytes from memory */
    SP_MEASURED_WRITE,        /* bytes to memory */
    SP_MEASURED_TIME,         /* seconds */
    SP_MEASURED_EXECUTIONS,   /* that bytes and time are sums of; default 1 */
    SP_MEASURED_ROWS,
    SP_MEASURED_COLS,
    SP_MEASURED_NNZ,
    SP_MEASURED_THEIRS, /* bytes read that the source itself predicted */
    SP_N_MEASURED_NUMBERS
};

/* What the quantities are called in mappings, and in a line of help. */
struct sp_measured_name {
    const char *name, *other; /* `other`: a column of this name counts, too; NULL: none */
    const char *words;
};
extern const struct sp_measured_name sp_measured_texts[SP_N_MEASURED_TEXTS],
    sp_measured_numbers[SP_N_MEASURED_NUMBERS];

/* Zero-initialise; sp_mapping_free(). Of two entries for a name the later one counts. */
struct sp_mapping {
    char *text[SP_N_MEASURED_TEXTS], *number[SP_N_MEASURED_NUMBERS]; /* NULL: not said; owned */
};

/* "name = expression"; path and line are those of a mapping file, NULL and 0: of the command line.
 * SP_INPUT: no such quantity, nothing behind the =; of the command line SP_USAGE. */
enum sp_status sp_mapping_add(struct sp_mapping *mapping, const char *entry, const char *path, int64_t line,
                              struct sp_error *err);
/* A text that is the same in all lines. */
enum sp_status sp_mapping_say(struct sp_mapping *mapping, enum sp_measured_text what, const char *text,
                              struct sp_error *err);
enum sp_status sp_mapping_read(struct sp_mapping *mapping, const char *path, struct sp_error *err);
void sp_mapping_free(struct sp_mapping *mapping);

struct sp_measurement {
    char text[SP_N_MEASURED_TEXTS][128];  /* "": not said */
    double number[SP_N_MEASURED_NUMBERS]; /* bytes and time of one execution; NAN: not known */
    int64_t line;
    int file; /* index, for the caller */
};

enum { SP_FILTER_VALUES = 512 };

/* "NAME=VALUE,VALUE ...": lines whose column or quantity NAME is one of the values. */
struct sp_line_filter {
    const char *name; /* [name_length] borrowed */
    int name_length;
    const char *values;          /* separated by commas; borrowed */
    bool seen[SP_FILTER_VALUES]; /* of the first so many values: a line that was taken has it */
};
/* SP_USAGE: not of this form. */
enum sp_status sp_line_filter_parse(const char *text, struct sp_line_filter *filter, struct sp_error *err);

/* The values that no line has which was taken, "wave, debr"; "": none is left over. */
char *sp_line_filter_unseen(const struct sp_line_filter *filter, char *text, size_t size);

/* The lines of a table that pass all filters, which note the values they met, as an array to be
 * freed. SP_INPUT names file, line and what is missing: no entry or column for matrix, machine or
 * threads, nothing that was measured, two columns for one quantity, a formula over a column that is
 * not there, a cell that is no number, impossible values, no line at all. SP_USAGE: a filter of no
 * column. */
enum sp_status sp_measurements_of(const char *path, const struct sp_csv_table *table,
                                  const struct sp_mapping *mapping, struct sp_line_filter *filter,
                                  int n_filters, struct sp_measurement **out, int64_t *n,
                                  struct sp_error *err);

#endif
