/* Accesses that somebody tells, address by address, in place of those that follow from a layout:
 * the trace of a kernel that this program does not know. Steps are those of CRS as far as they can
 * be seen: an access to x, or a write of y without one since the write before. So a kernel that
 * walks the rows as CRS does has exactly the bytes of CRS. */
#ifndef SP_MODEL_TOLD_H
#define SP_MODEL_TOLD_H

#include <stddef.h>

#include "base/status.h"
#include "model/trace/trace.h"

/* is_write: SP_WALK_STREAMS for a store of y that passes the caches. */
enum { SP_WALK_STREAMS = 2 };
typedef void sp_walk_access(void *walker, const void *address, size_t size_B, int is_write);

/* Where an array lies, and as what it counts. */
struct sp_walk_array {
    const void *at;
    size_t size_B;
    enum sp_trace_region region; /* VALUES, INDICES, PTR, X or Y; the layout's x and y start a line */
};
enum { SP_WALK_ARRAYS = 20 };

struct sp_walk {
    int n_arrays;
    struct sp_walk_array array[SP_WALK_ARRAYS];
    /* Tells `access` all accesses of one thread in one execution, in order, with `walker`; each
     * time the same ones. Called by threads of the simulation, never two at a time. */
    enum sp_status (*tell)(void *context, int thread, sp_walk_access *access, void *walker,
                           struct sp_error *err);
    void *context;
    const char *name; /* whose, for errors: SP_WRONG where an address is in none of the arrays */
};

#endif
