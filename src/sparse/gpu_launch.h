/* How the threads of a GPU share the work of a layout. Built once and shared by the kernel that is launched
 * so, the coalescing model that counts its sectors, and the tests that execute it on a CPU: none of them
 * derives it again. Pure: no GPU is asked.
 *
 * A warp is 32 neighbouring threads of a block; thread t of block b is thread T = b block_threads + t of the
 * grid. A request is what the threads of a warp that are active ask of one array with one instruction. Every
 * array begins at a multiple of 256 bytes. Requests in order, loads but for the last:
 *
 * THREAD, CRS: thread T has row T < n_r.
 *     ptr[row], ptr[row + 1]; entry after entry, as long as a row of the warp has one: col, val, x; y.
 *
 * LANES, CRS: the `lanes` threads from T = row lanes have a row; entry j of it is that of their thread
 * j mod lanes.
 *     ptr[row], ptr[row + 1] by all; col, val, x as above; y by the first thread of each row.
 *
 * CHUNK, SELL with C a multiple of 32: thread T < n_chunks C has lane T mod C of chunk T div C.
 *     ptr[chunk], len[chunk]; slot after slot, fill and lanes without a row included: col, val, x; then perm,
 *     where rows are sorted; y by lanes that have a row.
 *
 * MERGE, CRS: row ends and entries in order, an entry before the end of its row, are n_r + n_nz items. Block
 * b has the sp_gpu_block_items() of them from b times that many; start[b] rows have ended before (an array
 * of n_blocks + 1 int64_t, sp_gpu_merge_starts). Thread t of it has `items` of these, from t items.
 *     start[b], start[b + 1] by all; ptr[row + 1] of the rows that end in the block, thread t those at t,
 *     t + block_threads, ... from the first; col, val, x of the block's entries, thread t those at t,
 *     t + block_threads, ... from the last multiple of 32 that is not after the first of them (entries before
 *     it left out); then, item after item, y by the threads whose item is the end of a row, but the first row
 *     that ends in a thread: that y follows last, by all threads that have one. Then carry_row[b],
 *     carry_val[b] written by the last thread: the sum of the row that is cut at the block's end (row n_r:
 * none). A second grid of blocks of 256 threads adds them: thread T < n_blocks loads carry_row[T],
 * carry_val[T], and the last thread of a block for each row adds to its y atomically.
 */
#ifndef SP_SPARSE_GPU_LAUNCH_H
#define SP_SPARSE_GPU_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/layout.h"

enum sp_gpu_map { SP_GPU_THREAD, SP_GPU_LANES, SP_GPU_MERGE, SP_GPU_CHUNK, SP_N_GPU_MAPS };

/* Threads of a block of the second grid of MERGE. */
enum { SP_GPU_CARRY_THREADS = 256 };
enum { SP_WARP = 32, SP_GPU_BLOCK_THREADS = 1024, SP_GPU_SHARED_B = 48 << 10 };

struct sp_gpu_launch {
    enum sp_gpu_map map;
    int lanes;            /* threads of a row, a power of two; 1 but for LANES */
    int items;            /* of a thread, MERGE; else 0 */
    int block_threads;    /* a multiple of 32, at most SP_GPU_BLOCK_THREADS */
    int64_t n_blocks;     /* at most 2^31 - 1 */
    size_t shared_B;      /* dynamic shared memory of a block, at most SP_GPU_SHARED_B */
    int registers;        /* of a thread, about: how many warps fit follows from it */
    bool streams_pass_L1; /* col and val do not stay in the L1: hardly a sector is asked for twice */
};

/* "thread", "lanes", "merge", "chunk": the word in kernel names after "cuda-". */
const char *sp_gpu_map_name(enum sp_gpu_map map);

/* The operation and format that a way of sharing is for. */
enum sp_op sp_gpu_map_op(enum sp_gpu_map map);
enum sp_format sp_gpu_map_format(enum sp_gpu_map map);

/* lanes 0: the smallest power of two that is not below n_nzr, 2 to 32. SP_ABSENT with the reason where the
 * layout cannot be shared so (another format, C not a multiple of 32, more blocks than a grid has). */
enum sp_status sp_gpu_launch_make(const struct sp_layout *layout, enum sp_gpu_map map, int lanes,
                                  struct sp_gpu_launch *launch, struct sp_error *err);

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

/* Rows that end before item `item` of the merged path; item minus that many entries come before it. */
int64_t sp_gpu_merge_rows_before(const struct sp_layout *layout, int64_t item);

/* start[n_blocks + 1]: the caller's array, filled for MERGE. */
void sp_gpu_merge_starts(const struct sp_layout *layout, const struct sp_gpu_launch *g, int64_t *start);

#endif
