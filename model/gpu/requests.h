/* What the warps of a GPU launch ask of the arrays, request by request, in the order that
 * sparse/launch/gpu_launch.h states: without a GPU, from the launch and the layout alone. */
#ifndef SP_MODEL_GPU_REQUESTS_H
#define SP_MODEL_GPU_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/formats/layout.h"
#include "sparse/launch/gpu_launch.h"

/* CARRY_ROW and CARRY_VAL are MERGE's and SHARE's: items of 8 and s_x bytes, but of 4 where s_x is
 * 2. An item of BLOCK is 4 bytes of a struct sp_staged_block, the other arrays have those that the
 * kernels know them by. */
enum sp_gpu_array {
    SP_GPU_PTR,
    SP_GPU_LEN,
    SP_GPU_INDEX_PTR,
    SP_GPU_COLUMN_PTR,
    SP_GPU_BLOCK,
    SP_GPU_LIST,
    SP_GPU_ROW_INDEX,
    SP_GPU_COL,
    SP_GPU_VAL,
    SP_GPU_X,
    SP_GPU_SECOND,
    SP_GPU_ROWS,
    SP_GPU_PERM,
    SP_GPU_START,
    SP_GPU_Y,
    SP_GPU_CARRY_ROW,
    SP_GPU_CARRY_VAL,
    SP_N_GPU_ARRAYS
};
/* COPY: an asynchronous copy to shared memory (cp.async.cg), past the L1; counted apart. */
enum sp_gpu_access { SP_GPU_LOAD, SP_GPU_COPY, SP_GPU_STORE, SP_GPU_ATOMIC, SP_N_GPU_ACCESSES };

/* Operands whose rows (SpMV: elements) are gathered by column indices: x, and FusedMM's second. */
static inline bool sp_gpu_is_gathered(enum sp_gpu_array array)
{
    return array == SP_GPU_X || array == SP_GPU_SECOND;
}

/* Every array begins at a multiple of this. */
enum { SP_GPU_ALIGN_B = 256 };
/* Items of BLOCK in a struct sp_staged_block. */
enum { SP_GPU_BLOCK_ITEMS = sizeof(struct sp_staged_block) / sizeof(int32_t) };

/* A launch with what its requests are made of. */
struct sp_gpu_grid {
    const struct sp_layout *layout; /* borrowed */
    struct sp_gpu_launch launch;
    int64_t
        *start; /* MERGE, SHARE [sp_gpu_shares() + 1], STAGE [n_chunks], BINS [n_long]; else NULL; owned */
    int lanes_of_8B, lanes_of_16B; /* struct sp_gpu_sector_lanes; 0: the warp */
    bool walks_all; /* for tests: also where warps have whole runs of columns (model/gpu/coalesce.h) */
    int item_shift[SP_N_GPU_ARRAYS];  /* an item has 2^shift bytes */
    int64_t n_items[SP_N_GPU_ARRAYS]; /* of each array, 0: the launch has none */
};

enum sp_status sp_gpu_grid_make(const struct sp_layout *layout, const struct sp_gpu_launch *launch,
                                struct sp_gpu_grid *grid, struct sp_error *err);
void sp_gpu_grid_free(struct sp_gpu_grid *grid);

static inline int64_t sp_gpu_array_bytes(const struct sp_gpu_grid *g, enum sp_gpu_array array)
{
    return g->n_items[array] << g->item_shift[array];
}

/* Lanes of a warp whose sectors are counted together, where each asks for so many bytes. */
static inline int sp_gpu_lanes_together(const struct sp_gpu_grid *g, int access_B)
{
    const int lanes = access_B > 8 ? g->lanes_of_16B : access_B > 4 ? g->lanes_of_8B : 0;
    return lanes > 0 ? lanes : SP_WARP;
}

/* Blocks of the second grid of MERGE and SHARE, which adds what was carried; else 0. */
int64_t sp_gpu_carry_blocks(const struct sp_gpu_grid *grid);

