/* SDDMM in CRS, COO and tiles, and FusedMM in CRS, with AVX-512. */
#include <string.h>

#include "kernels/cpu/sampled/sampled_cpu.h"
#include "kernels/cpu/sampled/sampled_rows.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors_sums_avx512.h"

#define REGISTERS 16

#define FUSED
#define STORED_NAME f64
#define STORED      double
#define TYPE        f64
#define SUM         double
#define SMALL       4
#define MIDDLE      0
#define LARGE       8
#include "kernels/cpu/sampled/sampled_type.inc"

#define STORED_NAME f32
#define STORED      float
#define TYPE        f32
#define SUM         float
#define SMALL       4
#define MIDDLE      8
#define LARGE       16
#include "kernels/cpu/sampled/sampled_type.inc"
#undef FUSED

#define STORED_NAME f16
#define STORED      uint16_t
#define TYPE        f32
#define SUM         float
#define SMALL       4
#define MIDDLE      8
#define LARGE       16
#include "kernels/cpu/sampled/sampled_type.inc"

#define STORED_NAME bf16
#define STORED      uint16_t
#define TYPE        f32
#define SUM         float
#define SMALL       4
#define MIDDLE      8
#define LARGE       16
#include "kernels/cpu/sampled/sampled_type.inc"

#define TYPE       f64
#define VALUE      double
#define W          8
#define SUMS8      SP_PASTE(sums8_, V)
#define INDEX      int32_t
#define INDEX_NAME i32
#include "kernels/cpu/sampled/sampled_pairs.inc"
#define INDEX      int64_t
#define INDEX_NAME i64
#include "kernels/cpu/sampled/sampled_pairs.inc"
#undef TYPE
#undef VALUE
#undef W
#undef SUMS8

#define TYPE       f32
#define VALUE      float
#define W          16
#define SUMS8      SP_PASTE(sums8_, V)
#define INDEX      int32_t
#define INDEX_NAME i32
#include "kernels/cpu/sampled/sampled_pairs.inc"
#define INDEX      int64_t
#define INDEX_NAME i64
#include "kernels/cpu/sampled/sampled_pairs.inc"
#undef TYPE
#undef VALUE
#undef W
#undef SUMS8

#include "kernels/cpu/sampled/sampled_kernels.inc"

const struct sp_kernel sp_sddmm_crs_avx512 = {
    .name = "sddmm/crs/avx512",
    .summary = "CRS, AVX-512, the row of A in registers, sums of eight entries reduced together",
    .op = SP_OP_SDDMM,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32 | 1u << SP_F16 | 1u << SP_BF16,
    .rank = 40,
    .available = sp_cpu_has_avx512,
    .prepare = prepare_sddmm,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_fusedmm_crs_avx512 = {
    .name = "fusedmm/crs/avx512",
    .summary = "CRS, AVX-512, the rows of C and E in registers",
    .op = SP_OP_FUSEDMM,
    .format = SP_FORMAT_CRS,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 40,
    .available = sp_cpu_has_avx512,
    .prepare = prepare_fusedmm,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_sddmm_coo_avx512 = {
    .name = "sddmm/coo/avx512",
    .summary = "COO, AVX-512, each entry with both of its rows",
    .op = SP_OP_SDDMM,
    .format = SP_FORMAT_COO,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 40,
    .available = sp_cpu_has_avx512,
    .prepare = prepare_sddmm_coo,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};

const struct sp_kernel sp_sddmm_tiled_avx512 = {
    .name = "sddmm/tiled/avx512",
    .summary = "TILED, AVX-512, the row of B in registers, those of a block of A in the first-level cache",
    .op = SP_OP_SDDMM,
    .format = SP_FORMAT_TILED,
    .precisions = 1u << SP_F64 | 1u << SP_F32,
    .rank = 40,
    .available = sp_cpu_has_avx512,
    .prepare = prepare_sddmm_tiled,
    .run = sp_dense_cpu_run,
    .fetch = sp_dense_cpu_fetch,
    .facts = sp_dense_cpu_facts,
    .release = sp_dense_cpu_release,
};
