/* Work in a process of its own, one after the other: fresh pages, a fresh team of threads. Before
 * the first, sp_apart_begin(), unless the work takes no second thread (omp_set_num_threads(1), no
 * num_threads clause); what the parent's team had pinned must be pinned again after the last. */
#ifndef SP_SESSION_APART_H
#define SP_SESSION_APART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/progress.h"
#include "base/status.h"
#include "sparse/reorder/reorder.h"

/* Ends the team of OpenMP threads, which would hang in a child. */
void sp_apart_begin(void);

/* In the child: does the work and sends what came of it through the pipe. False: it could not be
 * sent. */
typedef bool sp_apart_work(void *context, int pipe);
/* In the parent: takes what the child sends. */
typedef enum sp_status sp_apart_take(void *context, int pipe, struct sp_error *err);

/* Both have the same context. Returns what `take` returns, SP_ABSENT where there is no process to
 * be had; where that is not SP_OK, the child is killed if it has not ended. Reasons of values are
 * static text of this program, which both have at the same address. */
enum sp_status sp_apart(sp_apart_work *work, sp_apart_take *take, void *context, struct sp_error *err);

/* In `take`, until the child says something or ends: SP_INTERRUPTED when the user interrupts,
 * SP_ABSENT after limit_s [s], which may be INFINITY: `what` takes longer. */
enum sp_status sp_apart_wait(int pipe, const char *what, double limit_s, const struct sp_progress *progress,
                             struct sp_error *err);

/* All of it, however many pieces the pipe makes of it; false: the other side has ended. */
bool sp_apart_send(int pipe, const void *data, size_t size);
bool sp_apart_receive(int pipe, void *data, size_t size);

/* Finding an order that may take much longer than it is worth (METIS on a graph without parts takes
 * minutes where a mesh takes a second), and that knows no way to be stopped. sp_reorder_find() in a
 * process of its own, which is ended after limit_s [s], SP_ABSENT, or when the user interrupts,
 * SP_INTERRUPTED. The child computes with one thread, which changes no order. */
enum sp_status sp_order_in_time(const char *method, const struct sp_csr *a, double limit_s,
                                const struct sp_progress *progress, struct sp_permutations *order,
                                struct sp_error *err);

#endif
