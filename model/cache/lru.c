#include "model/cache/lru.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
