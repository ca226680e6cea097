/* The rows of the x86-64 instruction sets in a build for another processor. */
#include "kernels/cpu/bcsr/dense_bcsr_rows.h"
#include "kernels/cpu/sampled/sampled_rows.h"
#include "kernels/cpu/spmm/spmm_rows.h"
#include "kernels/cpu/spmm/staged.h"
#include "kernels/cpu/spmm/staged_rows.h"
#include "kernels/cpu/spmv/rows.h"

static const char why[] = "an x86-64 instruction set, this build is for another processor";

const struct sp_kernel sp_spmv_crs_avx2 = {.name = "spmv/crs/avx2",
                                           .summary = "not in this build",
                                           .absent = why,
                                           .op = SP_OP_SPMV,
                                           .format = SP_FORMAT_CRS};
const struct sp_kernel sp_spmv_crs_avx2_loads = {.name = "spmv/crs/avx2-loads",
                                                 .summary = "not in this build",
                                                 .absent = why,
                                                 .op = SP_OP_SPMV,
                                                 .format = SP_FORMAT_CRS};
const struct sp_kernel sp_spmv_crs_avx512 = {.name = "spmv/crs/avx512",
                                             .summary = "not in this build",
                                             .absent = why,
                                             .op = SP_OP_SPMV,
                                             .format = SP_FORMAT_CRS};
const struct sp_kernel sp_spmv_crs_avx512_loads = {.name = "spmv/crs/avx512-loads",
                                                   .summary = "not in this build",
                                                   .absent = why,
                                                   .op = SP_OP_SPMV,
                                                   .format = SP_FORMAT_CRS};
const struct sp_kernel sp_spmv_sell_avx2 = {.name = "spmv/sell/avx2",
                                            .summary = "not in this build",
                                            .absent = why,
                                            .op = SP_OP_SPMV,
                                            .format = SP_FORMAT_SELL};
const struct sp_kernel sp_spmv_sell_avx2_loads = {.name = "spmv/sell/avx2-loads",
                                                  .summary = "not in this build",
                                                  .absent = why,
                                                  .op = SP_OP_SPMV,
                                                  .format = SP_FORMAT_SELL};
const struct sp_kernel sp_spmv_sell_avx512 = {.name = "spmv/sell/avx512",
                                              .summary = "not in this build",
                                              .absent = why,
                                              .op = SP_OP_SPMV,
                                              .format = SP_FORMAT_SELL};
const struct sp_kernel sp_spmv_sell_avx512_loads = {.name = "spmv/sell/avx512-loads",
                                                    .summary = "not in this build",
                                                    .absent = why,
                                                    .op = SP_OP_SPMV,
                                                    .format = SP_FORMAT_SELL};
const struct sp_kernel sp_spmv_sellu_avx2 = {.name = "spmv/sellu/avx2",
                                             .summary = "not in this build",
                                             .absent = why,
                                             .op = SP_OP_SPMV,
                                             .format = SP_FORMAT_SELLU};
const struct sp_kernel sp_spmv_sellu_avx2_loads = {.name = "spmv/sellu/avx2-loads",
                                                   .summary = "not in this build",
                                                   .absent = why,
                                                   .op = SP_OP_SPMV,
                                                   .format = SP_FORMAT_SELLU};
const struct sp_kernel sp_spmv_sellu_avx512 = {.name = "spmv/sellu/avx512",
                                               .summary = "not in this build",
                                               .absent = why,
                                               .op = SP_OP_SPMV,
                                               .format = SP_FORMAT_SELLU};
const struct sp_kernel sp_spmv_sellu_avx512_loads = {.name = "spmv/sellu/avx512-loads",
                                                     .summary = "not in this build",
                                                     .absent = why,
                                                     .op = SP_OP_SPMV,
                                                     .format = SP_FORMAT_SELLU};
const struct sp_kernel sp_sddmm_crs_avx2 = {.name = "sddmm/crs/avx2",
                                            .summary = "not in this build",
                                            .absent = why,
                                            .op = SP_OP_SDDMM,
                                            .format = SP_FORMAT_CRS};
const struct sp_kernel sp_sddmm_crs_avx512 = {.name = "sddmm/crs/avx512",
                                              .summary = "not in this build",
                                              .absent = why,
                                              .op = SP_OP_SDDMM,
                                              .format = SP_FORMAT_CRS};
const struct sp_kernel sp_fusedmm_crs_avx2 = {.name = "fusedmm/crs/avx2",
                                              .summary = "not in this build",
                                              .absent = why,
                                              .op = SP_OP_FUSEDMM,
                                              .format = SP_FORMAT_CRS};
const struct sp_kernel sp_fusedmm_crs_avx512 = {.name = "fusedmm/crs/avx512",
                                                .summary = "not in this build",
                                                .absent = why,
                                                .op = SP_OP_FUSEDMM,
                                                .format = SP_FORMAT_CRS};
const struct sp_kernel sp_spmmv_crs_avx2 = {.name = "spmmv/crs/avx2",
                                            .summary = "not in this build",
                                            .absent = why,
                                            .op = SP_OP_SPMMV,
                                            .format = SP_FORMAT_CRS};
const struct sp_kernel sp_spmmv_crs_avx512 = {.name = "spmmv/crs/avx512",
                                              .summary = "not in this build",
                                              .absent = why,
                                              .op = SP_OP_SPMMV,
                                              .format = SP_FORMAT_CRS};
