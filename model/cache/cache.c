/* A hierarchy of caches, simulated line by line. */
#include "model/cache/cache.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/trace/trace.h"

/* One set under LRU, whose words stand in the order of their last use (struct sp_sets): looked
 * through and moved four words at a time without a branch, so that a processor works on several
 * sets at once. stride is a multiple of 4; where it is a constant there is no loop either. */

enum { LRU_SET_WAYS = 32 }; /* at most */

typedef uint32_t sp_lru_words __attribute__((vector_size(16), may_alias));
typedef int32_t sp_lru_lanes __attribute__((vector_size(16)));

/* Bit w: way w holds the line of `word`, dirty or not. */
static inline __attribute__((always_inline)) uint32_t lru_set_find(const uint32_t *set, uint32_t word,
                                                                   const int stride)
{
    const sp_lru_words *four = (const sp_lru_words *)set;
    union {
        sp_lru_words v;
        uint64_t half[2];
    } found = {{0}};
    sp_lru_words bit = {1, 2, 4, 8};
#pragma GCC unroll 4
    for (int i = 0; i < stride / 4; i++, bit <<= 4)
        found.v |= (sp_lru_words)((four[i] | 1) == (word | 1)) & bit;
    const uint64_t both = found.half[0] | found.half[1];
    return (uint32_t)(both | both >> 32);
}

/* Ways 0 ... way - 1 move one on, over what is in `way`, and `word` comes before them. */
static inline __attribute__((always_inline)) void lru_set_front(uint32_t *set, int way, uint32_t word,
                                                                const int stride)
{
    sp_lru_words *four = (sp_lru_words *)set, before = {word, word, word, word};
    sp_lru_lanes lane = {0, 1, 2, 3};
#pragma GCC unroll 4
    for (int i = 0; i < stride / 4; i++, lane += 4) {
        const sp_lru_words here = four[i], moved = {before[3], here[0], here[1], here[2]};
        const sp_lru_words stays = (sp_lru_words)(lane > way);
        four[i] = (here & stays) | (moved & ~stays);
        before = here;
    }
}

/* Word `way` goes out, those behind it come one nearer; words behind the last way are 0. */
static inline __attribute__((always_inline)) void lru_set_take(uint32_t *set, int way, const int stride)
{
    sp_lru_words *four = (sp_lru_words *)set;
    sp_lru_lanes lane = {0, 1, 2, 3};
#pragma GCC unroll 4
    for (int i = 0; i < stride / 4; i++, lane += 4) {
        const sp_lru_words here = four[i], none = {0}, behind = i + 1 < stride / 4 ? four[i + 1] : none,
                           moved = {here[1], here[2], here[3], behind[0]}, stays = (sp_lru_words)(lane < way);
        four[i] = (here & stays) | (moved & ~stays);
    }
}

enum sp_status sp_lru_make(int64_t n_lines, int64_t capacity, struct sp_lru *lru, struct sp_error *err)
{
    memset(lru, 0, sizeof *lru);
    lru->n_lines = n_lines;
    lru->capacity = capacity;
    /* Each squeeze frees at least half of the queue, whatever is resident. */
    int64_t most = capacity < n_lines ? capacity : n_lines;
    lru->n_queue = 2 * most + 4096;
    static const char what[] = "the simulated cache";
    enum sp_status status = sp_new_array(n_lines, sizeof *lru->place, what, (void **)&lru->place, err);
    if (status == SP_OK)
        status = sp_new_array(lru->n_queue, sizeof *lru->queue, what, (void **)&lru->queue, err);
    if (status == SP_OK)
        status = sp_new_array(n_lines, 1, what, (void **)&lru->dirty, err);
    if (status != SP_OK) {
        sp_lru_free(lru);
        return status;
    }
    sp_lru_clear(lru);
    return SP_OK;
}

void sp_lru_free(struct sp_lru *lru)
{
    free(lru->place);
    free(lru->queue);
    free(lru->dirty);
    memset(lru, 0, sizeof *lru);
}

void sp_lru_clear(struct sp_lru *lru)
{
    memset(lru->place, 0xff, (size_t)lru->n_lines * sizeof *lru->place);
    memset(lru->dirty, 0, (size_t)lru->n_lines);
    lru->resident = lru->head = lru->tail = 0;
}

void sp_lru_compact(struct sp_lru *lru)
{
    int64_t kept = 0;
    for (int64_t i = lru->head; i < lru->tail; i++) {
        uint32_t line = lru->queue[i];
        if (lru->place[line] == (uint32_t)i) {
            lru->place[line] = (uint32_t)kept;
            lru->queue[kept++] = line;
        }
    }
    lru->head = 0;
    lru->tail = kept;
}

enum { AGE_NEW = 2, AGE_EVICT = 3 };

static void sets_free(struct sp_sets *s)
{
    free(s->word);
    free(s->age);
    memset(s, 0, sizeof *s);
}

static void sets_clear(struct sp_sets *s)
{
    memset(s->word, 0, (size_t)(s->n_sets * s->stride) * sizeof *s->word);
    if (s->age)
        memset(s->age, 0, (size_t)(s->n_sets * s->stride));
}

