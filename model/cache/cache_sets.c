#include "model/cache/cache_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { AGE_NEW = 2, AGE_EVICT = 3 };

enum sp_status sp_sets_make(int64_t capacity_lines, int ways, enum sp_policy policy, uint64_t seed,
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
    /* Whole vectors at vector alignment, so that a set does not straddle more host lines than it must. */
    size_t bytes = (size_t)(s->n_sets * s->stride) * sizeof *s->word;
    s->word = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!s->word)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for %s", what);
    if (policy == SP_RRIP) {
        enum sp_status status = sp_new_array(s->n_sets * s->stride, 1, what, (void **)&s->age, err);
        if (status != SP_OK) {
            sp_sets_free(s);
            return status;
        }
    }
    sp_sets_clear(s);
    return SP_OK;
}

void sp_sets_free(struct sp_sets *s)
{
    free(s->word);
    free(s->age);
    memset(s, 0, sizeof *s);
}

void sp_sets_clear(struct sp_sets *s)
{
    memset(s->word, 0, (size_t)(s->n_sets * s->stride) * sizeof *s->word);
    if (s->age)
        memset(s->age, 0, (size_t)(s->n_sets * s->stride));
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

uint32_t sp_sets_insert(struct sp_sets *s, uint32_t *set, uint32_t word)
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

uint32_t sp_sets_remove(struct sp_sets *s, uint32_t line)
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
