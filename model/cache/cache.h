/* A hierarchy of caches as one group of threads sees it: private inner levels, a shared last level,
 * memory behind it [THEORY 9]. Write-allocate, write-back.
 *
 * A level is asked for a line only when the level inside it has missed. Unless said otherwise a
 * level neither contains nor excludes what is inside it: a line that is fetched is put into every
 * level that missed; a dirty line that is evicted is written to the next level outward, which takes
 * it without fetching it and counts it as used. `inclusive`: a line that leaves the level leaves
 * the levels inside it too. `victim`: the level gets all lines that the level inside evicts, clean
 * ones as well, and gives up a line that is asked for; a line that another thread's inner cache has
 * is taken from there without traffic further out. `partition`: some ways of a level hold the lines
 * of some arrays and nothing else, the other ways the rest (sector cache, Cache Allocation
 * Technology, QoS): two smaller caches with as many sets. Caches of different threads are not kept
 * coherent: a line that two threads write is written back twice.
 *
 * The random and RRIP policies of the innermost level see a line's OPEN, not its CLOSE. */
#ifndef SP_MODEL_CACHE_H
#define SP_MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/reading.h"
#include "base/status.h"
#include "model/machine.h"

/* A fully associative LRU cache of any size in O(1) a touch, with arrays indexed by line.
 *
 * Every touch appends the line to a queue and notes where; the first queue item that is still its
 * line's latest is the least recently used line. Stale items are squeezed out when the queue is
 * full. Open lines (see model/trace/trace.h) are resident but in no queue: they cannot be
 * evicted. */

struct sp_lru {
    int64_t n_lines, capacity; /* [lines] that exist, that fit */
    int64_t resident;
    uint32_t *place; /* [n_lines] index into queue, or one of the two below */
    uint32_t *queue; /* [n_queue] lines */
    int64_t head, tail, n_queue;
    uint8_t *dirty; /* [n_lines] bit 0: must be written before it goes */
};
#define SP_LRU_ABSENT UINT32_MAX
#define SP_LRU_OPEN   (UINT32_MAX - 1)

/* capacity >= 1. */
enum sp_status sp_lru_make(int64_t n_lines, int64_t capacity, struct sp_lru *lru, struct sp_error *err);
void sp_lru_free(struct sp_lru *lru);
void sp_lru_clear(struct sp_lru *lru);

/* Squeezes stale items out of the queue. */
void sp_lru_compact(struct sp_lru *lru);

static inline bool sp_lru_has(const struct sp_lru *lru, uint32_t line)
{
    return lru->place[line] != SP_LRU_ABSENT;
}

/* Makes a line, resident or not, the latest. */
static inline void sp_lru_append(struct sp_lru *lru, uint32_t line)
{
    if (lru->tail == lru->n_queue)
        sp_lru_compact(lru);
    lru->queue[lru->tail] = line;
    lru->place[line] = (uint32_t)lru->tail++;
}

/* Takes the oldest line out and returns it. Something must be in the queue. */
static inline uint32_t sp_lru_evict(struct sp_lru *lru)
{
    int64_t head = lru->head;
    while (lru->place[lru->queue[head]] != (uint32_t)head)
        head++;
    uint32_t line = lru->queue[head];
    /* The queue is n_queue long and zeroed, so reading ahead is safe; what comes next is needed
     * soon. */
    if (head + 24 < lru->tail)
        __builtin_prefetch(&lru->place[lru->queue[head + 24]]);
    lru->head = head + 1;
    lru->place[line] = SP_LRU_ABSENT;
    lru->resident--;
    return line;
}

/* Room for one more: true with the line that had to go. */
static inline bool sp_lru_admit(struct sp_lru *lru, uint32_t *victim)
{
    if (lru->resident++ < lru->capacity)
        return false;
    *victim = sp_lru_evict(lru);
    return true;
}

/* One set-associative cache, its lines without their contents.
 *
 * A word is (line + 1) << 1 | dirty, 0 when empty. Under LRU the words of a set stand in the order
 * of their last use, so that a set is one or two lines of the host's memory and nothing else has to
 * be kept. */

