/* Sectors of 32 bytes that the requests of a launch touch: exact, for they follow from the
 * addresses alone. Loads are what l1tex__t_sectors_pipe_lsu_mem_global_op_ld counts, stores
 * ..._op_st, copies ..._op_ldgsts: the distinct sectors of each request, summed up; whether a cache
 * holds them plays no part. */
#ifndef SP_MODEL_COALESCE_H
#define SP_MODEL_COALESCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "model/gpu/requests.h"

/* Launches whose warps have one row, or one share of the path, and whole runs of neighbouring
 * columns each, or whose teams have: their requests need not be walked through one by one. Private
 * to model. */

/* CRS by OUTPUT, GROUP, ROW, SHARE, SAMPLE and FUSED, all of whose lanes have columns, and rows of
 * X and Y that begin with a pair of sectors, as the columns of each team do. */
bool sp_gpu_is_wide(const struct sp_gpu_grid *grid);

/* TILE, whose teams have whole runs of the columns of each tile. */
bool sp_gpu_has_wide_tiles(const struct sp_gpu_grid *grid);

/* SAMPLE and FUSED, whose warps ask for X four entries at a time. */
static inline bool sp_gpu_is_sampled(const struct sp_gpu_launch *g)
{
    return g->map == SP_GPU_SAMPLE || g->map == SP_GPU_FUSED;
}

/* Lanes that have columns of one entry; teams of a warp, each with an entry of its own. */
enum { SP_GPU_MOST_TEAMS = 8 };
static inline int sp_gpu_wide_lanes(const struct sp_gpu_grid *g)
{
    return sp_gpu_is_sampled(&g->launch) || g->launch.map == SP_GPU_TILE ? g->launch.column_lanes : SP_WARP;
}
static inline int sp_gpu_wide_teams(const struct sp_gpu_grid *g)
{
    return SP_WARP >> __builtin_ctz((unsigned)sp_gpu_wide_lanes(g));
}

/* Where FUSED's second operand begins, in sectors from the first one of X. */
static inline int64_t sp_gpu_second_sector(const struct sp_gpu_grid *g)
{
    return (sp_gpu_array_bytes(g, SP_GPU_X) / (2 * SP_GPU_SECTOR_B) + 1) * 2;
}

/* The requests for gathered operands of a warp alone, in order. */
struct sp_gpu_wide_warp {
    int64_t at, end;        /* entries */
    int32_t column, vector; /* its first column; of how many loads of the entry this is the next */
    int32_t turn;           /* SAMPLE, FUSED: of the entries from `at` on that each team asks for together */
    bool in_second;         /* FUSED: it asks for their second operand */
    int64_t item, next, first, last; /* TILE: the place of the entries' column in its list; of the next one;
                                        those of the warp, in each tile */
};
void sp_gpu_wide_open(const struct sp_gpu_grid *grid, int64_t block, int warp, struct sp_gpu_wide_warp *w);

/* Loads of a thread for all columns of an entry that its warp or team has. */
static inline int32_t sp_gpu_wide_loads(const struct sp_gpu_grid *g)
{
    const struct sp_gpu_launch *n = &g->launch;
    return sp_gpu_is_sampled(n)    ? g->layout->r / (n->vector * n->column_lanes)
           : n->map == SP_GPU_TILE ? n->tile / (n->vector * n->column_lanes)
                                   : n->vectors;
}

/* Four entries of each team, or the row's last ones: SAMPLE goes over their columns together, FUSED
 * has all columns of one after the other. */
static inline void sp_gpu_wide_turn(const struct sp_gpu_grid *g, struct sp_gpu_wide_warp *w)
{
    const int32_t loads = sp_gpu_wide_loads(g);
    const int teams = sp_gpu_wide_teams(g);
    const int32_t n = w->end - w->at < SP_GPU_TOGETHER * teams
                          ? (int32_t)(w->end - w->at + teams - 1) >> __builtin_ctz((unsigned)teams)
                          : SP_GPU_TOGETHER;
    const bool fused = g->launch.map == SP_GPU_FUSED;
    int32_t *inner = fused ? &w->vector : &w->turn, *outer = fused ? &w->turn : &w->vector;
    if (++*inner < (fused ? loads : n))
        return;
    *inner = 0;
    if (++*outer < (fused ? n : loads))
        return;
    *outer = 0;
    if (!fused || w->in_second)
        w->at += (int64_t)n * teams;
    w->in_second = fused && !w->in_second;
}

