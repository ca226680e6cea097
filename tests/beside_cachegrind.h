/* The simulation beside cachegrind: last-level misses of a cold and a warm execution of a plain CRS loop
 * together, with a last level of about a quarter of the footprint. cachegrind's caches fetch on writes too
 * and write nothing back, so its read and write misses are the lines that we read. */
#ifndef SP_TESTS_BESIDE_CACHEGRIND_H
#define SP_TESTS_BESIDE_CACHEGRIND_H

#include <stdbool.h>
#include <stdint.h>

#include "sparse/csr/csr.h"

struct beside_cachegrind {
    int64_t llc_B;
    double theirs, ours; /* lines */
    char what[1024];     /* why not, where it failed */
};
/* Is valgrind installed? */
bool cachegrind_is_there(void);
/* `program` is cachegrind_spmv. Files of its own in the current folder, removed again. False: `what` says. */
bool beside_cachegrind(const struct sp_csr *a, const char *program, struct beside_cachegrind *result);

#endif
