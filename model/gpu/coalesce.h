/* Sectors of 32 bytes that the requests of a launch touch: exact, for they follow from the
 * addresses alone. Loads are what l1tex__t_sectors_pipe_lsu_mem_global_op_ld counts, stores
 * ..._op_st, copies ..._op_ldgsts: the distinct sectors of each request, summed up; whether a cache
 * holds them plays no part. */
#ifndef SP_MODEL_COALESCE_H
#define SP_MODEL_COALESCE_H

#include <stdint.h>

#include "base/progress.h"
#include "model/gpu/requests.h"

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
