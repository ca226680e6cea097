/* One set under LRU, whose words stand in the order of their last use (struct sp_sets): looked
 * through and moved four words at a time without a branch, so that a processor works on several
 * sets at once. stride is a multiple of 4; where it is a constant there is no loop either. */
#ifndef SP_MODEL_LRU_SET_H
#define SP_MODEL_LRU_SET_H

#include <stdint.h>

enum { SP_LRU_SET_WAYS = 32 }; /* at most */

typedef uint32_t sp_lru_words __attribute__((vector_size(16), may_alias));
typedef int32_t sp_lru_lanes __attribute__((vector_size(16)));

/* Bit w: way w holds the line of `word`, dirty or not. */
static inline __attribute__((always_inline)) uint32_t sp_lru_set_find(const uint32_t *set, uint32_t word,
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
static inline __attribute__((always_inline)) void sp_lru_set_front(uint32_t *set, int way, uint32_t word,
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

#endif