struct sp_sets {
    int64_t n_sets;
    int ways, stride; /* stride: ways rounded up to whole vectors of 4 */
    enum sp_policy policy;
    uint32_t *word; /* [n_sets * stride] */
    uint8_t *age;   /* [n_sets * stride] RRIP: 0 soon used again .. 3 to be evicted */
    uint64_t magic; /* line mod n_sets by multiplication where n_sets is no power of two */
    bool power_of_two;
    struct sp_random random;
};

static inline uint32_t sp_word(uint32_t line, bool dirty)
{
    return (line + 1) << 1 | dirty;
}
static inline uint32_t sp_word_line(uint32_t word)
{
    return (word >> 1) - 1;
}

/* First word of the set of a line. Where n_sets is a power of two the set is line mod n_sets, else
 * too (Lemire, Kaser, Kurz 2019, exact for 32-bit lines). */
static inline uint32_t *sp_sets_of(const struct sp_sets *s, uint32_t line)
{
    int64_t set = s->power_of_two
                      ? (int64_t)line & (s->n_sets - 1)
                      : (int64_t)(((unsigned __int128)(s->magic * line) * (uint64_t)s->n_sets) >> 64);
    return s->word + set * s->stride;
}

typedef uint32_t sp_words4 __attribute__((vector_size(16)));

/* Way of a line in its set, -1: not there. */
static inline int sp_sets_find(const struct sp_sets *s, const uint32_t *set, uint32_t line)
{
    const uint32_t key = sp_word(line, true);
    if ((set[0] | 1) == key)
        return 0;
    for (int w = 0; w < s->stride; w += 4) {
        sp_words4 hit = (sp_words4)((*(const sp_words4 *)(set + w) | 1) == key);
        union {
            sp_words4 v;
            uint64_t half[2];
        } u = {hit};
        if (u.half[0])
            return w + ((uint32_t)u.half[0] == 0);
        if (u.half[1])
            return w + 2 + ((uint32_t)u.half[1] == 0);
    }
    return -1;
}

/* Moves word `way` to the front of an LRU set. */
static inline void sp_sets_front(uint32_t *set, int way)
{
    uint32_t word = set[way];
    for (int i = way; i > 0; i--)
        set[i] = set[i - 1];
    set[0] = word;
}

/* A hit in `way`, as the policy sees it. */
static inline void sp_sets_used(const struct sp_sets *s, uint32_t *set, int way, bool write)
{
    set[way] |= write;
    if (s->policy == SP_LRU)
        sp_sets_front(set, way);
    else if (s->policy == SP_RRIP)
        s->age[set - s->word + way] = 0;
}

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

enum { SP_MOST_WAYS = 64 };

/* Lines that the level inside asked for and found at depth d of their set's LRU stack: in a cache
 * of w ways those with d >= w are misses (R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger, IBM
 * Systems Journal 9, 1970). */
struct sp_depths {
    int64_t hits[SP_N_ARRAYS][SP_MOST_WAYS];
};

struct sp_cache_level {
    bool victim, inclusive;
    int threads_sharing; /* thread t uses instance t / threads_sharing */
    int n_instances;
    int n_parts;                        /* 2 where ways are kept for a class of arrays, else 1 */
    uint8_t part_of_array[SP_N_ARRAYS]; /* 1: the reserved ways */
    struct sp_cache_instance *instance; /* [n_instances * n_parts], the parts of one beside each other */
    struct sp_depths *depths;           /* of an LRU level of sets with stacks; else NULL */
    struct sp_line_counts counts;       /* of all instances */
};

