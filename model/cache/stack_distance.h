/* Distances on an LRU stack of lines: how many of them were touched since one was touched last.
 *
 * Every line's last touch holds one bit on a time line; a distance is the number of bits after a
 * place. Bits before a place are counted from prefix sums over words, over groups of words, groups
 * of groups and so on: one load a level counts them, and one addition of vectors a level takes a
 * bit away, without a branch. When the time line is full the bits are pushed together. Open lines
 * (model/trace/trace.h) are counted apart until their CLOSE. */
#ifndef SP_MODEL_STACK_DISTANCE_H
#define SP_MODEL_STACK_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define SP_STACK_NEW  UINT32_MAX       /* not touched yet */
#define SP_STACK_OPEN (UINT32_MAX - 1) /* open */

/* Words of a group; groups of a group further out: 2^5 and 2^4. Both have sums of 64 bytes. */
enum { SP_STACK_WORDS = 5, SP_STACK_GROUPS = 4, SP_STACK_LEVELS = 6 };

struct sp_stack {
    int64_t n_lines;
    uint32_t *place; /* [n_lines] time of the last touch or one of the above */
    int64_t n_times; /* length of the time line, a multiple of 2048 */
    uint64_t *bits;  /* [n_times / 64] */
    /* Bits in what comes before in the same group: up to the word or group of `now`. */
    uint16_t *before;                 /* [n_times / 64] of each word */
    uint32_t *outer[SP_STACK_LEVELS]; /* [n_outer] of each group */
    int64_t n_outer[SP_STACK_LEVELS];
    int n_levels;
    int64_t now;    /* next free time */
    int64_t n_bits; /* lines that hold one */
    int64_t n_open;
};

enum sp_status sp_stack_make(int64_t n_lines, struct sp_stack *s, struct sp_error *err);
void sp_stack_free(struct sp_stack *s);

/* Pushes the bits together; called by sp_stack_append when the time line is full. */
void sp_stack_squeeze(struct sp_stack *s);
/* Sums for the word that begins at `now`; called by sp_stack_append. */
void sp_stack_next_word(struct sp_stack *s);

/* Lines touched after time `place`, without the open ones. */
static inline __attribute__((always_inline)) int64_t sp_stack_after(const struct sp_stack *s, uint32_t place)
{
    uint32_t at = place >> 6;
    int64_t n = __builtin_popcountll(s->bits[at] << (63 - (place & 63))) + s->before[at];
    at >>= SP_STACK_WORDS;
    for (int k = 0; k < s->n_levels; k++, at >>= SP_STACK_GROUPS)
        n += s->outer[k][at];
    return s->n_bits - n;
}

/* Of a place that is asked for and taken away soon; any value of s->place. */
static inline __attribute__((always_inline)) void sp_stack_prefetch(const struct sp_stack *s, uint32_t place)
{
    if (place < SP_STACK_OPEN) {
        __builtin_prefetch(&s->bits[place >> 6], 1);
        __builtin_prefetch(&s->before[place >> 6], 1);
    }
}

/* The touch at `place` is no longer its line's last. */
static inline __attribute__((always_inline)) void sp_stack_remove(struct sp_stack *s, uint32_t place)
{
    enum { WORDS = 1 << SP_STACK_WORDS, GROUPS = 1 << SP_STACK_GROUPS };
    uint32_t at = place >> 6;
    s->bits[at] &= ~(UINT64_C(1) << (place & 63));
    s->n_bits--;
    uint16_t *before = s->before + at / WORDS * WORDS;
    for (int i = 0; i < WORDS; i++)
        before[i] = (uint16_t)(before[i] - ((int16_t)i > (int16_t)(at % WORDS)));
    at /= WORDS;
    for (int k = 0; k < s->n_levels; k++, at /= GROUPS) {
        uint32_t *outer = s->outer[k] + at / GROUPS * GROUPS;
        for (int32_t i = 0; i < GROUPS; i++)
            outer[i] -= i > (int32_t)(at % GROUPS);
    }
}

/* A touch now, of a line that holds no bit. */
static inline __attribute__((always_inline)) void sp_stack_append(struct sp_stack *s, uint32_t line)
{
    if (s->now == s->n_times)
        sp_stack_squeeze(s);
    s->place[line] = (uint32_t)s->now;
    s->bits[s->now >> 6] |= UINT64_C(1) << (s->now & 63);
    s->n_bits++;
    if (++s->now % 64 == 0)
        sp_stack_next_word(s);
}

/* Distances are kept by the smallest of a series of capacities that hits: 16 an octave, from 16
 * lines. */
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