/* capacity_lines is rounded down to whole sets, at least one. */
static enum sp_status sets_make(int64_t capacity_lines, int ways, enum sp_policy policy, uint64_t seed,
                                struct sp_sets *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->ways = capacity_lines < ways ? (int)capacity_lines : ways;
    s->n_sets = capacity_lines / s->ways;
    s->stride = (s->ways + 3) / 4 * 4;
    s->policy = policy;
    s->power_of_two = (s->n_sets & (s->n_sets - 1)) == 0;
    s->magic = UINT64_MAX / (uint64_t)s->n_sets + 1;
    s->random.state = seed;
    static const char what[] = "a simulated cache";
    /* Whole vectors at vector alignment, so that a set does not straddle more host lines than it
     * must. */
    size_t bytes = (size_t)(s->n_sets * s->stride) * sizeof *s->word;
    s->word = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!s->word)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for %s", what);
    if (policy == SP_RRIP) {
        enum sp_status status = sp_new_array(s->n_sets * s->stride, 1, what, (void **)&s->age, err);
        if (status != SP_OK) {
            sets_free(s);
            return status;
        }
    }
    sets_clear(s);
    return SP_OK;
}

static int empty_way(const struct sp_sets *s, const uint32_t *set)
{
    for (int w = 0; w < s->ways; w++)
        if (set[w] == 0)
            return w;
    return -1;
}

/* Static re-reference interval prediction with two bits (Jaleel et al. 2010). */
static int rrip_way(const struct sp_sets *s, uint8_t *age)
{
    for (;;) {
        for (int w = 0; w < s->ways; w++)
            if (age[w] == AGE_EVICT)
                return w;
        for (int w = 0; w < s->ways; w++)
            age[w]++;
    }
}

/* Puts a line in that is not there; returns the word that had to go, 0: none. */
static uint32_t sets_insert(struct sp_sets *s, uint32_t *set, uint32_t word)
{
    if (s->policy == SP_LRU) {
        uint32_t victim = set[s->ways - 1];
        memmove(set + 1, set, (size_t)(s->ways - 1) * sizeof *set);
        set[0] = word;
        return victim;
    }
    int way = empty_way(s, set);
    uint8_t *age = s->age ? s->age + (set - s->word) : NULL;
    if (way < 0)
        way = age ? rrip_way(s, age) : (int)sp_random_below(&s->random, s->ways);
    uint32_t victim = set[way];
    set[way] = word;
    if (age)
        age[way] = AGE_NEW;
    return victim;
}

/* Takes a line out; returns its word, 0: it was not there. */
static uint32_t sets_remove(struct sp_sets *s, uint32_t line)
{
    uint32_t *set = sp_sets_of(s, line);
    int way = sp_sets_find(s, set, line);
    if (way < 0)
        return 0;
    uint32_t word = set[way];
    if (s->policy == SP_LRU)
        memmove(set + way, set + way + 1, (size_t)(s->ways - 1 - way) * sizeof *set);
    set[s->policy == SP_LRU ? s->ways - 1 : way] = 0;
    return word;
}

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NO_LINE       UINT32_MAX

/* ---- one instance, of either kind ---- */

static bool instance_touch(struct sp_cache_instance *c, uint32_t line, bool write)
{
    if (c->full) {
        if (!sp_lru_has(&c->lru, line))
            return false;
        sp_lru_append(&c->lru, line);
        c->lru.dirty[line] |= write;
        return true;
    }
    uint32_t *set = sp_sets_of(&c->sets, line);
    int way = sp_sets_find(&c->sets, set, line);
    if (way < 0)
        return false;
    sp_sets_used(&c->sets, set, way, write);
    return true;
}

static bool instance_has(const struct sp_cache_instance *c, uint32_t line)
{
    if (c->full)
        return sp_lru_has(&c->lru, line);
    return sp_sets_find(&c->sets, sp_sets_of(&c->sets, line), line) >= 0;
}

/* Returns the word that had to go, 0: none. */
static uint32_t instance_insert(struct sp_cache_instance *c, uint32_t line, bool dirty)
{
    if (!c->full)
        return sets_insert(&c->sets, sp_sets_of(&c->sets, line), sp_word(line, dirty));
    uint32_t victim, word = 0;
    if (sp_lru_admit(&c->lru, &victim)) {
        word = sp_word(victim, c->lru.dirty[victim]);
        c->lru.dirty[victim] = 0;
    }
    c->lru.dirty[line] = dirty;
    sp_lru_append(&c->lru, line);
    return word;
}

/* Returns the line's word, 0: it was not there. */
static uint32_t instance_remove(struct sp_cache_instance *c, uint32_t line)
{
    if (!c->full)
        return sets_remove(&c->sets, line);
    if (!sp_lru_has(&c->lru, line))
        return 0;
    uint32_t word = sp_word(line, c->lru.dirty[line]);
    c->lru.place[line] = SP_LRU_ABSENT;
    c->lru.dirty[line] = 0;
    c->lru.resident--;
    return word;
}

static void instance_clear(struct sp_cache_instance *c)
{
    if (c->full)
        sp_lru_clear(&c->lru);
    else
        sets_clear(&c->sets);
}

/* ---- between levels ---- */

static inline bool feeds_victim(const struct sp_hierarchy *h, int k)
{
    return k + 1 < h->n_levels && h->level[k + 1].victim;
}

