/* Tiny layouts made by hand for the tests of the simulator, and the references of SpMV written down one by
 * one, as slowly and plainly as the definition in model/trace/trace.h reads. */
#ifndef SP_TESTS_HAND_LAYOUT_H
#define SP_TESTS_HAND_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/trace/trace.h"
#include "sparse/formats/layout.h"

struct hand_shape {
    int64_t n_r, n_c;
    double mean;       /* entries in a row */
    double empty;      /* share of empty rows */
    int64_t dense_row; /* that has every column, -1: none */
    int32_t band;      /* columns lie within so many of the diagonal; 0: anywhere */
    uint64_t seed;
};

/* A canonical random pattern; free with sp_csr_free(). */
void hand_matrix(const struct hand_shape *shape, struct sp_csr *a);
/* Structure only. C, sigma for SELL kinds. Free with hand_free(). */
void hand_layout(const struct sp_csr *a, int format, int32_t C, int64_t sigma, enum sp_precision precision,
                 enum sp_index index, enum sp_schedule schedule, int n_threads, struct sp_layout *l);
void hand_free(struct sp_layout *l);

struct hand_ref {
    uint32_t line;
    bool write;
};
struct hand_refs {
    struct hand_ref *ref;
    int64_t n, room;
    int *thread; /* [n] index of the thread */
    int64_t nt_lines;
};
/* All references of one execution in the order of the threads' turns. */
void hand_references(const struct sp_trace *trace, const struct sp_trace_options *options,
                     struct hand_refs *refs);
void hand_refs_free(struct hand_refs *refs);

#endif
