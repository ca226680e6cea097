#include "sparse/formats/streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    WINDOWS = 64,
    WINDOW_ENTRIES = 4096,
    SLOTS = 16384,
    NEAR = 4
}; /* slots: a power of two, four times the entries */

/* Lines that were seen in a window: an open hash table; -1: free. */
struct seen {
    int64_t line[SLOTS];
};

static int64_t slot_of(const struct seen *s, int64_t line)
{
    uint64_t at = (uint64_t)line * 0x9e3779b97f4a7c15u >> 50; /* 14 bits */
    while (s->line[at] >= 0 && s->line[at] != line)
        at = (at + 1) % SLOTS;
    return (int64_t)at;
}

/* Was a line near this one seen? Hardware follows streams inside pages, in any order of near lines. */
static bool is_followed(const struct seen *s, int64_t line)
{
    for (int64_t near = line > NEAR ? line - NEAR : 0; near <= line + NEAR; near++)
        if (near != line && s->line[slot_of(s, near)] == near)
            return true;
    return false;
}

/* A window of rows from `row` on; its first half only fills the table. */
static void look_at(const struct sp_csr *a, int64_t row, int64_t in_line, struct seen *s, int64_t *fresh,
                    int64_t *followed)
{
    memset(s->line, -1, sizeof s->line);
    int64_t entries = 0;
    for (; row < a->n_r && entries < WINDOW_ENTRIES; row++)
        for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1] && entries < WINDOW_ENTRIES;
             k++, entries++) {
            const int64_t line = a->col[k] / in_line, at = slot_of(s, line);
            if (s->line[at] == line)
                continue;
            if (entries >= WINDOW_ENTRIES / 2) {
                ++*fresh;
                *followed += is_followed(s, line);
            }
            s->line[at] = line;
        }
}

enum sp_status sp_streams_followed(const struct sp_csr *a, int64_t in_line, double *share,
                                   struct sp_error *err)
{
    void *memory;
    int64_t fresh = 0, followed = 0;
    *share = NAN;
    enum sp_status status = sp_new_array(1, sizeof(struct seen), "lines of x", &memory, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < WINDOWS; i++)
        look_at(a, a->n_r / WINDOWS * i, in_line, memory, &fresh, &followed);
    free(memory);
    if (fresh > 0)
        *share = (double)followed / (double)fresh;
    return SP_OK;
}
