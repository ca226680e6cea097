/* Distances on an LRU stack of lines: how many of them were touched since one was touched last.
 *
 * Every line's last touch holds one bit on a time line; a distance is the number of bits after a place.
 * Blocks of bits are counted in a Fenwick tree, recent places by counting bits. When the time line is full
 * the bits are pushed together. Open lines (model/trace/trace.h) are counted apart until their CLOSE. */
#ifndef SP_MODEL_STACK_DISTANCE_H
#define SP_MODEL_STACK_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define SP_STACK_NEW  UINT32_MAX       /* not touched yet */
#define SP_STACK_OPEN (UINT32_MAX - 1) /* open */

struct sp_stack {
    int64_t n_lines;
    uint32_t *place;  /* [n_lines] time of the last touch or one of the above */
    int64_t n_times;  /* length of the time line, a multiple of 512 */
    uint64_t *bits;   /* [n_times / 64] */
    uint32_t *tree;   /* [n_times / 512 + 1] Fenwick tree of the blocks before the current one */
    uint32_t *before; /* [n_times / 64] bits before each word, used while pushing together */
    int64_t now;      /* next free time */
    int64_t n_before; /* bits in the blocks before the current one */
    int64_t n_open;
};

enum sp_status sp_stack_make(int64_t n_lines, struct sp_stack *s, struct sp_error *err);
void sp_stack_free(struct sp_stack *s);
void sp_stack_clear(struct sp_stack *s);

/* Pushes the bits together; called by sp_stack_append when the time line is full. */
void sp_stack_squeeze(struct sp_stack *s);

enum { SP_STACK_BLOCK_WORDS = 8, SP_STACK_NEAR_WORDS = 4 * SP_STACK_BLOCK_WORDS };

/* Lines touched after time `place`, without the open ones. */
static inline __attribute__((always_inline)) int64_t sp_stack_after(const struct sp_stack *s, uint32_t place)
{
    int64_t word = place >> 6, last = (s->now - 1) >> 6, n = 0;
    uint64_t above = s->bits[word] >> (place & 63) >> 1;
    if (last - word < SP_STACK_NEAR_WORDS) {
        n = __builtin_popcountll(above);
        for (int64_t w = word + 1; w <= last; w++)
            n += __builtin_popcountll(s->bits[w]);
        return n;
    }
    int64_t block = word / SP_STACK_BLOCK_WORDS, current = s->now / (64 * SP_STACK_BLOCK_WORDS);
    /* Bits of the blocks after this one and before the current one, then of the two themselves. */
    n = s->n_before + __builtin_popcountll(above);
    for (int64_t b = block + 1; b > 0; b &= b - 1)
        n -= s->tree[b];
    for (int64_t w = word + 1; w < (block + 1) * SP_STACK_BLOCK_WORDS; w++)
        n += __builtin_popcountll(s->bits[w]);
    for (int64_t w = current * SP_STACK_BLOCK_WORDS; w <= last; w++)
        n += __builtin_popcountll(s->bits[w]);
    return n;
}

/* The touch at `place` is no longer its line's last. */
static inline __attribute__((always_inline)) void sp_stack_remove(struct sp_stack *s, uint32_t place)
{
    s->bits[place >> 6] &= ~(UINT64_C(1) << (place & 63));
    int64_t block = place / (64 * SP_STACK_BLOCK_WORDS), current = s->now / (64 * SP_STACK_BLOCK_WORDS);
    if (block == current)
        return;
    s->n_before--;
    int64_t n_blocks = s->n_times / (64 * SP_STACK_BLOCK_WORDS);
    for (int64_t b = block + 1; b <= n_blocks; b += b & -b)
        s->tree[b]--;
}

/* A touch now, of a line that holds no bit. */
static inline __attribute__((always_inline)) void sp_stack_append(struct sp_stack *s, uint32_t line)
{
    if (s->now == s->n_times)
        sp_stack_squeeze(s);
    s->place[line] = (uint32_t)s->now;
    s->bits[s->now >> 6] |= UINT64_C(1) << (s->now & 63);
    if (++s->now % (64 * SP_STACK_BLOCK_WORDS) != 0)
        return;
    /* The block is complete. */
    int64_t n_blocks = s->n_times / (64 * SP_STACK_BLOCK_WORDS), block = s->now / (64 * SP_STACK_BLOCK_WORDS);
    uint32_t n = 0;
    for (int w = 1; w <= SP_STACK_BLOCK_WORDS; w++)
        n += (uint32_t)__builtin_popcountll(s->bits[(s->now >> 6) - w]);
    s->n_before += n;
    for (int64_t b = block; b <= n_blocks; b += b & -b)
        s->tree[b] += n;
}

/* Distances are kept by the smallest of a series of capacities that hits: 16 an octave, from 16 lines. */
enum { SP_STACK_STEPS = 16, SP_STACK_BUCKETS = 16 * 28 };
static inline int64_t sp_stack_capacity(int bucket)
{
    return (int64_t)(SP_STACK_STEPS + bucket % SP_STACK_STEPS) << bucket / SP_STACK_STEPS;
}
static inline int sp_stack_bucket(int64_t distance)
{
    if (distance < SP_STACK_STEPS)
        return 0;
    int octave = 63 - __builtin_clzll((uint64_t)distance) - 4; /* distance = need - 1, so need <= 2^(...) */
    return octave * SP_STACK_STEPS + (int)(distance >> octave) + 1 - SP_STACK_STEPS;
}

#endif
