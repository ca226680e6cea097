/* How the threads of a GPU share the work of a layout. Built once and shared by the kernel that is
 * launched so, the coalescing model that counts its sectors, and the tests that execute it on a
 * CPU. Pure: no GPU is asked.
 *
 * A warp is 32 neighbouring threads of a block; thread t of block b is thread T = b block_threads +
 * t of the grid. A request is what the active threads of a warp ask of one array with one
 * instruction. Every array begins at a multiple of 256 bytes. enum sp_gpu_map has each way of
 * sharing: who does what, then its requests in order, loads but for the last. */
#ifndef SP_SPARSE_GPU_LAUNCH_H
#define SP_SPARSE_GPU_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/formats/layout.h"

enum sp_gpu_map {
    /* CRS: thread T has row T < n_r.
     *     ptr[row], ptr[row + 1]; entry after entry, as long as a row of the warp has one: col,
     *     val, x; y.
     * Here and in MERGE, OUTPUT, GROUP, ROW, SHARE and SLOT up to SP_GPU_TOGETHER col and val are
     * asked for before their x, and an entry that a thread does not have is left out. */
    SP_GPU_THREAD,

    /* CRS: the `lanes` threads from T = row lanes have a row; entry j of it is that of their thread
     * j mod lanes.
     *     ptr[row], ptr[row + 1] by all; col, val, x as above; y by the first thread of each
     *     row. */
    SP_GPU_LANES,

    /* CRS: row ends and entries in order, an entry before the end of its row, are n_r + n_nz items.
     * Block b has the sp_gpu_block_items() of them from b times that many; start[b] rows have ended
     * before (n_blocks + 1 int64_t, sp_gpu_merge_starts). Thread t of it has `items` of these, from
     * t items.
     *     start[b], start[b + 1] by all; ptr[row + 1] of the rows that end in the block, thread t
     *     those at t, t + block_threads, ... from the first; col, val, x of the block's entries,
     *     thread t those at t, t + block_threads, ... from the last multiple of 32 that is not
     *     after the first of them (entries before it left out); then, item after item, y by the
     *     threads whose item is the end of a row, but the first row that ends in a thread: that y
     *     follows last, by all threads that have one. Then carry_row[b], carry_val[b] written by
     *     the last thread: the sum of the row that is cut at the block's end (row n_r: none).
     * A second grid of blocks of SP_GPU_CARRY_THREADS threads adds them: thread T < n_blocks loads
     * carry_row[T], carry_val[T], and the last thread of a block for each row adds to its y
     * atomically: complex numbers in two requests of 8 bytes each, the real parts first. */
    SP_GPU_MERGE,

    /* CRS, 32-bit indices: as LANES, but col and val are the first that the L2 gives up, and x the
     * last. */
    SP_GPU_KEEP,

    /* CRS, 32-bit indices: rows of more than `items` entries are long; there is one at least. Block
     * b < n_long has row start[b] (n_long int64_t, sp_gpu_long_rows), entry j of it is that of
     * thread j mod block_threads. The other blocks, counted from n_long on, have the others as
     * LANES does.
     *     start[b] by all, ptr[row], ptr[row + 1] by all; col, val, x as above; y by the block's
     *     first thread. Others as LANES, without entries and y of the rows that are long. */
    SP_GPU_BINS,

    /* SELL with C a multiple of 32: thread T < n_chunks C has lane T mod C of chunk T div C.
     *     ptr[chunk], len[chunk]; slot after slot, fill and lanes without a row included: col, val,
     *     x; then perm, where rows are sorted; y by lanes that have a row. */
    SP_GPU_CHUNK,

    /* This and all below: dense operands of r columns, row-major. A thread loads `vector` columns
     * at once; the `column_lanes` threads of a team have neighbouring ones, `vectors` times where a
     * tile of the width is wider than the team, each time the next columns for all of them. Threads
     * without columns in the row do not ask; those of GROUP, ROW and SLOT ask for the last ones of
     * the row. Block b has tile b mod n_tiles of the width, and is block b div n_tiles of those
     * with this tile: b and T are counted among these.
     *
     * SpMMV in CRS: as ROW. */
    SP_GPU_GROUP,

    /* SpMMV in SELL: team T div column_lanes has place p of the chunks, lane p mod C of chunk p div
     * C.
     *     ptr[chunk], len[chunk]; slot after slot col, val, x; perm, where rows are sorted; y. */
    SP_GPU_SLOT,