static inline enum sp_array array_of(const struct sp_hierarchy *h, uint32_t line)
{
    return (enum sp_array)h->array_of_group[line / SP_LINES_PER_GROUP];
}

/* By the traces of layouts, which write y and what threads have for themselves. */
static inline bool is_only_read(enum sp_array array)
{
    return array != SP_ARRAY_Y && array != SP_ARRAY_OTHER;
}

/* The instance, or that part of its ways, which may hold the line. */
static inline struct sp_cache_instance *part_of(const struct sp_hierarchy *h, int k, int instance,
                                                uint32_t line)
{
    const struct sp_cache_level *level = &h->level[k];
    return level->n_parts == 1
               ? &level->instance[instance]
               : &level->instance[instance * level->n_parts + level->part_of_array[array_of(h, line)]];
}

static inline struct sp_cache_instance *instance_of(const struct sp_hierarchy *h, int k, int thread,
                                                    uint32_t line)
{
    return part_of(h, k, thread / h->level[k].threads_sharing, line);
}

static void write_back(struct sp_hierarchy *h, int k, int thread, uint32_t line, bool dirty);

/* `word` leaves level k. */
static void leave(struct sp_hierarchy *h, int k, int thread, uint32_t word)
{
    struct sp_cache_level *level = &h->level[k];
    uint32_t line = sp_word_line(word);
    bool dirty = word & 1;
    if (level->inclusive) {
        int first = thread / level->threads_sharing * level->threads_sharing;
        for (int inner = 0; inner < k; inner++)
            for (int i = 0; i < h->level[inner].n_instances; i++) {
                int owner = i * h->level[inner].threads_sharing;
                if (owner < first || owner >= first + level->threads_sharing)
                    continue;
                if (instance_remove(part_of(h, inner, i, line), line) & 1) {
                    h->level[inner].counts.write[array_of(h, line)]++;
                    dirty = true;
                }
            }
    }
    if (!dirty && !feeds_victim(h, k))
        return;
    level->counts.write[array_of(h, line)]++;
    if (k + 1 < h->n_levels)
        write_back(h, k + 1, thread, line, dirty);
}

/* Level k takes a line from the level inside. */
static void write_back(struct sp_hierarchy *h, int k, int thread, uint32_t line, bool dirty)
{
    struct sp_cache_instance *c = instance_of(h, k, thread, line);
    if (instance_touch(c, line, dirty))
        return;
    uint32_t victim = instance_insert(c, line, dirty);
    if (victim)
        leave(h, k, thread, victim);
}

/* Of the n_levels innermost. */
static bool another_has(struct sp_hierarchy *h, int n_levels, int thread, uint32_t line)
{
    for (int inner = 0; inner < n_levels; inner++)
        for (int i = 0; i < h->level[inner].n_instances; i++)
            if (i != thread / h->level[inner].threads_sharing &&
                instance_has(part_of(h, inner, i, line), line))
                return true;
    return false;
}

static bool touch_counted(const struct sp_hierarchy *h, struct sp_depths *depths, const struct sp_sets *s,
                          uint32_t line)
{
    uint32_t *set = sp_sets_of(s, line);
    const int way = sp_sets_find(s, set, line);
    if (way < 0)
        return false;
    depths->hits[array_of(h, line)][way]++;
    sp_sets_used(s, set, way, false);
    return true;
}

/* Level k (n_levels: memory) gives a line to the level inside; true when the copy is dirty. */
static bool demand(struct sp_hierarchy *h, int k, int thread, uint32_t line)
{
    if (k == h->n_levels)
        return false;
    struct sp_cache_level *level = &h->level[k];
    struct sp_cache_instance *c = instance_of(h, k, thread, line);
    if (level->victim) {
        uint32_t word = instance_remove(c, line);
        if (word)
            return word & 1;
        if (another_has(h, k, thread, line))
            return false;
        level->counts.read[array_of(h, line)]++;
        return demand(h, k + 1, thread, line);
    }
    if (level->depths ? touch_counted(h, level->depths, &c->sets, line) : instance_touch(c, line, false))
        return false;
    level->counts.read[array_of(h, line)]++;
    bool dirty = demand(h, k + 1, thread, line);
    uint32_t victim = instance_insert(c, line, dirty);
    if (victim)
        leave(h, k, thread, victim);
    return false;
}

/* ---- the innermost level ---- */

/* Open lines were touched at the entry before, whatever their place in the set says: to the front,
 * in the order of their touches. */
static void refresh_open(const uint32_t open[2], const struct sp_sets *s, uint32_t *set)
{
    for (int i = 0; i < 2; i++) {
        if (open[i] == NO_LINE)
            continue;
        int way = sp_sets_find(s, set, open[i]);
        if (way > 0)
            sp_sets_front(set, way);
    }
}

static void miss(struct sp_hierarchy *h, int thread, uint32_t line, bool write)
{
    struct sp_cache_level *level = &h->level[0];
    struct sp_cache_instance *c = instance_of(h, 0, thread, line);
    level->counts.read[array_of(h, line)]++;
    bool dirty = demand(h, 1, thread, line) || write;
    if (!c->full && c->sets.policy == SP_LRU) {
        uint32_t *set = sp_sets_of(&c->sets, line), last = set[c->sets.ways - 1];
        if (last && (sp_word_line(last) == h->open[0] || sp_word_line(last) == h->open[1]))
            refresh_open(h->open, &c->sets, set);
    }
    uint32_t victim = instance_insert(c, line, dirty);
    if (victim)
        leave(h, 0, thread, victim);
}

