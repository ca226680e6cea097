/* P_core: the rate of a kernel without memory limits [THEORY 1], measured on windows of the
 * matrix's own rows whose columns are folded so that matrix and x fit the inner caches. It decides
 * between kernels that differ in how they gather, and it is the in-core term of the roofline. */
#ifndef SP_SESSION_PCORE_H
#define SP_SESSION_PCORE_H

#include <stdint.h>

#include "base/job.h"
#include "base/reading.h"
#include "base/status.h"
#include "kernels/kernel.h"
#include "model/machine.h"
#include "session/analyze/plan.h"
#include "sparse/product/workload.h"

struct sp_pcore_options {
    int n_windows;   /* spread evenly over the entries */
    double window_B; /* bytes of a window's matrix, rows of results and row operands: a part of the L2 */
    int64_t fold; /* columns: rows of the gathered operands that fill a part of the L1; of the L2 where those
                     would be too few to be a fair sample of addresses */
    double core_width;    /* of a core that no other work shares (sys/machine/core_to_core.h); 0: not known */
    double budget_s;      /* of each kernel, for all windows together */
    struct sp_plan *plan; /* remembers what was measured, and what it took; NULL: nobody does */
    enum sp_spending spent; /* as what */
    struct sp_own *own;     /* whose kernel it is, where it is none of the table */
};

/* Values that suit the workload's operands and the first two caches of the machine (where it
 * describes none, or is NULL: 32 KiB and 512 KiB). Each kernel gets its part of what the plan has
 * left for `spent`, 2 to 30 ms (from 0.5 ms on where the whole budget is below 80 ms); without a
 * plan 30 ms. */
struct sp_pcore_options sp_pcore_options_for(const struct sp_machine *machine,
                                             const struct sp_workload *workload, struct sp_plan *plan,
                                             enum sp_spending spent);

enum { SP_MAX_RANKED = 32 };

/* Kernels with their P_core, the highest first; equal ones in the order of the kernel table. */
struct sp_pcore_ranking {
    int n;
    const struct sp_kernel *kernel[SP_MAX_RANKED];
    struct sp_value flop_s[SP_MAX_RANKED];
};

/* Times of one execution on each window, in several passes. Zero-initialise. */
enum { SP_PCORE_WINDOWS = 16, SP_PCORE_PASSES = 3 };
struct sp_pcore_passes {
    int n_windows, n_passes;
    double work[SP_PCORE_WINDOWS];                  /* of an execution [flop] */
    double time[SP_PCORE_PASSES][SP_PCORE_WINDOWS]; /* [s]; INFINITY: none */
    bool clean[SP_PCORE_PASSES][SP_PCORE_WINDOWS];  /* nothing disturbed it */
};

/* The rate of all windows together [flop/s], each in the best of its passes, of the clean ones
 * where there are some. The interval holds where it would lie without any one of the windows, and
 * with the slowest passes, of which none counts as slower than half the speed: that one was
 * interrupted. *is_clean: each window had a clean pass. SP_NONE: no window has a time. */
struct sp_value sp_pcore_pool(const struct sp_pcore_passes *passes, bool *is_clean);

/* P_core of all kernels that can run this format here (isa as in sp_kernel_candidates): useful
 * flop/s of one thread on this workload's format, precision and index (its schedule and threads do
 * not matter), of all windows together, as sp_pcore_pool() has it. What the plan remembers for the
 * same kernel and rows of the same class (in each window the lengths of rows: mean, scatter, change
 * from row to row; how many have the columns of the row before, or these moved on by one) is not
 * measured again. CRS: a row longer than a window is cut. SELL: such rows are passed over, a
 * window's rate counts stored entries, and the fill is that of the whole matrix; so is that of
 * BCSR. HALF: a window is made symmetric (sp_csr_fold_symmetric()). SP_ABSENT when there is no
 * kernel. */
enum sp_status sp_pcore_rank(const struct sp_workload *workload, const char *isa,
                             const struct sp_pcore_options *options, struct sp_pcore_ranking *ranking,
                             struct sp_error *err);

/* Says that no kernel for the workload runs here, and what to leave out; SP_ABSENT. */
enum sp_status sp_fail_no_kernel(const struct sp_workload *workload, const char *isa, struct sp_error *err);

/* The same as sp_pcore_rank() of one kernel, which takes such layouts. */
enum sp_status sp_pcore_of(const struct sp_workload *workload, const struct sp_kernel *kernel,
                           const struct sp_pcore_options *options, struct sp_value *flop_s,
                           struct sp_error *err);

/* The first of the ranking. */
enum sp_status sp_pcore_choose(const struct sp_workload *workload, const char *isa,
                               const struct sp_pcore_options *options, const struct sp_kernel **kernel,
                               struct sp_value *flop_s, struct sp_error *err);

/* The same rows for the whole team: windows from all over the matrix (all of it where it fits),
 * whose columns are folded, as one small matrix that the threads' inner caches hold together. `job`
 * runs the kernel on it with the workload's threads (equal shares of entries), to be timed in turn
 * with the run itself; *work is what one execution is worth [flop], by the whole matrix's fill. A
 * thread's rows are twice a window of sp_pcore_rank(), so that their ends are harder to learn.
 * Release with sp_pcore_team_free(), also after a failure: SP_MEMORY; SP_ABSENT: nothing to run. */
struct sp_pcore_team;
enum sp_status sp_pcore_team_make(const struct sp_workload *workload, const struct sp_kernel *kernel,
                                  const struct sp_pcore_options *options, struct sp_pcore_team **team,
                                  struct sp_job *job, double *work, struct sp_error *err);
void sp_pcore_team_free(struct sp_pcore_team *team); /* NULL: nothing */

#endif
