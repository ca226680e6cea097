/* Launches whose warps have one row, or one share of the path, and whole runs of neighbouring
 * columns each: their requests need not be walked through one by one. Private to model. */
#ifndef SP_MODEL_COLUMN_RUNS_H
#define SP_MODEL_COLUMN_RUNS_H

#include "base/progress.h"
#include "model/gpu/requests.h"

/* SpMMV and SpMM in CRS by OUTPUT, GROUP, ROW and SHARE, all of whose lanes have columns, and rows
 * of X and Y that begin with a sector. */
bool sp_gpu_is_wide(const struct sp_gpu_grid *grid);

/* Adds what the warps of the first grid ask for: what sp_coalesce finds request by request. */
enum sp_status sp_gpu_wide_coalesce(const struct sp_gpu_grid *grid, const struct sp_progress *progress,
                                    struct sp_coalescing *sum, struct sp_error *err);

/* The requests for X of a warp alone, in order. */
struct sp_gpu_wide_warp {
    int64_t at, end;        /* entries */
    int32_t column, vector; /* its first column; of how many loads of the entry this is the next */
};
void sp_gpu_wide_open(const struct sp_gpu_grid *grid, int64_t block, int warp, struct sp_gpu_wide_warp *w);

/* *sector: the first of those of the next request; false: the warp has ended. */
static inline bool sp_gpu_wide_next(const struct sp_gpu_grid *g, struct sp_gpu_wide_warp *w, int64_t *sector)
{
    const struct sp_layout *l = g->layout;
    const int apart = g->launch.vector * SP_WARP;
    if (w->at >= w->end)
        return false;
    const int64_t item = sp_layout_col(l, w->at) * l->ld_x + w->column + (int64_t)w->vector * apart;
    *sector = item << g->item_shift[SP_GPU_X] >> SP_GPU_SECTOR_SHIFT;
    if (++w->vector == g->launch.vectors) {
        w->vector = 0;
        w->at++;
    }
    return true;
}

/* Sectors of such a request: neighbours, an even number from an even one on. */
static inline int sp_gpu_wide_sectors(const struct sp_gpu_grid *g)
{
    return (g->launch.vector * SP_WARP) << g->item_shift[SP_GPU_X] >> SP_GPU_SECTOR_SHIFT;
}

/* Rows of X that are asked for at all. */
enum sp_status sp_gpu_wide_rows(const struct sp_gpu_grid *grid, int64_t *n_rows, struct sp_error *err);

#endif