static ALWAYS_INLINE void run_sets(struct sp_hierarchy *h, int thread, const uint32_t *event, int64_t n,
                                   const bool parted)
{
    const int instance = thread / h->level[0].threads_sharing;
    struct sp_sets *whole = &h->level[0].instance[instance].sets;
    for (int64_t i = 0; i < n; i++) {
        uint32_t line = sp_event_line(event[i]);
        enum sp_event_kind kind = sp_event_kind(event[i]);
        struct sp_sets *s = parted ? &part_of(h, 0, instance, line)->sets : whole;
        uint32_t *set = sp_sets_of(s, line);
        int way = sp_sets_find(s, set, line);
        if (kind == SP_EVENT_CLOSE) {
            h->open[array_of(h, line) != SP_ARRAY_VALUES] = NO_LINE;
            if (s->policy == SP_LRU)
                sp_sets_front(set, way);
            continue;
        }
        bool write = kind == SP_EVENT_WRITE;
        if (way >= 0)
            sp_sets_used(s, set, way, write);
        else
            miss(h, thread, line, write);
        if (kind == SP_EVENT_OPEN)
            h->open[array_of(h, line) != SP_ARRAY_VALUES] = line;
    }
}

/* A fully associative innermost level; open lines wait outside the queue. */
static ALWAYS_INLINE void run_full(struct sp_hierarchy *h, int thread, const uint32_t *event, int64_t n,
                                   const bool parted)
{
    enum { AHEAD = 16 };
    const int instance = thread / h->level[0].threads_sharing;
    struct sp_lru *whole = &h->level[0].instance[instance].lru;
    struct sp_line_counts *counts = &h->level[0].counts;
    for (int64_t i = 0; i < n; i++) {
        uint32_t line = sp_event_line(event[i]);
        struct sp_lru *lru = parted ? &part_of(h, 0, instance, line)->lru : whole;
        if (i + AHEAD < n)
            __builtin_prefetch(&lru->place[sp_event_line(event[i + AHEAD])], 1);
        enum sp_event_kind kind = sp_event_kind(event[i]);
        if (!sp_lru_has(lru, line)) {
            counts->read[array_of(h, line)]++;
            bool dirty = h->n_levels > 1 && demand(h, 1, thread, line);
            uint32_t victim;
            if (sp_lru_admit(lru, &victim) && (h->n_levels > 1 || !is_only_read(array_of(h, victim)))) {
                bool was_dirty = lru->dirty[victim];
                lru->dirty[victim] = 0;
                leave(h, 0, thread, sp_word(victim, was_dirty));
            }
            if (dirty)
                lru->dirty[line] = 1;
        }
        if (kind == SP_EVENT_WRITE)
            lru->dirty[line] = 1;
        if (kind == SP_EVENT_OPEN)
            lru->place[line] = SP_LRU_OPEN;
        else
            sp_lru_append(lru, line);
    }
}

/* ---- levels without feedback ----
 *
 * What a level asks the next one out for, and what it writes back there, changes nothing in the
 * level itself, unless that one is inclusive. So a batch of events goes through one level, and what
 * it asks for and writes back, in that order, is the batch of the next. A request is a word of
 * struct sp_sets: clean, a line that is asked for; dirty, one that is written back. A victim cache
 * gets all lines that leave, marked, since clean ones do, too; the level within learns afterwards
 * that one came dirty. */

enum { BATCH = 512, AHEAD = 12 };
#define LEFT (UINT32_C(1) << 31) /* lines are fewer than 2^30 */

static inline uint32_t request_line(uint32_t request)
{
    return sp_word_line(request & ~LEFT);
}

/* Requests that n requests to a level can lead to at most, so many levels further out. */
static int64_t most_requests(int64_t n, int n_levels)
{
    return n << n_levels;
}

/* The request goes through its set; what the level then asks for (`fetch`: if it misses) and writes
 * back (`all`: clean lines that leave, too) goes to `out`, of which n are there. Returns how many
 * then are. */
static ALWAYS_INLINE int64_t pass_one(uint32_t *set, uint32_t request, bool fetch, int ways, const int stride,
                                      const bool all, uint32_t *out, int64_t n)
{
    const uint32_t found = lru_set_find(set, request, stride);
    const int way = __builtin_ctz(found | UINT32_C(1) << (ways - 1));
    const uint32_t was = set[way], hit = found != 0;
    lru_set_front(set, way, request | (was & hit), stride);
    out[n] = request & ~UINT32_C(1);
    n += fetch & !hit;
    out[n] = all ? was | LEFT : was;
    return n + (all ? !hit & (was != 0) : was & !hit & 1);
}

static ALWAYS_INLINE int64_t pass(const struct sp_sets *s, const uint32_t *in, int64_t n_in, const bool all,
                                  uint32_t *out, const int stride)
{
    int64_t n = 0;
    for (int64_t i = 0; i < n_in; i++) {
        if (i + AHEAD < n_in)
            __builtin_prefetch(sp_sets_of(s, sp_word_line(in[i + AHEAD])), 1);
        n = pass_one(sp_sets_of(s, sp_word_line(in[i])), in[i], !(in[i] & 1), s->ways, stride, all, out, n);
    }
    return n;
}

