/* A hierarchy of caches as one group of threads sees it: private inner levels, a shared last level, memory
 * behind it [THEORY 9]. Write-allocate, write-back.
 *
 * A level is asked for a line only when the level inside it has missed. Unless said otherwise a level neither
 * contains nor excludes what is inside it: a line that is fetched is put into every level that missed; a
 * dirty line that is evicted is written to the next level outward, which takes it without fetching it and
 * counts it as used. `inclusive`: a line that leaves the level leaves the levels inside it too. `victim`: the
 * level gets all lines that the level inside evicts, clean ones as well, and gives up a line that is asked
 * for; a line that another thread's inner cache has is taken from there without traffic further out.
 * Caches of different threads are not kept coherent: a line that two threads write is written back twice.
 *
 * The random and RRIP policies of the innermost level see a line's OPEN, not its CLOSE. */
#ifndef SP_MODEL_CACHE_H
#define SP_MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "base/status.h"
#include "model/cache/cache_sets.h"
#include "model/cache/lru.h"
#include "model/machine.h"

/* Lines that crossed the boundary between a level and the next one outward. */
struct sp_line_counts {
    int64_t read[SP_N_ARRAYS], write[SP_N_ARRAYS];
};

/* One instance of one level: either `sets`, or `lru` where the level is fully associative. */
struct sp_cache_instance {
    bool full;
    struct sp_sets sets;
    struct sp_lru lru;
};

struct sp_cache_level {
    bool victim, inclusive;
    int threads_sharing; /* thread t uses instance t / threads_sharing */
    int n_instances;
    struct sp_cache_instance *instance; /* [n_instances] */
    struct sp_line_counts counts;       /* of all instances */
};

struct sp_hierarchy {
    int n_levels, n_threads;
    struct sp_cache_level level[SP_MAX_CACHES];
    uint32_t open[2]; /* innermost level: lines of values and indices that are open, UINT32_MAX: none */
    const uint8_t *array_of_group; /* borrowed from the trace */
    int64_t n_lines;
};

/* cache[n_caches] from inner to outer (sizes: sp_cache_believed_B); the last one is shared by all n_threads,
 * an inner one by cores_sharing threads that follow each other. ways = 0 is fully associative, under the
 * random and RRIP policies 16 ways. n_lines, array_of_group: of the trace (model/trace/trace.h). */
enum sp_status sp_hierarchy_make(const struct sp_cache *cache, int n_caches, int n_threads, int64_t n_lines,
                                 const uint8_t *array_of_group, uint64_t seed, struct sp_hierarchy *h,
                                 struct sp_error *err);
void sp_hierarchy_free(struct sp_hierarchy *h);

/* Events of one thread. */
void sp_hierarchy_run(struct sp_hierarchy *h, int thread, const uint32_t *event, int64_t n_events);

/* Sets all counts to 0; contents stay. */
void sp_hierarchy_count_anew(struct sp_hierarchy *h);
/* Counts every line that is dirty anywhere as written by each level out to memory, and empties all. */
void sp_hierarchy_flush(struct sp_hierarchy *h);

/* Must the trace give every reference, because OPEN and CLOSE would not be exact in these caches? */
bool sp_hierarchy_needs_every(const struct sp_cache *cache, int n_caches);

#endif