/* The next request of TILE, as below: the same sectors for each team. */
static inline int sp_gpu_wide_next_of_tile(const struct sp_gpu_grid *g, struct sp_gpu_wide_warp *w,
                                           int64_t sector[SP_GPU_MOST_TEAMS])
{
    const struct sp_layout *l = g->layout;
    const int teams = sp_gpu_wide_teams(g), apart = g->launch.vector * sp_gpu_wide_lanes(g);
    while (w->at >= w->end) {
        if (w->next >= w->last) {
            if (w->first >= w->last || w->column + g->launch.tile >= l->r)
                return 0;
            w->column += g->launch.tile;
            w->next = w->first;
        }
        w->item = w->next;
        w->next += sp_gpu_block_warps(&g->launch);
        w->at = sp_layout_column_ptr(l, w->item);
        w->end = sp_layout_column_ptr(l, w->item + 1);
    }
    const int n = w->end - w->at < teams ? (int)(w->end - w->at) : teams;
    const int64_t item = sp_layout_col(l, w->item) * l->ld_x + w->column + (int64_t)w->vector * apart;
    for (int i = 0; i < n; i++)
        sector[i] = item << g->item_shift[SP_GPU_X] >> SP_GPU_SECTOR_SHIFT;
    if (++w->vector == sp_gpu_wide_loads(g)) {
        w->vector = 0;
        w->at += (int64_t)SP_GPU_TOGETHER * teams;
    }
    return n;
}

/* The next request: of each team that has an entry the first of its sectors. Returns how many there
 * are; 0: the warp has ended. */
static inline int sp_gpu_wide_next(const struct sp_gpu_grid *g, struct sp_gpu_wide_warp *w,
                                   int64_t sector[SP_GPU_MOST_TEAMS])
{
    if (g->launch.map == SP_GPU_TILE)
        return sp_gpu_wide_next_of_tile(g, w, sector);
    const struct sp_layout *l = g->layout;
    const int teams = sp_gpu_wide_teams(g), apart = g->launch.vector * sp_gpu_wide_lanes(g);
    const int64_t first = w->at + (int64_t)w->turn * teams;
    const int n = w->end - first < teams ? (int)(w->end - first) : teams;
    if (w->at >= w->end)
        return 0;
    for (int i = 0; i < n; i++) {
        const int64_t item = sp_layout_col(l, first + i) * l->ld_x + w->column + (int64_t)w->vector * apart;
        sector[i] = (item << g->item_shift[SP_GPU_X] >> SP_GPU_SECTOR_SHIFT) +
                    (w->in_second ? sp_gpu_second_sector(g) : 0);
    }
    if (sp_gpu_is_sampled(&g->launch)) {
        sp_gpu_wide_turn(g, w);
    } else if (++w->vector == g->launch.vectors) {
        w->vector = 0;
        w->at++;
    }
    return n;
}

/* Sectors of a team in such a request: neighbours, an even number from an even one on. */
static inline int sp_gpu_wide_sectors(const struct sp_gpu_grid *g)
{
    return (g->launch.vector * sp_gpu_wide_lanes(g)) << g->item_shift[SP_GPU_X] >> SP_GPU_SECTOR_SHIFT;
}

/* Rows of X that are asked for at all. */
enum sp_status sp_gpu_wide_rows(const struct sp_gpu_grid *grid, int64_t *n_rows, struct sp_error *err);

/* The distinct sectors of a request, counted from the array's begin, in the order of the lanes that
 * name them first; used[i]: the items of sector[i] that are asked for, bit by bit. Returns how many
 * there are. */
int sp_gpu_request_sectors(const struct sp_gpu_grid *grid, const struct sp_gpu_request *request,
                           int64_t sector[SP_WARP], uint32_t used[SP_WARP]);

/* Walks through all requests of all warps, MERGE's second grid included. */
enum sp_status sp_coalesce(const struct sp_gpu_grid *grid, const struct sp_progress *progress,
                           struct sp_coalescing *sum, struct sp_error *err);

/* Lanes that asked for gathered operands, and their requests. */
int64_t sp_coalesced_gathers(const struct sp_coalescing *sum);
int64_t sp_coalesced_steps(const struct sp_coalescing *sum);

/* Sectors of all arrays by one kind of access; the same as the counter has them; cycles of all. */
int64_t sp_coalesced_sectors(const struct sp_coalescing *sum, enum sp_gpu_access access);
int64_t sp_coalesced_counted(const struct sp_coalescing *sum, enum sp_gpu_access access);
int64_t sp_coalesced_cycles(const struct sp_coalescing *sum);

/* SpMV: share of the lanes' turns in the loops over entries that have an entry of the matrix, 0 ...
 * 1. The others idle until the longest row of their warp is done, or multiply fill. NAN: other
 * operations, or no turns. */
double sp_coalesced_active(const struct sp_gpu_grid *grid, const struct sp_coalescing *sum);

/* Share of the bytes of all sectors loaded or copied that a lane asked for; NAN: none. */
double sp_coalesced_use(const struct sp_gpu_grid *grid, const struct sp_coalescing *sum);

#endif
