#include "model/cache/stack_distance.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK = 64 * SP_STACK_BLOCK_WORDS };

enum sp_status sp_stack_make(int64_t n_lines, struct sp_stack *s, struct sp_error *err)
{
    static const char what[] = "the reuse distances";
    memset(s, 0, sizeof *s);
    s->n_lines = n_lines;
    s->n_times = (2 * n_lines / BLOCK + 8) * BLOCK;
    enum sp_status status = sp_new_array(n_lines, sizeof *s->place, what, (void **)&s->place, err);
    if (status == SP_OK)
        status = sp_new_array(s->n_times / 64, sizeof *s->bits, what, (void **)&s->bits, err);
    if (status == SP_OK)
        status = sp_new_array(s->n_times / 64, sizeof *s->before, what, (void **)&s->before, err);
    if (status == SP_OK)
        status = sp_new_array(s->n_times / BLOCK + 1, sizeof *s->tree, what, (void **)&s->tree, err);
    if (status != SP_OK) {
        sp_stack_free(s);
        return status;
    }
    sp_stack_clear(s);
    return SP_OK;
}

void sp_stack_free(struct sp_stack *s)
{
    free(s->place);
    free(s->bits);
    free(s->before);
    free(s->tree);
    memset(s, 0, sizeof *s);
}

static void clear_times(struct sp_stack *s)
{
    memset(s->bits, 0, (size_t)(s->n_times / 64) * sizeof *s->bits);
    memset(s->tree, 0, (size_t)(s->n_times / BLOCK + 1) * sizeof *s->tree);
    s->now = s->n_before = 0;
}

void sp_stack_clear(struct sp_stack *s)
{
    memset(s->place, 0xff, (size_t)s->n_lines * sizeof *s->place);
    clear_times(s);
    s->n_open = 0;
}

void sp_stack_squeeze(struct sp_stack *s)
{
    uint32_t n = 0;
    for (int64_t w = 0; w < s->n_times / 64; w++) {
        s->before[w] = n;
        n += (uint32_t)__builtin_popcountll(s->bits[w]);
    }
    for (int64_t i = 0; i < s->n_lines; i++) {
        uint32_t place = s->place[i];
        if (place >= SP_STACK_OPEN)
            continue;
        uint64_t below = s->bits[place >> 6] & ((UINT64_C(1) << (place & 63)) - 1);
        s->place[i] = s->before[place >> 6] + (uint32_t)__builtin_popcountll(below);
    }
    clear_times(s);
    for (int64_t w = 0; w < n / 64; w++)
        s->bits[w] = UINT64_MAX;
    if (n % 64)
        s->bits[n / 64] = (UINT64_C(1) << n % 64) - 1;
    s->now = n;
    int64_t full = n / BLOCK, n_blocks = s->n_times / BLOCK;
    s->n_before = full * BLOCK;
    for (int64_t b = 1; b <= n_blocks; b++) {
        int64_t first = b - (b & -b);
        int64_t end = b < full ? b : full;
        s->tree[b] = end > first ? (uint32_t)((end - first) * BLOCK) : 0;
    }
}
