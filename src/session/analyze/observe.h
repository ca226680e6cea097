/* Samples from processes of their own: each makes its layout anew, so pages, their placement and
 * the start of the team differ as they do between two starts of a program, which samples within one
 * process never show. */
#ifndef SP_SESSION_OBSERVE_H
#define SP_SESSION_OBSERVE_H

#include "session/analyze/analysis.h"

/* How a prepared workload is sampled under these options, against its roof; for how long is the
 * caller's. */
struct sp_sampling_options sp_run_sampling(const struct sp_setup *setup,
                                           const struct sp_analyze_options *options,
                                           const struct sp_progress *progress);

/* Pools runs of one workload: the samples of the mode that most of them have, of undisturbed runs
 * alone where those have `fewest` samples or there are no others. The median is that of the runs'
 * medians; its interval holds the runs' medians and the interval of all samples. Zeroed on
 * failure. */
enum sp_status sp_pairs_pool(const struct sp_pairs *run, int n_runs, int64_t fewest, struct sp_pairs *pooled,
                             struct sp_error *err);

#endif
