/* Which thread does what: built with the layout, shared by kernels, traces, imbalance model. */
#ifndef SP_SPARSE_PARTITION_H
#define SP_SPARSE_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/product/workload.h"

/* Units are rows for CRS, chunks for SELL kinds, entries for COO and blocks for TILED. */
struct sp_partition {
    enum sp_schedule schedule;
    int n_threads;
    int64_t n_units;
    int64_t block;        /* cyclic: units in a block; thread t has blocks t, t + n_threads, ... */
    int64_t *begin;       /* [n_threads + 1] first unit of each thread; not used by cyclic */
    int64_t *entry_begin; /* [n_threads + 1] first entry of each thread: merge only, where a thread starts
                             inside the row begin[t] at entry_begin[t] and ends before entry_begin[t + 1],
                             which may lie inside the row begin[t + 1] */
};

/* ptr[n_units + 1]: running number of stored entries up to each unit, the weights of nnz and merge.
 * NULL: each unit is one entry (COO). merge is refused by sp_workload_check() for anything but
 * CRS. */
enum sp_status sp_partition_make(enum sp_schedule schedule, int64_t block_units, int n_threads,
                                 int64_t n_units, const int64_t *ptr, struct sp_partition *p,
                                 struct sp_error *err);
void sp_partition_free(struct sp_partition *p);

/* Of all that decides which thread does what: equal where the shares are. */
uint64_t sp_partition_hash(const struct sp_partition *p);

/* Where share `share` of `parts` equal ones of n items begins, floor(n share / parts). */
static inline int64_t sp_share(int64_t n, int share, int parts)
{
    return n / parts * share + n % parts * share / parts;
}

/* Walks the unit ranges of a thread: start with *cursor = 0; false when there are no more.
 * For merge the single range is [begin[t], begin[t + 1]) and the caller looks at entry_begin. */
static inline bool sp_partition_next(const struct sp_partition *p, int thread, int64_t *cursor,
                                     int64_t *first, int64_t *end)
{
    if (p->schedule != SP_SCHEDULE_CYCLIC) {
        if (*cursor)
            return false;
        *cursor = 1;
        *first = p->begin[thread];
        *end = p->begin[thread + 1];
        return true;
    }
    int64_t start = (thread + *cursor * p->n_threads) * p->block;
    if (start >= p->n_units)
        return false;
    ++*cursor;
    *first = start;
    *end = start + p->block < p->n_units ? start + p->block : p->n_units;
    return true;
}

#endif
