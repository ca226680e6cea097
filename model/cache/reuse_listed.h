/* The followed lines of x of each row of a permuted layout, found in one pass over the matrix as it stands: a
 * walk over its rows in the new order would jump through the whole of it, for a few of its entries. */
#ifndef SP_MODEL_REUSE_LISTED_H
#define SP_MODEL_REUSE_LISTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/trace/trace.h"

/* Of each 2^stratum consecutive lines one is followed: where x is read in runs, as in stencils and bands, the
 * sample then holds the same share of every run, which a line by line choice does only on average. */
struct sp_line_sample {
    int stratum; /* 1 ... 31 */
    uint32_t salt;
};

/* Lines are spread by a multiplication modulo 2^32 (Knuth's golden-ratio hashing) after a xor with the seed.
 */
static inline uint32_t sp_line_hash(struct sp_line_sample sample, uint32_t line)
{
    uint32_t h = (line ^ sample.salt) * UINT32_C(0x9e3779b1);
    return (h ^ h >> 15) * UINT32_C(0x85ebca6b);
}

/* Lines are counted from the first one of x. */
static inline bool sp_line_is_followed(struct sp_line_sample sample, uint32_t line)
{
    uint32_t place = line & ((UINT32_C(1) << sample.stratum) - 1);
    return place == sp_line_hash(sample, line >> sample.stratum) >> (32 - sample.stratum);
}

struct sp_followed {
    int64_t n_r;
    int64_t *start; /* [n_r + 1] rows in the new order */
    int32_t *line;  /* [start[n_r]] ascending in a row, the line of each entry whose line is followed */
};

/* touched[lines of x]: gets 1 for every line that an entry is in. SP_MEMORY; zeroed then. */
enum sp_status sp_followed_list(const struct sp_trace *trace, struct sp_line_sample sample, uint8_t *touched,
                                struct sp_followed *list, struct sp_error *err);
void sp_followed_free(struct sp_followed *list);

/* The lines listed for the entries [first, end) of the row, of which it has `length`: they count as evenly
 * spread over it. */
static inline void sp_followed_part(const struct sp_followed *list, int64_t row, int64_t length,
                                    int64_t first, int64_t end, int64_t *from, int64_t *to)
{
    int64_t n = list->start[row + 1] - list->start[row];
    *from = list->start[row] + (first * n + length - 1) / length;
    *to = list->start[row] + (end * n + length - 1) / length;
}

#endif