/* The events of the innermost level. */
static ALWAYS_INLINE int64_t pass_events(const struct sp_hierarchy *h, uint32_t *open,
                                         const struct sp_sets *s, const uint32_t *event, int64_t n_events,
                                         const bool all, uint32_t *out, const int stride)
{
    int64_t n = 0;
    for (int64_t i = 0; i < n_events; i++) {
        const uint32_t line = sp_event_line(event[i]);
        const enum sp_event_kind kind = sp_event_kind(event[i]);
        uint32_t *set = sp_sets_of(s, line), request = sp_word(line, kind == SP_EVENT_WRITE);
        const uint32_t last = set[s->ways - 1];
        if (last && (sp_word_line(last) == open[0] || sp_word_line(last) == open[1]) &&
            !lru_set_find(set, request, stride))
            refresh_open(open, s, set);
        n = pass_one(set, request, true, s->ways, stride, all, out, n);
        if (kind == SP_EVENT_OPEN || kind == SP_EVENT_CLOSE)
            open[array_of(h, line) != SP_ARRAY_VALUES] = kind == SP_EVENT_OPEN ? line : NO_LINE;
    }
    return n;
}

/* Level k with the usual strides as constants; level 0 takes events. */
static ALWAYS_INLINE int64_t pass_level(const struct sp_hierarchy *h, uint32_t *open, int k,
                                        const struct sp_sets *s, const uint32_t *in, int64_t n,
                                        const bool all, uint32_t *out)
{
    if (k == 0)
        return s->stride == 8 ? pass_events(h, open, s, in, n, all, out, 8)
                              : pass_events(h, open, s, in, n, all, out, s->stride);
    return s->stride == 8    ? pass(s, in, n, all, out, 8)
           : s->stride == 16 ? pass(s, in, n, all, out, 16)
                             : pass(s, in, n, all, out, s->stride);
}
static int64_t pass_plain(const struct sp_hierarchy *h, uint32_t *open, int k, const struct sp_sets *s,
                          const uint32_t *in, int64_t n, uint32_t *out)
{
    return feeds_victim(h, k) ? pass_level(h, open, k, s, in, n, true, out)
                              : pass_level(h, open, k, s, in, n, false, out);
}
SP_WIDE static int64_t pass_wide(const struct sp_hierarchy *h, uint32_t *open, int k, const struct sp_sets *s,
                                 const uint32_t *in, int64_t n, uint32_t *out)
{
    return feeds_victim(h, k) ? pass_level(h, open, k, s, in, n, true, out)
                              : pass_level(h, open, k, s, in, n, false, out);
}

/* In turn into several counters: each waits for what it was before. */
static void count(const struct sp_hierarchy *h, struct sp_line_counts *c, const uint32_t *request, int64_t n)
{
    enum { TURNS = 4 };
    int64_t lines[TURNS][2][SP_N_ARRAYS] = {{{0}}};
    for (int64_t i = 0; i < n; i++)
        lines[i % TURNS][(request[i] | request[i] >> 31) & 1][array_of(h, request_line(request[i]))]++;
    for (int t = 0; t < TURNS; t++)
        for (int a = 0; a < SP_N_ARRAYS; a++) {
            c->read[a] += lines[t][0][a];
            c->write[a] += lines[t][1][a];
        }
}

/* Victim cache k gave a line up dirty: so it is when it leaves again, or in the level within. */
static void give_dirty(struct sp_hierarchy *h, int k, int thread, uint32_t line, uint32_t *later,
                       int64_t n_later)
{
    const uint32_t word = sp_word(line, true);
    for (int64_t i = 0; i < n_later; i++)
        if ((later[i] | 1) == (word | LEFT)) {
            later[i] |= 1;
            return;
        }
    struct sp_sets *s = &instance_of(h, k - 1, thread, line)->sets;
    uint32_t *set = sp_sets_of(s, line);
    const int way = sp_sets_find(s, set, line);
    if (way >= 0)
        set[way] |= 1;
}

/* Requests to a victim cache, the last level; what it gives up dirty changes those that follow.
 * Lines that are never written enter a cache only when they are asked for: so requests tell how
 * many caches have one. */