struct sp_gpu_request {
    enum sp_gpu_array array;
    enum sp_gpu_access access;
    uint32_t active; /* lanes that ask, bit by bit; never 0 */
    int width;       /* neighbouring items that each of them asks for: a power of two, 16 bytes at most, at
                        a multiple of it, so that all are in one sector */
    bool in_order;   /* items do not descend with the lane */
    const int64_t *item; /* [SP_WARP] first item of the array that each active lane asks for; valid until the
                            next step of the cursor */
};

/* Where a warp is. Steps are those of the launch's map; model/gpu/walk_*.c say what they are. */
struct sp_gpu_cursor {
    const struct sp_gpu_grid *grid;
    const struct sp_gpu_walk *walk; /* model/gpu/requests.h */
    int64_t block;
    int first_thread; /* of the warp, in its block */
    int step, inner_step;
    int pass, turn, vector; /* of loops, the outermost first */
    uint32_t lanes;         /* those that take part at all */
    uint32_t active;
    uint32_t ending;         /* SHARE: those whose row has just ended */
    bool gathers_only;       /* requests for x alone are wanted: others may be left out */
    int64_t slots;           /* left, or of the longest lane */
    int64_t row, first;      /* of the warp; its first entry, or item */
    int64_t from, to;        /* entries, or items, that are left */
    int64_t part, part_end;  /* of a loop inside it */
    int64_t tile, k;         /* column that a tile of the width begins with; a column in it */
    int64_t at[SP_WARP];     /* entry of each lane, in MERGE's last part the row */
    int64_t end[SP_WARP];    /* of the lane's entries; there the first row that ends, -1: none */
    int64_t named[SP_WARP];  /* what a request names, where this is not the entry */
    int64_t place[SP_WARP];  /* dense operands: row, or lane of a chunk, that a lane has */
    int32_t column[SP_WARP]; /* the column of its load */
};

/* Warp `warp` of block `block`; 0 <= warp < sp_gpu_block_warps(). All its requests, until
 * `gathers_only` is set. */
void sp_gpu_cursor_open(const struct sp_gpu_grid *grid, int64_t block, int warp, struct sp_gpu_cursor *c);
/* The same of the second grid. */
void sp_gpu_cursor_open_carry(const struct sp_gpu_grid *grid, int64_t block, int warp,
                              struct sp_gpu_cursor *c);
/* The next request; false: the warp has ended. */
bool sp_gpu_cursor_next(struct sp_gpu_cursor *c, struct sp_gpu_request *request);

/* What requests add up to. */

enum { SP_GPU_SECTOR_B = 32, SP_GPU_SECTOR_SHIFT = 5 };
/* Sectors that an L1 passes in a cycle, of one request. */
enum { SP_GPU_CYCLE_SECTORS = 4 };

/* Of one array and one kind of access, over a whole execution. */
struct sp_gpu_sectors {
    int64_t requests, sectors;
    int64_t counted; /* sectors as the counter has them: those of each part of a warp that is counted by
                        itself (sector lanes of the grid) */
    int64_t cycles;  /* of an L1, one at least for each request */
    int64_t lanes;   /* that asked */
    int64_t items;   /* distinct ones of each request: items times their size is what lanes use of the bytes
                      that sectors bring */
};

struct sp_coalescing {
    struct sp_gpu_sectors of[SP_N_GPU_ARRAYS][SP_N_GPU_ACCESSES];
    int64_t most_steps;   /* requests for gathered operands of the warp that has most */
    int64_t most_carried; /* requests for carried sums of the warp that has most */
};

/* How a cursor (model/gpu/requests.h) goes through the requests of a warp: one walk for each kind
 * of map. Private to model. */

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
extern const struct sp_gpu_walk sp_gpu_walk_share_parts; /* that of 16-bit storage */
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
