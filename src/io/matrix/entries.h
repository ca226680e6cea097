/* Entries of a file in any order -> the canonical matrix, for readers that have them in arrays: the
 * two passes of sparse/csr/builder.h on all threads, with the checks of memory before. */
#ifndef SP_IO_ENTRIES_H
#define SP_IO_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/matrix/load_options.h"
#include "sparse/csr/csr.h"

enum { SP_ENTRIES_CHUNK = 4096 };

struct sp_entries_chunk {
    int32_t row[SP_ENTRIES_CHUNK], col[SP_ENTRIES_CHUNK]; /* 0-based, inside the matrix */
    double val[2 * SP_ENTRIES_CHUNK];                     /* complex: real and imaginary parts in turn */
    int64_t n;
};

struct sp_entries {
    const char *path; /* for messages */
    int64_t n_r, n_c;
    int64_t n_places; /* where entries may lie; each gives one, or none (padding) */
    enum sp_field field;
    enum sp_symmetry symmetry;
    double held_B; /* memory that the reader holds meanwhile */
    const void *source;

    /* The entries of places first .. first + n, n at most SP_ENTRIES_CHUNK, in their order; values
     * are wanted in the second pass alone. False where one is wrong. Called by several threads. */
    bool (*get)(const void *source, int64_t first, int64_t n, bool values, struct sp_entries_chunk *chunk);
    /* Says what is wrong with the first wrong one. */
    enum sp_status (*fault)(const void *source, struct sp_error *err);
};

/* Fills *matrix, and of *facts memory, threads, times and what was counted. */
enum sp_status sp_entries_read(const struct sp_entries *e, const struct sp_load_options *options,
                               struct sp_csr *matrix, struct sp_load_facts *facts, struct sp_error *err);

/* For readers whose rows are complete already: the last step, and the facts. */
enum sp_status sp_entries_finish(struct sp_csr *matrix, int n_threads, struct sp_load_facts *facts,
                                 struct sp_error *err);

/* Calls what the options name to show progress; SP_INTERRUPTED where the user gave up. */
enum sp_status sp_entries_poll(const char *path, const struct sp_load_options *options, double fraction,
                               struct sp_error *err);

/* Where in pointers[n + 1], which ascend from 0, place k lies: pointers[i] <= k < pointers[i +
 * 1]. */
int64_t sp_entries_line_of(const int64_t *pointers, int64_t n, int64_t k);

#endif