static ALWAYS_INLINE int64_t pass_victim(struct sp_hierarchy *h, int k, int thread, uint32_t *in,
                                         int64_t n_in, uint32_t *out, const int stride)
{
    const struct sp_sets *s = &h->level[k].instance[thread / h->level[k].threads_sharing].sets;
    uint8_t *const copies = h->copies;
    int64_t n = 0;
    for (int64_t i = 0; i < n_in; i++) {
        if (i + AHEAD < n_in)
            __builtin_prefetch(sp_sets_of(s, request_line(in[i + AHEAD])), 1);
        if (copies && i + AHEAD < n_in)
            __builtin_prefetch(&copies[request_line(in[i + AHEAD])], 1);
        const uint32_t line = request_line(in[i]);
        const bool counted = copies && is_only_read(array_of(h, line));
        uint8_t none = 0, *here = counted ? &copies[line] : &none;
        uint32_t *set = sp_sets_of(s, line);
        if (in[i] & LEFT) {
            --*here;
            n = pass_one(set, in[i] & ~LEFT, false, s->ways, stride, false, out, n);
            continue;
        }
        const uint32_t found = lru_set_find(set, in[i], stride);
        if (found) {
            const int way = __builtin_ctz(found);
            const bool dirty = set[way] & 1;
            lru_set_take(set, way, stride);
            if (dirty)
                give_dirty(h, k, thread, line, in + i + 1, n_in - i - 1);
        } else {
            out[n] = in[i];
            n += *here == 0 && !another_has(h, counted ? k - 1 : k, thread, line);
        }
        ++*here;
    }
    return n;
}
static int64_t victim_plain(struct sp_hierarchy *h, int k, int thread, uint32_t *in, int64_t n, uint32_t *out,
                            int stride)
{
    return pass_victim(h, k, thread, in, n, out, stride);
}
SP_WIDE static int64_t victim_wide(struct sp_hierarchy *h, int k, int thread, uint32_t *in, int64_t n,
                                   uint32_t *out, int stride)
{
    return stride == 12   ? pass_victim(h, k, thread, in, n, out, 12)
           : stride == 16 ? pass_victim(h, k, thread, in, n, out, 16)
                          : pass_victim(h, k, thread, in, n, out, stride);
}

static void run_victim(struct sp_hierarchy *h, int thread, uint32_t *request, int64_t n)
{
    const int k = h->n_batched, stride = h->level[k].instance->sets.stride;
    uint32_t *out = h->request[k % 2];
    n = (sp_is_wide() ? victim_wide : victim_plain)(h, k, thread, request, n, out, stride);
    count(h, &h->level[k].counts, out, n);
}

/* The levels behind those that take batches. */
static void pass_on(struct sp_hierarchy *h, int thread, uint32_t *request, int64_t n)
{
    const int k = h->n_batched;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t line = request_line(request[i]);
        if (request[i] & (LEFT | 1))
            write_back(h, k, thread, line, request[i] & 1);
        else if (demand(h, k, thread, line))
            give_dirty(h, k, thread, line, request + i + 1, n - i - 1);
    }
}

/* Level k of this thread: in[n] goes through it, and what it asks for to `out`. */
static int64_t pass_one_level(const struct sp_hierarchy *h, uint32_t *open, int k, int thread,
                              const uint32_t *in, int64_t n, uint32_t *out)
{
    const struct sp_cache_level *level = &h->level[k];
    const struct sp_sets *s = &level->instance[thread / level->threads_sharing].sets;
    return (sp_is_wide() ? pass_wide : pass_plain)(h, open, k, s, in, n, out);
}

/* From level `first` on: events of the innermost one, else requests. */
static void run_batches(struct sp_hierarchy *h, int first, int thread, const uint32_t *event,
                        int64_t n_events)
{
    for (int64_t begin = 0; begin < n_events; begin += BATCH) {
        const uint32_t *in = event + begin;
        int64_t n = n_events - begin < BATCH ? n_events - begin : BATCH;
        for (int k = first; k < h->n_batched; k++) {
            uint32_t *out = h->request[k % 2];
            n = pass_one_level(h, h->open, k, thread, in, n, out);
            count(h, &h->level[k].counts, out, n);
            in = out;
        }
        /* A victim cache changes requests: it never gets `event` itself. */
        if (h->victim_batched)
            run_victim(h, thread, (uint32_t *)in, n);
        else if (h->n_batched < h->n_levels)
            pass_on(h, thread, (uint32_t *)in, n);
    }
}

/* ---- threads beside each other ---- */

int sp_hierarchy_private_levels(const struct sp_hierarchy *h)
{
    int n = 0;
    for (int k = 0; k < h->n_levels; k++)
        if (h->level[k].victim)
            return 0; /* it looks for its lines in the caches of other threads */
    while (n < h->n_batched && h->level[n].threads_sharing == 1)
        n++;
    return n;
}

int64_t sp_private_most_requests(const struct sp_hierarchy *h, int64_t n_events)
{
    return most_requests(n_events, sp_hierarchy_private_levels(h)) + 1;
}

enum sp_status sp_private_make(const struct sp_hierarchy *h, struct sp_private *p, struct sp_error *err)
{
    void *request;
    *p = (struct sp_private){.n_levels = sp_hierarchy_private_levels(h), .open = {NO_LINE, NO_LINE}};
    p->n_request = most_requests(BATCH, p->n_levels) + 1;
    enum sp_status status = sp_new_array(2 * p->n_request, sizeof *p->request,
                                         "the requests between simulated caches", &request, err);
    p->request = request;
    return status;
}

void sp_private_free(struct sp_private *p)
{
    free(p->request);
    memset(p, 0, sizeof *p);
}

int64_t sp_private_run(const struct sp_hierarchy *h, struct sp_private *p, int thread, const uint32_t *event,
                       int64_t n_events, uint32_t *request)
{
    int64_t sum = 0;
    for (int64_t begin = 0; begin < n_events; begin += BATCH) {
        const uint32_t *in = event + begin;
        int64_t n = n_events - begin < BATCH ? n_events - begin : BATCH;
        for (int k = 0; k < p->n_levels; k++) {
            uint32_t *out = k == p->n_levels - 1 ? request + sum : p->request + k % 2 * p->n_request;
            n = pass_one_level(h, p->open, k, thread, in, n, out);
            count(h, &p->counts[k], out, n);
            in = out;
        }
        if (p->n_levels == 0)
            memcpy(request + sum, in, (size_t)n * sizeof *in);
        sum += n;
    }
    return sum;
}

