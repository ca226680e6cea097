/* Up to 32 entries that the teams of a warp have in turn, four of a team together, as SAMPLE, EQUAL, and
 * FUSED with wide rows have them: the part of their walks up to the products. Private to model. */
#ifndef SP_MODEL_GPU_WALK_BATCH_H
#define SP_MODEL_GPU_WALK_BATCH_H

#include "model/gpu/walk.h"

/* Threads of a warp whose entries are those of one pass. */
static inline int sp_gpu_teams(const struct sp_gpu_cursor *c)
{
    return SP_WARP / c->grid->launch.column_lanes;
}

/* at[]: the entry of each lane in pass `pass` from entry c->from on. Returns the lanes for which it is before
 * c->to. */
uint32_t sp_gpu_name_entries(struct sp_gpu_cursor *c, int pass);
/* The same for the one entry that each lane keeps: that of pass `its number in the team`. */
uint32_t sp_gpu_name_kept(struct sp_gpu_cursor *c);

/* Lanes whose load begins in the row of the operand, of those whose columns begin at c->k. */
uint32_t sp_gpu_lanes_in_row(const struct sp_gpu_cursor *c);
/* named[]: c->k and the lane's columns after it, in row `row`. */
void sp_gpu_name_row(struct sp_gpu_cursor *c, int64_t row);
/* The same in the rows that the column indices of the active lanes' entries at[] name. */
void sp_gpu_name_gathered(struct sp_gpu_cursor *c);

/* Begins a batch with entry c->from; the entries end before c->to. c->row is the warp's. */
void sp_gpu_batch_open(struct sp_gpu_cursor *c);
/* false: there are all products. */
bool sp_gpu_batch_next(struct sp_gpu_cursor *c, struct sp_gpu_request *r);

/* Opens a warp that has a row: c->row, c->from, c->to. false: there is no such row. */
bool sp_gpu_open_row(struct sp_gpu_cursor *c);
/* ptr[row] (0) or ptr[row + 1] (1) by all lanes. */
bool sp_gpu_load_ptr(struct sp_gpu_cursor *c, struct sp_gpu_request *r, int more);

#endif
