/* A fully associative LRU cache of any size in O(1) a touch, with arrays indexed by line.
 *
 * Every touch appends the line to a queue and notes where; the first queue item that is still its line's
 * latest is the least recently used line. Stale items are squeezed out when the queue is full. Open lines
 * (see model/trace/trace.h) are resident but in no queue: they cannot be evicted. */
#ifndef SP_MODEL_LRU_H
#define SP_MODEL_LRU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

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
    /* The queue is n_queue long and zeroed, so reading ahead is safe; what comes next is needed soon. */
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

#endif
