/* One set-associative cache, its lines without their contents.
 *
 * A word is (line + 1) << 1 | dirty, 0 when empty. Under LRU the words of a set stand in the order of their
 * last use, so that a set is one or two lines of the host's memory and nothing else has to be kept. */
#ifndef SP_MODEL_CACHE_SETS_H
#define SP_MODEL_CACHE_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"
#include "model/machine.h"

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

/* capacity_lines is rounded down to whole sets, at least one. */
enum sp_status sp_sets_make(int64_t capacity_lines, int ways, enum sp_policy policy, uint64_t seed,
                            struct sp_sets *sets, struct sp_error *err);
void sp_sets_free(struct sp_sets *sets);
void sp_sets_clear(struct sp_sets *sets);

/* First word of the set of a line. Where n_sets is a power of two the set is line mod n_sets, else too
 * (Lemire, Kaser, Kurz 2019, exact for 32-bit lines). */
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

/* Puts a line in that is not there; returns the word that had to go, 0: none. */
uint32_t sp_sets_insert(struct sp_sets *s, uint32_t *set, uint32_t word);
/* Takes a line out; returns its word, 0: it was not there. */
uint32_t sp_sets_remove(struct sp_sets *s, uint32_t line);

#endif