    /* SpMM in CRS: thread T has column T mod r of row T div r.
     *     ptr[row], ptr[row + 1]; entry after entry col, val, x; y. */
    SP_GPU_OUTPUT,

    /* SpMM in CRS: the `lanes` threads from T = row lanes have a row, and are one or more teams
     * that have its entries in turn.
     *     ptr[row], ptr[row + 1] by all; entry after entry col, val by all threads of a team, x
     *     `vectors` times; y `vectors` times by the first team of the row. */
    SP_GPU_ROW,

    /* SpMM in CRS: of the path of MERGE team T div column_lanes, its share's number s, has the
     * `items` items from s times that many; start[s] rows have ended before.
     *     start[s], start[s + 1]; ptr[row + 1] of the first row that ends in the share; entry after
     *     entry, four of them together, col, val, x. Before an entry is added, for each row that
     *     has ended: y, ptr[row + 1] of the next row that ends in the share; the same for rows that
     *     end with the last entry, by all threads; then carry_val[s], the sum of row start[s + 1],
     *     which is cut at the share's end.
     * A second grid of blocks of SP_GPU_CARRY_THREADS threads adds them: thread T has column T mod
     * r of the SP_GPU_CARRY_SHARES shares from that many times T div r: start[s + 1], carry_val[s]
     * of one after the other; then, again one after the other, at the last of each row y, added to
     * atomically.
     * 16-bit storage: rows are rounded once. A share carries two sums in 4 bytes, 4 columns of a
     * load at a time: that of the first row that ends in it, in place of that row's y, and before
     * the other threads' y, then that of the row cut at its end. Thread T < r n_shares of the
     * second grid has column T mod r of share s = T div r:
     *     start[s], start[s + 1]; if a row ends in the share, of the first one: ptr[row], its sum,
     *     the second sums of the shares from the one that the row begins in to s - 1, first as many
     *     times SP_GPU_CARRY_MANY as a thread has, then the rest; y. */
    SP_GPU_SHARE,

    /* SpMM in STAGED: block b of the grid has block b of the layout.
     *     block[b].list, block[b + 1].list, both .chunk; then list and x of the listed columns, by
     *     turns of the teams, into shared memory. Then the chunks, by turns of the teams:
     *     start[chunk] (n_chunks int64_t, sp_gpu_chunk_starts), len[chunk]; for all columns of the
     *     tile, slot after slot, 4 col as one, val in loads of 16 bytes; y, row after row. */
    SP_GPU_STAGE,

    /* SDDMM in CRS: warp T div 32 has a row, 32 entries of it at a time, its teams these in turn,
     * four of a team together.
     *     ptr[row], ptr[row + 1]; 4 times col by all threads of each team; for all columns rows, 4
     *     times x; at the end of 32 entries val, y, each thread those of one entry. */
    SP_GPU_SAMPLE,

    /* SDDMM in COO: warp w = T div 32 has the entries 32 w to 32 w + 31, its teams as above.
     *     4 times row_index, col; for all columns 4 times rows, x; val, y. */
    SP_GPU_EQUAL,

    /* SDDMM in TILED: n_parts blocks of the grid have a block of the layout, each an equal part of
     * its columns.
     *     index_ptr[b], index_ptr[b + 1]; then tile after tile of the width: rows, by turns of the
     *     teams, into shared memory; the part's columns, by turns of the warps: col, column_ptr[c],
     *     column_ptr[c + 1]; its entries, 32 at a time and by turns of the teams, four of a team
     *     together: 4 times row_index, x once for all columns of the tile; with the 32 entries y,
     *     if this is not the first tile, val in the last one, y, each thread those of one entry. */
    SP_GPU_TILE,

    /* FusedMM in CRS: warp T div 32 has a row, its teams the entries in turn, four of a team
     * together.
     *     ptr[row], ptr[row + 1]; rows `vectors` times; 4 times col, 4 times x `vectors` times, the
     *     same of second; y `vectors` times by the first team.
     * Where `vectors` is 0 the row is too wide for the registers of a warp:
     *     ptr[row], ptr[row + 1]; 32 entries at a time as SAMPLE has them, without val and y; then,
     *     column after column of a thread, y if these are not the first entries, col and second
     *     entry after entry, y. */
    SP_GPU_FUSED,

