/* 16-bit offsets instead of 32-bit column indices (index d16): what they store, known from the
 * pattern before anything is rewritten. sparse/formats/layout.h says how they are stored. */
#ifndef SP_SPARSE_OFFSETS_H
#define SP_SPARSE_OFFSETS_H

#include <stdint.h>

#include "base/status.h"
#include "sparse/product/workload.h"

struct sp_offsets {
    int64_t n_stored;      /* entries with fill */
    int64_t n_bases;       /* of 4 bytes each: rows (CRS), slots (SELL) */
    int64_t n_plain;       /* entries with fill that 32-bit indices store */
    int64_t n_broken_rows; /* CRS: rows that span more than SP_OFFSET_MAX columns. SELL: rows of chunks that
                              need more slots than their longest row has entries */
};

/* Index bytes with offsets and with 32-bit indices [B]. */
static inline double sp_offsets_index_B(const struct sp_offsets *o)
{
    return (double)o->n_stored * sizeof(uint16_t) + (double)o->n_bases * sizeof(int32_t);
}
static inline double sp_offsets_plain_B(const struct sp_offsets *o)
{
    return (double)o->n_plain * sizeof(int32_t);
}

/* For the workload's format (CRS or SELL), C, sigma, matrix; not its index. SP_MEMORY. */
enum sp_status sp_offsets_count(const struct sp_workload *w, struct sp_offsets *offsets,
                                struct sp_error *err);

/* SP_USAGE where a layout cannot be made: CRS with broken rows, SELL where values and indices
 * together would take more bytes than with 32-bit indices. The message says how many rows break
 * it. */
enum sp_status sp_offsets_check(const struct sp_workload *w, const struct sp_offsets *offsets,
                                struct sp_error *err);

#endif
