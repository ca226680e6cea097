/* SpMV on one thread in fp64 with 32-bit indices: what is looked at where only the format matters. Benchmarks
 * take it, too. */
#ifndef SP_TESTS_PLAIN_LAYOUT_H
#define SP_TESTS_PLAIN_LAYOUT_H

#include "sparse/formats/layout.h"

/* As sp_layout_make(); C = sigma = 1 but for SELL kinds. */
static inline enum sp_status plain_layout(const struct sp_csr *a, int format, int32_t C, int64_t sigma,
                                          struct sp_layout *l, struct sp_error *err)
{
    const struct sp_workload w = {.op = SP_OP_SPMV,
                                  .format = format,
                                  .C = C,
                                  .sigma = sigma,
                                  .precision = SP_F64,
                                  .index = SP_I32,
                                  .schedule = SP_SCHEDULE_NNZ,
                                  .n_threads = 1,
                                  .matrix = a};
    return sp_layout_make(&w, false, NULL, l, err);
}

#endif
