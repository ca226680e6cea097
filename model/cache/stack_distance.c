#include "model/cache/stack_distance.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { GROUP = 64 << SP_STACK_WORDS, LANES = 1 << SP_STACK_GROUPS };

/* Groups of a level, rounded up to whole sums. */
static int64_t whole(int64_t n)
{
    return (n + LANES - 1) / LANES * LANES;
}

/* Sums of times that have not come are set when they do. */
static void clear_times(struct sp_stack *s)
{
    memset(s->bits, 0, (size_t)(s->n_times / 64) * sizeof *s->bits);
    s->now = s->n_bits = 0;
    s->before[0] = 0;
    for (int k = 0; k < s->n_levels; k++)
        s->outer[k][0] = 0;
}

static void clear(struct sp_stack *s)
{
    memset(s->place, 0xff, (size_t)s->n_lines * sizeof *s->place);
    clear_times(s);
    s->n_open = 0;
}

enum sp_status sp_stack_make(int64_t n_lines, struct sp_stack *s, struct sp_error *err)
{
    static const char what[] = "the reuse distances";
    memset(s, 0, sizeof *s);
    s->n_lines = n_lines;
    s->n_times = (2 * n_lines / GROUP + 2) * GROUP;
    void *p;
    enum sp_status status = sp_new_array(n_lines, sizeof *s->place, what, (void **)&s->place, err);
    if (status == SP_OK)
        status = sp_new_array(s->n_times / 64, sizeof *s->bits, what, (void **)&s->bits, err);
    if (status == SP_OK)
        status = sp_large_alloc(NULL, s->n_times / 64, sizeof *s->before, what, &p, err);
    s->before = status == SP_OK ? p : NULL;
    for (int64_t n = s->n_times / GROUP; status == SP_OK && (n > 1 || s->n_levels == 0); n = n / LANES) {
        const int k = s->n_levels++;
        n = s->n_outer[k] = whole(n);
        status = sp_large_alloc(NULL, n, sizeof *s->outer[k], what, &p, err);
        s->outer[k] = status == SP_OK ? p : NULL;
    }
    if (status != SP_OK) {
        sp_stack_free(s);
        return status;
    }
    clear(s);
    return SP_OK;
}

void sp_stack_free(struct sp_stack *s)
{
    free(s->place);
    free(s->bits);
    sp_large_free(NULL, s->before, s->n_times / 64, sizeof *s->before);
    for (int k = 0; k < s->n_levels; k++)
        sp_large_free(NULL, s->outer[k], s->n_outer[k], sizeof *s->outer[k]);
    memset(s, 0, sizeof *s);
}

void sp_stack_next_word(struct sp_stack *s)
{
    int64_t at = s->now >> 6;
    if (s->now == s->n_times) /* the squeeze comes next */
        return;
    uint32_t n = s->before[at - 1] + (uint32_t)__builtin_popcountll(s->bits[at - 1]);
    const bool begins = at % (1 << SP_STACK_WORDS) == 0;
    s->before[at] = begins ? 0 : (uint16_t)n;
    at >>= SP_STACK_WORDS;
    for (int k = 0; begins && k < s->n_levels; k++, at >>= SP_STACK_GROUPS) {
        n += s->outer[k][at - 1];
        s->outer[k][at] = at % LANES == 0 ? 0 : n;
        if (at % LANES != 0)
            return;
    }
}

void sp_stack_squeeze(struct sp_stack *s)
{
    const int64_t n = s->n_bits;
    for (int64_t i = 0; i < s->n_lines; i++)
        if (s->place[i] < SP_STACK_OPEN)
            s->place[i] = (uint32_t)(n - 1 - sp_stack_after(s, s->place[i]));
    clear_times(s);
    s->n_bits = n;
    for (; s->now + 64 <= n; sp_stack_next_word(s)) {
        s->bits[s->now >> 6] = UINT64_MAX;
        s->now += 64;
    }
    if (n % 64)
        s->bits[n / 64] = (UINT64_C(1) << n % 64) - 1;
    s->now = n;
}