    /* SpMM in BCSR on matrix units: the blocks of a block row side by side are one matrix of b_h
     * rows and n_k stored columns. Block b of the grid has 8, 16 or 32 rows of it
     * (sp_gpu_mma_row_units by 8; where b_h has more, the blocks that follow each other with one
     * tile have the parts of a block row in order), its warps 16 columns each of its tile.
     *     ptr[row], ptr[row + 1] by all; stored columns SP_GPU_MMA_STAGE_B / s_x at a time, two
     *     stages ahead of the products: col, of 8 bytes the lower half, by as many threads from
     *     the block's first on, one for each column; for parts of 16 bytes (vector 1: elements) of
     *     the stage's rows of X, row after row over the whole tile, thread t those at t, t +
     *     block_threads, ...: x; the same for 16 bytes of the block's rows of the stage's values,
     *     stored column after column: val. Stored columns past n_k ask for nothing; columns past r
     *     and rows past n_c of X for col alone. After all stages y, element after element of the
     *     sums that a lane holds: of 8 rows after 8 rows (f64: of 8 columns after 8 columns in
     *     them), those of mma_row and mma_column (kernels/cuda/gpu_mma.h).
     * x in parts of 16 bytes and val are asynchronous copies, which the L1 does not keep. Switched
     * off:
     *     SKIP   all block columns are walked, absent ones as zeros, col by bisection, in as many
     *            steps for every column: n blocks from the first one are left, of which the one n div
     *            2 further is asked for and is the first from then on where it is not behind; then
     *            this one
     *     TILES  a block has the tiles of its rows one after the other
     *     ASYNC  a stage is brought when it is needed, by loads */
    SP_GPU_MMA,
    SP_N_GPU_MAPS
};

/* Threads of a block of the second grid of MERGE and SHARE, and shares of a thread of SHARE's; with
 * 16-bit storage sums of a row that it asks for together: many as long as there are as many. */
enum { SP_GPU_CARRY_THREADS = 256, SP_GPU_CARRY_SHARES = 8, SP_GPU_CARRY_MANY = 32 };
/* Threads of a block of MERGE, of BINS. */
enum { SP_GPU_MERGE_THREADS = 256, SP_GPU_BINS_THREADS = 256 };
/* Entries of a row to lanes, at most, BINS: 8 turns of a warp. */
enum { SP_GPU_SHORT_ROW = 1024 };
/* Entries of a thread or team whose loads are asked for together: "four" or "4 times" above. */
enum { SP_GPU_TOGETHER = 4 };
enum { SP_WARP = 32, SP_GPU_BLOCK_THREADS = 1024 };
/* Threads of a block of operations with dense operands, at most: they hold much in registers. */
enum { SP_GPU_DENSE_THREADS = 256 };
/* Shared memory that a block has unasked, and the most that launches ask for: blocks of all GPUs of
 * compute capability 8.0 and later may have it, two of them on a core of 9.0. */
enum { SP_GPU_SHARED_B = 48 << 10, SP_GPU_SHARED_MOST_B = 96 << 10 };

/* What the kernel on matrix units does, for experiments that leave a part of it away. */
enum { SP_GPU_MMA_SKIP = 1, SP_GPU_MMA_TILES = 2, SP_GPU_MMA_ASYNC = 4, SP_GPU_MMA_ALL = 7 };
/* Its stages: bytes of a row of a block or of a column of X in one, how many there are, and bytes
 * that say where a column of a stage is. */
enum { SP_GPU_MMA_STAGE_B = 64, SP_GPU_MMA_STAGES = 3, SP_GPU_MMA_PLACE_B = 16 };

struct sp_gpu_launch {
    enum sp_gpu_map map;
    int lanes;            /* threads of a row, a power of two up to 32; else 1 */
    int items;            /* of a thread, MERGE; of a team, SHARE; of the longest short row, BINS; else 0 */
    int64_t n_long;       /* long rows, BINS; else 0 */
    int block_threads;    /* a multiple of 32, at most SP_GPU_BLOCK_THREADS */
    int64_t n_blocks;     /* at most 2^31 - 1 */
    size_t shared_B;      /* dynamic shared memory of a block, at most SP_GPU_SHARED_MOST_B */
    int registers;        /* of a thread, about: how many warps fit follows from it */
    double steps;         /* requests for gathered operands that a warp makes while one latency passes, as
                             its machine code has them: they, and the loads that lead to them, leave
                             together or wait for each other (tests/gpu/check_machine_code.py) */
    bool streams_pass_L1; /* col and val do not stay in the L1: hardly a sector is asked for twice */
    /* Of operations with dense operands, else 0. */
    int column_lanes;  /* threads of a team, a power of two up to 32 */
    int vector;        /* columns of a load, 16 bytes of them where all rows are aligned so, else 1 */
    int vectors;       /* loads of a thread for its columns of a tile */
    int32_t tile;      /* columns of a tile of the width, a multiple of `vector` */
    int32_t n_tiles;   /* that blocks have in turn; TILE: 1, its blocks have all */
    int32_t n_parts;   /* TILE: blocks of the grid for one of the layout; else 1 */
    unsigned switches; /* MMA: what of SP_GPU_MMA_ALL is on */
    bool x_in_window;  /* LANES: a window of the L2 keeps x, as much as may be set aside; the launch's
                          caller asks for it */
};

