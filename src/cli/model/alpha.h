/* alpha of a layout on a described machine: the least, or simulated [THEORY 2, 9]. */
#ifndef SP_CLI_MODEL_ALPHA_H
#define SP_CLI_MODEL_ALPHA_H

#include "cli/model/case.h"
#include "sparse/formats/layout.h"

/* Simulated alphas of one layout, so that equal caches are simulated once. Zero-initialise for each layout.
 */
enum { SP_MAX_SEEN_ALPHAS = 256 };
struct sp_seen_alphas {
    uint64_t key[SP_MAX_SEEN_ALPHAS];
    double alpha[SP_MAX_SEEN_ALPHAS];
    int n_idle[SP_MAX_SEEN_ALPHAS];
    int n;
};

/* row->alpha, alpha_min, n_idle and note, from row's machine, domains and prediction (its home and
 * residence). */
enum sp_status sp_model_alpha(const struct sp_model_request *request, const struct sp_layout *layout,
                              const struct sp_progress *progress, struct sp_seen_alphas *seen,
                              struct sp_model_row *row, struct sp_error *err);

#endif
