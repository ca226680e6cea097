/* What a matrix would look like in another order, before it is rewritten: the places of its
 * entries, and what formats and threads make of them. Equal to what sp_structure_analyse(),
 * sp_sell_beta(), sp_blocks_count() and the partition say of the rewritten matrix. alpha is
 * previewed by traces of sp_layout_make_permuted(). */
#ifndef SP_SPARSE_PREVIEW_H
#define SP_SPARSE_PREVIEW_H

#include "sparse/formats/permuted.h"
#include "sparse/product/workload.h"
#include "sparse/structure/structure.h"

struct sp_preview_options {
    int32_t C; /* of SELL */
    int64_t sigma;
    int32_t b_h, b_w; /* of blocks */
    int n_threads;
    enum sp_schedule schedule; /* of rows in CRS */
    int64_t block;             /* of cyclic */
    bool exact;                /* blocks of long matrices are counted, not sampled */
};

struct sp_preview {
    int64_t lower_bandwidth, upper_bandwidth, profile; /* as in struct sp_structure */
    double mean_distance;                              /* |i - j| over the entries */
    double beta;                                       /* of SELL-C-sigma */
    double lambda;                                     /* entries: max/mean over threads; 1 without entries */
    struct sp_estimate n_e; /* blocks of b_h x b_w; SP_STRUCTURE_SAMPLE entries are looked at unless exact */
};

/* SP_MEMORY; *preview is zeroed then. */
enum sp_status sp_preview_order(const struct sp_permuted *permuted, const struct sp_preview_options *options,
                                struct sp_preview *preview, struct sp_error *err);

#endif