void sp_private_pass_on(struct sp_hierarchy *h, const struct sp_private *p, int thread,
                        const uint32_t *request, int64_t n)
{
    if (p->n_levels == 0)
        sp_hierarchy_run(h, thread, request, n);
    else
        run_batches(h, p->n_levels, thread, request, n);
}

void sp_private_add_counts(struct sp_hierarchy *h, struct sp_private *p)
{
    for (int k = 0; k < p->n_levels; k++) {
        for (int a = 0; a < SP_N_ARRAYS; a++) {
            h->level[k].counts.read[a] += p->counts[k].read[a];
            h->level[k].counts.write[a] += p->counts[k].write[a];
        }
        memset(&p->counts[k], 0, sizeof p->counts[k]);
    }
}

/* Whole, LRU, and of sets that are not too large. */
static bool takes_batches(const struct sp_cache_level *level)
{
    const struct sp_cache_instance *c = level->instance;
    return level->n_parts == 1 && !level->depths && !c->full && c->sets.policy == SP_LRU &&
           c->sets.ways <= LRU_SET_WAYS;
}

/* Levels from the inner one on that take batches, a victim cache behind them not counted. */
static int n_batched(const struct sp_hierarchy *h)
{
    int n = 0;
    for (int k = 0; k < h->n_levels; k++)
        if (h->level[k].inclusive)
            return 0;
    while (n < h->n_levels && !h->level[n].victim && takes_batches(&h->level[n]))
        n++;
    return n;
}

/* Apart, so that caches that are not divided do not pay for those that are. */
static __attribute__((noinline)) void run_parted(struct sp_hierarchy *h, int thread, const uint32_t *event,
                                                 int64_t n)
{
    if (h->level[0].instance->full)
        run_full(h, thread, event, n, true);
    else
        run_sets(h, thread, event, n, true);
}

void sp_hierarchy_run(struct sp_hierarchy *h, int thread, const uint32_t *event, int64_t n_events)
{
    if (h->n_batched > 0)
        run_batches(h, 0, thread, event, n_events);
    else if (h->level[0].n_parts > 1)
        run_parted(h, thread, event, n_events);
    else if (h->level[0].instance->full)
        run_full(h, thread, event, n_events, false);
    else
        run_sets(h, thread, event, n_events, false);
}

/* ---- counts ---- */

void sp_hierarchy_count_anew(struct sp_hierarchy *h)
{
    for (int k = 0; k < h->n_levels; k++) {
        memset(&h->level[k].counts, 0, sizeof h->level[k].counts);
        if (h->level[k].depths)
            memset(h->level[k].depths, 0, sizeof *h->level[k].depths);
    }
}

/* Writes back what is dirty in one instance and makes it clean. */
static void clean(struct sp_hierarchy *h, int k, int thread, struct sp_cache_instance *c)
{
    int64_t n = c->full ? h->n_lines : c->sets.n_sets * c->sets.stride;
    for (int64_t i = 0; i < n; i++) {
        uint32_t word = c->full ? sp_word((uint32_t)i, c->lru.dirty[i]) : c->sets.word[i];
        if (!(word & 1))
            continue;
        if (c->full)
            c->lru.dirty[i] = 0;
        else
            c->sets.word[i] &= ~UINT32_C(1);
        h->level[k].counts.write[array_of(h, sp_word_line(word))]++;
        if (k + 1 < h->n_levels)
            write_back(h, k + 1, thread, sp_word_line(word), true);
    }
}

/* Items of level[k].instance. */
static int n_parts_of(const struct sp_hierarchy *h, int k)
{
    return h->level[k].n_instances * h->level[k].n_parts;
}

void sp_hierarchy_flush(struct sp_hierarchy *h)
{
    for (int k = 0; k < h->n_levels; k++)
        for (int i = 0; i < n_parts_of(h, k); i++)
            clean(h, k, i / h->level[k].n_parts * h->level[k].threads_sharing, &h->level[k].instance[i]);
    for (int k = 0; k < h->n_levels; k++)
        for (int i = 0; i < n_parts_of(h, k); i++)
            instance_clear(&h->level[k].instance[i]);
    if (h->copies)
        memset(h->copies, 0, (size_t)h->n_lines);
}

/* ---- making ---- */

static bool is_full(const struct sp_cache *cache)
{
    return cache->ways <= 0 && cache->policy == SP_LRU;
}

/* A fully associative cache is divided as if it had 16. */
static int ways_of(const struct sp_cache *cache)
{
    return cache->ways > 0 ? cache->ways : 16;
}

/* Ways of the smaller part of a divided cache, else of all of it. */
static int least_ways(const struct sp_cache *c)
{
    const int ways = ways_of(c), part = c->partition.ways;
    return part <= 0 ? ways : part < ways - part ? part : ways - part;
}

