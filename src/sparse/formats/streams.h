/* Can hardware that fetches ahead follow the gathers of x? */
#ifndef SP_SPARSE_STREAMS_H
#define SP_SPARSE_STREAMS_H

#include "base/status.h"
#include "sparse/csr/csr.h"

/* Of the lines of x (`in_line` elements each) that a row gathers from and none of the rows shortly before it
 * did, the share whose neighbour in front was gathered from shortly before: a stream goes on. From samples of
 * neighbouring rows all over the matrix; NAN where there are no such lines. 1: bands, stencils in natural
 * order; 0: random columns. Fails with SP_MEMORY only. */
enum sp_status sp_streams_followed(const struct sp_csr *matrix, int64_t in_line, double *share,
                                   struct sp_error *err);

#endif
