#include "sparse/csr/partition.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* The unit boundary whose running number of entries is nearest to `target`; the first of equals. */
static int64_t nearest_boundary(int64_t n_units, const int64_t *ptr, int64_t target)
{
    int64_t low = 0, high = n_units; /* the first i with ptr[i] >= target lies in [low, high] */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ptr[middle] < target)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && target - ptr[low - 1] < ptr[low] - target)
        low--;
    return low;
}

/* The merge path of row ends and entries crosses diagonal d in the row that this returns: the last
 * i with ptr[i] + i <= d (Merrill, Garland 2016). */
static int64_t row_on_diagonal(int64_t n_units, const int64_t *ptr, int64_t d)
{
    int64_t low = 0, high = n_units;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (ptr[middle] + middle <= d)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

enum sp_status sp_partition_make(enum sp_schedule schedule, int64_t block_units, int n_threads,
                                 int64_t n_units, const int64_t *ptr, struct sp_partition *p,
                                 struct sp_error *err)
{
    memset(p, 0, sizeof *p);
    int64_t n_entries = !ptr ? n_units : n_units > 0 ? ptr[n_units] : 0;
    void *begin = NULL, *entry_begin = NULL;
    enum sp_status status =
        sp_new_array(n_threads + 1, sizeof *p->begin, "the partition over threads", &begin, err);
    if (status == SP_OK && schedule == SP_SCHEDULE_MERGE)
        status = sp_new_array(n_threads + 1, sizeof *p->entry_begin, "the partition over threads",
                              &entry_begin, err);
    if (status != SP_OK) {
        free(begin);
        return status;
    }
    p->schedule = schedule;
    p->n_threads = n_threads;
    p->n_units = n_units;
    p->block = block_units > 0 ? block_units : 1;
    p->begin = begin;
    p->entry_begin = entry_begin;
    /* Nothing to balance but the writing of y, or all units weigh the same. */
    if (!ptr || (schedule == SP_SCHEDULE_NNZ && n_entries == 0))
        schedule = SP_SCHEDULE_ROWS;
    for (int t = 0; t < n_threads; t++) {
        if (schedule == SP_SCHEDULE_NNZ) {
            p->begin[t] = t == 0 ? 0 : nearest_boundary(n_units, ptr, sp_share(n_entries, t, n_threads));
        } else if (schedule == SP_SCHEDULE_MERGE) {
            int64_t d = sp_share(n_entries + n_units, t, n_threads);
            p->begin[t] = row_on_diagonal(n_units, ptr, d);
            p->entry_begin[t] = d - p->begin[t];
        } else {
            p->begin[t] = sp_share(n_units, t, n_threads);
        }
    }
    p->begin[n_threads] = n_units;
    if (p->entry_begin)
        p->entry_begin[n_threads] = n_entries;
    return SP_OK;
}

uint64_t sp_partition_hash(const struct sp_partition *p)
{
    const int64_t scalars[] = {p->schedule, p->n_threads, p->n_units, p->block};
    uint64_t h = sp_hash64(scalars, sizeof scalars, 0);
    if (p->begin && p->schedule != SP_SCHEDULE_CYCLIC)
        h = sp_hash64(p->begin, (size_t)(p->n_threads + 1) * sizeof *p->begin, h);
    if (p->entry_begin)
        h = sp_hash64(p->entry_begin, (size_t)(p->n_threads + 1) * sizeof *p->entry_begin, h);
    return h;
}

void sp_partition_free(struct sp_partition *p)
{
    if (!p)
        return;
    free(p->begin);
    free(p->entry_begin);
    memset(p, 0, sizeof *p);
}