const struct sp_kernel sp_spmmv_sell_avx2 = {.name = "spmmv/sell/avx2",
                                             .summary = "not in this build",
                                             .absent = why,
                                             .op = SP_OP_SPMMV,
                                             .format = SP_FORMAT_SELL};
const struct sp_kernel sp_spmmv_sell_avx512 = {.name = "spmmv/sell/avx512",
                                               .summary = "not in this build",
                                               .absent = why,
                                               .op = SP_OP_SPMMV,
                                               .format = SP_FORMAT_SELL};
const struct sp_kernel sp_spmm_crs_avx2 = {.name = "spmm/crs/avx2",
                                           .summary = "not in this build",
                                           .absent = why,
                                           .op = SP_OP_SPMM,
                                           .format = SP_FORMAT_CRS};
const struct sp_kernel sp_spmm_crs_avx512 = {.name = "spmm/crs/avx512",
                                             .summary = "not in this build",
                                             .absent = why,
                                             .op = SP_OP_SPMM,
                                             .format = SP_FORMAT_CRS};
const struct sp_kernel sp_spmm_staged_avx2 = {.name = "spmm/staged/avx2",
                                              .summary = "not in this build",
                                              .absent = why,
                                              .op = SP_OP_SPMM,
                                              .format = SP_FORMAT_STAGED};
const struct sp_kernel sp_spmm_staged_avx512 = {.name = "spmm/staged/avx512",
                                                .summary = "not in this build",
                                                .absent = why,
                                                .op = SP_OP_SPMM,
                                                .format = SP_FORMAT_STAGED};
const struct sp_kernel sp_sddmm_staged_avx2 = {.name = "sddmm/staged/avx2",
                                               .summary = "not in this build",
                                               .absent = why,
                                               .op = SP_OP_SDDMM,
                                               .format = SP_FORMAT_STAGED};
const struct sp_kernel sp_sddmm_staged_avx512 = {.name = "sddmm/staged/avx512",
                                                 .summary = "not in this build",
                                                 .absent = why,
                                                 .op = SP_OP_SDDMM,
                                                 .format = SP_FORMAT_STAGED};

struct sp_dense_body sp_staged_select_avx2(const struct sp_layout *l)
{
    (void)l;
    return (struct sp_dense_body){0};
}
struct sp_dense_body sp_staged_select_avx512(const struct sp_layout *l)
{
    (void)l;
    return (struct sp_dense_body){0};
}
const struct sp_kernel sp_sddmm_coo_avx2 = {.name = "sddmm/coo/avx2",
                                            .summary = "not in this build",
                                            .absent = why,
                                            .op = SP_OP_SDDMM,
                                            .format = SP_FORMAT_COO};
const struct sp_kernel sp_sddmm_coo_avx512 = {.name = "sddmm/coo/avx512",
                                              .summary = "not in this build",
                                              .absent = why,
                                              .op = SP_OP_SDDMM,
                                              .format = SP_FORMAT_COO};
const struct sp_kernel sp_sddmm_tiled_avx2 = {.name = "sddmm/tiled/avx2",
                                              .summary = "not in this build",
                                              .absent = why,
                                              .op = SP_OP_SDDMM,
                                              .format = SP_FORMAT_TILED};
const struct sp_kernel sp_sddmm_tiled_avx512 = {.name = "sddmm/tiled/avx512",
                                                .summary = "not in this build",
                                                .absent = why,
                                                .op = SP_OP_SDDMM,
                                                .format = SP_FORMAT_TILED};
const struct sp_kernel sp_spmv_bcsr_avx2 = {.name = "spmv/bcsr/avx2",
                                            .summary = "not in this build",
                                            .absent = why,
                                            .op = SP_OP_SPMV,
                                            .format = SP_FORMAT_BCSR};
const struct sp_kernel sp_spmv_bcsr_avx512 = {.name = "spmv/bcsr/avx512",
                                              .summary = "not in this build",
                                              .absent = why,
                                              .op = SP_OP_SPMV,
                                              .format = SP_FORMAT_BCSR};
const struct sp_kernel sp_spmmv_bcsr_avx2 = {.name = "spmmv/bcsr/avx2",
                                             .summary = "not in this build",
                                             .absent = why,
                                             .op = SP_OP_SPMMV,
                                             .format = SP_FORMAT_BCSR};
const struct sp_kernel sp_spmmv_bcsr_avx512 = {.name = "spmmv/bcsr/avx512",
                                               .summary = "not in this build",
                                               .absent = why,
                                               .op = SP_OP_SPMMV,
                                               .format = SP_FORMAT_BCSR};
const struct sp_kernel sp_spmm_bcsr_avx2 = {.name = "spmm/bcsr/avx2",
                                            .summary = "not in this build",
                                            .absent = why,
                                            .op = SP_OP_SPMM,
                                            .format = SP_FORMAT_BCSR};
const struct sp_kernel sp_spmm_bcsr_avx512 = {.name = "spmm/bcsr/avx512",
                                              .summary = "not in this build",
                                              .absent = why,
                                              .op = SP_OP_SPMM,
                                              .format = SP_FORMAT_BCSR};
const struct sp_kernel sp_spmv_half_avx2 = {.name = "spmv/half/avx2",
                                            .summary = "not in this build",
                                            .absent = why,
                                            .op = SP_OP_SPMV,
                                            .format = SP_FORMAT_HALF};
const struct sp_kernel sp_spmv_half_avx512 = {.name = "spmv/half/avx512",
                                              .summary = "not in this build",
                                              .absent = why,
                                              .op = SP_OP_SPMV,
                                              .format = SP_FORMAT_HALF};