bool sp_hierarchy_needs_every(const struct sp_cache *cache, int n_caches)
{
    for (int k = 1; k < n_caches; k++)
        if (cache[k].inclusive)
            return true;
    if (cache[0].policy != SP_LRU)
        return false;
    int64_t lines = sp_cache_believed_B(&cache[0]) / cache[0].line_B;
    if (is_full(&cache[0]))
        return lines * least_ways(&cache[0]) < SP_TRACE_WINDOW * ways_of(&cache[0]);
    return lines < SP_TRACE_WINDOW || least_ways(&cache[0]) < SP_TRACE_WINDOW;
}

/* `ways` of the cache's. */
static enum sp_status make_instance(const struct sp_cache *cache, int ways, int64_t n_lines, uint64_t seed,
                                    struct sp_cache_instance *c, struct sp_error *err)
{
    const int of = ways_of(cache);
    int64_t capacity = sp_cache_believed_B(cache) / cache->line_B;
    if (capacity < 1)
        return sp_fail(err, SP_INPUT, "give the sizes of the caches in the machine file",
                       "the level %d cache of the machine has no size", cache->level);
    c->full = is_full(cache);
    if (ways < of)
        capacity = c->full ? capacity * ways / of : capacity / of * ways;
    if (capacity < 1)
        capacity = 1;
    if (c->full)
        return sp_lru_make(n_lines, capacity, &c->lru, err);
    return sets_make(capacity, ways, cache->policy, seed, &c->sets, err);
}

/* One or two parts of ways; n_instances counts those that are made. */
static enum sp_status make_level(const struct sp_cache *cache, int n_threads, int64_t n_lines, uint64_t seed,
                                 struct sp_cache_level *level, struct sp_error *err)
{
    const struct sp_way_partition *p = &cache->partition;
    const int n = (n_threads + level->threads_sharing - 1) / level->threads_sharing, ways = ways_of(cache);
    const int part_ways[] = {p->ways > 0 && !p->stacks ? ways - p->ways : ways, p->stacks ? ways : p->ways};
    level->n_parts = p->ways > 0 ? 2 : 1;
    for (int a = 0; a < SP_N_ARRAYS; a++)
        level->part_of_array[a] = level->n_parts > 1 && (p->arrays >> a & 1);
    enum sp_status status = SP_OK;
    if (p->stacks)
        status = sp_new_array(1, sizeof *level->depths, "depths of hits", (void **)&level->depths, err);
    if (status == SP_OK)
        status = sp_new_array(n * level->n_parts, sizeof *level->instance, "the simulated caches",
                              (void **)&level->instance, err);
    for (int i = 0; i < n && status == SP_OK; i++) {
        level->n_instances = i + 1;
        for (int part = 0; part < level->n_parts && status == SP_OK; part++)
            status = make_instance(cache, part_ways[part], n_lines, seed + (uint64_t)(i + part * 2048),
                                   &level->instance[i * level->n_parts + part], err);
    }
    return status;
}

enum sp_status sp_hierarchy_make(const struct sp_cache *cache, int n_caches, int n_threads, int64_t n_lines,
                                 const uint8_t *array_of_group, uint64_t seed, struct sp_hierarchy *h,
                                 struct sp_error *err)
{
    memset(h, 0, sizeof *h);
    h->n_threads = n_threads;
    h->array_of_group = array_of_group;
    h->n_lines = n_lines;
    h->open[0] = h->open[1] = NO_LINE;
    enum sp_status status = SP_OK;
    for (int k = 0; k < n_caches && status == SP_OK; k++) {
        struct sp_cache_level *level = &h->level[k];
        bool last = k == n_caches - 1;
        level->victim = cache[k].victim && k > 0;
        level->inclusive = cache[k].inclusive;
        level->threads_sharing = last ? n_threads : cache[k].cores_sharing > 1 ? cache[k].cores_sharing : 1;
        h->n_levels = k + 1;
        status = make_level(&cache[k], n_threads, n_lines, seed + (uint64_t)(k * 4096), level, err);
    }
    if (status == SP_OK)
        h->n_batched = n_batched(h);
    const struct sp_cache_level *last = &h->level[n_caches - 1];
    h->victim_batched =
        h->n_batched > 0 && h->n_batched == n_caches - 1 && last->victim && takes_batches(last);
    for (int i = 0; i < 2 && h->n_batched > 0 && status == SP_OK; i++)
        status = sp_new_array(most_requests(BATCH, h->n_batched) + 1, sizeof *h->request[i],
                              "the requests between simulated caches", (void **)&h->request[i], err);
    if (status != SP_OK)
        sp_hierarchy_free(h);
    return status;
}

void sp_hierarchy_free(struct sp_hierarchy *h)
{
    for (int k = 0; k < h->n_levels; k++) {
        for (int i = 0; h->level[k].instance && i < n_parts_of(h, k); i++) {
            sp_lru_free(&h->level[k].instance[i].lru);
            sets_free(&h->level[k].instance[i].sets);
        }
        free(h->level[k].instance);
        free(h->level[k].depths);
    }
    free(h->request[0]);
    free(h->request[1]);
    free(h->copies);
    memset(h, 0, sizeof *h);
}

void sp_hierarchy_count_copies(struct sp_hierarchy *h)
{
    void *copies;
    const int n = h->victim_batched ? h->level[h->n_levels - 2].n_instances : 0;
    if (n > 1 && n <= UINT8_MAX && sp_new_array(h->n_lines, 1, "copies of lines", &copies, NULL) == SP_OK)
        h->copies = copies;
}
