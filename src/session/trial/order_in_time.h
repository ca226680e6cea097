/* Finding an order that may take much longer than it is worth (METIS on a graph without parts takes minutes
 * where a mesh takes a second), and that knows no way to be stopped. */
#ifndef SP_SESSION_ORDER_IN_TIME_H
#define SP_SESSION_ORDER_IN_TIME_H

#include "base/progress.h"
#include "sparse/reorder/reorder.h"

/* sp_reorder_find() in a process of its own, which is ended after limit_s [s], SP_ABSENT, or when the user
 * interrupts, SP_INTERRUPTED. The child
 * computes with one thread, which changes no order. */
enum sp_status sp_order_in_time(const char *method, const struct sp_csr *a, double limit_s,
                                const struct sp_progress *progress, struct sp_permutations *order,
                                struct sp_error *err);

#endif
