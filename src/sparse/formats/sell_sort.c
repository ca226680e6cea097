/* Sorting of rows by length inside windows, and beta(C, sigma) from row lengths alone. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/formats/layout_build.h"

/* Lengths below this many are sorted by counting; the few rows that are longer by comparison. So a window
 * costs its rows and not its longest row. */
static int64_t counted_lengths(int64_t sigma)
{
    return sigma < 1024 ? 1024 : sigma;
}

enum sp_status sp_sell_sorter_make(int64_t n_r, int64_t sigma, struct sp_sell_sorter *sorter,
                                   struct sp_error *err)
{
    memset(sorter, 0, sizeof *sorter);
    int64_t window = sigma < n_r ? sigma : n_r;
    sorter->n_lengths = counted_lengths(window);
    void *start, *long_key = NULL;
    enum sp_status status =
        sp_new_array(sorter->n_lengths + 1, sizeof *sorter->start, "sorting rows by length", &start, err);
    if (status == SP_OK)
        status = sp_new_array(window, sizeof *sorter->long_key, "sorting rows by length", &long_key, err);
    sorter->start = start;
    sorter->long_key = long_key;
    if (status != SP_OK)
        sp_sell_sorter_free(sorter);
    return status;
}

void sp_sell_sorter_free(struct sp_sell_sorter *sorter)
{
    free(sorter->start);
    free(sorter->long_key);
    memset(sorter, 0, sizeof *sorter);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void sp_sell_sort_window(struct sp_sell_sorter *s, const int64_t *row_ptr, int64_t first, int64_t n,
                         int32_t *perm)
{
    const int64_t *ptr = row_ptr + first;
    int64_t n_long = 0, low = s->n_lengths, high = -1; /* counted lengths lie in [low, high] */
    for (int64_t i = 0; i < n; i++) {
        int64_t length = ptr[i + 1] - ptr[i];
        if (length >= s->n_lengths) {
            s->long_key[n_long++] = (uint64_t)(INT32_MAX - length) << 32 | (uint64_t)i;
            continue;
        }
        s->start[length]++;
        low = length < low ? length : low;
        high = length > high ? length : high;
    }
    sp_sort_by(s->long_key, n_long, sizeof *s->long_key, compare_keys);
    for (int64_t k = 0; k < n_long; k++)
        perm[k] = (int32_t)(first + (int64_t)(s->long_key[k] & UINT32_MAX));
    int64_t position = n_long;
    for (int64_t length = high; length >= low; length--) {
        int64_t count = s->start[length];
        s->start[length] = position;
        position += count;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t length = ptr[i + 1] - ptr[i];
        if (length < s->n_lengths)
            perm[s->start[length]++] = (int32_t)(first + i);
    }
    for (int64_t length = low; length <= high; length++)
        s->start[length] = 0;
}

/* Slots of the chunks of one window: in descending order of length the rows at positions 0, C, 2 C, ... are
 * the longest of their chunks. */
static int64_t window_slots(struct sp_sell_sorter *s, const int64_t *ptr, int64_t n, int32_t C)
{
    int64_t n_long = 0, low = s->n_lengths, high = -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t length = ptr[i + 1] - ptr[i];
        if (length >= s->n_lengths) {
            s->long_key[n_long++] = (uint64_t)(INT32_MAX - length);
            continue;
        }
        s->start[length]++;
        low = length < low ? length : low;
        high = length > high ? length : high;
    }
    sp_sort_by(s->long_key, n_long, sizeof *s->long_key, compare_keys);
    int64_t slots = 0, leader = 0; /* position of the next chunk's longest row */
    for (; leader < n_long; leader += C)
        slots += INT32_MAX - (int64_t)s->long_key[leader];
    int64_t position = n_long;
    for (int64_t length = high; length >= low; length--) {
        position += s->start[length];
        s->start[length] = 0;
        if (leader < position) {
            int64_t leaders = (position - leader + C - 1) / C;
            slots += leaders * length;
            leader += leaders * C;
        }
    }
    return slots;
}

static int64_t unsorted_slots(const int64_t *row_ptr, int64_t n_r, int32_t C)
{
    int64_t n_chunks = (n_r + C - 1) / C, slots = 0;
#pragma omp parallel for schedule(static) reduction(+ : slots)
    for (int64_t k = 0; k < n_chunks; k++) {
        int64_t end = (k + 1) * C < n_r ? (k + 1) * C : n_r, longest = 0;
        for (int64_t i = k * C; i < end; i++) {
            int64_t length = row_ptr[i + 1] - row_ptr[i];
            longest = length > longest ? length : longest;
        }
        slots += longest;
    }
    return slots;
}

double sp_sell_beta(const struct sp_pattern *a, int32_t C, int64_t sigma)
{
    if (a->n_nz == 0)
        return 1.0;
    if (sigma <= C)
        return (double)a->n_nz / ((double)unsorted_slots(a->row_ptr, a->n_r, C) * C);
    int64_t n_windows = (a->n_r + sigma - 1) / sigma, slots = 0;
    bool failed = false;
#pragma omp parallel reduction(+ : slots) reduction(|| : failed) if (n_windows > 1)
    {
        struct sp_sell_sorter sorter;
        failed = sp_sell_sorter_make(a->n_r, sigma, &sorter, NULL) != SP_OK;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n_windows; i++) {
            int64_t first = i * sigma, end = first + sigma < a->n_r ? first + sigma : a->n_r;
            if (!failed)
                slots += window_slots(&sorter, a->row_ptr + first, end - first, C);
        }
        sp_sell_sorter_free(&sorter);
    }
    /* Without memory for one window: the unsorted beta, a lower bound. */
    if (failed)
        slots = unsorted_slots(a->row_ptr, a->n_r, C);
    return (double)a->n_nz / ((double)slots * C);
}