struct sp_hierarchy {
    int n_levels, n_threads;
    struct sp_cache_level level[SP_MAX_CACHES];
    int n_batched;        /* levels, from the inner one on, through which events go in batches */
    bool victim_batched;  /* so they do through the last level, a victim cache behind these */
    uint8_t *copies;      /* [n_lines] sp_hierarchy_count_copies(); NULL: not counted */
    uint32_t *request[2]; /* of one of these levels and of the next one; NULL without */
    uint32_t open[2];     /* innermost level: lines of values and indices that are open, UINT32_MAX: none */
    const uint8_t *array_of_group; /* borrowed from the trace */
    int64_t n_lines;
};

/* cache[n_caches] from inner to outer (sizes: sp_cache_believed_B); the last one is shared by all
 * n_threads, an inner one by cores_sharing threads that follow each other. ways = 0 is fully
 * associative, under the random and RRIP policies 16 ways. n_lines, array_of_group: of the trace
 * (model/trace/trace.h). */
enum sp_status sp_hierarchy_make(const struct sp_cache *cache, int n_caches, int n_threads, int64_t n_lines,
                                 const uint8_t *array_of_group, uint64_t seed, struct sp_hierarchy *h,
                                 struct sp_error *err);
void sp_hierarchy_free(struct sp_hierarchy *h);
/* From now on the number of caches that have a line is kept, which a victim cache asks for, so that
 * it need not look for it in all of them. For traces that write only SP_ARRAY_Y and
 * SP_ARRAY_OTHER. Without memory for it, and where it is of no use, nothing happens. */
void sp_hierarchy_count_copies(struct sp_hierarchy *h);

/* Events of one thread. */
void sp_hierarchy_run(struct sp_hierarchy *h, int thread, const uint32_t *event, int64_t n_events);

/* Levels that each thread has for itself do not see what the others do, so several processors can
 * simulate the threads beside each other, each with a struct of its own, and hand on what they ask
 * the shared levels for in the order that sp_hierarchy_run() would. */
struct sp_private {
    int n_levels;     /* sp_hierarchy_private_levels() */
    uint32_t open[2]; /* as in the hierarchy; a turn closes what it opens */
    int64_t n_request;
    uint32_t *request; /* [2][n_request] */
    struct sp_line_counts counts[SP_MAX_CACHES];
};

/* Levels from the inner one on that are so; 0: none, or they do not take batches. */
int sp_hierarchy_private_levels(const struct sp_hierarchy *h);
/* Room for the requests of so many events. */
int64_t sp_private_most_requests(const struct sp_hierarchy *h, int64_t n_events);
/* SP_MEMORY. */
enum sp_status sp_private_make(const struct sp_hierarchy *h, struct sp_private *p, struct sp_error *err);
void sp_private_free(struct sp_private *p);
/* Events of one thread through its own levels; returns how many requests follow. */
int64_t sp_private_run(const struct sp_hierarchy *h, struct sp_private *p, int thread, const uint32_t *event,
                       int64_t n_events, uint32_t *request);
/* These requests through the other levels: one processor at a time. */
void sp_private_pass_on(struct sp_hierarchy *h, const struct sp_private *p, int thread,
                        const uint32_t *request, int64_t n);
/* Its counts into those of the hierarchy. */
void sp_private_add_counts(struct sp_hierarchy *h, struct sp_private *p);

/* Sets all counts to 0; contents stay. */
void sp_hierarchy_count_anew(struct sp_hierarchy *h);
/* Counts every line that is dirty anywhere as written by each level out to memory, and empties
 * all. */
void sp_hierarchy_flush(struct sp_hierarchy *h);

/* Must the trace give every reference, because OPEN and CLOSE would not be exact in these
 * caches? */
bool sp_hierarchy_needs_every(const struct sp_cache *cache, int n_caches);

/* Functions that are compiled twice: as every processor of the kind can run them, and SP_WIDE for
 * those that count bits and move vectors in one instruction, which sp_is_wide() asks for. */

#if defined(__x86_64__)
#define SP_WIDE __attribute__((target("popcnt,avx2")))
static inline bool sp_is_wide(void)
{
    return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx2");
}
#else
#define SP_WIDE
static inline bool sp_is_wide(void)
{
    return false;
}
#endif

#endif
