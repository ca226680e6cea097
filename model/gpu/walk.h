/* How a cursor (model/gpu/requests.h) goes through the requests of a warp: one walk for each kind
 * of map. Private to model. */
#ifndef SP_MODEL_GPU_WALK_H
#define SP_MODEL_GPU_WALK_H

#include "model/gpu/requests.h"

struct sp_gpu_walk {
    /* grid, block and first_thread are set. */
    void (*begin)(struct sp_gpu_cursor *cursor);
    bool (*next)(struct sp_gpu_cursor *cursor, struct sp_gpu_request *request);
};

extern const struct sp_gpu_walk sp_gpu_walk_rows;        /* THREAD, LANES, KEEP, BINS */
extern const struct sp_gpu_walk sp_gpu_walk_chunk;       /* CHUNK */
extern const struct sp_gpu_walk sp_gpu_walk_merge;       /* MERGE */
extern const struct sp_gpu_walk sp_gpu_walk_carry;       /* MERGE's second grid */
extern const struct sp_gpu_walk sp_gpu_walk_columns;     /* OUTPUT, GROUP, ROW, SLOT */
extern const struct sp_gpu_walk sp_gpu_walk_share;       /* SHARE */
extern const struct sp_gpu_walk sp_gpu_walk_share_carry; /* its second grid */
extern const struct sp_gpu_walk sp_gpu_walk_stage;       /* STAGE */
extern const struct sp_gpu_walk sp_gpu_walk_sample;      /* SAMPLE, EQUAL */
extern const struct sp_gpu_walk sp_gpu_walk_tile;        /* TILE */
extern const struct sp_gpu_walk sp_gpu_walk_fused;       /* FUSED, `vectors` not 0 */
extern const struct sp_gpu_walk sp_gpu_walk_wide;        /* FUSED, `vectors` 0 */
extern const struct sp_gpu_walk sp_gpu_walk_mma;         /* MMA */

/* One element for each active lane, `item` as in struct sp_gpu_request. Both return true. */
static inline bool sp_gpu_load(struct sp_gpu_request *r, enum sp_gpu_array array, uint32_t active,
                               const int64_t *item, bool in_order)
{
    *r = (struct sp_gpu_request){array, SP_GPU_LOAD, active, 1, in_order, item};
    return true;
}
static inline bool sp_gpu_store(struct sp_gpu_request *r, enum sp_gpu_array array, uint32_t active,
                                const int64_t *item, bool in_order)
{
    *r = (struct sp_gpu_request){array, SP_GPU_STORE, active, 1, in_order, item};
    return true;
}

/* `width` elements for each active lane. */
static inline bool sp_gpu_load_wide(struct sp_gpu_request *r, enum sp_gpu_array array, uint32_t active,
                                    const int64_t *item, int width, bool in_order)
{
    *r = (struct sp_gpu_request){array, SP_GPU_LOAD, active, width, in_order, item};
    return true;
}
static inline bool sp_gpu_store_wide(struct sp_gpu_request *r, enum sp_gpu_array array, uint32_t active,
                                     const int64_t *item, int width, bool in_order)
{
    *r = (struct sp_gpu_request){array, SP_GPU_STORE, active, width, in_order, item};
    return true;
}

static inline uint32_t sp_gpu_bit(int lane)
{
    return UINT32_C(1) << lane;
}

/* The first n lanes. */
static inline uint32_t sp_gpu_first_lanes(int64_t n)
{
    return n >= SP_WARP ? UINT32_MAX : n > 0 ? sp_gpu_bit((int)n) - 1 : 0;
}

/* The warp's first thread, of a grid whose blocks have so many. */
static inline int64_t sp_gpu_grid_thread(const struct sp_gpu_cursor *c, int threads)
{
    return c->block * threads + c->first_thread;
}

/* named[]: the same item for all lanes. */
static inline void sp_gpu_name_one(struct sp_gpu_cursor *c, int64_t item)
{
    for (int lane = 0; lane < SP_WARP; lane++)
        c->named[lane] = item;
}

/* The active lanes are those whose entries at[] are before end[]. */
static inline void sp_gpu_activate(struct sp_gpu_cursor *c)
{
    c->active = 0;
    for (int lane = 0; lane < SP_WARP; lane++)
        c->active |= (uint32_t)(c->at[lane] < c->end[lane]) << lane;
}

#endif