/* "thread", "lanes", ...: the word in kernel names after "cuda-". */
const char *sp_gpu_map_name(enum sp_gpu_map map);

/* The operation and format that a way of sharing is for. */
enum sp_op sp_gpu_map_op(enum sp_gpu_map map);
int sp_gpu_map_format(enum sp_gpu_map map);

/* lanes 0: LANES, KEEP and BINS the smallest power of two that is not below n_nzr, 2 to 32, of
 * which 64-bit indices and complex numbers take 4 or 16; GROUP and ROW as many teams as have two
 * entries each in the mean row. SP_ABSENT with the reason where the layout cannot be shared so
 * (another operation or format, 64-bit indices, for which only THREAD, LANES, CHUNK, GROUP, ROW,
 * STAGE, SAMPLE, FUSED and MMA have bodies, values in another precision than vectors, C not a
 * multiple of 32, column-major, more blocks than a grid has, lists or tiles that shared memory
 * cannot hold, no long row for BINS). */
enum sp_status sp_gpu_launch_make(const struct sp_layout *layout, enum sp_gpu_map map, int lanes,
                                  struct sp_gpu_launch *launch, struct sp_error *err);

/* Leaves parts of the kernel on matrix units away: a launch of MMA with `switches` on. SP_ABSENT
 * where there is no such kernel (other precisions than f16, widths that are no multiple of 8). */
enum sp_status sp_gpu_launch_switch(const struct sp_layout *layout, unsigned switches,
                                    struct sp_gpu_launch *launch, struct sp_error *err);

/* MMA: rows of a block of the grid by 8: 4, 2 or 1. */
int sp_gpu_mma_row_units(const struct sp_layout *layout);

/* n/of, rounded up; n >= 0. */
static inline int64_t sp_gpu_ratio_up(int64_t n, int64_t of)
{
    return n / of + (n % of != 0);
}

/* Items of a block, MERGE. */
static inline int64_t sp_gpu_block_items(const struct sp_gpu_launch *g)
{
    return (int64_t)g->block_threads * g->items;
}

/* Warps of a block, and of the grid. */
static inline int64_t sp_gpu_block_warps(const struct sp_gpu_launch *g)
{
    return g->block_threads / SP_WARP;
}
static inline int64_t sp_gpu_warps(const struct sp_gpu_launch *g)
{
    return g->n_blocks * sp_gpu_block_warps(g);
}

/* Shares of the merged path that begin with a row's number of their own, and items of each: those
 * of a block, MERGE, of a team, SHARE. Other launches have none. */
int64_t sp_gpu_shares(const struct sp_layout *layout, const struct sp_gpu_launch *g);

/* Sums of a column that a share of SHARE carries. */
static inline int sp_gpu_share_sums(const struct sp_layout *layout)
{
    return layout->s_x == 2 ? 2 : 1;
}

/* Sums that shares carry, of all columns, and the bytes of one: of 16-bit storage a float. */
int64_t sp_gpu_carries(const struct sp_layout *layout, const struct sp_gpu_launch *g);
size_t sp_gpu_carry_size(const struct sp_layout *layout);

/* Threads of the second grid that have something to add; 0: there is none. */
int64_t sp_gpu_carry_threads(const struct sp_layout *layout, const struct sp_gpu_launch *g);

/* Rows that end before item `item` of the merged path; the other items before it are entries. */
int64_t sp_gpu_merge_rows_before(const struct sp_layout *layout, int64_t item);

/* start[n_chunks]: the caller's array, filled for STAGE with the first entry of each chunk. */
void sp_gpu_chunk_starts(const struct sp_layout *layout, int64_t *start);

/* row[n_long]: the caller's array, filled for BINS with the long rows. */
void sp_gpu_long_rows(const struct sp_layout *layout, const struct sp_gpu_launch *g, int64_t *row);

/* start[sp_gpu_shares() + 1]: the caller's array, filled for MERGE and SHARE. */
void sp_gpu_merge_starts(const struct sp_layout *layout, const struct sp_gpu_launch *g, int64_t *start);

#endif
