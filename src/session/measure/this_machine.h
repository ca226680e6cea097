/* The machine that a command works with: named, from a file, or this one, measured once. */
#ifndef SP_SESSION_THIS_MACHINE_H
#define SP_SESSION_THIS_MACHINE_H

#include "base/progress.h"
#include "kernels/kernel.h"
#include "model/machine.h"

/* `name` NULL: this machine from the cache of its environment, measured in a quick version with
 * n_threads (0: one for each core) when there is none; figures in doubt are measured again where
 * the command measures for 1 s at least anyway (`budget_s`). */
enum sp_status sp_this_machine(const char *name, int n_threads, double budget_s,
                               const struct sp_progress *progress, struct sp_machine *machine,
                               struct sp_error *err);

/* The same of the first GPU. SP_ABSENT says what is missing. */
enum sp_status sp_this_gpu(enum sp_gpu_api api, const char *name, const struct sp_progress *progress,
                           struct sp_machine *machine, struct sp_error *err);

/* The caches of this machine as the system states them, without measuring: enough to simulate. */

/* SP_ABSENT where the system describes none. */
enum sp_status sp_this_caches(struct sp_machine *machine, struct sp_error *err);

#endif
